//! A part of a graph: the neighbourhood of some boxes.

use std::collections::VecDeque;

use super::graph::{Graph, Line, Node};
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::keys;
use bunraku_syntax::diagnostic::Error;

/// The focus of a drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// References such as `Class[Nginx]`, ignoring case.
    pub references: Vec<String>,
    /// The maximum number of edges or frames between one of them and a box that is drawn.
    pub depth: usize,
}

impl Graph {
    /// The boxes that are near to those of the focus, the frames around them, and the lines between them.
    ///
    /// # Errors
    /// A reference is not in the graph; the fuel runs out.
    pub fn around(&self, focus: &Focus, fuel: &dyn Fuel) -> Result<Self, Error> {
        fuel.charge((self.nodes.len() + self.lines.len()) as u64)?;
        let neighbours = self.neighbours();
        let mut distances: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut left = VecDeque::new();
        for reference in &focus.references {
            left.push_back((self.number_of(reference)?, 0));
        }
        while let Some((number, distance)) = left.pop_front() {
            match distances.get_mut(number) {
                Some(known @ None) => *known = Some(distance),
                _ => continue,
            }
            if distance < focus.depth {
                let near = neighbours.get(number).into_iter().flatten();
                left.extend(near.map(|&near| (near, distance + 1)));
            }
        }
        let mut is_kept: Vec<bool> = distances.iter().map(Option::is_some).collect();
        // Indices of frames can be larger than those of their content.
        for start in 0..self.nodes.len() {
            let mut around =
                self.nodes.get(start).filter(|_| distances.get(start).is_some_and(Option::is_some));
            while let Some(parent) = around.and_then(|node| node.parent) {
                match is_kept.get_mut(parent) {
                    Some(kept @ false) => *kept = true,
                    _ => break,
                }
                around = self.nodes.get(parent);
            }
        }
        Ok(self.kept(&is_kept))
    }

    /// The number of the box of a reference.
    fn number_of(&self, reference: &str) -> Result<usize, Error> {
        let is_it = |node: &Node| first_line(&node.label).eq_ignore_ascii_case(reference);
        self.nodes.iter().position(is_it).ok_or_else(|| {
            let known = self.nodes.iter().map(|node| first_line(&node.label));
            keys::unknown(format!("{reference} is not in the graph"), reference, known)
        })
    }

    /// The boxes that a line or a frame joins to each.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut join = |one: usize, other: usize| {
            for (from, to) in [(one, other), (other, one)] {
                if let Some(list) = neighbours.get_mut(from) {
                    list.push(to);
                }
            }
        };
        self.lines.iter().for_each(|line| join(line.source, line.target));
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                join(number, parent);
            }
        }
        neighbours
    }

    /// The graph without the boxes that are not kept.
    fn kept(&self, is_kept: &[bool]) -> Self {
        let mut count = 0;
        let numbers: Vec<Option<usize>> = is_kept
            .iter()
            .map(|&is_kept| {
                count += usize::from(is_kept);
                is_kept.then(|| count - 1)
            })
            .collect();
        let number = |old: usize| numbers.get(old).copied().flatten();
        let kept = self.nodes.iter().enumerate().filter(|(old, _)| number(*old).is_some());
        let mut nodes: Vec<Node> = kept
            .map(|(_, node)| Node { parent: node.parent.and_then(number), is_frame: false, ..node.clone() })
            .collect();
        let parents: Vec<usize> = nodes.iter().filter_map(|node| node.parent).collect();
        for parent in parents {
            if let Some(node) = nodes.get_mut(parent) {
                node.is_frame = true;
            }
        }
        let line =
            |line: &Line| Some(Line { source: number(line.source)?, target: number(line.target)?, ..*line });
        let lines = self.lines.iter().filter_map(line).collect();
        Self { title: self.title.clone(), nodes, lines }
    }
}

/// The reference that a box shows.
fn first_line(label: &str) -> &str {
    label.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::graph::By;
    use super::*;
    use bunraku_pcore::fuel::Unmetered;
    use serde_json::json;

    fn graph() -> Graph {
        let resource = |title: &str, parameters: serde_json::Value| json!({ "type": "Notify", "title": title, "tags": [], "exported": false, "parameters": parameters });
        let catalog = json!({
            "name": "n", "version": 1, "classes": ["a"],
            "resources": [
                { "type": "Class", "title": "A", "tags": [], "exported": false, "parameters": {} },
                resource("one", json!({ "before": "Notify[two]" })),
                resource("two", json!({ "before": "Notify[three]" })),
                resource("three", json!({})),
                resource("alone", json!({})),
            ],
            "edges": [{ "source": "Class[A]", "target": "Notify[one]" }],
        });
        Graph::of_json(&catalog, By::Containment, &Unmetered).unwrap()
    }

    fn labels(references: &[&str], depth: usize) -> Vec<String> {
        let references = references.iter().map(|&reference| reference.to_owned()).collect();
        let part = graph().around(&Focus { references, depth }, &Unmetered).unwrap();
        part.nodes.into_iter().map(|node| node.label).collect()
    }

    #[test]
    fn what_is_near_is_kept_with_the_frames_around_it() {
        assert_eq!(labels(&["notify[ONE]"], 0), ["Class[A]", "Notify[one]"]);
        assert_eq!(labels(&["Notify[two]"], 1), ["Class[A]", "Notify[one]", "Notify[two]", "Notify[three]"]);
        assert_eq!(labels(&["Notify[three]"], 1), ["Notify[two]", "Notify[three]"]);
        assert_eq!(labels(&["Notify[three]", "Notify[alone]"], 0), ["Notify[three]", "Notify[alone]"]);
    }

    #[test]
    fn frames_and_lines_are_those_of_the_part() {
        let focus = Focus { references: vec!["Class[a]".to_owned()], depth: 2 };
        let part = graph().around(&focus, &Unmetered).unwrap();
        assert_eq!((part.nodes.len(), part.lines.len()), (3, 1));
        assert!(part.nodes[0].is_frame && part.nodes[1].parent == Some(0));
        let focus = Focus { references: vec!["Notify[thre]".to_owned()], depth: 2 };
        let error = graph().around(&focus, &Unmetered).unwrap_err();
        assert_eq!(error.message, "Notify[thre] is not in the graph (did you mean 'Notify[three]'?)");
    }
}
