//! Test binaries whose tests are found at run time, so that what cannot be asked on this machine is told as ignored.
//!
//! A test that was asked in part only is two: one holds what was asked against the list of known failures, the other is
//! ignored and tells how much was not. With `--include-ignored` what is ignored fails.

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::ratchet;
use crate::report::{self, Report};

/// Failures that are shown in full; the others are told by their ids.
const SHOWN: usize = 5;

/// Runs the tests, as `cargo test` asks on the command line.
pub fn run(trials: Vec<Trial>) -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test that holds answers against the list of known failures. `least` is how many questions there are at least, and
/// `again` what shows an outcome again, before its `--show ID`.
pub fn golden(
    name: impl Into<String>,
    least: usize,
    again: impl Into<String>,
    ask: impl FnOnce() -> std::io::Result<Report> + Send + 'static,
) -> Trial {
    let again = again.into();
    Trial::test(name, move || {
        let report = ask().map_err(|error| format!("the questions cannot be read: {error}"))?;
        if report.outcomes.len() < least {
            return Err(format!("{} questions, and not {least}", report.outcomes.len()).into());
        }
        let wrong = ratchet::check(&report)?;
        if wrong.is_empty() { Ok(()) } else { Err(told(&report, &wrong, &again).into()) }
    })
}

/// A test of plain assertions: it fails when they panic.
pub fn plain(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// A test that cannot be asked here.
pub fn ignored(name: impl Into<String>, why: &'static str) -> Trial {
    Trial::test(name, move || Err(why.into())).with_ignored_flag(true)
}

/// The tests of a report that was asked as far as the machine has what it is about: one for each group that was asked, and
/// an ignored one for each that was not, or not wholly.
pub fn by_group(report: &Report, again: &str, group: fn(&str) -> &str) -> Result<Vec<Trial>, Failed> {
    let mut wrong: BTreeMap<&str, Vec<ratchet::Wrong>> = BTreeMap::new();
    for one in ratchet::check(report)? {
        let ids = report.outcomes.iter().map(|outcome| outcome.id.as_str());
        let name =
            ids.map(group).find(|name| *name == group(&one.id)).unwrap_or("the list of known failures");
        wrong.entry(name).or_default().push(one);
    }
    let mut trials = Vec::new();
    let asked: BTreeSet<&str> = report.outcomes.iter().map(|outcome| group(&outcome.id)).collect();
    for name in asked.iter().copied().chain(["the list of known failures"]) {
        let verdict = wrong.get(name).map_or(Ok(()), |wrong| Err(Failed::from(told(report, wrong, again))));
        trials.push(Trial::test(format!("{}/{name}", report.name), move || verdict));
    }
    let mut absent: BTreeMap<&str, usize> = BTreeMap::new();
    report.absent.iter().for_each(|id| *absent.entry(group(id)).or_default() += 1);
    for (name, count) in absent {
        let name = format!("{}/{name}: {count} not installed", report.name);
        trials.push(ignored(name, "not installed, or in another version"));
    }
    Ok(trials)
}

/// What is wrong, for people.
fn told(report: &Report, wrong: &[ratchet::Wrong], again: &str) -> String {
    let mut text = format!("{}: {} differ from the list of known failures\n", report.name, wrong.len());
    for (number, one) in wrong.iter().enumerate() {
        text.push_str(&format!("{one}\n"));
        if let Some(outcome) = report.outcomes.iter().find(|outcome| outcome.id == one.id)
            && !outcome.passed
            && number < SHOWN
        {
            text.push_str(&report::brief(outcome));
            text.push_str(&format!("    again:  {again} --show '{}'\n", one.id));
        }
    }
    text
}
