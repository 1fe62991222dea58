//! Text becomes a [`Program`](ast::Program): lexer, parser, the syntax tree and its written forms.

pub mod ast;
pub mod binary;
mod lexer;
mod parser;
pub(crate) mod pattern;
pub mod pn;
pub mod token;
pub mod validate;

pub use parser::{ParseOptions, Recovered, parse, parse_recovering, parse_with_warnings};
