# A class that inherits overrides and extends resources of the class it inherits from.
class base {
  $port = 80
  file { '/etc/base.conf': mode => '0644', require => Notify['first'] }
  notify { 'first': }
}
class special inherits base {
  notify { "port ${port}": }
  File['/etc/base.conf'] { mode => '0600', require +> Notify["port ${port}"] }
}
include special
