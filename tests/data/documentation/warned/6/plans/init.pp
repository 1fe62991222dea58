#
# @param other
#   What it is
#
#   and more
# @param c What it is
# @summary What it is for
#   and more of it
# @option $hash [String] :key What it is

plan sample(
  $other = undef,
) {
}
