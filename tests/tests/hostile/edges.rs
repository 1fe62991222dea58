//! Values at the limits: the smallest and the largest numbers, texts of one letter with two bytes, formats
//! whose widths exceed Rust's. Nothing panics with them: no built-in function, no expression, no method of
//! the built-in Ruby. Builds without optimisation detect overflows, too.
//!
//! `make hostile` uses all values, the tests some of them.

use std::sync::Arc;

use bunraku::diagnostic::bug::guarded;
use bunraku::diagnostic::{Error, ErrorKind};
use bunraku::eval::{BuiltIn, Site};
use bunraku::functions;
use bunraku::loader::Environment;
use bunraku::pcore::Value;
use bunraku::pcore::types::{NoTypes, Type};
use bunraku::pcore::value::{Timespan, Timestamp};
use bunraku::source::Location;
use conform::priced::{compilation, environment, narrow};
use conform::workers;

use crate::functions::EXPRESSIONS;

/// Numbers of all kinds at their edges.
fn numbers() -> Vec<Value> {
    let whole = [i64::MIN, i64::MIN + 1, -1_000_000, -1, 0, 1, 2, 31, 63, 64, 65_536, 1 << 62, i64::MAX];
    let broken = [0.0, -0.0, 0.5, 1e-320, 1e19, -1e19, 1e300, f64::MAX, f64::INFINITY, f64::NAN];
    let big = ["18446744073709551616", "-9223372036854775809", "99999999999999999999999999999999999999999"];
    let big = big.map(|digits| bunraku::pcore::number::parse_whole(digits, 10).expect("a number"));
    whole.map(Value::from).into_iter().chain(broken.map(Value::from)).chain(big).collect()
}

/// Texts that are cut in the middle of a letter, or end where more is awaited.
const TEXTS: &[&str] = &[
    "",
    "a",
    "ä",
    "äöü",
    "aä",
    "€",
    "\u{1F600}x",
    "\0",
    " ",
    "\n",
    "ä\n",
    "-",
    "+",
    ".",
    ":",
    "::",
    "/",
    "//",
    "\\",
    "'",
    "\"",
    "'ä",
    "[",
    "]",
    "[ä",
    "{",
    "}",
    "%",
    "%{",
    "%{ä",
    "%{}",
    "%{ä}",
    "${",
    "ENC[",
    "ENC[ä]",
    "a.ä",
    "a.",
    ".a",
    "'ä'.b",
    "a::ä",
    "Ä",
    "0",
    "0x",
    "0xä",
    "0b",
    "1e",
    "1eä",
    "1e999999999",
    "-9223372036854775808",
    "9223372036854775808",
    "1.",
    "1.2.3-ä",
    ">=ä",
    "1.x - 2",
    "1.2.3.4/33",
    "::/129",
    "fe80::ä%1",
    "1_000",
    "٣",
    "ß",
    "ŉ",
    "İ",
    "(ä)?",
    "(?<ä>.)",
    "\\ä",
    "[[:ä:]]",
    "(?i)ä",
    "\\",
    "C:\\",
    "\\\\ä\\",
    "/ä",
    "~",
    "~ä",
    "http://ä:99999/",
    "http://[ä",
    "a%ä",
    "a@ä",
    "2000-01-01",
    "2000-13-45T99:99:99.999999999999Z",
    "9999-ä",
    "1-23:59:59.999",
    "1d",
    "P1Dä",
    "---\n- ä: [",
    "{\"ä\":",
    "[1,",
    "ä => ä",
    "<%",
    "<%= @ä",
    "%>",
    "<%-%>",
    "Integer[",
    "Struct[{ä=>",
    "Enum['ä'",
    "Sensitive",
    "SHA-512",
    "ääääääääaääääääää",
    "md5",
    "strict_base64",
    "%s",
    "sprintf",
    "UTC",
    "+25:99",
    "Europe/ä",
    "a-z",
    "z..ä",
];

/// Formats: each letter with flags, widths and precisions, at the edges of what Rust takes.
fn formats() -> Vec<Value> {
    let sizes = ["", "0", "1", "1100", "65535", "65536", "70000", "2147483648", "99999999999999999999"];
    let mut all = Vec::new();
    for letter in "abBcdeEfgGhHIjklLmMnNopPqrsStTuUvVwWxXyYzZäÄ%+:*<{".chars() {
        for flags in ["", "#", "-", "+", "0", " ", "_", "^", "-0", "::", ":::", "+#", "1$", "*", "<ä>", "{ä}"]
        {
            all.push(Value::from(format!("%{flags}{letter}")));
        }
        for size in sizes {
            all.push(Value::from(format!("%{size}{letter}")));
            all.push(Value::from(format!("%.{size}{letter}")));
            all.push(Value::from(format!("%-0{size}.{size}{letter}")));
        }
    }
    all
}

/// Everything else.
fn others() -> Vec<Value> {
    let of = |text: &str| Value::Type(Type::parse(text, &NoTypes).expect("a type"));
    let mut all = vec![
        Value::Undef,
        Value::Default,
        Value::from(true),
        Value::array([]),
        Value::array([Value::from(i64::MIN), Value::from(i64::MAX)]),
        Value::array([Value::from("ä"), Value::from(-1)]),
        Value::array([Value::array([]), Value::array([Value::Undef])]),
        Value::hash([]),
        Value::hash([("ä".into(), Value::from(i64::MAX))]),
        Value::hash([(Value::Undef, Value::Undef), (Value::from(0.5), Value::array([]))]),
        Value::hash([("format".into(), "%70000f".into()), ("separator".into(), "".into())]),
        Value::regexp("(ä)?"),
        Value::regexp(""),
        Value::Binary(Arc::new(Vec::new())),
        Value::Binary(Arc::new(vec![0xc3, 0xff, 0])),
    ];
    for (seconds, nanoseconds) in [(i128::MIN, 0), (-1, 999_999_999), (0, 0), (i128::MAX, 999_999_999)] {
        all.push(Timespan { seconds, nanoseconds }.into());
        all.push(Timestamp { seconds, nanoseconds }.into());
    }
    all.extend(
        [
            "Integer",
            "Integer[-9223372036854775808, 9223372036854775807]",
            "Float[-1e300, 1e300]",
            "String[9223372036854775807]",
            "Array[Any, 9223372036854775807]",
            "Tuple[String, 0, 9223372036854775807]",
            "Enum['ä', '']",
            "Pattern[/ä/]",
            "Struct[{ 'ä' => Any }]",
            "Callable[0, 0]",
            "Timespan",
            "Timestamp",
            "SemVer",
            "SemVerRange",
            "Binary",
            "Type",
            "URI",
            "Sensitive",
            "Regexp",
            "Boolean",
            "Hash",
            "Object",
            "Any",
            "Undef",
            "Variant",
            "Notify['ä']",
            "Class['ä']",
        ]
        .map(of),
    );
    all
}

fn all_values() -> Vec<Value> {
    let texts = TEXTS.iter().map(|text| Value::from(*text));
    numbers().into_iter().chain(texts).chain(others()).collect()
}

/// Fails for panics.
fn assert_sound(asked: &[String], told: Vec<Result<Option<Error>, String>>) {
    let told = told.into_iter().map(|told| told.unwrap_or_else(|panic| Some(Error::internal(panic))));
    let bugs = asked.iter().zip(told).filter_map(|(asked, told)| {
        told.filter(|error| error.kind == ErrorKind::Bug).map(|error| format!("{asked}: {}", error.message))
    });
    let bugs: Vec<String> = bugs.collect();
    println!("{} asked", asked.len());
    let shown = bugs.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(bugs.is_empty(), "{} bugs:\n{shown}", bugs.len());
}

/// One of this number, a different one each time, so that each value meets many.
fn some<T>(all: impl Iterator<Item = T>, one_in: usize) -> Vec<T> {
    all.step_by(one_in).collect()
}

type Asked<'a> = (&'a BuiltIn, Vec<Value>);

fn call(environment: &Environment, (function, values): &Asked<'_>) -> Option<Error> {
    let compilation = compilation(environment, &[], narrow());
    let ask = || {
        compilation.with_evaluator(|evaluator| {
            let place = Location::default();
            evaluator.call_external(compilation.top_scope(), function.name, values, None, Site::At(&place))
        })
    };
    match guarded(ask) {
        Ok(answer) => answer.err(),
        Err(bug) => Some(bug),
    }
}

fn no_function_panics(one_in: usize) {
    let environment = environment("", &[]).expect("an environment");
    let mut functions: Vec<&BuiltIn> = functions::table().functions().collect();
    functions.sort_by_key(|function| function.name);
    if let Ok(wanted) = std::env::var("BUNRAKU_ONLY") {
        functions.retain(|function| function.name.contains(&wanted));
    }
    let values = all_values();
    let mut arguments: Vec<Vec<Value>> = vec![Vec::new()];
    arguments.extend(values.iter().map(|one| vec![one.clone()]));
    for (at, one) in values.iter().enumerate() {
        arguments.extend(values.iter().map(|other| vec![one.clone(), other.clone()]));
        for step in [1, 7, 31] {
            let next = |count: usize| values[(at + count * step) % values.len()].clone();
            arguments.push(vec![one.clone(), next(1), next(2)]);
            arguments.push(vec![one.clone(), next(1), next(2), next(3)]);
        }
    }
    let pairs = functions.iter().flat_map(|function| arguments.iter().map(move |values| (*function, values)));
    let mut asked: Vec<Asked<'_>> =
        some(pairs, one_in).into_iter().map(|(function, values)| (function, values.clone())).collect();
    let by_format = functions.iter().filter(|function| {
        ["sprintf", "strftime", "scanf", "new", "String", "format"]
            .iter()
            .any(|name| function.name.ends_with(name))
    });
    let targets = [
        Value::from(1.5),
        Value::from(i64::MIN),
        Value::from("ä"),
        Value::array([Value::from(1.5), Value::from("ä")]),
        Timespan { seconds: i128::MAX, nanoseconds: 1 }.into(),
        Timestamp { seconds: i128::MIN, nanoseconds: 1 }.into(),
        Value::Type(Type::parse("String", &NoTypes).expect("a type")),
    ];
    let formats = formats();
    for function in by_format {
        for format in some(formats.iter(), one_in.div_ceil(8)) {
            for target in &targets {
                asked.push((function, vec![format.clone(), target.clone()]));
                asked.push((function, vec![target.clone(), format.clone()]));
                asked.push((function, vec![target.clone(), Value::from(1.5), format.clone()]));
            }
        }
    }
    let names: Vec<String> =
        asked.iter().map(|(function, values)| format!("{}{values:?}", function.name)).collect();
    assert_sound(&names, workers::run_all(&asked, |asked| call(&environment, asked)));
}

/// Evaluates a text with variables.
fn evaluate(environment: &Environment, variables: &[(&str, Value)]) -> Option<Error> {
    let compilation = compilation(environment, variables, narrow());
    guarded(|| compilation.compile().map(drop)).unwrap_or_else(Err).err()
}

fn no_expression_panics(one_in: usize) {
    let values = all_values();
    let environments: Vec<(&str, Environment)> =
        EXPRESSIONS.iter().map(|text| (*text, environment(text, &[]).expect("an environment"))).collect();
    let pairs = values.iter().flat_map(|a| values.iter().map(move |b| (a, b)));
    let asked: Vec<_> =
        environments.iter().flat_map(|one| pairs.clone().map(move |(a, b)| (one, a, b))).collect();
    let asked = some(asked.into_iter(), one_in);
    let names: Vec<String> =
        asked.iter().map(|((text, _), a, b)| format!("{text} of {a:?}, {b:?}")).collect();
    let ask = |((_, environment), a, b): &(&(&str, Environment), &Value, &Value)| {
        evaluate(environment, &[("a", (*a).clone()), ("b", (*b).clone())])
    };
    assert_sound(&names, workers::run_all(&asked, ask));
}

fn no_method_panics(one_in: usize) {
    let code = "inline_template('<%= @r.public_send(@m, *@v).inspect %>')";
    let environment = environment(code, &[]).expect("an environment");
    let mut methods: Vec<&str> =
        bunraku::ruby::methods().into_iter().flat_map(|(_, methods, _)| methods).collect();
    methods.sort_unstable();
    methods.dedup();
    let values = all_values();
    let mut asked = Vec::new();
    for method in &methods {
        for receiver in &values {
            asked.push((*method, receiver, Vec::new()));
            asked.extend(values.iter().map(|one| (*method, receiver, vec![one.clone()])));
            let twos = values.iter().zip(values.iter().skip(7));
            asked.extend(twos.map(|(one, two)| (*method, receiver, vec![one.clone(), two.clone()])));
        }
    }
    let asked = some(asked.into_iter(), one_in);
    let names: Vec<String> =
        asked.iter().map(|(method, receiver, values)| format!("{receiver:?}.{method}{values:?}")).collect();
    let ask = |(method, receiver, values): &(&str, &Value, Vec<Value>)| {
        let receiver = (*receiver).clone();
        evaluate(
            &environment,
            &[("r", receiver), ("m", (*method).into()), ("v", Value::array(values.clone()))],
        )
    };
    assert_sound(&names, workers::run_all(&asked, ask));
}

/// Programs with numbers that are at the edges only in the middle of something: in patterns, times, types.
const PROGRAMS: &[&str] = &[
    "[[1]].each |Integer $a, Array[Any, 9223372036854775807] *$b| { notice($a) }",
    "notice(Timestamp('9223372036854775807 12', '%C %y'))",
    "notice(Timestamp('-9223372036854775807 12', '%C %y'))",
    "notice(Timestamp('2020-01-01', '%F', '+9999:99999999:99'))",
    "notice(Timestamp('2020-01-01 +1:2147483647:9', '%F %z'))",
    "notice(strftime(Timestamp(0), '%F', '+9999:2147483647'))",
    "notice('a' =~ /(?<=((((a{100000}){100000}){100000}){100000}))/)",
    "notice('a' =~ /(?<=(((a{100000}){100000}){100000})(((a{100000}){100000}){100000}){9000})/)",
    "notice('a' =~ /(a)\\k<+9223372036854775807>/)",
    "notice('a' =~ Regexp('\\\\x{ffffffffffffffff}'))",
    "notice('a' =~ Regexp('\\\\77777777777777777777'))",
    "notice(inline_template('<%= [[1]].flatten(-9223372036854775808) %>'))",
    "notice(inline_template('<%= Time.at(0) - Rational(-170141183460469231731687303715884105728, 1) %>'))",
    "notice(inline_template('<%= Time.at(1 << 47) - Time.at(-(1 << 47)) %>'))",
    "notice(Timespan({ days => 9223372036854775807, hours => 9223372036854775807 }))",
    "notice(SemVerRange('>9007199254740990'), SemVerRange('~9007199254740990.9007199254740990'))",
];

#[test]
fn programs_with_numbers_at_the_edges_do_not_panic() {
    let environments: Vec<(&str, Environment)> =
        PROGRAMS.iter().map(|text| (*text, environment(text, &[]).expect("an environment"))).collect();
    let names: Vec<String> = PROGRAMS.iter().map(|text| (*text).to_owned()).collect();
    assert_sound(&names, workers::run_all(&environments, |(_, one)| evaluate(one, &[])));
}

#[test]
fn functions_take_values_at_the_edges() {
    no_function_panics(397);
}

#[test]
fn expressions_take_values_at_the_edges() {
    no_expression_panics(499);
}

#[test]
fn methods_of_the_built_in_ruby_take_values_at_the_edges() {
    no_method_panics(4_999);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn all_functions_take_all_values_at_the_edges() {
    no_function_panics(17);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn all_expressions_take_all_values_at_the_edges() {
    no_expression_panics(5);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn all_methods_of_the_built_in_ruby_take_all_values_at_the_edges() {
    no_method_panics(97);
}
