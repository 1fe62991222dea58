//! An allocator that counts, for each thread, the bytes that it has taken and not given back.
//!
//! [`Counting`] stands before another allocator. The crate `bunraku-global-allocator` makes it the allocator of
//! a program, before the system's or mimalloc. A program that has an allocator of its own leaves that crate out
//! and puts `Counting` before it:
//!
//! ```
//! use bunraku_allocator::Counting;
//! #[global_allocator]
//! static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);
//! ```
//!
//! What one thread takes and another gives back is counted as that: what a thread has may become less than
//! nothing. Differences on one thread tell what work on it has kept.

#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::hint::black_box;

/// What is counted for each allocation beside its size: about what an allocator needs to keep it.
const OVERHEAD: usize = 16;

/// From this size on, whether an allocation has failed is looked at before it is counted. A smaller one fails
/// only when the system has no memory left, which ends the process.
const LARGE: usize = 1 << 20;

struct Counts {
    live: Cell<isize>,
    #[cfg(feature = "peak")]
    peak: Cell<isize>,
}

thread_local! {
    // Made at compile time and with nothing to drop: it can be used in an allocator, and as long as the
    // thread lives.
    static COUNTS: Counts = const {
        Counts {
            live: Cell::new(0),
            #[cfg(feature = "peak")]
            peak: Cell::new(0),
        }
    };
}

#[inline]
fn take(bytes: usize) {
    COUNTS.with(|counts| {
        let live = counts.live.get().wrapping_add_unsigned(bytes);
        counts.live.set(live);
        #[cfg(feature = "peak")]
        if live > counts.peak.get() {
            counts.peak.set(live);
        }
    });
}

#[inline]
fn give_back(bytes: usize) {
    COUNTS.with(|counts| counts.live.set(counts.live.get().wrapping_sub_unsigned(bytes)));
}

/// About how many bytes the calling thread has taken and not given back; 0 where no [`Counting`] allocator is
/// installed.
#[inline]
pub fn live() -> isize {
    COUNTS.with(|counts| counts.live.get())
}

/// The most that [`live`] has been on the calling thread since [`reset_peak`].
#[cfg(feature = "peak")]
pub fn peak() -> isize {
    COUNTS.with(|counts| counts.peak.get())
}

/// Begins anew to look for the most that the calling thread has.
#[cfg(feature = "peak")]
pub fn reset_peak() {
    COUNTS.with(|counts| counts.peak.set(counts.live.get()));
}

/// Whether the program's allocator counts.
pub fn is_counting() -> bool {
    let before = live();
    let taken = black_box(Box::new(0_u64));
    let is_counted = live() != before;
    drop(taken);
    is_counted
}

/// An allocator that counts what another one is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting<A>(pub A);

// SAFETY: all is handed to the other allocator as it came, and what that one answers is handed back.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE {
            // Counted first, so that nothing is left to do when the other allocator returns.
            take(layout.size() + OVERHEAD);
            // SAFETY: the caller keeps the rules of `alloc`.
            return unsafe { self.0.alloc(layout) };
        }
        // SAFETY: as above.
        let pointer = unsafe { self.0.alloc(layout) };
        if !pointer.is_null() {
            take(layout.size() + OVERHEAD);
        }
        pointer
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size() + OVERHEAD);
        // SAFETY: the caller keeps the rules of `dealloc`.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `alloc_zeroed`.
        let pointer = unsafe { self.0.alloc_zeroed(layout) };
        if !pointer.is_null() {
            take(layout.size() + OVERHEAD);
        }
        pointer
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the rules of `realloc`.
        let moved = unsafe { self.0.realloc(pointer, layout, size) };
        if !moved.is_null() {
            give_back(layout.size());
            take(size);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);

    #[test]
    fn what_is_taken_is_counted_until_it_is_given_back() {
        assert!(is_counting());
        let before = live();
        #[cfg(feature = "peak")]
        reset_peak();
        let mut bytes = Vec::<u8>::with_capacity(1000);
        assert_eq!(live() - before, 1016);
        bytes.reserve_exact(5000);
        assert_eq!(live() - before, 5016);
        bytes.extend([0; 10]);
        bytes.shrink_to_fit();
        assert_eq!(live() - before, 26);
        drop(black_box(bytes));
        drop(black_box(vec![0_u8; 300]));
        assert_eq!(live(), before);
        #[cfg(feature = "peak")]
        assert_eq!(peak() - before, 5016);
    }

    #[test]
    fn each_thread_has_its_own_count() {
        let before = live();
        let bytes = std::thread::spawn(|| {
            let before = live();
            let bytes = vec![0_u8; 1 << 20];
            assert!(live() - before >= 1 << 20);
            bytes
        });
        let bytes = bytes.join().expect("the thread ends");
        assert!(live() - before < 1 << 20);
        drop(bytes);
        assert!(live() - before < -(1 << 19));
    }
}
