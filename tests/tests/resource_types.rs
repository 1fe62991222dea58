//! What is known of types of resources is what Puppet says of them: of all of its own, and of those in Debian's modules where
//! these are installed.

use conform::{data, environments, resource_types};

#[test]
fn types_are_known_as_puppet_knows_them() {
    let file = data::directory().join("resource_types/types.jsonl.gz");
    let report = resource_types::check(&file, environments::MODULES, None).expect("the file can be read");
    println!("{}", report.line());
    assert!(report.outcomes.len() >= 15, "the core's types are always there");
    assert!(report.failing().is_empty(), "{:?}", report.failing());
    let partly = report.outcomes.iter().filter(|outcome| outcome.actual["partly"] == true).count();
    assert_eq!(partly, 0, "types that are read in part");
}
