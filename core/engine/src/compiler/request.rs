//! Requests as JSON: the environment, the node, and its data.
//!
//! The C library, the gem and the conformance driver speak the same language. A request is a [`Keyed`]
//! object: it has no other keys than those that are declared here.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::trusted::hash_of;
use super::{Compilation, CompileOptions, Limits, NodeInput};
use crate::catalog::Identity;
use crate::eval::context::LookupRequest;
use crate::hiera::{ExplainOptions, yaml};
use crate::loader::{
    Environment, EnvironmentOptions, Environments, Reload, Settings, Strictness, setting_names,
};
use bunraku_host::{ExportedResource, Host};
use bunraku_pcore::Value;
use bunraku_pcore::json::{self, hash_from_json};
use bunraku_pcore::keys::{self, Keyed, Names};
use bunraku_pcore::serialize::{DataOptions, from_data, to_data};
use bunraku_pcore::time::timestamp::Formats;
use bunraku_pcore::value::{Hash, Str, Timestamp};
use bunraku_syntax::diagnostic::{Error, ErrorKind, LogEntry};

/// The members that `environment_options` and [`environments`] read.
pub const ENVIRONMENT: Names = &[
    "environment",
    "environmentpath",
    "directory",
    "basemodulepath",
    "modulepath",
    "manifest",
    "code",
    "global_hiera",
    "global_hiera_text",
    "settings",
    "storeconfigs",
    "gems",
    "load_path",
    "commands",
    "fresh_data",
    "writable",
    "prefer_ruby",
    "file_size",
    "reload",
];

/// The members that [`node_input`] reads.
const NODE: Names = &[
    "node",
    "facts",
    "rich_data",
    "trusted",
    "trusted_data",
    "server_facts",
    "server_facts_merged",
    "classes",
    "parameters",
    "classification",
];

/// The members that [`limits`] reads.
const LIMITED: Names = &["limits"];

/// The members that [`compile_options`] and [`identity`] read.
const CATALOG: Names = &["provenance", "check_cycles", "seed", "time"];
const IDENTITY: Names =
    &["catalog_uuid", "code_id", "transaction_uuid", "job_id", "producer", "producer_timestamp"];

/// The members that [`lookup`] reads besides those of the node.
const LOOKUP: Names =
    &["key", "type", "merge", "default", "explain", "explain_options", "show_secrets", "compile", "logs"];

/// The limits of [`limits`].
const LIMITS: Names = &[
    "depth",
    "steps",
    "seconds",
    "cpu_seconds",
    "value_size",
    "value_depth",
    "output_size",
    "memory",
    "resources",
];

/// The members of `$trusted`.
const TRUSTED: Names = &["authenticated", "certname", "extensions", "hostname", "domain", "external"];

/// The members of a classification.
const CLASSIFICATION: Names = &["name", "groups", "environment", "classes", "parameters", "config_data"];

/// A request for [`environments`].
///
/// # Errors
/// It is not an object, or has unknown keys.
pub fn of_environment(request: &Json) -> Result<Keyed<'_>, Error> {
    Keyed::new(request, "the options of an environment", &[ENVIRONMENT])
}

/// A request for a catalog, which [`node_input`], [`compile_options`] and [`limits`] read.
///
/// # Errors
/// It is not an object, or has unknown keys.
pub fn of_catalog(request: &Json) -> Result<Keyed<'_>, Error> {
    Keyed::new(request, "the request", &[NODE, LIMITED, CATALOG, IDENTITY])
}

/// A request for [`lookup`] and [`limits`].
///
/// # Errors
/// It is not an object, or has unknown keys.
pub fn of_lookup(request: &Json) -> Result<Keyed<'_>, Error> {
    Keyed::new(request, "the request", &[NODE, LIMITED, LOOKUP])
}

/// A request that contains both the environment and the work for it, in one object.
///
/// # Errors
/// It is not an object, or has unknown keys.
pub fn whole(request: &Json) -> Result<Keyed<'_>, Error> {
    Keyed::new(request, "the request", &[ENVIRONMENT, NODE, LIMITED, CATALOG, IDENTITY, LOOKUP])
}

/// Rejects members of a certificate's data that `$trusted` does not have.
///
/// # Errors
/// A name is unknown.
pub fn check_trusted(given: &Hash) -> Result<(), Error> {
    keys::check(given.keys().filter_map(Value::as_str), "'trusted'", &[TRUSTED])
}

/// Loads the environment of a request: `environmentpath` (text or list), `environment`, `directory` (the
/// environment's own, instead of one in the environment path), `basemodulepath`, `modulepath`, `manifest`,
/// `code`, `global_hiera`, `global_hiera_text` (the content of that file, which is then not read),
/// `settings`, `storeconfigs`, `gems` and `load_path` (directories with Ruby, see [`EnvironmentOptions`]),
/// `commands` (whether `config_version` and `generate()` can run commands), `writable` (directories below
/// which functions of modules can write), `prefer_ruby` (modules whose Ruby functions take precedence over
/// native ones), `file_size` (the maximum size of a file in bytes), `fresh_data` (whether compilations see
/// changes of the files for Hiera).
///
/// # Errors
/// A member has the wrong form, or the environment cannot be loaded.
pub fn load_environment(host: Arc<dyn Host>, request: &Keyed<'_>) -> Result<Environment, Error> {
    Environment::load(host, environment_options(request)?)
}

/// The environments of a request, as for [`load_environment`], with `reload`: when they are loaded again
/// (texts for [`Reload::parse`]; never by default).
///
/// # Errors
/// A member has the wrong form.
pub fn environments(host: Arc<dyn Host>, request: &Keyed<'_>) -> Result<Environments, Error> {
    let reload = text(request, "reload")?.map(Reload::parse).transpose()?.unwrap_or_default();
    Ok(Environments::new(host, environment_options(request)?, reload))
}

/// The options of an environment that a request names.
fn environment_options(request: &Keyed<'_>) -> Result<EnvironmentOptions, Error> {
    let mut options = EnvironmentOptions {
        name: text(request, "environment")?.unwrap_or("production").to_owned(),
        environmentpath: texts(request, "environmentpath")?.unwrap_or_default(),
        directory: text(request, "directory")?.map(str::to_owned),
        base_modulepath: texts(request, "basemodulepath")?.unwrap_or_default(),
        modulepath: texts(request, "modulepath")?,
        manifest: text(request, "manifest")?.map(str::to_owned),
        code: text(request, "code")?.map(str::to_owned),
        global_hiera: text(request, "global_hiera")?.map(str::to_owned),
        global_hiera_text: text(request, "global_hiera_text")?.map(str::to_owned),
        settings: object(request, "settings")?.map(settings).transpose()?.unwrap_or_default(),
        gems: texts(request, "gems")?.unwrap_or_default(),
        load_path: texts(request, "load_path")?.unwrap_or_default(),
        watch: false,
        fresh_data: request.get("fresh_data").map_or(Ok(false), |value| truth("fresh_data", value))?,
        commands: request.get("commands").map_or(Ok(false), |value| truth("commands", value))?,
        writable: texts(request, "writable")?.unwrap_or_default(),
        prefer_ruby: texts(request, "prefer_ruby")?.unwrap_or_default(),
        file_size: number(request, "file_size")?,
    };
    options.settings.storeconfigs |= request["storeconfigs"] == true;
    if options.modulepath.is_some() {
        // Such an environment only consists of these: it has no directory.
        options.environmentpath.clear();
    }
    Ok(options)
}

/// Settings by name: those that the library reads itself, and any other of the reference's.
///
/// # Errors
/// A setting does not exist, or one that the library reads has an invalid value.
pub fn settings(given: &Map<String, Json>) -> Result<Settings, Error> {
    let mut settings = Settings::default();
    for (name, value) in given {
        match name.as_str() {
            "strict" => settings.strict = strictness(value)?,
            "strict_variables" => settings.strict_variables = truth(name, value)?,
            "tasks" => settings.tasks = truth(name, value)?,
            "rich_data" => settings.rich_data = truth(name, value)?,
            "storeconfigs" => settings.storeconfigs = truth(name, value)?,
            "check_resource_types" => settings.check_resource_types = truth(name, value)?,
            _ => {
                if !setting_names().any(|known| known == name) {
                    let known = setting_names().chain(["check_resource_types"]);
                    return Err(keys::unknown(format!("there is no setting '{name}'"), name, known));
                }
                settings.others.push((name.clone(), Value::from(value)));
            }
        }
    }
    Ok(settings)
}

/// The limits in a request's member `limits`: `depth`, `steps`, `seconds`, `cpu_seconds`, `value_size`,
/// `value_depth`, `output_size`, `resources`, `memory`, each a whole number; `steps`, `seconds`,
/// `cpu_seconds` and `memory` can be null for none. The others have their defaults.
///
/// # Errors
/// A limit does not exist, or is not such a number.
pub fn limits(request: &Keyed<'_>) -> Result<Limits, Error> {
    let mut limits = Limits::default();
    for (name, given) in object(request, "limits")?.into_iter().flatten() {
        let number = given.as_u64().ok_or_else(|| wrong(name, "a whole number"));
        let short = || {
            number
                .clone()
                .and_then(|number| u32::try_from(number).map_err(|_| wrong(name, "a smaller number")))
        };
        match name.as_str() {
            "depth" => limits.depth = short()?,
            "steps" => limits.steps = if given.is_null() { None } else { Some(number?) },
            "seconds" => limits.seconds = if given.is_null() { None } else { Some(short()?) },
            "cpu_seconds" => limits.cpu_seconds = if given.is_null() { None } else { Some(short()?) },
            "value_size" => limits.value_size = number?,
            "value_depth" => limits.value_depth = short()?,
            "output_size" => limits.output_size = number?,
            "memory" => limits.memory = if given.is_null() { None } else { Some(number?) },
            "resources" => limits.resources = usize::try_from(number?).unwrap_or(usize::MAX),
            _ => {
                let known = LIMITS.iter().copied();
                return Err(keys::unknown(format!("there is no limit '{name}'"), name, known));
            }
        }
    }
    Ok(limits)
}

/// The node of a request: `node`, `facts`, `trusted`, `trusted_data` (the whole of `$trusted`, whatever its
/// members, instead of `trusted`), `server_facts`, `server_facts_merged`, `classes` (a list of names, or
/// names with parameters), `parameters`, `classification` (see [`add_classification`]).
/// `server_facts` is an object, or true for those of OpenVox and of the host's machine. With `rich_data`
/// (false by default) the facts and parameters are in rich data, so that they can contain a `Sensitive`;
/// otherwise they are plain JSON, whatever its keys.
///
/// # Errors
/// `node` is missing, or a member has the wrong form.
pub fn node_input(request: &Keyed<'_>) -> Result<NodeInput, Error> {
    let name = text(request, "node")?.ok_or_else(|| wrong("node", "the name of a node"))?;
    let is_rich = request["rich_data"] == true;
    let hash = |key: &str| object(request, key)?.map(|members| values(members, is_rich)).transpose();
    let of_host = request["server_facts"] == true;
    let whole_trusted = match hash("trusted_data")? {
        Some(whole) => whole,
        None => trusted(name, &hash("trusted")?.unwrap_or_default())?,
    };
    let mut node = NodeInput {
        name: name.to_owned(),
        facts: hash("facts")?.unwrap_or_default(),
        trusted: Some(whole_trusted),
        server_facts: if of_host { None } else { hash("server_facts")? },
        server_facts_of_host: of_host,
        server_facts_merged: request["server_facts_merged"].as_bool().unwrap_or_default(),
        environment: None,
        classes: classes_with(&request["classes"], is_rich)?,
        parameters: hash("parameters")?.unwrap_or_default(),
        config_data: Hash::default(),
    };
    add_classification(&mut node, &request["classification"])?;
    Ok(node)
}

/// Adds a classification to the data of a node: an object from a classifier, with `classes`, `parameters`
/// (variables), `config_data` and `environment`; null adds nothing. Existing data takes precedence.
///
/// # Errors
/// A member has the wrong form.
pub fn add_classification(node: &mut NodeInput, classification: &Json) -> Result<(), Error> {
    if classification.is_null() {
        return Ok(());
    }
    let classification = &Keyed::new(classification, "'classification'", &[CLASSIFICATION])?;
    let environment = classified_environment(classification)?;
    node.environment = node.environment.take().or_else(|| environment.map(str::to_owned));
    for (name, parameters) in classes(&classification["classes"])? {
        if !node.classes.iter().any(|(known, _)| *known == name) {
            node.classes.push((name, parameters));
        }
    }
    for (name, value) in object(classification, "parameters")?.map(hash_from_json).unwrap_or_default() {
        if node.parameters.get(&name).is_none() {
            node.parameters.insert(name, value);
        }
    }
    for (class, parameters) in object(classification, "config_data")?.into_iter().flatten() {
        let parameters =
            parameters.as_object().ok_or_else(|| wrong("config_data", "names of classes to parameters"))?;
        for (name, value) in parameters {
            node.config_data.insert(Value::from(format!("{class}::{name}")), Value::from(value));
        }
    }
    Ok(())
}

/// The environment that a classification asks for; none when it leaves that to the agent.
fn classified_environment<'k>(classification: &'k Keyed<'_>) -> Result<Option<&'k str>, Error> {
    Ok(text(classification, "environment")?.filter(|name| *name != "agent-specified"))
}

/// The options for the compilation of a request's catalog: `provenance` (true to record the origins of
/// values), `check_cycles` (true to fail on dependency cycles), `catalog_uuid`, `code_id`,
/// `transaction_uuid`, `job_id`, `producer` and `producer_timestamp` (see [`Identity`]), `seed` (a text or
/// whole number) and `time` (seconds since 1970, or a text such as `2024-02-29T12:00:00.000Z`).
///
/// # Errors
/// A member has the wrong form.
pub fn compile_options(request: &Keyed<'_>) -> Result<CompileOptions, Error> {
    Ok(CompileOptions {
        provenance: request["provenance"] == true,
        check_cycles: request["check_cycles"] == true,
        identity: identity(request)?,
        seed: match &request["seed"] {
            Json::Number(seed) if !seed.is_f64() => Some(seed.to_string()),
            _ => text(request, "seed")?.map(str::to_owned),
        },
        time: time(&request["time"])?,
        ..CompileOptions::default()
    })
}

/// The identity of the catalog.
fn identity(request: &Keyed<'_>) -> Result<Identity, Error> {
    let own = |key: &str| text(request, key).map(|given| given.map(str::to_owned));
    let uuid = |key: &str| match text(request, key)? {
        Some(given) => match Uuid::try_parse(given) {
            Ok(uuid) => Ok(Some(uuid.to_string())),
            Err(_) => Err(wrong(key, "a UUID")),
        },
        None => Ok(None),
    };
    Ok(Identity {
        catalog_uuid: uuid("catalog_uuid")?,
        code_id: own("code_id")?,
        transaction_uuid: uuid("transaction_uuid")?,
        job_id: own("job_id")?,
        producer: own("producer")?,
        producer_timestamp: own("producer_timestamp")?,
    })
}

/// The identity of a catalog as an object with the members of a request.
pub fn identity_to_json(identity: &Identity) -> Json {
    let Identity { catalog_uuid, code_id, transaction_uuid, job_id, producer, producer_timestamp } = identity;
    serde_json::json!({
        "catalog_uuid": catalog_uuid, "code_id": code_id, "transaction_uuid": transaction_uuid, "job_id": job_id,
        "producer": producer, "producer_timestamp": producer_timestamp,
    })
}

/// A point in time: seconds since 1970, or ISO 8601; UTC without a zone.
fn time(given: &Json) -> Result<Option<Timestamp>, Error> {
    let refused = || wrong("time", "seconds since 1970 or a text such as 2024-02-29T12:00:00.000Z");
    match given {
        Json::Null => Ok(None),
        Json::Number(seconds) => {
            let seconds = seconds.as_i64().ok_or_else(refused)?;
            Ok(Some(Timestamp { seconds: i128::from(seconds), nanoseconds: 0 }))
        }
        Json::String(text) => {
            let formats = Formats::Several(vec!["%FT%T.%N%z", "%FT%T%z", "%FT%T.%N", "%FT%T"]);
            Timestamp::parse(text, &formats, None).map(Some).map_err(|_| refused())
        }
        _ => Err(refused()),
    }
}

/// `$trusted` from the data of a certificate: `authenticated` (`"remote"`), `certname` (the node's name),
/// `extensions` and `external` (empty); `hostname` and `domain` are derived from the certname.
///
/// # Errors
/// A member is not one of `$trusted`.
pub fn trusted(node: &str, given: &Hash) -> Result<Hash, Error> {
    check_trusted(given)?;
    let or = |key: &str, otherwise: Value| given.get(&Value::from(key)).cloned().unwrap_or(otherwise);
    let empty = || Value::from(Hash::default());
    Ok(hash_of(
        or("authenticated", "remote".into()),
        or("certname", node.into()),
        or("extensions", empty()),
        or("external", empty()),
    ))
}

/// Returns a classification, in the form of requests, from the output of an external node classifier: YAML
/// with `classes` (a list of names, or names with parameters), `parameters` and `environment`. Other keys are
/// ignored.
///
/// # Errors
/// The text is not YAML or not a hash, or one of the three values is invalid.
pub fn classification_of_script(text: &str, node: &str) -> Result<Json, Error> {
    let failed =
        |why: &str| Error::argument(format!("Could not load external node results for {node}: {why}"));
    let read = yaml::parse(text, None).map_err(|error| failed(&error))?;
    let Json::Object(read) = json::from_data(&read) else { return Err(failed("it is no hash")) };
    let mut answer = Map::new();
    match read.get("classes") {
        None | Some(Json::Null) => {}
        Some(Json::Object(classes)) => {
            let filled = |value: &Json| if value.is_null() { json!({}) } else { value.clone() };
            let classes: Map<_, _> =
                classes.iter().map(|(name, value)| (name.clone(), filled(value))).collect();
            answer.insert("classes".to_owned(), classes.into());
        }
        Some(Json::Array(names)) if names.iter().all(Json::is_string) => {
            let names = names.iter().filter_map(Json::as_str);
            let classes: Map<_, _> = names.map(|name| (name.to_owned(), json!({}))).collect();
            answer.insert("classes".to_owned(), classes.into());
        }
        Some(_) => return Err(failed("'classes' is neither a list of names nor a hash")),
    }
    for (key, fits) in
        [("parameters", Json::is_object as fn(&Json) -> bool), ("environment", Json::is_string)]
    {
        match read.get(key) {
            None | Some(Json::Null) => {}
            Some(value) if fits(value) => {
                answer.insert(key.to_owned(), value.clone());
            }
            Some(_) => return Err(failed(&format!("'{key}' is not what it has to be"))),
        }
    }
    Ok(answer.into())
}

/// The exported resources of other nodes in a list of objects in PuppetDB's form, of which `certname`,
/// `type`, `title`, `parameters`, `tags` are used; those whose `exported` is false are left out. If
/// `filtered` is true, the host has applied the condition of the query itself.
pub fn exported_resources(list: &Json) -> Vec<ExportedResource> {
    let all = list.as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter()
        .filter(|resource| resource["exported"] != false)
        .map(|resource| {
            let text = |key: &str| resource[key].as_str().unwrap_or_default().to_owned();
            let parameters = resource["parameters"].as_object().cloned().unwrap_or_default();
            let tags = resource["tags"].as_array().cloned().unwrap_or_default();
            ExportedResource {
                certname: text("certname"),
                type_name: text("type"),
                title: text("title"),
                parameters: parameters
                    .iter()
                    .map(|(name, value)| (name.clone(), Value::from(value)))
                    .collect(),
                tags: tags.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect(),
                kept_tags: Vec::new(),
                is_filtered: resource["filtered"] == true,
            }
        })
        .collect()
}

/// The values of an object: plain data, or rich data.
fn values(members: &Map<String, Json>, is_rich: bool) -> Result<Hash, Error> {
    if !is_rich {
        return Ok(hash_from_json(members));
    }
    match from_data(&Json::Object(members.clone()))? {
        Value::Hash(values) => Ok(values.as_ref().clone()),
        _ => Err(Error::argument("facts and parameters are hashes")),
    }
}

/// Classes from a classifier: a list of names, or names with parameters.
///
/// # Errors
/// Neither of both.
pub fn classes(json: &Json) -> Result<Vec<(Str, Option<Hash>)>, Error> {
    classes_with(json, false)
}

fn classes_with(json: &Json, is_rich: bool) -> Result<Vec<(Str, Option<Hash>)>, Error> {
    let refused = || wrong("classes", "a list of names, or an object of names to parameters");
    match json {
        Json::Null => Ok(Vec::new()),
        Json::Array(names) => {
            names.iter().map(|name| Ok((name.as_str().ok_or_else(refused)?.into(), None))).collect()
        }
        Json::Object(members) => members
            .iter()
            .map(|(name, parameters)| match parameters {
                Json::Null => Ok((name.as_str().into(), None)),
                Json::Object(parameters) => Ok((name.as_str().into(), Some(values(parameters, is_rich)?))),
                _ => Err(refused()),
            })
            .collect(),
        _ => Err(refused()),
    }
}

/// The answer to a lookup.
pub struct LookupAnswer {
    /// The value as rich data, or the error; null if only the options are explained.
    pub outcome: Result<Json, Error>,
    /// How it was found, when that was asked for.
    pub explained: Option<Explained>,
    /// The log.
    pub logs: Vec<LogEntry>,
    /// Whether the lookup or the manifests read variables of the class `settings`.
    pub reads_settings: bool,
}

/// How a value was found.
pub struct Explained {
    /// As `puppet lookup --explain` writes it.
    pub text: String,
    /// The same as data, with the reference's keys.
    pub data: Json,
}

/// Answers a lookup as [`answer_lookup`] does. The reply is an object with `value` or `error`, with
/// `explain_text` and `explain_data` if requested, and with `logs` and `reads_settings` (whether variables of
/// the class `settings` were read) if the log is requested; the log is also separate.
///
/// # Errors
/// A member of the request has the wrong form, or the lookup did not complete: a limit, a cancellation, a
/// bug. A missing key is not an error of this function.
pub fn lookup(
    environment: &Environment,
    request: &Keyed<'_>,
    limits: Limits,
) -> Result<(Json, Vec<LogEntry>), Error> {
    let answer = answer_lookup(environment, request, limits)?;
    let mut reply = Map::new();
    if let Some(explained) = answer.explained {
        reply.insert("explain_text".into(), explained.text.into());
        reply.insert("explain_data".into(), explained.data);
    }
    match answer.outcome {
        Ok(_) if request["explain_options"] == true && request["explain"] != true => {}
        Ok(value) => drop(reply.insert("value".into(), value)),
        // An error that is independent of the data is not an answer.
        Err(error) if error.kind.ends_work() => return Err(error),
        Err(error) => drop(reply.insert("error".into(), error_to_json(&error))),
    }
    if request["logs"] == true {
        reply.insert("logs".into(), answer.logs.iter().map(log_to_json).collect());
        reply.insert("reads_settings".into(), answer.reads_settings.into());
    }
    Ok((Json::Object(reply), answer.logs))
}

/// Answers a lookup: `key`, `type`, `merge`, `default`, `explain`, `explain_options`, `show_secrets`,
/// `compile` (evaluate the manifests first), and the node as [`node_input`] reads it. Explanations redact
/// values that become Sensitive or were encrypted unless `show_secrets` is true.
///
/// # Errors
/// A member of the request has the wrong form. A missing key is not an error of this function.
pub fn answer_lookup(
    environment: &Environment,
    request: &Keyed<'_>,
    limits: Limits,
) -> Result<LookupAnswer, Error> {
    let input = node_input(request)?;
    let question = lookup_request(request)?;
    let expected = text(request, "type")?;
    let (explains, explains_options) = (request["explain"] == true, request["explain_options"] == true);
    environment.on_deep_stack(|| {
        let compilation = Compilation::new(environment, input, limits);
        let mut explained = None;
        let answer = || -> Result<Value, Error> {
            if request["compile"] != true {
                compilation.loaded().leave_out_main_manifest();
            }
            compilation.compile()?;
            let value_type = expected.map(|expected| compilation.parse_type(expected)).transpose()?;
            let question = LookupRequest { value_type, ..question };
            if !explains && !explains_options {
                return compilation.lookup(&question).map(Option::unwrap_or_default);
            }
            let show_secrets = request["show_secrets"] == true;
            let options = ExplainOptions { only_options: !explains, only_places: false, show_secrets };
            let (result, explanation) = compilation.explain(&question, options);
            // The reference explains failures of lookups only; what else ends one leaves no explanation.
            if result.as_ref().err().is_none_or(|error| error.kind == ErrorKind::Lookup) {
                explained = Some(Explained { text: explanation.text(), data: explanation.to_data()? });
            }
            result
        };
        let outcome = answer().and_then(|value| to_data(&value, &DataOptions::rich()));
        let reads_settings = compilation.reads_settings();
        LookupAnswer { outcome, explained, logs: compilation.loaded().log.entries.take(), reads_settings }
    })
}

fn lookup_request(request: &Keyed<'_>) -> Result<LookupRequest, Error> {
    let merge = match &request["merge"] {
        Json::Null => None,
        Json::String(strategy) => Some(Value::hash([("strategy".into(), Value::from(strategy.as_str()))])),
        options => Some(Value::from(options)),
    };
    // Without a key the options of all keys are explained.
    let names = match &request["key"] {
        Json::Null => vec!["__global__".into()],
        Json::Array(_) => {
            texts(request, "key")?.unwrap_or_default().iter().map(|key| key.as_str().into()).collect()
        }
        _ => text(request, "key")?.into_iter().map(Str::from).collect(),
    };
    let default = request.get("default").map(Value::from);
    Ok(LookupRequest { names, merge, default, ..LookupRequest::default() })
}

/// An error as JSON: `message`, and `issue_code`, `file`, `line`, `column` where known.
pub fn error_to_json(error: &Error) -> Json {
    let mut json = serde_json::json!({ "message": error.full_message() });
    let place = &error.location;
    let members = [
        ("issue_code", error.issue.map(|issue| Json::from(issue.code()))),
        ("file", place.file.as_deref().map(Json::from)),
        ("line", place.line.map(Json::from)),
        ("column", place.column.map(Json::from)),
    ];
    for (key, value) in members {
        if let Some(value) = value {
            json[key] = value;
        }
    }
    json
}

/// A message of the log as JSON: `level`, `message`, `source`, and `file`, `line`, `column`, `issue_code`,
/// `once` where known.
pub fn log_to_json(entry: &LogEntry) -> Json {
    let mut json = json!({ "level": entry.level.name(), "message": entry.message, "source": &*entry.source });
    let place = &entry.location;
    let members = [
        ("file", place.file.as_deref().map(Json::from)),
        ("line", place.line.map(Json::from)),
        ("column", place.column.map(Json::from)),
        ("issue_code", entry.issue.map(|issue| Json::from(issue.code()))),
        ("once", entry.once.as_deref().map(Json::from)),
    ];
    for (key, value) in members {
        if let Some(value) = value {
            json[key] = value;
        }
    }
    json
}

fn text<'r>(request: &'r Keyed<'_>, key: &str) -> Result<Option<&'r str>, Error> {
    match &request[key] {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(text)),
        _ => Err(wrong(key, "a text")),
    }
}

fn number(request: &Keyed<'_>, key: &str) -> Result<Option<u64>, Error> {
    match &request[key] {
        Json::Null => Ok(None),
        number => number.as_u64().map(Some).ok_or_else(|| wrong(key, "a whole number")),
    }
}

fn texts(request: &Keyed<'_>, key: &str) -> Result<Option<Vec<String>>, Error> {
    match &request[key] {
        Json::Null => Ok(None),
        Json::String(text) => Ok(Some(vec![text.clone()])),
        Json::Array(all) => {
            let texts = all.iter().map(|one| one.as_str().map(str::to_owned));
            texts.collect::<Option<_>>().map(Some).ok_or_else(|| wrong(key, "a list of texts"))
        }
        _ => Err(wrong(key, "a text or a list of texts")),
    }
}

fn object<'r>(request: &'r Keyed<'_>, key: &str) -> Result<Option<&'r Map<String, Json>>, Error> {
    match &request[key] {
        Json::Null => Ok(None),
        Json::Object(members) => Ok(Some(members)),
        _ => Err(wrong(key, "an object")),
    }
}

fn strictness(value: &Json) -> Result<Strictness, Error> {
    match value.as_str() {
        Some("off") => Ok(Strictness::Off),
        Some("warning") => Ok(Strictness::Warning),
        Some("error") => Ok(Strictness::Error),
        _ => Err(wrong("strict", "one of off, warning, error")),
    }
}

fn truth(name: &str, value: &Json) -> Result<bool, Error> {
    match value {
        Json::Bool(truth) => Ok(*truth),
        Json::String(text) if text == "true" => Ok(true),
        Json::String(text) if text == "false" => Ok(false),
        _ => Err(wrong(name, "true or false")),
    }
}

fn wrong(key: &str, expected: &str) -> Error {
    Error::argument(format!("the request's '{key}' must be {expected}"))
}

#[cfg(test)]
mod tests {
    use bunraku_host::memory::MemoryHost;
    use serde_json::json;

    use super::*;

    fn said<T>(result: Result<T, Error>) -> String {
        result.err().map(|error| error.message).unwrap_or_default()
    }

    /// The error for the request of a compilation.
    fn refused(request: &Json) -> String {
        said(of_catalog(request).and_then(|request| {
            node_input(&request)?;
            compile_options(&request)?;
            limits(&request)
        }))
    }

    #[test]
    fn misspelt_keys_are_refused_at_every_depth() {
        for (request, message) in [
            (
                json!({ "limts": { "seconds": 1 } }),
                "there is no 'limts' in the request (did you mean 'limits'?)",
            ),
            (json!({ "limits": { "secnods": 1 } }), "there is no limit 'secnods' (did you mean 'seconds'?)"),
            (json!({ "limits": { "width": 1 } }), "there is no limit 'width'"),
            (
                json!({ "trusted": { "extension": {} } }),
                "there is no 'extension' in 'trusted' (did you mean 'extensions'?)",
            ),
            (
                json!({ "classification": { "clases": {} } }),
                "there is no 'clases' in 'classification' (did you mean 'classes'?)",
            ),
            (
                json!({ "catalog_uid": 1 }),
                "there is no 'catalog_uid' in the request (did you mean 'catalog_uuid'?)",
            ),
            // A member of another request.
            (json!({ "explain": true }), "there is no 'explain' in the request"),
        ] {
            let mut whole = json!({ "node": "n" });
            whole.as_object_mut().expect("an object").extend(request.as_object().expect("an object").clone());
            assert_eq!(refused(&whole), message);
        }
        assert!(said(of_lookup(&json!({ "seed": 1 }))).starts_with("there is no 'seed' in the request"));
        let message = said(of_environment(&json!({ "file_sise": 1 })));
        assert_eq!(
            message,
            "there is no 'file_sise' in the options of an environment (did you mean 'file_size'?)"
        );
    }

    #[test]
    fn data_has_any_keys() {
        let any = json!({ "limts": 1 });
        let classification =
            json!({ "classes": { "limts": any }, "parameters": any, "config_data": { "limts": any } });
        let trusted = json!({ "extensions": any, "external": any });
        let request = json!({
            "node": "n", "facts": any, "parameters": any, "classes": { "limts": any }, "server_facts": any,
            "classification": classification, "trusted": trusted,
        });
        assert_eq!(refused(&request), "");
        let request = json!({ "node": "n", "trusted_data": any });
        let node = of_catalog(&request).and_then(|request| node_input(&request)).expect("any members");
        assert_eq!(node.trusted.map(|trusted| trusted.len()), Some(1));
    }

    #[test]
    fn every_limit_that_is_suggested_can_be_set() {
        for limit in LIMITS {
            assert_eq!(refused(&json!({ "node": "n", "limits": { *limit: 5 } })), "");
        }
    }

    #[test]
    fn settings_are_those_of_the_reference() {
        let given = |name: &str| said(settings(&Map::from_iter([(name.to_owned(), Json::from(true))])));
        assert_eq!(
            given("strict_varibles"),
            "there is no setting 'strict_varibles' (did you mean 'strict_variables'?)"
        );
        assert_eq!(given("storeconfig"), "there is no setting 'storeconfig' (did you mean 'storeconfigs'?)");
        assert_eq!(given("made up for this"), "there is no setting 'made up for this'");
        for name in ["storeconfigs", "check_resource_types", "vardir", "certname", "environment_timeout"] {
            assert_eq!(given(name), "");
        }
    }

    /// The answer to a lookup in an environment with a file of data.
    fn looked_up(data: &str, question: Json) -> Json {
        let mut host = MemoryHost::new();
        host.add("/e/p/hiera.yaml", "version: 5\nhierarchy: [{ name: a, paths: [a.yaml, b.yaml] }]\n");
        host.add("/e/p/data/a.yaml", data);
        host.add("/e/p/data/b.yaml", "list: [2]\n");
        let options = EnvironmentOptions {
            name: "p".into(),
            directory: Some("/e/p".into()),
            ..EnvironmentOptions::default()
        };
        let environment = Environment::load(Arc::new(host), options).expect("it is a directory");
        let mut whole = json!({ "node": "n" });
        whole.as_object_mut().expect("an object").extend(question.as_object().expect("an object").clone());
        let request = of_lookup(&whole).expect("the keys are known");
        lookup(&environment, &request, Limits::default()).expect("the request is sound").0
    }

    #[test]
    fn lookups_tell_whether_they_read_settings() {
        let data = "set: \"%{settings::environment}\"\nplain: \"%{environment}\"\n";
        for (key, reads) in [("set", true), ("plain", false)] {
            let answer = looked_up(data, json!({ "key": key, "logs": true }));
            assert_eq!((&answer["value"], &answer["reads_settings"]), (&json!("p"), &json!(reads)), "{key}");
        }
    }

    #[test]
    fn what_is_null_in_a_lookup_was_not_given() {
        let data = "list: [1]\nlookup_options: { list: { merge: unique } }\n";
        for (question, value) in [
            (json!({ "key": "list" }), json!([1, 2])),
            (json!({ "key": "list", "merge": null }), json!([1, 2])),
            (json!({ "key": "list", "merge": "first" }), json!([1])),
            (json!({ "key": "list", "merge": { "strategy": "first" } }), json!([1])),
        ] {
            assert_eq!(looked_up(data, question.clone())["value"], value, "{question}");
        }
        for question in [json!({ "explain_options": true }), json!({ "key": null, "explain_options": true })]
        {
            let told = &looked_up(data, question.clone())["explain_text"];
            assert!(told.as_str().is_some_and(|told| told.contains("lookup_options")), "{question}: {told}");
        }
    }
}
