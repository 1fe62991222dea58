//! Texts, and what is found in them.

use super::*;
use bunraku_syntax::diagnostic::ErrorKind;

fn found(text: &str) -> Vec<String> {
    let report = lint(text, &LintOptions::default());
    report.findings.iter().map(|one| format!("{} {}:{}", one.check, one.line, one.column)).collect()
}

#[test]
fn findings_have_checks_and_places() {
    assert_eq!(found("$a = 'b'\n"), Vec::<String>::new());
    assert_eq!(found("$a = \"b\" \n"), ["double_quoted_strings 1:6", "trailing_whitespace 1:9"]);
    assert_eq!(found("$a = \"ä${b}ö$c\"\n"), ["variables_not_enclosed 1:13"]);
    assert_eq!(found("  file { b: }\n"), ["unquoted_resource_title 1:10"]);
    assert_eq!(found(""), Vec::<String>::new());
}

#[test]
fn what_cannot_be_read_is_told_alone() {
    assert_eq!(found("$a = \"b\"\n$c = 'd\n"), ["syntax 2:6"]);
    assert_eq!(found("$a = \"b\"\n  x: 1\n"), ["syntax 2:4"]);
    let fix = LintOptions { fix: true, ..LintOptions::default() };
    assert_eq!(lint("$a = \"b\"\n$c = 'd\n", &fix).fixed, None);
}

#[test]
fn a_comment_gives_the_reason_for_what_it_ignores() {
    let report = lint("$a = \"b\" # lint:ignore:double_quoted_strings so it is\n", &LintOptions::default());
    assert_eq!(report.findings[0].kind, Kind::Ignored);
    assert_eq!(report.findings[0].reason.as_deref(), Some("so it is"));
    let report = lint("# lint:endignore\n", &LintOptions::default());
    assert_eq!(report.warnings.len(), 1);
}

#[test]
fn the_layout_of_a_module_needs_a_path() {
    let of = |path: Option<&str>, relative| {
        let path = path.map(str::to_owned);
        let report =
            lint("# A class.\nclass a::b { }\n", &LintOptions { path, relative, ..LintOptions::default() });
        report.findings.len()
    };
    assert_eq!(of(None, false), 0);
    assert_eq!(of(Some("/x/a/manifests/b.pp"), false), 0);
    assert_eq!(of(Some("/x/puppet-a/manifests/b.pp"), false), 1);
    assert_eq!(of(Some("/x/puppet-a/manifests/b.pp"), true), 0);
}

#[test]
fn requests_are_refused_that_ask_for_the_unknown() {
    let wrong = |request: serde_json::Value| {
        let error = request::answer("", &request, &Watch::default()).expect_err("it is wrong");
        assert_eq!(error.kind, ErrorKind::Argument);
        error.message
    };
    assert_eq!(wrong(serde_json::json!({ "only_checks": ["x"] })), "there is no check 'x'");
    assert_eq!(wrong(serde_json::json!({ "checks": { "x": true } })), "there is no check 'x'");
    assert_eq!(wrong(serde_json::json!({ "fixed": true })), "there is no option 'fixed' of the linter");
    assert_eq!(wrong(serde_json::json!({ "fix": 1 })), "'fix' is true or false");
}

#[test]
fn work_ends_when_it_is_to_end() {
    let end = || Err(Error::plain("enough"));
    assert!(lint_watched("$a = 1", &LintOptions::default(), &Watch::new(&end)).is_err());
}

#[test]
fn broken_texts_end_in_time() {
    for part in
        ["class ", "case ", "{", "|", "a:", "node ", "$a[", "\"${", "//", "/*", "@(\"X\")\n", "a => {"]
    {
        let text = part.repeat(2000);
        let fix = LintOptions { fix: true, ..LintOptions::default() };
        lint(&text, &fix);
    }
}
