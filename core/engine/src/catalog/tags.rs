//! Sets of tags, and which texts are tags.
//!
//! Follows the reference's `util/tagging.rb`.

use bunraku_pcore::Named;
use bunraku_pcore::pairs::hash_of;
use bunraku_pcore::value::{Str, lower_case, shared};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::names::{is_qualified, segments};

/// Tags in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    names: Named<()>,
}

impl Tags {
    /// No tags.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tag in lower case, and the segments of a qualified one. Rejects invalid tags.
    pub fn add(&mut self, tag: &str) -> Result<(), Error> {
        let name = lower_case(tag);
        let hash = hash_of(name.as_str());
        if self.contains_hashed(hash, &name) {
            return Ok(());
        }
        if !is_tag(&name) {
            return Err(Error::plain(format!("Invalid tag '{name}'")));
        }
        self.names.push_new(hash, name.clone(), ());
        self.insert_segments(&name);
        Ok(())
    }

    /// Adds a tag as [`add`](Self::add) does, if it is one.
    pub fn add_if_valid(&mut self, tag: &str) {
        if is_tag(tag) {
            self.insert(lower_case(tag));
        }
    }

    /// Adds the name of a type, which is a tag in lower case, and its segments.
    pub fn add_name(&mut self, name: &Str) {
        self.insert(name.clone());
    }

    fn insert(&mut self, name: Str) {
        if self.names.insert_new(name.clone(), ()) {
            self.insert_segments(&name);
        }
    }

    fn insert_segments(&mut self, name: &Str) {
        if is_qualified(name) {
            for part in segments(name).filter(|part| !part.is_empty() || name.starts_with("::")) {
                self.names.insert_new(shared(part), ());
            }
        }
    }

    /// Adds the tags of another set as they are.
    pub fn merge(&mut self, tags: &Self) {
        self.names.merge(&tags.names);
    }

    /// Adds the tags of another set unchanged, except for the first ones.
    pub fn merge_from(&mut self, tags: &Self, first: usize) {
        if first == 0 {
            return self.merge(tags);
        }
        for name in tags.iter().skip(first) {
            self.names.insert_new(name.clone(), ());
        }
    }

    /// The number of tags.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a tag, in lower case, is in the set.
    pub fn contains(&self, tag: &str) -> bool {
        self.names.contains_key(tag)
    }

    /// As [`contains`](Self::contains), of a tag whose hash is known.
    pub(crate) fn contains_hashed(&self, hash: u64, tag: &str) -> bool {
        self.names.get_index_of_hashed(hash, tag).is_some()
    }

    /// The tags in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Str> + Clone {
        self.names.keys()
    }
}

/// Whether a text is a tag: letters, digits and `_`, from the second character also `:`, `.` and `-`.
pub fn is_tag(text: &str) -> bool {
    // Ruby's \Z lets a final line feed pass.
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
    match text.bytes().position(|byte| !is_plain(byte)) {
        None => text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric() || first == b'_'),
        Some(at) if text.as_bytes().get(at).is_some_and(u8::is_ascii) => false,
        Some(_) => {
            let mut characters = text.chars();
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            characters.next().is_some_and(is_word)
                && characters.all(|c| is_word(c) || matches!(c, ':' | '.' | '-'))
        }
    }
}
