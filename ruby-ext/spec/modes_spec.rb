# frozen_string_literal: true

require 'fileutils'
require 'open3'
require 'tmpdir'

# The Ruby code of modules behaves the same under Ruby, under the built-in Ruby, with the installed Puppet and
# through the C library.
RSpec.describe 'Ruby of modules in each mode' do
  MODES = { ruby: { ruby_functions: :own }, native: { ruby_functions: :off, templates: :native } }.freeze
  # These modes need processes of their own.
  APART = {
    puppet: ["require 'puppet'", "Puppet.initialize_settings(['--vardir', ARGV[0]])", "require 'bunraku'", 'HOW = { ruby_functions: :puppet }'],
    c: ["require 'bunraku/ffi'", 'HOW = {}']
  }.freeze
  ASK = <<~RUBY
    require 'json'
    begin
      catalog = Bunraku::Environment.new('production', modulepath: [ARGV[0]], code: $stdin.read, **HOW).compile(node: 'n.example.com', facts: {})
      puts JSON.generate(resources: JSON.parse(catalog.to_json)['resources'], logs: catalog.logs.map { |log| [log[:level].to_s, log[:message]] })
    rescue Bunraku::Error => e
      puts JSON.generate(error: e.message)
    end
  RUBY
  root = File.expand_path('../..', __dir__)
  LIBRARY = [ENV['BUNRAKU_LIBRARY'], *%w[release debug].map { |profile| "#{root}/target/#{profile}/libbunraku.so" }].compact.find { |file| File.exist?(file) }
  PRESENT = { puppet: Gem::Specification.any? { |gem| gem.name == 'puppet' } || File.exist?('/usr/lib/ruby/vendor_ruby/puppet.rb'),
              c: LIBRARY && Gem::Specification.any? { |gem| gem.name == 'ffi' } }.freeze

  around do |example|
    Dir.mktmpdir { |directory| (@modules = directory) && example.run }
  end

  def write(files)
    files.each do |path, text|
      file = File.join(@modules, path)
      FileUtils.mkdir_p(File.dirname(file))
      File.write(file, text)
    end
  end

  # The catalog's parameters and the log, or the error; in all modes the same.
  def answers(code)
    MODES.map do |_, options|
      catalog = Bunraku::Environment.new('production', modulepath: [@modules], code:, **options).compile(node: 'n.example.com', facts: {})
      { resources: JSON.parse(catalog.to_json)['resources'], logs: catalog.logs.map { |log| [log[:level], log[:message]] } }
    rescue Bunraku::Error => e
      { error: e.message }
    end
  end

  # The answer of a mode that needs its own process.
  def answer_apart(mode, code)
    before = APART.fetch(mode).join("\n")
    environment = { 'RUBYOPT' => "-W0 -I#{File.expand_path('../lib', __dir__)}", 'BUNRAKU_LIBRARY' => LIBRARY }
    output, = Open3.capture2(environment, RbConfig.ruby, '-e', "#{before}\n#{ASK}", @modules, stdin_data: code)
    JSON.parse(output.lines.last.to_s, symbolize_names: true)
  end

  # What all modes log, or their error; of those in processes of their own, the ones in `apart`.
  def said(code, apart: APART.keys)
    ruby, native = answers(code)
    expect(native).to eq(ruby)
    plain = JSON.parse(JSON.generate(ruby), symbolize_names: true)
    apart.each { |mode| expect(answer_apart(mode, code)).to eq(plain), mode.to_s if PRESENT[mode] }
    ruby[:error] || ruby[:logs].map(&:last)
  end

  def function(name, body, before = nil)
    write("m/lib/puppet/functions/m/#{name}.rb" => "#{before}\nPuppet::Functions.create_function(:'m::#{name}') do\n#{body}\nend\n")
  end

  it 'writes rich data' do
    function('data', <<~RUBY)
      dispatch(:data) { param 'Any', :value }
      def data(value)
        Puppet::Pops::Serialization::ToDataConverter.convert(value, rich_data: true).inspect
      end
    RUBY
    expect(said("notice(m::data([undef, 1, Sensitive('x'), /a/, Timestamp('2020-01-01'), { 1 => b }]))").first)
      .to start_with('[nil, 1, {"__ptype"=>"Sensitive", "__pvalue"=>"x"}')
  end

  it 'calls the other functions of the file of a function' do
    write('m/lib/puppet/parser/functions/flags.rb' => <<~RUBY)
      module Puppet::Parser::Functions
        newfunction(:'m::quoted', type: :rvalue) { |args| "<\#{args[0]}>" }
        newfunction(:flags, type: :rvalue) do |args|
          [call_function('m::quoted', [args[0]]), send('function_m::quoted', ['b']), respond_to?('function_m::quoted'), respond_to?(:function_no)].inspect
        end
      end
    RUBY
    expect(said("notice(flags('a'))")).to eq(['["<a>", "<b>", true, false]'])
  end

  it 'merges deeply' do
    function('merged', <<~RUBY, "require 'deep_merge'")
      dispatch(:merged) { param 'Hash', :one; param 'Hash', :other; optional_param 'Hash', :options }
      def merged(one, other, options = {})
        copy = ->(value) { value.is_a?(Hash) ? value.to_h { |key, inner| [key.dup, copy.(inner)] } : value.dup }
        [one, other].map(&copy).then { |mine, its| mine.deep_merge!(its, options.to_h { |key, value| [key.to_sym, value] }) }.inspect
      end
    RUBY
    code = <<~PUPPET
      notice(m::merged({ a => { b => [1, 2] }, c => 1 }, { a => { b => [2, 3], d => {} }, c => undef }))
      notice(m::merged({ a => [1, '2', 'x'] }, { a => ['--2', '3'] }, { knockout_prefix => '--' }))
      notice(m::merged({ a => [{ x => 1 }], b => [3, 1] }, { a => [{ y => 1 }, { z => 2 }], b => [2] }, { merge_hash_arrays => true }))
      notice(m::merged({ a => 'x,y' }, { a => ['z'] }, { overwrite_arrays => true }))
    PUPPET
    expect(said(code).first).to eq('{"a"=>{"b"=>[1, 2, 3], "d"=>{}}, "c"=>1}')
  end

  it 'keeps data on the catalog from one call to another' do
    function('kept', <<~RUBY)
      dispatch(:kept) { param 'String', :what }
      def kept(what)
        catalog = closure_scope.find_global_scope.catalog
        all = catalog.instance_variable_get(:@kept_by_m) || []
        catalog.instance_variable_set(:@kept_by_m, all)
        all << what
        [all, catalog.instance_variable_defined?(:@others)].inspect
      end
    RUBY
    expect(said("notice(m::kept('a'))\nnotice(m::kept('b'))")).to eq(['[["a"], false]', '[["a", "b"], false]'])
  end

  it 'keeps objects on the catalog, and the state of classes, from one call to another' do
    write('m/lib/puppet_x/state.rb' => <<~RUBY)
      module PuppetX
        class State
          LIST = []
          @@calls = 0
          @names = nil
          attr_reader :seen

          class << self
            attr_accessor :names
          end

          def initialize
            @seen = { 'self' => self }
          end

          def add(what)
            @@calls += 1
            LIST << what
            self.class.names = (self.class.names || []) + [what]
            @seen[what] = @seen.size
            [@@calls, LIST, self.class.names, @seen.keys, @seen['self'].equal?(self)]
          end
        end
      end
    RUBY
    function('object', <<~RUBY, "require_relative '../../../puppet_x/state'")
      dispatch(:object) { param 'String', :what }
      def object(what)
        catalog = closure_scope.catalog
        state = catalog.instance_variable_get(:@state_of_m) || PuppetX::State.new
        catalog.instance_variable_set(:@state_of_m, state)
        $calls_of_m = ($calls_of_m || 0) + 1
        @own = (@own || 0) + 1
        [state.add(what), $calls_of_m, @own].inspect
      end
    RUBY
    # It does not load the file of the class.
    function('other', "def other\n closure_scope.catalog.instance_variable_get(:@state_of_m).seen.keys.inspect\nend")
    function('outer', <<~RUBY, "require_relative '../../../puppet_x/state'")
      def outer
        inner = call_function('m::object', 'c')
        [inner, PuppetX::State::LIST, PuppetX::State.names].inspect
      end
    RUBY
    said = said("notice(m::object('a'))\nnotice(m::object('b'))\nnotice(m::other())\nnotice(m::outer())", apart: [:puppet])
    expect(said).to eq(['[[1, ["a"], ["a"], ["self", "a"], true], 1, 1]', '[[2, ["a", "b"], ["a", "b"], ["self", "a", "b"], true], 2, 2]',
                        '["self", "a", "b"]',
                        ['[[3, ["a", "b", "c"], ["a", "b", "c"], ["self", "a", "b", "c"], true], 3, 3]', %w[a b c], %w[a b c]].inspect])
  end

  it 'refuses to go on without an object with methods of its own that another call has kept on the catalog' do
    function('object', <<~RUBY)
      def object
        catalog = closure_scope.catalog
        kept = Object.new
        def kept.name = 'x'
        catalog.instance_variable_get(:@object_of_m) || catalog.instance_variable_set(:@object_of_m, kept)
        'kept'
      end
    RUBY
    once, twice = [1, 2].map { |times| answers("notice(m::object())\n" * times) }
    expect(once.last).to eq(once.first)
    expect(twice.first[:logs].size).to eq(2)
    expect(twice.last[:error]).to include('object that an earlier call has kept on the catalog (@object_of_m)')
  end

  it 'knows users, groups and the process, and writes to open files' do
    function('users', <<~RUBY, "require 'etc'\nrequire 'find'")
      def users
        root = Etc.getpwnam('root')
        missing = begin
          Etc.getpwnam('no such user')
        rescue ArgumentError => e
          e.message
        end
        [root.uid, root.dir, Etc.getgrgid(0).name, missing, Etc.getpwuid(Process.uid).uid == Process.uid, Find.find(__dir__).map { |file| File.basename(file) }].inspect
      end
    RUBY
    expect(said('notice(m::users())', apart: []).first).to start_with('[0, "/root", "root", "can\'t find user for no such user", true, ["m", "users.rb"]]')
  end

  it 'has settings, and parameters of resources' do
    function('settings', <<~RUBY)
      def settings
        file = closure_scope.catalog.resource('File', '/x')
        [Puppet[:user], Puppet.settings[:group], Puppet[:statedir], file.parameters.map { |name, one| [name, one.name, one.value] }].inspect
      end
    RUBY
    # The installed Puppet has settings of its own.
    expect(said("file { '/x': mode => '0644' }\nnotice(m::settings())", apart: [:c]).first).to start_with('["puppet", "puppet", "/')
  end

  it 'tells the calls in progress' do
    write('m/manifests/a.pp' => "class m::a {\n  m::d { 'x': }\n}\n", 'm/manifests/d.pp' => "define m::d {\n  notice(m::stack())\n}\n")
    function('stack', "def stack\n Puppet::Pops::PuppetStack.stacktrace.map { |file, line| [File.basename(file), line] }.inspect\nend")
    expect(said('include m::a').first).to start_with('[["d.pp", 2]')
  end

  it 'loads files on the load path, and those of modules of several names' do
    write('m/lib/puppet_x/m.rb' => "require 'puppet_x'\nmodule PuppetX::M\nend\n",
          'm/lib/puppet_x/m/words.rb' => "require_relative '../m'\nclass PuppetX::M::Words\n  def self.all = %w[a b]\nend\n",
          'm/ruby/more_words.rb' => "module MoreWords\n  LIST = ['c'].freeze\nend\n")
    function('words', "def words\n (PuppetX::M::Words.all + MoreWords::LIST).join(' ')\nend",
             "require_relative '../../../puppet_x/m/words'\n$LOAD_PATH.unshift(File.expand_path('../../../../ruby', __dir__))\nrequire 'more_words'")
    expect(said('notice(m::words())')).to eq(['a b c'])
  end

  it 'loads files that define providers, and classes that come from those of Ruby' do
    write('m/lib/puppet_x/parts.rb' => "module PuppetX\n  class Cli < Puppet::Provider\n    def run\n    end\n  end\n  class Ordered < Hash\n    " \
                                       "def self.words = %w[a b]\n  end\nend\n")
    function('parts', "def parts\n [PuppetX::Ordered.words, PuppetX::Ordered.superclass.name, PuppetX::Cli.name, PuppetX::Cli.instance_methods(false)].inspect\nend",
             "require_relative '../../../puppet_x/parts'")
    expect(said('notice(m::parts())')).to eq(['[["a", "b"], "Hash", nil, [:run]]'])
  end

  it 'has functions of the 3.x API that share a file' do
    write('m/lib/puppet/parser/functions/several.rb' => <<~RUBY)
      module Puppet::Parser::Functions
        newfunction(:'m::quoted', type: :rvalue) { |args| "'\#{args.first}'" }
        newfunction(:m_other, type: :rvalue) { |args| "<\#{args.first}>" }
        newfunction(:several, type: :rvalue) do |args|
          args.map { |one| call_function('m::quoted', [one]) + function_m_other([one]) }.join
        end
      end
    RUBY
    # On the installed Puppet a compilation of bunraku's asks the loaders alone.
    expect(said("notice(several('a', 'b'))", apart: [:c])).to eq(["'a'<a>'b'<b>"])
    write('m/lib/puppet/parser/functions/first.rb' => "module Puppet::Parser::Functions\n  newfunction(:first, type: :rvalue) { |_| 1 }\n  " \
                                                      "newfunction(:second, type: :rvalue) { |_| 2 }\nend\n")
    expect(said('notice(first())')).to match(/produced mis-matched name, expected 'function_first', got 'function_second'/)
  end

  it 'escapes what URIs may not have, and knows errors of the system' do
    function('escaped', <<~'RUBY')
      def escaped
        parser = URI::DEFAULT_PARSER
        texts = [parser.escape("a b/é?"), parser.escape('a/b', '/'), parser.unescape('a%20b%C3%A9'), FileTest.exist?('/none')]
        begin
          raise Errno::EACCES, 'x'
        rescue Errno::ECONNREFUSED, Errno::EACCES => e
          [*texts, e.message, Errno::EEXIST.new.message].inspect
        end
      end
    RUBY
    expect(said('notice(m::escaped())'))
      .to eq(['["a%20b/%C3%A9?", "a%2Fb", "a bé", false, "Permission denied - x", "File exists"]'.gsub('\u00e9', "\u00e9")])
  end

  it 'reads types that other files and texts declare' do
    write('m/lib/puppet_x/attributes.rb' => "module PuppetX\n  ALL = proc { ensurable; newproperty(:size) }\n  def self.more(type)\n    " \
                                            "type.newparam(:name)\n    type.module_eval('newparam(:kind)', 'x.rb', 1)\n  end\nend\n",
          'm/lib/puppet/type/thing.rb' => "require_relative '../../puppet_x/attributes'\nPuppet::Type.newtype(:thing) do\n  " \
                                          "instance_eval(&PuppetX::ALL)\n  PuppetX.more(self)\nend\n")
    expect(said("thing { 'x': ensure => present, size => 1, kind => 2 }")).to eq([])
    write('m/lib/puppet/type/other.rb' => "require File.join(__dir__, '../../puppet_x/attributes')\nPuppet::Type.newtype(:other) do\n  " \
                                          "PuppetX.more(self)\nend\n")
    expect(said("other { 'x': kind => 2 }")).to eq([])
    expect(said("thing { 'x': weight => 1 }")).to match(/no parameter named 'weight'/)
  end

  it 'runs commands where the environment allows it' do
    function('run', <<~'RUBY', "require 'open3'")
      def run
        apart = Open3.capture3('printf out; printf err >&2; exit 3')
        joined, = Open3.capture2e('sh', '-c', 'echo one; echo two >&2')
        told = [apart[0], apart[1], apart[2].exitstatus, joined, `echo hi  there`, $?.success?, %x(printf '%s' "a  b").lines]
        told + [system('true'), system('exit 4'), $?.exitstatus, system('no_such_program x'), (`no_such_program x=1` rescue $!.message)]
      end
    RUBY
    compiled = lambda do |**options|
      Bunraku::Environment.new('production', modulepath: [@modules], code: "notice(m::run())", **options).compile(node: 'n', facts: {})
    end
    told = MODES.values.map { |options| compiled.call(commands: true, **options).logs.map { |log| log[:message] } }
    expect(told.uniq).to eq([["[out, err, 3, one\ntwo\n, hi there\n, true, [a  b], true, false, 4, , No such file or directory - no_such_program]"]])
    expect { compiled.call(**MODES[:native]) }.to raise_error(Bunraku::Error, /command/)
  end

  it 'tells which files the built-in Ruby does not know, and what of them' do
    function('known', "def known\n 1\nend")
    function('unknown', "def unknown\n $stdout.puts __ENCODING__\nend")
    write('m/lib/puppet/type/odd.rb' => "Puppet::Type.newtype(:odd) { newparam($stderr) }\n", 'm/templates/a.erb' => '<%= $stderr %>',
          'm/templates/b.erb' => '<%= 1 %>', 'm/lib/puppet_x/lib.rb' => "def (\n", 'm/lib/puppet/parser/functions/none.rb' => 'boom()')
    report = Bunraku::Environment.new('production', modulepath: [@modules]).ruby_report
    told = report['files'].to_h { |file| [file['file'].delete_prefix("#{@modules}/m/"), file['unknown'].map { |one| [one['construct'], one['line']] }] }
    expect(report.slice('known', 'unknown')).to eq('known' => 3, 'unknown' => 4)
    expect(told['lib/puppet/functions/m/known.rb']).to eq([])
    expect(told['lib/puppet/functions/m/unknown.rb']).to eq([['global variable $stdout', 4], ['__ENCODING__', 4]])
    expect(told['templates/a.erb']).to eq([['global variable $stderr', 1]])
    expect(told['lib/puppet/type/odd.rb'].first.last).to eq(1)
    expect(told['lib/puppet_x/lib.rb'].first.first).to start_with('syntax error')
  end
end
