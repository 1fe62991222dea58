# What it does.
#
# @unknown
# @summary
# @return [String] what comes out
#   and more of it
# @param [Array[Variant[Integer, String]]] a What it is
# @group Things
function sample::f(

) >> Array[Variant[Integer, String]] {
}
