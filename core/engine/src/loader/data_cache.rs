//! What an environment keeps for all compilations beside its programs.

use std::any::Any;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, RwLock};

use rustc_hash::FxHashMap;

use bunraku_syntax::diagnostic::bug::{reading, writing};

/// How many things are kept that come of texts which programs make. They then make room for others, all at once.
const TEXTS: usize = 128;
/// How many bytes such a text has at most: what comes of it may take a hundred times as many, and compilations do not
/// give it back.
const LONGEST: usize = 32 << 10;

/// Things kept by key, shared by all compilations on an environment. The values are opaque here; the owner of a key knows what
/// it put there.
#[derive(Default)]
pub(crate) struct DataCache {
    /// What is read from files, by their paths.
    files: Table,
    /// What comes of texts, by them.
    texts: Table,
}

type Table = RwLock<FxHashMap<String, Arc<dyn Any + Send + Sync>>>;

impl fmt::Debug for DataCache {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("DataCache")
    }
}

impl DataCache {
    /// What is kept under a key; made by `make` when nothing is. Two threads may make it at the same time, the first
    /// one's stays.
    pub fn get<T: Send + Sync + 'static>(&self, key: &str, make: impl FnOnce() -> T) -> Arc<T> {
        get(&self.files, key, make, usize::MAX)
    }

    /// As [`get`](Self::get); what cannot be made is not kept, so that the next one may try again.
    ///
    /// # Errors
    /// As `make`.
    pub fn try_get<T: Send + Sync + 'static, E>(
        &self,
        key: &str,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        try_get(&self.files, key, make, usize::MAX)
    }

    /// What is kept under the path of a file and was made of this text; made by `make` when nothing is, or of another text.
    pub fn get_of_text<T: Send + Sync + 'static>(
        &self,
        key: &str,
        text: &str,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let slot = self.get(key, RwLock::<Option<(Box<str>, Arc<T>)>>::default);
        if let Some((_, made)) = reading(&slot).as_ref().filter(|(of, _)| **of == *text) {
            return made.clone();
        }
        let made = Arc::new(make());
        *writing(&slot) = Some((text.into(), made.clone()));
        made
    }

    /// As [`get`](Self::get), for keys of which there may be any number: only some of the last ones are kept, and
    /// none that is long.
    pub fn get_recent<T: Send + Sync + 'static>(&self, key: &str, make: impl FnOnce() -> T) -> Arc<T> {
        if key.len() > LONGEST { Arc::new(make()) } else { get(&self.texts, key, make, TEXTS) }
    }
}

fn get<T: Send + Sync + 'static>(table: &Table, key: &str, make: impl FnOnce() -> T, most: usize) -> Arc<T> {
    match try_get(table, key, || Ok::<T, Infallible>(make()), most) {
        Ok(found) => found,
        Err(never) => match never {},
    }
}

fn try_get<T: Send + Sync + 'static, E>(
    table: &Table,
    key: &str,
    make: impl FnOnce() -> Result<T, E>,
    most: usize,
) -> Result<Arc<T>, E> {
    let kept = reading(table).get(key).cloned();
    if let Some(found) = kept.and_then(|entry| entry.downcast::<T>().ok()) {
        return Ok(found);
    }
    let made = Arc::new(make()?);
    let mut entries = writing(table);
    if let Some(found) = entries.get(key).cloned().and_then(|entry| entry.downcast::<T>().ok()) {
        return Ok(found);
    }
    if entries.len() >= most {
        entries.clear();
    }
    entries.insert(key.to_owned(), made.clone());
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_a_text_is_kept_as_long_as_the_text() {
        let cache = DataCache::default();
        let first = cache.get_of_text("a", "one", || 1);
        assert!(Arc::ptr_eq(&first, &cache.get_of_text("a", "one", || 2)));
        assert_eq!(*cache.get_of_text("a", "two", || 3), 3);
    }

    #[test]
    fn texts_make_room_and_files_stay() {
        let cache = DataCache::default();
        let (file, text) = (cache.get("a", || 1), cache.get_recent("a", || 2));
        for number in 0..TEXTS {
            cache.get(&number.to_string(), || 0);
            cache.get_recent(&number.to_string(), || 0);
        }
        assert!(Arc::ptr_eq(&file, &cache.get("a", || 3)));
        assert!(!Arc::ptr_eq(&text, &cache.get_recent("a", || 2)));
        assert!(cache.texts.read().unwrap().len() < TEXTS);
        let long = "a".repeat(LONGEST + 1);
        assert!(!Arc::ptr_eq(&cache.get_recent(&long, || 1), &cache.get_recent(&long, || 1)));
    }
}
