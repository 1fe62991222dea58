//! Times warm compilations of golden environments' cases beside the reference in one run: `make bench-catalogs`.
//!
//! Warm means that the environment is loaded and its manifests are parsed, as on a server with an `environment_timeout` of
//! `unlimited`. Both sides compile the same cases from facts at hand, up to the catalog; it is not written. Of each
//! environment some cases are taken, which together take about a minute; `--all` takes all. Arguments are parts of the names
//! of cases (`real/apache`): only those are compiled, all of them. `--alone` leaves the reference out.
//!
//! The last column tells what the same compilation takes with a record of where values come from; `--plain` leaves it out.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use bunraku::compiler::{self, CompileOptions, NodeInput};
use bunraku::loader::Environment;
use bunraku_benches::root;
use conform::{environments, protocol};
use serde_json::{Value as Json, json};

/// How often a case is timed; the median counts.
const ROUNDS: usize = 9;
/// How many cases of an environment are taken, and of the one that has a module's own case each.
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

/// A case with what it takes to compile it.
struct Case {
    name: String,
    path: PathBuf,
    environment: Environment,
    node: NodeInput,
}

/// A case's times in seconds.
struct Times {
    case: Case,
    plain: f64,
    recorded: f64,
}

fn run() -> Result<(), String> {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_wanted =
        |name: &str| names.is_empty() || names.iter().any(|wanted| name.contains(wanted.as_str()));
    let mut timed = Vec::new();
    let has_flag = |flag: &str| flags.iter().any(|given| given == flag);
    let is_sample = names.is_empty() && !has_flag("--all");
    for case in cases(is_sample, &is_wanted)? {
        let plain = median(&case, false);
        let recorded = if has_flag("--plain") { plain } else { median(&case, true) };
        timed.push(Times { case, plain, recorded });
    }
    let theirs = if has_flag("--alone") { HashMap::new() } else { reference(&timed)? };

    println!(
        "{:<44} {:>11} {:>12} {:>8} {:>14}",
        "warm compile", "bunraku", "reference", "ratio", "with origins"
    );
    let mut ratios = Vec::new();
    let (mut own, mut other) = (0.0, 0.0);
    for Times { case, plain, recorded } in &timed {
        let extra = if has_flag("--plain") {
            "-".to_owned()
        } else {
            format!("{:+.0} %", (recorded / plain - 1.0) * 100.0)
        };
        let ms = plain * 1e3;
        match theirs.get(&case.path) {
            Some(seconds) => {
                let ratio = seconds / plain;
                println!(
                    "{:<44} {ms:>8.3} ms {:>9.1} ms {ratio:>7.0}x {extra:>14}",
                    case.name,
                    seconds * 1e3
                );
                ratios.push(ratio);
                own += plain;
                other += seconds;
            }
            None => println!("{:<44} {ms:>8.3} ms {:>12} {:>8} {extra:>14}", case.name, "-", "-"),
        }
    }
    if !ratios.is_empty() {
        ratios.sort_by(f64::total_cmp);
        println!(
            "{} cases: all together {:.0}x, median {:.0}x, least {:.0}x",
            ratios.len(),
            other / own,
            ratios[ratios.len() / 2],
            ratios[0]
        );
    }
    Ok(())
}

/// The cases of all golden environments, and of the example, that are wanted and compile here; or a sample of them.
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

fn median(case: &Case, provenance: bool) -> f64 {
    compiles(case, provenance);
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            compiles(case, provenance);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

/// The reference's seconds by the file of the case; nothing where it is not installed.
fn reference(cases: &[Times]) -> Result<HashMap<PathBuf, f64>, String> {
    let paths: Vec<_> = cases.iter().map(|times| &times.case.path).collect();
    let file = std::env::temp_dir().join(format!("bunraku-catalogs-{}.json", std::process::id()));
    let written = fs::File::create(&file).and_then(|mut file| write!(file, "{}", json!(paths)));
    written.map_err(|error| error.to_string())?;
    let script = root().join("benches/reference_catalogs.rb");
    let output = Command::new("ruby").arg("-W0").arg(script).arg(&file).stderr(Stdio::inherit()).output();
    let _ = fs::remove_file(&file);
    let output = output.map_err(|error| format!("ruby: {error}"))?;
    if !output.status.success() {
        eprintln!("the reference is left out: it is not installed");
    }
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let replies = lines.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let seconds = |reply: Json| Some((PathBuf::from(reply["case"].as_str()?), reply["seconds"].as_f64()?));
    Ok(replies.filter_map(seconds).collect())
}
