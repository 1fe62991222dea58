//! The data and results of a compilation's lookups.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::layers::Layers;
use super::options::CachedOptions;
use super::places::KeyPlaces;
use super::session::Progress;
use bunraku_pcore::value::{Hash, Str, Value};

/// The data and results of one compilation's lookups.
#[derive(Debug, Default)]
pub struct LookupState {
    pub(super) progress: Progress,
    pub(super) layers: Layers,
    pub(super) options: CachedOptions,
    pub(super) key_places: RefCell<FxHashMap<String, Rc<KeyPlaces>>>,
    recorded: RefCell<IndexSet<Str, FxBuildHasher>>,
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

    /// All data for the keys of a module, if the last lookup was of one of them, in the same scope, and has
    /// read all of it.
    pub fn loaded_for(&self, module: Option<&str>) -> Option<LoadedData> {
        let is_outermost = self.progress.current.borrow().is_none();
        (is_outermost && self.options.strategies_exist(module))
            .then(|| self.layers.loaded(module))
            .flatten()
            .map(LoadedData)
    }

    /// Notes that a key is looked up.
    pub fn record(&self, key: &str) {
        self.recorded.borrow_mut().insert(key.into());
    }
}

/// The data of all possible places of a key: it shows that a key has no value without checking the places.
#[derive(Debug)]
pub struct LoadedData(Vec<Arc<Hash>>);

impl LoadedData {
    /// Whether a key without dots and quotes has no data.
    pub fn lacks(&self, key: &str) -> bool {
        let key = Value::from(key);
        self.0.iter().all(|data| !data.contains_key(&key))
    }
}
