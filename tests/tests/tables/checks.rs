//! `core/docs/checks.md`: the findings of `bunraku check`, from the table of its codes.
//! `BUNRAKU_WRITE_DOCS=1` writes it again.

use std::fs;
use std::path::Path;

use bunraku::check::documentation;

#[test]
fn the_documentation_of_findings_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/docs/checks.md");
    let text = documentation();
    if std::env::var_os("BUNRAKU_WRITE_DOCS").is_some() {
        fs::write(&path, &text).expect("the documentation can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "core/docs/checks.md is not up to date; BUNRAKU_WRITE_DOCS=1 writes it");
}
