//! Modules: finding them in the directories of the module path, and reading their `metadata.json`.
//!
//! Follows the reference's `module.rb` and `Environment#modules`.

use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::Strictness;
use super::paths::join_path;
use super::watched::Watched;
use bunraku_host::{self as host, Entries, Host, HostError, Reading};
use bunraku_pcore::ruby::json;
use bunraku_syntax::diagnostic::{Error, LogLevel};

/// A module of an environment.
#[derive(Debug)]
pub struct Module {
    /// The name of its directory.
    pub name: String,
    /// Its directory.
    pub path: String,
    /// `author/name`, from the metadata.
    pub forge_name: Option<String>,
    /// The version, from the metadata.
    pub version: Option<String>,
    /// The modules it asks for, from the metadata.
    pub dependencies: Vec<Dependency>,
    /// Whether metadata exists.
    pub has_metadata: bool,
    /// `data_provider` of the metadata: the old way to configure the module's data.
    pub data_provider: Option<String>,
    pub(super) manifests: FileIndex,
    pub(super) functions: FileIndex,
    pub(super) types: FileIndex,
}

/// A module that another one asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// `author/name`
    pub name: String,
    /// The versions that will do.
    pub version_requirement: String,
}

impl Module {
    /// A path in the module, existing or not.
    pub fn file(&self, relative: &str) -> String {
        join_path(&self.path, relative)
    }

    /// Whether a name can be that of a module.
    pub fn is_name(name: &str) -> bool {
        name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    }

    /// The module in a directory. Errors: the message to log if its metadata is invalid; the module is then
    /// left out. `warnings` receives messages about a valid module.
    pub(super) fn load(
        host: &dyn Host,
        name: &str,
        path: String,
        (strict, reading): (Strictness, &Reading<'_>),
        warnings: &mut Vec<(LogLevel, String)>,
    ) -> Result<Self, String> {
        let mut module = Self {
            name: name.to_owned(),
            manifests: FileIndex::new(join_path(&path, "manifests"), ".pp"),
            functions: FileIndex::new(join_path(&path, "functions"), ".pp"),
            types: FileIndex::new(join_path(&path, "types"), ".pp"),
            path,
            forge_name: None,
            version: None,
            dependencies: Vec::new(),
            has_metadata: false,
            data_provider: None,
        };
        let Some(data) = module.read_metadata(host, (strict, reading), warnings)? else { return Ok(module) };
        module.forge_name = data.get("name").and_then(Json::as_str).map(|name| name.replace('-', "/"));
        for attribute in ["source", "author", "version", "license", "dependencies"] {
            if data.get(attribute).is_none_or(Json::is_null) {
                return Err(format!("No {attribute} module metadata provided for {name}"));
            }
        }
        module.data_provider = data.get("data_provider").and_then(Json::as_str).map(str::to_owned);
        module.version = data.get("version").and_then(Json::as_str).map(str::to_owned);
        let Some(dependencies) = data.get("dependencies").and_then(Json::as_array) else {
            return Err(format!(
                "The value for the key dependencies in the file metadata.json of the module {name} must be an array, \
                 not: '{}'",
                data.get("dependencies").map(Json::to_string).unwrap_or_default()
            ));
        };
        module.dependencies = dependencies.iter().filter_map(dependency).collect();
        module.has_metadata = true;
        Ok(module)
    }

    fn read_metadata(
        &self,
        host: &dyn Host,
        (strict, reading): (Strictness, &Reading<'_>),
        warnings: &mut Vec<(LogLevel, String)>,
    ) -> Result<Option<serde_json::Map<String, Json>>, String> {
        let content = match host::read(host, &self.file("metadata.json"), reading) {
            Ok(content) => content,
            Err(HostError::NotFound(_)) => return Ok(None),
            Err(error) => {
                return Err(format!("The metadata of the module {} cannot be read: {error}", self.name));
            }
        };
        if content.is_empty() {
            return Ok(None);
        }
        match json::read(&String::from_utf8_lossy(&content)) {
            Ok(Json::Object(data)) if data.is_empty() => Ok(None),
            Ok(Json::Object(data)) => Ok(Some(data)),
            Ok(_) => Ok(None),
            Err(error) => {
                let message = format!(
                    "{} has an invalid and unparsable metadata.json file. The parse error: {error}",
                    self.name
                );
                match strict {
                    Strictness::Off => Ok(None),
                    Strictness::Warning => {
                        warnings.push((LogLevel::Warning, message));
                        Ok(None)
                    }
                    Strictness::Error => Err(message),
                }
            }
        }
    }
}

fn dependency(data: &Json) -> Option<Dependency> {
    let name = data.get("name")?.as_str()?.replace('-', "/");
    let version = data.get("version_requirement").and_then(Json::as_str).unwrap_or(">= 0.0.0");
    Some(Dependency { name, version_requirement: version.to_owned() })
}

/// The place of each module in the list, by name.
pub(super) fn by_name(modules: &[Module]) -> FxHashMap<String, usize> {
    modules.iter().enumerate().map(|(index, module)| (module.name.clone(), index)).collect()
}

/// The modules that were found, and the messages about them.
type Discovered = (Vec<Module>, Vec<(LogLevel, String)>);

/// The modules of a module path: of two with the same name the first counts. Also returns the messages to log
/// about them.
pub(super) fn discover(
    host: &dyn Host,
    watched: &Watched,
    modulepath: &[String],
    strict: Strictness,
    reading: &Reading<'_>,
) -> Result<Discovered, Error> {
    let mut modules: Vec<Module> = Vec::new();
    let mut log = Vec::new();
    let mut seen = FxHashSet::default();
    for directory in modulepath {
        watched.note(host, directory);
        let Ok(names) = host.list(directory) else { continue };
        for name in names {
            let path = join_path(directory, &name);
            if !Module::is_name(&name) || !host.info(&path).is_some_and(|info| info.is_directory) {
                continue;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            watched.note(host, &join_path(&path, "metadata.json"));
            let loaded = Module::load(host, &name, path, (strict, reading), &mut log);
            // A cancellation is not an error of the module.
            reading.check().map_err(|ended| ended.into_error(|error| Error::io(error.to_string())))?;
            match loaded {
                Ok(module) => modules.push(module),
                Err(message) => log.push((LogLevel::Err, message)),
            }
        }
    }
    Ok((modules, log))
}

/// The files with one ending below a directory, listed when first asked for.
#[derive(Debug)]
pub(super) struct FileIndex {
    root: String,
    extension: &'static str,
    /// The paths by the names that they are asked for.
    files: OnceLock<FxHashMap<String, String>>,
}

impl FileIndex {
    pub fn new(root: String, extension: &'static str) -> Self {
        Self { root, extension, files: OnceLock::new() }
    }

    /// The path of the file with this name (relative, without the ending), if it exists.
    pub fn find(&self, host: &dyn Host, watched: &Watched, name: &str) -> Option<&str> {
        self.files(host, watched).get(name).map(String::as_str)
    }

    /// The paths of all files, sorted.
    pub fn all(&self, host: &dyn Host, watched: &Watched) -> Vec<String> {
        let mut files: Vec<String> = self.files(host, watched).values().cloned().collect();
        files.sort();
        files
    }

    fn files(&self, host: &dyn Host, watched: &Watched) -> &FxHashMap<String, String> {
        self.files.get_or_init(|| {
            let named = |path: String| {
                let name = path.strip_prefix(&self.root)?.strip_prefix('/')?;
                Some((name.strip_suffix(self.extension)?.to_owned(), path))
            };
            listed_below(host, watched, &self.root, self.extension).into_iter().filter_map(named).collect()
        })
    }
}

/// The files with one ending below a directory, sorted.
pub(super) fn files_below(host: &dyn Host, watched: &Watched, root: &str, extension: &str) -> Vec<String> {
    let mut found = listed_below(host, watched, root.trim_end_matches('/'), extension);
    found.sort();
    found
}

/// The files with one ending below a directory.
fn listed_below(host: &dyn Host, watched: &Watched, root: &str, extension: &str) -> Vec<String> {
    let mut found = Vec::new();
    let choose = |name: &str| match name {
        name if name.starts_with('.') => Entries::Skip,
        name if name.ends_with(extension) => Entries::File,
        _ => Entries::Directory,
    };
    host::walk(host, root, &choose, &|directory| watched.note(host, directory), &mut |path| found.push(path));
    found
}
