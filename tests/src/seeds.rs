//! Seeds of the fuzz targets in `tests/fuzz`: manifests and templates, and their notation and binary form.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::{ParseOptions, binary, parse, pn};

use crate::manifests;

/// Larger files are left out: fuzzers like small ones.
const LARGEST: usize = 8 << 10;

/// Writes the seeds into directories below `to`, each named after its content. Returns the number of
/// manifests that they come from.
///
/// # Errors
/// A directory or a file cannot be written.
pub fn write(to: &Path) -> io::Result<usize> {
    for kind in ["pp", "epp", "pn", "binary"] {
        fs::create_dir_all(to.join(kind))?;
    }
    let mut all = manifests::bundled();
    all.extend(manifests::installed().into_iter().step_by(8));
    all.retain(|manifest| manifest.text.len() <= LARGEST);
    for (number, manifest) in all.iter().enumerate() {
        let name = number.to_string();
        let kind = if manifest.epp { "epp" } else { "pp" };
        fs::write(to.join(kind).join(&name), &manifest.text)?;
        let source = Arc::new(Source::new(None, manifest.text.as_str()));
        let Ok(program) =
            parse(source, &ParseOptions { epp: manifest.epp, tasks: false, ..ParseOptions::default() })
        else {
            continue;
        };
        fs::write(to.join("binary").join(&name), binary::write(&program))?;
        if let Ok(notation) = pn::to_text(&program, program.body()) {
            fs::write(to.join("pn").join(&name), notation)?;
        }
    }
    Ok(all.len())
}
