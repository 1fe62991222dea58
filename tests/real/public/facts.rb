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

  def self.read(name)
    JSON.parse(File.read(File.join(SPEC, "#{name}.json")))
  end

  def self.all
    @all ||= %w[debian12 ubuntu2204 rocky9].to_h { |name| [name, read(name)] }
                                           .merge('freebsd14' => read('debian12').merge(FREEBSD).except('systemd_version'))
  end
end
