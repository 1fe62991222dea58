//! mimalloc that returns memory on request.

use std::alloc::{GlobalAlloc, Layout};

use bunraku_allocator::{LARGE, is_return_wanted};
use libmimalloc_sys::{mi_malloc, mi_realloc, mi_zalloc};
use mimalloc::MiMalloc;

/// mimalloc that returns free memory to the system before a large allocation, on request.
///
/// mimalloc alone returns memory only when memory near it is freed. What lists and texts leave behind when
/// they grow stays, and a thread with a gigabyte takes half as much again. Returning walks all pages of the
/// thread, some milliseconds for a gigabyte.
pub struct Returning;

#[inline]
fn before_taking(size: usize) {
    if size >= LARGE && is_return_wanted() {
        // SAFETY: any thread may call it, as long as it is in no other function of mimalloc.
        unsafe { libmimalloc_sys::mi_collect(true) }
    }
}

/// The alignment that mimalloc gives everything that is as large.
const NATURAL: usize = 16;

/// Whether mimalloc aligns an allocation of this size without being asked for the alignment, which takes a
/// third of the instructions: its own condition (`mi_malloc_is_naturally_aligned`).
#[inline]
const fn is_natural(align: usize, size: usize) -> bool {
    align <= NATURAL && align <= size
}

// SAFETY: every call goes to mimalloc with the same size, and with the alignment unless that is natural, and
// its result is returned.
unsafe impl GlobalAlloc for Returning {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        before_taking(layout.size());
        if is_natural(layout.align(), layout.size()) {
            // SAFETY: any size may be asked for.
            return unsafe { mi_malloc(layout.size()) }.cast();
        }
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { MiMalloc.alloc(layout) }
    }

    #[inline]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the rules of `dealloc`.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        before_taking(layout.size());
        if is_natural(layout.align(), layout.size()) {
            // SAFETY: any size may be asked for.
            return unsafe { mi_zalloc(layout.size()) }.cast();
        }
        // SAFETY: the caller keeps the rules of `alloc_zeroed`.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    #[inline]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        before_taking(size);
        if is_natural(layout.align(), size) {
            // SAFETY: the pointer is one of mimalloc's, as all that this allocator returns.
            return unsafe { mi_realloc(pointer.cast(), size) }.cast();
        }
        // SAFETY: the caller keeps the rules of `realloc`.
        unsafe { MiMalloc.realloc(pointer, layout, size) }
    }
}
