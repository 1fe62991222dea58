//! A graph in the language of Graphviz.

use std::fmt::Write as _;

use super::graph::{BoxKind, Graph};
use super::model::EdgeKind;

/// The maximum nesting of frames.
const MAX_DEPTH: usize = 64;

impl Graph {
    /// The graph in the language DOT. Frames are clusters with a box of their own, where lines to them end.
    pub fn to_dot(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "digraph {} {{", quoted(&self.title));
        out.push_str("  rankdir=LR;\n  node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\", fontsize=11];\n");
        out.push_str("  edge [color=\"#555555\"];\n");
        let mut contents: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut tops = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            match node.parent.and_then(|parent| contents.get_mut(parent)) {
                Some(list) => list.push(number),
                None => tops.push(number),
            }
        }
        tops.iter().for_each(|&number| self.write_node(&mut out, number, &contents, 1));
        for line in &self.lines {
            let style = match line.kind {
                EdgeKind::Contains => "style=dashed, arrowhead=none",
                EdgeKind::Before => "style=solid",
                EdgeKind::Notify => "style=bold",
            };
            let red = if line.is_in_cycle { ", color=red, penwidth=2" } else { "" };
            let _ = writeln!(out, "  n{} -> n{} [{style}{red}];", line.source, line.target);
        }
        out.push_str("}\n");
        out
    }

    fn write_node(&self, out: &mut String, number: usize, contents: &[Vec<usize>], depth: usize) {
        let Some(node) = self.nodes.get(number) else { return };
        let inner: &[usize] = contents.get(number).map_or(&[], Vec::as_slice);
        let indent = "  ".repeat(depth);
        let mut attributes = format!("label={}", quoted(&node.label));
        match node.kind {
            BoxKind::Class => attributes.push_str(", fillcolor=\"#dbe9f9\""),
            BoxKind::Container => attributes.push_str(", fillcolor=\"#eef5e6\""),
            BoxKind::Resource => {}
        }
        if node.is_in_cycle {
            attributes.push_str(", color=red, penwidth=2");
        }
        if inner.is_empty() || depth > MAX_DEPTH {
            let _ = writeln!(out, "{indent}n{number} [{attributes}];");
            return;
        }
        let _ = writeln!(out, "{indent}subgraph cluster_{number} {{");
        let _ = writeln!(out, "{indent}  color=\"#9aa7b4\";");
        let _ = writeln!(out, "{indent}  n{number} [{attributes}];");
        inner.iter().for_each(|&number| self.write_node(out, number, contents, depth + 1));
        let _ = writeln!(out, "{indent}}}");
    }
}

/// A text in quotes. A newline stays one in the drawing.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "");
    format!("\"{escaped}\"")
}
