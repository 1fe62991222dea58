//! `Bunraku::Environment`: a directory environment, used from any thread.

use std::sync::Arc;

use bunraku::ErrorKind;
use bunraku::compiler::{self, CompileOptions, Limits, NodeInput, request};
use bunraku::eval::limits::Usage;
use bunraku::host::Host as _;
use bunraku::loader::{Environment, Environments};
use bunraku::requests;
use bunraku::wire::agent;
use magnus::{
    DataTypeFunctions, Error, Module as _, Object as _, RHash, RModule, RString, Ruby, TypedData, gc,
};

use crate::catalog::NativeCatalog;
use crate::class;
use crate::convert::{json_to_ruby, to_hash, to_ruby};
use crate::crossing::{run, watched_reading};
use crate::entry::{function, method};
use crate::failure;
use crate::host::RubyHost;
use crate::index::NativeIndex;
use crate::weight::Weight;

/// An environment as Ruby sees it.
#[derive(TypedData)]
#[magnus(class = "Bunraku::Environment", free_immediately, mark, size, frozen_shareable)]
pub(crate) struct NativeEnvironment {
    /// The environment as it was first loaded.
    pub(crate) environment: Arc<Environment>,
    environments: Arc<Environments>,
    host: Arc<RubyHost>,
    _weight: Weight,
}

/// The approximate size of an environment with the files that a catalog of some modules needs.
const WEIGHT: usize = 1 << 20;

impl DataTypeFunctions for NativeEnvironment {
    fn mark(&self, marker: &gc::Marker) {
        self.host.mark(marker);
    }
}

impl NativeEnvironment {
    pub(crate) fn inner(&self) -> &Environment {
        &self.environment
    }

    /// Loads the environment of a request, a JSON text. `functions` is nil, or an object that provides
    /// functions; `setup` creates the Ruby of its modules; `files` is nil for the disk, or has `read`, `list`
    /// and `stat`.
    fn load(
        ruby: &Ruby,
        request: String,
        functions: Option<magnus::Value>,
        setup: Option<magnus::Value>,
        files: Option<magnus::Value>,
    ) -> Result<Self, Error> {
        let request = parse(ruby, &request)?;
        let host = Arc::new(RubyHost::new(functions, setup, files)?);
        let environments = request::of_environment(&request)
            .and_then(|request| request::environments(host.clone(), &request))
            .map_err(|error| failure::unusable(ruby, &error))?;
        let name = request["environment"].as_str().unwrap_or("production");
        let read = || environments.get_watched(name, &Usage::of_reading(None, &*host).ends);
        let (loaded, exceptions) = run(ruby, read)?;
        let environment = loaded.map_err(|error| failure::exception(ruby, &error, &[], exceptions))?;
        Ok(Self {
            environment,
            environments: Arc::new(environments),
            host,
            _weight: Weight::new(ruby, WEIGHT),
        })
    }

    /// The environment after a reload, if one is due.
    fn current(&self) -> Result<Arc<Environment>, bunraku::diagnostic::Error> {
        self.environments.get_watched(&self.environment.name, &Usage::of_reading(None, &*self.host).ends)
    }

    /// Makes the environment load again at its next use.
    fn clear(&self) {
        self.environments.clear(None);
    }

    fn name(&self) -> String {
        self.environment.name.clone()
    }

    fn directory(&self) -> Option<String> {
        self.environment.directory.clone()
    }

    fn modulepath(&self) -> Vec<String> {
        self.environment.modulepath.clone()
    }

    /// Compiles for a node: its name, facts, and a hash with further input.
    fn compile(
        ruby: &Ruby,
        own: &Self,
        name: String,
        facts: RHash,
        rest: RHash,
    ) -> Result<NativeCatalog, Error> {
        let is_wanted = |option: &str| {
            rest.lookup::<_, Option<bool>>(ruby.to_symbol(option)).map(Option::unwrap_or_default)
        };
        let options = CompileOptions {
            limits: limits(ruby, rest)?,
            provenance: is_wanted("provenance")?,
            check_cycles: is_wanted("check_cycles")?,
            ..known_by(ruby, rest)?
        };
        let input = node_input(ruby, name, facts, rest)?;
        let work = || {
            let environment = own.current()?;
            let result = compiler::compile(&environment, input, options);
            let losses = result.outcome.as_ref().map(|made| agent::losses(made, &environment.settings));
            let losses = losses.unwrap_or_default();
            losses.iter().for_each(|loss| own.host.log(loss));
            Ok((result, losses, environment.settings.clone()))
        };
        let (compiled, exceptions) = run(ruby, work)?;
        let (result, losses, settings) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => return Err(failure::exception(ruby, &error, &[], exceptions)),
        };
        match result.outcome {
            Ok(catalog) => {
                let mut logs = result.logs;
                logs.extend(losses);
                Ok(NativeCatalog::new(ruby, catalog, settings, logs))
            }
            Err(error) => Err(failure::exception(ruby, &error, &result.logs, exceptions)),
        }
    }

    /// Answers a lookup request, a JSON text.
    fn lookup(ruby: &Ruby, own: &Self, request: String) -> Result<magnus::Value, Error> {
        let request = parse(ruby, &request)?;
        let request = request::of_lookup(&request).map_err(|error| failure::unusable(ruby, &error))?;
        let limits = request::limits(&request).map_err(|error| failure::unusable(ruby, &error))?;
        let work = || request::lookup(&*own.current()?, &request, limits);
        let (answer, exceptions) = run(ruby, work)?;
        let (answer, _) = answer.map_err(|error| failure::exception(ruby, &error, &[], exceptions))?;
        json_to_ruby(ruby, &answer)
    }

    /// The tasks of the modules, as data.
    fn tasks(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        let list = |usage: &Usage<'_>| requests::tasks(&*own.current()?, &usage.ends);
        let listed = watched_reading(ruby, list)?;
        json_to_ruby(ruby, &listed.map_err(|error| failure::raised(ruby, &error))?)
    }

    /// The Ruby files that the built-in Ruby supports, as data.
    fn ruby_report(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        let report = |usage: &Usage<'_>| requests::ruby_report(&*own.current()?, &usage.ends);
        let told = watched_reading(ruby, report)?;
        json_to_ruby(ruby, &told.map_err(|error| failure::raised(ruby, &error))?)
    }

    /// Checks the environment for a request, a JSON text.
    fn check(ruby: &Ruby, own: &Self, request: String) -> Result<magnus::Value, Error> {
        let request = parse(ruby, &request)?;
        let work = |usage: &Usage<'_>| requests::check_environment(&*own.current()?, &request, &usage.ends);
        let found = watched_reading(ruby, work)?.map_err(|error| match error.kind {
            ErrorKind::Argument => failure::unusable(ruby, &error),
            _ => failure::raised(ruby, &error),
        });
        json_to_ruby(ruby, &found?)
    }

    /// The definitions of the environment and the references to them.
    fn index(ruby: &Ruby, own: &Self) -> Result<NativeIndex, Error> {
        let host = Arc::clone(&own.host);
        let work = |usage: &Usage<'_>| {
            let environment = own.current()?;
            let index = requests::open_index(&environment, &usage.ends)?;
            Ok((environment, index))
        };
        let opened = watched_reading(ruby, work)?;
        let (environment, index) =
            opened.map_err(|error: bunraku::diagnostic::Error| failure::raised(ruby, &error))?;
        Ok(NativeIndex::new(ruby, environment, Arc::clone(&own.environments), host, index))
    }

    /// Resolves what to run for a task, for a request, a JSON text.
    fn task_invocation(ruby: &Ruby, own: &Self, request: String) -> Result<magnus::Value, Error> {
        let request = parse(ruby, &request)?;
        let work = |usage: &Usage<'_>| requests::task_invocation(&*own.current()?, &request, &usage.ends);
        let answer = watched_reading(ruby, work)?;
        json_to_ruby(ruby, &answer.map_err(|error| failure::raised(ruby, &error))?)
    }

    /// Reads the output of a task.
    fn task_outcome(ruby: &Ruby, output: RString, exit_code: i32) -> Result<magnus::Value, Error> {
        // SAFETY: the bytes are copied before Ruby runs again.
        let output = unsafe { output.as_slice() }.to_vec();
        let outcome = requests::task_outcome(&output, exit_code);
        let (outcome, secret) = outcome.map_err(|error| failure::raised(ruby, &error))?;
        let outcome = json_to_ruby(ruby, &outcome)?;
        if let (Some(secret), Some(outcome)) = (secret, RHash::from_value(outcome)) {
            let value: RHash = outcome.fetch("value")?;
            let secret = bunraku::pcore::Value::sensitive(bunraku::pcore::Value::from(&secret));
            value.aset("_sensitive", to_ruby(ruby, &secret)?)?;
        }
        Ok(outcome)
    }
}

fn node_input(ruby: &Ruby, name: String, facts: RHash, rest: RHash) -> Result<NodeInput, Error> {
    let hash = |key: &str| -> Result<Option<RHash>, Error> { rest.lookup(ruby.to_symbol(key)) };
    let optional = |key: &str| hash(key)?.map(|given| to_hash(ruby, given)).transpose();
    let trusted = optional("trusted")?;
    trusted.as_ref().map_or(Ok(()), request::check_trusted).map_err(|error| misuse(ruby, &error))?;
    let trusted = optional("trusted_data")?.or(trusted);
    let mut classes = Vec::new();
    if let Some(given) = hash("classes")? {
        for (name, parameters) in to_hash(ruby, given)? {
            let parameters = match parameters {
                bunraku::pcore::Value::Hash(parameters) => Some((*parameters).clone()),
                _ => None,
            };
            classes.push((name.as_str().unwrap_or_default().into(), parameters));
        }
    }
    let server_facts: Option<magnus::Value> = rest.lookup(ruby.to_symbol("server_facts"))?;
    let of_host = server_facts.is_some_and(|given| magnus::value::Qtrue::from_value(given).is_some());
    let mut node = NodeInput {
        name,
        facts: to_hash(ruby, facts)?,
        trusted,
        server_facts: if of_host { None } else { optional("server_facts")? },
        server_facts_of_host: of_host,
        server_facts_merged: rest
            .lookup::<_, Option<bool>>(ruby.to_symbol("server_facts_merged"))?
            .unwrap_or_default(),
        classes,
        parameters: optional("parameters")?.unwrap_or_default(),
        ..NodeInput::default()
    };
    if let Some(classification) = rest.lookup::<_, Option<String>>(ruby.to_symbol("classification"))? {
        request::add_classification(&mut node, &parse(ruby, &classification)?)
            .map_err(|error| misuse(ruby, &error))?;
    }
    Ok(node)
}

/// The catalog's identity, randomness and time from the JSON text in a hash.
fn known_by(ruby: &Ruby, rest: RHash) -> Result<CompileOptions, Error> {
    let given: Option<String> = rest.lookup(ruby.to_symbol("identity"))?;
    let Some(given) = given else { return Ok(CompileOptions::default()) };
    let given = parse(ruby, &given)?;
    request::of_catalog(&given)
        .and_then(|given| request::compile_options(&given))
        .map_err(|error| misuse(ruby, &error))
}

/// The limits from the JSON text in a hash.
fn limits(ruby: &Ruby, rest: RHash) -> Result<Limits, Error> {
    let given: Option<String> = rest.lookup(ruby.to_symbol("limits"))?;
    let Some(given) = given else { return Ok(Limits::default()) };
    let request = serde_json::json!({ "limits": parse(ruby, &given)? });
    request::of_catalog(&request)
        .and_then(|request| request::limits(&request))
        .map_err(|error| misuse(ruby, &error))
}

/// The exception for an invalid argument of a method.
fn misuse(ruby: &Ruby, error: &bunraku::diagnostic::Error) -> Error {
    Error::new(ruby.exception_arg_error(), error.message.clone())
}

fn parse(ruby: &Ruby, text: &str) -> Result<serde_json::Value, Error> {
    serde_json::from_str(text).map_err(|error| Error::new(ruby.exception_arg_error(), error.to_string()))
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeEnvironment>(ruby, module, "Environment")?;
    class.define_singleton_method("native_load", function!(NativeEnvironment::load, 4))?;
    class.define_method("clear", method!(NativeEnvironment::clear, 0))?;
    class.define_method("name", method!(NativeEnvironment::name, 0))?;
    class.define_method("directory", method!(NativeEnvironment::directory, 0))?;
    class.define_method("modulepath", method!(NativeEnvironment::modulepath, 0))?;
    class.define_method("native_compile", method!(NativeEnvironment::compile, 3))?;
    class.define_method("native_lookup", method!(NativeEnvironment::lookup, 1))?;
    class.define_method("tasks", method!(NativeEnvironment::tasks, 0))?;
    class.define_method("ruby_report", method!(NativeEnvironment::ruby_report, 0))?;
    class.define_method("native_check", method!(NativeEnvironment::check, 1))?;
    class.define_method("native_index", method!(NativeEnvironment::index, 0))?;
    class.define_method("native_task_invocation", method!(NativeEnvironment::task_invocation, 1))?;
    class.define_singleton_method("task_outcome", function!(NativeEnvironment::task_outcome, 2))
}
