# frozen_string_literal: true

require 'open3'

# Puppet is loaded in a separate process, because a replaced method is replaced for the whole process.
RSpec.describe 'server facts in bunraku/puppet', :puppet do
  def ruby(code)
    said, status = Open3.capture2e(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), '-e', code)
    raise said unless status.success?

    said
  end

  before(:all) do
    skip 'The kernel shows no routes' unless File.exist?('/proc/net/route') && !File.read('/proc/net/route').empty?
  end

  let(:prelude) { <<~'RUBY' }
    require 'puppet'
    Puppet.initialize_settings
    # The processes that Facter starts.
    STARTED = []
    Facter::Core::Execution.impl.singleton_class.prepend(Module.new do
      def execute(command, options = {})
        STARTED << command
        super
      end
    end)
    def load
      Facter.clear
      yield if block_given?
      STARTED.clear
      Puppet::Resource::Catalog::Compiler.new.instance_variable_get(:@server_facts)
    end
    # The terminus is made before the first compilation.
    load { Puppet::Resource::Catalog.indirection.terminus(:compiler) }
    environment = Puppet::Node::Environment.create(:production, [])
    Puppet.override(current_environment: environment) { Puppet::Parser::Compiler.compile(Puppet::Node.new('n', environment: environment)) }
  RUBY

  it 'asks for the network once, and Facter each time' do
    code = prelude + <<~'RUBY'
      p load, load
      p load { Facter.add('networking') { setcode { { 'fqdn' => 'other.example.net', 'ip6' => '::2' } } } }
      p load { Facter.add('networking.ip', weight: 999) { setcode { '192.0.2.9' } } }
    RUBY
    expect(ruby("require 'bunraku/puppet'\n#{code}")).to eq(ruby(code))
    said = ruby("require 'bunraku/puppet'\n#{prelude}" + <<~'RUBY')
      load
      first = STARTED.grep(/\Aip /).size
      load
      p [first.positive?, STARTED.grep(/\Aip /).size]
    RUBY
    expect(said).to eq("[true, 0]\n")
  end

  it 'asks again when the network is another one, and outside of server facts' do
    said = ruby("require 'bunraku/puppet'\n#{prelude}" + <<~'RUBY')
      load
      Facter.clear
      STARTED.clear
      Facter.value('networking.ip')
      outside = STARTED.grep(/\Aip /).size
      ENV['PATH'] += ':/nowhere'
      load
      p [outside.positive?, STARTED.grep(/\Aip /).size.positive?]
      ENV['PATH'] = ENV['PATH'].delete_suffix(':/nowhere')
      Bunraku::DropIn.disable
      load
      p STARTED.grep(/\Aip /).size.positive?
    RUBY
    expect(said).to eq("[true, true]\ntrue\n")
  end
end
