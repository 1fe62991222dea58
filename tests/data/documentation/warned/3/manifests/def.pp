# What it does.
# @param a What it is
# @param c
#   What it is
#
#   and more
# @param [Array[Variant[Integer, String]]] c What it is
# @param mode What it is
define sample::def(
  $mode,
  Enum['a', 'b'] $c = default,
  Enum['a', 'b'] $a,
  Array[Variant[Integer, String]] $other,
) {
}
