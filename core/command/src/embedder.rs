//! The difference between the program `bunraku` and the gem's command: access to Ruby.

use std::sync::Arc;

use bunraku::diagnostic::bug::guarded;
use bunraku::host::disk::DiskHost;
use bunraku::{Error, Host};
use clap::{Args, ValueEnum};

use crate::classifier::ServerOptions;
use crate::shadow::{ShadowOptions, ShadowReport};

/// The engine that runs the Ruby functions of modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RubyFunctions {
    /// Puppet's classes when Puppet is loaded, the gem's otherwise; without Ruby the built-in Ruby.
    #[default]
    Auto,
    /// The gem's own classes with Puppet's names.
    Own,
    /// Puppet's classes.
    Puppet,
    /// The built-in Ruby only.
    Off,
}

impl RubyFunctions {
    /// The word on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Own => "own",
            Self::Puppet => "puppet",
            Self::Off => "off",
        }
    }
}

/// A PuppetDB.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "PuppetDB")]
pub struct PuppetDb {
    /// PuppetDB, such as http://localhost:8080: facts where no other option gives them, exported resources of
    /// other nodes, and the answers of puppetdb_query
    #[arg(id = "puppetdb_url", long = "puppetdb", value_name = "URL")]
    pub url: Option<String>,
    /// Certificate for PuppetDB (PEM)
    #[arg(id = "puppetdb_cert", long = "puppetdb-cert", value_name = "FILE", requires = "puppetdb_url")]
    pub certificate: Option<String>,
    /// Private key of that certificate (PEM)
    #[arg(id = "puppetdb_key", long = "puppetdb-key", value_name = "FILE", requires = "puppetdb_cert")]
    pub key: Option<String>,
    /// Certificate of the authority that PuppetDB's is checked with [default: those of this machine]
    #[arg(id = "puppetdb_ca", long = "puppetdb-ca", value_name = "FILE", requires = "puppetdb_url")]
    pub authority: Option<String>,
}

/// The surroundings of an environment.
pub struct Surroundings {
    /// Files, clock, functions in Ruby.
    pub host: Arc<dyn Host>,
    /// Directories (`lib` of gems) that are searched for Ruby for Puppet before the modules.
    pub gems: Vec<String>,
    /// Directories that are searched for it after the modules.
    pub load_path: Vec<String>,
}

/// Work that several threads do together, each until nothing is left.
pub type Work = Arc<dyn Fn() + Send + Sync>;

/// The process that the command runs in.
pub trait Embedder: Sync {
    /// Provides the clock and the interruption of work other than compilations, such as reading files.
    fn host(&self) -> &dyn Host {
        &DiskHost
    }

    /// The surroundings of an environment, whose exported resources come from a PuppetDB if it has a URL.
    ///
    /// # Errors
    /// The requested Ruby is not available, or this process cannot ask PuppetDB.
    fn surroundings(&self, functions: RubyFunctions, puppetdb: &PuppetDb) -> Result<Surroundings, Error>;

    /// The facts of a node in a PuppetDB, as a JSON object.
    ///
    /// # Errors
    /// PuppetDB does not answer, or has no facts of the node, or this process cannot ask it.
    fn stored_facts(&self, puppetdb: &PuppetDb, node: &str) -> Result<String, Error>;

    /// Runs work on this number of threads in parallel, and waits for all of them. They can use environments
    /// of [`surroundings`](Self::surroundings).
    ///
    /// # Errors
    /// The work panicked, or was cancelled.
    fn in_parallel(&self, threads: usize, work: Work) -> Result<(), Error>;

    /// Serves a node classifier until it is stopped.
    ///
    /// # Errors
    /// It cannot be served.
    fn serve(&self, options: &ServerOptions) -> Result<(), Error>;

    /// Compiles the nodes of a site with this library and the installed Puppet, and compares the results.
    ///
    /// # Errors
    /// Puppet is not installed, or a file of the options does not exist.
    fn shadow(&self, options: &ShadowOptions) -> Result<ShadowReport, Error>;
}

/// A process without Ruby: functions and templates of modules run on the Ruby that is built in, which knows a
/// part of the language.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRuby;

impl Embedder for NoRuby {
    fn surroundings(&self, functions: RubyFunctions, puppetdb: &PuppetDb) -> Result<Surroundings, Error> {
        if puppetdb.url.is_some() {
            return Err(no_puppetdb());
        }
        match functions {
            RubyFunctions::Own | RubyFunctions::Puppet => Err(Error::argument(format!(
                "--ruby-functions {} needs Ruby, which this program does not have; the command of the gem bunraku \
                 has it",
                functions.name()
            ))),
            RubyFunctions::Auto | RubyFunctions::Off => {
                Ok(Surroundings { host: Arc::new(DiskHost), gems: Vec::new(), load_path: Vec::new() })
            }
        }
    }

    fn stored_facts(&self, _: &PuppetDb, _: &str) -> Result<String, Error> {
        Err(no_puppetdb())
    }

    fn in_parallel(&self, threads: usize, work: Work) -> Result<(), Error> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| guarded(|| work()))).collect();
            let ended = threads.into_iter().map(|thread| thread.join().unwrap_or(Ok(())));
            ended.collect::<Vec<_>>().into_iter().collect()
        })
    }

    fn serve(&self, _: &ServerOptions) -> Result<(), Error> {
        Err(Error::argument(
            "this program has no server for the classifier; the command of the gem bunraku has it: \
             gem install bunraku puma",
        ))
    }

    fn shadow(&self, _: &ShadowOptions) -> Result<ShadowReport, Error> {
        Err(Error::argument(
            "this program does not run Puppet; the command of the gem bunraku does: gem install bunraku",
        ))
    }
}

fn no_puppetdb() -> Error {
    Error::argument(
        "--puppetdb needs Ruby, which this program does not have; the command of the gem bunraku has it",
    )
}
