//! The form in which PuppetDB gets a catalog: the payload of the command "replace catalog", version 9.
//!
//! Follows the terminus of PuppetDB (`puppet/indirector/catalog/puppetdb.rb`): against the agent's form, values are
//! plain data, secrets are left out, names are aliases, and relationships are edges.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};

use super::{reference, stringified};
use crate::catalog::{Catalog, Resource};
use crate::diagnostic::Error;
use crate::pcore::format;

/// What the command says beside the catalog.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// The server's name.
    pub producer: String,
    /// When it was made, as ISO 8601 with milliseconds.
    pub producer_timestamp: String,
    /// The id of the catalog.
    pub catalog_uuid: Option<String>,
    /// The id of the agent's run.
    pub transaction_uuid: Option<String>,
    /// The id of the job that asked for the run.
    pub job_id: Option<String>,
}

/// Metaparameters whose arrays have no order.
const UNORDERED: &[&str] = &["alias", "audit", "before", "check", "notify", "require", "subscribe", "tag"];

/// Metaparameters that make edges: their name, whether the edge points to the other resource, and the edge's name.
const RELATIONSHIPS: &[(&str, bool, &str)] = &[
    ("before", true, "before"),
    ("require", false, "required-by"),
    ("notify", true, "notifies"),
    ("subscribe", false, "subscription-of"),
];

/// The payload of "replace catalog".
///
/// # Errors
/// A relationship with something that is no reference, that is not in the catalog, or that is exported only.
pub fn to_json(catalog: &Catalog, submission: &Submission) -> Result<Json, Error> {
    let mut resources: Vec<Map<String, Json>> = catalog.resources.iter().map(resource_to_json).collect();
    let edges = Edges::new(catalog, &resources).edges()?;
    for (of, resource) in catalog.resources.iter().zip(&mut resources) {
        if let Some(Json::Object(parameters)) = resource.get_mut("parameters") {
            parameters.retain(|name, _| !of.sensitive_parameters.iter().any(|secret| secret == name));
        }
    }
    Ok(json!({
        "version": format::to_s(&catalog.version),
        "code_id": catalog.code_id,
        "catalog_uuid": submission.catalog_uuid,
        "resources": resources,
        "edges": edges,
        "job_id": submission.job_id,
        "certname": catalog.name,
        "transaction_uuid": submission.transaction_uuid,
        "environment": catalog.environment,
        "producer_timestamp": submission.producer_timestamp,
        "producer": submission.producer,
    }))
}

fn resource_to_json(resource: &Resource) -> Map<String, Json> {
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
    members.insert("parameters".into(), Json::Object(parameters(resource)));
    members
}

fn parameters(resource: &Resource) -> Map<String, Json> {
    let mut parameters = Map::new();
    for (name, value) in &resource.parameters {
        parameters.insert(name.to_string(), stringified::to_json(value));
    }
    if resource.key_count <= 1 {
        let mut aliases = Vec::new();
        if let Some(alias) = parameters.get("alias") {
            flatten(alias, &mut aliases);
        }
        if resource.is_known_by_name
            && let Some(name) = resource.parameters.get(&resource.namevar)
        {
            let name = stringified::to_json(name);
            if !aliases.contains(&name) {
                aliases.push(name);
            }
        }
        if !aliases.is_empty() {
            parameters.insert("alias".into(), Json::Array(aliases));
        }
    }
    for &name in UNORDERED {
        if let Some(Json::Array(values)) = parameters.get_mut(name) {
            values.sort_by_cached_key(text);
        }
    }
    parameters
}

fn flatten(value: &Json, into: &mut Vec<Json>) {
    match value {
        Json::Array(values) => values.iter().for_each(|value| flatten(value, into)),
        Json::Null => {}
        other => into.push(other.clone()),
    }
}

fn text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The edges of a catalog in the making.
struct Edges<'a> {
    catalog: &'a Catalog,
    resources: &'a [Map<String, Json>],
    /// Resources by type and title.
    by_title: FxHashMap<(&'a str, &'a str), usize>,
    /// Resources by type and alias.
    by_alias: FxHashMap<(&'a str, String), usize>,
}

impl<'a> Edges<'a> {
    fn new(catalog: &'a Catalog, resources: &'a [Map<String, Json>]) -> Self {
        let titles = catalog.resources.iter().enumerate();
        let by_title =
            titles.map(|(number, of)| ((of.type_name.as_str(), of.title.as_str()), number)).collect();
        let mut by_alias = FxHashMap::default();
        for (number, (of, resource)) in catalog.resources.iter().zip(resources).enumerate() {
            let mut aliases = Vec::new();
            flatten(&resource["parameters"]["alias"], &mut aliases);
            for alias in aliases {
                by_alias.insert((of.type_name.as_str(), text(&alias)), number);
            }
        }
        Self { catalog, resources, by_title, by_alias }
    }

    /// Containment first, then relationships; each edge once.
    fn edges(&self) -> Result<Vec<Json>, Error> {
        let mut edges = Vec::new();
        let mut seen = FxHashSet::default();
        let mut add = |source: usize, target: usize, name: &'static str| {
            if seen.insert((source, target, name)) {
                edges.push(
                    json!({ "source": self.end(source), "target": self.end(target), "relationship": name }),
                );
            }
        };
        for edge in &self.catalog.edges {
            add(edge.source, edge.target, "contains");
        }
        for (number, (of, resource)) in self.catalog.resources.iter().zip(self.resources).enumerate() {
            if of.is_virtual {
                continue;
            }
            for &(parameter, is_forward, name) in RELATIONSHIPS {
                let mut others = Vec::new();
                flatten(&resource["parameters"][parameter], &mut others);
                for other in others {
                    let other = self.related(number, parameter, &text(&other))?;
                    let (source, target) = if is_forward { (number, other) } else { (other, number) };
                    add(source, target, name);
                }
            }
        }
        Ok(edges)
    }

    fn end(&self, number: usize) -> Json {
        match self.catalog.resources.get(number) {
            Some(of) => json!({ "type": of.type_name.as_str(), "title": of.title.as_str() }),
            None => Json::Null,
        }
    }

    /// The resource that a relationship names.
    fn related(&self, number: usize, parameter: &str, other: &str) -> Result<usize, Error> {
        let relationship = || {
            let this = reference(self.catalog, number);
            format!("Invalid relationship: {this} {{ {parameter} => {other} }}, because {other}")
        };
        let Some((type_name, title)) = well_formed(other) else {
            return Err(Error::plain(format!(
                "{} doesn't seem to be in the correct format. Resource references should be formatted as: \
                 Classname['title'] or Modulename::Classname['title'] (take careful note of the capitalization).",
                relationship()
            )));
        };
        let title =
            if type_name == "File" && title.ends_with('/') { title.trim_end_matches('/') } else { title };
        let found = self.by_title.get(&(type_name, title)).copied();
        let found = found.or_else(|| self.by_alias.get(&(type_name, title.to_owned())).copied());
        let Some(found) = found else {
            return Err(Error::plain(format!("{} doesn't seem to be in the catalog", relationship())));
        };
        if self.catalog.resources.get(found).is_some_and(|resource| resource.is_virtual) {
            return Err(Error::plain(format!("{} is exported but not collected", relationship())));
        }
        Ok(found)
    }
}

/// Type and title of a reference whose type is capitalised per segment.
fn well_formed(text: &str) -> Option<(&str, &str)> {
    let (type_name, title) = crate::catalog::reference::split(text)?;
    let is_segment = |segment: &str| {
        let mut letters = segment.bytes();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_')
    };
    type_name.split("::").all(is_segment).then_some((type_name, title))
}
