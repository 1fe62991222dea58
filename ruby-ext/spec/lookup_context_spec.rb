# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'open3'
require 'tmpdir'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'the context of backends in Ruby' do
  around { |example| Dir.mktmpdir { |directory| @directory = directory and example.run } }

  # All functions of a context; the objects that are cached are neither copied nor converted.
  let(:backend) { <<~'RUBY' }
    Puppet::Functions.create_function(:'m::key') do
      dispatch(:key) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }

      def key(key, options, context)
        return context.not_found unless key.start_with?('k')
        return call_function('m::pass', context) if key == 'k_passed'

        [*objects(context), *cached(context), *files(context, options['file']), *others(context)].map(&:to_s)
      end

      def cached(context)
        told = [context.cache('n', 5), context.cache(:sym, 6), context.cache(nil, 7), context.cache('n', context.cached_value('n') + 1)]
        told.push(context.cached_value('none').inspect, context.cache_has_key('n'), context.cache_has_key('none'))
        told.push(context.cache_all('a' => 1, 'b' => [1, { 'x' => nil }]).inspect, context.cached_value('b').inspect)
        entries = context.cached_entries
        told.push(entries.to_a.reject { |key, _| %w[object hash time].include?(key) }.inspect, entries.respond_to?(:keys))
        told.push(context.cached_entries { |key, value| told << [key, value].inspect if key == 'n' }.inspect)
        told.push(context.cached_entries { |entry| told << entry.inspect if entry[0] == 'n' }.inspect)
      end

      def objects(context)
        first = !context.cache_has_key('object')
        object, hash = context.cached_value('object') || Object.new, { 'z' => 1 }
        told = [first, context.cache('object', object).equal?(object), context.cached_value('object').equal?(object)]
        context.cache_all('hash' => hash, 'time' => Time.at(0))
        context.cached_value('hash')['w'] = 2
        told.push(hash.inspect, context.cached_value('hash').equal?(hash), context.cached_value('time').class)
      end

      def files(context, file)
        made = context.cached_file_data(file) { |text| [text.strip, Object.new] }
        told = [made[0], context.cached_file_data(file).equal?(made), context.cached_file_data("#{file}.other")]
        told << begin
          context.cached_file_data('/does not exist')
        rescue SystemCallError, Bunraku::Error => e
          [e.class, e.message]
        end
      end

      def others(context)
        told = [context.environment_name.inspect, context.module_name.inspect, context.explain { 'explained' }.inspect]
        told << context.interpolate('a %{facts.f} %{f} %{lookup("d1")} %{literal("%")}{x}')
        told << context.interpolate('a%{f}' => ['%{f}', 1, nil]).inspect
        told << context.interpolate('%{alias("d1")}')
        told << catch(:no_such_key) { context.not_found }.inspect
        told << (context.nonsense rescue $!.class) << (context.cache(1) rescue $!.class)
      end
    end
  RUBY

  let(:program) { <<~'RUBY' }
    require 'puppet'
    root = ARGV[0]
    Puppet.initialize_settings(['--confdir', "#{root}/conf", '--vardir', "#{root}/var", '--environmentpath', root])
    environment = Puppet.lookup(:environments).get!(:production)
    Puppet.override(current_environment: environment) do
      node = Puppet::Node.new('n', environment: environment, facts: Puppet::Node::Facts.new('n', { 'f' => 'fact' }), parameters: { 'f' => 'fact' })
      node.trusted_data = { 'certname' => 'n' }
      catalog = Puppet::Parser::Compiler.compile(node)
      puts JSON.generate(catalog.resources.select { |one| one.type == 'Notify' }.map { |one| [one.title, one[:message]] })
    end
  RUBY

  def write(path, text)
    file = File.join(@directory, 'production', path)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
  end

  before do
    write('hiera.yaml', <<~YAML)
      version: 5
      hierarchy:
        - { name: key, lookup_key: 'm::key', options: { file: '#{@directory}/production/some.txt' } }
        - { name: common, path: common.yaml }
    YAML
    write('data/common.yaml', "d1: data\n")
    write('some.txt', "some text\n")
    write('some.txt.other', "other text\n")
    write('modules/m/lib/puppet/functions/m/key.rb', backend)
    write('modules/m/functions/pass.pp', <<~'PUPPET')
      function m::pass(Puppet::LookupContext $context) {
        $context.cache('n', $context.cached_value('n') + 10)
        [$context.cached_value('n'), $context.cached_value('b'), $context.cache_has_key('a'), "${context.environment_name}"]
      }
    PUPPET
  end

  def answers(site, *required)
    write('manifests/site.pp', site)
    out, said, status = Open3.capture3({ 'BUNRAKU_PUPPET_REPORT' => "#{@directory}/report" }, RbConfig.ruby, '-W0', *required, '-rjson', '-e', program, @directory)
    raise out + said unless status.success?

    JSON.parse(out)
  end

  # The answers of the drop-in, and how often the compilation was native.
  def with_drop_in(site)
    answers = answers(site, '-I', File.expand_path('../lib', __dir__), '-r', 'bunraku/puppet')
    [answers, JSON.parse(File.read("#{@directory}/report").lines.last)['compiler']['native']]
  end

  it 'has all functions of Puppet\'s with bunraku/puppet', :puppet do
    site = "notify { ['first', 'second']: message => lookup('k') } notify { 'other': message => lookup('k2') }"
    expect(with_drop_in(site)).to eq [answers(site), 1]
  end

  it 'knows in the language what a function in Ruby has cached', :puppet do
    write('modules/m/lib/puppet/functions/m/key.rb', <<~'RUBY')
      Puppet::Functions.create_function(:'m::key') do
        dispatch(:key) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }

        def key(key, _options, context)
          return context.not_found unless key.start_with?('k')

          context.cache_all('n' => 1, 'b' => ['x']) if key == 'k_first'
          told = call_function('m::pass', context)
          told + [context.cached_value('n'), context.cache('m', 2), context.cached_entries.to_a]
        end
      end
    RUBY
    site = "notify { 'first': message => lookup('k_first') } notify { 'again': message => lookup('k_again') }"
    expect(with_drop_in(site)).to eq [answers(site), 1]
  end

  it 'has them without Puppet', :module_ruby do
    write('manifests/site.pp', "notify { 'n': message => lookup('k') }")
    environment = Bunraku::Environment.new('production', environmentpath: @directory, ruby_functions: :own)
    catalog = environment.compile(node: 'n', facts: { 'f' => 'fact' })
    told = catalog.resources.find { |one| one.type == 'Notify' }.parameters['message']
    expect(told[6, 13]).to eq ['5', '6', '7', '6', 'nil', 'true', 'false', 'nil', '[1, {"x"=>nil}]',
                                  '[["n", 6], [:sym, 6], [nil, 7], ["a", 1], ["b", [1, {"x"=>nil}]]]', 'false', '["n", 6]', 'nil']
    expect(told).to include('{"z"=>1, "w"=>2}', 'some text', "other text\n", ':production', 'a fact fact data %{x}', 'data', 'NoMethodError')
  end
end
