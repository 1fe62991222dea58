//! Which values are instances of a type: `is_instance`. Follows the `instance?` methods of the reference's `types.rb` and
//! of the `p_*_type.rb` beside it.

use num_traits::Signed;

use super::assign::{assignable, is_optional_member, member_at};
use super::guard::{Depth, Guard, MAX_DEPTH, Memo, state};
use super::subject::{Shape, Subject};
use super::{StructMember, Type, TypeKind, init, iterator_element_type, object};
use crate::diagnostic::{Error, ErrorKind};
use crate::pcore::big::BigRange;
use crate::pcore::compare;
use crate::pcore::meter::Meter;
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
        self.check_subject(value)
    }

    /// As [`check_instance`](Self::check_instance), under the eyes of a meter.
    ///
    /// # Errors
    /// Those, and the meter's.
    pub fn check_instance_with(&self, value: &Value, meter: &dyn Meter) -> Result<bool, Error> {
        self.check_subject_in(value, Memo::new(meter))
    }

    /// As [`is_instance`](Self::is_instance), under the eyes of a meter.
    ///
    /// # Errors
    /// A limit was run over.
    pub fn is_instance_with(&self, value: &Value, meter: &dyn Meter) -> Result<bool, Error> {
        match self.check_instance_with(value, meter) {
            Err(error) if error.kind != ErrorKind::Limit => Ok(false),
            answer => answer,
        }
    }
}

/// Whether a regular expression matches somewhere in a text; one that does not compile matches nothing.
pub(crate) fn matches(pattern: &RegexpValue, text: &str, depth: Depth<'_>) -> bool {
    depth.answer_match(&pattern.source, text, || {
        let Ok(regex) = pattern.regex() else { return false };
        regex.is_match(text, &depth).unwrap_or_else(|error| {
            depth.fail(error);
            false
        })
    })
}

/// Whether a part of something matches what a type says of it.
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
pub(crate) fn instance<S: Subject>(
    this: &Type,
    value: S,
    guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    match this.kind() {
        TypeKind::Alias(_) | TypeKind::Init { .. } => really_instance(this, value, guard, depth) == 1,
        _ if !depth.is_exceeded()
            && let Some(known) = is_scalar_kind(this, value) =>
        {
            known
        }
        _ if guard.is_none() => {
            depth.answer_instance(this, value, || is_plain_instance(this, value, None, depth))
        }
        _ => is_plain_instance(this, value, guard, depth),
    }
}

/// Whether a plain value is an instance of a type of plain values: most of large data. Nothing when that takes a closer look.
#[inline]
fn is_scalar_kind<S: Subject>(this: &Type, value: S) -> Option<bool> {
    use TypeKind as T;
    let is_plain = matches!(
        this.kind(),
        T::Undef
            | T::Boolean(_)
            | T::String { .. }
            | T::Scalar
            | T::ScalarData
            | T::Numeric
            | T::Integer(_)
            | T::Float(_)
    );
    if !is_plain {
        return None;
    }
    value.with_shape(|shape| {
        Some(match (this.kind(), shape) {
            (_, Shape::Other) => return None,
            (T::Undef, Shape::Undef) => true,
            (T::Boolean(expected), Shape::Boolean(truth)) => {
                expected.is_none_or(|expected| expected == truth)
            }
            (T::Integer(range), Shape::Integer(number)) => range.includes(number),
            (T::Float(range), Shape::Float(number)) => !number.is_nan() && range.includes(number),
            (T::Numeric, Shape::Integer(_)) => true,
            (T::Numeric, Shape::Float(number)) => !number.is_nan(),
            (T::String { size: None, value: None }, Shape::String(_)) => true,
            (T::String { size: Some(size), .. }, Shape::String(text)) => {
                let is_any = size.to.is_none() && size.from.is_none_or(|from| from <= 0);
                is_any
                    || (size.to.is_none() && size.from == Some(1) && !text.is_empty())
                    || size.includes_size(text.chars().count())
            }
            (T::String { size: None, value: Some(expected) }, Shape::String(text)) => expected == text,
            (
                T::Scalar | T::ScalarData,
                Shape::String(_) | Shape::Integer(_) | Shape::Float(_) | Shape::Boolean(_),
            ) => true,
            _ => false,
        })
    })
}

/// The reference's `really_instance?`: 1 for yes, -1 for no, 0 for "nothing speaks against it, but it met itself".
pub(crate) fn really_instance<S: Subject>(
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
            if is_plain_instance(this, value, guard, depth) {
                1
            } else {
                -1
            }
        }
    }
}

/// How many members a Struct may have whose members are found by walking the entries of a hash.
const FEW_MEMBERS: usize = 64;

fn is_struct_instance<S: Subject>(
    members: &[StructMember],
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
        return members.iter().all(|member| match value.member(&member.name) {
            None => is_optional_member(member),
            Some(value) => {
                matched += 1;
                instance(&member.value, value, guard.as_deref_mut(), depth)
            }
        }) && matched == size;
    }
    // Hashes mostly have their keys in the order of the members: each is looked for behind the one before.
    let (mut found, mut next) = (0_u64, 0);
    value.all_entries(&mut |key, value| {
        let index = key.with_shape(|shape| match shape {
            Shape::String(name) => {
                let is_named = |index: &usize| members.get(*index).is_some_and(|member| member.name == name);
                (next..members.len()).chain(0..next).find(is_named)
            }
            _ => None,
        });
        let Some((index, member)) = index.and_then(|index| Some((index, members.get(index)?))) else {
            return false;
        };
        (found, next) = (found | 1 << index, index + 1);
        instance(&member.value, value, guard.as_deref_mut(), depth)
    }) && members
        .iter()
        .enumerate()
        .all(|(index, member)| found >> index & 1 == 1 || is_optional_member(member))
}

fn all_elements<S: Subject>(value: S, size: usize, mut test: impl FnMut(usize, S) -> bool) -> bool {
    (0..size).all(|index| value.element(index).is_some_and(|value| test(index, value)))
}

#[allow(clippy::too_many_lines)]
fn is_plain_instance<S: Subject>(
    this: &Type,
    value: S,
    mut guard: Option<&mut Guard>,
    depth: Depth<'_>,
) -> bool {
    if depth.is_exceeded() {
        return false;
    }
    if !S::IS_VALUE && value.with_shape(|shape| matches!(shape, Shape::Other)) {
        return value.with_value(|value| is_plain_instance(this, value, guard, depth));
    }
    let level = depth;
    let depth = depth + 1;
    let size_of_array = || {
        value.with_shape(|shape| match shape {
            Shape::Array(size) => Some(size),
            _ => None,
        })
    };
    let is_undef = || value.with_shape(|shape| matches!(shape, Shape::Undef));
    match this.kind() {
        TypeKind::Any | TypeKind::Unit => true,
        TypeKind::Default => value.with_shape(|shape| matches!(shape, Shape::Default)),
        TypeKind::NotUndef(of) => {
            !is_undef() && of.as_ref().is_none_or(|of| instance(of, value, guard, depth))
        }
        TypeKind::Optional(of) => {
            is_undef() || of.as_ref().is_some_and(|of| instance(of, value, guard, depth))
        }
        TypeKind::Enum { values, case_insensitive } => value.with_shape(
            |shape| matches!(shape, Shape::String(text) if enum_includes(values, *case_insensitive, text)),
        ),
        TypeKind::Pattern(patterns) => value.with_shape(|shape| match shape {
            Shape::String(text) => {
                patterns.is_empty() || patterns.iter().any(|pattern| matches(pattern, text, depth))
            }
            _ => false,
        }),
        TypeKind::Collection { size } => value.with_shape(|shape| match shape {
            Shape::Array(length) | Shape::Hash(length) => size.is_none_or(|size| size.includes_size(length)),
            _ => false,
        }),
        TypeKind::Array { element, size } => size_of_array().is_some_and(|length| {
            element.as_ref().is_none_or(|element| {
                all_elements(value, length, |_, value| instance(element, value, guard.as_deref_mut(), depth))
            }) && size.is_none_or(|size| size.includes_size(length))
        }),
        TypeKind::Hash { key, value: of, size } => {
            let length = value.with_shape(|shape| match shape {
                Shape::Hash(length) => Some(length),
                _ => None,
            });
            length.is_some_and(|length| {
                let (key, of) = (key.as_ref(), of.as_ref());
                (key.is_none() && of.is_none()
                    || value.all_entries(&mut |name, value| {
                        key.is_none_or(|of| instance(of, name, guard.as_deref_mut(), depth))
                            && of.is_none_or(|of| instance(of, value, guard.as_deref_mut(), depth))
                    }))
                    && size.is_none_or(|size| size.includes_size(length))
            })
        }
        TypeKind::Tuple { types, size } => {
            let Some(length) = size_of_array() else { return false };
            let fits = match size {
                Some(size) => size.includes_size(length),
                None => types.is_empty() || types.len() == length,
            };
            fits && (types.is_empty()
                || all_elements(value, length, |index, value| {
                    member_at(types, index).is_some_and(|of| instance(of, value, guard.as_deref_mut(), depth))
                }))
        }
        TypeKind::Struct { members } => is_struct_instance(members, value, guard, depth),
        TypeKind::Variant(types) => types.iter().any(|of| instance(of, value, guard.as_deref_mut(), depth)),
        TypeKind::Init { .. } | TypeKind::Alias(_) => really_instance(this, value, guard, depth) == 1,
        TypeKind::Callable(_) => value.with_value(|value| match value {
            Value::Runtime(object) => {
                object.callable.as_ref().is_some_and(|of| assignable(this, of, guard, depth))
            }
            _ => false,
        }),
        TypeKind::CatalogEntry | TypeKind::Class(_) | TypeKind::Resource { .. } | TypeKind::Reference(_) => {
            false
        }
        TypeKind::Undef
        | TypeKind::Boolean(_)
        | TypeKind::String { .. }
        | TypeKind::Scalar
        | TypeKind::ScalarData
        | TypeKind::Numeric
        | TypeKind::Integer(_)
        | TypeKind::Float(_) => is_scalar_instance(this, value),
        _ => value.with_value(|value| is_other_instance(this, value, guard, level)),
    }
}

/// Whether something is an instance of a type of plain values.
fn is_scalar_instance<S: Subject>(this: &Type, value: S) -> bool {
    is_scalar_kind(this, value).unwrap_or_else(|| {
        value.with_value(|value| match (this.kind(), value) {
            (TypeKind::Scalar | TypeKind::ScalarData | TypeKind::Numeric, Value::BigInteger(_)) => true,
            (TypeKind::Integer(range), Value::BigInteger(number)) => BigRange::from(range).includes(number),
            (TypeKind::Scalar, value) => {
                matches!(
                    value,
                    Value::Regexp(_)
                        | Value::SemVer(_)
                        | Value::SemVerRange(_)
                        | Value::Timespan(_)
                        | Value::Timestamp(_)
                ) || matches!(value, Value::Runtime(object) if object.class.is_a("Numeric"))
            }
            _ => false,
        })
    })
}

/// Whether a value is an instance of a type that neither data nor collections of data are made of.
fn is_other_instance(this: &Type, value: &Value, mut guard: Option<&mut Guard>, depth: Depth<'_>) -> bool {
    let depth = depth + 1;
    match this.kind() {
        TypeKind::Type(of) => match value {
            Value::Type(value) => of.as_ref().is_none_or(|of| assignable(of, value, guard, depth)),
            _ => false,
        },
        TypeKind::BigInteger(range) => value.as_big_integer().is_some_and(|number| range.includes(&number)),
        TypeKind::Regexp(pattern) => match value {
            Value::Regexp(value) => pattern.as_ref().is_none_or(|pattern| pattern.source == value.source),
            _ => false,
        },
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
        TypeKind::Sensitive(of) => match value {
            Value::Sensitive(value) => of.as_ref().is_none_or(|of| instance(of, &***value, guard, depth)),
            _ => false,
        },
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
                    part_matches(&actual, expected, depth)
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
                        .is_some_and(|actual| part_matches(&actual, expected, depth)),
                    _ => false,
                })
        }
        TypeKind::TypeSet(_) => matches!(value, Value::Type(of) if matches!(of.kind(), TypeKind::TypeSet(_))),
        // All others were answered without a value.
        _ => false,
    }
}

/// Whether a value can be iterated over, whatever its elements are.
fn is_iterable_value(value: &Value, depth: u32) -> bool {
    match value {
        Value::Iterator(_) | Value::String(_) | Value::Octets(_) | Value::Hash(_) | Value::Array(_) => true,
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
        Value::Runtime(object) => object.class.is_a("Range"),
        _ => false,
    }
}
