//! A resource type as an environment stores it. `catalog::resource_types` reads it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use bunraku_pcore::types::Type;
use bunraku_pcore::value::{RegexpValue, Str};

/// A type of resources that agents manage.
#[derive(Debug)]
pub struct ResourceType {
    /// The name, in lower case.
    pub name: Str,
    /// The identifying parameters, in order.
    pub keys: Vec<Str>,
    /// All properties and parameters.
    pub attributes: IndexMap<Str, AttributeKind, FxBuildHasher>,
    /// The possible features of its providers.
    pub features: Vec<Str>,
    /// Whether attributes that are not known are accepted, because the type could not be read in full.
    pub accepts_all: bool,
    /// Whether two resources of one name are the same thing.
    pub isomorphic: bool,
    /// The parsing of a title.
    pub titles: Titles,
    /// The types of values, of attributes that have them: those of the Resource API.
    pub value_types: Vec<(Str, Type)>,
}

/// The kind of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// A managed attribute.
    Property,
    /// How it is managed.
    Parameter,
}

/// The parsing of a title into parameters.
#[derive(Debug)]
pub enum Titles {
    /// The title is one parameter.
    Whole(Str),
    /// The title is a file's path, without slashes at its end.
    Path(Str),
    /// The first matching pattern assigns groups to parameters.
    Patterns(Vec<(RegexpValue, Vec<Str>)>),
    /// The title sets no parameters.
    Unread,
}
