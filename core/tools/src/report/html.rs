//! Differences as one page to look through: no other file, no network, and readable without its script.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use super::diff::{ChangedResource, Diff, ParameterChange, ResourceEntry};
use super::fleet::{Fleet, Group};
use super::text::{counted, edge_text, line_diff, path_of};
use super::value::puppet_text;
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;

/// How it looks.
const STYLE: &str = include_str!("page.css");

/// The code for search and filters.
const SCRIPT: &str = include_str!("page.js");

/// The differences of many nodes as a page.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub fn fleet_to_html(fleet: &Fleet, fuel: &dyn Fuel) -> Result<String, Error> {
    let mut page = Page { out: String::new(), fuel };
    let (same, different, failing) = (fleet.same.len(), fleet.different.len(), fleet.failing.len());
    let fail = match failing {
        0 => String::new(),
        _ => format!("<li><b>{failing}</b> fail on both sides</li>"),
    };
    page.head(&format!("{} → {}", fleet.from, fleet.to));
    let _ = write!(
        page.out,
        "<header><h1>Catalog differences</h1>\n<p class=\"sides\"><b class=\"from\">{}</b> → <b class=\"to\">{}</b></p>\n\
         <ul class=\"counts\"><li><b>{}</b> nodes</li><li class=\"differ\"><b>{different}</b> differ</li>\
         <li><b>{same}</b> the same</li>{fail}<li><b>{}</b> groups of changes</li></ul>\n",
        escape(&fleet.from),
        escape(&fleet.to),
        same + different + failing,
        fleet.groups.len()
    );
    page.controls();
    page.out.push_str("</header>\n<main>\n");
    if fleet.groups.is_empty() {
        page.out.push_str("<p class=\"nothing\">All catalogs are the same.</p>\n");
    }
    for (number, group) in fleet.groups.iter().enumerate() {
        page.group(number + 1, group, fleet.groups.len() == 1)?;
    }
    page.out.push_str("<p id=\"none\" hidden>Nothing fits the search.</p>\n");
    page.nodes(fleet)?;
    page.out.push_str("</main>\n");
    let _ = writeln!(page.out, "<script>{SCRIPT}</script>\n</body>\n</html>");
    Ok(page.out)
}

/// A text with what HTML and XML have a meaning for replaced; control characters that XML does not allow are
/// shown as `�`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(char),
            char if char.is_control() => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
    out
}

struct Page<'m> {
    out: String,
    fuel: &'m dyn Fuel,
}

impl Page<'_> {
    fn head(&mut self, title: &str) {
        let _ = write!(
            self.out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'unsafe-inline'\">\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
            escape(title)
        );
    }

    fn controls(&mut self) {
        self.out.push_str(
            "<form class=\"controls\" onsubmit=\"return false\"><input id=\"search\" type=\"search\" \
             placeholder=\"Search resources, parameters, values, nodes\" aria-label=\"Search\" autocomplete=\"off\">\n",
        );
        let kinds = [
            ("added", "added"),
            ("removed", "removed"),
            ("changed", "changed"),
            ("graph", "edges and classes"),
            ("failed", "failures"),
        ];
        for (kind, name) in kinds {
            let _ = writeln!(
                self.out,
                "<label class=\"{kind}\"><input type=\"checkbox\" data-kind=\"{kind}\" checked> {name}</label>"
            );
        }
        self.out.push_str(
            "<button type=\"button\" id=\"open\">Open all</button> <button type=\"button\" id=\"close\">Close all</button>\
             </form>\n",
        );
    }

    fn group(&mut self, number: usize, group: &Group, is_open: bool) -> Result<(), Error> {
        let diff = &group.diff;
        let _ = writeln!(
            self.out,
            "<details class=\"group\" id=\"group-{number}\"{}><summary><span class=\"number\">{}</span> {}</summary>",
            if is_open || number <= 3 { " open" } else { "" },
            counted(group.nodes.len(), "node"),
            summary(diff)
        );
        self.node_list(&group.nodes);
        if let Some(failure) = &diff.failure {
            self.out.push_str("<article class=\"change failed\"><h3>Compilation</h3><table>\n");
            let mut row = |class: &str, what: &str, message: Option<&str>| {
                let message = message.map_or_else(|| "compiles".to_owned(), escape);
                let _ = writeln!(self.out, "<tr class=\"{class}\"><th>{what}</th><td>{message}</td></tr>");
            };
            row("minus", "before", failure.from.as_deref());
            row("plus", "now", failure.to.as_deref());
            self.out.push_str("</table></article>\n");
        }
        for entry in &diff.removed {
            self.entry(entry, "removed", "minus")?;
        }
        for entry in &diff.added {
            self.entry(entry, "added", "plus")?;
        }
        for changed in &diff.changed {
            self.changed(changed)?;
        }
        self.graph(diff);
        self.out.push_str("</details>\n");
        Ok(())
    }

    fn node_list(&mut self, nodes: &[String]) {
        let is_long = nodes.len() > 12;
        if is_long {
            let _ = write!(
                self.out,
                "<details class=\"names\"><summary>{}</summary>",
                counted(nodes.len(), "node")
            );
        }
        self.out.push_str("<p class=\"nodes\">");
        for node in nodes {
            let _ = write!(self.out, "<code>{}</code> ", escape(node));
        }
        self.out.push_str(if is_long { "</p></details>\n" } else { "</p>\n" });
    }

    fn entry(&mut self, entry: &ResourceEntry, kind: &str, sign: &str) -> Result<(), Error> {
        self.fuel.charge(1 + entry.parameters.len() as u64)?;
        let _ = writeln!(
            self.out,
            "<article class=\"change {kind}\"><h3>{}</h3>{}",
            escape(&entry.resource),
            if entry.parameters.is_empty() { "" } else { "<table>" }
        );
        for (name, value) in &entry.parameters {
            self.row(sign, name, &value_cell(value));
        }
        self.out.push_str(if entry.parameters.is_empty() { "</article>\n" } else { "</table></article>\n" });
        Ok(())
    }

    fn row(&mut self, sign: &str, name: &str, cell: &str) {
        let _ = writeln!(self.out, "<tr class=\"{sign}\"><th>{}</th><td>{cell}</td></tr>", escape(name));
    }

    fn changed(&mut self, changed: &ChangedResource) -> Result<(), Error> {
        let _ = writeln!(
            self.out,
            "<article class=\"change changed\"><h3>{}</h3><table>",
            escape(&changed.resource)
        );
        if let Some(exported) = changed.exported {
            self.row("both", "exported", if exported { "now" } else { "not any more" });
        }
        for change in &changed.parameters {
            self.parameter(change)?;
        }
        self.out.push_str("</table></article>\n");
        Ok(())
    }

    fn parameter(&mut self, change: &ParameterChange) -> Result<(), Error> {
        self.fuel.charge(1 + change.paths.len() as u64)?;
        let name = &change.name;
        match (&change.from, &change.to) {
            (None, Some(to)) => self.row("plus", name, &value_cell(to)),
            (Some(from), None) => self.row("minus", name, &value_cell(from)),
            (Some(from), Some(to)) => {
                if let Some(lines) = line_diff(from, to, self.fuel)? {
                    self.row("both", name, &lines_cell(&lines));
                } else if change.paths.is_empty() {
                    self.row("both", name, &both_cell(Some(from), Some(to)));
                } else {
                    for inner in &change.paths {
                        let sign = match (&inner.from, &inner.to) {
                            (None, _) => "plus",
                            (_, None) => "minus",
                            _ => "both",
                        };
                        let cell = both_cell(inner.from.as_ref(), inner.to.as_ref());
                        self.row(sign, &path_of(name, &inner.path), &cell);
                    }
                }
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn graph(&mut self, diff: &Diff) {
        let edges = diff.telling_edges();
        let mut rows = Vec::new();
        rows.extend(edges.removed.iter().map(|edge| ("minus", "edge", edge_text(edge))));
        rows.extend(edges.added.iter().map(|edge| ("plus", "edge", edge_text(edge))));
        rows.extend(diff.classes.removed.iter().map(|class| ("minus", "class", class.clone())));
        rows.extend(diff.classes.added.iter().map(|class| ("plus", "class", class.clone())));
        if rows.is_empty() {
            return;
        }
        self.out.push_str("<article class=\"change graph\"><h3>Edges and classes</h3><table>\n");
        for (sign, what, text) in rows {
            self.row(sign, what, &escape(&text));
        }
        self.out.push_str("</table></article>\n");
    }

    fn nodes(&mut self, fleet: &Fleet) -> Result<(), Error> {
        let mut groups: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, group) in fleet.groups.iter().enumerate() {
            self.fuel.charge(1 + group.nodes.len() as u64)?;
            for node in &group.nodes {
                groups.entry(node).or_default().push(at + 1);
            }
        }
        self.out.push_str(
            "<details class=\"group all\"><summary>All nodes</summary>\n<table class=\"fleet\"><tbody>\n",
        );
        for node in &fleet.different {
            let groups = groups.get(node.as_str()).into_iter().flatten();
            let links: Vec<String> =
                groups.map(|number| format!("<a href=\"#group-{number}\">{number}</a>")).collect();
            let _ = writeln!(
                self.out,
                "<tr class=\"differ\"><th>{}</th><td>differs: groups {}</td></tr>",
                escape(node),
                links.join(", ")
            );
        }
        for node in &fleet.same {
            let _ = writeln!(self.out, "<tr><th>{}</th><td>the same</td></tr>", escape(node));
        }
        for node in &fleet.failing {
            let _ = writeln!(self.out, "<tr><th>{}</th><td>fails on both sides</td></tr>", escape(node));
        }
        self.out.push_str("</tbody></table></details>\n");
        Ok(())
    }
}

/// A summary of a group of changes.
fn summary(diff: &Diff) -> String {
    let mut parts = Vec::new();
    if let Some(failure) = &diff.failure {
        parts.push(match (&failure.from, &failure.to) {
            (None, _) => "<span class=\"failed\">fails now</span>".to_owned(),
            (_, None) => "<span class=\"failed\">compiles now</span>".to_owned(),
            _ => "<span class=\"failed\">fails otherwise</span>".to_owned(),
        });
    }
    let edges = diff.telling_edges();
    let counts = [
        ("added", diff.added.len(), "added"),
        ("removed", diff.removed.len(), "removed"),
        ("changed", diff.changed.len(), "changed"),
        ("graph", edges.added.len() + edges.removed.len(), "edges"),
        ("graph", diff.classes.added.len() + diff.classes.removed.len(), "classes"),
    ];
    for (class, count, name) in counts {
        if count > 0 {
            parts.push(format!("<span class=\"{class}\">{count} {name}</span>"));
        }
    }
    parts.join(" ")
}

/// A value: in a block of its own when it is long.
fn value_cell(value: &Json) -> String {
    match value {
        Json::String(text) if text.trim_end().contains('\n') => format!("<pre>{}</pre>", escape(text)),
        value => format!("<code>{}</code>", escape(&puppet_text(value))),
    }
}

fn both_cell(from: Option<&Json>, to: Option<&Json>) -> String {
    let side = |tag: &str, value: &Json| format!("<{tag}>{}</{tag}>", escape(&puppet_text(value)));
    let sides = [from.map(|from| side("del", from)), to.map(|to| side("ins", to))];
    sides.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// The lines of a difference, each in its colour.
fn lines_cell(lines: &str) -> String {
    let mut out = String::from("<pre class=\"lines\">");
    for line in lines.lines() {
        let class = match line.chars().next() {
            Some('+') => "plus",
            Some('-') => "minus",
            Some('@') => "where",
            _ => "",
        };
        let _ = write!(out, "<span class=\"{class}\">{}</span>", escape(line));
    }
    out.push_str("</pre>");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fleet::NodeDiff;
    use bunraku_pcore::fuel::Unmetered;
    use serde_json::json;

    #[test]
    fn nothing_of_a_catalog_becomes_markup() {
        let bad = "</script><img src=x onerror=alert(1)>\"'&";
        let catalog = |value: &str| json!({ "resources": [{ "type": "File", "title": bad, "parameters": {bad: value} }] });
        let diff = Diff::of_json(&catalog(bad), &catalog("a\nb"), &Unmetered).expect("they are catalogs");
        let nodes = vec![NodeDiff { node: bad.into(), diff }];
        let fleet = Fleet::new(bad, bad, nodes, &Unmetered).expect("nothing ends it");
        let page = fleet_to_html(&fleet, &Unmetered).expect("nothing ends it");
        assert!(!page.contains("<img") && page.matches("</script>").count() == 1);
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    }
}
