//! How a classification comes about, step by step.

use serde_json::{Map, Value as Json, json};

use super::classify::{Conflict, Node};
use super::group::{Group, classes_to_json};
use super::hierarchy::Hierarchy;
use bunraku_syntax::watch::Watch;

impl Hierarchy {
    /// Explains how a node is classified: `match_explanations` (the rules of its groups, with the values that
    /// they matched), `leaf_groups`, `inherited_classifications`, and `final_classification` with
    /// `classification_sources`, or `conflicts`; and `node_as_received`. The result only counts if the watch
    /// has not cancelled the work.
    pub fn explain(&self, node: &Node, watch: &Watch<'_>) -> Json {
        let matches = self.matches(node, watch);
        let by_id = |groups: &[&Group], say: &dyn Fn(&Group) -> Json| -> Json {
            let groups = groups.iter().take_while(|_| watch.check().is_ok());
            let members = groups.map(|group| (group.id.to_string(), say(group)));
            Json::Object(members.collect())
        };
        let mut explanation = json!({
            "node_as_received": { "name": node.name, "fact": node.facts, "trusted": node.trusted },
            "match_explanations": by_id(&matches.matching, &|group| {
                group.rule.as_ref().map(|rule| rule.explain(node, watch)).unwrap_or_default()
            }),
            "leaf_groups": by_id(&matches.leaves, &Group::to_json),
            "inherited_classifications": by_id(&matches.leaves, &|group| said(&self.inherited_watched(group, watch))),
        });
        match self.classify_watched(node, watch) {
            Ok(classification) => {
                explanation["final_classification"] = json!({
                    "environment": classification.environment,
                    "classes": classes_to_json(&classification.classes),
                    "config_data": classes_to_json(&classification.config_data),
                    "variables": classification.variables,
                });
                explanation["classification_sources"] = self.sources(&matches.leaves, watch);
            }
            Err(conflict) => explanation["conflicts"] = Conflict::to_json(&conflict),
        }
        explanation
    }

    /// The groups that set a node's values.
    fn sources(&self, leaves: &[&Group], watch: &Watch<'_>) -> Json {
        let (mut environment, mut variables) = (Vec::new(), Map::new());
        let mut classes: Map<String, Json> = Map::new();
        let note = |sources: &mut Json, group: &Group| {
            let name = Json::from(group.name.as_str());
            match sources {
                Json::Array(names) if !names.contains(&name) => names.push(name),
                Json::Array(_) => {}
                other => *other = json!([name]),
            }
        };
        let trumped = leaves.iter().any(|group| group.environment_trumps);
        for leaf in leaves {
            if leaf.environment_trumps || !trumped {
                environment.push(Json::from(leaf.name.as_str()));
            }
            for group in self.lineage(leaf).take_while(|_| watch.check().is_ok()) {
                for name in group.variables.keys() {
                    let is_own = !below(self, leaf, group).any(|below| below.variables.contains_key(name));
                    if is_own {
                        note(variables.entry(name.clone()).or_insert(Json::Null), group);
                    }
                }
                for (class, parameters) in &group.classes {
                    let sources = classes
                        .entry(class.clone())
                        .or_insert_with(|| json!({ "puppetlabs.classifier/sources": [], "parameters": {} }));
                    note(&mut sources["puppetlabs.classifier/sources"], group);
                    for name in parameters.keys() {
                        let sets = |below: &Group| {
                            below.classes.get(class).is_some_and(|parameters| parameters.contains_key(name))
                        };
                        if !below(self, leaf, group).any(sets) {
                            note(&mut sources["parameters"][name.as_str()], group);
                        }
                    }
                }
            }
        }
        json!({ "environment": environment, "classes": classes, "variables": variables })
    }
}

/// The groups from a leaf up to, and without, one of its ancestors.
fn below<'a>(
    hierarchy: &'a Hierarchy,
    leaf: &'a Group,
    ancestor: &'a Group,
) -> impl Iterator<Item = &'a Group> {
    hierarchy.lineage(leaf).take_while(|group| group.id != ancestor.id)
}

/// The result of a group for its nodes.
fn said(group: &Group) -> Json {
    json!({
        "environment": group.environment,
        "environment_trumps": group.environment_trumps,
        "classes": classes_to_json(&group.classes),
        "config_data": classes_to_json(&group.config_data),
        "variables": group.variables,
    })
}
