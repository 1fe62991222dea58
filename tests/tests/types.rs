//! Generated questions about types and their values (`data/types.jsonl`): order, instances, inference, common types, texts, `new`,
//! formats, times, versions, URIs, mismatches, Object types, the TypeSet `Puppet::AST`, serialization; the reference has answered them.

use conform::{data, vectors};

#[test]
fn types_answer_as_the_reference() {
    let report = vectors::check(&data::directory().join("types.jsonl")).expect("the questions can be read");
    let failed = report.outcomes.iter().filter(|outcome| !outcome.passed);
    let wrong: Vec<String> =
        failed.map(|outcome| format!("{}: {}", outcome.id, outcome.question["source"])).collect();
    assert!(report.outcomes.len() > 700 && wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
