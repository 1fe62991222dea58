//! Reads payloads, and checks them against the rules of their version.
//!
//! The rules are those of the documents of versions 1 and 8 and of PuppetDB's own checks: all keys and no
//! others exist, null only occurs where it is allowed, types are capitalised, tags are normalised, ids are
//! UUIDs, numbers in parameters are texts, aliases are complete, resources are unique, and the ends of edges
//! exist.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json};

use super::moment;
use super::version::{Key, Member, Text, Version, is_uuid};
use super::{Edge, Payload, Relationship, Resource, ResourceSpec};
use crate::wire::document::{self, DocumentPath, Violations};
use crate::wire::form::ConversionError;
use bunraku_pcore::fuel::Fuel;

/// Reads a payload from JSON text.
///
/// # Errors
/// All violations of the rules of the version; the fuel runs out.
pub fn read_bytes(bytes: &[u8], version: Version, fuel: &dyn Fuel) -> Result<Payload, ConversionError> {
    read(document::from_json(bytes, fuel)?, version, fuel)
}

/// Reads a payload from JSON in memory.
///
/// # Errors
/// All violations of the rules of the version; the fuel runs out.
pub fn read(document: Json, version: Version, fuel: &dyn Fuel) -> Result<Payload, ConversionError> {
    let mut reader = Reader { version, violations: Violations::new(fuel), seen: FxHashSet::default() };
    let payload = reader.envelope(document);
    reader.violations.unless_broken(payload)
}

struct Reader<'m> {
    version: Version,
    violations: Violations<'m>,
    /// The resources that were read so far.
    seen: FxHashSet<ResourceSpec>,
}

impl Reader<'_> {
    fn envelope(&mut self, document: Json) -> Option<Payload> {
        let root = DocumentPath::Root;
        let expected: &[(&str, Json)] = match self.version {
            Version::V1 => &[("type", Json::String("catalog".to_owned())), ("version", 1.into())],
            Version::V1Api => &[("api_version", 1.into())],
            _ => return self.payload(document, &root),
        };
        let mut members = self.violations.object(document, &root)?;
        if let Some(metadata) = self.violations.required(&mut members, "metadata", &root) {
            let place = root.member("metadata");
            let mut metadata = self.violations.object(metadata, &place).unwrap_or_default();
            for (key, expected) in expected {
                let given = self.violations.required(&mut metadata, key, &place);
                if given.is_some_and(|given| given != *expected) {
                    self.violations.add(&place.member(key), format!("expected {expected}"));
                }
            }
            self.violations.no_more(&metadata, &place);
        }
        let data = self.violations.required(&mut members, "data", &root);
        self.violations.no_more(&members, &root);
        self.payload(data?, &root.member("data"))
    }

    fn payload(&mut self, document: Json, place: &DocumentPath<'_>) -> Option<Payload> {
        let mut members = self.violations.object(document, place)?;
        let mut payload = Payload::default();
        let mut edges = None;
        for key in self.version.keys() {
            let Some(value) = self.violations.required(&mut members, key.name, place) else { continue };
            let place = place.member(key.name);
            match key.member {
                Member::Text(text) => self.text(&mut payload, key, text, value, &place),
                Member::Classes => payload.classes = self.violations.strings(value, &place),
                Member::Tags => payload.tags = self.tags(value, &place),
                Member::Resources => {
                    let resources = self.violations.array(value, &place).unwrap_or_default();
                    for (number, of) in resources.into_iter().enumerate() {
                        if !self.violations.goes_on(0) {
                            break;
                        }
                        payload.resources.extend(self.resource(of, &place.element(number)));
                    }
                }
                // Edges are read when all resources are known.
                Member::Edges => edges = Some(value),
            }
        }
        let edges_place = place.member("edges");
        let edges = edges.and_then(|edges| self.violations.array(edges, &edges_place)).unwrap_or_default();
        for (number, of) in edges.into_iter().enumerate() {
            if !self.violations.goes_on(0) {
                break;
            }
            payload.edges.extend(self.edge(of, &edges_place.element(number)));
        }
        self.violations.no_more(&members, place);
        if self.version < Version::V8 {
            // As PuppetDB does when it accepts such a catalog.
            payload.catalog_uuid.clone_from(&payload.transaction_uuid);
        }
        Some(payload)
    }

    fn text(&mut self, payload: &mut Payload, key: &Key, text: Text, value: Json, place: &DocumentPath<'_>) {
        if key.nullable && value.is_null() {
            return;
        }
        let Some(value) = self.violations.string(value, place) else { return };
        if text == Text::ProducerTimestamp && !moment::is_moment(&value) {
            self.violations.add(place, format!("\"{value}\" is no time as YYYY-MM-DDThh:mm:ss.sssZ"));
        }
        if text.is_uuid() && !is_uuid(&value) {
            self.violations.add(place, format!("\"{value}\" is no UUID"));
        }
        payload.set_text(text, value);
    }

    /// Tags as Puppet normalises them: in lower case, of letters, digits and some signs.
    fn tags(&mut self, tags: Json, place: &DocumentPath<'_>) -> Option<Vec<String>> {
        let tags = self.violations.strings(tags, place)?;
        for (number, tag) in tags.iter().enumerate() {
            let is_sign = |c: char| matches!(c, '_' | ':' | '.' | '-');
            let begins_well = tag.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_valid = begins_well && tag.chars().all(|c| c.is_alphanumeric() || is_sign(c));
            if !is_valid {
                self.violations.add(&place.element(number), format!("\"{tag}\" is no tag"));
            } else if tag.to_lowercase() != *tag {
                self.violations.add(&place.element(number), format!("\"{tag}\" is not in lower case"));
            }
        }
        Some(tags)
    }

    fn resource(&mut self, of: Json, place: &DocumentPath<'_>) -> Option<Resource> {
        let is_newest = self.version == Version::V9;
        let mut members = self.violations.object(of, place)?;
        let spec = self.spec(&mut members, place);
        let mut resource = Resource::default();
        if let Some(exported) = self.violations.required(&mut members, "exported", place) {
            let place = place.member("exported");
            resource.exported = self.violations.boolean(exported, &place).unwrap_or_default();
        }
        if let Some(tags) = self.violations.required(&mut members, "tags", place) {
            resource.tags = self.tags(tags, &place.member("tags")).unwrap_or_default();
        }
        for key in ["file", "line"] {
            let value = match members.remove(key) {
                None if !is_newest => self.violations.required(&mut members, key, place),
                other => other,
            };
            // Resources that no manifest declares have no place.
            let Some(value) = value.filter(|value| !value.is_null()) else { continue };
            let place = place.member(key);
            match key {
                "file" => resource.file = self.violations.string(value, &place),
                _ => resource.line = self.violations.line(value, &place),
            }
        }
        if let Some(parameters) = self.violations.required(&mut members, "parameters", place) {
            let place = place.member("parameters");
            if !is_newest {
                self.no_null(&parameters, &place);
                self.no_numbers(&parameters, &place);
            }
            resource.parameters = self.violations.object(parameters, &place).unwrap_or_default();
        }
        if is_newest {
            if let Some(kind) = members.remove("kind").filter(|kind| !kind.is_null()) {
                resource.kind = self.violations.string(kind, &place.member("kind"));
            }
            resource.alias = resource.parameters.get("alias").cloned().unwrap_or_default();
        } else if let Some(aliases) = self.violations.required(&mut members, "aliases", place) {
            let aliases = self.violations.strings(aliases, &place.member("aliases"));
            if let Some(aliases) = &aliases {
                self.complete_aliases(aliases, &resource, &spec, place);
            }
            let aliases = aliases.unwrap_or_default();
            resource.alias = if aliases.is_empty() { Json::Null } else { aliases.into() };
        }
        self.violations.no_more(&members, place);
        let spec = spec?;
        resource.type_name.clone_from(&spec.type_name);
        resource.title.clone_from(&spec.title);
        if !self.seen.insert(spec) {
            let message = format!("{}[{}] stands twice", resource.type_name, resource.title);
            self.violations.add(place, message);
        }
        Some(resource)
    }

    /// Takes type and title out of an object.
    fn spec(&mut self, members: &mut Map<String, Json>, place: &DocumentPath<'_>) -> Option<ResourceSpec> {
        let mut text = |key: &str| {
            let value = self.violations.required(members, key, place)?;
            self.violations.string(value, &place.member(key))
        };
        let (type_name, title) = (text("type"), text("title"));
        let type_name = type_name?;
        let is_word = |segment: &str| segment.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !type_name.split("::").all(|segment| segment.starts_with(|c: char| c.is_uppercase())) {
            let message = format!("\"{type_name}\" is not capitalised in every segment");
            self.violations.add(&place.member("type"), message);
        } else if !type_name.split("::").all(is_word) {
            self.violations.add(&place.member("type"), format!("\"{type_name}\" is no name of a type"));
        }
        Some(ResourceSpec { type_name, title: title? })
    }

    fn edge(&mut self, of: Json, place: &DocumentPath<'_>) -> Option<Edge> {
        let mut members = self.violations.object(of, place)?;
        let source = self.end(&mut members, "source", place);
        let target = self.end(&mut members, "target", place);
        let relationship = self.violations.required(&mut members, "relationship", place);
        let relationship = relationship.and_then(|value| {
            let place = place.member("relationship");
            let word = self.violations.string(value, &place)?;
            let found = Relationship::ALL.into_iter().find(|relationship| relationship.name() == word);
            if found.is_none() {
                self.violations.add(&place, format!("\"{word}\" is no relationship"));
            }
            found
        });
        self.violations.no_more(&members, place);
        Some(Edge { source: source?, target: target?, relationship: relationship? })
    }

    /// An end of an edge: an existing resource.
    fn end(
        &mut self,
        members: &mut Map<String, Json>,
        key: &str,
        place: &DocumentPath<'_>,
    ) -> Option<ResourceSpec> {
        let value = self.violations.required(members, key, place)?;
        let place = place.member(key);
        let mut members = self.violations.object(value, &place)?;
        let spec = self.spec(&mut members, &place);
        self.violations.no_more(&members, &place);
        let spec = spec?;
        if !self.seen.contains(&spec) {
            let message = format!("{}[{}] is not among the resources", spec.type_name, spec.title);
            self.violations.add(&place, message);
        }
        Some(spec)
    }

    /// Reports names in `alias` that are missing in the aliases.
    fn complete_aliases(
        &mut self,
        aliases: &[String],
        of: &Resource,
        spec: &Option<ResourceSpec>,
        place: &DocumentPath<'_>,
    ) {
        let title = spec.as_ref().map(|spec| spec.title.as_str());
        for alias in super::write::aliases(of.parameters.get("alias").unwrap_or(&Json::Null)) {
            if title != Some(&alias) && !aliases.iter().any(|known| *known == alias) {
                let message = format!("\"{alias}\", an alias among the parameters, is missing");
                self.violations.add(&place.member("aliases"), message);
            }
        }
    }

    /// Tells of numbers in a value.
    fn no_numbers(&mut self, value: &Json, place: &DocumentPath<'_>) {
        match value {
            Json::Number(_) => self.violations.add(place, "numbers are strings here"),
            Json::Array(values) => {
                for (number, value) in values.iter().enumerate() {
                    self.no_numbers(value, &place.element(number));
                }
            }
            Json::Object(members) => {
                for (name, value) in members {
                    self.no_numbers(value, &place.member(name));
                }
            }
            _ => {}
        }
    }

    /// Tells of nulls in a value.
    fn no_null(&mut self, value: &Json, place: &DocumentPath<'_>) {
        match value {
            Json::Null => self.violations.add(place, "null is not allowed here"),
            Json::Array(values) => {
                for (number, value) in values.iter().enumerate() {
                    self.no_null(value, &place.element(number));
                }
            }
            Json::Object(members) => {
                for (name, value) in members {
                    self.no_null(value, &place.member(name));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use bunraku_pcore::fuel::Unmetered;

    use super::*;

    fn document() -> Json {
        let resource = |type_name: &str, title: &str, line: Json| {
            json!({
                "type": type_name, "title": title, "aliases": [], "exported": false, "file": "/site.pp", "line": line,
                "tags": ["node"], "parameters": { "mode": "0644" },
            })
        };
        let spec = |type_name: &str, title: &str| json!({ "type": type_name, "title": title });
        json!({
            "certname": "a", "version": "1", "environment": "production", "transaction_uuid": "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
            "producer_timestamp": "2024-02-29T12:00:00.123Z", "code_id": null, "catalog_uuid": null,
            "resources": [resource("Class", "Main", json!(1)), resource("File", "/x", json!(2))],
            "edges": [{ "source": spec("Class", "Main"), "target": spec("File", "/x"), "relationship": "contains" }],
        })
    }

    fn told(change: impl FnOnce(&mut Json)) -> Vec<String> {
        let mut document = document();
        change(&mut document);
        match read(document, Version::V8, &Unmetered) {
            Ok(_) => Vec::new(),
            Err(ConversionError::Invalid(violations)) => violations.iter().map(ToString::to_string).collect(),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_sound_document_has_no_violations() {
        assert_eq!(told(|_| ()), Vec::<String>::new());
    }

    type Change = fn(&mut Json);

    /// A change of a valid document, and the resulting violation.
    const VIOLATIONS: &[(Change, &str)] = &[
        (|of| of["certname"] = json!(null), "$.certname: expected a string, got null"),
        (|of| of["more"] = json!(1), "$.more: the key is unknown in this format"),
        (
            |of| of["resources"][1]["line"] = json!("2"),
            "$.resources[1].line: expected a positive integer, got a string",
        ),
        (
            |of| of["resources"][1]["line"] = json!(0),
            "$.resources[1].line: expected a positive integer, got an integer",
        ),
        (
            |of| of["resources"][1]["parameters"]["a b"] = json!([null]),
            "$.resources[1].parameters['a b'][0]: null is not allowed here",
        ),
        (
            |of| of["resources"][1]["tags"] = json!([1]),
            "$.resources[1].tags[0]: expected a string, got an integer",
        ),
        (
            |of| drop(of["resources"][0].as_object_mut().map(|of| of.remove("tags"))),
            "$.resources[0]: the key \"tags\" is missing",
        ),
        (
            |of| of["edges"][0]["relationship"] = json!("after"),
            "$.edges[0].relationship: \"after\" is no relationship",
        ),
        (
            |of| of["edges"][0]["target"]["title"] = json!("/y"),
            "$.edges[0].target: File[/y] is not among the resources",
        ),
        (
            |of| {
                let again = of["resources"][0].clone();
                of["resources"].as_array_mut().unwrap().push(again);
            },
            "$.resources[2]: Class[Main] stands twice",
        ),
        (
            |of| {
                let mut other = of["resources"][1].clone();
                other["type"] = json!("Apache::vhost");
                of["resources"].as_array_mut().unwrap().push(other);
            },
            "$.resources[2].type: \"Apache::vhost\" is not capitalised in every segment",
        ),
        (
            |of| of["producer_timestamp"] = json!("yesterday"),
            "$.producer_timestamp: \"yesterday\" is no time as YYYY-MM-DDThh:mm:ss.sssZ",
        ),
        (|of| of["transaction_uuid"] = json!("u"), "$.transaction_uuid: \"u\" is no UUID"),
        (
            |of| of["transaction_uuid"] = json!("6ba7b8109dad41d180b400c04fd430c8"),
            "$.transaction_uuid: \"6ba7b8109dad41d180b400c04fd430c8\" is no UUID",
        ),
        (|of| of["transaction_uuid"] = json!(null), "$.transaction_uuid: expected a string, got null"),
        (|of| of["catalog_uuid"] = json!("1"), "$.catalog_uuid: \"1\" is no UUID"),
        (|of| of["code_id"] = json!(1), "$.code_id: expected a string, got an integer"),
        (|of| of["version"] = json!(1), "$.version: expected a string, got an integer"),
        (|of| of["environment"] = json!([]), "$.environment: expected a string, got an array"),
        (|of| of["edges"] = json!({}), "$.edges: expected an array, got an object"),
        (
            |of| of["resources"][1]["tags"] = json!(["a", "File"]),
            "$.resources[1].tags[1]: \"File\" is not in lower case",
        ),
        (|of| of["resources"][1]["tags"] = json!(["a b"]), "$.resources[1].tags[0]: \"a b\" is no tag"),
        (|of| of["resources"][1]["tags"] = json!([""]), "$.resources[1].tags[0]: \"\" is no tag"),
        (
            |of| of["resources"][1]["parameters"]["mode"] = json!(644),
            "$.resources[1].parameters.mode: numbers are strings here",
        ),
        (
            |of| of["resources"][1]["parameters"]["a"] = json!([{ "b": 1.5 }]),
            "$.resources[1].parameters.a[0].b: numbers are strings here",
        ),
        (
            |of| of["resources"][1]["parameters"] = json!([]),
            "$.resources[1].parameters: expected an object, got an array",
        ),
        (
            |of| of["resources"][1]["parameters"]["alias"] = json!(["/x", "y"]),
            "$.resources[1].aliases: \"y\", an alias among the parameters, is missing",
        ),
        (
            |of| of["resources"][1]["aliases"] = json!("y"),
            "$.resources[1].aliases: expected an array, got a string",
        ),
        (
            |of| of["resources"][1]["exported"] = json!("true"),
            "$.resources[1].exported: expected a boolean, got a string",
        ),
        (
            |of| of["resources"][1]["file"] = json!(1),
            "$.resources[1].file: expected a string, got an integer",
        ),
        (
            |of| of["resources"][1]["kind"] = json!("class"),
            "$.resources[1].kind: the key is unknown in this format",
        ),
        (
            |of| of["edges"][0]["source"]["alias"] = json!("a"),
            "$.edges[0].source.alias: the key is unknown in this format",
        ),
        (
            |of| drop(of["edges"][0].as_object_mut().map(|of| of.remove("relationship"))),
            "$.edges[0]: the key \"relationship\" is missing",
        ),
        (
            |of| {
                let mut other = of["resources"][1].clone();
                other["type"] = json!("File Line");
                of["resources"].as_array_mut().unwrap().push(other);
            },
            "$.resources[2].type: \"File Line\" is no name of a type",
        ),
    ];

    #[test]
    fn each_violation_is_told_with_its_path() {
        for (change, expected) in VIOLATIONS {
            assert_eq!(told(change), [*expected]);
        }
    }

    #[test]
    fn all_keys_of_a_version_are_required() {
        let payload = read(document(), Version::V8, &Unmetered).unwrap();
        let payload = Payload { classes: Some(Vec::new()), tags: Some(vec!["node".to_owned()]), ..payload };
        for version in Version::ALL {
            let mut text = Vec::new();
            super::super::write_payload(&payload, version, &mut text).unwrap();
            let written: Json = serde_json::from_slice(&text).unwrap();
            assert!(read(written.clone(), version, &Unmetered).is_ok(), "{version}");
            let has_envelope = version < Version::V4;
            let body = |of: &mut Json| if has_envelope { of["data"].take() } else { of.take() };
            let members = body(&mut written.clone());
            for key in members.as_object().unwrap().keys() {
                let mut lacks = written.clone();
                let at = if has_envelope { &mut lacks["data"] } else { &mut lacks };
                at.as_object_mut().unwrap().remove(key);
                assert!(read(lacks, version, &Unmetered).is_err(), "{version} without {key}");
            }
            for key in members["resources"][0].as_object().unwrap().keys() {
                let mut lacks = written.clone();
                let at = if has_envelope { &mut lacks["data"] } else { &mut lacks };
                at["resources"][0].as_object_mut().unwrap().remove(key);
                let may_lack = version == Version::V9 && ["file", "line", "kind"].contains(&key.as_str());
                assert_eq!(
                    read(lacks, version, &Unmetered).is_ok(),
                    may_lack,
                    "{version}: resources without {key}"
                );
            }
            if has_envelope {
                let mut other = written.clone();
                other["metadata"]["version"] = json!(8);
                assert!(read(other, version, &Unmetered).is_err(), "{version} in another envelope");
            }
        }
    }

    /// A case that the documents leave open: resources without a declaration.
    #[test]
    fn places_may_be_null_and_numbers_stay_numbers_in_the_newest_version() {
        assert_eq!(
            told(|of| {
                of["resources"][0]["file"] = json!(null);
                of["resources"][0]["line"] = json!(null);
            }),
            Vec::<String>::new()
        );
        let mut newest = Vec::new();
        let mut payload = read(document(), Version::V8, &Unmetered).unwrap();
        payload.resources[1].parameters.insert("count".to_owned(), json!(5));
        super::super::write_payload(&payload, Version::V9, &mut newest).unwrap();
        assert!(read_bytes(&newest, Version::V9, &Unmetered).is_ok());
        let mut newest: Json = serde_json::from_slice(&newest).unwrap();
        newest["resources"][1]["tags"] = json!(["Tag"]);
        newest["catalog_uuid"] = json!("x");
        match read(newest, Version::V9, &Unmetered) {
            Err(ConversionError::Invalid(told)) => assert_eq!(told.len(), 2, "{told:?}"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_a_version_does_not_tell_must_be_given() {
        let payload = read(document(), Version::V8, &Unmetered).unwrap();
        let mut text = Vec::new();
        let error = super::super::write_payload(&payload, Version::V1, &mut text).unwrap_err();
        assert_eq!(error.message, "version 1 of PuppetDB's catalogs needs \"classes\", which is not given");
        for version in [Version::V1Api, Version::V4, Version::V5, Version::V6, Version::V7, Version::V9] {
            let mut text = Vec::new();
            super::super::write_payload(&payload, version, &mut text).unwrap();
            read_bytes(&text, version, &Unmetered).unwrap();
        }
    }
}
