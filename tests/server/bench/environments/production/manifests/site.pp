class { 'apache': default_vhost => false }

Integer[1, 60].each |$number| {
  apache::vhost { "site${number}.example.net":
    port       => 80,
    docroot    => "/var/www/site${number}",
    directories => [{ 'path' => "/var/www/site${number}", 'options' => ['-Indexes'] }],
  }
}

include ntp

Integer[1, 100].each |$number| {
  concat::fragment { "part ${number}":
    target  => '/etc/parts',
    content => "${trusted['certname']} ${number}\n",
    order   => sprintf('%03d', $number),
  }
}
concat { '/etc/parts': }
