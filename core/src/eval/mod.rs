//! Program + Scope become a Value.
//!
//! The [`Evaluator`] belongs to one compilation and one thread. It knows the language; what the language does to the
//! catalog it asks of [`Context`], which the compiler implements. Built-in functions are handed in as a
//! [`FunctionTable`]. Control flow that leaves an expression early travels in the error channel as [`Unwind`].

pub mod call;
pub mod context;
pub mod scope;
pub mod signature;
pub mod unwind;

pub use call::{BuiltIn, Call, Closure, Dispatch, FunctionTable};
pub use context::{AttributeValue, Context, Query, RelationshipKind};
pub use scope::{Scope, ScopeKind};
pub use signature::Signature;
pub use unwind::{Evaluated, Unwind};

use crate::loader::{Environment, Journal};

/// Evaluates programs for one compilation.
pub struct Evaluator<'e> {
    /// Where definitions are found.
    pub environment: &'e Environment,
    /// The compilation: catalog, classes, lookup.
    pub context: &'e dyn Context,
    /// The functions that are built in.
    pub functions: &'e FunctionTable,
    /// The log.
    pub journal: &'e Journal,
}
