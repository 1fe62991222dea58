//! The members of a Struct. Structs with the same keys can share them, because large data often repeats the
//! same keys.

use std::iter::Zip;
use std::slice;
use std::sync::Arc;

use smallvec::SmallVec;

use super::types::{StructMember, Type};
use crate::data::value::Str;

/// The members of a Struct, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    keys: Keys,
    values: MemberValues,
}

/// The types of members' values, one for each key. A small number of them is stored inline without enlarging
/// the type.
pub(crate) type MemberValues = SmallVec<[Type; 4]>;

/// The keys of the members.
pub(crate) type Keys = Arc<[MemberKey]>;

/// The key of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MemberKey {
    pub name: Str,
    pub key: Type,
}

/// A member of a Struct, as [`StructMember`].
#[derive(Clone, Copy, Debug)]
pub struct Member<'m> {
    /// The key's name.
    pub name: &'m Str,
    /// The key's type.
    pub key: &'m Type,
    /// The value's type.
    pub value: &'m Type,
}

impl<'m> Member<'m> {
    #[inline(always)]
    fn new((key, value): (&'m MemberKey, &'m Type)) -> Self {
        Self { name: &key.name, key: &key.key, value }
    }
}

impl Members {
    /// Members with possibly shared keys, and a value for each.
    pub(crate) fn new(keys: Keys, values: MemberValues) -> Self {
        Self { keys, values }
    }

    /// The same members with other types of their values.
    #[must_use]
    pub fn with_values(&self, change: impl Fn(&Type) -> Type) -> Self {
        Self { keys: Arc::clone(&self.keys), values: self.values.iter().map(change).collect() }
    }

    /// The number of members.
    #[inline]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The member at an index, from 0.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Member<'_>> {
        self.keys.get(index).zip(self.values.get(index)).map(Member::new)
    }

    /// The members.
    pub fn iter(&self) -> MemberIter<'_> {
        MemberIter(self.keys.iter().zip(&self.values))
    }
}

impl From<Vec<StructMember>> for Members {
    fn from(members: Vec<StructMember>) -> Self {
        members.into_iter().collect()
    }
}

impl FromIterator<StructMember> for Members {
    fn from_iter<I: IntoIterator<Item = StructMember>>(members: I) -> Self {
        let split = |StructMember { name, key, value }| (MemberKey { name, key }, value);
        let (keys, values): (Vec<_>, _) = members.into_iter().map(split).unzip();
        Self { keys: keys.into(), values }
    }
}

/// Walks members.
#[derive(Clone)]
pub struct MemberIter<'m>(Zip<slice::Iter<'m, MemberKey>, slice::Iter<'m, Type>>);

impl<'m> Iterator for MemberIter<'m> {
    type Item = Member<'m>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(Member::new)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for MemberIter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(Member::new)
    }
}

impl ExactSizeIterator for MemberIter<'_> {}

impl<'m> IntoIterator for &'m Members {
    type Item = Member<'m>;
    type IntoIter = MemberIter<'m>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
