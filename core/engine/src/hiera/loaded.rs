//! The data of all places that a key can have, once lookups have read them.

use std::sync::Arc;

use super::interpolate::WithoutExpressions;
use super::types::PlainData;
use bunraku_pcore::value::{Hash, Value};

/// The data of all places of a module's keys.
#[derive(Debug, Default)]
pub(super) struct LoadedPlaces {
    /// That of the layers, in the order in which they are searched.
    pub layers: Vec<Arc<Hash>>,
    /// That of default hierarchies.
    pub defaults: Vec<Arc<Hash>>,
}

/// What data that is loaded has for a key.
#[derive(Debug)]
pub enum LoadedValue {
    /// Nothing.
    Missing,
    /// A value that is the result of the lookup as it is.
    Plain(Value),
    /// What only a lookup tells.
    Other,
}

impl LoadedPlaces {
    /// What a key without dots, quotes and options has.
    pub fn find(&self, key: &Value) -> LoadedValue {
        match self.layers.iter().find_map(|data| data.get(key)) {
            None if self.defaults.iter().any(|data| data.contains_key(key)) => LoadedValue::Other,
            None => LoadedValue::Missing,
            Some(value) if is_result(value) => LoadedValue::Plain(value.clone()),
            Some(_) => LoadedValue::Other,
        }
    }
}

/// Whether data that was found is the result of a lookup without options: it may be data, and nothing in it
/// needs interpolation.
fn is_result(value: &Value) -> bool {
    !value.is_undef() && value.holds::<PlainData>() && value.holds::<WithoutExpressions>()
}
