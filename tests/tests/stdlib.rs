//! Calls of the functions that stdlib has in Ruby, with generated arguments (`data/stdlib/ask.rb`): the native ones answer as those
//! that Debian's module has.

use conform::{data, vectors};

#[test]
fn native_functions_answer_as_the_modules_own() {
    let path = data::directory().join("stdlib/calls.jsonl");
    let report = vectors::check(&path).expect("the questions can be read");
    let failed = report.outcomes.iter().filter(|outcome| !outcome.passed);
    let wrong: Vec<&str> = failed.map(|outcome| outcome.id.as_str()).collect();
    println!("{} calls", report.outcomes.len());
    assert!(report.outcomes.len() > 500 && wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
