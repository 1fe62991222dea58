//! Which files and directories belong in a release of a module, and which must be there.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{Finding, ModuleCheck, Severity};
use bunraku_engine::hiera::yaml;
use bunraku_engine::loader::join_path;
use bunraku_pcore::Value;

/// How a module's data is found.
const HIERARCHY: &str = "hiera.yaml";

/// The allowed content of a module's directory; directories end with a slash. Files for readers can have any
/// extension.
const ALLOWED: &[&str] = &[
    "manifests/",
    "hiera.yaml",
    "data/",
    "templates/",
    "files/",
    "examples/",
    "facts.d/",
    "lib/",
    "functions/",
    "metadata.json",
    "docs/",
    "REFERENCE.md",
    "locales/",
    "scripts/",
    "tasks/",
    "plans/",
    "types/",
    "bolt_plugin.json",
];

/// Files for readers, with and without endings, which must or should be there.
const FOR_READERS: &[&str] = &["README", "LICENSE", "CHANGELOG"];

/// Files of modules in development.
const DEVELOPMENT: &[&str] = &[
    "spec/",
    "tests/",
    "Rakefile",
    "Gemfile",
    "Gemfile.lock",
    "Guardfile",
    "Dockerfile",
    "appveyor.yml",
    "Vagrantfile",
    "CODEOWNERS",
    "CONTRIBUTING.md",
    "HISTORY.md",
    "pdk.yaml",
    "provision.yaml",
    "rakelib/",
    "vendor/",
    "pkg/",
    "coverage/",
    "junit/",
    "log/",
    "doc/",
    "tox.ini",
    "setup.cfg",
    "test-requirements.txt",
    "releasenotes/",
    "bindep.txt",
];

/// The allowed content of `lib`.
const IN_LIB: &[&str] = &[
    "facter/",
    "puppet/type/",
    "puppet/provider/",
    "puppet/functions/",
    "puppet/parser/functions/",
    "puppet_x/",
    "augeas/lenses/",
];

/// Other directories below `lib` that Puppet loads, although the schema does not name them.
const LOADED: &[&str] = &[
    "hiera/backend/",
    "puppet/application/",
    "puppet/datatypes/",
    "puppet/face/",
    "puppet/feature/",
    "puppet/indirector/",
    "puppet/network/",
    "puppet/parameter/",
    "puppet/property/",
    "puppet/reports/",
    "puppet/transport/",
    "puppet/type.rb",
    "puppet/util/",
    "puppet/parser/",
    "puppet/provider.rb",
    "puppet/pops/",
    "puppet/bindings/",
    "puppet/test/",
];

/// Words that a licence's text or notice has, all of them, by the beginning of its name in the metadata.
const LICENCES: &[(&str, &[&str])] = &[
    ("Apache-2.0", &["apache license", "version 2.0"]),
    ("MIT", &["permission is hereby granted, free of charge"]),
    ("ISC", &["permission to use, copy, modify, and"]),
    ("BSD-", &["redistribution and use in source and binary forms"]),
    ("AGPL-3.0", &["gnu affero general public license", "version 3"]),
    ("LGPL-2.1", &["gnu lesser general public license", "version 2.1"]),
    ("LGPL-3.0", &["gnu lesser general public license", "version 3"]),
    ("GPL-2.0", &["gnu general public license", "version 2"]),
    ("GPL-3.0", &["gnu general public license", "version 3"]),
    ("MPL-2.0", &["mozilla public license", "2.0"]),
];

impl ModuleCheck<'_> {
    /// Reports unexpected and missing files.
    pub(super) fn layout(&mut self, metadata: &Json) {
        let names = self.host.list(self.directory).unwrap_or_default();
        let is_directory = |own: &Self, path: &str| {
            own.host.info(&join_path(own.directory, path)).is_some_and(|info| info.is_directory)
        };
        for name in &names {
            let entry = if is_directory(self, name) { format!("{name}/") } else { name.clone() };
            self.top_level(&entry);
        }
        for wanted in FOR_READERS {
            if !names.iter().any(|name| stem(name) == *wanted) {
                // The schema lists all of them as mandatory, but says "should" for all except this one.
                let (severity, word) = if *wanted == "README" {
                    (Severity::Error, "must")
                } else {
                    (Severity::Warning, "should")
                };
                let message = format!("a module {word} have a file '{wanted}', with any ending");
                self.tell(Finding::new(severity, "layout", wanted, message));
            }
        }
        let has = |wanted: &str| names.iter().any(|name| name == wanted);
        if has("data") && !has("hiera.yaml") {
            let message = "there is data, but no 'hiera.yaml' that says how to find it";
            self.tell(Finding::new(Severity::Warning, "layout", "data/", message));
        }
        for licence in names.iter().filter(|name| stem(name) == "LICENSE") {
            self.licence(licence, metadata["license"].as_str().unwrap_or_default());
        }
        if has(HIERARCHY) {
            self.hierarchy();
        }
        if has("lib") {
            self.library();
        }
    }

    fn top_level(&mut self, entry: &str) {
        let is_for_readers = !entry.ends_with('/') && FOR_READERS.contains(&stem(entry));
        if ALLOWED.contains(&entry) || is_for_readers {
            return;
        }
        let (severity, rule, message) = if entry == "Modulefile" {
            (
                Severity::Error,
                "layout",
                "a module must not have a 'Modulefile'; 'metadata.json' stands in for it",
            )
        } else if entry.starts_with('.') || DEVELOPMENT.contains(&entry) {
            (Severity::Warning, "development", "it is for development, and does not belong in a release")
        } else {
            (Severity::Warning, "layout", "the module schema knows no such file or directory")
        };
        self.tell(Finding::new(severity, rule, entry, message));
    }

    /// The text must be that of the licence that the metadata name; of several (`A OR B`) of one of them.
    fn licence(&mut self, file: &str, told: &str) {
        let names = told.split([' ', '(', ')']).filter(|word| !matches!(*word, "" | "OR" | "AND"));
        let known: Option<Vec<&[&str]>> = names
            .map(|name| LICENCES.iter().find(|(begin, _)| name.starts_with(begin)).map(|(_, words)| *words))
            .collect();
        let Some(known) = known.filter(|known| !known.is_empty()) else { return };
        let Some(text) = self.text(file) else { return };
        let text = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if !known.iter().any(|words| words.iter().all(|word| text.contains(word))) {
            let message = format!("the text is not that of {told}, the licence that the metadata name");
            self.tell(Finding::new(Severity::Error, "layout", file, message));
        }
    }

    /// The data that a module's `hiera.yaml` names must be in `data`.
    fn hierarchy(&mut self) {
        let Some(Ok(Value::Hash(configuration))) =
            self.text(HIERARCHY).map(|text| yaml::parse_with(&text, Some(HIERARCHY), self.watch))
        else {
            return;
        };
        let entry = |of: &Value, name: &str| match of {
            Value::Hash(members) => members.get(&Value::from(name)).cloned().unwrap_or_default(),
            _ => Value::Undef,
        };
        let configuration = Value::Hash(configuration);
        let mut entries = vec![("$.defaults".to_owned(), entry(&configuration, "defaults"))];
        if let Value::Array(levels) = entry(&configuration, "hierarchy") {
            let levels = levels.iter().enumerate();
            entries.extend(levels.map(|(index, level)| (format!("$.hierarchy[{index}]"), level.clone())));
        }
        for (path, of) in entries {
            let Value::String(directory) = entry(&of, "datadir") else { continue };
            let plain = directory.trim_start_matches("./").trim_end_matches('/');
            let is_inside = plain == "data" || plain.starts_with("data/");
            if !is_inside || plain.split('/').any(|step| step == "..") {
                let message = format!("the data of a module must be in 'data', not in '{directory}'");
                let finding = Finding::new(Severity::Error, "layout", HIERARCHY, message);
                self.tell(finding.at(&format!("{path}.datadir")));
            }
        }
    }

    fn library(&mut self) {
        // One complaint for each directory whose files do not belong.
        let mut told: BTreeSet<String> = BTreeSet::new();
        for file in self.files("lib", "") {
            let Some(relative) = file.strip_prefix("lib/") else { continue };
            let is_in =
                |list: &[&str]| list.iter().any(|place| relative.starts_with(place) || relative == *place);
            if is_in(IN_LIB) {
                continue;
            }
            let place = match relative.split('/').collect::<Vec<_>>().as_slice() {
                ["puppet", second, _, ..] => format!("lib/puppet/{second}/"),
                [first, _, ..] if *first != "puppet" => format!("lib/{first}/"),
                _ => file.clone(),
            };
            if told.contains(&place) {
                continue;
            }
            let (severity, message) = if is_in(LOADED) {
                (Severity::Notice, "Puppet loads it, although the module schema does not name it")
            } else {
                (
                    Severity::Warning,
                    "the module schema knows no such place below 'lib'; own Ruby code belongs in 'lib/puppet_x'",
                )
            };
            self.tell(Finding::new(severity, "layout", &place, message));
            told.insert(place);
        }
    }
}

/// A file's name without its ending.
fn stem(name: &str) -> &str {
    name.split_once('.').map_or(name, |(stem, _)| stem)
}
