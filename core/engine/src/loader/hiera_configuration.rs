//! A `hiera.yaml` as an environment stores it. `hiera` reads and checks it.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, RwLock};

use bunraku_pcore::value::Hash;
use bunraku_syntax::diagnostic::bug::{reading, writing};

/// The layer of a configuration of Hiera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HieraLayer {
    Global,
    Environment,
    Module,
}

/// A configuration that was read and checked.
#[derive(Debug)]
pub(crate) struct HieraConfiguration {
    /// 3, 4 or 5.
    pub version: i64,
    /// The directory that paths start at.
    pub root: String,
    /// The file; none for the default configuration.
    pub path: Option<String>,
    /// The content, with defaults.
    pub data: Hash,
    /// Its text.
    pub text: String,
    /// Results of compilations that others can use.
    pub hierarchies: CachedHierarchies,
}

/// The hierarchies of a configuration for recently compiled nodes; only `hiera` knows their type.
#[derive(Default)]
pub(crate) struct CachedHierarchies(RwLock<Vec<CachedHierarchy>>);

/// One of them.
pub(crate) type CachedHierarchy = Arc<dyn Any + Send + Sync>;

/// The maximum number of hierarchies. Nodes are of a few kinds; a hierarchy that differs for each node is
/// made each time.
const MAX_HIERARCHIES: usize = 6;

impl CachedHierarchies {
    /// The first result of `test`.
    pub fn find<T>(&self, test: impl FnMut(&CachedHierarchy) -> Option<T>) -> Option<T> {
        let kept = reading(&self.0).clone();
        kept.iter().find_map(test)
    }

    /// Adds a hierarchy, and replaces all others if there are many.
    pub fn keep(&self, hierarchy: CachedHierarchy) {
        let mut kept = writing(&self.0);
        if kept.len() >= MAX_HIERARCHIES {
            kept.clear();
        }
        kept.push(hierarchy);
    }
}

impl fmt::Debug for CachedHierarchies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CachedHierarchies").finish_non_exhaustive()
    }
}
