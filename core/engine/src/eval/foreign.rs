//! Functions from outside of the library: those of the host, and the Ruby functions of modules.
//!
//! A function of the host is in no file; [`Host::foreign_function`](bunraku_host::Host::foreign_function)
//! provides it. A function of a module is in `lib/puppet/functions` (4.x API) or
//! `lib/puppet/parser/functions` (3.x API, where gems and other libraries have functions, too). The host's
//! Ruby ([`ModuleRuby`]) runs it or, if the host has none, the built-in Ruby. Follows the reference's
//! `pops/loader/` for the places of functions, `pops/functions/dispatcher.rb` and `functions.rb` for their
//! calls.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::closure::end_block;
use super::invoke::{FunctionDescription, LocalTypes, accepts, check_arity};
use super::{Closure, Evaluated, Evaluator, Legacy, Scope, Signature, Site, Unwind};
use crate::loader::{Environment, FunctionFile, Module, is_checked, join_path};
use crate::ruby::Function;
use bunraku_host::{
    BlockParameters, Declaration, ForeignBlock, ForeignCall, ForeignFunction, ForeignRequest,
    ForeignResource, FunctionApi, FunctionSource, HostError, MissingVariable, ModuleRuby, RubySurroundings,
};
use bunraku_pcore::Value;
use bunraku_pcore::convert::Surroundings;
use bunraku_pcore::format::to_s;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::serialize::from_data_text;
use bunraku_pcore::types::{Type, TypeKind, mismatch};
use bunraku_pcore::value::{Str, Timestamp};
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel};
use bunraku_syntax::source::Location;

impl Evaluator<'_> {
    /// The Ruby of this environment's modules; made when it is asked for first.
    ///
    /// # Errors
    /// The host should have one, but has not.
    pub fn module_ruby(&self) -> Result<Option<Arc<dyn ModuleRuby>>, Error> {
        module_ruby(self.environment)
    }
    /// A function of the host, with its signatures; asked for once.
    pub(super) fn foreign_function(&self, name: &str) -> Result<Option<Rc<Foreign>>, Error> {
        if let Some(known) = self.foreign.borrow().get(name) {
            return Ok(known.clone());
        }
        let environment = self.environment;
        let module = name.split_once("::").and_then(|(module, _)| environment.find_module(module));
        let found = environment.host.foreign_function(name, module.map(|module| module.path.as_str()))?;
        let found = match found {
            Some(function) => Some(Rc::new(Foreign::new(name, function, self)?)),
            None => None,
        };
        self.foreign.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// Whether a native function replaces a module's Ruby function: the host does not provide one, the
    /// module's own is not preferred, and the file is one that the native function was checked against, or
    /// one that cannot run here.
    pub(super) fn stands_in(&self, module: &str, name: &str) -> Result<bool, Error> {
        let environment = self.environment;
        let Some(of) = environment.find_module(module) else { return Ok(false) };
        let find = || {
            let path = name.replace("::", "/");
            let files = [MODERN, LEGACY].map(|folder| of.file(&format!("{folder}/{path}.rb")));
            files.into_iter().find(|file| environment.has_file(file))
        };
        let found = environment.caches.stand_in_files.get(name, find);
        let Some(file) = &*found else { return Ok(false) };
        if environment.prefers_ruby(module) || self.foreign_function(name)?.is_some() {
            return Ok(false);
        }
        let check = || -> Result<bool, Error> {
            let text = match self.read_file(file) {
                Ok(bytes) => bytes,
                Err(HostError::Ended(error)) => return Err(*error),
                Err(_) => return Ok(true),
            };
            Ok(is_checked(name, &String::from_utf8_lossy(&text)))
        };
        let checked = *environment.caches.stand_ins.try_get(file, check)?;
        Ok(checked || self.module_ruby()?.is_none() && self.known_function(name).is_err())
    }

    /// The file of the environment or of a module that defines a function in Ruby. Functions of the 3.x API
    /// have no namespace.
    pub(super) fn module_function_file(&self, name: &str) -> Arc<Option<FunctionFile>> {
        self.environment.caches.function_files.get(name, || self.find_function_file(name))
    }

    fn find_function_file(&self, name: &str) -> Option<FunctionFile> {
        let environment = self.environment;
        let file = format!("{}.rb", name.replace("::", "/"));
        let find = |folder: &str, api, root: &dyn Fn(&str) -> String| {
            let path = root(&format!("{folder}/{file}"));
            environment.has_file(&path).then_some(FunctionFile { path, api })
        };
        let in_environment = || {
            let directory = environment.directory.as_deref()?;
            find(MODERN, FunctionApi::Modern, &|path| join_path(directory, path))
        };
        let modern = |module: &Module| find(MODERN, FunctionApi::Modern, &|path| module.file(path));
        match name.split_once("::") {
            Some(("environment", _)) => in_environment(),
            Some((module, _)) => environment.find_module(module).and_then(modern),
            None => in_environment().or_else(|| {
                let legacy = |module: &Module| find(LEGACY, FunctionApi::Legacy, &|path| module.file(path));
                environment.modules().iter().find_map(|module| modern(module).or_else(|| legacy(module)))
            }),
        }
    }

    /// The file of a function of the 3.x API that no loader finds: one of a gem, of `libdir` or of a vendored
    /// module.
    pub(super) fn autoloaded_function_file(&self, name: &str) -> Option<&str> {
        self.environment.legacy_function_file(name)
    }

    /// A function that a module or another library defines in Ruby. The host has those that the built-in Ruby
    /// does not know.
    pub(super) fn module_function(&self, name: &str) -> Result<Option<Rc<Foreign>>, Error> {
        let known = match self.known_function(name) {
            Ok(None) => return Ok(None),
            Ok(Some((known, true))) => return Ok(Some(known)),
            Ok(Some((known, false))) => Ok(Some(known)),
            Err(error) if error.kind.is_limit() => return Err(error),
            Err(error) => Err(error),
        };
        let file = self.module_function_file(name);
        let Some((path, api)) = self.function_file(name, &file) else { return known };
        let Some(function) = self.environment.host.unknown_function(name, path, api)? else { return known };
        let found = Rc::new(Foreign::new(name, function, self)?);
        self.foreign.borrow_mut().insert(name.to_owned(), Some(Rc::clone(&found)));
        Ok(Some(found))
    }

    /// The path of a function's file, and its API.
    fn function_file<'f>(
        &'f self,
        name: &str,
        file: &'f Option<FunctionFile>,
    ) -> Option<(&'f str, FunctionApi)> {
        match file {
            Some(file) => Some((file.path.as_str(), file.api)),
            None => self.autoloaded_function_file(name).map(|path| (path, FunctionApi::Legacy)),
        }
    }

    /// A function that a module or another library defines in Ruby, if the Ruby of modules knows it, and
    /// whether that knows all of it.
    fn known_function(&self, name: &str) -> Result<Option<(Rc<Foreign>, bool)>, Error> {
        let environment = self.environment;
        let file = self.module_function_file(name);
        let Some((path, api)) = self.function_file(name, &file) else { return Ok(None) };
        if let Some(ruby) = self.module_ruby()? {
            environment.note(path);
            let function = ruby.function(name, path, api)?;
            return Ok(Some((Rc::new(Foreign::new(name, function, self)?), true)));
        }
        let load = || -> Result<Result<_, Error>, Error> {
            let bytes = match self.read_file(path) {
                Ok(bytes) => bytes,
                Err(HostError::Ended(error)) => return Err(*error),
                Err(error) => return Ok(Err(Error::plain(error.to_string()))),
            };
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let required = |name: &str| ruby_library(environment, name);
            let file = FunctionSource { name, path, text: &text, api, required: &required };
            Ok(Function::load(file, &environment.caches.ruby_programs).map(Arc::new))
        };
        let loaded = environment.caches.ruby_functions.try_get(name, load)?;
        match &*loaded {
            Ok(function) => {
                let is_known = function.is_known();
                let function = Arc::clone(function) as Arc<dyn ForeignFunction>;
                Ok(Some((Rc::new(Foreign::new(name, function, self)?), is_known)))
            }
            Err(error) => Err(error.clone()),
        }
    }

    pub(super) fn call_foreign(
        &self,
        foreign: &Foreign,
        name: &str,
        scope: &Rc<Scope>,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
    ) -> Evaluated {
        if let Some(legacy) = foreign.legacy {
            let arguments = self.legacy_arguments(arguments)?;
            check_arity(name, legacy.arity, arguments.len())?;
            let result = self.run_foreign(foreign, 0, scope, &arguments, block, site)?;
            return Ok(if legacy.is_rvalue { result } else { Value::Undef });
        }
        let block_type = block.map(|block| self.closure_type(block)).transpose()?;
        let block_type = block_type.map(|block| &block.signature.callable);
        let mut chosen = None;
        for (index, signature) in foreign.signatures.iter().enumerate() {
            if accepts(signature, arguments, block_type, &self.usage)? {
                chosen = Some(index);
                break;
            }
        }
        let Some(chosen) = chosen else {
            let actual = Type::of_arguments(arguments, block_type);
            let own = foreign.signatures.iter().enumerate();
            let own: Vec<&Signature> =
                own.filter(|(index, _)| !foreign.mismatches.contains(index)).map(|(_, one)| one).collect();
            return Err(Error::argument(mismatch::describe_signatures(name, &own, &actual)).into());
        };
        if foreign.mismatches.contains(&chosen) {
            let message = to_s(&self.run_foreign(foreign, chosen, scope, arguments, None, site)?);
            return Err(Error::argument(format!("'{name}' {message}")).into());
        }
        let result = self.run_foreign(foreign, chosen, scope, arguments, block, site)?;
        let signature = foreign.signatures.get(chosen);
        if let Some(TypeKind::Callable(callable)) = signature.map(|signature| signature.callable.kind())
            && let (Some(returns), Some(subject)) = (&callable.returns, foreign.subjects.get(chosen))
            && !returns.check_instance_with(&result, &self.usage)?
        {
            let message = mismatch::describe(subject, returns, &Type::infer_set(&result));
            return Err(Error::plain(message).into());
        }
        Ok(result)
    }

    fn run_foreign(
        &self,
        foreign: &Foreign,
        signature: usize,
        scope: &Rc<Scope>,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
    ) -> Evaluated {
        let call = ForeignCaller { evaluator: self, scope, block, site, unwind: RefCell::new(None) };
        let result = foreign.function.call(signature, arguments, &call);
        // An exit from a block continues if the host passed it on; the host can also have converted it.
        match (result, call.unwind.take()) {
            (Ok(value), _) => Ok(value),
            (Err(error), Some((passed, unwind))) if error.tells_the_same(&passed) => end_block(Err(unwind)),
            (Err(error), _) => Err(error.into()),
        }
    }

    /// The call, as templates and functions of the host see it.
    pub fn foreign_caller<'a>(&'a self, scope: &'a Rc<Scope>, site: Site<'a>) -> impl ForeignCall + 'a {
        ForeignCaller { evaluator: self, scope, block: None, site, unwind: RefCell::new(None) }
    }
}

/// The Ruby of an environment's modules; made when it is asked for first.
///
/// # Errors
/// The host should have one, but has not.
pub fn module_ruby(environment: &Environment) -> Result<Option<Arc<dyn ModuleRuby>>, Error> {
    let kept = &environment.caches.module_ruby;
    if let Some(registry) = kept.get() {
        return Ok(registry.clone());
    }
    // A failure is not kept: it may be that one compilation was interrupted.
    let made = {
        let modules: Vec<(&str, &str)> =
            environment.modules().iter().map(|one| (one.name.as_str(), one.path.as_str())).collect();
        let libraries = environment.libraries();
        let mut settings = environment.settings.others.clone();
        settings.push(("strict".to_owned(), environment.settings.strict.name().into()));
        settings.push(("strict_variables".to_owned(), environment.settings.strict_variables.into()));
        environment.host.module_ruby(&RubySurroundings {
            name: &environment.name,
            directory: environment.directory.as_deref(),
            modulepath: &environment.modulepath,
            modules: &modules,
            gems: &libraries.gems,
            libdir: libraries.libdir.as_deref(),
            load_path: &libraries.load_path,
            vendored: &libraries.vendored,
            settings: &settings,
        })?
    };
    Ok(kept.get_or_init(|| made).clone())
}

/// The path and the text of a file of Ruby: by its path, or by its name below `lib` of a module. Files are
/// read once.
///
/// # Errors
/// It cannot be read.
pub fn ruby_library(environment: &Environment, name: &str) -> Result<Option<(Str, Str)>, Error> {
    let find = || -> Result<(Str, Str), Option<Error>> {
        let file = if name.ends_with(".rb") { name.to_owned() } else { format!("{name}.rb") };
        let path = if name.starts_with('/') {
            Some(file).filter(|path| environment.has_file(path))
        } else {
            environment.autoload_candidates(&file).find(|path| environment.has_file(path))
        };
        // Programs can ask for any number of names, so that only files are kept.
        let path = path.ok_or(None::<Error>)?;
        environment.note(&path);
        let bytes = environment.read_shared(&path).map_err(|error| Error::plain(error.to_string()))?;
        Ok((path.into(), String::from_utf8_lossy(&bytes).into()))
    };
    match environment.caches.ruby_libraries.try_get(name, find) {
        Ok(found) => Ok(Some(found.as_ref().clone())),
        Err(None) => Ok(None),
        Err(Some(error)) => Err(error),
    }
}

/// The directory of a module's functions of the 4.x API.
const MODERN: &str = "lib/puppet/functions";
/// The directory of a module's functions of the 3.x API.
const LEGACY: &str = "lib/puppet/parser/functions";

/// A function of the host, or of a module.
pub(super) struct Foreign {
    function: Arc<dyn ForeignFunction>,
    signatures: Vec<Signature>,
    /// The signatures of wrong arguments.
    mismatches: Vec<usize>,
    /// The beginning of the message about a result of the wrong type.
    subjects: Vec<String>,
    legacy: Option<Legacy>,
}

impl Foreign {
    fn new(name: &str, function: Arc<dyn ForeignFunction>, evaluator: &Evaluator<'_>) -> Result<Self, Error> {
        if let Some(declaration) = function.declaration() {
            return Self::declared(function, declaration, evaluator);
        }
        let parsed = function.signatures().into_iter().map(|text| {
            let wrong =
                |why: &str| Error::argument(format!("function '{name}': the signature '{text}' {why}"));
            let callable = Type::parse(&text, evaluator)
                .map_err(|error| wrong(&format!("is no type: {}", error.message)))?;
            let TypeKind::Callable(parts) = callable.kind() else {
                return Err(wrong("is no Callable"));
            };
            let count = match parts.parameters.as_ref().map(Type::kind) {
                Some(TypeKind::Tuple { types, .. }) => types.len(),
                _ => 0,
            };
            let parameter_names = (1..=count).map(|index| format!("p{index}").into()).collect();
            Ok(Signature { callable, parameter_names, block_name: None, captures_rest: false })
        });
        let signatures = parsed.collect::<Result<_, _>>()?;
        Ok(Self { function, signatures, mismatches: Vec::new(), subjects: Vec::new(), legacy: None })
    }

    /// All signatures, those of wrong arguments included; `None` for a function of the 3.x API.
    pub(super) fn all_signatures(&self) -> Option<&[Signature]> {
        self.legacy.is_none().then_some(&self.signatures)
    }

    /// The description of its arguments.
    pub(super) fn description(&self) -> FunctionDescription {
        let own = self.signatures.iter().enumerate();
        let own = own.filter(|(index, _)| !self.mismatches.contains(index)).map(|(_, one)| one.clone());
        FunctionDescription { signatures: own.collect(), legacy: self.legacy }
    }

    fn declared(
        function: Arc<dyn ForeignFunction>,
        declaration: Declaration,
        evaluator: &Evaluator<'_>,
    ) -> Result<Self, Error> {
        let Declaration { signatures, mismatches, local_types, subjects, legacy } = declaration;
        let types = LocalTypes::new(evaluator, &local_types);
        let parse = |text: &str| {
            Type::parse(text, &types).map_err(|error| {
                let message = format!(
                    "Parsing of type string '\"{text}\"' failed with message: <{}>.\n",
                    error.message
                );
                Error::argument(message)
            })
        };
        let signatures =
            signatures.iter().map(|text| Signature::parse(text, &parse)).collect::<Result<_, _>>()?;
        let legacy = legacy.map(|api| Legacy { arity: api.arity, is_rvalue: api.is_rvalue });
        Ok(Self { function, signatures, mismatches, subjects, legacy })
    }
}

/// A call of a function of the host in progress.
struct ForeignCaller<'a, 'e> {
    evaluator: &'a Evaluator<'e>,
    scope: &'a Rc<Scope>,
    block: Option<&'a Closure>,
    site: Site<'a>,
    /// The early exit from a block, as it was reported to the host and as it continues after the host.
    unwind: RefCell<Option<(Error, Unwind)>>,
}

impl ForeignCaller<'_, '_> {
    fn through_host<T>(&self, result: Evaluated<T>) -> Result<T, Error> {
        result.map_err(|unwind| {
            let error = unwind.clone().into_error();
            *self.unwind.borrow_mut() = Some((error.clone(), unwind));
            error
        })
    }
}

impl Fuel for ForeignCaller<'_, '_> {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        self.evaluator.usage.charge(steps)
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        self.evaluator.usage.check_size(bytes)
    }
}

impl ForeignCall for ForeignCaller<'_, '_> {
    fn has_block(&self) -> bool {
        self.block.is_some()
    }

    fn block_parameters(&self) -> BlockParameters {
        self.block.map(Closure::block_parameters).unwrap_or_default()
    }

    fn call_block(&self, arguments: &[Value]) -> Result<Value, Error> {
        match self.block {
            Some(block) => self.through_host(self.evaluator.call_closure(block, arguments)),
            None => Err(Error::argument("no block given (yield)")),
        }
    }

    fn call_with(&self, request: &ForeignRequest<'_>) -> Result<Value, Error> {
        let ForeignRequest { name, arguments, ref block, from_top } = *request;
        let scope = if from_top { Scope::global_of(self.scope) } else { self.scope };
        let closure =
            block.as_ref().map(|block| Closure::foreign(self.evaluator, block, scope)).transpose()?;
        self.through_host(self.evaluator.call_external(scope, name, arguments, closure.as_ref(), self.site))
    }

    fn call_member(
        &self,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<Arc<dyn ForeignBlock>>,
    ) -> Result<Value, Error> {
        let closure = block.map(|block| Closure::foreign(self.evaluator, &block, self.scope)).transpose()?;
        let context = self.evaluator.context;
        match context.call_member(self.evaluator, object, name, arguments, closure.as_ref()) {
            Some(result) => self.through_host(result),
            None => Err(Error::argument(format!("{} has no function '{name}'", to_s(object)))),
        }
    }

    fn keep(&self, state: Arc<dyn Any + Send + Sync>) {
        *self.evaluator.kept_by_functions.borrow_mut() = Some(state);
    }

    fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.evaluator.kept_by_functions.borrow().clone()
    }

    fn has_function(&self, name: &str) -> Result<bool, Error> {
        self.through_host(self.evaluator.can_call(name))
    }

    fn remaining_time(&self) -> Option<Duration> {
        self.evaluator.usage.remaining_time()
    }

    fn check_time(&self) -> Result<(), Error> {
        self.evaluator.usage.check_time()
    }

    fn now(&self) -> Timestamp {
        self.evaluator.now()
    }

    fn log(&self, level: LogLevel, message: String) {
        self.evaluator.loaded.log.add(LogEntry::of_puppet(level, message));
    }

    fn log_once(&self, key: &str, level: LogLevel, message: String) {
        self.evaluator.loaded.log.add_once(key, LogEntry::of_puppet(level, message));
    }

    fn variable(&self, name: &str) -> Option<Value> {
        match self.evaluator.find_variable(self.scope, name) {
            Ok(super::variable::Variable::Known(value)) => Some(value),
            _ => None,
        }
    }

    fn look_up_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        self.evaluator.look_up_variable(self.scope, name).map_err(Unwind::into_error)
    }

    fn missing_variable(&self, name: &str) -> Option<MissingVariable> {
        match self.evaluator.find_variable(self.scope, name) {
            Ok(super::variable::Variable::Unknown(missing)) => Some(missing),
            _ => None,
        }
    }

    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        self.scope.set(name, value)
    }

    fn variables(&self) -> Vec<(String, Value)> {
        let variables = self.scope.to_variables().into_iter();
        variables.map(|(name, value)| (name.to_string(), value)).collect()
    }

    fn parse_type(&self, text: &str) -> Result<Type, Error> {
        Type::parse(text, self.evaluator)
    }

    fn read_data(&self, text: &str) -> Result<Value, Error> {
        from_data_text(
            text,
            &Surroundings { types: self.evaluator, now: &|| self.now(), fuel: &self.evaluator.usage },
            false,
        )
    }

    fn location(&self) -> Location {
        self.site.location()
    }

    fn stack(&self) -> Vec<Location> {
        let around = self.evaluator.calls_around(self.site);
        std::iter::once(self.site.location()).chain(around).collect()
    }

    fn scope_name(&self) -> String {
        self.evaluator.context.scope_name(self.scope).to_string()
    }

    fn module_name(&self) -> Option<Str> {
        self.scope.module.clone()
    }

    fn node_name(&self) -> String {
        self.evaluator.context.node_name().to_owned()
    }

    fn facts(&self) -> Value {
        Value::Hash(Arc::clone(self.evaluator.context.facts()))
    }

    fn classes(&self) -> Vec<Str> {
        self.evaluator.context.classes()
    }

    fn catalog_tags(&self) -> Vec<Str> {
        self.evaluator.context.catalog_tags()
    }

    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource> {
        self.evaluator.context.resource(type_name, title)
    }

    fn resources(&self) -> Vec<ForeignResource> {
        self.evaluator.context.resources()
    }

    fn resource_defaults(&self, type_name: &str) -> Vec<(Str, Value)> {
        self.evaluator.context.resource_defaults(self.scope, type_name)
    }

    fn has_definition(&self, kind: &str, name: &str) -> Result<bool, Error> {
        let (environment, loaded) = (self.evaluator.environment, self.evaluator.loaded);
        match kind {
            "class" => Ok(environment.find_class(name, loaded)?.is_some()),
            "define" => Ok(environment.find_define(name, loaded)?.is_some()),
            _ => self.through_host(self.evaluator.context.has_resource_type(self.evaluator, name)),
        }
    }

    fn look_up_top_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        let top = Scope::global_of(self.scope);
        self.evaluator.look_up_variable(top, name).map_err(Unwind::into_error)
    }

    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        Scope::global_of(self.scope).set(name, value)
    }

    fn read_text(&self, path: &str) -> Result<Option<String>, Error> {
        if self.file_kind(path) != Some(false) {
            return Ok(None);
        }
        let bytes = self.evaluator.read_file(path);
        let bytes = bytes.map_err(|error| error.into_error(|error| Error::argument(error.on_opening())))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let written = self.evaluator.environment.write(path, bytes);
        written.map_err(|error| error.into_error(|error| Error::argument(error.on_opening())))
    }

    fn can_write(&self, path: &str) -> bool {
        self.evaluator.environment.can_write(path)
    }

    fn make_directories(&self, path: &str) -> Result<(), Error> {
        let made = self.evaluator.environment.make_directories(path);
        made.map_err(|error| error.into_error(|error| Error::argument(error.to_string())))
    }

    fn run_command(&self, command: &[&str]) -> Result<Result<String, String>, Error> {
        match self.evaluator.run_command(command) {
            Ok(output) => Ok(Ok(output)),
            Err(HostError::Failed(message)) => Ok(Err(message)),
            Err(error) => Err(error.into_error(|error| Error::plain(error.to_string()))),
        }
    }

    fn file_kind(&self, path: &str) -> Option<bool> {
        self.evaluator.environment.host.info(path).map(|info| info.is_directory)
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        self.evaluator.environment.host.environment_variable(name)
    }

    fn glob(&self, pattern: &str) -> Vec<String> {
        bunraku_host::glob(&*self.evaluator.environment.host, pattern)
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.evaluator.environment.host.list(path).ok()
    }

    fn ruby_library(&self, name: &str) -> Result<Option<(Str, Str)>, Error> {
        ruby_library(self.evaluator.environment, name)
    }

    fn call_passing_block(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        let top = Scope::global_of(self.scope);
        self.through_host(self.evaluator.call_external(top, name, arguments, self.block, self.site))
    }

    fn module_directory(&self, name: &str) -> Option<String> {
        self.evaluator.environment.find_module(name).map(|module| module.path.clone())
    }

    fn random(&self) -> Result<[u8; 32], Error> {
        self.evaluator.context.chance().draw(&*self.evaluator.environment.host)
    }
}
