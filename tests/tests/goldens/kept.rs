//! Definitions are kept when a token is removed or doubled (`conform kept` shows the figures).

use conform::kept;
use conform::manifests::{self, Manifest};
use conform::suite::{self, Test};

/// The share of damaged texts that keep all definitions, in percent. Without its word or its name a
/// definition cannot be kept.
const LEAST: f64 = 96.0;
/// The share of those that keep all their parameters, too.
const LEAST_WHOLE: f64 = 93.0;
/// The number of damaged tokens in a file of the corpus.
const FEW_PLACES: usize = 10;

/// The number of files of the corpus from which on these shares hold.
const MANY: usize = 1500;

const OF_THE_CORPUS: &str = "definitions_of_the_corpus_are_kept";

pub fn tests() -> Vec<Test> {
    let bundled = || check(&manifests::bundled(), usize::MAX, LEAST - 3.0, LEAST_WHOLE - 8.0);
    let installed = manifests::installed();
    let of_the_corpus = match installed.len() < MANY {
        true => suite::ignored(OF_THE_CORPUS, "few modules are installed"),
        false => suite::plain(OF_THE_CORPUS, move || check(&installed, FEW_PLACES, LEAST, LEAST_WHOLE)),
    };
    vec![suite::plain("definitions_of_the_repository_are_kept", bundled), of_the_corpus]
}

fn check(manifests: &[Manifest], places: usize, least: f64, least_whole: f64) {
    let measure = kept::measure(manifests, places);
    assert!(measure.other_errors.is_empty(), "another first error: {:?}", measure.other_errors);
    let total = measure.total();
    let whole = kept::Count { kept: total.whole, ..total };
    assert!(total.texts > 1000, "{total:?}");
    assert!(total.percent() >= least && whole.percent() >= least_whole, "{total:?}");
}
