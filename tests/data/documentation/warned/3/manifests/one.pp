#
# @param a
#   What it is
#
#   and more
# @param [Optional[String[1]]] c What it is
#   and more of it
# @param b
#   What it is
#
#   and more
class sample::one(
  $a,
  String $c,
) {
}
