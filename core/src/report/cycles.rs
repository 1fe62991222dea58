//! Cycles of dependencies: resources of which each has to come before itself.
//!
//! As in the reference's relationship graph, what comes before a container comes before all that it contains, and what
//! comes behind it comes behind all of that. Every resource is therefore two vertices, its begin and its end.

use indexmap::IndexMap;

use super::model::{CatalogModel, Edge, EdgeKind};

/// The cycles of a catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// The references of the resources of each cycle.
    pub resources: Vec<Vec<String>>,
    components: IndexMap<String, (usize, usize)>,
    /// How many vertices each component has.
    sizes: Vec<usize>,
}

impl Cycles {
    /// Finds the cycles.
    pub fn of(model: &CatalogModel) -> Self {
        let numbers: IndexMap<&str, usize> =
            model.resources.keys().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let (begin, end) = (|number: usize| 2 * number, |number: usize| 2 * number + 1);
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); 2 * numbers.len()];
        let mut add = |from: usize, to: usize| {
            if let Some(list) = targets.get_mut(from) {
                list.push(to);
            }
        };
        (0..numbers.len()).for_each(|number| add(begin(number), end(number)));
        for edge in &model.edges {
            let ends = (numbers.get(edge.source.as_str()), numbers.get(edge.target.as_str()));
            let (Some(&source), Some(&target)) = ends else { continue };
            match edge.relationship {
                EdgeKind::Contains => {
                    add(begin(source), begin(target));
                    add(end(target), end(source));
                }
                EdgeKind::Before | EdgeKind::Notify => add(end(source), begin(target)),
            }
        }
        let component = strongly_connected(&targets);
        let mut sizes = vec![0; targets.len()];
        for &of in &component {
            if let Some(size) = sizes.get_mut(of) {
                *size += 1;
            }
        }
        let of = |vertex: usize| component.get(vertex).copied().unwrap_or_default();
        let components =
            numbers.iter().map(|(name, &number)| ((*name).to_owned(), (of(begin(number)), of(end(number)))));
        let mut cycles = Self { resources: Vec::new(), components: components.collect(), sizes };
        let mut resources: IndexMap<usize, Vec<String>> = IndexMap::new();
        for (name, &(begin, end)) in &cycles.components {
            if let Some(cycle) = [begin, end].into_iter().find(|&component| cycles.is_cycle(component)) {
                resources.entry(cycle).or_default().push(name.clone());
            }
        }
        cycles.resources = resources.into_values().collect();
        cycles
    }

    fn is_cycle(&self, component: usize) -> bool {
        self.sizes.get(component).is_some_and(|&size| size > 1)
    }

    /// Whether a resource is in a cycle.
    pub fn has_resource(&self, reference: &str) -> bool {
        let component = self.components.get(reference);
        component.is_some_and(|&(begin, end)| self.is_cycle(begin) || self.is_cycle(end))
    }

    /// Whether an edge is a part of a cycle.
    pub fn has_edge(&self, edge: &Edge) -> bool {
        let ends = (self.components.get(&edge.source), self.components.get(&edge.target));
        let (Some(source), Some(target)) = ends else { return false };
        match edge.relationship {
            EdgeKind::Contains => {
                source.0 == target.0 && self.is_cycle(source.0)
                    || source.1 == target.1 && self.is_cycle(source.1)
            }
            EdgeKind::Before | EdgeKind::Notify => source.1 == target.0 && self.is_cycle(source.1),
        }
    }
}

/// The number of the strongly connected component of each vertex, by Tarjan's algorithm, without recursion.
fn strongly_connected(targets: &[Vec<usize>]) -> Vec<usize> {
    const NEW: usize = usize::MAX;
    let count = targets.len();
    let (mut index, mut low) = (vec![NEW; count], vec![NEW; count]);
    let (mut component, mut on_stack) = (vec![NEW; count], vec![false; count]);
    let (mut stack, mut next_index, mut next_component) = (Vec::new(), 0, 0);
    for start in 0..count {
        if index[start] != NEW {
            continue;
        }
        let mut calls = vec![(start, 0)];
        while let Some((vertex, at)) = calls.pop() {
            if at == 0 {
                index[vertex] = next_index;
                low[vertex] = next_index;
                next_index += 1;
                stack.push(vertex);
                on_stack[vertex] = true;
            }
            match targets[vertex].get(at) {
                Some(&target) => {
                    calls.push((vertex, at + 1));
                    if index[target] == NEW {
                        calls.push((target, 0));
                    } else if on_stack[target] {
                        low[vertex] = low[vertex].min(index[target]);
                    }
                }
                None => {
                    if low[vertex] == index[vertex] {
                        while let Some(member) = stack.pop() {
                            on_stack[member] = false;
                            component[member] = next_component;
                            if member == vertex {
                                break;
                            }
                        }
                        next_component += 1;
                    }
                    if let Some(&(caller, _)) = calls.last() {
                        low[caller] = low[caller].min(low[vertex]);
                    }
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn cycles(resources: serde_json::Value, edges: serde_json::Value) -> Vec<Vec<String>> {
        let catalog = json!({ "resources": resources, "edges": edges });
        Cycles::of(&CatalogModel::read(&catalog).expect("it is a catalog")).resources
    }

    #[test]
    fn what_requires_its_own_container_is_in_a_cycle() {
        let resources = json!([
            { "type": "Class", "title": "A" },
            { "type": "File", "title": "/x", "parameters": {"require": "Class[A]"} },
            { "type": "File", "title": "/y", "parameters": {"require": "File[/x]"} },
        ]);
        let edges = json!([{ "source": "Class[A]", "target": "File[/x]" }]);
        assert_eq!(cycles(resources, edges), [["Class[A]", "File[/x]"]]);
    }

    #[test]
    fn a_chain_is_no_cycle_and_a_ring_is_one() {
        let file = |title: &str, before: &str| json!({ "type": "File", "title": title, "parameters": {"before": before} });
        let chain = json!([file("a", "File[b]"), file("b", "File[c]"), { "type": "File", "title": "c" }]);
        assert!(cycles(chain, json!([])).is_empty());
        let ring = json!([file("a", "File[b]"), file("b", "File[c]"), file("c", "File[a]")]);
        assert_eq!(cycles(ring, json!([])), [["File[a]", "File[b]", "File[c]"]]);
    }
}
