//! A host whose files are a map in memory, for tests and for embedders with their own storage.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{DeepStacks, FileInfo, Host, HostError, Reading};
use bunraku_pcore::value::Timestamp;
use bunraku_syntax::diagnostic::Error;

/// Files in memory, a fixed clock, and randomness from a seed.
#[derive(Clone, Debug, Default)]
pub struct MemoryHost {
    files: BTreeMap<String, Vec<u8>>,
    directories: BTreeSet<String>,
    /// The result of [`Host::now`].
    pub now: Timestamp,
    /// Determines the results of [`Host::random`], together with the number of calls on this host and its
    /// clones.
    pub seed: u64,
    drawn: Arc<AtomicU64>,
}

impl MemoryHost {
    /// A host without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file with its parent directories.
    pub fn add(&mut self, path: impl Into<String>, content: impl Into<Vec<u8>>) {
        let path = path.into();
        self.add_directories(&path);
        self.files.insert(path, content.into());
    }

    /// Adds an empty directory with its parents.
    pub fn add_directory(&mut self, path: impl Into<String>) {
        let path = path.into();
        self.add_directories(&path);
        self.directories.insert(path);
    }

    fn add_directories(&mut self, path: &str) {
        let mut path = path;
        while let Some((above, _)) = path.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
            self.directories.insert(above.to_owned());
            path = above;
        }
    }

    /// The path without `.`, `..` and empty names. `None` if a `..` follows what is no directory.
    fn plain<'p>(&self, path: &'p str) -> Option<Cow<'p, str>> {
        let is_plain = |name: &str| !matches!(name, "" | "." | "..");
        if path.split('/').skip(usize::from(path.starts_with('/'))).all(is_plain) {
            return Some(Cow::Borrowed(path));
        }
        let mut plain = String::with_capacity(path.len());
        for name in path.split('/') {
            match name {
                "" | "." => {}
                ".." if plain.is_empty() => {}
                ".." if self.directories.contains(&plain) => {
                    plain.truncate(plain.rfind('/').unwrap_or_default());
                }
                ".." => return None,
                name => {
                    if path.starts_with('/') || !plain.is_empty() {
                        plain.push('/');
                    }
                    plain.push_str(name);
                }
            }
        }
        Some(Cow::Owned(plain))
    }
}

impl Host for MemoryHost {
    fn read(&self, path: &str, _reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        let plain = self.plain(path).unwrap_or_default();
        match self.files.get(&*plain) {
            Some(content) => Ok(content.clone()),
            None if self.directories.contains(&*plain) => Err(HostError::IsDirectory(path.to_owned())),
            None => Err(HostError::NotFound(path.to_owned())),
        }
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let path = &*self.plain(path)?;
        if let Some(content) = self.files.get(path) {
            return Some(FileInfo {
                is_directory: false,
                size: content.len() as u64,
                modified: self.now,
                inode: 0,
            });
        }
        let is_directory = self.directories.contains(path);
        is_directory.then_some(FileInfo { is_directory, size: 0, modified: self.now, inode: 0 })
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let plain = self.plain(path).unwrap_or_default();
        if !self.directories.contains(&*plain) {
            return Err(HostError::NotFound(path.to_owned()));
        }
        let path = &*plain;
        let prefix = format!("{path}/");
        let below = self.files.keys().chain(&self.directories).filter_map(|name| name.strip_prefix(&prefix));
        let names: BTreeSet<String> =
            below.filter_map(|rest| Some(rest.split('/').next()?.to_owned())).collect();
        Ok(names.into_iter().collect())
    }

    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        stacks.run(work)
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        for chunk in bytes.chunks_mut(8) {
            let drawn = self.drawn.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            let word = splitmix(self.seed.wrapping_add(drawn.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            chunk.copy_from_slice(word.to_le_bytes().split_at(chunk.len()).0);
        }
        Ok(())
    }
}

/// Mixes all bits of a word (SplitMix64).
fn splitmix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_through_directories() {
        let mut host = MemoryHost::new();
        host.add("/d/x/a", "1");
        host.add("/d/b", "2");
        for path in ["/d/b", "/d/x/../b", "//d/./b", "/d/x/../../d/b", "/../d/b"] {
            assert_eq!(host.read(path, &Reading::of_size(20)).unwrap(), b"2", "{path}");
            assert!(host.info(path).is_some(), "{path}");
        }
        for path in ["/d/nope/../b", "/d/b/../b", "/d/x/b"] {
            assert!(matches!(host.read(path, &Reading::of_size(20)), Err(HostError::NotFound(_))), "{path}");
            assert!(host.info(path).is_none(), "{path}");
        }
        assert!(matches!(host.read("/d/x/", &Reading::of_size(20)), Err(HostError::IsDirectory(_))));
        assert_eq!(host.list("/d/x/..").unwrap(), ["b", "x"]);
    }

    #[test]
    fn directories_may_be_empty() {
        let mut host = MemoryHost::new();
        host.add_directory("/d/e");
        assert!(host.info("/d/e").is_some_and(|info| info.is_directory));
        assert_eq!(host.list("/d").unwrap(), ["e"]);
        assert_eq!(host.list("/d/e").unwrap(), [""; 0]);
    }
}
