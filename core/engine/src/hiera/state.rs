//! What the lookups of a compilation have read and found.

use std::cell::RefCell;
use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::layers::Layers;
use super::options::CachedOptions;
use super::places::KeyPlaces;
use super::session::Progress;
use bunraku_pcore::value::{Hash, Str};

/// What the lookups of one compilation have read and found.
#[derive(Debug, Default)]
pub struct LookupState {
    pub(super) progress: Progress,
    pub(super) layers: Layers,
    pub(super) options: CachedOptions,
    pub(super) key_places: RefCell<FxHashMap<String, Rc<KeyPlaces>>>,
    recorded: RefCell<IndexSet<Str>>,
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

    /// Notes that a key is looked up.
    pub(super) fn record(&self, key: &str) {
        self.recorded.borrow_mut().insert(key.into());
    }
}
