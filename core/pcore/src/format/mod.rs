//! Ruby's own forms of values: `to_s`, `inspect` and `Kernel#format`.

mod inspect;
mod sprintf;

pub use super::number::float_to_s;
pub use inspect::{inspect, inspect_string, to_s};
pub use sprintf::sprintf;
