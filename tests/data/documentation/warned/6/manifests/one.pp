# What it does.
# @param other [Optional[String[1]]] What it is
# @param c What it is
# @yield [Any] x
# @version 3
# @param a
# @!unknown
#   and more of it
class sample::one(
  Integer[0, 10] $a,
  $c = undef,
  Optional[String[1]] $other = undef,
) {
}
