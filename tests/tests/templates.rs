//! Templates in ERB: what Ruby has written for them, and how many of those in Debian's modules the built-in Ruby knows.

use std::path::Path;

use conform::environments::{MODULES, lacks_modules};
use conform::{data, ratchet, templates};

fn check(name: &str) {
    let report = templates::check(&data::directory().join("erb").join(name)).expect("the rows can be read");
    println!("{name}: {}/{}; {} not asked", report.passed(), report.outcomes.len(), report.not_asked);
    if report.not_asked > 0 {
        return;
    }
    let wrong = ratchet::check(&report).expect("the list of known failures can be read");
    assert!(wrong.is_empty(), "{} differ from the list\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn methods_and_constructs_do_what_rubys_do() {
    check("erb-methods.jsonl");
}

#[test]
fn templates_of_modules_are_rendered_as_ruby_renders_them() {
    check("erb-modules.jsonl.gz");
}

#[test]
fn nine_of_ten_templates_of_debians_modules_use_only_what_is_known() {
    if lacks_modules(&data::directory().join("environments/real")) {
        println!("Debian's modules are not installed");
        return;
    }
    let survey = templates::survey(Path::new(MODULES)).expect("the modules can be read");
    println!("{}", survey.text());
    assert!(survey.known * 10 >= survey.templates * 9, "{}", survey.text());
}
