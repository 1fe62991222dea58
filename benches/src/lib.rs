//! The jobs that are timed, so that `cargo bench` and the comparison with the reference (`make bench`) time
//! the same.
//!
//! Programs that use this crate have the allocator `mimalloc`, as the gem has.

pub mod growth;
pub mod reference;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::catalog::Catalog;
use bunraku::compiler::{self, Limits, NodeInput, request};
use bunraku::host::disk::DiskHost;
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};
use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, parse};
use serde_json::json;

/// Programs for the evaluator and the compiler: name and text.
pub fn programs() -> Vec<(&'static str, String)> {
    let mut programs: Vec<_> = EXPRESSIONS.iter().map(|(name, code)| (*name, (*code).to_owned())).collect();
    programs.push(("EPP, 1,000 lines", format!("$t = @(EPP)\n{}| EPP\n{RENDER}", template())));
    programs.push(("class of 2,000 resources", large_class()));
    programs.push(("10,000 defines", DEFINES.to_owned()));
    programs
}

/// Programs for the evaluator. Each ends with a value that depends on all of its work.
const EXPRESSIONS: &[(&str, &str)] = &[
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
    (
        "conditions and cases",
        "Integer[1, 20000].map |$n| {\n\
           $kind = case $n % 5 { 0: { 'none' } 1, 2: { 'few' } Integer[3, 3]: { 'three' } default: { 'many' } }\n\
           $text = $kind ? { 'none' => undef, /^(f|t)/ => \"${1}-${n}\", default => $kind }\n\
           if $text =~ String and $n > 10 and $kind in ['few', 'many'] { $text } else { $n }\n\
         }.length",
    ),
];

/// Renders the template of 1,000 lines.
const RENDER: &str = "inline_epp($t, { title => 'site', port => 80, hosts => Integer[1, 20].map |$n| { \"host${n}\" }, \
                      options => { 'a' => 1, 'b' => [1, 2], 'c' => undef } }).length";

/// A template as a module would have it, in lines of text, values, conditions and loops.
fn template() -> String {
    let mut text =
        String::from("<%- | String $title, Integer $port, Array[String] $hosts, Hash $options | -%>\n");
    for block in 0..99 {
        text.push_str(&format!(
            "# Section {block} of <%= $title %>\n\
             <VirtualHost *:<%= $port + {block} %>>\n  ServerName <%= $title %>-{block}.example.net\n\
             <% if $options['a'] == 1 {{ -%>\n  DocumentRoot /srv/www/<%= $title.upcase %>/{block}\n<% }} -%>\n\
             <% $hosts.each |$host| {{ -%>\n  Allow from <%= $host %>.example.net\n<% }} -%>\n</VirtualHost>\n"
        ));
    }
    text
}

/// A class of many resources with parameters, defaults and references.
pub fn large_class() -> String {
    let mut text = String::from("class large(String $owner = 'root') {\n  File { mode => '0644' }\n");
    for number in 0..1000 {
        text.push_str(&format!(
            "  file {{ '/srv/large/{number}':\n    ensure  => file,\n    owner   => $owner,\n    \
             content => \"number {number} of ${{owner}}\\n\",\n    tag     => ['large', 'n{number}'],\n  }}\n  \
             notify {{ 'n{number}': require => File['/srv/large/{number}'] }}\n"
        ));
    }
    text.push_str("}\ninclude large\n");
    text
}

/// Many instances of a defined type with a resource each.
const DEFINES: &str = "define entry(Integer $n, String $label = \"entry ${n}\") {\n  \
                       notify { \"${title}: ${label}\": }\n}\n\
                       Integer[1, 10000].each |$n| { entry { \"e${n}\": n => $n } }\n";

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The manifests to parse: those of Debian's modules where they are installed, of the golden environments
/// otherwise.
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
    // An invalid manifest is not a task for a parser.
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

/// Compiles a program that is the main manifest of an environment without modules; the number of resources.
pub fn compile_program(code: &str) -> Result<usize, String> {
    program_catalog(code).map(|catalog| catalog.resources.len())
}

/// Compiles a program that is the main manifest of an environment without modules.
pub fn program_catalog(code: &str) -> Result<Catalog, String> {
    let options = EnvironmentOptions {
        name: "production".into(),
        modulepath: Some(Vec::new()),
        code: Some(code.into()),
        ..EnvironmentOptions::default()
    };
    let environment =
        Environment::load(Arc::new(MemoryHost::new()), options).map_err(|error| error.to_string())?;
    let node = NodeInput { name: "bench.example.net".into(), ..NodeInput::default() };
    compiler::compile(&environment, node, Limits::default()).outcome.map_err(|error| error.to_string())
}

/// The environment that ships as an example.
pub fn example() -> Result<Environment, String> {
    let path = root().join("tests/example/environments");
    let request = json!({ "environmentpath": path.to_string_lossy(), "environment": "production" });
    request::of_environment(&request)
        .and_then(|request| request::load_environment(Arc::new(DiskHost), &request))
        .map_err(|error| error.to_string())
}

/// The facts of the example's web server.
pub fn example_facts() -> serde_json::Value {
    let path = root().join("tests/example/environments/production/spec/facts/web01.example.net.json");
    fs::read_to_string(path).ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Compiles the example's web server.
pub fn compile(environment: &Environment, facts: &serde_json::Value) -> Result<Catalog, String> {
    let node = json!({ "node": "web01.example.net", "facts": facts });
    let node = request::of_catalog(&node)
        .and_then(|node| request::node_input(&node))
        .map_err(|error| error.to_string())?;
    compiler::compile(environment, node, Limits::default()).outcome.map_err(|error| error.to_string())
}
