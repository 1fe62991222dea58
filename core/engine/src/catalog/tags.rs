//! Sets of tags, and which texts are tags.
//!
//! Follows the reference's `util/tagging.rb`.

use std::sync::Arc;

use bunraku_pcore::Named;
use bunraku_pcore::pairs::{FEW, hash_of};
use bunraku_pcore::value::{Str, lower_case, shared};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::names::{is_qualified, segments};

/// Tags in the order in which they were added.
///
/// What a container hands down to its contents is one set for all of them, once it is no short list.
#[derive(Clone, Debug, Default)]
pub struct Tags {
    /// Those before the ones that were handed down.
    first: Named<()>,
    /// Those of a container, of which `common` ones are among the first, too.
    shared: Option<Arc<Named<()>>>,
    common: usize,
    /// Those that were added afterwards.
    last: Option<Box<Named<()>>>,
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
        self.end().push_new(hash, name.clone(), ());
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
        if self.insert_new(&name) {
            self.insert_segments(&name);
        }
    }

    fn insert_segments(&mut self, name: &Str) {
        if is_qualified(name) {
            for part in segments(name).filter(|part| !part.is_empty() || name.starts_with("::")) {
                self.insert_new(&shared(part));
            }
        }
    }

    /// Adds a tag as it is; whether it is new.
    fn insert_new(&mut self, name: &Str) -> bool {
        if self.shared.is_none() {
            return self.first.insert_new(name.clone(), ());
        }
        let hash = hash_of(name.as_str());
        let is_new = !self.contains_hashed(hash, name);
        if is_new {
            self.end().push_new(hash, name.clone(), ());
        }
        is_new
    }

    /// Where tags are added.
    fn end(&mut self) -> &mut Named<()> {
        match self.shared {
            None => &mut self.first,
            Some(_) => self.last.get_or_insert_default(),
        }
    }

    /// Adds the tags of another set as they are.
    pub fn merge(&mut self, tags: &Self) {
        match (&self.shared, &tags.shared) {
            (None, None) => self.first.merge(&tags.first),
            _ => self.extend(tags, 0),
        }
    }

    fn extend(&mut self, tags: &Self, first: usize) {
        for name in tags.iter().skip(first) {
            self.insert_new(name);
        }
    }

    /// Adds the tags that a container hands down as they are, except for the first ones.
    pub fn inherit(&mut self, container: &mut Self, first: usize) {
        if first > 0 && first >= container.len() {
            return;
        }
        match container.as_shared() {
            Some(tags) if self.shared.is_none() => {
                self.common = self.first.keys().filter(|name| tags.contains_key(name.as_str())).count();
                self.shared = Some(Arc::clone(tags));
            }
            Some(tags) if self.shared.as_ref().is_some_and(|own| Arc::ptr_eq(own, tags)) => {}
            _ if first == 0 => self.merge(container),
            _ => self.extend(container, first),
        }
    }

    /// All of them as one set that others share; nothing while they are few.
    fn as_shared(&mut self) -> Option<&Arc<Named<()>>> {
        if self.len() <= FEW {
            return None;
        }
        if !self.first.is_empty() || self.last.is_some() {
            let all = match self.shared {
                None => std::mem::take(&mut self.first),
                Some(_) => self.iter().map(|name| (name.clone(), ())).collect(),
            };
            *self = Self { shared: Some(Arc::new(all)), ..Self::default() };
        }
        self.shared.as_ref()
    }

    /// The number of tags.
    #[inline]
    pub fn len(&self) -> usize {
        let Some(shared) = &self.shared else { return self.first.len() };
        self.first.len() + shared.len() - self.common + self.last.as_ref().map_or(0, |last| last.len())
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a tag, in lower case, is in the set.
    pub fn contains(&self, tag: &str) -> bool {
        self.first.contains_key(tag) || self.is_further(|names| names.contains_key(tag))
    }

    /// As [`contains`](Self::contains), of a tag whose hash is known.
    pub(crate) fn contains_hashed(&self, hash: u64, tag: &str) -> bool {
        let is_in = |names: &Named<()>| names.get_index_of_hashed(hash, tag).is_some();
        is_in(&self.first) || self.is_further(is_in)
    }

    /// Whether those that were handed down, or those that were added afterwards, are such.
    #[inline]
    fn is_further(&self, is_in: impl Fn(&Named<()>) -> bool) -> bool {
        let Some(shared) = &self.shared else { return false };
        is_in(shared) || self.last.as_ref().is_some_and(|last| is_in(last))
    }

    /// The tags in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Str> + Clone {
        let is_first = move |name: &&Str| self.common == 0 || !self.first.contains_key(name.as_str());
        let shared = self.shared.iter().flat_map(|names| names.keys()).filter(is_first);
        let last = self.last.iter().flat_map(|names| names.keys());
        Counted { names: self.first.keys().chain(shared).chain(last), left: self.len() }
    }
}

impl From<Named<()>> for Tags {
    fn from(first: Named<()>) -> Self {
        Self { first, ..Self::default() }
    }
}

impl PartialEq for Tags {
    /// Whether both have the same tags, in any order.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|name| other.contains(name))
    }
}

impl Eq for Tags {}

/// An iterator of a known length.
#[derive(Clone)]
struct Counted<I> {
    names: I,
    left: usize,
}

impl<I: Iterator> Iterator for Counted<I> {
    type Item = I::Item;
    fn next(&mut self) -> Option<I::Item> {
        self.left = self.left.saturating_sub(1);
        self.names.next()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<I: Iterator> ExactSizeIterator for Counted<I> {}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(names: impl IntoIterator<Item = String>) -> Tags {
        let mut tags = Tags::new();
        names.into_iter().for_each(|name| tags.add(&name).unwrap());
        tags
    }

    fn numbered(numbers: std::ops::Range<usize>) -> Tags {
        tags(numbers.map(|number| format!("t{number}")))
    }

    #[test]
    fn what_is_handed_down_comes_after_own_tags_and_each_tag_once() {
        for count in [2, FEW, FEW + 1, 50] {
            let mut container = numbered(0..count);
            let mut own = tags(["file".to_owned(), "t1".to_owned()]);
            own.inherit(&mut container, 0);
            own.add("late").unwrap();
            own.add("t0").unwrap();
            let others = (0..count).filter(|number| *number != 1).map(|number| format!("t{number}"));
            let expected: Vec<String> = ["file".to_owned(), "t1".to_owned()]
                .into_iter()
                .chain(others)
                .chain(["late".to_owned()])
                .collect();
            assert!(own.iter().map(Str::as_str).eq(expected.iter().map(String::as_str)));
            assert_eq!((own.len(), own.iter().len()), (expected.len(), expected.len()));
            assert_eq!(container, numbered(0..count));
            assert!(own.contains("late") && own.contains("t0") && !own.contains("t50"));
            assert_eq!(own, tags(expected.into_iter().rev()));
        }
    }

    #[test]
    fn what_a_container_gets_later_is_handed_down_later() {
        for count in [2, FEW, FEW + 1, 50] {
            let mut container = numbered(0..count);
            let mut own = tags(["file".to_owned()]);
            own.inherit(&mut container, 0);
            let known = container.len();
            container.add("new::name").unwrap();
            own.inherit(&mut container, known);
            own.inherit(&mut container, known);
            let mut inner = tags(["notify".to_owned()]);
            inner.inherit(&mut own, 0);
            let names: Vec<&str> = inner.iter().map(Str::as_str).collect();
            assert_eq!(names.len(), count + 5);
            assert_eq!((names[0], names[1], names[2]), ("notify", "file", "t0"));
            assert_eq!(names[count + 2..], ["new::name", "new", "name"]);
            let mut all = tags(["first".to_owned()]);
            all.merge(&inner);
            assert!(all.iter().skip(1).eq(inner.iter()));
        }
    }
}
