//! Recorded answers of the reference and of Ruby, each file held against its list of known failures.
//!
//! `cargo test -p conform --test goldens vectors` runs one group, `… vectors/functions-abs` one file of it.

mod cases;
mod corpus;
mod environments;
mod kept;
mod notation;
mod recovery;
mod resource_types;
mod templates;
mod vectors;

use std::process::ExitCode;

use conform::suite;

fn main() -> ExitCode {
    suite::run(&[
        ("cases", cases::tests),
        ("corpus", corpus::tests),
        ("environments", environments::tests),
        ("kept", kept::tests),
        ("notation", notation::tests),
        ("recovery", recovery::tests),
        ("resource_types", resource_types::tests),
        ("templates", templates::tests),
        ("vectors", vectors::tests),
    ])
}
