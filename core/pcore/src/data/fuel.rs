//! Limits of long work: whether it can continue, and whether a result is too large.

use std::cell::Cell;

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// The number of bytes of a value that count as one step when it is read or made.
pub const BYTES_IN_STEP: u64 = 1 << 10;

/// Limits long work. The evaluator's implementation is `bunraku_engine::eval::limits::Usage`.
pub trait Fuel {
    /// Counts steps of the work.
    ///
    /// # Errors
    /// A limit was exceeded, or the compilation was cancelled.
    fn charge(&self, steps: u64) -> Result<(), Error>;

    /// Checks the size of a result in bytes.
    ///
    /// # Errors
    /// It is too large.
    fn check_size(&self, bytes: usize) -> Result<(), Error>;
}

/// The size of the pieces of a text that is read character by character.
const PIECE: usize = 64 << 10;

/// A text in pieces of whole characters, each of them charged before it is given: for loops that take longer
/// with each byte than a copy does.
pub fn pieces<'t>(text: &'t str, fuel: &'t dyn Fuel) -> impl Iterator<Item = Result<&'t str, Error>> + 't {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        // A character has at most four bytes.
        let end = (PIECE..PIECE + 4).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(fuel.charge(piece.len() as u64 / BYTES_IN_STEP).map(|()| piece))
    })
}

/// No limits: for work that is bounded by its input.
#[derive(Clone, Copy, Debug)]
pub struct Unmetered;

impl Fuel for Unmetered {
    fn charge(&self, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn check_size(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// Checks the watch at each step.
impl Fuel for Watch<'_> {
    fn charge(&self, _: u64) -> Result<(), Error> {
        self.check()
    }

    fn check_size(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// A fixed number of steps, for work outside of compilations.
#[derive(Debug)]
pub struct BoundedFuel {
    left: Cell<u64>,
}

impl BoundedFuel {
    /// The number of steps: about half a second.
    const STEPS: u64 = 1 << 24;
    /// The maximum size of a result in bytes.
    const SIZE: usize = 1 << 27;
}

impl BoundedFuel {
    /// A limit of this number of steps.
    pub const fn to(steps: u64) -> Self {
        Self { left: Cell::new(steps) }
    }
}

impl Default for BoundedFuel {
    fn default() -> Self {
        Self { left: Cell::new(Self::STEPS) }
    }
}

impl Fuel for BoundedFuel {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        left.map(drop).ok_or_else(|| Error::limit("This takes too long"))
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        if bytes > Self::SIZE { Err(Error::limit("This takes too much memory")) } else { Ok(()) }
    }
}
