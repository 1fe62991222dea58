//! Stacks beside that of the calling thread. What runs on one stays on its thread, so that the memory which
//! it takes is counted as the thread's, and costs no more than a call.

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

/// Where the parser and the validator go on while something is compiled.
pub const COROUTINES: Stacks = Stacks::new(|size, work| {
    let mut stack = DefaultStack::new(size)?;
    on_stack(&mut stack, || Limit::NONE.during(work));
    Ok(())
});
