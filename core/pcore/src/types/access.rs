//! Types from types and keys: `Type[key, …]` where the keys were evaluated. Follows the rules for types of
//! the reference's `pops/evaluator/access_operator.rb`. Resources and classes are the evaluator's, as their
//! keys may ask for parameters of the catalog.

use super::factory;
use super::parse::TypeLoader;
use super::{IntRange, Type};
use crate::data::big::BigRange;
use crate::data::value::Value;
use crate::ruby::names::{object_class, ruby_class, type_label};
use bunraku_syntax::diagnostic::label::a_an_uc;
use bunraku_syntax::diagnostic::{Error, Report, issues};

/// The part of an access expression that is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The whole expression.
    Whole,
    /// The left side.
    Left,
    /// The key of this index, as it is written: keys in arrays have no place of their own.
    Key(usize),
}

/// The reason why keys were rejected.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// An issue and the part at fault.
    Report(Blame, Report),
    /// Any other failure.
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

pub(super) type Access<T = Type> = Result<T, Refusal>;

pub(super) fn refuse<T>(blame: Blame, report: Report) -> Access<T> {
    Err(Refusal::Report(blame, report))
}

/// All values of nested arrays.
fn flatten(keys: &[Value]) -> Vec<Value> {
    fn add(flat: &mut Vec<Value>, keys: &[Value], depth: u32) {
        for key in keys {
            match key {
                Value::Array(inner) if depth < super::guard::MAX_DEPTH => add(flat, inner, depth + 1),
                _ => flat.push(key.clone()),
            }
        }
    }
    let mut flat = Vec::with_capacity(keys.len());
    add(&mut flat, keys, 0);
    flat
}

/// The name of a key's type.
fn key_type_name(key: &Value) -> String {
    match key {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        _ => Type::infer(key).generalize().to_string(),
    }
}

pub(super) fn wrong_arity<T>(base: &str, least: usize, most: Option<usize>, actual: usize) -> Access<T> {
    refuse(Blame::Whole, issues::bad_type_slice_arity(base, least, most, actual))
}

pub(super) fn wrong_type<T>(base: &str, at: usize, key: &Value) -> Access<T> {
    refuse(Blame::Key(at), issues::bad_type_slice_type(base, ruby_class(key)))
}

pub(super) fn is_type(key: &Value) -> bool {
    matches!(key, Value::Type(_))
}

pub(super) fn types(keys: &[Value]) -> impl Iterator<Item = Type> {
    keys.iter().filter_map(|key| match key {
        Value::Type(of) => Some(of.clone()),
        _ => None,
    })
}

/// A size of one Integer type, or one or two bounds; `first` is the index of the first of the keys.
pub(super) fn size(first: usize, keys: &[Value]) -> Access<IntRange> {
    if let [Value::Type(of)] = keys
        && let Some(range) = BigRange::of(of)
    {
        return Ok(range.clamped());
    }
    let wrong =
        keys.iter().position(|key| !matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Default));
    if let Some(at) = wrong {
        let actual = class_label(&keys[at]);
        return refuse(Blame::Key(first + at), issues::bad_collection_slice_type(actual));
    }
    let to = keys.get(1).unwrap_or(&Value::Default);
    Ok(factory::range(keys.first().unwrap_or(&Value::Default), to)?)
}

/// The name of a class; for a type it is the type's.
fn class_label(key: &Value) -> String {
    match key {
        Value::Type(of) => format!("{}-Type", of.kind().kind_name()),
        Value::Object(object) if object_class(object).is_none() => object.object_type.name.to_string(),
        _ => ruby_class(key).into_owned(),
    }
}

/// The keys that a type is given.
pub(super) struct Keys<'k> {
    /// The type.
    pub of: &'k Type,
    /// The keys as they are given.
    pub given: &'k [Value],
    /// The keys without arrays around them.
    pub flat: Vec<Value>,
    /// Resolves other types.
    pub loader: &'k dyn TypeLoader,
}

impl Keys<'_> {
    /// Refuses the number of the keys.
    pub fn wrong_count<T>(&self, blame: Blame, least: usize, most: Option<usize>) -> Access<T> {
        let base = a_an_uc(type_label(self.of));
        refuse(blame, issues::bad_type_slice_arity(base, least, most, self.flat.len()))
    }

    /// Rejects the key at an index, which has an unexpected type.
    pub fn wrong_specialization<T>(&self, at: usize, key: &Value, expected: &str) -> Access<T> {
        let message = format!("Cannot use {} where {expected} is expected", key_type_name(key));
        refuse(Blame::Key(at), issues::bad_type_specialization(type_label(self.of), message))
    }

    /// Checks the number of keys, and that each is what `test` wants.
    pub fn assert(
        &self,
        keys: &[Value],
        most: Option<usize>,
        expected: &str,
        test: impl Fn(&Value) -> bool,
    ) -> Access<()> {
        if keys.is_empty() || most.is_some_and(|most| keys.len() > most) {
            return wrong_arity(&a_an_uc(type_label(self.of)), 1, most, keys.len());
        }
        match keys.iter().enumerate().find(|(_, key)| !test(key)) {
            Some((at, key)) => self.wrong_specialization(at, key, expected),
            None => Ok(()),
        }
    }

    /// Checks that keys exist, and that all are types.
    pub fn assert_types(&self, keys: &[Value]) -> Access<()> {
        self.assert(keys, None, "Any-Type", is_type)
    }

    /// The one type that must be given.
    pub fn one_type(&self) -> Access {
        let base = || format!("{}-Type", self.of.kind().kind_name());
        match self.flat.as_slice() {
            [Value::Type(of)] => Ok(of.clone()),
            [key] => wrong_type(&base(), 0, key),
            flat => wrong_arity(&base(), 1, Some(1), flat.len()),
        }
    }

    /// Refuses any keys: the evaluator blames the left side for it.
    pub fn not_applicable(&self) -> Access {
        refuse(Blame::Left, issues::operator_not_applicable("[]", type_label(self.of)))
    }
}

/// The type with these keys as parameters.
///
/// # Errors
/// The keys are invalid, with the part at fault.
pub fn access_type(of: &Type, keys: &[Value], loader: &dyn TypeLoader) -> Result<Value, Refusal> {
    let keys = Keys { of, given: keys, flat: flatten(keys), loader };
    of.kind().ask(|family| family.keyed(&keys)).map(Value::Type)
}
