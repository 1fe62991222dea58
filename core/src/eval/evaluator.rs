//! The evaluator: what it holds, and the ways into it.

use std::rc::Rc;
use std::sync::Arc;

use super::limits::{Limits, Usage};
use super::{Closure, Context, Evaluated, FunctionTable, Scope};
use crate::loader::{Environment, Journal};
use crate::pcore::Value;
use crate::source::Location;
use crate::syntax::ast::{NodeId, Program};

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
    /// What was used up of the limits.
    pub usage: Usage,
}

impl<'e> Evaluator<'e> {
    /// An evaluator for one compilation. Its time begins now.
    pub fn new(
        environment: &'e Environment,
        context: &'e dyn Context,
        functions: &'e FunctionTable,
        journal: &'e Journal,
        limits: Limits,
    ) -> Self {
        let usage = Usage::new(limits, &*environment.host);
        Self { environment, context, functions, journal, usage }
    }

    /// Evaluates a node of a program in a scope.
    ///
    /// # Errors
    /// Any failure, with the place of the innermost expression.
    pub fn evaluate(&self, scope: &Rc<Scope>, program: &Arc<Program>, node: NodeId) -> Evaluated {
        let _ = (scope, program, node);
        Ok(Value::Undef)
    }

    /// Calls a function by name: built in, written in Puppet, or of the host.
    ///
    /// # Errors
    /// `UNKNOWN_FUNCTION`, arguments that do not fit, and what the function fails with.
    pub fn call_function(
        &self,
        scope: &Rc<Scope>,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
        location: &Location,
    ) -> Evaluated {
        let _ = (scope, name, arguments, block, location);
        Ok(Value::Undef)
    }

    /// Calls a function by name as code outside of the language does (`call()`, Deferred, functions that call others).
    ///
    /// # Errors
    /// As [`call_function`](Self::call_function), with another text for an unknown function.
    pub fn call_external(
        &self,
        scope: &Rc<Scope>,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
        location: &Location,
    ) -> Evaluated {
        self.call_function(scope, name, arguments, block, location)
    }
}
