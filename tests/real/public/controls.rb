# frozen_string_literal: true

require 'fileutils'
require 'yaml'

# The parts that control repositories leave to their servers and nodes: the Hiera configuration outside
# environments, and facts.
module PublicControls
  # `hiera`: a file of the repository, in which directories of its server are replaced by the local ones;
  # `facts`: a file with facts from the specs of the repository, of which `only` are facts of nodes;
  # `address`: the address of its nodes; `main`: what is compiled in place of the main manifest, where that
  # needs data of nodes which the repository does not contain.
  ALONE = "# The classes of the node alone.\n"
  OWN = {
    'genebean_control_repo' => { main: ALONE },
    'jenkins_infra_jenkins_infra' => { main: ALONE },
    'lsst_it_lsst_control' => { main: ALONE },
    'miraheze_puppet' => { main: ALONE },
    'ocf_puppet' => { main: ALONE },
    'wikimedia_puppet' => {
      hiera: 'modules/puppetmaster/files/production.hiera.yaml', directories: { '/etc/puppet/hieradata' => 'hieradata' },
      facts: 'rake_modules/default_facts.yml',
      own: { 'numa' => { 'nodes' => [0] } },
      only: %w[initsystem interface_primary augeasversion raid kernel_details puppet_config uniqueid numa block_devices],
      address: '10.64.0.21'
    }
  }.freeze

  module_function

  # @return [String, nil] the path of a global configuration of Hiera
  def hiera_config(name, directory, out)
    own = OWN.dig(name, :hiera) or return
    text = OWN[name][:directories].inject(File.read(File.join(directory, own))) do |all, (there, here)|
      all.gsub(there, File.join(directory, here))
    end
    path = File.join(out, 'hiera', "#{name}.yaml")
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    path
  end

  # Returns the extensions of the node's certificate: its data center, and the role of the case.
  def extensions(one)
    role = one.classes.grep(/\Aroles?::/).first
    { 'pp_datacenter' => 'dc1', 'pp_role' => role&.sub(/\Aroles?::/, '') }.compact
  end

  # @return [String, nil] what is compiled in place of the main manifest
  def main(name)
    OWN.dig(name, :main)
  end

  def facts(name, directory)
    own = OWN[name]
    return {} unless own&.key?(:facts)

    kept = YAML.safe_load(File.read(File.join(directory, own[:facts]))).slice(*own[:only])
    kept = kept.merge(own[:own]) { |_, one, other| one.merge(other) }
    kept.merge('ipaddress' => own[:address])
  end
end
