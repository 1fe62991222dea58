# A class.
class case::resources {
  file { '/a':
    mode => '644',
    owner  => 'root',
    ensure => '/target',
    owner => 'other',
  }
  file { b: ensure => $x ? { 'y' => 'z', default => undef }, mode => 0644 }
  file { 'd':   mode   =>   'u=rw,go+r'; 'e': mode => '0999', }
  file { [ 'f', g ]: ensure => present, }
  file {
    '/h':
      content => { a => 1,
        bbb => 2, c => 3 },
      "${x}y" => 1,
      mode => $mode;
    '/i':
      owner => 'root', group   => 'wheel', mode => '0644',
      require    => [File['/h'], Package['x']],
  }
  File { owner => 'root', gggg => 'x' }
  concat { '/j':
    ensure => present,
    mode => 755,
    replace=> true,
  }
  @@file { '/k': ensure => file }
  class { 'x':
    a => 1,
    ensure => 2,
  }
}
