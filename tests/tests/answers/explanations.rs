//! How lookups are explained as data (`data/explanations.jsonl`): the tree is the one that `puppet lookup
//! --explain --render-as json` of the reference writes.

use conform::{data, environments, suite};
use serde_json::Value as Json;

#[test]
fn lookups_are_explained_as_by_the_reference() {
    let questions =
        std::fs::read_to_string(data::directory().join("explanations.jsonl")).expect("there are questions");
    let questions: Vec<Json> =
        questions.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let directory = data::directory().join("environments");
    let report = environments::explanations(&directory, questions).expect("the environments can be read");
    suite::assert_answers(&report, 50, "explanations");
}
