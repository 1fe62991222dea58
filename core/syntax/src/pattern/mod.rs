//! The syntax of Ruby's regular expressions: the lexer rejects literals that Ruby rejects, and `pcore`
//! compiles the patterns.

pub mod ast;
mod behind;
mod parse;
mod recursion;
mod sequence;
mod text;
mod unescape;

pub use parse::{Pattern, check, check_with, parse};
pub use text::{has_fixed_encoding, inspect, refused, split_options, to_s, with_options};
