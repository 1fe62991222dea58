//! Data for the compilation: `lookup()`, the `hiera` functions and automatic parameter lookup.

use std::rc::Rc;

use super::Compilation;
use crate::eval::context::LookupRequest;
use crate::eval::{Closure, Evaluated, Evaluator, Scope};
use crate::pcore::value::Value;

impl Compilation<'_> {
    /// Looks up data for a scope.
    pub(super) fn look_up(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        request: &LookupRequest,
        default_block: Option<&Closure>,
    ) -> Evaluated<Option<Value>> {
        let _ = (evaluator, scope, request, default_block);
        Ok(None)
    }

    /// Automatic parameter lookup: the value of `class::parameter`, when data has one.
    pub(super) fn look_up_parameter(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        key: &str,
    ) -> Evaluated<Option<Value>> {
        let _ = (evaluator, scope, key);
        Ok(None)
    }
}
