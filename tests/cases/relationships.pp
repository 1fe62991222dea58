# Arrows between references, collectors and declarations.
package { 'nginx': }
-> file { '/etc/nginx.conf': }
~> service { 'nginx': ensure => running }

@notify { 'before': }
Notify <| |> -> Package['nginx']
file { '/late': require => [Service['nginx'], File['/etc/nginx.conf']] }
