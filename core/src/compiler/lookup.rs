//! Data for the compilation: `lookup()`, the `hiera` functions and automatic parameter lookup.

use std::rc::Rc;

use super::Compilation;
use crate::diagnostic::Error;
use crate::eval::context::LookupRequest;
use crate::eval::{Closure, Evaluated, Evaluator, Scope};
use crate::hiera::{self, ExplainOptions, Explanation};
use crate::pcore::value::{Str, Value};

impl Compilation<'_> {
    /// Looks up data for a scope.
    pub(super) fn look_up(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        request: &LookupRequest,
        default_block: Option<&Closure>,
    ) -> Evaluated<Option<Value>> {
        hiera::lookup(evaluator, scope, &self.data, request, default_block).map(Some)
    }

    /// Automatic parameter lookup: the value of `class::parameter`, when data has one.
    pub(super) fn look_up_parameter(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        key: &str,
    ) -> Evaluated<Option<Value>> {
        hiera::automatic_parameter(evaluator, scope, &self.data, key)
    }

    /// Looks up data as [`lookup`](Self::lookup) does, and tells how.
    pub fn explain(
        &self,
        request: &LookupRequest,
        options: ExplainOptions,
    ) -> (Result<Value, Error>, Rc<Explanation>) {
        let mut explanation = Rc::new(Explanation::new(options));
        let result = self.with_evaluator(|evaluator| {
            let (result, explained) = hiera::explain(evaluator, &self.top, &self.data, request, options);
            explanation = explained;
            result
        });
        (result, explanation)
    }

    /// The keys that were looked up so far, each once, in order.
    pub fn looked_up_keys(&self) -> Vec<Str> {
        self.data.recorded_keys()
    }
}
