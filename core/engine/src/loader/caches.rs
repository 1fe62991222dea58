//! The environment's caches for all compilations, in addition to its programs: one typed field for each kind.
//!
//! The types that higher modules fill in are plain data ([`ResourceType`], [`HieraConfiguration`],
//! [`ParsedTemplate`], [`DefinitionSignature`]); those modules contain the code that makes them.

use std::borrow::Borrow;
use std::convert::Infallible;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, OnceLock, RwLock};

use rustc_hash::FxHashMap;

use super::Definition;
use super::file_data::FileData;
use super::hiera_configuration::{HieraConfiguration, HieraLayer};
use super::resource_type::ResourceType;
use crate::ruby::{Function, Programs};
use bunraku_host::{FunctionApi, HostError, ModuleRuby};
use bunraku_pcore::Named;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{RegexpValue, Str, Value};
#[cfg(feature = "ruby")]
use bunraku_ruby_interpreter::{Program as RubyProgram, RefusedError};
use bunraku_syntax::ast::{NodeId, Program};
use bunraku_syntax::diagnostic::bug::{reading, writing};
use bunraku_syntax::diagnostic::{Diagnostic, Error, LogEntry};

/// The data that compilations in an environment share.
#[derive(Default)]
pub(crate) struct Caches {
    /// Whether a path exists.
    pub existing_files: Cache<String, bool>,
    /// The files that a pattern matches.
    pub globs: Cache<String, Vec<String>>,
    /// Data files in YAML, by their paths: their content, or why they cannot be read.
    pub yaml_data: Cache<String, DataFile>,
    /// Data files in JSON.
    pub json_data: Cache<String, DataFile>,
    /// Data files in HOCON.
    pub hocon_data: Cache<String, DataFile>,
    /// The results of `cached_file_data`.
    pub file_data: FileData,
    /// Every `hiera.yaml`, by its path.
    pub hiera_files: Cache<String, HieraFile>,
    /// Configurations of version 5 that were checked.
    pub hiera_configurations: Cache<(HieraLayer, String), OnceLock<Arc<HieraConfiguration>>>,
    /// The Ruby of the modules; empty when the host has none.
    pub module_ruby: OnceLock<Option<Arc<dyn ModuleRuby>>>,
    /// Functions of modules in Ruby that the interpreter runs, by their names.
    pub ruby_functions: Cache<String, Result<Arc<Function>, Error>>,
    /// Files of Ruby that functions and templates ask for: their paths and texts, by the names in `require`.
    pub ruby_libraries: Cache<String, (Str, Str)>,
    /// The programs of files of Ruby that others load.
    pub ruby_programs: Arc<Programs>,
    /// The files that define functions in Ruby, by the functions' names.
    pub function_files: Cache<String, Option<FunctionFile>>,
    /// The files of modules that native functions replace, by the functions' names.
    pub stand_in_files: Cache<String, Option<String>>,
    /// Whether a native function was checked against a file, by the file's path.
    pub stand_ins: Cache<String, bool>,
    /// Resource types that modules bring, by their names.
    pub resource_types: Cache<String, Option<Arc<ResourceType>>>,
    /// Programs whose lambda has the parameters of a block of the host, by their texts.
    pub block_programs: Cache<String, Result<Arc<Program>, Diagnostic>>,
    /// Functions written in Puppet whose files log nothing, by their names.
    pub functions: RwLock<FxHashMap<Str, Arc<Definition>>>,
    /// The output of the command `config_version`.
    pub config_version: OnceLock<Result<String, HostError>>,
    /// Templates in EPP, by their paths.
    pub epp_files: TextCache<Result<ParsedTemplate, Error>>,
    /// Templates in ERB, by their paths.
    #[cfg(feature = "ruby")]
    pub erb_files: TextCache<Result<RubyProgram, RefusedError>>,
    /// Templates in ERB that programs make.
    #[cfg(feature = "ruby")]
    pub erb_texts: RecentCache<String, Result<RubyProgram, RefusedError>>,
    /// Regular expressions of manifests.
    pub regexps: Cache<String, RegexpValue>,
    /// Regular expressions of texts that programs make.
    pub regexps_of_texts: RecentCache<String, RegexpValue>,
    /// The results of `pw_hash`, by a digest of its arguments: the cache need not contain passwords.
    pub password_hashes: RecentCache<[u8; 32], Result<Vec<u8>, Error>>,
}

impl Caches {
    /// Forgets what was read of a file for Hiera.
    pub fn forget_data(&self, path: &str) {
        [&self.yaml_data, &self.json_data, &self.hocon_data].iter().for_each(|cache| cache.forget(path));
        self.hiera_files.forget(path);
        self.hiera_configurations.retain(|(_, known)| known != path);
    }
}

impl fmt::Debug for Caches {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Caches").finish_non_exhaustive()
    }
}

/// The formats of data files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataFormat {
    Yaml,
    Json,
    Hocon,
}

/// The content of a data file, or why it cannot be read.
pub(crate) type DataFile = Result<Value, String>;

/// The text of a `hiera.yaml` and its content, or why it cannot be read; `None` if the file does not exist.
pub(crate) type HieraFile = Option<Result<(String, Value), String>>;

/// The file that defines a function in Ruby.
#[derive(Debug)]
pub(crate) struct FunctionFile {
    pub path: String,
    pub api: FunctionApi,
}

/// A parsed template, with the messages that are logged at each use.
#[derive(Debug)]
pub(crate) struct ParsedTemplate {
    pub program: Arc<Program>,
    /// The log of texts in heredocs.
    pub logs: Vec<LogEntry>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The parameters of a class or defined type, and its body.
#[derive(Debug)]
pub(crate) struct DefinitionSignature {
    pub parameters: Vec<DefinitionParameter>,
    /// The names of the parameters.
    pub names: Arc<Named<()>>,
    /// Whether each name is unique, can be assigned, and is also valid in Ruby.
    pub are_plain: bool,
    /// Whether a parameter has the name of a metaparameter.
    pub has_metaparameters: bool,
    /// A Struct of all parameters, the metaparameters among them, with their types.
    pub members: Type,
    pub body: Option<NodeId>,
    /// The class that a class inherits from.
    pub parent: Option<Str>,
}

/// A parameter of a class or defined type.
#[derive(Debug)]
pub(crate) struct DefinitionParameter {
    pub name: Str,
    /// The hash of the name.
    pub hash: u64,
    pub of: Type,
    pub default: Option<NodeId>,
    /// The `Parameter`.
    pub node: NodeId,
}

/// Values by key. Each stays as long as the environment.
pub(crate) struct Cache<K, V> {
    entries: RwLock<FxHashMap<K, Arc<V>>>,
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self { entries: RwLock::default() }
    }
}

impl<K: Eq + Hash, V> Cache<K, V> {
    /// The value of a key; `make` makes a missing one. Two threads can make it at the same time; the first
    /// one's is kept.
    pub fn get<Q>(&self, key: &Q, make: impl FnOnce() -> V) -> Arc<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        match self.try_get(key, || Ok::<V, Infallible>(make())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// As [`get`](Self::get); what cannot be made is not kept, so that the next one may try again.
    ///
    /// # Errors
    /// As `make`.
    pub fn try_get<Q, E>(&self, key: &Q, make: impl FnOnce() -> Result<V, E>) -> Result<Arc<V>, E>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.try_get_bounded(key, usize::MAX, make)
    }

    /// Makes the value of a key be made again.
    fn forget<Q>(&self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        writing(&self.entries).remove(key);
    }

    fn retain(&self, keep: impl Fn(&K) -> bool) {
        writing(&self.entries).retain(|key, _| keep(key));
    }

    fn try_get_bounded<Q, E>(
        &self,
        key: &Q,
        max_entries: usize,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(value) = reading(&self.entries).get(key) {
            return Ok(value.clone());
        }
        let made = Arc::new(make()?);
        let mut entries = writing(&self.entries);
        if let Some(first) = entries.get(key) {
            return Ok(first.clone());
        }
        if entries.len() >= max_entries {
            entries.clear();
        }
        entries.insert(key.to_owned(), made.clone());
        Ok(made)
    }
}

/// Values by keys that programs make, of which there can be any number: only some of the last ones are kept.
pub(crate) struct RecentCache<K, V>(Cache<K, V>);

/// The maximum number of values in a [`RecentCache`], which are then dropped all at once.
const MAX_RECENT_ENTRIES: usize = 128;
/// The maximum size of such a key in bytes: the result for it can take a hundred times as much memory, which
/// no compilation returns.
const MAX_RECENT_KEY_SIZE: usize = 32 << 10;

impl<K, V> Default for RecentCache<K, V> {
    fn default() -> Self {
        Self(Cache::default())
    }
}

impl<K: Eq + Hash, V> RecentCache<K, V> {
    /// As [`Cache::get`]. The value of a long key is not kept.
    pub fn get<Q>(&self, key: &Q, make: impl FnOnce() -> V) -> Arc<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + AsRef<[u8]> + ?Sized,
    {
        if key.as_ref().len() > MAX_RECENT_KEY_SIZE {
            return Arc::new(make());
        }
        match self.0.try_get_bounded(key, MAX_RECENT_ENTRIES, || Ok::<V, Infallible>(make())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }
}

/// The results for the texts of files, by their paths.
pub(crate) struct TextCache<V> {
    entries: RwLock<FxHashMap<String, OfText<V>>>,
}

struct OfText<V> {
    text: Box<str>,
    value: Arc<V>,
}

impl<V> Default for TextCache<V> {
    fn default() -> Self {
        Self { entries: RwLock::default() }
    }
}

impl<V> TextCache<V> {
    /// The result for the text of a file; `make` makes it if it is missing, or for another text.
    #[cfg(any(feature = "ruby", test))]
    pub fn get(&self, path: &str, text: &str, make: impl FnOnce() -> V) -> Arc<V> {
        match self.try_get(path, text, || Ok::<V, Infallible>(make())) {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// As [`get`](Self::get); what cannot be made is not kept, so that the next one may try again.
    ///
    /// # Errors
    /// As `make`.
    pub fn try_get<E>(
        &self,
        path: &str,
        text: &str,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        if let Some(entry) = reading(&self.entries).get(path).filter(|entry| *entry.text == *text) {
            return Ok(entry.value.clone());
        }
        let value = Arc::new(make()?);
        writing(&self.entries).insert(path.to_owned(), OfText { text: text.into(), value: value.clone() });
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_a_text_is_kept_as_long_as_the_text() {
        let cache = TextCache::default();
        let first = cache.get("a", "one", || 1);
        assert!(Arc::ptr_eq(&first, &cache.get("a", "one", || 2)));
        assert_eq!(*cache.get("a", "two", || 3), 3);
    }

    #[test]
    fn what_cannot_be_made_is_tried_again() {
        let cache: Cache<String, i32> = Cache::default();
        assert_eq!(cache.try_get("a", || Err("no")), Err("no"));
        assert_eq!(cache.try_get("a", || Ok::<_, &str>(1)), Ok(Arc::new(1)));
        assert_eq!(cache.try_get("a", || Err("no")), Ok(Arc::new(1)));
    }

    #[test]
    fn texts_make_room_and_files_stay() {
        let (files, texts): (Cache<String, _>, RecentCache<String, _>) = Default::default();
        let (file, text) = (files.get("a", || 1), texts.get("a", || 2));
        for number in 0..MAX_RECENT_ENTRIES {
            files.get(&number.to_string(), || 0);
            texts.get(&number.to_string(), || 0);
        }
        assert!(Arc::ptr_eq(&file, &files.get("a", || 3)));
        assert!(!Arc::ptr_eq(&text, &texts.get("a", || 2)));
        assert!(texts.0.entries.read().unwrap().len() < MAX_RECENT_ENTRIES);
        let long = "a".repeat(MAX_RECENT_KEY_SIZE + 1);
        assert!(!Arc::ptr_eq(&texts.get(&long, || 1), &texts.get(&long, || 1)));
    }
}
