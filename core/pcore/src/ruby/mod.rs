//! Ruby's own forms of values: the names of their classes, `to_s`, `inspect`, `Kernel#format` and words for shells.

mod inspect;
pub mod names;
pub(crate) mod quote;
pub mod shell;
mod sprintf;

pub use crate::scalars::number::float_to_s;
pub use inspect::{inspect, to_s};
pub use quote::inspect_string;
pub use sprintf::{outside_of_range, sprintf};
