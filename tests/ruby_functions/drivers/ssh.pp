notice(ipaddresses())
$interfaces = 'eth9' $ipaddress_eth9 = '9.9.9.9' notice(ipaddresses())
