//! Environments: loaded once or as often as wanted, shared by any number of threads.

use std::sync::Arc;

use bunraku_core::compiler::{Limits, request};
use bunraku_core::diagnostic::Error;
use bunraku_core::eval::limits::Usage;
use bunraku_core::loader::{Check, Environment, Environments};
use bunraku_core::pcore::Value;
use bunraku_core::pcore::keys::Keyed;
use bunraku_core::pcore::value::Hash;
use bunraku_core::requests;
use bunraku_core::wire::agent;
use serde_json::{Value as Json, json};

use crate::boundary::{CallError, free, give, guard, misuse, object, text, texts};
use crate::cancel::{attached, bunraku_cancel, watch_reading};
use crate::catalog::bunraku_catalog;
use crate::data;
use crate::error::bunraku_error;
use crate::host::{bunraku_host, host_or_disk};
use crate::text::{bunraku_string, bunraku_text};
use crate::value::bunraku_value;

/// A directory environment: manifests, modules, data. Loaded once, and anew where the option "reload" says
/// so. Any number of threads may compile and look up at the same time, without waiting for each other; what
/// is read anew meanwhile does not touch a compilation that has begun.
pub struct bunraku_environment {
    /// As it was when it was loaded first.
    pub(crate) environment: Arc<Environment>,
    environments: Environments,
}

/// Loads an environment.
///
/// @param directories  the directories that hold environments; relative ones start at the working directory
/// @param directory_count  how many
/// @param name  the environment, such as "production"
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "directory" (the environment's own, whatever it is
///     called; then `directories` are not searched), "basemodulepath" and "modulepath" (lists of
///     directories), "manifest" (a path), "code" (text instead of the main manifest), "global_hiera" (a
///     path), "global_hiera_text" (what stands in it; then it is not read), "settings" (an object: "strict",
///     "strict_variables", "rich_data", "storeconfigs", "tasks", …; resource types, providers and functions
///     of the 3.x API are also looked for in the directory "libdir" and in the modules of "vendormoduledir",
///     behind the modules; where nothing is said, in those of the reference, and an empty text is none),
///     "gems" and "load_path" (lists of directories with Ruby in which these are looked for, before the
///     modules and between "libdir" and the vendored modules), "commands" (true: config_version, generate()
///     and functions of modules run commands, with the rights of this process), "writable" (a list of
///     directories below which functions of modules may write files), "prefer_ruby" (a list of modules whose
///     own functions in Ruby run even where native ones stand in for them, ["*"] for all), "file_size" (how
///     many bytes a file may have that is read, 67108864 without this option), "reload": when it is read
///     anew: "never" (as without this option), "always" (by each call), "changed" (when size or time of a
///     file or directory that was read has changed), "configured" (as environment_timeout in its
///     environment.conf says), or a time such as "5m"
/// @param host  callbacks, copied; NULL for the disk and nothing else
/// @param environment  receives the environment, to be freed with bunraku_environment_free
/// @return NULL on success
///
/// # Safety
/// The texts point to as many bytes as told, `directories` to as many texts, `host` is NULL or readable for
/// as many bytes as its size tells, `environment` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_load(
    directories: *const bunraku_text,
    directory_count: usize,
    name: bunraku_text,
    options_json: bunraku_text,
    host: *const bunraku_host,
    environment: *mut *mut bunraku_environment,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (directories, name, options, host) = unsafe {
            (
                texts(directories, directory_count, "directories")?,
                text(name, "name")?,
                text(options_json, "options_json")?,
                host_or_disk(host)?,
            )
        };
        let mut request = object_of(data::parse(options)?)?;
        request["environmentpath"] = directories.into_iter().map(absolute).collect();
        request["environment"] = Json::from(name);
        if let Some(directory) = request["directory"].as_str() {
            request["directory"] = absolute(directory).into();
        }
        let environments = request::environments(host.clone(), &request::of_environment(&request)?)?;
        let loaded = environments.get_watched(name, &Usage::of_reading(attached(), &*host).ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(environment, bunraku_environment { environment: loaded, environments }) }
    })
}

/// Compiles the catalog of a node.
///
/// @param node  the certname
/// @param facts_json  the facts, a JSON object; BUNRAKU_NO_TEXT for none
/// @param request_json  a JSON object with what else is known, or BUNRAKU_NO_TEXT: "trusted" (an object),
///     "classes" (a list of names, or an object of names to parameters), "parameters" (variables of the top
///     scope), "classification" (an object as a classifier answers it: more of both, "config_data", and
///     "environment", which must be this one or "agent-specified"), "server_facts" (an object; or true: as
///     OpenVox sets $servername, $serverip, $serverversion and their like, with the name and the addresses of
///     this machine, which are looked up once for an environment), "server_facts_merged": true when
///     "parameters" hold them already; "rich_data": true when facts, and parameters beside those of
///     "classification", are in rich data, so that {"__ptype": "Sensitive", "__pvalue": "p4ss"} is a
///     Sensitive and not a hash; "provenance": true records where values come from; "check_cycles": true
///     makes a cycle of dependencies an error that tells its path; what the catalog is known by: "code_id",
///     "transaction_uuid", "job_id", "producer", "producer_timestamp" (ISO 8601 with a time zone; the time of
///     the compilation without it) and "catalog_uuid" (a new one without it); "seed" (a text or whole number:
///     what is random follows from it, so that the same request gives the same bytes), "time" (where the
///     clock stands still: seconds since 1970 or ISO 8601; with a "seed" only, the beginning of 1970);
///     "limits" (an object: "depth", "steps", "seconds", "cpu_seconds", "value_size", "value_depth",
///     "output_size", "resources", "memory" (bytes that it may have at one time, 1 GiB where nothing is
///     said), each a whole number; "steps" counts one for each kilobyte that an operation reads or makes,
///     too, and "cpu_seconds", 300 where nothing is said, are those of the thread's processor, looked at
///     where "seconds" sets nothing; "steps", "seconds", "cpu_seconds" and "memory" may be null for none)
/// @param cancel  a switch that another thread, or the handler of a signal, may set; NULL for that of
///     bunraku_cancel_attach
/// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
/// @return NULL on success; the error has the log in bunraku_error_logs_json
///
/// # Safety
/// `environment` is live, the texts point to as many bytes as told, `cancel` is NULL or live, `catalog` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_compile(
    environment: *const bunraku_environment,
    node: bunraku_text,
    facts_json: bunraku_text,
    request_json: bunraku_text,
    cancel: *const bunraku_cancel,
    catalog: *mut *mut bunraku_catalog,
) -> *mut bunraku_error {
    // SAFETY: by the contract of this function.
    guard(|| unsafe { compile((environment, cancel), (node, facts_json, request_json), None, catalog) })
}

/// Compiles the catalog of a node, as bunraku_environment_compile does, with its facts as a value: what JSON
/// has no form for, such as a Sensitive, is itself.
///
/// @param node  the certname
/// @param facts  a Hash; it stays the caller's
/// @param request_json  as for bunraku_environment_compile
/// @param cancel  as for bunraku_environment_compile
/// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
/// @return as bunraku_environment_compile
///
/// # Safety
/// As bunraku_environment_compile; `facts` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_compile_facts(
    environment: *const bunraku_environment,
    node: bunraku_text,
    facts: *const bunraku_value,
    request_json: bunraku_text,
    cancel: *const bunraku_cancel,
    catalog: *mut *mut bunraku_catalog,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let Value::Hash(facts) = &unsafe { object(facts, "facts") }?.0 else {
            return Err(misuse("facts is not a Hash"));
        };
        let texts = (node, bunraku_text::NONE, request_json);
        // SAFETY: by the contract of this function.
        unsafe { compile((environment, cancel), texts, Some(facts), catalog) }
    })
}

/// Compiles a catalog from the texts of a request: node, facts and what else is known. `facts` go before
/// those of the text.
///
/// # Safety
/// As [`bunraku_environment_compile`].
unsafe fn compile(
    (environment, cancel): (*const bunraku_environment, *const bunraku_cancel),
    (node, facts_json, request_json): (bunraku_text, bunraku_text, bunraku_text),
    facts: Option<&Hash>,
    catalog: *mut *mut bunraku_catalog,
) -> Result<(), CallError> {
    // SAFETY: by the contract of this function.
    let own = unsafe { object(environment, "environment") }?;
    // SAFETY: by the contract of this function.
    let request = unsafe { node_request(node, facts_json, request_json) }?;
    let request = request::of_catalog(&request)?;
    let mut input = request::node_input(&request)?;
    if let Some(facts) = facts {
        input.facts = facts.clone();
    }
    let mut options = request::compile_options(&request)?;
    // SAFETY: by the contract of this function.
    options.limits = unsafe { limits(&request, cancel) }?;
    let environment = own.current(&own.watch_reading(&options.limits).ends)?;
    let mut result = bunraku_core::compiler::compile(&environment, input, options);
    if let Ok(compiled) = &result.outcome {
        let losses = agent::losses(compiled, &environment.settings);
        losses.iter().for_each(|loss| environment.host.log(loss));
        result.logs.extend(losses);
    }
    let logs = data::log_entries(&result.logs);
    match result.outcome {
        Ok(compiled) => {
            let compiled = bunraku_catalog::new(compiled, environment.settings.clone(), &logs);
            // SAFETY: by the contract of this function.
            unsafe { give(catalog, compiled) }
        }
        Err(error) => Err(CallError(Box::new(bunraku_error::from(error).with_logs(&logs)))),
    }
}

/// Looks up data as `puppet lookup` does.
///
/// @param node  the certname
/// @param facts_json  the facts, a JSON object; BUNRAKU_NO_TEXT for none
/// @param request_json  a JSON object: "key" (required), "type" (a type in Puppet's language), "merge" (a
///     strategy or an object of options), "default", "explain" (true for the text that explains),
///     "explain_options", "show_secrets" (true to explain with what is Sensitive or was encrypted, redacted
///     otherwise), "compile" (true to evaluate the manifests first), and what bunraku_environment_compile
///     takes
/// @param cancel  as for bunraku_environment_compile
/// @param answer  receives a JSON object with "value" or "error", and "explain_text" and "explain_data" when
///     asked for; to be freed with bunraku_string_free. A Sensitive in the value is an object with "__ptype"
///     and, in clear, "__pvalue"
/// @return NULL on success; not finding the key is a success with an "error" in the answer, what a limit or a
///     switch ends is an error
///
/// # Safety
/// `environment` is live, the texts point to as many bytes as told, `cancel` is NULL or live, `answer` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_lookup(
    environment: *const bunraku_environment,
    node: bunraku_text,
    facts_json: bunraku_text,
    request_json: bunraku_text,
    cancel: *const bunraku_cancel,
    answer: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?;
        // SAFETY: by the contract of this function.
        let request = unsafe { node_request(node, facts_json, request_json) }?;
        let request = request::of_lookup(&request)?;
        // SAFETY: by the contract of this function.
        let limits = unsafe { limits(&request, cancel) }?;
        let (reply, _) = request::lookup(&*own.current(&own.watch_reading(&limits).ends)?, &request, limits)?;
        // SAFETY: by the contract of this function.
        unsafe { give(answer, bunraku_string::new(reply.to_string())) }
    })
}

/// What an environment is: where it was found, and where its modules are.
///
/// @param json  receives a JSON object with "name", "directory" (null when it has none) and "modulepath"
///     (the directories of modules that exist); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_describe(
    environment: *const bunraku_environment,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?.inner();
        let described = json!({ "name": own.name, "directory": own.directory, "modulepath": own.modulepath });
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(described.to_string())) }
    })
}

/// Which files in Ruby of an environment's modules the Ruby that is built in knows: what a program without Ruby
/// can run. Nothing is called, so what a function meets only when it runs is not told.
///
/// @param json  receives a JSON object with "files", an array of objects with "file", "module", "kind"
///     ("function", "legacy_function", "resource_type", "library", "template"), "known", "native" (whether the
///     library's own function does what this version of the file does) and "unknown" (an array of objects with
///     "construct" and "line"), and with the numbers of files "known" and "unknown"; to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_ruby_report_json(
    environment: *const bunraku_environment,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?;
        let usage = watch_reading();
        let report = requests::ruby_report(&*own.current(&usage.ends)?, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(report.to_string())) }
    })
}

/// Checks an environment: what is wrong with its manifests, modules, templates and data, told without compiling
/// a node.
///
/// @param request_json  a JSON object, or an empty text: "select" and "ignore" (codes, or beginnings of codes),
///     "notes" (whether notes are told), "paths" (files and directories whose findings are told)
/// @param json  receives a JSON array of objects with "code", "severity" ("error", "warning" or "note"),
///     "message", "file", "line", "column", "end_line", "end_column", "related" (objects with "message" and a
///     place) and "fix" (null, or an object with "message", a place and "text"); to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, the text points to as many bytes as told, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_check(
    environment: *const bunraku_environment,
    request_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, request) =
            unsafe { (object(environment, "environment")?, text(request_json, "request_json")?) };
        let usage = watch_reading();
        let request =
            if request.is_empty() { Json::Object(Default::default()) } else { data::parse(request)? };
        let found = requests::check_environment(&*own.current(&usage.ends)?, &request, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(found.to_string())) }
    })
}

/// What an environment defines, and who refers to it.
///
/// @param json  receives a JSON object with "definitions" (objects with "kind", "name", a place, "module",
///     "documentation", "parent" and "parameters": "name", "type", "default", "required"), "references"
///     (objects with "kind", "usage", "name", "title", a place, and "inside": the definition around it) and
///     "unused" (the numbers of definitions that nobody refers to); to be freed with bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_index_json(
    environment: *const bunraku_environment,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?;
        let usage = watch_reading();
        let index = requests::index(&*own.current(&usage.ends)?, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(index.to_string())) }
    })
}

/// Has an environment read anew when it is used next, whatever the option "reload" says.
///
/// @return NULL on success
///
/// # Safety
/// `environment` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_clear(
    environment: *const bunraku_environment,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(environment, "environment") }?;
        own.environments.clear(None);
        Ok(())
    })
}

/// Frees an environment. NULL is allowed. Catalogs made in it stay valid.
///
/// # Safety
/// `environment` is NULL or was not freed before, and nobody uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_free(environment: *mut bunraku_environment) {
    // SAFETY: by the contract of this function.
    unsafe { free(environment) }
}

impl bunraku_environment {
    pub(crate) fn inner(&self) -> &Environment {
        &self.environment
    }

    /// The environment as it is now.
    pub(crate) fn current(&self, check: Check<'_>) -> Result<Arc<Environment>, Error> {
        self.environments.get_watched(&self.environment.name, check)
    }

    /// Watches over the reading of the environment that something with these limits needs.
    fn watch_reading(&self, limits: &Limits) -> Usage<'_> {
        Usage::of_reading(limits.cancel.clone(), &*self.environment.host)
    }
}

/// The request about a node: its name, facts, and what else is known.
///
/// # Safety
/// The texts point to as many bytes as told.
unsafe fn node_request(
    node: bunraku_text,
    facts_json: bunraku_text,
    request_json: bunraku_text,
) -> Result<Json, CallError> {
    // SAFETY: by the contract of this function.
    let (node, facts, request) = unsafe {
        (text(node, "node")?, text(facts_json, "facts_json")?, text(request_json, "request_json")?)
    };
    let mut request = object_of(data::parse(request)?)?;
    request["node"] = Json::from(node);
    request["facts"] = data::parse(facts)?;
    Ok(request)
}

/// The limits that a request has, with a switch.
///
/// # Safety
/// `cancel` is NULL or live.
unsafe fn limits(request: &Keyed<'_>, cancel: *const bunraku_cancel) -> Result<Limits, Error> {
    // SAFETY: by the contract of this function.
    let cancel = unsafe { cancel.as_ref() }.map(|cancel| cancel.switch.clone()).or_else(attached);
    Ok(Limits { cancel, ..request::limits(request)? })
}

/// The path, made absolute: the core does not know the working directory.
fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.to_string_lossy().into_owned())
}

fn object_of(json: Json) -> Result<Json, Error> {
    if json.is_object() { Ok(json) } else { Err(Error::argument("the JSON text is not an object")) }
}
