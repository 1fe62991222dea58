//! Times the jobs together with the reference in one run, and prints ratios: `make bench`.
//!
//! Arguments are parts of names of jobs: only those run. `--alone` leaves out the reference.
//!
//! The reference (Debian's `puppet-agent`) runs in its own process, `reference.rb`, and times the same jobs
//! internally, warmed up; neither figure includes start-up. The ratios are the result: both run on the same
//! machine one after another, job by job.

use std::collections::HashMap;
use std::fs;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use bunraku_benches::{
    compile, compile_program, example, example_facts, manifests, parse_text, programs, root, validate_text,
};
use serde_json::json;

/// The number of rounds of a job; the median counts.
const ROUNDS: usize = 9;

const PARSE: &str = "parse";
const VALIDATE: &str = "parse and validate";
const EXAMPLE: &str = "compile the example, warm";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let paths = manifests();
    let texts: Vec<String> = paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("{} manifests, {:.2} MB; {} rounds each, medians", texts.len(), bytes as f64 / 1e6, ROUNDS);

    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_wanted = |job: &str| names.is_empty() || names.iter().any(|name| job.contains(name.as_str()));
    let mut own: Vec<(String, Duration)> = Vec::new();
    if is_wanted(PARSE) {
        own.push((PARSE.into(), median(|| texts.iter().filter_map(|text| parse_text(text)).count())));
    }
    if is_wanted(VALIDATE) {
        own.push((VALIDATE.into(), median(|| texts.iter().map(|text| validate_text(text)).sum::<usize>())));
    }
    let programs: Vec<_> = programs().into_iter().filter(|(name, _)| is_wanted(name)).collect();
    for (name, code) in &programs {
        compile_program(code).map_err(|error| format!("{name}: {error}"))?;
        own.push(((*name).into(), median(|| compile_program(code))));
    }
    if is_wanted(EXAMPLE) {
        let (environment, facts) = (example()?, example_facts());
        compile(&environment, &facts)?;
        own.push((
            EXAMPLE.into(),
            median(|| compile(&environment, &facts).map(|catalog| catalog.resources.len())),
        ));
    }

    let is_alone = flags.iter().any(|flag| flag == "--alone");
    let jobs: Vec<&str> = own.iter().map(|(name, _)| name.as_str()).collect();
    let reference = if is_alone { HashMap::new() } else { reference(&paths, &programs, &jobs)? };
    println!("{:<28} {:>12} {:>12} {:>8}", "", "bunraku", "reference", "ratio");
    for (name, time) in own {
        let seconds = time.as_secs_f64();
        match reference.get(&name) {
            Some(theirs) => {
                println!(
                    "{name:<28} {:>9.3} ms {:>9.1} ms {:>7.0}x",
                    seconds * 1e3,
                    theirs * 1e3,
                    theirs / seconds
                );
            }
            None => println!("{name:<28} {:>9.3} ms {:>12} {:>8}", seconds * 1e3, "-", "-"),
        }
        if name.starts_with("parse") {
            println!("{:<28} {:>7.0} MB/s", "", bytes as f64 / 1e6 / seconds);
        }
    }
    Ok(())
}

fn median<T>(work: impl Fn() -> T) -> Duration {
    std::hint::black_box(work());
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(work());
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

/// The reference's times by job; `None` if it is not installed.
fn reference(
    paths: &[std::path::PathBuf],
    programs: &[(&str, String)],
    jobs: &[&str],
) -> Result<HashMap<String, f64>, String> {
    let programs: Vec<_> =
        programs.iter().map(|(name, code)| json!({ "name": name, "code": code })).collect();
    let request = json!({
        "jobs": jobs,
        "manifests": paths,
        "programs": programs,
        "environmentpath": root().join("tests/example/environments"),
        "facts": example_facts(),
    });
    let file = std::env::temp_dir().join(format!("bunraku-bench-{}.json", std::process::id()));
    fs::write(&file, request.to_string()).map_err(|error| error.to_string())?;
    let output = Command::new("ruby").arg("-W0").arg(root().join("benches/reference.rb")).arg(&file).output();
    let _ = fs::remove_file(&file);
    let output = output.map_err(|error| format!("ruby: {error}"))?;
    if !output.status.success() {
        eprintln!("the reference is left out: {}", String::from_utf8_lossy(&output.stderr).trim());
        return Ok(HashMap::new());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("reference.rb: {error}"))
}
