//! The corpus of real manifests against its list of known failures, as far as it is installed (`make corpus`
//! installs it).

use std::path::Path;

use conform::suite::{self, Test};
use conform::{corpus, data};

pub fn tests() -> Vec<Test> {
    let rows = data::directory().join("corpus/debian-modules.parse.jsonl.gz");
    let report = corpus::check(&rows, Path::new("/usr")).expect("the corpus can be read");
    let again = "cargo run -p conform -- corpus tests/data/corpus/debian-modules.parse.jsonl.gz /usr";
    suite::by_group(&report, again, module).expect("the list of known failures can be read")
}

/// The module of a file, or the directory of one that is in none.
fn module(path: &str) -> &str {
    let module = ["share/puppet/modules.available/", "share/puppet/modules/"];
    match module.iter().find_map(|directory| path.strip_prefix(directory)) {
        Some(path) => path.split('/').next().unwrap_or_default(),
        None => path.rsplit_once('/').map_or("", |(directory, _)| directory),
    }
}
