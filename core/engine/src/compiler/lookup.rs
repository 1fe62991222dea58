//! Data for the compilation: `lookup()`, the `hiera` functions and automatic parameter lookup.

use std::rc::Rc;
use std::sync::Arc;

use super::Compilation;
use crate::eval::context::LookupRequest;
use crate::eval::{Closure, Evaluated, Evaluator, Origin, Scope};
use crate::hiera::{self, ExplainOptions, Explanation};
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

impl Compilation<'_> {
    /// Looks up data for a scope.
    pub(super) fn look_up(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        request: &LookupRequest,
        default_block: Option<&Closure>,
    ) -> Evaluated<Option<Value>> {
        let Some(explanation) = self.tracing() else {
            return hiera::lookup(evaluator, scope, &self.data, request, default_block).map(Some);
        };
        let call = self.last_call();
        let found = hiera::trace(evaluator, scope, &self.data, request, default_block, &explanation)?;
        self.note_lookup(call, &request.names, &explanation);
        Ok(Some(found))
    }

    /// Automatic parameter lookup: the value of `class::parameter`, if the data has one, and its origin.
    pub(super) fn look_up_parameter(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        key: &str,
    ) -> Evaluated<Option<(Value, Option<Arc<Origin>>)>> {
        let explanation = self.tracing();
        let found = hiera::automatic_parameter(evaluator, scope, &self.data, key, explanation.clone())?;
        let origin = || self.origin_of_lookup(explanation.as_deref()?);
        Ok(found.map(|value| (value, origin())))
    }

    /// Looks up data as [`lookup`](Self::lookup) does, and explains it.
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

    /// Whether variables of the class `settings` were read so far.
    pub fn reads_settings(&self) -> bool {
        self.settings_scope.get().is_some()
    }

    /// The keys that were looked up so far, each once, in order.
    pub fn looked_up_keys(&self) -> Vec<Str> {
        self.data.recorded_keys()
    }
}
