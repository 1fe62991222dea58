//! Text becomes a [`Program`](ast::Program): lexer, parser, the syntax tree and its written forms.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

pub mod ast;
pub mod binary;
pub mod case;
pub mod diagnostic;
pub mod edit;
mod lexer;
pub mod names;
mod parser;
pub mod pattern;
pub mod pn;
pub mod source;
mod stack;
pub mod token;
pub mod validate;
pub mod watch;

/// Splits a text into tokens, with white space and comments.
pub mod tokens {
    pub use crate::lexer::lossless::{LosslessToken, Stretch, StretchKind, Tokens};
}

pub use parser::{
    ParseOptions, Recovered, parse, parse_recovering, parse_recovering_watched, parse_watched,
    parse_with_warnings,
};
pub use stack::{RunOnStack, Stacks};
