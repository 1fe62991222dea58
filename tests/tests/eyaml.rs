//! Lookups of encrypted data (`data/eyaml/ask.rb`): values, and errors of keys, certificates and messages, are those of the
//! reference with the gem hiera-eyaml.

use conform::{data, vectors};

#[test]
fn encrypted_data_is_read_as_by_the_reference() {
    let path = data::directory().join("eyaml/lookups.jsonl");
    let report = vectors::check(&path).expect("the questions can be read");
    let failed = report.outcomes.iter().filter(|outcome| !outcome.passed);
    let wrong: Vec<&str> = failed.map(|outcome| outcome.id.as_str()).collect();
    assert!(report.outcomes.len() > 100 && wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
