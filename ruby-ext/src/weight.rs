//! What native objects take, told to Ruby's garbage collector, to which they are small: it would let many of
//! them lie.

use magnus::Ruby;

/// Some bytes that the collector counts as long as this is there.
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
