//! The jobs that are timed, so that `cargo bench` and the comparison with the reference (`make bench`) time the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::catalog::Catalog;
use bunraku::compiler::{self, Compilation, Limits, NodeInput, request};
use bunraku::host::disk::DiskHost;
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};
use bunraku::pcore::Value;
use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, parse};
use serde_json::json;

/// Programs for the evaluator: name and text. Each ends with a value that depends on all of its work.
pub const PROGRAMS: &[(&str, &str)] = &[
    ("arithmetic loop", "Integer[1, 100000].reduce(0) |$sum, $n| { $sum + $n * 2 % 7 }"),
    ("string building", "Integer[1, 20000].map |$n| { \"item ${n} of ${$n + 1}\" }.join(',').length"),
    (
        "map, filter, reduce",
        "Integer[1, 100000].map |$n| { $n * 3 }.filter |$n| { $n % 2 == 0 }.reduce |$a, $b| { $a + $b }",
    ),
    (
        "nested data",
        "$d = Hash(Integer[1, 2000].map |$n| { [\"k${n}\", { a => [$n, { b => $n }] }] })\n\
         $d.map |$k, $v| { $v[a][1][b] }.reduce |$a, $b| { $a + $b }",
    ),
    (
        "function calls",
        "function f(Integer $n) >> Integer { if $n > 1 { $n - 1 } else { $n } }\n\
         Integer[1, 50000].reduce(0) |$sum, $n| { $sum + f($n) }",
    ),
];

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The manifests to parse: those of Debian's modules where they are installed, of the golden environments otherwise.
pub fn manifests() -> Vec<PathBuf> {
    let installed = Path::new("/usr/share/puppet/modules");
    let modules = ["stdlib", "apache", "concat", "postgresql", "mysql", "systemd", "nginx"];
    let mut found = Vec::new();
    for module in modules {
        below(&installed.join(module).join("manifests"), &mut found);
    }
    if found.is_empty() {
        below(&root().join("tests/data/environments"), &mut found);
    }
    found.sort();
    // What is no valid manifest is no work for a parser.
    found.retain(|path| fs::read_to_string(path).is_ok_and(|text| parse_text(&text).is_some()));
    found
}

fn below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            found.push(path);
        }
    }
}

/// Parses a text.
pub fn parse_text(text: &str) -> Option<Program> {
    parse(Arc::new(Source::new(None, text)), &ParseOptions::default()).ok()
}

/// Parses and validates a text; the number of diagnostics.
pub fn validate_text(text: &str) -> usize {
    parse_text(text).map_or(0, |program| validate(&program, &ValidateOptions::default()).len())
}

/// Evaluates a program.
pub fn evaluate(code: &str) -> Result<Value, String> {
    let options = EnvironmentOptions {
        name: "production".into(),
        modulepath: Some(Vec::new()),
        code: Some(code.into()),
        ..EnvironmentOptions::default()
    };
    let environment =
        Environment::load(Arc::new(MemoryHost::new()), options).map_err(|error| error.to_string())?;
    let node = NodeInput { name: "bench.example.net".into(), ..NodeInput::default() };
    compiler::on_deep_stack(&*environment.host, || {
        Compilation::new(&environment, node, Limits::default()).evaluate_main()
    })
    .and_then(|result| result)
    .map_err(|error| error.to_string())
}

/// The environment that ships as an example.
pub fn example() -> Result<Environment, String> {
    let path = root().join("tests/example/environments");
    let request = json!({ "environmentpath": path.to_string_lossy(), "environment": "production" });
    request::load_environment(Arc::new(DiskHost), &request).map_err(|error| error.to_string())
}

/// The facts of the example's web server.
pub fn example_facts() -> serde_json::Value {
    let path = root().join("tests/example/environments/production/spec/facts/web01.example.net.json");
    fs::read_to_string(path).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Compiles the example's web server.
pub fn compile(environment: &Environment, facts: &serde_json::Value) -> Result<Catalog, String> {
    let node = json!({ "node": "web01.example.net", "facts": facts });
    let node = request::node_input(&node).map_err(|error| error.to_string())?;
    compiler::compile(environment, node, Limits::default()).outcome.map_err(|error| error.to_string())
}
