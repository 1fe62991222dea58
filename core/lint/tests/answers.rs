//! Texts of our own, and what puppet-lint answers (`ask.rb`).

#![expect(clippy::disallowed_methods, reason = "a test reads its data; the library reads nothing")]

use std::fs;
use std::path::Path;

use bunraku_lint::{CHECKS, Finding, LintOptions, lint};
use serde_json::{Value as Json, json};

fn told(findings: &[Finding]) -> Json {
    findings
        .iter()
        .map(|one| json!([one.check, one.kind.name(), one.line, one.column, one.message]))
        .collect()
}

#[test]
fn findings_and_mended_texts_are_those_of_puppet_lint() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let answers = fs::read_to_string(directory.join("answers.jsonl")).expect("the answers are there");
    let mut checks = std::collections::BTreeSet::new();
    let mut wrong = Vec::new();
    for line in answers.lines() {
        let answer: Json = serde_json::from_str(line).expect("a line is JSON");
        let name = answer["text"].as_str().expect("a text has a name");
        let text = fs::read_to_string(directory.join("texts").join(name)).expect("the text is there");
        let on = LintOptions {
            path: Some(format!("/code/modules/case/manifests/{name}")),
            ..LintOptions::default()
        };
        let all = CHECKS.iter().map(|check| check.name.to_owned()).collect();
        let found = lint(&text, &LintOptions { checks: all, ..on.clone() });
        checks.extend(found.findings.iter().map(|one| one.check));
        let mended = lint(&text, &LintOptions { fix: true, ..on });
        let mut sides = vec![(told(&found.findings), &answer["found"])];
        let better = fs::read_to_string(directory.join("texts").join(name.replace(".pp", ".fixed")));
        match better {
            // Where puppet-lint breaks the program, ours is another text.
            Ok(better) => assert_eq!(mended.fixed.as_deref(), Some(better.as_str())),
            Err(_) => sides.extend([
                (told(&mended.findings), &answer["after"]),
                (json!(mended.fixed), &answer["fixed"]),
            ]),
        }
        for (own, wanted) in sides {
            if own != *wanted {
                wrong.push(format!("{name}\n  own:    {own}\n  wanted: {wanted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing: Vec<_> =
        CHECKS.iter().map(|check| check.name).filter(|name| !checks.contains(name)).collect();
    assert!(missing.is_empty(), "no text has anything for {missing:?}");
}
