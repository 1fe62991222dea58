//! Names become things: environments, modules, and the definitions that their files hold.
//!
//! An [`Environment`] is loaded once and shared by any number of compilations and threads. It finds and parses files
//! when a name is first asked for and keeps what it found. What one compilation has seen and said is its [`Journal`].

use std::cell::RefCell;
use std::sync::Arc;

use crate::diagnostic::{Error, LogEntry};
use crate::host::Host;
use crate::pcore::types::Type;
use crate::pcore::value::Str;
use crate::syntax::ast::{NodeId, Program};

/// How the reference's `strict` setting treats questionable code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Strictness {
    Off,
    Warning,
    #[default]
    Error,
}

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
    /// Any other setting, readable as `$settings::name`.
    pub others: Vec<(String, crate::pcore::Value)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            strict: Strictness::Error,
            strict_variables: true,
            tasks: false,
            rich_data: true,
            storeconfigs: false,
            others: Vec::new(),
        }
    }
}

/// A directory environment with its modules: the definitions that manifests can name.
#[derive(Debug)]
pub struct Environment {
    /// `production`
    pub name: String,
    /// The door outside.
    pub host: Arc<dyn Host>,
    /// Settings.
    pub settings: Settings,
}

/// A class, defined type, function or node in a parsed file.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The full name, in lower case.
    pub name: Str,
    /// The file.
    pub program: Arc<Program>,
    /// The definition in it.
    pub node: NodeId,
    /// The module that holds the file; none for the main manifest.
    pub module: Option<Str>,
}

/// What one compilation has said, and which files it has touched (their warnings are said once in each compilation).
#[derive(Debug, Default)]
pub struct Journal {
    /// The log, in order.
    pub entries: RefCell<Vec<LogEntry>>,
    once: RefCell<std::collections::HashSet<String>>,
}

impl Journal {
    /// Adds to the log.
    pub fn log(&self, entry: LogEntry) {
        self.entries.borrow_mut().push(entry);
    }

    /// Adds to the log, unless something was said under the same key before.
    pub fn log_once(&self, key: &str, entry: LogEntry) {
        if self.once.borrow_mut().insert(key.to_owned()) {
            self.log(entry);
        }
    }
}

impl Environment {
    /// A class by its full name.
    pub fn find_class(&self, name: &str, journal: &Journal) -> Result<Option<Arc<Definition>>, Error> {
        let _ = (name, journal);
        Ok(None)
    }

    /// A defined type by its full name.
    pub fn find_define(&self, name: &str, journal: &Journal) -> Result<Option<Arc<Definition>>, Error> {
        let _ = (name, journal);
        Ok(None)
    }

    /// A function written in Puppet by its full name.
    pub fn find_function(&self, name: &str, journal: &Journal) -> Result<Option<Arc<Definition>>, Error> {
        let _ = (name, journal);
        Ok(None)
    }

    /// A type alias, Object type or TypeSet by its full name, resolved. Built-in types are not found here.
    pub fn find_type(&self, name: &str, journal: &Journal) -> Result<Option<Type>, Error> {
        let _ = (name, journal);
        Ok(None)
    }
}
