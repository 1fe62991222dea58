//! Who has data: the three layers with their configurations, and the functions of their hierarchies.
//!
//! Follows the reference's `pops/lookup/configured_data_provider.rb`, `global_data_provider.rb`,
//! `environment_data_provider.rb`, `module_data_provider.rb`, `function_provider.rb` and
//! `data_*_function_provider.rb`.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::backends;
use super::config::{Config, FILE_NAME, Layer};
use super::context::FunctionContext;
use super::explain::{Part, ProviderRole};
use super::hierarchy::{Hierarchy, Place, override_places};
use super::interpolate::{Interpolation, interpolate};
use super::invocation::{Invocation, LookupError, LookupResult, Session, lookup_error};
use super::key::LookupKey;
use super::merge::Strategy;
use super::types;
use crate::eval::Site;
use crate::loader::{Strictness, join_path};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::ast::Node;
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::source::Location;

/// A layer's data.
#[derive(Debug)]
pub(super) struct Provider {
    layer: Layer,
    module: Option<Str>,
    path: String,
    config: OnceCell<Arc<Config>>,
    hierarchy: RefCell<Option<Rc<Hierarchy>>>,
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

    /// The layer of an environment or a module whose data a function gives.
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
        Self { layer, module, path, config: OnceCell::new(), hierarchy: RefCell::default() }
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

    /// The configuration. Errors: it cannot be read, or does not say what it may say.
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

    /// The module whose data it is.
    pub fn module_name(&self) -> Option<&Str> {
        self.module.as_ref()
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

    /// Looks for a key.
    pub fn key_lookup(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> LookupResult {
        invocation.check(&key.text, || match self.layer {
            Layer::Global => self.global_lookup(session, invocation, key, strategy),
            Layer::Environment | Layer::Module => self.unchecked_lookup(session, invocation, key, strategy),
        })
    }

    /// Looks for a key in the hierarchy that holds when nothing else is found.
    pub fn key_lookup_in_default(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> LookupResult {
        let hierarchy = self.hierarchy(session, invocation)?;
        if hierarchy.default_providers.is_empty() {
            invocation.report_not_found(&key.text);
            return Err(LookupError::NoSuchKey);
        }
        invocation.check(&key.text, || {
            self.lookup_in(session, invocation, &hierarchy.default_providers, key, strategy)
        })
    }

    fn unchecked_lookup(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> LookupResult {
        self.config(session)?;
        invocation.with(
            || self.part(),
            || {
                let hierarchy = self.hierarchy(session, invocation)?;
                if hierarchy.providers.is_empty() {
                    invocation.report_not_found(&key.text);
                    return Err(LookupError::NoSuchKey);
                }
                strategy.lookup(session, invocation, &hierarchy.providers, |provider| {
                    provider.lookup(session, invocation, self, key, strategy)
                })
            },
        )
    }

    fn lookup_in(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        providers: &[Rc<FunctionProvider>],
        key: &LookupKey,
        strategy: &Strategy,
    ) -> LookupResult {
        invocation.with(
            || self.part(),
            || {
                strategy.lookup(session, invocation, providers, |provider| {
                    provider.lookup(session, invocation, self, key, strategy)
                })
            },
        )
    }

    /// Looks in the global layer, whose configuration may be of version 3.
    fn global_lookup(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> LookupResult {
        let config = self.config(session)?;
        if config.version != 3 {
            return self.unchecked_lookup(session, invocation, key, strategy);
        }
        if !invocation.is_hiera3 {
            let inner = Rc::new(invocation.with_view(session.state, true));
            if !super::adapter::has_environment_data(session)? {
                inner.global_only.set(true);
            }
            return inner.lookup(session.state, key, invocation.module_name(), || {
                self.global_lookup(session, &inner, key, strategy)
            });
        }
        let own = v3_strategy(&config)?;
        let is_hiera_call = invocation.is_hiera_call.get();
        let strategy = if !own.is_default() && is_hiera_call && strategy.is_hash() {
            invocation.v3_merge.set(true);
            &own
        } else {
            strategy
        };
        let value = self.unchecked_lookup(session, invocation, key, strategy)?;
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

    /// The hierarchy for the variables as they are now.
    fn hierarchy(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
    ) -> LookupResult<Rc<Hierarchy>> {
        let config = self.config(session)?;
        let kept = self.hierarchy.borrow().clone();
        if let Some(hierarchy) = kept {
            if hierarchy.is_stable(session, invocation)? {
                return Ok(hierarchy);
            }
            invocation.report_text(|| {
                "Hiera configuration recreated due to change of scope variables used in interpolation expressions"
                    .into()
            });
        }
        let hierarchy = Rc::new(Hierarchy::new(session, invocation, &config)?);
        self.hierarchy.replace(Some(hierarchy.clone()));
        Ok(hierarchy)
    }

    /// What a function gave as all its data: a hash, of which a module may use only its own keys.
    fn checked_data(
        &self,
        session: Session<'_, '_>,
        data: Value,
        subject: impl Fn() -> String,
    ) -> LookupResult<Arc<Hash>> {
        let Value::Hash(hash) = &data else {
            types::assert_instance(&subject(), "Hash", &data)?;
            return Err(LookupError::NoSuchKey);
        };
        let Some(module) = &self.module else { return Ok(hash.clone()) };
        let prefix = format!("{module}::");
        let mut kept = Hash::default();
        for (key, value) in hash.iter() {
            let Some(name) = key.as_str() else {
                let class = super::text::ruby_class(key);
                return Err(
                    Error::internal(format!("A key of data is a String, not of the class {class}")).into()
                );
            };
            if name == super::LOOKUP_OPTIONS || name.starts_with(&prefix) {
                kept.insert(key.clone(), value.clone());
            } else {
                let message = format!(
                    "Module '{module}': {} must use keys qualified with the name of the module; got {name}",
                    subject()
                );
                session.evaluator.usage.put_out(message.len() as u64)?;
                session.warn(message);
            }
        }
        Ok(Arc::new(kept))
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

/// What a function of a hierarchy is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionKind {
    DataHash,
    LookupKey,
    DataDig,
    V3DataHash,
    V3LookupKey,
    V3Backend,
    V4DataHash,
}

impl FunctionKind {
    /// The kind with this key in a configuration.
    pub fn new(key: &str) -> Self {
        match key {
            "lookup_key" => Self::LookupKey,
            "data_dig" => Self::DataDig,
            "hiera3_backend" => Self::V3Backend,
            "v4_data_hash" => Self::V4DataHash,
            _ => Self::DataHash,
        }
    }

    fn tag(self) -> &'static str {
        match self {
            Self::DataHash => "data_hash",
            Self::LookupKey => "lookup_key",
            Self::DataDig => "data_dig",
            Self::V3DataHash => "v3_data_hash",
            Self::V3LookupKey => "v3_lookup_key",
            Self::V3Backend => "hiera3_backend",
            Self::V4DataHash => "v4_data_hash",
        }
    }
}

/// An entry of a hierarchy: a function with its options and places.
#[derive(Debug)]
pub(super) struct FunctionProvider {
    name: String,
    kind: FunctionKind,
    function: String,
    options: Hash,
    places: Vec<Option<Place>>,
    /// In version 3: where paths start, and how they end.
    datadir: Option<(String, String)>,
    contexts: RefCell<FxHashMap<Option<Place>, Rc<FunctionContext>>>,
    /// Whether the function was found, and whether the type of its result vouches for its data.
    is_validated: OnceCell<bool>,
}

impl FunctionProvider {
    /// An entry with this name.
    pub fn new(
        name: &str,
        kind: FunctionKind,
        function: &str,
        options: Value,
        places: Option<Vec<Place>>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            function: function.to_owned(),
            options: match options {
                Value::Hash(hash) => Hash::clone(&hash),
                _ => Hash::default(),
            },
            places: places.map_or_else(|| vec![None], |places| places.into_iter().map(Some).collect()),
            datadir: None,
            contexts: RefCell::default(),
            is_validated: OnceCell::new(),
        }
    }

    /// The same entry with where paths start and how they end, for version 3.
    pub fn with_datadir(self, datadir: String, extension: String) -> Self {
        Self { datadir: Some((datadir, extension)), ..self }
    }

    /// The name of the entry.
    pub fn entry_name(&self) -> &str {
        &self.name
    }

    fn full_name(&self) -> String {
        match self.kind {
            FunctionKind::V4DataHash => format!("deprecated API function '{}'", self.function),
            FunctionKind::V3Backend => format!("hiera version 3 backend '{}'", self.name),
            kind => format!("{} function '{}'", kind.tag(), self.function),
        }
    }

    fn part(&self) -> Part {
        let (name, level) = match self.kind {
            FunctionKind::V4DataHash => {
                let name = format!("Deprecated API function \"{}\"", self.function);
                (name.clone(), name)
            }
            _ => (format!("Hierarchy entry \"{}\"", self.name), self.name.clone()),
        };
        Part::DataProvider { name, configuration: None, module: None, role: ProviderRole::Level(level) }
    }

    /// Looks for a key in all places.
    fn lookup(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        parent: &Provider,
        key: &LookupKey,
        strategy: &Strategy,
    ) -> LookupResult {
        let with_overrides;
        let places = match &self.datadir {
            Some((datadir, extension)) if !invocation.location_overrides.borrow().is_empty() => {
                let config = parent.config(session)?;
                let first = override_places(session, invocation, &config, datadir, extension)?;
                let rest = self.places.iter().cloned();
                with_overrides = first.into_iter().map(Some).chain(rest).collect::<Vec<_>>();
                &with_overrides
            }
            _ => &self.places,
        };
        invocation.with(
            || self.part(),
            || {
                strategy.lookup(session, invocation, places, |place| {
                    let look = || self.lookup_at(session, invocation, parent, key, place.as_ref());
                    match place {
                        Some(place) => invocation.with(
                            || Part::Location {
                                is_uri: place.is_uri,
                                location: place.location.clone(),
                                original: place.original.clone(),
                            },
                            look,
                        ),
                        None => look(),
                    }
                })
            },
        )
    }

    fn lookup_at(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        parent: &Provider,
        key: &LookupKey,
        place: Option<&Place>,
    ) -> LookupResult {
        session.charge_steps(1)?;
        if place.is_some_and(|place| !place.exists) {
            invocation.report_location_not_found();
            return Err(LookupError::NoSuchKey);
        }
        match self.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                let value = self.data_value(session, invocation, parent, &key.root, place)?;
                Ok(invocation.report_found(&key.root, value))
            }
            FunctionKind::LookupKey | FunctionKind::V3LookupKey => {
                let value = self.keyed_value(session, invocation, parent, key, place)?;
                Ok(invocation.report_found(&key.root, value))
            }
            FunctionKind::DataDig => {
                let value = self.keyed_value(session, invocation, parent, key, place)?;
                Ok(key.undig(invocation.report_found(&key.text, value)))
            }
            FunctionKind::V3Backend => {
                invocation.report_text(|| {
                    let name = &self.name;
                    format!("Unable to load backend '{name}': cannot load such file -- hiera/backend/{name}_backend")
                });
                Err(LookupError::NoSuchKey)
            }
        }
    }

    fn subject(&self, what: String, place: Option<&Place>) -> String {
        match place {
            Some(place) => format!("{what} {}, when using location '{}',", self.full_name(), place.location),
            None => format!("{what} {}", self.full_name()),
        }
    }

    /// A key's value in the hash that the function gives.
    fn data_value(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        parent: &Provider,
        root: &Str,
        place: Option<&Place>,
    ) -> LookupResult {
        let context = self.context(session, parent, place)?;
        let kept = context.data.borrow().clone();
        let data = match kept {
            Some(data) => data,
            None => {
                let data = self.call_data_hash(session, invocation, &context, place)?;
                session.charge_value(&data)?;
                let subject = || self.subject("Value returned from".into(), place);
                let data = parent.checked_data(session, data, subject)?;
                context.data.replace(Some(data.clone()));
                data
            }
        };
        let Some(value) = data.get(&Value::String(root.clone())) else {
            invocation.report_not_found(root);
            return Err(LookupError::NoSuchKey);
        };
        let value = if self.is_validated.get() == Some(&true) {
            value.clone()
        } else {
            types::assert_data(value.clone(), || {
                self.subject(format!("Value for key '{root}', in hash returned from"), place)
            })?
        };
        interpolate(session, invocation, &value, Interpolation::DATA)
    }

    fn call_data_hash(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        context: &Rc<FunctionContext>,
        place: Option<&Place>,
    ) -> LookupResult {
        if self.kind == FunctionKind::V4DataHash {
            return self.call(session, invocation, &[]);
        }
        let options = self.options(place);
        match backends::read_data(session.evaluator, &self.function, &options) {
            Some(data) => Ok(data?),
            None => {
                let object = context.object(session.state);
                self.call(session, invocation, &[Value::from(options), Value::Object(object)])
            }
        }
    }

    /// The value that the function gives for a key; asked once for each key.
    fn keyed_value(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        parent: &Provider,
        key: &LookupKey,
        place: Option<&Place>,
    ) -> LookupResult {
        let is_dig = self.kind == FunctionKind::DataDig;
        let name = if is_dig { &key.text } else { &key.root };
        let context = self.context(session, parent, place)?;
        let kept = context.values.borrow().get(name).cloned();
        if let Some(value) = kept {
            invocation.report_decrypted(&context.decrypted, name);
            return Ok(value);
        }
        let ask = || -> LookupResult {
            let options = self.options(place);
            if self.function == "eyaml_lookup_key" {
                let found = backends::eyaml_lookup_key(session, invocation, &context, name, &options);
                invocation.report_decrypted(&context.decrypted, name);
                return found;
            }
            let asked = if is_dig { key.to_array() } else { Value::String(name.clone()) };
            let object = context.object(session.state);
            self.call(session, invocation, &[asked, Value::from(options), Value::Object(object)])
        };
        let value = match ask() {
            Err(LookupError::NoSuchKey) => {
                invocation.report_not_found(name);
                return Err(LookupError::NoSuchKey);
            }
            found => found?,
        };
        let check = |value: Value| {
            if self.is_validated.get() == Some(&true) {
                return Ok(value);
            }
            types::assert_data(value, || {
                self.subject(format!("Value for key '{name}', returned from"), place)
            })
        };
        if is_dig {
            context.values.borrow_mut().insert(name.clone(), value.clone());
            return check(value);
        }
        let value = check(value)?;
        context.values.borrow_mut().insert(name.clone(), value.clone());
        Ok(value)
    }

    fn call(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        arguments: &[Value],
    ) -> LookupResult {
        let scope = &invocation.scope;
        let location = Location::default();
        Ok(session.evaluator.call_external(scope, &self.function, arguments, None, Site::At(&location))?)
    }

    fn options(&self, place: Option<&Place>) -> Hash {
        let mut options = self.options.clone();
        if let Some(place) = place {
            let key = if place.is_uri { "uri" } else { "path" };
            options.insert(key.into(), place.location.as_str().into());
        }
        options
    }

    /// The context of the function for a place. Errors: there is no such function, or its result may be no
    /// data.
    fn context(
        &self,
        session: Session<'_, '_>,
        parent: &Provider,
        place: Option<&Place>,
    ) -> LookupResult<Rc<FunctionContext>> {
        if let Some(context) = self.contexts.borrow().get(&place.cloned()) {
            return Ok(context.clone());
        }
        if self.is_validated.get().is_none() {
            let is_validated = self.find_function(session, parent)?;
            let _ = self.is_validated.set(is_validated);
        }
        let context = Rc::new(FunctionContext::new(parent.module_name().cloned()));
        self.contexts.borrow_mut().insert(place.cloned(), context.clone());
        Ok(context)
    }

    /// Looks for the function; gives whether it declares a result that is data.
    fn find_function(&self, session: Session<'_, '_>, parent: &Provider) -> LookupResult<bool> {
        let name = self.function.as_str();
        let environment = session.environment();
        let found = environment.find_function(name, session.evaluator.journal)?;
        let Some(definition) = found else {
            let module = name.split_once("::").map(|(module, _)| module);
            let module_path = module.and_then(|module| environment.find_module(module));
            let known = session.evaluator.functions.get(name).is_some()
                || environment
                    .host
                    .foreign_function(name, module_path.map(|module| module.path.as_str()))?
                    .is_some()
                || session.evaluator.has_function(name).map_err(LookupError::Failed)?;
            if known {
                return Ok(false);
            }
            let report = issues::hiera_data_provider_function_not_found(self.kind.tag(), name);
            return Err(parent.config(session)?.fail(report, None));
        };
        let Node::FunctionDefinition { return_type: Some(node), .. } =
            *definition.program.node(definition.node)
        else {
            return Ok(false);
        };
        let actual = environment.interpret(&definition.program, node, session.evaluator.journal)?;
        let expected = match self.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                "Hash[RichDataKey,RichData]"
            }
            _ => "RichData",
        };
        let tag = self.kind.tag();
        types::assert_assignable(
            &format!("Return type of '{tag}' function named '{name}'"),
            expected,
            &actual,
        )?;
        Ok(true)
    }
}
