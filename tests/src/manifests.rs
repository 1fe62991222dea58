//! Real manifests and templates to try things on: those of this repository, and those of Debian's modules
//! where they are installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A text in Puppet's language.
#[derive(Debug)]
pub struct Manifest {
    /// The path.
    pub path: PathBuf,
    /// The text.
    pub text: String,
    /// Whether it is a template.
    pub epp: bool,
}

/// The manifests and templates of this repository.
pub fn bundled() -> Vec<Manifest> {
    below(&[Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()])
}

/// The manifests and templates of Debian's `puppet-module-*` packages, as far as they are installed.
pub fn installed() -> Vec<Manifest> {
    below(&["/usr/share/puppet/modules.available".into(), "/usr/share/puppet/modules".into()])
}

/// The manifests and templates below directories.
pub fn below(roots: &[PathBuf]) -> Vec<Manifest> {
    let mut paths = BTreeSet::new();
    for root in roots {
        collect(root, &mut paths);
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).ok()?;
        let epp = path.extension().is_some_and(|extension| extension == "epp");
        Some(Manifest { path, text, epp })
    };
    paths.into_iter().filter_map(read).collect()
}

/// Modules are linked from one directory into another: every file is taken once.
fn collect(directory: &Path, paths: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let Ok(path) = entry.path().canonicalize() else { continue };
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "pp" || extension == "epp") {
            paths.insert(path);
        }
    }
}
