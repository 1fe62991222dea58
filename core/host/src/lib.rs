//! The only interface to the outside: files, clock, randomness, the machine's name, foreign functions,
//! templates in Ruby, and exported resources of other nodes.
//!
//! The library never accesses the machine by itself. It asks the [`Host`] of an environment for everything.
//! [`disk`] is the host of ordinary programs, [`memory`] that of tests and of embedders with their own
//! storage. Threads share a host: it is `Send + Sync` and serves any number of them at the same time.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

pub mod disk;
mod foreign;
mod glob;
mod machine;
pub mod memory;
pub mod overlay;
mod reading;
mod walk;

pub use bunraku_stacks::{self as stacks, DeepStacks};
pub use foreign::{
    BlockParameters, Declaration, ErbFailure, ForeignBlock, ForeignCall, ForeignFunction, ForeignRequest,
    ForeignResource, FunctionApi, FunctionSource, LegacyApi, MissingVariable, ModuleRuby, RequiredFiles,
    RubyFiles, RubySurroundings, RubyType, TemplateChoice,
};
pub use glob::glob;
pub use machine::Machine;
pub use reading::{FILE_SIZE, Reading, read};
pub use walk::{Entries, walk};

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bunraku_pcore::value::{Timestamp, Value};
use bunraku_syntax::diagnostic::{Error, LogEntry};

/// The release of the reference that this library follows.
pub const REFERENCE: &str = "8.28.1";

/// What exists at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Whether it is a directory (after following links).
    pub is_directory: bool,
    /// Size in bytes.
    pub size: u64,
    /// The time of the last change.
    pub modified: Timestamp,
    /// What tells it from a file that was at this path before; 0 if the host does not know.
    pub inode: u64,
}

/// Why a request to the host failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Nothing exists there.
    #[error("No such file or directory - {0}")]
    NotFound(String),
    /// It exists, but must not be read.
    #[error("Permission denied - {0}")]
    PermissionDenied(String),
    /// A directory is no file that can be read.
    #[error("Is a directory - {0}")]
    IsDirectory(String),
    /// The host does not support this.
    #[error("{0}")]
    Refused(String),
    /// The work was cancelled: see [`Reading::check`].
    #[error("{0}")]
    Ended(Box<Error>),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl HostError {
    /// The error for commands, which are not allowed.
    pub fn commands_refused(command: &[&str]) -> Self {
        Self::Refused(format!("running commands is not allowed: {}", command.first().unwrap_or(&"")))
    }

    /// The error for writing files, or this one, which is not allowed.
    pub fn writing_refused(path: &str) -> Self {
        Self::Refused(format!("writing is not allowed: {path}"))
    }

    /// The error for a file that is too large.
    pub fn too_large(path: &str, limit: u64) -> Self {
        Self::Failed(format!("File too large: it has more than {limit} bytes - {path}"))
    }

    /// The failure as an evaluation error: a cancellation unchanged, or what `wrap` makes of any other.
    pub fn into_error(self, wrap: impl FnOnce(&Self) -> Error) -> Error {
        match self {
            Self::Ended(error) => *error,
            other => wrap(&other),
        }
    }

    /// Ruby's message about a file that cannot be opened or read.
    pub fn on_opening(&self) -> String {
        match self {
            Self::IsDirectory(path) => format!("Is a directory @ io_fread - {path}"),
            Self::NotFound(path) => format!("No such file or directory @ rb_sysopen - {path}"),
            Self::PermissionDenied(path) => format!("Permission denied @ rb_sysopen - {path}"),
            other => other.to_string(),
        }
    }
}

/// The outside world for the library. Paths are UTF-8, absolute, with `/` between names.
pub trait Host: Send + Sync {
    /// The bytes of a file. A host should not read more than [`Reading::size`], and call [`Reading::check`]
    /// before each piece that it reads. It should not wait for pipes, terminals and other devices. The
    /// library calls it through [`read`], which rejects larger files.
    ///
    /// # Errors
    /// The file does not exist, is not a regular file, is too large, or cannot be read.
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError>;

    /// What exists at a path, or `None`.
    fn info(&self, path: &str) -> Option<FileInfo>;

    /// Whether a path is a symbolic link, which `**/` of a pattern does not follow. A host without links need
    /// not implement this.
    fn is_link(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// The names in a directory, sorted, without `.` and `..`.
    ///
    /// # Errors
    /// The directory does not exist, cannot be read, or has too many names.
    fn list(&self, path: &str) -> Result<Vec<String>, HostError>;

    /// The current time.
    fn now(&self) -> Timestamp;

    /// The processor time of the calling thread; `None` if it is unknown. Compilations have a limit for it.
    fn cpu_time(&self) -> Option<Duration> {
        None
    }

    /// The names and addresses of the machine, for `$servername`, `$serverip` and `$serverip6`; called once
    /// for an environment, and only if a node needs them. The default is empty.
    fn machine(&self) -> Machine {
        Machine::default()
    }

    /// Fills a buffer with unpredictable bytes.
    ///
    /// # Errors
    /// The host has no randomness.
    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError>;

    /// Returns a function of the host by its Puppet name; called once in a compilation for each name.
    /// `module_path` is the directory of the module that would define it, if the name is in a module's
    /// namespace and the module exists.
    ///
    /// # Errors
    /// The function exists, but cannot be loaded.
    fn foreign_function(
        &self,
        name: &str,
        module_path: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        let _ = (name, module_path);
        Ok(None)
    }

    /// Returns the Ruby of an environment's modules: called once when an environment has a function in Ruby,
    /// kept with the environment and dropped with it. `None` means that this host has no Ruby, or does not
    /// use it; the built-in Ruby then runs what it supports.
    ///
    /// # Errors
    /// The Ruby exists, but cannot be loaded.
    fn module_ruby(&self, around: &RubySurroundings<'_>) -> Result<Option<Arc<dyn ModuleRuby>>, Error> {
        let _ = around;
        Ok(None)
    }

    /// Returns a module's function that the built-in Ruby does not know, for hosts without
    /// [`module_ruby`](Self::module_ruby); called once in a compilation for each name. `path` is its file.
    ///
    /// # Errors
    /// The function cannot be loaded.
    fn unknown_function(
        &self,
        name: &str,
        path: &str,
        api: FunctionApi,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        let _ = (name, path, api);
        Ok(None)
    }

    /// Lets the host cancel work on this thread, or handle pending events; called about once in a thousand
    /// steps, and by built-in functions that take long. `steps` is the number of steps so far.
    ///
    /// # Errors
    /// The work must end with this failure.
    fn check_interrupt(&self, steps: u64) -> Result<(), Error> {
        let _ = steps;
        Ok(())
    }

    /// Receives each message of a compilation or lookup as it is logged, on the working thread. Results also
    /// contain all messages.
    fn log(&self, entry: &LogEntry) {
        let _ = entry;
    }

    /// Runs a compilation's work on a deep stack, and waits for it: on a separate thread, unless the host
    /// knows a better place. A host whose functions can only be called on some threads does. A host whose
    /// functions can run on any stack uses [`DeepStacks::run`], which is fast.
    ///
    /// # Errors
    /// The stack cannot be made, or the work panicked.
    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        let _ = stacks;
        DeepStacks::run_on_thread(work)
    }

    /// Which templates in ERB [`module_ruby`](Self::module_ruby) renders.
    fn template_choice(&self) -> TemplateChoice {
        TemplateChoice::default()
    }

    /// Renders an ERB template. `None` means that this host has no Ruby, or does not use it; the built-in
    /// Ruby then renders it.
    fn render_erb(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, Error>> {
        let _ = (template, call);
        None
    }

    /// Renders an ERB template that the built-in Ruby does not know, for hosts without
    /// [`module_ruby`](Self::module_ruby). `None` means that this host has no Ruby.
    fn render_unknown(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, Error>> {
        let _ = (template, call);
        None
    }

    /// The exported resources of other nodes of one type. The caller applies the collector's query.
    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let _ = query;
        Ok(Vec::new())
    }

    /// An environment variable of the process, for encryption keys of `hiera-eyaml`, and for substitutions in
    /// HOCON. The default is `None`.
    fn environment_variable(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Writes a file of a module's function, replaces an existing one, and creates its parent directories.
    /// Only the process's own user can read new ones. The default is an error. It is only called for
    /// environments that were loaded with directories for it (`writable` of the options), and for files below
    /// these.
    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        let _ = bytes;
        Err(HostError::writing_refused(path))
    }

    /// Creates a directory with its parents, as [`write`](Self::write).
    fn make_directories(&self, path: &str) -> Result<(), HostError> {
        Err(HostError::writing_refused(path))
    }

    /// Runs a command, a program and its arguments, for `config_version` and `generate()`, and returns its
    /// output, up to the maximum size of files. While it runs, [`Reading::check`] is called repeatedly; if
    /// that fails, the command is ended. The default is an error. It is only called for environments that
    /// were loaded with the option `commands`.
    fn run_command(&self, command: &[&str], reading: &Reading<'_>) -> Result<String, HostError> {
        let _ = reading;
        Err(HostError::commands_refused(command))
    }
}

impl fmt::Debug for dyn Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Host")
    }
}

/// A template in Ruby's ERB.
#[derive(Clone, Copy, Debug)]
pub struct ErbTemplate<'a> {
    /// The file, for messages; `inline` for an inline template.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// The query for exported resources.
#[derive(Clone, Copy, Debug)]
pub struct ExportedQuery<'a> {
    /// The node whose catalog is compiled; its own resources must not be included.
    pub node: &'a str,
    /// The resource type, capitalised per segment.
    pub type_name: &'a str,
    /// The collector's condition, in the form that the reference's terminuses receive: `[name, operator,
    /// value]`, with `==` or `!=`, and `[condition, operator, condition]`, with `and` or `or`; undef without
    /// a condition. A host can ignore it.
    pub filter: &'a Value,
}

/// A resource that another node exported.
#[derive(Clone, Debug)]
pub struct ExportedResource {
    /// The node that exported it.
    pub certname: String,
    /// The resource type, capitalised per segment.
    pub type_name: String,
    /// The title.
    pub title: String,
    /// The parameters.
    pub parameters: Vec<(String, Value)>,
    /// The tags, for queries.
    pub tags: Vec<String>,
    /// Tags that the collected resource gets. PuppetDB returns none: the value of `tag` is among the
    /// parameters.
    pub kept_tags: Vec<String>,
    /// Whether the host has already checked that the resource matches the condition of the query.
    pub is_filtered: bool,
}
