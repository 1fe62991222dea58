# Ends in the middle of a line.
class case::end {
}