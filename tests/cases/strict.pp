# What is unknown: a warning, or an error under `strict_variables`.
#: setting strict=warning
#: setting strict_variables=false
notice($nowhere, $facts['none'])
$h = { 'a' => 1, 'a' => 2 }
notice($h)
