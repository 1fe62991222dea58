# What puppet-lint mends wrongly: facts in facts, a space in front of the name, attributes that go to the next
# resource; and facts without a new place, which it tells as mended.
class case::mended {
  notice($::blockdevice_sda_model, $::processor3, $::sshrsakey, $::memoryfree_mb, "${facts['interfaces']}")
  file { 'c': owner=>'root' }
  file { 'd': mode => '0644', ensure => present }
  file { 'e': ensure => file, mode => '0644' }
}
