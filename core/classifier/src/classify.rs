//! Classification: the groups of a node, and their combined result.
//!
//! A node is in a group if the rules of the group and of all its ancestors match; ancestors without a rule
//! are ignored, and a group without a rule has no nodes. Of the matching groups, those without a matching
//! descendant count. Each contributes its own and its inherited values, and different values of two groups
//! are a conflict.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::group::{ClassParameters, Group, classes_to_json};
use super::hierarchy::Hierarchy;
use bunraku_syntax::watch::Watch;

/// The data of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The certname.
    pub name: String,
    /// The facts.
    pub facts: Map<String, Json>,
    /// The trusted facts.
    pub trusted: Map<String, Json>,
}

/// The combined result of a node's groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// The node's name.
    pub name: String,
    /// The groups that the node is in, ancestors before their descendants.
    pub groups: Vec<Uuid>,
    /// The environment that the node uses.
    pub environment: String,
    /// Its classes with their parameters.
    pub classes: IndexMap<String, Map<String, Json>>,
    /// Variables of the top scope.
    pub variables: Map<String, Json>,
    /// Parameters of classes, whatever declares them.
    pub config_data: IndexMap<String, Map<String, Json>>,
}

/// The contradictions between groups.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conflict {
    /// The environments.
    pub environment: Vec<Claim>,
    /// Parameters of classes.
    pub classes: IndexMap<String, IndexMap<String, Vec<Claim>>>,
    /// Parameters in configuration data.
    pub config_data: IndexMap<String, IndexMap<String, Vec<Claim>>>,
    /// Variables.
    pub variables: IndexMap<String, Vec<Claim>>,
}

/// One of several values that groups claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The value.
    pub value: Json,
    /// The group that the node is in.
    pub from: Group,
    /// The group that sets the value: `from` or an ancestor of it.
    pub defined_by: Group,
}

impl Classification {
    /// The classification as JSON: `name`, `groups`, `environment`, `classes`, `parameters` (the variables),
    /// and `config_data` if there is any.
    pub fn to_json(&self) -> Json {
        let mut json = json!({
            "name": self.name,
            "groups": self.groups.iter().map(Uuid::to_string).collect::<Vec<_>>(),
            "environment": self.environment,
            "classes": classes_to_json(&self.classes),
            "parameters": self.variables,
        });
        if !self.config_data.is_empty() {
            json["config_data"] = classes_to_json(&self.config_data);
        }
        json
    }
}

impl Conflict {
    /// The conflict as JSON: `environment`, `classes`, `config_data` and `variables`, as far as they contain
    /// conflicts.
    pub fn to_json(&self) -> Json {
        let claims = |claims: &Vec<Claim>| -> Json { claims.iter().map(Claim::to_json).collect() };
        let nested = |all: &IndexMap<String, IndexMap<String, Vec<Claim>>>| -> Json {
            let members = all.iter().map(|(class, parameters)| {
                let parameters = parameters.iter().map(|(name, found)| (name.clone(), claims(found)));
                (class.clone(), Json::Object(parameters.collect()))
            });
            Json::Object(members.collect())
        };
        let mut json = Map::new();
        if !self.environment.is_empty() {
            json.insert("environment".to_owned(), claims(&self.environment));
        }
        if !self.classes.is_empty() {
            json.insert("classes".to_owned(), nested(&self.classes));
        }
        if !self.config_data.is_empty() {
            json.insert("config_data".to_owned(), nested(&self.config_data));
        }
        if !self.variables.is_empty() {
            let members = self.variables.iter().map(|(name, found)| (name.clone(), claims(found)));
            json.insert("variables".to_owned(), Json::Object(members.collect()));
        }
        Json::Object(json)
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Claim {
    fn to_json(&self) -> Json {
        json!({ "value": self.value, "from": self.from.to_json(), "defined_by": self.defined_by.to_json() })
    }
}

/// The groups of a node.
pub(super) struct Matches<'a> {
    /// All that match, ancestors first.
    pub matching: Vec<&'a Group>,
    /// Those without a matching group below them.
    pub leaves: Vec<&'a Group>,
}

impl Hierarchy {
    /// The combined result of a node's groups.
    ///
    /// # Errors
    /// The groups contradict each other.
    pub fn classify(&self, node: &Node) -> Result<Classification, Box<Conflict>> {
        self.classify_watched(node, &Watch::default())
    }

    /// As [`classify`](Self::classify); the result only counts if the watch has not cancelled the work.
    pub(super) fn classify_watched(
        &self,
        node: &Node,
        watch: &Watch<'_>,
    ) -> Result<Classification, Box<Conflict>> {
        let matches = self.matches(node, watch);
        let inherit = |leaf: &&Group| self.inherited_watched(leaf, watch);
        let inherited: Vec<Group> = matches.leaves.iter().map(inherit).collect();
        let mut conflict = Conflict::default();
        let environment = self.environment(&matches.leaves, &mut conflict);
        let mut classification = Classification {
            name: node.name.clone(),
            groups: matches.matching.iter().map(|group| group.id).collect(),
            environment,
            classes: IndexMap::new(),
            variables: Map::new(),
            config_data: IndexMap::new(),
        };
        let mut variables = Values::new();
        for (index, group) in inherited.iter().enumerate() {
            for (name, value) in &group.variables {
                variables.entry(name).or_default().push((index, value));
            }
        }
        for (name, values) in variables {
            match agreed(&values) {
                Some(value) => drop(classification.variables.insert(name.clone(), value.clone())),
                None => {
                    let defines = |group: &Group| group.variables.contains_key(name);
                    let claims = self.claims(&matches.leaves, &values, &defines, watch);
                    conflict.variables.insert(name.clone(), claims);
                }
            }
        }
        let of_classes: Part = |group| &group.classes;
        let of_config_data: Part = |group| &group.config_data;
        let (classes, conflicts) = self.merged(&matches.leaves, &inherited, of_classes, watch);
        (classification.classes, conflict.classes) = (classes, conflicts);
        let (data, conflicts) = self.merged(&matches.leaves, &inherited, of_config_data, watch);
        (classification.config_data, conflict.config_data) = (data, conflicts);
        if conflict.is_none() { Ok(classification) } else { Err(Box::new(conflict)) }
    }

    /// The groups that a node is in.
    pub(super) fn matches(&self, node: &Node, watch: &Watch<'_>) -> Matches<'_> {
        // For each group whether the rules from the root down to it hold.
        let mut holds: FxHashMap<Uuid, bool> = FxHashMap::default();
        let mut matching = Vec::new();
        let mut with_match_below: FxHashSet<Uuid> = FxHashSet::default();
        for group in self.groups() {
            let above = group.id == group.parent || holds.get(&group.parent).copied().unwrap_or(false);
            let own = above && group.rule.as_ref().is_none_or(|rule| rule.holds_for(node, watch));
            holds.insert(group.id, own);
            if own && group.rule.is_some() {
                matching.push(group);
            }
        }
        for group in matching.iter().rev() {
            for ancestor in self.lineage(group).skip(1) {
                if !with_match_below.insert(ancestor.id) {
                    break;
                }
            }
        }
        let leaves = matching.iter().filter(|group| !with_match_below.contains(&group.id)).copied().collect();
        Matches { matching, leaves }
    }

    /// The environment that groups agree on, or that one of them imposes.
    fn environment(&self, leaves: &[&Group], conflict: &mut Conflict) -> String {
        let trumps: Vec<&Group> = leaves.iter().filter(|group| group.environment_trumps).copied().collect();
        let deciding = if trumps.is_empty() { leaves } else { &trumps };
        let Some(first) = deciding.first() else { return super::group::DEFAULT_ENVIRONMENT.to_owned() };
        if deciding.iter().any(|group| group.environment != first.environment) {
            let claims = deciding.iter().map(|group| Claim {
                value: Json::from(group.environment.as_str()),
                from: (*group).clone(),
                defined_by: (*group).clone(),
            });
            conflict.environment = claims.collect();
        }
        first.environment.clone()
    }

    /// The classes, or the configuration data, of groups together, and where they conflict.
    fn merged(
        &self,
        leaves: &[&Group],
        inherited: &[Group],
        part: Part,
        watch: &Watch<'_>,
    ) -> (ClassParameters, ClassConflicts) {
        let mut merged: IndexMap<&String, Values<'_>> = IndexMap::new();
        for (index, group) in inherited.iter().enumerate() {
            for (class, parameters) in part(group) {
                let found = merged.entry(class).or_default();
                for (name, value) in parameters {
                    found.entry(name).or_default().push((index, value));
                }
            }
        }
        let mut result = ClassParameters::new();
        let mut conflicts = ClassConflicts::new();
        for (class, parameters) in merged {
            let agreed_on = result.entry(class.clone()).or_default();
            for (name, values) in parameters {
                match agreed(&values) {
                    Some(value) => drop(agreed_on.insert(name.clone(), value.clone())),
                    None => {
                        let defines = |group: &Group| {
                            part(group).get(class).is_some_and(|parameters| parameters.contains_key(name))
                        };
                        let claims = self.claims(leaves, &values, &defines, watch);
                        conflicts.entry(class.clone()).or_default().insert(name.clone(), claims);
                    }
                }
            }
        }
        (result, conflicts)
    }

    /// The claims of values: the groups, and which of their ancestors define them.
    fn claims(
        &self,
        leaves: &[&Group],
        values: &[(usize, &Json)],
        defines: &dyn Fn(&Group) -> bool,
        watch: &Watch<'_>,
    ) -> Vec<Claim> {
        let claim = |(index, value): &(usize, &Json)| {
            // A claim has its groups whole.
            watch.check().ok()?;
            let from = *leaves.get(*index)?;
            let defined_by = self.lineage(from).find(|group| defines(group)).unwrap_or(from);
            Some(Claim { value: (*value).clone(), from: from.clone(), defined_by: defined_by.clone() })
        };
        values.iter().filter_map(claim).collect()
    }
}

/// The claims of groups for parameters of classes.
type ClassConflicts = IndexMap<String, IndexMap<String, Vec<Claim>>>;

/// The values of groups, by their index, for names.
type Values<'a> = IndexMap<&'a String, Vec<(usize, &'a Json)>>;

/// Selects the classes of a group.
type Part = fn(&Group) -> &ClassParameters;

/// The value, when all are the same.
fn agreed<'a>(values: &[(usize, &'a Json)]) -> Option<&'a Json> {
    let (_, first) = values.first()?;
    values.iter().all(|(_, value)| value == first).then_some(*first)
}
