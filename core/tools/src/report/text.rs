//! Differences as text to read.

use std::fmt::Write as _;

use serde_json::Value as Json;
use similar::TextDiff;

use super::diff::{ChangedResource, Diff, ParameterChange, ResourceEntry};
use super::fleet::Fleet;
use super::model::{Edge, EdgeKind};
use super::value::puppet_text;

/// How many names of nodes a line has.
const NODES_SHOWN: usize = 4;

/// The differences of two catalogs as text; empty when there are none.
pub fn diff_to_text(diff: &Diff) -> String {
    let mut out = String::new();
    write_diff(&mut out, diff);
    out
}

/// The differences of many nodes as text: a summary, and each group of changes under the nodes that have it.
pub fn fleet_to_text(fleet: &Fleet) -> String {
    let mut out = String::new();
    let (same, different) = (fleet.same.len(), fleet.different.len());
    line(
        &mut out,
        format_args!(
            "{} -> {}: {} nodes, {different} differ, {same} the same",
            fleet.from,
            fleet.to,
            same + different
        ),
    );
    for group in &fleet.groups {
        line(&mut out, format_args!("\n{}: {}", counted(group.nodes.len(), "node"), names(&group.nodes)));
        let mut text = String::new();
        write_diff(&mut text, &group.diff);
        for line in text.lines() {
            let _ = if line.is_empty() { writeln!(out) } else { writeln!(out, "  {line}") };
        }
    }
    out
}

fn names(nodes: &[String]) -> String {
    let shown = nodes.iter().take(NODES_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match nodes.len().checked_sub(NODES_SHOWN) {
        Some(more) if more > 0 => format!("{shown} and {more} more"),
        _ => shown,
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

/// `1 node`, `2 nodes`
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn write_diff(out: &mut String, diff: &Diff) {
    if let Some(failure) = &diff.failure {
        match (&failure.from, &failure.to) {
            (None, Some(to)) => line(out, format_args!("! fails now: {to}")),
            (Some(from), None) => line(out, format_args!("! failed before, compiles now: {from}")),
            (from, to) => {
                line(out, format_args!("! failed before: {}", from.as_deref().unwrap_or_default()));
                line(out, format_args!("! fails now:     {}", to.as_deref().unwrap_or_default()));
            }
        }
    }
    diff.removed.iter().for_each(|entry| write_entry(out, '-', entry));
    diff.added.iter().for_each(|entry| write_entry(out, '+', entry));
    diff.changed.iter().for_each(|changed| write_changed(out, changed));
    let edges = diff.telling_edges();
    if !edges.added.is_empty() || !edges.removed.is_empty() {
        out.push_str("edges\n");
        edges.removed.iter().for_each(|edge| line(out, format_args!("  - {}", edge_text(edge))));
        edges.added.iter().for_each(|edge| line(out, format_args!("  + {}", edge_text(edge))));
    }
    if !diff.classes.added.is_empty() || !diff.classes.removed.is_empty() {
        out.push_str("classes\n");
        diff.classes.removed.iter().for_each(|class| line(out, format_args!("  - {class}")));
        diff.classes.added.iter().for_each(|class| line(out, format_args!("  + {class}")));
    }
}

fn write_entry(out: &mut String, sign: char, entry: &ResourceEntry) {
    line(out, format_args!("{sign} {}", entry.resource));
    for (name, value) in &entry.parameters {
        line(out, format_args!("    {name} => {}", puppet_text(value)));
    }
}

fn write_changed(out: &mut String, changed: &ChangedResource) {
    line(out, format_args!("~ {}", changed.resource));
    if let Some(exported) = changed.exported {
        line(
            out,
            format_args!("    {}", if exported { "is exported now" } else { "is not exported any more" }),
        );
    }
    for change in &changed.parameters {
        write_change(out, change);
    }
}

fn write_change(out: &mut String, change: &ParameterChange) {
    let name = &change.name;
    match (&change.from, &change.to) {
        (None, Some(to)) => line(out, format_args!("    + {name} => {}", puppet_text(to))),
        (Some(from), None) => line(out, format_args!("    - {name} => {}", puppet_text(from))),
        (Some(from), Some(to)) => {
            if let Some(lines) = line_diff(from, to) {
                line(out, format_args!("    {name}:"));
                lines.lines().for_each(|text| line(out, format_args!("      {text}")));
            } else if change.paths.is_empty() {
                line(out, format_args!("    {name}: {} -> {}", puppet_text(from), puppet_text(to)));
            } else {
                for inner in &change.paths {
                    let path = path_of(name, &inner.path);
                    let _ = match (&inner.from, &inner.to) {
                        (None, Some(to)) => writeln!(out, "    + {path} => {}", puppet_text(to)),
                        (Some(from), None) => writeln!(out, "    - {path} => {}", puppet_text(from)),
                        (from, to) => {
                            writeln!(out, "    {path}: {} -> {}", shown(from.as_ref()), shown(to.as_ref()))
                        }
                    };
                }
            }
        }
        (None, None) => {}
    }
}

fn shown(value: Option<&Json>) -> String {
    value.map(puppet_text).unwrap_or_default()
}

/// The path of something within a parameter.
pub(super) fn path_of(name: &str, path: &str) -> String {
    let dot = if path.starts_with('[') { "" } else { "." };
    format!("{name}{dot}{path}")
}

/// The differing lines of two texts with a few around them; none unless both are texts and one has several lines.
pub(super) fn line_diff(from: &Json, to: &Json) -> Option<String> {
    let (Json::String(from), Json::String(to)) = (from, to) else { return None };
    if !from.trim_end().contains('\n') && !to.trim_end().contains('\n') {
        return None;
    }
    Some(TextDiff::from_lines(from.as_str(), to.as_str()).unified_diff().context_radius(2).to_string())
}

/// An edge as Puppet would write it.
pub(super) fn edge_text(edge: &Edge) -> String {
    let between = match edge.relationship {
        EdgeKind::Contains => "contains",
        EdgeKind::Before => "->",
        EdgeKind::Notify => "~>",
    };
    format!("{} {between} {}", edge.source, edge.target)
}
