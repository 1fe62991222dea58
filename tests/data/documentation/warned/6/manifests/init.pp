# @api public
# @param mode
class sample(
  Integer[0, 10] $mode = undef,
  Integer[0, 10] $other,
) {
}
