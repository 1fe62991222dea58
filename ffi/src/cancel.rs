//! Cancelling compilations and other long work from outside.

use std::cell::RefCell;

use bunraku_core::eval::limits::{Cancel, Usage};
use bunraku_core::host::disk::DiskHost;

use crate::boundary::{free, guard, guard_or};
use crate::error::bunraku_error;

thread_local! {
    /// The switch that cancels the work of this thread.
    static ATTACHED: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// The switch that cancels the work of this thread.
pub(crate) fn attached() -> Option<Cancel> {
    ATTACHED.with_borrow(Clone::clone)
}

/// The limits of work of this thread that is not a compilation.
pub(crate) fn watch() -> Usage<'static> {
    Usage::of_other_work(attached(), &DiskHost)
}

/// The limits of work of this thread that reads files of modules or untrusted input.
pub(crate) fn watch_reading() -> Usage<'static> {
    Usage::of_reading(attached(), &DiskHost)
}

/// A switch that cancels compilations from another thread or from a signal handler.
pub struct bunraku_cancel {
    pub(crate) switch: Cancel,
}

/// Makes a switch that is not set, for the functions that take one and for bunraku_cancel_attach.
///
/// @return the switch, to be freed with bunraku_cancel_free; NULL if memory is exhausted
#[unsafe(no_mangle)]
pub extern "C" fn bunraku_cancel_new() -> *mut bunraku_cancel {
    guard_or(std::ptr::null_mut(), || Box::into_raw(Box::new(bunraku_cancel { switch: Cancel::new() })))
}

/// Cancels all compilations that have been given this switch or will be. They fail within a few thousand
/// steps, at the place that they have reached. The function only writes a flag: any thread and any signal
/// handler can call it.
///
/// # Safety
/// `cancel` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_cancel_set(cancel: *const bunraku_cancel) {
    // SAFETY: by the contract of this function.
    if let Some(cancel) = unsafe { cancel.as_ref() } {
        cancel.switch.cancel();
    }
}

/// Lets a switch cancel the later work of the calling thread: compilations without a switch of their own,
/// parsing and validating programs, loading environments, writing and reading catalogs as documents
/// (bunraku_catalog_write, _read, _validate, _convert), origins, explanations, differences and drawings,
/// requests about modules and tasks, and requests to a classifier. The work fails as a cancelled compilation
/// does, with an error of the kind BUNRAKU_FAILURE_CANCELLED. Even without a switch, such work ends after 300
/// seconds of processor time. Work that reads files of modules or untrusted input can use 1 GiB of memory.
///
/// @param cancel  the switch, which may be freed before the work ends; NULL detaches the current switch
/// @return NULL on success
///
/// # Safety
/// `cancel` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_cancel_attach(cancel: *const bunraku_cancel) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let switch = unsafe { cancel.as_ref() }.map(|cancel| cancel.switch.clone());
        ATTACHED.set(switch);
        Ok(())
    })
}

/// Whether the switch is set.
///
/// # Safety
/// `cancel` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_cancel_is_set(cancel: *const bunraku_cancel) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { cancel.as_ref() }.is_some_and(|cancel| cancel.switch.is_cancelled())
}

/// Frees a switch. NULL is allowed. Compilations that use the switch continue.
///
/// # Safety
/// `cancel` is NULL or live, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_cancel_free(cancel: *mut bunraku_cancel) {
    // SAFETY: by the contract of this function.
    unsafe { free(cancel) }
}
