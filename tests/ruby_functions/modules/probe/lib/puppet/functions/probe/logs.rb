# frozen_string_literal: true

# What is logged.
Puppet::Functions.create_function(:'probe::logs') do
  def logs(text)
    Puppet.warning("w #{text}")
    Puppet.notice("n #{text}")
    Puppet.warn_once('probe', 'probe key', "once #{text}")
    Puppet.warn_once('probe', 'probe key', 'twice')
    Puppet.deprecation_warning("old #{text}", 'probe')
    call_function('warning', text, 1)
    nil
  end
end
