# frozen_string_literal: true

require_relative 'programs'

# Calls of the language's functions with arguments as they want them, and some that they do not.
class Functions < Programs
  # In the signatures, `s` is a text, `i` an integer, `l` a list, `h` a hash, `v` any value, `y` a type.
  SIGNATURES = {
    'abs' => %w[n s], 'all' => %w[l& h& s&], 'any' => %w[l& h&], 'annotate' => %w[yh yy], 'assert_type' => %w[yv yv& sv], 'binary_file' => %w[s], 'break' => [''], 'call' => %w[sv s s&], 'camelcase' => %w[s l],
    'capitalize' => %w[s l n], 'ceiling' => %w[n s], 'chomp' => %w[s l], 'chop' => %w[s l n], 'compare' => %w[ss nn ssb mm dd vv ll], 'convert_to' => %w[vy vyv vy&], 'defined' => %w[s ss r y], 'dig' => %w[li hs his lii hv],
    'downcase' => %w[s l], 'each' => %w[l& h& s& i&], 'empty' => %w[s l h v], 'filter' => %w[l& h& i&], 'find_template' => %w[s l], 'flatten' => %w[l lv v h], 'floor' => %w[n s], 'fqdn_rand' => %w[i is ivv], 'generate' => %w[s],
    'get' => %w[vp hpv lp vpv lpv& hpv&], 'getvar' => %w[p pv q], 'group_by' => %w[l& h&], 'hiera' => %w[s sv], 'index' => %w[l& h& lv hv sv s&], 'inline_epp' => %w[e eh], 'inline_template' => %w[x], 'join' => %w[l ls h],
    'json_data' => %w[h], 'keys' => %w[h], 'length' => %w[s l h b], 'lest' => %w[v&], 'lookup' => %w[s sv svs], 'lstrip' => %w[s l n], 'map' => %w[l& h& i& s&], 'match' => %w[sz ls sy lz], 'max' => %w[nn ss nsn l vv dd mm l& bb],
    'md5' => %w[s v], 'min' => %w[nn ss nsn l vv dd mm bb], 'module_directory' => %w[s ss], 'new' => %w[yv yvv y yh yl yv&], 'next' => %w[v], 'partition' => %w[l& h& s&], 'reduce' => %w[l& lv& h& hv& i&], 'regsubst' => %w[szs szss lzs sss yzs],
    'return' => %w[v], 'reverse_each' => %w[l l& h& i& s&], 'round' => %w[n s], 'rstrip' => %w[s l], 'scope_defaults' => [''], 'sha1' => %w[s], 'sha256' => %w[s], 'shellquote' => %w[s ss sl l n], 'size' => %w[s l h b],
    'slice' => %w[li hi li& hi& ii& si], 'sort' => %w[l s l& s&], 'split' => %w[ss sz sy lz sl], 'sprintf' => %w[fv fvv fl fh f], 'step' => %w[li li& ii hi& si], 'strftime' => %w[dt dts ms ds mt dtt], 'strip' => %w[s l],
    'tagged' => %w[s ss], 'then' => %w[v&], 'tree_each' => %w[l l& lo lo& h& ho& h], 'type' => %w[v vs vq], 'unique' => %w[l h s l& h& i&], 'unwrap' => %w[w v w&], 'upcase' => %w[s l h], 'values' => %w[h], 'versioncmp' => %w[ss ssb],
    'with' => %w[v& vv& v], 'crc32' => %w[s], 'sha224' => %w[s], 'sha384' => %w[s], 'sha512' => %w[s], 'digest' => %w[s], 'filter_map' => %w[l&], 'import' => %w[s], 'fail' => %w[v vv], 'notice' => %w[v], 'warning' => %w[vv], 'err' => %w[v],
    'debug' => %w[v], 'alert' => %w[v], 'tag' => %w[s l], 'include' => %w[s y l], 'contain' => %w[s y], 'realize' => %w[r l v], 'create_resources' => %w[sh shh], 'String' => %w[vf vo v], 'Integer' => %w[s si n nib sib v h], 'Float' => %w[s n h v],
    'Numeric' => %w[s n b h sb v], 'Boolean' => %w[s n v h], 'Array' => %w[v vb l h s], 'Hash' => %w[v l h ls vs], 'Timestamp' => %w[n s st sts h], 'Timespan' => %w[n s st siiii iiii iiiiiii h bi], 'SemVer' => %w[s iii iiis iiiss h hi],
    'SemVerRange' => %w[s mmb mm h ms], 'Binary' => %w[s ss l h], 'URI' => %w[s h], 'Sensitive' => %w[v w], 'Regexp' => %w[s sb si z h], 'Struct' => %w[h], 'Tuple' => %w[v l h], 'Error' => %w[s ss sss ssh h v], 'Deferred' => %w[s sl h], 'Type' => %w[s v y],
    'Enum' => %w[v], 'Variant' => %w[v], 'Optional' => %w[v], 'Init' => %w[v yv], 'NotUndef' => %w[v], 'Iterator' => %w[v], 'Callable' => %w[v]
  }.freeze
  PATHS = ['a', 'a.b', 'a.0', '0', '0.a', "a.'b.c'", '', '.', 'a..b', '1.x', 'facts.os', 'os.family', "'", 'a."b"', '-1', 'a.-1', '::a', 'x::y.z'].freeze
  OPTIONS = ['{include_containers => true}', '{include_values => false, include_containers => true}', '{order => breadth_first}', '{include_root => false}', '{container_type => Array}', '{containers => 1}', '{}', '{order => up}'].freeze
  TEMPLATES = ['<%= 1 + 1 %>', "<% if true { %>a<% } else { %>b<% } %>", '<%- [1, 2].each |$x| { -%> <%= $x %> <%- } -%>', '<%- | $p = 3 | -%><%= $p %>', '<%- | Integer $a, $b = $a | -%><%= $a + $b %>', '<%# x -%>  y', '<%= @x %>', '<%= undef %>', '<%= %>',
               '<% notice(1) %>', 'a%>b<%%c%%>', "a <%= 'b' -%>  \n c", "  <%- 'b' %>\n", '<%= [1, {a => 2}] %>', '<%', '<%= "a', '<% | $p | %>', '<%- || -%>x', '<%= $p', "\n<%- # c\n -%>\n", '<%= Sensitive(1) %>', '<%= inline_epp("<%%= 1 %%>") %>'].freeze
  RUBY = ['<%= 1 + 1 %>', '<%= @os %>', '<%= scope["facts"] %>', '<%= [1, 2].map { |x| x * 2 }.inspect %>', '<%= scope.call_function("size", ["abc"]) %>', '<% 3.times do |i| -%><%= i %><% end %>', 'plain', '<%= nope %>', '<%= has_variable?("os") %>'].freeze

  # A program that asks for the time has another answer each time.
  def any_program
    setup = chance(0.3) ? "$a = #{value(1)}\n" : ''
    "#{setup}#{chance(0.25) ? "[#{call}, #{call}]" : call}"
  end

  def call
    name = pick(SIGNATURES.keys)
    signature = pick(SIGNATURES.fetch(name))
    has_block = signature.end_with?('&')
    arguments = signature.delete('&').chars.map { |letter| chance(0.06) ? value(1) : argument(letter) }
    arguments << value(1) if chance(0.03)
    arguments.pop if chance(0.03)
    block = has_block || chance(0.02) ? " #{block()}" : ''
    return "#{arguments.first}.#{name}#{arguments.size > 1 || chance(0.2) ? "(#{arguments.drop(1).join(', ')})" : ''}#{block}" if arguments.any? && chance(0.35)

    "#{name}(#{arguments.join(', ')})#{block}"
  end

  def block
    parameters = pick(['|$x|', '|$x|', '|$x, $y|', '|$i, $v|', '|Integer $x|', '|$x, $y = 2|', '|*$x|', '|$x, *$y|', '||', '|Any $x, Any $y, Any $z = 1|', '|String $x, $y|', '|$x| >> Integer'])
    body = pick(['$x', '[$x]', '$x + 1', '$y', 'next(5)', 'break()', '$x =~ Integer', '$x == 2', '$v', '[$i, $v]', 'return(3)', "\"<${x}>\"", '{a => $x}', '!$x', 'undef', 'compare($x, $y)', '$x <=> $y', '$y - $x', 'size($x)', '$x[0]', "$z = $x $z", "next()", '', 'fail("f")', 'true', '[[$x, $y], [1]]'])
    "#{parameters} { #{body} }"
  end

  def argument(letter)
    case letter
    when 's', 'q' then quoted(pick(TEXTS))
    when 'i' then pick([*INTEGERS, 0, 1, 2, 3, -1, 8, 16]).to_s
    when 'n' then pick([pick(INTEGERS).to_s, pick(FLOATS), number(-9..9).to_s])
    when 'b' then pick(%w[true false])
    when 'l' then pick(["[#{some(0..4) { value(1) }.join(', ')}]", "[#{some(1..5) { number(-3..3) }.join(', ')}]", "[#{some(1..4) { quoted(pick(TEXTS)) }.join(', ')}]", '[[1, 2], [3, [4]]]', "[['a', 1], ['b', 2]]", '[]', '[1, 1.0, 2, 1]'])
    when 'h' then pick(["{#{some(0..3) { "#{value(0)} => #{value(1)}" }.join(', ')}}", '{a => 1, b => {c => [2]}}', '{}', "{'a.b' => 1}", "{1 => 'x', 2 => 'y'}", "{'string' => '1', 'format' => '%S'}", "{'from' => '11', 'radix' => 2}", "{'days' => 1, 'negative' => true}",
                            "{'major' => 1, 'minor' => 2, 'patch' => 3}", "{'min' => '1.0.0', 'max' => '2.0.0', 'exclude_max' => true}", "{'scheme' => 'http', 'host' => 'h'}", "{'value' => 'aGk=', 'format' => '%b'}", "{'pattern' => 'a'}", "{'name' => 'f', 'arguments' => [1]}"])
    when 'v' then value(2)
    when 'y' then type(2)
    when 'z' then "/#{pick(PATTERNS)}/"
    when 'p' then quoted(pick(PATHS))
    when 'm' then pick(["SemVer('1.2.3')", "SemVer('1.2.3-a.1+b')", "SemVer('0.0.0')"])
    when 'd' then pick(["Timestamp(#{number(0..2_000_000_000)})", "Timespan(#{number(-100_000..100_000)}.25)", "Timestamp('2020-02-29T12:00:00')"])
    when 't' then quoted(pick(TIMES))
    when 'f' then quoted(pick(FORMATS))
    when 'w' then "Sensitive(#{value(1)})"
    when 'o' then pick([*OPTIONS, "{Any => '%p'}", "{Integer => '%x', Array => {format => '%(a', separator => '; '}}", "{Hash => {format => '%#h', separator2 => ': '}}", "{Array => {string_formats => {String => '%p'}}}", "{Float => '%.3e'}", "{Integer => '%z'}"])
    when 'e' then quoted(pick(TEMPLATES))
    when 'x' then quoted(pick(RUBY))
    when 'r' then pick(["Notify['a']", "File['/a', '/b']", 'Class["a"]', 'Notify', "Resource['notify', 'a']"])
    else value(1)
    end
  end
end
