//! The modules that are there.

use bunraku_engine::loader::Environment;
use rustc_hash::FxHashSet;

/// The modules of an environment that hold anything: a Git submodule that is not checked out is an empty
/// directory.
#[derive(Debug, Default)]
pub(crate) struct Installed {
    names: FxHashSet<String>,
    /// Whether the modules that the environment's Puppetfile asks for are among them.
    pub has_puppetfile_modules: bool,
}

impl Installed {
    pub fn of(environment: &Environment) -> Self {
        let is_empty = |path: &str| environment.host.list(path).is_ok_and(|names| names.is_empty());
        let there =
            environment.modules().iter().filter(|module| module.has_metadata || !is_empty(&module.path));
        let names: FxHashSet<String> = there.map(|module| module.name.clone()).collect();
        let has_puppetfile_modules = environment.puppetfile_modules().iter().all(|name| names.contains(name));
        Self { names, has_puppetfile_modules }
    }

    /// Whether a module is there; the environment itself counts.
    pub fn has(&self, name: &str) -> bool {
        name == "environment" || self.names.contains(name)
    }
}
