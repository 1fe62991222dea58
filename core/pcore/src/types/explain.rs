//! The words for an expected and an actual type. Follows `TypeMismatch`, `PatternMismatch` and `SizeMismatch`
//! of the reference's `type_mismatch_describer.rb`.

use super::{IntRange, Type, TypeKind};
use bunraku_syntax::diagnostic::label::a_an;

/// `expects an Integer value, got String`
pub(super) fn types(expected: &Type, actual: &Type) -> String {
    let (expected, is_optional) = match expected.kind() {
        TypeKind::Optional(Some(inner)) => (inner, true),
        _ => (expected, false),
    };
    let (members, is_variant): (&[Type], bool) = match expected.kind() {
        TypeKind::Variant(types) => (types, true),
        _ => (std::slice::from_ref(expected), false),
    };
    let (mut names, actual): (Vec<String>, String) = if is_detailed(members, actual) {
        (members.iter().map(Type::to_expanded_string).collect(), detailed_actual(members, actual))
    } else {
        let mut names: Vec<String> = Vec::new();
        for name in members.iter().map(short_name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (names, short_name(actual))
    };
    if is_optional {
        if is_variant {
            names.insert(0, "Undef".to_owned());
        } else {
            let name = names.pop().unwrap_or_default();
            return format!("expects a value of type Undef or {name}, got {actual}");
        }
    }
    match names.as_slice() {
        [name] => format!("expects {} value, got {actual}", a_an(name)),
        [a, b] => format!("expects a value of type {a} or {b}, got {actual}"),
        [first @ .., last] => {
            format!("expects a value of type {}, or {last}, got {actual}", first.join(", "))
        }
        [] => format!("expects a value of type , or , got {actual}"),
    }
}

/// `expects a match for Enum['a'], got 'b'`
pub(super) fn pattern(expected: &Type, actual: &Type) -> String {
    let (expected, prefix) = match expected.kind() {
        TypeKind::Optional(Some(inner)) => (inner, "an undef value or "),
        _ => (expected, ""),
    };
    let actual = match actual.kind() {
        TypeKind::String { value: Some(value), .. } => format!("'{value}'"),
        _ => short_name(actual),
    };
    format!("expects {prefix}a match for {}, got {actual}", expected.to_expanded_string())
}

/// `at least 1`, `between 1 and 2`
pub(super) fn range(range: IntRange, zero: &str) -> String {
    let least = range.from.unwrap_or(0);
    match range.to {
        Some(0) if least == 0 => zero.to_owned(),
        Some(most) if least == most => least.to_string(),
        Some(most) if least == 0 => format!("at most {most}"),
        None if least == 0 => "unlimited".to_owned(),
        None => format!("at least {least}"),
        Some(most) => format!("between {least} and {most}"),
    }
}

/// The name, with that of the contained type if there is one.
fn short_name(of: &Type) -> String {
    let contained = match of.kind() {
        TypeKind::Type(Some(inner))
        | TypeKind::NotUndef(Some(inner))
        | TypeKind::Iterable(Some(inner))
        | TypeKind::Iterator(Some(inner))
        | TypeKind::Sensitive(Some(inner))
        | TypeKind::Optional(Some(inner))
        | TypeKind::Init { of: Some(inner), .. } => Some(inner),
        _ => None,
    };
    match contained.filter(|inner| !matches!(inner.kind(), TypeKind::Any)) {
        Some(inner) => format!("{}[{}]", of.simple_name(), inner.name().unwrap_or_default()),
        None => of.name().unwrap_or_else(|| of.simple_name()).to_string(),
    }
}

fn is_alias(of: &Type) -> bool {
    matches!(of.kind(), TypeKind::Alias(_))
}

fn is_same_kind(a: &Type, b: &Type) -> bool {
    let is_integer = |of: &Type| matches!(of.kind(), TypeKind::Integer(_) | TypeKind::BigInteger(_));
    std::mem::discriminant(a.kind()) == std::mem::discriminant(b.kind()) || is_integer(a) && is_integer(b)
}

/// Whether the difference is in the parameters, so that they must be shown.
fn shows_parameters(expected: &[Type], actual: &Type) -> bool {
    expected.iter().any(|expected| {
        is_same_kind(expected, actual)
            || is_alias(expected)
            || is_alias(actual)
            || matches!(
                (expected.kind(), actual.kind()),
                (TypeKind::Struct { .. }, TypeKind::Hash { .. })
                    | (TypeKind::Tuple { .. }, TypeKind::Array { .. })
            )
    })
}

fn is_detailed(expected: &[Type], actual: &Type) -> bool {
    shows_parameters(expected, actual)
        || expected.iter().any(|expected| expected.resolved_once().bare().is_assignable(actual))
}

fn detailed_actual(expected: &[Type], actual: &Type) -> String {
    let resolved: Vec<Type> = expected.iter().map(|of| of.resolved().clone()).collect();
    let general = actual.generalize();
    if shows_parameters(&resolved, actual) || resolved.iter().any(|of| of.is_assignable(&general)) {
        actual.to_expanded_string()
    } else {
        actual.simple_name().to_string()
    }
}
