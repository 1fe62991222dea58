//! The variables that a scope itself holds: those that were set one by one, and the parameters of its
//! definition, which stand in slots whose names all scopes of the definition share.

use std::sync::Arc;

use smallvec::SmallVec;

use bunraku_pcore::Named;
use bunraku_pcore::pairs::{FEW, hash_of};
use bunraku_pcore::value::{Str, Value};

/// The values of a definition's parameters.
#[derive(Debug, Default)]
pub struct BoundParameters {
    /// The names in the order of declaration.
    pub(super) names: Arc<Named<()>>,
    /// The values in this order; `None` is not assigned.
    pub(super) values: Vec<Option<Value>>,
    /// What was given beyond them.
    pub(super) more: Named<Value>,
}

impl BoundParameters {
    /// The values in the order of declaration; `None` is not assigned.
    pub fn values(&self) -> &[Option<Value>] {
        &self.values
    }

    /// What was given beyond the parameters.
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
    /// How many of `own` stand before the parameters.
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
        match bound {
            None => self.own_hashed(hash, name),
            found => found,
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

    /// Sets a variable in place of one that is there.
    pub fn insert(&mut self, name: Str, value: Value) {
        let hash = hash_of(name.as_str());
        if self.get_hashed(hash, &name).is_none() {
            return self.add(hash, name, value);
        }
        match self.parameters.as_mut().and_then(|parameters| parameters.get_mut(&name)) {
            Some(known) => *known = value,
            None => drop(self.own.insert(name, value)),
        }
    }

    /// Sets a variable that is not there; whether it was so.
    pub fn insert_new(&mut self, name: Str, value: Value) -> bool {
        let hash = hash_of(name.as_str());
        let is_new = self.get_hashed(hash, &name).is_none();
        if is_new {
            self.add(hash, name, value);
        }
        is_new
    }

    /// Sets parameters; gives them back where one of them is there already, or where there are some.
    pub fn bind(&mut self, mut parameters: BoundParameters) -> Result<(), BoundParameters> {
        let is_there = |name: &Str| parameters.get(name).is_some();
        if self.parameters.is_some() || self.own.keys().any(is_there) {
            return Err(parameters);
        }
        self.first = self.own.len();
        for (name, value) in std::mem::take(&mut parameters.more) {
            self.insert(name, value);
        }
        self.parameters = Some(parameters);
        Ok(())
    }

    /// All of them in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&Str, &Value)> {
        let bound = self.parameters.iter();
        let named = bound.flat_map(|parameters| parameters.names.keys().zip(&parameters.values));
        let parameters = named.filter_map(|(name, value)| Some((name, value.as_ref()?)));
        self.own.iter().take(self.first).chain(parameters).chain(self.own.iter().skip(self.first))
    }

    /// All of them, in no order.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Str, &mut Value)> {
        let bound = self.parameters.iter_mut();
        let named = bound.flat_map(|parameters| parameters.names.keys().zip(&mut parameters.values));
        let parameters = named.filter_map(|(name, value)| Some((name, value.as_mut()?)));
        self.own.iter_mut().chain(parameters)
    }
}
