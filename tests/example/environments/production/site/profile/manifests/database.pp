# PostgreSQL with its databases.
class profile::database (
  Sensitive[String] $password,
  String[1]         $version   = '15',
  Array[String[1]]  $databases = [],
) {
  package { "postgresql-${version}": ensure => installed }
  -> file { '/etc/postgresql/.pgpass':
    mode    => '0600',
    content => $password,
  }

  $databases.each |$index, $database| {
    exec { "create database ${database}":
      command => "/usr/bin/createdb ${profile::database_name($database, $index)}",
      require => Package["postgresql-${version}"],
    }
  }
}
