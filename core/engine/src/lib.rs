//! The compilation of programs to catalogs: the loader, the evaluator, functions, Hiera and the compiler.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

#[cfg(test)]
use bunraku_global_allocator as _;

pub mod catalog;
pub mod compiler;
pub mod eval;
pub mod functions;
pub mod hiera;
pub mod loader;
pub mod memory;
mod ruby;
pub mod wire;
