//! The limit of a compilation's memory at one time.
//!
//! Memory is counted where it is allocated and freed: by the program's allocator, thread by thread
//! (`bunraku-allocator`, whose functions and types are public here). A compilation belongs to one thread, so
//! what its thread has allocated since the compilation began is the compilation's: texts, collections, types,
//! resources, programs, the data of the Ruby interpreter, and everything in progress. What the environment
//! keeps of it (programs, data files, constants) counts for the compilation that made it, and for no later
//! one.
//!
//! A program has such an allocator with the feature `allocator`, which is on by default. One with its own
//! allocator disables the feature and wraps the allocator in [`Counting`]; without that nothing is counted or
//! limited ([`is_counting`] returns false).

pub use bunraku_allocator::{Counting, is_counting, live};

use bunraku_syntax::diagnostic::Error;

/// The memory of a compilation. It belongs to the thread that made it; other threads are not counted.
#[derive(Clone, Copy, Debug)]
pub struct Ledger {
    limit: u64,
    /// The maximum count of the thread.
    until: isize,
}

impl Ledger {
    /// Allows this number of bytes in addition to the thread's current count, or any number.
    pub fn new(limit: Option<u64>) -> Self {
        let allowed = limit.and_then(|limit| isize::try_from(limit).ok());
        let until = allowed.map_or(isize::MAX, |allowed| live().saturating_add(allowed));
        Self { limit: limit.unwrap_or(u64::MAX), until }
    }

    /// Checks whether this number of bytes can be allocated.
    ///
    /// # Errors
    /// They would be too many, or the count is already too large.
    #[inline]
    pub fn check(&self, more: usize) -> Result<(), Error> {
        let more = isize::try_from(more).unwrap_or(isize::MAX);
        if live().saturating_add(more) > self.until { Err(self.exhausted()) } else { Ok(()) }
    }

    #[cold]
    fn exhausted(&self) -> Error {
        Error::limit(format!("The compilation takes more than {} bytes of memory", self.limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let ledger = Ledger::new(Some(10_000));
        for _ in 0..3 {
            assert!(ledger.check(5_000).is_ok());
            let bytes = std::hint::black_box(vec![0_u8; 6_000]);
            assert!(ledger.check(0).is_ok());
            let error = ledger.check(5_000).expect_err("it is too much");
            assert_eq!(error.message, "The compilation takes more than 10000 bytes of memory");
            drop(bytes);
        }
        assert!(ledger.check(usize::MAX).is_err());
        assert!(Ledger::new(None).check(usize::MAX).is_ok());
    }
}
