//! Room on the stack. Who parses may have little of it (threads of Ruby and of C), and manifests may nest
//! deep: when the parser has used up what anybody has, it goes on upon a stack of its own.

use super::{Parsed, Parser};
use crate::stack::Stacks;

/// How many bytes of the caller's stack are used before there is another one. A nesting more, and what is
/// beyond the parser, must fit into the rest.
const OF_CALLER: usize = 16 << 10;

/// The size of a stack, in bytes (reserved, not used up front).
const SIZE: usize = 16 << 20;

/// What is left of a stack of our own for what goes on between two looks.
const RESERVE: usize = 1 << 20;

/// How much of the stack at hand may be used.
pub(super) struct Room {
    /// The address where it begins.
    base: usize,
    size: usize,
    /// What there is when it has been used up.
    stacks: Stacks,
}

impl Room {
    /// That of a caller who stands here.
    pub(super) fn of_caller(stacks: Stacks) -> Self {
        Self { base: here(), size: OF_CALLER, stacks }
    }

    #[inline]
    pub(super) fn is_left(&self) -> bool {
        here().abs_diff(self.base) < self.size
    }
}

/// The address of the stack's end, about.
#[inline]
fn here() -> usize {
    let mark = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&mark)).addr()
}

impl Parser<'_, '_> {
    /// Reads something on another stack.
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
