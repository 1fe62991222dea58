//! The layers: the data provider of each, and their combined result for a key.
//!
//! Follows the parts of the reference's `pops/lookup/lookup_adapter.rb` that find providers and ask them.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::config::FILE_NAME;
use super::error::{LookupError, LookupResult};
use super::explain::{Part, ProviderRole};
use super::invocation::Invocation;
use super::key::LookupKey;
use super::loaded::LoadedPlaces;
use super::provider::Provider;
use super::query::LookupQuery;
use super::session::Session;
use crate::eval::Unwind;
use crate::loader::{Module, Strictness, join_path};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::{Error, ErrorKind};

/// The providers of the layers, each found once.
#[derive(Debug, Default)]
pub(super) struct Layers {
    /// The classifier's data for parameters: the layer before all others.
    classifier: Arc<Hash>,
    global: OnceCell<Provider>,
    environment: RefCell<Option<Option<Rc<Provider>>>>,
    modules: RefCell<FxHashMap<Str, Option<Rc<Provider>>>>,
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

impl Layers {
    /// Layers with a classifier's data, which have not been searched.
    pub fn new(classifier: Hash) -> Self {
        Self { classifier: Arc::new(classifier), ..Self::default() }
    }

    /// Searches the layers for a key and applies its segments.
    pub fn search(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, strategy } = query;
        let layers = if self.classifier.is_empty() { &LAYERS[1..] } else { LAYERS };
        let found = if invocation.global_only.get() {
            self.in_global(query)?
        } else {
            let values = layers.iter().map(|layer| match layer {
                Layer::Classifier => self.in_classifier(invocation, key),
                Layer::Global => self.in_global(query),
                Layer::Environment => self.in_environment(query),
                Layer::Module => self.in_module(query),
            });
            strategy.merge_all(session, invocation, values)?
        };
        key.dig(invocation, found)
    }

    /// The classifier's data, as in the hierarchy entry that comes first in Puppet Enterprise's global layer.
    fn in_classifier(&self, invocation: &Invocation, key: &LookupKey) -> LookupResult {
        let _provider = invocation.observe(|| Part::DataProvider {
            name: "Classifier Configuration Data".to_owned(),
            configuration: None,
            module: None,
            role: ProviderRole::Layer("classifier"),
        });
        match self.classifier.get(&Value::String(key.root.clone())) {
            Some(value) => Ok(invocation.report_found(&key.root, value.clone())),
            None => {
                invocation.report_not_found(&key.root);
                Err(LookupError::NoSuchKey)
            }
        }
    }

    /// Looks for a key in the global layer, whose configuration may be of version 3.
    pub fn in_global(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, .. } = query;
        let found = invocation.check(&key.text, || {
            let provider = self.global(session);
            if provider.config(session)?.version != 3 {
                return provider.lookup(query);
            }
            if invocation.is_hiera3 {
                return provider.lookup_version_3(query);
            }
            let inner = Rc::new(invocation.with_view(session.progress, true));
            if !self.have_environment_data(session)? {
                inner.global_only.set(true);
            }
            inner.lookup(session.progress, key, invocation.module_name(), || {
                provider.lookup_version_3(LookupQuery { invocation: &inner, ..query })
            })
        });
        found.map_err(|stop| match stop {
            LookupError::Failed(Unwind::Error(error))
                if error.kind == ErrorKind::Lookup && error.issue.is_none() =>
            {
                let key = invocation.top_key();
                Error::plain(format!("Lookup of key '{key}' failed: {}", error)).into()
            }
            stop => stop,
        })
    }

    /// Looks for a key in the data of the environment.
    pub fn in_environment(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, .. } = query;
        let provider = self.environment(session)?.ok_or(LookupError::NoSuchKey)?;
        invocation.check(&key.text, || provider.lookup(query))
    }

    /// Looks for a key in the data of the module that the invocation is about.
    pub fn in_module(&self, query: LookupQuery<'_, '_>) -> LookupResult {
        let LookupQuery { session, invocation, key, .. } = query;
        let module = invocation.module_name().ok_or(LookupError::NoSuchKey)?;
        match self.module(session, &module)? {
            Some(provider) => invocation.check(&key.text, || provider.lookup(query)),
            None => {
                match session.environment().find_module(&module) {
                    Some(_) => invocation.report_module_provider_not_found(&module),
                    None => invocation.report_module_not_found(&module),
                }
                Err(LookupError::NoSuchKey)
            }
        }
    }

    /// Whether a lookup has searched the layers that all keys have.
    pub fn are_read(&self) -> bool {
        self.global.get().is_some() && self.environment.borrow().is_some()
    }

    /// Adds all data for keys of a module as an invocation finds them; whether it is known. It is not, if a
    /// place was not read, if variables in a hierarchy have got other values, or if functions return values
    /// key by key.
    pub fn add_loaded(
        &self,
        session: Session<'_, '_>,
        invocation: &Invocation,
        module: &str,
        data: &mut LoadedPlaces,
    ) -> LookupResult<bool> {
        let (environment, modules) = (self.environment.borrow().clone().flatten(), self.modules.borrow());
        let (Some(global), Some(of_module)) = (self.global.get(), modules.get(module)) else {
            return Ok(false);
        };
        if !self.classifier.is_empty() {
            data.layers.push(Arc::clone(&self.classifier));
        }
        let providers = [Some(global), environment.as_deref(), of_module.as_deref()];
        for provider in providers.into_iter().flatten() {
            if !provider.add_loaded(session, invocation, data)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the layers that all keys have depend on no variables.
    pub fn are_settled(&self) -> bool {
        let environment = self.environment.borrow();
        let mut providers = self.global.get().into_iter().chain(environment.iter().flatten().map(|of| &**of));
        providers.all(Provider::is_settled)
    }

    fn global(&self, session: Session<'_, '_>) -> &Provider {
        self.global.get_or_init(|| {
            let path = session.environment().global_hiera.clone();
            Provider::global(path.unwrap_or_else(|| join_path("/etc/puppetlabs/puppet", FILE_NAME)))
        })
    }

    /// Whether the environment has its own data, by a configuration of version 5.
    pub fn have_environment_data(&self, session: Session<'_, '_>) -> LookupResult<bool> {
        match self.environment(session)? {
            Some(provider) => Ok(provider.config(session)?.version >= 5),
            None => Ok(false),
        }
    }

    fn environment(&self, session: Session<'_, '_>) -> LookupResult<Option<Rc<Provider>>> {
        if let Some(provider) = &*self.environment.borrow() {
            return Ok(provider.clone());
        }
        let provider = match &session.environment().directory {
            Some(directory) => find_environment_provider(session, directory)?,
            None => None,
        };
        let provider = provider.map(Rc::new);
        self.environment.replace(Some(provider.clone()));
        Ok(provider)
    }

    /// The data provider of a module.
    pub fn module(&self, session: Session<'_, '_>, name: &Str) -> LookupResult<Option<Rc<Provider>>> {
        if let Some(provider) = self.modules.borrow().get(name) {
            return Ok(provider.clone());
        }
        let provider = match session.environment().find_module(name) {
            Some(module) => find_module_provider(session, module)?,
            None => None,
        };
        let provider = provider.map(Rc::new);
        self.modules.borrow_mut().insert(name.clone(), provider.clone());
        Ok(provider)
    }
}

/// The environment's data, by its `hiera.yaml` or, in the old way, by `environment.conf`.
fn find_environment_provider(session: Session<'_, '_>, directory: &str) -> LookupResult<Option<Provider>> {
    let environment = session.environment();
    let path = join_path(directory, FILE_NAME);
    let own = match environment.has_data_file(&path, session.evaluator.loaded) {
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

/// A module's data, by its `hiera.yaml` or, in the old way, by its metadata.
fn find_module_provider(session: Session<'_, '_>, module: &Module) -> LookupResult<Option<Provider>> {
    let environment = session.environment();
    let own = match environment.has_data_file(&module.file(FILE_NAME), session.evaluator.loaded) {
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
