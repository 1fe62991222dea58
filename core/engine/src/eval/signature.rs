//! Signatures of built-in functions, as the types describe them.

pub use bunraku_pcore::types::Signature;
