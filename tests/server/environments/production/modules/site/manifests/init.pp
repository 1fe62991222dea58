# What every node has.
class site (String $motd, Sensitive[String] $secret, String $place = $facts['place']) {
  file { "${place}/motd":
    content => epp('site/motd.epp', { 'motd' => $motd }),
    mode    => '0600',
  }
  file { "${place}/secret": content => $secret, mode => '0600' }
  file { "${place}/erb": content => template('site/list.erb') }
  file { "${place}/static": source => 'puppet:///modules/site/static.txt' }
  notify { "server ${server_facts['serverversion']} in ${environment}": }
  notify { "function: ${site::shout($motd)}": }
  concat { "${place}/concat": }
  concat::fragment { 'first': target => "${place}/concat", content => "first\n", order => '01' }
}
