//! The way between a compilation, which needs a deep stack, and the callbacks of a host, which run on the
//! caller's stack: Go, Java and others inspect the stack that they are called on.

use std::panic::resume_unwind;

use bunraku_core::diagnostic::Error;
use bunraku_core::host::DeepStacks;
use bunraku_crossing::{Crossing, Side};

/// The caller's side, which can run any code of its own.
pub(crate) struct Caller;

impl Side for Caller {
    type Access = ();
}

pub(crate) type CallerCrossing = Crossing<Caller>;

/// Runs work on a deep stack of the calling thread. Work that is already on one stays there.
///
/// # Errors
/// Memory for a stack is exhausted.
pub(crate) fn on_deep_stack(stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
    if CallerCrossing::with_current(|current| current.is_some()) {
        work();
        return Ok(());
    }
    let result = stacks.lend(|stack| {
        let (stack, Caller, result) = Crossing::run(Caller, &(), stack, work);
        (stack, result)
    })?;
    result.unwrap_or_else(|panic| resume_unwind(panic));
    Ok(())
}

/// Runs work on the stack of the library's caller. Passes on the crossing that leads back, if there is one.
pub(crate) fn on_caller_stack<T>(work: impl FnOnce(Option<&CallerCrossing>) -> T) -> T {
    Crossing::on_caller(|way| work(way.map(|(crossing, ())| crossing)))
        .unwrap_or_else(|panic| resume_unwind(panic))
}
