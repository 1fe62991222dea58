//! Checks that can cancel the reading of texts.

use std::fmt;
use std::sync::OnceLock;

use crate::diagnostic::Error;
use crate::source::Location;

/// The number of bytes of a text between two checks of the parser.
pub const BYTES_BETWEEN_LOOKS: usize = 16 << 10;
/// The number of nodes between two checks of the validator.
pub(crate) const NODES_BETWEEN_LOOKS: usize = 4 << 10;

/// Decides whether work can continue. Deeply nested input can be read on another thread, which then calls
/// this.
pub trait Check: Sync {
    /// Whether work can continue.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn check(&self) -> Result<(), Error>;

    /// Whether work can continue and take this number of bytes of memory at once.
    ///
    /// # Errors
    /// The reason why it cannot.
    fn check_room(&self, bytes: usize) -> Result<(), Error> {
        let _ = bytes;
        self.check()
    }
}

impl<F: Fn() -> Result<(), Error> + Sync> Check for F {
    fn check(&self) -> Result<(), Error> {
        self()
    }
}

/// Never ends the work.
#[derive(Clone, Copy, Debug)]
pub struct Never;

impl Check for Never {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Check for Watch<'_> {
    fn check(&self) -> Result<(), Error> {
        Watch::check(self)
    }

    fn check_room(&self, bytes: usize) -> Result<(), Error> {
        if self.may_take(bytes, Location::default) { Ok(()) } else { self.result() }
    }
}

/// Checks whether reading can continue: it can be cancelled, out of time, or out of memory.
///
/// A watch belongs to one piece of work, on one text or on many: after a check has failed, everything with
/// this watch ends.
pub struct Watch<'c> {
    check: &'c dyn Check,
    end: OnceLock<Box<Error>>,
}

impl<'c> Watch<'c> {
    /// Calls `check` after each [`BYTES_BETWEEN_LOOKS`] bytes; its failure ends the reading.
    pub const fn new(check: &'c dyn Check) -> Self {
        Self { check, end: OnceLock::new() }
    }

    /// Checks whether reading can continue. The failure gets this place.
    pub(crate) fn may_go_on(&self, place: impl FnOnce() -> Location) -> bool {
        self.may_take(0, place)
    }

    /// Checks whether reading can continue and take this number of bytes at once. The failure gets this
    /// place.
    pub(crate) fn may_take(&self, bytes: usize, place: impl FnOnce() -> Location) -> bool {
        if self.end.get().is_none()
            && let Err(mut error) = self.check.check_room(bytes)
        {
            if error.location.line.is_none() {
                error.location = place();
            }
            let _ = self.end.set(Box::new(error));
        }
        self.end.get().is_none()
    }

    /// Whether memory for this number of bytes at once is available. Reading can continue without it.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.check.check_room(bytes).is_ok()
    }

    /// Checks whether reading can continue. After a failure, it always fails.
    ///
    /// # Errors
    /// The reason why reading cannot continue.
    pub fn check(&self) -> Result<(), Error> {
        if self.may_go_on(Location::default) { Ok(()) } else { self.result() }
    }

    /// Whether reading was ended.
    pub fn is_over(&self) -> bool {
        self.end.get().is_some()
    }

    /// Whether reading was completed.
    ///
    /// # Errors
    /// The reason why it was not.
    pub fn result(&self) -> Result<(), Error> {
        self.end.get().map_or(Ok(()), |error| Err((**error).clone()))
    }
}

impl Default for Watch<'_> {
    /// Never ends the reading.
    fn default() -> Self {
        Self::new(&Never)
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Watch").field("end", &self.end).finish_non_exhaustive()
    }
}
