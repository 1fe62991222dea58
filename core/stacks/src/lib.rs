//! Stacks other than that of the calling thread. Work on such a stack stays on its thread, so that its memory
//! counts for the thread, and a switch costs no more than a call.

#![forbid(unsafe_code)]
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

mod deep;
mod room;

pub use deep::DeepStacks;
pub use room::{Limit, at_beginning, further_stack, is_short, new_stack};

use bunraku_syntax::Stacks;
use corosensei::on_stack;
use corosensei::stack::DefaultStack;

/// Where the parser and the validator continue during a compilation.
pub const COROUTINES: Stacks = Stacks::new(|size, work| {
    let mut stack = DefaultStack::new(size)?;
    on_stack(&mut stack, || Limit::NONE.during(work));
    Ok(())
});
