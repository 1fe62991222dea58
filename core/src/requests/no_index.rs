//! Replaces the index of an environment in a library without the feature.

/// An index that cannot exist.
#[derive(Clone, Copy, Debug)]
pub enum Index {}

/// What checks keep: nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept {}
