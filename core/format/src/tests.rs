use super::{FormatOptions, format};

/// Formats a text, and checks that formatting again changes nothing.
fn formatted(text: &str, options: &FormatOptions) -> String {
    let once = format(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(format(once.as_str(), options).expect("it can be parsed"), once, "formatted twice");
    once
}

fn check(text: &str, expected: &str) {
    assert_eq!(formatted(text, &FormatOptions::default()), expected);
}

#[test]
fn attributes_have_lines_of_their_own_and_aligned_arrows() {
    check(
        "file{\"/x\":ensure=>present,mode=>'0644'}\nnotify{'a': }\nfile { '/y': ensure => absent }",
        "file { '/x':\n  ensure => present,\n  mode   => '0644',\n}\n\
         notify { 'a': }\nfile { '/y': ensure => absent }\n",
    );
    check("class{'a':b=>1,cc=>2}", "class { 'a':\n  b  => 1,\n  cc => 2,\n}\n");
    check(
        "file{'/a':ensure=>file;'/b':ensure=>file,mode=>'0600'}",
        "file {\n  '/a': ensure => file;\n  '/b':\n    ensure => file,\n    mode   => '0600';\n}\n",
    );
    check("File{owner=>root,mode=>'0600'}", "File {\n  owner => root,\n  mode  => '0600',\n}\n");
}

#[test]
fn what_the_author_has_broken_stays_broken_and_what_does_not_fit_breaks() {
    check("$a = [1,\n2]", "$a = [\n  1,\n  2,\n]\n");
    check("$a = [ 1,2, ]", "$a = [1, 2]\n");
    check("foo('a', {\n'b'=>1,'cc'=>2})", "foo('a', {\n  'b'  => 1,\n  'cc' => 2,\n})\n");
    let long = "x".repeat(60);
    check(
        &format!("$a = foo('{long}', '{long}', '{long}')"),
        &format!("$a = foo(\n  '{long}',\n  '{long}',\n  '{long}'\n)\n"),
    );
    check(
        &format!("$a = foo({{ a => '{long}', b => '{long}', cc => '{long}' }})"),
        &format!("$a = foo({{\n  a  => '{long}',\n  b  => '{long}',\n  cc => '{long}',\n}})\n"),
    );
}

#[test]
fn comments_stay_where_they_belong() {
    check(
        "# one\n\n\n# two\nclass a { # three\n\n  # four\n\
         \x20 $a = [ # five\n    1 # six\n    , 2]\n  # seven\n\n}\n# eight",
        "# one\n\n# two\nclass a { # three\n  # four\n\
         \x20 $a = [ # five\n    1, # six\n    2,\n  ]\n  # seven\n}\n# eight\n",
    );
    check("if $a { }\n# why\nelse { x() }", "if $a {}\n# why\nelse {\n  x()\n}\n");
    check("$a = 1 /* b */ + 2", "$a = 1 /* b */ + 2\n");
}

#[test]
fn heredocs_and_strings_keep_their_content() {
    check(
        "foo(@(A), @(\"B\") )\n  a\n | A\n  b ${x}\n | B\n$b=\"x\n   y\"",
        "foo(@(A), @(\"B\"))\n  a\n | A\n  b ${x}\n | B\n$b = 'x\n   y'\n",
    );
    check("$a = \"test $(ls)\"", "$a = 'test $(ls)'\n");
    check("$a = \"it's\"\n$b = \"a\\n\"\n$c = \"${d}\"", "$a = \"it's\"\n$b = \"a\\n\"\n$c = \"${d}\"\n");
}

#[test]
fn parts_are_left_as_they_are() {
    check(
        "class a {\n$x=1\n  # bunraku:fmt off\n $y   =  [ 1,2 ]\n     # bunraku:fmt on\n$z=3 }",
        "class a {\n  $x = 1\n  # bunraku:fmt off\n $y   =  [ 1,2 ]\n     # bunraku:fmt on\n  $z = 3\n}\n",
    );
    check("$x=1\n# bunraku:fmt off\n$y   = 2 ", "$x = 1\n# bunraku:fmt off\n$y   = 2\n");
}

#[test]
fn columns_that_the_author_has_made_are_kept() {
    check(
        "class a(\n  Integer   $b=1,\n  Array[String] $c,\n  $d = 2,\n) { }",
        "class a (\n  Integer       $b = 1,\n  Array[String] $c,\n  $d = 2,\n) {}\n",
    );
    let long = "x".repeat(100);
    check(
        &format!(
            "class a (\n  Enum['{long}'] $b,\n  Integer        $c = 1,\n  String $d = '{}',\n) {{}}\n",
            "y".repeat(30)
        ),
        &format!(
            "class a (\n  Enum['{long}'] $b,\n  Integer $c = 1,\n  String $d = '{}',\n) {{}}\n",
            "y".repeat(30)
        ),
    );
    check("$a   = 1\n$bcd = 2\n\n$e  = 3", "$a   = 1\n$bcd = 2\n\n$e = 3\n");
}

#[test]
fn options_say_how_programs_look() {
    let text = "file { '/x': ensure => file, mode => \"0644\" }\n$a = [11, 22, 33, 44]";
    let options = FormatOptions {
        width: 16,
        indentation: 4,
        align_arrows: false,
        single_quotes: false,
        ..FormatOptions::default()
    };
    assert_eq!(
        formatted(text, &options),
        "file { '/x':\n    ensure => file,\n    mode => \"0644\",\n}\n\
         $a = [\n    11,\n    22,\n    33,\n    44,\n]\n"
    );
}

#[test]
fn statements_and_operators_are_set_apart() {
    check(
        "if($a==1)or !$b{notice 1,2}elsif $c{ }else{ $d.e|$x|{$x+1} }",
        "if ($a == 1) or !$b {\n  notice 1, 2\n} elsif $c {\n} else {\n  $d.e |$x| { $x + 1 }\n}\n",
    );
    check(
        "case $a{'b','c':{ }default:{fail('x')}}",
        "case $a {\n  'b', 'c': {}\n  default: { fail('x') }\n}\n",
    );
    let long = "x".repeat(60);
    check(&format!("$a = ${long} + ${long} + ${long}"), &format!("$a = ${long} + ${long}\n  + ${long}\n"));
    check("Package['a']->\nService['b']\n~>Exec['c']", "Package['a']\n-> Service['b']\n~> Exec['c']\n");
    check("$x = $y?{'a'=>1,default=>-1}", "$x = $y ? { 'a' => 1, default => -1 }\n");
    check("function f(Integer *$x)>>Integer{ *$x }", "function f(Integer *$x) >> Integer { *$x }\n");
}

#[test]
fn lines_are_formatted_alone() {
    let text = "$a=1\nclass  b{\n    # c\n    $d=[1,2 ]\n      file{'/x':ensure=>file,\n  mode=>'0644'}\n  $e=2\n}\n";
    let lines = |from, to| {
        let options = FormatOptions { lines: Some(from..=to), ..FormatOptions::default() };
        formatted(text, &options)
    };
    assert_eq!(lines(1, 1), text.replace("$a=1", "$a = 1"));
    assert_eq!(lines(4, 4), text.replace("    $d=[1,2 ]", "  $d = [1, 2]"));
    assert_eq!(
        lines(6, 6),
        text.replace(
            "      file{'/x':ensure=>file,\n  mode=>'0644'}",
            "  file { '/x':\n    ensure => file,\n    mode   => '0644',\n  }"
        )
    );
    assert_eq!(lines(2, 2), format!("$a=1\n{}", format(&text[5..], &FormatOptions::default()).unwrap()));
    assert_eq!(lines(1, 100), format(text, &FormatOptions::default()).unwrap());
    assert_eq!(lines(50, 60), text);
    let heredocs = "class a {\n  $b=@(X)\n    text\n    | X\n  $c =  @(Y)\n    text\n    | Y\n}\n";
    let options = FormatOptions { lines: Some(3..=3), ..FormatOptions::default() };
    assert_eq!(formatted(heredocs, &options), heredocs.replace("$b=@(X)", "$b = @(X)"));
}

#[test]
fn what_is_around_damage_is_formatted() {
    let recovered =
        |text: &str| formatted(text, &FormatOptions { recover: true, ..FormatOptions::default() });
    assert_eq!(
        recovered("$a=1\nclass b {\n $c=2\n $d = )\n    $e=3\n}\n$f=4\n"),
        "$a = 1\nclass b {\n  $c = 2\n $d = )\n  $e = 3\n}\n$f = 4\n"
    );
    assert_eq!(
        recovered("$a=1\nfile { '/x': ensure=> , }\n$b=2"),
        "$a = 1\nfile { '/x': ensure=> , }\n$b = 2"
    );
    assert_eq!(recovered("$a=1"), "$a = 1\n");
}

#[test]
fn code_in_templates_is_formatted() {
    let options = FormatOptions { epp: true, ..FormatOptions::default() };
    assert_eq!(
        formatted(
            "<%-|String $a,$b=1|-%>\n a  b\n<%if $a=='x'{-%>\n<%=$b+1%>\n<%}else{%><%= \"y\" -%>\n<% } -%>\n<%$b.each|$c|{%>c<%}%>\n<%# no  comment%><%\n  $d=1\n%>\n",
            &options
        ),
        "<%- | String $a, $b = 1 | -%>\n a  b\n<% if $a == 'x' { -%>\n<%= $b + 1 %>\n<% } else { %><%= 'y' -%>\n<% } -%>\n<% $b.each |$c| { %>c<% } %>\n<%# no  comment%><%\n  $d=1\n%>\n"
    );
    let one = FormatOptions { lines: Some(2..=2), ..options };
    assert_eq!(formatted("<%=$a%>\n<%=$b%>\n", &one), "<%=$a%>\n<%= $b %>\n");
}

#[test]
fn what_cannot_be_parsed_is_refused() {
    let error = format("class {", &FormatOptions::default()).expect_err("it cannot be parsed");
    assert_eq!(error.kind.name(), "syntax");
    assert_eq!(format("", &FormatOptions::default()).expect("it can be parsed"), "");
    check("\n\n# a\n\n", "# a\n");
    check("$a=1\r\n$b=[\r\n1]", "$a = 1\r\n$b = [\r\n  1,\r\n]\r\n");
}

#[test]
fn a_comment_in_place_of_attributes_stays_in_front_of_the_semicolon() {
    let text = "file {\n  default:\n    mode => '0600';\n  '/a':\n    # as it is\n  ;\n  '/b': ;\n}\n";
    let expected = "file {\n  default:\n    mode => '0600';\n  '/a':\n    # as it is\n  ;\n  '/b':;\n}\n";
    check(text, expected);
}

#[test]
fn titles_of_several_lines_are_indented_with_the_attributes() {
    check(
        "file { ['/a',\n '/b']: ensure => file, mode => '0600' }",
        "file { [\n    '/a',\n    '/b',\n  ]:\n    ensure => file,\n    mode   => '0600',\n}\n",
    );
    check("$a = [{ b => 1 }, {\nc => 2 }]", "$a = [\n  { b => 1 },\n  {\n    c => 2,\n  },\n]\n");
    check("$a = [{\nc => 2 }]", "$a = [{\n  c => 2,\n}]\n");
}

#[test]
fn statements_of_several_lines_begin_on_their_own() {
    check("$a.each |$x| { if $x { b() } }", "$a.each |$x| {\n  if $x {\n    b()\n  }\n}\n");
    check(
        "case $a { 1: { file { 'a': b => 1, c => 2 } } default: { include c } }",
        "case $a {\n  1: {\n    file { 'a':\n      b => 1,\n      c => 2,\n    }\n  }\n  default: { include c }\n}\n",
    );
}

#[test]
fn long_chains_and_values_break() {
    let long = "x".repeat(60);
    check(
        &format!("A['{long}'] -> B['{long}'] ~> C['{long}']\nnotice 1"),
        &format!("A['{long}']\n-> B['{long}']\n~> C['{long}']\nnotice 1\n"),
    );
    check(
        &format!("case $a {{ '{long}', '{long}', '{long}': {{}} }}"),
        &format!("case $a {{\n  '{long}', '{long}',\n  '{long}': {{}}\n}}\n"),
    );
    check(
        &format!("class a (\n  Enum['{long}'] $b = \"{long}${{c}}{long}\",\n) {{}}\n"),
        &format!("class a (\n  Enum['{long}'] $b =\n    \"{long}${{c}}{long}\",\n) {{}}\n"),
    );
    check("if $a { } else { b() }", "if $a {\n} else {\n  b()\n}\n");
}

#[test]
fn conditions_and_chains_go_on_where_they_begin() {
    check("if $a\nor $b {\nc()\n}", "if $a\nor $b {\n  c()\n}\n");
    check("if ($a\nor $b) {\nc()\n}", "if ($a\n  or $b) {\n  c()\n}\n");
    check("$c = $a\nor $b", "$c = $a\n  or $b\n");
    check("A['a'] ->\n\n# c\nB['b']", "A['a'] ->\n\n# c\nB['b']\n");
    // Behind an operator, what counts is the line as it will be, not the chain as it was.
    let long = "x".repeat(45);
    check(
        &format!("A['{long}'] -> B['{long}'] = C['{long}'] -> D['{long}']\n"),
        &format!("A['{long}']\n-> B['{long}'] = C['{long}']\n-> D['{long}']\n"),
    );
}

#[test]
fn comments_keep_their_nodes_where_spaces_before_a_node_change() {
    check("@\nd { 'a': b => [ ''#c\n] }", "@d { 'a': b => [\n  '', #c\n] }\n");
    check("\r\ni('\n', 1)", "i('\n', 1)\r\n");
    check("if   $a { #c\n}", "if $a { #c\n}\n");
    check("if @(\"X\")\n  a ${b}\n  |- X\n { # b\n 1 }\n", "if @(\"X\") { # b\n  a ${b}\n  |- X\n  1\n}\n");
}

#[test]
fn comments_before_separators_stand_behind_them() {
    let cases = [
        ("$a = [1\n# c\n, 2]\n", "$a = [\n  1,\n  # c\n  2,\n]\n"),
        ("$a = { b => 1\n# c\n, d => 2 }\n", ""),
        ("f('a'\n# c\n, 'b')\n", ""),
        ("class a ($p\n# c\n, $q) {}\n", ""),
        ("file { 'a': b => 1\n# c\n, d => 2 }\n", ""),
        ("file { 'a': b => 1\n# c\n; 'd': e => 2\n# f\n}\n", ""),
        ("file { default: b => 1\n/* c */\n; ['d']: e => 2,\n f => 3\n# g\n}\n", ""),
        ("notice 1\n# c\n, 2\n", ""),
        ("case $a { 1\n# c\n, 2: {} }\n", ""),
        ("node a\n# c\n, b {}\n", ""),
        ("$a ? { 1 => 2\n# c\n, default => 3 }\n", ""),
        ("A[1\n# c\n, 2]\n", ""),
    ];
    for (text, wanted) in cases {
        let once = formatted(text, &FormatOptions::default());
        assert_eq!(formatted(&once, &FormatOptions::default()), once, "{text}");
        if !wanted.is_empty() {
            assert_eq!(once, wanted, "{text}");
        }
    }
}

#[test]
fn a_list_of_lists_of_several_lines_has_each_on_its_own() {
    let long = "x".repeat(70);
    let hash = format!("{{ a => '{long}', b => '{long}' }}");
    let broken = format!("{{\n    a => '{long}',\n    b => '{long}',\n  }}");
    check(
        &format!("f([{{ a => 'b\nc' }}, {hash}])"),
        &format!("f([\n  {{ a => 'b\nc' }},\n  {broken},\n])\n"),
    );
    for first in [
        "\"b\n${c}\"",
        "f('b\nc')",
        "$b.map |$c| { $d = $c $d }",
        "$b\n+ 1",
        "{ c => # d\n1 }",
        "{ c => { d => [\n1] } }",
        "$b ? {\n1 => 2 }",
        "f(\n1)",
    ] {
        for text in [format!("$a = [{first}, {hash}]"), format!("$a = [[{first}], 1, [{hash}], {hash}]")] {
            formatted(&text, &FormatOptions::default());
        }
    }
    check("$a = [f('b\nc'), d]", "$a = [f('b\nc'), d]\n");
    check("$a = [{ a => 'b\nc' }]", "$a = [{ a => 'b\nc' }]\n");
}

#[test]
fn comments_behind_the_last_semicolon_stand_with_the_attributes() {
    for separator in [";", ",", ""] {
        check(
            &format!("file {{ ['/a',\n '/b']: ensure => file{separator}\n# c\n}}"),
            "file { [\n    '/a',\n    '/b',\n  ]:\n    ensure => file,\n    # c\n}\n",
        );
    }
}

#[test]
fn a_broken_type_stays_behind_the_operator_that_it_follows() {
    let (long, longer) = ("A".repeat(60), "B".repeat(90));
    check(
        &format!("type Port = Variant[{longer} + {longer}[1], Integer]"),
        &format!("type Port = Variant[\n  {longer}\n    + {longer}[1],\n  Integer\n]\n"),
    );
    check(
        &format!("type Port =\n  Variant[\n{longer}, {long}]"),
        &format!("type Port = Variant[\n  {longer},\n  {long}\n]\n"),
    );
}

#[test]
fn what_is_short_stays_on_its_line() {
    for text in [
        "$a.each |$b| { if $b {} }\n",
        "include a, b\n",
        "define a (Integer *$b, String $cc) {}\n",
        "class a (\n  Integer *$b,\n  Array[String] $cc = [],\n) {}\n",
        "case $a {\n  a, b: {}\n  default: {}\n}\n",
    ] {
        let once = formatted(text, &FormatOptions::default());
        assert_eq!(once, text);
    }
    check("notice c,\nd", "notice c,\n  d\n");
}

#[test]
fn the_last_argument_breaks_alone_where_it_begins_within_the_width() {
    let call = |length: usize| {
        let text = "x".repeat(length);
        format!("f('{text}', 1, 2, 3, 4, {{ a => 'bbbbbbbbbbbbbbbbbbbbbbbbbbbb' }})")
    };
    let first_line = |length: usize| {
        let text = formatted(&call(length), &FormatOptions::default());
        text.lines().next().map_or(0, str::len)
    };
    let before = call(0).find('{').expect("it has a hash") + 1;
    assert_eq!(first_line(140 - before), 140);
    assert_eq!(first_line(141 - before), "f(".len());
}
