//! Differences as text to read.

use std::fmt::Write as _;

use imara_diff::{Algorithm, BasicLineDiffPrinter, InternedInput, UnifiedDiffConfig};
use serde_json::Value as Json;
use similar::TextDiff;

use super::diff::{COMPARISONS_IN_STEP, ChangedResource, Diff, ParameterChange, ResourceEntry};
use super::fleet::Fleet;
use super::html;
use super::model::{Edge, EdgeKind};
use super::value::puppet_text;
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_syntax::diagnostic::Error;

/// The number of names of nodes in a line.
const NODES_SHOWN: usize = 4;

/// The maximum number of pairs of lines for a search of the shortest edit; with more, a short one is
/// sufficient.
const MAX_PAIRS: usize = 4_000_000;

/// The differences of two catalogs as text; empty if there are none. If only the order of resources differs,
/// the text is a line about it.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn diff_to_text(diff: &Diff, fuel: &dyn Fuel) -> Result<String, Error> {
    let mut out = String::new();
    write_diff(&mut out, diff, fuel)?;
    if out.is_empty() && diff.reordered {
        line(&mut out, format_args!("  the order of resources alone"));
    }
    Ok(out)
}

/// The differences of many nodes as text: a summary, and each group of changes under the nodes that have it.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn fleet_to_text(fleet: &Fleet, fuel: &dyn Fuel) -> Result<String, Error> {
    let mut out = String::new();
    line(&mut out, format_args!("{} -> {}: {}", fleet.from, fleet.to, counts(fleet)));
    for group in &fleet.groups {
        line(&mut out, format_args!("\n{}: {}", counted(group.nodes.len(), "node"), names(&group.nodes)));
        let mut text = String::new();
        write_diff(&mut text, &group.diff, fuel)?;
        for line in text.lines() {
            let _ = if line.is_empty() { writeln!(out) } else { writeln!(out, "  {line}") };
        }
    }
    Ok(out)
}

/// The differences of many nodes as Markdown, for what people discuss a change in: a summary, and each group
/// of changes folded under the nodes that have it.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn fleet_to_markdown(fleet: &Fleet, fuel: &dyn Fuel) -> Result<String, Error> {
    let mut out = String::new();
    line(&mut out, format_args!("### Catalogs: {} → {}\n", inline(&fleet.from), inline(&fleet.to)));
    line(&mut out, format_args!("{}", counts(fleet)));
    for group in &fleet.groups {
        let mut text = String::new();
        write_diff(&mut text, &group.diff, fuel)?;
        fuel.charge(1 + text.len() as u64 / BYTES_IN_STEP)?;
        let fence = "`".repeat(longest_run(&text).max(2) + 1);
        let nodes = html::escape(&names(&group.nodes));
        let count = counted(group.nodes.len(), "node");
        line(&mut out, format_args!("\n<details><summary>{count}: {nodes}</summary>\n\n{fence}diff"));
        out.push_str(text.trim_end_matches('\n'));
        line(&mut out, format_args!("\n{fence}\n\n</details>"));
    }
    Ok(out)
}

/// A text as code within a line of Markdown.
fn inline(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    format!("{fence} {} {fence}", text.replace('\n', " "))
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or_default()
}

/// `3 nodes, 1 differ, 2 the same`
fn counts(fleet: &Fleet) -> String {
    let (same, different, failing) = (fleet.same.len(), fleet.different.len(), fleet.failing.len());
    let fail = if failing == 0 { String::new() } else { format!(", {failing} fail on both sides") };
    format!("{} nodes, {different} differ, {same} the same{fail}", same + different + failing)
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

fn write_diff(out: &mut String, diff: &Diff, fuel: &dyn Fuel) -> Result<(), Error> {
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
    for (sign, entry) in
        diff.removed.iter().map(|entry| ('-', entry)).chain(diff.added.iter().map(|entry| ('+', entry)))
    {
        fuel.charge(1 + entry.parameters.len() as u64)?;
        write_entry(out, sign, entry);
    }
    for changed in &diff.changed {
        write_changed(out, changed, fuel)?;
    }
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
    Ok(())
}

fn write_entry(out: &mut String, sign: char, entry: &ResourceEntry) {
    line(out, format_args!("{sign} {}", entry.resource));
    for (name, value) in &entry.parameters {
        line(out, format_args!("    {name} => {}", puppet_text(value)));
    }
}

fn write_changed(out: &mut String, changed: &ChangedResource, fuel: &dyn Fuel) -> Result<(), Error> {
    line(out, format_args!("~ {}", changed.resource));
    if let Some(exported) = changed.exported {
        line(
            out,
            format_args!("    {}", if exported { "is exported now" } else { "is not exported any more" }),
        );
    }
    for change in &changed.parameters {
        write_change(out, change, fuel)?;
    }
    Ok(())
}

fn write_change(out: &mut String, change: &ParameterChange, fuel: &dyn Fuel) -> Result<(), Error> {
    fuel.charge(1 + change.paths.len() as u64)?;
    let name = &change.name;
    match (&change.from, &change.to) {
        (None, Some(to)) => line(out, format_args!("    + {name} => {}", puppet_text(to))),
        (Some(from), None) => line(out, format_args!("    - {name} => {}", puppet_text(from))),
        (Some(from), Some(to)) => {
            if let Some(lines) = line_diff(from, to, fuel)? {
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
    Ok(())
}

fn shown(value: Option<&Json>) -> String {
    value.map(puppet_text).unwrap_or_default()
}

/// The path of something within a parameter.
pub(super) fn path_of(name: &str, path: &str) -> String {
    let dot = if path.starts_with('[') { "" } else { "." };
    format!("{name}{dot}{path}")
}

/// The differing lines of two texts with a few around them; none unless both are texts and one has several
/// lines.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub(super) fn line_diff(from: &Json, to: &Json, fuel: &dyn Fuel) -> Result<Option<String>, Error> {
    let (Json::String(from), Json::String(to)) = (from, to) else { return Ok(None) };
    if !from.trim_end().contains('\n') && !to.trim_end().contains('\n') {
        return Ok(None);
    }
    let lines = |text: &str| text.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let (before, after) = (lines(from), lines(to));
    let pairs = before.saturating_mul(after);
    if pairs <= MAX_PAIRS {
        fuel.charge(1 + pairs as u64 / COMPARISONS_IN_STEP)?;
        let diff = TextDiff::from_lines(from.as_str(), to.as_str());
        return Ok(Some(diff.unified_diff().context_radius(2).to_string()));
    }
    fuel.charge((before + after) as u64)?;
    let input = InternedInput::new(from.as_str(), to.as_str());
    let diff = imara_diff::Diff::compute(Algorithm::Histogram, &input);
    let mut config = UnifiedDiffConfig::default();
    config.context_len(2);
    Ok(Some(diff.unified_diff(&BasicLineDiffPrinter(&input.interner), config, &input).to_string()))
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
