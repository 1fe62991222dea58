//! The files of an environment and their roles.

use bunraku_engine::loader::{Environment, Module, join_path};
use bunraku_host::{Entries, Host, walk};

/// The role of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A manifest: classes, defined types, and the content of main manifests.
    Manifest,
    /// A function in the language.
    Function,
    /// A type alias.
    Type,
    /// A plan.
    Plan,
    /// A template in EPP.
    Epp,
    /// A template in ERB.
    Erb,
    /// Data of Hiera.
    Data,
    /// The configuration of Hiera.
    Hierarchy,
    /// A function in Ruby.
    RubyFunction,
    /// A resource type in Ruby.
    ResourceType,
    /// A fact in Ruby.
    Fact,
    /// The metadata of a task.
    Task,
    /// The metadata of a module.
    Metadata,
}

impl Role {
    /// Whether it is written in the language.
    pub const fn is_puppet(self) -> bool {
        matches!(self, Self::Manifest | Self::Function | Self::Type | Self::Plan | Self::Epp)
    }
}

/// A file of an environment.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its path.
    pub path: String,
    /// The module that contains it.
    pub module: Option<String>,
    /// The role of the file.
    pub role: Role,
}

/// Directories of a module, the extension of their files, the role of the files, and whether subdirectories
/// are included.
const PLACES: &[(&str, &str, Role, bool)] = &[
    ("manifests", ".pp", Role::Manifest, true),
    ("functions", ".pp", Role::Function, true),
    ("types", ".pp", Role::Type, true),
    ("plans", ".pp", Role::Plan, true),
    ("templates", ".epp", Role::Epp, true),
    ("templates", ".erb", Role::Erb, true),
    ("data", ".yaml", Role::Data, true),
    ("data", ".yml", Role::Data, true),
    ("data", ".json", Role::Data, true),
    ("lib/puppet/functions", ".rb", Role::RubyFunction, true),
    ("lib/puppet/parser/functions", ".rb", Role::RubyFunction, true),
    ("lib/puppet/type", ".rb", Role::ResourceType, false),
    ("lib/facter", ".rb", Role::Fact, true),
    ("tasks", ".json", Role::Task, false),
];

/// Files directly in a module's directory.
const SINGLE: &[(&str, Role)] = &[("hiera.yaml", Role::Hierarchy), ("metadata.json", Role::Metadata)];

/// The files of an environment: of its main manifest, its own directory and its modules, in order.
pub fn listed(environment: &Environment) -> Vec<Listed> {
    let host = &*environment.host;
    let mut found = Vec::new();
    if let Some(manifest) = &environment.manifest {
        match host.info(manifest) {
            Some(info) if info.is_directory => {
                found.extend(below(host, manifest, ".pp", true).into_iter().map(main_manifest));
            }
            Some(_) => found.push(main_manifest(manifest.clone())),
            None => {}
        }
    }
    if let Some(directory) = &environment.directory {
        let own = PLACES.iter().filter(|(place, ..)| *place != "manifests" && *place != "plans");
        for place in own {
            add(host, directory, None, place, &mut found);
        }
        add_single(host, directory, None, &mut found);
    }
    for module in environment.modules() {
        for place in PLACES {
            add(host, &module.path, Some(&module.name), place, &mut found);
        }
        add_single(host, &module.path, Some(&module.name), &mut found);
    }
    found
}

fn main_manifest(path: String) -> Listed {
    Listed { path, module: None, role: Role::Manifest }
}

fn add(
    host: &dyn Host,
    directory: &str,
    module: Option<&str>,
    &(place, ending, role, is_deep): &(&str, &str, Role, bool),
    found: &mut Vec<Listed>,
) {
    let files = below(host, &join_path(directory, place), ending, is_deep).into_iter();
    found.extend(files.map(|path| Listed { path, module: module.map(str::to_owned), role }));
}

fn add_single(host: &dyn Host, directory: &str, module: Option<&str>, found: &mut Vec<Listed>) {
    for &(name, role) in SINGLE {
        let path = join_path(directory, name);
        if host.info(&path).is_some_and(|info| !info.is_directory) {
            found.push(Listed { path, module: module.map(str::to_owned), role });
        }
    }
}

/// The files below a directory with an extension, in order.
pub fn files_below(host: &dyn Host, directory: &str, ending: &str) -> Vec<String> {
    below(host, directory, ending, true)
}

/// The files of a directory with an extension, optionally with those of all subdirectories, in order.
fn below(host: &dyn Host, directory: &str, ending: &str, is_deep: bool) -> Vec<String> {
    let mut found = Vec::new();
    let choose = |name: &str| match name {
        name if name.starts_with('.') => Entries::Skip,
        name if name.ends_with(ending) => Entries::File,
        _ if is_deep => Entries::Directory,
        _ => Entries::Skip,
    };
    walk(host, directory, &choose, &|_| (), &mut |path| found.push(path));
    found
}

/// The module of a path and the role of the file; `None` for a path that is not a file of the environment.
pub(crate) fn place_of(environment: &Environment, path: &str) -> Option<(Option<String>, Role)> {
    let is_below = |directory: &str| {
        let rest = path.strip_prefix(directory.trim_end_matches('/'))?;
        rest.strip_prefix('/')
    };
    let role = |relative: &str| {
        let single = SINGLE.iter().find(|(name, _)| *name == relative).map(|(_, role)| *role);
        single.or_else(|| {
            PLACES.iter().find_map(|(place, ending, role, is_deep)| {
                let rest = relative.strip_prefix(place)?.strip_prefix('/')?;
                (rest.ends_with(ending) && (*is_deep || !rest.contains('/'))).then_some(*role)
            })
        })
    };
    let of_module = |module: &Module| Some((Some(module.name.clone()), role(is_below(&module.path)?)?));
    if let Some(found) = environment.modules().iter().find_map(of_module) {
        return Some(found);
    }
    if let Some(manifest) = &environment.manifest
        && (path == manifest || (is_below(manifest).is_some() && path.ends_with(".pp")))
    {
        return Some((None, Role::Manifest));
    }
    let relative = is_below(environment.directory.as_deref()?)?;
    Some((None, role(relative).filter(|role| *role != Role::Manifest)?))
}
