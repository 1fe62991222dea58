//! The fuzz targets of data, patterns, templates, documents, requests and environments.
//!
//! Every target bounds its work, so that an input that takes long is an error of a limit. A caught panic is
//! an error of the kind `Bug`: targets fail upon it.

use std::sync::Arc;

use bunraku::classifier::{Classifier, MemoryStore, Options, Request, Rule};
use bunraku::eval::Limits;
use bunraku::formatter::{FormatOptions, format};
use bunraku::lint::{LintOptions, lint};
use bunraku::pcore::convert::Surroundings;
use bunraku::pcore::formats::yaml;
use bunraku::pcore::fuel::BoundedFuel;
use bunraku::pcore::regexp::{Regex, Replacement};
use bunraku::pcore::serialize::{from_data_text, read_stream, read_stream_msgpack};
use bunraku::pcore::value::Timestamp;
use bunraku::{Environment, Error, ErrorKind, MemoryHost, NoTypes, NodeInput, PuppetDbVersion, Type, wire};

/// The targets by name.
const TARGETS: &[(&str, fn(&[u8]))] = &[
    ("yaml", yaml_text),
    ("json", json_text),
    ("data", data),
    ("hiera", hiera),
    ("patterns", patterns),
    ("types", types),
    ("streams", streams),
    ("documents", documents),
    ("ruby", ruby),
    ("evaluator", evaluator),
    ("classifier", classifier),
    ("modules", modules),
    ("formatter", formatter),
];

/// The target with a name.
pub fn target(name: &str) -> Option<fn(&[u8])> {
    TARGETS.iter().find(|(known, _)| *known == name).map(|&(_, target)| target)
}

/// A result whose error is not a panic that was caught.
fn no_bug<T>(result: Result<T, Error>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(error.kind != ErrorKind::Bug, "{error}");
            None
        }
    }
}

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// YAML: limited work.
fn yaml_text(data: &[u8]) {
    let Some(text) = text(data) else { return };
    no_bug(yaml::parse_with(text, Some("data.yaml"), &BoundedFuel::default()));
}

/// JSON, and Pcore's generic data in it.
fn json_text(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let fuel = BoundedFuel::default();
    no_bug(bunraku::pcore::ruby::json::parse(text, &fuel));
    no_bug(from_data_text(text, &around(&fuel), true));
}

/// The functions that read data.
fn data(data: &[u8]) {
    let Some(text) = text(data) else { return };
    // The fact is a variable.
    let code = "notice(parseyaml($t, 0), parsejson($t, 0), parsehocon($t, 0))
notice($t.sprintf, $t =~ Numeric, $t.versioncmp('1'), Integer($t))";
    let mut host = host("site.pp", code);
    // The functions of a module stand in for those that it has.
    for file in ["functions/parsehocon", "parser/functions/parsejson", "parser/functions/parseyaml"] {
        host.add(format!("{ROOT}/modules/stdlib/lib/puppet/{file}.rb"), "");
    }
    run(host, Some(text));
}

/// A hierarchy: the text up to the first form feed is `hiera.yaml`, the rest is data in all its formats.
fn hiera(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (configuration, data) = text.split_once('\x0c').unwrap_or((HIERARCHY, text));
    let mut host =
        host("manifests/site.pp", "notice(lookup('a', default_value => 1), lookup('b.c', Any, 'deep', 1))");
    host.add(format!("{ROOT}/hiera.yaml"), configuration);
    for name in ["common.yaml", "common.json", "common.conf"] {
        host.add(format!("{ROOT}/data/{name}"), data);
    }
    run(host, None);
}

const HIERARCHY: &str = "version: 5
hierarchy:
  - {name: y, path: common.yaml}
  - {name: j, path: common.json, data_hash: json_data}
  - {name: h, path: common.conf, data_hash: hocon_data}
";

/// A pattern: its first line, matched against the others.
fn patterns(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (pattern, text) = text.split_once('\n').unwrap_or((text, "aßb 1\n"));
    let Ok(pattern) = Regex::new(pattern) else { return };
    let fuel = BoundedFuel::to(1 << 20);
    let found = no_bug(pattern.captures(text, &fuel));
    if let (Some(found), Some(is_match)) = (found, no_bug(pattern.is_match(text, &fuel))) {
        assert_eq!(found.is_some(), is_match);
    }
    no_bug(pattern.replace_all(text, &Replacement::Template("<\\0\\1>"), &fuel));
    no_bug(pattern.split(text, 0, &fuel));
}

/// Types, and what is written of them, which the reference may read as another type (`Resource[a, '']`).
fn types(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Some(of) = no_bug(Type::parse(text, &NoTypes)) {
        no_bug(Type::parse(&of.to_string(), &NoTypes));
    }
}

/// Streams of Pcore, in JSON and in MessagePack.
fn streams(data: &[u8]) {
    let fuel = BoundedFuel::default();
    no_bug(read_stream_msgpack(data, &around(&fuel)));
    no_bug(bunraku::pcore::serialize::msgpack::decode(data));
    if let Some(text) = text(data) {
        no_bug(read_stream(text, &around(&fuel)));
    }
}

/// Catalogs: the agent's, and PuppetDB's in all versions.
fn documents(data: &[u8]) {
    let fuel = BoundedFuel::default();
    let _ = wire::agent_reader::read_json(data, &NoTypes, &fuel);
    for version in [PuppetDbVersion::V1, PuppetDbVersion::V4, PuppetDbVersion::V9] {
        let _ = wire::puppetdb::read_bytes(data, version, &fuel);
    }
}

/// Templates in ERB, whose Ruby runs with limits.
fn ruby(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let _ = bunraku::ruby::parse("a.rb", text);
    run(host("site.pp", "notice(inline_template($facts['t']))"), Some(text));
}

/// Manifests: they compile, or fail with an error of the reference or of a limit.
fn evaluator(data: &[u8]) {
    let Some(text) = text(data) else { return };
    run(host("site.pp", text), None);
}

/// The classifier: rules, and requests whose first line is method and path, the rest the body.
fn classifier(data: &[u8]) {
    if let Ok(json) = serde_json::from_slice(data)
        && let Ok(rule) = Rule::from_json(&json)
    {
        let written = rule.to_json();
        assert_eq!(Rule::from_json(&written).map(|rule| rule.to_json()).as_ref(), Ok(&written));
    }
    let end = data.iter().position(|&byte| byte == b'\n').unwrap_or(data.len());
    let Some((method, path)) = text(&data[..end]).and_then(|line| line.split_once(' ')) else { return };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let body = data.get(end + 1..).unwrap_or_default();
    let host = Arc::new(MemoryHost::new());
    let store = Box::new(MemoryStore::default());
    let classifier = Classifier::new(store, host, None, Options::default()).expect("an empty store is valid");
    let request = Request { method, path, query, body };
    let first = classifier.answer(request);
    assert!((200..600).contains(&first.status));
    assert!(
        classifier.answer(Request { method: "GET", path: "/v1/groups", query: "", body: b"" }).status == 200
    );
}

/// A module's metadata, a task's, and a function's comment.
fn modules(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let mut host = MemoryHost::new();
    for name in ["metadata.json", "tasks/a.json", "hiera.yaml", "types/b.pp", "functions/c.pp"] {
        host.add(format!("/m/a/{name}"), text);
    }
    host.add("/m/a/tasks/a.sh", "true");
    let request = serde_json::json!({"directory": "/m/a", "modulepath": ["/m"]});
    no_bug(bunraku::module_schema::request::findings(&host, &request, &|| Ok(())));
}

/// The formatter and the checks of style: what is formatted stays so, and corrections can be read.
fn formatter(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let options = FormatOptions::default();
    if let Some(first) = no_bug(format(text, &options)) {
        assert_eq!(no_bug(format(first.as_str(), &options)).as_ref(), Some(&first), "{text}");
    }
    lint(text, &LintOptions::default());
}

const ROOT: &str = "/e/production";

/// A host with one manifest.
fn host(path: &str, code: &str) -> MemoryHost {
    let path = path.strip_prefix("manifests/").unwrap_or(path);
    let mut host = MemoryHost::new();
    host.add_directory(ROOT);
    host.add(format!("{ROOT}/manifests/{path}"), code);
    host
}

/// Compiles the manifest of a host, with a text as the fact `t`.
fn run(host: MemoryHost, fact: Option<&str>) {
    let loaded = Environment::builder("production").host(Arc::new(host)).directory(ROOT).load();
    let Some(environment) = no_bug(loaded) else { return };
    let mut node = NodeInput::new("a.example.net");
    if let Some(text) = fact {
        node = node.fact("t", text);
    }
    let limits =
        Limits { steps: Some(100_000), cpu_seconds: Some(4), memory: Some(256 << 20), ..Limits::default() };
    if let Some(catalog) = no_bug(environment.compilation(node).limits(limits).run().catalog) {
        no_bug(catalog.to_json());
    }
}

fn around<'a>(fuel: &'a BoundedFuel) -> Surroundings<'a> {
    Surroundings { types: &NoTypes, now: &Timestamp::default, fuel }
}
