//! A panic becomes an [`Error`] of the kind [`Bug`](ErrorKind::Bug).
//!
//! [`guarded`] is the boundary. Inside it a panic says nothing on the process's standard error: the hook for
//! panics belongs to the whole process, so the one that is put there on first use looks whether the thread
//! that panics is inside the boundary, and leaves all other panics to the hook that was there before. This is
//! the only state of a thread that the core has.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io;
use std::panic::{
    AssertUnwindSafe, Location, PanicHookInfo, catch_unwind, resume_unwind, set_hook, take_hook,
};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::{Error, ErrorKind};

thread_local! {
    /// How many boundaries are around what this thread does.
    static BOUNDARIES: Cell<u32> = const { Cell::new(0) };
    /// Where the last panic inside a boundary was.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// One boundary, for as long as it lives.
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

/// Does something that must not panic, and gives an error when it does. Locks of the library stay usable;
/// what the work itself was changing is to be thrown away.
///
/// Panics inside say nothing on standard error; the process's hook for panics is called for all others as
/// before. (A hook that the program installs later is called for these, too.)
///
/// # Errors
/// The work panicked: an error of the kind [`Bug`](ErrorKind::Bug) that tells where.
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

/// Does some work on a thread of its own with a stack of so many bytes, and waits for it. A panic there is
/// one here: the boundaries around this thread are around that one, too.
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

/// The error that a panic is. Its message is told only when it is the same for all inputs: others may show a
/// value, which may be a secret.
fn error(panic: &(dyn Any + Send)) -> Error {
    let message = panic.downcast_ref::<&'static str>().map(|message| format!(": {message}"));
    let place = PLACE.take().map(|place| format!(" at {place}"));
    let (message, place) = (message.unwrap_or_default(), place.unwrap_or_default());
    let text = format!("bunraku has a bug{place}{message} (please report it with what was compiled)");
    Error { kind: ErrorKind::Bug, is_final: true, ..Error::plain(text) }
}

/// Holds a lock. One that was held when something panicked is as good as any: what stands behind the locks of
/// the library is changed by one call of a collection, or not at all.
pub fn locked<T: ?Sized>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds a lock to read, as [`locked`].
pub fn reading<T: ?Sized>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Holds a lock to write, as [`locked`].
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
