//! What long work asks as it goes on: whether it may, and whether what it makes has become too great.

use crate::diagnostic::Error;

/// Watches over long work. The evaluator's is [`Usage`](crate::eval::limits::Usage).
pub trait Meter {
    /// Counts steps of the work.
    ///
    /// # Errors
    /// A limit was run over, or somebody has cancelled the compilation.
    fn work(&self, steps: u64) -> Result<(), Error>;

    /// Refuses to make something of so many bytes.
    ///
    /// # Errors
    /// It is too great.
    fn check_size(&self, bytes: usize) -> Result<(), Error>;
}

/// Watches over nothing: for work that its input keeps small.
#[derive(Clone, Copy, Debug)]
pub struct Unmetered;

impl Meter for Unmetered {
    fn work(&self, _: u64) -> Result<(), Error> {
        Ok(())
    }

    fn check_size(&self, _: usize) -> Result<(), Error> {
        Ok(())
    }
}
