# What it does.
# @yield [Any] x
# @param a [Hash[String, Any]] What it is
# @raise [Error] when it fails
# @private
# @param c [Integer[0, 10]] What it is
#   and more of it
class sample(
  String $c = 1,
) {
}
