//! The form in which an agent gets its catalog, in JSON (`rich_data_json`) or MessagePack
//! (`rich_data_msgpack`).
//!
//! Follows `Puppet::Resource::Catalog#to_data_hash` and `Puppet::Resource#to_data_hash` of the reference.
//! `agent_reader.rs` reads it.

use std::io;

use rustc_hash::FxHashSet;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value as Json, json};

use super::streaming::{self, Elements, WriteError};
use super::with_reference_texts;
use crate::catalog::{Catalog, Resource};
use crate::compiler::reference_text;
use crate::loader::{Log, Settings, Strictness};
use bunraku_pcore::serialize::TYPE_KEY;
use bunraku_pcore::types::TypeKind;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::{Error, LogEntry};

/// The version of the form.
const CATALOG_FORMAT: u32 = 2;

/// The catalog as JSON in memory. Virtual resources are left out. Values without a form in JSON are rich data
/// or, if `settings.rich_data` is off, strings; each such loss is an error or a warning (in the log),
/// depending on `settings.strict`.
///
/// # Errors
/// A value cannot be written.
pub fn to_json(catalog: &Catalog, settings: &Settings, log: &Log) -> Result<Json, Error> {
    let document = Document::new(catalog, settings, log);
    document.failure.explain(serde_json::to_value(&document))
}

/// Writes the catalog as JSON text, one resource at a time.
///
/// # Errors
/// A value that cannot be written, or an error of `out`.
pub fn write_json(
    catalog: &Catalog,
    settings: &Settings,
    log: &Log,
    out: impl io::Write,
) -> Result<(), Error> {
    let document = Document::new(catalog, settings, log);
    document.failure.explain(streaming::write_json(&document, out))
}

/// Writes the catalog as MessagePack, one resource at a time.
///
/// # Errors
/// A value that cannot be written, or an error of `out`.
pub fn write_message_pack(
    catalog: &Catalog,
    settings: &Settings,
    log: &Log,
    mut out: impl io::Write,
) -> Result<(), Error> {
    let document = Document::new(catalog, settings, log);
    document.failure.explain(rmp_serde::encode::write(&mut out, &document))
}

/// The two lists that make up most of a document, for callers that write the rest themselves.
pub struct Body<T> {
    /// `resources`.
    pub resources: T,
    /// `edges`.
    pub edges: T,
}

/// The resources and edges of the document as JSON texts; `with_exported` includes those that are only
/// exported, as in a server's own catalog before it is sent.
///
/// # Errors
/// A value cannot be written.
pub fn write_body(
    catalog: &Catalog,
    settings: &Settings,
    log: &Log,
    with_exported: bool,
) -> Result<Body<Vec<u8>>, Error> {
    let document = Document { with_exported, ..Document::new(catalog, settings, log) };
    let (mut resources, mut edges) = (Vec::new(), Vec::new());
    document.failure.explain(streaming::write_json(&document.resources(), &mut resources))?;
    document.failure.explain(streaming::write_json(&document.edges(), &mut edges))?;
    Ok(Body { resources, edges })
}

/// As [`write_body`], in memory.
///
/// # Errors
/// A value that cannot be written.
pub fn body_to_json(
    catalog: &Catalog,
    settings: &Settings,
    log: &Log,
    with_exported: bool,
) -> Result<Body<Json>, Error> {
    let document = Document { with_exported, ..Document::new(catalog, settings, log) };
    let resources = document.failure.explain(serde_json::to_value(document.resources()))?;
    let edges = document.failure.explain(serde_json::to_value(document.edges()))?;
    Ok(Body { resources, edges })
}

/// Whether JSON has a form of its own for all parameters of a resource, so that neither settings nor versions
/// matter for how they are written.
#[must_use]
pub fn is_plain_resource(of: &Resource) -> bool {
    let secrets: FxHashSet<&Str> = of.sensitive_parameters.iter().collect();
    of.parameters.iter().all(|(name, value)| has_plain_form(&secrets, name, value))
}

/// The losses of writing the catalog where the settings allow them: with rich data off and `strict` not
/// `error`, values that become strings are reported as warnings.
pub fn losses(catalog: &Catalog, settings: &Settings) -> Vec<LogEntry> {
    if settings.rich_data || settings.strict == Strictness::Error {
        return Vec::new();
    }
    let log = Log::default();
    // Values that cannot be written are reported when they are written.
    let _ = write_json(catalog, settings, &log, io::sink());
    log.entries.take()
}

/// A catalog about to be written.
struct Document<'a> {
    catalog: &'a Catalog,
    settings: &'a Settings,
    log: &'a Log,
    with_exported: bool,
    failure: WriteError,
}

impl<'a> Document<'a> {
    fn new(catalog: &'a Catalog, settings: &'a Settings, log: &'a Log) -> Self {
        Self { catalog, settings, log, with_exported: false, failure: WriteError::default() }
    }

    fn is_sent(&self, resource: &Resource) -> bool {
        self.with_exported || !resource.is_virtual
    }

    fn resources(&self) -> Elements<impl Iterator<Item = Sent<'_>> + Clone> {
        let resources = self.catalog.resources.iter().filter(|resource| self.is_sent(resource));
        Elements(resources.map(|of| Sent { of, document: self }))
    }

    fn edges(&self) -> Elements<impl Iterator<Item = SentEdge<'_>> + Clone> {
        let sent = |number| self.catalog.resources.get(number).filter(|resource| self.is_sent(resource));
        let ends = self.catalog.edges.iter().map(move |edge| (sent(edge.source), sent(edge.target)));
        let edges = ends.filter(|(source, target)| source.is_some() && target.is_some());
        Elements(edges.map(|(source, target)| SentEdge { source, target }))
    }
}

/// A resource about to be written.
struct Sent<'a> {
    of: &'a Resource,
    document: &'a Document<'a>,
}

impl Serialize for Sent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { of, document } = *self;
        let optional = [
            of.file.is_some(),
            of.line.is_some(),
            !of.parameters.is_empty(),
            !of.sensitive_parameters.is_empty(),
        ];
        let count = 5 + optional.into_iter().filter(|&is_there| is_there).count();
        let mut members = serializer.serialize_map(Some(count))?;
        members.serialize_entry("type", of.type_name.as_str())?;
        members.serialize_entry("title", of.title.as_str())?;
        members.serialize_entry("tags", &Elements(of.tags.iter().map(Str::as_str)))?;
        if let Some(file) = &of.file {
            members.serialize_entry("file", &**file)?;
        }
        if let Some(line) = of.line {
            members.serialize_entry("line", &line)?;
        }
        if of.is_kind_first() {
            members.serialize_entry("kind", of.kind.name())?;
            members.serialize_entry("exported", &of.exported)?;
        } else {
            members.serialize_entry("exported", &of.exported)?;
            members.serialize_entry("kind", of.kind.name())?;
        }
        if !of.parameters.is_empty() {
            members.serialize_entry("parameters", &Parameters { of, document })?;
        }
        if !of.sensitive_parameters.is_empty() {
            let names = Elements(of.sensitive_parameters.iter().map(Str::as_str));
            members.serialize_entry("sensitive_parameters", &names)?;
        }
        members.end()
    }
}

/// The parameters of a resource about to be written.
struct Parameters<'a> {
    of: &'a Resource,
    document: &'a Document<'a>,
}

impl Serialize for Parameters<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { of, document } = self;
        let parameters = of.parameters.iter();
        let secrets: FxHashSet<&Str> = of.sensitive_parameters.iter().collect();
        if parameters.clone().all(|(name, value)| has_plain_form(&secrets, name, value)) {
            let mut members = serializer.serialize_map(Some(parameters.len()))?;
            for (name, value) in parameters {
                members.serialize_entry(name.as_str(), &Plain(value))?;
            }
            return members.end();
        }
        let parameters = parameters.map(|(name, value)| {
            let value = if secrets.contains(name) { value.clone() } else { with_reference_texts(value) };
            (Value::String(name.clone()), value)
        });
        let parameters = Value::from(parameters.collect::<Hash>());
        super::data(&parameters, of, document.settings, document.log)
            .map_err(|error| document.failure.keep::<S::Error>(error))?
            .serialize(serializer)
    }
}

fn has_plain_form(secrets: &FxHashSet<&Str>, name: &Str, value: &Value) -> bool {
    match value {
        // A reference that was a secret stays a type: it was not made one of a resource.
        Value::Type(_) | Value::Array(_) | Value::Hash(_) if secrets.contains(name) => false,
        value => name != TYPE_KEY && is_plain(value, 0),
    }
}

/// The maximum nesting of plain data.
const PLAIN_DEPTH: u32 = 100;

/// Whether a value has a form in JSON of its own, or is a reference, in collections of any kind.
fn is_plain(value: &Value, depth: u32) -> bool {
    match value {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::String(_) => true,
        Value::Float(number) => number.is_finite(),
        Value::Type(of) => {
            matches!(of.kind(), TypeKind::Class(Some(_)) | TypeKind::Resource { title: Some(_), .. })
                && reference_text(of).is_some()
        }
        Value::Array(values) => depth < PLAIN_DEPTH && values.iter().all(|value| is_plain(value, depth + 1)),
        Value::Hash(pairs) => {
            depth < PLAIN_DEPTH
                && pairs.iter().all(|(key, value)| {
                    key.as_str().is_some_and(|key| key != TYPE_KEY) && is_plain(value, depth + 1)
                })
        }
        _ => false,
    }
}

/// A plain value about to be written.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Boolean(truth) => serializer.serialize_bool(*truth),
            Value::Integer(number) => serializer.serialize_i64(*number),
            Value::Float(number) => serializer.serialize_f64(*number),
            Value::String(text) => serializer.serialize_str(text),
            Value::Type(of) => serializer.serialize_str(&reference_text(of).unwrap_or_default()),
            Value::Array(values) => Elements(values.iter().map(Plain)).serialize(serializer),
            Value::Hash(pairs) => {
                let mut members = serializer.serialize_map(Some(pairs.len()))?;
                for (key, value) in pairs.iter() {
                    members.serialize_entry(key.as_str().unwrap_or_default(), &Plain(value))?;
                }
                members.end()
            }
            _ => serializer.serialize_unit(),
        }
    }
}

/// An edge about to be written.
struct SentEdge<'a> {
    source: Option<&'a Resource>,
    target: Option<&'a Resource>,
}

impl Serialize for SentEdge<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(2))?;
        members.serialize_entry("source", &Reference(self.source))?;
        members.serialize_entry("target", &Reference(self.target))?;
        members.end()
    }
}

/// `Type[title]`, written without being made.
struct Reference<'a>(Option<&'a Resource>);

impl Serialize for Reference<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(of) => serializer.collect_str(&format_args!("{}[{}]", of.type_name, of.title)),
            None => serializer.serialize_str(""),
        }
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { catalog, .. } = self;
        let optional = [&catalog.metadata, &catalog.recursive_metadata];
        let count = 10 + optional.iter().filter(|metadata| !metadata.is_empty()).count();
        let mut members = serializer.serialize_map(Some(count))?;
        members.serialize_entry("tags", &texts(catalog.tags.iter()))?;
        members.serialize_entry("name", &catalog.name)?;
        members.serialize_entry("version", &plain_version(&catalog.version))?;
        members.serialize_entry("code_id", &catalog.identity.code_id)?;
        members.serialize_entry("catalog_uuid", &catalog.identity.catalog_uuid)?;
        members.serialize_entry("catalog_format", &CATALOG_FORMAT)?;
        members.serialize_entry("environment", &catalog.environment)?;
        members.serialize_entry("resources", &self.resources())?;
        members.serialize_entry("edges", &self.edges())?;
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
