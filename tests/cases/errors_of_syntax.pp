# A syntax error has the place of what was not expected.
class a {
  file { '/x' ensure => file }
}
