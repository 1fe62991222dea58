//! Shapes of expressions: every kind of operator, iteration, text, pattern, type, template, function.

use super::{Row, each};

/// A manifest that ends by showing the value of `$r`.
fn showing(program: &str) -> String {
    format!(
        "{program}\n\
         notify {{ 'result': message => \"${{r}}\" }}\n"
    )
}

pub(super) const SHAPES: &[Row] = &[
    ("map, filter, reduce", 2500, |n, files| {
        files.main(showing(&format!(
            "$r = Integer[1, {n}].map |$n| {{ $n * 3 }}.filter |$n| {{ $n % 2 == 0 }}.reduce |$a, \
         $b| {{ $a + $b }}"
        )));
    }),
    ("a hash by reduce with +", 250, |n, files| {
        files.main(showing(&format!(
            "$h = Integer[1, {n}].reduce({{}}) |$m, $n| {{ $m + {{ \"k${{n}}\" => $n }} }}\n\
         $r = $h.length"
        )));
    }),
    ("a hash by reduce with merge", 250, |n, files| {
        files.main(showing(&format!(
            "$h = Integer[1, {n}].reduce({{}}) |$m, $n| {{ $x = {{ \"k${{n}}\" => $n }}\n\
          $m + $x }}\n\
         $r = $h.length"
        )));
    }),
    ("a list by reduce with +", 250, |n, files| {
        files.main(showing(&format!(
            "$l = Integer[1, {n}].reduce([]) |$m, $n| {{ $m + [$n, $n] }}\n\
         $r = $l.length"
        )));
    }),
    ("a list by reduce with <<", 250, |n, files| {
        files.main(showing(&format!(
            "$l = Integer[1, {n}].reduce([]) |$m, $n| {{ $m << $n }}\n\
         $r = $l.length"
        )));
    }),
    ("a text by reduce", 250, |n, files| {
        files.main(showing(&format!(
            "$t = Integer[1, {n}].reduce('') |$m, $n| {{ \"${{m}}${{n}},\" }}\n\
         $r = $t.length"
        )));
    }),
    ("lists taken away", 250, |n, files| {
        files.main(showing(&format!(
            "$a = Integer[1, {n}].map |$n| {{ \"a${{n}}\" }}\n\
         $b = Integer[1, {n}].map |$n| {{ \"b${{n}}\" }}\n\
         $r = ($a - $b).length"
        )));
    }),
    ("keys taken away", 250, |n, files| {
        files.main(showing(&format!(
            "$a = Hash(Integer[1, {n}].map |$n| {{ [\"a${{n}}\", $n] }})\n\
         $b = Integer[1, {n}].map |$n| {{ \"a${{$n * 2}}\" }}\n\
         $r = ($a - $b).length"
        )));
    }),
    ("sort, unique, flatten, group_by", 1000, |n, files| {
        files.main(showing(&format!(
            "$l = Integer[1, {n}].map |$n| {{ [\"v${{$n % 97}}\", [$n]] }}\n\
         $s = $l.map |$x| {{ $x[0] }}.sort.unique\n\
         $g = $l.group_by |$x| {{ $x[0] }}\n\
         $u = $l.flatten.unique\n\
         $r = \"${{s.length}} ${{g.length}} ${{u.length}}\""
        )));
    }),
    ("access by key", 1000, |n, files| {
        files.main(showing(&format!(
            "$h = Hash(Integer[1, {n}].map |$n| {{ [\"k${{n}}\", {{ 'a' => [$n] }}] }})\n\
         $r = Integer[1, {n}].reduce(0) |$s, $n| {{ $s + $h[\"k${{n}}\"]['a'][0] }}"
        )));
    }),
    ("dig and get", 500, |n, files| {
        files.main(showing(&format!(
            "$h = Hash(Integer[1, {n}].map |$n| {{ [\"k${{n}}\", {{ 'a' => [$n] }}] }})\n\
         $r = Integer[1, {n}].reduce(0) |$s, $n| {{ $s + $h.dig(\"k${{n}}\", 'a', 0) + \
         $h.get(\"k${{n}}.a.0\", 0) }}"
        )));
    }),
    ("texts", 500, |n, files| {
        files.main(showing(&format!(
            "$t = Integer[1, {n}].map |$n| {{ \"item ${{n}} of ${{$n + 1}}\".upcase }}.join(',')\n\
         $p = $t.split(',').map |$x| {{ regsubst($x, 'ITEM (\\d+)', '<\\1>') }}\n\
         $r = sprintf('%d %s', $p.length, $p[0])"
        )));
    }),
    ("patterns", 500, |n, files| {
        files.main(showing(&format!(
            "$r = Integer[1, {n}].filter |$n| {{ \"host-${{n}}.example.net\" =~ \
         /^host-(\\d+)\\.(.*)$/ and $1 != $2 }}.length"
        )));
    }),
    ("options of a case", 250, |n, files| {
        files.main(showing(&format!(
            "$v = 'v{}'\n\
         $r = case $v {{\n\
         {} default: {{ 'none' }} }}",
            n - 1,
            each(n, |i| format!("  'v{i}': {{ 'is {i}' }}\n"))
        )));
    }),
    ("cases and selectors", 500, |n, files| {
        files.main(showing(&format!(
            "$r = Integer[1, {n}].map |$n| {{\n\
          $k = case $n % 5 {{ 0: {{ 'none' }} 1, 2: {{ 'few' }} default: {{ 'many' }} }}\n\
          $k ? {{ 'none' => undef, /^f/ => 1, default => $k }} }}.length"
        )));
    }),
    ("conditions one after the other", 500, |n, files| {
        files.main(format!(
            "$x = 5\n{}notify {{ 'end': }}\n",
            each(n, |i| format!(
                "if $x > {i} and $x != 3 {{ $a{i} = $x + {i} }} elsif $x == 7 {{ $b{i} = 1 }} else {{ \
         $c{i} = 'c' }}\n"
            ))
        ));
    }),
    ("variables", 500, |n, files| {
        files.main(format!(
            "{}notify {{ 'end': message => \"$v{}\" }}\n",
            each(n, |i| if i == 0 { "$v0 = 1\n".into() } else { format!("$v{i} = $v{} + 1\n", i - 1) }),
            n - 1
        ));
    }),
    ("variables of other classes", 250, |n, files| {
        files.manifest(
            "params",
            format!("class params {{\n{} }}\n", each(n, |i| format!("  $p{i} = 'v{i}'\n"))),
        );
        files.manifest(
            "user",
            format!(
                "class user inherits params {{\n{} }}\n",
                each(n, |i| format!("  $q{i} = \"${{params::p{i}}} ${{p{i}}} ${{::params::p{i}}}\"\n"))
            ),
        );
        files.main("include user\n");
    }),
    ("parameters of one class", 125, |n, files| {
        files.manifest(
            "c",
            format!(
                "class c(\n{}) {{ notify {{ 'c': message => $p0 }} }}\n",
                each(n, |i| format!("  Variant[String, Integer] $p{i} = 'v{i}',\n"))
            ),
        );
        files.main("include c\n");
    }),
    ("types of parameters", 125, |n, files| {
        files.add("modules/t/types/port.pp", "type T::Port = Integer[1, 65535]\n");
        files.add(
            "modules/t/types/entry.pp",
            "type T::Entry = Struct[{ name => Pattern[/^[a-z]/], Optional[port] => T::Port, tags \
         => Array[Enum['a', 'b']] }]\n",
        );
        files.manifest(
            "t::use",
            "define t::use(T::Entry $entry, Optional[Hash[String, Variant[Integer, String]]] $more \
         = undef) {\n\
           notify { $title: message => $entry['name'] }\n\
         }\n",
        );
        files.main(each(n, |i| {
            format!(
                "t::use {{ 'u{i}': entry => {{ name => 'n', port => {}, tags => ['a'] }}, more => {{ \
         'x' => {i} }} }}\n",
                i + 1
            )
        }));
    }),
    ("members of a type", 125, |n, files| {
        let names = each(n, |i| format!("'e{i}', "));
        let members = each(n, |i| format!("Optional['m{i}'] => Integer, "));
        files.main(showing(&format!(
            "$t = Struct[{{ {members} }}]\n\
         $e = Enum[{names}]\n\
         $x = Hash(Integer[0, {}].map |$n| {{ [\"m${{n}}\", $n] }})\n\
         $r = [$x =~ $t, ['e1', 'e2', 'x'].filter |$v| {{ $v =~ $e }}.length]",
            n - 1
        )));
    }),
    ("elements that a type checks", 500, |n, files| {
        files.main(showing(&format!(
            "$l = Integer[1, {n}].map |$n| {{ {{ 'id' => $n, 'name' => \"n${{n}}\" }} }}\n\
         assert_type(Array[Struct[{{ id => Integer, name => String[1] }}]], $l)\n\
         $r = type($l[0]) =~ Type[Hash]"
        )));
    }),
    ("conversions", 500, |n, files| {
        files.main(showing(&format!(
            "$r = Integer[1, {n}].map |$n| {{ Integer(String($n, '%05d'), 10) + \
         Integer(\"0x${{n}}\", 16) }}.length"
        )));
    }),
    ("a large list literal", 1000, |n, files| {
        files
            .main(showing(&format!("$l = [{}]\n$r = $l.length", each(n, |i| format!("'value {i}', {i}, ")))));
    }),
    ("a large hash literal", 500, |n, files| {
        files.main(showing(&format!(
            "$h = {{ {} }}\n$r = $h.length",
            each(n, |i| format!("'k{i}' => {{ 'a' => [{i}, true], 'b' => 'v{i}' }},\n"))
        )));
    }),
    ("functions of a module", 60, |n, files| {
        for i in 0..n {
            files.add(
                format!("modules/f/functions/f{i}.pp"),
                format!(
                    "function f::f{i}(Integer $n, String $s = 'x') >> String {{ \"${{s}}${{n}}{i}\" }}\n"
                ),
            );
        }
        files.main(format!("{}notify {{ 'end': }}\n", each(n, |i| format!("$v{i} = f::f{i}({i})\n"))));
    }),
    ("calls of one function", 500, |n, files| {
        files.add(
            "modules/f/functions/one.pp",
            "function f::one(Integer $n) >> Integer { if $n > 1 { $n - 1 } else { $n } }\n",
        );
        files.main(showing(&format!("$r = Integer[1, {n}].reduce(0) |$s, $n| {{ $s + f::one($n) }}")));
    }),
    ("lines of an EPP template", 250, |n, files| {
        files.add(
            "modules/t/templates/t.epp",
            format!(
                "<%- | Integer $x | -%>\n{}",
                each(n, |i| format!(
                    "Line {i}: <%= $x + {i} %>\n\
         <% if $x > {i} {{ -%>\n\
          more\n\
         <% }} -%>\n"
                ))
            ),
        );
        files.main("file { '/srv/t': content => epp('t/t.epp', { x => 5 }) }\n");
    }),
    ("EPP templates", 125, |n, files| {
        files.add(
            "modules/t/templates/t.epp",
            "<%- | Integer $x, Array $l | -%>\n\
         # <%= $x %>\n\
         <% $l.each |$e| { -%>\n\
          e <%= $e %>\n\
         <% } -%>\n",
        );
        files.main(format!(
            "Integer[1, {n}].each |$n| {{ file {{ \"/srv/${{n}}\": content => epp('t/t.epp', {{ x \
         => $n, l => [1, 2, 3] }}) }} }}\n"
        ));
    }),
    ("ERB templates", 60, |n, files| {
        files.add(
            "modules/t/templates/t.erb",
            "# <%= @x %>\n\
         <% @l.each do |e| -%>\n\
          e <%= e %>\n\
         <% end -%>\n",
        );
        files.manifest(
            "t::one",
            "define t::one(Integer $x) {\n\
           $l = [1, 2, 3]\n\
           file { \"/srv/${title}\": content => template('t/t.erb') }\n\
         }\n",
        );
        files.main(format!("Integer[1, {n}].each |$n| {{ t::one {{ \"t${{n}}\": x => $n }} }}\n"));
    }),
    ("lines that an ERB template writes", 500, |n, files| {
        files.add(
            "modules/t/templates/t.erb",
            "<% @l.each do |e| -%>\n\
          line <%= e %> of <%= @l.length %>\n\
         <% end -%>\n",
        );
        files.main(format!(
            "$l = Array(Integer[1, {n}])\n\
         file {{ '/srv/t': content => template('t/t.erb') }}\n"
        ));
    }),
    ("heredocs and inline templates", 125, |n, files| {
        files.main(each(n, |i| {
            format!(
                "$h{i} = @(\"END\")\n\
           text ${{1 + {i}}}\n\
           | END\n\
         file {{ '/srv/{i}': content => inline_epp('<%= $x %>', {{ x => $h{i} }}) }}\n"
            )
        }));
    }),
    ("secrets", 250, |n, files| {
        files.main(each(n, |i| format!("file {{ '/srv/{i}': content => Sensitive(\"s{i}\") }}\n")));
    }),
    ("deferred values", 125, |n, files| {
        files.main(each(n, |i| {
            format!("file {{ '/srv/{i}': content => Deferred('sprintf', ['%d', {i}]) }}\n")
        }));
    }),
    ("notices", 125, |n, files| files.main(each(n, |i| format!("notice('n', {i})\n")))),
];
