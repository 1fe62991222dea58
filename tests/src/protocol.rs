//! Answers one question by the protocol of the golden vectors (`data/conformance/PROTOCOL.md`) and of the
//! environments (`data/environments/FORMAT.md`).

use std::sync::Arc;

use bunraku::compiler::{Compilation, CompileOptions, Limits, NodeInput, on_node, request as requests};
use bunraku::diagnostic::render::{ReportOptions, assert_and_report};
use bunraku::diagnostic::{Diagnostic, Error, ErrorKind, LogEntry, LogLevel};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions, Settings};
use bunraku::notation;
use bunraku::pcore::Value;
use bunraku::pcore::convert::string;
use bunraku::pcore::json::hash_from_json;
use bunraku::pcore::types::Type;
use bunraku::source::{Location, Source};
use bunraku::syntax::ast::{NodeId, Program};
use bunraku::syntax::validate::{ValidateOptions, validate_and_log};
use bunraku::syntax::watch::Watch;
use bunraku::syntax::{ParseOptions, parse_with_warnings, pn};
use bunraku::wire;
use serde_json::{Map, Value as Json, json};

use crate::host::DriverHost;
use crate::rich;

/// The directory of the request's files; replies show `<ENV>` for it.
const ENVIRONMENT: &str = "/environment-of-the-request";

/// The node of a request that names none.
const NODE: &str = "testnode.example.com";

/// The keys of requests that only the driver reads.
const OWN_KEYS: &[&str] = &["op", "id", "format", "timeout", "exported", "resource", "parameter"];

/// The reply to a line of input, with the request's `id`.
pub fn reply(line: &str) -> String {
    let request = match serde_json::from_str::<Json>(line) {
        Ok(request) if request.is_object() => request,
        _ => return failure(line, "not a request").to_string(),
    };
    let id = request.get("id").map_or_else(|| "null".to_owned(), Json::to_string);
    let (mut reply, written) = match request["op"].as_str() {
        // Written as text: JSON in memory has no integers of more than 64 bits.
        Some("parse" | "parse_file") => {
            let (reply, pn) = parse_text(&request, pn::to_json);
            (reply, pn.map(|pn| ("pn", pn)))
        }
        Some("compile") => {
            let (reply, catalog) = compile(&request);
            (reply, catalog.map(|catalog| ("catalog", catalog)))
        }
        _ => (answer(&request), None),
    };
    reply["id"] = Json::Null;
    let mut text = reply.to_string();
    text.truncate(text.len() - "null}".len());
    let written = written.map(|(key, text)| format!(",\"{key}\":{text}")).unwrap_or_default();
    text + &id + &written + "}"
}

/// The reply to a line that could not be answered.
pub fn failure(line: &str, message: &str) -> Json {
    let request: Json = serde_json::from_str(line).unwrap_or_default();
    json!({ "id": request["id"], "error": { "message": message, "oracle": true } })
}

/// The answer to a request, without its `id`.
pub fn answer(request: &Json) -> Json {
    match request["op"].as_str().unwrap_or_default() {
        "version" => json!({ "version": env!("CARGO_PKG_VERSION") }),
        "parse" | "parse_file" => {
            let (mut reply, pn) = parse_text(request, notation::to_data);
            if let Some(pn) = pn {
                reply["pn"] = pn;
            }
            reply
        }
        "validate" => validate_text(request),
        "eval" => {
            with_program(request, "source", |compilation, value| evaluated(request, compilation, &value))
        }
        "epp" => with_program(request, "pre", |compilation, _| render(request, compilation)),

        "serialize" => {
            with_program(request, "source", |compilation, value| rich::serialize(&value, compilation))
        }
        "deserialize" => with_program(request, "pre", |compilation, _| {
            rich::deserialize(request, compilation)
                .map_or_else(|error| error_reply(&error), |value| evaluated(request, compilation, &value))
        }),
        "catalog" => catalog(request),
        "compile" => {
            let (reply, catalog) = compile(request);
            whole(reply, catalog.as_deref())
        }
        "provenance" => provenance(request),
        "lookup" => lookup(request),
        op => json!({ "error": { "message": format!("unknown op {op:?}"), "oracle": true } }),
    }
}

// ---- texts

fn parse_options(request: &Json) -> ParseOptions {
    ParseOptions {
        epp: request["epp"] == true,
        tasks: request["settings"]["tasks"] == true,
        ..ParseOptions::default()
    }
}

/// The reply to a question for the tree, without it, and the tree in the notation that `write` makes.
fn parse_text<T>(request: &Json, write: fn(&Program, NodeId) -> Result<T, Diagnostic>) -> (Json, Option<T>) {
    let text = match (request["source"].as_str(), request["path"].as_str()) {
        (None, Some(path)) => match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return (json!({ "error": { "message": error.to_string() } }), None),
        },
        (source, _) => source.unwrap_or_default().to_owned(),
    };
    let mut warnings = Vec::new();
    let written = read(request, Source::new(None, text), &mut warnings)
        .and_then(|program| write(&program, program.body()));
    let (mut reply, written) = match written {
        Ok(written) => (json!({}), Some(written)),
        Err(diagnostic) => (json!({ "error": complaint(&diagnostic) }), None),
    };
    add_warnings(&mut reply, &warnings);
    (reply, written)
}

fn validate_text(request: &Json) -> Json {
    let settings = match settings(request) {
        Ok(settings) => settings,
        Err(error) => return error_reply(&error),
    };
    let source = Source::new(request["file"].as_str(), request["source"].as_str().unwrap_or_default());
    let options =
        ValidateOptions { strict: settings.strict, tasks: settings.tasks, ..ValidateOptions::default() };
    let (mut warnings, mut logs) = (Vec::new(), Vec::new());
    let found = match read(request, source, &mut warnings) {
        Ok(program) => validate_and_log(&program, &options, &mut logs),
        Err(diagnostic) => vec![diagnostic],
    };
    let diagnostics: Json = found
        .iter()
        .map(|diagnostic| {
            let mut json = complaint(diagnostic);
            if let Some(members) = json.as_object_mut() {
                members.remove("file");
            }
            json["severity"] = json!(diagnostic.severity.name());
            json
        })
        .collect();
    let mut reply = json!({ "diagnostics": diagnostics });
    let (mut entries, _) = assert_and_report(&warnings, &ReportOptions::default());
    entries.extend(logs);
    add_logs(&mut reply, &entries, false);
    reply
}

fn read(request: &Json, source: Source, warnings: &mut Vec<Diagnostic>) -> Result<Program, Diagnostic> {
    parse_with_warnings(Arc::new(source), &parse_options(request), warnings)
}

/// Adds what the lexer warned of to the log.
fn add_warnings(reply: &mut Json, warnings: &[Diagnostic]) {
    let (entries, _) = assert_and_report(warnings, &ReportOptions::default());
    add_logs(reply, &entries, false);
}

fn complaint(diagnostic: &Diagnostic) -> Json {
    let mut json = json!({ "message": diagnostic.message });
    if !diagnostic.issue.code().is_empty() {
        json["issue_code"] = json!(diagnostic.issue.code());
    }
    add_location(&mut json, &diagnostic.location);
    json
}

// ---- programs

/// The settings of a question about a program; to have exported resources implies storeconfigs.
fn settings(request: &Json) -> Result<Settings, Error> {
    let given = request["settings"].as_object().map(requests::settings).transpose()?.unwrap_or_default();
    let exports = request["storeconfigs"] == true || request["exported"].is_array();
    Ok(Settings { storeconfigs: given.storeconfigs || exports, ..given })
}

/// The environment and the node of a question about a program: files in memory, and only the given data.
fn small_environment(request: &Json, code: &str) -> Result<(Environment, NodeInput), Error> {
    let mut files = MemoryHost::new();
    for (path, content) in request["files"].as_object().into_iter().flatten() {
        files.add(format!("{ENVIRONMENT}/{path}"), content.as_str().unwrap_or_default());
    }
    let modules = format!("{ENVIRONMENT}/modules");
    // The store of the golden vectors keeps tags, which PuppetDB does not.
    let mut exported = requests::exported_resources(&request["exported"]);
    exported.iter_mut().for_each(|resource| resource.kept_tags.clone_from(&resource.tags));
    let host = DriverHost::in_memory(files, exported);
    let options = EnvironmentOptions {
        name: request["environment"].as_str().unwrap_or("production").to_owned(),
        modulepath: Some(if host.is_directory(&modules) { vec![modules] } else { Vec::new() }),
        code: Some(if code.is_empty() { " ".to_owned() } else { code.to_owned() }),
        settings: settings(request)?,
        ..EnvironmentOptions::default()
    };
    let environment = Environment::load(Arc::new(host), options)?;
    let hash = |json: &Json| json.as_object().map(hash_from_json);
    let name = request["node"].as_str().unwrap_or(NODE).to_owned();
    let server_facts = json!({
        "serverversion": "8.0.0", "servername": "server.example.com", "serverip": "192.0.2.1",
    });
    let input = NodeInput {
        facts: hash(&request["facts"]).unwrap_or_default(),
        trusted: hash(&request["trusted"]),
        server_facts: hash(&server_facts),
        server_facts_of_host: false,
        server_facts_merged: false,
        environment: None,
        classes: requests::classes(&request["enc"]["classes"])?,
        parameters: hash(&request["enc"]["parameters"]).unwrap_or_default(),
        name,
        config_data: bunraku::pcore::value::Hash::default(),
    };
    Ok((environment, input))
}

/// Evaluates the main manifest and lets `then` make an answer of its value.
fn with_program(request: &Json, code: &str, then: impl FnOnce(&Compilation<'_>, Value) -> Json) -> Json {
    let code = request[code].as_str().unwrap_or_default();
    let (environment, input) = match small_environment(request, code) {
        Ok(parts) => parts,
        Err(error) => return error_reply(&error),
    };
    let compilation = Compilation::new(&environment, input, limits(request));
    let mut reply = match compilation.evaluate_main() {
        Ok(value) => then(&compilation, value),
        Err(error) => small_error_reply(error),
    };
    add_logs(&mut reply, &compilation.loaded().log.entries.take(), false);
    scrub(reply)
}

fn limits(request: &Json) -> Limits {
    let seconds = request["timeout"].as_u64().unwrap_or(60);
    Limits { seconds: Some(seconds as u32), ..Limits::default() }
}

/// The answer for a value: its type, its text, and itself.
fn evaluated(request: &Json, compilation: &Compilation<'_>, value: &Value) -> Json {
    let mut reply =
        json!({ "type": Type::infer_set(value).to_string(), "string": string::to_string(value).as_str() });
    let is_strict = matches!(request["settings"]["strict"].as_str(), None | Some("error"));
    match rich::by_reference(value, compilation, is_strict) {
        Ok(data) => reply["value"] = data,
        Err(error) => reply["value_error"] = json!(error.full_message()),
    }
    reply
}

fn render(request: &Json, compilation: &Compilation<'_>) -> Json {
    let parameters = match rich::parameters(&request["params"]) {
        Ok(parameters) => parameters,
        Err(error) => return error_reply(&error),
    };
    let text = request["source"].as_str().unwrap_or_default();
    match compilation.inline_epp(text, parameters.as_ref()) {
        Ok(Value::Sensitive(text)) => json!({ "text": string::to_string(&text).as_str(), "sensitive": true }),
        Ok(text) => json!({ "text": string::to_string(&text).as_str() }),
        Err(error) => error_reply(&error),
    }
}

fn catalog(request: &Json) -> Json {
    let code = request["source"].as_str().unwrap_or_default();
    let (environment, input) = match small_environment(request, code) {
        Ok(parts) => parts,
        Err(error) => return error_reply(&error),
    };
    let compilation = Compilation::new(&environment, input, limits(request));
    let written = compilation
        .compile()
        .and_then(|catalog| wire::agent::to_json(&catalog, &environment.settings, &compilation.loaded().log));
    let mut reply = match written {
        Ok(mut catalog) => {
            if let Some(members) = catalog.as_object_mut() {
                members.retain(|key, _| {
                    !["version", "catalog_uuid", "code_id", "catalog_format"].contains(&key.as_str())
                });
            }
            json!({ "catalog": catalog })
        }
        Err(error) => small_error_reply(error),
    };
    add_logs(&mut reply, &compilation.loaded().log.entries.take(), false);
    scrub(reply)
}

// ---- environments

/// The server facts, unless the request contains them.
pub fn server_facts() -> Json {
    json!({
        "serverimplementation": "openvox", "serverversion": "8.28.1", "servername": "puppet.example.net",
        "serverip": "192.0.2.10", "serverip6": "2001:db8::10",
    })
}

/// The environment of a request on disk, and its node.
///
/// # Errors
/// The environment cannot be loaded, or the request has the wrong form.
pub fn environment_on_disk(request: &Json) -> Result<(Environment, NodeInput), Error> {
    let host = Arc::new(DriverHost::on_disk(requests::exported_resources(&request["exported"])));
    let request = without_own_keys(as_asked(request));
    let request = requests::whole(&request)?;
    let environment = requests::load_environment(host, &request)?;
    let input = requests::node_input(&request)?;
    let server_facts = input.server_facts.or_else(|| server_facts().as_object().map(hash_from_json));
    Ok((environment, NodeInput { server_facts, ..input }))
}

/// A request with the implicit input of the reference: an environment with a module path had the
/// configuration of `EnvironmentConf.static_for`, in which rich data is off, whatever the setting.
pub fn as_asked(request: &Json) -> Json {
    let mut request = request.clone();
    request["commands"] = json!(true);
    if request["modulepath"].is_array() {
        request["settings"]["rich_data"] = json!(false);
    }
    request
}

/// A request as the library takes it: to have exported resources implies storeconfigs.
fn without_own_keys(mut request: Json) -> Json {
    if request["exported"].is_array() {
        request["storeconfigs"] = json!(true);
    }
    if let Some(members) = request.as_object_mut() {
        members.retain(|key, _| !OWN_KEYS.contains(&key.as_str()));
    }
    request
}

/// Compiles with provenance, and returns that of one parameter.
fn provenance(request: &Json) -> Json {
    let (environment, input) = match environment_on_disk(request) {
        Ok(parts) => parts,
        Err(error) => return error_reply(&error),
    };
    let options = CompileOptions { limits: limits(request), provenance: true, ..CompileOptions::default() };
    let compilation = Compilation::new(&environment, input, options);
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    let (reference, parameter) = (text("resource"), text("parameter"));
    let told = compilation.compile().and_then(|catalog| {
        let document = wire::agent::to_json(&catalog, &environment.settings, &compilation.loaded().log)?;
        let number = catalog.resources.iter().position(|resource| resource.reference() == reference);
        let value = number.map(|number| document["resources"][number]["parameters"][parameter].clone());
        let origins = catalog.provenance_to_json(reference, &Watch::default())?;
        let source = origins.map(|origins| origins[parameter].clone());
        Ok(json!({ "value": value, "source": source }))
    });
    told.unwrap_or_else(|error| error_reply(&error))
}

/// Compiles: a reply without the catalog, and the catalog in the form that is asked for, as it is written.
pub fn compile(request: &Json) -> (Json, Option<String>) {
    let (environment, input) = match environment_on_disk(request) {
        Ok(parts) => parts,
        Err(error) => return (environment_error_reply(&error), None),
    };
    let node = input.name.clone();
    let compilation = Compilation::new(&environment, input, limits(request));
    let written = compilation.compile().map_err(|error| on_node(error, &node)).and_then(|catalog| {
        let (mut text, settings, log) = (Vec::new(), &environment.settings, &compilation.loaded().log);
        match request["format"].as_str() {
            Some("puppetdb") => {
                let newest = wire::puppetdb::Version::V9;
                wire::puppetdb::write_catalog(&catalog, &submission(), newest, &mut text)?;
            }
            _ => wire::agent::write_json(&catalog, settings, log, &mut text)?,
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    });
    let (mut reply, catalog) = match written {
        Ok(catalog) => (json!({}), Some(catalog)),
        Err(error) => (error_reply(&error), None),
    };
    add_logs(&mut reply, &compilation.loaded().log.entries.take(), true);
    (reply, catalog)
}

/// A reply with its catalog.
pub fn whole(mut reply: Json, catalog: Option<&str>) -> Json {
    if let Some(catalog) = catalog {
        reply["catalog"] = serde_json::from_str(catalog).expect("a catalog is JSON");
    }
    reply
}

/// The server's data for submitting a catalog. The reference ran as a server with this certname, whatever the
/// case's server facts are.
fn submission() -> wire::puppetdb::Submission {
    wire::puppetdb::Submission {
        producer: Some("puppet.example.net".to_owned()),
        producer_timestamp: Some("1970-01-01T00:00:00.000Z".to_owned()),
        ..wire::puppetdb::Submission::default()
    }
}

fn lookup(request: &Json) -> Json {
    let host = Arc::new(DriverHost::on_disk(requests::exported_resources(&request["exported"])));
    let limits = limits(request);
    let mut request = without_own_keys(request.clone());
    request["commands"] = json!(true);
    if request["server_facts"].is_null() {
        request["server_facts"] = server_facts();
    }
    let answer = requests::whole(&request).and_then(|request| {
        let environment = requests::load_environment(host, &request)?;
        requests::lookup(&environment, &request, limits)
    });
    let (mut reply, logs) = match answer {
        Ok(answer) => answer,
        Err(error) => return environment_error_reply(&error),
    };
    if let Some(column) = reply["error"].as_object_mut().and_then(|error| error.remove("column")) {
        reply["error"]["pos"] = column;
    }
    if reply["error"].is_null() {
        // Indexing for `column` has added a null if there is no error.
        reply.as_object_mut().map(|members| members.remove("error"));
    }
    add_logs(&mut reply, &logs, true);
    reply
}

// ---- replies

fn error_reply(error: &Error) -> Json {
    let mut json = json!({ "message": error.full_message() });
    if let Some(issue) = error.issue {
        json["issue_code"] = json!(issue.code());
    }
    add_location(&mut json, &error.location);
    json!({ "error": json })
}

/// The error of a missing environment: the message with its place, as in the goldens.
fn environment_error_reply(error: &Error) -> Json {
    let mut reply = error_reply(error);
    reply["error"]["message"] = json!(error.to_string());
    reply
}

/// The error of a vector's evaluation. Failures of a hiera.yaml have no file there: the reference keeps it as
/// a `Pathname`, and the vectors contain only files that are texts.
fn small_error_reply(mut error: Error) -> Json {
    if error.kind == ErrorKind::Lookup {
        error.location.file = None;
    }
    error_reply(&error)
}

fn add_location(json: &mut Json, location: &Location) {
    if let Some(file) = location.file.as_deref().filter(|file| !file.is_empty() && *file != "unknown") {
        json["file"] = json!(file);
    }
    if let Some(line) = location.line {
        json["line"] = json!(line);
    }
    if let Some(column) = location.column {
        json["pos"] = json!(column);
    }
}

/// Adds the log, from level `info` up; `full` with sources and places.
fn add_logs(reply: &mut Json, entries: &[LogEntry], full: bool) {
    let entries: Vec<Json> = entries
        .iter()
        .filter(|entry| entry.level >= LogLevel::Info)
        .map(|entry| {
            let mut json = json!({ "level": entry.level.name(), "message": entry.message });
            if full {
                json["source"] = json!(&*entry.source);
                add_location(&mut json, &entry.location);
                if let Some(issue) = entry.issue {
                    json["issue_code"] = json!(issue.code());
                }
            }
            json
        })
        .collect();
    if !entries.is_empty() {
        reply["logs"] = Json::from(entries);
    }
}

/// Puts `<ENV>` for the directory of the request's files in every text.
fn scrub(json: Json) -> Json {
    match json {
        Json::String(text) => Json::String(text.replace(ENVIRONMENT, "<ENV>")),
        Json::Array(values) => values.into_iter().map(scrub).collect(),
        Json::Object(members) => {
            let members =
                members.into_iter().map(|(key, value)| (key.replace(ENVIRONMENT, "<ENV>"), scrub(value)));
            Json::Object(members.collect::<Map<_, _>>())
        }
        other => other,
    }
}
