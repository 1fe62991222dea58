//! What is known of the types of resources that agents manage: parameters, names and how titles are read.
//!
//! The types of the reference itself are in [`table`]. Types that modules bring are read from what `puppet generate types` has
//! written ([`generated`]), or from their files in Ruby ([`reader`]).

pub mod generated;
pub mod reader;
mod ruby_tokens;
pub mod table;

use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

pub use table::{METAPARAMETERS, RELATIONSHIPS};

use crate::diagnostic::Error;
use crate::pcore::value::{RegexpValue, Str};

/// A type of resources that agents manage.
#[derive(Debug)]
pub struct ResourceType {
    /// The name, in lower case.
    pub name: Str,
    /// The parameters that make a resource what it is, in their order.
    pub keys: Vec<Str>,
    /// The names of all properties and parameters.
    pub attributes: FxHashSet<Str>,
    /// Whether attributes that are not known are accepted, because the type could not be read in full.
    pub accepts_all: bool,
    /// Whether two resources of one name are the same thing.
    pub isomorphic: bool,
    /// How a title is taken apart.
    pub titles: Titles,
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

impl ResourceType {
    /// Whether resources of this type can have a parameter.
    pub fn has_parameter(&self, name: &str) -> bool {
        name == "name" || self.accepts_all || self.attributes.contains(name) || is_metaparameter(name)
    }

    /// Whether a parameter is accepted only because the type could not be read in full.
    pub fn is_unread(&self, name: &str) -> bool {
        self.accepts_all && name != "name" && !self.attributes.contains(name) && !is_metaparameter(name)
    }

    /// The parameter that the title stands for, when there is exactly one; else `name`.
    pub fn namevar(&self) -> &str {
        match self.keys.as_slice() {
            [key] => key,
            _ => "name",
        }
    }

    /// The parameters that a title gives.
    ///
    /// # Errors
    /// No pattern matches the title.
    pub fn parse_title(&self, title: &str) -> Result<Vec<(Str, Str)>, Error> {
        let unmatched = || Error::plain(format!("No set of title patterns matched the title \"{title}\"."));
        match &self.titles {
            Titles::Whole(name) => Ok(vec![(name.clone(), title.into())]),
            Titles::Path(name) => {
                Ok(vec![(name.clone(), path_of_title(title).ok_or_else(unmatched)?.into())])
            }
            Titles::Patterns(patterns) => {
                for (pattern, names) in patterns {
                    let Some(groups) = pattern.regex()?.captures(title)? else { continue };
                    let text = |span: (usize, usize)| Some(Str::from(title.get(span.0..span.1)?));
                    let groups = groups.into_iter().skip(1).map(|span| span.and_then(text));
                    let pairs = names.iter().cloned().zip(groups);
                    return Ok(pairs.filter_map(|(name, text)| Some((name, text?))).collect());
                }
                Err(unmatched())
            }
            Titles::Unread => Ok(vec![("name".into(), title.into())]),
        }
    }
}

/// A file's path without the slashes at its end; a root directory (`/`, `C:/`) keeps one.
fn path_of_title(title: &str) -> Option<&str> {
    let body = title.strip_suffix('\n').filter(|body| body.ends_with('/')).unwrap_or(title);
    let stripped = body.trim_end_matches('/');
    if title.is_empty() {
        None
    } else if stripped.is_empty() {
        Some("/")
    } else if stripped.ends_with(':') && stripped.len() > 1 && stripped.len() < body.len() {
        body.get(..=stripped.len())
    } else {
        Some(stripped)
    }
}

/// A core type by its name in lower case.
pub fn core_type(name: &str) -> Option<Arc<ResourceType>> {
    static TYPES: LazyLock<FxHashMap<&'static str, Arc<ResourceType>>> = LazyLock::new(|| {
        let types = table::CORE_TYPES.iter().map(|row| {
            let keys: Vec<Str> = row.keys.split(' ').map(Str::from).collect();
            let first = keys.first().cloned().unwrap_or_default();
            let titles = if row.name == "file" { Titles::Path(first) } else { Titles::Whole(first) };
            let attributes =
                row.properties.split(' ').chain(row.parameters.split(' ')).map(Str::from).collect();
            let isomorphic = row.isomorphic;
            let of = ResourceType {
                name: row.name.into(),
                keys,
                attributes,
                accepts_all: false,
                isomorphic,
                titles,
            };
            (row.name, Arc::new(of))
        });
        types.collect()
    });
    TYPES.get(name).cloned()
}

/// Whether all resources can have this parameter.
pub fn is_metaparameter(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
}

/// Whether a parameter makes relationships.
pub fn is_relationship(name: &str) -> bool {
    RELATIONSHIPS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_files_lose_slashes_at_their_end() {
        let file = core_type("file").expect("file is a core type");
        let path = |title| file.parse_title(title).map(|pairs| pairs[0].1.to_string());
        assert_eq!(path("/a/b//").unwrap(), "/a/b");
        assert_eq!(path("/").unwrap(), "/");
        assert_eq!(path("C:/").unwrap(), "C:/");
        assert!(path("").is_err());
    }
}
