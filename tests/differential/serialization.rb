# frozen_string_literal: true

require_relative 'programs'

# Values as data: written in all forms, and read from data that may be damaged.
class Serialization < Programs
  NAMES = %w[Sensitive Regexp Timestamp Timespan SemVer SemVerRange Binary URI Hash Default Symbol LocalRef Pcore::IntegerType Pcore::ArrayType Pcore::EnumType Pcore::StructType Nope].freeze

  def question
    return serialized if chance(0.6)

    { 'op' => 'deserialize', 'generic' => data(3) }
  end

  # The current time is another on each side.
  def serialized
    source = "$a = #{value(2)}\n#{pick(['$a', '[$a, $a]', '{x => $a, y => [$a]}', value(3), typed])}"
    { 'op' => 'serialize', 'source' => source.gsub(/(?:\w+\[)*Timestamp\]*(?:\.new)?\(\)/, "Timestamp('2020-01-02')") }
  end

  def data(depth)
    case choose(plain: 4, list: depth.positive? ? 3 : 0, hash: depth.positive? ? 3 : 0, rich: depth.positive? ? 5 : 0)
    when :plain then pick([nil, true, false, 1, -5, 1.5, *TEXTS])
    when :list then some(0..3) { data(depth - 1) }
    when :hash then some(0..3) { [pick(TEXTS), data(depth - 1)] }.to_h
    else rich(depth - 1)
    end
  end

  def rich(depth)
    name = pick(NAMES)
    made = { '__ptype' => name }
    # A Timestamp without a value is the current time, and items of a Hash that are not lists are treated as
    # lists.
    return made.merge('__pvalue' => '2020-01-02T03:04:05.678 UTC') if name == 'Timestamp'
    return made.merge('__pvalue' => some(0..4) { data(depth) }) if name == 'Hash'

    made['__pvalue'] = name == 'LocalRef' ? pick(['$', '$[0]', "$['a']", '$[0][1]', '$.a', '', 'x', '$[9]', "$['a"]) : data(depth) unless chance(0.15)
    made['from'] = pick([0, 5, 'a', nil]) if name == 'Pcore::IntegerType' && chance(0.7)
    made['values'] = some(0..2) { pick(TEXTS) } if name == 'Pcore::EnumType'
    made['element_type'] = { '__ptype' => 'Pcore::StringType' } if name == 'Pcore::ArrayType' && chance(0.7)
    made
  end
end
