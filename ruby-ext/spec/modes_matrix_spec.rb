# frozen_string_literal: true

require 'open3'

# A matrix: each call of the functions of the module `probe`, which use the whole API, in each of four
# modes. BUNRAKU_MODES names those that have to be there, as `make test-ruby` does; the others are asked where
# they can be.
RSpec.describe 'each mode', :in_process do
  root = File.expand_path('../..', __dir__)
  library = [ENV['BUNRAKU_LIBRARY'], *%w[stage/lib release debug].map { |place| "#{root}/target/#{place}/libbunraku.so" }]
            .compact.find { |file| File.exist?(file) }
  present = { 'ruby' => true, 'native' => true, 'c' => library && Gem::Specification.any? { |gem| gem.name == 'ffi' },
              'puppet' => Gem::Specification.any? { |gem| gem.name == 'puppet' } || File.exist?('/usr/lib/ruby/vendor_ruby/puppet.rb') }
  modes = present.select { |_, is_present| is_present }.keys
  needs_ruby = /is not known to the Ruby that is built in/
  facts = { 'os' => { 'name' => 'Debian', 'family' => 'Debian', 'release' => { 'major' => '12', 'full' => '12.5' } } }
  # The calls that the built-in Ruby refuses; the number only shrinks.
  refused = 22

  before(:context) do
    codes = File.readlines("#{root}/tests/ruby_functions/drivers/probe.pp", chomp: true)
    asked = codes.map { |code| "#{JSON.generate([code, facts])}\n" }.join
    @answers = modes.to_h do |mode|
      command = [{ 'BUNRAKU_LIBRARY' => library }, RbConfig.ruby, '-W0', '--disable=error_highlight', '--disable=did_you_mean',
                 File.join(__dir__, 'mode_answers.rb'), mode, "#{root}/tests/ruby_functions/modules"]
      output, = Open3.capture2(*command, stdin_data: asked)
      [mode, codes.zip(output.lines.map { |line| JSON.parse(line) }).to_h]
    end
  end

  def differing(one, other)
    @answers[one].reject { |code, answer| answer == @answers[other][code] }.keys
  end

  it 'is asked where it is wanted' do
    expect(ENV.fetch('BUNRAKU_MODES', '').split(',') - modes).to eq([])
  end

  it 'answers all' do
    expect(@answers.values.flat_map(&:values)).to all(be_a(Hash))
  end

  it 'answers on the installed Puppet as in the Ruby of its own' do
    skip 'Puppet is not installed' unless modes.include?('puppet')
    expect(differing('puppet', 'ruby')).to eq([])
  end

  it 'answers through C as natively' do
    skip 'the C library or the gem ffi is missing' unless modes.include?('c')
    expect(differing('c', 'native')).to eq([])
  end

  it 'answers natively as in Ruby, or refuses' do
    native = differing('native', 'ruby')
    others = native.reject { |code| @answers['native'][code]['error']&.match?(needs_ruby) }
    expect(others).to eq([])
    expect(native.size).to be <= refused
  end
end
