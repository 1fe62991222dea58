# frozen_string_literal: true

require_relative 'words'

# Programs of the Puppet language: expressions, types, formats, patterns, templates in EPP, heredocs, times,
# versions, objects.
class Programs < Words
  BINARY = %w[+ - * / % << >> == != < > <= >= =~ !~ in and or].freeze
  SIMPLE_TYPES = %w[Any Undef Integer Float Numeric String Boolean Regexp Default Scalar Data RichData Array Hash Collection Type Callable Sensitive Binary
                    Timestamp Timespan SemVer SemVerRange URI Object TypeSet Iterable Iterator Class Resource CatalogEntry File Notify Tuple Struct Enum Pattern Variant
                    Optional NotUndef Init Runtime Unit Deferred Error Target].freeze
  ONE = %w[abs any? capitalize ceiling chomp chop compare convert_to digest downcase empty flatten floor join keys length lstrip max md5 min
           regsubst reverse_each round rstrip sha1 sha256 shellquote size sort sprintf step strftime strip swapcase type unique unwrap upcase values camelcase
           get getvar defined fqdn_rand lest then versioncmp split scanf match inline_epp assert_type new String Integer Float Numeric Boolean Array Hash
           Timestamp Timespan SemVer SemVerRange Binary URI Sensitive Regexp Tuple Struct Type Error binary_file tree_each unwrap
           with notice fail all any filter map each reduce slice index group_by partition dig lookup break next return call annotate flatten].uniq - ['any?', 'swapcase', 'fail', 'notice', 'break', 'next', 'return']
  PATTERNS = ['a', '(?i)A', '[a-z]+', '^\w+$', '(\d+)-(\d+)', '\A\s*\z', '(?<x>a|b)', 'ß', '(?i)ss', '[[:alpha:]]', '\p{Lu}', 'a(?i)b|c', '(?<=a)b', '(a)|(b)', 'x*', '.', '\/', '(?m:.)+', '[^a]', '\bfoo'].freeze
  FORMATS = ['%d', '%s', '%p', '%#p', '%x', '%#x', '%o', '%b', '%e', '%.2f', '%g', '%a', '%5d', '%-5s|', '%05d', '%+d', '% d', '%c', '%C', '%u', '%t', '%T', '%y', '%Y', '%h', '%#a', '%q',
             '%10.3s|', '%.1p', '%<s', '%[a', '%(h', '%{s', '%|d', '%#<x', '%B', '%X', '%E', '%G', '%A', '%D', '%r', '%m', '%%', '%', '%-+5d', '%s%s', '%2$s', '%<a>d', '%*d'].freeze
  TIMES = ['%Y-%m-%d', '%H:%M:%S', '%s', '%N', '%3N', '%L', '%e', '%j', '%D-%H', '%-d', '%_5d', '%^a', '%A %B', '%Z', '%z', '%U', '%G-W%V', '%c', '%x %X', '%%', '%-H %10M', '%Q'].freeze

  def question
    { 'op' => 'eval', 'source' => program }
  end

  # A program that asks for the time has another answer each time.
  def program
    made = any_program while made.nil? || made.match?(/Timestamp\]*(?:\.new)?\(\)|Timestamp\]*\.new(?!\()|new\((?:\w+\[)*Timestamp\]*\)|Timestamp\b(?=\s*\z)|strftime\(\)/)
    made
  end

  def any_program
    case choose(plain: 12, several: 4, defined: 3, typed: 4)
    when :plain then expression(3)
    when :several then "#{variables}\n#{expression(3)}"
    when :defined then "#{definition}\n[#{expression(2)}, #{pick(['f(1)', "f('a')", 'f()', 'f([1, 2], 3)', '1 =~ T', 'T', "T('a')", "'a' =~ T", 'O(1)', "O('a' => 1)", 'O(2).a', 'O', "O({a => 'x'})"])}]"
    else "[#{some(1..3) { typed }.join(', ')}]"
    end
  end

  def variables
    "$a = #{expression(1)}\n$b = #{expression(2)}"
  end

  def definition
    [
      "function f(#{pick(['$x', 'Integer $x = 3', '*$x', '$x, $y = $x', 'String *$x', '$x = undef'])}) #{pick(['', ">> #{type(1)} "])}{ #{expression(2)} }",
      "type T = #{type(2)}",
      "type O = Object[{attributes => {a => #{pick(['Integer', 'Optional[String]', "{type => Integer, value => 5}", "{type => String, kind => constant, value => 'c'}"])}}}]",
    ].join("\n")
  end

  def typed
    case number(0...8)
    when 0 then "#{value(2)} =~ #{type(2)}"
    when 1 then "#{type(2)} #{pick(%w[< > <= >= == !=])} #{type(2)}"
    when 2 then "type(#{value(2)}#{pick(['', ", 'generalized'", ", 'reduced'", ', detailed'])})"
    when 3 then "#{type(1)}.new(#{some(0..2) { value(1) }.join(', ')})"
    when 4 then "assert_type(#{type(2)}, #{value(2)})"
    when 5 then "String(#{type(2)}, #{quoted(pick(FORMATS))})"
    when 6 then "#{type(2)}[#{some(1..2) { pick([value(1), type(1)]) }.join(', ')}]"
    else "convert_to(#{value(1)}, #{type(1)})"
    end
  end

  def type(depth)
    return pick(SIMPLE_TYPES) if depth.zero? || chance(0.25)

    inner = -> { type(depth - 1) }
    low, high = [pick(INTEGERS), pick(INTEGERS)].minmax
    case number(0...22)
    when 0 then "Integer[#{low}, #{high}]"
    when 1 then "Float[#{pick(FLOATS)}, #{pick(FLOATS)}]"
    when 2 then "String[#{number(0..3)}, #{number(3..6)}]"
    when 3 then "Enum[#{some(1..3) { quoted(pick(TEXTS)) }.join(', ')}#{pick(['', ', true'])}]"
    when 4 then "Pattern[#{some(1..2) { "/#{pick(PATTERNS)}/" }.join(', ')}]"
    when 5 then "Regexp[/#{pick(PATTERNS)}/]"
    when 6 then "Array[#{inner.call}#{pick(['', ', 1', ', 0, 3'])}]"
    when 7 then "Hash[#{inner.call}, #{inner.call}#{pick(['', ', 1', ', 0, 3'])}]"
    when 8 then "Tuple[#{some(1..3) { inner.call }.join(', ')}#{pick(['', ', 1', ', 1, 4'])}]"
    when 9 then "Struct[{#{some(0..2) { |i| "#{pick(["a#{i}", "Optional[a#{i}]", "NotUndef[b#{i}]"])} => #{inner.call}" }.join(', ')}}]"
    when 10 then "Variant[#{some(1..3) { inner.call }.join(', ')}]"
    when 11 then "Optional[#{pick([inner.call, quoted(pick(TEXTS))])}]"
    when 12 then "NotUndef[#{inner.call}]"
    when 13 then "Type[#{inner.call}]"
    when 14 then "Sensitive[#{inner.call}]"
    when 15 then "Callable[#{some(0..2) { inner.call }.join(', ')}#{pick(['', ', 0, 1'])}]".sub('[, ', '[').sub('Callable[]', 'Callable')
    when 16 then "Iterable[#{inner.call}]"
    when 17 then "Init[#{inner.call}#{pick(['', ', 1', ", '%d'"])}]"
    when 18 then "SemVer[#{quoted(pick(['1.x', '>1.0.0', ' ', '~1.2', '1.0.0 - 2.0.0']))}]"
    when 19 then "Boolean[#{pick(%w[true false])}]"
    when 20 then "#{pick(%w[File Notify Class Resource])}[#{pick([quoted(pick(TEXTS)), 'a', 'default'])}]"
    else "Timespan[#{number(0..5)}, #{number(5..9)}]"
    end
  end

  def value(depth)
    case choose(text: 6, integer: 5, float: 2, other: 3, list: depth.positive? ? 4 : 0, hash: depth.positive? ? 4 : 0, rich: 4, type: 2)
    when :text then quoted(pick(TEXTS))
    when :integer then pick(INTEGERS).to_s
    when :float then pick(FLOATS)
    when :other then pick(['undef', 'default', 'true', 'false', "/#{pick(PATTERNS)}/"])
    when :list then "[#{some(0..3) { value(depth - 1) }.join(', ')}]"
    when :hash then "{#{some(0..3) { "#{value(0)} => #{value(depth - 1)}" }.join(', ')}}"
    when :rich
      pick(["Sensitive(#{value(0)})", "Timestamp(#{number(0..2_000_000_000)})", "Timestamp('2020-01-02T03:04:05.678Z')", "Timespan(#{number(0..100_000)}.5)",
            "Timespan({days => #{number(0..9)}, hours => #{number(0..30)}})", "SemVer('1.2.3-rc1')", "SemVer('#{number(0..3)}.0.0')", "SemVerRange('>=1.0.0 <2.0.0')", "Binary('aGVsbG8=')",
            "URI('http://u@h:80/p?q#f')", "Error('m', 'k')", 'Regexp("a.b")', 'Deferred("f", [1])'])
    else type(1)
    end
  end

  def expression(depth)
    return pick([value(1), '$a', '$b', '$facts', '$undefined']) if depth.zero? || chance(0.1)

    sub = -> { expression(depth - 1) }
    case choose(value: 3, binary: 6, call: 8, method: 5, access: 4, format: 5, control: 4, text: 4, time: 2, match: 3, unary: 2, lambda: 6, epp: 2, assign: 1)
    when :value then value(2)
    when :binary then "(#{sub.call} #{pick(BINARY)} #{sub.call})"
    when :call then "#{pick(ONE)}(#{some(0..3) { sub.call }.join(', ')})"
    when :method then "#{value(1)}.#{pick(ONE)}#{chance(0.5) ? "(#{sub.call})" : ''}"
    when :access then "#{sub.call}[#{some(1..2) { pick([pick(INTEGERS).to_s, value(0), sub.call]) }.join(', ')}]"
    when :format then formatted(sub)
    when :control then control(sub)
    when :text then text(sub)
    when :time then timed
    when :match then matched
    when :unary then "#{pick(['-', '!', '*'])}(#{sub.call})".then { |made| made.start_with?('*') ? "[#{made}]" : made }
    when :lambda then lambda_call(sub)
    when :epp then "inline_epp(#{quoted(epp(sub))}#{chance(0.3) ? ", {'p' => #{value(1)}}" : ''})"
    else "[$z = #{sub.call}, $z]"
    end
  end

  def formatted(sub)
    case number(0...4)
    when 0 then "String(#{value(2)}, #{quoted(pick(FORMATS))})"
    when 1 then "sprintf(#{quoted(pick(FORMATS))}, #{some(0..2) { value(1) }.join(', ')})".sub(', )', ')')
    when 2 then "String(#{value(2)}, {#{pick(%w[Any Integer String Array Hash Float])} => #{quoted(pick(FORMATS))}})"
    else "String(#{value(2)}, {Array => {format => '%(a', separator => ';', string_formats => {#{pick(%w[Integer String Any])} => #{quoted(pick(FORMATS))}}}, Hash => #{quoted(pick(['%h', '%#h', '%a', '%(p']))}})"
    end.then { |made| chance(0.1) ? "[#{made}, #{sub.call}]" : made }
  end

  def control(sub)
    case number(0...5)
    when 0 then "if #{sub.call} { #{sub.call} } else { #{sub.call} }"
    when 1 then "unless #{sub.call} { #{sub.call} }"
    when 2 then "case #{sub.call} { #{pick([value(1), type(1)])}: { #{sub.call} } #{pick(['default', value(1)])}: { #{sub.call} } }"
    when 3 then "(#{sub.call} ? { #{pick([value(1), type(1)])} => #{sub.call}, #{pick(['default', value(1)])} => #{sub.call} })"
    else "with(#{sub.call}) |$a| { #{sub.call} }"
    end
  end

  def text(sub)
    case number(0...4)
    when 0 then %("a${#{sub.call}}b$a\\t\\u{e9}")
    when 1 then "@(\"X\"#{pick(['', '/L', '/nt', '/'])})\n  a ${#{sub.call}} \\\n    b\\tc\n  #{pick(['|', '|-', '|  ', ''])} X\n"
    when 2 then "@(X)\n  #{pick(TEXTS).tr("\n", ' ')}\n   b\n #{pick(['|', '|-', ''])} X\n"
    else "\"${a} ${a[0]} ${b['x']} $b ${facts}\""
    end
  end

  def timed
    case number(0...4)
    when 0 then "strftime(Timestamp(#{number(0..2_000_000_000)}#{pick(['', '.25'])}), #{quoted(pick(TIMES))}#{pick(['', ", 'CET'", ", '+02:30'"])})"
    when 1 then "Timespan(#{number(-100_000..1_000_000)}#{pick(['', '.125'])}).strftime(#{quoted(pick(TIMES))})"
    when 2 then "#{pick(['Timestamp', 'Timespan'])}(#{quoted(pick(TEXTS))}, #{quoted(pick(TIMES))})"
    else "(#{pick(['Timestamp(100)', 'Timespan(5)', 'Timestamp(3.5)'])} #{pick(%w[+ - * / < ==])} #{pick(['Timespan(7)', '2', '1.5', 'Timestamp(9)', "'a'"])})"
    end
  end

  def matched
    pattern = pick(PATTERNS)
    case number(0...4)
    when 0 then "[#{quoted(pick(TEXTS))} =~ /#{pattern}/, $0, $1]"
    when 1 then "regsubst(#{quoted(pick(TEXTS))}, /#{pattern}/, #{quoted(pick(['<\\0>', '\\1', 'x', '\\\\', "\\k<x>"]))}#{pick(['', ", 'G'", ", 'GI'", ", 'M'"])})"
    when 2 then "match(#{pick([quoted(pick(TEXTS)), "['a', 'b']"])}, /#{pattern}/)"
    else "split(#{quoted(pick(TEXTS))}, /#{pattern}/)"
    end
  end

  def lambda_call(sub)
    name = pick(%w[map each filter reduce any all reverse_each slice index group_by then lest with tree_each step partition])
    parameters = pick(['$x', '$x, $y', 'Integer $x', '$x, $y = 2', '*$x', '$x, *$y', ''])
    argument = { 'slice' => '(2)', 'step' => '(2)', 'reduce' => pick(['', '(0)']) }[name] || ''
    "#{pick([value(2), '[1, 2, 3]', "{a => 1, 'b' => [2]}", "'abc'", 'Integer[1, 4]', '$a'])}.#{name}#{argument} |#{parameters}| { #{pick([sub.call, '$x', '[$x]', '$x + 1', 'next(5)', 'break()', '$x =~ Integer'])} }"
  end

  def epp(sub)
    pieces = some(1..4) do
      pick(['text ', "<%= #{sub.call} %>", "<% #{sub.call} %>", "\n", "<%- #{sub.call} -%>\n", '<%# c %>', '<%% x %%>', '<% [1, 2].each |$i| { %>i<%= $i %><% } %>', '<%= $p %>'])
    end
    "#{chance(0.3) ? "<%- | #{pick(['$p', '$p = 1', 'Integer $p = 2, $q = $p'])} | -%>\n" : ''}#{pieces.join}"
  end
end
