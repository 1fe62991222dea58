//! Ruby's own forms of values: the names of their classes, `to_s`, `inspect`, `Kernel#format`, words for
//! shells, and JSON and YAML as Ruby writes them; how Ruby compares, sorts and joins.

pub mod character_set;
mod directive;
mod inspect;
pub mod json;
pub mod names;
pub mod psych;
pub(crate) mod quote;
pub mod random;
pub mod shell;
mod sprintf;
pub mod values;

pub use crate::scalars::number::float_to_s;
pub use inspect::{inspect, to_s};
pub use quote::inspect_string;
pub use sprintf::{outside_of_range, sprintf};
