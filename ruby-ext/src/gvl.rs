//! Long work without Ruby's global lock, so that other Ruby threads run meanwhile.
//!
//! Ruby's own functions for this may leave by a jump when the thread is interrupted, over frames of Rust.
//! Here they never do: interruptions are seen before and after, and arrive as an [`Error`].

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use magnus::Error;

/// What travels through Ruby's C function: the work, and then its result.
struct Task<F, T> {
    work: Option<F>,
    result: Option<Result<T, Box<dyn Any + Send>>>,
}

/// Does something without the GVL. The work must not touch Ruby.
///
/// # Errors
/// The thread was interrupted before or while the work was done, and that raises.
pub(crate) fn without<F: FnOnce() -> T + Send, T: Send>(work: F) -> Result<T, Error> {
    let interrupted = AtomicBool::new(false);
    let mut work = Some(work);
    let result = loop {
        let mut once = || work.take().map(|work| work());
        if let Some(Some(result)) = try_without(&mut once, &interrupted) {
            break result;
        }
        check_interrupts()?;
    };
    if interrupted.load(Ordering::Relaxed) {
        check_interrupts()?;
    }
    Ok(result)
}

/// Does something without the GVL, unless the thread is interrupted before it begins. `interrupted` is set
/// when it is interrupted later. The work must not touch Ruby.
pub(crate) fn try_without<F: FnOnce() -> T, T>(work: F, interrupted: &AtomicBool) -> Option<T> {
    let mut task = Task { work: Some(work), result: None };
    // The first flag: return when interrupted before the work, and raise nothing behind it. The second:
    // `interrupt` may be called from the handler of a signal; otherwise Ruby would start a thread for it each
    // time.
    let flags = rb_sys::RB_NOGVL_INTR_FAIL | rb_sys::RB_NOGVL_UBF_ASYNC_SAFE;
    // SAFETY: `run` gets the address of `task`, and `interrupt` that of the flag; both outlive the call.
    unsafe {
        rb_sys::rb_nogvl(
            Some(run::<F, T>),
            (&raw mut task).cast(),
            Some(interrupt),
            (&raw const *interrupted).cast_mut().cast(),
            flags as c_int,
        );
    }
    match task.result? {
        Ok(result) => Some(result),
        Err(panic) => resume_unwind(panic),
    }
}

/// Does what waits for this thread: signal handlers, `Thread#raise`, `Thread#kill`, `Timeout`.
///
/// # Errors
/// What that raises.
pub(crate) fn check_interrupts() -> Result<(), Error> {
    magnus::rb_sys::protect(|| {
        // SAFETY: the GVL is held; what it raises is caught around this.
        unsafe { rb_sys::rb_thread_check_ints() };
        rb_sys::Qnil.into()
    })
    .map(drop)
}

unsafe extern "C" fn run<F: FnOnce() -> T, T>(task: *mut c_void) -> *mut c_void {
    // SAFETY: `try_without` puts the address of a `Task<F, T>` there and waits.
    let task = unsafe { &mut *task.cast::<Task<F, T>>() };
    if let Some(work) = task.work.take() {
        task.result = Some(catch_unwind(AssertUnwindSafe(work)));
    }
    std::ptr::null_mut()
}

/// Called by another thread, or by the handler of a signal, when the thread that works shall look up.
unsafe extern "C" fn interrupt(flag: *mut c_void) {
    // SAFETY: `try_without` puts the address of an `AtomicBool` there and waits.
    unsafe { &*flag.cast::<AtomicBool>() }.store(true, Ordering::Relaxed);
}
