//! Resources and edges of a written catalog: one as an agent receives it, or as PuppetDB does.

use indexmap::{IndexMap, IndexSet};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use bunraku_engine::catalog::resource_types::{comes_first, is_relationship};
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// The kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    /// The source is the container of the target.
    Contains,
    /// The source comes before the target (`before`, `require`, `->`).
    Before,
    /// The source precedes the target and notifies it of changes (`notify`, `subscribe`, `~>`).
    Notify,
}

/// An edge between two resources, by their references.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// The container, or the predecessor.
    pub source: String,
    /// The contained resource, or the successor.
    pub target: String,
    /// The kind of the edge.
    pub relationship: EdgeKind,
}

/// A resource of a written catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceModel {
    /// The type's name.
    pub type_name: String,
    /// The title.
    pub title: String,
    /// The parameters.
    pub parameters: Map<String, Json>,
    /// The names of the parameters that are secret.
    pub sensitive: IndexSet<String>,
    /// Whether it is exported.
    pub exported: bool,
}

/// A written catalog.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CatalogModel {
    /// The node.
    pub name: String,
    /// The resources by their references, in order.
    pub resources: IndexMap<String, ResourceModel>,
    /// Containment and relationships, each once. Relationships come from the parameters.
    pub edges: IndexSet<Edge>,
    /// The classes.
    pub classes: IndexSet<String>,
}

impl CatalogModel {
    /// Reads a catalog in either form. Members of the form that are not needed here can be missing.
    ///
    /// # Errors
    /// It is not a catalog: it has no list of resources with type and title; or the fuel runs out.
    pub fn read(catalog: &Json, fuel: &dyn Fuel) -> Result<Self, Error> {
        let wrong = |what: &str| Error::argument(format!("not a catalog: {what}"));
        // Old ones have an envelope; so have those in answers of servers.
        let catalog = ["catalog", "data", "payload"]
            .iter()
            .find_map(|key| catalog.get(key).filter(|inner| inner["resources"].is_array()))
            .unwrap_or(catalog);
        let resources = catalog["resources"].as_array().ok_or_else(|| wrong("it has no resources"))?;
        let text = |json: &Json| json.as_str().unwrap_or_default().to_owned();
        let mut model = Self {
            name: catalog["name"].as_str().or(catalog["certname"].as_str()).unwrap_or_default().to_owned(),
            ..Self::default()
        };
        for resource in resources {
            fuel.charge(1)?;
            let (Some(type_name), Some(title)) = (resource["type"].as_str(), resource["title"].as_str())
            else {
                return Err(wrong("a resource has no type or no title"));
            };
            let resource = ResourceModel {
                type_name: type_name.to_owned(),
                title: title.to_owned(),
                parameters: resource["parameters"].as_object().cloned().unwrap_or_default(),
                sensitive: resource["sensitive_parameters"]
                    .as_array()
                    .map(|names| names.iter().map(text).collect())
                    .unwrap_or_default(),
                exported: resource["exported"] == true,
            };
            model.resources.insert(format!("{type_name}[{title}]"), resource);
        }
        for edge in catalog["edges"].as_array().into_iter().flatten() {
            fuel.charge(1)?;
            if edge["relationship"].as_str().is_none_or(|relationship| relationship == "contains") {
                let (source, target) = (reference(&edge["source"]), reference(&edge["target"]));
                model.edges.insert(Edge { source, target, relationship: EdgeKind::Contains });
            }
        }
        for (own, resource) in &model.resources {
            for (name, value) in resource.parameters.iter().filter(|(name, _)| is_relationship(name)) {
                for other in references(value) {
                    fuel.charge(1)?;
                    let (source, target) =
                        if comes_first(name) { (own.clone(), other) } else { (other, own.clone()) };
                    let relationship = match name.as_str() {
                        "before" | "require" => EdgeKind::Before,
                        _ => EdgeKind::Notify,
                    };
                    model.edges.insert(Edge { source, target, relationship });
                }
            }
        }
        model.classes = match catalog["classes"].as_array() {
            Some(classes) => classes.iter().map(text).collect(),
            None => {
                let classes = model.resources.values().filter(|resource| resource.type_name == "Class");
                classes.map(|resource| resource.title.to_lowercase()).collect()
            }
        };
        Ok(model)
    }
}

/// The end of an edge: a reference, or type and title.
fn reference(end: &Json) -> String {
    match end {
        Json::String(text) => text.clone(),
        end => format!(
            "{}[{}]",
            end["type"].as_str().unwrap_or_default(),
            end["title"].as_str().unwrap_or_default()
        ),
    }
}

/// The references in the value of a relationship.
fn references(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => vec![text.clone()],
        Json::Array(values) => values.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
