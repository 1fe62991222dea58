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
/// An environment is loaded once and is a snapshot: what has been read is not read again. Clones are the same
/// environment. Any number of threads can compile in it at the same time; none waits for another.
///
/// ```
/// use bunraku::{Environment, NodeInput};
///
/// let code = "notify { \"I am ${trusted['certname']}\": }";
/// let environment = Environment::builder("production").code(code).load()?;
/// let catalog = environment.compile(NodeInput::new("web01.example.net"))?;
/// assert!(catalog.resource("Notify[I am web01.example.net]").is_some());
/// # Ok::<(), bunraku::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Environment(pub(crate) Arc<loader::Environment>);

impl Environment {
    /// Starts the configuration of an environment with this name.
    pub fn builder(name: impl Into<String>) -> EnvironmentBuilder {
        EnvironmentBuilder {
            options: EnvironmentOptions { name: name.into(), ..EnvironmentOptions::default() },
            settings: Map::new(),
            host: None,
            cancel: None,
        }
    }

    /// The name of the environment.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Compiles the catalog of a node with the default limits. Use [`compilation`](Self::compilation) to set
    /// options and to get the log.
    ///
    /// # Errors
    /// The compilation fails: the code has a syntax error, an evaluation fails, or a limit is exceeded.
    pub fn compile(&self, node: NodeInput) -> Result<Catalog, Error> {
        self.compilation(node).run().catalog
    }

    /// Prepares a compilation, which has further options.
    pub fn compilation(&self, node: NodeInput) -> Compilation<'_> {
        Compilation { environment: self, node, options: CompileOptions::default() }
    }

    /// Looks up a key in Hiera's data as the function `lookup` does, without evaluating the main
    /// manifest. Returns `None` if no data contains the key.
    ///
    /// # Errors
    /// The data or the configuration of Hiera is invalid.
    pub fn lookup(&self, node: NodeInput, key: &str) -> Result<Option<Value>, Error> {
        // The identity of the local value `nothing` distinguishes a missing key from data that contains
        // `undef`.
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

    /// Lists the Ruby files of the environment's modules, with what the built-in Ruby does not support in
    /// them: what a program without Ruby cannot run. The files are only read, so what a function uses at run
    /// time is not reported.
    ///
    /// # Errors
    /// The library itself is at fault.
    #[cfg(feature = "modules")]
    pub fn ruby_report(&self) -> Result<Vec<crate::RubyFile>, Error> {
        bunraku_tools::ruby_report::files(&self.0, &|| Ok(()))
    }

    /// Checks the environment for mistakes in its manifests, modules, templates and data, without compiling a
    /// node. The findings are ordered by file and place.
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
    /// A limit of time or memory is exceeded, or the library itself is at fault.
    #[cfg(feature = "check")]
    pub fn check(&self, options: &bunraku_check::Options) -> Result<Vec<bunraku_check::Finding>, Error> {
        bunraku_check::check(&self.0, options, &Usage::of_reading(None, &DiskHost).ends)
    }

    /// Lists what the environment defines and who refers to it.
    ///
    /// # Errors
    /// A limit of time or memory is exceeded.
    #[cfg(feature = "check")]
    pub fn index(&self) -> Result<bunraku_index::Index, Error> {
        bunraku_index::Index::of(&self.0, &Usage::of_reading(None, &DiskHost).ends)
    }

    /// Parses a type, which the language or a module of the environment defines.
    ///
    /// # Errors
    /// The text is not a type.
    pub fn parse_type(&self, text: &str) -> Result<Type, Error> {
        self.0.on_deep_stack(|| {
            let node = compiler::NodeInput::default();
            compiler::Compilation::new(&self.0, node, Limits::default()).parse_type(text)
        })?
    }
}

/// The configuration of an environment to load, made by [`Environment::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct EnvironmentBuilder {
    options: EnvironmentOptions,
    settings: Map<String, Json>,
    host: Option<Arc<dyn Host>>,
    cancel: Option<Cancel>,
}

impl EnvironmentBuilder {
    /// Adds a directory of environments (`environmentpath`), an absolute path. The first one that contains a
    /// directory with the environment's name is used.
    pub fn environmentpath(mut self, directory: impl Into<String>) -> Self {
        self.options.environmentpath.push(directory.into());
        self
    }

    /// Loads the environment from this directory, whatever its name is. The environment path is then not
    /// searched.
    pub fn directory(mut self, directory: impl Into<String>) -> Self {
        self.options.directory = Some(directory.into());
        self
    }

    /// Adds a directory of modules that all environments share (`basemodulepath`).
    pub fn base_modulepath(mut self, directory: impl Into<String>) -> Self {
        self.options.base_modulepath.push(directory.into());
        self
    }

    /// Sets the module path and overrides `environment.conf`.
    pub fn modulepath<D: Into<String>>(mut self, directories: impl IntoIterator<Item = D>) -> Self {
        self.options.modulepath = Some(directories.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the main manifest, a file or a directory, and overrides `environment.conf`.
    pub fn manifest(mut self, path: impl Into<String>) -> Self {
        self.options.manifest = Some(path.into());
        self
    }

    /// Sets the text of the main manifest, which then has no file.
    pub fn code(mut self, text: impl Into<String>) -> Self {
        self.options.code = Some(text.into());
        self
    }

    /// Sets the file `hiera.yaml` of the global layer.
    pub fn global_hiera(mut self, path: impl Into<String>) -> Self {
        self.options.global_hiera = Some(path.into());
        self
    }

    /// Sets the content of the file of [`global_hiera`](Self::global_hiera), which is then not read.
    pub fn global_hiera_text(mut self, text: impl Into<String>) -> Self {
        self.options.global_hiera_text = Some(text.into());
        self
    }

    /// Adds a directory (`lib` of a gem) that is searched for resource types, providers and functions of the
    /// 3.x API before the modules.
    pub fn gem(mut self, directory: impl Into<String>) -> Self {
        self.options.gems.push(directory.into());
        self
    }

    /// Adds a directory (of Ruby's `$LOAD_PATH`) that is searched for resource types, providers and functions
    /// of the 3.x API after the modules and `libdir`, and before vendored modules.
    pub fn load_path(mut self, directory: impl Into<String>) -> Self {
        self.options.load_path.push(directory.into());
        self
    }

    /// Sets a setting of Puppet, such as `strict` or `strict_variables`, as JSON. The directories of the
    /// settings `libdir` and `vendormoduledir` (its modules) are also searched for resource types, providers
    /// and functions of the 3.x API; an empty value means none.
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.settings.insert(name.into(), value.into());
        self
    }

    /// Allows `config_version`, `generate()` and functions of modules that run on the built-in Ruby to run
    /// commands. The default is that they cannot.
    pub fn commands(mut self, allowed: bool) -> Self {
        self.options.commands = allowed;
        self
    }

    /// Has each compilation see changes of data files and of every `hiera.yaml`, while all else stays as it
    /// was read. The default is that these stay, too.
    pub fn fresh_data(mut self, wanted: bool) -> Self {
        self.options.fresh_data = wanted;
        self
    }

    /// Adds a directory below which functions of modules that run on the built-in Ruby can write files, such
    /// as a cache of passwords. By default they cannot write anywhere.
    pub fn writable(mut self, directory: impl Into<String>) -> Self {
        self.options.writable.push(directory.into());
        self
    }

    /// Adds a module whose own Ruby functions run even where the library has native replacements for them, as
    /// it has for stdlib. `*` means all modules.
    pub fn prefer_ruby(mut self, module: impl Into<String>) -> Self {
        self.options.prefer_ruby.push(module.into());
        self
    }

    /// Sets the source of files, functions, the clock and exported resources. The default is the machine's
    /// disk.
    pub fn host(mut self, host: Arc<dyn Host>) -> Self {
        self.host = Some(host);
        self
    }

    /// Sets a switch that cancels the loading. A compilation has its own switch, in its [`Limits`].
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Loads the environment. Manifests and data are read when they are needed. Loading may use 300 seconds
    /// of the thread's processor time and 1 GiB of memory.
    ///
    /// # Errors
    /// No directory has the environment's name, `environment.conf` cannot be read, a setting is invalid, or
    /// the loading was cancelled.
    pub fn load(mut self) -> Result<Environment, Error> {
        self.options.settings = request::settings(&self.settings)?;
        let host = self.host.unwrap_or_else(|| Arc::new(DiskHost));
        let usage = Usage::of_reading(self.cancel, &*host);
        let loaded = loader::Environment::load_watched(Arc::clone(&host), self.options, &usage.ends);
        loaded.map(|environment| Environment(Arc::new(environment)))
    }
}

/// A compilation to run, made by [`Environment::compilation`].
#[derive(Debug)]
#[must_use]
pub struct Compilation<'e> {
    environment: &'e Environment,
    node: NodeInput,
    options: CompileOptions,
}

impl Compilation<'_> {
    /// Sets the limits of the compilation: steps, time, memory, sizes.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Records where values come from, for [`Catalog::explain`].
    pub fn provenance(mut self) -> Self {
        self.options.provenance = true;
        self
    }

    /// Makes a dependency cycle an error, as it is for the agent that receives such a catalog.
    pub fn check_cycles(mut self) -> Self {
        self.options.check_cycles = true;
        self
    }

    /// Compiles the catalog on the calling thread, on a separate stack.
    pub fn run(self) -> Compiled {
        let environment = &self.environment.0;
        let result = compiler::compile(environment, self.node.0, self.options);
        let catalog = result.outcome.map(|catalog| Catalog::new(catalog, environment.settings.clone()));
        Compiled { catalog, logs: result.logs }
    }
}

/// The result of a compilation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// The catalog, or the error that prevented it.
    pub catalog: Result<Catalog, Error>,
    /// The log, in order. It is also filled when the compilation failed.
    pub logs: Vec<LogEntry>,
}
