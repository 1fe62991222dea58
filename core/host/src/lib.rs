//! The only door outside: files, clock, randomness, the machine's name, foreign functions, templates in Ruby,
//! and exported resources of other nodes.
//!
//! The library never touches the machine by itself. A [`Host`] is given with an environment and asked for
//! everything. [`disk`] is the host of ordinary programs, [`memory`] that of tests and of embedders with
//! their own storage. A host is shared by threads: it is `Send + Sync` and answers any number of them at the
//! same time.

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
    ForeignResource, FunctionApi, FunctionSource, LegacyApi, ModuleRuby, RequiredFiles, RubySurroundings,
    RubyType, TemplateChoice,
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

/// The release of the reference that the language is that of.
pub const REFERENCE: &str = "8.28.1";

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Whether it is a directory (after following links).
    pub is_directory: bool,
    /// Size in bytes.
    pub size: u64,
    /// When it was last changed.
    pub modified: Timestamp,
}

/// Why the host could not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Nothing is there.
    #[error("No such file or directory - {0}")]
    NotFound(String),
    /// It is there, but may not be read.
    #[error("Permission denied - {0}")]
    PermissionDenied(String),
    /// The host does not do such things.
    #[error("{0}")]
    Refused(String),
    /// Whoever may end the work has ended it: see [`Reading::check`].
    #[error("{0}")]
    Ended(Box<Error>),
    /// Anything else.
    #[error("{0}")]
    Failed(String),
}

impl HostError {
    /// Commands are not run.
    pub fn commands_refused(command: &[&str]) -> Self {
        Self::Refused(format!("running commands is not allowed: {}", command.first().unwrap_or(&"")))
    }

    /// Files are not written, or not this one.
    pub fn writing_refused(path: &str) -> Self {
        Self::Refused(format!("writing is not allowed: {path}"))
    }

    /// A file is too large to be read.
    pub fn too_large(path: &str, limit: u64) -> Self {
        Self::Failed(format!("File too large: it has more than {limit} bytes - {path}"))
    }

    /// The failure as an evaluation has it: what has ended the work, or what `wrap` makes of any other.
    pub fn into_error(self, wrap: impl FnOnce(&Self) -> Error) -> Error {
        match self {
            Self::Ended(error) => *error,
            other => wrap(&other),
        }
    }

    /// What Ruby says of a file that cannot be opened.
    pub fn on_opening(&self) -> String {
        match self {
            Self::NotFound(path) => format!("No such file or directory @ rb_sysopen - {path}"),
            Self::PermissionDenied(path) => format!("Permission denied @ rb_sysopen - {path}"),
            other => other.to_string(),
        }
    }
}

/// The world as the library sees it. Paths are UTF-8, absolute, with `/` between names.
pub trait Host: Send + Sync {
    /// The bytes of a file. A host should not read more than [`Reading::size`] tells, and call
    /// [`Reading::check`] before each piece that it reads. It should not wait for pipes, terminals and other
    /// devices. The library calls it by [`read`], which refuses what is larger.
    ///
    /// # Errors
    /// There is no such file, it is no regular one or too large, or it cannot be read.
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError>;

    /// What stands at a path, or nothing.
    fn info(&self, path: &str) -> Option<FileInfo>;

    /// Whether a symbolic link stands at a path: `**/` of a pattern does not follow those. A host without
    /// links needs none.
    fn is_link(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// The names in a directory, sorted, without `.` and `..`.
    ///
    /// # Errors
    /// There is no such directory, it cannot be read, or has too many names.
    fn list(&self, path: &str) -> Result<Vec<String>, HostError>;

    /// The current time.
    fn now(&self) -> Timestamp;

    /// How long the calling thread has had the processor; `None` where that cannot be told. Compilations have
    /// a limit of it.
    fn cpu_time(&self) -> Option<Duration> {
        None
    }

    /// What the machine is known by, for `$servername`, `$serverip` and `$serverip6`; asked once for an
    /// environment, and of nodes that want it alone. Nothing unless the host tells it.
    fn machine(&self) -> Machine {
        Machine::default()
    }

    /// Fills a buffer with bytes that nobody can guess.
    ///
    /// # Errors
    /// The host has none.
    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError>;

    /// A function of the host by its Puppet name; asked once in a compilation for each name. `module_path` is
    /// the directory of the module that would define it, when the name has a module's namespace and the
    /// module is there.
    ///
    /// # Errors
    /// There should be such a function, but it cannot be had.
    fn foreign_function(
        &self,
        name: &str,
        module_path: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        let _ = (name, module_path);
        Ok(None)
    }

    /// The Ruby of an environment's modules: asked for once when an environment has a function in Ruby, kept
    /// with the environment and dropped with it. `None`: this host has no Ruby, or does not want to; the Ruby
    /// that is built in runs what it can.
    ///
    /// # Errors
    /// There should be such Ruby, but it cannot be had.
    fn module_ruby(&self, around: &RubySurroundings<'_>) -> Result<Option<Arc<dyn ModuleRuby>>, Error> {
        let _ = around;
        Ok(None)
    }

    /// Lets the host end work that runs on this thread, or do what waits for it; asked about once in a
    /// thousand steps, and by built-in functions that take long. `steps` is how many the work has taken.
    ///
    /// # Errors
    /// The work shall end with this failure.
    fn check_interrupt(&self, steps: u64) -> Result<(), Error> {
        let _ = steps;
        Ok(())
    }

    /// Receives a message of a compilation or lookup when it is said, on the thread that works. Results have
    /// all messages, too.
    fn log(&self, entry: &LogEntry) {
        let _ = entry;
    }

    /// Does a compilation's work where the stack is deep, and waits for it: on a thread of its own, unless
    /// the host knows a better place. A host whose functions may be called on some threads only is one that
    /// does; one whose functions do not care whose stack they are on uses [`DeepStacks::run`], which is fast.
    ///
    /// # Errors
    /// There was no such place, or the work panicked.
    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        let _ = stacks;
        DeepStacks::run_on_thread(work)
    }

    /// Which templates in ERB [`module_ruby`](Self::module_ruby) renders.
    fn template_choice(&self) -> TemplateChoice {
        TemplateChoice::default()
    }

    /// Renders an ERB template. `None`: this host has no Ruby, or does not want to; the Ruby that is built in
    /// renders it.
    fn render_erb(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, Error>> {
        let _ = (template, call);
        None
    }

    /// Exported resources of other nodes of one type. The caller filters by the collector's query.
    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let _ = query;
        Ok(Vec::new())
    }

    /// A variable of the process, for keys that the data of `hiera-eyaml` are encrypted with, and for
    /// substitutions in HOCON. None unless the host wants it.
    fn environment_variable(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Writes a file that a function of a module keeps, over what is there, and makes the directories in
    /// which it stands. Nobody but the process's own user may read what is new. Refused unless the host wants
    /// it; asked of environments that were loaded with directories for it (`writable` of its options) alone,
    /// for files below these.
    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        let _ = bytes;
        Err(HostError::writing_refused(path))
    }

    /// Makes a directory, and those in which it stands; as [`write`](Self::write).
    fn make_directories(&self, path: &str) -> Result<(), HostError> {
        Err(HostError::writing_refused(path))
    }

    /// Runs a command, a program and its arguments, for `config_version` and `generate()`, and gives what it
    /// printed, up to the size that is read of files. While it runs, [`Reading::check`] is asked again and
    /// again; when that fails the command is ended. Refused unless the host wants it; asked of environments
    /// that were loaded with `commands` of its options alone.
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

/// Which exported resources are wanted.
#[derive(Clone, Copy, Debug)]
pub struct ExportedQuery<'a> {
    /// The node that asks; its own resources are not wanted.
    pub node: &'a str,
    /// The resource type, capitalised per segment.
    pub type_name: &'a str,
    /// The collector's condition, as the reference's terminuses get it: `[name, operator, value]`, with `==`
    /// or `!=`, and `[condition, operator, condition]`, with `and` or `or`; undef where there is none. A host
    /// need not look at it.
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
    /// Tags that the collected resource gets. PuppetDB gives none: what `tag` says is among the parameters.
    pub kept_tags: Vec<String>,
    /// Whether the host has seen to it that the resource fits the condition of the query.
    pub is_filtered: bool,
}
