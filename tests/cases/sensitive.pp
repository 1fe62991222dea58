# The content of a Sensitive appears neither in a log nor in what is shown of a resource.
$secret = Sensitive('s3cret')
notice($secret, "it is ${secret}")
file { '/key': content => $secret, mode => '0600' }
file { '/config': content => String($secret.unwrap.size) }
notice($secret.unwrap == 's3cret', $secret =~ Sensitive[String[6, 6]])
