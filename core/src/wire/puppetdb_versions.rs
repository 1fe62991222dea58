//! Older forms of the payload of "replace catalog".
//!
//! What is sent today is version 9 ([`super::puppetdb::to_json`]); the versions before it have fewer keys, other names for
//! some, and the aliases of a resource beside its parameters. Version 1 has an envelope.

use serde_json::{Map, Value as Json, json};

use crate::catalog::Catalog;

/// A version of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Version {
    V1,
    V4,
    V5,
    V6,
    V7,
    V8,
    V9,
}

/// The keys of the catalog in a version, each with its name in version 9.
fn keys(version: Version) -> &'static [(&'static str, &'static str)] {
    const V4: &[(&str, &str)] = &[
        ("name", "certname"),
        ("version", "version"),
        ("environment", "environment"),
        ("transaction-uuid", "transaction_uuid"),
        ("edges", "edges"),
        ("resources", "resources"),
    ];
    const V5: &[(&str, &str)] = &[
        ("name", "certname"),
        ("version", "version"),
        ("environment", "environment"),
        ("transaction-uuid", "transaction_uuid"),
        ("producer-timestamp", "producer_timestamp"),
        ("edges", "edges"),
        ("resources", "resources"),
    ];
    const V9: &[(&str, &str)] = &[
        ("certname", "certname"),
        ("version", "version"),
        ("environment", "environment"),
        ("transaction_uuid", "transaction_uuid"),
        ("producer_timestamp", "producer_timestamp"),
        ("edges", "edges"),
        ("resources", "resources"),
        ("code_id", "code_id"),
        ("catalog_uuid", "catalog_uuid"),
        ("job_id", "job_id"),
        ("producer", "producer"),
    ];
    match version {
        Version::V1 => {
            &[("name", "certname"), ("version", "version"), ("edges", "edges"), ("resources", "resources")]
        }
        Version::V4 => V4,
        Version::V5 => V5,
        Version::V6 => &V9[..7],
        Version::V7 => &V9[..8],
        Version::V8 => &V9[..9],
        Version::V9 => V9,
    }
}

/// A payload of version 9 in another version. The catalog gives the classes and tags that version 1 has.
pub fn convert(payload: &Json, catalog: &Catalog, version: Version) -> Json {
    let mut members = Map::new();
    for &(name, source) in keys(version) {
        let value = match (&payload[source], source) {
            (Json::Array(resources), "resources") if version < Version::V9 => {
                resources.iter().map(with_aliases).collect()
            }
            (other, _) => other.clone(),
        };
        members.insert(name.to_owned(), value);
    }
    if version > Version::V1 {
        return Json::Object(members);
    }
    members.insert("classes".into(), catalog.classes.iter().map(|class| class.as_str()).collect());
    members.insert("tags".into(), catalog.tags.iter().map(|tag| tag.as_str()).collect());
    json!({ "metadata": { "type": "catalog", "version": 1 }, "data": members })
}

/// A resource with exactly the keys that it has up to version 8.
fn with_aliases(resource: &Json) -> Json {
    let mut parameters = resource["parameters"].as_object().cloned().unwrap_or_default();
    let aliases = parameters.shift_remove("alias").unwrap_or_else(|| json!([]));
    let aliases = if aliases.is_array() { aliases } else { json!([aliases]) };
    json!({
        "type": resource["type"],
        "title": resource["title"],
        "aliases": aliases,
        "exported": resource["exported"],
        "file": resource["file"],
        "line": resource["line"],
        "tags": resource["tags"],
        "parameters": parameters,
    })
}
