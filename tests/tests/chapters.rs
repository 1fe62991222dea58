//! Questions along the chapters of the language's specification on the scope of parameters, names, calls, functions, templates and
//! heredocs (`data/chapters.jsonl`); the reference has answered them.

use conform::{data, vectors};

#[test]
fn each_clause_is_answered_as_by_the_reference() {
    let report =
        vectors::check(&data::directory().join("chapters.jsonl")).expect("the questions can be read");
    let failed = report.outcomes.iter().filter(|outcome| !outcome.passed);
    let wrong: Vec<String> =
        failed.map(|outcome| format!("{}: {}", outcome.id, outcome.question["source"])).collect();
    assert!(report.outcomes.len() > 700 && wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
