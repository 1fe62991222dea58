# A class.
class case::controls {
  $a = "one" # lint:ignore:double_quoted_strings for a reason
  # lint:ignore:double_quoted_strings lint:ignore:trailing_whitespace
  $b = "two" 
  # lint:ignore:2sp_soft_tabs because
   $c = "three" 
  # lint:endignore
   $d = "four"
  # lint:endignore
   $e = "five" 
  # lint:endignore
  # lint:ignore:140chars
}
