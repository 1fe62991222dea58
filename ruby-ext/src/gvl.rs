//! Long work without Ruby's global lock, so that other Ruby threads run meanwhile.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What travels through Ruby's C function: the work, and then its result.
struct Task<F, T> {
    work: Option<F>,
    result: Option<Result<T, Box<dyn Any + Send>>>,
}

/// Does something without the GVL. The work must not touch Ruby.
pub(crate) fn without<F: FnOnce() -> T + Send, T: Send>(work: F) -> T {
    let mut task = Task { work: Some(work), result: None };
    // SAFETY: `run` gets the address of `task`, which outlives the call; the work is `Send` and does not touch Ruby. No
    // function to interrupt it is given, so Ruby does not unwind through it.
    unsafe {
        rb_sys::rb_thread_call_without_gvl(
            Some(run::<F, T>),
            (&raw mut task).cast(),
            None,
            std::ptr::null_mut(),
        );
    }
    match task.result {
        Some(Ok(result)) => result,
        Some(Err(panic)) => resume_unwind(panic),
        None => panic!("Ruby did not run the work"),
    }
}

unsafe extern "C" fn run<F: FnOnce() -> T, T>(task: *mut c_void) -> *mut c_void {
    // SAFETY: `without` puts the address of a `Task<F, T>` there and waits.
    let task = unsafe { &mut *task.cast::<Task<F, T>>() };
    if let Some(work) = task.work.take() {
        task.result = Some(catch_unwind(AssertUnwindSafe(work)));
    }
    std::ptr::null_mut()
}
