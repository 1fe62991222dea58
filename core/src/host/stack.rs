//! Deep stacks: manifests may nest deep where a caller's thread is shallow.

use super::Host;
use crate::diagnostic::Error;

/// The stack of a thread that compiles, in bytes (reserved, not used up front).
const STACK_SIZE: usize = 512 << 20;

/// Does something where the stack is deep enough for compilations, and waits for it.
///
/// # Errors
/// The host has no such place, or the work panicked.
pub fn on_deep_stack<T: Send>(host: &dyn Host, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let (mut work, mut result) = (Some(work), None);
    host.run_on_deep_stack(&mut || result = work.take().map(|work| work()))?;
    result.ok_or_else(|| Error::internal("the host did not do the work"))
}

/// Does something on a thread of its own.
pub(super) fn on_thread(work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| Error::internal(format!("no thread to compile on: {error}")))?;
        thread.join().map_err(|_| Error::internal("the compilation panicked"))
    })
}
