//! The quality of `bunraku check` in both directions: its findings in code that compiles, and the planted
//! faults that it finds. A fault counts if the compilation fails with it.
//!
//! The golden environments are always used. `SEEDED_MODULES` (directories of modules, separated by colons),
//! `SEEDED_ENVIRONMENTS` (directories of environments, which use modules of `SEEDED_BESIDE`) and
//! `SEEDED_COUNT` (faults of each kind) start the large run, which prints a table (`make check-faults`).

mod faults;
mod subjects;

use std::collections::{BTreeMap, HashSet};

use bunraku::check::{Finding, Options, Severity, check_files, check_index};
use bunraku::index::Index;
use bunraku::loader::Environment;
use bunraku::syntax::ast::Node;

use faults::{Fault, Kind};
use subjects::Subject;

/// The results for the faults of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    proven: usize,
    found: usize,
}

fn forever() -> Result<(), bunraku::Error> {
    Ok(())
}

/// Plants faults into a subject, and searches for the proven ones.
fn ask(subject: &Subject, wanted: usize, counts: &mut BTreeMap<Kind, Count>, missed: &mut Vec<String>) {
    let base = subject.load(None);
    let index = Index::of(&base, &forever).expect("nothing ends it");
    let options = Options::default();
    for fault in faults::of(subject, &base, &index, wanted) {
        let changed = subject.load(Some((&fault.path, &fault.text)));
        let Some(failure) = subject.failure(&changed) else { continue };
        let count = counts.entry(fault.kind).or_default();
        count.proven += 1;
        let told = |environment, index: &Index| -> Vec<Finding> {
            check_files(environment, index, &[&fault.path], &options, &forever).expect("nothing ends it")
        };
        let before = told(&base, &index);
        let mut renewed = index.clone();
        renewed.renew(&changed, &fault.path, &forever).expect("nothing ends it");
        let after = told(&changed, &renewed);
        let found = is_found(&fault, &before, &after);
        dump(subject, &index, &fault, found);
        if found {
            count.found += 1;
        } else {
            let Fault { kind, path, what, .. } = &fault;
            missed.push(format!("{kind:?} {path}:{} {what}\n    {failure}", fault.lines.0));
        }
    }
}

/// Writes a proven fault to the directory `SEEDED_DUMP`, for `tests/real/faults.rb`, which asks the
/// reference, and `tests/real/fault_tools.rb`, which asks other tools.
fn dump(subject: &Subject, index: &Index, fault: &Fault, found: bool) {
    let Some(directory) = std::env::var_os("SEEDED_DUMP") else { return };
    let said = serde_json::json!({
        "environment": subject.name, "kind": format!("{:?}", fault.kind), "path": fault.path, "text": fault.text,
        "what": fault.what, "relative": subject.relative(&fault.path), "lines": [fault.lines.0, fault.lines.1],
        "before": index.file(&fault.path).map(|file| file.source.text()), "found": found,
    });
    let number = std::fs::read_dir(&directory).map_or(0, Iterator::count);
    let path = std::path::Path::new(&directory).join(format!("{number:05}.json"));
    std::fs::write(path, said.to_string()).expect("the fault can be written");
}

/// Whether a new finding is at the place of the fault.
fn is_found(fault: &Fault, before: &[Finding], after: &[Finding]) -> bool {
    let key = |one: &Finding| (one.code, one.message.clone());
    after.iter().filter(|one| one.severity != Severity::Note).any(|one| {
        let count = |all: &[Finding]| all.iter().filter(|other| key(other) == key(one)).count();
        let is_new = count(after) > count(before);
        is_new && one.place.line <= fault.lines.1 && one.place.end_line >= fault.lines.0
    })
}

fn table(counts: &BTreeMap<Kind, Count>) -> (String, usize, usize) {
    let mut text = String::new();
    let (mut proven, mut found) = (0, 0);
    for (kind, count) in counts {
        let share = 100.0 * count.found as f64 / count.proven.max(1) as f64;
        text.push_str(&format!("{kind:<24?} {:>5} {:>5} {share:>6.1} %\n", count.proven, count.found));
        proven += count.proven;
        found += count.found;
    }
    let share = 100.0 * found as f64 / proven.max(1) as f64;
    text.push_str(&format!("{:<24} {proven:>5} {found:>5} {share:>6.1} %\n", "all"));
    (text, proven, found)
}

#[test]
fn planted_faults_are_found() {
    let (mut counts, mut missed) = (BTreeMap::new(), Vec::new());
    for subject in subjects::golden() {
        ask(&subject, 2, &mut counts, &mut missed);
    }
    let (text, proven, found) = table(&counts);
    assert!(proven >= 150, "too few faults are proven\n{text}");
    assert!(found * 100 >= proven * 90, "{text}{}", missed.join("\n"));
}

/// The errors in resources that nodes have evaluated without failing: false alarms.
fn false_alarms(environment: &Environment, evaluated: &HashSet<(String, u32)>) -> (usize, Vec<String>) {
    let index = Index::of(environment, &forever).expect("nothing ends it");
    let findings = check_index(environment, &index, &Options::default(), &forever).expect("nothing ends it");
    let errors: Vec<&Finding> = findings.iter().filter(|one| one.severity == Severity::Error).collect();
    let is_evaluated = |one: &&&Finding| {
        let (Some(path), Some(span)) = (one.place.file.as_deref(), one.place.span) else { return false };
        let Some(program) = index.file(path).and_then(|file| file.program.clone()) else { return false };
        let around = program.ids().filter(|&id| matches!(program.node(id), Node::ResourceBody { .. }));
        let mut around = around.map(|id| program.extent(id));
        around.any(|extent| {
            let line = |at: u32| program.source().line(at);
            extent.start <= span.start
                && span.end <= extent.end
                && (line(extent.start)..=line(extent.end))
                    .any(|line| evaluated.contains(&(path.to_owned(), line)))
        })
    };
    let wrong = errors.iter().filter(is_evaluated);
    let shown = |one: &&Finding| {
        let place = &one.place;
        let file = place.file.as_deref().unwrap_or_default();
        format!("{file}:{}:{} {}: {}", place.line, place.column, one.code.name(), one.message)
    };
    (errors.len(), wrong.map(shown).collect())
}

#[test]
fn code_that_compiles_has_no_errors() {
    for subject in subjects::golden() {
        let environment = subject.load(None);
        let (_, wrong) = false_alarms(&environment, &subject.evaluated(&environment));
        assert!(wrong.is_empty(), "{}: {}", subject.name, wrong.join("\n"));
    }
}

/// The same for all classes of `SEEDED_MODULES` that compile on their own.
#[test]
#[ignore = "it takes long, and modules: see the Makefile"]
fn false_alarms_are_counted() {
    let subjects = subjects::of_modules(&std::env::var("SEEDED_MODULES").unwrap_or_default());
    let Some(first) = subjects.first() else { return };
    let environment = first.load(None);
    let evaluated: HashSet<_> = subjects.iter().flat_map(|subject| subject.evaluated(&environment)).collect();
    let (errors, wrong) = false_alarms(&environment, &evaluated);
    println!("{} modules, {} evaluated lines, {errors} errors", subjects.len(), evaluated.len());
    println!("{} of them in resources that were evaluated\n{}", wrong.len(), wrong.join("\n"));
}

/// The large run.
#[test]
#[ignore = "it takes long, and modules: see the Makefile"]
fn planted_faults_are_counted() {
    let given = |name: &str| std::env::var(name).unwrap_or_default();
    let of_modules = subjects::of_modules(&given("SEEDED_MODULES"));
    let of_environments = subjects::of_environments(&given("SEEDED_ENVIRONMENTS"), &given("SEEDED_BESIDE"));
    let wanted = std::env::var("SEEDED_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(3);
    let (mut counts, mut missed) = (BTreeMap::new(), Vec::new());
    for subject in subjects::golden().into_iter().chain(of_modules).chain(of_environments) {
        ask(&subject, wanted, &mut counts, &mut missed);
        eprintln!("{}: {}", subject.name, table(&counts).0.lines().last().unwrap_or_default());
    }
    let (text, ..) = table(&counts);
    println!("{}\n\n{:<24} {:>5} {:>5}\n{text}", missed.join("\n"), "kind", "there", "found");
}
