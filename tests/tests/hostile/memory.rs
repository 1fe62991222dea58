//! Programs that keep memory (`data/hostile/memory.txt`): each ends with a limit that has a place, and its
//! process has taken little more than the limit of a compilation. Every program has its own process, which
//! reports its peak. A narrow limit shows this with every run of the tests; `make hostile` runs them with the
//! default. `BUNRAKU_ONLY=TEXT` selects those whose names contain the text, `BUNRAKU_SHOW=1` prints how each
//! ends.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use bunraku::catalog::Catalog;
use bunraku::compiler::{Limits, NodeInput, compile};
use bunraku::diagnostic::Error;
use bunraku::host::FILE_SIZE;
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};
use bunraku::memory;
use conform::{data, hostile, workers};

/// Which program a process runs, and its limit of memory in bytes.
const ONE: &str = "BUNRAKU_HOSTILE_PROGRAM";
const MEMORY: &str = "BUNRAKU_HOSTILE_MEMORY";
/// The other memory of a process, in kilobytes: the program's code, stacks, files in memory.
const BESIDES: u64 = 96 << 10;

/// The most memory that this process had, in kilobytes.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn programs() -> Vec<hostile::Program> {
    let path = data::directory().join("hostile/memory.txt");
    hostile::read(&fs::read_to_string(path).expect("the programs can be read"))
}

/// The work of the processes that the tests start.
#[test]
#[ignore = "the other tests start it"]
fn one_program() {
    let Ok(name) = std::env::var(ONE) else { return };
    let memory = std::env::var(MEMORY).ok().and_then(|memory| memory.parse().ok());
    let limits = Limits { memory, ..Limits::default() };
    let program =
        programs().into_iter().find(|program| program.head == name).expect("there is such a program");
    let outcome = workers::run_one(|| program.run(&limits)).unwrap_or_else(|panic| format!("panic {panic}"));
    println!("\n{ONE} {} {outcome}", peak());
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation")]
fn memory_is_limited_where_the_limit_is_narrow() {
    all_are_stopped(16 << 20, true);
}

#[test]
#[ignore = "takes minutes: make hostile"]
fn memory_is_limited_by_default() {
    // Some of them end before they have taken this much.
    all_are_stopped(Limits::default().memory.expect("memory is limited by default"), false);
}

/// Runs all programs, and fails for those that take more than the limit; and with `each` for those that do
/// not run over it.
fn all_are_stopped(memory: u64, each: bool) {
    let mut programs = programs();
    if let Ok(wanted) = std::env::var("BUNRAKU_ONLY") {
        programs.retain(|program| program.head.contains(&wanted));
    }
    let is_shown = std::env::var_os("BUNRAKU_SHOW").is_some();
    let test = std::env::current_exe().expect("the test has a file");
    let outcomes = workers::run_all(&programs, |program| {
        let begin = Instant::now();
        let output = Command::new(&test)
            .args(["--exact", "memory::one_program", "--ignored", "--nocapture"])
            .env(ONE, &program.head)
            .env(MEMORY, memory.to_string())
            .output();
        let output = output.expect("the test can be started");
        let text = String::from_utf8_lossy(&output.stdout);
        let told = text.lines().find_map(|line| line.strip_prefix(ONE)?.trim().split_once(' '));
        let (taken, outcome) = told.unwrap_or(("0", "the process died"));
        let outcome = (taken.parse::<u64>().unwrap_or(0), outcome.to_owned());
        if is_shown {
            let seconds = begin.elapsed().as_secs_f32();
            println!("{seconds:.1} s {} MB {} => {}", outcome.0 >> 10, program.head, outcome.1);
        }
        outcome
    });
    let most = (memory >> 10) + (memory >> 12) + BESIDES;
    let wrong: Vec<_> = programs
        .iter()
        .zip(outcomes)
        .filter_map(|(program, outcome)| {
            let (taken, outcome) = outcome.unwrap_or_else(|panic| (0, panic));
            let is_stopped = outcome.starts_with("limit ") && !outcome.starts_with("limit -");
            let has_ended = ["value", "error "].iter().any(|end| outcome.starts_with(end));
            let is_right = (is_stopped || !each && has_ended) && taken <= most;
            (!is_right).then(|| format!("{} MB {} => {outcome}", taken >> 10, program.head))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} programs\n{}", wrong.len(), programs.len(), wrong.join("\n"));
}

fn environment(code: &str) -> Environment {
    let options = EnvironmentOptions {
        name: "production".to_owned(),
        modulepath: Some(Vec::new()),
        code: Some(code.to_owned()),
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(MemoryHost::new()), options).expect("it has no files to read")
}

fn catalog(environment: &Environment, limits: Limits) -> Result<Catalog, Error> {
    let node = NodeInput { name: "node".to_owned(), ..NodeInput::default() };
    compile(environment, node, limits).outcome
}

#[test]
fn what_a_compilation_has_taken_is_given_back() {
    const TEXT: isize = 1 << 20;
    let environment = environment(
        "$a = Integer[1,20].reduce('x') |$m, $i| { \"${m}${m}\" }
         function f($a, $n) { $s = \"${a}${n}\"; if $n > 0 { f($a, $n - 1) }; $s.size }
         notice(f($a, 30), inline_template('<%= (1..10000).map { |i| [i] }.size %>'))
         notify { 'kept': message => $a }",
    );
    drop(catalog(&environment, Limits::default()).expect("it is small"));
    for _ in 0..3 {
        let before = memory::live();
        bunraku_allocator::reset_peak();
        let kept = catalog(&environment, Limits::default()).expect("it is small");
        assert!(bunraku_allocator::peak() - before > 30 * TEXT, "{}", bunraku_allocator::peak() - before);
        let held = memory::live() - before;
        assert!((TEXT..TEXT + (64 << 10)).contains(&held), "the catalog has {held} bytes");
        drop(kept);
        let left = memory::live() - before;
        assert!(left.abs() < 4096, "{left} bytes are left");
        let narrow = Limits { memory: Some(8 << 20), ..Limits::default() };
        let error = catalog(&environment, narrow).expect_err("it takes more");
        assert_eq!((error.location.line, error.message.contains("8388608 bytes of memory")), (Some(2), true));
        drop(error);
        let left = memory::live() - before;
        assert!(left.abs() < 4096, "{left} bytes are left by a failure");
    }
}

#[test]
fn great_catalogs_are_not_refused() {
    let environment = environment(
        "define d($x) { notify { \"${title} a\": message => \"a text of ${title}\", require => Notify[\"${title} b\"] }
                        notify { \"${title} b\": message => [$x, { a => $x }], tag => ['a', $x] } }
         Integer[1, 7000].each |$i| { d { \"n${i}\": x => \"${i}\" } }",
    );
    let before = memory::live();
    bunraku_allocator::reset_peak();
    let catalog = catalog(&environment, Limits::default()).expect("it is no more than others");
    assert!(catalog.resources.len() > 20_000);
    let taken = bunraku_allocator::peak() - before;
    assert!(taken < 128 << 20, "{taken} bytes");
}

/// The parts of the largest manifests that files can contain.
const GREAT: &[(&str, &str)] = &[
    ("notice(1)\n", ""),
    ("[", "]"),
    ("x ", ""),
    ("$a = { 'b' => [1, 2, \"c${d}e\"] }\n", ""),
    ("notify { 'a': message => 'b' }\n", ""),
    ("\"${a}\"\n", ""),
    ("# a comment\n", ""),
    ("1,", ""),
];

#[test]
#[ignore = "takes minutes: make hostile"]
fn manifests_of_the_greatest_size_stay_within_the_limit() {
    let most = Limits::default().memory.expect("memory is limited by default");
    let bounds = isize::try_from(most + (most >> 2)).expect("it is no more than memory");
    for (opening, closing) in GREAT {
        let size = usize::try_from(FILE_SIZE).expect("it is no more than memory");
        let count = size / (opening.len() + closing.len());
        let mut host = MemoryHost::new();
        host.add("/envs/production/manifests/site.pp", opening.repeat(count) + &closing.repeat(count));
        let environmentpath = vec!["/envs".to_owned()];
        let name = "production".to_owned();
        let options = EnvironmentOptions { name, environmentpath, ..EnvironmentOptions::default() };
        let environment = Environment::load(Arc::new(host), options).expect("its files are read later");
        let before = memory::live();
        bunraku_allocator::reset_peak();
        let begin = Instant::now();
        let outcome = catalog(&environment, Limits::default()).map(|catalog| catalog.resources.len());
        let (taken, seconds) = (bunraku_allocator::peak() - before, begin.elapsed().as_secs_f32());
        let told = outcome.as_ref().map_err(Error::to_string);
        println!("{seconds:.1} s {} MB {opening:?}: {told:?}", taken >> 20);
        assert!(taken < bounds, "{opening:?}: {taken} bytes");
        let limit = outcome.err().filter(|error| error.kind.is_limit());
        assert!(limit.is_none_or(|error| error.location.line.is_some()), "{opening:?} has no place");
    }
}
