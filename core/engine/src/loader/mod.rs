//! Resolves names: environments, modules, and the definitions in their files.
//!
//! An [`Environment`] is loaded once and shared by any number of compilations and threads. It finds and
//! parses files when a name is first requested and keeps the results. [`Loaded`] contains what one
//! compilation has loaded and logged: every compilation sees the files in the order of its own requests, as
//! if it were the only one.
//!
//! * `environment`: the directory of an environment, its settings and its main manifests
//! * `caches`: shared data of compilations; `hiera_configuration`, `resource_type`: some of its types
//! * `environments`, `watched`: environments by name, loaded again when necessary
//! * `configuration`, `puppet_conf`: `environment.conf`, `puppet.conf`
//! * `module`: modules and their metadata
//! * `files`: files parsed, validated and reported
//! * `collection`: the definitions that a compilation has loaded
//! * `autoload`: the possible files of a name's definition
//! * `instantiate`: functions and types with a file of their own
//! * `libraries`: Ruby outside of modules
//! * `stand_ins`: the files of modules that native functions replace
//! * `types`: type aliases, Object types and TypeSets, resolved

mod autoload;
mod caches;
mod collection;
mod configuration;
mod environment;
mod environments;
mod file_data;
mod files;
mod fresh;
mod hiera_configuration;
mod instantiate;
mod libraries;
mod log;
mod module;
mod paths;
mod puppet_conf;
mod puppetfile;
mod resource_type;
mod setting_values;
mod stand_ins;
mod texts;
mod types;
mod watched;

use std::sync::{Arc, OnceLock};

pub(crate) use caches::{
    DataFile, DataFormat, DefinitionParameter, DefinitionSignature, FunctionFile, HieraFile, ParsedTemplate,
};
pub use collection::{Fresh, Loaded, NodeDefinitions, NodeEntry, NodeName};
pub use environment::{Environment, EnvironmentOptions};
pub use environments::{Environments, Reload};
pub use files::assert_and_report;
pub(crate) use hiera_configuration::{CachedHierarchies, CachedHierarchy, HieraConfiguration, HieraLayer};
pub use log::Log;
pub use module::{Dependency, Module};
pub use paths::{expand_path, join_path, parent_path};
pub use puppet_conf::PuppetConf;
pub use resource_type::{AttributeKind, ResourceType, Titles};
pub use setting_values::names as setting_names;
pub use stand_ins::is_checked;
pub use texts::Texts;
pub use types::{Types, lookup_context_type};

use bunraku_pcore::Named;
use bunraku_pcore::value::{Str, Value, lower_case};
use bunraku_syntax::ast::{NodeId, Program};
pub use bunraku_syntax::diagnostic::Strictness;
use bunraku_syntax::source::Location;

/// A program, and the module that it belongs to, if any.
pub type ModuleProgram<'e> = (Option<&'e Module>, Arc<Program>);

/// Checks whether work can continue; its failure ends the work.
pub type Check<'a> = &'a dyn bunraku_syntax::watch::Check;

/// The settings of the reference that the language sees.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `strict`
    pub strict: Strictness,
    /// `strict_variables`
    pub strict_variables: bool,
    /// `tasks`: plans and `apply` are read.
    pub tasks: bool,
    /// `rich_data`: catalogs hold values that JSON has no form for.
    pub rich_data: bool,
    /// `storeconfigs`: exported resources are collected.
    pub storeconfigs: bool,
    /// `check_resource_types`: values of attributes must have the types in the definitions of the Resource
    /// API.
    pub check_resource_types: bool,
    /// Any other setting, readable as `$settings::name`; those that are not given have the reference's
    /// defaults for servers.
    pub others: Vec<(String, Value)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: Strictness::Error,
            strict_variables: true,
            tasks: false,
            rich_data: true,
            storeconfigs: false,
            check_resource_types: false,
            others: Vec::new(),
        }
    }
}

/// A class, defined type, function, plan, type or node in a parsed file.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The full name, in lower case; empty for a node.
    pub name: Str,
    /// The file.
    pub program: Arc<Program>,
    /// The definition in it.
    pub node: NodeId,
    /// The module that holds the file; none for the main manifest.
    pub module: Option<Str>,
    /// What was found out about it.
    pub(crate) findings: Findings,
}

/// What is found out about a definition once for all compilations in an environment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    /// The parameters, if all compilations have the same.
    pub signature: OnceLock<Arc<DefinitionSignature>>,
    /// The title of a class's resource.
    pub title: OnceLock<Str>,
    /// The tags of a class's resource that its name makes.
    pub tags: OnceLock<Named<()>>,
}

impl Definition {
    /// A definition in a program of a module or of the main manifest.
    fn new(name: Str, program: &Arc<Program>, node: NodeId, module: Option<Str>) -> Arc<Self> {
        let program = Arc::clone(program);
        Arc::new(Self { name, program, node, module, findings: Findings::default() })
    }

    /// File and line, as the reference remembers them for resource types.
    pub fn location(&self) -> Location {
        Location { column: None, ..self.program.location(self.node) }
    }
}

/// A name as the loaders compare it: in lower case, without a leading `::`.
pub(crate) fn absolute_name(name: &str) -> Str {
    let name = name.strip_prefix("::").unwrap_or(name);
    lower_case(name)
}
