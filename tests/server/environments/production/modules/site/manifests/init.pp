# What every node has.
class site (String $motd, Sensitive[String] $secret) {
  file { '/tmp/bunraku-motd':
    content => epp('site/motd.epp', { 'motd' => $motd }),
    mode    => '0600',
  }
  file { '/tmp/bunraku-secret': content => $secret, mode => '0600' }
  file { '/tmp/bunraku-erb': content => template('site/list.erb') }
  notify { "server ${server_facts['serverversion']} in ${environment}": }
  notify { "function: ${site::shout($motd)}": }
  concat { '/tmp/bunraku-concat': }
  concat::fragment { 'first': target => '/tmp/bunraku-concat', content => "first\n", order => '01' }
}
