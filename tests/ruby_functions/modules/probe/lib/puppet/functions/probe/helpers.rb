# frozen_string_literal: true

require 'puppet/util/probe_words'
require_relative '../../../puppet_x/probe/words'

# Helpers of Puppet and of the module.
Puppet::Functions.create_function(:'probe::helpers') do
  def helpers(text)
    [Puppet::Util::ProbeWords.twice(text), ::PuppetX::Probe::Words::LOUD.fetch('a'), Puppet::Util::Package.versioncmp('1.10', '1.9'),
     Puppet::Util.absolute_path?('/x'), Puppet::Util.absolute_path?('x'), n_('one', 'many', 2),
     Puppet::Util::Yaml.safe_load("a: [1, 'b']", []), Puppet::Util::Json.load('{"a": [1]}'), Puppet::Util.which('sh')&.end_with?('/sh'),
     Puppet[:strict], Puppet.settings[:certname], Puppet::Util::Platform.windows?]
  end
end
