//! Text becomes a [`Program`](ast::Program): lexer, parser, the syntax tree and its written forms.

pub mod ast;
pub mod validate;
