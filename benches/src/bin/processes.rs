//! Compares whole processes with the reference's, in one run: `make bench-processes`.
//!
//! A catalog is compiled by the C program `ffi/examples/compile.c`, by the gem's command and by `puppet
//! catalog compile`, each in its own process that starts, reads the environment, compiles and writes the
//! catalog as JSON: its duration, the peak of its resident memory, and its maximum private memory. Ruby's own
//! start is also shown, because the gem's command always includes it. Then one process compiles [`NODES`]
//! nodes of one environment on one thread and on two.
//!
//! The only argument is the directory of the built C program, `target/run`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use bunraku_benches::{large_class, root};
use serde_json::{Value as Json, json};

const NODE: &str = "web01.example.net";
/// The number of runs of our processes, and of the reference's: the median counts.
const ROUNDS: (u32, u32) = (15, 3);
/// The number of nodes and compilations, so that a run is long enough to be timed.
const NODES: usize = 1000;
const COMPILATIONS: usize = 4000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("processes: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The measurements of a process.
struct Taken {
    seconds: f64,
    /// The peak of resident memory.
    megabytes: f64,
    /// The most memory of its own, without mapped files.
    own: f64,
}

fn run() -> Result<(), String> {
    let programs = std::env::args().nth(1).ok_or("expected the directory of the C program")?;
    let scratch = std::env::temp_dir().join(format!("bunraku-processes-{}", std::process::id()));
    let result = measure(Path::new(&programs), &scratch);
    let _ = fs::remove_dir_all(&scratch);
    result
}

fn measure(programs: &Path, scratch: &Path) -> Result<(), String> {
    let facts = root().join("tests/example/environments/production/spec/facts/web01.example.net.json");
    let confdir = reference_directories(scratch, &facts)?;
    let own = scratch.join("environments");
    let manifests = own.join("production/manifests");
    write(&manifests.join("site.pp"), &large_class())?;
    let ruby = launch(ROUNDS.0, &["ruby", "--disable=gems", "-e", "1"])?;
    println!(
        "{:<30} {:>12} {:>10} {:>10} {:>8} {:>12} {:>9}",
        "", "whole", "memory", "its own", "faster", "less memory", "its own"
    );
    row("Ruby's start alone", &ruby, None);
    for (name, path) in [("the example", root().join("tests/example/environments")), ("2,000 resources", own)]
    {
        let path = path.to_string_lossy().into_owned();
        let facts = facts.to_string_lossy().into_owned();
        let program = programs.join("compile").to_string_lossy().into_owned();
        let command = root().join("ruby-ext/exe/bunraku").to_string_lossy().into_owned();
        let c = launch(ROUNDS.0, &[&program, &path, "production", NODE, &facts, "/dev/null"])?;
        let gem = launch(
            ROUNDS.0,
            &[
                "ruby",
                "--disable=gems",
                &command,
                "compile",
                "--environmentpath",
                &path,
                "--node",
                NODE,
                "--facts",
                &facts,
                "--format",
                "agent",
            ],
        )?;
        let theirs = launch(
            ROUNDS.1,
            &[
                "puppet",
                "catalog",
                "compile",
                NODE,
                "--confdir",
                &confdir,
                "--vardir",
                &confdir,
                "--environmentpath",
                &path,
                "--environment",
                "production",
                "--facts_terminus",
                "yaml",
                "--log_level",
                "err",
            ],
        );
        let theirs = theirs.inspect_err(|error| eprintln!("the reference is left out: {error}")).ok();
        row(&format!("{name}: the C program"), &c, theirs.as_ref());
        row(&format!("{name}: the gem's command"), &gem, theirs.as_ref());
        if let Some(theirs) = &theirs {
            row(&format!("{name}: the reference"), theirs, None);
        }
    }
    fleet(scratch)
}

fn row(name: &str, taken: &Taken, theirs: Option<&Taken>) {
    let Taken { seconds, megabytes, own } = taken;
    print!("{name:<30} {:>9.1} ms {megabytes:>7.1} MB {own:>7.1} MB", seconds * 1e3);
    match theirs {
        Some(theirs) => {
            let (faster, less) = (theirs.seconds / seconds, theirs.megabytes / megabytes);
            println!(" {faster:>7.0}x {less:>11.1}x {:>8.1}x", theirs.own / own);
        }
        None => println!(),
    }
}

/// Runs a command several times through the program `launch` in the same directory.
fn launch(rounds: u32, command: &[&str]) -> Result<Taken, String> {
    let output = Command::new(beside("launch")?).arg(rounds.to_string()).args(command).output();
    let output = output.map_err(|error| format!("launch: {error}"))?;
    let report = report(&output)?;
    let number = |key: &str| report[key].as_f64().ok_or(format!("launch has not told {key}"));
    let (megabytes, own) = (number("peak_kb")? / 1024.0, number("own_kb")? / 1024.0);
    Ok(Taken { seconds: number("seconds")?, megabytes, own })
}

fn report(output: &std::process::Output) -> Result<Json, String> {
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

fn beside(name: &str) -> Result<PathBuf, String> {
    Ok(std::env::current_exe().map_err(|error| error.to_string())?.with_file_name(name))
}

/// Directories for the reference, with the facts where its terminus `yaml` reads them. JSON is YAML.
fn reference_directories(scratch: &Path, facts: &Path) -> Result<String, String> {
    let values = fs::read_to_string(facts).map_err(|error| format!("{}: {error}", facts.display()))?;
    let text = format!(
        "--- !ruby/object:Puppet::Node::Facts\nname: {NODE}\nvalues: {}\n",
        values.replace('\n', " ")
    );
    let directory = scratch.join("puppet");
    write(&directory.join(format!("yaml/facts/{NODE}.yaml")), &text)?;
    Ok(directory.to_string_lossy().into_owned())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Compiles many nodes of the example on one thread and on two.
fn fleet(scratch: &Path) -> Result<(), String> {
    let nodes: Vec<Json> = (0..NODES)
        .map(|number| {
            let name = format!("web{number:04}.example.net");
            let mut facts = bunraku_benches::example_facts();
            facts["networking"]["fqdn"] = json!(name);
            json!({ "node": name, "facts": facts })
        })
        .collect();
    let path = root().join("tests/example/environments");
    let requests =
        json!({ "environment": { "environmentpath": path, "environment": "production" }, "nodes": nodes });
    let file = scratch.join("requests.json");
    write(&file, &requests.to_string())?;
    let run = |threads: &str| -> Result<(f64, Json), String> {
        let mut best: Option<(f64, Json)> = None;
        for _ in 0..3 {
            let mut command = Command::new(beside("fleet")?);
            let output = command.arg(&file).arg(COMPILATIONS.to_string()).arg(threads).output();
            let report = report(&output.map_err(|error| format!("fleet: {error}"))?)?;
            let seconds = report["seconds"].as_f64().ok_or("fleet has not told its seconds")?;
            if best.as_ref().is_none_or(|(known, _)| seconds < *known) {
                best = Some((seconds, report));
            }
        }
        best.ok_or_else(|| "nothing ran".to_owned())
    };
    let ((one, report), (two, _)) = (run("1")?, run("2")?);
    println!(
        "{COMPILATIONS} catalogs of {NODES} nodes, written: {:.0} a second on one thread, {:.0} on two ({:.2}x); {} failures, {} MB",
        COMPILATIONS as f64 / one,
        COMPILATIONS as f64 / two,
        one / two,
        report["failures"],
        report["peak_kb"].as_u64().unwrap_or(0) / 1024,
    );
    Ok(())
}
