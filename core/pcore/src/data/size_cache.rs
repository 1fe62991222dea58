//! The size of a value: its length when written out, and its nesting.
//!
//! Values share their contents, so that a short program can make a value that takes very long to walk: `$b =
//! [$a, $a]`, `$c = [$b, $b]` and so on. The evaluator therefore rejects values that are too large or too
//! deep as soon as they are made, so that every later walk ends in time and within its stack. To know this
//! without walking, collections, types, objects and iterators cache their [`ValueSize`] once it was computed.

use std::fmt;
use std::hash::{Hash as StdHash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fuel::BYTES_IN_STEP;
use super::pairs::Entries;
use super::release::{Parts, release};
use super::types::{AliasType, Type, TypeKind};
use super::value::{IteratorKind, Value};

/// The size of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValueSize {
    /// The approximate number of bytes: [`ValueSize::ONE`] for each value and the bytes of texts; shared
    /// contents count each time.
    pub size: u64,
    /// The nesting.
    pub depth: u32,
}

/// The bits of the size in a cached size; the bits of the depth and a note follow.
const SIZE_BITS: u32 = 38;
const VALUE_BITS: u32 = 56;
const MAX_SIZE: u64 = (1 << SIZE_BITS) - 1;
const MAX_DEPTH: u32 = (1 << (VALUE_BITS - SIZE_BITS)) - 1;
const NOTE: u64 = !0 << VALUE_BITS;

impl ValueSize {
    /// The size of every value in addition to its content.
    pub const ONE: u64 = 16;

    const fn leaf(bytes: usize) -> Self {
        Self { size: Self::ONE.saturating_add(bytes as u64), depth: 0 }
    }

    /// The size of a collection without parts.
    pub const EMPTY: Self = Self::leaf(0);

    /// Adds the size of a part. What is too great to be kept is cut off where the size is kept.
    #[inline]
    pub fn add(&mut self, part: Self) {
        self.size = self.size.saturating_add(part.size);
        self.depth = self.depth.max(part.depth.saturating_add(1));
    }
}

/// A cached [`ValueSize`]. No value has the size 0, which means unknown. It has space for a note of eight
/// bits, whose meaning is up to its owner.
#[derive(Debug, Default)]
pub struct CachedSize(AtomicU64);

impl CachedSize {
    /// No size, but a note.
    pub(crate) fn with_note(note: u8) -> Self {
        Self(AtomicU64::new(u64::from(note) << VALUE_BITS))
    }

    /// The note.
    #[inline(always)]
    pub(crate) fn note(&self) -> u8 {
        (self.0.load(Ordering::Relaxed) >> VALUE_BITS) as u8
    }

    /// The size, measured if it is unknown.
    pub fn get(&self, measure: impl FnOnce() -> ValueSize) -> ValueSize {
        if let Some(known) = self.known() {
            return known;
        }
        let total = measure();
        self.set(total);
        self.known().unwrap_or(total)
    }

    #[inline]
    fn known(&self) -> Option<ValueSize> {
        let bits = self.0.load(Ordering::Relaxed) & !NOTE;
        (bits != 0).then_some(ValueSize { size: bits & MAX_SIZE, depth: (bits >> SIZE_BITS) as u32 })
    }

    /// Whether a value is known to be nested so little that it can be dropped recursively.
    #[inline]
    pub(crate) fn is_shallow(&self) -> bool {
        const SHALLOW: u32 = 64;
        self.known().is_some_and(|total| total.depth < SHALLOW)
    }

    /// Adds to the note.
    fn add_note(&self, note: u8) {
        self.0.fetch_or(u64::from(note) << VALUE_BITS, Ordering::Relaxed);
    }

    /// A size without a note.
    fn new(total: ValueSize) -> Self {
        let own = Self::default();
        own.set(total);
        own
    }

    fn set(&self, total: ValueSize) {
        let bits = total.size.min(MAX_SIZE) | u64::from(total.depth.min(MAX_DEPTH)) << SIZE_BITS;
        let note = self.0.load(Ordering::Relaxed) & NOTE;
        self.0.store(bits | note, Ordering::Relaxed);
    }
}

impl Clone for CachedSize {
    fn clone(&self) -> Self {
        Self(AtomicU64::new(self.0.load(Ordering::Relaxed)))
    }
}

impl CachedSize {
    /// Whether a fact is known to hold for a collection at this depth, or is found to.
    #[inline]
    fn keeps<F: Fact>(&self, depth: u32, find: impl FnOnce() -> bool) -> bool {
        if self.note() & F::NOTE != 0 {
            return true;
        }
        let holds = depth < MAX_DEPTH_OF_FACTS && find();
        if holds {
            self.add_note(F::NOTE);
        }
        holds
    }
}

/// A collection that caches its size. It dereferences to its content; mutable access discards the size,
/// except through the methods here.
#[derive(Clone, Default)]
pub struct SizeCached<T: Parts> {
    held: T,
    cached_size: CachedSize,
}

impl<T: Parts + fmt::Debug> fmt::Debug for SizeCached<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.held.is_secret() { out.write_str("[value redacted]") } else { self.held.fmt(out) }
    }
}

impl<T: Parts + Default> SizeCached<T> {
    /// The content.
    pub fn into_inner(mut self) -> T {
        std::mem::take(&mut self.held)
    }
}

impl<T: Parts> Drop for SizeCached<T> {
    fn drop(&mut self) {
        if !self.cached_size.is_shallow() {
            release(&mut self.held);
        }
    }
}

impl<T: Parts> From<T> for SizeCached<T> {
    fn from(held: T) -> Self {
        Self { held, cached_size: CachedSize::default() }
    }
}

impl<T: Parts> Deref for SizeCached<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.held
    }
}

impl<T: Parts> DerefMut for SizeCached<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.cached_size = CachedSize::default();
        &mut self.held
    }
}

impl<'m, T: Parts> IntoIterator for &'m SizeCached<T>
where
    &'m T: IntoIterator,
{
    type Item = <&'m T as IntoIterator>::Item;
    type IntoIter = <&'m T as IntoIterator>::IntoIter;
    fn into_iter(self) -> Self::IntoIter {
        self.held.into_iter()
    }
}

impl<T: Parts + Default + IntoIterator> IntoIterator for SizeCached<T> {
    type Item = T::Item;
    type IntoIter = T::IntoIter;
    fn into_iter(self) -> Self::IntoIter {
        self.into_inner().into_iter()
    }
}

impl<I, T: Parts + FromIterator<I>> FromIterator<I> for SizeCached<T> {
    fn from_iter<A: IntoIterator<Item = I>>(items: A) -> Self {
        items.into_iter().collect::<T>().into()
    }
}

impl<T: Parts + PartialEq> PartialEq for SizeCached<T> {
    fn eq(&self, other: &Self) -> bool {
        self.held == other.held
    }
}

impl<T: Parts + Eq> Eq for SizeCached<T> {}

impl<T: Parts + StdHash> StdHash for SizeCached<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.held.hash(state);
    }
}

impl SizeCached<Entries> {
    /// An empty hash with this capacity.
    pub fn with_capacity(entries: usize) -> Self {
        Entries::with_capacity(entries).into()
    }

    /// Sets the value of a key; a new key is last.
    pub fn put(&mut self, key: Value, value: Value) {
        let total = self.cached_size.known().map(|mut total| {
            total.add(key.value_size());
            total.add(value.value_size());
            total
        });
        // After a replacement, only measuring finds the size.
        let is_new = self.held.insert(key, value).is_none();
        match total.filter(|_| is_new) {
            Some(total) => self.cached_size = CachedSize::new(total),
            None => self.cached_size = CachedSize::default(),
        }
    }
}

impl SizeCached<Vec<Value>> {
    /// A list of values whose sizes have been added up.
    pub fn measured(values: Vec<Value>, total: ValueSize) -> Self {
        Self { held: values, cached_size: CachedSize::new(total) }
    }

    /// Puts the values in another order, which changes neither their size nor what was found out about them.
    pub fn reorder<E>(&mut self, reorder: impl FnOnce(&mut [Value]) -> Result<(), E>) -> Result<(), E> {
        reorder(&mut self.held)
    }

    /// Adds a value at the end.
    pub fn push(&mut self, value: Value) {
        let total = self.cached_size.known().map(|mut total| {
            total.add(value.value_size());
            total
        });
        self.cached_size = total.map(CachedSize::new).unwrap_or_default();
        self.held.push(value);
    }

    /// Adds values at the end.
    pub fn extend(&mut self, values: impl IntoIterator<Item = Value>) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

/// A fact about everything in a value, which arrays and hashes keep once it was found.
pub trait Fact {
    /// The bit under which it is kept.
    const NOTE: u8;

    /// Whether it holds for a key of a hash.
    fn holds_for_key(key: &Value) -> bool;

    /// Whether it holds for a value that is no array or hash.
    fn holds_for(value: &Value) -> bool;
}

/// The nesting up to which a [`Fact`] is looked for.
const MAX_DEPTH_OF_FACTS: u32 = 64;

impl Value {
    /// Whether a fact holds for everything in this value. `false` also means that the value nests too deep
    /// to know.
    #[inline]
    pub fn holds<F: Fact>(&self) -> bool {
        self.holds_within::<F>(0)
    }

    fn holds_within<F: Fact>(&self, depth: u32) -> bool {
        let inner = depth + 1;
        match self {
            Self::Array(values) => {
                values.cached_size.keeps::<F>(depth, || values.iter().all(|of| of.holds_within::<F>(inner)))
            }
            Self::Hash(hash) => hash.cached_size.keeps::<F>(depth, || {
                hash.iter().all(|(key, of)| F::holds_for_key(key) && of.holds_within::<F>(inner))
            }),
            other => F::holds_for(other),
        }
    }

    /// The number of steps to walk all of this value.
    #[inline]
    pub fn price(&self) -> u64 {
        match self {
            Self::String(text) => text.len() as u64 / BYTES_IN_STEP,
            // Reading, writing and dividing take time quadratic in their length.
            Self::BigInteger(number) => (number.bits() / 1024).saturating_pow(2) / 16,
            Self::Undef | Self::Default | Self::Boolean(_) | Self::Integer(_) | Self::Float(_) => 0,
            value => value.value_size().size / BYTES_IN_STEP,
        }
    }

    /// The size of this value.
    #[inline]
    pub fn value_size(&self) -> ValueSize {
        self.known_size().unwrap_or_else(|| self.find_size())
    }

    /// The size of a value without parts, or of one that has been measured. Texts, numbers and lists, which
    /// nearly all values are, are told first.
    #[inline]
    fn known_size(&self) -> Option<ValueSize> {
        match self {
            Self::String(text) => Some(ValueSize::leaf(text.len())),
            Self::Undef | Self::Boolean(_) | Self::Integer(_) => Some(ValueSize::leaf(0)),
            Self::Array(values) => values.cached_size.known(),
            Self::Hash(hash) => hash.cached_size.known(),
            other => match other.plain_size() {
                Ok(total) => Some(total),
                Err(kept) => kept.known(),
            },
        }
    }

    fn find_size(&self) -> ValueSize {
        if let Self::Array(values) = self
            && let Some(total) = size_of_list(values)
        {
            values.cached_size.set(total);
            return values.cached_size.known().unwrap_or(total);
        }
        if !self.measure_by_parts() {
            self.measure();
        }
        self.known_size().unwrap_or(ValueSize::leaf(0))
    }

    /// The size of a value without parts, or the cache for that of others.
    fn plain_size(&self) -> Result<ValueSize, &CachedSize> {
        Ok(match self {
            Self::Array(values) => return Err(&values.cached_size),
            Self::Hash(hash) => return Err(&hash.cached_size),
            Self::Sensitive(value) => return Err(&value.cached_size),
            Self::Object(object) => return Err(&object.cached_size),
            Self::Iterator(iterator) => return Err(&iterator.cached_size),
            Self::String(text) => ValueSize::leaf(text.len()),
            Self::ByteString(bytes) => ValueSize::leaf(bytes.bytes().len()),
            Self::Binary(bytes) => ValueSize::leaf(bytes.len()),
            Self::Regexp(regexp) => ValueSize::leaf(regexp.source.len()),
            Self::Uri(uri) => ValueSize::leaf(uri.text.len()),
            Self::BigInteger(number) => ValueSize::leaf((number.bits() / 8) as usize),
            Self::Runtime(value) => ValueSize::leaf(value.text.len()),
            Self::Type(of) => of.value_size(),
            Self::Undef
            | Self::Default
            | Self::Boolean(_)
            | Self::Integer(_)
            | Self::Float(_)
            | Self::Timespan(_)
            | Self::Timestamp(_)
            | Self::SemVer(_)
            | Self::SemVerRange(_) => ValueSize::leaf(0),
        })
    }

    /// Calls `visit` with every direct part of this value.
    #[inline]
    fn each_part<'v>(&'v self, mut visit: impl FnMut(&'v Value)) {
        match self {
            Self::Array(values) => values.iter().for_each(visit),
            Self::Hash(hash) => hash.iter().for_each(|(key, value)| {
                visit(key);
                visit(value);
            }),
            Self::Sensitive(value) => visit(value),
            Self::Object(object) => object.attributes.values().for_each(visit),
            Self::Iterator(iterator) => match &iterator.kind {
                IteratorKind::Step { source, .. }
                | IteratorKind::Reverse { source }
                | IteratorKind::Tree { source, .. } => visit(source),
            },
            _ => {}
        }
    }

    /// Measures a value whose parts are all measured, as for a value that was built from parts. Returns
    /// whether they were.
    fn measure_by_parts(&self) -> bool {
        let Err(kept) = self.plain_size() else { return true };
        let mut total = ValueSize::leaf(0);
        let mut is_known = true;
        self.each_part(|part| match part.known_size() {
            Some(known) => total.add(known),
            None => is_known = false,
        });
        if is_known {
            kept.set(total);
        }
        is_known
    }

    /// Measures this value and its contents, innermost first and without recursion.
    #[cold]
    fn measure(&self) {
        let mut pending = vec![self];
        while let Some(&value) = pending.last() {
            let Err(kept) = value.plain_size() else {
                pending.pop();
                continue;
            };
            let waiting = pending.len();
            let mut total = ValueSize::leaf(0);
            value.each_part(|part| match part.known_size() {
                Some(known) => total.add(known),
                None => pending.push(part),
            });
            if pending.len() == waiting {
                kept.set(total);
                pending.pop();
            }
        }
    }
}

/// The size of a list whose values are all measured.
#[inline]
fn size_of_list(values: &[Value]) -> Option<ValueSize> {
    let mut total = ValueSize::EMPTY;
    for value in values {
        total.add(value.known_size()?);
    }
    Some(total)
}

impl Type {
    /// The size of this type, written out with the targets of its aliases.
    #[inline]
    pub fn value_size(&self) -> ValueSize {
        match self.cached_size().known() {
            Some(known) => known,
            None => self.size_within(&mut Vec::new()),
        }
    }

    /// As [`value_size`](Self::value_size); aliases in progress count as one.
    fn size_within(&self, aliases: &mut Vec<Arc<AliasType>>) -> ValueSize {
        self.cached_size().get(|| {
            let mut total = ValueSize::leaf(0);
            match self.kind() {
                TypeKind::Object(_) | TypeKind::TypeSet(_) => {}
                TypeKind::Alias(alias) if aliases.iter().any(|outer| Arc::ptr_eq(outer, alias)) => {}
                TypeKind::Alias(alias) => {
                    aliases.push(Arc::clone(alias));
                    self.each_part(&mut |part| total.add(part.size_within(aliases)));
                    aliases.pop();
                }
                TypeKind::Enum { values, .. } => {
                    values.iter().for_each(|value| total.add(ValueSize::leaf(value.len())));
                }
                _ => self.each_part(&mut |part| total.add(part.size_within(aliases))),
            }
            total
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::List;

    #[test]
    fn lists_in_another_order_and_lists_of_measured_values_have_the_size_of_others() {
        let values = || vec![Value::from("b"), Value::array([Value::Integer(1)]), Value::from("a")];
        let found = Value::from(values()).value_size();
        let mut total = ValueSize::EMPTY;
        values().iter().for_each(|value| total.add(value.value_size()));
        let mut list = List::measured(values(), total);
        assert_eq!(Value::from(list.clone()).value_size(), found);
        let reversed = list.reorder(|values| {
            values.reverse();
            Ok::<_, ()>(())
        });
        assert_eq!(reversed, Ok(()));
        assert_eq!(Value::from(list).value_size(), found);
    }

    #[test]
    fn what_is_shared_counts_each_time() {
        let mut value = Value::array([Value::from("four")]);
        assert_eq!(value.value_size(), ValueSize { size: 16 + 20, depth: 1 });
        for _ in 0..60 {
            value = Value::array([value.clone(), value]);
        }
        assert_eq!(value.value_size(), ValueSize { size: MAX_SIZE, depth: 61 });
    }

    #[test]
    fn changes_are_noticed() {
        let mut list = SizeCached::from(vec![Value::Undef]);
        list.push(Value::Undef);
        let mut value = Value::Array(Arc::new(list));
        assert_eq!(value.value_size().size, 3 * ValueSize::ONE);
        if let Value::Array(list) = &mut value {
            Arc::make_mut(list).push(Value::array([]));
            assert_eq!(
                Value::Array(Arc::clone(list)).value_size(),
                ValueSize { size: 4 * ValueSize::ONE, depth: 1 }
            );
            Arc::make_mut(list).truncate(0);
        }
        assert_eq!(value.value_size(), ValueSize { size: ValueSize::ONE, depth: 0 });
        let mut hash = super::super::value::Hash::with_capacity(1);
        for (key, given) in [("a", "one"), ("b", "three"), ("a", "eleven")] {
            hash.put(key.into(), given.into());
            let known = Value::from(hash.clone()).value_size();
            assert_eq!(
                known,
                Value::hash(hash.iter().map(|(key, of)| (key.clone(), of.clone()))).value_size()
            );
            hash = match Value::from(hash) {
                Value::Hash(kept) => Arc::unwrap_or_clone(kept),
                _ => unreachable!("it is a hash"),
            };
        }
    }

    #[test]
    fn large_values_have_a_price() {
        assert_eq!(Value::from("short").price() + Value::Integer(1).price(), 0);
        let text = "x".repeat(1_000_000);
        let price = Value::from(text.as_str()).price();
        assert!(price > 100, "{price}");
        assert!(Value::array([Value::from(text.as_str())]).price() >= price);
    }
}
