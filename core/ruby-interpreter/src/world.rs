//! The compilation, as a program can access it.

use std::any::Any;
use std::sync::Arc;

use super::RefusedError;
use super::tree::{Lambda, Program};
use bunraku_host::{BlockParameters, ForeignBlock, ForeignResource};
use bunraku_pcore::Value;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{RegexpValue, Str, Timestamp};
use bunraku_syntax::diagnostic::{Error, LogLevel};
use bunraku_syntax::source::Location;

/// The compilation as a Ruby program sees it: what Ruby code reaches through `scope`, and the limits.
pub trait World: Fuel {
    /// One call deeper; [`leave`](Self::leave) ends it when this succeeded.
    fn enter(&self) -> Result<(), Error>;

    /// One call less deep.
    fn leave(&self);

    /// The current time.
    fn now(&self) -> Timestamp;

    /// `scope.lookupvar(name)`; `None` when the compilation's settings let an unknown variable be `nil`.
    fn lookup_variable(&self, name: &str) -> Result<Option<Value>, Error>;

    /// Whether a variable exists, whatever its value.
    fn has_variable(&self, name: &str) -> bool;

    /// `scope.to_hash`: the variables that are not `undef`.
    fn variables(&self) -> Vec<(Str, Value)>;

    /// The one of [`variables`](Self::variables) that has this name.
    fn variable(&self, name: &str) -> Option<Value> {
        self.variables().into_iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Whether all of [`variables`](Self::variables) have names that variables of Ruby may have.
    fn names_variables_as_ruby(&self) -> bool {
        false
    }

    /// Keeps a method that a template defines outside of classes for the other templates of the compilation:
    /// all of them are objects of one class.
    fn keep_method(&self, name: &str, method: &Arc<Lambda>) {
        let _ = (name, method);
    }

    /// A method that another template has defined.
    fn kept_method(&self, name: &str) -> Option<Arc<Lambda>> {
        let _ = name;
        None
    }

    /// Keeps the state of the program's classes and of the catalog for later calls of functions. Returns
    /// whether it can be kept.
    fn keep(&self, state: Arc<dyn Any + Send + Sync>) -> bool {
        let _ = state;
        false
    }

    /// The state that earlier calls have kept.
    fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }

    /// A regular expression that was made while the program runs.
    fn regexp(&self, source: Str) -> Arc<RegexpValue> {
        Arc::new(RegexpValue::new(source))
    }

    /// `scope.setvar(name, value)`
    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error>;

    /// Says that Ruby code has changed the value of a variable in place.
    fn change_variable(&self, name: &str, old: &Value, new: &Value) {
        let _ = (name, old, new);
    }

    /// The total number of in-place changes of variables so far.
    fn changes(&self) -> usize {
        0
    }

    /// Calls a Puppet function. `legacy` means that it is called as `function_name`, with arguments in the
    /// form of the 3.x API. `None` if the function does not exist.
    fn call_function(&self, name: &str, arguments: &[Value], legacy: bool) -> Result<Option<Value>, Error>;

    /// The names of the classes in the catalog.
    fn classes(&self) -> Vec<Str>;

    /// All tags of the catalog.
    fn catalog_tags(&self) -> Vec<Str>;

    /// The name of the environment.
    fn environment(&self) -> Str;

    /// The name of the node.
    fn node(&self) -> Str;

    /// How the log names the scope: `Scope(Class[main])`.
    fn scope_name(&self) -> Str;

    /// The module whose code runs.
    fn module(&self) -> Option<Str>;

    /// A file's text; `None` if it does not exist.
    fn read_file(&self, path: &str) -> Result<Option<String>, Error>;

    /// Writes a file, where the environment lets it.
    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let _ = (path, bytes);
        Err(Error::plain(super::unsupported_message("writing of a file")))
    }

    /// Whether the environment lets a file be written.
    fn can_write(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// Makes a directory and those around it, where the environment lets it.
    fn make_directories(&self, path: &str) -> Result<(), Error> {
        self.write_file(path, &[])
    }

    /// Runs a command: returns its output, or the message of its failure.
    fn run_command(&self, command: &[&str]) -> Result<Result<String, String>, Error> {
        let _ = command;
        Err(Error::plain(super::unsupported_message("command")))
    }

    /// Draws random bytes.
    fn random(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let _ = bytes;
        Err(Error::plain(super::unsupported_message("random number")))
    }

    /// The path and the text of a module's library, by its name in `require`; `None` if it does not exist.
    fn library(&self, name: &str) -> Result<Option<(Str, Str)>, Error> {
        let _ = name;
        Ok(None)
    }

    /// The program of a file that is loaded, which `make` makes of its text. A world can keep it for later
    /// runs.
    ///
    /// # Errors
    /// As `make`.
    fn program(
        &self,
        path: &str,
        text: &str,
        make: &dyn Fn() -> Result<Program, RefusedError>,
    ) -> Result<Arc<Program>, RefusedError> {
        let _ = (path, text);
        make().map(Arc::new)
    }

    /// Whether a path exists, and whether it is a directory.
    fn file_kind(&self, path: &str) -> Option<bool>;

    /// An environment variable of the process, if the host provides it.
    fn environment_variable(&self, name: &str) -> Result<Option<String>, Error> {
        Err(Error::plain(super::unsupported_message(format!("variable {name} of the process"))))
    }

    /// The paths that match a pattern.
    fn glob(&self, pattern: &str) -> Result<Vec<String>, Error> {
        let _ = pattern;
        Err(Error::plain(super::unsupported_message("Dir.glob")))
    }

    /// The names in a directory; `None` if it does not exist.
    fn list(&self, path: &str) -> Result<Option<Vec<String>>, Error> {
        let _ = path;
        Err(Error::plain(super::unsupported_message("Dir.children")))
    }

    /// A text for the log.
    fn log(&self, level: LogLevel, message: String);

    /// As [`log`](Self::log), unless a message with the same key was logged before.
    fn log_once(&self, key: &str, level: LogLevel, message: String) {
        let _ = key;
        self.log(level, message);
    }

    /// The places of the calls in progress in manifests, innermost first.
    fn stack(&self) -> Vec<Location> {
        Vec::new()
    }

    /// A type by its text, with the names that the compilation knows.
    fn parse_type(&self, text: &str) -> Result<Type, Error> {
        let _ = text;
        Err(Error::plain(super::unsupported_message("type of a text")))
    }

    /// The resources of the catalog, in their order.
    fn resources(&self) -> Result<Vec<ForeignResource>, Error> {
        Err(Error::plain(super::unsupported_message("resources of a catalog")))
    }

    /// Whether a Puppet function exists.
    fn has_function(&self, name: &str) -> Result<bool, Error> {
        let _ = name;
        Ok(false)
    }

    /// A variable of the top scope; as [`lookup_variable`](Self::lookup_variable).
    fn lookup_top_variable(&self, name: &str) -> Result<Option<Value>, Error>;

    /// Sets a variable of the top scope.
    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error>;

    /// Calls a Puppet function from the top scope, in which functions of the 4.x API run.
    fn call_from_top(&self, name: &str, arguments: &[Value]) -> Result<Value, Error>;

    /// As [`call_from_top`](Self::call_from_top), with the block that the running function was given.
    fn call_passing_block(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.call_from_top(name, arguments)
    }

    /// Calls a function of an object that the compilation has made.
    fn call_member(
        &self,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<Arc<dyn ForeignBlock>>,
    ) -> Result<Value, Error> {
        let _ = (object, arguments, block);
        Err(Error::plain(super::unsupported_message(name)))
    }

    /// Calls the block that a function was given.
    fn call_block(&self, arguments: &[Value]) -> Result<Value, Error> {
        let _ = arguments;
        Err(Error::argument("no block given (yield)"))
    }

    /// The parameters of the block that was passed to a function; `None` without a block.
    fn block(&self) -> Option<BlockParameters> {
        None
    }

    /// The directory of a module.
    fn module_directory(&self, name: &str) -> Option<Str>;

    /// A resource of the catalog.
    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource>;
}
