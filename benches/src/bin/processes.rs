//! Compares whole processes with the reference's, in one run: `make bench-processes`.
//!
//! A catalog is compiled by the C program `ffi/examples/compile.c`, by the gem's command and by `puppet
//! catalog compile`, each in its own process that starts, reads the environment, compiles and writes the
//! catalog as JSON: its duration, the peak of its resident memory, and its maximum private memory. Ruby's own
//! start is also shown, because the gem's command always includes it. Then a process in Rust compiles a
//! catalog of [`RESOURCES`] resources, one holds the catalogs of [`NODES`] nodes, and one compiles them on
//! one thread, on two and on four.
//!
//! The only argument is the directory of the built C program, `target/run`; without it, only the processes in
//! Rust are measured. `OPENVOX_LIB` is the `lib` of the reference, if that is not the installed Puppet.

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
/// The number of resources of the large catalog.
const RESOURCES: usize = 5000;
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
    let programs = std::env::args().nth(1);
    let scratch = std::env::temp_dir().join(format!("bunraku-processes-{}", std::process::id()));
    let result = match &programs {
        Some(programs) => measure(Path::new(programs), &scratch),
        None => Ok(()),
    };
    let result = result.and_then(|()| many_resources(&scratch)).and_then(|()| fleet(&scratch));
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
        let theirs = reference(&confdir, &path);
        let theirs = theirs.inspect_err(|error| eprintln!("the reference is left out: {error}")).ok();
        row(&format!("{name}: the C program"), &c, theirs.as_ref());
        row(&format!("{name}: the gem's command"), &gem, theirs.as_ref());
        if let Some(theirs) = &theirs {
            row(&format!("{name}: the reference"), theirs, None);
        }
    }
    Ok(())
}

/// The reference's process that compiles the node in an environment.
fn reference(confdir: &str, path: &str) -> Result<Taken, String> {
    let openvox = std::env::var("OPENVOX_LIB").unwrap_or_default();
    let puppet = Path::new(&openvox).join("../bin/puppet").to_string_lossy().into_owned();
    let program = if openvox.is_empty() { vec!["puppet"] } else { vec!["ruby", "-I", &openvox, &puppet] };
    let arguments = [
        "catalog",
        "compile",
        NODE,
        "--confdir",
        confdir,
        "--vardir",
        confdir,
        "--environmentpath",
        path,
        "--environment",
        "production",
        "--facts_terminus",
        "yaml",
        "--log_level",
        "err",
    ];
    launch(ROUNDS.1, &[&program[..], &arguments].concat())
}

/// A catalog of many resources in a process in Rust, beside the reference.
fn many_resources(scratch: &Path) -> Result<(), String> {
    let facts = root().join("tests/example/environments/production/spec/facts/web01.example.net.json");
    let confdir = reference_directories(scratch, &facts)?;
    let environments = scratch.join("many");
    let files: String = (0..RESOURCES)
        .map(|number| {
            format!("file {{ '/srv/{number}': ensure => file, mode => '0644', content => \"n{number}\" }}\n")
        })
        .collect();
    write(&environments.join("production/manifests/site.pp"), &files)?;
    let path = environments.to_string_lossy().into_owned();
    let file = scratch.join("many.json");
    let environment = json!({ "environmentpath": path, "environment": "production" });
    let facts = bunraku_benches::example_facts();
    write(
        &file,
        &json!({ "environment": environment, "nodes": [{ "node": NODE, "facts": facts }] }).to_string(),
    )?;
    let program = beside("fleet")?.to_string_lossy().into_owned();
    let ours = launch(ROUNDS.0, &[&program, &file.to_string_lossy(), "1", "1"])?;
    let theirs = reference(&confdir, &path);
    let theirs = theirs.inspect_err(|error| eprintln!("the reference is left out: {error}")).ok();
    row(&format!("{RESOURCES} resources: in Rust"), &ours, theirs.as_ref());
    if let Some(theirs) = &theirs {
        row(&format!("{RESOURCES} resources: the reference"), theirs, None);
    }
    Ok(())
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

/// Compiles many nodes of the example on one thread, on two and on four, and holds their catalogs.
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
    let run = |compilations: usize, arguments: &[&str]| -> Result<(f64, Json), String> {
        let mut best: Option<(f64, Json)> = None;
        for _ in 0..3 {
            let mut command = Command::new(beside("fleet")?);
            let output = command.arg(&file).arg(compilations.to_string()).args(arguments).output();
            let report = report(&output.map_err(|error| format!("fleet: {error}"))?)?;
            let seconds = report["seconds"].as_f64().ok_or("fleet has not told its seconds")?;
            if best.as_ref().is_none_or(|(known, _)| seconds < *known) {
                best = Some((seconds, report));
            }
        }
        best.ok_or_else(|| "nothing ran".to_owned())
    };
    let (one, report) = run(COMPILATIONS, &["1"])?;
    println!(
        "{COMPILATIONS} catalogs of {NODES} nodes, written: {:.0} a second on one thread; {} failures, {} MB",
        COMPILATIONS as f64 / one,
        report["failures"],
        report["peak_kb"].as_u64().unwrap_or(0) / 1024,
    );
    for threads in ["2", "4"] {
        let (several, _) = run(COMPILATIONS, &[threads])?;
        println!(
            "on {threads} threads: {:.0} a second ({:.2}x)",
            COMPILATIONS as f64 / several,
            one / several
        );
    }
    let (_, report) = run(NODES, &["1", "--hold"])?;
    let kilobytes = report["held_kb"].as_f64().unwrap_or_default();
    println!(
        "{} catalogs held: {:.1} MB, {:.1} kB each",
        report["held"],
        kilobytes / 1024.0,
        kilobytes / NODES as f64
    );
    Ok(())
}
