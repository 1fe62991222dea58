  #   @api private
 ## Values for all
class sample::params {
}

#not far

define sample::undocumented($a, Integer *$b) { }
# @api private
#
# @summary
#   Private, and documented
# @param text Its text, of a heredoc
define sample::documented(
  String $text = @(END),
    some text
    | END
  $other = sample::upper("a ${text} b")
) {
  file { $title: }
}
