# @param mode What it is
# @enum [String] mode one What it does
# @yieldparam [Any] x It
# @todo Finish it
type Sample::T = Array[Variant[Integer, String]]
