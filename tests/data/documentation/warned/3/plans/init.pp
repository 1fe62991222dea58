# (see four)
# What it does.
# @return x [String]
# @param c
#   and more of it
# @param other What it is
# @param mode [Optional[String[1]]] What it is
plan sample(
  Integer[0, 10] $c,
  Array[Variant[Integer, String]] $a,
  Array[Variant[Integer, String]] $other,
) {
}
