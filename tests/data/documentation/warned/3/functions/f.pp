#
# More of it.
# @param name (see puppet_functions_ruby4x::sample::four)
# @summary
# @param a
#   What it is
#
#   and more
# @raise [Error] when it fails
function sample::f(
  Enum['a', 'b'] $a,
  Integer[0, 10] $other,
) {
}
