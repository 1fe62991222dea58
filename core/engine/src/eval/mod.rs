//! Program + Scope become a Value.
//!
//! The [`Evaluator`] belongs to one compilation and one thread. It knows the language; what the language does
//! to the catalog it asks of [`Context`], which the compiler implements. Built-in functions are handed in as
//! a [`FunctionTable`]. Control flow that leaves an expression early travels in the error channel as
//! [`Unwind`].

mod access;
mod arithmetic;
mod assign;
pub mod call;
mod chain;
pub mod chance;
pub mod closure;
mod collect;
pub mod compare;
mod constant;
pub mod context;
mod deferred;
mod epp;
pub mod evaluator;
mod foreign;
mod interpolate;
mod invoke;
mod last_use;
pub mod limits;
mod member;
mod node_map;
pub mod provenance;
mod quick;
mod relation;
mod resource;
pub mod scope;
pub mod signature;
mod stack;
pub mod unwind;
pub mod variable;
mod variables;

pub use call::{BuiltIn, Call, Dispatch, FunctionTable, Legacy, Site};
pub use chance::Chance;
pub use closure::{Closure, Repeated};
pub(crate) use constant::{is_constant_with, is_literal};
pub use context::{Context, Parameter, Query, RelationshipKind, Setter};
pub use deferred::DeclaredResult;
pub use evaluator::Evaluator;
pub use foreign::{module_ruby, ruby_library};
pub use invoke::FunctionDescription;
pub use limits::Limits;
pub(crate) use node_map::NodeMap;
pub use provenance::{Origin, OriginKind, Recorder};
pub(crate) use scope::is_plain_name;
pub use scope::{Lookup, Scope, ScopeKind, Source};
pub use signature::Signature;
pub use stack::Groups;
pub use unwind::{Evaluated, Jump, Unwind};
pub use variable::Variable;
pub use variables::BoundParameters;
