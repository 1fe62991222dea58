//! The differences of two catalogs that matter to an agent: resources, parameters, edges, classes.
//!
//! Files and lines of declarations, tags, versions, and the order of resources are ignored; so is the order
//! of references in relationships. A different order of resources is reported separately.

use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_pcore::serialize::{redacted, without_secrets};
use indexmap::IndexSet;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::model::{CatalogModel, Edge, ResourceModel};
use bunraku_engine::catalog::resource_types::is_relationship;
use bunraku_syntax::diagnostic::Error;

/// The maximum depth of separate changes in nested values.
const MAX_DEPTH: usize = 32;

/// The maximum number of list elements that are compared one by one.
const MAX_ELEMENTS: usize = 2_000;

/// The number of comparisons of lines or elements in a step.
pub(super) const COMPARISONS_IN_STEP: u64 = 16;

/// The differences of two catalogs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Diff {
    /// Resources that only the second has.
    pub added: Vec<ResourceEntry>,
    /// Resources that only the first has.
    pub removed: Vec<ResourceEntry>,
    /// Resources that both have, with parameters that differ.
    pub changed: Vec<ChangedResource>,
    /// Edges that one of both has.
    pub edges: Sides<Edge>,
    /// Classes that one of both has.
    pub classes: Sides<String>,
    /// The reason why only one side has a catalog, or different errors of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailedMessages>,
    /// Whether the order of the common resources differs, in which an agent with the setting
    /// `ordering=manifest` applies them. This alone is not a difference.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reordered: bool,
    /// The reason why neither side has a catalog, if it is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails: Option<String>,
}

/// The exclusive items of each side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides<T> {
    /// The items that only the second has.
    pub added: Vec<T>,
    /// The items that only the first has.
    pub removed: Vec<T>,
}

impl<T> Sides<T> {
    const fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

impl<T> Default for Sides<T> {
    fn default() -> Self {
        Self { added: Vec::new(), removed: Vec::new() }
    }
}

/// A resource with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceEntry {
    /// `Type[title]`
    pub resource: String,
    /// The parameters; secrets are not shown.
    pub parameters: Map<String, Json>,
}

/// A resource that both catalogs have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangedResource {
    /// `Type[title]`
    pub resource: String,
    /// The parameters that differ.
    pub parameters: Vec<ParameterChange>,
    /// Whether it is exported now, when it was otherwise before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exported: Option<bool>,
}

/// A parameter that differs. Without `from` it is new, without `to` it is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterChange {
    /// The name.
    pub name: String,
    /// The value in the first catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Json>,
    /// The value in the second catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Json>,
    /// The differences within a hash or a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<PathChange>,
}

/// Something within a value that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathChange {
    /// Keys and indices, such as `cache.size` or `hosts[2]`; an index refers to the list that contains the
    /// element.
    pub path: String,
    /// The old value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Json>,
    /// The new value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Json>,
}

/// The messages with which compilations failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedMessages {
    /// The value of the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The value of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl Diff {
    /// The differences of two written catalogs, each in the form for agents or for PuppetDB. `fuel` limits
    /// the work.
    ///
    /// # Errors
    /// One of the two is not a catalog, or the fuel runs out.
    pub fn of_json(from: &Json, to: &Json, fuel: &dyn Fuel) -> Result<Self, Error> {
        Self::new(&CatalogModel::read(from, fuel)?, &CatalogModel::read(to, fuel)?, fuel)
    }

    /// The differences of two catalogs.
    ///
    /// # Errors
    /// The fuel runs out, or the work is cancelled.
    pub fn new(from: &CatalogModel, to: &CatalogModel, fuel: &dyn Fuel) -> Result<Self, Error> {
        let only = |one: &CatalogModel, other: &CatalogModel| -> Result<Vec<ResourceEntry>, Error> {
            let missing =
                one.resources.iter().filter(|(reference, _)| !other.resources.contains_key(*reference));
            let told = |(reference, resource): (&String, &ResourceModel)| {
                fuel.charge(price(resource))?;
                Ok(entry(reference, resource))
            };
            missing.map(told).collect()
        };
        let mut changed = Vec::new();
        for (reference, before) in &from.resources {
            if let Some(after) = to.resources.get(reference) {
                fuel.charge(price(before).saturating_add(price(after)))?;
                changed.extend(changed_resource(reference, before, after, fuel)?);
            }
        }
        Ok(Self {
            added: only(to, from)?,
            removed: only(from, to)?,
            changed,
            edges: Sides {
                added: to.edges.difference(&from.edges).cloned().collect(),
                removed: from.edges.difference(&to.edges).cloned().collect(),
            },
            classes: Sides {
                added: to.classes.difference(&from.classes).cloned().collect(),
                removed: from.classes.difference(&to.classes).cloned().collect(),
            },
            failure: None,
            reordered: !order(from, to).eq(order(to, from)),
            fails: None,
        })
    }

    /// The difference of two compilations, at least one of which failed. Equal failures are not a difference.
    pub fn of_failures(from: Option<&str>, to: Option<&str>) -> Self {
        let failure = FailedMessages { from: from.map(str::to_owned), to: to.map(str::to_owned) };
        if from == to {
            return Self { fails: failure.from, ..Self::default() };
        }
        Self { failure: Some(failure), ..Self::default() }
    }

    /// Whether nothing differs except the order of resources.
    pub fn is_empty(&self) -> bool {
        let Self { added, removed, changed, edges, classes, failure, reordered: _, fails: _ } = self;
        let resources = added.is_empty() && removed.is_empty() && changed.is_empty();
        resources && edges.is_empty() && classes.is_empty() && failure.is_none()
    }

    /// The edges whose ends are in both catalogs: the others come and go with their resources.
    pub fn telling_edges(&self) -> Sides<&Edge> {
        Sides {
            added: between_others(&self.edges.added, &self.added),
            removed: between_others(&self.edges.removed, &self.removed),
        }
    }
}

/// The edges that none of these resources is an end of.
fn between_others<'d>(edges: &'d [Edge], entries: &[ResourceEntry]) -> Vec<&'d Edge> {
    let ends: FxHashSet<&str> = entries.iter().map(|entry| entry.resource.as_str()).collect();
    let is_other = |edge: &&Edge| !ends.contains(&*edge.source) && !ends.contains(&*edge.target);
    edges.iter().filter(is_other).collect()
}

/// The resources of a catalog that another one has as well, in their order.
fn order<'c>(one: &'c CatalogModel, other: &'c CatalogModel) -> impl Iterator<Item = &'c String> {
    one.resources.keys().filter(|reference| other.resources.contains_key(*reference))
}

/// The steps of going through a resource.
fn price(resource: &ResourceModel) -> u64 {
    resource.parameters.values().fold(1, |sum, value| sum.saturating_add(value_price(value)))
}

/// The steps of going through a value: one for each part, and one more for each kilobyte of text.
fn value_price(value: &Json) -> u64 {
    match value {
        Json::String(text) => 1 + text.len() as u64 / BYTES_IN_STEP,
        Json::Array(values) => values.iter().fold(1, |sum, value| sum.saturating_add(value_price(value))),
        Json::Object(members) => {
            members.values().fold(1, |sum, value| sum.saturating_add(value_price(value)))
        }
        _ => 1,
    }
}

/// A resource with its secrets redacted.
fn entry(reference: &str, resource: &ResourceModel) -> ResourceEntry {
    let parameters = resource.parameters.iter();
    let parameters =
        parameters.map(|(name, value)| (name.clone(), normalize(value, resource.sensitive.contains(name))));
    ResourceEntry { resource: reference.to_owned(), parameters: parameters.collect() }
}

fn normalize(value: &Json, is_secret: bool) -> Json {
    if is_secret { redacted() } else { without_secrets(value) }
}

fn changed_resource(
    reference: &str,
    before: &ResourceModel,
    after: &ResourceModel,
    fuel: &dyn Fuel,
) -> Result<Option<ChangedResource>, Error> {
    let mut parameters = Vec::new();
    let names = before
        .parameters
        .keys()
        .chain(after.parameters.keys().filter(|name| !before.parameters.contains_key(*name)));
    for name in names {
        let (from, to) = (before.parameters.get(name), after.parameters.get(name));
        let was_secret = before.sensitive.contains(name);
        let is_secret = was_secret || after.sensitive.contains(name);
        let same_secrecy = before.sensitive.contains(name) == after.sensitive.contains(name);
        let is_same = match (from, to) {
            (Some(from), Some(to)) => same_secrecy && is_same_value(name, from, to),
            _ => false,
        };
        if is_same {
            continue;
        }
        let mut paths = Vec::new();
        if let (Some(from), Some(to), false) = (from, to, is_secret) {
            collect_paths(&without_secrets(from), &without_secrets(to), "", 0, &mut paths, fuel)?;
        }
        parameters.push(ParameterChange {
            name: name.clone(),
            from: from.map(|value| normalize(value, is_secret)),
            to: to.map(|value| normalize(value, is_secret)),
            paths,
        });
    }
    let exported = (before.exported != after.exported).then_some(after.exported);
    let has_changed = !parameters.is_empty() || exported.is_some();
    Ok(has_changed.then(|| ChangedResource { resource: reference.to_owned(), parameters, exported }))
}

/// Whether two values of a parameter are equivalent: the order of a relationship's targets is ignored.
fn is_same_value(name: &str, from: &Json, to: &Json) -> bool {
    if from == to {
        return true;
    }
    let list = |value: &Json| -> Vec<String> {
        let mut texts = match value {
            Json::Array(values) => values.iter().map(Json::to_string).collect(),
            one => vec![one.to_string()],
        };
        texts.sort();
        texts.dedup();
        texts
    };
    (is_relationship(name) || name == "tag") && list(from) == list(to)
}

/// Adds what differs within two hashes or two lists.
fn collect_paths(
    from: &Json,
    to: &Json,
    path: &str,
    depth: usize,
    paths: &mut Vec<PathChange>,
    fuel: &dyn Fuel,
) -> Result<(), Error> {
    fuel.charge(1)?;
    let mut push = |path: String, from: Option<&Json>, to: Option<&Json>| {
        paths.push(PathChange { path, from: from.cloned(), to: to.cloned() });
    };
    match (from, to) {
        _ if from == to => {}
        (Json::Object(before), Json::Object(after))
            if depth < MAX_DEPTH && !before.contains_key("__ptype") && !after.contains_key("__ptype") =>
        {
            let inner = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            for (name, from) in before {
                match after.get(name) {
                    Some(to) => collect_paths(from, to, &inner(name), depth + 1, paths, fuel)?,
                    None => paths.push(PathChange { path: inner(name), from: Some(from.clone()), to: None }),
                }
            }
            for (name, to) in after.iter().filter(|(name, _)| !before.contains_key(*name)) {
                paths.push(PathChange { path: inner(name), from: None, to: Some(to.clone()) });
            }
        }
        (Json::Array(before), Json::Array(after))
            if before.len().max(after.len()) <= MAX_ELEMENTS && depth < MAX_DEPTH =>
        {
            // The search for the shortest edit may compare each element with each.
            fuel.charge((before.len() * after.len()) as u64 / COMPARISONS_IN_STEP)?;
            list_paths(before, after, path, &mut push);
        }
        _ if path.is_empty() => {}
        _ => push(path.to_owned(), Some(from), Some(to)),
    }
    Ok(())
}

/// Tells which elements a list has lost and won.
fn list_paths(
    before: &[Json],
    after: &[Json],
    path: &str,
    push: &mut impl FnMut(String, Option<&Json>, Option<&Json>),
) {
    // Elements are numbered, so that comparing two of them takes no time, however long they are.
    let mut known: IndexSet<String> = IndexSet::new();
    let mut numbers = |values: &[Json]| -> Vec<usize> {
        values.iter().map(|value| known.insert_full(value.to_string()).0).collect()
    };
    let (old, new) = (numbers(before), numbers(after));
    for operation in similar::capture_diff_slices(similar::Algorithm::Myers, &old, &new) {
        let (tag, old, new) = operation.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            continue;
        }
        for at in old {
            push(format!("{path}[{at}]"), before.get(at), None);
        }
        for at in new {
            push(format!("{path}[{at}]"), None, after.get(at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::fuel::Unmetered;
    use serde_json::json;

    fn catalog(resources: Json) -> Json {
        json!({ "name": "n", "resources": resources, "edges": [], "classes": ["a"] })
    }

    fn file(parameters: Json) -> Json {
        json!([{ "type": "File", "title": "/a", "parameters": parameters }])
    }

    fn changes(from: Json, to: Json) -> Vec<ParameterChange> {
        let diff =
            Diff::of_json(&catalog(file(from)), &catalog(file(to)), &Unmetered).expect("they are catalogs");
        diff.changed.into_iter().flat_map(|changed| changed.parameters).collect()
    }

    #[test]
    fn the_order_of_relationships_does_not_count_but_that_of_other_lists_does() {
        let (one, other) = (json!(["File[/b]", "File[/c]"]), json!(["File[/c]", "File[/b]"]));
        assert!(changes(json!({ "require": one }), json!({ "require": other })).is_empty());
        assert_eq!(changes(json!({ "source": one }), json!({ "source": other })).len(), 1);
    }

    #[test]
    fn changes_within_hashes_and_lists_are_told_by_their_path() {
        let found = changes(
            json!({ "v": {"a": {"b": 1}, "c": [1, 2]} }),
            json!({ "v": {"a": {"b": 2}, "c": [2, 3]} }),
        );
        let paths: Vec<_> = found[0].paths.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["a.b", "c[0]", "c[1]"]);
    }

    #[test]
    fn secrets_are_compared_and_not_shown() {
        let secret = |text: &str| json!([{ "type": "User", "title": "u", "parameters": {"password": text}, "sensitive_parameters": ["password"] }]);
        let diff = Diff::of_json(&catalog(secret("abc")), &catalog(secret("xyz")), &Unmetered)
            .expect("they are catalogs");
        assert_eq!(diff.changed.len(), 1);
        let shown = serde_json::to_string(&diff).expect("it is data");
        assert!(!shown.contains("abc") && !shown.contains("xyz"), "{shown}");
    }

    #[test]
    fn a_relationship_is_the_same_edge_from_either_side() {
        let one = json!([
            { "type": "File", "title": "/a", "parameters": {"before": "File[/b]"} },
            { "type": "File", "title": "/b" },
        ]);
        let other = json!([
            { "type": "File", "title": "/a" },
            { "type": "File", "title": "/b", "parameters": {"require": ["File[/a]"]} },
        ]);
        let diff = Diff::of_json(&catalog(one), &catalog(other), &Unmetered).expect("they are catalogs");
        assert!(diff.edges.added.is_empty() && diff.edges.removed.is_empty());
        assert_eq!(diff.changed.len(), 2);
    }
}
