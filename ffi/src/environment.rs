//! Environments, shared by any number of threads.

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

/// A directory environment: manifests, modules, data. It is loaded once, and again when the option "reload"
/// requires it. Any number of threads can compile and look up data at the same time, without waiting for each
/// other. A reload does not affect a compilation that has begun.
pub struct bunraku_environment {
    /// The environment as it was first loaded.
    pub(crate) environment: Arc<Environment>,
    pub(crate) environments: Arc<Environments>,
}

/// Loads an environment.
///
/// @param directories  the directories that contain environments; relative paths start at the working
///     directory
/// @param directory_count  the number of directories
/// @param name  the environment, such as "production"
/// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "directory" (the environment's own directory,
///     whatever its name; `directories` are then not searched), "basemodulepath" and "modulepath" (lists of
///     directories), "manifest" (a path), "code" (text instead of the main manifest), "global_hiera" (a
///     path), "global_hiera_text" (the content of that file, which is then not read), "settings" (an object:
///     "strict", "strict_variables", "rich_data", "storeconfigs", "tasks", …; the directory "libdir" and the
///     modules of "vendormoduledir" are searched for resource types, providers and functions of the 3.x API
///     after the modules; the default is the reference's, an empty text means none), "gems" and "load_path"
///     (lists of directories with Ruby that are also searched for these, before the modules and between
///     "libdir" and the vendored modules), "commands" (true: config_version, generate() and functions of
///     modules run commands, with the rights of this process), "writable" (a list of directories below which
///     functions of modules can write files), "prefer_ruby" (a list of modules whose own Ruby functions run
///     even where the library has native replacements, ["*"] for all), "file_size" (the maximum size in bytes
///     of a file that is read, 67108864 by default), "reload" (when the environment is loaded again: "never",
///     the default, "always", by each call, "changed", when the size or time of a file or directory that was
///     read has changed, "configured", as environment_timeout in its environment.conf says, or a time such as
///     "5m"), "fresh_data" (true: each compilation sees changes of data files and of every hiera.yaml,
///     while all else stays as it was read)
/// @param host  callbacks, which are copied; NULL for the disk without further functions
/// @param environment  receives the environment, to be freed with bunraku_environment_free
/// @return NULL on success
///
/// # Safety
/// The texts are valid for reads of their lengths, `directories` points to `directory_count` texts, `host` is
/// NULL or valid for reads of its "size", `environment` is writable.
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
        unsafe {
            give(
                environment,
                bunraku_environment { environment: loaded, environments: Arc::new(environments) },
            )
        }
    })
}

/// Compiles the catalog of a node.
///
/// @param node  the certname
/// @param facts_json  the facts, a JSON object; BUNRAKU_NO_TEXT for none
/// @param request_json  a JSON object with further input, or BUNRAKU_NO_TEXT: "trusted" (an object),
///     "trusted_data" (the whole of $trusted instead, whatever its members), "classes" (a list of names, or
///     an object of names to parameters), "parameters" (variables of the top scope), "classification" (an
///     object as a classifier returns it: more classes and parameters,
///     "config_data", and "environment", which must be this one or "agent-specified"), "server_facts" (an
///     object; or true, which sets $servername, $serverip, $serverversion and the others as OpenVox does,
///     with the name and the addresses of this machine, which are looked up once for an environment),
///     "server_facts_merged": true when "parameters" already contain them; "rich_data": true when facts, and
///     parameters other than those of "classification", are in rich data, so that {"__ptype": "Sensitive",
///     "__pvalue": "p4ss"} is a Sensitive and not a hash; "provenance": true records where values come from;
///     "check_cycles": true makes a dependency cycle an error that shows its path; the identity of the
///     catalog: "code_id", "transaction_uuid", "job_id", "producer", "producer_timestamp" (ISO 8601 with a
///     time zone; by default the time of the compilation) and "catalog_uuid" (by default a new one); "seed"
///     (a text or whole number that determines everything random, so that the same request gives the same
///     bytes), "time" (the fixed time of the clock: seconds since 1970 or ISO 8601; with a "seed" the default
///     is the beginning of 1970); "limits" (an object of whole numbers: "depth", "steps", "seconds",
///     "cpu_seconds", "value_size", "value_depth", "output_size", "resources", "memory" (the maximum number
///     of bytes at one time, 1 GiB by default); "steps" also counts one for each kilobyte that an operation
///     reads or makes; "cpu_seconds", 300 by default, limits the thread's processor time and applies if
///     "seconds" is not set; "steps", "seconds", "cpu_seconds" and "memory" can be null for none)
/// @param cancel  a switch that another thread or a signal handler can set; NULL for that of
///     bunraku_cancel_attach
/// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
/// @return NULL on success; bunraku_error_logs_json returns the log of the error
///
/// # Safety
/// `environment` is live, the texts are valid for reads of their lengths, `cancel` is NULL or live, `catalog`
/// is writable.
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

/// Compiles the catalog of a node, as bunraku_environment_compile does, with its facts as a value, so that
/// values without a form in JSON, such as a Sensitive, keep their types.
///
/// @param node  the certname
/// @param facts  a Hash; the caller keeps it
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

/// Compiles a catalog from the texts of a request: node, facts and further input. `facts` take precedence
/// over those of the text.
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
///     strategy or an object of options), "default", "explain" (true for the explanation as text),
///     "explain_options", "show_secrets" (true to show what is Sensitive or was encrypted in the explanation,
///     which is redacted otherwise), "compile" (true to evaluate the manifests first), "logs" (true for the
///     log), and the members that bunraku_environment_compile takes
/// @param cancel  as for bunraku_environment_compile
/// @param answer  receives a JSON object with "value" or "error", and with "explain_text", "explain_data" and
///     "logs" (as bunraku_catalog_logs_json has them, and "reads_settings" as bunraku_catalog_reads_settings)
///     if requested; to be freed with bunraku_string_free. A Sensitive in the value is an object with
///     "__ptype" and, in clear, "__pvalue"
/// @return NULL on success. A missing key is a success with an "error" in the answer; exceeding a limit or a
///     set switch is an error
///
/// # Safety
/// `environment` is live, the texts are valid for reads of their lengths, `cancel` is NULL or live, `answer`
/// is writable.
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

/// Describes an environment: where it was found, and where its modules are.
///
/// @param json  receives a JSON object with "name", "directory" (null if it has none) and "modulepath" (the
///     existing directories of modules); to be freed with bunraku_string_free
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

/// Reports which Ruby files of an environment's modules the built-in Ruby supports: what a program without
/// Ruby can run. The files are only read, so what a function uses at run time is not reported.
///
/// @param json  receives a JSON object with "files", an array of objects with "file", "module", "kind"
///     ("function", "legacy_function", "resource_type", "library", "template"), "known", "native" (whether
///     the library's own function does what this version of the file does) and "unknown" (an array of objects
///     with "construct" and "line"), and with the numbers of files "known" and "unknown"; to be freed with
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

/// Checks an environment for mistakes in its manifests, modules, templates and data, without compiling a
/// node.
///
/// @param request_json  a JSON object, or an empty text: "select" and "ignore" (codes, or prefixes of codes),
///     "notes" (whether notes are reported), "paths" (files and directories whose findings are reported)
/// @param json  receives a JSON array of objects with "code", "severity" ("error", "warning" or "note"),
///     "message", "file", "line", "column", "end_line", "end_column", "related" (objects with "message" and a
///     place) and "fix" (null, or an object with "message", a place and "text"); to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `environment` is live, the text is valid for reads of its length, `json` is writable.
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

/// Lists what an environment defines and who refers to it.
///
/// @param json  receives a JSON object with "definitions" (objects with "kind", "name", a place, "module",
///     "documentation", "parent" and "parameters": "name", "type", "default", "required"), "references"
///     (objects with "kind", "usage", "name", "title", a place, and "inside": the enclosing definition) and
///     "unused" (the indices of definitions without references); to be freed with bunraku_string_free
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

/// Makes the environment load again at its next use, whatever the option "reload" says.
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
/// `environment` is NULL or live, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_environment_free(environment: *mut bunraku_environment) {
    // SAFETY: by the contract of this function.
    unsafe { free(environment) }
}

impl bunraku_environment {
    pub(crate) fn inner(&self) -> &Environment {
        &self.environment
    }

    /// The environment after a reload, if one is due.
    pub(crate) fn current(&self, check: Check<'_>) -> Result<Arc<Environment>, Error> {
        self.environments.get_watched(&self.environment.name, check)
    }

    /// The limits for loading the environment on behalf of work with these limits.
    fn watch_reading(&self, limits: &Limits) -> Usage<'_> {
        Usage::of_reading(limits.cancel.clone(), &*self.environment.host)
    }
}

/// The request about a node: its name, facts, and further input.
///
/// # Safety
/// The texts are valid for reads of their lengths.
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

/// The limits of a request, with a switch.
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
