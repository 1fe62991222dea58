//! The remaining space of the stack that a compilation runs on.
//!
//! A deep stack reserves address space: 192 MiB for each of many threads is more than some processes are
//! allowed. So stacks are small, and deep nesting continues on a further one.

use std::cell::Cell;

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

use bunraku_syntax::diagnostic::Error;

/// The size of a deep stack in bytes (reserved, not used up front). Without optimisation, frames are several
/// times as large.
pub const STACK_SIZE: usize = if cfg!(debug_assertions) { 160 << 20 } else { 48 << 20 };

/// The reserve of a stack for what happens between two checks of [`is_short`].
const RESERVE: usize = STACK_SIZE / 3;

/// The maximum number of further stacks of a thread at a time.
const MAX_FURTHER: usize = 7;

/// The address at which the current stack is short.
///
/// It belongs to the thread. Code that changes stacks without [`further_stack`] declares this with
/// [`during`](Self::during).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(usize);

thread_local! {
    static LIMIT: Cell<Limit> = const { Cell::new(Limit::NONE) };
    /// The number of further stacks in use.
    static FURTHER: Cell<usize> = const { Cell::new(0) };
}

impl Limit {
    /// The limit of a stack of unknown size, such as a host's during a callback.
    pub const NONE: Self = Self(0);

    /// Runs work with this limit. Afterwards, even after a panic, the previous limit applies again.
    pub fn during<T>(self, work: impl FnOnce() -> T) -> T {
        struct Around(Limit);
        impl Drop for Around {
            fn drop(&mut self) {
                LIMIT.set(self.0);
            }
        }
        let _around = Around(LIMIT.replace(self));
        work()
    }
}

/// Whether a [`further_stack`] is needed. Recursion that can become deep checks this periodically.
#[inline]
pub fn is_short() -> bool {
    here() < LIMIT.get().0
}

/// Runs work at the beginning of a stack from [`new_stack`].
pub fn at_beginning<T>(work: impl FnOnce() -> T) -> T {
    Limit(here().saturating_sub(STACK_SIZE - RESERVE)).during(work)
}

/// Runs work on a further stack of the calling thread.
///
/// # Errors
/// Memory for it is exhausted, or the thread uses the maximum number: the work is nested too deep.
#[cold]
#[inline(never)]
pub fn further_stack<T>(work: impl FnOnce() -> T) -> Result<T, Error> {
    struct InUse;
    impl Drop for InUse {
        fn drop(&mut self) {
            FURTHER.set(FURTHER.get().saturating_sub(1));
        }
    }
    if FURTHER.get() >= MAX_FURTHER {
        let size = (STACK_SIZE * (MAX_FURTHER + 1)) >> 20;
        return Err(Error::limit(format!("Expressions and calls nest too deep for {size} MiB of stack")));
    }
    let mut stack = new_stack()?;
    FURTHER.set(FURTHER.get() + 1);
    let _in_use = InUse;
    Ok(on_stack(&mut stack, || at_beginning(work)))
}

/// Makes a deep stack.
///
/// # Errors
/// Memory for it is exhausted.
pub fn new_stack() -> Result<DefaultStack, Error> {
    DefaultStack::new(STACK_SIZE).map_err(|error| Error::io(format!("no stack to compile on: {error}")))
}

/// The approximate address of the stack's end.
#[inline]
fn here() -> usize {
    let mark = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&mark)).addr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(levels: u32) -> u32 {
        let frame = std::hint::black_box([levels; 1024]);
        match levels {
            0 => 0,
            _ if is_short() => further_stack(|| depth(levels - 1)).unwrap() + 1,
            _ => depth(frame[1] - 1) + 1,
        }
    }

    #[test]
    fn what_nests_deep_goes_on_upon_further_stacks() {
        let levels = u32::try_from(STACK_SIZE / 2048).unwrap();
        assert_eq!(further_stack(|| depth(levels)).unwrap(), levels);
        assert!(!is_short());
    }

    #[test]
    fn what_nests_without_end_is_refused() {
        fn endless(levels: u32) -> Result<u32, Error> {
            let frame = std::hint::black_box([levels; 1024]);
            if is_short() { further_stack(|| endless(levels))? } else { endless(frame[1] + 1) }
        }
        let error = further_stack(|| endless(0)).unwrap().unwrap_err();
        assert_eq!(error.kind, bunraku_syntax::diagnostic::ErrorKind::Limit);
        assert_eq!(FURTHER.get(), 0);
    }

    #[test]
    fn a_panic_on_a_further_stack_leaves_the_limit_as_it_was() {
        let before = LIMIT.get();
        let panic = std::panic::catch_unwind(|| further_stack(|| panic!("on purpose")));
        assert!(panic.is_err());
        assert_eq!(LIMIT.get(), before);
    }
}
