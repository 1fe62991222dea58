//! The Puppet language as a native library: it parses manifests, evaluates them, looks up Hiera's data and
//! compiles catalogs, with the answers of OpenVox 8.
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
//! Files come from a [`Host`]: the disk, unless another one is given.
//!
//! ```
//! use std::sync::Arc;
//!
//! use bunraku::{Environment, MemoryHost, NodeInput};
//!
//! let mut host = MemoryHost::new();
//! host.add("/code/production/manifests/site.pp", "include motd");
//! host.add("/code/production/modules/motd/manifests/init.pp", "class motd(String $text) { notify { $text: } }");
//! host.add("/code/production/hiera.yaml", "version: 5\nhierarchy:\n  - {name: common, path: common.yaml}\n");
//! host.add("/code/production/data/common.yaml", "motd::text: hello\n");
//!
//! let environment = Environment::builder("production").environmentpath("/code").host(Arc::new(host)).load()?;
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
//! The language is there by default. What else there is has a feature; what a library is built without
//! answers with an error of the kind [`Unsupported`](ErrorKind::Unsupported), and [`FEATURES`] lists what it
//! has.
//!
//! | feature | what |
//! |---|---|
//! | `ruby` | the Ruby that is built in: templates in ERB, functions and types of resources that modules have in Ruby |
//! | `eyaml` | the backend `eyaml_lookup_key` of Hiera: encrypted values |
//! | `check` | what is wrong with an environment (`Environment::check`), what it defines and who refers to it |
//! | `classifier` | node groups with rules, in memory or in SQLite |
//! | `report` | what differs between catalogs and fleets (`Catalog::diff`), drawings |
//! | `documentation` | what modules define, with what comments say of it; it needs `ruby` |
//! | `tasks` | tasks of modules: what to run, with which input |
//! | `modules` | whether modules are as they should be; it needs `documentation` and `tasks` |
//! | `full` | all of these |
//! | `allocator` | by default: the program's allocator counts what compilations take, so that their memory is limited |
//! | `mimalloc` | that allocator is mimalloc |
//!
//! # Names
//!
//! What is listed here is the library's interface. The modules behind it (`bunraku::compiler`,
//! `bunraku::pcore` …) can be reached by the bindings and tests of this project; they change without notice
//! and are not documented here. `ARCHITECTURE.md` has the map of the crates.

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

/// The features that the library was built with, in alphabetical order: of those above that a user of the
/// language sees.
pub const FEATURES: &[&str] = &[
    #[cfg(feature = "check")]
    "check",
    #[cfg(feature = "classifier")]
    "classifier",
    #[cfg(feature = "documentation")]
    "documentation",
    #[cfg(feature = "eyaml")]
    "eyaml",
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
