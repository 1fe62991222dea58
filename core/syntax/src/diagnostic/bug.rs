//! A panic becomes an [`Error`] of the kind [`Bug`](ErrorKind::Bug).
//!
//! [`guarded`] is the boundary. Inside it a panic prints nothing on standard error. The panic hook belongs to
//! the whole process, so the hook that is installed on first use checks whether the panicking thread is
//! inside the boundary, and passes all other panics to the previous hook. This is the only thread-local state
//! of this crate.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io;
use std::panic::{
    AssertUnwindSafe, Location, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook,
};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Error, ErrorKind};

thread_local! {
    /// The number of boundaries around the current work of this thread.
    static BOUNDARIES: Cell<u32> = const { Cell::new(0) };
    /// The place of the last panic inside a boundary.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A boundary, active as long as the value lives.
struct Boundary;

impl Boundary {
    fn enter() -> Self {
        let around = BOUNDARIES.get();
        if around == 0 {
            PLACE.take();
        }
        BOUNDARIES.set(around.saturating_add(1));
        Self
    }
}

impl Drop for Boundary {
    fn drop(&mut self) {
        BOUNDARIES.set(BOUNDARIES.get().saturating_sub(1));
    }
}

/// Runs work that must not panic, and returns an error if it does. The library's locks stay usable; data that
/// the work was changing must be discarded.
///
/// Panics inside print nothing on standard error. All others are passed to the process's panic hook as
/// before. (A hook that the program installs later also receives panics inside.)
///
/// # Errors
/// The work panicked: an error of the kind [`Bug`](ErrorKind::Bug) with the place.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| if BOUNDARIES.get() == 0 { before(panic) } else { note(panic) }));
    });
    let boundary = Boundary::enter();
    let result = catch_unwind(AssertUnwindSafe(work));
    drop(boundary);
    result.map_err(|panic| error(&*panic))
}

/// Runs work on a separate thread with a stack of this size in bytes, and waits for it. A panic there
/// continues here: the boundaries around this thread also apply to that one.
pub(crate) fn on_thread(size: usize, work: &mut (dyn FnMut() + Send)) -> io::Result<()> {
    let is_guarded = BOUNDARIES.get() > 0;
    let guarded = || {
        let boundary = is_guarded.then(Boundary::enter);
        let result = catch_unwind(AssertUnwindSafe(work));
        drop(boundary);
        result.map_err(|panic| (panic, PLACE.take()))
    };
    let result = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(size).spawn_scoped(scope, guarded)?;
        io::Result::Ok(thread.join())
    })?;
    match result {
        Ok(Ok(())) => Ok(()),
        Ok(Err((panic, place))) => {
            PLACE.set(place);
            resume_unwind(panic)
        }
        Err(panic) => resume_unwind(panic),
    }
}

fn note(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(Location::to_string);
    PLACE.set(place);
}

/// The error for a panic. It only includes the panic's message if that is the same for all inputs: other
/// messages can contain a value, which may be a secret.
fn error(panic: &(dyn Any + Send)) -> Error {
    let message = panic.downcast_ref::<&'static str>().map(|message| format!(": {message}"));
    let place = PLACE.take().map(|place| format!(" at {place}"));
    let (message, place) = (message.unwrap_or_default(), place.unwrap_or_default());
    let text = format!("bunraku has a bug{place}{message} (please report it with what was compiled)");
    Error { kind: ErrorKind::Bug, is_final: true, ..Error::plain(text) }
}

/// Holds a lock. A lock that was held during a panic stays usable: the data behind the library's locks is
/// changed by single calls of a collection, or not at all.
pub fn locked<T: ?Sized>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds a lock for reading, as [`locked`].
pub fn reading<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Holds a lock for writing, as [`locked`].
pub fn writing<T: ?Sized>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn a_panic_is_an_error_with_its_place_and_without_values() {
        let secret = "p4ss";
        let error = guarded(|| if secret.is_empty() { 1 } else { panic!("what {secret}") }).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Bug);
        assert!(error.message.contains("bug.rs:"), "{error}");
        assert!(!error.message.contains(secret), "{error}");
        let error = guarded(|| panic!("always the same")).map(|(): ()| ()).unwrap_err();
        assert!(error.message.contains("always the same"), "{error}");
        assert_eq!(guarded(|| 1).ok(), Some(1));
    }

    #[test]
    fn boundaries_nest_and_a_panic_on_its_way_keeps_its_place() {
        let outer = guarded(|| {
            assert!(guarded(|| panic!("inside")).map(|(): ()| ()).is_err());
            assert_eq!(BOUNDARIES.get(), 1);
            let caught = catch_unwind(|| panic!("on its way")).map(|(): ()| ());
            caught.unwrap_or_else(|panic| resume_unwind(panic));
        });
        assert!(outer.unwrap_err().message.contains("bug.rs:"));
        assert_eq!(BOUNDARIES.get(), 0);
    }
}
