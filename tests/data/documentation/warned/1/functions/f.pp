# What it does.
#
# @return what comes out
# @param [Array[Variant[Integer, String]]] c What it is
function sample::f(
  Array[Variant[Integer, String]] $c,
  Array[Variant[Integer, String]] $mode,
  Hash[String, Any] $other,
) >> Array[Variant[Integer, String]] {
}
