//! Reads catalogs in the form that agents receive.
//!
//! Follows the reference's `Puppet::Resource::Catalog.from_data_hash` and
//! `Puppet::Resource#initialize_from_hash`, which accept less complete documents: here each violation of the
//! form's rules is reported with its place.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::document::{self, DocumentPath, Violations};
use super::form::ConversionError;
use crate::catalog::resource_types::core_type;
use crate::catalog::{Catalog, Edge, References, Resource, ResourceKind, Tags, reference};
use bunraku_pcore::convert::Surroundings;
use bunraku_pcore::fuel::{BoundedFuel, Fuel};
use bunraku_pcore::serialize::from_data_with;
use bunraku_pcore::types::TypeLoader;
use bunraku_pcore::value::{Str, Timestamp, Value};

/// Reads a catalog from JSON.
///
/// References in parameters stay the texts that they are in the document; objects get their types from
/// `types`. As the reference does, members but the resources' types and titles may be absent; unknown members
/// are violations.
///
/// # Errors
/// All violations of the rules of the form; the fuel runs out.
pub fn read_json(bytes: &[u8], types: &dyn TypeLoader, fuel: &dyn Fuel) -> Result<Catalog, ConversionError> {
    read(document::from_json(bytes, fuel)?, types, fuel)
}

/// Reads a catalog from MessagePack; see [`read_json`].
///
/// # Errors
/// All violations of the rules of the form; the fuel runs out.
pub fn read_message_pack(
    bytes: &[u8],
    types: &dyn TypeLoader,
    fuel: &dyn Fuel,
) -> Result<Catalog, ConversionError> {
    read(document::from_message_pack(bytes, fuel)?, types, fuel)
}

fn read(document: Json, types: &dyn TypeLoader, fuel: &dyn Fuel) -> Result<Catalog, ConversionError> {
    let mut violations = Violations::new(fuel);
    let catalog = catalog(document, types, &mut violations);
    violations.unless_broken(catalog)
}

fn catalog(document: Json, types: &dyn TypeLoader, violations: &mut Violations<'_>) -> Option<Catalog> {
    let root = DocumentPath::Root;
    let mut members = violations.object(document, &root)?;
    let mut catalog = Catalog::default();
    if let Some(name) = violations.required(&mut members, "name", &root) {
        catalog.name = violations.string(name, &root.member("name")).unwrap_or_default();
    }
    if let Some(version) = present(&mut members, "version") {
        catalog.version = match version {
            Json::Number(number) if number.is_i64() => number.as_i64().map_or(Value::Undef, Value::Integer),
            other => violations
                .string(other, &root.member("version"))
                .map_or(Value::Undef, |text| Value::String(text.into())),
        };
    }
    let mut text = |key: &str, violations: &mut Violations<'_>| {
        present(&mut members, key).and_then(|value| violations.string(value, &root.member(key)))
    };
    catalog.identity.code_id = text("code_id", violations);
    catalog.identity.catalog_uuid = text("catalog_uuid", violations);
    catalog.environment = text("environment", violations).unwrap_or_default();
    catalog.tags = tags(&mut members, &root, violations);
    if let Some(classes) = present(&mut members, "classes") {
        let classes = violations.strings(classes, &root.member("classes")).unwrap_or_default();
        catalog.classes = classes.into_iter().map(Str::from).collect();
    }
    for (key, metadata) in
        [("metadata", &mut catalog.metadata), ("recursive_metadata", &mut catalog.recursive_metadata)]
    {
        if let Some(value) = present(&mut members, key) {
            *metadata = violations.object(value, &root.member(key)).unwrap_or_default();
        }
    }
    if let Some(format) = members.remove("catalog_format")
        && format.as_u64().is_none()
    {
        violations.add(&root.member("catalog_format"), "expected an integer from 0");
    }
    if let Some(resources) = present(&mut members, "resources") {
        let place = root.member("resources");
        let mut known = References::default();
        for (number, of) in violations.array(resources, &place).unwrap_or_default().into_iter().enumerate() {
            if !violations.goes_on(0) {
                break;
            }
            if let Some(resource) = resource(of, types, &place.element(number), violations) {
                add(&mut catalog, &mut known, resource, &place.element(number), violations);
            }
        }
        catalog.by_reference = known.into();
    }
    if let Some(edges) = present(&mut members, "edges") {
        let place = root.member("edges");
        for (number, of) in violations.array(edges, &place).unwrap_or_default().into_iter().enumerate() {
            if !violations.goes_on(0) {
                break;
            }
            let edge = edge(of, &catalog, &place.element(number), violations);
            catalog.edges.extend(edge);
        }
    }
    violations.no_more(&members, &root);
    Some(catalog)
}

/// A member that exists and is not null.
fn present(members: &mut Map<String, Json>, key: &str) -> Option<Json> {
    members.remove(key).filter(|value| !value.is_null())
}

fn tags(members: &mut Map<String, Json>, place: &DocumentPath<'_>, violations: &mut Violations<'_>) -> Tags {
    let mut tags = Tags::new();
    let place = place.member("tags");
    let Some(given) = present(members, "tags") else { return tags };
    for (number, tag) in violations.strings(given, &place).unwrap_or_default().iter().enumerate() {
        if let Err(error) = tags.add(tag) {
            violations.add(&place.element(number), error.message);
        }
    }
    tags
}

fn resource(
    of: Json,
    types: &dyn TypeLoader,
    place: &DocumentPath<'_>,
    violations: &mut Violations<'_>,
) -> Option<Resource> {
    let mut members = violations.object(of, place)?;
    let mut name = |key: &str, violations: &mut Violations<'_>| {
        let value = violations.required(&mut members, key, place)?;
        violations.string(value, &place.member(key))
    };
    let type_name = name("type", violations);
    let title = name("title", violations);
    let (type_name, title) = (type_name?, title?);
    let of = core_type(&type_name.to_lowercase());
    let namevar = of.as_ref().map_or("name", |of| of.namevar()).into();
    let mut resource = Resource {
        type_name: type_name.into(),
        title: title.into(),
        tags: tags(&mut members, place, violations),
        file: None,
        line: None,
        exported: false,
        is_virtual: false,
        by_function: false,
        kind: ResourceKind::Unknown,
        parameters: Default::default(),
        sensitive_parameters: Vec::new(),
        namevar,
        is_known_by_name: of.as_ref().is_none_or(|of| of.isomorphic),
        key_count: of.as_ref().map_or(1, |of| of.keys.len()),
        aliases: Vec::new(),
    };
    if let Some(file) = present(&mut members, "file") {
        resource.file = violations.string(file, &place.member("file")).map(Arc::from);
    }
    if let Some(line) = present(&mut members, "line") {
        resource.line = violations.line(line, &place.member("line"));
    }
    if let Some(exported) = present(&mut members, "exported") {
        resource.exported = violations.boolean(exported, &place.member("exported")).unwrap_or_default();
    }
    if let Some(kind) = present(&mut members, "kind") {
        let kind = violations.string(kind, &place.member("kind")).unwrap_or_default();
        match ResourceKind::from_name(&kind) {
            Some(kind) => resource.kind = kind,
            None => violations.add(&place.member("kind"), format!("\"{kind}\" is no kind of resources")),
        }
    }
    if let Some(secrets) = present(&mut members, "sensitive_parameters") {
        let names = violations.strings(secrets, &place.member("sensitive_parameters")).unwrap_or_default();
        resource.sensitive_parameters = names.into_iter().map(Str::from).collect();
    }
    if let Some(parameters) = present(&mut members, "parameters") {
        let place = place.member("parameters");
        let around = Surroundings { types, now: &Timestamp::default, fuel: &BoundedFuel::default() };
        match from_data_with(&parameters, &around, false) {
            Ok(parameters) => set_parameters(&mut resource, parameters, &place, violations),
            Err(error) => violations.add(&place, error.message),
        }
    }
    violations.no_more(&members, place);
    Some(resource)
}

fn set_parameters(
    resource: &mut Resource,
    value: Value,
    place: &DocumentPath<'_>,
    violations: &mut Violations<'_>,
) {
    let Value::Hash(pairs) = value else {
        violations.add(place, "expected an object");
        return;
    };
    for (name, value) in pairs.iter() {
        match name {
            Value::String(name) => drop(resource.parameters.insert(name.clone(), value.clone())),
            _ => violations.add(place, "the name of a parameter is no string"),
        }
    }
    let name = resource.parameters.get(&resource.namevar).and_then(Value::as_str);
    if let Some(name) = name.filter(|&name| resource.is_known_by_name && resource.title != name) {
        resource.aliases.push(name.into());
    }
}

/// Adds a resource under its title and its other names.
fn add(
    catalog: &mut Catalog,
    known: &mut References,
    resource: Resource,
    place: &DocumentPath<'_>,
    violations: &mut Violations<'_>,
) {
    let number = catalog.resources.len();
    let key = |title: &str| (resource.type_name.clone(), Str::from(title));
    if known.get(&key(&resource.title)).is_some_and(|&other| {
        catalog.resources.get(other).is_some_and(|other: &Resource| other.title == resource.title)
    }) {
        violations.add(place, format!("{} stands twice", resource.reference()));
        return;
    }
    known.insert(key(&resource.title), number);
    let explicit = match resource.parameters.get("alias") {
        Some(Value::Array(aliases)) => aliases.iter().filter_map(Value::as_str).collect(),
        Some(alias) => alias.as_str().into_iter().collect(),
        None => Vec::new(),
    };
    let (type_name, title) = reference::canonical(&resource.type_name, &resource.title);
    known.entry((type_name, title)).or_insert(number);
    for alias in explicit.into_iter().chain(resource.aliases.iter().map(|alias| alias.as_str())) {
        known.entry(key(alias)).or_insert(number);
    }
    catalog.resources.push(resource);
}

fn edge(
    of: Json,
    catalog: &Catalog,
    place: &DocumentPath<'_>,
    violations: &mut Violations<'_>,
) -> Option<Edge> {
    let mut members = violations.object(of, place)?;
    let mut end = |key: &str, violations: &mut Violations<'_>| {
        let value = violations.required(&mut members, key, place)?;
        let text = violations.string(value, &place.member(key))?;
        let found = catalog.number_of(&text);
        if found.is_none() {
            violations.add(&place.member(key), format!("{text} is not in the catalog"));
        }
        found
    };
    let source = end("source", violations);
    let target = end("target", violations);
    violations.no_more(&members, place);
    Some(Edge { source: source?, target: target? })
}
