//! Ruby that belongs to no module of the environment: gems, `libdir`, Ruby's load path, vendored modules.
//!
//! Follows the reference's `util/autoload.rb` and `puppet.rb`: only types of resources, their providers and
//! functions of the 3.x API come from there. Manifests, functions of the 4.x API, functions in Puppet and
//! data types do not.

use rustc_hash::FxHashMap;

use super::{Environment, join_path};
use bunraku_host::Host;
use bunraku_pcore::value::Str;

/// The directories with Ruby other than those of the modules, existing or not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Libraries {
    /// `lib` of gems; before the modules.
    pub gems: Vec<String>,
    /// `libdir`; searched after the modules, like the following ones.
    pub libdir: Option<String>,
    /// Ruby's own load path.
    pub load_path: Vec<String>,
    /// `lib` of the modules in `vendormoduledir`.
    pub vendored: Vec<String>,
}

impl Libraries {
    /// `lib` of the modules in a directory, whose names may be any that are not hidden.
    fn of_modules(host: &dyn Host, directory: &str) -> Vec<String> {
        let names = host.list(directory).unwrap_or_default();
        let shown = names.iter().filter(|name| !name.starts_with('.'));
        shown.map(|name| join_path(&join_path(directory, name), "lib")).collect()
    }
}

/// The Ruby files in one folder of all searched directories, by their names. The first one of a name counts.
type FilesByName = FxHashMap<Str, String>;

impl Environment {
    /// The directories with Ruby other than the modules.
    pub(crate) fn libraries(&self) -> &Libraries {
        self.libraries.get_or_init(|| {
            let given = |path: &Option<String>| path.clone().filter(|path| !path.is_empty());
            let vendored = given(&self.vendormoduledir).map(|directory| {
                self.note(&directory);
                Libraries::of_modules(&*self.host, &directory)
            });
            Libraries {
                gems: self.gems.clone(),
                libdir: given(&self.libdir),
                load_path: self.load_path.clone(),
                vendored: vendored.unwrap_or_default(),
            }
        })
    }

    /// The directories that are searched for types, providers and functions of the 3.x API, in order. Every
    /// directory of the module path counts, even if it is not a module.
    fn autoload_path(&self) -> &[String] {
        self.autoload_path.get_or_init(|| {
            let libraries = self.libraries();
            let mut path = libraries.gems.clone();
            for directory in &self.modulepath {
                self.note(directory);
                path.extend(Libraries::of_modules(&*self.host, directory));
            }
            path.extend(libraries.libdir.clone());
            path.extend(libraries.load_path.iter().cloned());
            path.extend(libraries.vendored.iter().cloned());
            path
        })
    }

    /// The possible paths of a file by its path below `lib`.
    pub(crate) fn autoload_candidates(&self, relative: &str) -> impl Iterator<Item = String> {
        self.autoload_path().iter().map(move |directory| join_path(directory, relative))
    }

    /// The file with the resource type of this name, in lower case.
    pub(crate) fn resource_type_file(&self, name: &str) -> Option<&str> {
        let files = self.type_files.get_or_init(|| self.ruby_files("puppet/type"));
        files.get(name).map(String::as_str)
    }

    /// The file that defines a function of the 3.x API, be it a module's or not. It counts where no loader of
    /// functions finds one.
    pub(crate) fn legacy_function_file(&self, name: &str) -> Option<&str> {
        let files = self.legacy_functions.get_or_init(|| self.ruby_files("puppet/parser/functions"));
        files.get(name).map(String::as_str)
    }

    /// Whether a file with a provider for a type exists.
    pub(crate) fn has_providers(&self, of: &str) -> bool {
        self.autoload_candidates(&format!("puppet/provider/{of}")).any(|directory| {
            self.note(&directory);
            self.host.list(&directory).is_ok_and(|names| !names.is_empty())
        })
    }

    fn ruby_files(&self, folder: &str) -> FilesByName {
        let mut files = FilesByName::default();
        for directory in self.autoload_candidates(folder) {
            self.note(&directory);
            for file in self.host.list(&directory).unwrap_or_default() {
                let Some(name) = file.strip_suffix(".rb") else { continue };
                files.entry(name.into()).or_insert_with(|| join_path(&directory, &file));
            }
        }
        files
    }
}
