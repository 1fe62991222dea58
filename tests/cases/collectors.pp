# Collectors realize virtual resources and override what they collect.
@user { 'ann': ensure => present, groups => ['www'], tag => 'admins' }
@user { 'bob': ensure => present, groups => ['db'] }
@user { 'eve': ensure => absent }

User <| tag == 'admins' or groups == 'db' |> {
  shell => '/bin/bash',
}
file { ['/a', '/b']: ensure => directory, mode => '0700' }
File <| title == '/a' |> { mode => '0755' }

# A collector's type may begin with `::`, as a resource's may.
define site::part {}
@site::part { 'x': }
notify { 'first': } -> ::Site::Part <| title == 'x' |>
