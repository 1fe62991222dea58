//! An allocator that counts, for each thread, the allocated bytes that have not been freed.
//!
//! [`Counting`] wraps another allocator. The crate `bunraku-global-allocator` makes it the allocator of a
//! program, around the system's or mimalloc. A program with its own allocator leaves out that crate and wraps
//! its allocator in `Counting`:
//!
//! ```
//! use bunraku_allocator::Counting;
//! #[global_allocator]
//! static ALLOCATOR: Counting<std::alloc::System> = Counting(std::alloc::System);
//! ```
//!
//! Each operation counts for the thread that performs it: if other threads free what a thread has allocated,
//! its count can become negative. The difference of two counts on one thread is what the work between them
//! has kept.

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

/// The number of bytes that are counted for each allocation in addition to its size: about the overhead of an
/// allocator.
const OVERHEAD: usize = 16;

/// From this size on, an allocation is large: it is not counted if it fails, and memory is returned before it
/// if that is wanted. A smaller allocation only fails when the system has no memory left, which ends the
/// process.
pub const LARGE: usize = 1 << 20;

struct Counts {
    live: Cell<isize>,
    /// `live` at the last request to return memory.
    returned: Cell<isize>,
    /// Whether that request is still open.
    wanted: Cell<bool>,
    #[cfg(feature = "peak")]
    peak: Cell<isize>,
}

thread_local! {
    // Initialized at compile time and without a destructor: it can be used in an allocator, and as long as
    // the thread lives.
    static COUNTS: Counts = const {
        Counts {
            live: Cell::new(0),
            returned: Cell::new(0),
            wanted: Cell::new(false),
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

/// The approximate number of bytes that the calling thread has allocated and not freed; 0 if no [`Counting`]
/// allocator is installed.
#[inline]
pub fn live() -> isize {
    COUNTS.with(|counts| counts.live.get())
}

/// Asks the allocator to return free memory to the system, if the calling thread has at least `step` bytes
/// more or less than at the last request.
///
/// Allocators keep freed memory, so a process whose threads have much may take half as much again. An
/// allocator that can return it checks [`is_return_wanted`] before large allocations.
pub fn want_returned(step: usize) {
    COUNTS.with(|counts| {
        let live = counts.live.get();
        if live.abs_diff(counts.returned.get()) >= step {
            counts.returned.set(live);
            counts.wanted.set(true);
        }
    });
}

/// Whether [`want_returned`] made a request on the calling thread since the last call of this function.
#[inline]
pub fn is_return_wanted() -> bool {
    COUNTS.with(|counts| counts.wanted.replace(false))
}

/// The maximum of [`live`] on the calling thread since [`reset_peak`].
#[cfg(feature = "peak")]
pub fn peak() -> isize {
    COUNTS.with(|counts| counts.peak.get())
}

/// Restarts the maximum of the calling thread at its current count.
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

/// An allocator that counts the requests to another one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counting<A>(pub A);

// SAFETY: all calls are passed to the other allocator unchanged, and its results are returned.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() < LARGE {
            // Counted first, so that the call of the other allocator is a tail call.
            take(layout.size() + OVERHEAD);
            // SAFETY: the caller upholds the contract of `alloc`.
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
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { self.0.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        let pointer = unsafe { self.0.alloc_zeroed(layout) };
        if !pointer.is_null() {
            take(layout.size() + OVERHEAD);
        }
        pointer
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `realloc`.
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
    fn memory_is_wanted_back_when_much_has_changed() {
        want_returned(1 << 20);
        is_return_wanted();
        let bytes = vec![0_u8; 2 << 20];
        want_returned(4 << 20);
        assert!(!is_return_wanted());
        want_returned(1 << 20);
        assert!(is_return_wanted() && !is_return_wanted());
        want_returned(1 << 20);
        assert!(!is_return_wanted());
        drop(black_box(bytes));
        want_returned(1 << 20);
        assert!(is_return_wanted());
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
