//! Long work without Ruby's global lock, so that other Ruby threads can run.
//!
//! Ruby's own functions for this may jump over frames of Rust when the thread is interrupted. Here they never
//! do: interruptions are checked before and after the work, and are returned as an [`Error`].

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use magnus::Error;

/// The data that passes through Ruby's C function: the work, and then its result.
struct Task<F, T> {
    work: Option<F>,
    result: Option<Result<T, Box<dyn Any + Send>>>,
}

/// Runs work without the GVL. The work must not use Ruby.
///
/// # Errors
/// An interruption of the thread before or during the work raises.
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

/// Runs work without the GVL, unless the thread is interrupted before it begins. A later interruption sets
/// `interrupted`. The work must not use Ruby.
pub(crate) fn try_without<F: FnOnce() -> T, T>(work: F, interrupted: &AtomicBool) -> Option<T> {
    let mut task = Task { work: Some(work), result: None };
    // The first flag: return if interrupted before the work, and raise nothing after it. The second: a signal
    // handler can call `interrupt`; otherwise Ruby would start a thread for it each time.
    let flags = rb_sys::RB_NOGVL_INTR_FAIL | rb_sys::RB_NOGVL_UBF_ASYNC_SAFE;
    // SAFETY: `run` receives the address of `task`, and `interrupt` that of the flag; both outlive the call.
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

/// Handles pending interruptions of this thread: signal handlers, `Thread#raise`, `Thread#kill`, `Timeout`.
///
/// # Errors
/// The exception that this raises.
pub(crate) fn check_interrupts() -> Result<(), Error> {
    magnus::rb_sys::protect(|| {
        // SAFETY: the GVL is held; an exception is caught around this.
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

/// Called by another thread or by a signal handler to interrupt the working thread.
unsafe extern "C" fn interrupt(flag: *mut c_void) {
    // SAFETY: `try_without` puts the address of an `AtomicBool` there and waits.
    unsafe { &*flag.cast::<AtomicBool>() }.store(true, Ordering::Relaxed);
}
