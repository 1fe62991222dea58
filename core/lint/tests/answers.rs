//! Texts of our own, and what puppet-lint answers (`ask.rb`).

#![expect(clippy::disallowed_methods, reason = "a test reads its data; the library reads nothing")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use bunraku_lint::{CHECKS, Finding, LintOptions, lint};
use serde_json::{Value as Json, json};

fn told(findings: &[Finding]) -> Json {
    findings
        .iter()
        .map(|one| json!([one.check, one.kind.name(), one.line, one.column, one.message]))
        .collect()
}

fn texts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts")
}

/// What a check of a plug-in finds and mends otherwise than the plug-in.
fn differing(
    name: &str,
    text: &str,
    answer: &Json,
    on: &LintOptions,
    checks: &mut BTreeSet<&'static str>,
) -> Option<String> {
    let check = answer[0].as_str().expect("a check has a name");
    let run = |fix| lint(text, &LintOptions { checks: vec![check.to_owned()], fix, ..on.clone() });
    let found = run(false).findings;
    checks.extend(found.iter().map(|one| one.check));
    let own = json!([told(&found), run(true).fixed]);
    let better = texts().join(name.replace(".pp", &format!(".{check}.fixed")));
    let fixed = fs::read_to_string(better).map_or_else(|_| answer[2].clone(), Json::from);
    let wanted = json!([answer[1], fixed]);
    // A plug-in that fails has no answer.
    let is_same = |at: usize| wanted[at].is_null() || own[at] == wanted[at];
    (!is_same(0) || !is_same(1)).then(|| format!("{name}: {check}\n  own:    {own}\n  wanted: {wanted}"))
}

#[test]
fn findings_and_mended_texts_are_those_of_puppet_lint() {
    let answers = fs::read_to_string(texts().with_file_name("answers.jsonl")).expect("the answers are there");
    let mut checks = BTreeSet::new();
    let mut wrong = Vec::new();
    for line in answers.lines() {
        let answer: Json = serde_json::from_str(line).expect("a line is JSON");
        let name = answer["text"].as_str().expect("a text has a name");
        let text = fs::read_to_string(texts().join(name)).expect("the text is there");
        let on = LintOptions {
            path: Some(format!("/code/modules/case/manifests/{name}")),
            ..LintOptions::default()
        };
        let own = CHECKS.iter().filter(|check| check.plugin.is_none());
        let all = own.map(|check| check.name.to_owned()).collect();
        let found = lint(&text, &LintOptions { checks: all, ..on.clone() });
        checks.extend(found.findings.iter().map(|one| one.check));
        for of_plugin in answer["plugins"].as_array().expect("plug-ins were asked") {
            wrong.extend(differing(name, &text, of_plugin, &on, &mut checks));
        }
        let mended = lint(&text, &LintOptions { fix: true, ..on });
        let mut sides = vec![(told(&found.findings), &answer["found"])];
        let better = fs::read_to_string(texts().join(name.replace(".pp", ".fixed")));
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
