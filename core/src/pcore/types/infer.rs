//! The type of a value, and the type that two types have in common. Follows the reference's `type_calculator.rb`.

use std::sync::Arc;

use num_integer::Integer;
use num_traits::Signed;

use super::assign::or_any;
use super::construct::unique;
use super::guard::MAX_DEPTH;
use super::subject::{Shape, Subject};
use super::{FloatRange, IntRange, StructMember, Type, TypeKind, VersionRange, aliases, object};
use crate::pcore::big::{BigInt, BigRange};
use crate::pcore::value::{IteratorKind, IteratorValue, Str, Value};

impl Type {
    /// The type of a value; elements of collections are reduced to the type that they have in common.
    pub fn infer(value: &Value) -> Type {
        Type::of_subject(value)
    }

    /// The type of a value in all detail: arrays are Tuples, hashes with names as keys are Structs.
    pub fn infer_set(value: &Value) -> Type {
        Type::set_of_subject(value)
    }

    /// The type of a list of arguments, the type of the block last when there is one.
    pub fn of_arguments(arguments: &[Value], block: Option<&Type>) -> Type {
        let types: Vec<Type> = arguments.iter().map(Type::infer_set).chain(block.cloned()).collect();
        if types.is_empty() { Type::empty_array() } else { Type::tuple(types, None) }
    }

    /// The narrowest type that the reference finds for both.
    pub fn common(a: &Type, b: &Type) -> Type {
        common(a, b, 0)
    }
}

pub(super) fn infer<S: Subject>(subject: S, depth: u32) -> Type {
    if depth > MAX_DEPTH {
        return Type::any();
    }
    let collection = subject.with_shape(|shape| {
        Err(match shape {
            Shape::Undef => Type::undef(),
            Shape::Default => Type::default_type(),
            Shape::Boolean(value) => Type::boolean(value),
            Shape::Integer(number) => Type::integer(Some(number), Some(number)),
            Shape::Float(number) => {
                TypeKind::Float(FloatRange { from: Some(number), to: Some(number) }).into()
            }
            Shape::String(text) => Type::string_value(text),
            Shape::Array(0) => Type::empty_array(),
            Shape::Hash(0) => Type::empty_hash(),
            Shape::Array(size) => return Ok(Some((true, size))),
            Shape::Hash(size) => return Ok(Some((false, size))),
            Shape::Other => return Ok(None),
        })
    });
    match collection {
        Err(known) => known,
        Ok(None) => subject.with_value(|value| infer_other(value, depth)),
        Ok(Some((true, size))) => {
            let mut element = None;
            for part in (0..size).filter_map(|index| subject.element(index)) {
                reduce(&mut element, part, depth);
            }
            Type::array(element.unwrap_or_else(Type::any), Some(IntRange::exactly(size)))
        }
        Ok(Some((false, size))) => {
            let (mut key, mut value) = (None, None);
            subject.all_entries(&mut |name, part| {
                reduce(&mut key, name, depth);
                reduce(&mut value, part, depth);
                true
            });
            let (key, value) = (key.unwrap_or_else(Type::any), value.unwrap_or_else(Type::any));
            Type::hash(key, value, Some(IntRange::exactly(size)))
        }
    }
}

/// The type of a value that is neither plain nor a collection.
fn infer_other(value: &Value, depth: u32) -> Type {
    match value {
        Value::Array(_) | Value::Hash(_) => infer(value, depth),
        Value::Undef => Type::undef(),
        Value::Default => Type::default_type(),
        Value::Boolean(value) => Type::boolean(*value),
        Value::Integer(number) => Type::integer(Some(*number), Some(*number)),
        Value::BigInteger(number) => {
            let bound = Some(BigInt::clone(number));
            Type::big_integer(BigRange { from: bound.clone(), to: bound })
        }
        Value::Float(number) => TypeKind::Float(FloatRange { from: Some(*number), to: Some(*number) }).into(),
        Value::String(text) => Type::string_value(text.clone()),
        Value::Octets(octets) => Type::string_value(octets.text().clone()),
        Value::Type(of) => Type::type_type(of.clone()),
        Value::Regexp(regexp) => TypeKind::Regexp(Some(regexp.clone())).into(),
        Value::Sensitive(value) => Type::sensitive(&infer(&***value, depth + 1)),
        Value::Binary(_) => Type::binary(),
        Value::Timespan(span) => Type::timespan(Some(**span), Some(**span)),
        Value::Timestamp(moment) => Type::timestamp(Some(**moment), Some(**moment)),
        Value::SemVer(_) => Type::any_sem_ver(),
        Value::SemVerRange(_) => Type::sem_ver_range(),
        Value::Uri(uri) => Type::uri(Some(super::uri::type_parts(&uri.text))),
        Value::Object(instance) => object::type_of_instance(instance),
        Value::Iterator(iterator) => match iterator_element_type(iterator) {
            // Walks over trees are no iterators for the reference's inference, but objects of Ruby.
            _ if let IteratorKind::Tree { options, .. } = &iterator.kind => {
                let order = if options.breadth_first { "Breadth" } else { "Depth" };
                let class = format!("Puppet::Pops::Types::Iterable::{order}FirstTreeIterator");
                Type::runtime("ruby", class)
            }
            Some(element) => Type::iterator(element),
            None => Type::any_iterator(),
        },
        Value::Runtime(value) => Type::runtime(value.runtime.clone(), value.class.clone()),
    }
}

/// Takes a part into the type that the parts before have in common.
fn reduce<S: Subject>(of: &mut Option<Type>, part: S, depth: u32) {
    let part = infer(part, depth + 1);
    *of = Some(match of.take() {
        Some(of) => common(&of, &part, depth),
        None => part,
    });
}

pub(super) fn infer_set<S: Subject>(subject: S, depth: u32) -> Type {
    if depth > MAX_DEPTH {
        return Type::any();
    }
    enum Parts {
        Elements(usize),
        Entries(usize),
        Other,
        None,
    }
    let parts = subject.with_shape(|shape| match shape {
        Shape::Array(size) if size > 0 => Parts::Elements(size),
        Shape::Hash(size) if size > 0 => Parts::Entries(size),
        Shape::Other => Parts::Other,
        _ => Parts::None,
    });
    match parts {
        Parts::None => infer(subject, depth),
        Parts::Elements(size) => {
            let elements = (0..size).filter_map(|index| subject.element(index));
            Type::tuple(elements.map(|element| infer_set(element, depth + 1)).collect(), None)
        }
        Parts::Entries(size) => infer_set_hash(subject, size, depth),
        Parts::Other => subject.with_value(|value| match value {
            Value::Array(_) | Value::Hash(_) => infer_set(value, depth),
            Value::SemVer(version) => {
                let range = VersionRange::between(version, version, false);
                TypeKind::SemVer(vec![Arc::new(range)]).into()
            }
            other => infer_other(other, depth),
        }),
    }
}

fn infer_set_hash<S: Subject>(subject: S, size: usize, depth: u32) -> Type {
    let name_of = |key: S| {
        key.with_shape(|shape| match shape {
            Shape::String(name) if !name.is_empty() => Some(Str::from(name)),
            _ => None,
        })
    };
    let mut names = Vec::with_capacity(size);
    // Values are looked at once it is known what for: to look at each twice would double the time with every level.
    let is_struct = subject.all_entries(&mut |key, _| name_of(key).map(|name| names.push(name)).is_some());
    if is_struct {
        let mut members = Vec::with_capacity(size);
        let mut names = names.into_iter();
        subject.all_entries(&mut |_, value| {
            let Some(name) = names.next() else { return false };
            let value = infer_set(value, depth + 1);
            members.push(StructMember { key: Type::string_value(name.clone()), name, value });
            true
        });
        return Type::structure(members);
    }
    let (mut keys, mut values) = (Vec::with_capacity(size), Vec::with_capacity(size));
    subject.all_entries(&mut |key, value| {
        keys.push(infer_set(key, depth + 1));
        values.push(infer_set(value, depth + 1));
        true
    });
    Type::hash(Type::variant(keys), Type::variant(values), Some(IntRange::exactly(size)))
}

/// The type of what an iterator gives, as far as the reference knows it without walking.
pub(crate) fn iterator_element_type(iterator: &IteratorValue) -> Option<Type> {
    fn element_type(source: &Value, depth: u32) -> Option<Type> {
        if depth > MAX_DEPTH {
            return None;
        }
        match source {
            Value::Iterator(iterator) => match &iterator.kind {
                IteratorKind::Step { source, .. } | IteratorKind::Reverse { source } => {
                    element_type(source, depth + 1)
                }
                IteratorKind::Tree { .. } => Some(Type::any()),
            },
            Value::String(_) | Value::Octets(_) => Some(Type::string(Some(IntRange::exactly(1)))),
            Value::Array(values) if values.is_empty() => Some(Type::unit()),
            Value::Array(values) => Some(Type::variant(values.iter().map(Type::infer_set))),
            Value::Hash(hash) => {
                let types = if hash.is_empty() {
                    vec![Type::unit(), Type::unit()]
                } else {
                    vec![
                        Type::variant(hash.keys().map(Type::infer_set)),
                        Type::variant(hash.values().map(Type::infer_set)),
                    ]
                };
                Some(Type::tuple(types, Some(IntRange::exactly(2))))
            }
            Value::Integer(0) => Some(Type::unit()),
            Value::Integer(number) if *number > 0 => Some(Type::integer(Some(0), Some(number - 1))),
            Value::BigInteger(number) if number.is_positive() => {
                Some(Type::big_integer(BigRange { from: Some(BigInt::ZERO), to: Some(&**number - 1) }))
            }
            Value::Type(of) => Some(of.resolved().clone()),
            _ => None,
        }
    }
    let (source, step) = match &iterator.kind {
        IteratorKind::Step { source, step } => (source, i64::try_from(*step).unwrap_or(i64::MAX)),
        IteratorKind::Reverse { source } => (source, 1),
        IteratorKind::Tree { .. } => return Some(Type::any()),
    };
    let element = element_type(source, 0)?;
    // Steps over a range of numbers end at the last one that is met.
    if let (TypeKind::Integer(IntRange { from: Some(from), to: Some(to) }), true) = (element.kind(), step > 1)
    {
        let rest = to.wrapping_sub(*from).rem_euclid(step);
        return Some(Type::integer(Some(*from), Some(to - rest)));
    }
    if let TypeKind::BigInteger(range) = element.kind()
        && let (Some(from), Some(to), true) = (&range.from, &range.to, step > 1)
    {
        let rest = (to - from).mod_floor(&BigInt::from(step));
        return Some(Type::big_integer(BigRange { from: Some(from.clone()), to: Some(to - rest) }));
    }
    Some(element)
}

fn all_assignable(wide: &Type, a: &Type, b: &Type) -> bool {
    wide.is_assignable(a) && wide.is_assignable(b)
}

/// The values of both, each once.
fn union(a: &[Str], b: &[Str]) -> Vec<Str> {
    unique(a.iter().chain(b).cloned())
}

/// The Enum of values and one more. The values are in order, as those of all Enums.
fn with_value(values: &[Str], value: &Str) -> Type {
    match values.binary_search(value) {
        Ok(_) => TypeKind::Enum { values: values.to_vec(), case_insensitive: false }.into(),
        Err(at) => {
            let mut all = Vec::with_capacity(values.len() + 1);
            let (before, behind) = values.split_at(at.min(values.len()));
            all.extend_from_slice(before);
            all.push(value.clone());
            all.extend_from_slice(behind);
            TypeKind::Enum { values: all, case_insensitive: false }.into()
        }
    }
}

#[allow(clippy::too_many_lines)]
fn common(a: &Type, b: &Type, depth: u32) -> Type {
    use TypeKind as T;
    if depth > MAX_DEPTH {
        return Type::any();
    }
    let depth = depth + 1;
    match (a.kind(), b.kind()) {
        (T::Undef | T::Unit, _) if !matches!((a.kind(), b.kind()), (T::Unit, T::Undef)) => return b.clone(),
        (_, T::Undef | T::Unit) => return a.clone(),
        _ => {}
    }
    if a.is_assignable(b) {
        return a.clone();
    }
    if b.is_assignable(a) {
        return b.clone();
    }
    match (a.kind(), b.kind()) {
        (T::Array { element: a, .. }, T::Array { element: b, .. }) => {
            return Type::array(common(&or_any(a.as_ref()), &or_any(b.as_ref()), depth), None);
        }
        (T::Hash { key: a, value: a_value, .. }, T::Hash { key: b, value: b_value, .. }) => {
            return Type::hash(
                common(&or_any(a.as_ref()), &or_any(b.as_ref()), depth),
                common(&or_any(a_value.as_ref()), &or_any(b_value.as_ref()), depth),
                None,
            );
        }
        (T::Class(_), T::Class(_)) => return Type::any_class(),
        (T::Resource { type_name: a, .. }, T::Resource { type_name: b, .. }) => {
            return match a {
                Some(name) if a == b => Type::resource(name.clone(), None),
                _ => Type::any_resource(),
            };
        }
        (T::Integer(a), T::Integer(b)) => {
            return Type::integer(
                a.from.zip(b.from).map(|(a, b)| a.min(b)),
                a.to.zip(b.to).map(|(a, b)| a.max(b)),
            );
        }
        (T::Integer(_) | T::BigInteger(_), T::Integer(_) | T::BigInteger(_)) => {
            if let (Some(a), Some(b)) = (BigRange::of(a), BigRange::of(b)) {
                return Type::big_integer(a.hull(&b));
            }
        }
        (T::Float(a), T::Float(b)) => {
            return Type::float(
                a.from.zip(b.from).map(|(a, b)| a.min(b)),
                a.to.zip(b.to).map(|(a, b)| a.max(b)),
            );
        }
        (T::String { value, .. }, T::Enum { values, .. }) => {
            return match value {
                None => Type::any_enum(),
                Some(value) => with_value(values, value),
            };
        }
        (T::String { size: a, value }, T::String { size: b, value: other }) => {
            return match (a, b) {
                (Some(a), Some(b)) => Type::string(Some(IntRange::new(
                    a.from.zip(b.from).map(|(a, b)| a.min(b)),
                    a.to.zip(b.to).map(|(a, b)| a.max(b)),
                ))),
                _ => match (value, other) {
                    (Some(value), Some(other)) => Type::enumeration([value.clone(), other.clone()], false),
                    _ => Type::any_string(),
                },
            };
        }
        (T::Pattern(a), T::Pattern(b)) => return Type::pattern_of(a.iter().chain(b).cloned()),
        (T::Enum { values, .. }, T::Enum { values: others, .. }) => {
            return Type::enumeration(union(values, others), false);
        }
        (T::Enum { values, .. }, T::String { value, .. }) => {
            return match value {
                None => Type::any_enum(),
                Some(value) => with_value(values, value),
            };
        }
        (T::Variant(a), T::Variant(b)) => return Type::variant(a.iter().chain(b).cloned()),
        (T::Regexp(_), T::Regexp(_)) => return Type::any_regexp(),
        (T::Callable(_), T::Callable(_)) => return Type::any_callable(),
        _ => {}
    }
    for wide in [Type::numeric(), Type::scalar_data(), Type::scalar(), aliases::data()] {
        if all_assignable(&wide, a, b) {
            return wide;
        }
    }
    if let (T::Type(a), T::Type(b)) = (a.kind(), b.kind()) {
        return match (a, b) {
            (Some(a), Some(b)) => Type::type_type(common(a, b, depth)),
            (Some(one), None) | (None, Some(one)) => Type::type_type(one.clone()),
            (None, None) => Type::any_type(),
        };
    }
    let rich_data = aliases::rich_data();
    if all_assignable(&rich_data, a, b) {
        return rich_data;
    }
    Type::any()
}
