//! The edges of a payload: containment and relationships, by the titles of resources.
//!
//! Follows `munge_edges` and `synthesize_edges` of PuppetDB's terminus. Both ends of an edge are indices of
//! the catalog's resources; so are the entries of the tables of names, which are made for the first
//! relationship.

use std::cell::OnceCell;
use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::{FxHashSet, FxHasher};

use super::Relationship;
use super::munge::{self, Names as Which};
use crate::catalog::{Catalog, Resource, reference};
use crate::wire::stringified;
use bunraku_syntax::diagnostic::Error;

/// Metaparameters that make edges: their name, whether the edge points to the other resource, and the
/// relationship.
const RELATIONSHIPS: &[(&str, bool, Relationship)] = &[
    ("before", true, Relationship::Before),
    ("require", false, Relationship::RequiredBy),
    ("notify", true, Relationship::Notifies),
    ("subscribe", false, Relationship::SubscriptionOf),
];

/// An edge by the numbers of its resources.
pub(super) type NumberedEdge = (u32, u32, Relationship);

/// Containment first, then relationships; each edge once.
///
/// # Errors
/// The target of a relationship is not a reference, is not in the catalog, or is only exported.
pub(super) fn edges(catalog: &Catalog) -> Result<Vec<NumberedEdge>, Error> {
    let names = Names { catalog, titles: OnceCell::new(), aliases: OnceCell::new() };
    let mut edges = Vec::with_capacity(catalog.edges.len());
    for edge in &catalog.edges {
        edges.push((numbered(edge.source)?, numbered(edge.target)?, Relationship::Contains));
    }
    if !edges.is_sorted_by(|before, after| before.1 < after.1) {
        let mut seen = FxHashSet::default();
        edges.retain(|edge| seen.insert(*edge));
    }
    for (number, of) in catalog.resources.iter().enumerate().filter(|(_, of)| !of.is_virtual) {
        for &(parameter, is_forward, relationship) in RELATIONSHIPS {
            let Some(value) = of.parameters.get(parameter) else { continue };
            let all = munge::related(parameter, value);
            // Another edge like this can only come from the same parameter.
            let mut seen = FxHashSet::default();
            let is_one = all.len() == 1;
            for other in all {
                let other = names.related(number, parameter, &stringified::name(other))?;
                if is_one || seen.insert(other) {
                    let (this, other) = (numbered(number)?, numbered(other)?);
                    let (source, target) = if is_forward { (this, other) } else { (other, this) };
                    edges.push((source, target, relationship));
                }
            }
        }
    }
    Ok(edges)
}

fn numbered(number: usize) -> Result<u32, Error> {
    u32::try_from(number).map_err(|_| Error::limit("the catalog has too many resources"))
}

fn hash_of(type_name: &str, name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    (type_name, name).hash(&mut hasher);
    hasher.finish()
}

/// Under which names resources are known.
struct Names<'a> {
    catalog: &'a Catalog,
    titles: OnceCell<HashTable<u32>>,
    aliases: OnceCell<HashTable<(u64, u32)>>,
}

impl<'a> Names<'a> {
    fn at(&self, number: u32) -> Option<&'a Resource> {
        self.catalog.resources.get(usize::try_from(number).ok()?)
    }

    fn hash_of_title(&self, number: u32) -> u64 {
        self.at(number).map_or(0, |of| hash_of(&of.type_name, &of.title))
    }

    /// The resources by their titles. Of two with the same title, which no valid catalog has, the later one
    /// counts.
    fn titles(&self) -> &HashTable<u32> {
        self.titles.get_or_init(|| {
            let mut table = HashTable::with_capacity(self.catalog.resources.len());
            for number in (0..self.catalog.resources.len()).filter_map(|number| u32::try_from(number).ok()) {
                let Some(this) = self.at(number) else { continue };
                let is_same = |&other: &u32| {
                    self.at(other).is_some_and(|other| {
                        (&other.type_name, &other.title) == (&this.type_name, &this.title)
                    })
                };
                let hash = hash_of(&this.type_name, &this.title);
                *table.entry(hash, is_same, |&other| self.hash_of_title(other)).or_insert(number).get_mut() =
                    number;
            }
            table
        })
    }

    /// The resources with other names, once for each name, with the hash of the name.
    fn aliases(&self) -> &HashTable<(u64, u32)> {
        self.aliases.get_or_init(|| {
            let mut table = HashTable::new();
            for (number, of) in self.catalog.resources.iter().enumerate() {
                let Ok(number) = u32::try_from(number) else { continue };
                for alias in munge::aliases(of, Which::All) {
                    let hash = hash_of(&of.type_name, &stringified::name(alias));
                    table.insert_unique(hash, (hash, number), |&(hash, _)| hash);
                }
            }
            table
        })
    }

    fn find(&self, type_name: &str, name: &str) -> Option<usize> {
        let hash = hash_of(type_name, name);
        let titled = self.titles().find(hash, |&number| {
            self.at(number).is_some_and(|of| of.type_name == type_name && of.title == name)
        });
        let is_called = |of: &Resource| {
            of.type_name == type_name
                && munge::aliases(of, Which::All).into_iter().any(|alias| stringified::name(alias) == name)
        };
        let known = || {
            let known = self.aliases().iter_hash(hash).map(|&(_, number)| number);
            known.filter(|&number| self.at(number).is_some_and(is_called)).max()
        };
        usize::try_from(titled.copied().or_else(known)?).ok()
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
        let Some(found) = self.find(type_name, title) else {
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
