//! A directory environment: its settings, its modules and its main manifests.
//!
//! Follows the reference's `environments.rb`, `node/environment.rb` and `settings/environment_conf.rb`.

use std::convert::identity;
use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::FxHashMap;

use super::caches::Caches;
use super::collection::Definitions;
use super::configuration::EnvironmentConfiguration;
use super::files::{ParsedFile, Rules};
use super::fresh::Stamps;
use super::libraries::Libraries;
use super::module::{self, FileIndex, Module};
use super::paths::{expand_path, join_path};
use super::setting_values;
use super::watched::Watched;
use super::{Check, Loaded, ModuleProgram, Reload, Settings};
use bunraku_host::{self as host, DeepStacks, FILE_SIZE, FileInfo, Host, HostError, Machine, Reading, glob};
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Hash, RegexpValue, Str, Timestamp, Value};
use bunraku_syntax::ast::Program;
use bunraku_syntax::diagnostic::bug::guarded;
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel};
use bunraku_syntax::source::Source;
use bunraku_syntax::watch::{Never, Watch};

/// The options of an environment.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentOptions {
    /// The name, `production`.
    pub name: String,
    /// The directories that hold environments; the first one that has a directory of the name counts. Empty:
    /// the environment has no directory, only the module path and the manifest given below.
    pub environmentpath: Vec<String>,
    /// The environment's directory, whatever it is called; then the environment path is not searched. Its
    /// `config_version` is asked where the directory has the environment's name.
    pub directory: Option<String>,
    /// `basemodulepath`: directories of modules that all environments share.
    pub base_modulepath: Vec<String>,
    /// The module path, which overrides `environment.conf`.
    pub modulepath: Option<Vec<String>>,
    /// The main manifest, a file or a directory, which overrides `environment.conf`.
    pub manifest: Option<String>,
    /// The text of the main manifest; it then has no file.
    pub code: Option<String>,
    /// `hiera.yaml` of the global layer.
    pub global_hiera: Option<String>,
    /// The content of that file, which is then not read.
    pub global_hiera_text: Option<String>,
    /// Settings. The directory `libdir` and the modules of `vendormoduledir` are also searched for types,
    /// providers and functions of the 3.x API, after the modules; an empty text means none, and the default
    /// is that of the reference.
    pub settings: Settings,
    /// Directories (`lib` of gems) that are searched for these before the modules.
    pub gems: Vec<String>,
    /// Directories (Ruby's `$LOAD_PATH`) that are searched for these after `libdir`, before vendored modules.
    pub load_path: Vec<String>,
    /// Whether reads are recorded, for [`Environment::is_unchanged`].
    pub watch: bool,
    /// Whether each compilation sees changes of the files for Hiera, as the reference's do.
    pub fresh_data: bool,
    /// The host is asked to run commands: `config_version`, `generate()`.
    pub commands: bool,
    /// Directories below which functions of modules may write files, by the host.
    pub writable: Vec<String>,
    /// Modules whose own Ruby functions run even where native ones replace them; `*` for all modules.
    pub prefer_ruby: Vec<String>,
    /// The maximum size of a file in bytes; `None` means [`FILE_SIZE`].
    pub file_size: Option<u64>,
}

/// A directory environment with its modules: the definitions that manifests can name.
///
/// It is a snapshot: what has been read is not read again, except data with
/// [`fresh_data`](EnvironmentOptions::fresh_data); [`Environments`](super::Environments) replaces it on
/// request. Threads share it; no compilation waits for another.
#[derive(Debug)]
pub struct Environment {
    /// `production`
    pub name: String,
    /// The door outside.
    pub host: Arc<dyn Host>,
    /// Settings.
    pub settings: Settings,
    /// The environment's directory, when it has one.
    pub directory: Option<String>,
    /// The directories of modules that exist, in order.
    pub modulepath: Vec<String>,
    /// The directories of modules, whether they exist or not.
    pub full_modulepath: Vec<String>,
    /// The main manifest, a file or a directory; `None` if there is no manifest or its text was given.
    pub manifest: Option<String>,
    /// The command for the version of the configuration.
    pub config_version: Option<String>,
    /// The maximum age of the environment, as in `environment.conf`.
    pub environment_timeout: Option<String>,
    /// `hiera.yaml` of the global layer.
    pub global_hiera: Option<String>,
    /// The content of that file, if it was given.
    pub(crate) global_hiera_text: Option<String>,
    /// `environment_data_provider` of `environment.conf`: the old way to configure the environment's data.
    pub data_provider: Option<String>,
    /// The data that compilations share in addition to programs.
    pub(crate) caches: Caches,
    pub(super) code: Option<Arc<ParsedFile>>,
    /// The definitions in the main manifests.
    pub(super) main_definitions: OnceLock<Definitions>,
    pub(super) functions: Option<FileIndex>,
    pub(super) types: Option<FileIndex>,
    pub(super) parsed: RwLock<FxHashMap<Arc<str>, Arc<ParsedFile>>>,
    pub(super) resolved_types: RwLock<FxHashMap<Str, Type>>,
    pub(super) native_types: OnceLock<FxHashMap<Str, ()>>,
    pub(super) gems: Vec<String>,
    pub(super) libdir: Option<String>,
    pub(super) load_path: Vec<String>,
    pub(super) vendormoduledir: Option<String>,
    pub(super) libraries: OnceLock<Libraries>,
    pub(super) autoload_path: OnceLock<Vec<String>>,
    pub(super) type_files: OnceLock<FxHashMap<Str, String>>,
    pub(super) legacy_functions: OnceLock<FxHashMap<Str, String>>,
    stacks: DeepStacks,
    pub(super) watched: Watched,
    pub(super) stamps: Stamps,
    commands: bool,
    writable: Vec<String>,
    prefer_ruby: Vec<String>,
    file_size: u64,
    setting_values: OnceLock<Arc<Hash>>,
    machine: OnceLock<Machine>,
    environmentpath: Vec<String>,
    base_modulepath: Vec<String>,
    modules: Vec<Module>,
    modules_by_name: FxHashMap<String, usize>,
    notices: Vec<(LogLevel, String)>,
    notices_of_settings: Vec<String>,
    wrong_setting: Option<Error>,
    manifests: OnceLock<Vec<Arc<ParsedFile>>>,
}

/// The paths in options and `environment.conf`.
struct Paths {
    full_modulepath: Vec<String>,
    /// The existing directories of it.
    modulepath: Vec<String>,
    manifest: Option<String>,
    config_version: Option<String>,
}

impl Paths {
    fn read(
        host: &dyn Host,
        options: &EnvironmentOptions,
        directory: Option<&str>,
        configuration: &mut EnvironmentConfiguration,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let modulepath = match (&options.modulepath, directory) {
            (Some(path), _) => path.iter().map(|path| expand_path(path, "/")).collect(),
            (None, Some(directory)) => {
                configuration.modulepath(directory, &options.base_modulepath, variable)?
            }
            (None, None) => Vec::new(),
        };
        let manifest = match (&options.manifest, directory) {
            (Some(manifest), base) => Some(expand_path(manifest, base.unwrap_or("/"))),
            (None, Some(directory)) => Some(configuration.manifest(directory, variable)?),
            (None, None) => None,
        };
        // The command finds the environment by its name, which a given directory may not have.
        let is_found_by_name = |directory: &str| {
            options.directory.is_none() || directory.rsplit('/').next() == Some(&options.name)
        };
        let config_version = match directory {
            Some(directory) => {
                let version = configuration.config_version(directory, variable)?;
                version.filter(|_| is_found_by_name(directory))
            }
            None => None,
        };
        let full_modulepath: Vec<String> = modulepath.iter().flat_map(|path| glob(host, path)).collect();
        let is_directory = |path: &&String| host.info(path).is_some_and(|info| info.is_directory);
        let modulepath = full_modulepath.iter().filter(is_directory).cloned().collect();
        Ok(Self { full_modulepath, modulepath, manifest, config_version })
    }
}

/// The directory that the options name, or have found on the path of environments.
fn environment_directory(host: &dyn Host, options: &EnvironmentOptions) -> Result<Option<String>, Error> {
    match (&options.directory, options.environmentpath.as_slice()) {
        (Some(directory), _) => named_directory(host, directory).map(Some),
        (None, []) => Ok(None),
        (None, paths) => find_directory(host, &options.name, paths).map(Some),
    }
}

impl Environment {
    /// Loads an environment: finds its directory, reads `environment.conf` and lists its modules. Manifests
    /// are read when they are needed.
    ///
    /// Errors: no directory has the name, or `environment.conf` cannot be read.
    pub fn load(host: Arc<dyn Host>, options: EnvironmentOptions) -> Result<Self, Error> {
        Self::load_watched(host, options, &Never)
    }

    /// As [`load`](Self::load), as long as `check` allows; it is asked before each piece of a file and after
    /// each module.
    ///
    /// Errors: `check`'s, which ends it in the middle.
    pub fn load_watched(
        host: Arc<dyn Host>,
        options: EnvironmentOptions,
        check: Check<'_>,
    ) -> Result<Self, Error> {
        guarded(|| Self::read(host, options, &Watch::new(check))).and_then(identity)
    }

    fn read(host: Arc<dyn Host>, options: EnvironmentOptions, watch: &Watch<'_>) -> Result<Self, Error> {
        let watched = Watched::new(options.watch);
        let file_size = options.file_size.unwrap_or(FILE_SIZE);
        let check = || watch.check();
        check()?;
        let reading = Reading::checked(file_size, &check);
        let directory = environment_directory(&*host, &options)?;
        let own = directory.as_deref();
        own.iter().for_each(|path| watched.note(&*host, &join_path(path, "environment.conf")));
        let configuration = own.map(|path| read_configuration(&*host, path, &reading)).transpose()?;
        let mut configuration = configuration.unwrap_or_default();
        let variable = |name: &str| setting_values::text(&options, name);
        let Paths { full_modulepath, modulepath, manifest, config_version } =
            Paths::read(&*host, &options, own, &mut configuration, &variable)?;
        full_modulepath.iter().for_each(|path| watched.note(&*host, path));
        configuration.environment_timeout().map(Reload::of_timeout).transpose()?;
        let (libdir, vendormoduledir) = (variable("libdir"), variable("vendormoduledir"));
        let mut settings = options.settings.clone();
        let wrong_setting = configuration
            .rich_data()
            .map(|given| settings.rich_data = given.unwrap_or(settings.rich_data))
            .err();
        let warnings = configuration.warnings.iter().map(|text| (LogLevel::Warning, text.clone()));
        let (modules, log) = module::discover(&*host, &watched, &modulepath, settings.strict, &reading)?;
        let notices = warnings.chain(log).collect();
        let modules_by_name = module::by_name(&modules);
        let code = options.code.as_deref().filter(|code| !code.is_empty());
        let rules =
            Rules { settings: &settings, manifest: manifest.as_deref(), modulepath: &full_modulepath };
        let parsed = |code: &str| ParsedFile::new(Source::new(None, code), rules, watch);
        let index = |name| directory.as_deref().map(|path| FileIndex::new(join_path(path, name), ".pp"));
        Ok(Self {
            code: code.map(parsed).transpose()?.map(Arc::new),
            functions: index("functions"),
            types: index("types"),
            manifest: if code.is_some() { None } else { manifest },
            environment_timeout: configuration.environment_timeout().map(str::to_owned),
            name: options.name,
            host,
            settings,
            directory,
            modulepath,
            full_modulepath,
            config_version,
            global_hiera: options.global_hiera,
            global_hiera_text: options.global_hiera_text,
            data_provider: configuration.data_provider().map(str::to_owned),
            caches: Caches::default(),
            main_definitions: OnceLock::new(),
            parsed: RwLock::default(),
            resolved_types: RwLock::default(),
            native_types: OnceLock::new(),
            gems: options.gems,
            libdir,
            load_path: options.load_path,
            vendormoduledir,
            libraries: OnceLock::new(),
            autoload_path: OnceLock::new(),
            type_files: OnceLock::new(),
            legacy_functions: OnceLock::new(),
            stacks: DeepStacks::default(),
            watched,
            stamps: Stamps::new(options.fresh_data),
            commands: options.commands,
            writable: options.writable.iter().map(|path| expand_path(path, "/")).collect(),
            prefer_ruby: options.prefer_ruby,
            file_size,
            setting_values: OnceLock::new(),
            machine: OnceLock::new(),
            environmentpath: options.environmentpath,
            base_modulepath: options.base_modulepath,
            modules,
            modules_by_name,
            notices,
            notices_of_settings: configuration.of_settings,
            wrong_setting,
            manifests: OnceLock::new(),
        })
    }

    /// The modules, in the order of the module path and by name in each of its directories.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// A module by name.
    pub fn find_module(&self, name: &str) -> Option<&Module> {
        self.modules_by_name.get(name).and_then(|index| self.modules.get(*index))
    }

    /// The programs of the main manifest, in order. Their definitions are known to the compilation from here
    /// on.
    ///
    /// Errors: the first file that cannot be parsed or validated; two definitions of one name.
    pub fn main_manifests(&self, loaded: &Loaded) -> Result<Vec<Arc<Program>>, Error> {
        self.import_main(loaded)?;
        if loaded.tables.borrow().is_without_main {
            return Ok(Vec::new());
        }
        Ok(self
            .main_files(&loaded.ending(&*self.host))?
            .iter()
            .filter_map(|file| file.program().cloned())
            .collect())
    }

    /// The main manifest's files, parsed.
    ///
    /// Errors: `check`'s.
    pub(super) fn main_files(&self, check: Check<'_>) -> Result<&[Arc<ParsedFile>], Error> {
        if let Some(files) = self.manifests.get() {
            return Ok(files);
        }
        let files = self.parse_main(check)?;
        Ok(self.manifests.get_or_init(|| files))
    }

    fn parse_main(&self, check: Check<'_>) -> Result<Vec<Arc<ParsedFile>>, Error> {
        if let Some(code) = &self.code {
            return Ok(vec![code.clone()]);
        }
        let Some(manifest) = &self.manifest else { return Ok(Vec::new()) };
        self.note(manifest);
        let files = match self.host.info(manifest) {
            Some(info) if info.is_directory => {
                module::files_below(&*self.host, &self.watched, manifest, ".pp")
            }
            Some(_) => vec![manifest.clone()],
            None if manifest.ends_with(".pp") => Vec::new(),
            None => vec![format!("{manifest}.pp")],
        };
        files.iter().filter_map(|file| self.parse_file(file, check).transpose()).collect()
    }

    /// All manifests, those of the main manifest and then those of the modules, each with its module; without
    /// those that cannot be parsed.
    ///
    /// Errors: `check`'s, which ends it in the middle.
    pub fn all_manifests(&self, check: Check<'_>) -> Result<Vec<ModuleProgram<'_>>, Error> {
        let mut all: Vec<_> =
            self.main_files(check)?.iter().filter_map(|file| Some((None, file.program()?.clone()))).collect();
        for module in &self.modules {
            for path in module.manifests.all(&*self.host, &self.watched) {
                let file = self.parse_file(&path, check)?;
                all.extend(file.and_then(|file| Some((Some(module), file.program()?.clone()))));
            }
        }
        Ok(all)
    }

    /// The program of a main manifest that was given as text, if it can be parsed.
    pub fn code_program(&self) -> Option<Arc<Program>> {
        self.code.as_ref()?.program().cloned()
    }

    /// Whether all files and directories that were read are unchanged, by size and time. Only an environment
    /// that was loaded with [`watch`](EnvironmentOptions::watch) knows.
    pub fn is_unchanged(&self) -> bool {
        self.watched.is_unchanged(&*self.host)
    }

    /// Records that a path is about to be read.
    pub(crate) fn note(&self, path: &str) {
        self.watched.note(&*self.host, path);
    }

    /// The bytes of a file, up to the maximum size. `check` is called before each piece and ends the reading
    /// if it fails.
    ///
    /// Errors: the file does not exist, is not a regular file, is too large, or cannot be read.
    pub fn read_file(&self, path: &str, check: &dyn Fn() -> Result<(), Error>) -> Result<Vec<u8>, HostError> {
        host::read(&*self.host, path, &Reading::checked(self.file_size, check))
    }

    /// As `read_file`, for files that are read once for all compilations: it cannot be cancelled.
    pub fn read_shared(&self, path: &str) -> Result<Vec<u8>, HostError> {
        host::read(&*self.host, path, &Reading::of_size(self.file_size))
    }

    /// Runs work on a stack that is deep enough for compilations, and waits for it.
    ///
    /// # Errors
    /// The host cannot provide the stack, or the work panicked
    /// ([`ErrorKind::Bug`](bunraku_syntax::diagnostic::ErrorKind::Bug)).
    pub fn on_deep_stack<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let (mut work, mut result) = (Some(work), None);
        self.host.run_on_deep_stack(&self.stacks, &mut || result = work.take().map(guarded))?;
        result.unwrap_or_else(|| Err(Error::internal("the host did not do the work")))
    }

    /// The values of all settings, as manifests read them.
    pub(crate) fn setting_values(&self) -> &Arc<Hash> {
        self.setting_values.get_or_init(|| {
            let text = |text: Option<&str>| text.map_or(Value::Undef, Value::from);
            let mut own = vec![
                ("environment", Value::from(self.name.as_str())),
                ("manifest", text(self.manifest.as_deref())),
                ("modulepath", Value::from(self.full_modulepath.join(":"))),
                ("config_version", text(self.config_version.as_deref())),
                ("environment_timeout", setting_values::timeout(self.environment_timeout.as_deref())),
            ];
            let paths =
                [("environmentpath", &self.environmentpath), ("basemodulepath", &self.base_modulepath)];
            own.extend(
                paths.into_iter().filter_map(|(name, paths)| Some((name, setting_values::path(paths)?))),
            );
            Arc::new(setting_values::all(&self.settings, &own))
        })
    }

    /// The output of a command. `check` is called repeatedly while it runs, and ends it by failing.
    ///
    /// Errors: commands are not allowed here, or this one fails.
    pub(crate) fn run_command(
        &self,
        command: &[&str],
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<String, HostError> {
        if !self.commands {
            return Err(HostError::commands_refused(command));
        }
        self.host.run_command(command, &Reading::checked(self.file_size, check))
    }

    /// Writes a file for a function of a module.
    ///
    /// # Errors
    /// The file is below none of the directories that may be written, or cannot be written.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        self.host.write(&self.assert_writable(path)?, bytes)
    }

    /// Makes a directory for a function of a module.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub(crate) fn make_directories(&self, path: &str) -> Result<(), HostError> {
        self.host.make_directories(&self.assert_writable(path)?)
    }

    /// Whether a module's own Ruby functions run where native ones replace them.
    pub(crate) fn prefers_ruby(&self, module: &str) -> bool {
        self.prefer_ruby.iter().any(|one| one == module || one == "*")
    }

    /// Whether functions may write this file.
    pub fn can_write(&self, path: &str) -> bool {
        self.assert_writable(path).is_ok()
    }

    fn assert_writable(&self, path: &str) -> Result<String, HostError> {
        let path = expand_path(path, "/");
        let is_below = |directory: &String| {
            path.strip_prefix(directory.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.writable.iter().any(is_below) { Ok(path) } else { Err(HostError::writing_refused(&path)) }
    }

    /// The regular expression of this text; compilations share the result.
    pub(crate) fn regexp(&self, source: &str) -> Arc<RegexpValue> {
        self.caches.regexps.get(source, || RegexpValue::new(source))
    }

    /// The regular expression of a text from a program; compilations share the last results.
    pub(crate) fn regexp_in_text(&self, source: &str) -> Arc<RegexpValue> {
        self.caches.regexps_of_texts.get(source, || RegexpValue::new(source))
    }

    /// Whether a path exists; checked once.
    pub(crate) fn has_file(&self, path: &str) -> bool {
        *self.caches.existing_files.get(path, || {
            self.note(path);
            self.host.info(path).is_some()
        })
    }

    /// The files that match a pattern, sorted; searched once.
    pub(crate) fn files_matching(&self, pattern: &str) -> Arc<Vec<String>> {
        self.caches.globs.get(pattern, || self.find_files(pattern))
    }

    pub(super) fn find_files(&self, pattern: &str) -> Vec<String> {
        let host = Noting(self);
        let mut found = glob(&host, pattern);
        found.retain(|path| host.info(path).is_some_and(|info| !info.is_directory));
        found
    }

    /// Fails if `environment.conf` has an invalid value of a setting.
    pub(crate) fn check_settings(&self) -> Result<(), Error> {
        self.wrong_setting.clone().map_or(Ok(()), Err)
    }

    /// Logs the messages about settings when they become variables.
    pub(crate) fn log_notices_of_settings(&self, loaded: &Loaded) {
        for message in &self.notices_of_settings {
            loaded.log.add(LogEntry::of_puppet(LogLevel::Warning, message.clone()));
        }
    }

    /// Logs the messages about the environment itself, once in each compilation.
    pub(crate) fn log_notices(&self, loaded: &Loaded) {
        if std::mem::replace(&mut loaded.tables.borrow_mut().notices_logged, true) {
            return;
        }
        for (level, message) in &self.notices {
            loaded.log.add(LogEntry::of_puppet(*level, message.clone()));
        }
    }
}

impl Environment {
    /// The machine's names and addresses, looked up on first use.
    pub fn machine(&self) -> &Machine {
        self.machine.get_or_init(|| self.host.machine())
    }
}

/// The files of an environment's host, with recorded reads.
struct Noting<'e>(&'e Environment);

impl Host for Noting<'_> {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        self.0.note(path);
        self.0.host.read(path, reading)
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        self.0.note(path);
        self.0.host.info(path)
    }

    fn is_link(&self, path: &str) -> bool {
        self.0.host.is_link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.0.note(path);
        self.0.host.list(path)
    }

    fn now(&self) -> Timestamp {
        self.0.host.now()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        self.0.host.random(bytes)
    }
}

/// The directory of an environment. Only names of letters, digits and `_` are environments.
fn find_directory(host: &dyn Host, name: &str, paths: &[String]) -> Result<String, Error> {
    let valid = !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_');
    let found = paths
        .iter()
        .map(|path| expand_path(name, path))
        .find(|path| valid && host.info(path).is_some_and(|info| info.is_directory));
    found.ok_or_else(|| {
        Error::plain(format!(
            "Could not find a directory environment named '{name}' anywhere in the path: {}. Does the directory exist?",
            paths.join(":")
        ))
    })
}

/// The directory that options name as an environment's.
fn named_directory(host: &dyn Host, path: &str) -> Result<String, Error> {
    let path = expand_path(path, "/");
    match host.info(&path) {
        Some(info) if info.is_directory => Ok(path),
        Some(_) => Err(Error::argument(format!("Not a directory - {path}"))),
        None => Err(Error::argument(format!("No such file or directory - {path}"))),
    }
}

fn read_configuration(
    host: &dyn Host,
    directory: &str,
    reading: &Reading<'_>,
) -> Result<EnvironmentConfiguration, Error> {
    let path = join_path(directory, "environment.conf");
    match host::read(host, &path, reading) {
        Ok(bytes) => EnvironmentConfiguration::parse(&path, &String::from_utf8_lossy(&bytes)),
        Err(HostError::NotFound(_)) => Ok(EnvironmentConfiguration::default()),
        Err(error) => Err(error.into_error(|error| Error::io(error.to_string()))),
    }
}

/// Any number of threads compile on one environment.
const _: fn() = || {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Environment>();
};

#[cfg(test)]
mod tests {
    use bunraku_host::memory::MemoryHost;

    use super::*;

    #[test]
    fn the_directory_of_an_environment_is_one() {
        let mut host = MemoryHost::new();
        host.add("/e/production/environment.conf", "");
        let found = |path: &str| named_directory(&host, path).map_err(|error| error.message);
        assert_eq!(found("/e/x/../production"), Ok("/e/production".to_owned()));
        let file = "/e/production/environment.conf";
        assert_eq!(found(file), Err(format!("Not a directory - {file}")));
        assert_eq!(found("/e/nope"), Err("No such file or directory - /e/nope".to_owned()));
    }

    #[test]
    fn the_version_is_asked_where_the_directory_has_the_name() {
        let version = |name: &str| {
            let mut host = MemoryHost::new();
            host.add("/e/prod/environment.conf", "config_version = /bin/version\n");
            let options = EnvironmentOptions {
                name: name.into(),
                directory: Some("/e/prod".into()),
                ..EnvironmentOptions::default()
            };
            Environment::load(Arc::new(host), options).expect("it is a directory").config_version
        };
        assert_eq!(version("prod").as_deref(), Some("/bin/version"));
        assert_eq!(version("other"), None);
    }
}
