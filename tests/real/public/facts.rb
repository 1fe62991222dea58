# frozen_string_literal: true

require 'json'

# The facts of the nodes for which cases are compiled, one for each operating system.
module PublicFacts
  SPEC = File.expand_path('../../data/environments/control_basic/spec/facts', __dir__)
  FREEBSD = {
    'kernel' => 'FreeBSD', 'kernelmajversion' => '14.1', 'kernelrelease' => '14.1-RELEASE', 'kernelversion' => '14.1',
    'service_provider' => 'freebsd', 'package_provider' => 'pkgng', 'systemd' => false,
    'os' => { 'name' => 'FreeBSD', 'family' => 'FreeBSD', 'architecture' => 'amd64', 'hardware' => 'amd64',
              'release' => { 'full' => '14.1-RELEASE', 'major' => '14', 'minor' => '1', 'branch' => 'RELEASE' } }
  }.freeze

  # Those that a group's modules add on their nodes.
  OF_GROUPS = {
    'openstack' => { 'os_service_default' => '<SERVICE DEFAULT>', 'os_workers_small' => 2, 'os_workers' => 2, 'os_workers_large' => 2,
                     'os_workers_heat_engine' => 4, 'os_workers_keystone' => 4 }
  }.freeze

  def self.read(name)
    JSON.parse(File.read(File.join(SPEC, "#{name}.json")))
  end

  def self.all
    @all ||= %w[debian12 ubuntu2204 rocky9].to_h { |name| [name, read(name)] }
                                           .merge('freebsd14' => read('debian12').merge(FREEBSD).except('systemd_version'))
  end

  # A node's facts: those of an operating system with the node's names, in control repositories with those
  # that Facter has had before they were structured, too, which older ones ask for.
  def self.of(node, system, group, control: false)
    short, domain = node.split('.', 2)
    facts = all.fetch(system)
    facts = facts.merge('clientcert' => node,
                        'networking' => facts['networking'].merge('fqdn' => node, 'hostname' => short, 'domain' => domain))
    facts = facts.merge(OF_GROUPS[group] || {})
    control ? legacy(facts).merge(facts) : facts
  end

  def self.legacy(facts)
    os, net, distro = facts.values_at('os', 'networking').then { |one, two| [one, two, one['distro'] || {}] }
    { 'fqdn' => net['fqdn'], 'hostname' => net['hostname'], 'domain' => net['domain'], 'ipaddress' => net['ip'],
      'ipaddress6' => net['ip6'], 'macaddress' => net['mac'], 'netmask' => net['netmask'], 'interfaces' => net['interfaces'].keys.join(','),
      'ipaddress_eth0' => net['ip'], 'operatingsystem' => os['name'], 'osfamily' => os['family'],
      'operatingsystemrelease' => os.dig('release', 'full'), 'operatingsystemmajrelease' => os.dig('release', 'major'),
      'lsbdistid' => distro['id'], 'lsbdistcodename' => distro['codename'], 'lsbdistrelease' => distro.dig('release', 'full'),
      'lsbmajdistrelease' => distro.dig('release', 'major'), 'architecture' => os['architecture'], 'hardwaremodel' => os['hardware'],
      'memorysize' => '8.00 GiB', 'memorysize_mb' => '8192.00', 'processorcount' => 4, 'physicalprocessorcount' => 1,
      'selinux' => false, 'id' => 'root', 'uptime_days' => 0 }.compact
  end
end
