//! Hostile programs (`data/hostile/programs.txt`): each ends in a short time, within bounded memory, with a value or an error that
//! has a place, and without a panic. With the limits that compilations have they make texts of many megabytes: `make hostile`
//! runs them so. Narrow limits show the same in seconds, with every run of the tests. With `BUNRAKU_SHOW=1` it prints how each
//! ends; `BUNRAKU_ONLY=TEXT` runs those whose names have the text.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku::compiler::{Compilation, Limits, NodeInput};
use bunraku::diagnostic::{Error, ErrorKind};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};
use conform::host::DriverHost;
use conform::{data, workers};

/// The limit of time that each program has, in seconds. The clock has whole ones.
const SECONDS: u32 = 1;
/// When a program must have ended, on a machine that does other things as well.
const END: Duration = Duration::from_secs(60);
/// What all programs may take of memory, several at the same time, in kilobytes.
const MEMORY: u64 = 6 << 20;

/// The functions of stdlib that the programs call; a module has them in Ruby, so that they are known.
const STDLIB: &[&str] = &[
    "deep_merge",
    "delete",
    "ensure_packages",
    "fqdn_rand_string",
    "join_keys_to_values",
    "member",
    "merge",
    "parsejson",
    "parseyaml",
    "prefix",
    "pw_hash",
    "range",
    "seeded_rand_string",
    "str2saltedpbkdf2",
    "suffix",
    "to_json",
    "to_json_pretty",
    "to_yaml",
    "values_at",
];

struct Program {
    /// `eval NAME` or `catalog NAME`.
    head: String,
    text: String,
}

fn read(text: &str) -> Vec<Program> {
    let programs = text.split("\n=== ").skip(1).filter_map(|block| {
        let (head, text) = block.split_once('\n')?;
        Some(Program { head: head.to_owned(), text: text.trim_end_matches('\n').to_owned() })
    });
    programs.collect()
}

/// The program itself: `@100(@` is written out.
fn written_out(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('@') {
        let (before, behind) = rest.split_at(at);
        out += before;
        let inner = &behind[1..];
        let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match (inner[..digits].parse::<usize>(), inner[digits..].find('@')) {
            (Ok(times), Some(end)) => {
                out += &inner[digits..digits + end].repeat(times);
                rest = &inner[digits + end + 1..];
            }
            _ => {
                out.push('@');
                rest = inner;
            }
        }
    }
    out + rest
}

/// How a program ends.
fn run(program: &Program, limits: &Limits) -> String {
    let mut files = MemoryHost::new();
    files.add_directory("/env/modules");
    for function in STDLIB {
        files.add(format!("/env/modules/stdlib/lib/puppet/functions/{function}.rb"), "");
    }
    let options = EnvironmentOptions {
        name: "production".to_owned(),
        modulepath: Some(vec!["/env/modules".to_owned()]),
        code: Some(written_out(&program.text)),
        ..EnvironmentOptions::default()
    };
    let environment = match Environment::load(Arc::new(DriverHost::in_memory(files, Vec::new())), options) {
        Ok(environment) => environment,
        Err(error) => return told(&error),
    };
    let input = NodeInput { name: "node".to_owned(), ..NodeInput::default() };
    let compilation = Compilation::new(&environment, input, limits.clone());
    let failed = if program.head.starts_with("catalog ") {
        compilation.compile().err()
    } else {
        compilation.evaluate_main().err()
    };
    failed.map_or_else(|| "value".to_owned(), |error| told(&error))
}

fn told(error: &Error) -> String {
    let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let place = format!("{}:{}", number(error.location.line), number(error.location.column));
    match error.kind {
        ErrorKind::Limit => format!("limit {place}"),
        _ => {
            let issue = error.issue.map(|issue| format!("[{}] ", issue.code())).unwrap_or_default();
            let message: String = error.message.chars().take(160).collect();
            format!("error {place} {issue}{}", message.replace('\n', " "))
        }
    }
}

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

/// Runs all programs, and fails for those that do not end as they shall.
fn all_end(limits: &Limits) {
    let text =
        fs::read_to_string(data::directory().join("hostile/programs.txt")).expect("the programs can be read");
    let mut programs = read(&text);
    if let Ok(wanted) = std::env::var("BUNRAKU_ONLY") {
        programs.retain(|program| program.head.contains(&wanted));
    }
    let is_shown = std::env::var_os("BUNRAKU_SHOW").is_some();
    let outcomes = workers::run_all(&programs, |program| {
        let begin = Instant::now();
        let outcome = run(program, limits);
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
