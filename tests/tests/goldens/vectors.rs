//! Golden vectors against their lists of known failures: those of `data/conformance`, and those along
//! chapters, issues, types, functions, stdlib's calls and encrypted data.

use std::path::Path;

use bunraku::functions;
use conform::suite::{self, Test};
use conform::{data, vectors};

/// The files, and how many questions each has at least.
const FILES: &[(&str, usize)] = &[
    ("conformance/catalog.jsonl.gz", 500),
    ("conformance/conversions.jsonl.gz", 1300),
    ("conformance/epp.jsonl.gz", 350),
    ("conformance/evaluator.jsonl.gz", 550),
    ("conformance/functions.jsonl.gz", 2000),
    ("conformance/issues.jsonl.gz", 250),
    ("conformance/lexer.jsonl.gz", 1150),
    ("conformance/objects.jsonl.gz", 100),
    ("conformance/operators.jsonl.gz", 2000),
    ("conformance/parser.jsonl.gz", 850),
    ("conformance/serialization.jsonl.gz", 350),
    ("conformance/types.jsonl.gz", 1300),
    ("conformance/validation.jsonl.gz", 1000),
    ("chapters.jsonl", 700),
    ("types.jsonl", 700),
    ("issues.jsonl", 250),
    ("stdlib/calls.jsonl", 500),
    ("found.jsonl", 600),
    ("eyaml/lookups.jsonl", 100),
];

/// A function that the reference answers differently where hiera-eyaml is installed; `eyaml/lookups.jsonl`
/// asks about it.
const ASKED_ELSEWHERE: &str = "eyaml_lookup_key";

pub fn tests() -> Vec<Test> {
    let mut tests: Vec<Test> = FILES.iter().map(|(file, least)| test(file, *least)).collect();
    tests.push(suite::plain("every_file_of_conformance_has_a_test", || {
        let directory = std::fs::read_dir(data::directory().join("conformance")).expect("the data is there");
        for name in directory.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            let is_known = FILES.iter().any(|(file, _)| *file == format!("conformance/{name}"));
            assert!(is_known || !name.ends_with(".jsonl.gz"), "{name}");
        }
    }));
    // A function without a file of questions fails, as the file cannot be read.
    let table = functions::table();
    let of_the_language = table.functions().filter(|function| function.module.is_none());
    let asked = of_the_language.filter(|function| function.name != ASKED_ELSEWHERE);
    tests.extend(asked.map(|function| test(&format!("functions/{}.jsonl", function.name), 1)));
    tests
}

fn test(file: &str, least: usize) -> Test {
    let path = data::directory().join(file);
    let again = format!("cargo run -p conform -- check tests/data/{file}");
    // Paths of keys in the questions of encrypted data are relative to the package, where `cargo test` runs
    // the test.
    suite::golden(vectors::name_of(Path::new(&path)), least, again, move || vectors::check(&path))
}
