//! Mutable objects of programs, and access to them.
//!
//! They are never borrowed: reading a collection takes a snapshot, and a change meanwhile changes a copy. So
//! whatever re-enters (a block that changes the collection being walked, a key that is the hash itself) finds
//! all values intact.

use std::cell::{Cell, RefCell};
use std::hash::BuildHasher as _;
use std::rc::Rc;

use indexmap::map::raw_entry_v1::{RawEntryApiV1 as _, RawEntryMut};

use super::value::{Entries, Given, Key, Proc, Val};
use bunraku_pcore::value::{Str, shared};

/// An object that can be read and changed in place.
#[derive(Default)]
pub(super) struct Held<T>(Cell<Option<Rc<T>>>);

impl<T: Clone + Default> Held<T> {
    pub fn new(value: T) -> Self {
        Self(Cell::new(Some(Rc::new(value))))
    }

    /// Asks a question about its current content. Questions must not access this object again; none in this
    /// file does.
    pub fn ask<R>(&self, question: impl FnOnce(&Rc<T>) -> R) -> R {
        let held = self.0.take().unwrap_or_default();
        let answer = question(&held);
        self.0.set(Some(held));
        answer
    }

    pub fn now(&self) -> Rc<T> {
        self.ask(Rc::clone)
    }

    pub fn set(&self, value: T) {
        self.0.set(Some(Rc::new(value)));
    }

    fn take(&self) -> T {
        self.0.take().map(Rc::unwrap_or_clone).unwrap_or_default()
    }

    /// As [`ask`](Self::ask), for changes.
    pub fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        let mut held = self.0.take().unwrap_or_default();
        let result = change(Rc::make_mut(&mut held));
        self.0.set(Some(held));
        result
    }
}

/// The content of a string.
enum Content {
    /// As values of Puppet have it.
    Shared(Str),
    /// One that was longer than [`SHORT`] when it grew, and that nobody has read since.
    Grown(String),
}

/// The length from which a text that grows is no longer kept as values of Puppet are. A text that was read
/// stays as those are, so that each of its bytes is moved once.
const SHORT: usize = 128;

impl Default for Content {
    fn default() -> Self {
        Self::Shared(Str::new())
    }
}

impl Content {
    fn as_str(&self) -> &str {
        match self {
            Self::Shared(text) => text,
            Self::Grown(text) => text,
        }
    }
}

/// A string: it can be changed in place.
#[derive(Default)]
pub(super) struct Text {
    /// It is borrowed by what is below alone, which never comes back here.
    content: RefCell<Content>,
    pub frozen: Cell<bool>,
    /// Whether it was written, or is Puppet's: Ruby's own texts of numbers and names are US-ASCII.
    pub is_utf8: Cell<bool>,
    pub given: Cell<Given>,
}

impl Text {
    pub fn new(text: Str) -> Self {
        Self { content: RefCell::new(Content::Shared(text)), ..Self::default() }
    }

    /// The current content.
    pub fn get(&self) -> Str {
        let mut content = self.content.borrow_mut();
        if let Content::Grown(text) = &*content {
            *content = Content::Shared(shared(text));
        }
        match &*content {
            Content::Shared(text) => text.clone(),
            Content::Grown(text) => shared(text),
        }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.content.borrow().as_str().len()
    }

    pub fn set(&self, text: Str) {
        *self.content.borrow_mut() = Content::Shared(text);
    }

    pub fn push_str(&self, added: &str) {
        let mut content = self.content.borrow_mut();
        match &mut *content {
            Content::Grown(text) => text.push_str(added),
            Content::Shared(text) if text.len() <= SHORT && text.len() + added.len() > SHORT => {
                let mut grown = String::with_capacity(2 * (text.len() + added.len()));
                grown.push_str(text);
                grown.push_str(added);
                *content = Content::Grown(grown);
            }
            Content::Shared(text) => text.push_str(added),
        }
    }

    /// Adds the content of a text, which may be this one.
    pub fn push(&self, added: &Text) {
        if std::ptr::eq(self, added) {
            self.push_str(&self.get());
        } else {
            self.push_str(added.content.borrow().as_str());
        }
    }
}

/// An array.
#[derive(Default)]
pub(super) struct List<'a> {
    values: Held<Vec<Val<'a>>>,
    pub frozen: Cell<bool>,
    pub given: Cell<Given>,
}

impl<'a> List<'a> {
    pub fn new(values: Vec<Val<'a>>) -> Self {
        Self { values: Held::new(values), ..Self::default() }
    }

    /// The current content.
    pub fn now(&self) -> Rc<Vec<Val<'a>>> {
        self.values.now()
    }

    /// A copy of the current content.
    pub fn to_vec(&self) -> Vec<Val<'a>> {
        self.values.ask(|values| values.to_vec())
    }

    pub fn len(&self) -> usize {
        self.values.ask(|values| values.len())
    }

    pub fn get(&self, at: usize) -> Option<Val<'a>> {
        self.values.ask(|values| values.get(at).copied())
    }

    pub fn set(&self, values: Vec<Val<'a>>) {
        self.values.set(values);
    }

    pub fn take(&self) -> Vec<Val<'a>> {
        self.values.take()
    }

    /// Changes it. The change sees the values only.
    pub fn change<R>(&self, change: impl FnOnce(&mut Vec<Val<'a>>) -> R) -> R {
        self.values.change(change)
    }
}

/// A hash, or a set by its keys.
#[derive(Default)]
pub(super) struct Map<'a> {
    entries: Held<Entries<'a>>,
    pub default: Cell<Option<Val<'a>>>,
    pub default_block: Cell<Option<&'a Proc<'a>>>,
    pub frozen: Cell<bool>,
    pub given: Cell<Given>,
    /// The number of walks in progress, during which no keys are added.
    walks: Cell<u32>,
    /// The number of removals of keys.
    removals: Cell<u32>,
}

/// The position of a key. Unlike the table itself, this compares the key's hash even if there is only one
/// key: a key that has changed since its insertion is not found, as in Ruby.
pub(super) fn position<'a>(entries: &Entries<'a>, key: Val<'a>) -> Option<usize> {
    let hash = entries.hasher().hash_one(Key(key));
    entries.raw_entry_v1().index_from_hash(hash, |known| *known == Key(key))
}

/// A key cannot be added while the hash is walked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walked;

impl<'a> Map<'a> {
    pub fn new(entries: Entries<'a>) -> Self {
        Self { entries: Held::new(entries), ..Self::default() }
    }

    /// The current content.
    pub fn now(&self) -> Rc<Entries<'a>> {
        self.entries.now()
    }

    /// A copy of the current content.
    pub fn to_entries(&self) -> Entries<'a> {
        self.entries.ask(|entries| Entries::clone(entries))
    }

    pub fn len(&self) -> usize {
        self.entries.ask(|entries| entries.len())
    }

    pub fn get(&self, key: Val<'a>) -> Option<Val<'a>> {
        let now = self.now();
        now.get_index(position(&now, key)?).map(|(_, value)| *value)
    }

    pub fn contains(&self, key: Val<'a>) -> bool {
        position(&self.now(), key).is_some()
    }

    /// The position of a key.
    pub fn position(&self, key: Val<'a>) -> Option<usize> {
        position(&self.now(), key)
    }

    /// Gives the key of this number a value.
    pub fn set_at(&self, at: usize, value: Val<'a>) {
        self.entries.change(|entries| {
            if let Some((_, place)) = entries.get_index_mut(at) {
                *place = value;
            }
        });
    }

    /// A value that changes when keys are added or removed.
    pub fn shape(&self) -> (usize, u32) {
        (self.len(), self.removals.get())
    }

    /// Whether it is walked at the moment.
    pub fn is_walked(&self) -> bool {
        self.walks.get() > 0
    }

    /// Sets the value of a key, and returns the previous one.
    pub fn insert(&self, key: Key<'a>, value: Val<'a>) -> Result<Option<Val<'a>>, Walked> {
        // The place is found before anything changes, as the key may be the hash itself, or hold it.
        let now = self.now();
        let hash = now.hasher().hash_one(key);
        let found = now.raw_entry_v1().index_from_hash(hash, |known| *known == key);
        drop(now);
        match found {
            Some(at) => Ok(self.entries.change(|entries| {
                entries.get_index_mut(at).map(|(_, known)| std::mem::replace(known, value))
            })),
            None if self.is_walked() => Err(Walked),
            None => self.entries.change(|entries| {
                if let RawEntryMut::Vacant(vacant) = entries.raw_entry_mut_v1().from_hash(hash, |_| false) {
                    vacant.insert_hashed_nocheck(hash, key, value);
                }
                Ok(None)
            }),
        }
    }

    /// Removes a key, and returns its value.
    pub fn remove(&self, key: Val<'a>) -> Option<Val<'a>> {
        let at = self.position(key)?;
        self.remove_at(at).map(|(_, value)| value)
    }

    /// Takes away the key that is this object, even if it has changed meanwhile.
    pub fn remove_object(&self, key: Val<'a>) {
        let now = self.now();
        let found =
            position(&now, key).filter(|at| now.get_index(*at).is_some_and(|(at, _)| at.0.is_same(key)));
        let found = found.or_else(|| now.keys().position(|known| known.0.is_same(key)));
        drop(now);
        found.and_then(|at| self.remove_at(at));
    }

    /// Takes the key of this number away.
    pub fn remove_at(&self, at: usize) -> Option<(Key<'a>, Val<'a>)> {
        self.removals.set(self.removals.get().wrapping_add(1));
        self.entries.change(|entries| entries.shift_remove_index(at))
    }

    /// Keeps the pairs for which this holds; it must not come back to this object.
    pub fn retain(&self, keep: impl Fn(Val<'a>) -> bool) {
        self.removals.set(self.removals.get().wrapping_add(1));
        self.entries.change(|entries| entries.retain(|_, value| keep(*value)));
    }

    pub fn set(&self, entries: Entries<'a>) {
        self.removals.set(self.removals.get().wrapping_add(1));
        self.entries.set(entries);
    }

    pub fn take(&self) -> Entries<'a> {
        self.entries.take()
    }

    /// Begins a walk.
    pub fn walk(&self) -> Walk<'_, 'a> {
        self.walks.set(self.walks.get().saturating_add(1));
        Walk { map: self, keys: self.now(), removals: self.removals.get(), at: 0 }
    }
}

/// A walk through a hash that can change meanwhile: removed keys are left out, values are the current ones.
pub(super) struct Walk<'m, 'a> {
    map: &'m Map<'a>,
    /// The pairs at the beginning of the walk. None can be added, so that existing ones are always among
    /// them, in this order.
    keys: Rc<Entries<'a>>,
    removals: u32,
    at: usize,
}

impl<'a> Iterator for Walk<'_, 'a> {
    type Item = (Val<'a>, Val<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (key, _) = self.keys.get_index(self.at)?;
            self.at += 1;
            let is_same =
                |(other, value): (&Key<'a>, &Val<'a>)| other.0.is_same(key.0).then_some((key.0, *value));
            let now = self.map.now();
            let found = if self.map.removals.get() == self.removals {
                now.get_index(self.at - 1).and_then(is_same)
            } else {
                // It is at its old position, or before it.
                now.iter().take(self.at).rev().find_map(is_same)
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

impl Drop for Walk<'_, '_> {
    fn drop(&mut self) {
        self.map.walks.set(self.map.walks.get().saturating_sub(1));
    }
}
