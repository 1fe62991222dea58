# frozen_string_literal: true

require 'open3'
require 'tmpdir'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'bunraku/puppet and puppet epp render', :puppet do
  let(:code) { <<~'RUBY' }
    require 'puppet'
    require 'puppet/face'
    require 'tmpdir'
    LOGS = []
    Puppet::Util::Log.newdesttype(:list) { match 'List'; define_method(:handle) { |entry| LOGS << [entry.level, entry.source, entry.to_s] } }
    Puppet::Util::Log.newdestination('List')
    def render(*files, **options)
      facts = { 'role' => 'web', 'os' => { 'family' => 'Debian' } }
      puts Puppet::Face[:epp, :current].render(*files, facts: facts, **options)
    rescue Puppet::Error, ArgumentError => e
      puts "#{e.class}: #{e.message}"
    end
    Dir.mktmpdir do |directory|
      Puppet.initialize_settings(['--confdir', directory, '--vardir', "#{directory}/var", '--codedir', "#{directory}/code", '--certname', 'n.example.net'])
      templates = "#{directory}/code/environments/production/modules/m/templates"
      FileUtils.mkdir_p(templates)
      File.write("#{templates}/t.epp", "<%- | Integer $a, String $b = 'd' | -%>\n<% $a.each |$i| { -%>\nline <%= $i %> <%= $b %> <%= $facts['role'] %>\n<% } -%>\n")
      File.write("#{directory}/v.yaml", "---\na: 2\nb: it's \\ here\n")
      File.write("#{directory}/v.pp", "$given = 'set'\nundef\n")
      environments = Puppet::Environments::Directories.new("#{directory}/code/environments", [])
      Puppet[:facts_terminus] = :memory
      Puppet[:node_terminus] = :memory
      Puppet.override(environments: environments, current_environment: environments.get!('production')) do
        Puppet::Node.indirection.save(Puppet::Node.new('n.example.net', facts: Puppet::Node::Facts.new('n.example.net', { 'kernel' => 'Linux' }),
                                                                        environment: environments.get!('production')))
        render('m/t.epp', node: 'n.example.net', values: '{a => 2}')
        render('m/t.epp', 'm/t', node: 'n.example.net', values_file: "#{directory}/v.yaml")
        render(node: 'n.example.net', e: '<%= $kernel %> <%= $os["family"] %> <%= $a %>', values: '{a => [1.5, {k => undef}, true]}')
        puts 'left'
        render(node: 'n.example.net', e: 'is <%= $given %>', values_file: "#{directory}/v.pp")
        render(node: 'n.example.net', e: '<%= $nowhere %>')
        render(node: 'n.example.net', e: '<% notice("a message") %>said')
        render(node: 'n.example.net', e: '<%= $trusted %>')
        render(node: 'n.example.net', e: '<%= $s %>', values: '{s => Sensitive("secret")}')
        render('m/none.epp', node: 'n.example.net')
      end
      puts LOGS.map(&:inspect).join("\n").gsub(directory, '')
    end
  RUBY

  def ruby(code, *required)
    out, said, status = Open3.capture3(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), *required, '-e', code)
    raise out + said unless status.success?

    out
  end

  it 'writes what Puppet writes, natively where that is possible' do
    theirs = ruby(code)
    expect(theirs).to include("line 1 d web\n", "it's \\ here", "Linux Debian [1.5, {k => }, true]\n", "is set\n", "said\n", "secret\n", 'a message',
                              "Could not find template 'm/none.epp'")
    own = ruby("#{code}\nputs Bunraku::DropIn.report[:compiler].inspect", '-r', 'bunraku/puppet')
    expect(own.lines[0..-2].join).to eq(theirs)
    expect(own.lines.last).to include(':native=>5', 'it logs', 'Sensitive among the values', 'variables of its caller')
  end
end
