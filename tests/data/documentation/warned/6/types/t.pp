# What it does.
#
# @yield [Any] x
# @version 3
# @group Things
# @param other
# @param b (see sample::one)
type Sample::T = Integer[0, 10]
