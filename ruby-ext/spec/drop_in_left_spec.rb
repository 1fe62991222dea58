# frozen_string_literal: true

require 'open3'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'bunraku/puppet and what only Puppet tells', :puppet do
  let(:start) { <<~'RUBY' }
    require 'puppet'
    require 'tmpdir'
    Puppet.initialize_settings
    Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| puts entry.to_s if entry.to_s.match?(/lookup of|Found key/i) } }
    Puppet::Util::Log.newdestination('List')
    def compile(modules = [])
      environment = Puppet::Node::Environment.create(:production, modules)
      node = Puppet::Node.new('n.example.net', environment: environment)
      Puppet::Parser::Compiler.compile(node).resources.map(&:ref)
    end
  RUBY

  def ruby(code, *required)
    out, said, status = Open3.capture3(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), *required, '-e', code)
    raise out + said unless status.success?

    out
  end

  it 'has Puppet compile with --debug, which tells how each value is found' do
    code = start + <<~'RUBY'
      Puppet::Util::Log.level = :debug
      Puppet[:code] = 'notify { lookup("a::x", default_value => "a1"): }'
      p compile
    RUBY
    theirs = ruby(code)
    expect(theirs).to include("Lookup of 'a::x'", 'Notify[a1]')
    own = ruby("#{code}\np Bunraku::DropIn.report[:compiler][:left]", '-r', 'bunraku/puppet')
    expect(own.lines[0..-2].join).to eq(theirs)
    expect(own.lines.last).to include('with debug')
  end

  it 'has Puppet compile while what modules say of themselves is replaced' do
    said = ruby(start + <<~'RUBY', '-r', 'bunraku/puppet')
      Puppet[:code] = 'notify { a: }'
      Puppet::Module.prepend(Module.new { def has_metadata? = false })
      compile
      p Bunraku::DropIn.report[:compiler]
    RUBY
    expect(said).to include(':native=>0').and include('has_metadata? was replaced')
  end

  it 'has Puppet compile while what warns once in a process is replaced' do
    code = start + <<~'RUBY'
      Puppet.define_singleton_method(:warn_once) { |*said| puts "said: #{said[1]}" }
      Puppet[:code] = 'notify { hiera("a::x", "a1"): }'
      p compile
    RUBY
    theirs = ruby(code)
    expect(theirs).to include('said: ', 'Notify[a1]')
    own = ruby("#{code}\np Bunraku::DropIn.report[:compiler]", '-r', 'bunraku/puppet')
    expect(own.lines[0..-2].join).to eq(theirs)
    expect(own.lines.last).to include(':native=>0').and include('warn_once was replaced')
  end
end
