//! The corpus of real manifests against its list of known failures, as far as it is installed (`make corpus` installs it).

use std::path::Path;

use conform::{corpus, data, ratchet};

#[test]
fn every_installed_file_is_read_as_the_reference_reads_it() {
    let rows = data::directory().join("corpus/debian-modules.parse.jsonl.gz");
    let report = corpus::check(&rows, Path::new("/usr")).expect("the corpus can be read");
    let asked = report.outcomes.len();
    println!("corpus {}/{asked}; {} files are not installed", report.passed(), report.not_asked);
    if report.not_asked > 0 {
        // The list of known failures holds for the whole corpus: a part of it may pass, but not fail anew.
        let known = data::read_ids(&ratchet::list_path("corpus")).expect("the list can be read");
        let new: Vec<&str> =
            report.failing().into_iter().filter(|id| !known.iter().any(|one| one == id)).collect();
        assert!(new.is_empty(), "{}", new.join("\n"));
        return;
    }
    let wrong = ratchet::check(&report).expect("the list of known failures can be read");
    assert!(wrong.is_empty(), "{} differ from the list\n{}", wrong.len(), wrong.join("\n"));
}
