# frozen_string_literal: true

require 'json'
require_relative 'programs'

# Definitions of Object types, with parents, attributes of all kinds, functions, parameters and equality, of
# TypeSets, and what their instances do.
class Definitions < Programs
  NAMES = %w[A B C].freeze
  ATTRIBUTES = %w[a b c d].freeze
  VERSIONS = ['1.0.0', '1.2.3', '2.0.0-rc1', '1.0', 'x', '2.0.0'].freeze

  def question
    return in_module if chance(0.25)

    definitions = NAMES.first(number(1..3)).map.with_index { |name, n| definition(name, NAMES.first(n)) }
    definitions.shuffle!(random: random) if chance(0.15)
    { 'op' => pick(%w[eval eval eval eval serialize]), 'source' => "#{definitions.join("\n")}\n#{uses(NAMES.first(definitions.size))}" }
  end

  # A Timestamp without a value is the current time, another on each side.
  def type(depth)
    super.gsub(/Timestamp\b(?!\()/, 'Timespan')
  end

  private

  # A TypeSet has a file of its own in a module.
  def in_module
    set = type_set('M')
    { 'op' => 'eval', 'source' => uses(%w[M::A M::B M::T M]),
      'files' => { 'modules/m/metadata.json' => JSON.generate('name' => 'x-m', 'version' => '1.0.0', 'author' => 'x', 'summary' => 's', 'license' => 'l', 'source' => 's', 'dependencies' => []),
                   'modules/m/types/init_typeset.pp' => "type M = #{set}" } }
  end

  def type_set(name)
    types = %w[A B T].select { chance(0.8) }.map do |type|
      "#{type} => #{pick([-> { "Object[#{object('X', [])}]" }, -> { "{#{object('X', %w[A]).delete_prefix('{').delete_suffix('}')}}" }, -> { type(1) }, -> { "Variant[A, #{type(0)}]" }]).call}"
    end
    entries = ["pcore_version => '#{chance(0.9) ? '1.0.0' : pick(VERSIONS)}'", "version => '#{chance(0.8) ? '1.0.0' : pick(VERSIONS)}'"]
    entries.delete_at(number(0..1)) if chance(0.1)
    entries << "types => {#{types.join(', ')}}" if types.any? || chance(0.5)
    entries << pick(["name => '#{name}'", "name_authority => 'http://a.b/c'", 'annotations => {}', 'nope => 1', "name_uri => 'x'"]) if chance(0.15)
    "TypeSet[{#{entries.join(', ')}}]"
  end

  def definition(name, parents)
    made = object(name, parents)
    case number(0...8)
    when 0..4 then "type #{name} = Object[#{made}]"
    when 5 then "type #{name} = #{made}"
    when 6 then parents.any? ? "type #{name} inherits #{pick(parents)} = #{made}" : "type #{name} = Object[#{made}]"
    else "type #{name} = #{pick(["Object[{name => 'Other', attributes => {a => Integer}}]", "Variant[#{[*parents, 'Integer'].join(', ')}]", type(1), "TypeSet[{pcore_version => '1.0.0', version => '1.0.0', types => {Z => Integer}}]"])}"
    end
  end

  def object(name, parents)
    entries = []
    entries << "name => '#{pick([name, 'Y'])}'" if chance(0.05)
    entries << "parent => #{pick([*parents, *parents, 'Integer', 'Object', 'Nope'])}" if parents.any? ? chance(0.6) : chance(0.03)
    entries << "type_parameters => {#{unique(%w[p q], 1..2) { |key| "#{key} => #{pick(['Integer', 'Optional[String]', '{type => Integer, value => 3}', 'Type', type(0)])}" }}}" if chance(0.15)
    entries << "attributes => {#{unique(ATTRIBUTES, 0..3) { |key| "#{key} => #{attribute}" }}}" if chance(0.9)
    entries << "constants => {#{unique(%w[K L a], 1..2) { |key| "#{key} => #{value(1)}" }}}" if chance(0.15)
    entries << "functions => {#{unique(%w[f g a], 1..2) { |key| "#{key} => #{function}" }}}" if chance(0.15)
    entries << "equality => #{pick(["'a'", "['a', 'b']", '[]', "['nope']", "['K']", "['a', 'a']"])}" if chance(0.25)
    entries << "equality_include_type => #{pick(%w[true false])}" if chance(0.12)
    entries << "checks => #{value(1)}" if chance(0.03)
    entries << "annotations => {#{pick(['', 'Integer => {}', "A => {'a' => 1}"])}}" if chance(0.05)
    entries << "serialization => #{pick(["['a']", "['a', 'b']", "['b', 'a']", "['nope']", '[]'])}" if chance(0.12)
    entries << "#{pick(%w[nope override final])} => true" if chance(0.03)
    "{#{entries.join(', ')}}"
  end

  def unique(keys, range, &block)
    keys.shuffle(random: random).first(number(range)).map(&block).join(', ')
  end

  def attribute
    return pick(['Integer', 'String', 'Optional[Integer]', 'Any', 'Array[String]', type(1)]) if chance(0.5)

    entries = ["type => #{pick(['Integer', 'String', 'Optional[Integer]', 'Any', type(1)])}"]
    entries.clear if chance(0.03)
    entries << "value => #{pick(['1', "'x'", 'undef', '[1]', 'default', value(1)])}" if chance(0.45)
    entries << "kind => #{pick(%w[constant derived given_or_derived reference nope])}" if chance(0.4)
    entries << "override => #{pick(%w[true false])}" if chance(0.3)
    entries << "final => #{pick(%w[true false])}" if chance(0.2)
    entries << 'annotations => {}' if chance(0.03)
    "{#{entries.join(', ')}}"
  end

  def function
    pick(['Callable[[Integer], String]', 'Callable', 'Integer', '{type => Callable[0, 0]}', '{type => Callable, override => true}', '{type => Callable[[String], Any], final => true}', '{}', 'Callable[Integer]'])
  end

  def uses(names)
    values = some(1..3) { use(names) }
    chance(0.5) ? "[#{values.join(', ')}]" : "$o = #{instance(names)}\n[#{[*values, *some(0..2) { on_object(names) }].join(', ')}]"
  end

  def use(names)
    name = pick(names)
    case number(0...12)
    when 0..3 then instance(names)
    when 4 then "#{instance(names)} == #{instance(names)}"
    when 5 then "#{instance(names)} =~ #{name}"
    when 6 then "#{name} #{pick(%w[< <= == > >= !=])} #{pick(names)}"
    when 7 then pick([name, "\"${#{name}}\"", "type(#{name})", "String(#{name}, '%#p')", "String(#{instance(names)}, '#{pick(%w[%s %p %#p %q])}')"])
    when 8 then "#{name}[#{pick([value(0), "{p => 1}", "{'p' => 5, 'q' => 'x'}", 'Integer', '1, 2'])}]"
    when 9 then "type(#{instance(names)}#{pick(['', ', generalized', ', detailed'])})"
    when 10 then "[#{instance(names)}, #{instance(names)}].unique.size"
    else "#{instance(names)}.#{pick([*ATTRIBUTES, 'K', 'f', 'nope', 'f(1)', 'a(1)', 'new'])}"
    end
  end

  def instance(names)
    name = pick(names)
    arguments = pick([-> { some(0..3) { value(0) }.join(', ') }, -> { "{#{unique(ATTRIBUTES, 0..4) { |key| "#{quoted(key)} => #{value(0)}" }}}" }, -> { '1' }, -> { "1, 'x'" }, -> { "{a => 1, b => 'x'}" }]).call
    pick(["#{name}(#{arguments})", "#{name}(#{arguments})", "#{name}.new(#{arguments})", "new(#{name}#{arguments.empty? ? '' : ', '}#{arguments})"])
  end

  def on_object(names)
    "$o#{pick(['', ".#{pick(ATTRIBUTES)}", '.K', " == #{instance(names)}", ' =~ Object', " =~ #{pick(names)}", '.f', '[a]', ".a == $o.b", ' in [$o]', '.then |$x| { $x }', " ? { #{pick(names)} => 1, default => 2 }"])}"
  end
end
