# What does not fit a parameter's type is an error with the place of the declaration.
class server(Integer[1, 65535] $port, Enum['tcp', 'udp'] $protocol = 'tcp') { }
class { 'server': port => '80', protocol => 'icmp' }
