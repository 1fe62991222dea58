# frozen_string_literal: true

# Compares the results for generated definitions of the Resource API, valid and damaged ones, with the gem
# puppet-resource_api: whether they are accepted, the first error, warnings, whether values match, and the
# `generate types` output for the type.
#
#   [OPENVOX_LIB=…/lib] [RESOURCE_API_LIB=…/lib] ruby tests/resource_types/definitions.rb [--count N] [--from
#   SEED] [--show N]
$LOAD_PATH.unshift(File.expand_path('../../ruby-ext/lib', __dir__))
require 'bunraku'
require 'fileutils'
require 'json'
require 'optparse'
require 'tmpdir'
require_relative '../ruby_functions/installed_puppet'
$LOAD_PATH.unshift(ENV['RESOURCE_API_LIB']) if ENV['RESOURCE_API_LIB']
require 'puppet/resource_api'
require 'puppet/generate/type'
require 'puppet/generate/models/type/type'

options = { count: 600, from: 1, show: 10 }
OptionParser.new do |parser|
  parser.on('--count N', Integer)
  parser.on('--from SEED', Integer)
  parser.on('--show N', Integer)
end.parse!(into: options)

# Definitions as data: symbols and patterns of Ruby are strings.
class Definitions
  TYPES = ['String', 'Integer[0, 10]', 'Optional[String[1]]', 'Boolean', 'Optional[Boolean]', 'Enum[a, b]', 'Array[String]', 'Hash[String, Integer]',
           'Variant[Integer, Enum[x]]', 'Float', 'Numeric', 'Pattern[/\Aa/]', 'Optional[Enum[a]]', 'Any', 'Struct[{a => Integer, Optional[b] => String}]',
           'Sensitive[String]', 'Timestamp', 'Regexp', 'Tuple[Integer, String]', 'Optional[Array[Integer, 1]]'].freeze
  BROKEN = ['Strin', 'String[', 'Integer[a]', 'Enum[', '', 'string', 'Integer[3, 1]', 'Optional[Foo]', '1', 'Array[String', "Enum['a' 'b']", 'Hash[1]', '$x', 'Struct[1]'].freeze
  ENSURE = ['Enum[present, absent]', 'Enum[absent, present]', 'Optional[Enum[present, absent]]', 'Variant[Undef, Enum[present, absent]]', 'String',
            "Enum['present', 'absent']", 'Enum[present]', 'Variant[Enum[present, absent], Undef]', 'Optional[Enum[present]]'].freeze
  NAMES = %w[name path mode size flag list extra other].freeze
  RESERVED = %w[title provider alias audit before consume export loglevel noop notify require schedule stage subscribe tag
                rsapi_custom_insync_trigger].freeze
  DEFAULTS = ['x', 1, true, false, nil, ['a'], { 'a' => 1 }, 'a', 1.5].freeze
  FEATURES = %w[supports_noop canonicalize custom_insync remote_resource simple_get_filter].freeze
  PATTERNS = ['^(?<name>[^:]+):(?<path>.*)$', '^(?<name>.*)$', '(?<path>/.*)', '.*', '(?<mode>\d+)-(?<name>\w+)'].freeze

  def initialize(seed)
    @random = Random.new(seed)
    @seed = seed
  end

  def one(list)
    list[@random.rand(list.size)]
  end

  def maybe(chance)
    @random.rand < chance
  end

  def definition
    own = { 'name' => "made_#{@seed}" }
    own['desc'] = 'What it is' if maybe(0.8)
    own['docs'] = 'What it is' if maybe(0.1)
    attributes = NAMES.shuffle(random: @random).take(1 + @random.rand(5)).to_h { |name| [name, attribute] }
    attributes['ensure'] = { 'type' => one(ENSURE), 'desc' => 'Whether' } if maybe(0.5)
    attributes[attributes.keys.first]['behaviour'] = 'namevar' if maybe(0.8)
    attributes[one(RESERVED)] = attribute if maybe(0.08)
    own['attributes'] = attributes
    own['features'] = FEATURES.select { maybe(0.3) } + (maybe(0.15) ? ['wings', 'fins'].take(1 + @random.rand(2)) : []) if maybe(0.5)
    if maybe(0.3)
      own['title_patterns'] = Array.new(1 + @random.rand(2)) { { 'pattern' => one(PATTERNS), 'desc' => 'How' } }
    end
    own[one(%w[autorequire autobefore autosubscribe autonotify])] = { 'file' => '$path', 'Package' => %w[a b] } if maybe(0.2)
    damage(own)
    own
  end

  def attribute
    own = { 'type' => maybe(0.04) ? one(BROKEN) : one(TYPES) }
    own['desc'] = 'What' if maybe(0.85)
    own['default'] = one(DEFAULTS) if maybe(0.15)
    own['behaviour'] = one(%w[parameter read_only init_only namevar]) if maybe(0.25)
    own['behavior'] = one(%w[parameter read_only init_only namevar]) if maybe(0.08)
    own['behaviour'] = one(%w[wrong property]) if maybe(0.02)
    own['sensitive'] = true if maybe(0.1)
    own
  end

  def damage(own)
    return unless maybe(0.25)

    case @random.rand(9)
    when 0 then own.delete('name')
    when 1 then own.delete('attributes')
    when 2 then own['attributes'] = one(['x', 1, nil, []])
    when 3 then own['attributes'][one(NAMES)] = one(['String', 1, nil, []])
    when 4 then own['attributes'].each_value { |of| of.delete('type') if of.is_a?(Hash) && maybe(0.5) }
    when 5 then own['title_patterns'] = one(['x', {}, 1])
    when 6 then own['attributes'] = {}
    when 7 then own['desc'] = own['docs'] = 'Both'
    else own['attributes'].each_value { |of| of['behaviour'] = 'Namevar' if of.is_a?(Hash) && maybe(0.5) }
    end
  end

  def values(definition)
    attributes = definition['attributes']
    return {} unless attributes.is_a?(Hash)

    (attributes.keys + %w[title unheard]).select { maybe(0.6) }.to_h { |name| [name, one(DEFAULTS + [0, 5, 'present', 'absent', [1], { 'a' => 'x', 'b' => 'y' }])] }
  end
end

# The definition as Ruby has it.
def in_ruby(definition)
  own = definition.transform_keys(&:to_sym)
  if own[:attributes].is_a?(Hash)
    own[:attributes] = own[:attributes].to_h do |name, of|
      of = of.to_h { |key, value| [key.to_sym, %w[behaviour behavior].include?(key) ? value.to_sym : value] } if of.is_a?(Hash)
      [name.to_sym, of]
    end
  end
  patterns = own[:title_patterns]
  own[:title_patterns] = patterns.map { |one| { pattern: Regexp.new(one['pattern']), desc: one['desc'] } } if patterns.is_a?(Array)
  %i[autorequire autobefore autosubscribe autonotify].each { |name| own[name] &&= own[name].transform_keys(&:to_sym) }
  own
end

scratch = Dir.mktmpdir
at_exit { FileUtils.rm_rf(scratch) }
Puppet.initialize_settings(%w[confdir vardir codedir rundir logdir publicdir].flat_map { |name| ["--#{name}", File.join(scratch, name)] })
Puppet::Util::Log.level = :warning
LOGGED = []
Puppet::Util::Log.newdesttype(:bunraku_collector) do
  def handle(message)
    LOGGED << message.message
  end
end
Puppet::Util::Log.newdestination(:bunraku_collector)
Puppet.push_context(current_environment: Puppet::Node::Environment.create(:production, []))
template = Puppet::Util.create_erb(File.read(File.join(File.dirname($LOADED_FEATURES.grep(%r{puppet/generate/type\.rb\z}).first), 'templates/type/pcore.erb')))
without_header = ->(text) { text&.lines&.drop(2)&.join }

# The gem's answer: `:error` (its own), `:failure` (of Ruby within it), warnings, values, the generated text.
def ask(definition, values, template)
  LOGGED.clear
  answer = {}
  begin
    type = Puppet::ResourceApi.register_type(in_ruby(definition))
    type ||= Puppet::Type.type(definition['name'].to_sym)
  rescue Puppet::DevError, Puppet::ResourceError => e
    answer[:error] = e.message
  rescue StandardError => e
    answer[e.message.include?('Parameter') ? :error : :failure] = e.message
  end
  answer[:warnings] = LOGGED.uniq
  if type && !answer[:error] && !answer[:failure]
    read = Puppet::ResourceApi::TypeDefinition.new(in_ruby(definition))
    unknown = read.check_schema_keys(values.transform_keys(&:to_sym)).map { |name| "Unknown attribute: #{name}" }
    wrong = read.check_schema_values(values.transform_keys(&:to_sym)).map { |name, text| "Value type mismatch: #{name}: #{text}" }
    answer[:values] = (unknown + wrong).sort
    answer[:generated] = Puppet::Generate::Models::Type::Type.new(type).render(template)
  end
  answer
end

counts = Hash.new(0)
shown = Hash.new(0)
differ = lambda do |what, definition, theirs, ours|
  counts[:"#{what} differ"] += 1
  next if (shown[what] += 1) > options[:show]

  puts "#{what} of #{definition.to_json}", "  theirs: #{theirs.inspect}", "  ours:   #{ours.inspect}"
end

modules = File.join(scratch, 'modules')
library = File.join(modules, 'made/lib/puppet/type')
FileUtils.mkdir_p(library)
taken = []
(options[:from]...(options[:from] + options[:count])).each do |seed|
  made = Definitions.new(seed)
  definition = made.definition
  values = made.values(definition)
  theirs = ask(definition, values, template)
  ours = Bunraku::ResourceTypes.check(definition)
  errors = ours.select { |one| one.severity == :error }.map(&:message)
  # Only bunraku reports that defaults do not match.
  warnings = ours.reject { |one| one.severity == :error || one.path.end_with?('.default') }.map(&:message)
  counts[:definitions] += 1
  if theirs[:failure]
    counts[:'that fail within Ruby'] += 1
    differ.call(:failures, definition, theirs[:failure], errors) if errors.empty?
    next
  end
  counts[theirs[:error] ? :refused : :taken] += 1
  differ.call(:verdicts, definition, theirs[:error], errors) if theirs[:error].nil? != errors.empty?
  if theirs[:error]
    next if errors.empty?

    differ.call(:messages, definition, theirs[:error], errors) unless errors.include?(theirs[:error])
    counts[:'messages that come first here, too'] += 1 if errors.first == theirs[:error]
    next
  end
  differ.call(:warnings, definition, theirs[:warnings], warnings) if theirs[:warnings].sort != warnings.uniq.sort
  own = Bunraku::ResourceTypes.check_values(definition, values).map(&:message).sort
  differ.call(:values, [definition, values], theirs[:values], own) if theirs[:values] != own
  File.write(File.join(library, "#{definition['name']}.rb"), "Puppet::ResourceApi.register_type(#{in_ruby(definition).inspect[1..-2]})\n")
  taken << [definition, theirs[:generated]]
end
generated = Bunraku::ResourceTypes.generate(modulepath: [modules]).to_h { |one| [one['name'], one['text']] }
taken.each do |definition, text|
  mine, theirs = without_header[generated[definition['name']]], without_header[text]
  counts[:'generated texts'] += 1
  next if mine == theirs

  pair = theirs.to_s.lines.zip(mine.to_s.lines).find { |one, other| one != other }
  differ.call(:texts, definition, *(pair || [theirs, mine]))
end
puts counts.map { |what, count| "#{what}: #{count}" }
exit(counts.keys.none? { |what| what.end_with?(' differ') } ? 0 : 1)
