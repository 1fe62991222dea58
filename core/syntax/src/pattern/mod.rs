//! The syntax of regular expressions, as Ruby has it: the lexer refuses literals that Ruby refuses, and
//! `pcore` makes engines of the patterns.

pub mod ast;
mod parse;
mod recursion;
mod sequence;
mod text;

pub use parse::{Pattern, check, parse};
pub use text::{has_fixed_encoding, split_options, to_s, with_options};
