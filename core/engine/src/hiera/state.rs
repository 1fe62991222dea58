//! The data and results of a compilation's lookups.

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::error::LookupResult;
use super::invocation::Invocation;
use super::layers::Layers;
use super::loaded::{LoadedPlaces, LoadedValue};
use super::options::{CachedOptions, KeyOptions};
use super::places::KeyPlaces;
use super::session::{Progress, Session};
use crate::eval::Scope;
use bunraku_pcore::value::{Hash, Str, Value, shared};

/// The data and results of one compilation's lookups.
#[derive(Debug, Default)]
pub struct LookupState {
    pub(super) progress: Progress,
    pub(super) layers: Layers,
    pub(super) options: CachedOptions,
    pub(super) key_places: RefCell<FxHashMap<String, Rc<KeyPlaces>>>,
    recorded: RefCell<IndexSet<Str, FxBuildHasher>>,
    /// The data for keys of modules without data of their own, if it is the same in all scopes.
    common: RefCell<Option<Rc<LoadedData>>>,
}

impl LookupState {
    /// The state of a compilation that has not looked up anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// The state of a compilation for which a classifier has data, by key.
    pub fn with_classifier_data(classifier: Hash) -> Self {
        Self { layers: Layers::new(classifier), ..Self::default() }
    }

    /// The keys that were looked up, each once, in order.
    pub fn recorded_keys(&self) -> Vec<Str> {
        self.recorded.borrow().iter().cloned().collect()
    }

    /// All data for the keys of a module as they are looked up in a scope, if earlier lookups have read all
    /// of it. Errors are left to the lookup of a key.
    pub(super) fn loaded(
        &self,
        session: Session<'_, '_>,
        scope: &Rc<Scope>,
        module: &str,
    ) -> LookupResult<Option<Rc<LoadedData>>> {
        if self.progress.current.borrow().is_some() || !self.layers.are_read() {
            return Ok(None);
        }
        let module = shared(module);
        let Some(options) = self.options.known(&self.layers, session, &module)? else { return Ok(None) };
        let is_common = self.options.are_common(&options) && self.layers.module(session, &module)?.is_none();
        if is_common && let Some(kept) = &*self.common.borrow() {
            return Ok(Some(Rc::clone(kept)));
        }
        if !self.options.strategies_exist(&module) {
            return Ok(None);
        }
        let (mut places, invocation) = (LoadedPlaces::default(), Invocation::plain(&self.progress, scope));
        if !self.layers.add_loaded(session, &invocation, &module, &mut places)? {
            return Ok(None);
        }
        let data = Rc::new(LoadedData { places, options });
        if is_common && self.layers.are_settled() {
            self.common.replace(Some(Rc::clone(&data)));
        }
        Ok(Some(data))
    }

    /// Notes that a key is looked up.
    pub fn record(&self, key: &str) {
        self.recorded.borrow_mut().insert(key.into());
    }
}

/// The data of all places of a module's keys: it tells their values without lookups.
#[derive(Debug)]
pub struct LoadedData {
    places: LoadedPlaces,
    /// The options of keys.
    options: Rc<Option<KeyOptions>>,
}

impl LoadedData {
    /// What a key without dots and quotes has.
    pub fn find(&self, key: &str) -> LoadedValue {
        let key = Value::from(key);
        let found = self.places.find(&key);
        match (&found, &*self.options) {
            (LoadedValue::Plain(_), Some(options)) if options.may_have(&key) => LoadedValue::Other,
            _ => found,
        }
    }
}
