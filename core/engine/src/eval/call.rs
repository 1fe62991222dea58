//! Functions as the evaluator sees them: the table of built-in ones, a call in progress, and blocks.

use std::rc::Rc;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::{Closure, Evaluated, Evaluator, Repeated, Scope, Signature, Unwind};
use bunraku_pcore::Value;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::Type;
use bunraku_syntax::ast::{NodeId, Program};
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel};
use bunraku_syntax::source::Location;

/// The size in bytes of a log entry in addition to its message.
const ENTRY_SIZE: u64 = 100;

/// The body of a built-in function.
pub type Body = fn(&Call<'_, '_>) -> Evaluated;

/// One overload of a function: the signature in Puppet's type language and the implementation.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// Parameters, block and result in the notation of Puppet functions: `Iterable $list, Callable[1, 1]
    /// &block >> Array`. Modifiers: `?` after the type of an optional parameter or block, `*` of a parameter
    /// that takes the rest, `+` of one that takes the rest and requires at least one argument. Parsed by
    /// [`Signature::parse`](super::Signature::parse).
    pub signature: &'static str,
    /// The implementation for matching arguments.
    pub body: Body,
}

impl Dispatch {
    /// A signature and its implementation.
    pub const fn new(signature: &'static str, body: Body) -> Self {
        Self { signature, body }
    }
}

/// A built-in function: an entry of the tables in `functions`.
#[derive(Debug)]
pub struct BuiltIn {
    /// The name.
    pub name: &'static str,
    /// Aliases that only its signatures know, written `Name = Type`.
    pub local_types: &'static [&'static str],
    /// Its signatures, tried in order. Arguments that match none are an error that describes them all.
    pub dispatches: &'static [Dispatch],
    /// Signatures of wrong arguments with their own message: tried in order if no signature matches. The body
    /// returns the message as a string (without the function's name).
    pub mismatches: &'static [Dispatch],
    /// For a function of the 3.x API: the number of arguments (as Ruby's arity, `-n - 1` for at least n), and
    /// whether it returns a value. Such a function has one overload with an empty signature and checks its
    /// arguments itself.
    pub legacy: Option<Legacy>,
    /// The module that contains this function in Ruby: it is only known where that module exists, and only
    /// unless the host provides the function itself.
    pub module: Option<&'static str>,
    /// Whether it calls other functions, or evaluates classes, templates or data, without being given a
    /// block.
    pub may_call: bool,
    /// Whether it only reads single elements of collections, or passes them on: it counts no steps for all of
    /// them.
    pub looks_only: bool,
    /// Whether `scope.function_…` of the 3.x API refuses it.
    pub only_in_4x: bool,
}

impl BuiltIn {
    /// A function with these signatures.
    pub const fn new(name: &'static str, dispatches: &'static [Dispatch]) -> Self {
        Self {
            name,
            local_types: &[],
            dispatches,
            mismatches: &[],
            legacy: None,
            module: None,
            may_call: false,
            looks_only: false,
            only_in_4x: false,
        }
    }

    /// A function of the 3.x API with one dispatch.
    pub const fn legacy(
        name: &'static str,
        arity: i32,
        is_rvalue: bool,
        dispatches: &'static [Dispatch],
    ) -> Self {
        Self { legacy: Some(Legacy { arity, is_rvalue }), ..Self::new(name, dispatches) }
    }

    /// The same function with aliases for its signatures.
    pub const fn with_local_types(self, local_types: &'static [&'static str]) -> Self {
        Self { local_types, ..self }
    }

    /// The same function as one of a module.
    pub const fn of_module(self, module: &'static str) -> Self {
        Self { module: Some(module), ..self }
    }

    /// The same function as one that calls others, or evaluates classes, templates or data.
    pub const fn calling(self) -> Self {
        Self { may_call: true, ..self }
    }

    /// The same function as one that does not go through the collections that it is given.
    pub const fn looking_only(self) -> Self {
        Self { looks_only: true, ..self }
    }

    /// The same function as one that `scope.function_…` refuses.
    pub const fn only_in_4x(self) -> Self {
        Self { only_in_4x: true, ..self }
    }

    /// The same function with messages for wrong arguments.
    pub const fn with_mismatches(self, mismatches: &'static [Dispatch]) -> Self {
        Self { mismatches, ..self }
    }
}

/// The declaration of a function in the 3.x API.
#[derive(Clone, Copy, Debug)]
pub struct Legacy {
    /// The number of arguments in the form of Ruby's arity.
    pub arity: i32,
    /// Whether it returns a value.
    pub is_rvalue: bool,
}

/// The built-in functions by name. Handed to the evaluator by the compiler.
#[derive(Debug, Default)]
pub struct FunctionTable {
    entries: FxHashMap<&'static str, Entry>,
}

#[derive(Debug)]
struct Entry {
    function: &'static BuiltIn,
    signatures: OnceLock<Vec<Signature>>,
}

impl FunctionTable {
    /// A table of these functions; a later one replaces an earlier one of the same name.
    pub fn new(functions: impl IntoIterator<Item = &'static BuiltIn>) -> Self {
        let entry =
            |function: &'static BuiltIn| (function.name, Entry { function, signatures: OnceLock::new() });
        Self { entries: functions.into_iter().map(entry).collect() }
    }

    /// A function by name.
    pub fn get(&self, name: &str) -> Option<&'static BuiltIn> {
        self.entries.get(name).map(|entry| entry.function)
    }

    /// All functions, in no order.
    pub fn functions(&self) -> impl Iterator<Item = &'static BuiltIn> {
        self.entries.values().map(|entry| entry.function)
    }

    /// The signatures of a function, those of its overloads followed by those of its mismatches, made on
    /// first use; `parse` parses a type with the aliases of the function.
    pub fn signatures(
        &self,
        name: &str,
        parse: impl Fn(&'static BuiltIn, &str) -> Result<Type, Error>,
    ) -> Result<&[Signature], Error> {
        let Some(entry) = self.entries.get(name) else { return Ok(&[]) };
        if let Some(signatures) = entry.signatures.get() {
            return Ok(signatures);
        }
        let function = entry.function;
        let dispatches = function.dispatches.iter().chain(function.mismatches);
        let signatures = dispatches
            .map(|dispatch| Signature::parse(dispatch.signature, &|text| parse(function, text)))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(entry.signatures.get_or_init(|| signatures))
    }
}

/// A call of a built-in function in progress.
pub struct Call<'a, 'e> {
    /// The evaluator.
    pub evaluator: &'a Evaluator<'e>,
    /// The scope of the caller.
    pub scope: &'a Rc<Scope>,
    /// The function's name.
    pub name: &'a str,
    /// The arguments; they match the signature.
    pub arguments: &'a [Value],
    /// The block, if one was given.
    pub block: Option<&'a Closure>,
    /// The place of the call.
    pub site: Site<'a>,
}

/// The place of a call. Its line is only computed on request.
#[derive(Clone, Copy, Debug)]
pub enum Site<'a> {
    /// At a node of a program.
    Node(&'a Program, NodeId),
    /// Here.
    At(&'a Location),
}

impl Site<'_> {
    /// File and line.
    pub fn location(self) -> Location {
        match self {
            Self::Node(program, id) => Location { column: None, ..program.location(id) },
            Self::At(location) => location.clone(),
        }
    }
}

impl<'a> Call<'a, '_> {
    /// The file and line of the call.
    pub fn location(&self) -> Location {
        self.site.location()
    }

    /// An argument, or `undef` if it is missing.
    pub fn argument(&self, index: usize) -> &Value {
        self.arguments.get(index).unwrap_or(&Value::Undef)
    }

    /// An argument that is a string by the signature.
    pub fn text(&self, index: usize) -> &str {
        self.argument(index).as_str().unwrap_or("")
    }

    /// Calls the block. `break()` in it arrives as [`Unwind::Break`]: a function that iterates ends its
    /// iteration then, all others pass it on with `?`.
    ///
    /// # Errors
    /// The error of the block, or the error for a call without a block.
    pub fn yield_block(&self, arguments: &[Value]) -> Evaluated {
        match self.block {
            Some(block) => self.evaluator.call_closure(block, arguments),
            None => Err(Error::argument(format!("{}(): no block was given", self.name)).into()),
        }
    }

    /// Calls the block as [`yield_block`](Self::yield_block) does, once more, with arguments that are not
    /// needed elsewhere.
    ///
    /// # Errors
    /// As [`yield_block`](Self::yield_block).
    pub fn yield_again<const N: usize>(
        &self,
        repeated: &mut Repeated<'a>,
        arguments: [Value; N],
    ) -> Evaluated {
        match self.block {
            Some(block) => self.evaluator.call_closure_again(block, repeated, arguments),
            None => self.yield_block(&[]),
        }
    }

    /// The number of the block's parameters in the form of Ruby's arity: `-n - 1` if the first n of more are
    /// required.
    pub fn block_arity(&self) -> Option<i32> {
        self.block.map(Closure::arity)
    }

    /// Calls a function by name from here, as `call()` does and as functions of the reference call others.
    pub fn call_function(&self, name: &str, arguments: &[Value], block: Option<&Closure>) -> Evaluated {
        self.evaluator.call_external(self.scope, name, arguments, block, self.site)
    }

    /// Counts steps for elements that a function visits without calling a block.
    ///
    /// # Errors
    /// A limit is exceeded; the compilation must end.
    pub fn charge_steps(&self, steps: usize) -> Evaluated<()> {
        Ok(self.evaluator.charge_steps(steps)?)
    }

    /// The limits of long work.
    pub fn fuel(&self) -> &dyn Fuel {
        &self.evaluator.usage
    }

    /// Logs as `notice()` and similar functions do, with the scope as the source. Such messages have no
    /// place.
    ///
    /// # Errors
    /// The output is too large.
    pub fn log(&self, level: LogLevel, message: impl Into<String>) -> Evaluated<()> {
        let message = message.into();
        self.evaluator.usage.put_out(ENTRY_SIZE + message.len() as u64)?;
        self.evaluator.loaded.log.add(LogEntry {
            level,
            message,
            source: self.evaluator.context.scope_name(self.scope),
            location: Location::default(),
            issue: None,
            once: None,
        });
        Ok(())
    }

    /// Adds a warning of Puppet itself to the log, without a place.
    pub fn warn(&self, message: impl Into<String>) {
        self.evaluator.loaded.log.add(LogEntry::of_puppet(LogLevel::Warning, message));
    }

    /// A failure with this message (the reference's `ArgumentError` and its like); the place of the call is
    /// added to it.
    pub fn fail(&self, message: impl Into<String>) -> Unwind {
        Error::argument(message).into()
    }
}
