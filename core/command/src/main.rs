//! The command `bunraku` as a program of its own.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use bunraku_command::{NoRuby, Streams, run};

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    ExitCode::from(run(arguments, Streams::of_process(), &NoRuby))
}
