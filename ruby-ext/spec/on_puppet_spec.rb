# frozen_string_literal: true

require 'fileutils'
require 'json'
require 'open3'
require 'rbconfig'
require 'tmpdir'

# In a process of its own: with Puppet loaded, other specs would not run as they do without.
RSpec.describe 'functions on the classes of the Puppet that is installed' do
  around { |example| Dir.mktmpdir { |directory| @directory = directory and example.run } }

  let(:program) { <<~'RUBY' }
    begin
      require 'puppet'
    rescue LoadError
      exit(7)
    end
    require 'bunraku'
    options = { modulepath: [ARGV[0]], code: ARGV[1] }
    tell = lambda do |mode|
      catalog = Bunraku::Environment.new('production', **options, **(mode ? { ruby_functions: mode } : {})).compile(node: 'n', facts: { 'who' => 'facts' })
      catalog.logs.map { |entry| entry[:message] }
    rescue Bunraku::Error => e
      [e.class.name, e.message, e.cause.class.name]
    end
    puts JSON.generate({ puppet: tell[:puppet], auto: tell[nil], own: tell[:own] })
  RUBY

  def write(path, text)
    file = File.join(@directory, path)
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, text)
  end

  def answers(code)
    library = File.expand_path('../lib', __dir__)
    output, status = Open3.capture2(RbConfig.ruby, '-W0', '-I', library, '-rjson', '-e', program, @directory, code)
    skip 'Puppet is not installed' if status.exitstatus == 7
    expect(status).to be_success
    JSON.parse(output, symbolize_names: true)
  end

  before do
    write('m/lib/puppet/functions/m/f.rb', <<~'RUBY')
      Puppet::Functions.create_function(:'m::f', Puppet::Functions::InternalFunction) do
        local_types { type 'Small = Integer[0, 9]' }
        dispatch(:small) { scope_param; cache_param; param 'Small', :x; optional_block_param }
        dispatch(:fails) { param 'String', :text }
        def small(scope, cache, x)
          kept = cache.retrieve(self)
          kept[:count] = kept.fetch(:count, 0) + 1
          [scope['who'], call_function('upcase', 'a'), kept[:count], block_given? ? yield(x) : x, Puppet.equal?(Object.const_get(:Puppet))]
        end
        def fails(text) = call_function('fail', text)
      end
    RUBY
    write('m/lib/puppet/parser/functions/g.rb', <<~'RUBY')
      module Puppet::Parser::Functions
        newfunction(:g, type: :rvalue, arity: 1) { |args| [lookupvar('who'), function_upcase([args[0]]), findresource('Notify[n]').to_s, is_a?(Object.const_get(:Puppet)::Parser::Scope)] }
      end
    RUBY
  end

  it 'run on them where they are loaded, and on the own ones where that is wanted' do
    told = answers("notify { 'n': } $a = m::f(2) |$x| { $x * 2 } $b = m::f(3) notice($a, $b, g('b'))")
    expect(told[:puppet]).to eq ['[facts, A, 1, 4, true] [facts, A, 2, 3, true] [facts, B, Notify[n], true]']
    expect(told[:auto]).to eq told[:puppet]
    expect(told[:own]).to eq ['[facts, A, 1, 4, false] [facts, A, 2, 3, false] [facts, B, Notify[n], false]']
  end

  it 'give backends of Hiera their context' do
    write('m/hiera.yaml', "version: 5\nhierarchy: [{name: own, lookup_key: 'm::back', options: {a: 1}}]\n")
    write('m/lib/puppet/functions/m/back.rb', <<~'RUBY')
      Puppet::Functions.create_function(:'m::back') do
        dispatch(:back) { param 'String', :key; param 'Hash', :options; param 'Puppet::LookupContext', :context }
        def back(key, options, context)
          context.not_found unless key == 'm::x'
          context.cache('seen', 1)
          [context.cache_has_key('seen'), context.cache_has_key('other'), context.interpolate('%{who}'), context.module_name]
        end
      end
    RUBY
    told = answers("notice(lookup('m::x'), lookup('m::y', {default_value => 2}))")
    expect(told[:puppet]).to eq ['[true, false, facts, m] 2']
    expect(told.values.uniq.size).to eq 1
  end

  it 'fail with the same messages' do
    ['m::f(10)', "m::f('x')", 'm::f()', 'g()'].each do |code|
      told = answers(code)
      expect(told[:puppet][0..1]).to eq told[:own][0..1]
      expect(told[:puppet][0]).to eq 'Bunraku::EvaluationError'
    end
  end
end
