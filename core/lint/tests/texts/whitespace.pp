// a slash comment
/* star */
# A class.
/* lines
 * of a star
 */
class case::whitespace {
	$tab = 1	
   $odd = 2  
  $both = /* in it */ 3 // behind
  $regex = $x ? { /a b/ => 1, default => 2 }

   
  # a comment that is long enough to be told, because it has more than one hundred and forty characters, which is what is allowed here: it ends
  # a line with more than eighty characters, which some people do not like to see, either
  # https://example.com/a/line/with/an/address/that/is/longer/than/one/hundred/and/forty/characters/is/left/alone/by/all/checks/of/the/length/of/lines
} 
