//! The tree of groups: a parent for each, one root, no cycles.

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Map, Value as Json, json};
use uuid::Uuid;

use super::classes::KnownClasses;
use super::error::RequestError;
use super::group::{Group, ROOT};
use super::rule::Rule;
use bunraku_syntax::watch::Watch;

/// The environment that means the agent's own: its classes are unknown.
pub(super) const AGENT_SPECIFIED: &str = "agent-specified";

/// A sound tree of groups. Cheap to share; a change makes a new one that shares what did not change.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    groups: IndexMap<Uuid, Arc<Group>>,
    /// The groups, parents before their children.
    order: Vec<Uuid>,
    children: FxHashMap<Uuid, Vec<Uuid>>,
}

impl Default for Hierarchy {
    /// Only the root.
    fn default() -> Self {
        Self {
            groups: IndexMap::from([(ROOT, Arc::new(Group::root()))]),
            order: vec![ROOT],
            children: FxHashMap::default(),
        }
    }
}

/// A class or parameter that a group uses and its environment has not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Missing {
    class: String,
    parameter: Option<String>,
    environment: String,
    group: String,
    defined_by: String,
}

impl Missing {
    pub(super) fn sentence(&self) -> String {
        let Self { class, environment, group, defined_by, .. } = self;
        let inherited = if group == defined_by {
            String::new()
        } else {
            format!(", which is inherited from the group {defined_by}")
        };
        match &self.parameter {
            Some(parameter) => format!(
                "The group {group} sets the parameter {parameter} of the class {class}{inherited}, and the class has no \
                 such parameter in the environment {environment}."
            ),
            None => format!(
                "The group {group} uses the class {class}{inherited}, which does not exist in the environment {environment}."
            ),
        }
    }

    pub(super) fn to_json(&self) -> Json {
        let kind = if self.parameter.is_some() { "missing-parameter" } else { "missing-class" };
        json!({
            "kind": kind,
            "missing": self.parameter.as_ref().unwrap_or(&self.class),
            "environment": self.environment,
            "group": self.group,
            "defined_by": self.defined_by,
        })
    }
}

impl Hierarchy {
    /// The tree of these groups.
    ///
    /// # Errors
    /// Groups have the same name in an environment, a parent is missing, groups inherit in a cycle, or the
    /// root is missing.
    pub fn new(groups: impl IntoIterator<Item = Group>) -> Result<Self, RequestError> {
        Self::build(groups.into_iter().map(|group| (group.id, Arc::new(group))).collect())
    }

    /// The same tree without configuration data.
    pub(super) fn without_config_data(&self) -> Self {
        let mut stripped = self.clone();
        for group in stripped.groups.values_mut().filter(|group| !group.config_data.is_empty()) {
            Arc::make_mut(group).config_data.clear();
        }
        stripped
    }

    fn build(groups: IndexMap<Uuid, Arc<Group>>) -> Result<Self, RequestError> {
        let mut names = FxHashSet::default();
        let mut children: FxHashMap<Uuid, Vec<Uuid>> = FxHashMap::default();
        for group in groups.values() {
            if !names.insert((group.name.as_str(), group.environment.as_str())) {
                return Err(RequestError::uniqueness_violation(group));
            }
            if group.id == ROOT {
                if group.parent != ROOT {
                    return Err(RequestError::root_group(group));
                }
                continue;
            }
            if group.parent == group.id {
                return Err(RequestError::inheritance_cycle(&[group]));
            }
            if !groups.contains_key(&group.parent) {
                return Err(RequestError::missing_parent(group));
            }
            children.entry(group.parent).or_default().push(group.id);
        }
        let mut order: Vec<Uuid> = groups.contains_key(&ROOT).then_some(ROOT).into_iter().collect();
        let mut next = 0;
        while let Some(id) = order.get(next).copied() {
            next += 1;
            order.extend(children.get(&id).into_iter().flatten());
        }
        if order.len() < groups.len() {
            return Err(Self::unsound(&groups, &order));
        }
        Ok(Self { groups, order, children })
    }

    /// The reason why a group is not below the root: a cycle of inheritance, or a missing root.
    fn unsound(groups: &IndexMap<Uuid, Arc<Group>>, reached: &[Uuid]) -> RequestError {
        let reached: FxHashSet<Uuid> = reached.iter().copied().collect();
        let lost: Vec<&Group> =
            groups.values().filter(|group| !reached.contains(&group.id)).map(AsRef::as_ref).collect();
        // Every lost group has a parent that is lost: going up leads into the cycle.
        let mut way: IndexMap<Uuid, &Group> = IndexMap::new();
        let mut current = lost.first().copied();
        while let Some(group) = current {
            if let Some(start) = way.get_index_of(&group.id) {
                let cycle: Vec<&Group> = way.values().skip(start).copied().collect();
                return RequestError::inheritance_cycle(&cycle);
            }
            way.insert(group.id, group);
            current = groups.get(&group.parent).map(AsRef::as_ref);
        }
        RequestError::unreachable_groups(&lost)
    }

    /// The tree with a group added or replaced.
    ///
    /// # Errors
    /// As [`Hierarchy::new`].
    pub fn with(&self, group: Group) -> Result<Self, RequestError> {
        let mut groups = self.groups.clone();
        groups.insert(group.id, Arc::new(group));
        Self::build(groups)
    }

    /// The tree without a group.
    ///
    /// # Errors
    /// It has children, or it is the root.
    pub fn without(&self, group: &Group) -> Result<Self, RequestError> {
        let children: Vec<&Group> = self.children(group.id).collect();
        if !children.is_empty() {
            return Err(RequestError::children_present(group, &children));
        }
        if group.id == ROOT {
            return Err(RequestError::root_group(group));
        }
        let mut groups = self.groups.clone();
        groups.shift_remove(&group.id);
        Self::build(groups)
    }

    /// The group with an id.
    pub fn get(&self, id: Uuid) -> Option<&Group> {
        self.groups.get(&id).map(AsRef::as_ref)
    }

    /// All groups, parents before their children.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.order.iter().filter_map(|id| self.get(*id))
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there are no groups, not even the root.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The groups whose parent has an id.
    pub fn children(&self, id: Uuid) -> impl Iterator<Item = &Group> {
        self.children.get(&id).into_iter().flatten().filter_map(|child| self.get(*child))
    }

    /// A group, its parent, and so on to the root.
    pub fn lineage<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = &'a Group> {
        std::iter::successors(Some(group), |group| {
            (group.id != ROOT).then(|| self.get(group.parent)).flatten()
        })
    }

    /// A group with its inherited values.
    pub fn inherited(&self, group: &Group) -> Group {
        self.inherited_watched(group, &Watch::default())
    }

    /// As [`inherited`](Self::inherited); the result only counts if the watch has not cancelled the work.
    pub(super) fn inherited_watched(&self, group: &Group, watch: &Watch<'_>) -> Group {
        let mut whole = group.clone();
        for ancestor in self.lineage(group).skip(1).take_while(|_| watch.check().is_ok()) {
            whole.inherit(ancestor);
        }
        whole
    }

    /// A group and all below it.
    pub(super) fn descendants<'a>(&'a self, group: &'a Group) -> Vec<&'a Group> {
        let mut found = vec![group];
        let mut next = 0;
        while let Some(group) = found.get(next).copied() {
            next += 1;
            found.extend(self.children(group.id));
        }
        found
    }

    /// A group's rule and those of its ancestors: a node of a group is in the groups above it, too.
    pub(super) fn inherited_rule(&self, group: &Group) -> Option<Json> {
        let rules: Vec<Json> =
            self.lineage(group).filter_map(|group| group.rule.as_ref()).map(Rule::to_json).collect();
        match rules.len() {
            0 => None,
            1 => rules.into_iter().next(),
            _ => Some(std::iter::once(Json::from("and")).chain(rules).collect()),
        }
    }

    /// The classes and parameters that a group and those below it use, own or inherited, and their
    /// environments have not.
    pub(super) fn missing(
        &self,
        group: &Group,
        known: &dyn Fn(&str) -> Option<Arc<KnownClasses>>,
        watch: &Watch<'_>,
    ) -> FxHashSet<Missing> {
        let mut missing = FxHashSet::default();
        for group in self.descendants(group) {
            if group.environment == AGENT_SPECIFIED {
                continue;
            }
            let Some(classes) = known(&group.environment) else { continue };
            for definer in self.lineage(group).take_while(|_| watch.check().is_ok()) {
                for (class, parameters) in &definer.classes {
                    let mut note = |parameter: Option<&String>| {
                        missing.insert(Missing {
                            class: class.clone(),
                            parameter: parameter.cloned(),
                            environment: group.environment.clone(),
                            group: group.name.clone(),
                            defined_by: definer.name.clone(),
                        });
                    };
                    match classes.get(class) {
                        Some(known) => {
                            parameters
                                .keys()
                                .filter(|name| !known.contains_key(*name))
                                .for_each(|name| note(Some(name)));
                        }
                        None => note(None),
                    }
                }
            }
        }
        missing
    }
}

/// The parts of a group's classes that its environment no longer has: the member `deleted`.
pub(super) fn deleted(group: &Group, known: Option<&KnownClasses>) -> Option<Json> {
    const MARK: &str = "puppetlabs.classifier/deleted";
    let known = known.filter(|_| group.environment != AGENT_SPECIFIED)?;
    let mut deleted = Map::new();
    for (class, parameters) in &group.classes {
        let Some(own) = known.get(class) else {
            deleted.insert(class.clone(), json!({ MARK: true }));
            continue;
        };
        let mut lost = Map::new();
        for (name, value) in parameters.iter().filter(|(name, _)| !own.contains_key(*name)) {
            lost.insert(name.clone(), json!({ MARK: true, "value": value }));
        }
        if !lost.is_empty() {
            lost.shift_insert(0, MARK.to_owned(), Json::Bool(false));
            deleted.insert(class.clone(), Json::Object(lost));
        }
    }
    (!deleted.is_empty()).then_some(Json::Object(deleted))
}
