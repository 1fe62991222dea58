//! The Puppet language as a native library. It parses manifests, evaluates them, looks up data in Hiera and
//! compiles catalogs, with the same results as OpenVox 8.
//!
//! # Parse
//!
//! ```
//! let program = bunraku::parse("class motd { file { '/etc/motd': content => 'hello' } }", None)?;
//! for id in program.definitions() {
//!     assert_eq!(program.source_text(*id).lines().count(), 1);
//! }
//!
//! let found = bunraku::validate("class motd { $a = 1 + }", Some("motd.pp"));
//! assert_eq!(found[0].message, "Syntax error at '}'");
//! assert_eq!(found[0].location.line, Some(1));
//! # Ok::<(), bunraku::Diagnostic>(())
//! ```
//!
//! # Compile
//!
//! ```
//! use bunraku::{Environment, NodeInput};
//!
//! let environment = Environment::builder("production")
//!     .code("file { '/etc/motd': content => \"This is ${facts['role']}\" }")
//!     .load()?;
//! let catalog = environment.compile(NodeInput::new("web01.example.net").fact("role", "a web server"))?;
//! let motd = catalog.resource("File[/etc/motd]").expect("the manifest declares it");
//! assert_eq!(motd.parameter("content").unwrap().as_str(), Some("This is a web server"));
//! let document = catalog.to_json()?; // as an agent receives it
//! # Ok::<(), bunraku::Error>(())
//! ```
//!
//! # Modules, data, another catalog
//!
//! Files come from a [`Host`], which is the disk by default.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bunraku::{Environment, MemoryHost, NodeInput};
//!
//! let mut host = MemoryHost::new();
//! host.add("/code/production/manifests/site.pp", "include motd");
//! let class = "class motd(String $text) { notify { $text: } }";
//! host.add("/code/production/modules/motd/manifests/init.pp", class);
//! let hierarchy = "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n";
//! host.add("/code/production/hiera.yaml", hierarchy);
//! host.add("/code/production/data/common.yaml", "motd::text: hello\n");
//!
//! let builder = Environment::builder("production").environmentpath("/code");
//! let environment = builder.host(Arc::new(host)).load()?;
//! let node = NodeInput::new("web01.example.net");
//! assert_eq!(environment.lookup(node.clone(), "motd::text")?.unwrap().as_str(), Some("hello"));
//!
//! let compiled = environment.compilation(node.clone()).provenance().run();
//! let catalog = compiled.catalog?;
//! let explained = catalog.explain("Notify[hello]", "/code/production")?;
//! assert!(explained.is_some_and(|text| text.contains("include in")));
//!
//! # #[cfg(feature = "report")] {
//! let other = environment.compile(node.variable("environment_owner", "me"))?;
//! assert!(catalog.diff(&other)?.is_empty());
//! # }
//! # Ok::<(), bunraku::Error>(())
//! ```
//!
//! # Features
//!
//! The language is always included. Each further part has a feature. A call of a part that the library was
//! built without returns an error of the kind [`Unsupported`](ErrorKind::Unsupported). [`FEATURES`] lists the
//! parts that are included.
//!
//! | feature | contents |
//! |---|---|
//! | `ruby` | the built-in Ruby: templates in ERB, functions and resource types of modules |
//! | `eyaml` | the backend `eyaml_lookup_key` of Hiera: encrypted values |
//! | `check` | mistakes in an environment (`Environment::check`), its definitions and references |
//! | `classifier` | node groups with rules, in memory or in SQLite |
//! | `report` | what differs between catalogs and fleets (`Catalog::diff`), drawings |
//! | `documentation` | the definitions of modules with their comments; requires `ruby` |
//! | `tasks` | tasks of modules: what to run, with which input |
//! | `modules` | validation of modules; requires `documentation` and `tasks` |
//! | `full` | all of these |
//! | `allocator` | on by default: counts what each compilation allocates, which limits its memory |
//! | `mimalloc` | uses mimalloc as that allocator |
//!
//! # Names
//!
//! The items listed here are the library's interface. The modules behind it (`bunraku::compiler`,
//! `bunraku::pcore` …) are public for the bindings and tests of this project. They change without notice and
//! are not documented here. `ARCHITECTURE.md` has a map of the crates.

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

#[cfg(feature = "allocator")]
use bunraku_global_allocator as _;

mod facade;
mod repository;

/// The optional parts that the library was built with, in alphabetical order.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "check")]
    "check",
    #[cfg(feature = "classifier")]
    "classifier",
    #[cfg(feature = "documentation")]
    "documentation",
    #[cfg(feature = "eyaml")]
    "eyaml",
    #[cfg(feature = "lint")]
    "lint",
    #[cfg(feature = "modules")]
    "modules",
    #[cfg(feature = "report")]
    "report",
    #[cfg(feature = "ruby")]
    "ruby",
    #[cfg(feature = "tasks")]
    "tasks",
];

pub use facade::*;
pub use repository::{
    Choice, ListedFile, UNREADABLE, Validation, ValidationOptions, list_files, validate_files,
};

pub use bunraku_engine::eval::Limits;
pub use bunraku_engine::eval::limits::Cancel;
pub use bunraku_engine::wire::puppetdb::{Submission, Version as PuppetDbVersion};
pub use bunraku_host::Host;
pub use bunraku_host::disk::DiskHost;
pub use bunraku_host::memory::MemoryHost;
pub use bunraku_pcore::types::{NoTypes, StaticTypes, Type};
pub use bunraku_syntax::ast::Program;
pub use bunraku_syntax::diagnostic::{Diagnostic, Error, ErrorKind, LogEntry, LogLevel, Severity};
#[cfg(feature = "report")]
pub use bunraku_tools::report::diff::Diff;

#[cfg(feature = "check")]
#[doc(inline)]
pub use bunraku_check as check;
#[cfg(feature = "classifier")]
#[doc(hidden)]
pub use bunraku_classifier as classifier;
#[doc(hidden)]
pub use bunraku_engine::{catalog, compiler, eval, functions, hiera, loader, memory, wire};
#[doc(hidden)]
pub use bunraku_format as formatter;
#[doc(inline)]
pub use bunraku_format::{FormatOptions, format};
#[doc(hidden)]
pub use bunraku_host as host;
#[cfg(feature = "check")]
#[doc(inline)]
pub use bunraku_index as index;
#[cfg(feature = "lint")]
#[doc(inline)]
pub use bunraku_lint as lint;
#[doc(hidden)]
pub use bunraku_notation as notation;
#[doc(hidden)]
pub use bunraku_pcore as pcore;
#[doc(inline)]
pub use bunraku_query as query;
#[cfg(feature = "ruby")]
#[doc(hidden)]
pub use bunraku_ruby_interpreter as ruby;
#[doc(hidden)]
pub use bunraku_syntax as syntax;
#[doc(inline)]
pub use bunraku_syntax::edit;
#[doc(hidden)]
pub use bunraku_syntax::{diagnostic, source};
#[cfg(feature = "documentation")]
#[doc(hidden)]
pub use bunraku_tools::documentation;
#[cfg(feature = "modules")]
#[doc(hidden)]
pub use bunraku_tools::module_schema;
#[doc(hidden)]
pub use bunraku_tools::report;
#[cfg(feature = "modules")]
pub use bunraku_tools::ruby_report::{Role as RubyRole, RubyFile, Unsupported as UnknownRuby};
#[cfg(feature = "tasks")]
#[doc(hidden)]
pub use bunraku_tools::tasks;

#[doc(hidden)]
pub mod requests;
