//! A layer's data: its configuration, with the functions of its hierarchy.
//!
//! Follows the reference's `pops/lookup/configured_data_provider.rb`, `global_data_provider.rb`,
//! `environment_data_provider.rb` and `module_data_provider.rb`.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::config::{Config, FILE_NAME, Layer};
use super::error::{LookupError, LookupResult, lookup_error};
use super::explain::{Part, ProviderRole};
use super::invocation::Invocation;
use super::loaded::LoadedPlaces;
use super::locations::{Entry, Hierarchy};
use super::merge::Strategy;
use super::query::LookupQuery;
use super::session::Session;
use super::types;
use super::values::{EntryFunction, Owner};
use crate::loader::{Strictness, join_path};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::issues;

/// A layer's data.
#[derive(Debug)]
pub(super) struct Provider {
    layer: Layer,
    module: Option<Str>,
    path: String,
    config: OnceCell<Arc<Config>>,
    functions: RefCell<Option<Rc<Functions>>>,
}

/// The functions of a hierarchy's entries, as long as the variables in it stay the same.
#[derive(Debug)]
struct Functions {
    main: Vec<EntryFunction>,
    default: Vec<EntryFunction>,
    hierarchy: Arc<Hierarchy>,
}

impl Functions {
    fn new(hierarchy: Arc<Hierarchy>) -> Self {
        let functions = |entries: &[Arc<Entry>]| entries.iter().cloned().map(EntryFunction::new).collect();
        Self {
            main: functions(&hierarchy.entries),
            default: functions(&hierarchy.default_entries),
            hierarchy,
        }
    }
}

impl Provider {
    /// The global layer, with the configuration at a path.
    pub fn global(path: String) -> Self {
        Self::new(Layer::Global, None, path)
    }

    /// The layer of an environment; none when its configuration may not be used.
    pub fn environment(session: Session<'_, '_>, directory: &str) -> LookupResult<Option<Self>> {
        Self::new(Layer::Environment, None, join_path(directory, FILE_NAME)).with_config(session)
    }

    /// The layer of a module; none when its configuration may not be used.
    pub fn module(session: Session<'_, '_>, name: &str, directory: &str) -> LookupResult<Option<Self>> {
        Self::new(Layer::Module, Some(name.into()), join_path(directory, FILE_NAME)).with_config(session)
    }

    /// The layer of an environment or a module whose data a function returns.
    pub fn of_function(
        session: Session<'_, '_>,
        module: Option<&str>,
        directory: &str,
        function: &str,
    ) -> LookupResult<Self> {
        let layer = if module.is_some() { Layer::Module } else { Layer::Environment };
        let provider = Self::new(layer, module.map(Str::from), join_path(directory, FILE_NAME));
        let config = Config::of_function(session, directory, function, layer)?;
        let _ = provider.config.set(Arc::new(config));
        Ok(provider)
    }

    fn new(layer: Layer, module: Option<Str>, path: String) -> Self {
        Self { layer, module, path, config: OnceCell::new(), functions: RefCell::default() }
    }

    fn with_config(self, session: Session<'_, '_>) -> LookupResult<Option<Self>> {
        let config = Config::load(session, &self.path, self.layer)?;
        if config.version > 3 {
            let _ = self.config.set(config);
            return Ok(Some(self));
        }
        let (location, place) = match self.layer {
            Layer::Module => ("module", "module root"),
            Layer::Environment | Layer::Global => ("environment", "the environment root"),
        };
        if session.environment().settings.strict == Strictness::Error {
            return Err(config.fail(issues::hiera_version_3_not_global(location), None));
        }
        let message = format!("hiera.yaml version 3 found at {place} was ignored");
        session.warn_once(&self.path, &message, Some(&self.path));
        Ok(None)
    }

    /// The configuration. Errors: it cannot be read, or is invalid.
    pub fn config(&self, session: Session<'_, '_>) -> LookupResult<Arc<Config>> {
        if let Some(config) = self.config.get() {
            return Ok(config.clone());
        }
        let config = Config::load(session, &self.path, self.layer)?;
        if config.version == 4 && self.layer == Layer::Global {
            return Err(config.fail(issues::hiera_unsupported_version_in_global(), None));
        }
        Ok(self.config.get_or_init(|| config).clone())
    }

    /// Adds all the data that its hierarchies have for an invocation; whether it is known.
    pub fn add_loaded(
        &self,
        session: Session<'_, '_>,
        invocation: &Invocation,
        data: &mut LoadedPlaces,
    ) -> LookupResult<bool> {
        let kept = self.functions.borrow().clone();
        let (Some(config), Some(functions)) = (self.config.get(), kept) else { return Ok(false) };
        let is_known = config.version >= 5
            && functions.main.iter().all(|function| function.add_loaded(&mut data.layers))
            && functions.default.iter().all(|function| function.add_loaded(&mut data.defaults));
        Ok(is_known && functions.hierarchy.dependencies.are_stable(session, invocation)?)
    }

    /// Whether its hierarchies depend on no variables.
    pub fn is_settled(&self) -> bool {
        self.functions.borrow().as_ref().is_some_and(|known| known.hierarchy.dependencies.are_none())
    }

    fn part(&self) -> Part {
        let place = match self.layer {
            Layer::Global => "Global",
            Layer::Environment => "Environment",
            Layer::Module => "Module",
        };
        let mut name = format!("{place} ");
        if let Some(module) = &self.module {
            name.push_str(&format!("\"{module}\" "));
        }
        name.push_str("Data Provider");
        let config = self.config.get();
        if let Some(config) = config {
            name.push_str(&format!(" (hiera configuration version {})", config.version));
        }
        Part::DataProvider {
            name,
            configuration: config.and_then(|config| config.path.clone()),
            module: self.module.clone(),
            role: ProviderRole::Layer(self.layer.name()),
        }
    }

    /// Looks for a key in the hierarchy.
    pub fn lookup(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, .. } = query;
        let config = self.config(session)?;
        let _provider = invocation.observe(|| self.part());
        let functions = self.functions(session, invocation, &config)?;
        if functions.main.is_empty() {
            invocation.report_not_found(&key.text);
            return Err(LookupError::NoSuchKey);
        }
        self.lookup_in(query, &config, &functions.main)
    }

    /// Looks for a key in the hierarchy that holds when nothing else is found.
    pub fn lookup_in_default(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, .. } = query;
        let config = self.config(session)?;
        let functions = self.functions(session, invocation, &config)?;
        if functions.default.is_empty() {
            invocation.report_not_found(&key.text);
            return Err(LookupError::NoSuchKey);
        }
        invocation.check(&key.text, || {
            let _provider = invocation.observe(|| self.part());
            self.lookup_in(query, &config, &functions.default)
        })
    }

    fn lookup_in(
        &self,
        query: LookupQuery<'_, '_>,
        config: &Config,
        functions: &[EntryFunction],
    ) -> LookupResult {
        let owner = Owner { config, module: self.module.as_ref() };
        let values = functions.iter().map(|function| function.lookup(query, owner));
        query.strategy.merge_all(query.session, query.invocation, values)
    }

    /// Searches for a key by a configuration of version 3 of the global layer.
    pub fn lookup_version_3(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, strategy } = query;
        let own = v3_strategy(&*self.config(session)?)?;
        let is_hiera_call = invocation.is_hiera_call.get();
        let strategy = if !own.is_default() && is_hiera_call && strategy.is_hash() {
            invocation.v3_merge.set(true);
            &own
        } else {
            strategy
        };
        let value = self.lookup(LookupQuery { strategy, ..query })?;
        if is_hiera_call {
            if strategy.is_hash() || strategy.is_deep() {
                types::assert_instance("value", "Hash", &value)?;
            }
            if !key.segments.is_empty() && (strategy.is_hash() || strategy.is_unique()) {
                let name = if strategy.is_hash() { "hash" } else { "array" };
                return Err(lookup_error(format!(
                    "Resolution type :{name} is illegal when accessing values using dotted keys. Offending key was \
                     '{}'",
                    key.text
                )));
            }
        }
        Ok(value)
    }

    /// The functions for the variables as they are now.
    fn functions(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        config: &Config,
    ) -> LookupResult<Rc<Functions>> {
        let kept = self.functions.borrow().clone();
        if let Some(functions) = kept {
            if functions.hierarchy.dependencies.are_stable(session, invocation)? {
                return Ok(functions);
            }
            invocation.report_text(|| {
                "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
                    .into()
            });
        }
        let functions = Rc::new(Functions::new(Hierarchy::of(session, invocation, config)?));
        self.functions.replace(Some(functions.clone()));
        Ok(functions)
    }
}

/// The strategy that a configuration of version 3 asks for.
fn v3_strategy(config: &Config) -> LookupResult<Strategy> {
    let behavior = config.get("merge_behavior").and_then(Value::as_str).unwrap_or("native");
    let name = match behavior {
        "array" => "unique",
        "deep" => "reverse_deep",
        "deeper" => "unconstrained_deep",
        _ => return Ok(Strategy::default()),
    };
    let mut merge = Hash::default();
    merge.insert("strategy".into(), name.into());
    if let Some(Value::Hash(options)) = config.get("deep_merge_options") {
        merge.extend(options.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    Strategy::new(Some(&Value::from(merge)))
}
