//! What long work asks as it goes on: whether it may, and whether what it makes has become too great.

use std::cell::Cell;

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// How many bytes of a value count as one step for whoever reads or makes it.
pub const BYTES_IN_STEP: u64 = 1 << 10;

/// Watches over long work. The evaluator's is `bunraku_engine::eval::limits::Usage`.
pub trait Fuel {
    /// Counts steps of the work.
    ///
    /// # Errors
    /// A limit was run over, or somebody has cancelled the compilation.
    fn charge(&self, steps: u64) -> Result<(), Error>;

    /// Refuses to make something of so many bytes.
    ///
    /// # Errors
    /// It is too great.
    fn check_size(&self, bytes: usize) -> Result<(), Error>;
}

/// Watches over nothing: for work that its input keeps small.
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

/// Asks at each step, whatever it is.
impl Fuel for Watch<'_> {
    fn charge(&self, _: u64) -> Result<(), Error> {
        self.check()
    }

    fn check_size(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}

/// Watches over work that no compilation watches over: so many steps are enough for anything.
#[derive(Debug)]
pub struct BoundedFuel {
    left: Cell<u64>,
}

impl BoundedFuel {
    /// How many steps: about half a second's.
    const STEPS: u64 = 1 << 24;
    /// How great anything may be, in bytes.
    const SIZE: usize = 1 << 27;
}

impl BoundedFuel {
    /// So many steps, and no more.
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
