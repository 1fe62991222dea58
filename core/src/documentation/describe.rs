//! What people want to know of a type of resources: `bunraku describe`.
//!
//! Follows the form of the reference's `application/describe.rb`; types are read from modules, and not run. Of the types that Puppet
//! itself has only the names of attributes are known.

use std::fmt::Write as _;

use super::{Attribute, Documentation, Provider, ResourceType};
use crate::catalog::resource_types::{METAPARAMETERS, core_type};

/// What is shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Attributes with what is said of them, and not only their names.
    pub details: bool,
    /// Providers with what is said of them.
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
        let mut providers: Vec<&Provider> =
            self.providers.iter().filter(|one| one.type_name == name).collect();
        providers.sort_by(|one, other| one.name.cmp(&other.name));
        let own = self.resource_types.iter().find(|own| own.name == name);
        match own {
            Some(own) => {
                let all = own.properties.iter().chain(&own.parameters).chain(&own.checks);
                attributes.extend(all.map(|one| (one.name.clone(), Some(one))));
            }
            None => {
                attributes.extend(core_type(name)?.attributes.keys().map(|name| (name.to_string(), None)))
            }
        }
        attributes.retain(|(name, _)| name != "provider");
        attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
        page.header(name, '=');
        let text = own.map(|own| own.docstring.text.as_str()).unwrap_or_default();
        let _ = writeln!(page.0, "{}\n", wrap(text, 0));
        page.header("Parameters", '-');
        page.attributes(&attributes, shown.details);
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

    /// The types that are known, each with the beginning of what is said of it.
    pub fn described_types(&self) -> String {
        let mut types: Vec<&ResourceType> = self.resource_types.iter().collect();
        types.sort_by(|one, other| one.name.cmp(&other.name));
        let mut page = Page("These are the types known to puppet:\n".to_owned());
        for own in types {
            let text = own.docstring.text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            let end = text.find('.').unwrap_or(text.len());
            let brief = if text.is_empty() {
                ".. no documentation ..".to_owned()
            } else if text.get(..end).map_or(0, |brief| brief.chars().count()) > 45 {
                format!("{} ...", text.chars().take(45).collect::<String>())
            } else {
                text.get(..end).unwrap_or_default().to_owned()
            };
            page.line(&format!("{:<15} - {brief}", own.name));
        }
        page.0
    }
}

struct Page(String);

impl Page {
    fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    fn header(&mut self, text: &str, mark: char) {
        self.line(&format!("\n{text}\n{}", mark.to_string().repeat(text.chars().count())));
    }

    fn attributes(&mut self, attributes: &[(String, Option<&Attribute>)], details: bool) {
        if !details {
            let names: Vec<&str> = attributes.iter().map(|(name, _)| name.as_str()).collect();
            return self.line(&wrap(&names.join(", "), 4));
        }
        for (name, of) in attributes {
            let is_key = of.is_some_and(|of| of.is_namevar) && name != "name";
            self.line(&format!("\n- **{name}**{}", if is_key { " (*namevar*)" } else { "" }));
            self.line(&wrap(&of.map(|of| of.text()).unwrap_or_default(), 4));
        }
    }

    fn providers(&mut self, providers: &[&Provider], details: bool) {
        if !details {
            let names: Vec<&str> = providers.iter().map(|provider| provider.name.as_str()).collect();
            return self.line(&wrap(&names.join(", "), 4));
        }
        for provider in providers {
            self.line(&format!("\n- **{}**", provider.name));
            self.line(&wrap(&provider.docstring.text, 4));
        }
    }
}

impl Attribute {
    /// What is said of the attribute, its values and what it needs.
    pub(super) fn text(&self) -> String {
        let is_pattern = |value: &&String| value.starts_with('/') || value.starts_with("%r");
        let patterns: Vec<&String> = self.values.iter().filter(is_pattern).collect();
        let words =
            self.values.iter().filter(|value| !is_pattern(value) && !self.aliases.contains_key(*value));
        let words: Vec<String> = words
            .map(|value| {
                let aliases =
                    self.aliases.iter().filter(|(_, of)| *of == value).map(|(alias, _)| alias.as_str());
                let aliases: Vec<&str> = aliases.collect();
                if aliases.is_empty() {
                    format!("`{value}`")
                } else {
                    format!("`{value}` (also called `{}`)", aliases.join(", "))
                }
            })
            .collect();
        let mut text = self.description.clone();
        let mut values = String::new();
        if !words.is_empty() {
            let _ = write!(values, "Valid values are {}. ", words.join(", "));
        }
        if !patterns.is_empty() {
            let patterns: Vec<&str> = patterns.into_iter().map(String::as_str).collect();
            let _ = write!(values, "Values can match `{}`.", patterns.join("`, `"));
        }
        let _ = write!(text, "\n\n{values}");
        if let Some(features) = &self.required_features {
            let _ = write!(text, "\n\nRequires features {features}.");
        }
        text.trim_end().to_owned()
    }
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
