//! The way between a compilation, which needs a deep stack, and the callbacks of a host, which run on the
//! stack of the caller: Go, Java and others look at the stack that they are called on.

use std::panic::resume_unwind;

use bunraku_core::diagnostic::Error;
use bunraku_core::host::DeepStacks;
use bunraku_crossing::{Crossing, Side};

/// The caller's side: any code of its own may run there.
pub(crate) struct Caller;

impl Side for Caller {
    type Access = ();
}

pub(crate) type CallerCrossing = Crossing<Caller>;

/// Does something on a deep stack of the calling thread. Work that is there already goes on where it is.
///
/// # Errors
/// There is no memory for a stack.
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

/// Does something on the stack of whoever called the library. What it is given is the crossing that leads
/// back, where there is one.
pub(crate) fn on_caller_stack<T>(work: impl FnOnce(Option<&CallerCrossing>) -> T) -> T {
    Crossing::on_caller(|way| work(way.map(|(crossing, ())| crossing)))
        .unwrap_or_else(|panic| resume_unwind(panic))
}
