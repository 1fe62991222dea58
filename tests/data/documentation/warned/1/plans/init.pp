plan sample(
  Enum['a', 'b'] $a = 1,
  Hash[String, Any] $b,
  $other,
) {
}
