//! A classifier: groups in a store, held against the classes that environments have.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, RwLock};

use rustc_hash::FxHashMap;
use serde_json::Value as Json;
use uuid::{Builder, Uuid};

use super::classes::{ClassSource, KnownClasses};
use super::classify::{Classification, Node};
use super::error::RequestError;
use super::group::Group;
use super::hierarchy::Hierarchy;
use super::store::{Change, CheckIn, Commit, Store};
use bunraku_host::Host;
use bunraku_syntax::diagnostic::bug::{locked, reading, writing};
use bunraku_syntax::watch::Watch;

/// How a classifier works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Whether groups may have configuration data.
    pub allow_config_data: bool,
    /// Whether it is noted when nodes are classified. Notes grow without end.
    pub stores_check_ins: bool,
    /// The prefix of `/v1` in paths.
    pub prefix: String,
}

impl Default for Options {
    fn default() -> Self {
        Self { allow_config_data: true, stores_check_ins: false, prefix: "/classifier-api".to_owned() }
    }
}

/// A classifier. Any number of threads may use it at once; so may other processes that use the same store.
pub struct Classifier {
    store: Box<dyn Store>,
    host: Arc<dyn Host>,
    classes: Option<Arc<dyn ClassSource>>,
    pub(super) options: Options,
    state: RwLock<Arc<Snapshot>>,
    /// When the classes were read last.
    updated: Mutex<Option<String>>,
}

/// The content of a store, ready for use.
#[derive(Debug)]
pub(super) struct Snapshot {
    revision: u64,
    pub hierarchy: Hierarchy,
    pub environments: Vec<String>,
}

/// The result of a change of the state.
pub(super) struct Step<T> {
    pub changes: Vec<Change>,
    pub hierarchy: Hierarchy,
    pub result: T,
}

impl fmt::Debug for Classifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Classifier").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Snapshot {
    /// The group with an id, for a request of a path.
    pub(super) fn group(&self, id: Uuid, path: &str) -> Result<&Group, RequestError> {
        self.hierarchy.get(id).ok_or_else(|| RequestError::not_found(path))
    }
}

impl Classifier {
    /// A classifier of the groups in a store; an empty store gets the group of all nodes. `classes` knows the
    /// classes that groups can use; without it they can use any.
    ///
    /// # Errors
    /// The store cannot be used, or its content is not a hierarchy.
    pub fn new(
        store: Box<dyn Store>,
        host: Arc<dyn Host>,
        classes: Option<Arc<dyn ClassSource>>,
        options: Options,
    ) -> Result<Self, RequestError> {
        let state = loop {
            let state = load(&*store)?;
            if !state.hierarchy.is_empty() {
                break state;
            }
            // Whoever comes second finds the root.
            store.commit(state.revision, &[Change::Put(Box::new(Group::root()))])?;
        };
        Ok(Self {
            store,
            host,
            classes,
            options,
            state: RwLock::new(Arc::new(state)),
            updated: Mutex::default(),
        })
    }

    /// The combined result of a node's groups.
    ///
    /// # Errors
    /// The groups contradict each other, or the store cannot be read.
    pub fn classify(&self, node: &Node) -> Result<Classification, RequestError> {
        let asked = Asked { classifier: self, watch: Watch::default() };
        asked.classification(&*self.state()?, node)
    }

    /// The groups as nodes meet them: without configuration data when that is switched off, even if the store
    /// has some.
    pub(super) fn visible<'s>(&self, state: &'s Snapshot) -> Cow<'s, Hierarchy> {
        if self.options.allow_config_data {
            Cow::Borrowed(&state.hierarchy)
        } else {
            Cow::Owned(state.hierarchy.without_config_data())
        }
    }

    /// The groups as they are now.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn hierarchy(&self) -> Result<Hierarchy, RequestError> {
        Ok(self.state()?.hierarchy.clone())
    }

    pub(super) fn state(&self) -> Result<Arc<Snapshot>, RequestError> {
        let known = reading(&self.state).clone();
        if self.store.revision()? == known.revision {
            return Ok(known);
        }
        self.reload()
    }

    fn reload(&self) -> Result<Arc<Snapshot>, RequestError> {
        let state = Arc::new(load(&*self.store)?);
        self.keep(state.clone());
        Ok(state)
    }

    fn keep(&self, state: Arc<Snapshot>) {
        let mut kept = writing(&self.state);
        if kept.revision < state.revision {
            *kept = state;
        }
    }

    /// The names of all environments, sorted.
    pub(super) fn environment_names(&self, state: &Snapshot) -> Vec<String> {
        let mut names = self.classes.as_ref().map(|source| source.environments()).unwrap_or_default();
        names.extend(state.environments.iter().cloned());
        names.sort();
        names.dedup();
        names
    }

    fn updated_at_first(&self) {
        let now = self.now();
        locked(&self.updated).get_or_insert(now);
    }

    pub(super) fn last_class_update(&self) -> Option<String> {
        locked(&self.updated).clone()
    }

    /// The id of a new group.
    pub(super) fn new_id(&self) -> Result<Uuid, RequestError> {
        let mut bytes = [0; 16];
        self.host.random(&mut bytes).map_err(|error| RequestError::no_id(&error))?;
        Ok(Builder::from_random_bytes(bytes).into_uuid())
    }

    fn now(&self) -> String {
        self.host.now().format("%FT%T.%LZ", None).unwrap_or_default()
    }

    pub(super) fn check_ins(
        &self,
        node: Option<&str>,
        offset: usize,
        limit: Option<usize>,
    ) -> Result<Vec<(String, Vec<CheckIn>)>, RequestError> {
        Ok(self.store.check_ins(node, offset, limit)?)
    }
}

/// A classifier for one request, with the watch that can cancel it.
///
/// Cancelled work returns an arbitrary result; [`Classifier::answer_watched`] checks the watch, and nothing
/// of the result is stored.
pub(super) struct Asked<'c> {
    pub classifier: &'c Classifier,
    pub watch: Watch<'c>,
}

impl Deref for Asked<'_> {
    type Target = Classifier;

    fn deref(&self) -> &Classifier {
        self.classifier
    }
}

impl Asked<'_> {
    pub(super) fn assert_going_on(&self) -> Result<(), RequestError> {
        self.watch.check().map_err(|error| RequestError::ended(&error))
    }

    /// The combined result of a node's groups in a state.
    pub(super) fn classification(
        &self,
        state: &Snapshot,
        node: &Node,
    ) -> Result<Classification, RequestError> {
        let classified = self.visible(state).classify_watched(node, &self.watch);
        classified.map_err(|conflict| RequestError::classification_conflict(conflict.to_json()))
    }

    /// The classes of environments: `None` for a missing environment, and an empty result if the environments
    /// are unknown.
    pub(super) fn known_classes<'a>(
        &self,
        environments: impl Iterator<Item = &'a str>,
    ) -> Result<FxHashMap<String, Arc<KnownClasses>>, RequestError> {
        let mut known = FxHashMap::default();
        let Some(source) = &self.classes else { return Ok(known) };
        for environment in environments {
            if !known.contains_key(environment) {
                let classes = source.classes(environment, &|| self.watch.check());
                let classes = classes.map_err(|error| RequestError::unreadable_classes(&error))?;
                known.insert(environment.to_owned(), classes.unwrap_or_default());
                self.updated_at_first();
            }
        }
        Ok(known)
    }

    /// Reloads the classes of an environment, or of all.
    pub(super) fn update_classes(&self, environment: Option<&str>) -> Result<(), RequestError> {
        if let Some(source) = &self.classes {
            source.forget(environment);
            let names = source.environments();
            let wanted =
                names.iter().map(String::as_str).filter(|name| environment.is_none_or(|one| one == *name));
            self.known_classes(wanted)?;
        }
        *locked(&self.updated) = Some(self.now());
        Ok(())
    }

    /// Notes that a node was classified, when that is wanted.
    pub(super) fn check_in(
        &self,
        state: &Snapshot,
        node: &Node,
        transaction_uuid: Option<String>,
    ) -> Result<(), RequestError> {
        if !self.options.stores_check_ins {
            return Ok(());
        }
        let matching = state.hierarchy.matches(node, &self.watch).matching;
        let explained = matching.iter().filter_map(|group| {
            Some((group.id.to_string(), group.rule.as_ref()?.explain(node, &self.watch)))
        });
        let explanation = Json::Object(explained.collect());
        self.assert_going_on()?;
        Ok(self.store.check_in(&node.name, &CheckIn { time: self.now(), explanation, transaction_uuid })?)
    }

    /// Changes the stored data. `work` computes the changes; it runs again if another change was faster.
    pub(super) fn change<T>(
        &self,
        work: impl Fn(&Snapshot) -> Result<Step<T>, RequestError>,
    ) -> Result<T, RequestError> {
        let mut state = self.state()?;
        loop {
            let Step { changes, hierarchy, result } = work(&state)?;
            // The result of cancelled work does not count.
            self.assert_going_on()?;
            if changes.is_empty() {
                return Ok(result);
            }
            match self.store.commit(state.revision, &changes)? {
                Commit::Stale => state = self.reload()?,
                Commit::Done(revision) => {
                    let mut environments = state.environments.clone();
                    environments.extend(changes.into_iter().filter_map(|change| match change {
                        Change::Environment(name) => Some(name),
                        Change::Put(_) | Change::Delete(_) | Change::Replace(_) => None,
                    }));
                    self.keep(Arc::new(Snapshot { revision, hierarchy, environments }));
                    return Ok(result);
                }
            }
        }
    }
}

fn load(store: &dyn Store) -> Result<Snapshot, RequestError> {
    let snapshot = store.load()?;
    Ok(Snapshot {
        revision: snapshot.revision,
        hierarchy: Hierarchy::new(snapshot.groups)?,
        environments: snapshot.environments,
    })
}
