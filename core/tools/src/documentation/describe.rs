//! The description of a resource type for people: `bunraku describe`.
//!
//! Follows the form of the reference's `application/describe.rb`. The files of types and providers run where
//! the built-in Ruby knows all that they use, and are read where not. For Puppet's own types a summary and
//! the names of attributes are known.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Attribute, Documentation, Provider};
use bunraku_engine::catalog::resource_types::{METAPARAMETERS, core_type, core_type_summaries};

/// The parts to show.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Attributes with their descriptions, rather than only their names.
    pub details: bool,
    /// Providers with their descriptions.
    pub providers: bool,
    /// The attributes that all types have.
    pub metaparameters: bool,
}

const WIDTH: usize = 76;

impl Documentation {
    /// A type in full; none when it is not known.
    pub fn describe(&self, name: &str, shown: Shown) -> Option<String> {
        let mut page = Page(String::new());
        let mut attributes: Vec<(String, Option<&Attribute>)> = Vec::new();
        let mut keys: Vec<&str> = Vec::new();
        let mut providers: Vec<&Provider> =
            self.providers.iter().filter(|one| one.type_name == name).collect();
        providers.sort_by(|one, other| one.name.cmp(&other.name));
        let own = self.resource_types.iter().find(|own| own.name == name);
        match own {
            Some(own) => {
                let all = own.properties.iter().chain(&own.parameters).chain(&own.checks);
                attributes.extend(all.map(|one| (one.name.clone(), Some(one))));
                // Only parameters are keys.
                let named = own.parameters.iter().filter(|one| one.is_namevar || one.says_namevar);
                keys.extend(named.map(|one| one.name.as_str()).filter(|name| *name != "name"));
            }
            None => {
                attributes.extend(core_type(name)?.attributes.keys().map(|name| (name.to_string(), None)))
            }
        }
        attributes.retain(|(name, _)| name != "provider");
        attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
        page.header(name, '=');
        let summary = || core_type_summaries().find_map(|(of, summary)| (of == name).then_some(summary));
        let text = match own {
            Some(own) => own.own_text.clone(),
            None => summary().map(|summary| format!("{summary}.")).unwrap_or_default(),
        };
        let _ = writeln!(page.0, "{}\n", wrap(&without_indent(&text), 0));
        page.header("Parameters", '-');
        page.attributes(&attributes, &keys, shown.details);
        if shown.metaparameters {
            page.header("Meta Parameters", '-');
            let mut names = METAPARAMETERS.to_vec();
            names.sort_unstable();
            page.line(&wrap(&names.join(", "), 4));
        }
        if !providers.is_empty() {
            page.header("Providers", '-');
            page.providers(&providers, shown.providers);
        }
        Some(page.0)
    }

    /// The known types, each with the beginning of its description.
    pub fn described_types(&self) -> String {
        let mut types: BTreeMap<&str, &str> = core_type_summaries().collect();
        types.extend(self.resource_types.iter().map(|own| (own.name.as_str(), own.own_text.as_str())));
        let mut page = Page("These are the types known to puppet:\n".to_owned());
        for (name, text) in types {
            let text = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            let end = text.find('.').unwrap_or(text.len());
            let brief = if text.is_empty() {
                ".. no documentation ..".to_owned()
            } else if text.get(..end).map_or(0, |brief| brief.chars().count()) > 45 {
                format!("{} ...", text.chars().take(45).collect::<String>())
            } else {
                text.get(..end).unwrap_or_default().to_owned()
            };
            page.line(&format!("{name:<15} - {brief}"));
        }
        page.0
    }
}

struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        if !text.ends_with('\n') {
            self.0.push('\n');
        }
    }

    fn header(&mut self, text: &str, mark: char) {
        self.line(&format!("\n{text}\n{}", mark.to_string().repeat(text.chars().count())));
    }

    fn attributes(&mut self, attributes: &[(String, Option<&Attribute>)], keys: &[&str], details: bool) {
        if !details {
            let names: Vec<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
            return self.line(&wrap(&names.join(", "), 4));
        }
        for (name, of) in attributes {
            let is_key = keys.contains(&name.as_str());
            self.line(&format!("\n- **{name}**{}", if is_key { " (*namevar*)" } else { "" }));
            let text = of.map(|of| without_indent(&of.text()));
            // A description can consist of empty lines.
            let is_blank = text.as_deref() == Some("");
            self.line(&if is_blank { "    ".to_owned() } else { wrap(&text.unwrap_or_default(), 4) });
        }
    }

    fn providers(&mut self, providers: &[&Provider], details: bool) {
        if !details {
            let names: Vec<&str> = providers.iter().map(|provider| provider.name.as_str()).collect();
            return self.line(&wrap(&names.join(", "), 4));
        }
        for provider in providers {
            self.line(&format!("\n- **{}**", provider.name));
            self.line(&wrap(&without_indent(&provider.text()), 4));
        }
    }
}

/// Whether a value, as it was written, is a regular expression.
pub(super) fn is_pattern(value: &str) -> bool {
    value.starts_with('/') || value.starts_with("%r")
}

/// A regular expression of Ruby's source between slashes.
pub(super) fn regexp(source: &str) -> String {
    let options = source.len() - source.trim_end_matches(['i', 'm', 'x', 'o', 'u', 'n']).len();
    let (whole, options) = source.split_at_checked(source.len() - options).unwrap_or((source, ""));
    let inner = whole.strip_prefix("%r").and_then(|rest| {
        let mut letters = rest.chars();
        letters.next()?;
        letters.next_back()?;
        Some(letters.as_str().replace("\\/", "/").replace('/', "\\/"))
    });
    inner.map_or_else(|| source.to_owned(), |inner| format!("/{inner}/{options}"))
}

/// A word among the values of an attribute, as it was written.
pub(super) fn word(value: &str) -> &str {
    match value {
        "nil" | "''" | "\"\"" => "",
        other => other,
    }
}

impl Attribute {
    /// The description of the attribute, its values and its requirements.
    pub(super) fn text(&self) -> String {
        if let Some(shown) = &self.shown {
            return format!("{}\n\n{}", self.own_text, shown.text);
        }
        let words =
            self.values.iter().filter(|value| !is_pattern(value) && !self.aliases.contains_key(*value));
        let words = words.map(|own| {
            let aliases = self.aliases.iter().filter(|(_, of)| *of == own);
            value(word(own), &aliases.map(|(alias, _)| alias.as_str()).collect::<Vec<_>>())
        });
        let words: Vec<String> = words.collect();
        let patterns: Vec<String> =
            self.values.iter().filter(|value| is_pattern(value)).map(|value| regexp(value)).collect();
        let features: Vec<&str> = self.needs.iter().map(String::as_str).collect();
        format!("{}\n\n{}", self.own_text, values(&words, &patterns, &features))
    }
}

/// A value with its other names, for people.
pub(super) fn value(name: &str, aliases: &[&str]) -> String {
    if aliases.is_empty() {
        format!("`{name}`")
    } else {
        format!("`{name}` (also called `{}`)", aliases.join(", "))
    }
}

/// The values of an attribute, made by [`value`], its patterns, and the features that it requires.
pub(super) fn values(words: &[String], patterns: &[String], features: &[&str]) -> String {
    let mut text = String::new();
    if !words.is_empty() {
        let _ = write!(text, "Valid values are {}. ", words.join(", "));
    }
    if !patterns.is_empty() {
        let _ = write!(text, "Values can match `{}`.", patterns.join("`, `"));
    }
    if !features.is_empty() {
        let _ = write!(text, "\n\nRequires features {}.", features.join(" "));
    }
    text
}

impl Provider {
    /// The description of the provider, its requirements, its defaults and its features.
    pub(super) fn text(&self) -> String {
        if let Some(shown) = &self.shown {
            return shown.clone();
        }
        let ticked = |names: &[String]| {
            let mut names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            names.sort();
            names.dedup();
            names.join(", ")
        };
        let mut extra = Vec::new();
        if !self.binaries.is_empty() {
            extra.push(format!("* Required binaries: {}.", ticked(&self.binaries)));
        }
        if !self.defaults.is_empty() {
            let one = |facts: &Vec<(String, String)>| {
                let mut facts: Vec<String> = facts
                    .iter()
                    .map(|(fact, value)| format!("`{fact}` == `{}`", plain_list(value)))
                    .collect();
                facts.sort();
                format!("Default for {}.", facts.join(" and "))
            };
            extra.push(format!("* {}", self.defaults.iter().map(one).collect::<Vec<_>>().join(" ")));
        }
        if !self.features.is_empty() {
            extra.push(format!("* Supported features: {}.", ticked(&self.features)));
        }
        let extra = extra.join("\n");
        if self.own_text.is_empty() || extra.is_empty() {
            return format!("{}{extra}", self.own_text);
        }
        format!("{}\n\n{extra}", self.own_text)
    }
}

/// The elements of a list as it was written in Ruby, or the only one.
fn plain_list(source: &str) -> String {
    let inner = source.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(source);
    let elements = inner.split(',').map(|one| one.trim().trim_start_matches(':').trim_matches(['\'', '"']));
    elements.collect::<Vec<_>>().join(", ")
}

/// A text without the blanks that begin its first line with any, which may be empty lines, wherever they
/// begin a line.
fn without_indent(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let blanks = |at: usize| {
        let rest = text.get(at..).unwrap_or_default();
        rest.get(..rest.len() - rest.trim_start().len()).unwrap_or_default()
    };
    let Some(indent) = starts.map(blanks).find(|blanks| !blanks.is_empty()) else { return text.to_owned() };
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut begins_line = true;
    while let Some(letter) = rest.chars().next() {
        if begins_line && let Some(behind) = rest.strip_prefix(indent) {
            rest = behind;
            begins_line = indent.ends_with('\n');
            continue;
        }
        plain.push(letter);
        begins_line = letter == '\n';
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    plain
}

/// A text in lines that are not too long, indented.
fn wrap(text: &str, indent: usize) -> String {
    let width = WIDTH - indent;
    let mut rest: Vec<char> = text.chars().collect();
    let mut lines: Vec<String> = Vec::new();
    while rest.len() > width {
        let line_end = rest.iter().take(width + 1).position(|letter| *letter == '\n');
        let blank = || rest.iter().take(width + 1).rposition(|letter| *letter == ' ');
        let (end, skipped) = match line_end.or_else(blank) {
            Some(end) => (end, end + 1),
            None => (width, width),
        };
        lines.push(rest.iter().take(end).collect());
        rest.drain(..skipped);
    }
    if !rest.is_empty() {
        lines.push(rest.into_iter().collect());
    }
    if lines.is_empty() {
        return String::new();
    }
    let prefix = " ".repeat(indent);
    format!("{prefix}{}", lines.join(&format!("\n{prefix}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_the_last_blank_that_fits() {
        let (full, word) = ("a".repeat(WIDTH), "b".repeat(WIDTH - 1));
        assert_eq!(wrap(&format!("{full} c"), 0), format!("{full}\nc"));
        assert_eq!(wrap(&format!("{word} c"), 0), format!("{word}\nc"));
        assert_eq!(wrap(&format!("{full}cd e"), 0), format!("{full}\ncd e"));
        assert_eq!(wrap(&format!("x\ny {full}"), 2), format!("  x\n  y\n  {}\n  aa", &full[2..]));
    }
}
