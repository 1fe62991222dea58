//! Manifests with and without dependency cycles (`data/cycles.jsonl`): the reference's cycles, and the path
//! in each message.

use std::sync::Arc;

use bunraku::compiler::{Compilation, request};
use bunraku::host::disk::DiskHost;
use conform::report::{Outcome, Report};
use conform::{data, suite};
use serde_json::{Value as Json, json};

#[test]
fn cycles_are_told_as_by_the_reference() {
    let questions =
        std::fs::read_to_string(data::directory().join("cycles.jsonl")).expect("there are questions");
    let mut outcomes = Vec::new();
    for (number, question) in questions.lines().enumerate() {
        let question: Json = serde_json::from_str(question).expect("it is JSON");
        let request =
            json!({ "code": question["source"], "modulepath": [], "node": "n", "check_cycles": true });
        let request = request::whole(&request).expect("the request has known keys");
        let environment = request::load_environment(Arc::new(DiskHost), &request).expect("an environment");
        let node = request::node_input(&request).expect("a node");
        let options = request::compile_options(&request).expect("the request is well formed");
        let compiled = environment.on_deep_stack(|| Compilation::new(&environment, node, options).compile());
        let message = compiled.expect("there is a stack").err().map(|error| error.message);
        let asked = json!({ "source": question["source"] });
        let id = format!("line {}", number + 1);
        outcomes.push(Outcome::exact(id, asked, question["answer"].clone(), json!(message)));
    }
    let report = Report { name: "cycles".to_owned(), outcomes, ..Report::default() };
    suite::assert_answers(&report, 100, "cycles");
}
