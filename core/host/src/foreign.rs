//! Functions that are not the library's own: what the evaluator asks of them, and what they may ask of it.
//!
//! A [`ForeignFunction`] is one that an embedder brings, or one of a module's that a host with a Ruby has
//! loaded ([`ModuleRuby`]). While it runs it has a [`ForeignCall`], its only way to the compilation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::ErbTemplate;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Str, Timestamp, Value};
use bunraku_syntax::diagnostic::{Error, LogLevel};
use bunraku_syntax::source::Location;

/// A function that the host provides. Type-checked against its signatures before it is called.
pub trait ForeignFunction: Send + Sync {
    /// Its signatures in Puppet's type language, each a `Callable[…]`; tried in order. Not asked where there
    /// is a [`declaration`](Self::declaration).
    fn signatures(&self) -> Vec<String>;

    /// Its signatures with all that the APIs of the reference can say of a function.
    fn declaration(&self) -> Option<Declaration> {
        None
    }

    /// Calls it with arguments that match the signature of this index.
    fn call(&self, signature: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error>;
}

/// What a function of a module says of itself.
#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The signatures as a Puppet function would declare them, `String $text, Integer? $count, Callable
    /// &block >> String`: `?` behind the type of an optional parameter or block, `*` of one that takes the
    /// rest, `+` of one that takes the rest and needs at least one.
    pub signatures: Vec<String>,
    /// The numbers of the signatures that wrong arguments have: what the function gives for them is the
    /// error's text.
    pub mismatches: Vec<usize>,
    /// Names that only the signatures know, each `Name = Type`.
    pub local_types: Vec<String>,
    /// What values that are returned are checked by, for each signature: the text that an error begins with.
    pub subjects: Vec<String>,
    /// What the 3.x API says, for a function of that API; it has no signatures.
    pub legacy: Option<LegacyApi>,
}

/// What the 3.x API says of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyApi {
    /// The number of arguments as Ruby's arity says it: `-n - 1` for at least n.
    pub arity: i32,
    /// Whether it gives a value.
    pub is_rvalue: bool,
}

/// The API that a file of a function is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionApi {
    /// `Puppet::Functions.create_function`, in `lib/puppet/functions`.
    Modern,
    /// `Puppet::Parser::Functions.newfunction`, in `lib/puppet/parser/functions`.
    Legacy,
}

/// Reads a file that a function's file requires: its path and its text, or nothing when there is none.
pub type RequiredFiles<'f> = &'f dyn Fn(&str) -> Result<Option<(Str, Str)>, Error>;

/// A file that defines a function.
#[derive(Clone, Copy)]
pub struct FunctionSource<'f> {
    /// The name of the function that it shall define.
    pub name: &'f str,
    /// Its path.
    pub path: &'f str,
    /// What is in it.
    pub text: &'f str,
    /// The API that the function shall have.
    pub api: FunctionApi,
    /// Reads the files that it requires.
    pub required: RequiredFiles<'f>,
}

/// The Ruby of one environment's modules. What it loads, defines and remembers belongs to this environment
/// alone.
pub trait ModuleRuby: Send + Sync {
    /// The function that a file defines. The file is read once.
    ///
    /// # Errors
    /// The file defines no such function, or cannot be run.
    fn function(&self, name: &str, file: &str, api: FunctionApi) -> Result<Arc<dyn ForeignFunction>, Error>;

    /// Renders an ERB template. `None`: it does not render templates.
    fn render_erb(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, ErbFailure>> {
        let _ = (template, call);
        None
    }

    /// The resource type that a file declares, found out by running the file. `None`: it does not do that, or
    /// the file declares no such type.
    ///
    /// # Errors
    /// The file cannot be run.
    fn resource_type(&self, name: &str, file: &str) -> Result<Option<RubyType>, Error> {
        let _ = (name, file);
        Ok(None)
    }
}

/// Why a template was not rendered.
#[derive(Debug)]
pub struct ErbFailure {
    /// What happened.
    pub error: Error,
    /// The template's line in which it happened; `None` when it is no failure of the template but of all that
    /// is around it.
    pub line: Option<u32>,
}

/// Which templates in ERB the Ruby of modules renders, and which the Ruby that is built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TemplateChoice {
    /// Ruby renders what the Ruby that is built in does not know.
    #[default]
    Unknown,
    /// Ruby renders all.
    All,
    /// Ruby renders none.
    None,
}

/// What a resource type in Ruby says of itself.
#[derive(Clone, Debug, Default)]
pub struct RubyType {
    /// The parameters that make a resource what it is, in their order.
    pub keys: Vec<Str>,
    /// The names of all properties and parameters, and whether each is a property.
    pub attributes: Vec<(Str, bool)>,
    /// Whether two resources of one name are the same thing.
    pub isomorphic: bool,
    /// Regular expressions for titles, each with the parameters that its groups stand for; empty where the
    /// type says none.
    pub title_patterns: Vec<(Str, Vec<Str>)>,
}

/// What Ruby of an environment's modules is told of the environment.
#[derive(Clone, Copy, Debug)]
pub struct RubySurroundings<'a> {
    /// `production`
    pub name: &'a str,
    /// The environment's directory, when it has one.
    pub directory: Option<&'a str>,
    /// The directories of modules.
    pub modulepath: &'a [String],
    /// Names and directories of the modules, in the order in which they are searched.
    pub modules: &'a [(&'a str, &'a str)],
    /// `lib` of gems: what Puppet's old autoloader looks for is looked for there before the modules.
    pub gems: &'a [String],
    /// `libdir`; behind the modules, as are those that follow.
    pub libdir: Option<&'a str>,
    /// Ruby's load path.
    pub load_path: &'a [String],
    /// `lib` of vendored modules.
    pub vendored: &'a [String],
    /// The settings that the language sees.
    pub settings: &'a [(String, Value)],
}

/// A call of a function that is made from outside of the language.
pub struct ForeignRequest<'a> {
    /// The function.
    pub name: &'a str,
    /// The arguments.
    pub arguments: &'a [Value],
    /// A block that is not written in the language.
    pub block: Option<Arc<dyn ForeignBlock>>,
    /// Whether the top scope calls, and not the scope that the foreign function was called from.
    pub from_top: bool,
}

/// A block that is not written in the language.
pub trait ForeignBlock: Send + Sync {
    /// What it takes.
    fn parameters(&self) -> BlockParameters;

    /// Calls it.
    ///
    /// # Errors
    /// What it fails with.
    fn call(&self, arguments: &[Value]) -> Result<Value, Error>;
}

impl fmt::Debug for dyn ForeignBlock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ForeignBlock")
    }
}

/// The parameters of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BlockParameters {
    /// How many must be given.
    pub required: usize,
    /// How many more may be given.
    pub optional: usize,
    /// Whether the last one takes the rest; it counts among the others in neither.
    pub has_rest: bool,
}

/// A resource of the catalog that is being made.
#[derive(Clone, Debug)]
pub struct ForeignResource {
    /// The resource type, capitalised per segment.
    pub type_name: Str,
    /// The title.
    pub title: Str,
    /// The parameters that it has so far, without defaults.
    pub parameters: Vec<(Str, Value)>,
    /// The tags that it has so far.
    pub tags: Vec<Str>,
    /// Whether it is exported.
    pub is_exported: bool,
    /// Whether it is virtual.
    pub is_virtual: bool,
    /// Where it was declared.
    pub location: Location,
}

/// What a foreign function or template may ask of the evaluation that calls it.
pub trait ForeignCall: Fuel {
    /// Whether a block was given.
    fn has_block(&self) -> bool;

    /// What the block takes.
    fn block_parameters(&self) -> BlockParameters;

    /// Calls the block.
    ///
    /// # Errors
    /// What it fails with.
    fn call_block(&self, arguments: &[Value]) -> Result<Value, Error>;

    /// Calls a Puppet function.
    ///
    /// # Errors
    /// There is no such function, or it fails.
    fn call_function(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.call_with(&ForeignRequest { name, arguments, block: None, from_top: false })
    }

    /// Calls a Puppet function, with all that can be said of a call.
    ///
    /// # Errors
    /// As [`call_function`](Self::call_function).
    fn call_with(&self, request: &ForeignRequest<'_>) -> Result<Value, Error>;

    /// Calls a function of an object that the compilation has made, such as `not_found` of a
    /// `Puppet::LookupContext`.
    ///
    /// # Errors
    /// There is no such function, or it fails.
    fn call_member(
        &self,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<Arc<dyn ForeignBlock>>,
    ) -> Result<Value, Error>;

    /// Whether there is a function of this name.
    ///
    /// # Errors
    /// A file that should define it cannot be loaded.
    fn has_function(&self, name: &str) -> Result<bool, Error>;

    /// How long the compilation may still take; nothing: as long as it likes.
    fn remaining_time(&self) -> Option<Duration>;

    /// Whether the compilation may still take time.
    ///
    /// # Errors
    /// It may not.
    fn check_time(&self) -> Result<(), Error>;

    /// The time of the compilation's host.
    fn now(&self) -> Timestamp;

    /// Writes a text of Puppet's own to the log.
    fn log(&self, level: LogLevel, message: String);

    /// As [`log`](Self::log), unless something was said under the same key before.
    fn log_once(&self, key: &str, level: LogLevel, message: String);

    /// The value of a variable as seen from the calling scope; `None` when there is no such variable.
    fn variable(&self, name: &str) -> Option<Value>;

    /// The value of a variable as the 3.x API's `lookupvar` gives it: an unknown one is warned of, or an
    /// error, as the setting `strict` says.
    ///
    /// # Errors
    /// There is no such variable, and that is an error.
    fn look_up_variable(&self, name: &str) -> Result<Option<Value>, Error>;

    /// Why there is no variable of this name, when it has a namespace: `class a could not be found`.
    fn missing_variable(&self, name: &str) -> Option<String>;

    /// Sets a variable in the calling scope.
    ///
    /// # Errors
    /// It has a value already, or no such name is allowed.
    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error>;

    /// The names and values of the variables of the calling scope and those around it, innermost wins.
    fn variables(&self) -> Vec<(String, Value)>;

    /// Reads a type; names are those that the compilation sees.
    ///
    /// # Errors
    /// The text says no type.
    fn parse_type(&self, text: &str) -> Result<Type, Error>;

    /// Reads data as JSON text, in rich data: what says its type (`__ptype`) becomes a value of it,
    /// `Sensitive` among them. Types are those that the compilation sees.
    ///
    /// # Errors
    /// The text is no JSON, or the data is damaged or names types that there are not.
    fn read_data(&self, text: &str) -> Result<Value, Error>;

    /// Where the call stands.
    fn location(&self) -> Location;

    /// Where the calls in progress stand, this one first.
    fn stack(&self) -> Vec<Location>;

    /// How the log names the calling scope: `Scope(Class[main])`.
    fn scope_name(&self) -> String;

    /// The module whose code calls.
    fn module_name(&self) -> Option<Str>;

    /// The certname of the node.
    fn node_name(&self) -> String;

    /// The facts of the node.
    fn facts(&self) -> Value;

    /// The classes of the catalog, in the order in which they were evaluated.
    fn classes(&self) -> Vec<Str>;

    /// The tags of the catalog.
    fn catalog_tags(&self) -> Vec<Str>;

    /// The resource of this type and title in the catalog.
    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource>;

    /// The resources of the catalog, in the order in which they were declared.
    fn resources(&self) -> Vec<ForeignResource>;

    /// The defaults that hold in the calling scope for a resource type, in the order in which they were set.
    fn resource_defaults(&self, type_name: &str) -> Vec<(Str, Value)>;

    /// Whether there is a class, a defined type or a native type of this name.
    ///
    /// # Errors
    /// A file that may define it cannot be loaded.
    fn has_definition(&self, kind: &str, name: &str) -> Result<bool, Error>;

    /// The value of a variable of the top scope, as [`look_up_variable`](Self::look_up_variable) gives it.
    ///
    /// # Errors
    /// There is no such variable, and that is an error.
    fn look_up_top_variable(&self, name: &str) -> Result<Option<Value>, Error>;

    /// Sets a variable of the top scope.
    ///
    /// # Errors
    /// It has a value already, or no such name is allowed.
    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error>;

    /// The text of a file; `None` when there is no such file.
    ///
    /// # Errors
    /// It cannot be read.
    fn read_text(&self, path: &str) -> Result<Option<String>, Error>;

    /// Writes a file that the module keeps, where the environment lets it.
    ///
    /// # Errors
    /// It may not be written, or cannot be.
    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error>;

    /// Makes a directory, and those in which it stands, where the environment lets it.
    ///
    /// # Errors
    /// As [`write_file`](Self::write_file).
    fn make_directories(&self, path: &str) -> Result<(), Error>;

    /// Runs a command: what it has printed, or what is told of its failure.
    ///
    /// # Errors
    /// Commands are not run, or the work has ended.
    fn run_command(&self, command: &[&str]) -> Result<Result<String, String>, Error>;

    /// Whether something stands at a path, and whether it is a directory.
    fn file_kind(&self, path: &str) -> Option<bool>;

    /// A variable of the process, where the host tells it
    /// ([`Host::environment_variable`](crate::Host::environment_variable)).
    fn environment_variable(&self, name: &str) -> Option<String>;

    /// The paths that match a pattern, as [`glob`](crate::glob) says.
    fn glob(&self, pattern: &str) -> Vec<String>;

    /// The names in a directory, sorted; `None` when there is none that can be read.
    fn list(&self, path: &str) -> Option<Vec<String>>;

    /// The path and the text of a file below `lib` of a module, as `require` names it; `None` when there is
    /// none. A path that begins with `/` is one of any file.
    ///
    /// # Errors
    /// It cannot be read.
    fn ruby_library(&self, name: &str) -> Result<Option<(Str, Str)>, Error>;

    /// Calls a Puppet function from the top scope, with the block that was given.
    ///
    /// # Errors
    /// There is no such function, or it fails.
    fn call_passing_block(&self, name: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// The directory of a module.
    fn module_directory(&self, name: &str) -> Option<String>;

    /// Random bytes, others each time.
    ///
    /// # Errors
    /// The host has no randomness.
    fn random(&self) -> Result<[u8; 32], Error>;
}
