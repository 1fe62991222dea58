# Every node gets a role; what a role is made of stands in site/.
File { owner => 'root', group => 'root' }

node /^web\d+\./ {
  $role = 'web'
  include role::web
}

node 'db01.example.net' {
  $role = 'db'
  include role::database
}

node default {
  $role = 'plain'
  include profile::base
}
