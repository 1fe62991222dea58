//! Validates manifests and prints what is wrong with them; the exit status tells whether the reference
//! refuses one.
//!
//! ```text
//! cargo run -p bunraku --example validate -- FILE.pp...
//! ```

#![allow(
    clippy::disallowed_methods,
    reason = "a program reads its arguments itself; the library asks its host"
)]

use std::env::args;
use std::fs;
use std::process::ExitCode;

use bunraku::Severity;

fn main() -> std::io::Result<ExitCode> {
    let mut status = ExitCode::SUCCESS;
    for path in args().skip(1) {
        for diagnostic in bunraku::validate(fs::read_to_string(&path)?, Some(&path)) {
            let place = &diagnostic.location;
            let (line, column) = (place.line.unwrap_or_default(), place.column.unwrap_or_default());
            println!("{path}:{line}:{column}: {}: {}", diagnostic.severity.name(), diagnostic.message);
            if diagnostic.severity == Severity::Error {
                status = ExitCode::FAILURE;
            }
        }
    }
    Ok(status)
}
