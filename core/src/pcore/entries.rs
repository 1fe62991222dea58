//! What is in a Puppet hash: pairs in the order in which their keys came.
//!
//! Most hashes of manifests and data have a handful of entries. Those are searched one after the other; from [`FEW`]
//! entries on, a table tells where a key is.

use std::hash::{BuildHasher, Hash as StdHash};
use std::{mem, slice, vec};

use hashbrown::HashTable;
use indexmap::Equivalent;
use rustc_hash::FxBuildHasher;

use super::value::Value;

/// A key and its value.
type Pair = (Value, Value);

/// How many entries are searched without a table.
const FEW: usize = 8;

/// The entries of a hash, in the order of insertion. The value of a key may change, its place does not.
///
/// Keys are the same when Ruby's `eql?` says so, which is `==` of [`Value`].
#[derive(Clone, Default)]
pub struct Entries {
    pairs: Vec<Pair>,
    /// Where the keys are in `pairs`, once there are more than [`FEW`].
    places: Option<Box<HashTable<Place>>>,
}

/// Where a key is, with what is needed to find it again when the table grows.
#[derive(Clone, Copy)]
struct Place {
    hash: u64,
    position: usize,
}

fn hash_of<Q: ?Sized + StdHash>(key: &Q) -> u64 {
    FxBuildHasher.hash_one(key)
}

impl Entries {
    /// No entries, with room for so many.
    pub fn with_capacity(entries: usize) -> Self {
        let places = (entries > FEW).then(|| Box::new(HashTable::with_capacity(entries)));
        Self { pairs: Vec::with_capacity(entries), places }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.pairs.reserve(more);
        if let Some(places) = &mut self.places {
            places.reserve(more, |place| place.hash);
        }
    }

    /// The value of a key.
    pub fn get<Q: ?Sized + StdHash + Equivalent<Value>>(&self, key: &Q) -> Option<&Value> {
        self.get_key_value(key).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: ?Sized + StdHash + Equivalent<Value>>(&mut self, key: &Q) -> Option<&mut Value> {
        let position = self.get_index_of(key)?;
        self.pairs.get_mut(position).map(|(_, value)| value)
    }

    /// An entry, with the key as it was when it came first.
    pub fn get_key_value<Q: ?Sized + StdHash + Equivalent<Value>>(
        &self,
        key: &Q,
    ) -> Option<(&Value, &Value)> {
        self.get_index(self.get_index_of(key)?)
    }

    /// Where a key is, from 0.
    pub fn get_index_of<Q: ?Sized + StdHash + Equivalent<Value>>(&self, key: &Q) -> Option<usize> {
        match &self.places {
            None => self.pairs.iter().position(|(known, _)| key.equivalent(known)),
            Some(places) => self.search(places, hash_of(key), key),
        }
    }

    fn search<Q: ?Sized + Equivalent<Value>>(
        &self,
        places: &HashTable<Place>,
        hash: u64,
        key: &Q,
    ) -> Option<usize> {
        let is_there = |place: &Place| {
            place.hash == hash
                && self.pairs.get(place.position).is_some_and(|(known, _)| key.equivalent(known))
        };
        places.find(hash, is_there).map(|place| place.position)
    }

    /// The entry at a place, from 0.
    pub fn get_index(&self, position: usize) -> Option<(&Value, &Value)> {
        self.pairs.get(position).map(|(key, value)| (key, value))
    }

    /// The entry at a place, from 0; the value may be changed.
    pub fn get_index_mut(&mut self, position: usize) -> Option<(&Value, &mut Value)> {
        self.pairs.get_mut(position).map(|(key, value)| (&*key, value))
    }

    /// Whether there is such a key.
    pub fn contains_key<Q: ?Sized + StdHash + Equivalent<Value>>(&self, key: &Q) -> bool {
        self.get_index_of(key).is_some()
    }

    /// Sets the value of a key and gives the one that it had; a new key comes last.
    pub fn insert(&mut self, key: Value, value: Value) -> Option<Value> {
        let (hash, known) = match &self.places {
            None => (0, self.pairs.iter().position(|(known, _)| *known == key)),
            Some(places) => {
                let hash = hash_of(&key);
                (hash, self.search(places, hash, &key))
            }
        };
        match known.and_then(|position| self.pairs.get_mut(position)) {
            Some((_, known)) => Some(mem::replace(known, value)),
            None => {
                self.push(hash, key, value);
                None
            }
        }
    }

    /// The value of a key, which is made where the key is new.
    pub fn get_or_insert_with(&mut self, key: Value, make: impl FnOnce() -> Value) -> &mut Value {
        let position = self.get_index_of(&key).unwrap_or_else(|| {
            self.insert(key, make());
            self.pairs.len() - 1
        });
        &mut self.pairs[position].1
    }

    /// Adds an entry whose key is new.
    fn push(&mut self, hash: u64, key: Value, value: Value) {
        let position = self.pairs.len();
        self.pairs.push((key, value));
        match &mut self.places {
            Some(places) => {
                places.insert_unique(hash, Place { hash, position }, |place| place.hash);
            }
            None if position >= FEW => self.index(),
            None => {}
        }
    }

    /// Makes the table anew, or none where there are few entries.
    fn index(&mut self) {
        self.places = (self.pairs.len() > FEW).then(|| {
            let mut places = HashTable::with_capacity(self.pairs.capacity());
            for (position, (key, _)) in self.pairs.iter().enumerate() {
                let hash = hash_of(key);
                places.insert_unique(hash, Place { hash, position }, |place: &Place| place.hash);
            }
            Box::new(places)
        });
    }

    /// Takes an entry out; those behind it move up.
    pub fn shift_remove<Q: ?Sized + StdHash + Equivalent<Value>>(&mut self, key: &Q) -> Option<Value> {
        let position = self.get_index_of(key)?;
        if let Some(places) = &mut self.places {
            if let Ok(place) = places.find_entry(hash_of(key), |place| place.position == position) {
                place.remove();
            }
            places.iter_mut().filter(|place| place.position > position).for_each(|place| place.position -= 1);
        }
        Some(self.pairs.remove(position).1)
    }

    /// Keeps the entries that a test holds for.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value, &mut Value) -> bool) {
        self.pairs.retain_mut(|(key, value)| keep(key, value));
        self.index();
    }

    /// The entries as they are kept.
    #[inline]
    pub(in crate::pcore) fn pairs(&self) -> &[(Value, Value)] {
        &self.pairs
    }

    /// The entries.
    pub fn iter(&self) -> Iter<'_> {
        self.pairs.iter().map(borrowed)
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.pairs.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.pairs.iter().map(|(_, value)| value)
    }

    /// The values, which may be changed.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> + ExactSizeIterator {
        self.pairs.iter_mut().map(|(_, value)| value)
    }
}

/// Walks entries.
pub type Iter<'e> = std::iter::Map<slice::Iter<'e, Pair>, fn(&Pair) -> (&Value, &Value)>;

fn borrowed((key, value): &Pair) -> (&Value, &Value) {
    (key, value)
}

impl IntoIterator for Entries {
    type Item = Pair;
    type IntoIter = vec::IntoIter<Pair>;
    fn into_iter(self) -> Self::IntoIter {
        self.pairs.into_iter()
    }
}

impl<'e> IntoIterator for &'e Entries {
    type Item = (&'e Value, &'e Value);
    type IntoIter = Iter<'e>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Extend<Pair> for Entries {
    fn extend<I: IntoIterator<Item = Pair>>(&mut self, pairs: I) {
        let pairs = pairs.into_iter();
        self.reserve(pairs.size_hint().0);
        pairs.for_each(|(key, value)| {
            self.insert(key, value);
        });
    }
}

impl FromIterator<Pair> for Entries {
    fn from_iter<I: IntoIterator<Item = Pair>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut entries = Self::with_capacity(pairs.size_hint().0);
        entries.extend(pairs);
        entries
    }
}

impl PartialEq for Entries {
    /// Whether both have the same keys with the same values, in any order.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl Eq for Entries {}

impl std::fmt::Debug for Entries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: i64) -> Entries {
        (0..count).map(|number| (Value::from(number), Value::from(number * 2))).collect()
    }

    #[test]
    fn keys_are_found_with_and_without_a_table() {
        for count in [1, FEW as i64, FEW as i64 + 1, 100] {
            let mut entries = numbered(count);
            assert_eq!(entries.len() as i64, count);
            for number in 0..count {
                assert_eq!(entries.get(&Value::from(number)), Some(&Value::from(number * 2)));
                assert_eq!(entries.insert(number.into(), "new".into()), Some(Value::from(number * 2)));
            }
            assert_eq!(entries.get(&Value::from(count)), None);
            assert_eq!(entries.get(&Value::from(0.0)), None);
            assert!(entries.keys().cloned().eq((0..count).map(Value::from)));
        }
    }

    #[test]
    fn entries_behind_one_that_is_taken_out_are_found() {
        let mut entries = numbered(FEW as i64 + 2);
        for number in 0..4 {
            assert_eq!(entries.shift_remove(&Value::from(number)), Some(Value::from(number * 2)));
            assert_eq!(entries.get(&Value::from(9)), Some(&Value::from(18)));
        }
        entries.retain(|key, _| *key == Value::from(9));
        assert_eq!(entries, numbered(10).into_iter().skip(9).collect());
    }
}
