//! Stack space of the parser. The caller's stack can be small (threads of Ruby and of C), and manifests can
//! be deeply nested: when the parser has used up the space that every thread has, it continues on another
//! stack.

use super::{Parsed, Parser};
use crate::stack::Stacks;

/// The number of bytes of the caller's stack that are used before another stack. One more level of nesting,
/// and code outside of the parser, must fit into the rest.
const OF_CALLER: usize = 16 << 10;

/// The size of a stack, in bytes (reserved, not used up front).
const SIZE: usize = 16 << 20;

/// The reserve of our own stacks for what happens between two checks.
const RESERVE: usize = 1 << 20;

/// The usable part of the current stack.
pub(super) struct Room {
    /// Its start address.
    base: usize,
    size: usize,
    /// The further stacks.
    stacks: Stacks,
}

impl Room {
    /// The stack of a caller at this point.
    pub(super) fn of_caller(stacks: Stacks) -> Self {
        Self { base: here(), size: OF_CALLER, stacks }
    }

    #[inline]
    pub(super) fn is_left(&self) -> bool {
        here().abs_diff(self.base) < self.size
    }
}

/// The approximate address of the stack's end.
#[inline]
fn here() -> usize {
    let mark = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&mark)).addr()
}

impl Parser<'_, '_> {
    /// Parses something on another stack.
    #[cold]
    #[inline(never)]
    pub(super) fn on_another_stack<T: Send>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Parsed<T> + Send,
    ) -> Parsed<T> {
        let around = (self.state.room.base, self.state.room.size);
        let stacks = self.state.room.stacks;
        let result = stacks.run(SIZE, || {
            (self.state.room.base, self.state.room.size) = (here(), SIZE - RESERVE);
            read(self)
        });
        (self.state.room.base, self.state.room.size) = around;
        result.unwrap_or_else(|_| Err(self.fail_at("there is no stack to parse on", self.token.span)))
    }
}
