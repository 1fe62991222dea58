//! What an environment has read and keeps, so that one can tell whether it is still the same.

use std::sync::Mutex;

use rustc_hash::FxHashMap;

use bunraku_host::{FileInfo, Host};
use bunraku_syntax::diagnostic::bug::locked;

/// The files and directories that were looked at, with what stood there just before.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// Nothing is noted where nobody will ask.
    paths: Option<Mutex<FxHashMap<String, Option<FileInfo>>>>,
}

impl Watched {
    /// Notes what is looked at, or nothing.
    pub fn new(is_wanted: bool) -> Self {
        Self { paths: is_wanted.then(Mutex::default) }
    }

    /// Notes that a path is about to be looked at. What was noted first stays: that is what was read.
    pub fn note(&self, host: &dyn Host, path: &str) {
        let Some(paths) = &self.paths else { return };
        if locked(paths).contains_key(path) {
            return;
        }
        let info = host.info(path);
        locked(paths).entry(path.to_owned()).or_insert(info);
    }

    /// Whether everything still stands as it was noted. Where nothing was noted, it does.
    pub fn is_unchanged(&self, host: &dyn Host) -> bool {
        let Some(paths) = &self.paths else { return true };
        let noted: Vec<_> = locked(paths).iter().map(|(path, info)| (path.clone(), *info)).collect();
        noted.iter().all(|(path, info)| host.info(path) == *info)
    }
}
