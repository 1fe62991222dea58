//! Sets of tags, and which texts are tags.
//!
//! Follows the reference's `util/tagging.rb`.

use indexmap::IndexSet;

use crate::diagnostic::Error;
use crate::pcore::value::Str;

/// Tags in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    names: IndexSet<Str, rustc_hash::FxBuildHasher>,
}

impl Tags {
    /// No tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tag in lower case, and the segments of a qualified one. Refuses texts that are no tags.
    pub fn add(&mut self, tag: &str) -> Result<(), Error> {
        let name = Str::from(tag.to_lowercase());
        if self.names.contains(&name) {
            return Ok(());
        }
        if !is_tag(&name) {
            return Err(Error::plain(format!("Invalid tag '{name}'")));
        }
        self.insert(name);
        Ok(())
    }

    /// Adds a tag as [`add`](Self::add) does, if it is one.
    pub fn add_if_valid(&mut self, tag: &str) {
        if is_tag(tag) {
            self.insert(tag.to_lowercase().into());
        }
    }

    fn insert(&mut self, name: Str) {
        if self.names.insert(name.clone()) && name.contains("::") {
            self.names.extend(
                name.split("::").filter(|part| !part.is_empty() || name.starts_with("::")).map(Str::from),
            );
        }
    }

    /// Adds the tags of another set as they are.
    pub fn merge(&mut self, other: &Tags) {
        self.names.extend(other.names.iter().cloned());
    }

    /// Whether a tag, in lower case, is in the set.
    pub fn contains(&self, tag: &str) -> bool {
        self.names.contains(tag)
    }

    /// The tags in order.
    pub fn iter(&self) -> impl Iterator<Item = &Str> + Clone {
        self.names.iter()
    }
}

/// Whether a text is a tag: letters, digits and `_`, from the second character also `:`, `.` and `-`.
pub fn is_tag(text: &str) -> bool {
    // Ruby's \Z lets a final line feed pass.
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut characters = text.chars();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    characters.next().is_some_and(is_word) && characters.all(|c| is_word(c) || matches!(c, ':' | '.' | '-'))
}
