//! Test binaries whose tests are determined at run time, so that tests that are impossible on this machine
//! are reported as ignored.
//!
//! A test that could only run in part becomes two: one compares the available part with the list of known
//! failures, the other is ignored and shows how much was missing. With `--include-ignored` ignored tests
//! fail.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::ratchet;
use crate::report::{self, Report};

/// The number of failures that are shown in full; the others are listed by their ids.
const SHOWN: usize = 5;

/// A test that is found at run time.
pub struct Test {
    name: String,
    run: Box<dyn FnOnce() -> Result<(), Failed> + Send>,
    is_ignored: bool,
}

impl Test {
    fn new(name: impl Into<String>, run: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Test {
        Test { name: name.into(), run: Box::new(run), is_ignored: false }
    }

    fn in_group(self, group: &str) -> Trial {
        Trial::test(format!("{group}/{}", self.name), self.run).with_ignored_flag(self.is_ignored)
    }
}

/// A group of tests: its name, and what finds them.
pub type Group = (&'static str, fn() -> Vec<Test>);

/// Runs the tests, as `cargo test` asks on the command line. A filter that begins with the name of a group
/// (`vectors`, `vectors/lexer`) leaves the tests of the other groups unfound, as finding some takes seconds.
pub fn run(groups: &[Group]) -> ExitCode {
    let arguments = Arguments::from_args();
    let filter = arguments.filter.as_deref().unwrap_or_default();
    let wanted = filter.split('/').next().unwrap_or_default();
    let is_named = groups.iter().any(|(name, _)| *name == wanted);
    let found = groups.iter().filter(|(name, _)| !is_named || *name == wanted);
    let tests = found.flat_map(|(name, tests)| tests().into_iter().map(|test| test.in_group(name)));
    libtest_mimic::run(&arguments, tests.collect()).exit_code()
}

/// A test that compares answers with the list of known failures. `least` is the minimum number of questions,
/// and `again` is the command that shows an outcome, before its `--show ID`.
pub fn golden(
    name: impl Into<String>,
    least: usize,
    again: impl Into<String>,
    ask: impl FnOnce() -> std::io::Result<Report> + Send + 'static,
) -> Test {
    let again = again.into();
    Test::new(name, move || {
        let report = ask().map_err(|error| format!("the questions cannot be read: {error}"))?;
        if report.outcomes.len() < least {
            return Err(format!("{} questions, and not {least}", report.outcomes.len()).into());
        }
        let wrong = ratchet::check(&report)?;
        let again = |id: &str| format!("{again} --show '{id}'");
        if wrong.is_empty() { Ok(()) } else { Err(told(&report, &wrong, &again).into()) }
    })
}

/// The variable with the id of an outcome that a test of [`assert_answers`] shows in full.
const SHOW: &str = "BUNRAKU_SHOW";

/// Compares answers with the list of known failures, in a test of the binary `answers` with this name.
///
/// # Panics
/// They differ, or there are fewer than `least`. Each difference is shown with its question, both answers,
/// and the command that shows it again.
pub fn assert_answers(report: &Report, least: usize, test: &str) {
    println!("{}", report.line());
    if let Ok(id) = std::env::var(SHOW) {
        let shown = report.outcomes.iter().filter(|outcome| outcome.id == id);
        shown.for_each(|outcome| println!("{}", report::show(outcome)));
    }
    assert!(report.outcomes.len() >= least, "{} questions, and not {least}", report.outcomes.len());
    let wrong = ratchet::check(report).expect("the list of known failures can be read");
    let again =
        |id: &str| format!("{SHOW}='{id}' cargo test -p conform --test answers {test} -- --nocapture");
    assert!(wrong.is_empty(), "{}", told(report, &wrong, &again));
}

/// A test of plain assertions: it fails when they panic.
pub fn plain(name: &str, test: impl FnOnce() + Send + 'static) -> Test {
    Test::new(name, move || {
        test();
        Ok(())
    })
}

/// A test that cannot be asked here.
pub fn ignored(name: impl Into<String>, why: &'static str) -> Test {
    Test { is_ignored: true, ..Test::new(name, move || Err(why.into())) }
}

/// The tests of a report that ran as far as the machine has its subjects: one for each group that ran, and an
/// ignored one for each that did not, or only in part.
pub fn by_group(report: &Report, again: &str, group: fn(&str) -> &str) -> Result<Vec<Test>, Failed> {
    let mut wrong: BTreeMap<&str, Vec<ratchet::Wrong>> = BTreeMap::new();
    for one in ratchet::check(report)? {
        let ids = report.outcomes.iter().map(|outcome| outcome.id.as_str());
        let name =
            ids.map(group).find(|name| *name == group(&one.id)).unwrap_or("the list of known failures");
        wrong.entry(name).or_default().push(one);
    }
    let mut tests = Vec::new();
    let asked: BTreeSet<&str> = report.outcomes.iter().map(|outcome| group(&outcome.id)).collect();
    for name in asked.iter().copied().chain(["the list of known failures"]) {
        let again = |id: &str| format!("{again} --show '{id}'");
        let verdict = wrong.get(name).map_or(Ok(()), |wrong| Err(Failed::from(told(report, wrong, &again))));
        tests.push(Test::new(format!("{}/{name}", report.name), move || verdict));
    }
    let mut absent: BTreeMap<&str, usize> = BTreeMap::new();
    report.absent.iter().for_each(|id| *absent.entry(group(id)).or_default() += 1);
    for (name, count) in absent {
        let name = format!("{}/{name}: {count} not installed", report.name);
        tests.push(ignored(name, "not installed, or in another version"));
    }
    Ok(tests)
}

/// The errors, for people; `again` is the command that shows an outcome.
fn told(report: &Report, wrong: &[ratchet::Wrong], again: &dyn Fn(&str) -> String) -> String {
    let mut text = format!("{}: {} differ from the list of known failures\n", report.name, wrong.len());
    for (number, one) in wrong.iter().enumerate() {
        text.push_str(&format!("{one}\n"));
        if let Some(outcome) = report.outcomes.iter().find(|outcome| outcome.id == one.id)
            && !outcome.passed
            && number < SHOWN
        {
            text.push_str(&report::brief(outcome));
            text.push_str(&format!("    again:  {}\n", again(&one.id)));
        }
    }
    text
}
