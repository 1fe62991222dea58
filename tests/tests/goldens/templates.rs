//! Templates in ERB: what Ruby has written for them, and how many of those in Debian's modules the built-in
//! Ruby knows.

use std::path::Path;

use conform::environments::{MODULES, lacks_modules};
use conform::report::{self, Outcome};
use conform::suite::{self, Test};
use conform::{data, templates};
use serde_json::json;

const SURVEY: &str = "nine_of_ten_templates_of_debians_modules_use_only_what_is_known";

pub fn tests() -> Vec<Test> {
    let erb = data::directory().join("erb");
    let again = |file: &str| format!("cargo run -p conform -- erb tests/data/erb/{file}");
    let methods = erb.join("erb-methods.jsonl");
    let mut tests = vec![suite::golden("erb-methods", 600, again("erb-methods.jsonl"), move || {
        templates::check(&methods)
    })];
    let report = templates::check(&erb.join("erb-modules.jsonl.gz")).expect("the rows can be read");
    let programs = data::directory().join("ruby/programs.jsonl.gz");
    let again_programs =
        "gunzip -c tests/data/ruby/programs.jsonl.gz | jq .program | cargo run -p conform -- ruby".to_owned();
    tests.push(suite::golden("ruby-programs", 4_000, again_programs, move || {
        templates::check_programs(&programs)
    }));
    let of_modules = suite::by_group(&report, &again("erb-modules.jsonl.gz"), module);
    tests.extend(of_modules.expect("the list of known failures can be read"));
    tests.push(survey());
    let reentry: [(&str, fn()); 2] = [
        (
            "what_changes_under_way_or_holds_itself",
            what_changes_under_way_or_holds_itself_is_answered_or_refused,
        ),
        ("what_holds_the_same_again_and_again", what_holds_the_same_again_and_again_is_looked_at_once),
    ];
    tests.extend(reentry.map(|(name, test)| suite::plain(name, test)));
    tests
}

/// The module of a row.
fn module(id: &str) -> &str {
    id.split('/').next().unwrap_or_default()
}

/// Programs in which a collection changes while it is walked, sorted or hashed, or contains itself: no answer
/// differs from Ruby's, and few are rejected.
fn what_changes_under_way_or_holds_itself_is_answered_or_refused() {
    let rows = data::directory().join("erb/erb-reentry.jsonl.gz");
    let report = templates::check(&rows).expect("the rows can be read");
    let is_wrong = |outcome: &&Outcome| !outcome.passed && outcome.actual.get("refused").is_none();
    let wrong: Vec<_> = report.outcomes.iter().filter(is_wrong).collect();
    let again = "cargo run -p conform -- erb tests/data/erb/erb-reentry.jsonl.gz --show";
    let shown =
        wrong.iter().take(5).map(|one| format!("{}    again:  {again} '{}'\n", report::brief(one), one.id));
    assert!(wrong.is_empty(), "{} wrong answers\n{}", wrong.len(), shown.collect::<String>());
    let refused = report.outcomes.len() - report.passed();
    assert!(report.not_asked == 0 && refused * 50 <= report.outcomes.len(), "{refused} refused");
}

/// Collections that contain one thing very often, for which Ruby would not end.
fn what_holds_the_same_again_and_again_is_looked_at_once() {
    let made = |name: &str, of: &str| format!("{name} = {of}; 60.times {{ {name} = [{name}, {name}] }}; ");
    let render = |expression: &str| {
        let text = format!("<% {}{}%><%= {expression} %>", made("a", "[0]"), made("b", "[0]"));
        templates::render(&text, &json!({}))
    };
    assert_eq!(render("a == b"), json!({ "answer": "true" }));
    assert_eq!(render("a.eql?(b)"), json!({ "answer": "true" }));
    assert_eq!(render("(a <=> b)"), json!({ "answer": "0" }));
    assert_eq!(render("({ a => 1 })[b]"), json!({ "answer": "1" }));
    assert_eq!(render("({ a => [1] } == { b => [1] })"), json!({ "answer": "true" }));
    for endless in ["a.inspect", "a.flatten", "a.join", "a.to_json", "a.to_yaml"] {
        assert!(render(endless).get("refused").is_some(), "{endless}");
    }
    let keys = "h = {1 => 2}; g = {1 => 2}; 40.times { h = {[h, 0] => 1, [h, 1] => 1}; g = {[g, 0] => 1, [g, 1] => 1} }";
    let text = format!("<% {keys} %><%= h == g %>");
    assert!(templates::render(&text, &json!({})).get("answer").is_some());
}

fn survey() -> Test {
    if lacks_modules(&data::directory().join("environments/real")) {
        return suite::ignored(SURVEY, "not all of Debian's modules are installed");
    }
    suite::plain(SURVEY, || {
        let survey = templates::survey(Path::new(MODULES), templates::Kind::Templates)
            .expect("the modules can be read");
        assert!(survey.known * 10 >= survey.templates * 9, "{}", survey.text());
    })
}
