//! Values of variables that Ruby code changes in place: in Ruby the template and the manifest hold the same
//! object, so that everything that sees the variable sees the change. Here the template has a copy. Its
//! changes are reported to the world before other code runs, and changes of other code are adopted
//! afterwards.

use rustc_hash::{FxHashMap, FxHashSet};

use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::same::place;
use super::value::{Given, Val};
use bunraku_pcore::Value;
use bunraku_pcore::value::Str;

/// The variables that a program has seen and could change.
#[derive(Default)]
pub(super) struct Shared<'a> {
    /// The object and its value, by their names in Puppet.
    variables: FxHashMap<Str, (Val<'a>, Value)>,
    /// Whether one of them has changed since the last report.
    changed: bool,
    /// The world's number of changes when the program last adopted them.
    heard: usize,
}

/// Whether both are the same object of Puppet.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a == b,
        (a, b) => a.is_same_object(b),
    }
}

/// Calls something with an object and all those in it, with what is in a collection once.
fn each_inside<'a>(value: Val<'a>, see: &mut impl FnMut(Val<'a>)) {
    see(value);
    let is_collection = |value: Val<'_>| matches!(value, Val::Array(_) | Val::Hash(_));
    if !is_collection(value) {
        return;
    }
    let (mut pending, mut met) = (vec![value], FxHashSet::default());
    let mut see_inner = |inner: Val<'a>, pending: &mut Vec<Val<'a>>| {
        see(inner);
        if is_collection(inner) {
            met.insert(place(value));
            if met.insert(place(inner)) {
                pending.push(inner);
            }
        }
    };
    while let Some(collection) = pending.pop() {
        match collection {
            Val::Array(list) => list.now().iter().for_each(|inner| see_inner(*inner, &mut pending)),
            Val::Hash(map) => map.now().values().for_each(|inner| see_inner(*inner, &mut pending)),
            _ => {}
        }
    }
}

pub(super) fn mark(value: Val<'_>) {
    each_inside(value, &mut |value| {
        if let Some(given) = value.given() {
            given.set(Given::Unchanged);
        }
    });
}

pub(super) fn has_changed(value: Val<'_>) -> bool {
    let mut changed = false;
    each_inside(value, &mut |value| {
        changed |= value.given().is_some_and(|given| given.get() == Given::Changed);
    });
    changed
}

impl<'a> Interpreter<'a> {
    /// The value of a variable as Ruby sees it: the same object whenever it is asked for.
    pub fn shared_value(&mut self, name: &str, value: &Value) -> R<'a> {
        let name = bare(name);
        if let Some((known, of)) = self.shared.variables.get(name)
            && is_same(of, value)
        {
            return Ok(*known);
        }
        let object = self.to_ruby(value)?;
        self.share(name, object, value);
        Ok(object)
    }

    /// An object that has become the value of a variable.
    pub fn share(&mut self, name: &str, object: Val<'a>, value: &Value) {
        if object.given().is_some() {
            mark(object);
            self.shared.variables.insert(bare(name).into(), (object, value.clone()));
        }
    }

    /// Must be called before an object is changed.
    pub fn note_change(&mut self, object: Val<'a>) {
        if let Some(given) = object.given()
            && given.get() != Given::No
        {
            given.set(Given::Changed);
            self.shared.changed = true;
        }
    }

    /// Reports the changes to the world.
    pub fn tell_changes(&mut self) -> Run<'a, ()> {
        if !std::mem::take(&mut self.shared.changed) {
            return Ok(());
        }
        let changed = self.shared.variables.iter().filter(|(_, (object, _))| has_changed(*object));
        let changed: Vec<(Str, Val<'a>, Value)> =
            changed.map(|(name, (object, value))| (name.clone(), *object, value.clone())).collect();
        for (name, object, old) in changed {
            let new = self.to_puppet(object)?;
            self.world.change_variable(&name, &old, &new);
            self.share(&name, object, &new);
        }
        self.shared.heard = self.world.changes();
        Ok(())
    }

    /// Takes over what others have changed meanwhile.
    pub fn hear_changes(&mut self) -> Run<'a, ()> {
        let changes = self.world.changes();
        if changes == std::mem::replace(&mut self.shared.heard, changes) {
            return Ok(());
        }
        let known = self.shared.variables.iter();
        let known: Vec<(Str, Val<'a>, Value)> =
            known.map(|(name, (object, value))| (name.clone(), *object, value.clone())).collect();
        for (name, object, old) in known {
            let Ok(Some(new)) = self.world.lookup_variable(&name) else { continue };
            if is_same(&old, &new) {
                continue;
            }
            let object_now = self.to_ruby(&new)?;
            match (object, object_now) {
                (Val::Array(own), Val::Array(now)) => own.set(now.take()),
                (Val::Hash(own), Val::Hash(now)) => own.set(now.take()),
                (Val::String(own), Val::String(now)) => own.set(now.get()),
                _ => continue,
            }
            self.share(&name, object, &new);
        }
        Ok(())
    }
}

/// A name without `::` before it.
fn bare(mut name: &str) -> &str {
    while let Some(behind) = name.strip_prefix("::") {
        name = behind;
    }
    name
}
