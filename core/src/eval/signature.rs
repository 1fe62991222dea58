//! Signatures of built-in functions, as the types describe them.

pub use crate::pcore::types::Signature;
