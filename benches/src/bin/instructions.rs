//! Counts instructions of warm compilations: `make bench-instructions`. On a machine that others use, too, it
//! is the figure that does not swing; `benches/HISTORY.md` keeps it.
//!
//! Each bench is compiled a few times and some more times under callgrind; what the further ones take, by
//! each and by each resource, is printed. Benches are cases of golden environments (`real/apache`) and shapes
//! ([`bunraku_benches::growth`]) at four times their smallest size. Arguments are parts of their names;
//! `NAME@8` is a shape of this name at eight times its smallest size.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use bunraku::compiler::{self, CompileOptions, NodeInput};
use bunraku::loader::Environment;
use bunraku_benches::{growth, root};
use conform::{environments, protocol};

/// Golden cases, by environment and name; of one that is not installed nothing is printed.
const GOLDEN: &[&str] = &[
    "control_basic/web01",
    "hiera_layers/alpha",
    "ordering/n1",
    "exported_virtual/app1",
    "real/apache",
    "real/os_nova",
    "real/mysql",
    "real/postgresql",
    "real/haproxy",
];
/// Shapes.
const SHAPES: &[&str] = &[
    "files",
    "nested defined types",
    "create_resources",
    "classes that contain classes",
    "classes with parameters from data",
    "keys merged deep",
    "tags",
    "arrows of 50 packages to all files",
    "types of parameters",
    "EPP templates",
    "texts",
];
/// The size of a shape, as a multiple of its smallest.
const TIMES: usize = 4;
/// The number of compilations before counting, and while counting.
const ROUNDS: (usize, usize) = (2, 4);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [flag, name, rounds] if flag == "--compile" => compile(name, rounds.parse().unwrap_or(1)),
        names => count(names),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("instructions: {message}");
            ExitCode::FAILURE
        }
    }
}

fn count(wanted: &[String]) -> Result<(), String> {
    println!("{:<44} {:>9} {:>14} {:>14}", "bench", "resources", "instructions", "per resource");
    let is_wanted = |name: &&str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let sized = wanted.iter().map(String::as_str).filter(|name| name.contains('@'));
    for name in GOLDEN.iter().chain(SHAPES).copied().filter(is_wanted).chain(sized) {
        let Ok((before, _)) = run(name, ROUNDS.0) else { continue };
        let (after, resources) = run(name, ROUNDS.0 + ROUNDS.1)?;
        let each = after.saturating_sub(before) / ROUNDS.1 as u64;
        println!("{name:<44} {resources:>9} {each:>14} {:>14}", each / resources.max(1));
    }
    Ok(())
}

/// The instructions of a number of compilations in their own process, and the resources of each.
fn run(name: &str, rounds: usize) -> Result<(u64, u64), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let output = command.args(["--compile", name, &rounds.to_string()]).output();
    let output = output.map_err(|error| format!("valgrind: {error}"))?;
    let (said, told) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    let collected = said.lines().find_map(|line| line.split_once("Collected : ")).map(|(_, count)| count);
    match (collected.and_then(|count| count.trim().parse().ok()), told.trim().parse()) {
        (Some(instructions), Ok(resources)) if output.status.success() => Ok((instructions, resources)),
        _ => Err(format!("{name}: {said}")),
    }
}

/// Compiles a bench this number of times and prints its number of resources.
fn compile(name: &str, rounds: usize) -> Result<(), String> {
    let (environment, node, scratch) = prepare(name)?;
    let mut resources = 0;
    for round in 0..rounds {
        let node = NodeInput { name: node.name.replace("node0.", &format!("node{round}.")), ..node.clone() };
        let result = compiler::compile(&environment, node, CompileOptions::default());
        resources = result.outcome.map_err(|error| error.to_string())?.resources.len();
    }
    println!("{resources}");
    if let Some(scratch) = scratch {
        let _ = std::fs::remove_dir_all(scratch);
    }
    Ok(())
}

/// A bench's environment and node, and the directory to remove afterwards.
fn prepare(name: &str) -> Result<(Environment, NodeInput, Option<PathBuf>), String> {
    let (of, times) = name.split_once('@').unwrap_or((name, ""));
    if let Some(shape) = growth::shapes().iter().find(|shape| shape.name == of) {
        let below = std::env::temp_dir().join(format!("bunraku-instructions-{}", std::process::id()));
        let directory = shape
            .write(&below, shape.base * times.parse().unwrap_or(TIMES))
            .map_err(|error| error.to_string())?;
        let (environment, node) = load(directory, "")?;
        return Ok((environment, node, Some(below)));
    }
    let (of, case) = name.split_once('/').ok_or_else(|| format!("no bench {name}"))?;
    let (environment, node) = load(root().join("tests/data/environments").join(of), case)?;
    Ok((environment, node, None))
}

/// The first case of an environment whose name begins with a text.
fn load(directory: PathBuf, case: &str) -> Result<(Environment, NodeInput), String> {
    let cases = environments::cases(&directory).map_err(|error| error.to_string())?;
    let is_wanted =
        |path: &PathBuf| path.file_stem().is_some_and(|of| of.to_string_lossy().starts_with(case));
    let found = cases.into_iter().find(|(path, _)| is_wanted(path));
    let (_, request) = found.ok_or_else(|| format!("{}: no case {case}", directory.display()))?;
    protocol::environment_on_disk(&request).map_err(|error| error.to_string())
}
