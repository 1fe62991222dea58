//! Checks whether a directory is a valid module: its files, its metadata, its dependencies, and the places of
//! its definitions.
//!
//! Follows the module schema of the Puppet language's specification, version 0, the metadata that the
//! reference accepts (`module_tool/metadata.rb`, `module.rb`) and that the Forge requires, and the
//! reference's loaders for the places of definitions.

mod definitions;
mod dependencies;
mod layout;
mod metadata;
pub mod request;

use serde_json::{Map, Value as Json};

use bunraku_engine::loader::join_path;
use bunraku_host::{self as host, FILE_SIZE, Host, Reading};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// How bad something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A rule says "must", or Puppet would not find or load it.
    Error,
    /// A rule says "should", or a release should not contain it.
    Warning,
    /// The schema does not name it, although Puppet uses it.
    Notice,
}

impl Severity {
    /// In lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Which kind of rule: `layout`, `metadata`, `dependency`, `definition`, `task`.
    pub rule: &'static str,
    /// The file, relative to the module's directory.
    pub file: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The place in a file of JSON, as a JSON path.
    pub path: Option<String>,
    /// The problem.
    pub message: String,
}

impl Finding {
    fn new(severity: Severity, rule: &'static str, file: &str, message: impl Into<String>) -> Self {
        Self { severity, rule, file: file.to_owned(), line: None, path: None, message: message.into() }
    }

    fn at_line(mut self, line: Option<usize>) -> Self {
        self.line = line;
        self
    }

    fn at(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// As an object with `severity`, `rule`, `file`, `message`, and `line` or `path` where they are known.
    pub fn to_json(&self) -> Json {
        let mut json = Map::new();
        let mut put = |name: &str, value: Json| drop(json.insert(name.to_owned(), value));
        put("severity", self.severity.name().into());
        put("rule", self.rule.into());
        put("file", self.file.as_str().into());
        if let Some(line) = self.line {
            put("line", line.into());
        }
        if let Some(path) = &self.path {
            put("path", path.as_str().into());
        }
        put("message", self.message.as_str().into());
        Json::Object(json)
    }
}

/// A module that is checked.
struct ModuleCheck<'a> {
    host: &'a dyn Host,
    directory: &'a str,
    /// The module's name without its author's.
    name: String,
    findings: Vec<Finding>,
    watch: &'a Watch<'a>,
}

/// Checks the module in a directory; with a modulepath, also whether its dependencies exist.
///
/// # Errors
/// The watch has cancelled it.
pub fn check(
    host: &dyn Host,
    directory: &str,
    modulepath: Option<&[String]>,
    watch: &Watch<'_>,
) -> Result<Vec<Finding>, Error> {
    let directory = directory.trim_end_matches('/');
    let mut own = ModuleCheck { host, directory, name: String::new(), findings: Vec::new(), watch };
    let metadata = own.metadata();
    own.name = own.name_of(&metadata);
    own.layout(&metadata);
    if let Some(modulepath) = modulepath {
        own.dependencies(&metadata, modulepath);
    }
    own.definitions();
    own.tasks();
    own.findings.sort_by(|one, other| {
        (&one.file, one.line, one.severity).cmp(&(&other.file, other.line, other.severity))
    });
    watch.result()?;
    Ok(own.findings)
}

impl ModuleCheck<'_> {
    fn tell(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn text(&self, relative: &str) -> Option<String> {
        let check = || self.watch.check();
        let bytes =
            host::read(self.host, &join_path(self.directory, relative), &Reading::checked(FILE_SIZE, &check))
                .ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The files below a directory that have an ending, in order.
    fn files(&self, directory: &str, ending: &str) -> Vec<String> {
        let mut files = Vec::new();
        crate::documentation::list_files(self.host, self.directory, directory, self.watch, &mut files);
        files.retain(|file| file.ends_with(ending));
        files.sort();
        files
    }

    /// The name that the metadata have, or the directory.
    fn name_of(&mut self, metadata: &Json) -> String {
        let directory = self.directory.rsplit('/').next().unwrap_or_default().to_owned();
        let told = metadata["name"].as_str().and_then(|name| name.split_once(['-', '/']));
        let Some((_, name)) = told else {
            return directory.rsplit('-').next().unwrap_or_default().to_owned();
        };
        // Packages name directories with dashes.
        let plain = |text: &str| text.replace('_', "-");
        let is_same =
            plain(&directory) == plain(name) || plain(&directory).ends_with(&format!("-{}", plain(name)));
        if !is_same && directory != "." {
            let message = format!("the module is called '{name}', but its directory '{directory}'");
            self.tell(Finding::new(Severity::Warning, "metadata", "metadata.json", message).at("$.name"));
        }
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_host::memory::MemoryHost;

    const METADATA: &str = r#"{
  "name": "x-m", "version": "1.0.0", "author": "x", "summary": "s", "license": "Apache-2.0", "source": "s",
  "dependencies": []"#;

    /// What is found in a module with these members of its metadata and these files, as `file: message`.
    fn found(members: &str, files: &[(&str, &str)]) -> Vec<String> {
        let mut host = MemoryHost::new();
        host.add("/m/metadata.json", format!("{METADATA}{members} }}"));
        files.iter().for_each(|(name, text)| host.add(format!("/m/{name}"), *text));
        let findings = check(&host, "/m", None, &Watch::default()).expect("nobody ends it");
        let of_files = findings.iter().filter(|one| matches!(one.rule, "definition" | "metadata"));
        let place = |one: &Finding| one.path.clone().unwrap_or_else(|| one.file.clone());
        of_files.map(|one| format!("{}: {}", place(one), one.message)).collect()
    }

    #[test]
    fn definitions_belong_where_puppet_looks_for_them() {
        let function =
            |name: &str| format!("Puppet::Functions.create_function(:'{name}') do\n  def f\n  end\nend\n");
        let (own, other) = (function("m::f"), function("n::g"));
        assert_eq!(
            found(
                "",
                &[
                    ("manifests/init.pp", "class m { }"),
                    ("manifests/a.pp", "define m::a { }"),
                    ("manifests/b.pp", "class m::c { }\nclass n::d { }"),
                    ("lib/puppet/functions/m/f.rb", &own),
                    ("lib/puppet/functions/n/g.rb", &other),
                ]
            ),
            [
                "lib/puppet/functions/n/g.rb: the function 'n::g' is none of the module 'm'",
                "manifests/b.pp: the class 'm::c' is not found here; it belongs in 'manifests/c.pp'",
                "manifests/b.pp: the class 'n::d' is none of the module 'm'",
            ]
        );
    }

    #[test]
    fn addresses_and_requirements_are_checked() {
        assert_eq!(
            found(
                r#", "project_page": "https://a", "issues_url": "a", "requirements": [
                    { "name": "puppet", "version_requirement": ">= 7.0.0 < 9.0.0" },
                    { "name": "PE", "version_requirement": ">= 1.0.0" },
                    { "name": "puppet", "version_requirement": ">= 7.0.0 < 9.0.0" }]"#,
                &[]
            ),
            [
                "$.requirements[2].name: a second requirement of 'puppet'",
                "$.issues_url: not the address of a page",
                "$.requirements[1].name: the Forge does not read requirements of 'pe' any more",
            ]
        );
    }
}
