//! Golden environments: each against its list of known failures.

use std::path::PathBuf;

use conform::{data, environments, ratchet};

fn check(directory: PathBuf) {
    if environments::lacks_modules(&directory) {
        println!("{}: not run, Debian's puppet-module-* packages are not installed", directory.display());
        return;
    }
    let report = environments::check(&directory).expect("the environment can be read");
    assert!(!report.outcomes.is_empty(), "{} has cases", report.name);
    println!("{}", report.line());
    let wrong = ratchet::check(&report).expect("the list of known failures can be read");
    assert!(wrong.is_empty(), "{}: {} differ from the list\n{}", report.name, wrong.len(), wrong.join("\n"));
}

/// The example that `make run` compiles.
#[test]
fn example() {
    check(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("example/environments/production"));
}

/// One test an environment, and a test that none is forgotten.
macro_rules! directories {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check(data::directory().join("environments").join(stringify!($name)));
            }
        )*

        #[test]
        fn every_environment_has_a_test() {
            let directory = std::fs::read_dir(data::directory().join("environments")).expect("the data is there");
            let mut found: Vec<String> = directory
                .filter_map(|entry| entry.ok())
                .filter(|entry| entry.path().is_dir())
                .filter_map(|entry| entry.file_name().into_string().ok())
                .collect();
            found.sort();
            let mut known = vec![$(stringify!($name)),*];
            known.sort_unstable();
            assert_eq!(found, known);
        }
    };
}

directories! {
    control_basic, core_resources, defines_data, enc_trusted, eval_errors, exported_virtual, hiera_layers, ordering,
    ordering_bad, real, rich_data, templates, types_functions, why,
}
