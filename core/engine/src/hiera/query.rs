//! The query for layers, providers and the functions of a hierarchy.

use std::rc::Rc;

use super::invocation::Invocation;
use super::key::LookupKey;
use super::merge::Strategy;
use super::session::Session;

/// A key to search for.
#[derive(Clone, Copy)]
pub(super) struct LookupQuery<'q, 'e> {
    /// The shared state of the compilation's lookups.
    pub session: Session<'q, 'e>,
    /// The lookup that it is part of.
    pub invocation: &'q Rc<Invocation>,
    /// The key.
    pub key: &'q LookupKey,
    /// The combination of several values.
    pub strategy: &'q Strategy,
}
