# frozen_string_literal: true

require 'bunraku/command_line'
require 'fileutils'
require 'stringio'
require 'tmpdir'

RSpec.describe Bunraku::ResourceTypes do
  around do |example|
    Dir.mktmpdir do |path|
      @path = path
      write('production/modules/app/lib/puppet/type/api_thing.rb', <<~RUBY)
        require 'puppet/resource_api'
        Puppet::ResourceApi.register_type(
          name: 'api_thing',
          desc: 'A thing.',
          attributes: {
            ensure: { type: 'Enum[present, absent]', desc: 'Whether.', default: 'present' },
            name: { type: 'String', desc: 'The name.', behaviour: :namevar },
            size: { type: 'Integer[1]', desc: 'The size.' },
          }
        )
      RUBY
      example.run
    end
  end

  def write(name, content)
    file = "#{@path}/#{name}"
    FileUtils.mkdir_p(File.dirname(file))
    File.write(file, content)
  end

  def messages(definition)
    described_class.check(definition).map(&:to_s)
  end

  it 'checks definitions, and tells all that is wrong' do
    expect(messages(name: 'a', desc: 'd', attributes: { b: { type: 'String', desc: 'd' } })).to eq([])
    expect(messages('a')).to eq(['$: error: Puppet::ResourceApi::TypeDefinition must be a Hash, not `String`'])
    expect(messages({})).to include('$: error: Puppet::ResourceApi::TypeDefinition must have a name',
                                    '$: error: Puppet::ResourceApi::TypeDefinition must have `attributes`')
    attributes = { title: { type: 'String', desc: 'd' }, b: 1, c: { desc: 'd' }, ensure: { type: 'Boolean', desc: 'd' },
                   d: { type: 'Intger[', behaviour: 'none' }, e: { type: 'Integer', desc: 'd', default: 'x' } }
    expect(messages(name: 'a', desc: 'd', docs: 'd', attributes: attributes, features: ['own'], title_patterns: 1)).to match_array(
      ['$.attributes.title: error: must not define an attribute called `:title`',
       '$.attributes.b: error: `a.b` must be a Hash, not a Integer',
       '$.attributes.c: error: `a.c` has no type',
       '$.attributes.ensure.type: error: `:ensure` attribute must have a type of: `Enum[present, absent]` or ' \
       '`Optional[Enum[present, absent]]`',
       '$.attributes.d: warning: `a.d` has no documentation, add it using a `desc` key',
       start_with('$.attributes.d.type: error: The type of the `d` attribute `Intger[` could not be parsed: '),
       '$.attributes.d.behaviour: error: `none` is not a valid behaviour value',
       '$.attributes.e.default: warning: a.e expects an Integer value, got String',
       '$.docs: error: `a` has both `desc` and `docs`, prefer using `desc`',
       '$.title_patterns: error: `:title_patterns` must be an array, not `Integer`',
       '$.features: warning: Unknown feature detected: ["own"]']
    )
  end

  it 'reads definitions from Ruby, and checks values against them' do
    definition, complaints = described_class.definitions("#{@path}/production/modules/app/lib/puppet/type/api_thing.rb").first
    expect(complaints).to eq([])
    found = described_class.check_values(definition, name: 'a', size: 'x', other: 1)
    expect(found.map(&:to_s)).to eq(['$.size: error: Value type mismatch: size: x (expects an Integer value, got String)',
                                     '$.other: error: Unknown attribute: other'])
  end

  it 'checks values in compilations when it is asked to' do
    write('production/manifests/site.pp', "api_thing { 'a': size => 0 }")
    compile = lambda do |**settings|
      Bunraku::Environment.new('production', environmentpath: @path, settings: settings).compile(node: 'n')
    end
    expect(compile.call['Api_thing[a]'][:size]).to eq(0)
    expect { compile.call(check_resource_types: true) }.to raise_error(
      Bunraku::Error, /Parameter size failed on Api_thing\[a\]: api_thing.size expects an Integer\[1\] value, got Integer\[0, 0\]/
    )
  end

  it 'describes types, and writes them for environments', :command do
    sample = File.expand_path('../../tests/data/documentation', __dir__)
    text, none = described_class.describe('thing', 'nothing', modulepath: [sample], providers: true)
    expect(text).to include("\nthing\n=====\n", '- **size**', '- **hammer**', 'Requires features growing.')
    expect(none).to be_nil
    run = ->(*arguments) { Bunraku::CommandLine.new(StringIO.new, StringIO.new).run(arguments) }
    expect(run.call('describe', 'nothing')).to eq(1)
    directory = "#{@path}/production/.resource_types"
    expect(run.call('generate', 'types', '--modulepath', "#{@path}/production/modules", '--output', directory)).to eq(0)
    expect(File.read("#{directory}/api_thing.pp")).to include("Puppet::Resource::Param(Pattern[//], 'name', true)")
    write('production/manifests/site.pp', "api_thing { 'a': size => 2 }")
    environment = Bunraku::Environment.new('production', environmentpath: @path)
    expect(environment.compile(node: 'n')['Api_thing[a]'][:size]).to eq(2)
  end
end
