//! Runs a command several times and discards its output: `launch ROUNDS COMMAND …`. Prints a line of JSON:
//! the median seconds of the whole process, the maximum peak of resident memory in kB, and the maximum
//! private memory that a process had. Resident memory includes mapped files, of which a system with large
//! folios maps more than is used.
//!
//! It is a small separate process, because the system counts the memory of the starting process for the
//! started one, too.

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
    let mut own = 0;
    for _ in 0..rounds.clamp(1, 5) {
        own = own.max(watch(program, arguments)?);
    }
    let seconds = times[times.len() / 2].as_secs_f64();
    println!("{}", json!({ "seconds": seconds, "peak_kb": peak, "own_kb": own }));
    Ok(())
}

/// Runs the command once more and samples its private memory in kB.
fn watch(program: &str, arguments: &[String]) -> Result<u64, String> {
    let mut command = Command::new(program);
    let child = command.args(arguments).stdout(Stdio::null()).stdin(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("{program}: {error}"))?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let now = text.lines().find_map(|line| line.strip_prefix("RssAnon:")?.split_whitespace().next());
        most = most.max(now.and_then(|number| number.parse().ok()).unwrap_or(0));
        std::thread::sleep(Duration::from_micros(100));
    }
    Ok(most)
}

fn time(program: &str, arguments: &[String]) -> Result<Duration, String> {
    let start = Instant::now();
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stdin(Stdio::null()).status();
    let status = status.map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(start.elapsed()) } else { Err(format!("{program}: {status}")) }
}
