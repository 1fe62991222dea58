//! Names that several files of an environment, or of a module, define.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku_engine::loader::{Environment, EnvironmentOptions, Settings, Strictness};
use bunraku_host::Host;
use bunraku_host::disk::{self, DiskHost};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::{Diagnostic, Issue, Report, Severity};

/// Another file defines the name, too.
pub(super) const DUPLICATE_ACROSS_FILES: Issue = Issue("duplicate-definition-across-files");

/// The directories of a module whose files define something.
const PLACES: &[&str] = &["manifests", "functions", "types", "plans"];

/// Parts of paths below which nothing is loaded by an environment.
const UNLOADED: &[&str] = &["spec", "tests", "test", "examples", "fixtures", "acceptance"];

/// Definitions of files, to be compared with each other.
#[derive(Default)]
pub(super) struct Definitions {
    found: Vec<Defined>,
}

/// Something that a file defines.
struct Defined {
    kind: &'static str,
    name: String,
    /// The complaint about it, in the making: it has the place.
    place: Diagnostic,
}

/// A name of a definition, in an environment or a module.
type Key<'d> = (String, &'static str, &'d str);

/// What the files below a directory belong to.
struct Owner {
    /// The environment, or the module alone.
    scope: String,
    /// The module, or the directory of main manifests.
    part: String,
}

/// The environments that have been looked at, by directory.
#[derive(Default)]
struct Environments(HashMap<String, Option<Arc<Environment>>>);

impl Definitions {
    /// Notes what a program defines.
    pub fn add(&mut self, program: &Program) {
        for &id in program.definitions() {
            for (kind, name) in names(program, id) {
                let report = Report { issue: DUPLICATE_ACROSS_FILES, message: String::new() };
                let place = report.at(Severity::Error, program.source(), program.span(id));
                self.found.push(Defined { kind, name, place });
            }
        }
    }

    /// What several files define: a complaint for each but the first, in the order of the files' names. It is
    /// an error in files of one module, and of the main manifest, which are loaded together; a warning where
    /// it depends on what is loaded first.
    pub fn duplicates(mut self) -> Vec<Diagnostic> {
        let file = |one: &Defined| one.place.location.file.clone().unwrap_or_default();
        self.found.sort_by_key(|one| (file(one), one.place.span.map(|span| span.start)));
        let (mut owners, mut environments) = (HashMap::new(), Environments::default());
        let mut first: HashMap<Key<'_>, (&Defined, String)> = HashMap::new();
        let mut found = Vec::new();
        for one in &self.found {
            let path = file(one);
            let Some(root) = root_of(&path) else { continue };
            let owner: &Option<Owner> = owners
                .entry(root.to_owned())
                .or_insert_with(|| environments.owner(root, is_manifest(&path, root)));
            let Some(Owner { scope, part }) = owner else { continue };
            let sort = if matches!(one.kind, "Class" | "Defined type") { "Class" } else { one.kind };
            let key = (scope.clone(), sort, one.name.as_str());
            let Some((other, other_part)) = first.get(&key) else {
                first.insert(key, (one, part.clone()));
                continue;
            };
            let other = &other.place.location;
            if other.file == one.place.location.file {
                continue;
            }
            let mut complaint = one.place.clone();
            if other_part != part {
                complaint.severity = Severity::Warning;
            }
            complaint.message = format!(
                "{} '{}' is already defined in another file (file: {}, line: {})",
                one.kind,
                one.name,
                other.file.as_deref().unwrap_or_default(),
                other.line.unwrap_or(1)
            );
            found.push(complaint);
        }
        found
    }
}

/// What a definition defines: the sort, and its names.
fn names(program: &Program, id: NodeId) -> Vec<(&'static str, String)> {
    let (kind, name) = match *program.node(id) {
        Node::HostClassDefinition { name, .. } => ("Class", name),
        Node::ResourceTypeDefinition { name, .. } => ("Defined type", name),
        Node::FunctionDefinition { name, .. } => ("Function", name),
        Node::PlanDefinition { name, .. } => ("Plan", name),
        Node::TypeAlias { name, .. } | Node::TypeDefinition { name, .. } => ("Type", name),
        Node::NodeDefinition { host_matches, .. } => {
            let hosts = program.list(host_matches).iter();
            return hosts.map(|&host| ("Node", program.source_text(host).trim().to_lowercase())).collect();
        }
        _ => return Vec::new(),
    };
    let name = program.text(name);
    vec![(kind, name.strip_prefix("::").unwrap_or(name).to_lowercase())]
}

/// The directory that has the directory of definitions that a file is in.
fn root_of(path: &str) -> Option<&str> {
    let starts = |place: &str| {
        let inner = path.find(&format!("/{place}/"));
        if path.starts_with(&format!("{place}/")) { Some(0) } else { inner }
    };
    let at = starts("manifests").or_else(|| PLACES.iter().filter_map(|place| starts(place)).min())?;
    let root = path.get(..at)?;
    let is_unloaded = root.split('/').any(|part| UNLOADED.contains(&part));
    (!is_unloaded).then_some(root)
}

fn is_manifest(path: &str, root: &str) -> bool {
    path.get(root.len()..).is_some_and(|rest| rest.trim_start_matches('/').starts_with("manifests/"))
}

impl Environments {
    /// What the files of a directory belong to; nothing where an environment does not load them.
    fn owner(&mut self, root: &str, has_manifests: bool) -> Option<Owner> {
        let directory = disk::absolute_path(if root.is_empty() { "." } else { root }).ok()?;
        let module = |scope: &str| Some(Owner { scope: scope.to_owned(), part: directory.clone() });
        if is_environment(&directory) {
            let Some(environment) = self.get(&directory) else { return module(&directory) };
            // A main manifest that is a file stands alone.
            let manifests = format!("{directory}/manifests");
            let is_loaded = !has_manifests || environment.manifest.as_deref() == Some(&manifests);
            return if is_loaded { module(&directory) } else { None };
        }
        let above = directory.rsplit_once('/').and_then(|(modules, _)| modules.rsplit_once('/'));
        let Some((above, _)) = above.filter(|(above, _)| is_environment(above)) else {
            return module(&directory);
        };
        let Some(environment) = self.get(above) else { return module(&directory) };
        let is_loaded = environment.modules().iter().any(|module| module.path == directory);
        if is_loaded { module(above) } else { None }
    }

    fn get(&mut self, directory: &str) -> Option<Arc<Environment>> {
        let load = || {
            let options = EnvironmentOptions {
                name: directory.rsplit('/').next().unwrap_or_default().to_owned(),
                directory: Some(directory.to_owned()),
                // What is wrong with metadata is told of their files.
                settings: Settings { strict: Strictness::Off, ..Settings::default() },
                ..EnvironmentOptions::default()
            };
            Environment::load(Arc::new(DiskHost), options).ok().map(Arc::new)
        };
        self.0.entry(directory.to_owned()).or_insert_with(load).clone()
    }
}

/// Whether a directory looks like that of an environment.
fn is_environment(directory: &str) -> bool {
    ["environment.conf", "Puppetfile", "modules"]
        .iter()
        .any(|name| DiskHost.info(&format!("{directory}/{name}")).is_some())
}
