//! Golden vectors: each file of `data/conformance` against its list of known failures.

use conform::{data, ratchet, vectors};

fn check(name: &str) {
    let path = data::directory().join("conformance").join(format!("{name}.jsonl.gz"));
    let report = vectors::check(&path).expect("the vectors can be read");
    assert!(!report.outcomes.is_empty(), "{name} has questions");
    println!("{}", report.line());
    let wrong = ratchet::check(&report).expect("the list of known failures can be read");
    assert!(wrong.is_empty(), "{name}: {} differ from the list\n{}", wrong.len(), wrong.join("\n"));
}

/// One test a file, and a test that no file is forgotten.
macro_rules! files {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_file_has_a_test() {
            let directory = std::fs::read_dir(data::directory().join("conformance")).expect("the data is there");
            let mut found: Vec<String> = directory
                .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".jsonl.gz")?.to_owned()))
                .collect();
            found.sort();
            let mut known = vec![$(stringify!($name)),*];
            known.sort_unstable();
            assert_eq!(found, known);
        }
    };
}

files! {
    catalog, conversions, epp, evaluator, functions, issues, lexer, objects, operators, parser, serialization, types,
    validation,
}
