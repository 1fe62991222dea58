# A class.
class case::facts {
  notice($::operatingsystem, $::osfamily, $facts['fqdn'], $::facts['hostname'], $fqdn)
  notice($::ipaddress_eth0, $facts['processor3'], $facts['sp_name'], $facts['ldom_x'], $facts['zone_a_id'])
  notice($::custom, $::custom['x'], $::module::variable, $::trusted['x'])
  notice("${::lsbdistid} $::architecture ${facts['uptime_days']} ${facts["swapfree"]} ${$::domain}")
  notice($facts['os']['family'], $facts[fqdn])
}
