//! Writes payloads and catalogs in a version of the form, one resource at a time.
//!
//! Version 9 is what the reference's terminus sends. The earlier versions follow their documents: every
//! resource has the same eight keys, numbers in parameters are strings, and undefined values are left out.
//! The documentation of [`super`] describes what they leave open.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value as Json, json};

use super::edges::{NumberedEdge, edges};
use super::moment;
use super::munge::{self, Names, Parameters};
use super::version::{Member, Version, is_uuid};
use super::{Payload, Relationship, Resource, ResourceSpec, Submission};
use crate::catalog::{self, Catalog};
use crate::wire::streaming::{self, Elements};
use crate::wire::stringified::{self, InTexts};
use bunraku_pcore::format;
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::Error;

/// The payload of a catalog, in memory. The catalog's own [`Identity`](crate::catalog::Identity) is used
/// unless `submission` overrides it.
///
/// # Errors
/// As [`write_catalog`].
pub fn to_json(catalog: &Catalog, submission: &Submission, version: Version) -> Result<Json, Error> {
    compiled(catalog, submission, version, |document| serde_json::to_value(document))
}

/// Writes the payload of a catalog as JSON text; see [`to_json`].
///
/// # Errors
/// `submission` has another id of the catalog or the code than the catalog; the target of a relationship is
/// not a reference, is not in the catalog, or is only exported; data that the version requires is missing; or
/// an error of `out`.
pub fn write_catalog(
    catalog: &Catalog,
    submission: &Submission,
    version: Version,
    out: impl io::Write,
) -> Result<(), Error> {
    compiled(catalog, submission, version, |document| streaming::write_json(document, out))
}

/// Writes a payload as JSON text, in the version it was read in or in another one.
///
/// # Errors
/// Data that the version requires is missing in the payload (see [`Payload::complete`]), or an error of
/// `out`.
pub fn write_payload(payload: &Payload, version: Version, out: impl io::Write) -> Result<(), Error> {
    let document = Document::new(payload, Body::Read(payload), version)?;
    streaming::write_json(&document, out).map_err(unwritten)
}

fn unwritten(error: serde_json::Error) -> Error {
    Error::plain(error.to_string())
}

fn compiled<T>(
    catalog: &Catalog,
    submission: &Submission,
    version: Version,
    write: impl FnOnce(&Document<'_>) -> serde_json::Result<T>,
) -> Result<T, Error> {
    let own = &catalog.identity;
    for (key, own, given) in [
        ("catalog_uuid", &own.catalog_uuid, &submission.catalog_uuid),
        ("code_id", &own.code_id, &submission.code_id),
    ] {
        if let (Some(own), Some(given)) = (own, given)
            && own != given
        {
            return Err(Error::argument(format!("the catalog's {key} is \"{own}\", not \"{given}\"")));
        }
    }
    let mut head = Payload {
        certname: catalog.name.clone(),
        version: format::to_s(&catalog.version),
        environment: Some(catalog.environment.clone()),
        code_id: own.code_id.clone(),
        catalog_uuid: own.catalog_uuid.clone(),
        classes: Some(catalog.classes.iter().map(ToString::to_string).collect()),
        tags: Some(catalog.tags.iter().map(ToString::to_string).collect()),
        ..Payload::default()
    };
    // The sender knows more about the submission than the catalog.
    head.complete(submission);
    head.complete(&Submission {
        producer: own.producer.clone(),
        producer_timestamp: own.producer_timestamp.clone(),
        transaction_uuid: own.transaction_uuid.clone(),
        job_id: own.job_id.clone(),
        ..Submission::default()
    });
    let edges = edges(catalog)?;
    let document = Document::new(&head, Body::Compiled(catalog, &edges), version)?;
    write(&document).map_err(unwritten)
}

/// The source of resources and edges.
enum Body<'a> {
    Read(&'a Payload),
    Compiled(&'a Catalog, &'a [NumberedEdge]),
}

/// A payload about to be written.
struct Document<'a> {
    head: &'a Payload,
    body: Body<'a>,
    version: Version,
}

impl<'a> Document<'a> {
    fn new(head: &'a Payload, body: Body<'a>, version: Version) -> Result<Self, Error> {
        if let Some(moment) = &head.producer_timestamp
            && !moment::is_moment(moment)
        {
            let message = format!("producer_timestamp: \"{moment}\" is no time as YYYY-MM-DDThh:mm:ss.sssZ");
            return Err(Error::argument(message));
        }
        for (name, uuid) in
            [("transaction_uuid", &head.transaction_uuid), ("catalog_uuid", &head.catalog_uuid)]
        {
            if let Some(uuid) = uuid.as_deref().filter(|uuid| !is_uuid(uuid)) {
                return Err(Error::argument(format!("{name}: \"{uuid}\" is no UUID")));
            }
        }
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
        Ok(Self { head, body, version })
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
        let Document { head, body, version } = self.0;
        let version = *version;
        let mut members = serializer.serialize_map(Some(version.keys().len()))?;
        for key in version.keys() {
            match (key.member, body) {
                (Member::Text(text), _) => members.serialize_entry(key.name, &head.text(text))?,
                (Member::Classes, _) => members.serialize_entry(key.name, &head.classes)?,
                (Member::Tags, _) => members.serialize_entry(key.name, &head.tags)?,
                (Member::Resources, Body::Read(payload)) => {
                    let resources = payload.resources.iter().map(|of| ReadResource { of, version });
                    members.serialize_entry(key.name, &Elements(resources))?;
                }
                (Member::Resources, Body::Compiled(catalog, _)) => {
                    let resources = catalog.resources.iter().map(|of| CompiledResource { of, version });
                    members.serialize_entry(key.name, &Elements(resources))?;
                }
                (Member::Edges, Body::Read(payload)) => {
                    let edges = payload.edges.iter().map(|edge| WrittenEdge {
                        source: Some(Spec::of(&edge.source)),
                        target: Some(Spec::of(&edge.target)),
                        relationship: edge.relationship,
                    });
                    members.serialize_entry(key.name, &Elements(edges))?;
                }
                (Member::Edges, Body::Compiled(catalog, edges)) => {
                    let spec = |number: u32| {
                        let of = catalog.resources.get(usize::try_from(number).ok()?)?;
                        Some(Spec { type_name: &of.type_name, title: &of.title })
                    };
                    let edges = edges.iter().map(|&(source, target, relationship)| WrittenEdge {
                        source: spec(source),
                        target: spec(target),
                        relationship,
                    });
                    members.serialize_entry(key.name, &Elements(edges))?;
                }
            }
        }
        members.end()
    }
}

/// An edge about to be written.
struct WrittenEdge<'a> {
    source: Option<Spec<'a>>,
    target: Option<Spec<'a>>,
    relationship: Relationship,
}

impl Serialize for WrittenEdge<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { source, target, relationship } = self;
        let mut members = serializer.serialize_map(Some(3))?;
        // The terminus adds the relationship to edges of the catalog, and begins those it makes with it.
        let is_last = *relationship == Relationship::Contains;
        if !is_last {
            members.serialize_entry("relationship", relationship.name())?;
        }
        members.serialize_entry("source", source)?;
        members.serialize_entry("target", target)?;
        if is_last {
            members.serialize_entry("relationship", relationship.name())?;
        }
        members.end()
    }
}

/// Which resource is meant.
#[derive(Serialize)]
struct Spec<'a> {
    #[serde(rename = "type")]
    type_name: &'a str,
    title: &'a str,
}

impl<'a> Spec<'a> {
    fn of(spec: &'a ResourceSpec) -> Self {
        Self { type_name: &spec.type_name, title: &spec.title }
    }
}

/// A resource as the newest version has it.
struct NewestResource<'a, T, P> {
    type_name: &'a str,
    title: &'a str,
    tags: T,
    file: Option<&'a str>,
    line: Option<u32>,
    exported: bool,
    kind: Option<&'a str>,
    is_kind_first: bool,
    parameters: P,
}

impl<T: Serialize, P: Serialize> Serialize for NewestResource<'_, T, P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("type", self.type_name)?;
        members.serialize_entry("title", self.title)?;
        members.serialize_entry("tags", &self.tags)?;
        if let Some(file) = self.file {
            members.serialize_entry("file", file)?;
        }
        if let Some(line) = self.line {
            members.serialize_entry("line", &line)?;
        }
        if !self.is_kind_first {
            members.serialize_entry("exported", &self.exported)?;
        }
        if let Some(kind) = self.kind {
            members.serialize_entry("kind", kind)?;
        }
        if self.is_kind_first {
            members.serialize_entry("exported", &self.exported)?;
        }
        members.serialize_entry("parameters", &self.parameters)?;
        members.end()
    }
}

/// A resource as the versions before have it.
#[derive(Serialize)]
struct OlderResource<'a, A, T, P> {
    #[serde(rename = "type")]
    type_name: &'a str,
    title: &'a str,
    aliases: A,
    exported: bool,
    file: Option<&'a str>,
    line: Option<u32>,
    tags: T,
    parameters: P,
}

/// A resource of a catalog, in a version.
struct CompiledResource<'a> {
    of: &'a catalog::Resource,
    version: Version,
}

impl Serialize for CompiledResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { of, version } = *self;
        let aliases = munge::aliases(of, Names::Shown);
        let (type_name, title) = (of.type_name.as_str(), of.title.as_str());
        let (file, line, exported) = (of.file.as_deref(), of.line, of.exported);
        let tags = Elements(of.tags.iter().map(Str::as_str));
        let parameters = Parameters::new(of, &aliases, version);
        if version < Version::V9 {
            let names = aliases.iter().map(|alias| stringified::name(alias));
            let aliases = Elements(names.filter(|name| name != title));
            OlderResource { type_name, title, aliases, exported, file, line, tags, parameters }
                .serialize(serializer)
        } else {
            let (kind, is_kind_first) = (Some(of.kind.name()), of.is_kind_first());
            NewestResource { type_name, title, tags, file, line, exported, kind, is_kind_first, parameters }
                .serialize(serializer)
        }
    }
}

/// A resource of a payload, in a version.
struct ReadResource<'a> {
    of: &'a Resource,
    version: Version,
}

impl Serialize for ReadResource<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Resource { type_name, title, alias, exported, file, line, tags, kind, parameters } = self.of;
        let (file, line, exported) = (file.as_deref(), *line, *exported);
        if self.version < Version::V9 {
            let aliases = Elements(aliases(alias).into_iter().filter(|name| name != title));
            let parameters = InTexts(parameters);
            OlderResource { type_name, title, aliases, exported, file, line, tags, parameters }
                .serialize(serializer)
        } else {
            let (kind, is_kind_first) = (kind.as_deref(), false);
            let parameters = WithAlias { parameters, alias };
            NewestResource { type_name, title, tags, file, line, exported, kind, is_kind_first, parameters }
                .serialize(serializer)
        }
    }
}

/// Aliases as the older versions have them: a list of texts.
pub(super) fn aliases(alias: &Json) -> Vec<Cow<'_, str>> {
    fn add<'j>(alias: &'j Json, into: &mut Vec<Cow<'j, str>>) {
        match alias {
            Json::Array(values) => values.iter().for_each(|value| add(value, into)),
            Json::Null => {}
            Json::String(text) => into.push(Cow::Borrowed(text)),
            other => into.push(Cow::Owned(other.to_string())),
        }
    }
    let mut into = Vec::new();
    add(alias, &mut into);
    into
}

/// Parameters with the aliases among them, as the newest version has them.
struct WithAlias<'a> {
    parameters: &'a Map<String, Json>,
    alias: &'a Json,
}

impl Serialize for WithAlias<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        let mut alias = Some(self.alias).filter(|alias| !alias.is_null());
        for (name, value) in self.parameters {
            let value = alias.take_if(|_| name == "alias").unwrap_or(value);
            members.serialize_entry(name, value)?;
        }
        if let Some(alias) = alias {
            members.serialize_entry("alias", alias)?;
        }
        members.end()
    }
}
