//! The corpus: digests of the reference's parser and validator results for real manifests.
//!
//! The sources are Debian's packages; a file that is not installed, or that differs from the recorded one, is
//! counted separately. `data/corpus/golden.rb` documents the keys of a row.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bunraku::diagnostic::Diagnostic;
use bunraku::source::Source;
use bunraku::syntax::ast::{FieldValue, NodeId, Program};
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, parse_with_warnings, pn};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::report::{Outcome, Report};
use crate::{data, workers};

/// Checks every file of a corpus that is installed below `root`.
pub fn check(corpus: &Path, root: &Path) -> io::Result<Report> {
    let rows: Vec<Value> = data::read_lines(corpus)?.into_iter().filter(|row| row["p"].is_string()).collect();
    let (mut known, mut absent) = (Vec::new(), Vec::new());
    for row in rows {
        let name = row["p"].as_str().unwrap_or_default();
        match fs::read(root.join(name)) {
            Ok(bytes) if row["s"] == sha256(&bytes) => known.push((row, bytes)),
            _ => absent.push(name.to_owned()),
        }
    }
    let answers = workers::run_all(&known, |(row, bytes)| answer(row, bytes));
    let outcomes: Vec<Outcome> =
        known.into_iter().zip(answers).map(|((row, _), answer)| outcome(row, answer)).collect();
    Ok(Report { name: "corpus".to_owned(), outcomes, not_asked: 0, absent })
}

fn outcome(mut row: Value, answer: Result<Value, String>) -> Outcome {
    let id = row["p"].as_str().unwrap_or_default().to_owned();
    let question = json!({ "p": row["p"], "m": row["m"] });
    if let Some(members) = row.as_object_mut() {
        // Size and digest of the source are not answers; `old` is another version's.
        members.retain(|key, _| !["p", "s", "b", "l", "m", "old"].contains(&key.as_str()));
    }
    let actual = answer.unwrap_or_else(|panic| json!({ "panic": panic }));
    let passed = actual == row;
    Outcome { id, question, expected: row, actual, passed }
}

fn answer(row: &Value, bytes: &[u8]) -> Value {
    let name = row["p"].as_str().unwrap_or_default();
    let (epp, tasks) = (row["m"] == "epp", row["m"] == "plan");
    let Ok(text) = std::str::from_utf8(bytes) else {
        return json!({ "r": "syn", "e": ["not UTF-8"] });
    };
    let source = Arc::new(Source::new(Some(name), text));
    let mut warnings = Vec::new();
    let parsed =
        parse_with_warnings(source, &ParseOptions { epp, tasks, ..ParseOptions::default() }, &mut warnings);
    let mut answer = match parsed {
        Ok(program) => judged(&program, tasks),
        Err(diagnostic) => json!({ "r": "syn", "e": complaint(&diagnostic) }),
    };
    if !warnings.is_empty() {
        answer["w"] = warnings.iter().map(complaint).collect();
    }
    answer
}

/// Code, message, line and column.
fn complaint(diagnostic: &Diagnostic) -> Value {
    let Diagnostic { issue, message, location, .. } = diagnostic;
    json!([issue.code(), message, location.line, location.column])
}

fn judged(program: &Program, tasks: bool) -> Value {
    let (count, positions) = positions(program);
    let found = validate(program, &ValidateOptions { tasks, ..ValidateOptions::default() });
    let is_invalid = found.iter().any(|one| one.severity == bunraku::diagnostic::Severity::Error);
    let mut answer = json!({
        "r": if is_invalid { "inval" } else { "ok" },
        "pn": pn::to_text(program, program.body()).map_or_else(|one| one.message, |text| sha256(text.as_bytes())),
        "n": count,
        "pos": sha256(positions.as_bytes()),
    });
    if !found.is_empty() {
        let rows = found.iter().map(|one| {
            let place = &one.location;
            json!([one.severity.name(), one.issue.code(), one.message, place.line, place.column])
        });
        answer["d"] = rows.collect();
    }
    answer
}

/// The number of model objects, and the listing of their kinds and places in pre-order.
fn positions(program: &Program) -> (usize, String) {
    let mut listing = String::from("Program - -\n");
    let mut count = 1;
    let mut waiting: Vec<NodeId> = vec![program.body()];
    while let Some(id) = waiting.pop() {
        let (node, span) = (program.node(id), program.span(id));
        count += 1;
        let _ = writeln!(listing, "{} {} {}", node.kind().name(), span.start, span.len());
        let mut children = Vec::new();
        node.fields(|field| match field.value {
            FieldValue::Node(child) => children.push(child),
            FieldValue::Nodes(list) => children.extend_from_slice(program.list(list)),
            _ => {}
        });
        waiting.extend(children.into_iter().rev());
    }
    // The reference counts the locator of the program as one of its parts.
    listing.push_str("Locator19 - -\n");
    (count + 1, listing)
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
