//! Functions as the evaluator sees them: the table of built-in ones, a call in progress, and blocks.

use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::{Evaluated, Evaluator, Scope};
use crate::pcore::Value;
use crate::pcore::types::Type;
use crate::source::Location;
use crate::syntax::ast::{NodeId, Program};

/// The body of a built-in function.
pub type Body = fn(&Call<'_, '_>) -> Evaluated;

/// One way to call a function: the signature in Puppet's type language and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch {
    /// Parameters, block and result as a Puppet function would declare them:
    /// `Iterable $list, Callable[1, 1] &block >> Array`. Modifiers: `?` behind the type of an optional parameter, `*` of
    /// one that takes the rest, `+` of one that takes the rest and needs at least one.
    pub signature: &'static str,
    /// What it does with arguments that match.
    pub body: Body,
}

/// A built-in function: an entry of the tables in `functions`.
#[derive(Debug)]
pub struct BuiltIn {
    /// The name.
    pub name: &'static str,
    /// Its signatures, tried in order. Arguments that match none are an error that describes them all.
    pub dispatches: &'static [Dispatch],
    /// For a function of the 3.x API: how many arguments (as Ruby's arity, `-n - 1` for at least n), and whether it
    /// gives a value. Such a function has one dispatch with an empty signature and checks its arguments itself.
    pub legacy: Option<Legacy>,
}

/// What the 3.x API says of a function.
#[derive(Clone, Copy, Debug)]
pub struct Legacy {
    /// The number of arguments as Ruby's arity says it.
    pub arity: i32,
    /// Whether it gives a value.
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
    signatures: OnceLock<Vec<Type>>,
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

    /// The signatures of a function as Callable types, made by `parse` on first use.
    pub fn signatures(&self, name: &str, parse: impl Fn(&'static str) -> Type) -> &[Type] {
        self.entries.get(name).map_or(&[], |entry| {
            entry
                .signatures
                .get_or_init(|| entry.function.dispatches.iter().map(|d| parse(d.signature)).collect())
        })
    }
}

/// A lambda with the scope that it closes over.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The file it stands in.
    pub program: Arc<Program>,
    /// The `LambdaExpression`.
    pub node: NodeId,
    /// The scope around it.
    pub scope: Rc<Scope>,
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
    /// Where the call stands.
    pub location: Location,
}
