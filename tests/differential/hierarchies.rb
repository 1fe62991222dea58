# frozen_string_literal: true

require 'json'
require 'yaml'
require_relative 'hiera_data'

# Hierarchies of modules with all that a configuration can say: options of lookups by pattern, conversions,
# mapped paths, globs, directories with facts, defaults, and configurations that are wrong.
class Hierarchies < HieraData
  FACTS = { 'os' => { 'family' => 'Debian', 'name' => 'x y' }, 'list' => %w[l0 l1], 'nested' => { 'l1' => { 'a' => 1 }, 'k' => 'l0' }, 'empty' => [], 'one' => 'l1', 'number' => 7, 'undefined' => nil, 'flag' => true }.freeze
  KEYS = %w[a b c ab::c d::e].freeze
  CONVERSIONS = ['Array', 'Sensitive', 'String', 'Integer', 'Hash', 'Sensitive[String]', 'Boolean', 'Nope', 'Array[Integer]', 'Optional[Integer]', ['String', '%p'], ['String', '%x'], ['Integer', 16], ['Array', true], ['Float'], [], 5, '', 'array', nil,
                 ['Enum', 'a'], 'Timestamp', 'Timespan', 'Variant[Integer, String]', 'Struct[{x => Integer}]', 'Regexp', ['Timespan', '%H:%M']].freeze
  MERGES = ['first', 'unique', 'hash', 'deep', 'nope', { 'strategy' => 'deep', 'knockout_prefix' => '--' }, { 'strategy' => 'deep', 'sort_merged_arrays' => true }, { 'strategy' => 'deep', 'merge_hash_arrays' => true }, { 'strategy' => 'hash' }, { 'strategy' => 'first' },
            { 'strategy' => 'unique', 'x' => 1 }, {}, { 'knockout_prefix' => '-' }, ['deep'], 1, nil, { 'strategy' => 'deep', 'unpack_arrays' => ',' }].freeze
  PATTERNS = ['^m::', '^m::.*', '^m::a$', '^m::[ab]', '^m::(a|b)', '^m::ab::', '^.*', '^(', 'm::.*', '^m::nope', '^m::a', '^m', '^x'].freeze

  def question
    files = { 'modules/m/metadata.json' => METADATA, 'modules/m/hiera.yaml' => configuration, 'modules/m/manifests/init.pp' => "class m($a = 'none', $b = undef, Any $c = 3) { notice([$a, $b, $c]) }" }
    %w[l0.yaml l1.yaml l2.yaml sub/l0.yaml].each { |path| files["modules/m/data/#{path}"] = document if chance(0.85) }
    files['modules/m/data/l0.json'] = JSON.generate(keys) if chance(0.4)
    files['modules/m/other/Debian.yaml'] = document if chance(0.4)
    { 'op' => 'eval', 'source' => asked, 'files' => files, 'facts' => FACTS, 'node' => pick(%w[l0 l1 testnode.example.com]) }
  end

  private

  def configuration
    return pick(['', '--- ~', 'version: 3', "version: 5\nhierarchy: []", "version: 5\nnope: 1", "version: 4\nhierarchy: []", ":backends: yaml\n", "version: '5'", 'version: 5', "version: 5\nhierarchy: {}", "- 1"]) if chance(0.06)

    made = { 'version' => 5 }
    made['defaults'] = [{ 'datadir' => 'data', 'data_hash' => 'yaml_data' }, { 'data_hash' => 'json_data' }, { 'datadir' => 'other' }, { 'datadir' => 'data/%{os.nope}' }, { 'options' => { 'x' => 1 } }, { 'data_hash' => 'yaml_data', 'lookup_key' => 'x' }][number(0..5)] if chance(0.25)
    levels = Array.new(number(1..3)) { |n| level(n) }
    levels.last['name'] = levels.first['name'] if chance(0.03)
    made['hierarchy'] = levels
    made['default_hierarchy'] = [level(9)] if chance(0.25)
    YAML.dump(made)
  end

  def level(at)
    made = { 'name' => "level #{at}" }
    case choose(path: 4, paths: 3, glob: 3, globs: 2, mapped: 5, uri: 1, none: 1)
    when :path then made['path'] = path
    when :paths then made['paths'] = some(0..3) { path }
    when :glob then made['glob'] = glob
    when :globs then made['globs'] = some(0..2) { glob }
    when :mapped then made['mapped_paths'] = mapped
    when :uri then made['uri'] = 'http://x'
    end
    made['datadir'] = pick(['data', 'data/sub', 'data/%{nope}', 'other', '/nope', 'data/', '%{::one}', '..', 'data/../data']) if chance(0.2)
    made['data_hash'] = pick(%w[yaml_data yaml_data json_data hocon_data nope]) if chance(0.3)
    made[pick(%w[lookup_key data_dig hiera3_backend])] = pick(%w[yaml_data yaml nope]) if chance(0.05)
    made['options'] = pick([{ 'a' => 1 }, { 'path' => 'x' }, {}, { 'a b' => 1 }, { 'k' => '%{one}' }, 5]) if chance(0.06)
    made['path'] = 'l2.yaml' if chance(0.03)
    made['nope'] = 1 if chance(0.02)
    made.delete('name') if chance(0.02)
    made
  end

  def path
    pick(['l0.yaml', 'l1.yaml', 'l2.yaml', '%{one}.yaml', '%{trusted.certname}.yaml', '%{::nested.k}.yaml', '%{facts.one}.yaml', '%{nope}.yaml', 'sub/l0.yaml', '%{os.family}.yaml', 'none.yaml', "%{lookup('m::a')}.yaml", "%{literal('%')}.yaml", '%{list.0}.yaml', '%{empty}.yaml', 'l0.json', 'sub/../l1.yaml',
          'l0', '', '%{number}.yaml', '%{os.name}.yaml', '%{environment}.yaml', '%{calling_class}.yaml', '%{module_name}.yaml', './l0.yaml'])
  end

  def glob
    pick(['*.yaml', '**/*.yaml', 'l[01].yaml', '{l1,l0}.yaml', 'l?.yaml', '%{one}*', 'sub/*', '*.{yaml,json}', 'none*', '**', '[', '%{nope}/*.yaml', '*/l0.yaml', '', 'l0.yaml', '{', '**/l0.*', '../data/*.yaml'])
  end

  def mapped
    [pick(['list', 'nested', 'empty', 'one', 'nope', 'facts.list', 'os.family', 'number', 'undefined', 'nested.l1', 'list.0', '%{one}', 'flag', 'facts.nested', '', 'trusted.certname']), pick(['v', 'v', 'x', 'os', 'a.b', '']),
     pick(['%{v}.yaml', '%{v}.yaml', '%{x}.yaml', '%{v}', 'l0.yaml', '%{v.0}.yaml', '%{v.1}.yaml', '%{os}.yaml', '%{v}/%{one}.yaml', "%{lookup('m::%{v}')}.yaml", '%{v.a}.yaml', '*%{v}.yaml'])].first(chance(0.05) ? 2 : 3)
  end

  def document
    YAML.dump(keys)
  end

  def keys
    made = KEYS.select { chance(0.6) }.to_h { |key| ["m::#{key}", chance(0.3) ? pick(['1', 'ff', '0x1f', 'true', '12:30', ['1', '2'], { 'x' => '1' }, '%{alias("m::b")}', '%{lookup("m::c")}', [['a', 1]], 3, -1.5, nil, 'a', ['a', 'a', 'b'], { 'x' => ['a'], '--y' => nil }]) : tree(2)] }
    made['lookup_options'] = options if chance(0.5)
    made['foreign::a'] = 1 if chance(0.04)
    made
  end

  def options
    return pick([nil, [], 5, { 'm::a' => 5 }, { 'm::a' => nil }, { 'x::a' => { 'merge' => 'deep' } }, { 'm::a' => { 'nope' => 1 } }, 'deep']) if chance(0.08)

    some(1..3) { [chance(0.5) ? pick(PATTERNS) : "m::#{pick(KEYS)}", { 'merge' => pick(MERGES), 'convert_to' => pick(CONVERSIONS) }.select { chance(0.65) }] }.to_h
  end

  def asked
    key = "m::#{pick(KEYS)}"
    case number(0...9)
    when 0..2 then "lookup('#{key}')"
    when 3 then "lookup('#{key}', #{pick(%w[Any String Integer Hash Array Sensitive])}, #{pick(%w['first' 'unique' 'hash' 'deep' undef default])}, 'd')"
    when 4 then "lookup('#{key}.#{pick(%w[x 0 x.0 nope])}', {default_value => 'dv'})"
    when 5 then "lookup(['m::zz', '#{key}'], {merge => #{pick(["deep", "{strategy => deep, knockout_prefix => '--'}", 'hash'])}, default_value => 1})"
    when 6 then 'include m'
    when 7 then "lookup({name => '#{key}', #{pick(["merge => 'deep', ", "override => {'#{key}' => 4}, ", 'value_type => Integer, ', ''])}default_values_hash => {'#{key}' => 9}})"
    else "[#{some(1..3) { "lookup('m::#{pick(KEYS)}', {default_value => undef})" }.join(', ')}]"
    end
  end
end
