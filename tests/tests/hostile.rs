//! Hostile manifests: everything that nests, nested 100,000 deep, on a stack of one megabyte. Each is read, checked, written
//! and dropped, or refused with an error that has a place.

use std::sync::Arc;
use std::thread;

use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, binary, parse, parse_recovering, pn};

/// How deep.
const DEPTH: usize = 100_000;
/// What the thread has of a stack: as much as threads of Ruby. Code that is not optimised takes several times as much.
const STACK: usize = if cfg!(debug_assertions) { 8 << 20 } else { 1 << 20 };

/// A construct: its name, what opens a level, what is innermost, and what closes a level.
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
fn texts() -> Vec<(&'static str, String)> {
    let nested =
        |opening: &str, core: &str, closing: &str| opening.repeat(DEPTH) + core + &closing.repeat(DEPTH);
    let mut texts: Vec<(&str, String)> = CONSTRUCTS
        .iter()
        .flat_map(|&(name, opening, core, closing)| {
            // Open ends are as hostile as what is whole.
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
fn what_nests_100_000_deep_is_refused_or_works() {
    let worker = thread::Builder::new().stack_size(STACK).spawn(|| {
        let mut refused = 0;
        let texts = texts();
        for (name, text) in &texts {
            for (epp, tasks) in [(false, false), (false, true), (true, false)] {
                refused += usize::from(!exercise(name, text, &ParseOptions { epp, tasks }));
            }
        }
        println!("{} texts, {refused} refused", 3 * texts.len());
    });
    worker.expect("a thread can be started").join().expect("nothing panics");
}

/// Does all there is to do with a text. False when it is refused.
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
    drop(pn::to_data(program, program.body()));
    if let Ok(text) = pn::to_text(program, program.body()) {
        let _ = pn::read(&text);
    }
    let bytes = binary::write(program);
    let read = binary::read(&bytes).expect("what was written can be read");
    assert_eq!(read.node_count(), program.node_count());
}

#[test]
fn notation_that_nests_100_000_deep_is_refused() {
    let worker = thread::Builder::new().stack_size(STACK).spawn(|| {
        for (opening, closing) in [("[", "]"), ("{:a ", "}"), ("(a ", ")")] {
            let text = opening.repeat(DEPTH) + "1" + &closing.repeat(DEPTH);
            assert!(pn::read(&text).is_err(), "{opening}");
            assert!(pn::read(&opening.repeat(DEPTH)).is_err(), "{opening}");
        }
    });
    worker.expect("a thread can be started").join().expect("nothing panics");
}
