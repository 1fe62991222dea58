//! Times warm compilations of golden environments' cases together with the reference in one run: `make
//! bench-catalogs`.
//!
//! Warm means that the environment is loaded and its manifests are parsed, as on a server with an
//! `environment_timeout` of `unlimited`. Both sides compile the same cases from prepared facts, up to the
//! catalog, which is not written. They take turns, case by case, with the reference's turn between two of
//! ours, so that a slowdown of the machine affects both. Some cases of each environment are used, which
//! together take about a minute; `--all` uses all. Arguments are parts of the names of cases (`real/apache`):
//! only those are compiled, all of them. `--alone` leaves out the reference.
//!
//! The last column is the time of the same compilation with provenance; `--plain` leaves it out.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use bunraku::compiler::{self, CompileOptions, NodeInput};
use bunraku::loader::Environment;
use bunraku_benches::reference::Reference;
use bunraku_benches::root;
use conform::{environments, protocol};

/// The minimum number of rounds of a case in each of our turns, and the minimum seconds; the median counts.
const ROUNDS: (usize, f64) = (9, 0.1);
/// The number of cases of an environment, and of the one with a case for each module.
const SAMPLE: (usize, usize) = (2, 8);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("catalogs: {message}");
            ExitCode::FAILURE
        }
    }
}

/// A case with its input.
struct Case {
    name: String,
    path: PathBuf,
    environment: Environment,
    node: NodeInput,
}

/// A case's times in seconds.
struct Times {
    plain: f64,
    recorded: Option<f64>,
    reference: Option<f64>,
}

fn run() -> Result<(), String> {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_wanted =
        |name: &str| names.is_empty() || names.iter().any(|wanted| name.contains(wanted.as_str()));
    let has_flag = |flag: &str| flags.iter().any(|given| given == flag);
    let is_sample = names.is_empty() && !has_flag("--all");
    let mut reference = if has_flag("--alone") { None } else { Some(Reference::start()?) };

    println!(
        "{:<44} {:>11} {:>12} {:>8} {:>14}",
        "warm compile", "bunraku", "reference", "ratio", "with origins"
    );
    let mut all = Vec::new();
    for case in cases(is_sample, &is_wanted)? {
        let mut plain = rounds(&case, false);
        let theirs = reference.as_mut().and_then(|reference| Some(reference.time(&case.path)?.seconds));
        plain.append(&mut rounds(&case, false));
        let recorded = (!has_flag("--plain")).then(|| median(rounds(&case, true)));
        let times = Times { plain: median(plain), recorded, reference: theirs };
        print_times(&case.name, &times);
        all.push(times);
    }
    if let Some(reference) = reference {
        reference.end();
    }
    print_summary(&all);
    Ok(())
}

fn print_times(name: &str, times: &Times) {
    let extra = match times.recorded {
        Some(recorded) => format!("{:+.0} %", (recorded / times.plain - 1.0) * 100.0),
        None => "-".to_owned(),
    };
    let ms = times.plain * 1e3;
    match times.reference {
        Some(theirs) => {
            println!(
                "{name:<44} {ms:>8.3} ms {:>9.1} ms {:>7.0}x {extra:>14}",
                theirs * 1e3,
                theirs / times.plain
            );
        }
        None => println!("{name:<44} {ms:>8.3} ms {:>12} {:>8} {extra:>14}", "-", "-"),
    }
}

fn print_summary(all: &[Times]) {
    let compared = || all.iter().filter_map(|times| Some((times.plain, times.reference?)));
    let mut ratios: Vec<f64> = compared().map(|(ours, theirs)| theirs / ours).collect();
    ratios.sort_by(f64::total_cmp);
    let Some(least) = ratios.first() else { return };
    let (ours, theirs) = compared().fold((0.0, 0.0), |sums, times| (sums.0 + times.0, sums.1 + times.1));
    println!(
        "{} cases: all together {:.0}x, median {:.0}x, least {least:.0}x",
        ratios.len(),
        theirs / ours,
        ratios[ratios.len() / 2],
    );
}

/// The cases of all golden environments, and of the example, that are wanted and compile here; or a sample of
/// them.
fn cases(is_sample: bool, is_wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Case>, String> {
    let mut directories = vec![root().join("tests/example/environments/production")];
    let golden = root().join("tests/data/environments");
    let entries = fs::read_dir(&golden).map_err(|error| format!("{}: {error}", golden.display()))?;
    let mut found: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.join("spec").is_dir() && !environments::lacks_modules(path));
    found.sort();
    directories.append(&mut found);
    let mut cases = Vec::new();
    for directory in directories {
        let of = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let all = environments::cases(&directory).map_err(|error| error.to_string())?;
        let wanted = if of == "real" { SAMPLE.1 } else { SAMPLE.0 };
        let step = if is_sample { all.len().div_ceil(wanted).max(1) } else { 1 };
        for (path, request) in all.into_iter().step_by(step) {
            let name = format!("{of}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            if !is_wanted(&name) {
                continue;
            }
            let Ok((environment, node)) = protocol::environment_on_disk(&request) else { continue };
            let case = Case { name, path, environment, node };
            if compiles(&case, false) {
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

fn compiles(case: &Case, provenance: bool) -> bool {
    let options = CompileOptions { provenance, ..CompileOptions::default() };
    let result = compiler::compile(&case.environment, case.node.clone(), options);
    std::hint::black_box(&result).outcome.is_ok()
}

/// Seconds of compilations after one that is not timed.
fn rounds(case: &Case, provenance: bool) -> Vec<f64> {
    compiles(case, provenance);
    let mut times = Vec::new();
    while times.len() < ROUNDS.0 || times.iter().sum::<f64>() < ROUNDS.1 {
        let start = Instant::now();
        compiles(case, provenance);
        times.push(start.elapsed().as_secs_f64());
    }
    times
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
