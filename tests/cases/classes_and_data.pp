# Parameters of classes come from a declaration, from Hiera's data, or from their defaults, in this order.
#: facts {"role": "web"}
class { 'app': port => 8080 }

# -- modules/app/manifests/init.pp --
class app(Integer $port, String $owner, Array[String] $packages, Boolean $is_debug = false) {
  package { $packages: ensure => installed }
  app::vhost { 'main': port => $port, owner => $owner }
  if $is_debug { notify { 'debug': } }
}

# -- modules/app/manifests/vhost.pp --
define app::vhost(Integer[1, 65535] $port, String $owner) {
  file { "/etc/app/${title}.conf": owner => $owner, content => "listen ${port}\n" }
}

# -- hiera.yaml --
version: 5
hierarchy:
  - name: role
    path: "role/%{facts.role}.yaml"
  - name: common
    path: common.yaml

# -- data/role/web.yaml --
app::packages: [nginx]
app::port: 80

# -- data/common.yaml --
lookup_options:
  app::packages: {merge: unique}
app::owner: "%{lookup('owner')}"
owner: root
app::packages: [curl]
