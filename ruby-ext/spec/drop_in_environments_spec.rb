# frozen_string_literal: true

require 'json'
require 'open3'
require 'tmpdir'

# Environments in directories, which are deployed while a process compiles. Puppet is loaded in processes of
# its own, without and with the drop-in.
RSpec.describe 'environments of bunraku/puppet', :puppet do
  let(:directory) { Dir.mktmpdir }
  after { FileUtils.rm_rf(directory) }

  # Compiles after each of some steps, which are code in Ruby.
  def compiled(settings, steps, *options)
    FileUtils.rm_rf(Dir.children(directory).map { |name| File.join(directory, name) })
    code = [PRELUDE, "start(#{settings.inspect})", 'answer', *steps.flat_map { |step| [step, 'answer'] }].join("\n")
    out, said, status = Open3.capture3(RbConfig.ruby, '-W0', *options, '-e', code, directory)
    raise out + said unless status.success?

    out.lines
  end

  # The number of native compilations.
  def native(settings, steps)
    *answers, count = compiled(settings, steps, '-I', File.expand_path('../lib', __dir__), '-r', 'bunraku/puppet')
    plain = compiled(settings, steps)
    expect(answers).to eq(plain)
    expect(plain.uniq.size).to be > 1
    Integer(count)
  end

  PRELUDE = <<~'RUBY'
    require 'puppet'
    require 'fileutils'
    require 'json'

    def write(path, text)
      path = "#{ARGV[0]}/#{path}"
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
    end

    def version(name)
      { 'manifests/site.pp' => "include m notify { 'n': message => \"#{name} ${lookup('k')} ${settings::manifest}\" }",
        'modules/m/manifests/init.pp' => "class m { notify { \"#{name}-${module_name}\": message => file('m/x') } }",
        'modules/m/files/x' => "file #{name}", 'data/common.yaml' => "k: data #{name}\n",
        'hiera.yaml' => "version: 5\nhierarchy: [{ name: common, path: common.yaml }]\n",
        'environment.conf' => "config_version = /bin/echo version-#{name}\n" }.each { |path, text| write("versions/production_#{name}/#{path}", text) }
    end

    def deploy(name)
      FileUtils.ln_s("#{ARGV[0]}/versions/production_#{name}", "#{ARGV[0]}/environments/production", force: true)
    end

    def start(settings)
      %w[a bb].each { |name| version(name) }
      FileUtils.mkdir_p("#{ARGV[0]}/environments")
      deploy('a')
      paths = { environmentpath: 'environments', confdir: 'conf', vardir: 'var' }.flat_map { |name, path| ["--#{name}", "#{ARGV[0]}/#{path}"] }
      Puppet.initialize_settings([*paths, '--certname', 'n.example.net'])
      settings.each { |name, value| Puppet[name] = value }
      Puppet.push_context(Puppet.base_context(Puppet.settings))
    end

    def answer
      environment = Puppet.lookup(:environments).get!(:production)
      catalog = Puppet.override(current_environment: environment) do
        Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: environment)).filter(&:virtual?)
      end
      written = JSON.parse(catalog.to_json).reject { |name, _| name == 'catalog_uuid' }
      puts JSON.generate([written, catalog.resources.map { |one| [one.ref, one.file, one.line] }])
    end

    at_exit { puts Bunraku::DropIn.report[:compiler][:native] if defined?(Bunraku) }
  RUBY

  def deploy
    "FileUtils.rm('#{directory}/environments/production'); deploy('bb')"
  end

  def clear
    "Puppet.lookup(:environments).clear('production')"
  end

  it 'are versions to which links lead, with their own names in paths where Puppet has them' do
    [true, false].each do |versioned|
      expect(native({ versioned_environment_dirs: versioned, environment_timeout: '0' }, [deploy])).to eq 2
    end
    # Between a deployment and the next clearing, Puppet has the modules of the former version.
    expect(native({ versioned_environment_dirs: true, environment_timeout: 'unlimited' }, [deploy, clear])).to eq 2
  end

  it 'are read again when Puppet reads them again' do
    change = "write('versions/production_a/manifests/site.pp', 'notify { other: }')"
    expect(native({ environment_timeout: '0' }, [change])).to eq 2
    expect(native({ environment_timeout: 'unlimited' }, [change, clear])).to eq 3
  end
end
