# What it does.
# @yieldparam [Any] x It
# @yieldreturn [Any] It
# @param other (see four)
type Sample::T = String
