include site

node /^web/ {
  class { 'apache': default_vhost => false }
  apache::vhost { $trusted['certname']: port => 80, docroot => '/var/www/site' }
  @@site::host { $trusted['certname']: role => $facts['role'] }
}

node /^db/ {
  Site::Host <<| role == 'web' |>>
}

node /^wrong/ {
  fail("no such node: ${trusted['certname']}")
}

node 'report.example.net' {
  notify { 'report': message => site::report() }
}

node /^applied/ { }

node default {
  include ntp
}
