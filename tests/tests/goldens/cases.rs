//! Readable cases (`tests/cases`): a failure is the difference to the expected output.

use conform::cases;
use conform::suite::{self, Test};

/// The minimum number of cases.
const LEAST: usize = 12;

pub fn tests() -> Vec<Test> {
    let cases = cases::all().expect("the cases can be read");
    assert!(cases.len() >= LEAST, "{} cases", cases.len());
    let test = |case: cases::Case| {
        suite::plain(&case.name.clone(), move || case.check().unwrap_or_else(|told| panic!("{told}")))
    };
    cases.into_iter().map(test).collect()
}
