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
    /// Above this the allocator is asked to return free memory to the system.
    half: isize,
}

/// Above half of the limit, the allocator is asked to return memory each time the thread has this part of the
/// limit more or less, at least [`PART`] bytes.
const PARTS: u64 = 16;
const PART: u64 = 16 << 20;

impl Ledger {
    /// Allows this number of bytes in addition to the thread's current count, or any number.
    pub fn new(limit: Option<u64>) -> Self {
        let allowed = limit.and_then(|limit| isize::try_from(limit).ok());
        let beyond = |allowed: Option<isize>| allowed.map_or(isize::MAX, |more| live().saturating_add(more));
        let half = allowed.map(|allowed| allowed / 2);
        Self { limit: limit.unwrap_or(u64::MAX), until: beyond(allowed), half: beyond(half) }
    }

    /// Checks whether this number of bytes can be allocated.
    ///
    /// # Errors
    /// They would be too many, or the count is already too large.
    #[inline]
    pub fn check(&self, more: usize) -> Result<(), Error> {
        let more = isize::try_from(more).unwrap_or(isize::MAX);
        let live = live();
        if live.saturating_add(more) > self.until {
            return Err(self.exhausted());
        }
        if live > self.half {
            self.return_unused();
        }
        Ok(())
    }

    /// Keeps what the process takes near what is in use.
    #[cold]
    fn return_unused(&self) {
        bunraku_allocator::want_returned(
            usize::try_from((self.limit / PARTS).max(PART)).unwrap_or(usize::MAX),
        );
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
