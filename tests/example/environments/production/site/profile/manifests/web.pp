# Web sites, from data.
class profile::web (
  Profile::Port                $port  = 80,
  Hash[String[1], Hash]        $sites = {},
) {
  package { 'nginx': ensure => installed }

  service { 'nginx':
    ensure => running,
    enable => true,
  }

  $sites.each |$name, $site| {
    profile::site { $name:
      * => { 'port' => $port } + $site,
    }
  }

  Package['nginx'] -> Profile::Site <| |> ~> Service['nginx']
}
