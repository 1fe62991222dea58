//! The edges of a payload: containment and relationships, by the titles of resources.
//!
//! Follows `munge_edges` and `synthesize_edges` of PuppetDB's terminus. Both ends of an edge are numbers of resources of
//! the catalog.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Relationship;
use super::munge::{self, flat, text};
use crate::catalog::Catalog;
use crate::catalog::reference;
use crate::diagnostic::Error;

/// Metaparameters that make edges: their name, whether the edge points to the other resource, and the relationship.
const RELATIONSHIPS: &[(&str, bool, Relationship)] = &[
    ("before", true, Relationship::Before),
    ("require", false, Relationship::RequiredBy),
    ("notify", true, Relationship::Notifies),
    ("subscribe", false, Relationship::SubscriptionOf),
];

/// An edge by the numbers of its resources.
pub(super) type NumberedEdge = (usize, usize, Relationship);

/// Containment first, then relationships; each edge once.
///
/// # Errors
/// A relationship with something that is no reference, that is not in the catalog, or that is exported only.
pub(super) fn edges(catalog: &Catalog) -> Result<Vec<NumberedEdge>, Error> {
    let names = Names::new(catalog);
    let mut edges = Vec::with_capacity(catalog.edges.len());
    let mut seen = FxHashSet::default();
    let mut add = |edge: NumberedEdge| {
        if seen.insert(edge) {
            edges.push(edge);
        }
    };
    for edge in &catalog.edges {
        add((edge.source, edge.target, Relationship::Contains));
    }
    for (number, of) in catalog.resources.iter().enumerate().filter(|(_, of)| !of.is_virtual) {
        for &(parameter, is_forward, relationship) in RELATIONSHIPS {
            for other in flat(&munge::relationship(of, parameter)) {
                let other = names.related(number, parameter, &text(&other))?;
                let (source, target) = if is_forward { (number, other) } else { (other, number) };
                add((source, target, relationship));
            }
        }
    }
    Ok(edges)
}

/// Under which names resources are known.
struct Names<'a> {
    catalog: &'a Catalog,
    by_title: FxHashMap<(&'a str, &'a str), usize>,
    by_alias: FxHashMap<(&'a str, String), usize>,
}

impl<'a> Names<'a> {
    fn new(catalog: &'a Catalog) -> Self {
        let mut by_title = FxHashMap::default();
        let mut by_alias = FxHashMap::default();
        for (number, of) in catalog.resources.iter().enumerate() {
            by_title.insert((of.type_name.as_str(), of.title.as_str()), number);
            for alias in flat(&munge::alias(of)) {
                by_alias.insert((of.type_name.as_str(), text(&alias)), number);
            }
        }
        Self { catalog, by_title, by_alias }
    }

    /// The resource that a relationship names.
    fn related(&self, number: usize, parameter: &str, other: &str) -> Result<usize, Error> {
        let relationship = || {
            let this = crate::wire::reference(self.catalog, number);
            format!("Invalid relationship: {this} {{ {parameter} => {other} }}, because {other}")
        };
        let Some((type_name, title)) = well_formed(other) else {
            return Err(Error::plain(format!(
                "{} doesn't seem to be in the correct format. Resource references should be formatted as: \
                 Classname['title'] or Modulename::Classname['title'] (take careful note of the capitalization).",
                relationship()
            )));
        };
        let title =
            if type_name == "File" && title.ends_with('/') { title.trim_end_matches('/') } else { title };
        let found = self.by_title.get(&(type_name, title)).copied();
        let found = found.or_else(|| self.by_alias.get(&(type_name, title.to_owned())).copied());
        let Some(found) = found else {
            return Err(Error::plain(format!("{} doesn't seem to be in the catalog", relationship())));
        };
        if self.catalog.resources.get(found).is_some_and(|resource| resource.is_virtual) {
            return Err(Error::plain(format!("{} is exported but not collected", relationship())));
        }
        Ok(found)
    }
}

/// Type and title of a reference whose type is capitalised per segment.
fn well_formed(text: &str) -> Option<(&str, &str)> {
    let (type_name, title) = reference::split(text)?;
    let is_segment = |segment: &str| {
        let mut letters = segment.bytes();
        letters.next().is_some_and(|first| first.is_ascii_uppercase())
            && letters.all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_')
    };
    type_name.split("::").all(is_segment).then_some((type_name, title))
}
