//! Generated environments (`data/generated`): lookups with their explanations, catalogs and errors are those
//! of the reference.

use std::fs;
use std::path::Path;

use conform::report::Report;
use conform::{data, environments, suite};
use serde_json::Value as Json;

/// Writes the files of an environment below a directory.
fn unpack(files: &Json, directory: &Path) {
    for (path, text) in files.as_object().expect("files by path") {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().expect("it is below a directory")).expect("a directory");
        fs::write(path, text.as_str().expect("a text")).expect("a file");
    }
}

#[test]
fn generated_environments_are_answered_as_by_the_reference() {
    let lines = data::read_lines(&data::directory().join("generated/environments.jsonl.gz"));
    let root = tempfile::tempdir().expect("a directory");
    let mut all = Report { name: "generated".to_owned(), ..Report::default() };
    for environment in lines.expect("the environments can be read") {
        let directory = root.path().join(environment["name"].as_str().expect("a name"));
        unpack(&environment["files"], &directory);
        let report = environments::check(&directory).expect("the environment can be read");
        all.outcomes.extend(report.outcomes);
    }
    suite::assert_answers(&all, 1_000, "generated");
}
