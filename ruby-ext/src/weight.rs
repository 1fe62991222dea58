//! Reports the size of native objects to Ruby's garbage collector, to which they look small, so that it would
//! let many of them accumulate.

use magnus::Ruby;

/// A number of bytes that the collector counts as long as this value lives.
pub(crate) struct Weight(isize);

impl Weight {
    pub(crate) fn new(ruby: &Ruby, bytes: usize) -> Self {
        let bytes = isize::try_from(bytes).unwrap_or(isize::MAX);
        ruby.gc_adjust_memory_usage(bytes);
        Self(bytes)
    }
}

impl Drop for Weight {
    fn drop(&mut self) {
        if let Ok(ruby) = Ruby::get() {
            ruby.gc_adjust_memory_usage(-self.0);
        }
    }
}
