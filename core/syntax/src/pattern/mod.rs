//! The syntax of Ruby's regular expressions: the lexer rejects literals that Ruby rejects, and `pcore`
//! compiles the patterns.

pub mod ast;
mod behind;
mod parse;
mod recursion;
mod sequence;
mod text;

pub use parse::{Pattern, check, parse};
pub use text::{has_fixed_encoding, split_options, to_s, with_options};
