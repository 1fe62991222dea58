# frozen_string_literal: true

require 'spec_helper'
require 'open3'
require 'rbconfig'

# The state that compilations leave in the Ruby of an environment: no other compilation may see it.
RSpec.describe 'Ruby of modules, one compilation after the other' do
  state = File.join(__dir__, 'fixtures/state')

  # The questions, each a class of the main manifest: functions of both APIs, types, a backend, a template.
  questions = {
    'plain' => 'notice(dumper::to_plain({a => 1}))', 'late' => 'notice(dumper::late())', 'rings' => 'notice(keys::rings())',
    'loud' => "notice(words::loud('x'))", 'classes' => "notice(words::classes('x'))", 'old' => "notice(words_old('x'))",
    'twice' => "notice(words::twice('x'))", 'edition' => 'notice(edition::name())', 'backend' => "notice(lookup('store::x'))",
    'template' => 'include words', 'pair' => "key_pair { 'a': bits => 1 }", 'ring' => "key_ring { 'a': bits => 1, secret => 1, pairs => 2 }",
    'edition_type' => "edition { 'a': of_one => 1 }", 'broken' => 'notice(broken::load())', 'broken_type' => "broken { 'a': size => 1 }"
  }.freeze
  code = questions.map { |name, body| "class ask::#{name} { #{body} }" }.join("\n")

  # The built-in Ruby does not support a subclass of Array, and a constant that only the file of another
  # function defines.
  refused = %w[loud template]
  modes = { own: { ruby_functions: :own }, native: { ruby_functions: :off, templates: :native } }

  define_method(:environment) do |name, mode = :own|
    Bunraku::Environment.new(name, environmentpath: state, code: code, **modes.fetch(mode))
  end

  def answer(environment, question)
    catalog = environment.compile(node: 'n', classes: ["ask::#{question}"])
    [catalog.logs.map { |entry| entry[:message] }, catalog.to_h['resources'].map { |one| one.slice('type', 'title', 'parameters') }]
  rescue Bunraku::Error => e
    [e.class, e.message]
  end

  modes.each_key do |mode|
    context "in the mode #{mode}" do
      before(:all) do
        @alone = %w[one two].product(questions.keys).to_h do |name, question|
          [[name, question], answer(environment(name, mode), question)]
        end
      end

      it 'answers what the modules say' do
        said = questions.keys.to_h { |question| [question, @alone[['one', question]].first] }
        wanted = {
          'plain' => ['a = 1'], 'late' => ['late = true'], 'rings' => ['/etc/rings /root/rings'], 'loud' => ['X! [x] a,b xx'],
          'classes' => ['true true ["x"] 1 true'], 'old' => ['old x'], 'twice' => ['xx'], 'edition' => ['one'], 'backend' => ['stored store::x'],
          'template' => ['old words a = 1 01'], 'pair' => [], 'ring' => [], 'edition_type' => []
        }
        wanted = wanted.except(*refused) if mode == :native
        expect(said.slice(*wanted.keys)).to eq(wanted)
        expect(@alone[%w[two edition]].first).to eq ['two']
        expect(@alone[%w[two edition_type]]).to match [Bunraku::Error, /no parameter named 'of_one'/]
        expect(@alone[%w[one broken]]).to match [Bunraku::EvaluationError, /broken while it is loaded/]
        expect(said['broken_type']).to match [/'broken' cannot be read in full/]
      end

      it 'answers as alone after each other question' do
        questions.keys.product(questions.keys).each do |first, second|
          one = environment('one', mode)
          told = [first, second].map { |question| answer(one, question) }
          expect(told).to eq([first, second].map { |question| @alone[['one', question]] }), "#{first}, then #{second}: #{told}"
        end
      end

      it 'answers as alone in any order, in two environments in turn' do
        15.times do |seed|
          environments = %w[one two].to_h { |name| [name, environment(name, mode)] }
          order = (@alone.keys * 2).shuffle(random: Random.new(seed))
          order.each_with_index do |(name, question), index|
            told = answer(environments[name], question)
            expect(told).to eq(@alone[[name, question]]), "seed #{seed}: #{question} in #{name} after #{order.take(index).last(5)}: #{told}"
          end
        end
      end

      it 'answers as alone on several threads' do
        environments = %w[one two].to_h { |name| [name, environment(name, mode)] }
        threads = Array.new(8) do |seed|
          Thread.new { @alone.keys.shuffle(random: Random.new(seed)).map { |name, question| [[name, question], answer(environments[name], question)] } }
        end
        threads.flat_map(&:value).each { |asked, told| expect(told).to eq(@alone[asked]), "#{asked}: #{told}" }
      end
    end
  end

  it 'answers the same in each mode' do
    told = modes.keys.to_h do |mode|
      [mode, questions.keys.to_h { |question| [question, answer(environment('one', mode), question)] }]
    end
    expect(told[:native].except(*refused, 'broken')).to eq(told[:own].except(*refused, 'broken'))
  end

  it 'answers as alone in random orders over the modules of Debian', :unstressed do
    skip "Debian's modules are not installed" unless File.directory?('/usr/share/puppet/modules/stdlib')

    script = File.expand_path('../../tests/ruby_functions/orders.rb', __dir__)
    [%w[--pick 40 --orders 2], %w[--native --pick 40 --orders 2 --environments 2], %w[--native --pairs --pick 6 --orders 1]].each do |how|
      output, status = Open3.capture2e(RbConfig.ruby, '-W0', script, *how)
      expect(status).to be_success, output
    end
  end

  it 'begins on several threads of new processes, and none hangs', :unstressed do
    script = File.expand_path('../../tests/ruby_functions/threads.rb', __dir__)
    output, status = Open3.capture2e(RbConfig.ruby, '--disable=gems', script, '--starts', '20')
    expect(status).to be_success, output
  end

  it 'leaves nothing of the modules in Ruby' do
    environment('one').then { |one| questions.each_key { |question| answer(one, question) } }
    expect(%i[PuppetX Puppet Facter SemanticPuppet Words].select { |name| Object.const_defined?(name) }).to eq []
  end
end
