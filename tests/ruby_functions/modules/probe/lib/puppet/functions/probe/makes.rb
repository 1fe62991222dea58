# frozen_string_literal: true

require 'set'

# What Ruby gives.
Puppet::Functions.create_function(:'probe::makes') do
  def makes(what)
    case what
    when 'undef' then :undef
    when 'default' then :default
    when 'symbol' then :word
    when 'symbols' then { sym: 1, 'sym' => 2, 'list' => [:a, 'a', :undef, :default] }
    when 'hash' then { 'a' => nil, 1 => [2.5] }
    when 'sensitive' then Puppet::Pops::Types::PSensitiveType::Sensitive.new('secret')
    when 'type' then Puppet::Pops::Types::TypeFactory.integer
    when 'binary' then Puppet::Pops::Types::PBinaryType::Binary.from_binary_string('bytes')
    when 'version' then SemanticPuppet::Version.parse('1.2.3-rc1')
    when 'range' then SemanticPuppet::VersionRange.parse('>=1.0.0 <2.0.0')
    when 'timespan' then Puppet::Pops::Time::Timespan.from_hash('hours' => 1, 'minutes' => 2)
    when 'regexp' then /a.b/
    when 'big' then 2**62
    when 'frozen' then 'text'.dup.freeze
    end
  end
end
