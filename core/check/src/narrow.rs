//! What conditions tell about types: the part of a type for which a condition holds, and whether it can hold.
//!
//! A type contains all possible values of an expression. The answers here are certain for each of them; where
//! nothing is certain, a type stays whole and a question has no answer.

use bunraku_pcore::types::{IntRange, Type, TypeKind};
use bunraku_pcore::value::Value;

use super::overlap::{overlap, size_of};

/// The maximum depth of nested alternatives.
const MAX_DEPTH: u32 = 16;

fn undef() -> Type {
    TypeKind::Undef.into()
}

/// The alternatives of a type, without aliases. `None` if one of them can be any value.
pub(crate) fn leaves(of: &Type) -> Option<Vec<Type>> {
    let mut found = Vec::new();
    collect(of, &mut found, 0).then_some(found)
}

fn collect(of: &Type, found: &mut Vec<Type>, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match of.kind() {
        TypeKind::Variant(types) if !types.is_empty() => {
            types.iter().all(|one| collect(one, found, depth + 1))
        }
        TypeKind::Optional(Some(of)) => {
            found.push(undef());
            collect(of, found, depth + 1)
        }
        TypeKind::Alias(alias) => alias.target.get().is_some_and(|of| collect(of, found, depth + 1)),
        TypeKind::ScalarData => {
            found.extend([TypeKind::Numeric, TypeKind::Boolean(None)].map(Type::from));
            found.push(Type::string(None));
            true
        }
        TypeKind::Undef
        | TypeKind::Default
        | TypeKind::Integer(_)
        | TypeKind::Float(_)
        | TypeKind::Numeric
        | TypeKind::String { .. }
        | TypeKind::Enum { .. }
        | TypeKind::Pattern(_)
        | TypeKind::Boolean(_)
        | TypeKind::Regexp(_)
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Hash { .. }
        | TypeKind::Struct { .. }
        | TypeKind::Collection { .. }
        | TypeKind::Sensitive(_)
        | TypeKind::Timestamp { .. }
        | TypeKind::Timespan { .. }
        | TypeKind::SemVer(_)
        | TypeKind::SemVerRange
        | TypeKind::Binary => {
            found.push(of.clone());
            true
        }
        _ => false,
    }
}

/// One type of alternatives; `None` if there are none, so that there is no value.
fn joined(types: Vec<Type>) -> Option<Type> {
    (!types.is_empty()).then(|| Type::variant(types))
}

/// Whether a value is true for conditions, if that is the same for all values of a type: only `undef` and
/// `false` are not.
pub(crate) fn truth(of: &Type) -> Option<bool> {
    let one = |of: &Type| match of.kind() {
        TypeKind::Undef => Some(false),
        TypeKind::Boolean(truth) => *truth,
        _ => Some(true),
    };
    same(leaves(of)?.iter().map(one))
}

/// The answer that all answers are.
fn same(mut answers: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let first = answers.next()??;
    answers.all(|other| other == Some(first)).then_some(first)
}

/// The values that are true for conditions, or those that are not.
pub(crate) fn with_truth(of: &Type, wanted: bool) -> Option<Type> {
    let Some(leaves) = leaves(of) else {
        return Some(match wanted {
            true => subtract(of, &undef()).unwrap_or_else(|| of.clone()),
            false => Type::variant([undef(), Type::boolean(false)]),
        });
    };
    let kept = leaves.into_iter().filter_map(|one| match one.kind() {
        TypeKind::Undef => (!wanted).then_some(one),
        TypeKind::Boolean(None) => Some(Type::boolean(wanted)),
        TypeKind::Boolean(Some(truth)) => (*truth == wanted).then_some(one),
        _ => wanted.then_some(one),
    });
    joined(kept.collect())
}

/// The values of a type that are instances of another one.
pub(crate) fn intersect(of: &Type, with: &Type) -> Option<Type> {
    if matches!(of.kind(), TypeKind::Any | TypeKind::Unit) || of.is_assignable(with) {
        return Some(with.clone());
    }
    if with.is_assignable(of) {
        return Some(of.clone());
    }
    match leaves(of) {
        Some(leaves) if leaves.len() > 1 => {
            joined(leaves.iter().filter_map(|one| intersect(one, with)).collect())
        }
        _ => overlap(with, of).then(|| with.clone()),
    }
}

/// The values of a type that are not instances of another one.
pub(crate) fn subtract(of: &Type, without: &Type) -> Option<Type> {
    if without.is_assignable(of) {
        return None;
    }
    if let TypeKind::Any | TypeKind::Unit = of.kind() {
        return Some(match without.kind() {
            TypeKind::Undef => Type::not_undef(TypeKind::Any.into()),
            TypeKind::NotUndef(None) => undef(),
            _ => of.clone(),
        });
    }
    let Some(leaves) = leaves(of) else { return Some(of.clone()) };
    joined(leaves.into_iter().filter(|one| !without.is_assignable(one)).collect())
}

/// Whether two values are equal for `==`, `case` and selectors, if all values of two types answer alike.
pub(crate) fn equality(one: &Type, other: &Type) -> Option<bool> {
    let (one, other) = (leaves(one)?, leaves(other)?);
    same(one.iter().flat_map(|one| other.iter().map(|other| equal(one, other))))
}

fn equal(one: &Type, other: &Type) -> Option<bool> {
    match (one.kind(), other.kind()) {
        (TypeKind::Undef, TypeKind::Undef) | (TypeKind::Default, TypeKind::Default) => Some(true),
        (TypeKind::Boolean(Some(one)), TypeKind::Boolean(Some(other))) => Some(one == other),
        (TypeKind::Boolean(_), TypeKind::Boolean(_)) => None,
        (TypeKind::Integer(one), TypeKind::Integer(other)) => integers(*one, *other),
        _ if is_number(one) && is_number(other) => None,
        _ if is_text(one) && is_text(other) => texts(one, other),
        _ if is_sized(one) && is_sized(other) => sizes(one, other),
        (TypeKind::Sensitive(_) | TypeKind::Regexp(_) | TypeKind::SemVer(_) | TypeKind::Binary, _)
        | (_, TypeKind::Sensitive(_) | TypeKind::Regexp(_) | TypeKind::SemVer(_) | TypeKind::Binary)
        | (TypeKind::Timespan { .. } | TypeKind::Timestamp { .. } | TypeKind::SemVerRange, _)
        | (_, TypeKind::Timespan { .. } | TypeKind::Timestamp { .. } | TypeKind::SemVerRange) => None,
        _ => Some(false),
    }
}

fn integers(one: IntRange, other: IntRange) -> Option<bool> {
    let is_below = |low: Option<i64>, high: Option<i64>| low.zip(high).is_none_or(|(low, high)| low <= high);
    if !is_below(one.from, other.to) || !is_below(other.from, one.to) {
        return Some(false);
    }
    let number = |range: IntRange| range.from.filter(|_| range.from == range.to);
    (number(one)? == number(other)?).then_some(true)
}

pub(crate) fn is_number(of: &Type) -> bool {
    matches!(of.kind(), TypeKind::Integer(_) | TypeKind::Float(_) | TypeKind::Numeric)
}

pub(crate) fn is_text(of: &Type) -> bool {
    matches!(of.kind(), TypeKind::String { .. } | TypeKind::Enum { .. } | TypeKind::Pattern(_))
}

fn is_sized(of: &Type) -> bool {
    let is_list = matches!(of.kind(), TypeKind::Array { .. } | TypeKind::Tuple { .. });
    let is_map = matches!(of.kind(), TypeKind::Hash { .. } | TypeKind::Struct { .. });
    is_list || is_map || matches!(of.kind(), TypeKind::Collection { .. })
}

/// The texts that a type consists of, in lower case, as `==` compares them.
fn listed(of: &Type) -> Option<Vec<String>> {
    match of.kind() {
        TypeKind::String { value: Some(text), .. } => Some(vec![text.to_lowercase().to_string()]),
        TypeKind::Enum { values, .. } if !values.is_empty() => {
            Some(values.iter().map(|text| text.to_lowercase().to_string()).collect())
        }
        _ => None,
    }
}

fn texts(one: &Type, other: &Type) -> Option<bool> {
    if let (Some(one), Some(other)) = (listed(one), listed(other)) {
        return match (one.as_slice(), other.as_slice()) {
            ([one], [other]) => Some(one == other),
            _ if one.iter().any(|text| other.contains(text)) => None,
            _ => Some(false),
        };
    }
    // The letters' case changes no length that matters: an empty text is the only one that is asked for.
    let is_empty = |of: &Type| listed(of).is_some_and(|all| all.iter().all(String::is_empty));
    let has_least = |of: &Type| {
        matches!(of.kind(), TypeKind::String { .. }) && !of.is_instance(&Value::String("".into()))
    };
    ((is_empty(one) && has_least(other)) || (is_empty(other) && has_least(one))).then_some(false)
}

/// Lists and maps of different sizes are not equal.
fn sizes(one: &Type, other: &Type) -> Option<bool> {
    let is_list = |of: &Type| matches!(of.kind(), TypeKind::Array { .. } | TypeKind::Tuple { .. });
    let is_map = |of: &Type| matches!(of.kind(), TypeKind::Hash { .. } | TypeKind::Struct { .. });
    if (is_list(one) && is_map(other)) || (is_map(one) && is_list(other)) {
        return Some(false);
    }
    let ((least, most), (other_least, other_most)) = (size_of(one), size_of(other));
    let is_above = |least: i64, most: Option<i64>| most.is_some_and(|most| least > most);
    (is_above(least, other_most) || is_above(other_least, most)).then_some(false)
}

/// The values of a type that can be equal to those of another one, and those that can be different.
pub(crate) fn by_equality(of: &Type, to: &Type, wanted: bool) -> Option<Type> {
    let Some(leaves) = leaves(of) else {
        return Some(match (to.kind(), wanted) {
            (TypeKind::Undef, true) => undef(),
            (TypeKind::Undef, false) => subtract(of, to).unwrap_or_else(|| of.clone()),
            (TypeKind::Boolean(Some(truth)), true) => Type::boolean(*truth),
            _ => of.clone(),
        });
    };
    let kept = leaves.into_iter().filter_map(|one| match one.kind() {
        TypeKind::Enum { values, case_insensitive } => {
            let is_kept = |text: &&bunraku_pcore::Str| {
                equality(&Type::string_value((*text).clone()), to).is_none_or(|equal| equal == wanted)
            };
            let values: Vec<_> = values.iter().filter(is_kept).cloned().collect();
            (!values.is_empty()).then(|| Type::enumeration(values, *case_insensitive))
        }
        TypeKind::Boolean(None) => match to.kind() {
            TypeKind::Boolean(Some(truth)) => Some(Type::boolean(*truth == wanted)),
            _ => equality(&one, to).is_none_or(|equal| equal == wanted).then_some(one),
        },
        _ => equality(&one, to).is_none_or(|equal| equal == wanted).then_some(one),
    });
    joined(kept.collect())
}

/// Whether a type has one value only.
pub(crate) fn is_single(of: &Type) -> bool {
    match of.kind() {
        TypeKind::Undef | TypeKind::Default | TypeKind::Boolean(Some(_)) => true,
        TypeKind::String { value, .. } => value.is_some(),
        TypeKind::Integer(range) => range.from.is_some() && range.from == range.to,
        TypeKind::Float(range) => range.from.is_some() && range.from == range.to,
        TypeKind::Tuple { types, size: None } => types.iter().all(is_single),
        _ => false,
    }
}

/// The sorts of values that `<` and its like compare with one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    /// Numbers.
    Numbers,
    /// Texts.
    Texts,
    /// Versions.
    Versions,
    /// Another sort that has an order, or may have it.
    Others,
    /// No order.
    None,
}

/// The order that a single alternative has.
pub(crate) fn ordered(of: &Type) -> Ordered {
    match of.kind() {
        _ if is_number(of) => Ordered::Numbers,
        _ if is_text(of) => Ordered::Texts,
        TypeKind::SemVer(_) => Ordered::Versions,
        TypeKind::Undef | TypeKind::Default | TypeKind::Boolean(_) | TypeKind::Regexp(_) => Ordered::None,
        _ if is_sized(of) => Ordered::None,
        _ => Ordered::Others,
    }
}

#[cfg(test)]
mod tests {
    use bunraku_pcore::types::NoTypes;

    use super::*;

    fn parse(text: &str) -> Type {
        Type::parse(text, &NoTypes).expect(text)
    }

    fn shown(of: Option<Type>) -> String {
        of.map_or_else(|| "never".to_owned(), |of| of.to_string())
    }

    #[test]
    fn truth_is_certain_where_all_values_have_it() {
        for (of, wanted) in [
            ("String", Some(true)),
            ("Optional[String]", None),
            ("Undef", Some(false)),
            ("Boolean", None),
            ("Boolean[false]", Some(false)),
            ("Variant[Undef, Boolean[false]]", Some(false)),
            ("Variant[String, Array, Integer]", Some(true)),
            ("Any", None),
            ("Data", None),
            ("Variant[String, Data]", None),
        ] {
            assert_eq!(truth(&parse(of)), wanted, "{of}");
        }
    }

    #[test]
    fn types_are_cut_by_types() {
        for (of, with, inside, outside) in [
            ("Optional[String]", "Undef", "Undef", "String"),
            ("Variant[String, Integer, Array]", "Scalar", "Variant[String, Integer]", "Array"),
            ("Any", "String", "String", "Any"),
            ("Any", "Undef", "Undef", "NotUndef"),
            ("Integer", "Integer[0]", "Integer[0]", "Integer"),
            ("String", "Integer", "never", "String"),
            ("Enum['a', 'b']", "String", "Enum['a', 'b']", "never"),
        ] {
            assert_eq!(shown(intersect(&parse(of), &parse(with))), inside, "{of} and {with}");
            assert_eq!(shown(subtract(&parse(of), &parse(with))), outside, "{of} without {with}");
        }
    }

    #[test]
    fn equality_is_certain_where_all_values_answer_alike() {
        for (one, other, wanted) in [
            ("Enum['a', 'b']", "Enum['c']", Some(false)),
            ("Enum['a', 'b']", "Enum['A']", None),
            ("String", "Integer", Some(false)),
            ("Integer", "Float", None),
            ("Integer[0]", "Integer[-5, -1]", Some(false)),
            ("Integer[1, 1]", "Integer[1, 1]", Some(true)),
            ("String[1]", "Enum['']", Some(false)),
            ("Pattern[/x/]", "Enum['']", None),
            ("Optional[String]", "Undef", None),
            ("Array", "Array[String]", None),
            ("Hash", "Hash[String, Integer]", None),
            ("Array", "Hash", Some(false)),
            ("Struct[{'a' => Integer}]", "Tuple[Integer]", Some(false)),
            ("Array[Integer, 3]", "Tuple[Integer]", Some(false)),
            ("Boolean", "Enum['true']", Some(false)),
            ("Array[String, 1]", "Array[String, 0, 0]", Some(false)),
            ("Array[String]", "Hash", Some(false)),
            ("Any", "Undef", None),
        ] {
            assert_eq!(equality(&parse(one), &parse(other)), wanted, "{one} and {other}");
            assert_eq!(equality(&parse(other), &parse(one)), wanted, "{other} and {one}");
        }
    }

    #[test]
    fn types_are_cut_by_equality() {
        for (of, to, equal, different) in [
            ("Enum['a', 'b']", "Enum['A']", "Enum['a']", "Enum['b']"),
            ("Optional[Integer]", "Undef", "Undef", "Integer"),
            ("Boolean", "Boolean[true]", "Boolean[true]", "Boolean[false]"),
            ("Variant[Boolean, String]", "Enum['x']", "String", "Variant[Boolean, String]"),
        ] {
            assert_eq!(shown(by_equality(&parse(of), &parse(to), true)), equal, "{of} == {to}");
            assert_eq!(shown(by_equality(&parse(of), &parse(to), false)), different, "{of} != {to}");
        }
    }
}
