# frozen_string_literal: true

require 'open3'

# Puppet is loaded in separate processes, because a replaced method is replaced for the whole process.
RSpec.describe 'exported resources in bunraku/puppet', :puppet do
  def ruby(code)
    out, said, status = Open3.capture3(RbConfig.ruby, '-W0', '-I', File.expand_path('../lib', __dir__), '-e', prelude + code)
    raise out + said unless status.success?

    out
  end

  let(:prelude) { <<~'RUBY' }
    require 'puppet'
    require 'bunraku/puppet'
    require 'puppet/indirector/resource/store_configs'
    ASKED = []
    STORE = []
    # A store as PuppetDB's terminus is.
    class Puppet::Resource::Shelf < Puppet::Indirector::Code
      desc 'resources in a list'

      def search(request)
        type, host, filter, scope = request.key, *request.options.values_at(:host, :filter, :scope)
        ASKED << [type, host, filter]
        raise Puppet::Error, 'the store is away' if STORE.empty?

        STORE.select { |certname, one, title, parameters| certname != host && one == type && fits?(filter, title, parameters) }.map do |certname, one, title, parameters|
          parameters = parameters.map { |name, value| Puppet::Parser::Resource::Param.new(name: name, value: value) }
          found = Puppet::Pops::Evaluator::Runtime3ResourceSupport.find_resource_type(scope, one.downcase)
          Puppet::Parser::Resource.new(found, title, parameters: parameters, scope: scope).tap { |resource| resource.collector_id = "#{certname}|#{one}|#{title}" }
        end
      end

      def fits?(filter, title, parameters)
        return true unless filter

        left, operator, right = filter
        case operator
        when 'and' then fits?(left, title, parameters) && fits?(right, title, parameters)
        when 'or' then fits?(left, title, parameters) || fits?(right, title, parameters)
        else ((left == 'title' ? title : parameters[left]) == right) == (operator == '==')
        end
      end
    end
    Puppet.initialize_settings
    Puppet[:certname] = 'n.example.net'
    Puppet[:strict_variables] = false
    Puppet[:storeconfigs_backend] = 'shelf'
    Puppet[:storeconfigs] = true
    Puppet::Util::Log.level = :crit
    def compile(code, enabled, node = 'n.example.net')
      Bunraku::DropIn.public_send(enabled ? :enable : :disable)
      ASKED.clear
      Puppet[:code] = code
      environment = Puppet::Node::Environment.create(:production, [])
      Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
        catalog = Puppet::Parser::Compiler.compile(Puppet::Node.new(node, environment: environment))
        [JSON.parse(catalog.to_json).slice('resources', 'edges', 'classes'), ASKED.dup]
      end
    rescue Puppet::Error => e
      [e.class, e.message]
    end
    def same(code)
      theirs, own = [false, true].map { |enabled| compile(code, enabled) }
      puts code, theirs.inspect, own.inspect unless theirs == own
      own
    end
  RUBY

  it 'are asked of the terminus of resources, with the condition' do
    expect(ruby(<<~'RUBY')).to eq("{:native=>9, :left=>{}, :aside=>{}}\n")
      STORE << ['a.example.net', 'Notify', 'one', { 'message' => 'm', 'tag' => ['x', 'y'] }] << ['b.example.net', 'Notify', 'two', { 'message' => 'm' }] <<
        ['b.example.net', 'D', 'three', { 'p' => [1, nil, { 'k' => 'v' }], 'require' => 'Notify[one]' }] << ['n.example.net', 'Notify', 'mine', {}]
      ['Notify <<| |>>', "Notify <<| title == 'one' |>>", "Notify <<| title == 'one' or message != 'm' and title != 'two' |>>",
       "Notify <<| |>> { loglevel => debug }", "Notify <<| message == m |>> -> Notify <<| title == 'one' |>>",
       "define d($p) { notify { $title: message => $p } } Notify <<| |>> D <<| |>>",
       "Notify { loglevel => info } class c { Notify { withpath => true } Notify <<| title == two |>> } include c",
       "@@notify { 'here': tag => 't' } Notify <<| |>>", "Notify <<| title == 'none' |>>"].each { |code| raise code unless same(code)[1].any? }
      p Bunraku::DropIn.report[:compiler]
    RUBY
  end

  it 'fail as without' do
    expect(ruby(<<~'RUBY')).to match(/\A\[Puppet::Error, "the store is away on node n.example.net"\]\n.*A duplicate resource was found while collecting exported resources/)
      p same('Notify <<| |>>')
      STORE << ['a.example.net', 'Notify', 'one', {}]
      p same("notify { 'one': } Notify <<| |>>")
      same('Missing <<| |>>')
    RUBY
  end

  it 'are left to Puppet where they are more than data' do
    expect(ruby(<<~'RUBY')).to match(/\A1 left: .*a Symbol among exported resources/)
      STORE << ['a.example.net', 'Notify', 'one', { 'message' => :m }]
      raise 'other catalogs' unless [false, true].map { |enabled| compile('Notify <<| |>>', enabled).first }.uniq.one?
      puts Bunraku::DropIn.report[:compiler][:left].map { |reason, times| "#{times} left: #{reason}" }
    RUBY
  end

  it 'give PuppetDB the payload that its terminus makes, without making resources' do
    skip "PuppetDB's terminus is not installed" unless system(RbConfig.ruby, '-W0', '-e', 'require "puppet"; require "puppet/indirector/catalog/puppetdb"', err: File::NULL)
    expect(ruby(<<~'RUBY')).to eq("[true, true]\n[true, true]\n[true, true]\n[true, false]\n")
      require 'puppet/indirector/catalog/puppetdb'
      MORE = { transaction_uuid: 'b0b3e2f4-5d0e-4c6f-9f0a-0123456789ab', job_id: 7, environment: 'production' }.freeze
      def munged(code, enabled)
        Bunraku::DropIn.public_send(enabled ? :enable : :disable)
        Puppet[:code] = code
        environment = Puppet::Node::Environment.create(:production, [])
        Puppet.override(current_environment: environment, environments: Puppet::Environments::Static.new(environment)) do
          catalog = Puppet::Parser::Compiler.compile(Puppet::Node.new('n.example.net', environment: environment), 'the code')
          payload, inputs = Puppet::Resource::Catalog::Puppetdb.new.munge_catalog(catalog, Time.at(0), MORE)
          raise 'another catalog' unless payload['catalog_uuid'] == catalog.catalog_uuid && payload['version'] == catalog.version.to_s

          [[payload.reject { |key, _| %w[catalog_uuid version].include?(key) }, inputs], enabled && !catalog.bunraku_body.nil?]
        end
      rescue Puppet::Error => e
        [e.message, true]
      end
      ['define d($p) { notify { $title: } } @@notify { "x": tag => ["b", "a"] } user { "u": password => Sensitive("s"), alias => ["z"] }
        file { "/tmp/a/": before => Notify["q"] } notify { "q": subscribe => [File["/tmp/a"], User["u"]] }
        d { "k": p => { "a" => [1, 2.5, undef, true] }, audit => ["b", "a"] } package { "pk": name => "other" }',
       'class m { } include m notify { "r": require => Class["m"] }',
       '@@file { "/z": } notify { "k": before => File["/z"] }',
       'notify { "x": message => [/rx/, default] }'].each do |code|
        (own, native), (theirs,) = [true, false].map { |enabled| munged(code, enabled) }
        puts code, own.inspect, theirs.inspect unless own == theirs
        p [own == theirs, native]
      end
    RUBY
  end

  it 'tell who wants to know which keys were looked up' do
    expect(ruby(<<~'RUBY')).to eq("true\n[\"k\", \"c::x\"]\n")
      class Recorder
        attr_reader :lookups
        def initialize = @lookups = {}
        def record(key) = @lookups[key] = (@lookups[key] || 0) + 1
      end
      keys = [false, true].map do |enabled|
        recorder = Recorder.new
        Puppet.override(lookup_key_recorder: recorder) { compile("lookup('k', default_value => 1) class c($x = 1) { } include c", enabled) }
        recorder.lookups.keys
      end
      p keys.uniq.one?, keys.last
    RUBY
  end
end
