# frozen_string_literal: true

require 'open3'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'environments of bunraku/puppet that change', :puppet do
  # An environment that changes, by what is deployed, between compilations, and is cleared.
  let(:code) { <<~'RUBY' }
    require 'puppet'
    require 'tmpdir'
    Dir.mktmpdir do |directory|
      root = "#{directory}/environments/production"
      write = lambda do |name, text|
        FileUtils.mkdir_p(File.dirname("#{root}/#{name}"))
        File.write("#{root}/#{name}", text)
      end
      Puppet.initialize_settings(['--confdir', "#{directory}/conf", '--vardir', "#{directory}/var", '--environmentpath', "#{directory}/environments",
                                  '--environment_timeout', ARGV[0]])
      deploy = lambda do |version|
        write['manifests/site.pp', "notify { 'site #{version}': } include m"]
        write['modules/m/manifests/init.pp', "class m { notify { \"class #{version} ${m::f()} ${template('m/t.erb')}\": } }"]
        write['modules/m/functions/f.pp', "function m::f() { \"#{version} ${lookup('k')} ${lookup('own', default_value => none)}\" }"]
        write['modules/m/templates/t.erb', "template #{version}"]
        write['hiera.yaml', "version: 5\nhierarchy: [{ name: own, path: own.yaml }, { name: common, path: common.yaml }]\n"]
        write['data/common.yaml', "k: data #{version}\n"]
      end
      compile = lambda do |what|
        environment = Puppet.lookup(:environments).get!(:production)
        node = Puppet::Node.new('n.example.net', environment: environment)
        Puppet.override(current_environment: environment) do
          puts "#{what}: #{Puppet::Parser::Compiler.compile(node).resources.map(&:title).grep(/ /)}"
        end
      end
      deploy['1']
      compile['first']
      compile['again']
      write['data/common.yaml', "k: other data\n"]
      compile['with other data']
      write['data/own.yaml', "own: a new file\n"]
      compile['with a new file']
      FileUtils.rm("#{root}/data/own.yaml")
      deploy['version 2']
      compile['deployed']
      Puppet.lookup(:environments).clear('production')
      compile['cleared']
      write['environment.conf', "manifest = other.pp\n"]
      write['other.pp', "notify { 'main other': }"]
      compile['configured']
      Puppet.lookup(:environments).clear_all
      compile['all cleared']
    end
  RUBY

  def ruby(code, timeout, *required)
    out, said, status = Open3.capture3(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), *required, '-e', code, timeout)
    raise out + said unless status.success?

    out
  end

  %w[0 unlimited].each do |timeout|
    it "are as old as those of Puppet, and their data, too, with the timeout #{timeout}" do
      theirs = ruby(code, timeout)
      expect(theirs.scan('site 1').size).to eq(timeout == '0' ? 4 : 5)
      expect(theirs).to include('other data').and include('a new file')
      own = ruby("#{code}\np Bunraku::DropIn.report[:compiler]", timeout, '-r', 'bunraku/puppet')
      expect(own.lines[0..-2].join).to eq(theirs)
      expect(own.lines.last).to eq("{:native=>8, :left=>{}, :aside=>{}}\n")
    end
  end
end
