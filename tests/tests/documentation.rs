//! Documentation of a module against what puppet-strings 5.0 wrote of it.

use std::fs;
use std::path::Path;

use bunraku::documentation::Documentation;
use bunraku::host::disk::DiskHost;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/documentation").join(name);
    path.to_string_lossy().into_owned()
}

#[test]
fn what_is_documented_is_what_puppet_strings_documents() {
    let documentation = Documentation::of_module(&DiskHost, &data("sample"));
    assert!(documentation.failures.is_empty(), "{:?}", documentation.failures);
    let expected = fs::read_to_string(data("expected.json")).expect("the expectation is there");
    let expected: serde_json::Value = serde_json::from_str(&expected).expect("it is JSON");
    let found = documentation.to_json();
    for (kind, entries) in expected.as_object().expect("an object") {
        for (index, entry) in entries.as_array().expect("lists").iter().enumerate() {
            let own = serde_json::to_string_pretty(&found[kind][index]).unwrap_or_default();
            assert_eq!(own, serde_json::to_string_pretty(entry).unwrap_or_default(), "{kind}");
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn the_page_is_that_of_puppet_strings() {
    let documentation = Documentation::of_module(&DiskHost, &data("sample"));
    let expected = fs::read_to_string(data("expected.md")).expect("the expectation is there");
    assert_eq!(documentation.to_markdown(), expected);
}

#[test]
fn whatever_is_not_read_is_told() {
    let mut documentation = Documentation::default();
    documentation.add_text("manifests/a.pp", "class a {");
    documentation.add_text("lib/a.rb", "def a(");
    documentation.add_text("tasks/a.json", "[");
    let files: Vec<&str> = documentation.failures.iter().map(|failure| failure.file.as_str()).collect();
    assert_eq!(files, ["manifests/a.pp", "lib/a.rb", "tasks/a.json"]);
}
