//! Environments that compile.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use bunraku::compiler::{NodeInput, compile, request};
use bunraku::eval::Limits;
use bunraku::host::disk::DiskHost;
use bunraku::host::memory::MemoryHost;
use bunraku::host::overlay::Overlay;
use bunraku::index::FileIndex;
use bunraku::loader::{Environment, EnvironmentOptions};
use conform::data;
use serde_json::{Map, Value as Json, json};

/// An environment with nodes that compile in it.
pub struct Subject {
    pub name: String,
    options: EnvironmentOptions,
    /// Nodes that compile, each with its classes.
    nodes: Vec<NodeInput>,
    /// The number of them that prove faults.
    proof: usize,
    /// The files whose code they evaluate, as far as it is known.
    pub files: Vec<String>,
}

impl Subject {
    /// Loads the environment, with another text of a file.
    pub fn load(&self, changed: Option<(&str, &str)>) -> Environment {
        let mut files = MemoryHost::new();
        if let Some((path, text)) = changed {
            files.add(path, text);
        }
        let host = Overlay::new(Arc::new(DiskHost), files, HashSet::new());
        Environment::load(Arc::new(host), self.options.clone()).expect("the environment is loaded")
    }

    /// The path of a file in a control repository that has the subject's modules in `modules`.
    pub fn relative(&self, path: &str) -> String {
        let environment = self.options.environmentpath.first().map(|one| format!("{one}/{}/", self.name));
        let below = |directory: &str| path.strip_prefix(directory).map(|rest| rest.trim_start_matches('/'));
        let modules = self.options.modulepath.iter().flatten().find_map(|directory| below(directory));
        let own = environment.as_deref().and_then(below);
        modules.map(|rest| format!("modules/{rest}")).or(own.map(str::to_owned)).unwrap_or(path.to_owned())
    }

    /// Whether an evaluated file is of the module of another one.
    pub fn has_module_of(&self, file: &FileIndex) -> bool {
        let directory = file.path.as_deref().and_then(|path| path.split_once("/templates/"));
        directory.is_some_and(|(module, _)| self.files.iter().any(|path| path.starts_with(module)))
    }

    /// The failure of the first node that compiled and does so no more.
    pub fn failure(&self, environment: &Environment) -> Option<String> {
        let mut nodes = self.nodes.iter().take(self.proof);
        nodes.find_map(|node| {
            let failed = compile(environment, node.clone(), Limits::default()).outcome.err();
            failed.map(|failed| failed.to_string())
        })
    }

    /// Files and lines of the resources in the nodes' catalogs.
    pub fn evaluated(&self, environment: &Environment) -> HashSet<(String, u32)> {
        let mut lines = HashSet::new();
        for node in &self.nodes {
            let compiled = compile(environment, node.clone(), Limits::default());
            let Ok(catalog) = compiled.outcome else { continue };
            for resource in &catalog.resources {
                lines.extend(
                    resource.file.as_ref().zip(resource.line).map(|(file, line)| (file.to_string(), line)),
                );
            }
        }
        lines
    }

    fn of(name: &str, options: EnvironmentOptions, nodes: Vec<NodeInput>) -> Self {
        let mut subject =
            Self { name: name.to_owned(), options, nodes: Vec::new(), proof: usize::MAX, files: Vec::new() };
        let environment = subject.load(None);
        let compiles =
            |node: &NodeInput| compile(&environment, node.clone(), Limits::default()).outcome.is_ok();
        subject.nodes = nodes.into_iter().filter(compiles).collect();
        let mut files: Vec<String> =
            subject.evaluated(&environment).into_iter().map(|(file, _)| file).collect();
        files.sort();
        files.dedup();
        subject.files = files;
        subject
    }
}

/// Golden environments whose nodes need no more than facts, classes and parameters.
const GOLDEN: &[&str] = &[
    "control_basic",
    "core_resources",
    "defines_data",
    "exported_virtual",
    "hiera_layers",
    "ordering",
    "templates",
    "types_functions",
    "why",
];

/// The golden environments.
pub fn golden() -> Vec<Subject> {
    GOLDEN.iter().map(|name| golden_environment(name)).collect()
}

fn golden_environment(name: &str) -> Subject {
    let root = data::directory().join("environments");
    let spec = root.join(name).join("spec");
    let mut nodes = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(spec.join("nodes"))
        .expect("there are nodes")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    paths.sort();
    for path in paths {
        let case = data::read_json(&path).expect("a case is JSON");
        if ["settings", "global_hiera", "exported", "storeconfigs", "modulepath"]
            .iter()
            .any(|key| !case[*key].is_null())
        {
            continue;
        }
        let mut facts = Map::new();
        let names = match &case["facts_file"] {
            Json::Array(names) => names.clone(),
            Json::Null => Vec::new(),
            one => vec![one.clone()],
        };
        for name in names {
            let read = data::read_json(&spec.join("facts").join(name.as_str().unwrap_or_default()));
            facts.extend(read.expect("facts are JSON").as_object().cloned().unwrap_or_default());
        }
        facts.extend(case["facts"].as_object().cloned().unwrap_or_default());
        let mut asked = json!({ "node": case["node"], "facts": facts });
        for key in ["classes", "parameters", "trusted", "server_facts"] {
            if !case[key].is_null() {
                asked[key] = case[key].clone();
            }
        }
        let node = request::whole(&asked).and_then(|asked| request::node_input(&asked));
        nodes.extend(node);
    }
    let options = EnvironmentOptions {
        name: name.to_owned(),
        environmentpath: vec![root.canonicalize().expect("it is there").to_string_lossy().into_owned()],
        ..EnvironmentOptions::default()
    };
    Subject::of(name, options, nodes)
}

/// Each module of some directories, with a node for each of its classes that compiles on its own.
pub fn of_modules(directories: &str) -> Vec<Subject> {
    let directories: Vec<String> =
        directories.split(':').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    let facts = facts();
    let options = EnvironmentOptions {
        name: "production".to_owned(),
        modulepath: Some(directories.clone()),
        ..EnvironmentOptions::default()
    };
    let environment = Environment::load(Arc::new(DiskHost), options.clone()).expect("the modules are there");
    let mut subjects = Vec::new();
    for module in environment.modules() {
        let nodes = nodes(Path::new(&module.path), &module.name, &facts);
        let mut subject = Subject::of(&module.name, options.clone(), nodes);
        subject.files.retain(|file| file.starts_with(&module.path));
        // Each fault is proven by all of them.
        subject.proof = subject.nodes.len().min(12);
        if !subject.nodes.is_empty() {
            subjects.push(subject);
        }
    }
    subjects
}

/// Directories of environments beside directories of modules, each with a node for each class of its own
/// modules that compiles.
pub fn of_environments(paths: &str, modules: &str) -> Vec<Subject> {
    let facts = facts();
    let mut subjects = Vec::new();
    for path in paths.split(':').map(Path::new) {
        let (Some(name), Some(around)) = (path.file_name(), path.parent()) else { continue };
        let own = ["modules", "site", "site-modules", "dist"].map(|one| path.join(one));
        let own = own.into_iter().filter(|one| one.is_dir()).map(|one| one.to_string_lossy().into_owned());
        let beside = modules.split(':').filter(|one| !one.is_empty()).map(str::to_owned);
        let options = EnvironmentOptions {
            name: name.to_string_lossy().into_owned(),
            environmentpath: vec![around.to_string_lossy().into_owned()],
            modulepath: Some(own.chain(beside).collect()),
            ..EnvironmentOptions::default()
        };
        let Ok(environment) = Environment::load(Arc::new(DiskHost), options.clone()) else { continue };
        let is_own = |path: &str| Path::new(path).starts_with(around.join(name));
        let own = environment.modules().iter().filter(|module| is_own(&module.path));
        let nodes = own.flat_map(|module| nodes(Path::new(&module.path), &module.name, &facts)).collect();
        let mut subject = Subject::of(&options.name.clone(), options, nodes);
        subject.files.retain(|file| is_own(file));
        subject.proof = subject.nodes.len().min(12);
        if !subject.nodes.is_empty() {
            subjects.push(subject);
        }
    }
    subjects
}

/// A node for each class of a module.
fn nodes(root: &Path, module: &str, facts: &Json) -> Vec<NodeInput> {
    let asked = classes(root, module).into_iter().filter_map(|class| {
        let asked = json!({ "node": "web01.example.net", "facts": facts, "classes": [class] });
        request::whole(&asked).and_then(|asked| request::node_input(&asked)).ok()
    });
    asked.collect()
}

fn facts() -> Json {
    let path = data::directory().join("environments/real/spec/facts/debian12-legacy.json");
    data::read_json(&path).expect("facts are JSON")
}

/// The names of a module's classes, by its files.
fn classes(root: &Path, module: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(root.join("manifests"), module.to_owned())];
    let mut seen = HashMap::new();
    while let Some((directory, name)) = open.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let full = if stem == "init" { name.clone() } else { format!("{name}::{stem}") };
            if path.is_dir() {
                open.push((path, full));
            } else if path.extension().is_some_and(|extension| extension == "pp")
                && std::fs::read_to_string(&path).is_ok_and(|text| text.contains(&format!("class {full}")))
            {
                seen.insert(full.clone(), ());
                found.push(full);
            }
        }
    }
    found.sort();
    found
}
