//! Files of golden vectors: one question with the reference's answer on each line.

use std::collections::HashSet;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::report::{Outcome, Report};
use crate::{compare, data, protocol, ratchet, workers};

/// Asks all questions of a file, except for those listed in a `reference_bugs.txt` beside it.
pub fn check(path: &Path) -> io::Result<Report> {
    let bugs: HashSet<String> =
        data::read_ids(&path.with_file_name("reference_bugs.txt"))?.into_iter().collect();
    let is_bug = |vector: &Value| vector["id"].as_str().is_some_and(|id| bugs.contains(id));
    let vectors = data::read_lines(path)?;
    let not_asked = vectors.iter().filter(|vector| is_bug(vector)).count();
    let asked: Vec<Value> = vectors.into_iter().filter(|vector| !is_bug(vector)).collect();
    let answers = workers::run_all(&asked, protocol::answer);
    let outcomes = asked.into_iter().zip(answers).map(|(vector, answer)| outcome(vector, answer)).collect();
    Ok(Report { name: name_of(path), outcomes, not_asked, ..Report::default() })
}

/// The name of a file without `.jsonl` and `.gz`, after that of its directory, except for those of
/// `conformance`.
pub fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_end_matches(".gz").trim_end_matches(".jsonl");
    let directory = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    if directory == "conformance" { name.to_owned() } else { format!("{directory}-{name}") }
}

fn outcome(mut question: Value, answer: Result<Value, String>) -> Outcome {
    let expected = question["expect"].take();
    let id = question["id"].as_str().unwrap_or_default().to_owned();
    if let Some(members) = question.as_object_mut() {
        members.remove("expect");
    }
    let (actual, passed) = match answer {
        Ok(actual) => {
            let passed = compare::vector_agrees(&expected, &actual)
                || ratchet::is_crash_that_is_told(&id, &expected, &actual);
            (actual, passed)
        }
        Err(panic) => (json!({ "panic": panic }), false),
    };
    Outcome { id, question, expected, actual, passed }
}
