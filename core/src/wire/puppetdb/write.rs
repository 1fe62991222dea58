//! Payloads and catalogs are written in a version of the form, one resource at a time.
//!
//! Version 9 is what the reference's terminus sends. The versions before it follow their documents: every resource has the
//! same eight keys, numbers in parameters are strings, and what is undefined is left out. `file` and `line` are null for
//! resources that no manifest declares (`Stage[main]`): the documents ask for both keys and have no value for these.

use std::borrow::Cow;
use std::io;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json, json};

use super::edges::{NumberedEdge, edges};
use super::munge::{self, flat, text};
use super::version::{Member, Version};
use super::{Payload, Resource, Submission};
use crate::catalog::Catalog;
use crate::diagnostic::Error;
use crate::pcore::format;
use crate::wire::streaming::{Elements, Failure};

/// The payload of a catalog, in memory.
///
/// # Errors
/// As [`write_catalog`].
pub fn to_json(catalog: &Catalog, submission: &Submission, version: Version) -> Result<Json, Error> {
    compiled(catalog, submission, version, |document| serde_json::to_value(document))
}

/// Writes the payload of a catalog as JSON text.
///
/// # Errors
/// A relationship with something that is no reference, that is not in the catalog, or that is exported only; something that
/// the version asks for and nobody gives; an error of `out`.
pub fn write_catalog(
    catalog: &Catalog,
    submission: &Submission,
    version: Version,
    out: impl io::Write,
) -> Result<(), Error> {
    compiled(catalog, submission, version, |document| serde_json::to_writer(out, document))
}

/// Writes a payload as JSON text, in the version it was read in or in another one.
///
/// # Errors
/// Something that the version asks for and the payload does not say (see [`Payload::complete`]); an error of `out`.
pub fn write_payload(payload: &Payload, version: Version, out: impl io::Write) -> Result<(), Error> {
    let document = Document::new(payload, Body::Read(payload), version)?;
    document.failure.explain(serde_json::to_writer(out, &document))
}

fn compiled<T>(
    catalog: &Catalog,
    submission: &Submission,
    version: Version,
    write: impl FnOnce(&Document<'_>) -> serde_json::Result<T>,
) -> Result<T, Error> {
    let mut head = Payload {
        certname: catalog.name.clone(),
        version: format::to_s(&catalog.version),
        environment: Some(catalog.environment.clone()),
        code_id: catalog.code_id.clone(),
        catalog_uuid: catalog.catalog_uuid.clone(),
        classes: Some(catalog.classes.iter().map(ToString::to_string).collect()),
        tags: Some(catalog.tags.iter().map(ToString::to_string).collect()),
        ..Payload::default()
    };
    head.complete(submission);
    let edges = edges(catalog)?;
    let document = Document::new(&head, Body::Compiled(catalog, &edges), version)?;
    document.failure.explain(write(&document))
}

/// Where resources and edges come from.
enum Body<'a> {
    Read(&'a Payload),
    Compiled(&'a Catalog, &'a [NumberedEdge]),
}

/// A payload about to be written.
struct Document<'a> {
    head: &'a Payload,
    body: Body<'a>,
    version: Version,
    failure: Failure,
}

impl<'a> Document<'a> {
    fn new(head: &'a Payload, body: Body<'a>, version: Version) -> Result<Self, Error> {
        for key in version.keys().iter().filter(|key| !key.nullable) {
            let is_given = match key.member {
                Member::Text(text) => head.text(text).is_some(),
                Member::Classes => head.classes.is_some(),
                Member::Tags => head.tags.is_some(),
                Member::Resources | Member::Edges => true,
            };
            if !is_given {
                return Err(Error::argument(format!(
                    "version {version} of PuppetDB's catalogs needs \"{}\", which is not given",
                    key.name
                )));
            }
        }
        Ok(Self { head, body, version, failure: Failure::default() })
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let metadata = match self.version {
            Version::V1 => json!({ "type": "catalog", "version": 1 }),
            Version::V1Api => json!({ "api_version": 1 }),
            _ => return Members(self).serialize(serializer),
        };
        let mut envelope = serializer.serialize_map(Some(2))?;
        envelope.serialize_entry("metadata", &metadata)?;
        envelope.serialize_entry("data", &Members(self))?;
        envelope.end()
    }
}

/// The members of the catalog, without an envelope.
struct Members<'a>(&'a Document<'a>);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Document { head, body, version, failure } = self.0;
        let mut members = serializer.serialize_map(Some(version.keys().len()))?;
        for key in version.keys() {
            match (key.member, body) {
                (Member::Text(text), _) => members.serialize_entry(key.name, &head.text(text))?,
                (Member::Classes, _) => members.serialize_entry(key.name, &head.classes)?,
                (Member::Tags, _) => members.serialize_entry(key.name, &head.tags)?,
                (Member::Resources, Body::Read(payload)) => {
                    let write = |of| Ok(resource(Cow::Borrowed(of), *version));
                    let resources = Elements::new(payload.resources.iter(), write, failure);
                    members.serialize_entry(key.name, &resources)?;
                }
                (Member::Resources, Body::Compiled(catalog, _)) => {
                    let write = |of| Ok(resource(Cow::Owned(munge::resource(of)), *version));
                    let resources = Elements::new(catalog.resources.iter(), write, failure);
                    members.serialize_entry(key.name, &resources)?;
                }
                (Member::Edges, Body::Read(payload)) => {
                    let write = |edge: &super::Edge| {
                        let spec = |of: &super::ResourceSpec| spec(&of.type_name, &of.title);
                        Ok(edge_json(spec(&edge.source), spec(&edge.target), edge.relationship))
                    };
                    members
                        .serialize_entry(key.name, &Elements::new(payload.edges.iter(), write, failure))?;
                }
                (Member::Edges, Body::Compiled(catalog, edges)) => {
                    let spec = |number: usize| {
                        let of = catalog.resources.get(number);
                        of.map_or(Json::Null, |of| spec(&of.type_name, &of.title))
                    };
                    let write = |&(source, target, relationship): &NumberedEdge| {
                        Ok(edge_json(spec(source), spec(target), relationship))
                    };
                    members.serialize_entry(key.name, &Elements::new(edges.iter(), write, failure))?;
                }
            }
        }
        members.end()
    }
}

fn spec(type_name: &str, title: &str) -> Json {
    json!({ "type": type_name, "title": title })
}

fn edge_json(source: Json, target: Json, relationship: super::Relationship) -> Json {
    json!({ "source": source, "target": target, "relationship": relationship.name() })
}

fn resource(of: Cow<'_, Resource>, version: Version) -> Json {
    let Resource { type_name, title, alias, exported, file, line, tags, kind, parameters } = of.into_owned();
    if version < Version::V9 {
        let aliases: Vec<String> = flat(&alias).iter().map(text).collect();
        return json!({
            "type": type_name,
            "title": title,
            "aliases": aliases,
            "exported": exported,
            "file": file,
            "line": line,
            "tags": tags,
            "parameters": without_numbers(Json::Object(parameters)),
        });
    }
    let mut parameters = parameters;
    if !alias.is_null() {
        parameters.insert("alias".to_owned(), alias);
    }
    let mut members = Map::new();
    members.insert("type".into(), type_name.into());
    members.insert("title".into(), title.into());
    members.insert("tags".into(), tags.into());
    if let Some(file) = file {
        members.insert("file".into(), file.into());
    }
    if let Some(line) = line {
        members.insert("line".into(), line.into());
    }
    members.insert("exported".into(), exported.into());
    if let Some(kind) = kind {
        members.insert("kind".into(), kind.into());
    }
    members.insert("parameters".into(), Json::Object(parameters));
    Json::Object(members)
}

/// A value with numbers as strings and without nulls, which older versions do not have.
fn without_numbers(value: Json) -> Json {
    match value {
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => Json::String(format::float_to_s(float)),
            _ => Json::String(number.to_string()),
        },
        Json::Array(values) => {
            values.into_iter().filter(|value| !value.is_null()).map(without_numbers).collect()
        }
        Json::Object(members) => {
            let members = members.into_iter().filter(|(_, value)| !value.is_null());
            members.map(|(name, value)| (name, without_numbers(value))).collect()
        }
        other => other,
    }
}
