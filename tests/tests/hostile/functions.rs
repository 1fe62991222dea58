//! Every built-in function and every operator with large arguments: a thousand steps take at most a second.
//! The arguments cost less than that, so that the functions do run. With great texts and any number of steps
//! they end soon after their time is up.
//!
//! `make hostile` runs all. Three of the tests use all arguments, two some of them. `BUNRAKU_ONLY=TEXT`
//! selects the functions whose names contain the text; `BUNRAKU_SHOW=1` prints each call as it begins.

use std::time::Duration;

use bunraku::compiler::Limits;
use bunraku::eval::{BuiltIn, Site};
use bunraku::functions;
use bunraku::loader::Environment;
use bunraku::pcore::Value;
use bunraku::pcore::ruby::{json, psych};
use bunraku::pcore::types::{NoTypes, Type};
use bunraku::source::Location;
use conform::priced::{assert_short, compilation, environment, narrow, timed};
use conform::workers;

/// The size of each large text in bytes: two of them, and a result from them, are within the steps.
const SIZE: usize = if cfg!(debug_assertions) { 60_000 } else { 300_000 };

/// The size of each great text in bytes. Without optimisation a smaller one takes as long.
const GREAT_SIZE: usize = if cfg!(debug_assertions) { 2 << 20 } else { 32 << 20 };

/// The large arguments, with texts of this number of bytes.
fn large(size: usize) -> Vec<(&'static str, Value)> {
    let repeated = |text: &str| Value::from(text.repeat(size / text.len()));
    let count = size as i64 / 32;
    let texts = || (0..count / 2).map(|at| Value::from(format!("text {at} with some length")));
    let entries = |value: &dyn Fn(i64) -> Value| {
        Value::hash((0..count / 2).map(|at| (Value::from(format!("key{at}")), value(at))))
    };
    let nested = (0..500).fold(Value::from(1), |inner, _| Value::array([inner]));
    let text_of = |value: &Value, as_yaml: bool| {
        Value::from(if as_yaml {
            psych::generate(value, &psych::Layout::default())
        } else {
            json::to_json(value, false).unwrap_or_default()
        })
    };
    let hash = entries(&|at| Value::array([Value::from(at), Value::from("x")]));
    let names = (0..count / 4).map(|at| format!("'name{at}'")).collect::<Vec<_>>().join(",");
    let enumeration = Type::parse(&format!("Enum[{names}]"), &NoTypes).expect("a type");
    let big = "9".repeat(20_000);
    vec![
        ("text", repeated("aB3 ./-%{x}é\n")),
        ("letters", repeated("a")),
        ("digits", repeated("7")),
        ("big digits", Value::from(big.clone())),
        ("big", bunraku::pcore::number::parse_whole(&big, 10).expect("a number")),
        ("version", repeated("1.")),
        ("formats", repeated("%s%d")),
        ("dots", repeated("a.b::")),
        ("brackets", repeated("[")),
        ("quotes", repeated("'\"\\")),
        ("lines", repeated("a: b\n")),
        ("numbers", Value::array((0..count).map(Value::from))),
        ("texts", Value::array(texts())),
        ("pairs", Value::array((0..count / 4).map(|at| Value::array([Value::from(at), Value::from("x")])))),
        ("hashes", Value::array((0..count / 8).map(|at| Value::hash([("a".into(), Value::from(at))])))),
        ("hash", hash.clone()),
        ("resources", entries(&|_| Value::hash([("message".into(), "x".into())]))),
        ("nested", nested),
        ("json", text_of(&hash, false)),
        ("yaml", text_of(&hash, true)),
        ("binary", Value::Binary(std::sync::Arc::new(vec![65; size]))),
        ("enumeration", Value::Type(enumeration)),
    ]
}

/// The small arguments, some of which request large results.
fn small() -> Vec<(&'static str, Value)> {
    let of = |text: &str| Value::Type(Type::parse(text, &NoTypes).expect("a type"));
    vec![
        ("''", Value::from("")),
        ("'a'", Value::from("a")),
        ("'.'", Value::from(".")),
        ("'%s'", Value::from("%s")),
        ("'%1000000d'", Value::from("%1000000d")),
        ("'(a|a)*b'", Value::from("(a|a)*b")),
        ("1", Value::from(1)),
        ("10**9", Value::from(1_000_000_000)),
        ("-1", Value::from(-1)),
        ("1.5", Value::from(1.5)),
        ("true", Value::from(true)),
        ("undef", Value::Undef),
        ("[]", Value::array([])),
        ("{}", Value::hash([])),
        ("/(a+)+b/", Value::regexp("(a+)+b")),
        ("String", of("String")),
        ("Integer[1, 10**9]", of("Integer[1, 1000000000]")),
        ("Float", of("Float")),
        ("Sensitive", of("Sensitive")),
        ("Timestamp", of("Timestamp")),
        ("SemVer", of("SemVer")),
        ("Type", of("Type")),
    ]
}

type Arguments = Vec<(&'static str, Value)>;

/// The combinations of arguments: one, two and three, at least one of them large, and only small ones.
fn combinations() -> Vec<Arguments> {
    let (large, small) = (large(SIZE), small());
    let mut all: Vec<Arguments> = large.iter().chain(&small).map(|one| vec![one.clone()]).collect();
    for one in &large {
        for other in small.iter().chain(&large) {
            all.push(vec![one.clone(), other.clone()]);
            all.push(vec![other.clone(), one.clone()]);
        }
        for other in &large {
            all.push(vec![one.clone(), small[1].clone(), other.clone()]);
        }
        for (other, third) in [(1, 2), (1, 1), (6, 7), (6, 1), (14, 1), (3, 1)] {
            all.push(vec![one.clone(), small[other].clone(), small[third].clone()]);
        }
    }
    for one in &small {
        all.extend(small.iter().map(|other| vec![one.clone(), other.clone()]));
    }
    all
}

fn named(name: &str, arguments: &Arguments) -> String {
    let arguments: Vec<_> = arguments.iter().map(|(name, _)| *name).collect();
    format!("{name}({})", arguments.join(", "))
}

/// The part of a run that uses one in this number.
fn some<T>(all: Vec<T>, one_in: usize) -> Vec<T> {
    all.into_iter().step_by(one_in).collect()
}

fn functions_take_no_longer(one_in: usize) {
    assert_short(time_of_calls(&combinations(), one_in, &narrow()));
}

/// Functions with great texts and without a limit of steps end within a second after their time is up: none
/// continues for longer without a look at the clock.
fn great_texts_end_in_time(one_in: usize) {
    let great: Vec<_> =
        large(GREAT_SIZE).into_iter().filter(|(_, value)| matches!(value, Value::String(_))).collect();
    let small = small();
    let combinations: Vec<Arguments> = great
        .iter()
        .flat_map(|one| {
            let [a, dot, format, one_of] = [1, 2, 3, 14].map(|at| small[at].clone());
            [
                vec![one.clone()],
                vec![one.clone(), dot],
                vec![a.clone(), one.clone()],
                vec![one.clone(), one.clone()],
                vec![one.clone(), one_of, a],
                vec![format, one.clone()],
            ]
        })
        .collect();
    let limits = Limits { steps: None, cpu_seconds: Some(1), ..Limits::default() };
    let mut taken = time_of_calls(&combinations, one_in, &limits);
    taken.iter_mut().for_each(|(_, time)| *time = time.saturating_sub(Duration::from_secs(1)));
    assert_short(taken);
}

/// The processor time of calls of all functions.
fn time_of_calls(combinations: &[Arguments], one_in: usize, limits: &Limits) -> Vec<(String, Duration)> {
    let environment = environment("", &[]).expect("an environment");
    let mut all: Vec<&BuiltIn> = functions::table().functions().collect();
    all.sort_by_key(|function| function.name);
    if let Ok(wanted) = std::env::var("BUNRAKU_ONLY") {
        all.retain(|function| function.name.contains(&wanted));
    }
    let work: Vec<(&BuiltIn, usize)> =
        all.iter().flat_map(|function| (0..combinations.len()).map(move |at| (*function, at))).collect();
    let work = some(work, one_in);
    let is_shown = std::env::var_os("BUNRAKU_SHOW").is_some();
    let taken = workers::run_all(&work, |(function, at)| {
        let arguments = &combinations[*at];
        if is_shown {
            println!("{:?} {}", std::thread::current().id(), named(function.name, arguments));
        }
        (named(function.name, arguments), call(&environment, function, arguments, limits))
    });
    let taken: Vec<_> = taken.into_iter().map(|taken| taken.expect("no function panics")).collect();
    println!("{} calls", taken.len());
    taken
}

fn call(environment: &Environment, function: &BuiltIn, arguments: &Arguments, limits: &Limits) -> Duration {
    let compilation = compilation(environment, &[], limits.clone());
    let values: Vec<Value> = arguments.iter().map(|(_, value)| value.clone()).collect();
    let ask = || {
        compilation.with_evaluator(|evaluator| {
            let place = Location::default();
            evaluator.call_external(compilation.top_scope(), function.name, &values, None, Site::At(&place))
        })
    };
    timed(ask).1
}

/// Expressions of `$a` and `$b`.
pub(crate) const EXPRESSIONS: &[&str] = &[
    "$a == $b",
    "$a != $b",
    "$a < $b",
    "$a >= $b",
    "$a in $b",
    "$a in [$b, $b]",
    "$a =~ $b",
    "$a !~ /(a|b)*c/",
    "$a + $b",
    "$a - $b",
    "$a * $b",
    "$a / $b",
    "$a % $b",
    "$a << $b",
    "$a >> $b",
    "-$a",
    "!$a",
    "[*$a]",
    "[*$a, *$b]",
    "$a[$b]",
    "$a[1, -1]",
    "$a[0]",
    "{ $a => 1 }[$b]",
    "{ $a => 1, $b => 2 }",
    "\"${a}${b}\"",
    "\"${a}\" == \"${b}\"",
    "@(END:json)\n${a}\n| END\n",
    "case $a { $b: { 1 } /x$/: { 2 } Array[String]: { 3 } default: { 4 } }",
    "$a ? { $b => 1, *$b => 2, default => 3 }",
    "[$a] == [$b]",
    "$a =~ Array[Variant[Integer, Hash[String, Tuple[Integer, String]]]]",
    "$a =~ Pattern[/(a|aa)+$/]",
    "Enum[$a] == Enum[$b]",
    "Struct[{ a => Enum[$a] }] =~ Type[Struct[{ a => Enum[$b] }]]",
    "type($a)",
    "String($a, '%#p')",
    "String.new($a, { Array => { format => '%#a', separator => $b } })",
    "Integer($a)",
    "Float(\"${a}.0\")",
    "Numeric($a)",
    "Boolean($a)",
    "Array($a, true)",
    "Hash($a)",
    "Tuple($a)",
    "Struct($a)",
    "Binary($a)",
    "Regexp($a)",
    "SemVer($a)",
    "SemVerRange($a)",
    "Timespan($a)",
    "Timestamp($a)",
    "Timestamp($a, $b)",
    "URI($a)",
    "Sensitive($a)",
    "Type($a)",
    "$a.each |$x| { $x }",
    "$a.map |$x| { $a == $b }",
    "$a.filter |$x| { $x == $b }",
    "$a.reduce |$m, $x| { $x }",
    "$a.reduce($b) |$m, $x| { $m + $x }",
    "$a.slice(2) |$x| { $x }",
    "$a.group_by |$x| { $x }",
    "$a.sort |$x, $y| { compare($x, $y) }",
    "$a.tree_each |$x| { $x }",
    "$a.any |$x| { $x == $b }",
    "$a.each |Integer $x| { }",
    "$a.with |Hash[String, Array] $x| { }",
    "with($a, $b) |$x, $y| { $x == $y }",
    "inline_epp(@(E))\n<% $a.each |$x| { %><%= $x %><% } %>\nE\n",
    "inline_template('<%= @a.to_s + @b.to_s %>')",
    "inline_template('<%= @a == @b %><% @a.each { |x| %><%= x %><% } %>')",
    "inline_template('<%= @a.gsub(/a/, @b) %>')",
    "inline_template('<%= @a.sort.uniq.flatten.inspect %>')",
    "inline_template('<% 900.times { @a.upcase } %>')",
    "inline_template('<% 900.times { @a == @b.dup } %>')",
    "inline_template('<% 900.times { @a.hash; { @a => 1 } } %>')",
    "inline_template('<% 900.times { @a + @b } %>')",
    "inline_template('<% 900.times { @a.inspect } %>')",
    "inline_template('<% 900.times { @a.include?(@b) } %>')",
    "inline_template('<% x = @a.to_i; 9.times { x = x * x }; %><%= x %>')",
    "inline_template('<%= 3 ** 1000000 %>')",
    "inline_template('<%= (@a.to_i ** 50).to_s.size %>')",
    "notify { $a: message => $b }",
    "notify { 'a': message => $a, tag => $b }",
    "notice($a, $b)",
    "file { '/a': content => $a } File <| content == $b |>",
    "lookup($a, default_value => $b)",
    "lookup({ name => $a, default_values_hash => $b })",
];

fn expressions_take_no_longer(one_in: usize) {
    let values: Vec<_> = large(SIZE).into_iter().chain(small()).collect();
    let wanted = std::env::var("BUNRAKU_ONLY").unwrap_or_default();
    let pairs = || (0..values.len()).flat_map(|a| (0..values.len()).map(move |b| (a, b)));
    let pairs: Vec<(usize, usize)> = some(pairs().collect(), one_in);
    let environments: Vec<(&str, Environment)> = EXPRESSIONS
        .iter()
        .filter(|text| text.contains(&wanted))
        .map(|text| (*text, environment(text, &[]).expect("an environment")))
        .collect();
    let work: Vec<_> = environments
        .iter()
        .flat_map(|expression| pairs.iter().map(move |pair| (expression, *pair)))
        .collect();
    let taken = workers::run_all(&work, |((text, environment), (a, b))| {
        let ((a, left), (b, right)) = (&values[*a], &values[*b]);
        let variables = [("a", left.clone()), ("b", right.clone())];
        let compilation = compilation(environment, &variables, narrow());
        (format!("{text} of {a}, {b}"), timed(|| compilation.compile()).1)
    });
    let taken: Vec<_> = taken.into_iter().map(|taken| taken.expect("no expression panics")).collect();
    println!("{} expressions", taken.len());
    assert_short(taken);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn a_thousand_steps_of_functions_take_no_longer_than_a_second() {
    functions_take_no_longer(41);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn a_thousand_steps_of_expressions_take_no_longer_than_a_second() {
    expressions_take_no_longer(31);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn functions_of_great_texts_look_at_the_clock() {
    great_texts_end_in_time(1);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn all_functions_with_all_arguments() {
    functions_take_no_longer(1);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn all_expressions_with_all_values() {
    expressions_take_no_longer(1);
}
