//! Functions from outside of the library: their interface for the evaluator, and the evaluator's for them.
//!
//! A [`ForeignFunction`] comes from an embedder, or from a module through a host with a Ruby
//! ([`ModuleRuby`]). While it runs it has a [`ForeignCall`], its only way to the compilation.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::ErbTemplate;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Str, Timestamp, Value};
use bunraku_syntax::diagnostic::{Error, LogLevel};
use bunraku_syntax::source::Location;

/// A function that the host provides. Its arguments are checked against its signatures before a call.
pub trait ForeignFunction: Send + Sync {
    /// The signatures in Puppet's type language, each a `Callable[…]`; tried in order. Not called if there is
    /// a [`declaration`](Self::declaration).
    fn signatures(&self) -> Vec<String>;

    /// The signatures with everything that the reference's APIs can declare about a function.
    fn declaration(&self) -> Option<Declaration> {
        None
    }

    /// Calls the function with arguments that match the signature with this index.
    fn call(&self, signature: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error>;
}

/// A variable that does not exist.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MissingVariable {
    /// The name for complaints. One with a namespace has a leading `::` if its class has no such variable,
    /// and is then that of the class from which the others inherit.
    pub name: String,
    /// The reason, if its class is the problem: `class a could not be found`.
    pub reason: Option<String>,
}

/// The declaration of a module's function.
#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The signatures in the notation of Puppet functions, `String $text, Integer? $count, Callable &block >>
    /// String`: `?` follows the type of an optional parameter or block, `*` that of a parameter that takes
    /// the rest, `+` that of one that takes the rest and needs at least one argument.
    pub signatures: Vec<String>,
    /// The indices of the signatures for wrong arguments: the result of the function is then the error's
    /// message.
    pub mismatches: Vec<usize>,
    /// Names that only the signatures can use, each `Name = Type`.
    pub local_types: Vec<String>,
    /// The beginning of the error message about a result of the wrong type, for each signature.
    pub subjects: Vec<String>,
    /// The declaration in the 3.x API, for a function of that API; it has no signatures.
    pub legacy: Option<LegacyApi>,
}

/// The declaration of a function in the 3.x API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyApi {
    /// The number of arguments in the form of Ruby's arity: `-n - 1` for at least n.
    pub arity: i32,
    /// Whether it returns a value.
    pub is_rvalue: bool,
}

/// The API of a function's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionApi {
    /// `Puppet::Functions.create_function`, in `lib/puppet/functions`.
    Modern,
    /// `Puppet::Parser::Functions.newfunction`, in `lib/puppet/parser/functions`.
    Legacy,
}

/// The files that a file in Ruby may require. A closure reads them, and finds none by a pattern.
pub trait RubyFiles {
    /// The path and the text of a file, by its path or its name below a `lib`; `None` if it does not exist.
    ///
    /// # Errors
    /// It cannot be read.
    fn read(&self, name: &str) -> Result<Option<(Str, Str)>, Error>;

    /// The paths that match a pattern, as `Dir.glob` finds them; `None` if patterns are not known here.
    fn glob(&self, pattern: &str) -> Option<Vec<String>> {
        let _ = pattern;
        None
    }
}

impl<F: Fn(&str) -> Result<Option<(Str, Str)>, Error>> RubyFiles for F {
    fn read(&self, name: &str) -> Result<Option<(Str, Str)>, Error> {
        self(name)
    }
}

/// The files that a function's file requires.
pub type RequiredFiles<'f> = &'f dyn RubyFiles;

/// A file that defines a function.
#[derive(Clone, Copy)]
pub struct FunctionSource<'f> {
    /// The name of the function that it must define.
    pub name: &'f str,
    /// Its path.
    pub path: &'f str,
    /// The content.
    pub text: &'f str,
    /// The API of the function.
    pub api: FunctionApi,
    /// Reads the files that it requires.
    pub required: RequiredFiles<'f>,
}

/// The Ruby of one environment's modules. Everything that it loads, defines and caches belongs to this
/// environment only.
pub trait ModuleRuby: Send + Sync {
    /// Returns the function that a file defines. The file is read once.
    ///
    /// # Errors
    /// The file defines no such function, or cannot be run.
    fn function(&self, name: &str, file: &str, api: FunctionApi) -> Result<Arc<dyn ForeignFunction>, Error>;

    /// Renders an ERB template. `None` means that it does not render templates.
    fn render_erb(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, ErbFailure>> {
        let _ = (template, call);
        None
    }

    /// Returns the resource type that a file declares, by running the file. `None` means that it does not
    /// support this, or that the file declares no such type.
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
    /// The failure.
    pub error: Error,
    /// The template's line of the failure; `None` if the failure is not in the template but around it.
    pub line: Option<u32>,
}

/// Which templates in ERB the Ruby of modules renders, and which the built-in Ruby.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TemplateChoice {
    /// Ruby renders the templates that the built-in Ruby does not support.
    #[default]
    Unknown,
    /// Ruby renders all.
    All,
    /// Ruby renders none.
    None,
}

/// The declaration of a resource type in Ruby.
#[derive(Clone, Debug, Default)]
pub struct RubyType {
    /// The parameters that identify a resource, in order.
    pub keys: Vec<Str>,
    /// The names of all properties and parameters, and whether each is a property.
    pub attributes: Vec<(Str, bool)>,
    /// Whether two resources with the same name are the same thing.
    pub isomorphic: bool,
    /// Regular expressions for titles, each with the parameters for its groups; empty if the type declares
    /// none.
    pub title_patterns: Vec<(Str, Vec<Str>)>,
}

/// The description of the environment for the Ruby of its modules.
#[derive(Clone, Copy, Debug)]
pub struct RubySurroundings<'a> {
    /// `production`
    pub name: &'a str,
    /// The environment's directory, if it has one.
    pub directory: Option<&'a str>,
    /// The directories of modules.
    pub modulepath: &'a [String],
    /// Names and directories of the modules, in search order.
    pub modules: &'a [(&'a str, &'a str)],
    /// `lib` of gems: Puppet's old autoloader searches these before the modules.
    pub gems: &'a [String],
    /// `libdir`; searched after the modules, like the following ones.
    pub libdir: Option<&'a str>,
    /// Ruby's load path.
    pub load_path: &'a [String],
    /// `lib` of vendored modules.
    pub vendored: &'a [String],
    /// The settings that the language sees.
    pub settings: &'a [(String, Value)],
}

/// A call of a function from outside of the language.
pub struct ForeignRequest<'a> {
    /// The function.
    pub name: &'a str,
    /// The arguments.
    pub arguments: &'a [Value],
    /// A block that is not written in the language.
    pub block: Option<Arc<dyn ForeignBlock>>,
    /// Whether the call comes from the top scope, rather than from the scope of the foreign function's
    /// caller.
    pub from_top: bool,
}

/// A block that is not written in the language.
pub trait ForeignBlock: Send + Sync {
    /// The parameters.
    fn parameters(&self) -> BlockParameters;

    /// Calls the block.
    ///
    /// # Errors
    /// The block fails.
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
    /// The number of required arguments.
    pub required: usize,
    /// The number of optional arguments.
    pub optional: usize,
    /// Whether the last one takes the rest; it is not included in the two counts.
    pub has_rest: bool,
}

/// A resource of the current catalog.
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
    /// The place of its declaration.
    pub location: Location,
}

/// The evaluation, as a foreign function or template can access it.
pub trait ForeignCall: Fuel {
    /// Whether the caller passed a block.
    fn has_block(&self) -> bool;

    /// The parameters of the block.
    fn block_parameters(&self) -> BlockParameters;

    /// Calls the block.
    ///
    /// # Errors
    /// The block fails.
    fn call_block(&self, arguments: &[Value]) -> Result<Value, Error>;

    /// Calls a Puppet function.
    ///
    /// # Errors
    /// The function does not exist, or it fails.
    fn call_function(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.call_with(&ForeignRequest { name, arguments, block: None, from_top: false })
    }

    /// Calls a Puppet function, with all options of a call.
    ///
    /// # Errors
    /// As [`call_function`](Self::call_function).
    fn call_with(&self, request: &ForeignRequest<'_>) -> Result<Value, Error>;

    /// Calls a function of an object that the compilation has made, such as `not_found` of a
    /// `Puppet::LookupContext`.
    ///
    /// # Errors
    /// The function does not exist, or it fails.
    fn call_member(
        &self,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<Arc<dyn ForeignBlock>>,
    ) -> Result<Value, Error>;

    /// Keeps the state of a function's code for later calls of the compilation; it replaces what was kept.
    fn keep(&self, state: Arc<dyn Any + Send + Sync>);

    /// What an earlier call has kept.
    fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>>;

    /// Whether a function of this name exists.
    ///
    /// # Errors
    /// A file that should define it cannot be loaded.
    fn has_function(&self, name: &str) -> Result<bool, Error>;

    /// The remaining time of the compilation; `None` means no limit.
    fn remaining_time(&self) -> Option<Duration>;

    /// Checks the remaining time of the compilation.
    ///
    /// # Errors
    /// The time is over.
    fn check_time(&self) -> Result<(), Error>;

    /// The time of the compilation's host.
    fn now(&self) -> Timestamp;

    /// Logs a message of Puppet itself.
    fn log(&self, level: LogLevel, message: String);

    /// As [`log`](Self::log), unless a message with the same key was logged before.
    fn log_once(&self, key: &str, level: LogLevel, message: String);

    /// The value of a variable in the scope of the caller; `None` if the variable does not exist.
    fn variable(&self, name: &str) -> Option<Value>;

    /// The value of a variable as the 3.x API's `lookupvar` returns it: an unknown one is a warning or an
    /// error, depending on the setting `strict`.
    ///
    /// # Errors
    /// The variable does not exist, and that is an error.
    fn look_up_variable(&self, name: &str) -> Result<Option<Value>, Error>;

    /// How a complaint names a variable that does not exist, and why it does not; `None` if it exists.
    fn missing_variable(&self, name: &str) -> Option<MissingVariable>;

    /// Sets a variable in the scope of the caller.
    ///
    /// # Errors
    /// The variable already has a value, or its name is not allowed.
    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error>;

    /// The names and values of the variables of the caller's scope and the enclosing ones; the innermost
    /// wins.
    fn variables(&self) -> Vec<(String, Value)>;

    /// Parses a type, with the names that the compilation can resolve.
    ///
    /// # Errors
    /// The text is not a type.
    fn parse_type(&self, text: &str) -> Result<Type, Error>;

    /// Reads data from JSON text, in rich data: an object with its type (`__ptype`) becomes a value of this
    /// type, including `Sensitive`. The compilation resolves the types.
    ///
    /// # Errors
    /// The text is not JSON, or the data is damaged or names unknown types.
    fn read_data(&self, text: &str) -> Result<Value, Error>;

    /// The place of the call.
    fn location(&self) -> Location;

    /// The places of the calls in progress, this one first.
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

    /// The defaults of a resource type in the caller's scope, in the order in which they were set.
    fn resource_defaults(&self, type_name: &str) -> Vec<(Str, Value)>;

    /// Whether a class, a defined type or a native type of this name exists.
    ///
    /// # Errors
    /// A file that may define it cannot be loaded.
    fn has_definition(&self, kind: &str, name: &str) -> Result<bool, Error>;

    /// The value of a variable of the top scope, as [`look_up_variable`](Self::look_up_variable) returns it.
    ///
    /// # Errors
    /// The variable does not exist, and that is an error.
    fn look_up_top_variable(&self, name: &str) -> Result<Option<Value>, Error>;

    /// Sets a variable of the top scope.
    ///
    /// # Errors
    /// The variable already has a value, or its name is not allowed.
    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error>;

    /// The text of a file; `None` if it does not exist.
    ///
    /// # Errors
    /// The file cannot be read.
    fn read_text(&self, path: &str) -> Result<Option<String>, Error>;

    /// Writes a file of the module, where the environment allows it.
    ///
    /// # Errors
    /// The file must not or cannot be written.
    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error>;

    /// Whether the environment lets this file be written.
    fn can_write(&self, path: &str) -> bool;

    /// Creates a directory with its parents, where the environment allows it.
    ///
    /// # Errors
    /// As [`write_file`](Self::write_file).
    fn make_directories(&self, path: &str) -> Result<(), Error>;

    /// Runs a command: returns its output, or the message of its failure.
    ///
    /// # Errors
    /// Commands are not allowed, or the work has been cancelled.
    fn run_command(&self, command: &[&str]) -> Result<Result<String, String>, Error>;

    /// Whether a path exists, and whether it is a directory.
    fn file_kind(&self, path: &str) -> Option<bool>;

    /// An environment variable of the process, if the host provides it
    /// ([`Host::environment_variable`](crate::Host::environment_variable)).
    fn environment_variable(&self, name: &str) -> Option<String>;

    /// The paths that match a pattern, see [`glob`](crate::glob).
    fn glob(&self, pattern: &str) -> Vec<String>;

    /// The names in a directory, sorted; `None` if it cannot be read.
    fn list(&self, path: &str) -> Option<Vec<String>>;

    /// The path and the text of a file below `lib` of a module, by its name for `require`; `None` if it does
    /// not exist. A name that begins with `/` is the path of any file.
    ///
    /// # Errors
    /// The file cannot be read.
    fn ruby_library(&self, name: &str) -> Result<Option<(Str, Str)>, Error>;

    /// Calls a Puppet function from the top scope, and passes on the block of the call.
    ///
    /// # Errors
    /// The function does not exist, or it fails.
    fn call_passing_block(&self, name: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// The directory of a module.
    fn module_directory(&self, name: &str) -> Option<String>;

    /// Random bytes, different in each call.
    ///
    /// # Errors
    /// The host has no randomness.
    fn random(&self) -> Result<[u8; 32], Error>;
}
