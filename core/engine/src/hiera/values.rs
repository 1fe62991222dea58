//! Locations to values: what the functions of a hierarchy's entries give for a key.
//!
//! Follows the reference's `pops/lookup/function_provider.rb` and `data_*_function_provider.rb`.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::{Equivalent, IndexMap};
use rustc_hash::FxBuildHasher;

use super::config::Config;
use super::error::{LookupError, LookupResult};
use super::explain::{Part, ProviderRole};
use super::interpolate::{Interpolation, interpolate};
use super::invocation::Invocation;
use super::key::{LOOKUP_OPTIONS, LookupKey};
use super::locations::{DataLocation, Entry, FunctionKind, override_places};
use super::query::LookupQuery;
use super::session::{FunctionContext, Session};
use super::{backends, text, types};
use crate::eval::Site;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::ast::Node;
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::source::Location;

/// The function of an entry, with its results.
#[derive(Debug)]
pub(super) struct EntryFunction {
    entry: Arc<Entry>,
    contexts: RefCell<IndexMap<Option<DataLocation>, Rc<FunctionContext>, FxBuildHasher>>,
    /// Those of the entry's places, in order.
    of_places: RefCell<Vec<Option<Rc<FunctionContext>>>>,
    /// Whether the function was found, and whether the type of its result vouches for its data.
    is_validated: OnceCell<bool>,
}

/// A place to look up among the stored ones.
#[derive(Hash)]
struct PlaceRef<'p>(Option<&'p DataLocation>);

impl Equivalent<Option<DataLocation>> for PlaceRef<'_> {
    fn equivalent(&self, known: &Option<DataLocation>) -> bool {
        self.0 == known.as_ref()
    }
}

/// Whose data an entry has.
#[derive(Clone, Copy)]
pub(super) struct Owner<'o> {
    /// The configuration with the entry.
    pub config: &'o Config,
    /// The module whose data it is.
    pub module: Option<&'o Str>,
}

impl EntryFunction {
    /// The function of an entry that was not asked for anything.
    pub fn new(entry: Arc<Entry>) -> Self {
        Self {
            entry,
            contexts: RefCell::default(),
            of_places: RefCell::default(),
            is_validated: OnceCell::new(),
        }
    }

    /// Adds the data of all places, if the function returns all its data at once and has been called for all;
    /// returns whether it did.
    pub fn add_loaded(&self, data: &mut Vec<Arc<Hash>>) -> bool {
        let contexts = self.contexts.borrow();
        let of_place = |place: &Option<DataLocation>| {
            Some(contexts.get(&PlaceRef(place.as_ref()))?.data.borrow().as_ref()?.clone())
        };
        self.entry.kind == FunctionKind::DataHash
            && self.entry.places.iter().all(|place| {
                let is_missing = place.as_ref().is_some_and(|place| !place.exists);
                is_missing || of_place(place).map(|of_place| data.push(of_place)).is_some()
            })
    }

    fn full_name(&self) -> String {
        match self.entry.kind {
            FunctionKind::V4DataHash => format!("deprecated API function '{}'", self.entry.function),
            FunctionKind::V3Backend => format!("hiera version 3 backend '{}'", self.entry.name),
            kind => format!("{} function '{}'", kind.tag(), self.entry.function),
        }
    }

    fn part(&self) -> Part {
        let (name, level) = match self.entry.kind {
            FunctionKind::V4DataHash => {
                let name = format!("Deprecated API function \"{}\"", self.entry.function);
                (name.clone(), name)
            }
            _ => (format!("Hierarchy entry \"{}\"", self.entry.name), self.entry.name.clone()),
        };
        Part::DataProvider { name, configuration: None, module: None, role: ProviderRole::Level(level) }
    }

    /// Looks for a key in all places.
    pub fn lookup(&self, query: LookupQuery<'_, '_>, owner: Owner<'_>) -> LookupResult {
        let LookupQuery { session, invocation, key, strategy } = query;
        let with_overrides;
        let places = match &self.entry.datadir {
            Some((datadir, extension)) if !invocation.location_overrides.borrow().is_empty() => {
                let first = override_places(session, invocation, owner.config, datadir, extension)?;
                let rest = self.entry.places.iter().cloned();
                with_overrides = first.into_iter().map(Some).chain(rest).collect::<Vec<_>>();
                &with_overrides
            }
            _ => &self.entry.places,
        };
        let _entry = invocation.observe(|| self.part());
        let values = places.iter().map(|place| {
            let _location = place.as_ref().map(|place| invocation.observe(|| place.part()));
            self.lookup_at(session, invocation, owner, key, place.as_ref())
        });
        strategy.merge_all(session, invocation, values)
    }

    fn lookup_at(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        owner: Owner<'_>,
        key: &LookupKey,
        place: Option<&DataLocation>,
    ) -> LookupResult {
        session.charge_steps(1)?;
        if place.is_some_and(|place| !place.exists) {
            invocation.report_location_not_found();
            return Err(LookupError::NoSuchKey);
        }
        match self.entry.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                let value = self.data_value(session, invocation, owner, &key.root, place)?;
                Ok(invocation.report_found(&key.root, value))
            }
            FunctionKind::LookupKey | FunctionKind::V3LookupKey => {
                let value = self.keyed_value(session, invocation, owner, key, place)?;
                Ok(invocation.report_found(&key.root, value))
            }
            FunctionKind::DataDig => {
                let value = self.keyed_value(session, invocation, owner, key, place)?;
                Ok(key.undig(invocation.report_found(&key.text, value)))
            }
            FunctionKind::V3Backend => {
                invocation.report_text(|| {
                    let name = &self.entry.name;
                    format!("Unable to load backend '{name}': cannot load such file -- hiera/backend/{name}_backend")
                });
                Err(LookupError::NoSuchKey)
            }
        }
    }

    fn subject(&self, what: String, place: Option<&DataLocation>) -> String {
        match place {
            Some(place) => format!("{what} {}, when using location '{}',", self.full_name(), place.location),
            None => format!("{what} {}", self.full_name()),
        }
    }

    /// A key's value in the hash from the function.
    fn data_value(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        owner: Owner<'_>,
        root: &Str,
        place: Option<&DataLocation>,
    ) -> LookupResult {
        let context = self.context(session, owner, place)?;
        let kept = context.data.borrow().clone();
        let data = match kept {
            Some(data) => data,
            None => {
                let data = self.call_data_hash(session, invocation, &context, place)?;
                session.charge_value(&data)?;
                let subject = || self.subject("Value returned from".into(), place);
                let data = owner.checked_data(session, data, subject)?;
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
        place: Option<&DataLocation>,
    ) -> LookupResult {
        if self.entry.kind == FunctionKind::V4DataHash {
            return self.call(session, invocation, &[]);
        }
        let options = self.options(place);
        match backends::read_data(session.evaluator, &self.entry.function, &options) {
            Some(data) => Ok(data?),
            None => {
                let object = context.object(session.progress);
                self.call(session, invocation, &[Value::from(options), Value::Object(object)])
            }
        }
    }

    /// The function's value for a key; called once for each key.
    fn keyed_value(
        &self,
        session: Session<'_, '_>,
        invocation: &Rc<Invocation>,
        owner: Owner<'_>,
        key: &LookupKey,
        place: Option<&DataLocation>,
    ) -> LookupResult {
        let is_dig = self.entry.kind == FunctionKind::DataDig;
        let name = if is_dig { &key.text } else { &key.root };
        let context = self.context(session, owner, place)?;
        let kept = context.values.borrow().get(name).cloned();
        if let Some(value) = kept {
            invocation.report_decrypted(&context.decrypted, name);
            return Ok(value);
        }
        let ask = || -> LookupResult {
            let options = self.options(place);
            if self.entry.function == "eyaml_lookup_key" {
                let found = backends::eyaml_lookup_key(session, invocation, &context, name, &options);
                invocation.report_decrypted(&context.decrypted, name);
                return found;
            }
            let asked = if is_dig { key.to_array() } else { Value::String(name.clone()) };
            let object = context.object(session.progress);
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
        Ok(session.evaluator.call_external(
            scope,
            &self.entry.function,
            arguments,
            None,
            Site::At(&location),
        )?)
    }

    fn options(&self, place: Option<&DataLocation>) -> Hash {
        let mut options = self.entry.options.clone();
        if let Some(place) = place {
            let key = if place.is_uri { "uri" } else { "path" };
            options.insert(key.into(), place.location.as_str().into());
        }
        options
    }

    /// The context of the function for a place. Errors: the function does not exist, or its result may not be
    /// data.
    fn context(
        &self,
        session: Session<'_, '_>,
        owner: Owner<'_>,
        place: Option<&DataLocation>,
    ) -> LookupResult<Rc<FunctionContext>> {
        // Places of the entry itself are identified by their position, others by their content.
        let is_here = |own: &Option<DataLocation>| match (own, place) {
            (Some(own), Some(place)) => std::ptr::eq(own, place),
            (own, place) => own.is_none() && place.is_none(),
        };
        let places = &self.entry.places;
        // The position if it is one of these: an entry can have hundreds.
        let bytes =
            place.map_or(0, |place| std::ptr::from_ref(place).addr().wrapping_sub(places.as_ptr().addr()));
        let at = bytes / size_of::<Option<DataLocation>>();
        let at = places.get(at).is_some_and(is_here).then_some(at);
        let kept = at.and_then(|at| self.of_places.borrow().get(at).cloned().flatten());
        if let Some(context) = kept {
            return Ok(context);
        }
        // A place that an entry names twice is two places, whose data is read and checked twice.
        let known = if at.is_none() { self.contexts.borrow().get(&PlaceRef(place)).cloned() } else { None };
        let context = match known {
            Some(context) => context,
            None => self.new_context(session, owner, place)?,
        };
        if let Some(at) = at {
            let mut of_places = self.of_places.borrow_mut();
            of_places.resize(places.len(), None);
            if let Some(slot) = of_places.get_mut(at) {
                *slot = Some(Rc::clone(&context));
            }
        }
        Ok(context)
    }

    fn new_context(
        &self,
        session: Session<'_, '_>,
        owner: Owner<'_>,
        place: Option<&DataLocation>,
    ) -> LookupResult<Rc<FunctionContext>> {
        if self.is_validated.get().is_none() {
            let is_validated = self.find_function(session, owner)?;
            let _ = self.is_validated.set(is_validated);
        }
        let context = Rc::new(FunctionContext::new(owner.module.cloned()));
        self.contexts.borrow_mut().insert(place.cloned(), context.clone());
        Ok(context)
    }

    /// Finds the function; returns whether its declared result is data.
    fn find_function(&self, session: Session<'_, '_>, owner: Owner<'_>) -> LookupResult<bool> {
        let name = self.entry.function.as_str();
        let environment = session.environment();
        let found = environment.find_function(name, session.evaluator.loaded)?;
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
            let report = issues::hiera_data_provider_function_not_found(self.entry.kind.tag(), name);
            return Err(owner.config.fail(report, None));
        };
        let Node::FunctionDefinition { return_type: Some(node), .. } =
            *definition.program.node(definition.node)
        else {
            return Ok(false);
        };
        let actual = environment.interpret(&definition.program, node, session.evaluator.loaded)?;
        let expected = match self.entry.kind {
            FunctionKind::DataHash | FunctionKind::V3DataHash | FunctionKind::V4DataHash => {
                "Hash[RichDataKey,RichData]"
            }
            _ => "RichData",
        };
        let tag = self.entry.kind.tag();
        types::assert_assignable(
            &format!("Return type of '{tag}' function named '{name}'"),
            expected,
            &actual,
        )?;
        Ok(true)
    }
}

impl DataLocation {
    fn part(&self) -> Part {
        Part::Location {
            is_uri: self.is_uri,
            location: self.location.clone(),
            original: self.original.clone(),
        }
    }
}

impl Owner<'_> {
    /// A function's result as all its data: a hash, of which a module can only use its own keys.
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
        let Some(module) = self.module else { return Ok(hash.clone()) };
        let prefix = format!("{module}::");
        let mut kept = Hash::default();
        for (key, value) in hash.iter() {
            let Some(name) = key.as_str() else {
                let class = text::ruby_class(key);
                return Err(
                    Error::internal(format!("A key of data is a String, not of the class {class}")).into()
                );
            };
            if name == LOOKUP_OPTIONS || name.starts_with(&prefix) {
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
