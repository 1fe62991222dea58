# One web site.
define profile::site (
  String[1]        $docroot,
  Profile::Port    $port,
  Array[String[1]] $aliases = [],
) {
  file { "/etc/nginx/sites-enabled/${title}.conf":
    ensure  => file,
    content => @("CONF"),
      server {
        listen ${port};
        server_name ${([$title] + $aliases).join(' ')};
        root ${docroot};
      }
      | CONF
  }

  file { $docroot:
    ensure => directory,
    mode   => '0755',
  }
}
