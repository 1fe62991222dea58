//! `metadata.json` against what the reference accepts and what the Forge wants.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value as Json};

use super::{Finding, ModuleCheck, Severity};
use bunraku_pcore::ruby::json;
use bunraku_pcore::types::VersionRange;
use bunraku_pcore::value::Version;

const FILE: &str = "metadata.json";

/// Members that must be there.
const REQUIRED: &[&str] = &["name", "version", "author", "summary", "license", "source", "dependencies"];

/// Members that are texts.
const TEXTS: &[&str] = &[
    "name",
    "version",
    "author",
    "summary",
    "license",
    "source",
    "description",
    "project_page",
    "issues_url",
];

/// Obsolete members.
const DEPRECATED: &[&str] = &["types", "checksum", "checksums"];

/// The longest summary that the Forge takes.
const MAX_SUMMARY_LENGTH: usize = 144;

#[expect(clippy::expect_used, reason = "the pattern is a constant")]
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A(?i:[a-z0-9]+[-/][a-z][a-z0-9_]*)\z").expect("the pattern is well-formed")
});

#[expect(clippy::expect_used, reason = "the pattern is a constant")]
static MIXED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[><=^~]\s*\d\.(?:\d\.)?[x*]").expect("the pattern is well-formed"));

impl ModuleCheck<'_> {
    /// Reads and checks the metadata; null if there are none.
    pub(super) fn metadata(&mut self) -> Json {
        let error = |message: String| Finding::new(Severity::Error, "metadata", FILE, message);
        let Some(text) = self.text(FILE) else {
            self.tell(error("a module must have a file 'metadata.json'".to_owned()));
            return Json::Null;
        };
        // Comments are no errors; a place is what another reader tells.
        match json::read(&text).or_else(|_| serde_json::from_str::<Json>(&text)) {
            Err(wrong) => {
                self.tell(error(format!("it is not JSON: {wrong}")).at_line(Some(wrong.line())));
                Json::Null
            }
            Ok(Json::Object(members)) => {
                self.members(&members);
                Json::Object(members)
            }
            Ok(_) => {
                self.tell(error("not an object".to_owned()).at("$"));
                Json::Null
            }
        }
    }

    fn wrong(&mut self, severity: Severity, path: &str, message: impl Into<String>) {
        self.tell(Finding::new(severity, "metadata", FILE, message).at(path));
    }

    fn members(&mut self, members: &Map<String, Json>) {
        for name in REQUIRED.iter().filter(|name| members.get(**name).is_none_or(Json::is_null)) {
            self.wrong(Severity::Error, "$", format!("\"{name}\" is missing"));
        }
        for name in TEXTS {
            if members.get(*name).is_some_and(|value| !value.is_null() && !value.is_string()) {
                self.wrong(
                    Severity::Error,
                    &format!("$.{name}"),
                    format!("not a string: {}", members[*name]),
                );
            }
        }
        for name in DEPRECATED.iter().filter(|name| members.contains_key(**name)) {
            // Tools for releases refuse the first two.
            let severity = if *name == "checksums" { Severity::Warning } else { Severity::Error };
            self.wrong(severity, &format!("$.{name}"), "the member is deprecated");
        }
        let text = |name: &str| members.get(name).and_then(Json::as_str);
        if let Some(message) = text("name").and_then(wrong_name) {
            self.wrong(Severity::Error, "$.name", message);
        }
        if text("version").is_some_and(|version| Version::parse(version).is_err()) {
            self.wrong(
                Severity::Error,
                "$.version",
                "version string cannot be parsed as a valid Semantic Version",
            );
        }
        if text("summary").is_some_and(|summary| summary.chars().count() > MAX_SUMMARY_LENGTH) {
            let message = format!("the summary is longer than {MAX_SUMMARY_LENGTH} characters");
            self.wrong(Severity::Error, "$.summary", message);
        }
        if let Some(licence) = text("license").filter(|licence| *licence != "proprietary")
            && spdx::license_id(licence).is_none()
        {
            let message = format!("'{licence}' is not in the list of SPDX (https://spdx.org/licenses)");
            self.wrong(Severity::Warning, "$.license", message);
        }
        for name in ["project_page", "issues_url"] {
            let is_address = |text: &str| {
                text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
            };
            if text(name).is_some_and(|text| !text.is_empty() && !is_address(text)) {
                self.wrong(Severity::Warning, &format!("$.{name}"), "not the address of a page");
            }
        }
        if let Some(provider) = members.get("data_provider").filter(|provider| !provider.is_null()) {
            self.data_provider(provider);
        }
        self.required_modules(members);
        self.requirements(members);
        self.systems(members);
        for (index, tag) in self.list(members, "tags").iter().enumerate() {
            if !tag.is_string() {
                self.wrong(Severity::Error, &format!("$.tags[{index}]"), format!("not a string: {tag}"));
            }
        }
    }

    fn data_provider(&mut self, provider: &Json) {
        let message = match provider.as_str() {
            None => "field 'data_provider' must be a string",
            Some(name) if !name.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                "field 'data_provider' must begin with a letter"
            }
            Some(name) if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') => {
                "field 'data_provider' contains non-alphanumeric characters"
            }
            Some(_) => return,
        };
        self.wrong(Severity::Error, "$.data_provider", message);
    }

    /// The members of a list; reports any other value.
    fn list<'m>(&mut self, members: &'m Map<String, Json>, name: &str) -> &'m [Json] {
        match members.get(name) {
            None | Some(Json::Null) => &[],
            Some(Json::Array(list)) => list,
            Some(other) => {
                self.wrong(Severity::Error, &format!("$.{name}"), format!("not an array: {other}"));
                &[]
            }
        }
    }

    fn required_modules(&mut self, members: &Map<String, Json>) {
        let mut names = BTreeSet::new();
        for (index, one) in self.list(members, "dependencies").iter().enumerate() {
            if self.watch.check().is_err() {
                return;
            }
            let path = format!("$.dependencies[{index}]");
            let Some(name) = self.named(one, &path) else { continue };
            if let Some(message) = wrong_name(&name) {
                self.wrong(Severity::Error, &format!("{path}.name"), message);
            }
            let name = name.replace('-', "/").to_lowercase();
            if names.contains(&name) {
                self.wrong(
                    Severity::Warning,
                    &format!("{path}.name"),
                    format!("a second dependency on '{name}'"),
                );
            }
            names.insert(name);
            self.range(one, &path);
            if one.get("version_range").is_some() {
                let message = "the Forge does not read it any more; it is called 'version_requirement'";
                self.wrong(Severity::Warning, &format!("{path}.version_range"), message);
            }
        }
    }

    fn requirements(&mut self, members: &Map<String, Json>) {
        let mut names = BTreeSet::new();
        for (index, one) in self.list(members, "requirements").iter().enumerate() {
            if self.watch.check().is_err() {
                return;
            }
            let path = format!("$.requirements[{index}]");
            let Some(name) = self.named(one, &path) else { continue };
            let name = name.to_lowercase();
            if name == "pe" {
                self.wrong(
                    Severity::Warning,
                    &format!("{path}.name"),
                    "the Forge does not read requirements of 'pe' any more",
                );
            }
            if names.contains(&name) {
                self.wrong(
                    Severity::Error,
                    &format!("{path}.name"),
                    format!("a second requirement of '{name}'"),
                );
            }
            names.insert(name);
            self.range(one, &path);
        }
    }

    fn systems(&mut self, members: &Map<String, Json>) {
        for (index, one) in self.list(members, "operatingsystem_support").iter().enumerate() {
            let path = format!("$.operatingsystem_support[{index}]");
            match one {
                Json::Object(system) => {
                    if !system.get("operatingsystem").is_some_and(Json::is_string) {
                        self.wrong(Severity::Error, &path, "\"operatingsystem\" is missing, or not a string");
                    }
                    match system.get("operatingsystemrelease") {
                        None | Some(Json::Null) => {}
                        Some(Json::Array(releases)) => {
                            for (number, release) in
                                releases.iter().enumerate().filter(|(_, one)| !one.is_string())
                            {
                                let path = format!("{path}.operatingsystemrelease[{number}]");
                                self.wrong(Severity::Error, &path, format!("not a string: {release}"));
                            }
                        }
                        Some(other) => {
                            let path = format!("{path}.operatingsystemrelease");
                            self.wrong(Severity::Error, &path, format!("not an array: {other}"));
                        }
                    }
                }
                other => self.wrong(Severity::Error, &path, format!("not an object: {other}")),
            }
        }
    }

    /// The name of a dependency or requirement; a complaint when it has none.
    fn named(&mut self, one: &Json, path: &str) -> Option<String> {
        let name = one.as_object().and_then(|one| one.get("name"));
        let message = match name {
            Some(Json::String(name)) => return Some(name.clone()),
            Some(other) => format!("\"name\" is not a string: {other}"),
            None if one.is_object() => "\"name\" is missing".to_owned(),
            None => format!("not an object: {one}"),
        };
        self.wrong(Severity::Error, path, message);
        None
    }

    fn range(&mut self, one: &Json, path: &str) {
        let path = format!("{path}.version_requirement");
        match one.get("version_requirement") {
            None | Some(Json::Null) => {}
            Some(Json::String(range)) => {
                if let Err(error) = VersionRange::parse(range) {
                    self.wrong(Severity::Error, &path, error.to_string());
                } else if MIXED.is_match(range) {
                    let message = "an operator and a wildcard in one version: use one style";
                    self.wrong(Severity::Warning, &path, message);
                }
            }
            Some(other) => self.wrong(Severity::Error, &path, format!("not a string: {other}")),
        }
    }
}

/// The reason why a name is not valid for a module with its author.
fn wrong_name(name: &str) -> Option<&'static str> {
    if NAME.is_match(name) {
        return None;
    }
    let (namespace, name) = name.split_once(['-', '/']).unwrap_or((name, ""));
    Some(if namespace.is_empty() || name.is_empty() {
        "the field must be a namespaced module name"
    } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        "the module name contains non-alphanumeric (or underscore) characters"
    } else if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        "the module name must begin with a letter"
    } else {
        "the namespace contains non-alphanumeric characters"
    })
}
