//! Ending compilations and other long work from outside.

use std::cell::RefCell;

use bunraku_core::eval::limits::{Cancel, Usage};
use bunraku_core::host::disk::DiskHost;

use crate::boundary::{free, guard, guard_or};
use crate::error::bunraku_error;

thread_local! {
    /// What ends the work of this thread.
    static ATTACHED: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// The switch that ends the work of this thread.
pub(crate) fn attached() -> Option<Cancel> {
    ATTACHED.with_borrow(Clone::clone)
}

/// Watches over work of this thread that is no compilation.
pub(crate) fn watch() -> Usage<'static> {
    Usage::of_other_work(attached(), &DiskHost)
}

/// Watches over work of this thread that reads files of modules, or what strangers send.
pub(crate) fn watch_reading() -> Usage<'static> {
    Usage::of_reading(attached(), &DiskHost)
}

/// A switch that ends compilations from another thread, or from the handler of a signal.
pub struct bunraku_cancel {
    pub(crate) switch: Cancel,
}

/// A switch that nobody has set, for the functions that take one and for bunraku_cancel_attach.
///
/// @return the switch, to be freed with bunraku_cancel_free; NULL when there is no memory for it
#[unsafe(no_mangle)]
pub extern "C" fn bunraku_cancel_new() -> *mut bunraku_cancel {
    guard_or(std::ptr::null_mut(), || Box::into_raw(Box::new(bunraku_cancel { switch: Cancel::new() })))
}

/// Ends the compilations that were given this switch, and those that will be. They fail within a few thousand
/// steps, with the place where they were. Does no more than write a flag: any thread may call it, and the
/// handler of a signal.
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

/// Lets a switch end what the calling thread does from now on: compilations that are not given another one,
/// programs that are parsed and validated, environments that are loaded, catalogs as documents
/// (bunraku_catalog_write, _read, _validate, _convert), origins, explanations, differences and drawings, what
/// is asked of modules and tasks, and requests to a classifier. They fail as cancelled compilations do, with
/// an error of the kind BUNRAKU_FAILURE_CANCELLED. Such work ends without a switch, too, after 300 seconds of the processor;
/// where it reads files of modules or what strangers send, it may have 1 GiB of memory.
///
/// @param cancel  the switch, which may be freed before the work is over; NULL: nothing ends the work of
///     this thread any more
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

/// Whether it was set.
///
/// # Safety
/// `cancel` is NULL or live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_cancel_is_set(cancel: *const bunraku_cancel) -> bool {
    // SAFETY: by the contract of this function.
    unsafe { cancel.as_ref() }.is_some_and(|cancel| cancel.switch.is_cancelled())
}

/// Frees a switch. NULL is allowed. Compilations that were given it go on.
///
/// # Safety
/// `cancel` is NULL or was not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_cancel_free(cancel: *mut bunraku_cancel) {
    // SAFETY: by the contract of this function.
    unsafe { free(cancel) }
}
