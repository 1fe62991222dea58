//! Ending a compilation from outside.

use bunraku_core::eval::limits::Cancel;

use crate::boundary::{free, guard_or};

/// A switch that ends compilations from another thread, or from the handler of a signal.
pub struct bunraku_cancel {
    pub(crate) switch: Cancel,
}

/// A switch that nobody has set, for the functions whose names end in _cancellable.
///
/// @return the switch, to be freed with bunraku_cancel_free; NULL when there is no memory for it
#[unsafe(no_mangle)]
pub extern "C" fn bunraku_cancel_new() -> *mut bunraku_cancel {
    guard_or(std::ptr::null_mut(), || Box::into_raw(Box::new(bunraku_cancel { switch: Cancel::new() })))
}

/// Ends the compilations that were given this switch, and those that will be. They fail within a few thousand steps, with the
/// place where they were. Does no more than write a flag: any thread may call it, and the handler of a signal.
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
