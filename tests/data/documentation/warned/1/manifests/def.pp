define sample::def(
  Array[Variant[Integer, String]] $b,
) {
}
