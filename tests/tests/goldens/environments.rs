//! Golden environments: each against its list of known failures.

use std::path::{Path, PathBuf};

use conform::suite::{self, Test};
use conform::{data, environments};

const ENVIRONMENTS: &[&str] = &[
    "control_basic",
    "core_resources",
    "defines_data",
    "enc_trusted",
    "eval_errors",
    "exported_virtual",
    "hiera_layers",
    "ordering",
    "ordering_bad",
    "real",
    "rich_data",
    "templates",
    "types_functions",
    "why",
];

pub fn tests() -> Vec<Test> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests: Vec<Test> = ENVIRONMENTS
        .iter()
        .map(|name| test(name, data::directory().join("environments").join(name)))
        .collect();
    // The example that `make run` compiles.
    tests.push(test("example", package.join("example/environments/production")));
    tests.push(suite::plain("every_environment_has_a_test", || {
        let directory = std::fs::read_dir(data::directory().join("environments")).expect("the data is there");
        let found = directory.filter_map(|entry| entry.ok()).filter(|entry| entry.path().is_dir());
        for name in found.filter_map(|entry| entry.file_name().into_string().ok()) {
            assert!(ENVIRONMENTS.contains(&name.as_str()), "{name}");
        }
    }));
    tests
}

fn test(name: &str, directory: PathBuf) -> Test {
    if environments::lacks_modules(&directory) {
        return suite::ignored(name, "a package of its list (PACKAGES) is not installed");
    }
    let again = format!("cargo run -p conform -- environments {}", directory.display());
    suite::golden(name, 1, again, move || environments::check(&directory))
}
