# Defaults of resources hold in their scope and those below it; a resource's own value wins.
File { mode => '0600', owner => 'root' }
class inner {
  File { mode => '0640' }
  file { '/inner': }
  file { '/own': mode => '0777' }
}
include inner
file { '/outer': }
file {
  default:
    group => 'adm',
  ;
  '/with/group':
  ;
  '/other/group':
    group => 'root',
}
