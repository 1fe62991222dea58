//! Reports which Ruby files of an environment's modules the built-in Ruby can run, for compilations without
//! Ruby.
//!
//! Files are read, and functions defined, as for a compilation, but nothing is called. What a function uses
//! only at run time (a method of a value, a computed constant) is not reported.

use serde_json::{Value as Json, json};

use bunraku_engine::catalog::resource_types;
use bunraku_engine::eval::ruby_library;
use bunraku_engine::loader::{Check, Environment, Module, is_checked, join_path};
use bunraku_host::{FunctionApi, FunctionSource};
use bunraku_pcore::value::Str;
pub use bunraku_ruby_interpreter::Unsupported;
use bunraku_ruby_interpreter::function::Function;
use bunraku_ruby_interpreter::{RefusedError, erb, parse, parse_file};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

use crate::documentation::list_files;

/// The role of a Ruby file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A function of the 4.x API: `lib/puppet/functions`.
    Function,
    /// A function of the 3.x API: `lib/puppet/parser/functions`.
    LegacyFunction,
    /// A resource type: `lib/puppet/type`.
    ResourceType,
    /// A file that others require: `lib/puppet_x`, `lib/puppetx`, `lib/hiera`.
    Library,
    /// A template in ERB: `templates`.
    Template,
}

impl Role {
    /// As it is written in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::LegacyFunction => "legacy_function",
            Self::ResourceType => "resource_type",
            Self::Library => "library",
            Self::Template => "template",
        }
    }
}

/// The directories of Ruby files in a module, with their extensions.
const PLACES: &[(&str, Role, &str)] = &[
    ("lib/puppet/functions", Role::Function, ".rb"),
    ("lib/puppet/parser/functions", Role::LegacyFunction, ".rb"),
    ("lib/puppet/type", Role::ResourceType, ".rb"),
    ("lib/puppet_x", Role::Library, ".rb"),
    ("lib/puppetx", Role::Library, ".rb"),
    ("lib/hiera", Role::Library, ".rb"),
    ("templates", Role::Template, ".erb"),
];

/// A file in Ruby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RubyFile {
    /// Its path.
    pub file: String,
    /// The module that has it.
    pub module: String,
    /// The role.
    pub role: Role,
    /// Whether a native function does what this version of the file does, so that the file is not run.
    pub is_native: bool,
    /// The constructs that the built-in Ruby does not support; empty if it supports all.
    pub unknown: Vec<Unsupported>,
}

impl RubyFile {
    /// Whether it needs no Ruby but the built-in one.
    pub const fn is_known(&self) -> bool {
        self.is_native || self.unknown.is_empty()
    }

    fn to_json(&self) -> Json {
        let unknown = self.unknown.iter().map(|one| json!({ "construct": one.construct, "line": one.line }));
        json!({
            "file": self.file, "module": self.module, "kind": self.role.name(), "known": self.is_known(),
            "native": self.is_native, "unknown": unknown.collect::<Vec<_>>(),
        })
    }
}

/// The files in Ruby of an environment's modules, in the order of the modules, with what the built-in Ruby
/// does not know of them.
///
/// # Errors
/// `check`'s, which ends the work between files.
pub fn files(environment: &Environment, check: Check<'_>) -> Result<Vec<RubyFile>, Error> {
    let watch = Watch::new(check);
    let mut found = Vec::new();
    for module in environment.modules() {
        for (place, role, ending) in PLACES {
            let mut names = Vec::new();
            list_files(&*environment.host, &module.path, place, &watch, &mut names);
            names.retain(|name| name.ends_with(ending));
            names.sort();
            for name in names {
                watch.result()?;
                found.extend(read(environment, module, *role, &name, place.len() + 1, ending.len())?);
            }
        }
    }
    watch.result()?;
    Ok(found)
}

/// As an object with `files`, an array of objects with `file`, `module`, `kind`, `known`, `native` and
/// `unknown` (`construct`, `line`), and how many are `known` and `unknown`.
///
/// # Errors
/// As [`files`].
pub fn report(environment: &Environment, check: Check<'_>) -> Result<Json, Error> {
    let files = files(environment, check)?;
    let known = files.iter().filter(|file| file.is_known()).count();
    let listed: Vec<Json> = files.iter().map(RubyFile::to_json).collect();
    Ok(json!({ "files": listed, "known": known, "unknown": files.len() - known }))
}

/// One file; `before` and `after` are the lengths of the path around its name. `None` if it cannot be read.
fn read(
    environment: &Environment,
    module: &Module,
    role: Role,
    relative: &str,
    before: usize,
    after: usize,
) -> Result<Option<RubyFile>, Error> {
    let file = join_path(&module.path, relative);
    let Ok(bytes) = environment.read_shared(&file) else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let name = relative.get(before..relative.len().saturating_sub(after)).unwrap_or_default();
    // The trees of Ruby are as deep as its texts nest.
    environment.on_deep_stack(|| {
        let (is_native, unknown) = match role {
            Role::Function => {
                function(environment, &name.replace('/', "::"), &file, &text, FunctionApi::Modern)
            }
            Role::LegacyFunction => function(environment, name, &file, &text, FunctionApi::Legacy),
            Role::ResourceType => (false, resource_type(environment, name, &file)),
            Role::Library => (false, unknown_in(&file, &text)),
            Role::Template => (false, refusals(parse(&file, &erb::to_ruby(&text, erb::Trim::Dash)).err())),
        };
        Some(RubyFile { file: file.clone(), module: module.name.clone(), role, is_native, unknown })
    })
}

/// Whether a native function replaces it, and its unsupported constructs.
fn function(
    environment: &Environment,
    name: &str,
    file: &str,
    text: &str,
    api: FunctionApi,
) -> (bool, Vec<Unsupported>) {
    let declares = text.contains("create_function") || text.contains("newfunction");
    let is_native = declares && is_checked(name, text);
    let mut unknown = unknown_in(file, text);
    // Other files can define it, but do not define a function.
    if unknown.is_empty() && declares {
        let required = |name: &str| -> Result<Option<(Str, Str)>, Error> { ruby_library(environment, name) };
        unknown.extend(Function::complaint(FunctionSource {
            name,
            path: file,
            text,
            api,
            required: &required,
        }));
    }
    (is_native, unknown)
}

fn resource_type(environment: &Environment, name: &str, file: &str) -> Vec<Unsupported> {
    match resource_types::read_file(environment, name, file) {
        Some(read) if read.accepts_all => {
            let construct = "what it declares is computed, and it cannot be run".to_owned();
            vec![Unsupported { construct, line: 1 }]
        }
        _ => Vec::new(),
    }
}

fn unknown_in(file: &str, text: &str) -> Vec<Unsupported> {
    match parse_file(file, text) {
        Ok(program) => program.unknown,
        Err(refused) => refusals(Some(refused)),
    }
}

fn refusals(refused: Option<RefusedError>) -> Vec<Unsupported> {
    match refused {
        None => Vec::new(),
        Some(RefusedError::Syntax { message, line }) => {
            vec![Unsupported { construct: format!("syntax error ({message})"), line }]
        }
        Some(RefusedError::Unsupported(list)) => list,
    }
}
