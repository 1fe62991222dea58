//! The Ruby files of the modules of a modulepath, for types of resources.

use bunraku_engine::loader::join_path;
use bunraku_host::{FILE_SIZE, Host, Reading, RubyFiles};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// The modules of a modulepath: of those with one name only the first.
pub(super) struct ModuleFiles<'h> {
    host: &'h dyn Host,
    watch: &'h Watch<'h>,
    /// Their names and directories.
    modules: Vec<(String, String)>,
}

impl<'h> ModuleFiles<'h> {
    pub fn new<'p>(
        host: &'h dyn Host,
        modulepath: impl IntoIterator<Item = &'p str>,
        watch: &'h Watch<'h>,
    ) -> Self {
        let mut modules: Vec<(String, String)> = Vec::new();
        for path in modulepath {
            for name in host.list(path).unwrap_or_default() {
                if !modules.iter().any(|(other, _)| *other == name) {
                    modules.push((name.clone(), join_path(path, &name)));
                }
            }
        }
        Self { host, watch, modules }
    }

    /// The directories of the modules.
    pub fn directories(&self) -> impl Iterator<Item = &str> {
        self.modules.iter().map(|(_, directory)| directory.as_str())
    }

    /// The text of a file, if it can be read.
    pub fn text(&self, path: &str) -> Option<String> {
        let check = || self.watch.check();
        let bytes = bunraku_host::read(self.host, path, &Reading::checked(FILE_SIZE, &check)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The text of a module's file by its path below `lib`, with or without its ending.
    pub fn library(&self, relative: &str) -> Option<String> {
        let relative = format!("lib/{}.rb", relative.trim_end_matches(".rb"));
        self.directories().find_map(|module| self.text(&join_path(module, &relative)))
    }

    /// The file of a type.
    pub fn type_file(&self, name: &str) -> Option<String> {
        let relative = format!("lib/puppet/type/{name}.rb");
        let mut paths = self.directories().map(|module| join_path(module, &relative));
        paths.find(|path| self.host.info(path).is_some_and(|info| !info.is_directory))
    }

    /// The files in the directories of a type's providers.
    pub fn providers(&self, name: &str) -> Vec<String> {
        let directory = format!("lib/puppet/provider/{name}");
        let files = self.directories().flat_map(|module| {
            let directory = join_path(module, &directory);
            let names = self.host.list(&directory).unwrap_or_default();
            names.into_iter().map(move |name| join_path(&directory, &name))
        });
        files.collect()
    }
}

impl RubyFiles for ModuleFiles<'_> {
    fn read(&self, name: &str) -> Result<Option<(Str, Str)>, Error> {
        let known = |path: String| self.text(&path).map(|text| (path.into(), text.into()));
        let in_module = |module: &str| known(join_path(module, &format!("lib/{name}.rb")));
        let plain = name.trim_end_matches(".rb");
        Ok(known(format!("{plain}.rb")).or_else(|| self.directories().find_map(in_module)))
    }

    fn glob(&self, pattern: &str) -> Option<Vec<String>> {
        Some(bunraku_host::glob(self.host, pattern))
    }
}
