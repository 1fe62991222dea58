//! What is asked of layers, providers and the functions of a hierarchy.

use std::rc::Rc;

use super::invocation::Invocation;
use super::key::LookupKey;
use super::merge::Strategy;
use super::session::Session;

/// A key that is looked for.
#[derive(Clone, Copy)]
pub(super) struct LookupQuery<'q, 'e> {
    /// What all lookups of the compilation share.
    pub session: Session<'q, 'e>,
    /// The lookup that it is part of.
    pub invocation: &'q Rc<Invocation>,
    /// The key.
    pub key: &'q LookupKey,
    /// How what is found in several places becomes one.
    pub strategy: &'q Strategy,
}
