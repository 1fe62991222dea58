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

fn of_plugins(text: &str, fix: bool) -> (Vec<String>, Option<String>) {
    let checks = checks_of_plugin("voxpupuli-puppet-lint-plugins").into_iter();
    let checks = checks.map(|check| check.name.to_owned()).collect();
    let report = lint(text, &LintOptions { checks, fix, ..LintOptions::default() });
    let findings = report.findings.iter();
    (findings.map(|one| format!("{} {}:{}", one.check, one.line, one.column)).collect(), report.fixed)
}

#[test]
fn checks_of_plugins_run_when_they_are_chosen() {
    let text = "$a = [\n  1,\n  2\n]\n";
    assert_eq!(found(text), Vec::<String>::new());
    assert_eq!(of_plugins(text, false).0, ["trailing_comma 3:4"]);
    assert!(CHECKS.iter().all(|check| check.plugin.is_none() || !check.is_on));
    assert!(checks_of_plugin("puppet-lint-nothing-check").is_empty());
    let request = serde_json::json!({ "plugins": ["puppet-lint-trailing_comma-check"] });
    let answer = request::answer(text, &request, &Watch::default()).expect("it is right");
    assert_eq!(answer["findings"][0]["check"], "trailing_comma");
    let unknown = serde_json::json!({ "plugins": ["x"] });
    assert!(request::answer(text, &unknown, &Watch::default()).is_err());
}

#[test]
fn checks_of_plugins_find_their_places() {
    let text = "\
# @param a It is documented
# @param c It is not there
class x ($a, Optional[String] $b = 'b', String $d = lookup('d')) inherits ::y {
  include ::z
  file { '/a':
      ensure => present
  }
  if $facts['os'] == 'x' and $version >= 3 { notify{ 'a':} }
  $e = $b ? { up => 07 }
}
";
    let (found, _) = of_plugins(text, false);
    let wanted = [
        "trailing_comma 6:24",
        "unquoted_string_in_selector 9:15",
        "leading_zero 9:21",
        "version_comparison 8:30",
        "file_ensure 6:17",
        "relative_classname_inclusion 3:75",
        "relative_classname_inclusion 4:11",
        "parameter_documentation 2:10",
        "parameter_documentation 3:31",
        "parameter_documentation 3:48",
        "strict_indent 6:1",
        "lookup_in_parameter 3:53",
        "optional_default 3:31",
        "parameter_types 3:10",
        "manifest_whitespace_closing_brace_before 8:58",
        "manifest_whitespace_opening_brace_before 8:52",
    ];
    assert_eq!(found, wanted);
}

#[test]
fn what_plugins_find_is_mended() {
    let fixed = |text: &str| of_plugins(text, true).1.expect("it can be read");
    assert_eq!(fixed("$a = [\n  1\n]\n"), "$a = [\n  1,\n]\n");
    assert_eq!(fixed("include ::a\n"), "include a\n");
    assert_eq!(fixed("if $version < 3 { }\n"), "if versioncmp($version, '3') < 0 {}\n");
    assert_eq!(fixed("file { '/a':\n  ensure => present,\n}\n"), "file { '/a':\n  ensure => file,\n}\n");
    assert_eq!(fixed("\n\n$aB['K'] = 1\n\n\n"), "$ab['K'] = 1\n");
    assert_eq!(fixed("$a = @(X)\nb\n| X\n"), "$a = @(X)\n  b\n  | X\n");
    assert_eq!(fixed("class  a{\n\n\n  $b = [ 1 ]\n\n}"), "class a {\n  $b = [1]\n}\n");
}

#[test]
fn data_is_searched_for_old_names_of_facts() {
    let source = "a:\n  - 'x %{::fqdn} %{facts.os.name}'\n  - 'y %{facts.domain}'\n";
    let texts = ["a", "x %{::fqdn} %{facts.os.name}", "y %{facts.domain}"];
    let found = lint_data(source, &texts, &LintOptions::default());
    let found: Vec<_> = found.iter().map(|one| (one.line, one.message.as_str())).collect();
    assert_eq!(found, [(2, "legacy fact 'fqdn'"), (3, "legacy fact 'domain'")]);
    let none = LintOptions { checks: Vec::new(), ..LintOptions::default() };
    assert_eq!(lint_data(source, &texts, &none), []);
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
        of_plugins(&text, true);
    }
}

#[test]
fn arguments_of_calls_are_no_names_of_classes() {
    let checks = vec!["relative_classname_inclusion".to_owned()];
    let columns = |text: &str| {
        let report = lint(text, &LintOptions { checks: checks.clone(), ..LintOptions::default() });
        report.findings.iter().map(|one| one.column).collect::<Vec<_>>()
    };
    assert_eq!(columns("include f('::x'), ::c\n"), [19]);
    assert_eq!(columns("include c\n"), [0; 0]);
}

#[test]
fn parameters_that_are_undef_take_undef() {
    let options =
        LintOptions { checks: vec!["params_not_optional_with_undef".to_owned()], ..LintOptions::default() };
    let text = "class a (\n  Variant[Integer, Undef] $b = undef,\n  Variant[Integer, String] $c = undef,\n  \
                Optional[String] $d = undef,\n  String $e = undef,\n  String $f = 'x',\n) {}\n";
    let lines: Vec<_> = lint(text, &options).findings.iter().map(|one| one.line).collect();
    assert_eq!(lines, [3, 5]);
}

#[test]
fn data_is_checked_if_its_check_is_wanted() {
    let found = |checks: &[&str]| {
        let checks = checks.iter().map(|&check| check.to_owned()).collect();
        lint_data("a: '%{fqdn}'\n", &["%{fqdn}"], &LintOptions { checks, ..LintOptions::default() }).len()
    };
    assert_eq!((found(&["legacy_facts"]), found(&["trailing_whitespace"])), (1, 0));
}

#[test]
fn variables_of_the_top_scope_with_a_class_are_told() {
    let options = LintOptions { checks: vec!["topscope_variable".to_owned()], ..LintOptions::default() };
    let found =
        |name: &str| lint(&format!("class a {{\n  notify {{ ${name}: }}\n}}\n"), &options).findings.len();
    assert_eq!(["::b_c::d", "::b1::d", "b_c::d", "::d"].map(found), [1, 1, 0, 0]);
}
