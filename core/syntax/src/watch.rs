//! What may end the reading of texts in the middle.

use std::fmt;
use std::sync::OnceLock;

use crate::diagnostic::Error;
use crate::source::Location;

/// After how many bytes of a text the parser asks whether it may go on.
pub const BYTES_BETWEEN_LOOKS: usize = 16 << 10;
/// After how many nodes the validator asks.
pub(crate) const NODES_BETWEEN_LOOKS: usize = 4 << 10;

/// Says whether work may go on. What nests deep may be read on another thread, which asks then.
pub trait Check: Sync {
    /// Whether work may go on.
    ///
    /// # Errors
    /// Why it may not.
    fn check(&self) -> Result<(), Error>;

    /// Whether it may go on and take so many bytes of memory more, at once.
    ///
    /// # Errors
    /// Why it may not.
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

/// Nobody ends the work.
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

/// Asks whether reading may go on: somebody may have cancelled it, time may be up, or memory used up.
///
/// It belongs to one piece of work, on one text or on many: once that was told to end, all that has the watch
/// ends.
pub struct Watch<'c> {
    check: &'c dyn Check,
    end: OnceLock<Box<Error>>,
}

impl<'c> Watch<'c> {
    /// Asks `check` after each [`BYTES_BETWEEN_LOOKS`] bytes; its failure ends the reading.
    pub const fn new(check: &'c dyn Check) -> Self {
        Self { check, end: OnceLock::new() }
    }

    /// Asks; whether reading may go on. The failure gets this place.
    pub(crate) fn may_go_on(&self, place: impl FnOnce() -> Location) -> bool {
        self.may_take(0, place)
    }

    /// Asks; whether reading may go on and take so many bytes at once. The failure gets this place.
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

    /// Whether there is memory for so many bytes at once. Reading may go on if there is not.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.check.check_room(bytes).is_ok()
    }

    /// Asks; once the answer was no, it stays no.
    ///
    /// # Errors
    /// Why reading may not go on.
    pub fn check(&self) -> Result<(), Error> {
        if self.may_go_on(Location::default) { Ok(()) } else { self.result() }
    }

    /// Whether reading was ended.
    pub fn is_over(&self) -> bool {
        self.end.get().is_some()
    }

    /// Whether reading went to its end.
    ///
    /// # Errors
    /// Why it did not.
    pub fn result(&self) -> Result<(), Error> {
        self.end.get().map_or(Ok(()), |error| Err((**error).clone()))
    }
}

impl Default for Watch<'_> {
    /// Nobody ends the reading.
    fn default() -> Self {
        Self::new(&Never)
    }
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Watch").field("end", &self.end).finish_non_exhaustive()
    }
}
