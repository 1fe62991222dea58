//! The differences of many nodes' catalogs: each change once, with the nodes that have it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::diff::{Diff, Sides};
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_syntax::diagnostic::Error;

/// A node with the differences of its catalogs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDiff {
    /// The certname.
    pub node: String,
    /// The differences.
    pub diff: Diff,
}

/// Changes that the same nodes have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The nodes.
    pub nodes: Vec<String>,
    /// The changes on each of them.
    pub diff: Diff,
}

/// The differences between two environments for many nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// The name of the first side.
    pub from: String,
    /// The name of the second side.
    pub to: String,
    /// The nodes whose catalogs are the same.
    pub same: Vec<String>,
    /// The nodes whose catalogs differ.
    pub different: Vec<String>,
    /// The nodes that fail to compile on both sides, for the same reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<String>,
    /// The changes: those of most nodes first. Every change is in one group, a node in as many as it takes.
    pub groups: Vec<Group>,
}

impl Fleet {
    /// Groups the differences of nodes.
    ///
    /// # Errors
    /// The fuel runs out, or the work is cancelled.
    pub fn new(
        from: impl Into<String>,
        to: impl Into<String>,
        nodes: Vec<NodeDiff>,
        fuel: &dyn Fuel,
    ) -> Result<Self, Error> {
        let mut fleet = Self { from: from.into(), to: to.into(), ..Self::default() };
        let mut changes: IndexMap<String, (Diff, Vec<usize>)> = IndexMap::new();
        for (number, NodeDiff { node, diff }) in nodes.iter().enumerate() {
            let list = match diff {
                Diff { fails: Some(_), .. } => &mut fleet.failing,
                diff if diff.is_empty() => &mut fleet.same,
                _ => &mut fleet.different,
            };
            list.push(node.clone());
            for change in single_changes(diff) {
                let key = serde_json::to_string(&change).unwrap_or_default();
                fuel.charge(1 + key.len() as u64 / BYTES_IN_STEP)?;
                changes.entry(key).or_insert_with(|| (change, Vec::new())).1.push(number);
            }
        }
        let mut groups: IndexMap<Vec<usize>, Diff> = IndexMap::new();
        for (change, numbers) in changes.into_values() {
            append(groups.entry(numbers).or_default(), change);
        }
        let name = |number: &usize| nodes.get(*number).map(|of| of.node.clone());
        let group = |(numbers, diff): (Vec<usize>, Diff)| Group {
            nodes: numbers.iter().filter_map(name).collect(),
            diff,
        };
        fleet.groups = groups.into_iter().map(group).collect();
        fleet.groups.sort_by_key(|group| std::cmp::Reverse(group.nodes.len()));
        Ok(fleet)
    }
}

/// The differences one by one: a resource, an edge, a class.
fn single_changes(diff: &Diff) -> Vec<Diff> {
    let mut changes = Vec::new();
    let none = Diff::default;
    let edges = |edges: Sides<_>| Diff { edges, ..none() };
    let classes = |classes: Sides<_>| Diff { classes, ..none() };
    changes.extend(diff.failure.iter().map(|failure| Diff { failure: Some(failure.clone()), ..none() }));
    changes.extend(diff.added.iter().map(|one| Diff { added: vec![one.clone()], ..none() }));
    changes.extend(diff.removed.iter().map(|one| Diff { removed: vec![one.clone()], ..none() }));
    changes.extend(diff.changed.iter().map(|one| Diff { changed: vec![one.clone()], ..none() }));
    let added = diff.edges.added.iter();
    changes.extend(added.map(|one| edges(Sides { added: vec![one.clone()], removed: Vec::new() })));
    let removed = diff.edges.removed.iter();
    changes.extend(removed.map(|one| edges(Sides { added: Vec::new(), removed: vec![one.clone()] })));
    let added = diff.classes.added.iter();
    changes.extend(added.map(|one| classes(Sides { added: vec![one.clone()], removed: Vec::new() })));
    let removed = diff.classes.removed.iter();
    changes.extend(removed.map(|one| classes(Sides { added: Vec::new(), removed: vec![one.clone()] })));
    changes
}

fn append(diff: &mut Diff, more: Diff) {
    diff.added.extend(more.added);
    diff.removed.extend(more.removed);
    diff.changed.extend(more.changed);
    diff.edges.added.extend(more.edges.added);
    diff.edges.removed.extend(more.edges.removed);
    diff.classes.added.extend(more.classes.added);
    diff.classes.removed.extend(more.classes.removed);
    diff.failure = diff.failure.take().or(more.failure);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::fuel::Unmetered;

    #[test]
    fn a_change_stands_once_with_all_nodes_that_have_it() {
        let classes = |names: &[&str]| Diff {
            classes: Sides { added: names.iter().map(ToString::to_string).collect(), removed: Vec::new() },
            ..Diff::default()
        };
        let node = |name: &str, names: &[&str]| NodeDiff { node: name.into(), diff: classes(names) };
        let nodes =
            vec![node("a", &["x", "y"]), node("b", &["y", "z", "x"]), node("c", &[]), node("d", &["z"])];
        let fleet = Fleet::new("old", "new", nodes, &Unmetered).expect("nothing ends it");
        assert_eq!(fleet.same, ["c"]);
        let groups: Vec<_> =
            fleet.groups.iter().map(|group| (group.nodes.concat(), group.diff.clone())).collect();
        assert_eq!(groups, [("ab".to_owned(), classes(&["x", "y"])), ("bd".to_owned(), classes(&["z"]))]);
    }
}
