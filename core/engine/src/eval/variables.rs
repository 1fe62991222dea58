//! The variables of a scope itself: single ones, and the parameters of its definition, in slots whose names
//! all scopes of the definition share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::access::text_entry;
use bunraku_pcore::Named;
use bunraku_pcore::pairs::{FEW, hash_of};
use bunraku_pcore::value::{Hash, Str, Value};

/// The values of a definition's parameters.
#[derive(Debug, Default)]
pub struct BoundParameters {
    /// The names in the order of declaration.
    pub(super) names: Arc<Named<()>>,
    /// The values in this order; `None` is not assigned.
    pub(super) values: Vec<Option<Value>>,
    /// Further arguments.
    pub(super) more: Named<Value>,
}

impl BoundParameters {
    /// The values in the order of declaration; `None` is not assigned.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// The arguments other than parameters.
    pub const fn more(&self) -> &Named<Value> {
        &self.more
    }

    /// Those that have values, by name.
    pub fn assigned(&self) -> impl Iterator<Item = (&Str, &Value)> {
        let named = self.names.keys().zip(&self.values);
        named.filter_map(|(name, value)| Some((name, value.as_ref()?))).chain(self.more.iter())
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(self.names.get_index_of(name)?)?.as_ref()
    }

    fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.values.get_mut(self.names.get_index_of(name)?)?.as_mut()
    }
}

/// The variables of a scope, without those on its stack.
#[derive(Debug, Default)]
pub(super) struct Variables {
    /// Those that were set one by one.
    own: Named<Value>,
    /// The hashes of their names, while they are few: names that differ in it need no look.
    hashes: SmallVec<[u64; FEW]>,
    /// The parameters of the scope's definition.
    parameters: Option<BoundParameters>,
    /// The node's facts and the server facts, in the top scope: they stay in the hashes of `$facts` and
    /// `$server_facts`. All keys are texts, and none is in `own`.
    facts: Vec<Arc<Hash>>,
    /// The number of `own` variables before the parameters or facts.
    first: usize,
}

impl Variables {
    /// The value of a variable.
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.get_hashed(hash_of(name), name)
    }

    /// As [`get`](Self::get), of a name whose [hash](hash_of) is known.
    #[inline]
    pub fn get_hashed(&self, hash: u64, name: &str) -> Option<&Value> {
        let bound = self.parameters.as_ref().and_then(|parameters| {
            let number = parameters.names.get_index_of_hashed(hash, name)?;
            parameters.values.get(number)?.as_ref()
        });
        let known = bound.or_else(|| self.own_hashed(hash, name));
        known.or_else(|| self.facts.iter().find_map(|facts| text_entry(facts, name)))
    }

    /// As [`get`](Self::get), where a node that reads it remembers the place: if the variable there has the
    /// name, nothing is hashed.
    #[inline]
    pub fn get_placed(&self, place: &AtomicU32, name: &str) -> Option<&Value> {
        let number = place.load(Ordering::Relaxed);
        let at = (number >> 1) as usize;
        match (&self.parameters, number & 1 == 0) {
            (_, false) => self.own.get_index(at).filter(|(known, _)| *known == name).map(|(_, value)| value),
            (Some(parameters), true) => {
                let (known, ()) = parameters.names.get_index(at)?;
                if known == name { parameters.values.get(at)?.as_ref() } else { None }
            }
            (None, true) => None,
        }
    }

    /// Notes where a variable is that was looked up in vain at the place that a node remembers.
    #[cold]
    pub fn note_place(&self, place: &AtomicU32, name: &str) {
        let bound = self.parameters.as_ref().and_then(|parameters| parameters.names.get_index_of(name));
        let own = || self.own.get_index_of(name).map(|at| (at, 1));
        if let Some((at, kind)) = bound.map(|at| (at, 0)).or_else(own)
            && let Ok(at) = u32::try_from(at)
            && at < u32::MAX >> 1
        {
            place.store(at << 1 | kind, Ordering::Relaxed);
        }
    }

    fn own_hashed(&self, hash: u64, name: &str) -> Option<&Value> {
        if self.own.len() > FEW {
            return self.own.get_hashed(hash, name);
        }
        let places = self.hashes.iter().enumerate().filter(|(_, known)| **known == hash);
        let mut entries = places.filter_map(|(place, _)| self.own.get_index(place));
        entries.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn add(&mut self, hash: u64, name: Str, value: Value) {
        if self.own.len() < FEW {
            self.hashes.push(hash);
        }
        self.own.push_new(hash, name, value);
    }

    /// Sets a variable and replaces an existing one.
    pub fn insert(&mut self, name: Str, value: Value) {
        let hash = hash_of(name.as_str());
        if self.get_hashed(hash, &name).is_none() {
            return self.add(hash, name, value);
        }
        self.take_facts_in();
        match self.parameters.as_mut().and_then(|parameters| parameters.get_mut(&name)) {
            Some(known) => *known = value,
            None => drop(self.own.insert(name, value)),
        }
    }

    /// Sets a variable that is known not to be there.
    pub fn add_new(&mut self, name: Str, value: Value) {
        self.add(hash_of(name.as_str()), name, value);
    }

    /// Sets a variable unless it is there; then the value is returned.
    #[inline]
    pub fn insert_new(
        &mut self,
        name: &str,
        make_name: impl FnOnce() -> Str,
        value: Value,
    ) -> Result<(), Value> {
        let hash = hash_of(name);
        if self.get_hashed(hash, name).is_some() {
            return Err(value);
        }
        self.add(hash, make_name(), value);
        Ok(())
    }

    /// Sets parameters; returns them if one of them already exists, or if there are parameters.
    pub fn bind(&mut self, mut parameters: BoundParameters) -> Result<(), BoundParameters> {
        let is_there = |name: &Str| parameters.get(name).is_some();
        if self.parameters.is_some() || !self.facts.is_empty() || self.own.keys().any(is_there) {
            return Err(parameters);
        }
        self.first = self.own.len();
        for (name, value) in std::mem::take(&mut parameters.more) {
            self.insert(name, value);
        }
        self.parameters = Some(parameters);
        Ok(())
    }

    /// Sets the variables of hashes whose keys are texts, none of which exists.
    pub fn set_facts(&mut self, facts: Vec<Arc<Hash>>) {
        self.first = self.own.len();
        self.facts = facts;
    }

    /// Makes variables of the facts that are as all others.
    fn take_facts_in(&mut self) {
        if self.facts.is_empty() {
            return;
        }
        let (own, facts) = (std::mem::take(&mut self.own), std::mem::take(&mut self.facts));
        self.hashes.clear();
        let mut own = own.into_iter();
        let first: Vec<_> = own.by_ref().take(self.first).collect();
        let facts = facts.iter().flat_map(|facts| texts_of(facts));
        let facts = facts.map(|(name, value)| (name.clone(), value.clone()));
        for (name, value) in first.into_iter().chain(facts).chain(own) {
            self.add(hash_of(name.as_str()), name, value);
        }
    }

    /// All of them in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&Str, &Value)> {
        let bound = self.parameters.iter();
        let named = bound.flat_map(|parameters| parameters.names.keys().zip(&parameters.values));
        let parameters = named.filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let facts = self.facts.iter().flat_map(|facts| texts_of(facts));
        let own = self.own.iter();
        own.clone().take(self.first).chain(parameters).chain(facts).chain(own.skip(self.first))
    }

    /// All of them, in no order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Str, &mut Value)> {
        self.take_facts_in();
        let bound = self.parameters.iter_mut();
        let named = bound.flat_map(|parameters| parameters.names.keys().zip(&mut parameters.values));
        let parameters = named.filter_map(|(name, value)| Some((name, value.as_mut()?)));
        self.own.iter_mut().chain(parameters)
    }
}

/// The entries of a hash whose keys are texts.
fn texts_of(facts: &Hash) -> impl Iterator<Item = (&Str, &Value)> {
    facts.iter().filter_map(|(name, value)| match name {
        Value::String(name) => Some((name, value)),
        _ => None,
    })
}
