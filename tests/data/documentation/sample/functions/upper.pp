# Makes letters large
# @param text [String] The letters
# @return [Array<String>, nil] Larger ones
function sample::upper(String $text = 'a', Any *$rest) >> Optional[String] {
  $text.upcase
}

function sample::lower($text) {
  $text
}
