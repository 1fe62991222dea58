//! Values by name, in the order in which the names were set: variables, parameters, attributes, tags.
//!
//! Nearly all such tables are small, and very many are made in a compilation. [`Named`] is one list, looked through from its
//! beginning; only what has grown beyond [`UNINDEXED`] names gets an index. It is used as an `IndexMap` is.

use std::ops::Index;

use rustc_hash::FxHashMap;

use super::value::Str;

/// Values by name, in the order in which the names were set.
#[derive(Clone, Debug)]
pub struct Named<V> {
    entries: Vec<(Str, V)>,
    /// The places of the names, when there are too many to look through.
    index: Option<Box<FxHashMap<Str, u32>>>,
}

/// Goes through names with values.
pub type Iter<'n, V> = std::iter::Map<std::slice::Iter<'n, (Str, V)>, fn(&'n (Str, V)) -> (&'n Str, &'n V)>;

/// More names than this are indexed.
const UNINDEXED: usize = 12;

impl<V> Default for Named<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V> Named<V> {
    /// No names.
    pub const fn new() -> Self {
        Self { entries: Vec::new(), index: None }
    }

    /// No names, and room for so many.
    pub fn with_capacity(names: usize) -> Self {
        Self { entries: Vec::with_capacity(names), index: None }
    }

    /// Makes room for so many names more.
    pub fn reserve(&mut self, names: usize) {
        self.entries.reserve(names);
    }

    /// How many names there are.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no names.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    fn position(&self, name: &str) -> Option<usize> {
        match &self.index {
            None => self.entries.iter().position(|(known, _)| known == name),
            Some(index) => index.get(name).map(|&at| at as usize),
        }
    }

    /// Whether a name is there.
    pub fn contains_key(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The value of a name.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.position(name).and_then(|at| self.entries.get(at)).map(|(_, value)| value)
    }

    /// A name as it is kept, with its value.
    pub fn get_key_value(&self, name: &str) -> Option<(&Str, &V)> {
        self.position(name).and_then(|at| self.entries.get(at)).map(|(name, value)| (name, value))
    }

    /// The value of a name, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        self.position(name).and_then(|at| self.entries.get_mut(at)).map(|(_, value)| value)
    }

    /// Sets the value of a name; one that is there keeps its place, and its value before is given back.
    pub fn insert(&mut self, name: impl Into<Str> + AsRef<str>, value: V) -> Option<V> {
        match self.get_mut(name.as_ref()) {
            Some(known) => Some(std::mem::replace(known, value)),
            None => {
                self.push(name.into(), value);
                None
            }
        }
    }

    /// Sets the value of a name that is not there; whether it was so.
    pub fn insert_new(&mut self, name: impl Into<Str> + AsRef<str>, value: V) -> bool {
        let is_new = !self.contains_key(name.as_ref());
        if is_new {
            self.push(name.into(), value);
        }
        is_new
    }

    /// The value of a name, made when the name is not there.
    pub fn get_or_insert_with(&mut self, name: &Str, make: impl FnOnce() -> V) -> &mut V {
        let at = self.position(name).unwrap_or_else(|| {
            self.push(name.clone(), make());
            self.entries.len() - 1
        });
        &mut self.entries[at].1
    }

    /// Adds a name that is not there.
    fn push(&mut self, name: Str, value: V) {
        let at = self.entries.len();
        if let Some(index) = &mut self.index {
            index.insert(name.clone(), at as u32);
        }
        self.entries.push((name, value));
        if at == UNINDEXED {
            self.make_index();
        }
    }

    #[cold]
    fn make_index(&mut self) {
        let places = self.entries.iter().enumerate().map(|(at, (name, _))| (name.clone(), at as u32));
        self.index = Some(Box::new(places.collect()));
    }

    /// Takes a name away; those behind it move up.
    pub fn shift_remove(&mut self, name: &str) -> Option<V> {
        let at = self.position(name)?;
        let (_, value) = self.entries.remove(at);
        if self.index.take().is_some() && self.entries.len() > UNINDEXED {
            self.make_index();
        }
        Some(value)
    }

    /// Names with values, in order.
    pub fn iter(&self) -> Iter<'_, V> {
        self.entries.iter().map(|(name, value)| (name, value))
    }

    /// The names in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Str> + DoubleEndedIterator + Clone {
        self.entries.iter().map(|(name, _)| name)
    }

    /// The values in order.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> + DoubleEndedIterator + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Names with values in order, the values to be changed.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&Str, &mut V)> {
        self.entries.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// The values in order, to be changed.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The values in order, without the names.
    pub fn into_values(self) -> impl ExactSizeIterator<Item = V> {
        self.entries.into_iter().map(|(_, value)| value)
    }
}

impl<V> Index<&str> for Named<V> {
    type Output = V;
    /// # Panics
    /// The name is not there.
    fn index(&self, name: &str) -> &V {
        self.get(name).expect("the name is there")
    }
}

impl<V> IntoIterator for Named<V> {
    type Item = (Str, V);
    type IntoIter = std::vec::IntoIter<(Str, V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'n, V> IntoIterator for &'n Named<V> {
    type Item = (&'n Str, &'n V);
    type IntoIter = Iter<'n, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<V> Extend<(Str, V)> for Named<V> {
    fn extend<I: IntoIterator<Item = (Str, V)>>(&mut self, entries: I) {
        let entries = entries.into_iter();
        self.entries.reserve(entries.size_hint().0);
        for (name, value) in entries {
            self.insert(name, value);
        }
    }
}

impl<V> FromIterator<(Str, V)> for Named<V> {
    fn from_iter<I: IntoIterator<Item = (Str, V)>>(entries: I) -> Self {
        let mut named = Self::new();
        named.extend(entries);
        named
    }
}

/// Equal are those that have equal values by the same names, in any order.
impl<V: PartialEq> PartialEq for Named<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<V: Eq> Eq for Named<V> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_small_and_great_tables() {
        let mut named = Named::new();
        for number in 0..100 {
            assert!(named.insert(format!("n{number}"), number).is_none());
            assert!(!named.insert_new("n0", 7));
        }
        assert_eq!(named.insert("n50", -50), Some(50));
        assert_eq!(named.shift_remove("n1"), Some(1));
        assert_eq!((named.get("n50"), named.get("n1"), named.get("n99")), (Some(&-50), None, Some(&99)));
        let first: Vec<&str> = named.keys().take(3).map(|name| name.as_str()).collect();
        assert_eq!(first, ["n0", "n2", "n3"]);
        while named.len() > 5 {
            named.shift_remove(&format!("n{}", 105 - named.len()));
        }
        assert_eq!(named.iter().filter(|(name, _)| named.contains_key(name)).count(), named.len());
    }
}
