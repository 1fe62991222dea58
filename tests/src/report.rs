//! The result of a run: which questions were answered as the reference answers them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::compare;

/// One question with its answers.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The id of the question.
    pub id: String,
    /// The question.
    pub question: Value,
    /// The reference's answer.
    pub expected: Value,
    /// Ours.
    pub actual: Value,
    /// Whether they agree.
    pub passed: bool,
}

impl Outcome {
    /// An answer that must equal the reference's exactly.
    pub fn exact(id: impl Into<String>, question: Value, expected: Value, actual: Value) -> Self {
        Self { id: id.into(), passed: expected == actual, question, expected, actual }
    }
}

/// All outcomes of one file or environment.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The name under which the outcomes are counted.
    pub name: String,
    /// The outcomes, in the order of the questions.
    pub outcomes: Vec<Outcome>,
    /// The number of questions that are not asked, because the reference is known to be wrong there.
    pub not_asked: usize,
    /// Questions about things that are not installed on this machine.
    pub absent: Vec<String>,
}

impl Report {
    /// The number of agreeing answers.
    pub fn passed(&self) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.passed).count()
    }

    /// The ids that fail, sorted.
    pub fn failing(&self) -> Vec<&str> {
        let mut ids: Vec<&str> =
            self.outcomes.iter().filter(|one| !one.passed).map(|one| one.id.as_str()).collect();
        ids.sort_unstable();
        ids
    }

    /// `NAME passed/total`
    pub fn line(&self) -> String {
        let mut aside = match self.not_asked {
            0 => String::new(),
            count => format!(" ({count} not asked: reference bugs)"),
        };
        if !self.absent.is_empty() {
            aside.push_str(&format!(" ({} not asked: not installed)", self.absent.len()));
        }
        format!("{} {}/{}{aside}", self.name, self.passed(), self.outcomes.len())
    }
}

/// `N passed, N failed` over all reports.
pub fn closing_line(reports: &[Report]) -> String {
    let passed: usize = reports.iter().map(Report::passed).sum();
    let total: usize = reports.iter().map(|report| report.outcomes.len()).sum();
    format!("{passed} passed, {} failed", total - passed)
}

/// One outcome in full, for people.
pub fn show(outcome: &Outcome) -> String {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let mut text = String::new();
    let verdict = if outcome.passed { "passed" } else { "FAILED" };
    let _ = writeln!(text, "{} {verdict}", outcome.id);
    if let Some(source) = outcome.question["source"].as_str() {
        let _ = writeln!(text, "--- source\n{source}");
    }
    let _ = writeln!(text, "--- question\n{}", pretty(&outcome.question));
    let _ = writeln!(text, "--- expected\n{}", pretty(&outcome.expected));
    let _ = writeln!(text, "--- actual\n{}", pretty(&outcome.actual));
    for difference in differences(&outcome.expected, &outcome.actual) {
        let _ = writeln!(text, "--- differs: {difference}");
    }
    text
}

/// One outcome in few lines: the question, and where the answers differ.
pub fn brief(outcome: &Outcome) -> String {
    let question = match outcome.question["source"].as_str() {
        Some(source) => source.to_owned(),
        // Facts are many, and rarely relevant.
        None => match outcome.question.as_object() {
            Some(members) => {
                let told = members.iter().filter(|(name, _)| !["facts", "exported"].contains(&name.as_str()));
                short(&told.map(|(name, value)| (name.clone(), value.clone())).collect())
            }
            None => short(&outcome.question),
        },
    };
    let mut text = format!("    question:  {}\n", question.replace('\n', "\n               "));
    let differences = places(&outcome.expected, &outcome.actual);
    if differences.is_empty() {
        text.push_str(&format!(
            "    wanted:  {}\n    got:     {}\n",
            short(&outcome.expected),
            short(&outcome.actual)
        ));
    }
    for (place, want, got) in differences {
        text.push_str(&format!("    at {place}\n    wanted:  {want}\n    got:     {got}\n"));
    }
    text
}

/// The first places in which two answers differ, as paths.
pub fn differences(want: &Value, got: &Value) -> Vec<String> {
    let told = |(place, want, got)| format!("{place}: expected {want} got {got}");
    places(want, got).into_iter().map(told).collect()
}

/// The first places in which two answers differ, with both texts.
fn places(want: &Value, got: &Value) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    collect(want, got, "$", &mut found);
    found.truncate(10);
    found
}

fn collect(want: &Value, got: &Value, path: &str, found: &mut Vec<(String, String, String)>) {
    if compare::same(want, got) {
        return;
    }
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            let all: BTreeMap<&String, ()> = want.keys().chain(got.keys()).map(|key| (key, ())).collect();
            for key in all.keys() {
                let nothing = Value::Null;
                collect(
                    want.get(*key).unwrap_or(&nothing),
                    got.get(*key).unwrap_or(&nothing),
                    &format!("{path}.{key}"),
                    found,
                );
            }
            if all.len() == want.len() && all.len() == got.len() && want.keys().ne(got.keys()) {
                let names = |members: &Map<String, Value>| members.keys().cloned().collect::<Value>();
                found.push((format!("the order of {path}"), short(&names(want)), short(&names(got))));
            }
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            for (index, (want, got)) in want.iter().zip(got).enumerate() {
                collect(want, got, &format!("{path}[{index}]"), found);
            }
        }
        _ => found.push((path.to_owned(), short(want), short(got))),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
