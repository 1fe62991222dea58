//! Variants: types of one of several, and how the several become fewer.

use std::sync::Arc;

use super::{Depth, Family, Formatter, Guard, type_values, view};
use crate::data::big::BigRange;
use crate::data::ranges::{hull, intersects};
use crate::data::value::{Str, Timespan, Timestamp, Value};
use crate::types::access::{Access, Keys, types};
use crate::types::annotation::Annotation;
use crate::types::assign::assignable;
use crate::types::attributes::AttributeValues;
use crate::types::construct::flatten_variants;
use crate::types::generalize::Normal;
use crate::types::mismatch::{Comparison, Mismatch, Reason, Step, merge};
use crate::types::{FloatRange, Type, TypeKind};
use bunraku_syntax::diagnostic::Error;

impl Family for view::Variant<'_> {
    fn accepts(&self, _: &Type, that: &Type, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
        self.types.iter().any(|of| assignable(of, that, guard.as_deref_mut(), depth))
    }

    fn write(&self, _: &Type, out: &mut Formatter) {
        out.array("Variant", self.types.is_empty(), |f| {
            f.types(self.types);
            f.chomp_list();
        });
    }

    fn generalized(&self, this: &Type, general: &dyn Fn(&Type) -> Type) -> Type {
        let changed: Vec<Type> = self.types.iter().map(general).collect();
        if changed == *self.types { this.clone() } else { Type::variant(changed) }
    }

    fn attributes(&self) -> Result<Vec<Value>, Error> {
        Ok(vec![type_values(self.types)])
    }

    fn keyed(&self, keys: &Keys<'_>) -> Access {
        keys.assert_types(&keys.flat)?;
        Ok(Type::variant(types(&keys.flat)))
    }

    fn annotated(&self, given: &Annotation<'_>) -> Result<Value, Error> {
        given.some("Variant", &given.keys)?;
        let types = (0..given.keys.len()).map(|index| given.type_at(index));
        Ok(Value::Type(Type::variant(types.collect::<Result<Vec<_>, _>>()?)))
    }

    fn normalized(&self, this: &Type, normal: &Normal<'_>) -> Type {
        if self.types.is_empty() { this.clone() } else { normalized(this, self.types, normal) }
    }

    fn common(&self, that: &Type, _: u32) -> Option<Type> {
        let TypeKind::Variant(others) = that.kind() else { return None };
        Some(Type::variant(self.types.iter().chain(others).cloned()))
    }

    fn mismatches(&self, _: &Type, asked: &Comparison<'_>) -> Vec<Mismatch> {
        let is_optional = matches!(asked.original.kind(), TypeKind::Optional(_));
        let undef = is_optional.then(Type::undef);
        let mut mismatches = Vec::new();
        for (index, of) in undef.iter().chain(self.types).enumerate() {
            let errors = asked.part(Step::Variant(index), of, asked.actual);
            if errors.is_empty() {
                return errors;
            }
            mismatches.push(errors);
        }
        let is_size =
            |mismatch: &Mismatch| matches!(mismatch.reason, Reason::Size { .. } | Reason::Count { .. });
        let merged = merge(asked.path.len(), &is_size, &mismatches);
        if matches!(asked.original.kind(), TypeKind::Alias(_)) && merged.len() == 1 {
            return asked.mismatch();
        }
        merged
    }

    fn of_attributes(&self, given: &AttributeValues<'_>) -> Result<Type, Error> {
        Ok(TypeKind::Variant(given.types(0)?).into())
    }
}

/// A Variant in its simplest form; `normal` simplifies other types.
fn normalized(of: &Type, members: &[Type], normal: &Normal<'_>) -> Type {
    let changed: Vec<Type> = members.iter().map(|of| normal.of(of)).collect();
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
        return normal.of(&Type::optional(Type::variant(required)));
    }
    let mut types = flatten_variants(changed);
    let count = types.len();
    types = swap_not_undefs(types, normal);
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

/// Splits the types into those for which `select` returns a value, and the others.
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

fn swap_not_undefs(types: Vec<Type>, normal: &Normal<'_>) -> Vec<Type> {
    let (not_undefs, mut others) = partition(&types, |of| match of.kind() {
        TypeKind::NotUndef(inner) => Some(inner.clone().unwrap_or_else(Type::any)),
        _ => None,
    });
    if not_undefs.len() < 2 {
        return types;
    }
    others.push(Type::not_undef(normal.of(&Type::variant(not_undefs))));
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

/// The maximum number of ranges that are merged: each is compared with each, in an order that affects the
/// result. For more ranges, where the reference would need minutes, the same type has a longer text.
const MAX_RANGES: usize = 10_000;

/// Merges the types that `merge` knows: it returns `None` for other types, and an inner `None` for two that
/// do not touch.
fn merge_ranges(types: Vec<Type>, merge: fn(&Type, &Type) -> Option<Option<Type>>) -> Vec<Type> {
    let (mut ranges, others) = partition(&types, |of| merge(of, of).map(|_| of.clone()));
    if ranges.len() < 2 || ranges.len() > MAX_RANGES {
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
