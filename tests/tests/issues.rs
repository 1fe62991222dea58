//! Questions about the reference's issues (`data/issues.jsonl`): text, code, file, line and column of each answer are those of the
//! reference. `core/docs/issues.md` tells which issue is asked about where, and which cannot arise.

use conform::{data, vectors};

#[test]
fn issues_are_those_of_the_reference() {
    let report = vectors::check(&data::directory().join("issues.jsonl")).expect("the questions can be read");
    let failed = report.outcomes.iter().filter(|outcome| !outcome.passed);
    let wrong: Vec<String> =
        failed.map(|outcome| format!("{}: {}", outcome.id, outcome.question["source"])).collect();
    assert!(report.outcomes.len() > 250 && wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
