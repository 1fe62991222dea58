# Random Ruby expressions and programs, for tests of the built-in Ruby.

require 'date'
require 'ipaddr'
require 'ostruct'
require 'pathname'
require 'set'
require 'stringio'
require 'time'
require 'uri'

# Programs from a seed.
class Generator
  STRINGS = ['"abc"', '"Hello World"', '""', '"a,b;c d"', '"éß x"', '"12"', '"0x1F"', '"1_000"', '"a\nb\n"', '"  pad "', '"zz9"', '"aAbB"',
             '"key=value"', '"%s-%d"', '"foo::bar"', '"/etc/x.conf"', '"10.0.0.1"', '"日本"', '"a\\tb"', '"x" * 3', '"-1.5e3"', '"true"'].freeze
  NUMBERS = %w[0 1 -1 2 3 7 10 -7 100 255 1.5 -2.5 0.1 3.7 1e3 2.0 1e20 12345678901234567890 -0.0 64].freeze
  SYMBOLS = [':a', ':b', ':"c d"', ':upcase', ':to_s', ':+', ':size'].freeze
  PATTERNS = ['/b/', '/[aeiou]/', '/(\w)(\d)?/', '/\s+/', '/^a/', '/(?<x>l+)o/', '/[,;]/', '/\d+/', '/B/i', '/\A\w+\z/', '/z|$/'].freeze
  BLOCKS = ['{ |x| x }', '{ |x| x.to_s }', '{ |x| x.to_s.size > 1 }', '{ |x| [x, 1] }', '{ |x| x.nil? }', '{ |x| x.hash == x.hash }',
            '{ |x, y| [y, x] }', '{ |x, y| x.to_s <=> y.to_s }', '{ |*x| x.size }', '{ |x| x.to_s * 2 }', '(&:to_s)', '(&:inspect)', '(&:size)',
            '{ |x| x.is_a?(Integer) ? x * 2 : 0 }', '{ |a, b = 5| [a, b] }', '{ nil }', '{ |x| x.to_s.length }', '{ 1 }', '{ |x, (y, z)| [x, y, z] }'].freeze
  # Documents in YAML, and how they are loaded.
  DOCUMENTS = ['"a: &x 1\nb: *x"', '"a: &x {b: 1}\nc:\n  <<: *x\n  d: [*x]"', '"- :a\n- b: 2020-01-02"', '"a: [b, {c: 1.5}, ~]\n2: :d"', '""', '"---\n"',
               '"--- 1\n--- [2]\n"', '"a: !ruby/regexp /b/"', '"a: !ruby/object:Object {}"', '"a: ["', '"b: *y"', '"a: !ruby/sym b"', '"a: !!float x"',
               '"# c"', '"t: 2020-01-02 03:04:05 Z\nu: !binary aGk="', '"k: |\n  x\n  y\nl: >-\n  x\n  y"'].freeze
  LOADING = ['aliases: true', 'permitted_classes: [Symbol]', 'permitted_classes: [Date, "Time"]', 'permitted_symbols: [:a]', 'symbolize_names: true',
             'freeze: true', 'filename: "f.yaml"', 'fallback: {}', 'fallback: false', 'strict: true'].freeze
  UNARY = %w[to_s inspect class nil? dup frozen? itself freeze to_a].freeze
  OF = {
    string: %w[upcase downcase capitalize swapcase reverse length size strip lstrip rstrip chomp chop chars bytes lines codepoints squeeze succ next
               to_i to_f to_sym hex oct ord chr empty? ascii_only? valid_encoding? sum split each_char swapcase to_str bytesize
               dump hash.class unpack1("H*") inspect each_line.to_a each_byte.to_a encoding unicode_normalize scrub crypt("ab") undump],
    string1: ['+ S', '* I', '% A', '== S', '<=> S', '=~ R', '.include?(S)', '.start_with?(S)', '.end_with?(S)', '.index(S)', '.rindex(S)',
              '.index(R)', '.split(S)', '.split(R)', '.split(R, I)', '.gsub(R, S)', '.sub(R, S)', '.gsub(R) B', '.sub(R) B', '.scan(R)', '.scan(R) B', '.tr(S, S)',
              '.delete(S)', '.count(S)', '.squeeze(S)', '.center(I, S)', '.ljust(I)', '.rjust(I, S)', '[I]', '[I, I]', '[R]', '[S]', '[I..I]', '[R, 1]', '.slice(I, I)',
              '.insert(I, S)', '.partition(S)', '.partition(R)', '.rpartition(S)', '.delete_prefix(S)', '.delete_suffix(S)', '.match(R)', '.match?(R)', '.casecmp(S)',
              '.casecmp?(S)', '.to_i(I)', '.each_char.with_index B.to_a', '.between?(S, S)', '.eql?(S)', '.concat(S)', '.prepend(S)', '.replace(S)', '.upto(S).to_a.size',
              '.tr_s(S, S)', '.gsub(S, S)', '.gsub(/[a-c]/, "a" => "1", "b" => nil)', '.chomp(S)', '.unpack("C*")', '.byteslice(I, I)', '.each_line(chomp: true).to_a',
              '.sub!(R, S)', '.gsub!(R, S)', '.tr!(S, S)', '.slice!(I)', '.squeeze!', '.upcase!', '.strip!', '.clear', '.force_encoding("UTF-8")', '.encode("UTF-8")'],
    number: %w[abs ceil floor round truncate to_i to_f to_s zero? positive? negative? integer? finite? succ pred even? odd? chr ord digits bit_length -@ +@ ~ nan? infinite?
               hash.class size numerator to_int inspect nonzero?],
    number1: ['+ N', '- N', '* N', '/ N', '% N', '** N', '<=> N', '== N', '< N', '>= N', '.div(N)', '.divmod(N)', '.fdiv(N)', '.modulo(N)', '.remainder(N)', '.gcd(N)', '.lcm(N)',
              '.round(I)', '.floor(I)', '.ceil(I)', '.truncate(I)', '& N', '| N', '^ N', '<< I', '>> I', '.to_s(I)', '.between?(N, N)', '.clamp(N, N)', '.step(N, I).to_a.size', '.upto(I).to_a',
              '.downto(I).to_a', '.pow(I)', '.coerce(N)', '[I]', '.eql?(N)', '.equal?(N)', '.times.to_a.size', '.round(half: :even)', '.digits(I)', '.pow(I, I)', '+ S', '== S', '.fdiv(S)', '<=> S', '< S'],
    array: %w[first last size length empty? reverse sort compact flatten uniq sum min max to_a to_h tally sample.class shuffle.size inspect rotate pop shift transpose
              minmax each_with_index.to_a none? any? all? one? each_slice(2).to_a each_cons(2).to_a permutation.to_a.size combination(2).to_a cycle.first(3) join entries
              reverse_each.to_a each_entry.to_a lazy.to_a flatten! uniq! compact! sort! to_set hash.class],
    array1: ['+ A', '- A', '& A', '| A', '* I', '* S', '<=> A', '== A', '<< X', '[I]', '[I, I]', '[I..I]', '.first(I)', '.last(I)', '.take(I)', '.drop(I)', '.include?(X)', '.index(X)', '.rindex(X)',
             '.push(X, X)', '.unshift(X)', '.insert(I, X)', '.concat(A)', '.delete(X)', '.delete_at(I)', '.join(S)', '.map B', '.select B', '.reject B', '.each_with_index.map B', '.group_by B',
             '.partition B', '.sort_by B', '.min_by B', '.max_by B', '.flat_map B', '.each_with_object([]) { |x, m| m << x }', '.inject { |a, b| a.to_s + b.to_s }', '.reduce(:+)', '.sum B', '.count(X)', '.count B',
             '.find B', '.find_index(X)', '.all? B', '.any? B', '.none? B', '.take_while B', '.drop_while B', '.zip(A)', '.product(A)', '.each_slice(I).to_a', '.each_cons(I).to_a', '.values_at(I, I)',
             '.fetch(I)', '.fetch(I, X)', '.fetch(I) B', '.dig(I)', '.rotate(I)', '.fill(X)', '.flatten(I)', '.sort B', '.min(I)', '.max(I)', '.uniq B', '.to_h { |x| [x, 1] }', '.tally.to_a', '.chunk_while { |a, b| a == b }.to_a',
             '.slice_when { |a, b| a != b }.to_a', '.each_entry.to_a', '.filter_map B', '.cycle(2).to_a', '.union(A)', '.difference(A)', '.intersection(A)', '.intersect?(A)', '.assoc(X)', '.grep(R)', '.grep(Integer)', '.grep_v(String)',
             '.delete_if B', '.keep_if B', '.map! B', '.select! B', '.reject! B', '.slice!(I, I)', '.combination(I).to_a', '.bsearch { |x| x.to_s >= "1" }', '.pack("C*")', '.pack("U*")', '.eql?(A)', '.sum(X)', '.minmax B', '.minmax_by B',
             '.chunk B.to_a', '.slice_before(X).to_a', '.step', '.none?(X)', '.one?(Integer)', '.each_index.to_a', '.replace(A)', '.clear', '.compact.sort', '.shift(I)', '.pop(I)', '.max_by(I) B', '.sort.reverse', '.lazy.map B.first(2)', '.lazy.select B.to_a'],
    hash: %w[keys values size empty? to_a invert sort min_by{|k,v|v.to_s} to_h compact any? inspect first length entries sum{1} each_with_index.to_a default flatten none? shift max
             sort_by{|k,v|k.to_s} reverse_each.to_a to_set.size compare_by_identity.size],
    hash1: ['[X]', '[X] = X', '.fetch(X)', '.fetch(X, X)', '.fetch(X) B', '.key?(X)', '.value?(X)', '.key(X)', '.merge(H)', '.merge(H) { |k, a, b| [k, a, b] }', '.select { |k, v| v }', '.reject { |k, v| v.nil? }', '.map { |k, v| [v, k] }',
            '.each_with_object([]) { |(k, v), m| m << k }', '.transform_values B', '.transform_keys B', '.transform_keys({a: :z})', '.group_by { |k, v| v.class }', '.partition { |k, v| v }', '.sort_by { |k, v| v.to_s }', '.min_by { |k, v| v.to_s }', '.find { |k, v| v }',
            '.dig(X)', '.dig(X, X)', '.slice(X, X)', '.except(X)', '.filter_map { |k, v| k if v }', '.delete(X)', '.delete_if { |k, v| v }', '.to_h { |k, v| [v, k] }', '.sum { |k, v| v.to_s.size }', '.count { |k, v| v }', '.all? { |k, v| v }', '.any? { |k, v| v.nil? }',
            '.each_slice(2).to_a', '== H', '.values_at(X, X)', '.flat_map { |k, v| [k] }', '.reduce([]) { |m, (k, v)| m << v }', '.update(H)', '.store(X, X)', '.each_pair.to_a', '.zip(A)', '.include?(X)', '.eql?(H)', '<= H', '> H', '.map B', '.each_with_index.map { |(k, v), i| [k, v, i] }',
            '.fetch_values(X)', '.assoc(X)', '.has_value?(X)', '.sort { |a, b| a.to_s <=> b.to_s }', '.select! { |k, v| v }', '.reject! { |k, v| v }', '.transform_values!(&:to_s)', '.compact!', '.merge!(H)', '.replace(H)', '.clear', '.each_key.to_a', '.filter { |k| k }', '.find_all { |k, v| v }', '.inject { |a, b| a + b }', '.tally', '.max_by { |k, v| v.to_s }'],
    range: %w[to_a size count sum min max first last entries to_s inspect exclude_end? begin end minmax],
    range1: ['.include?(X)', '.cover?(N)', '=== X', '.step(I).to_a', '.map B', '.select B', '.each_slice(2).to_a', '.reduce(:+)', '.first(I)', '.last(I)', '.to_a.reverse', '== (1..3)', '.each_with_index.to_a', '.lazy.map { |x| x * 2 }.first(2)', '.inject { |a, b| a + b }', '.take_while { |x| x < 3 }', '.min(2)', '.sum { |x| x * 2 }', '% 2', '.each_cons(2).to_a', '.partition(&:even?)', '.eql?(1..3)', '.cover?(1..2)'],
  }.freeze

  def initialize(seed)
    @random = Random.new(seed)
    @number = 0
  end

  def pick(list)
    list[@random.rand(list.size)]
  end

  def value(depth = 0)
    case @random.rand(depth > 2 ? 6 : 10)
    when 0, 1 then pick(STRINGS)
    when 2, 3 then pick(NUMBERS)
    when 4 then pick(SYMBOLS)
    when 5 then pick(%w[nil true false])
    when 6, 7 then array(depth + 1)
    when 8 then hash(depth + 1)
    else range
    end
  end

  def array(depth = 0)
    case @random.rand(4)
    when 0 then "[#{Array.new(@random.rand(5)) { pick(NUMBERS) }.join(', ')}]"
    when 1 then "[#{Array.new(@random.rand(5)) { pick(STRINGS) }.join(', ')}]"
    else "[#{Array.new(@random.rand(4)) { value(depth) }.join(', ')}]"
    end
  end

  def hash(depth = 0)
    "{#{Array.new(@random.rand(4)) { "#{pick([pick(SYMBOLS), pick(STRINGS), pick(NUMBERS)])} => #{value(depth)}" }.join(', ')}}"
  end

  def range
    pick(['(1..3)', '(0...5)', '("a".."e")', '(3..1)', '(1..2.5)', '(-2..2)', '("y".."ab")', '(1.0..2.0)', '(5..)'])
  end

  def fill(text)
    text.gsub(/\b[SNIXRABHYO]\b/) do |letter|
      case letter
      when 'S' then pick(STRINGS)
      when 'N' then pick(NUMBERS)
      when 'I' then pick(%w[0 1 2 3 -1 -2 5 10 16])
      when 'X' then value(2)
      when 'R' then pick(PATTERNS)
      when 'A' then array(2)
      when 'B' then pick(BLOCKS)
      when 'Y' then pick(DOCUMENTS)
      when 'O' then pick(LOADING)
      else hash(2)
      end
    end
  end

  def call(kind, receiver)
    if @random.rand(3).zero?
      "(#{receiver}).#{pick(OF[kind] + UNARY)}"
    else
      rest = fill(pick(OF[:"#{kind}1"]))
      rest.start_with?('.', '[') ? "(#{receiver})#{rest}" : "(#{receiver}) #{rest}"
    end
  end

  def expression
    kind = pick(%i[string string number array array hash hash range])
    receiver = case kind
               when :string then pick(STRINGS)
               when :number then pick(NUMBERS)
               when :array then array
               when :hash then hash
               else range
               end
    receiver = "+#{receiver}" if kind == :string && @random.rand(3).zero?
    text = call(kind, receiver)
    text = call(pick(%i[string array hash number]), text) if @random.rand(4).zero?
    text
  end

  def format_call
    directive = "%#{pick(['', '-', '0', '+', ' ', '#', '-0', '+0'])}#{pick(['', '5', '10', '3'])}#{pick(['', '.0', '.2', '.5'])}#{pick(%w[d s f x o b e g p c i u X E G B a])}"
    "format(#{directive.inspect}, #{pick([pick(NUMBERS), pick(NUMBERS), pick(STRINGS), 'nil', ':a', '[1, 2]'])})"
  end

  # Classes, modules, exceptions, blocks: filled-in pieces of programs.
  def program
    @number += 1
    name = "D#{@number}"
    pick(PROGRAMS).gsub('NAME', name).gsub(/\$([SNIXRABH])/) { fill(Regexp.last_match(1)) }
  end

  PROGRAMS = [
    'class NAME; attr_accessor :a, :b; def initialize(a, b = $N); @a, @b = a, b; end; def to_s; "<#{@a}|#{@b}>"; end; def ==(o); o.is_a?(NAME) && a == o.a; end; end; x = NAME.new($X); y = NAME.new($X, $X); ["#{x}", y.to_s, x == y, x == x.dup, [x] == [NAME.new(x.a)], x.a.class]',
    'class NAME; include Comparable; attr_reader :v; def initialize(v); @v = v; end; def <=>(o); o.is_a?(NAME) ? v <=> o.v : nil; end; end; a = NAME.new($N); b = NAME.new($N); [a < b, a == b, a.clamp(a, b).v, [a, b].max.v, a.between?(a, b)]',
    'class NAME; include Enumerable; def initialize(*v); @v = v; end; def each; return to_enum(:each) unless block_given?; @v.each { |x| yield x }; self; end; end; e = NAME.new($X, $X, $N, $S); [e.map $B, e.select $B, e.to_a, e.first, e.include?($X), e.count, e.each_slice(2).to_a, e.partition $B]',
    'class NAMEa; def m(x = 1); [:a, x]; end; end; module NAMEb; def m(*); [:b, super]; end; end; class NAMEc < NAMEa; include NAMEb; def m(x); [:c, super, super(x), super()]; end; end; NAMEc.new.m($X)',
    'module NAME; def self.included(base); base.extend(ClassMethods); end; module ClassMethods; def made; @made ||= []; end; end; def keep(x); self.class.made << x; self; end; end; class NAMEk; include NAME; end; NAMEk.new.keep($X).keep($X); NAMEk.made',
    'class NAME < StandardError; attr_reader :code; def initialize(msg = "d", code: $N); super(msg); @code = code; end; end; begin; raise NAME.new($S, code: $X); rescue NAME => e; [e.message, e.code, e.class.superclass]; ensure; @done = 1; end',
    'begin; begin; Integer($S); rescue ArgumentError => e; raise TypeError, "t"; end; rescue => e; [e.class, e.message, e.cause && e.cause.message]; end',
    'def NAME_f(a, b = a, *c, d, e: $N, **f, &g); [a, b, c, d, e, f, g && g.call(a)]; end; [NAME_f($X, $X), NAME_f($X, $X, $X, e: $X), NAME_f(1, 2, 3, 4, z: $X) { |x| [x] }]'.gsub('NAME_f', 'fNAME'),
    'def fNAME(*a, **k); [a, k]; end; h = {x: $X}; [fNAME(*$A, **h), fNAME(h), fNAME($X, h), fNAME(**{})]',
    'r = []; $A.each_with_index { |x, i| next if i == 1; break if i > 3; r << [x, i] }; r',
    'case $X; when Integer, Float then :number; when /a/ then :a; when String then :s; when nil, true then :nt; when Array then :arr; when ->(x) { x.respond_to?(:keys) } then :h; else :other; end',
    'case $X; in Integer | Float => n then [:n, n]; in String => s then [:s, s]; in [] then :empty; in [x] then [:one, x]; in [x, *rest] then [x, rest]; in {a:, **rest} then [a, rest]; in {} then :eh; in nil then :nil; else :other; end',
    'case {name: $X, list: $A, n: $N}; in {name: String => s, list: [first, *]} then [s, first]; in {n: Integer => n, **nil} then n; in {name:, n: Float | Integer => n} if n.to_f > 1 then [name, n]; in {list: []} then 1; in Hash => h then h.keys; end',
    'x = catch(:done) { $A.each { |v| throw :done, v if v.to_s.size > 1 }; :none }; x',
    'f = ->(a, b = 2, *c) { [a, b, c] }; g = proc { |a, b| [a, b] }; [f.($X), f.curry.arity, g.call($A), g.call(1), g.(1, 2, 3), f.lambda?, g.arity, (f >> ->(x) { x.size }).call($X), method(:format).arity]',
    'a, (b, *c), d = $A; e, *f = $X; *g, h = $A; [a, b, c, d, e, f, g, h]',
    'class NAME; def method_missing(n, *a, &b); n.to_s.end_with?("?") ? [n, a] : super; end; def respond_to_missing?(n, p = false); n.to_s.end_with?("?") || super; end; end; o = NAME.new; [o.x?($X), o.respond_to?(:y?), o.respond_to?(:y), (o.zap rescue $!.class)]',
    'class NAME; class << self; def b(*a); new(*a); end; attr_accessor :cfg; end; X = $X; def initialize(*a); @a = a; end; def to_a; @a; end; def x; [X, self.class::X, NAME::X]; end; end; NAME.cfg = $X; [NAME.b($X).to_a, NAME.cfg, NAME.new.x, [*NAME.b(1, 2)]]',
    'class NAME; def initialize; @x = 1; end; def pub; priv + self.priv; end; private; def priv; @x; end; public; def pub2; 3; end; end; o = NAME.new; [o.pub, o.pub2, (o.priv rescue $!.class), o.send(:priv), NAME.private_method_defined?(:priv), o.respond_to?(:priv), o.instance_variables]',
    'NAME = Struct.new(:a, :b) do; def c; [a, b]; end; end; s = NAME.new($X, $X); t = NAME.new(*$A.first(2)); s.a = 1; [s.c, s.to_a, s == t, t, s.to_h, s[0], s[:b], (s[:z] rescue $!.message), s.each.to_a, s.members, (NAME.new(1, 2, 3) rescue $!.message)]',
    'n = 0; begin; n += 1; raise "e#{n}" if n < 3; [n, :ok]; rescue => e; retry if n < $I; [n, e.message]; else; :else; ensure; n += 10; end',
    'h = Hash.new { |hh, k| hh[k] = [k] }; h[$X] << 1; h[$X]; d = Hash.new($X); [h, d[$X], d, h.fetch($X, 0), h.to_a]',
    's = +$S; s << $S; s += $S; t = s.dup; t.upcase!; s.freeze; [s, t, (s << "x" rescue [$!.class, $!.message]), s.frozen?, t.frozen?]',
    '%w[$A].size; x = $N; y = x > 5 ? :big : :small; z = unless x.zero? then 1 else 2 end; w = (x if x.positive?); [x, y, z, w]'.gsub('%w[$A].size; ', ''),
    'i = 0; r = []; until i >= 5; i += 1; next if i == 2; r << i; break if i == 4; end; i2 = 3; i2 -= 1 while i2 > 0; [r, i2, (begin; i += 1; end while i < 8)]',
    'x = nil; y = $X; x ||= y; h = {a: nil}; h[:a] ||= $X; h[:b] &&= 1; s = nil; [x, h, s&.length, y&.to_s, (y and x), (not y), defined?(zz), defined?(x)]',
    '"#{$X} #{[$X]} #{{a: $X}}" + \'#{x}\' + %q(a b) + %Q(#{$N})',
    'e = $A.each; r = $A.each_with_index.select { |x, i| i.even? }; m = $A.map.with_index(1) { |x, i| [i, x] }; z = $A.each_with_object({}).with_index { |(x, h), i| h[i] = x }; [r, m, z, $A.each_slice(2).map(&:first), e.class]',
    'o = Object.new; def o.each; yield $X; yield $N; end; o.extend(Enumerable); [o.to_a, o.map $B, o.sort_by(&:to_s), o.each_with_index.to_a, o.reduce { |a, b| [a, b] }, o.lazy.map(&:to_s).to_a, o.min_by(&:to_s), o.each_entry.to_a, o.zip(o.to_a), o.inject(0) { |a, _| a + 1 }]',
    'class NAME; @@n = 0; N = $N; def self.up; @@n += 1; end; def n; @@n; end; end; NAME.up; NAME.up; [NAME.new.n, NAME::N, NAME.class_variable_get(:@@n), NAME.const_get(:N), NAME.const_defined?(:Zz), (NAME::Zz rescue $!.message), NAME.name, NAME.instance_methods(false)]',
    'm = Module.new { def hi; "hi #{$S}"; end }; k = Class.new { include m; define_method(:d) { |x = 2| [x, hi] } }; o = k.new; o.define_singleton_method(:q) { 9 }; [o.hi, o.d, o.d($X), o.q, k.include?(m), o.is_a?(m), o.public_send(:d, 1), (o.nope rescue $!.class)]',
    'class NAME; def initialize(h); @h = h; end; def [](k); @h[k]; end; def []=(k, v); @h[k] = v; end; def <<(x); @h[x] = x; self; end; def to_s; @h.to_s; end; def +(o); NAME.new(@h.merge(o)); end; def -@; @h.size; end; def !; :no; end; def call(x); x; end; end; n = NAME.new({}); n[$X] = $X; n << 1 << 2; n[:z] ||= 3; [n.to_s, -n, !n, n.($X), (n + {q: 1}).to_s]',
    'class NAME; def to_str; "conv"; end; def to_ary; [1, 2]; end; def to_proc; ->(x) { [x] }; end; def to_h; {a: 1}; end; def coerce(o); [o, 5]; end; end; n = NAME.new; a, b = n; ["x" + n, [0] + n, a, b, [3].map(&n), [[1, n]].flatten.size, File.join("a", n)]',
    'x = 10; add = lambda { |y| x += y }; add.call($I); add.(1); [x, [1, 2, 3].each_with_object([]) { |v, acc| acc.unshift(v * x) }, [3, 1, 2].sort { |a, b| b <=> a }, [1, 2, 3, 4].each_cons(2).map { |a, b| b - a }]',
    'def yNAME; return enum_for(:yNAME) unless block_given?; yield 1; yield 2, 3; yield [4, 5]; yield; end; [yNAME.to_a, yNAME { |a| a }, yNAME.map { |a, b| [a, b] }, yNAME.with_index.to_a.size]',
    'begin; $X.fetch($X); rescue KeyError, IndexError, TypeError, NoMethodError, ArgumentError => e; [e.class, e.message]; end',
    'begin; $X + $X; rescue TypeError, NoMethodError => e; [e.class, e.message]; end',
    'begin; $X.nope($X); rescue NoMethodError => e; e.message; end',
    'begin; $X <=> $X; end',
    '[$X, $X, $X].sort rescue [$!.class, $!.message]',
    '[$X, $X].include?($X)',
    '{$X => 1, $X => 2}.merge({$X => 3}).map { |k, v| [k, v] }',
    '[$X, $X, $X, 1, 1.0].uniq.size',
    '[$X == $X, $X.eql?($X), $X.equal?(nil), $X === $X, $X != $X]',
    '[Integer($X, exception: false), (Integer($X) rescue $!.message), (Float($X) rescue $!.message), (Array($X)), (String($X)), (Hash($X) rescue $!.message)]',
    'URI.parse(["http://a.b:8080/x?y=1#z", "https://h", "/p/q", "ldap://l/dc=x", "urn:a:b"][$I] || "x").then { |u| [u.scheme, u.host, u.port, u.path, u.query, u.fragment, u.to_s, u.class] }',
    'IPAddr.new(["10.1.2.3/8", "::1", "fe80::1/64", "192.168.0.1", "1.2.3.4/255.255.0.0", "x", "1.2.3.4/40"][$I] || "::").then { |i| [i.to_s, i.to_i, i.prefix, i.ipv4?, i.to_range.first.to_s, i.to_range.last.to_s, i.include?("10.2.0.0"), i.inspect, i.succ.to_s] }',
    'o = OpenStruct.new(a: $X, "b" => $X); o.c = $X; o[:d] = 1; [o.a, o.b, o.c, o.zz, o.to_h, o.respond_to?(:a), o, o.dig(:a)]',
    's = StringIO.new; s.puts $X; s.print $X, 1; s << $S; s.write($X); [s.string, s.pos]',
    'JSON.generate($X)',
    'JSON.pretty_generate($A)',
    'JSON.parse(JSON.generate($H))',
    'JSON.parse(JSON.generate($A), symbolize_names: true)',
    '$X.to_json',
    'Set.new($A).then { |s| [s, s.include?($X), s | $A, s & $A, s - $A, s.size, s.to_a, s.subset?(s), s.add($X).size, s.map $B] }',
    'Pathname.new($S).then { |p| [p.to_s, p.basename.to_s, p.extname, p.absolute?, p.cleanpath.to_s, (p + "x").to_s, p.join("..", "y").to_s] }',
    'Shellwords.split($S) + [Shellwords.escape($S), $A.join(" ")]',
    '[Base64.strict_encode64($S), Digest::MD5.hexdigest($S), Digest::SHA256.hexdigest($S), [$S].pack("m0"), $S.unpack("a*")]',
  ].freeze

  # Methods that return the identity of an object, or change the process.
  ODD = %i[__id__ object_id hash methods public_methods private_methods protected_methods singleton_methods instance_variables method
           public_method singleton_method instance_variable_get instance_variable_set remove_instance_variable instance_variable_defined?
           instance_eval instance_exec __send__ send public_send define_singleton_method display extend singleton_class shuffle shuffle! sample
           to_json to_yaml psych_to_yaml crypt pretty_print pretty_inspect pretty_print_cycle pretty_print_inspect
           pretty_print_instance_variables to_enum enum_for trust untrust taint untaint binding tap then yield_self freeze clone encode_with
           nil_or_empty? init_with must_be lazy gem freeze instance_of? kind_of? is_a? itself dup].freeze
  MOMENTS = ['Time.at(0)', 'Time.utc(2020, 2, 29, 12, 30, 45)', 'Time.at(1_600_000_000, 500)', 'Time.new(2021, 12, 31, 23, 59, 59, "+02:00")',
             'Date.new(2020, 2, 29)', 'Date.new(2021, 12, 31)', 'DateTime.new(2020, 1, 2, 3, 4, 5)', 'DateTime.new(2020, 1, 2, 3, 4, 5, "+02:00")',
             'Rational(1, 3)', 'Rational(-7, 2)', 'Rational(6, 3)', '(1..3).each_slice(2)', '[1, 2].each', '"abc".match(/(b)(?<n>c)?/)', '/a(b)?/i',
             'Set.new([1, :a])', 'Struct.new(:a, :b).new(1, 2)', 'proc { |a, b| [a, b] }', 'lambda { |a| a }', '[3, 1].method(:push)',
             'ArgumentError.new("x")', 'nil', 'true', ':sym', 'IPAddr.new("10.0.0.0/8")', 'URI.parse("http://a/b?c")',
             'StringIO.new("a\nb\n")', 'OpenStruct.new(a: 1)'].freeze
  CLASS_METHODS = ['Array.new(I)', 'Array.new(I, X)', 'Array.new(I) B', 'Array(X)', 'Hash[X]', 'Hash[A]', 'Hash.new(X)[X]', 'String.new(S)', 'String(X)', 'Integer(X)',
                   'Integer(S, I)', 'Float(X)', 'Rational(X)', 'Rational(N, N)', 'Integer.sqrt(N)', 'Math.sqrt(N)', 'Math.log(N)', 'Math.log2(N)', 'Math.hypot(N, N)',
                   'Regexp.escape(S)', 'Regexp.union(S, S)', 'Regexp.union(A)', 'Regexp.new(S)', 'File.basename(S)', 'File.basename(S, ".conf")', 'File.dirname(S)',
                   'File.extname(S)', 'File.join(S, S)', 'File.join(A)', 'File.expand_path(S, "/x")', 'File.split(S)', 'File.fnmatch(S, S)', 'File.fnmatch?("*.conf", S)', 'Time.at(N)', 'Time.at(I, I)', 'Time.utc(I, I, I)',
                   'Time.parse(S)', 'Date.new(2020, I, I)', 'Date.parse(S)', 'Date.valid_date?(2020, I, I)', 'DateTime.parse(S)', 'Struct.new(:a, :b).new(X, X)', 'Range.new(N, N)', 'Range.new(X, X)',
                   'Set.new(A)', 'Set[X, X]', 'Comparable.instance_method(:clamp).name', 'Shellwords.split(S)', 'Shellwords.escape(S)', 'Base64.encode64(S)', 'Base64.decode64(S)', 'Base64.urlsafe_encode64(S)',
                   'JSON.parse(S)', 'JSON.generate(X)', 'YAML.load(S)', 'YAML.load(Y)', 'YAML.load(Y, O)', 'YAML.safe_load(Y, O)', 'YAML.safe_load(Y, O, O)', 'YAML.unsafe_load(Y, O)', 'YAML.load_stream(Y)', 'X.to_yaml', 'YAML.dump(X)', 'Process.respond_to?(:pid)', 'Kernel.format(S, X)', 'format(S, X, X)', 'Array.new(I) { |i| i * 2 }',
                   'Zlib.crc32(S)', 'CGI.escape(S)', 'ERB::Util.html_escape(S)', 'URI.encode_www_form_component(S)', 'URI.join("http://a/b/", S).to_s', 'Digest::SHA256.hexdigest(S)', 'S % A', 'S % X', 'Symbol === X', 'Comparable === X',
                   '[X, X].max', '[X, X].min', '[X, X].sort', '[X, X].sum', '{X => X}.to_a', 'X.is_a?(Comparable)', 'X.instance_of?(String)', 'X.respond_to?(:each)', 'X.frozen?', 'X.dup', 'X.clone', 'X.then B', 'X.tap B', 'X.itself', 'X.lazy.map B.to_a', 'A.lazy.select B.first(2)', 'A.each_entry.to_a', 'A.each_with_index.to_a', 'A.each.next', 'A.each.with_index(1).to_a', 'A.each_slice(2).with_index.map { |a, i| [a, i] }'].freeze

  # Any method of Ruby, with any arguments. No receiver gives access to a file or can change shared objects.
  def any_method
    receiver = case @random.rand(10)
               when 0..6 then value
               else pick(MOMENTS)
               end
    methods = METHODS_OF[receiver] ||= eval(receiver).public_methods.sort - ODD
    name = pick(methods)
    arguments = Array.new(pick([0, 0, 0, 0, 1, 1, 1, 2, 2, 3])) { @random.rand(9).zero? ? pick(MOMENTS) : pick([value(2), pick(%w[0 1 2 3 -1 10 nil :a]), pick(STRINGS), pick(PATTERNS)]) }
    block = @random.rand(3).zero? ? " #{pick(BLOCKS)}" : ''
    block = '' if arguments.any? && block.start_with?(' (')
    case name
    when /\A[\[\]]+=?\z/ then "(#{receiver}).#{name}(#{arguments.join(', ')})"
    when /\A\w+=\z/ then "(#{receiver}).__send__(:#{name}, #{arguments.first || 1})"
    when /\A\w+[?!]?\z/ then arguments.empty? ? "(#{receiver}).#{name}#{block.sub(/\A \(/, '(')}" : "(#{receiver}).#{name}(#{arguments.join(', ')})#{block}"
    else "(#{receiver}).#{name}(#{arguments.join(', ')})"
    end
  end
  METHODS_OF = {}

  def question
    case @random.rand(16)
    when 0..4 then expression
    when 5 then format_call
    when 6..9 then any_method
    when 10 then fill(pick(CLASS_METHODS))
    else program
    end
  end
end
