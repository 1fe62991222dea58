//! The instances of types: `is_instance`. Follows the `instance?` methods of the reference's `types.rb` and
//! of the `p_*_type.rb` beside it.

use std::sync::Arc;

use super::assign::{assignable, is_optional_member, member_at};
use super::guard::{Depth, Guard, Memo, state};
use super::value_view::{Shape, ValueView};
use super::{IntRange, Member, Members, Type, TypeKind, init};
use crate::data::big::BigRange;
use crate::data::fuel::Fuel;
use crate::data::short_str::is_same;
use crate::data::type_flags::TypeFlags;
use crate::data::value::{RegexpValue, Str, Value};
use crate::types::compare;
use bunraku_syntax::diagnostic::Error;

impl Type {
    /// Whether a value is an instance of this type; not when [`check_instance`](Self::check_instance) has no
    /// answer.
    pub fn is_instance(&self, value: &Value) -> bool {
        self.check_instance(value).unwrap_or(false)
    }

    /// Whether a value is an instance of this type.
    ///
    /// # Errors
    /// It cannot be decided: the type or the value is nested too deeply, or the type contains an `Init` of a
    /// type without a constructor.
    pub fn check_instance(&self, value: &Value) -> Result<bool, Error> {
        self.check_view(value)
    }

    /// As [`check_instance`](Self::check_instance), with fuel.
    ///
    /// # Errors
    /// Those; the fuel runs out.
    pub fn check_instance_with(&self, value: &Value, fuel: &dyn Fuel) -> Result<bool, Error> {
        // Most values are plainly of their type.
        if value.with_shape(TypeFlags::of).meets(self.accepted()) {
            return Ok(true);
        }
        self.check_view_in(value, Memo::new(fuel))
    }
}

/// Whether a regular expression matches somewhere in a text; an invalid one matches nothing.
pub(crate) fn matches(pattern: &Arc<RegexpValue>, text: &str, depth: Depth<'_>) -> bool {
    depth.answer_match(pattern, text, || {
        let found = pattern.regex(&depth).and_then(|regex| regex.is_match(text, &depth));
        found.unwrap_or_else(|error| {
            if error.kind.is_limit() {
                depth.fail(error);
            }
            false
        })
    })
}

/// Whether a part matches its declaration in a type.
pub(crate) fn part_matches(actual: &Value, expected: &Value, depth: Depth<'_>) -> bool {
    compare::matches(actual, expected, &depth).unwrap_or_else(|error| {
        depth.fail(error);
        false
    })
}

/// Whether a text is one of an Enum's; case is that of ASCII letters, as in the reference's `casecmp`.
pub(crate) fn enum_includes(values: &[Str], case_insensitive: bool, text: &str) -> bool {
    if case_insensitive {
        values.iter().any(|value| value.eq_ignore_ascii_case(text))
    } else {
        values.iter().any(|value| value == text)
    }
}

/// The reference's `instance?` with its guard.
pub(crate) fn instance<S: ValueView>(
    this: &Type,
    value: S,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let kind = this.kind();
    if matches!(kind, TypeKind::Alias(_) | TypeKind::Init { .. }) {
        return really_instance(this, value, guard, depth) == 1;
    }
    if depth.is_exceeded() {
        return false;
    }
    if !takes_collections_only(kind)
        && let Some(known) = value.with_shape(|shape| is_known_instance(this, shape, depth))
    {
        return known;
    }
    match guard {
        None => depth.answer_instance(this, value, || is_collection_instance(this, value, None, depth)),
        guard => is_collection_instance(this, value, guard, depth),
    }
}

/// Whether only collections are instances: plain values then need no check.
#[inline]
fn takes_collections_only(kind: &TypeKind) -> bool {
    use TypeKind as T;
    matches!(kind, T::Array { .. } | T::Hash { .. } | T::Tuple { .. } | T::Struct { .. })
}

/// As [`is_plain_instance`], which looks closer than most types need.
#[inline]
fn is_known_instance(this: &Type, shape: Shape<'_>, depth: Depth<'_>) -> Option<bool> {
    if TypeFlags::of(shape).meets(this.accepted()) {
        return Some(true);
    }
    is_plain_instance(this.kind(), shape, depth)
}

/// As [`instance`], for the parts of a collection, whose steps are counted there: most of large data ends
/// here.
#[inline(always)]
fn part_instance<S: ValueView>(this: &Type, value: S, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    use TypeKind as T;
    // Inspecting the shape of an object that is not a value takes longer than inspecting the type.
    if S::IS_VALUE && value.with_shape(TypeFlags::of).meets(this.accepted()) {
        return true;
    }
    let kind = this.kind();
    // The frequent kinds have a place of their own each: there the compiler makes one test of the shape that
    // it takes.
    let known = match kind {
        T::String { size, value: expected } => value.with_shape(|shape| match shape {
            Shape::String(text) => Some(is_text(text, size.as_ref(), expected.as_ref())),
            Shape::Other => None,
            _ => Some(false),
        }),
        T::Integer(range) => value.with_shape(|shape| match shape {
            Shape::Integer(number) => Some(range.includes(number)),
            Shape::Other => None,
            _ => Some(false),
        }),
        T::Pattern(patterns) => value.with_shape(|shape| match shape {
            Shape::String(text) => Some(is_matched(patterns, text, depth)),
            Shape::Other => None,
            _ => Some(false),
        }),
        T::Array { .. } | T::Hash { .. } | T::Tuple { .. } | T::Struct { .. } => None,
        _ => value.with_shape(|shape| is_known_instance(this, shape, depth)),
    };
    known.unwrap_or_else(|| instance(this, value, guard, depth))
}

/// Whether something is an instance of a type of simple values. `None` for other types, and for objects
/// without a shape.
#[inline(always)]
fn is_simple_instance(kind: &TypeKind, shape: Shape<'_>) -> Option<bool> {
    use TypeKind as T;
    if matches!(shape, Shape::Other) {
        return None;
    }
    Some(match kind {
        T::Any | T::Unit => true,
        T::Undef => matches!(shape, Shape::Undef),
        T::Default => matches!(shape, Shape::Default),
        T::Boolean(expected) => {
            matches!(shape, Shape::Boolean(truth) if expected.is_none_or(|expected| expected == truth))
        }
        T::Integer(range) => matches!(shape, Shape::Integer(number) if range.includes(number)),
        T::Float(range) => {
            matches!(shape, Shape::Float(number) if !number.is_nan() && range.includes(number))
        }
        T::Numeric => match shape {
            Shape::Integer(_) => true,
            Shape::Float(number) => !number.is_nan(),
            _ => false,
        },
        T::Scalar | T::ScalarData => {
            matches!(shape, Shape::String(_) | Shape::Integer(_) | Shape::Float(_) | Shape::Boolean(_))
        }
        T::String { size, value } => {
            matches!(shape, Shape::String(text) if is_text(text, size.as_ref(), value.as_ref()))
        }
        _ => return None,
    })
}

/// Whether something other than a collection is an instance of a type. `None` if that needs a closer look.
fn is_plain_instance(kind: &TypeKind, shape: Shape<'_>, depth: Depth<'_>) -> Option<bool> {
    use TypeKind as T;
    if let Some(known) = is_simple_instance(kind, shape) {
        return Some(known);
    }
    if matches!(shape, Shape::Array(_) | Shape::Hash(_) | Shape::Other) {
        return None;
    }
    let depth = depth + 1;
    if depth.is_exceeded() {
        return None;
    }
    let is_undef = matches!(shape, Shape::Undef);
    Some(match kind {
        T::Variant(types) => {
            for of in types {
                let kind = of.kind();
                let known = is_simple_instance(kind, shape);
                if known.or_else(|| is_plain_instance(kind, shape, depth))? {
                    return Some(true);
                }
            }
            false
        }
        T::Optional(of) => match of {
            _ if is_undef => true,
            Some(of) => return is_plain_instance(of.kind(), shape, depth),
            None => false,
        },
        T::NotUndef(of) => match of {
            _ if is_undef => false,
            Some(of) => return is_plain_instance(of.kind(), shape, depth),
            None => true,
        },
        T::Enum { values, case_insensitive } => {
            matches!(shape, Shape::String(text) if enum_includes(values, *case_insensitive, text))
        }
        T::Pattern(patterns) => match shape {
            Shape::String(text) => is_matched(patterns, text, depth),
            _ => false,
        },
        T::Collection { .. } | T::Array { .. } | T::Hash { .. } | T::Tuple { .. } | T::Struct { .. } => false,
        _ => return None,
    })
}

/// Whether a text is one of a Pattern's.
#[inline]
fn is_matched(patterns: &[Arc<RegexpValue>], text: &str, depth: Depth<'_>) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text, depth))
}

/// Whether a text has a length, or else is the one that is expected.
#[inline]
fn is_text(text: &str, size: Option<&IntRange>, expected: Option<&Str>) -> bool {
    match (size, expected) {
        (Some(size), _) => is_of_size(text, size),
        (None, Some(expected)) => expected == text,
        (None, None) => true,
    }
}

/// Whether a text has a length, in characters. Most types only ask for some text.
#[inline]
fn is_of_size(text: &str, size: &IntRange) -> bool {
    match size {
        IntRange { from: None | Some(..=0), to: None } => true,
        IntRange { from: Some(1), to: None } => !text.is_empty(),
        size => size.includes_size(text.chars().count()),
    }
}

/// The reference's `really_instance?`: 1 for yes, -1 for no, 0 for "nothing contradicts it, but it contains
/// itself".
pub(crate) fn really_instance<S: ValueView>(
    this: &Type,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> i8 {
    if depth.is_exceeded() {
        return -1;
    }
    let depth = depth + 1;
    match this.kind() {
        TypeKind::Alias(alias) => {
            let Some(target) = alias.target.get() else { return -1 };
            if !alias.is_recursive() {
                return really_instance(target, value, guard, depth);
            }
            let mut local = Guard::default();
            let guard = guard.unwrap_or(&mut local);
            guard.with_that(value.identity(), |guard, _| {
                guard.with_this(alias.identity(), |guard, state| {
                    if state == state::BOTH { 0 } else { really_instance(target, value, Some(guard), depth) }
                })
            })
        }
        TypeKind::Variant(types) => {
            let mut best = -1;
            for of in types {
                let result = really_instance(of, value, guard.as_deref_mut(), depth);
                if result > 0 {
                    return result;
                }
                best = best.max(result);
            }
            best
        }
        TypeKind::Init { of, arguments } => {
            value.with_value(|value| init::really_instance(this, of.as_ref(), arguments, value, guard, depth))
        }
        _ => {
            if is_resolved_instance(this, value, guard, depth) {
                1
            } else {
                -1
            }
        }
    }
}

/// The maximum number of members of a Struct that are found by walking the entries of a hash.
const FEW_MEMBERS: usize = 64;

fn is_struct_instance<S: ValueView>(
    members: &Members,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let Some(size) = value.with_shape(|shape| match shape {
        Shape::Hash(size) => Some(size),
        _ => None,
    }) else {
        return false;
    };
    if members.len() > FEW_MEMBERS {
        let mut matched = 0;
        return members.iter().all(|member| match value.member(member.name) {
            None => is_optional_member(member),
            Some(value) => {
                matched += 1;
                instance(member.value, value, guard.as_deref_mut(), depth)
            }
        }) && matched == size;
    }
    // Hashes usually have their keys in the order of the members: each search starts after the previous one.
    let (mut found, mut next, mut steps) = (0_u64, 0, 0);
    let fit = value.all_entries(|key, value| {
        steps += 1;
        let found_at = key.with_shape(|shape| match shape {
            Shape::String(name) => match members.get(next) {
                Some(member) if is_same(member.name, name) => Some((next, member)),
                _ => other_member(members, next, name),
            },
            _ => None,
        });
        let Some((index, member)) = found_at else { return false };
        (found, next) = (found | 1 << index, index + 1);
        part_instance(member.value, value, guard.as_deref_mut(), depth)
    });
    if depth.is_exceeded_by(steps) || !fit {
        return false;
    }
    let mut missing = !found & u64::MAX.checked_shr(64 - members.len() as u32).unwrap_or(0);
    while let Some(member) = members.get(missing.trailing_zeros() as usize) {
        if !is_optional_member(member) {
            return false;
        }
        missing &= missing - 1;
    }
    true
}

/// The member with this name and its position, if it is not the expected next one.
#[inline(never)]
fn other_member<'m>(members: &'m Members, next: usize, name: &str) -> Option<(usize, Member<'m>)> {
    let is_named = |index: usize| members.get(index).filter(|member| member.name == name);
    (next + 1..members.len()).chain(0..next).find_map(|index| Some((index, is_named(index)?)))
}

fn is_array_instance<S: ValueView>(
    element: Option<&Type>,
    size: Option<IntRange>,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let Some(length) = size_of_array(value) else { return false };
    if let Some(element) = element {
        // Parts are counted after they were visited.
        let mut steps = 0;
        let fit = value.all_elements(length, |_, value| {
            steps += 1;
            part_instance(element, value, guard.as_deref_mut(), depth)
        });
        if depth.is_exceeded_by(steps) || !fit {
            return false;
        }
    }
    size.is_none_or(|size| size.includes_size(length))
}

fn is_hash_instance<S: ValueView>(
    key: Option<&Type>,
    of: Option<&Type>,
    size: Option<IntRange>,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let Some(length) = value.with_shape(|shape| match shape {
        Shape::Hash(length) => Some(length),
        _ => None,
    }) else {
        return false;
    };
    if key.is_some() || of.is_some() {
        let mut steps = 0;
        let fit = value.all_entries(|name, value| {
            steps += 2;
            key.is_none_or(|key| part_instance(key, name, guard.as_deref_mut(), depth))
                && of.is_none_or(|of| part_instance(of, value, guard.as_deref_mut(), depth))
        });
        if depth.is_exceeded_by(steps) || !fit {
            return false;
        }
    }
    size.is_none_or(|size| size.includes_size(length))
}

fn is_tuple_instance<S: ValueView>(
    types: &[Type],
    size: Option<IntRange>,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let Some(length) = size_of_array(value) else { return false };
    let fits = match size {
        Some(size) => size.includes_size(length),
        None => types.is_empty() || types.len() == length,
    };
    fits && (types.is_empty()
        || value.all_elements(length, |index, value| {
            member_at(types, index).is_some_and(|of| instance(of, value, guard.as_deref_mut(), depth))
        }))
}

/// The number of elements of a list.
#[inline]
fn size_of_array<S: ValueView>(value: S) -> Option<usize> {
    value.with_shape(|shape| match shape {
        Shape::Array(size) => Some(size),
        _ => None,
    })
}

/// Whether a value is an instance of a type other than an alias or `Init`. The caller counts steps.
fn is_resolved_instance<S: ValueView>(
    this: &Type,
    value: S,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let known = value.with_shape(|shape| is_plain_instance(this.kind(), shape, depth));
    known.unwrap_or_else(|| is_collection_instance(this, value, guard, depth))
}

/// As [`is_resolved_instance`], for what [`is_plain_instance`] has no answer to.
fn is_collection_instance<S: ValueView>(
    this: &Type,
    value: S,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    if !S::IS_VALUE && value.with_shape(|shape| matches!(shape, Shape::Other)) {
        return value.with_value(|value| is_resolved_instance(this, value, guard, depth));
    }
    match this.kind() {
        TypeKind::Array { element, size } => {
            is_array_instance(element.as_ref(), *size, value, guard, depth + 1)
        }
        TypeKind::Hash { key, value: of, size } => {
            is_hash_instance(key.as_ref(), of.as_ref(), *size, value, guard, depth + 1)
        }
        TypeKind::Tuple { types, size } => is_tuple_instance(types, *size, value, guard, depth + 1),
        TypeKind::Struct { members } => is_struct_instance(members, value, guard, depth + 1),
        _ => is_instance_of_other(this, value, guard, depth),
    }
}

/// As [`is_collection_instance`], for the types that are not those of collections.
fn is_instance_of_other<S: ValueView>(
    this: &Type,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    let level = depth;
    let depth = depth + 1;
    let is_undef = || value.with_shape(|shape| matches!(shape, Shape::Undef));
    match this.kind() {
        TypeKind::Any | TypeKind::Unit => true,
        TypeKind::NotUndef(of) => {
            !is_undef() && of.as_ref().is_none_or(|of| instance(of, value, guard, depth))
        }
        TypeKind::Optional(of) => {
            is_undef() || of.as_ref().is_some_and(|of| instance(of, value, guard, depth))
        }
        TypeKind::Collection { size } => value.with_shape(|shape| match shape {
            Shape::Array(length) | Shape::Hash(length) => size.is_none_or(|size| size.includes_size(length)),
            _ => false,
        }),
        TypeKind::Array { .. } | TypeKind::Hash { .. } | TypeKind::Tuple { .. } | TypeKind::Struct { .. } => {
            is_collection_instance(this, value, guard, level)
        }
        TypeKind::Variant(types) => types.iter().any(|of| instance(of, value, guard.as_deref_mut(), depth)),
        TypeKind::Init { .. } | TypeKind::Alias(_) => really_instance(this, value, guard, depth) == 1,
        TypeKind::Callable(_) => value.with_value(|value| match value {
            Value::Runtime(object) => {
                object.callable.as_ref().is_some_and(|of| assignable(this, of, guard, depth))
            }
            _ => false,
        }),
        TypeKind::Undef => {
            value.with_value(|value| matches!(value, Value::Runtime(symbol) if symbol.is_undef()))
        }
        TypeKind::Default
        | TypeKind::Boolean(_)
        | TypeKind::String { .. }
        | TypeKind::Float(_)
        | TypeKind::Enum { .. }
        | TypeKind::Pattern(_)
        | TypeKind::CatalogEntry
        | TypeKind::Class(_)
        | TypeKind::Resource { .. }
        | TypeKind::Reference(_) => false,
        TypeKind::Scalar | TypeKind::ScalarData | TypeKind::Numeric | TypeKind::Integer(_) => {
            let is_collection = value.with_shape(|shape| matches!(shape, Shape::Array(_) | Shape::Hash(_)));
            !is_collection && value.with_value(|value| is_other_scalar(this.kind(), value))
        }
        kind => value.with_value(|value| kind.ask(|family| family.is_instance(this, value, guard, depth))),
    }
}

/// Whether a value without a shape of its own is an instance of a type of scalars.
fn is_other_scalar(kind: &TypeKind, value: &Value) -> bool {
    match (kind, value) {
        (TypeKind::Scalar | TypeKind::ScalarData | TypeKind::Numeric, Value::BigInteger(_)) => true,
        (TypeKind::Integer(range), Value::BigInteger(number)) => BigRange::from(range).includes(number),
        (TypeKind::Scalar, Value::Runtime(object)) => object.class.is_a("Numeric"),
        (TypeKind::Scalar, value) => matches!(
            value,
            Value::Regexp(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
                | Value::Timespan(_)
                | Value::Timestamp(_)
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::RuntimeValue;
    use crate::types::NoTypes;

    fn is_instance(of: &str, value: Value) -> bool {
        Type::parse(of, &NoTypes).unwrap().is_instance(&value)
    }

    #[test]
    fn parts_are_asked_by_their_shape_and_their_value() {
        let array = |part: Value| Value::array([1.into(), part]);
        for (of, part, expected) in [
            ("Array[Variant[Integer, Float, Undef]]", 0.5.into(), true),
            ("Array[Variant[Integer, Float, Undef]]", f64::NAN.into(), false),
            ("Array[Variant[Integer, Scalar]]", f64::NAN.into(), true),
            ("Array[Variant[Integer, Float, Undef]]", "a".into(), false),
            ("Array[Variant[Integer[0, 1], Float]]", 2.into(), false),
            ("Array[Optional[Integer]]", Value::Undef, true),
            ("Array[NotUndef]", Value::Undef, false),
            ("Array[Any]", Value::Default, true),
            ("Array[Variant[Integer, Enum[a]]]", "a".into(), true),
            ("Array[Variant[Integer, Array]]", Value::array([]), true),
            ("Array[Variant[Integer, Array[String]]]", Value::array([1.into()]), false),
        ] {
            assert_eq!(is_instance(of, array(part)), expected, "{of}");
        }
    }

    #[test]
    fn entries_are_asked_in_any_order() {
        let of = "Hash[String, Struct[{a => Integer, Optional[b] => Pattern[/x/]}]]";
        let hash = |entries: &[(&str, Value)]| {
            let entries = entries.iter().map(|(name, value)| ((*name).into(), value.clone()));
            Value::hash([("key".into(), Value::hash(entries))])
        };
        assert!(is_instance(of, hash(&[("b", "xy".into()), ("a", 1.into())])));
        assert!(is_instance(of, hash(&[("a", 1.into())])));
        assert!(!is_instance(of, hash(&[("b", "xy".into())])));
        assert!(!is_instance(of, hash(&[("a", 1.into()), ("b", "y".into())])));
        assert!(!is_instance(of, hash(&[("a", 1.into()), ("c", "x".into())])));
    }

    #[test]
    fn objects_of_ruby_have_types() {
        let object = |class: &str| Value::Runtime(RuntimeValue::new(class, "x").into());
        for (of, class, expected) in [
            ("Runtime[ruby, 'Symbol']", "Symbol", true),
            ("Runtime[ruby, 'Symbol']", "Proc", false),
            ("Runtime", "Symbol", true),
            ("Scalar", "Rational", true),
            ("Scalar", "Symbol", false),
        ] {
            assert_eq!(is_instance(of, object(class)), expected, "{class} and {of}");
        }
    }
}
