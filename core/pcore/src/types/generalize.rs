//! Types made wider (`generalize`) and simpler (`normalize`). Follows the methods of these names in the
//! reference's `types.rb`.

use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::construct::flatten_variants;
use super::guard::MAX_DEPTH;
use super::{CallableType, FloatRange, Type, TypeKind};
use crate::data::big::BigRange;
use crate::data::value::{Str, Timespan, Timestamp};

impl Type {
    /// The type without what only describes one value: sizes, ranges, values.
    #[must_use]
    pub fn generalize(&self) -> Type {
        generalize(self, 0, &Done::default())
    }

    /// The same type in its simplest form: members of Variants merged, `Optional` and `NotUndef` pulled
    /// outside.
    #[must_use]
    pub fn normalize(&self) -> Type {
        normalize(self, 0, &Done::default())
    }
}

/// What shared types have become, by their address; they are kept so that the addresses stay theirs.
type Done = RefCell<FxHashMap<usize, (Type, Type)>>;

/// What a type becomes. A type that others share is changed once.
fn once(of: &Type, done: &Done, change: impl FnOnce() -> Type) -> Type {
    if !of.is_shared() {
        return change();
    }
    if let Some((_, known)) = done.borrow().get(&of.address()) {
        return known.clone();
    }
    let changed = change();
    done.borrow_mut().insert(of.address(), (of.clone(), changed.clone()));
    changed
}

fn map_option(of: Option<&Type>, change: impl Fn(&Type) -> Type) -> Option<Type> {
    of.map(change)
}

fn map_callable(callable: &CallableType, change: impl Fn(&Type) -> Type) -> Type {
    let CallableType { parameters, block, returns } = callable;
    Type::callable(
        parameters.as_ref().map(&change),
        block.as_ref().map(&change),
        returns.as_ref().map(&change),
    )
}

fn generalize(of: &Type, depth: u32, done: &Done) -> Type {
    if depth > MAX_DEPTH {
        return of.clone();
    }
    let general = |of: &Type| once(of, done, || generalize(of, depth + 1, done));
    of.kind().ask(|family| family.generalized(of, &general))
}

fn normalize(of: &Type, depth: u32, done: &Done) -> Type {
    if depth > MAX_DEPTH {
        return of.clone();
    }
    let normal = |of: &Type| once(of, done, || normalize(of, depth + 1, done));
    match of.kind() {
        TypeKind::Collection { .. } => Type::any_collection(),
        TypeKind::Array { element: Some(element), size } => Type::array(normal(element), *size),
        // The reference loses the size of an array of anything.
        TypeKind::Array { element: None, .. } => Type::any_array(),
        TypeKind::Hash { .. } if *of == Type::empty_hash() => of.clone(),
        TypeKind::Hash { key, value, size } => Type::from(TypeKind::Hash {
            key: map_option(key.as_ref(), normal),
            value: map_option(value.as_ref(), normal),
            size: *size,
        }),
        TypeKind::Tuple { types, size } => Type::tuple(types.iter().map(normal).collect(), *size),
        TypeKind::Struct { members } => Type::structure(members.with_values(normal)),
        TypeKind::Callable(callable) => map_callable(callable, normal),
        TypeKind::Iterable(Some(of)) => Type::iterable(normal(of)),
        TypeKind::Iterator(Some(of)) => Type::iterator(normal(of)),
        TypeKind::Type(Some(of)) => Type::type_type(normal(of)),
        TypeKind::Sensitive(Some(inner)) => {
            let simple = normal(inner);
            // Making it anew generalises what is in it once more.
            if simple == *inner { of.clone() } else { Type::sensitive(&simple) }
        }
        TypeKind::Init { of: Some(of), arguments } => Type::init(normal(of), arguments.clone()),
        TypeKind::Optional(Some(of)) => {
            let of = normal(of);
            match of.kind() {
                TypeKind::NotUndef(inner) => {
                    let optional = inner.clone().map_or_else(Type::any_optional, Type::optional);
                    normal(&optional)
                }
                _ if of.is_assignable(&Type::undef()) => of,
                _ => Type::optional(of),
            }
        }
        TypeKind::NotUndef(Some(of)) => {
            let of = normal(of);
            match of.kind() {
                TypeKind::Optional(inner) => {
                    let not_undef = inner.clone().map_or_else(Type::any_not_undef, Type::not_undef);
                    normal(&not_undef)
                }
                _ if !of.is_assignable(&Type::undef()) => of,
                _ => Type::not_undef(of),
            }
        }
        TypeKind::Variant(types) if !types.is_empty() => normalize_variant(of, types, depth, done),
        _ => of.clone(),
    }
}

fn normalize_variant(of: &Type, members: &[Type], depth: u32, done: &Done) -> Type {
    let changed: Vec<Type> =
        members.iter().map(|of| once(of, done, || normalize(of, depth + 1, done))).collect();
    let is_modified = changed.iter().zip(members).any(|(a, b)| !a.is_same(b) && a != b);
    if let [only] = changed.as_slice() {
        return only.clone();
    }
    let is_undef = |of: &Type| matches!(of.kind(), TypeKind::Undef);
    if changed.iter().any(|of| is_undef(of) || matches!(of.kind(), TypeKind::Optional(_))) {
        let required = changed.into_iter().filter(|of| !is_undef(of)).map(|of| match of.kind() {
            TypeKind::Optional(Some(inner)) => inner.clone(),
            TypeKind::Optional(None) => Type::undef(),
            _ => of,
        });
        return normalize(&Type::optional(Type::variant(required)), depth + 1, done);
    }
    let mut types = flatten_variants(changed);
    let count = types.len();
    types = swap_not_undefs(types, depth, done);
    types = merge_enums(types);
    types = merge_patterns(types);
    types = merge_sem_vers(types);
    types = merge_ranges(types, merge_integers);
    types = merge_ranges(types, merge_floats);
    types = merge_ranges(types, merge_timespans);
    types = merge_ranges(types, merge_timestamps);
    match types.as_slice() {
        [only] => only.clone(),
        _ if is_modified || types.len() != count => Type::variant(types),
        _ => of.clone(),
    }
}

/// Splits the types in those that `select` gives something for, and the others.
fn partition<T>(types: &[Type], select: impl Fn(&Type) -> Option<T>) -> (Vec<T>, Vec<Type>) {
    let mut selected = Vec::new();
    let mut others = Vec::new();
    for of in types {
        match select(of) {
            Some(part) => selected.push(part),
            None => others.push(of.clone()),
        }
    }
    (selected, others)
}

fn swap_not_undefs(types: Vec<Type>, depth: u32, done: &Done) -> Vec<Type> {
    let (not_undefs, mut others) = partition(&types, |of| match of.kind() {
        TypeKind::NotUndef(inner) => Some(inner.clone().unwrap_or_else(Type::any)),
        _ => None,
    });
    if not_undefs.len() < 2 {
        return types;
    }
    others.push(Type::not_undef(normalize(&Type::variant(not_undefs), depth + 1, done)));
    others
}

fn merge_enums(types: Vec<Type>) -> Vec<Type> {
    let (texts, mut others) = partition(&types, |of| match of.kind() {
        TypeKind::Enum { values, case_insensitive: false } if !values.is_empty() => Some(values.clone()),
        TypeKind::String { value: Some(value), .. } => Some(vec![value.clone()]),
        _ => None,
    });
    let types = if texts.len() > 1 {
        others.push(Type::enumeration(texts.into_iter().flatten(), false));
        others
    } else {
        types
    };
    let (texts, mut others) = partition(&types, |of| match of.kind() {
        TypeKind::Enum { values, case_insensitive: true } if !values.is_empty() => Some(values.clone()),
        _ => None,
    });
    if texts.len() < 2 {
        return types;
    }
    let folded = texts.into_iter().flatten().map(|text| Str::from(text.to_lowercase()));
    others.push(Type::enumeration(folded, true));
    others
}

fn merge_patterns(types: Vec<Type>) -> Vec<Type> {
    let (patterns, mut others) = partition(&types, |of| match of.kind() {
        TypeKind::Pattern(patterns) => Some(patterns.clone()),
        _ => None,
    });
    if patterns.len() < 2 {
        return types;
    }
    others.push(Type::pattern_of(patterns.into_iter().flatten()));
    others
}

fn merge_sem_vers(types: Vec<Type>) -> Vec<Type> {
    let (ranges, others) = partition(&types, |of| match of.kind() {
        TypeKind::SemVer(ranges) => Some(ranges.iter().map(Arc::clone).collect::<Vec<_>>()),
        _ => None,
    });
    if ranges.len() < 2 {
        return types;
    }
    std::iter::once(Type::sem_ver(ranges.concat())).chain(others).collect()
}

/// Of more ranges than so many none is merged: each is held against each, in an order that the result depends
/// on, and where the reference would need minutes the same type is told with more words.
const MANY_RANGES: usize = 10_000;

/// Merges the types that `merge` knows: it gives `None` for other types, and for two that do not touch an
/// inner `None`.
fn merge_ranges(types: Vec<Type>, merge: fn(&Type, &Type) -> Option<Option<Type>>) -> Vec<Type> {
    let (mut ranges, others) = partition(&types, |of| merge(of, of).map(|_| of.clone()));
    if ranges.len() < 2 || ranges.len() > MANY_RANGES {
        return types;
    }
    let mut result = Vec::new();
    while let Some(mut merged) = ranges.pop() {
        let mut left = Vec::new();
        for range in ranges {
            match merge(&merged, &range).flatten() {
                Some(both) => merged = both,
                None => left.push(range),
            }
        }
        result.push(merged);
        ranges = left;
    }
    result.extend(others);
    result
}

/// The smaller begin and the greater end, where `None` has no bound.
fn hull<T: PartialOrd + Copy>(
    a: (Option<T>, Option<T>),
    b: (Option<T>, Option<T>),
) -> (Option<T>, Option<T>) {
    let begin = a.0.zip(b.0).map(|(a, b)| if a <= b { a } else { b });
    let end = a.1.zip(b.1).map(|(a, b)| if a >= b { a } else { b });
    (begin, end)
}

fn intersects<T: PartialOrd>(a: (Option<T>, Option<T>), b: (Option<T>, Option<T>)) -> bool {
    let before =
        |end: Option<T>, begin: Option<T>| matches!((end, begin), (Some(end), Some(begin)) if end < begin);
    !(before(a.1, b.0) || before(b.1, a.0))
}

fn merge_integers(a: &Type, b: &Type) -> Option<Option<Type>> {
    let (TypeKind::Integer(a), TypeKind::Integer(b)) = (a.kind(), b.kind()) else {
        let (a, b) = (BigRange::of(a)?, BigRange::of(b)?);
        return Some(a.meets(&b).then(|| Type::big_integer(a.hull(&b))));
    };
    let (left, right) = ((a.from, a.to), (b.from, b.to));
    let touches = |end: Option<i64>, begin: Option<i64>| matches!((end, begin), (Some(end), Some(begin)) if end.checked_add(1) == Some(begin));
    let meets = intersects(left, right) || touches(a.to, b.from) || touches(b.to, a.from);
    Some(meets.then(|| {
        let (from, to) = hull(left, right);
        Type::integer(from, to)
    }))
}

fn merge_floats(a: &Type, b: &Type) -> Option<Option<Type>> {
    let (TypeKind::Float(FloatRange { from, to }), TypeKind::Float(b)) = (a.kind(), b.kind()) else {
        return None;
    };
    let (left, right) = ((*from, *to), (b.from, b.to));
    Some(intersects(left, right).then(|| {
        let (from, to) = hull(left, right);
        Type::float(from, to)
    }))
}

fn merge_timespans(a: &Type, b: &Type) -> Option<Option<Type>> {
    let (TypeKind::Timespan { from, to }, TypeKind::Timespan { from: other_from, to: other_to }) =
        (a.kind(), b.kind())
    else {
        return None;
    };
    let (left, right): ((Option<Timespan>, _), _) = ((*from, *to), (*other_from, *other_to));
    Some(intersects(left, right).then(|| {
        let (from, to) = hull(left, right);
        Type::timespan(from, to)
    }))
}

fn merge_timestamps(a: &Type, b: &Type) -> Option<Option<Type>> {
    let (TypeKind::Timestamp { from, to }, TypeKind::Timestamp { from: other_from, to: other_to }) =
        (a.kind(), b.kind())
    else {
        return None;
    };
    let (left, right): ((Option<Timestamp>, _), _) = ((*from, *to), (*other_from, *other_to));
    Some(intersects(left, right).then(|| {
        let (from, to) = hull(left, right);
        Type::timestamp(from, to)
    }))
}
