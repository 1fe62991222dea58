//! The layers together: options for keys, the search through the layers, and what is done with its result.
//!
//! Follows the reference's `pops/lookup/lookup_adapter.rb`.

use std::rc::Rc;
use std::sync::Arc;

use super::LOOKUP_OPTIONS;
use super::config::FILE_NAME;
use super::explain::{Part, ProviderRole};
use super::invocation::{Invocation, LookupError, LookupResult, Session, lookup_error};
use super::key::LookupKey;
use super::merge::Strategy;
use super::provider::Provider;
use crate::eval::{Site, Unwind};
use crate::loader::{Module, Strictness, join_path};
use bunraku_pcore::convert::string;
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Hash, RegexpValue, Str, Value};
use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::source::Location;

/// Options by key, and by pattern of keys.
#[derive(Debug, Default)]
pub(super) struct KeyOptions {
    keys: Hash,
    patterns: Vec<(Arc<RegexpValue>, Value)>,
}

impl KeyOptions {
    /// Sorts options by what they are for.
    fn new(session: Session<'_, '_>, options: Option<&Value>) -> LookupResult<Option<Self>> {
        let Some(Value::Hash(options)) = options else { return Ok(None) };
        let mut result = Self::default();
        for (key, value) in options.iter() {
            session.charge_steps(1)?;
            match key.as_str() {
                Some(pattern) if pattern.starts_with('^') => {
                    let pattern = session.environment().regexp(pattern);
                    pattern.regex(&session.evaluator.usage)?;
                    result.patterns.push((pattern, value.clone()));
                }
                Some(_) => {
                    result.keys.insert(key.clone(), value.clone());
                }
                None => return Err(no_text_key(key)),
            }
        }
        Ok(Some(result))
    }

    /// The options of a key.
    fn of(&self, session: Session<'_, '_>, root: &Str) -> LookupResult<Option<Value>> {
        if let Some(options) = self.keys.get(&Value::String(root.clone())).filter(|value| !value.is_undef()) {
            return Ok(Some(options.clone()));
        }
        for (pattern, options) in &self.patterns {
            if pattern.regex(&session.evaluator.usage)?.is_match(root, &session.evaluator.usage)? {
                return Ok(Some(options.clone()));
            }
        }
        Ok(None)
    }
}

fn no_text_key(key: &Value) -> LookupError {
    let class = super::text::ruby_class(key);
    Error::internal(format!("A key of lookup_options is a String, not of the class {class}")).into()
}

/// Whether only the global layer is searched.
pub(super) fn global_only(_: Session<'_, '_>, invocation: &Invocation) -> bool {
    invocation.global_only.get()
}

/// Looks for a key in all layers, as its options and `merge` say.
pub(super) fn lookup(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    name: &str,
    merge: Option<&Value>,
) -> LookupResult {
    if name == LOOKUP_OPTIONS || name.strip_prefix(LOOKUP_OPTIONS).is_some_and(|rest| rest.starts_with('.')) {
        return invocation.with(|| Part::InvalidKey(LOOKUP_OPTIONS.into()), || Err(LookupError::NoSuchKey));
    }
    session.state.recorded.borrow_mut().insert(name.into());
    session.charge_steps(name.len() / BYTES_IN_STEP as usize)?;
    let key = LookupKey::new(name)?;
    let search = || {
        if invocation.only_explain_options() {
            let hash = Strategy::hash();
            return match search_layers(session, invocation, &LookupKey::new(LOOKUP_OPTIONS)?, &hash) {
                Ok(_) | Err(LookupError::NoSuchKey) => Ok(Value::Undef),
                Err(stop) => Err(stop),
            };
        }
        let options = options_of(session, invocation, &key)?;
        let option = |name: &str| option(options.as_ref(), name);
        let merge = match merge.filter(|merge| !merge.is_undef()) {
            Some(merge) => Some(merge.clone()),
            None => option("merge").inspect(|_| invocation.report_merge_source(LOOKUP_OPTIONS)),
        };
        let target = option("convert_to");
        let search_data = || {
            let found = invocation.with(
                || Part::Top { kind: "data", key: name.to_owned() },
                || {
                    let strategy = Strategy::new(merge.as_ref())?;
                    match search_layers(session, invocation, &key, &strategy) {
                        Err(LookupError::NoSuchKey) if !global_only(session, invocation) => {
                            key.dig(invocation, default_in_module(session, invocation, &key)?)
                        }
                        found => found,
                    }
                },
            )?;
            match &target {
                Some(target) => convert(session, invocation, name, target, found),
                None => Ok(found),
            }
        };
        let is_secret = |found: &LookupResult| {
            let converted = found.as_ref().is_ok_and(holds_secret);
            target.as_ref().is_some_and(|target| converted || names_secret(session, target))
        };
        let outer = invocation.convert_to.replace(target.clone());
        let found = invocation.guarding(is_secret, search_data);
        invocation.convert_to.replace(outer);
        found
    };
    session.nested(|| invocation.lookup(session.state, &key, None, search))
}

fn option(options: Option<&Value>, name: &str) -> Option<Value> {
    match options {
        Some(Value::Hash(hash)) => hash.get(&Value::from(name)).filter(|value| !value.is_undef()).cloned(),
        _ => None,
    }
}

/// Whether the option `convert_to` makes a Sensitive, or names what may have been meant to be one.
pub(super) fn names_secret(session: Session<'_, '_>, target: &Value) -> bool {
    let of = match target {
        Value::Array(list) => list.first(),
        other => Some(other),
    };
    let Some(Value::String(source)) = of else { return false };
    match session.environment().parse_type(source, session.evaluator.journal) {
        Ok(of) => {
            let hides = |part: &Type| matches!(part.kind(), TypeKind::Sensitive(_) | TypeKind::Reference(_));
            of.find_part(&mut |part| hides(part)).is_some()
        }
        Err(_) => true,
    }
}

/// Whether a Sensitive is anywhere in a value.
fn holds_secret(value: &Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Sensitive(_) => return true,
            Value::Array(list) => pending.extend(list.iter()),
            Value::Hash(hash) => pending.extend(hash.iter().flat_map(|(key, value)| [key, value])),
            _ => {}
        }
    }
    false
}

/// Converts a value as the option `convert_to` says: a type, and further arguments of its `new`.
fn convert(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &str,
    target: &Value,
    value: Value,
) -> LookupResult {
    let mut target = match target {
        Value::Array(list) => list.to_vec(),
        other => vec![other.clone()],
    };
    if let Some(Value::String(source)) = target.first() {
        let parsed = session.environment().parse_type(source, session.evaluator.journal);
        let parsed: Type = parsed.map_err(|error| {
            lookup_error(format!(
                "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '{}",
                error
            ))
        })?;
        target[0] = Value::Type(parsed);
    }
    let mut arguments = vec![target.first().cloned().unwrap_or_default(), value];
    arguments.extend(target.iter().skip(1).cloned());
    let evaluator = session.evaluator;
    match evaluator.call_external(&invocation.scope, "new", &arguments, None, Site::At(&Location::default()))
    {
        Ok(converted) => {
            invocation.report_text(|| {
                // Types and lists of texts have no value that could not be written.
                let text = string::format(&Value::from(target), &Value::Default).unwrap_or_default();
                format!("Applying convert_to lookup_option with arguments {text}")
            });
            Ok(converted)
        }
        Err(Unwind::Error(error)) if !error.kind.is_limit() => {
            Err(lookup_error(format!("The convert_to lookup_option for key '{key}' raised error: {}", error)))
        }
        Err(unwind) => Err(unwind.into()),
    }
}

/// The layers, in order. Without data of a classifier the first one is not there.
const LAYERS: &[Layer] = &[Layer::Classifier, Layer::Global, Layer::Environment, Layer::Module];

#[derive(Clone, Copy)]
enum Layer {
    Classifier,
    Global,
    Environment,
    Module,
}

/// Looks for a key in the layers and digs into what is found.
fn search_layers(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
    strategy: &Strategy,
) -> LookupResult {
    let layers = if session.state.classifier.is_empty() { &LAYERS[1..] } else { LAYERS };
    let found = if global_only(session, invocation) {
        in_global(session, invocation, key, strategy)?
    } else {
        strategy.lookup(session, invocation, layers, |layer| match layer {
            Layer::Classifier => in_classifier(session, invocation, key),
            Layer::Global => in_global(session, invocation, key, strategy),
            Layer::Environment => in_environment(session, invocation, key, strategy),
            Layer::Module => in_module(session, invocation, key, strategy),
        })?
    };
    key.dig(invocation, found)
}

/// What a classifier says, as the hierarchy entry of Puppet Enterprise's global layer does that is first
/// there.
fn in_classifier(session: Session<'_, '_>, invocation: &Rc<Invocation>, key: &LookupKey) -> LookupResult {
    let part = || Part::DataProvider {
        name: "Classifier Configuration Data".to_owned(),
        configuration: None,
        module: None,
        role: ProviderRole::Layer("classifier"),
    };
    invocation.with(part, || match session.state.classifier.get(&Value::String(key.root.clone())) {
        Some(value) => Ok(invocation.report_found(&key.root, value.clone())),
        None => {
            invocation.report_not_found(&key.root);
            Err(LookupError::NoSuchKey)
        }
    })
}

fn in_global(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
    strategy: &Strategy,
) -> LookupResult {
    let path = session.environment().global_hiera.clone();
    let provider = session.state.global.get_or_init(|| {
        Rc::new(Provider::global(path.unwrap_or_else(|| join_path("/etc/puppetlabs/puppet", FILE_NAME))))
    });
    provider.key_lookup(session, invocation, key, strategy).map_err(|stop| match stop {
        LookupError::Failed(Unwind::Error(error))
            if error.kind == ErrorKind::Lookup && error.issue.is_none() =>
        {
            let key = invocation.top_key();
            Error::plain(format!("Lookup of key '{key}' failed: {}", error)).into()
        }
        stop => stop,
    })
}

fn in_environment(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
    strategy: &Strategy,
) -> LookupResult {
    match environment_provider(session)? {
        Some(provider) => provider.key_lookup(session, invocation, key, strategy),
        None => Err(LookupError::NoSuchKey),
    }
}

fn in_module(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
    strategy: &Strategy,
) -> LookupResult {
    let module = invocation.module_name().ok_or(LookupError::NoSuchKey)?;
    match module_provider(session, &module)? {
        Some(provider) => provider.key_lookup(session, invocation, key, strategy),
        None => {
            match session.environment().find_module(&module) {
                Some(_) => invocation.report_module_provider_not_found(&module),
                None => invocation.report_module_not_found(&module),
            }
            Err(LookupError::NoSuchKey)
        }
    }
}

/// Looks for a key in the default hierarchy of its module.
fn default_in_module(session: Session<'_, '_>, invocation: &Rc<Invocation>, key: &LookupKey) -> LookupResult {
    let module = invocation.module_name().ok_or(LookupError::NoSuchKey)?;
    let provider = module_provider(session, &module)?.ok_or(LookupError::NoSuchKey)?;
    if !provider.config(session)?.has_default_hierarchy() {
        return Err(LookupError::NoSuchKey);
    }
    let searching = |what: String| move || Part::Scope(what);
    invocation.with(searching(format!("Searching default_hierarchy of module \"{module}\"")), || {
        let kept = session.state.default_options.borrow().get(&module).cloned();
        let options = match kept {
            Some(options) => options,
            None => {
                let options = Rc::new(default_options(session, invocation, &provider, &module)?);
                session.state.default_options.borrow_mut().insert(module.clone(), options.clone());
                options
            }
        };
        let options = match &*options {
            Some(options) => options.of(session, &key.root)?,
            None => None,
        };
        let strategy = Strategy::new(option(options.as_ref(), "merge").as_ref())?;
        invocation.with(searching(format!("Searching for \"{}\"", key.text)), || {
            provider.key_lookup_in_default(session, invocation, key, &strategy)
        })
    })
}

/// The options that the default hierarchy of a module has for keys.
fn default_options(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    provider: &Provider,
    module: &Str,
) -> LookupResult<Option<KeyOptions>> {
    let key = LookupKey::new(LOOKUP_OPTIONS)?;
    let meta = Rc::new(Invocation::plain(session.state, &invocation.scope));
    meta.lookup(session.state, &key, Some(module.clone()), || {
        let searching = || Part::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\""));
        invocation.with(searching, || {
            match provider.key_lookup_in_default(session, &meta, &key, &Strategy::hash()) {
                Ok(options) => KeyOptions::new(session, validate_options(options, Some(module))?.as_ref()),
                Err(LookupError::NoSuchKey) => Ok(None),
                Err(stop) => Err(stop),
            }
        })
    })
}

/// The options for a key, as all layers have them.
fn options_of(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &LookupKey,
) -> LookupResult<Option<Value>> {
    let module = key.module_name();
    let name = module.clone().unwrap_or_default();
    let kept = session.state.lookup_options.borrow().get(&name).cloned();
    let options = match kept {
        Some(options) => options,
        None => {
            let options = Rc::new(retrieve_options(session, invocation, module.as_ref())?);
            session.state.lookup_options.borrow_mut().insert(name, options.clone());
            options
        }
    };
    match &*options {
        Some(options) => options.of(session, &key.root),
        None => Ok(None),
    }
}

/// Looks for options in the layers: those of a module are merged below those of the other layers.
fn retrieve_options(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    module: Option<&Str>,
) -> LookupResult<Option<KeyOptions>> {
    const BOTH: &str = "Global and Environment";
    let key = LookupKey::new(LOOKUP_OPTIONS)?;
    let hash = Strategy::hash();
    let meta = Rc::new(Invocation::plain(session.state, &invocation.scope));
    meta.lookup(session.state, &key, invocation.module_name(), || {
        meta.with(
            || Part::Top { kind: "meta", key: LOOKUP_OPTIONS.into() },
            || {
                if global_only(session, &meta) {
                    return KeyOptions::new(session, global_options(session, &meta, &key, &hash)?.as_ref());
                }
                let mut options = environment_options(session, &meta, &key, &hash)?;
                let Some(module) = module else { return KeyOptions::new(session, options.as_ref()) };
                if !session.state.lookup_options.borrow().contains_key("") {
                    let compiled = Rc::new(KeyOptions::new(session, options.as_ref())?);
                    session.state.lookup_options.borrow_mut().insert(Str::default(), compiled);
                }
                let own = match in_module(session, &meta, &key, &hash) {
                    Ok(own) => validate_options(own, Some(module))?,
                    Err(LookupError::NoSuchKey) => None,
                    Err(stop) => return Err(stop),
                };
                options = match (options, own) {
                    (None, own) => own,
                    (options, None) => options,
                    (Some(options), Some(own)) => {
                        let sources = [(BOTH.to_owned(), options), (format!("Module {module}"), own)];
                        Some(hash.lookup(session, &meta, &sources, |(name, options)| {
                            meta.with(
                                || Part::Scope(name.clone()),
                                || Ok(meta.report_found(LOOKUP_OPTIONS, options.clone())),
                            )
                        })?)
                    }
                };
                KeyOptions::new(session, options.as_ref())
            },
        )
    })
}

/// The options of the global layer; asked once.
fn global_options(
    session: Session<'_, '_>,
    meta: &Rc<Invocation>,
    key: &LookupKey,
    hash: &Strategy,
) -> LookupResult<Option<Value>> {
    if let Some(options) = &*session.state.global_options.borrow() {
        return Ok(options.clone());
    }
    let options = match in_global(session, meta, key, hash) {
        Ok(options) => validate_options(options, None)?,
        Err(LookupError::NoSuchKey) => None,
        Err(stop) => return Err(stop),
    };
    session.state.global_options.replace(Some(options.clone()));
    Ok(options)
}

/// The options of the global layer and the environment; asked once.
fn environment_options(
    session: Session<'_, '_>,
    meta: &Rc<Invocation>,
    key: &LookupKey,
    hash: &Strategy,
) -> LookupResult<Option<Value>> {
    if let Some(options) = &*session.state.environment_options.borrow() {
        return Ok(options.clone());
    }
    let global = global_options(session, meta, key, hash)?;
    let own = match in_environment(session, meta, key, hash) {
        Ok(options) => validate_options(options, None)?,
        Err(LookupError::NoSuchKey) => None,
        Err(stop) => return Err(stop),
    };
    let options = match (global, own) {
        (Some(global), Some(own)) => Some(hash.merge(session, &global, &own)?),
        (global, own) => global.or(own),
    };
    session.state.environment_options.replace(Some(options.clone()));
    Ok(options)
}

/// Checks options: a hash, whose keys belong to the module when it is a module's.
fn validate_options(options: Value, module: Option<&Str>) -> LookupResult<Option<Value>> {
    let hash = match &options {
        Value::Undef => return Ok(None),
        Value::Hash(hash) => hash,
        _ => return Err(lookup_error(format!("value of {LOOKUP_OPTIONS} must be a hash"))),
    };
    let Some(module) = module else { return Ok(Some(options)) };
    let prefix = format!("{module}::");
    for key in hash.keys() {
        let name = key.as_str().ok_or_else(|| no_text_key(key))?;
        match name.strip_prefix('^') {
            Some(pattern) if !pattern.starts_with(&prefix) => {
                return Err(lookup_error(format!(
                    "all {LOOKUP_OPTIONS} patterns must match a key starting with module name '{module}'"
                )));
            }
            None if !name.starts_with(&prefix) => {
                return Err(lookup_error(format!(
                    "all {LOOKUP_OPTIONS} keys must start with module name '{module}'"
                )));
            }
            _ => {}
        }
    }
    Ok(Some(options))
}

/// Whether the environment has data of its own, told in a configuration of version 5.
pub(super) fn has_environment_data(session: Session<'_, '_>) -> LookupResult<bool> {
    match environment_provider(session)? {
        Some(provider) => Ok(provider.config(session)?.version >= 5),
        None => Ok(false),
    }
}

fn environment_provider(session: Session<'_, '_>) -> LookupResult<Option<Rc<Provider>>> {
    if let Some(provider) = &*session.state.environment.borrow() {
        return Ok(provider.clone());
    }
    let environment = session.environment();
    let provider = match &environment.directory {
        Some(directory) => find_environment_provider(session, directory)?,
        None => None,
    };
    let provider = provider.map(Rc::new);
    session.state.environment.replace(Some(provider.clone()));
    Ok(provider)
}

fn module_provider(session: Session<'_, '_>, name: &Str) -> LookupResult<Option<Rc<Provider>>> {
    if let Some(provider) = session.state.modules.borrow().get(name) {
        return Ok(provider.clone());
    }
    let provider = match session.environment().find_module(name) {
        Some(module) => find_module_provider(session, module)?,
        None => None,
    };
    let provider = provider.map(Rc::new);
    session.state.modules.borrow_mut().insert(name.clone(), provider.clone());
    Ok(provider)
}

/// The environment's data, by its `hiera.yaml` or as `environment.conf` said it in former times.
fn find_environment_provider(session: Session<'_, '_>, directory: &str) -> LookupResult<Option<Provider>> {
    let environment = session.environment();
    let path = join_path(directory, FILE_NAME);
    let own = match environment.has_file(&path) {
        true => Provider::environment(session, directory)?,
        false => None,
    };
    let Some(name) = &environment.data_provider else { return Ok(own) };
    let warns = environment.settings.strict != Strictness::Off;
    let configuration = join_path(directory, "environment.conf");
    let defining = format!("Defining environment_data_provider='{name}' in environment.conf is deprecated");
    if let Some(provider) = &own
        && provider.config(session)?.version >= 5
    {
        if warns {
            session.warn_once("environment.conf#data_provider", &defining, Some(&configuration));
            if name != "hiera" {
                let message = format!(
                    "The environment_data_provider='{name}' setting is ignored since '{path}' version >= 5"
                );
                session.warn_once(
                    "environment.conf#data_provider_overridden",
                    &message,
                    Some(&configuration),
                );
            }
        }
        return Ok(own);
    }
    if warns {
        let message = with_advice(format!("{defining}."), own.is_none());
        session.warn_once("environment.conf#data_provider", &message, Some(&configuration));
    }
    match name.as_str() {
        "none" => Ok(None),
        "hiera" if own.is_some() => Ok(own),
        "hiera" => Provider::environment(session, directory),
        "function" => Provider::of_function(session, None, directory, "environment::data").map(Some),
        _ => Err(Error::plain(format!(
            "Environment '{}', cannot find environment_data_provider '{name}'",
            environment.name
        ))
        .into()),
    }
}

/// A module's data, by its `hiera.yaml` or as its metadata said it in former times.
fn find_module_provider(session: Session<'_, '_>, module: &Module) -> LookupResult<Option<Provider>> {
    let environment = session.environment();
    let own = match environment.has_file(&module.file(FILE_NAME)) {
        true => Provider::module(session, &module.name, &module.path)?,
        false => None,
    };
    let Some(name) = &module.data_provider else { return Ok(own) };
    let warns = environment.settings.strict != Strictness::Off;
    let key = format!("metadata.json#data_provider-{}", module.name);
    let metadata = module.file("metadata.json");
    let defining = format!("Defining \"data_provider\": \"{name}\" in metadata.json is deprecated.");
    if let Some(provider) = &own
        && provider.config(session)?.version >= 5
    {
        if warns {
            let message =
                format!("{defining} It is ignored since a '{FILE_NAME}' with version >= 5 is present");
            session.warn_once(&key, &message, Some(&metadata));
        }
        return Ok(own);
    }
    if warns {
        session.warn_once(&key, &with_advice(defining, own.is_none()), Some(&metadata));
    }
    match name.as_str() {
        "none" => Ok(None),
        "hiera" if own.is_some() => Ok(own),
        "hiera" => Provider::module(session, &module.name, &module.path),
        "function" => {
            let function = format!("{}::data", module.name);
            Provider::of_function(session, Some(&module.name), &module.path, &function).map(Some)
        }
        name => Err(Error::internal(format!("There is no data provider '{name}' for modules")).into()),
    }
}

fn with_advice(message: String, advises: bool) -> String {
    if advises { format!("{message} A '{FILE_NAME}' file should be used instead") } else { message }
}
