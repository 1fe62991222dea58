//! Data files that each compilation looks at anew, while all else of an environment stays as it was read.
//!
//! What a compilation has seen stays so until it ends.

use std::cell::RefCell;
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Environment, Loaded};
use bunraku_host::FileInfo;
use bunraku_syntax::diagnostic::bug::locked;

/// What a compilation has seen of the files.
#[derive(Debug, Default)]
pub(super) struct Seen {
    existing: RefCell<FxHashMap<String, bool>>,
    globs: RefCell<FxHashMap<String, Arc<Vec<String>>>>,
    current: RefCell<FxHashSet<String>>,
}

/// The files that the environment keeps, with their state directly before they were read.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    /// `None` if files are not looked at anew.
    paths: Option<Mutex<FxHashMap<String, Option<FileInfo>>>>,
}

impl Stamps {
    pub fn new(is_wanted: bool) -> Self {
        Self { paths: is_wanted.then(Mutex::default) }
    }
}

impl Environment {
    /// Whether each compilation sees changes of the files for Hiera.
    pub(crate) fn has_fresh_data(&self) -> bool {
        self.stamps.paths.is_some()
    }

    /// Whether a file for Hiera exists.
    pub(crate) fn has_data_file(&self, path: &str, loaded: &Loaded) -> bool {
        if !self.has_fresh_data() {
            return self.has_file(path);
        }
        let known = loaded.seen.existing.borrow().get(path).copied();
        known.unwrap_or_else(|| {
            let exists = self.host.info(path).is_some();
            loaded.seen.existing.borrow_mut().insert(path.to_owned(), exists);
            exists
        })
    }

    /// The files for Hiera that match a pattern, sorted.
    pub(crate) fn data_files_matching(&self, pattern: &str, loaded: &Loaded) -> Arc<Vec<String>> {
        if !self.has_fresh_data() {
            return self.files_matching(pattern);
        }
        if let Some(known) = loaded.seen.globs.borrow().get(pattern) {
            return Arc::clone(known);
        }
        let found = Arc::new(self.find_files(pattern));
        loaded.seen.globs.borrow_mut().insert(pattern.to_owned(), Arc::clone(&found));
        found
    }

    /// Forgets what the environment keeps of a file for Hiera, if the file has changed.
    pub(crate) fn look_at_data(&self, path: &str, loaded: &Loaded) {
        let Some(stamps) = &self.stamps.paths else { return };
        if !loaded.seen.current.borrow_mut().insert(path.to_owned()) {
            return;
        }
        let info = self.host.info(path);
        let former = locked(stamps).insert(path.to_owned(), info);
        if former.is_some_and(|former| former != info) {
            self.caches.forget_data(path);
        }
    }
}
