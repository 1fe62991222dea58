//! What a payload says of a compiled resource: values as plain data, names as aliases, no secrets.
//!
//! Follows the terminus of PuppetDB (`puppet/indirector/catalog/puppetdb.rb`).

use serde_json::Value as Json;

use super::Resource;
use crate::catalog;
use crate::wire::stringified;

/// Metaparameters whose arrays have no order.
const UNORDERED: &[&str] = &["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// A resource as payloads have it.
pub(super) fn resource(of: &catalog::Resource) -> Resource {
    let mut parameters: serde_json::Map<String, Json> = of
        .parameters
        .iter()
        .filter(|(name, _)| !of.sensitive_parameters.contains(name))
        .map(|(name, value)| (name.to_string(), stringified::to_json(value)))
        .collect();
    for &name in UNORDERED {
        if let Some(values) = parameters.get_mut(name) {
            sort(values);
        }
    }
    Resource {
        type_name: of.type_name.to_string(),
        title: of.title.to_string(),
        alias: alias(of),
        exported: of.exported,
        file: of.file.as_deref().map(str::to_owned),
        line: of.line,
        tags: of.tags.iter().map(ToString::to_string).collect(),
        kind: Some(of.kind.name().to_owned()),
        parameters,
    }
}

/// A relationship as payloads have it: an array without order, or one reference.
pub(super) fn relationship(of: &catalog::Resource, parameter: &str) -> Json {
    let mut value = of.parameters.get(parameter).map_or(Json::Null, stringified::to_json);
    sort(&mut value);
    value
}

/// The other names of a resource: those that `alias` gives and, where its type has one parameter that identifies it, the
/// value of that.
pub(super) fn alias(of: &catalog::Resource) -> Json {
    let explicit = of.parameters.get("alias").map_or(Json::Null, stringified::to_json);
    if of.key_count > 1 {
        return explicit;
    }
    let mut aliases = flat(&explicit);
    if of.is_known_by_name
        && let Some(name) = of.parameters.get(&of.namevar)
    {
        let name = stringified::to_json(name);
        if !aliases.contains(&name) {
            aliases.push(name);
        }
    }
    if aliases.is_empty() {
        return explicit;
    }
    let mut aliases = Json::Array(aliases);
    sort(&mut aliases);
    aliases
}

fn sort(values: &mut Json) {
    if let Json::Array(values) = values {
        values.sort_by_cached_key(text);
    }
}

/// The values in arrays of any depth, without nulls.
pub(super) fn flat(value: &Json) -> Vec<Json> {
    fn add(value: &Json, into: &mut Vec<Json>) {
        match value {
            Json::Array(values) => values.iter().for_each(|value| add(value, into)),
            Json::Null => {}
            other => into.push(other.clone()),
        }
    }
    let mut into = Vec::new();
    add(value, &mut into);
    into
}

/// A name as text.
pub(super) fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
