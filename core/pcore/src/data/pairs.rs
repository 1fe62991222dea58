//! Maps in insertion order: the entries of Puppet's hashes, and values by name.
//!
//! Most of these tables have a few entries, and a compilation makes many of them. Small tables are searched
//! linearly; beyond `FEW` entries, an index maps keys to positions.

use std::hash::{BuildHasher, Hash as StdHash};
use std::{fmt, mem, slice, vec};

use hashbrown::HashTable;
use indexmap::Equivalent;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::value::{Str, Value};

/// The entries of a Puppet hash. Two keys are the same if Ruby's `eql?` is true, which is `==` of [`Value`].
pub type Entries = Pairs<Value, Value>;

/// Values by name: variables, parameters, attributes, tags.
pub type Named<V> = Pairs<Str, V>;

/// The maximum number of entries that are searched without an index.
pub const FEW: usize = 8;

/// A map in insertion order. The value of a key can change, its position does not.
#[derive(Clone)]
pub struct Pairs<K, V> {
    pairs: Vec<(K, V)>,
    /// The positions of the keys in `pairs`, if there are more than [`FEW`].
    places: Option<Box<HashTable<Slot>>>,
}

/// The position of a key, with its hash for growing the index.
#[derive(Clone, Copy)]
struct Slot {
    hash: u64,
    position: usize,
}

/// The hash of a key, for [`Pairs::get_hashed`].
pub fn hash_of<Q: ?Sized + StdHash>(key: &Q) -> u64 {
    FxBuildHasher.hash_one(key)
}

impl<K, V> Default for Pairs<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> Pairs<K, V> {
    /// No entries.
    pub const fn new() -> Self {
        Self { pairs: Vec::new(), places: None }
    }

    /// An empty map with this capacity.
    pub fn with_capacity(entries: usize) -> Self {
        let places = (entries > FEW).then(|| Box::new(HashTable::with_capacity(entries)));
        Self { pairs: Vec::with_capacity(entries), places }
    }

    /// Reserves capacity for this number of further entries.
    pub fn reserve(&mut self, more: usize) {
        self.pairs.reserve(more);
        if let Some(places) = &mut self.places {
            places.reserve(more, |place| place.hash);
        }
    }

    /// The number of entries.
    pub const fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether the map is empty.
    pub const fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The entry at an index, from 0.
    pub fn get_index(&self, position: usize) -> Option<(&K, &V)> {
        self.pairs.get(position).map(borrowed)
    }

    /// The entry at an index, from 0, with a mutable value.
    pub fn get_index_mut(&mut self, position: usize) -> Option<(&K, &mut V)> {
        self.pairs.get_mut(position).map(|(key, value)| (&*key, value))
    }

    /// The entries as a slice.
    #[inline]
    pub(crate) fn pairs(&self) -> &[(K, V)] {
        &self.pairs
    }

    /// The entries.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.pairs.iter().map(borrowed)
    }

    /// The entries, with mutable values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&K, &mut V)> {
        self.pairs.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator + Clone {
        self.pairs.iter().map(|(key, _)| key)
    }

    /// The values.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.pairs.iter().map(|(_, value)| value)
    }

    /// The mutable values.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.pairs.iter_mut().map(|(_, value)| value)
    }

    /// The values, without the keys.
    pub fn into_values(self) -> impl ExactSizeIterator<Item = V> {
        self.pairs.into_iter().map(|(_, value)| value)
    }
}

impl<K: Eq + StdHash, V> Pairs<K, V> {
    /// The value of a key.
    #[inline]
    pub fn get<Q: ?Sized + StdHash + Equivalent<K>>(&self, key: &Q) -> Option<&V> {
        let position = self.get_index_of(key)?;
        self.pairs.get(position).map(|(_, value)| value)
    }

    /// The mutable value of a key.
    pub fn get_mut<Q: ?Sized + StdHash + Equivalent<K>>(&mut self, key: &Q) -> Option<&mut V> {
        let position = self.get_index_of(key)?;
        self.pairs.get_mut(position).map(|(_, value)| value)
    }

    /// An entry, with the key as it was first inserted.
    pub fn get_key_value<Q: ?Sized + StdHash + Equivalent<K>>(&self, key: &Q) -> Option<(&K, &V)> {
        self.get_index(self.get_index_of(key)?)
    }

    /// The index of a key, from 0.
    #[inline]
    pub fn get_index_of<Q: ?Sized + StdHash + Equivalent<K>>(&self, key: &Q) -> Option<usize> {
        match &self.places {
            None => self.pairs.iter().position(|(known, _)| key.equivalent(known)),
            Some(places) => self.search(places, hash_of(key), key),
        }
    }

    /// As [`get`](Self::get), with the known [hash](hash_of) of the key, for lookups in several tables.
    #[inline]
    pub fn get_hashed<Q: ?Sized + Equivalent<K>>(&self, hash: u64, key: &Q) -> Option<&V> {
        self.pairs.get(self.get_index_of_hashed(hash, key)?).map(|(_, value)| value)
    }

    /// As [`get_index_of`](Self::get_index_of), with the known [hash](hash_of) of the key.
    #[inline]
    pub fn get_index_of_hashed<Q: ?Sized + Equivalent<K>>(&self, hash: u64, key: &Q) -> Option<usize> {
        match &self.places {
            None => self.pairs.iter().position(|(known, _)| key.equivalent(known)),
            Some(places) => self.search(places, hash, key),
        }
    }

    fn search<Q: ?Sized + Equivalent<K>>(
        &self,
        places: &HashTable<Slot>,
        hash: u64,
        key: &Q,
    ) -> Option<usize> {
        let is_there = |place: &Slot| {
            place.hash == hash
                && self.pairs.get(place.position).is_some_and(|(known, _)| key.equivalent(known))
        };
        places.find(hash, is_there).map(|place| place.position)
    }

    /// Whether the key exists.
    pub fn contains_key<Q: ?Sized + StdHash + Equivalent<K>>(&self, key: &Q) -> bool {
        self.get_index_of(key).is_some()
    }

    /// The hash of a key, if there is an index, and its position.
    fn look_for(&self, key: &K) -> (u64, Option<usize>) {
        match &self.places {
            None => (0, self.pairs.iter().position(|(known, _)| known == key)),
            Some(places) => {
                let hash = hash_of(key);
                (hash, self.search(places, hash, key))
            }
        }
    }

    /// Sets the value of a key and returns the previous one; a new key is last.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let (hash, known) = self.look_for(&key);
        match known.and_then(|position| self.pairs.get_mut(position)) {
            Some((_, known)) => Some(mem::replace(known, value)),
            None => {
                self.push(hash, key, value);
                None
            }
        }
    }

    /// As [`insert`](Self::insert), with the known [hash](hash_of) of the key.
    pub fn insert_hashed(&mut self, hash: u64, key: K, value: V) -> Option<V> {
        let known = self.get_index_of_hashed(hash, &key);
        match known.and_then(|position| self.pairs.get_mut(position)) {
            Some((_, known)) => Some(mem::replace(known, value)),
            None => {
                self.push(hash, key, value);
                None
            }
        }
    }

    /// Sets the value of a key unless it exists; returns whether it was set.
    pub fn insert_new(&mut self, key: K, value: V) -> bool {
        let (hash, known) = self.look_for(&key);
        if known.is_none() {
            self.push(hash, key, value);
        }
        known.is_none()
    }

    /// The value of a key; a new key gets the value from `make`.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let (hash, known) = self.look_for(&key);
        let position = known.unwrap_or_else(|| {
            self.push(hash, key, make());
            self.pairs.len() - 1
        });
        &mut self.pairs[position].1
    }

    /// Adds an entry with a new key and its known [hash](hash_of).
    pub fn push_new(&mut self, hash: u64, key: K, value: V) {
        self.push(hash, key, value);
    }

    /// Adds an entry with a new key.
    fn push(&mut self, hash: u64, key: K, value: V) {
        let position = self.pairs.len();
        self.pairs.push((key, value));
        match &mut self.places {
            Some(places) => {
                places.insert_unique(hash, Slot { hash, position }, |place| place.hash);
            }
            None if position >= FEW => self.index(),
            None => {}
        }
    }

    /// Rebuilds the index, or removes it if there are few entries.
    #[cold]
    fn index(&mut self) {
        self.places = (self.pairs.len() > FEW).then(|| {
            let mut places = HashTable::with_capacity(self.pairs.capacity());
            for (position, (key, _)) in self.pairs.iter().enumerate() {
                let hash = hash_of(key);
                places.insert_unique(hash, Slot { hash, position }, |place: &Slot| place.hash);
            }
            Box::new(places)
        });
    }

    /// A table of the same keys in the same order, with the values that `make` returns; entries without one
    /// are left out.
    pub fn filter_map<W>(&mut self, mut make: impl FnMut(&K, &mut V) -> Option<W>) -> Pairs<K, W>
    where
        K: Clone,
    {
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (key, value) in &mut self.pairs {
            pairs.extend(make(key, value).map(|made| (key.clone(), made)));
        }
        let mut made = Pairs { pairs, places: None };
        match made.pairs.len() == self.pairs.len() {
            true => made.places.clone_from(&self.places),
            false => made.index(),
        }
        made
    }

    /// Adds the entries of another table whose keys are new. If this table has few entries, the other table's
    /// are copied as a whole, with its index.
    pub fn merge(&mut self, other: &Self)
    where
        K: Clone,
        V: Clone,
    {
        let Some(mut places) = other.places.clone().filter(|_| self.places.is_none()) else {
            self.reserve(other.len());
            for (key, value) in &other.pairs {
                self.insert_new(key.clone(), value.clone());
            }
            return;
        };
        let own = self.pairs.len();
        // Common keys: their positions in the other table and in this one.
        let mut common: SmallVec<[(usize, usize); FEW]> = SmallVec::new();
        for (position, (key, _)) in self.pairs.iter().enumerate() {
            match other.get_index_of(key) {
                Some(there) => common.push((there, position)),
                None => {
                    let hash = hash_of(key);
                    places.insert_unique(hash, Slot { hash, position: other.len() + position }, |place| {
                        place.hash
                    });
                }
            }
        }
        common.sort_unstable();
        for place in places.iter_mut() {
            let before = common.iter().take_while(|(there, _)| *there < place.position).count();
            place.position = match common.get(before) {
                _ if place.position >= other.len() => place.position - other.len(),
                Some((there, here)) if *there == place.position => *here,
                _ => own + place.position - before,
            };
        }
        self.pairs.reserve(other.len() - common.len());
        let mut start = 0;
        for end in common.iter().map(|(there, _)| *there).chain([other.len()]) {
            self.pairs.extend_from_slice(&other.pairs[start..end]);
            start = end + 1;
        }
        self.places = Some(places);
    }

    /// Removes an entry; later ones move up.
    pub fn shift_remove<Q: ?Sized + StdHash + Equivalent<K>>(&mut self, key: &Q) -> Option<V> {
        let position = self.get_index_of(key)?;
        if let Some(places) = &mut self.places {
            if let Ok(place) = places.find_entry(hash_of(key), |place| place.position == position) {
                place.remove();
            }
            places.iter_mut().filter(|place| place.position > position).for_each(|place| place.position -= 1);
        }
        Some(self.pairs.remove(position).1)
    }

    /// Keeps the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.pairs.retain_mut(|(key, value)| keep(key, value));
        self.index();
    }
}

/// Walks entries.
pub type Iter<'e, K, V> = std::iter::Map<slice::Iter<'e, (K, V)>, fn(&(K, V)) -> (&K, &V)>;

fn borrowed<K, V>((key, value): &(K, V)) -> (&K, &V) {
    (key, value)
}

impl<K, V> IntoIterator for Pairs<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;
    fn into_iter(self) -> Self::IntoIter {
        self.pairs.into_iter()
    }
}

impl<'e, K, V> IntoIterator for &'e Pairs<K, V> {
    type Item = (&'e K, &'e V);
    type IntoIter = Iter<'e, K, V>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: Eq + StdHash, V> Extend<(K, V)> for Pairs<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        let pairs = pairs.into_iter();
        self.reserve(pairs.size_hint().0);
        pairs.for_each(|(key, value)| {
            self.insert(key, value);
        });
    }
}

impl<K: Eq + StdHash, V> FromIterator<(K, V)> for Pairs<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let pairs = pairs.into_iter();
        let mut entries = Self::with_capacity(pairs.size_hint().0);
        entries.extend(pairs);
        entries
    }
}

impl<K: Eq + StdHash, V: PartialEq> PartialEq for Pairs<K, V> {
    /// Whether both have the same keys with the same values, in any order.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().all(|(key, value)| other.get(key) == Some(value))
    }
}

impl<K: Eq + StdHash, V: Eq> Eq for Pairs<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Pairs<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    fn merged_tables_have_each_key_once() {
        let many = 3 * FEW as i64;
        for (own, other) in
            [(0..2, 0..2), (0..3, many..2 * many), (2..5, 0..many), (0..0, 0..many), (0..many, 1..2 * many)]
        {
            for own in [own.clone().collect::<Vec<_>>(), own.rev().collect()] {
                let table = |numbers: &mut dyn Iterator<Item = i64>, value: &str| -> Entries {
                    numbers.map(|number| (number.into(), value.into())).collect()
                };
                let theirs = table(&mut other.clone(), "other");
                let mut merged = table(&mut own.iter().copied(), "own");
                merged.merge(&theirs);
                let mut expected = table(&mut own.iter().copied(), "own");
                for number in other.clone() {
                    expected.insert_new(number.into(), "other".into());
                }
                assert_eq!(merged, expected);
                assert!(merged.iter().eq(expected.iter()));
                assert!(
                    merged.keys().enumerate().all(|(place, key)| merged.get_index_of(key) == Some(place))
                );
                assert_eq!(merged.get_index_of(&Value::from(-1)), None);
            }
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

    #[test]
    fn names_are_found_by_texts() {
        let mut named = Named::new();
        for number in 0..100 {
            assert!(named.insert(Str::from(format!("n{number}")), number).is_none());
            assert!(!named.insert_new("n0".into(), 7));
        }
        assert_eq!(named.insert("n50".into(), -50), Some(50));
        assert_eq!(named.shift_remove("n1"), Some(1));
        assert_eq!((named.get("n50"), named.get("n1"), named.get("n99")), (Some(&-50), None, Some(&99)));
        assert!(named.keys().take(3).map(Str::as_str).eq(["n0", "n2", "n3"]));
    }
}
