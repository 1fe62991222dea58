//! Resource types are known as Puppet describes them: all of its own, and those in Debian's modules if these
//! are installed.

use conform::suite::{self, Test};
use conform::{data, environments, resource_types};

pub fn tests() -> Vec<Test> {
    let file = data::directory().join("resource_types/types.jsonl.gz");
    let report = resource_types::check(&file, environments::MODULES, None).expect("the file can be read");
    let partly = report.outcomes.iter().filter(|outcome| outcome.actual["partly"] == true);
    let partly: Vec<String> = partly.map(|outcome| outcome.id.clone()).collect();
    let again = "cargo run -p conform -- types tests/data/resource_types/types.jsonl.gz";
    let tests = suite::by_group(&report, again, module);
    let mut tests = tests.expect("the list of known failures can be read");
    tests.push(suite::plain("no_type_is_read_in_part", move || assert!(partly.is_empty(), "{partly:?}")));
    let core = report.outcomes.iter().filter(|outcome| module(&outcome.id) == "core").count();
    tests.push(suite::plain("the_cores_types_are_always_there", move || assert!(core >= 14, "{core}")));
    tests
}

/// The module of a type.
fn module(id: &str) -> &str {
    id.split(['/', ':']).next().unwrap_or_default()
}
