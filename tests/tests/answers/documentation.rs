//! Documentation of a module against what puppet-strings 5.0 wrote of it.

use std::fs;
use std::path::Path;

use bunraku::documentation::Documentation;
use bunraku::host::disk::DiskHost;
use bunraku::syntax::watch::Watch;

fn data(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/documentation").join(name);
    path.to_string_lossy().into_owned()
}

fn of_module(directory: &str) -> Documentation {
    Documentation::of_module(&DiskHost, directory, &Watch::default()).expect("nobody ends it")
}

fn add(documentation: &mut Documentation, name: &str, text: &str) {
    documentation.add_text(name, text, &Watch::default()).expect("nobody ends it");
}

#[test]
fn what_is_documented_is_what_puppet_strings_documents() {
    let documentation = of_module(&data("sample"));
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
    let documentation = of_module(&data("sample"));
    let expected = fs::read_to_string(data("expected.md")).expect("the expectation is there");
    assert_eq!(documentation.to_markdown(), expected);
}

/// The modules are generated, and each has the log of puppet-strings 5.0, which leaves blanks at the ends of
/// lines.
#[test]
fn what_is_warned_of_is_what_puppet_strings_warns_of() {
    for name in ["1", "3", "6"] {
        let documentation = of_module(&data(&format!("warned/{name}")));
        let expected = fs::read_to_string(data(&format!("warned/{name}.txt"))).expect("the log is there");
        let own: String = documentation.warnings.iter().map(|warning| format!("{warning}\n")).collect();
        let own: Vec<&str> = own.lines().map(str::trim_end).collect();
        assert_eq!(own, expected.lines().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn comments_may_refer_to_others() {
    let mut documentation = Documentation::default();
    add(&mut documentation, "manifests/a.pp", "# A.\n# @param x Told.\nclass a($x) {}");
    let other = "# B.\n# @param x (see a)\n# @param y (see nowhere)\nclass b($x, $y) {}";
    add(&mut documentation, "manifests/b.pp", other);
    let tags = &documentation.to_json()["puppet_classes"][1]["docstring"]["tags"];
    let texts: Vec<_> =
        tags.as_array().expect("tags").iter().map(|tag| (&tag["name"], &tag["text"])).collect();
    assert_eq!(texts, [(&"y".into(), &"".into()), (&"x".into(), &"Told.".into())]);
    let warnings: Vec<&str> = documentation.warnings.iter().map(|warning| warning.message.as_str()).collect();
    assert_eq!(warnings, ["Missing @param tag for parameter 'y' near manifests/b.pp:4."]);
}

#[test]
fn whatever_is_not_read_is_told() {
    let mut documentation = Documentation::default();
    add(&mut documentation, "manifests/a.pp", "class a {");
    add(&mut documentation, "lib/a.rb", "def a(");
    add(&mut documentation, "tasks/a.json", "[");
    let files: Vec<&str> = documentation.failures.iter().map(|failure| failure.file.as_str()).collect();
    assert_eq!(files, ["manifests/a.pp", "lib/a.rb", "tasks/a.json"]);
}
