//! The form in which an agent gets its catalog.
//!
//! Follows `Puppet::Resource::Catalog#to_data_hash` and `Puppet::Resource#to_data_hash` of the reference.

use serde_json::{Map, Value as Json, json};

use super::{reference, with_reference_texts};
use crate::catalog::{Catalog, Resource};
use crate::diagnostic::Error;
use crate::loader::{Journal, Settings};
use crate::pcore::value::{Hash, Value};

/// The version of the form.
const CATALOG_FORMAT: u32 = 2;

/// The catalog as JSON. Virtual resources are left out. Values that JSON has no form for are rich data or, when
/// `settings.rich_data` is off, strings; each such loss is an error or a warning (in the journal) as `settings.strict`
/// says.
///
/// # Errors
/// A value that cannot be written.
pub fn to_json(catalog: &Catalog, settings: &Settings, journal: &Journal) -> Result<Json, Error> {
    let is_sent = |number: usize| catalog.resources.get(number).is_some_and(|resource| !resource.is_virtual);
    let mut resources = Vec::new();
    for resource in catalog.resources.iter().filter(|resource| !resource.is_virtual) {
        resources.push(resource_to_json(resource, settings, journal)?);
    }
    let edges = catalog.edges.iter().filter(|edge| is_sent(edge.source) && is_sent(edge.target));
    let edges = edges.map(|edge| {
        json!({ "source": reference(catalog, edge.source), "target": reference(catalog, edge.target) })
    });
    Ok(json!({
        "tags": catalog.tags.iter().map(|tag| tag.as_str()).collect::<Vec<_>>(),
        "name": catalog.name,
        "version": plain_version(&catalog.version),
        "code_id": catalog.code_id,
        "catalog_uuid": null,
        "catalog_format": CATALOG_FORMAT,
        "environment": catalog.environment,
        "resources": resources,
        "edges": edges.collect::<Vec<_>>(),
        "classes": catalog.classes.iter().map(|class| class.as_str()).collect::<Vec<_>>(),
    }))
}

fn plain_version(version: &Value) -> Json {
    match version {
        Value::Integer(number) => json!(number),
        Value::String(text) => json!(text.as_str()),
        _ => Json::Null,
    }
}

fn resource_to_json(resource: &Resource, settings: &Settings, journal: &Journal) -> Result<Json, Error> {
    let mut members = Map::new();
    members.insert("type".into(), json!(resource.type_name.as_str()));
    members.insert("title".into(), json!(resource.title.as_str()));
    members.insert("tags".into(), resource.tags.iter().map(|tag| tag.as_str()).collect());
    if let Some(file) = &resource.file {
        members.insert("file".into(), json!(&**file));
    }
    if let Some(line) = resource.line {
        members.insert("line".into(), json!(line));
    }
    members.insert("exported".into(), json!(resource.exported));
    members.insert("kind".into(), json!(resource.kind.name()));
    if !resource.parameters.is_empty() {
        let parameters = resource.parameters.iter();
        let parameters: Hash = parameters
            .map(|(name, value)| (Value::String(name.clone()), with_reference_texts(value)))
            .collect();
        members
            .insert("parameters".into(), super::data(&Value::from(parameters), resource, settings, journal)?);
    }
    if !resource.sensitive_parameters.is_empty() {
        let names = resource.sensitive_parameters.iter().map(|name| name.as_str()).collect();
        members.insert("sensitive_parameters".into(), names);
    }
    Ok(Json::Object(members))
}
