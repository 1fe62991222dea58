//! What is known of a type of resources, as an environment keeps it. What reads it is in
//! `catalog::resource_types`.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use bunraku_pcore::types::Type;
use bunraku_pcore::value::{RegexpValue, Str};

/// A type of resources that agents manage.
#[derive(Debug)]
pub struct ResourceType {
    /// The name, in lower case.
    pub name: Str,
    /// The parameters that make a resource what it is, in their order.
    pub keys: Vec<Str>,
    /// All properties and parameters.
    pub attributes: IndexMap<Str, AttributeKind, FxBuildHasher>,
    /// What its providers may be able to do.
    pub features: Vec<Str>,
    /// Whether attributes that are not known are accepted, because the type could not be read in full.
    pub accepts_all: bool,
    /// Whether two resources of one name are the same thing.
    pub isomorphic: bool,
    /// How a title is taken apart.
    pub titles: Titles,
    /// The types of values, of attributes that have them: those of the Resource API.
    pub value_types: Vec<(Str, Type)>,
}

/// What an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// What is managed.
    Property,
    /// How it is managed.
    Parameter,
}

/// How a title is taken apart into parameters.
#[derive(Debug)]
pub enum Titles {
    /// The title is one parameter.
    Whole(Str),
    /// The title is a file's path, without slashes at its end.
    Path(Str),
    /// The first pattern that matches says which groups are which parameters.
    Patterns(Vec<(RegexpValue, Vec<Str>)>),
    /// The title says nothing of the parameters.
    Unread,
}
