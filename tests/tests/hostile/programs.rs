//! Hostile programs (`data/hostile/programs.txt`): each ends in a short time, within bounded memory, with a
//! value or an error that has a place, and without a panic. With the limits that compilations have they make
//! texts of many megabytes: `make hostile` runs them so. Narrow limits show the same in seconds, with every
//! run of the tests. With `BUNRAKU_SHOW=1` it prints how each ends; `BUNRAKU_ONLY=TEXT` runs those whose
//! names have the text.

use std::fs;
use std::time::{Duration, Instant};

use bunraku::compiler::Limits;
use conform::{data, hostile, workers};

/// The limit of time that each program has, in seconds. The clock has whole ones.
const SECONDS: u32 = 1;
/// When a program must have ended, on a machine that does other things as well.
const END: Duration = Duration::from_secs(60);
/// The maximum memory of all programs, several in parallel, in kilobytes.
const MEMORY: u64 = 6 << 20;

/// The most memory that this process had, in kilobytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn hostile_programs_end() {
    all_end(&Limits { seconds: Some(SECONDS), ..Limits::default() });
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation")]
fn hostile_programs_end_soon_where_limits_are_narrow() {
    all_end(&Limits {
        steps: Some(100_000),
        value_size: 1 << 20,
        value_depth: 100,
        output_size: 1 << 20,
        resources: 10_000,
        seconds: Some(SECONDS),
        ..Limits::default()
    });
}

/// Runs all programs, and fails for those that do not end as expected.
fn all_end(limits: &Limits) {
    let text =
        fs::read_to_string(data::directory().join("hostile/programs.txt")).expect("the programs can be read");
    let mut programs = hostile::read(&text);
    if let Ok(wanted) = std::env::var("BUNRAKU_ONLY") {
        programs.retain(|program| program.head.contains(&wanted));
    }
    let is_shown = std::env::var_os("BUNRAKU_SHOW").is_some();
    let outcomes = workers::run_all(&programs, |program| {
        let begin = Instant::now();
        let outcome = program.run(limits);
        let time = begin.elapsed();
        if is_shown {
            println!("{:.1} s {} => {outcome}", time.as_secs_f32(), program.head);
        }
        (outcome, time)
    });
    let mut wrong = Vec::new();
    for (program, outcome) in programs.iter().zip(outcomes) {
        let (outcome, time) = outcome.unwrap_or_else(|panic| (format!("panic {panic}"), Duration::ZERO));
        let line = format!("{:.1} s {} => {outcome}", time.as_secs_f32(), program.head);
        if time > END || outcome.starts_with("panic") || outcome.starts_with("limit -") {
            wrong.push(line);
        }
    }
    println!("{} programs, {} MB", programs.len(), peak() >> 10);
    assert!(wrong.is_empty(), "{} of {} programs\n{}", wrong.len(), programs.len(), wrong.join("\n"));
    assert!(peak() < MEMORY, "{} kB of memory", peak());
}
