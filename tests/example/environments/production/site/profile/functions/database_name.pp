# The name of a database with its number.
function profile::database_name(String[1] $name, Integer[0] $index) >> String[1] {
  sprintf('%02d_%s', $index + 1, $name)
}
