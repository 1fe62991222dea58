//! Names that several files of an environment or module define.

use std::collections::HashMap;
use std::sync::Arc;

use bunraku_engine::loader::{Environment, EnvironmentOptions, Settings, Strictness};
use bunraku_host::Host;
use bunraku_host::disk::{self, DiskHost};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::{Diagnostic, Issue, Report, Severity};

/// The code of a name that another file also defines.
pub(super) const DUPLICATE_ACROSS_FILES: Issue = Issue("duplicate-definition-across-files");

/// The directories of a module whose files contain definitions.
const PLACES: &[&str] = &["manifests", "functions", "types", "plans"];

/// Path components below which an environment loads nothing.
const UNLOADED: &[&str] = &["spec", "tests", "test", "examples", "fixtures", "acceptance"];

/// The definitions of all files, to be compared with each other.
#[derive(Default)]
pub(super) struct Definitions {
    found: Vec<Defined>,
}

/// A definition in a file.
struct Defined {
    kind: &'static str,
    name: String,
    /// The diagnostic about it, already with its place.
    place: Diagnostic,
}

/// The name of a definition within an environment or module.
type Key<'d> = (String, &'static str, &'d str);

/// What the files below a directory belong to.
struct Owner {
    /// The environment, or the module that is in no environment.
    scope: String,
    /// The module, or the directory of main manifests.
    part: String,
}

/// The environments found so far, by directory.
#[derive(Default)]
struct Environments(HashMap<String, Option<Arc<Environment>>>);

impl Definitions {
    /// Records the definitions of a program.
    pub fn add(&mut self, program: &Program) {
        for &id in program.definitions() {
            for (kind, name) in names(program, id) {
                let report = Report { issue: DUPLICATE_ACROSS_FILES, message: String::new() };
                let place = report.at(Severity::Error, program.source(), program.span(id));
                self.found.push(Defined { kind, name, place });
            }
        }
    }

    /// Returns a diagnostic for each definition of a name but the first, in the order of the file names. The
    /// diagnostic is an error for files of one module and for main manifests, because these are loaded
    /// together. It is a warning where the result depends on which file is loaded first.
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

/// Returns the kind of a definition and its names.
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

/// Returns the directory that contains the directory of definitions (such as `manifests`) of a file.
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
    /// Returns what the files of a directory belong to, or `None` if no environment loads them.
    fn owner(&mut self, root: &str, has_manifests: bool) -> Option<Owner> {
        let directory = disk::absolute_path(if root.is_empty() { "." } else { root }).ok()?;
        let module = |scope: &str| Some(Owner { scope: scope.to_owned(), part: directory.clone() });
        if is_environment(&directory) {
            let Some(environment) = self.get(&directory) else { return module(&directory) };
            // A main manifest that is a file is loaded alone.
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
                // The metadata's own files report what is invalid in them.
                settings: Settings { strict: Strictness::Off, ..Settings::default() },
                ..EnvironmentOptions::default()
            };
            Environment::load(Arc::new(DiskHost), options).ok().map(Arc::new)
        };
        self.0.entry(directory.to_owned()).or_insert_with(load).clone()
    }
}

/// Returns whether a directory looks like an environment.
fn is_environment(directory: &str) -> bool {
    ["environment.conf", "Puppetfile", "modules"]
        .iter()
        .any(|name| DiskHost.info(&format!("{directory}/{name}")).is_some())
}
