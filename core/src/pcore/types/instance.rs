//! Which values are instances of a type: `is_instance`. Follows the `instance?` methods of the reference's `types.rb` and
//! of the `p_*_type.rb` beside it.

use std::sync::Arc;

use num_traits::Signed;

use super::assign::{assignable, is_optional_member, member_at};
use super::guard::{Depth, Guard, MAX_DEPTH, Memo, state};
use super::{Type, TypeKind, init, iterator_element_type, object};
use crate::diagnostic::Error;
use crate::pcore::big::BigRange;
use crate::pcore::compare;
use crate::pcore::value::{RegexpValue, Str, Value};

impl Type {
    /// Whether a value is an instance of this type; not when [`check_instance`](Self::check_instance) has no answer.
    pub fn is_instance(&self, value: &Value) -> bool {
        self.check_instance(value).unwrap_or(false)
    }

    /// Whether a value is an instance of this type.
    ///
    /// # Errors
    /// When there is no answer: the type or the value is nested too deeply, or an `Init` in the type is of what cannot be
    /// made.
    pub fn check_instance(&self, value: &Value) -> Result<bool, Error> {
        let memo = Memo::default();
        let answer = instance(self, value, None, memo.start());
        memo.finish(answer)
    }
}

/// Whether a regular expression matches somewhere in a text; one that does not compile matches nothing.
pub(crate) fn matches(pattern: &RegexpValue, text: &str) -> bool {
    pattern.regex().is_ok_and(|regex| regex.is_match(text).unwrap_or(false))
}

/// Whether a text is one of an Enum's; case is that of ASCII letters, as in the reference's `casecmp`.
pub(crate) fn enum_includes(values: &[Str], case_insensitive: bool, text: &str) -> bool {
    if case_insensitive {
        values.iter().any(|value| value.eq_ignore_ascii_case(text))
    } else {
        values.iter().any(|value| value == text)
    }
}

/// What names a value in the guard: the address of what it shares, or its own.
fn identity(value: &Value) -> usize {
    match value {
        Value::Array(values) => Arc::as_ptr(values) as usize,
        Value::Hash(hash) => Arc::as_ptr(hash) as usize,
        Value::Object(object) => Arc::as_ptr(object) as usize,
        Value::Sensitive(value) => Arc::as_ptr(value) as usize,
        _ => std::ptr::from_ref(value) as usize,
    }
}

/// The reference's `instance?` with its guard.
pub(crate) fn instance(this: &Type, value: &Value, guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    match this.kind() {
        TypeKind::Alias(_) | TypeKind::Init { .. } => really_instance(this, value, guard, depth) == 1,
        _ if guard.is_none() => {
            depth.answer_instance(this, value, || is_plain_instance(this, value, None, depth))
        }
        _ => is_plain_instance(this, value, guard, depth),
    }
}

/// The reference's `really_instance?`: 1 for yes, -1 for no, 0 for "nothing speaks against it, but it met itself".
pub(crate) fn really_instance(
    this: &Type,
    value: &Value,
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
            guard.with_that(identity(value), |guard, _| {
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
            init::really_instance(this, of.as_ref(), arguments, value, guard, depth)
        }
        _ => {
            if is_plain_instance(this, value, guard, depth) {
                1
            } else {
                -1
            }
        }
    }
}

#[allow(clippy::too_many_lines)]
fn is_plain_instance(this: &Type, value: &Value, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    if depth.is_exceeded() {
        return false;
    }
    let depth = depth + 1;
    match this.kind() {
        TypeKind::Any | TypeKind::Unit => true,
        TypeKind::Undef => value.is_undef(),
        TypeKind::Default => matches!(value, Value::Default),
        TypeKind::Type(of) => match value {
            Value::Type(value) => of.as_ref().is_none_or(|of| assignable(of, value, guard, depth)),
            _ => false,
        },
        TypeKind::NotUndef(of) => {
            !value.is_undef() && of.as_ref().is_none_or(|of| instance(of, value, guard, depth))
        }
        TypeKind::Optional(of) => {
            value.is_undef() || of.as_ref().is_some_and(|of| instance(of, value, guard, depth))
        }
        TypeKind::Scalar => matches!(
            value,
            Value::String(_)
                | Value::Integer(_)
                | Value::BigInteger(_)
                | Value::Float(_)
                | Value::Boolean(_)
                | Value::Regexp(_)
                | Value::SemVer(_)
                | Value::SemVerRange(_)
                | Value::Timespan(_)
                | Value::Timestamp(_)
        ),
        TypeKind::ScalarData => {
            matches!(
                value,
                Value::String(_)
                    | Value::Integer(_)
                    | Value::BigInteger(_)
                    | Value::Float(_)
                    | Value::Boolean(_)
            )
        }
        TypeKind::Numeric => match value {
            Value::Integer(_) | Value::BigInteger(_) => true,
            Value::Float(number) => !number.is_nan(),
            _ => false,
        },
        TypeKind::Integer(range) => match value {
            Value::Integer(number) => range.includes(*number),
            Value::BigInteger(number) => BigRange::from(range).includes(number),
            _ => false,
        },
        TypeKind::BigInteger(range) => value.as_big_integer().is_some_and(|number| range.includes(&number)),
        TypeKind::Float(range) => {
            matches!(value, Value::Float(number) if !number.is_nan() && range.includes(*number))
        }
        TypeKind::Boolean(expected) => match (value, expected) {
            (Value::Boolean(_), None) => true,
            (Value::Boolean(value), Some(expected)) => value == expected,
            _ => false,
        },
        TypeKind::Enum { values, case_insensitive } => {
            matches!(value, Value::String(text) if enum_includes(values, *case_insensitive, text))
        }
        TypeKind::String { size, value: expected } => match value {
            Value::String(text) => match (size, expected) {
                (Some(size), _) => size.includes_size(text.chars().count()),
                (None, Some(expected)) => expected == text,
                (None, None) => true,
            },
            _ => false,
        },
        TypeKind::Pattern(patterns) => match value {
            Value::String(text) => {
                patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text))
            }
            _ => false,
        },
        TypeKind::Regexp(pattern) => match value {
            Value::Regexp(value) => pattern.as_ref().is_none_or(|pattern| pattern.source == value.source),
            _ => false,
        },
        TypeKind::Collection { size } => match value {
            Value::Array(values) => size.is_none_or(|size| size.includes_size(values.len())),
            Value::Hash(hash) => size.is_none_or(|size| size.includes_size(hash.len())),
            _ => false,
        },
        TypeKind::Array { element, size } => match value {
            Value::Array(values) => {
                element.as_ref().is_none_or(|element| {
                    values.iter().all(|value| instance(element, value, guard.as_deref_mut(), depth))
                }) && size.is_none_or(|size| size.includes_size(values.len()))
            }
            _ => false,
        },
        TypeKind::Hash { key, value: of, size } => match value {
            Value::Hash(hash) => {
                key.as_ref()
                    .is_none_or(|of| hash.keys().all(|key| instance(of, key, guard.as_deref_mut(), depth)))
                    && of.as_ref().is_none_or(|of| {
                        hash.values().all(|value| instance(of, value, guard.as_deref_mut(), depth))
                    })
                    && size.is_none_or(|size| size.includes_size(hash.len()))
            }
            _ => false,
        },
        TypeKind::Tuple { types, size } => {
            let Value::Array(values) = value else { return false };
            let fits = match size {
                Some(size) => size.includes_size(values.len()),
                None => types.is_empty() || types.len() == values.len(),
            };
            fits && (types.is_empty()
                || values.iter().enumerate().all(|(index, value)| {
                    member_at(types, index).is_some_and(|of| instance(of, value, guard.as_deref_mut(), depth))
                }))
        }
        TypeKind::Struct { members } => {
            let Value::Hash(hash) = value else { return false };
            let mut matched = 0;
            members.iter().all(|member| match hash.get(&Value::String(member.name.clone())) {
                None => is_optional_member(member),
                Some(value) => {
                    matched += 1;
                    instance(&member.value, value, guard.as_deref_mut(), depth)
                }
            }) && matched == hash.len()
        }
        TypeKind::Iterable(of) => {
            let accepts_all =
                of.as_ref().is_none_or(|of| assignable(of, &Type::any(), guard.as_deref_mut(), depth));
            if accepts_all {
                is_iterable_value(value, depth.level)
            } else {
                assignable(this, &Type::infer(value), guard, depth)
            }
        }
        TypeKind::Iterator(of) => match value {
            Value::Iterator(iterator) => of.as_ref().is_none_or(|of| {
                iterator_element_type(iterator).is_some_and(|element| assignable(of, &element, guard, depth))
            }),
            _ => false,
        },
        TypeKind::Callable(_) => false,
        TypeKind::Variant(types) => types.iter().any(|of| instance(of, value, guard.as_deref_mut(), depth)),
        TypeKind::Sensitive(of) => match value {
            Value::Sensitive(value) => of.as_ref().is_none_or(|of| instance(of, value, guard, depth)),
            _ => false,
        },
        TypeKind::CatalogEntry | TypeKind::Class(_) | TypeKind::Resource { .. } => false,
        TypeKind::SemVer(ranges) => match value {
            Value::SemVer(version) => ranges.is_empty() || ranges.iter().any(|range| range.includes(version)),
            _ => false,
        },
        TypeKind::SemVerRange => matches!(value, Value::SemVerRange(_)),
        TypeKind::Timestamp { from, to } => match value {
            Value::Timestamp(value) => {
                from.is_none_or(|from| from <= **value) && to.is_none_or(|to| **value <= to)
            }
            _ => false,
        },
        TypeKind::Timespan { from, to } => match value {
            Value::Timespan(value) => {
                from.is_none_or(|from| from <= **value) && to.is_none_or(|to| **value <= to)
            }
            _ => false,
        },
        TypeKind::Binary => matches!(value, Value::Binary(_)),
        TypeKind::Uri(parts) => match value {
            Value::Uri(uri) => parts.as_ref().is_none_or(|parts| {
                parts.iter().all(|(name, expected)| {
                    let actual = super::uri::part(&uri.text, name).unwrap_or_default();
                    compare::matches(&actual, expected)
                })
            }),
            _ => false,
        },
        TypeKind::Runtime { .. } => assignable(this, &Type::infer(value), guard, depth),
        TypeKind::Object(object_type) => object::is_instance(object_type, value, guard, depth),
        TypeKind::ObjectExtension { base, parameters } => {
            object::is_instance(base, value, guard, depth)
                && parameters.iter().all(|(name, expected)| match value {
                    Value::Object(instance) => object::attribute_value(instance, name)
                        .is_some_and(|actual| compare::matches(&actual, expected)),
                    _ => false,
                })
        }
        TypeKind::TypeSet(_) => matches!(value, Value::Type(of) if matches!(of.kind(), TypeKind::TypeSet(_))),
        TypeKind::Init { .. } | TypeKind::Alias(_) => really_instance(this, value, guard, depth) == 1,
        TypeKind::Reference(_) => false,
    }
}

/// Whether a value can be iterated over, whatever its elements are.
fn is_iterable_value(value: &Value, depth: u32) -> bool {
    match value {
        Value::Iterator(_) | Value::String(_) | Value::Hash(_) | Value::Array(_) => true,
        Value::Integer(number) => *number >= 0,
        Value::BigInteger(number) => !number.is_negative(),
        Value::Type(of) => match of.kind() {
            TypeKind::Enum { .. } => true,
            TypeKind::Integer(range) => range.is_finite(),
            TypeKind::BigInteger(range) => range.is_finite(),
            TypeKind::Alias(alias) if depth < MAX_DEPTH => alias
                .target
                .get()
                .is_some_and(|target| is_iterable_value(&Value::Type(target.clone()), depth + 1)),
            _ => false,
        },
        _ => false,
    }
}
