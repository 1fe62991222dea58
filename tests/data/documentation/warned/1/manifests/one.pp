# What it does.
#
# @summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary a long summary
# @param c What it is
# @todo Finish it
# @api public
# @param b [Enum['a', 'b']] What it is
class sample::one(
  $a,
  Integer[0, 10] $c,
  $b = 1,
) {
}
