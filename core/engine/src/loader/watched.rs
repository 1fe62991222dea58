//! The files that an environment has read, to check whether they are unchanged.

use std::sync::Mutex;

use rustc_hash::FxHashMap;

use bunraku_host::{FileInfo, Host};
use bunraku_syntax::diagnostic::bug::locked;

/// The files and directories that were accessed, with their state directly before.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// `None` if recording is not requested.
    paths: Option<Mutex<FxHashMap<String, Option<FileInfo>>>>,
}

impl Watched {
    /// A record of accesses, or an inactive one.
    pub fn new(is_wanted: bool) -> Self {
        Self { paths: is_wanted.then(Mutex::default) }
    }

    /// Records that a path is about to be accessed. The first record is kept: it is what was read.
    pub fn note(&self, host: &dyn Host, path: &str) {
        let Some(paths) = &self.paths else { return };
        if locked(paths).contains_key(path) {
            return;
        }
        let info = host.info(path);
        locked(paths).entry(path.to_owned()).or_insert(info);
    }

    /// Whether all paths are unchanged; always true without records.
    pub fn is_unchanged(&self, host: &dyn Host) -> bool {
        let Some(paths) = &self.paths else { return true };
        let noted: Vec<_> = locked(paths).iter().map(|(path, info)| (path.clone(), *info)).collect();
        noted.iter().all(|(path, info)| host.info(path) == *info)
    }
}
