//! Hostile manifests: every nesting construct, nested 30,000 deep, on a small stack. Each is parsed, checked,
//! written and dropped, or rejected with an error that has a place. Every construct that works 3 deep works
//! 1,000 deep.

use std::sync::Arc;
use std::thread;

use bunraku::compiler::{self, CompileOptions, request};
use bunraku::diagnostic::Error;
use bunraku::host::disk::DiskHost;
use bunraku::notation;
use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, binary, parse, parse_recovering, pn};
use serde_json::{Value as Json, json};

/// The nesting.
const DEPTH: usize = 30_000;
/// The nesting that must work.
const SUPPORTED: usize = 1_000;
/// The thread's stack: no larger than that of C threads with the smallest stacks. Unoptimised code takes
/// several times as much.
const STACK: usize = if cfg!(debug_assertions) { 256 << 10 } else { 64 << 10 };

/// And where chains are as long as they may be: as much as threads of Ruby have.
const STACK_FOR_CHAINS: usize = if cfg!(debug_assertions) { 8 << 20 } else { 1 << 20 };

/// A construct: its name, the beginning of a level, the innermost part, and the end of a level.
type Construct = (&'static str, &'static str, &'static str, &'static str);

const CONSTRUCTS: &[Construct] = &[
    ("arrays", "[", "1", "]"),
    ("hashes", "{ a => ", "1", " }"),
    ("keys of hashes", "{ ", "1", " => 1 }"),
    ("parentheses", "(", "1", ")"),
    ("not", "!", "true", ""),
    ("minus", "-", "1", ""),
    ("unfolding", "*", "[1]", ""),
    ("blocks of classes", "class a { ", "", " }"),
    ("blocks of defined types", "define a { ", "", " }"),
    ("blocks of nodes", "node a { ", "", " }"),
    ("blocks of functions", "function a() { ", "", " }"),
    ("blocks of defined types with parameters", "define a($b = 1) { ", "", " }"),
    ("blocks of plans", "plan a() { ", "", " }"),
    ("blocks of apply", "apply(1) { ", "", " }"),
    ("if", "if true { ", "1", " }"),
    ("tests of if", "if if true { 1 } { ", "1", " }"),
    ("unless", "unless true { ", "1", " }"),
    ("case", "case 1 { 1: { ", "1", " } }"),
    ("values of case", "case 1 { ", "1", ": { } }"),
    ("else if", "if true { } els", "if true { }", ""),
    ("else", "if true { } else { ", "1", " }"),
    ("lambdas", "f() |$a| { ", "1", " }"),
    ("defaults of lambdas", "f() |$a = ", "1", "| { }"),
    ("calls", "f(", "1", ")"),
    ("calls of calls", "", "f", "(1)"),
    ("statement calls", "include(", "a", ")"),
    ("keys", "", "$a", "[1]"),
    ("keys in keys", "$a[", "1", "]"),
    ("method calls", "", "$a", ".f"),
    ("method calls with arguments", "$a.f(", "1", ")"),
    ("interpolations", "\"${", "1", "}\""),
    ("selectors", "", "$a", " ? { 1 => 2 }"),
    ("values of selectors", "$a ? { 1 => ", "1", " }"),
    ("values of selectors without braces", "$a ? 1 => ", "1", ""),
    ("left of sums", "", "1", " + 1"),
    ("comparisons", "", "1", " < 1"),
    ("or", "1 or ", "1", ""),
    ("in", "", "1", " in [1]"),
    ("assignments", "$a = ", "1", ""),
    ("relationships", "", "A['a']", " -> A['a']"),
    ("resources", "file { ", "'a':", " }"),
    ("values of attributes", "file { 'a': a => ", "1", " }"),
    ("overrides", "", "A['a']", " { a => 1 }"),
    ("queries", "A <| a == 1 and (", "a == 1", ") |>"),
    ("parentheses in queries", "(", "A <| a == 1 |>", ")"),
    ("collectors", "", "A", " <| |>"),
    ("virtual resources", "@", "file { 'a': }", ""),
    ("types", "type A = Array[", "Integer", "]"),
    ("types of parameters", "Array[", "Integer", "]"),
    ("statements", "", "1", " 1"),
    ("names", "a::", "b", ""),
    ("regular expressions", "/(", "a", ")/"),
    ("braces that close nothing", "}", "", ""),
    ("braces that open nothing", "{", "", ""),
    ("quotes", "\"", "", "'"),
    ("templates", "<%= ", "1", " %>"),
];

/// Nestings with something around them.
fn wholes(depth: usize) -> Vec<(&'static str, String)> {
    let nested =
        |opening: &str, core: &str, closing: &str| opening.repeat(depth) + core + &closing.repeat(depth);
    let heredocs = |closed: bool| {
        let opened: String = (0..depth).map(|level| format!("@(\"E{level}\")\n${{")).collect();
        let closing: String = (0..depth).rev().map(|level| format!("}}\nE{level}\n")).collect();
        opened + "1" + if closed { &closing } else { "" }
    };
    let mut texts: Vec<(&str, String)> = CONSTRUCTS
        .iter()
        .map(|&(name, opening, core, closing)| (name, nested(opening, core, closing)))
        .collect();
    texts.push(("types", format!("type A = {}", nested("Array[", "Integer", "]"))));
    texts.push(("types of parameters", format!("class a({} $b) {{ }}", nested("Array[", "Integer", "]"))));
    texts.push(("one query", format!("A <| {} |>", nested("(", "a == 1", ")"))));
    texts.push(("one chain in a query", format!("A <| {}a == 1 |>", "a == 1 and ".repeat(depth))));
    texts.push(("lambdas in lambdas", nested("f |$a| { ", "1", " }")));
    texts.push(("lambdas that run", nested("1.with |$a| { ", "1", " }")));
    texts.push(("else of else", nested("if false { } else { if false { } else { ", "1", " } }")));
    texts.push(("calls that run", nested("max(", "1", ", 2)")));
    texts.push(("chains that run", format!("$a = [1] {}", nested("", "$a", ".flatten"))));
    texts.push(("sums on the right", nested("1 + (", "1", ")")));
    texts.push(("heredocs", heredocs(true)));
    texts
}

/// Nestings, whole and open.
fn texts() -> Vec<(&'static str, String)> {
    let nested =
        |opening: &str, core: &str, closing: &str| opening.repeat(DEPTH) + core + &closing.repeat(DEPTH);
    let mut texts: Vec<(&str, String)> = CONSTRUCTS
        .iter()
        .flat_map(|&(name, opening, core, closing)| {
            // Unclosed text is as hostile as complete text.
            [
                (name, nested(opening, core, closing)),
                (name, opening.repeat(DEPTH)),
                (name, closing.repeat(DEPTH)),
            ]
        })
        .collect();
    texts.push(("types", format!("type A = {}", nested("Array[", "Integer", "]"))));
    texts.push(("types of parameters", format!("class a({} $b) {{ }}", nested("Array[", "Integer", "]"))));
    texts.push(("one query", format!("A <| {} |>", nested("(", "a == 1", ")"))));
    texts.push(("one chain in a query", format!("A <| {}a == 1 |>", "a == 1 and ".repeat(DEPTH))));
    texts.push(("a regular expression", format!("$a =~ /{}/", nested("(", "a", ")"))));
    texts.push(("lambdas in lambdas", nested("f |$a| { ", "1", " }")));
    texts.push(("heredocs", (0..DEPTH).fold(String::new(), |text, _| text + "@(\"E\")\n${") + "1"));
    let heredocs = nested("@(\"E\")\n${", "1", "}\nE\n");
    texts.push(("closed heredocs", heredocs));
    texts.push(("classes in files", format!("{} {}", nested("class a { ", "", "}"), "1 ".repeat(DEPTH))));
    texts
}

#[test]
fn what_nests_30_000_deep_is_refused_or_works() {
    let worker = thread::Builder::new().stack_size(STACK_FOR_CHAINS).spawn(|| {
        let mut refused = 0;
        let texts = texts();
        for (name, text) in &texts {
            for (epp, tasks) in [(false, false), (false, true), (true, false)] {
                refused += usize::from(!exercise(
                    name,
                    text,
                    &ParseOptions { epp, tasks, ..ParseOptions::default() },
                ));
            }
        }
        println!("{} texts, {refused} refused", 3 * texts.len());
    });
    worker.expect("a thread can be started").join().expect("nothing panics");
}

/// Applies all operations to a text. Returns false if it is rejected.
fn exercise(name: &str, text: &str, options: &ParseOptions) -> bool {
    let source = Arc::new(Source::new(None, text));
    let recovered = parse_recovering(Arc::clone(&source), options);
    write(&recovered.program);
    match parse(source, options) {
        Ok(program) => {
            assert!(recovered.errors.is_empty(), "{name}");
            validate(&program, &ValidateOptions { tasks: options.tasks, ..ValidateOptions::default() });
            write(&program);
            true
        }
        Err(error) => {
            let has_place = error.location.line.is_some() || error.message.ends_with("end of input");
            assert!(has_place, "{name}: {error:?}");
            assert_eq!(recovered.errors.first(), Some(&error), "{name}");
            false
        }
    }
}

/// Writes a program in all forms, and reads them back.
fn write(program: &Program) {
    // As deep as the program.
    notation::to_data(program, program.body()).into_iter().for_each(take_apart);
    if let Ok(text) = pn::to_text(program, program.body()) {
        notation::read(&text).into_iter().for_each(take_apart);
    }
    let bytes = binary::write(program);
    let read = binary::read(&bytes).expect("what was written can be read");
    assert_eq!(read.node_count(), program.node_count());
}

#[test]
fn notation_that_nests_30_000_deep_is_refused() {
    let worker = thread::Builder::new().stack_size(STACK).spawn(|| {
        for (opening, closing) in [("[", "]"), ("{:a ", "}"), ("(a ", ")")] {
            let text = opening.repeat(DEPTH) + "1" + &closing.repeat(DEPTH);
            assert!(notation::read(&text).is_err(), "{opening}");
            assert!(notation::read(&opening.repeat(DEPTH)).is_err(), "{opening}");
        }
    });
    worker.expect("a thread can be started").join().expect("nothing panics");
}

/// Runs work on a small stack.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let worker = thread::Builder::new().stack_size(STACK).spawn(work);
    worker.expect("a thread can be started").join().expect("nothing panics");
}

/// Constructs that are rejected at a smaller depth for their own reasons: patterns as in Onigmo, quotes if
/// their number is even.
const SHALLOW: &[&str] = &["regular expressions", "quotes"];

#[test]
fn what_nests_a_little_nests_deep() {
    on_small_stack(|| {
        let mut count = 0;
        for ((name, little), (_, deep)) in wholes(3).into_iter().zip(wholes(SUPPORTED)) {
            for (epp, tasks) in [(false, false), (false, true), (true, false)] {
                let options = ParseOptions { epp, tasks, ..ParseOptions::default() };
                let is_read = |text: &str| parse(Arc::new(Source::new(None, text)), &options).map(drop);
                if SHALLOW.contains(&name) || is_read(&little).is_err() {
                    continue;
                }
                is_read(&deep).unwrap_or_else(|error| panic!("{name}: {error:?}"));
                assert!(exercise(name, &deep, &options), "{name}");
                count += 1;
            }
        }
        assert!(count > 60, "{count}");
    });
}

#[test]
fn what_runs_nested_a_little_runs_nested_deep() {
    on_small_stack(|| {
        let mut count = 0;
        for ((name, little), (_, deep)) in wholes(3).into_iter().zip(wholes(SUPPORTED)) {
            if SHALLOW.contains(&name) || compile(&little).is_err() {
                continue;
            }
            compile(&deep).unwrap_or_else(|error| panic!("{name}: {error}"));
            count += 1;
        }
        assert!(count > 25, "{count}");
    });
}

#[test]
fn what_is_nested_too_deep_runs_over_a_limit_with_a_place() {
    on_small_stack(|| {
        for (opening, closing) in [("[", "]"), ("if true { ", " }"), ("1 + ", "1")] {
            let error =
                compile(&(opening.repeat(DEPTH) + &closing.repeat(DEPTH))).expect_err("it is too deep");
            assert!(error.kind.is_limit() && error.location.line == Some(1), "{error:?}");
        }
    });
}

/// Compiles a text.
fn compile(code: &str) -> Result<(), Error> {
    let request = json!({ "code": code, "modulepath": [], "node": "n", "settings": { "strict": "warning" } });
    let request = request::whole(&request)?;
    let environment = request::load_environment(Arc::new(DiskHost), &request)?;
    let node = request::node_input(&request)?;
    compiler::compile(&environment, node, CompileOptions::default()).outcome.map(drop)
}

/// Drops data without recursion.
fn take_apart(data: Json) {
    let mut left = vec![data];
    while let Some(one) = left.pop() {
        match one {
            Json::Array(values) => left.extend(values),
            Json::Object(members) => left.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
}
