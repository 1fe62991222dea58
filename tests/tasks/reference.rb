# frozen_string_literal: true

# The results of Puppet's TaskInformationService for the tasks of an environment: `reference.rb
# ENVIRONMENTPATH`, with the OpenVox library from OPENVOX_LIB. Prints a JSON object: the names of the tasks,
# each with `metadata`, `files`, `error`.
require 'json'
require_relative '../ruby_functions/installed_puppet'
require 'puppet/info_service'

directory = File.realpath(ARGV.fetch(0))
scratch = Dir.mktmpdir
at_exit { FileUtils.rm_rf(scratch) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |name| ["--#{name}", File.join(scratch, name)] } +
                           ['--environmentpath', directory, '--basemodulepath', '/usr/share/puppet/modules'])
Puppet.push_context(Puppet.base_context(Puppet.settings))
Puppet::Util::Log.level = :crit

service = Puppet::InfoService::TaskInformationService
environment = Puppet.lookup(:environments).get!('production')
found = environment.modules.flat_map(&:tasks).to_h do |task|
  data = begin
    service.task_data('production', task.module.name, task.name)
  rescue StandardError => e
    { raised: "#{e.class}: #{e.message}" }
  end
  [task.name, data]
end
listed = service.tasks_per_environment('production').map { |task| task[:name] } unless found.any? { |_, data| data[:raised] }
puts JSON.generate(tasks: found, listed: listed)
