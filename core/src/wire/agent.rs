//! The form in which an agent gets its catalog, in JSON (`rich_data_json`) or MessagePack (`rich_data_msgpack`).
//!
//! Follows `Puppet::Resource::Catalog#to_data_hash` and `Puppet::Resource#to_data_hash` of the reference. [`read`] is in
//! `agent_reader.rs`.
//!
//! [`read`]: super::agent_reader::read

use std::io;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json, json};

use super::streaming::{Elements, Failure};
use super::{reference, with_reference_texts};
use crate::catalog::{Catalog, Edge, Resource};
use crate::diagnostic::{Error, LogEntry};
use crate::loader::{Journal, Settings, Strictness};
use crate::pcore::value::{Hash, Str, Value};

/// The version of the form.
const CATALOG_FORMAT: u32 = 2;

/// The catalog as JSON in memory. Virtual resources are left out. Values that JSON has no form for are rich data or, when
/// `settings.rich_data` is off, strings; each such loss is an error or a warning (in the journal) as `settings.strict`
/// says.
///
/// # Errors
/// A value that cannot be written.
pub fn to_json(catalog: &Catalog, settings: &Settings, journal: &Journal) -> Result<Json, Error> {
    let document = Document::new(catalog, settings, journal);
    document.failure.explain(serde_json::to_value(&document))
}

/// Writes the catalog as JSON text, one resource at a time.
///
/// # Errors
/// A value that cannot be written, or an error of `out`.
pub fn write_json(
    catalog: &Catalog,
    settings: &Settings,
    journal: &Journal,
    out: impl io::Write,
) -> Result<(), Error> {
    let document = Document::new(catalog, settings, journal);
    document.failure.explain(serde_json::to_writer(out, &document))
}

/// Writes the catalog as MessagePack, one resource at a time.
///
/// # Errors
/// A value that cannot be written, or an error of `out`.
pub fn write_message_pack(
    catalog: &Catalog,
    settings: &Settings,
    journal: &Journal,
    mut out: impl io::Write,
) -> Result<(), Error> {
    let document = Document::new(catalog, settings, journal);
    document.failure.explain(rmp_serde::encode::write(&mut out, &document))
}

/// What writing the catalog loses where the settings allow it: with rich data off and `strict` not `error`, values that
/// become strings are told as warnings.
pub fn losses(catalog: &Catalog, settings: &Settings) -> Vec<LogEntry> {
    if settings.rich_data || settings.strict == Strictness::Error {
        return Vec::new();
    }
    let journal = Journal::default();
    // What cannot be written at all is told when it is written.
    let _ = write_json(catalog, settings, &journal, io::sink());
    journal.entries.take()
}

/// A catalog about to be written.
struct Document<'a> {
    catalog: &'a Catalog,
    settings: &'a Settings,
    journal: &'a Journal,
    failure: Failure,
}

impl<'a> Document<'a> {
    fn new(catalog: &'a Catalog, settings: &'a Settings, journal: &'a Journal) -> Self {
        Self { catalog, settings, journal, failure: Failure::default() }
    }

    fn is_sent(&self, number: usize) -> bool {
        self.catalog.resources.get(number).is_some_and(|resource| !resource.is_virtual)
    }

    fn resource(&self, resource: &Resource) -> Result<Json, Error> {
        let mut members = Map::new();
        members.insert("type".into(), json!(resource.type_name.as_str()));
        members.insert("title".into(), json!(resource.title.as_str()));
        members.insert("tags".into(), texts(resource.tags.iter()));
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
            let parameters = super::data(&Value::from(parameters), resource, self.settings, self.journal)?;
            members.insert("parameters".into(), parameters);
        }
        if !resource.sensitive_parameters.is_empty() {
            members.insert("sensitive_parameters".into(), texts(resource.sensitive_parameters.iter()));
        }
        Ok(Json::Object(members))
    }

    fn edge(&self, edge: &Edge) -> Json {
        json!({ "source": reference(self.catalog, edge.source), "target": reference(self.catalog, edge.target) })
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { catalog, failure, .. } = self;
        let resources = catalog.resources.iter().filter(|resource| !resource.is_virtual);
        let edges =
            catalog.edges.iter().filter(|edge| self.is_sent(edge.source) && self.is_sent(edge.target));
        let optional = [&catalog.metadata, &catalog.recursive_metadata];
        let count = 10 + optional.iter().filter(|metadata| !metadata.is_empty()).count();
        let mut members = serializer.serialize_map(Some(count))?;
        members.serialize_entry("tags", &texts(catalog.tags.iter()))?;
        members.serialize_entry("name", &catalog.name)?;
        members.serialize_entry("version", &plain_version(&catalog.version))?;
        members.serialize_entry("code_id", &catalog.code_id)?;
        members.serialize_entry("catalog_uuid", &catalog.catalog_uuid)?;
        members.serialize_entry("catalog_format", &CATALOG_FORMAT)?;
        members.serialize_entry("environment", &catalog.environment)?;
        members.serialize_entry("resources", &Elements::new(resources, |of| self.resource(of), failure))?;
        members.serialize_entry("edges", &Elements::new(edges, |edge| Ok(self.edge(edge)), failure))?;
        members.serialize_entry("classes", &texts(catalog.classes.iter()))?;
        if !catalog.metadata.is_empty() {
            members.serialize_entry("metadata", &catalog.metadata)?;
        }
        if !catalog.recursive_metadata.is_empty() {
            members.serialize_entry("recursive_metadata", &catalog.recursive_metadata)?;
        }
        members.end()
    }
}

fn texts<'a>(texts: impl Iterator<Item = &'a Str>) -> Json {
    texts.map(|text| text.as_str()).collect()
}

fn plain_version(version: &Value) -> Json {
    match version {
        Value::Integer(number) => json!(number),
        Value::String(text) => json!(text.as_str()),
        _ => Json::Null,
    }
}
