//! The syntax of regular expressions, as Ruby has it: the lexer refuses literals that Ruby refuses, and `pcore` makes
//! engines of the patterns.

pub(crate) mod ast;
mod parse;
mod recursion;
mod text;

pub(crate) use parse::{Pattern, check, parse};
pub(crate) use text::{has_fixed_encoding, split_options, to_s, with_options};
