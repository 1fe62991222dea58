#
# @enum [String] mode one What it does
# @api public
# @param b What it is
define sample::def(
  $a = undef,
  Hash[String, Any] $other = undef,
  Hash[String, Any] $b,
) {
}
