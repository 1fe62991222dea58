//! Environments, and catalogs compiled in them.

use std::sync::Arc;

use bunraku_engine::compiler::{self, CompileOptions, request};
use bunraku_engine::eval::Limits;
use bunraku_engine::eval::context::LookupRequest;
use bunraku_engine::eval::limits::{Cancel, Usage};
use bunraku_engine::loader::{self, EnvironmentOptions};
use bunraku_host::Host;
use bunraku_host::disk::DiskHost;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::Value as Inner;
use bunraku_syntax::diagnostic::{Error, LogEntry};
use serde_json::{Map, Value as Json};

use super::{Catalog, NodeInput, Value};

/// A directory environment with its modules and data.
///
/// It is loaded once and is a snapshot: what was read is not read again. Clones are the same environment. Any
/// number of threads may compile in it at the same time; none waits for another.
///
/// ```
/// use bunraku::{Environment, NodeInput};
///
/// let environment = Environment::builder("production").code("notify { \"I am ${trusted['certname']}\": }").load()?;
/// let catalog = environment.compile(NodeInput::new("web01.example.net"))?;
/// assert!(catalog.resource("Notify[I am web01.example.net]").is_some());
/// # Ok::<(), bunraku::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Environment(pub(crate) Arc<loader::Environment>);

impl Environment {
    /// How to load an environment of this name.
    pub fn builder(name: impl Into<String>) -> EnvironmentBuilder {
        EnvironmentBuilder {
            options: EnvironmentOptions { name: name.into(), ..EnvironmentOptions::default() },
            settings: Map::new(),
            host: None,
            cancel: None,
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Compiles a node's catalog with the default limits. [`compilation`](Self::compilation) has options, and
    /// gives the log.
    ///
    /// # Errors
    /// The compilation fails: a syntax error, an error of the evaluation, a limit that is reached.
    pub fn compile(&self, node: NodeInput) -> Result<Catalog, Error> {
        self.compilation(node).run().catalog
    }

    /// A compilation to be run, with options.
    pub fn compilation(&self, node: NodeInput) -> Compilation<'_> {
        Compilation { environment: self, node, options: CompileOptions::default() }
    }

    /// Looks up a key of Hiera's data as the function `lookup` does, with the manifests left alone. `None`:
    /// no data has the key.
    ///
    /// # Errors
    /// The data or the configuration of Hiera is broken.
    pub fn lookup(&self, node: NodeInput, key: &str) -> Result<Option<Value>, Error> {
        // Told from what data holds by its identity.
        let nothing = Inner::from(vec![]);
        let default = Some(nothing.clone());
        let question = LookupRequest { names: vec![key.into()], default, ..LookupRequest::default() };
        let found = self.0.on_deep_stack(|| {
            let compilation = compiler::Compilation::new(&self.0, node.0, Limits::default());
            compilation.loaded().leave_out_main_manifest();
            compilation.compile()?;
            compilation.lookup(&question)
        })??;
        Ok(found.filter(|value| !value.is_same_object(&nothing)).map(Value))
    }

    /// The files in Ruby of the environment's modules, with what the Ruby that is built in does not know of
    /// them: what a program without Ruby cannot run. Nothing is called, so what a function meets only when it
    /// runs is not told.
    ///
    /// # Errors
    /// Only what is wrong with the library itself.
    #[cfg(feature = "modules")]
    pub fn ruby_report(&self) -> Result<Vec<crate::RubyFile>, Error> {
        bunraku_tools::ruby_report::files(&self.0, &|| Ok(()))
    }

    /// Checks the environment: what is wrong with its manifests, modules, templates and data, told without
    /// compiling a node, by file and place.
    ///
    /// ```
    /// use bunraku::{Environment, check::Options};
    ///
    /// let environment = Environment::builder("production").code("file { '/a': ensrue => present }").load()?;
    /// let found = environment.check(&Options::default())?;
    /// let message = "the resource type 'file' has no parameter 'ensrue'; did you mean 'ensure'?";
    /// assert_eq!(found[0].message, message);
    /// # Ok::<(), bunraku::Error>(())
    /// ```
    ///
    /// # Errors
    /// Only what is wrong with the library itself, and limits of time and memory.
    #[cfg(feature = "check")]
    pub fn check(&self, options: &bunraku_check::Options) -> Result<Vec<bunraku_check::Finding>, Error> {
        bunraku_check::check(&self.0, options, &Usage::of_reading(None, &DiskHost).ends)
    }

    /// What the environment defines, and who refers to it.
    ///
    /// # Errors
    /// Only limits of time and memory.
    #[cfg(feature = "check")]
    pub fn index(&self) -> Result<bunraku_index::Index, Error> {
        bunraku_index::Index::of(&self.0, &Usage::of_reading(None, &DiskHost).ends)
    }

    /// A type of the language, or one that a module of the environment defines, from its notation.
    ///
    /// # Errors
    /// The text is no type.
    pub fn parse_type(&self, text: &str) -> Result<Type, Error> {
        self.0.on_deep_stack(|| {
            let node = compiler::NodeInput::default();
            compiler::Compilation::new(&self.0, node, Limits::default()).parse_type(text)
        })?
    }
}

/// How an environment is loaded. Made by [`Environment::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct EnvironmentBuilder {
    options: EnvironmentOptions,
    settings: Map<String, Json>,
    host: Option<Arc<dyn Host>>,
    cancel: Option<Cancel>,
}

impl EnvironmentBuilder {
    /// Adds a directory of environments (`environmentpath`); the first one that has a directory of the name
    /// counts. The path is absolute.
    pub fn environmentpath(mut self, directory: impl Into<String>) -> Self {
        self.options.environmentpath.push(directory.into());
        self
    }

    /// Loads the environment from its own directory, whatever it is called; the environment path is not
    /// searched then.
    pub fn directory(mut self, directory: impl Into<String>) -> Self {
        self.options.directory = Some(directory.into());
        self
    }

    /// Adds a directory of modules that all environments share (`basemodulepath`).
    pub fn base_modulepath(mut self, directory: impl Into<String>) -> Self {
        self.options.base_modulepath.push(directory.into());
        self
    }

    /// The module path, instead of what `environment.conf` says.
    pub fn modulepath<D: Into<String>>(mut self, directories: impl IntoIterator<Item = D>) -> Self {
        self.options.modulepath = Some(directories.into_iter().map(Into::into).collect());
        self
    }

    /// The main manifest, a file or a directory, instead of what `environment.conf` says.
    pub fn manifest(mut self, path: impl Into<String>) -> Self {
        self.options.manifest = Some(path.into());
        self
    }

    /// The text of the main manifest, which then has no file.
    pub fn code(mut self, text: impl Into<String>) -> Self {
        self.options.code = Some(text.into());
        self
    }

    /// The file `hiera.yaml` of the global layer.
    pub fn global_hiera(mut self, path: impl Into<String>) -> Self {
        self.options.global_hiera = Some(path.into());
        self
    }

    /// What stands in the file of [`global_hiera`](Self::global_hiera), which then is not read.
    pub fn global_hiera_text(mut self, text: impl Into<String>) -> Self {
        self.options.global_hiera_text = Some(text.into());
        self
    }

    /// Adds a directory (`lib` of a gem) in which resource types, providers and functions of the 3.x API are
    /// looked for before the modules.
    pub fn gem(mut self, directory: impl Into<String>) -> Self {
        self.options.gems.push(directory.into());
        self
    }

    /// Adds a directory (of Ruby's `$LOAD_PATH`) in which resource types, providers and functions of the 3.x
    /// API are looked for behind the modules and `libdir`, before vendored modules.
    pub fn load_path(mut self, directory: impl Into<String>) -> Self {
        self.options.load_path.push(directory.into());
        self
    }

    /// A setting of Puppet, such as `strict` or `strict_variables`, as JSON. Resource types, providers and
    /// functions of the 3.x API are looked for in `libdir` and in the modules of `vendormoduledir`, too,
    /// which may be empty for none.
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// Whether `config_version`, `generate()` and functions of modules that run on the Ruby that is built in
    /// may run commands. They may not unless this is called.
    pub fn commands(mut self, allowed: bool) -> Self {
        self.options.commands = allowed;
        self
    }

    /// A directory below which functions of modules that run on the Ruby that is built in may write files,
    /// such as a cache of passwords. They may write nowhere unless this is called.
    pub fn writable(mut self, directory: impl Into<String>) -> Self {
        self.options.writable.push(directory.into());
        self
    }

    /// A module whose own functions in Ruby run even where the library has native ones that stand in for
    /// them, as it has for stdlib; `*` for all modules.
    pub fn prefer_ruby(mut self, module: impl Into<String>) -> Self {
        self.options.prefer_ruby.push(module.into());
        self
    }

    /// Where files, functions, the clock and exported resources come from. Without it: the machine's disk.
    pub fn host(mut self, host: Arc<dyn Host>) -> Self {
        self.host = Some(host);
        self
    }

    /// Lets a switch end the loading. Compilations have their own, among their [`Limits`].
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Loads the environment. Manifests and data are read when they are needed. It may take 300 seconds of
    /// the thread's processor and 1 GiB of memory.
    ///
    /// # Errors
    /// There is no directory of the name, `environment.conf` cannot be read, or a setting makes no sense; it
    /// was cancelled.
    pub fn load(mut self) -> Result<Environment, Error> {
        self.options.settings = request::settings(&self.settings)?;
        let host = self.host.unwrap_or_else(|| Arc::new(DiskHost));
        let usage = Usage::of_reading(self.cancel, &*host);
        let loaded = loader::Environment::load_watched(Arc::clone(&host), self.options, &usage.ends);
        loaded.map(|environment| Environment(Arc::new(environment)))
    }
}

/// A compilation to be run. Made by [`Environment::compilation`].
#[derive(Debug)]
#[must_use]
pub struct Compilation<'e> {
    environment: &'e Environment,
    node: NodeInput,
    options: CompileOptions,
}

impl Compilation<'_> {
    /// What the compilation may use: steps, time, memory, sizes.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Records where values come from, so that [`Catalog::explain`] can tell.
    pub fn provenance(mut self) -> Self {
        self.options.provenance = true;
        self
    }

    /// Makes a cycle of dependencies an error, as it is one for the agent that gets such a catalog.
    pub fn check_cycles(mut self) -> Self {
        self.options.check_cycles = true;
        self
    }

    /// Compiles the catalog on the thread that calls, on a stack of its own.
    pub fn run(self) -> Compiled {
        let environment = &self.environment.0;
        let result = compiler::compile(environment, self.node.0, self.options);
        let catalog = result.outcome.map(|catalog| Catalog::new(catalog, environment.settings.clone()));
        Compiled { catalog, logs: result.logs }
    }
}

/// What a compilation gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// The catalog, or why there is none.
    pub catalog: Result<Catalog, Error>,
    /// What was logged, in order; also when the compilation failed.
    pub logs: Vec<LogEntry>,
}
