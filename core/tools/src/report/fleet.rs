//! The differences of many nodes' catalogs: each change once, with the nodes that have it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::diff::{Diff, Sides};
use super::text::line_diff;
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
    /// The changes on each of them. Texts of several lines have the same lines changed; what is around these
    /// lines is that of the first node.
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
        let mut alike: IndexMap<String, (Diff, Vec<usize>)> = IndexMap::new();
        for (key, (change, numbers)) in changes {
            let key = key_by_lines(&change, fuel)?.unwrap_or(key);
            alike.entry(key).or_insert_with(|| (change, Vec::new())).1.extend(numbers);
        }
        let mut groups: IndexMap<Vec<usize>, Diff> = IndexMap::new();
        for (change, mut numbers) in alike.into_values() {
            numbers.sort_unstable();
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

/// The same text for changes that differ in unchanged lines of texts only. `None` if no text has several
/// lines.
fn key_by_lines(change: &Diff, fuel: &dyn Fuel) -> Result<Option<String>, Error> {
    let mut by_lines = change.changed.clone();
    let mut has_lines = false;
    for parameter in by_lines.iter_mut().flat_map(|changed| &mut changed.parameters) {
        let (Some(from), Some(to)) = (&parameter.from, &parameter.to) else { continue };
        let Some(diff) = line_diff(from, to, fuel)? else { continue };
        has_lines = true;
        // The numbers of lines may differ.
        let lines: Vec<&str> = diff.lines().filter(|line| !line.starts_with("@@")).collect();
        (parameter.from, parameter.to) = (None, Some(lines.join("\n").into()));
    }
    Ok(has_lines.then(|| serde_json::to_string(&by_lines).unwrap_or_default()))
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
    use super::super::diff::{ChangedResource, ParameterChange};
    use super::*;
    use bunraku_pcore::fuel::Unmetered;

    #[test]
    fn a_change_is_there_once_with_all_its_nodes() {
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

    #[test]
    fn the_same_lines_of_different_texts_are_one_change() {
        let node = |name: &str, from: &str, to: &str| {
            let parameter = ParameterChange {
                name: "content".into(),
                from: Some(from.into()),
                to: Some(to.into()),
                paths: Vec::new(),
            };
            let changed = ChangedResource {
                resource: "File[/etc/motd]".into(),
                parameters: vec![parameter],
                exported: None,
            };
            NodeDiff { node: name.into(), diff: Diff { changed: vec![changed], ..Diff::default() } }
        };
        let nodes = vec![
            node("a", "a\n1\n2\n3\n", "a\n1\n2\n3\nnew\n"),
            node("b", "b\nb\n1\n2\n3\n", "b\nb\n1\n2\n3\nnew\n"),
            node("c", "c\n1\n2\n3\n", "c\n1\n2\n3\nother\n"),
        ];
        let fleet = Fleet::new("old", "new", nodes, &Unmetered).expect("nothing ends it");
        let groups: Vec<_> = fleet.groups.iter().map(|group| group.nodes.concat()).collect();
        assert_eq!(groups, ["ab", "c"]);
    }
}
