//! Runs a command some times, its output thrown away: `launch ROUNDS COMMAND …`. Prints a line of JSON: the median of seconds
//! of the whole process, and the peak of resident memory in kB of the greatest one.
//!
//! A process of its own, and a small one: the system counts the memory of whoever starts a process as that process's too.

use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::json;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((rounds, command)) => match run(rounds, command) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("launch: {message}");
                ExitCode::FAILURE
            }
        },
        None => ExitCode::FAILURE,
    }
}

fn run(rounds: &str, command: &[String]) -> Result<(), String> {
    let rounds: usize = rounds.parse().map_err(|_| format!("{rounds:?} is no number"))?;
    let (program, arguments) = command.split_first().ok_or("expected a command")?;
    let mut times = Vec::new();
    for _ in 0..rounds.max(1) {
        times.push(time(program, arguments)?);
    }
    times.sort();
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?.max_rss();
    println!("{}", json!({ "seconds": times[times.len() / 2].as_secs_f64(), "peak_kb": peak }));
    Ok(())
}

fn time(program: &str, arguments: &[String]) -> Result<Duration, String> {
    let start = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stdin(Stdio::null()).status();
    let status = status.map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(start.elapsed()) } else { Err(format!("{program}: {status}")) }
}
