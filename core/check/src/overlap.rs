//! Whether two types have common values.
//!
//! The inferred type of an expression contains all its possible values, so the expression certainly fails if
//! that type and the required one have no common value. If this cannot be decided, they may have one.

use bunraku_pcore::types::{IntRange, Type, TypeKind};
use bunraku_pcore::value::Value;

/// The maximum depth of inspected types.
const MAX_DEPTH: u32 = 24;

/// Whether a type has `undef` among its values.
pub(crate) fn can_be_undef(of: &Type) -> bool {
    overlap(&TypeKind::Undef.into(), of)
}

/// Whether some value is an instance of both.
pub(crate) fn overlap(wanted: &Type, given: &Type) -> bool {
    meet(wanted, given, 0)
}

/// Sorts of values, as bits.
mod sort {
    pub const UNDEF: u32 = 1;
    pub const DEFAULT: u32 = 1 << 1;
    pub const INTEGER: u32 = 1 << 2;
    pub const FLOAT: u32 = 1 << 3;
    pub const TEXT: u32 = 1 << 4;
    pub const BOOLEAN: u32 = 1 << 5;
    pub const REGEXP: u32 = 1 << 6;
    pub const LIST: u32 = 1 << 7;
    pub const MAP: u32 = 1 << 8;
    pub const SENSITIVE: u32 = 1 << 9;
    pub const TYPE: u32 = 1 << 10;
    pub const TIME: u32 = 1 << 11;
    pub const VERSION: u32 = 1 << 12;
    pub const BINARY: u32 = 1 << 13;
    pub const CALLABLE: u32 = 1 << 14;
    pub const ALL: u32 = u32::MAX;
}

/// The kinds of values of a type; all if they are unknown.
fn sorts(of: &Type) -> u32 {
    match of.kind() {
        TypeKind::Undef => sort::UNDEF,
        TypeKind::Default => sort::DEFAULT,
        TypeKind::Integer(_) | TypeKind::BigInteger(_) => sort::INTEGER,
        TypeKind::Float(_) => sort::FLOAT,
        TypeKind::Numeric => sort::INTEGER | sort::FLOAT,
        TypeKind::String { .. } | TypeKind::Pattern(_) => sort::TEXT,
        // Members of an Enum may be true and false.
        TypeKind::Enum { .. } => sort::TEXT | sort::BOOLEAN,
        TypeKind::Boolean(_) => sort::BOOLEAN,
        TypeKind::Regexp(_) => sort::REGEXP,
        TypeKind::Array { .. } | TypeKind::Tuple { .. } => sort::LIST,
        TypeKind::Hash { .. } | TypeKind::Struct { .. } => sort::MAP,
        TypeKind::Collection { .. } => sort::LIST | sort::MAP,
        TypeKind::Sensitive(_) => sort::SENSITIVE,
        TypeKind::Timestamp { .. } | TypeKind::Timespan { .. } => sort::TIME,
        TypeKind::SemVer(_) | TypeKind::SemVerRange => sort::VERSION,
        TypeKind::Binary => sort::BINARY,
        TypeKind::ScalarData => sort::INTEGER | sort::FLOAT | sort::TEXT | sort::BOOLEAN,
        TypeKind::Scalar => {
            sort::INTEGER
                | sort::FLOAT
                | sort::TEXT
                | sort::BOOLEAN
                | sort::REGEXP
                | sort::TIME
                | sort::VERSION
                | sort::BINARY
        }
        // References to resources are types; a catalog's own entries are never arguments.
        TypeKind::Type(_) | TypeKind::CatalogEntry | TypeKind::Class(_) | TypeKind::Resource { .. } => {
            sort::TYPE
        }
        TypeKind::Callable(_) => sort::CALLABLE,
        _ => sort::ALL,
    }
}

/// The members of a type that is one of several; nothing for all others.
fn members(of: &Type) -> Option<Vec<Type>> {
    match of.kind() {
        TypeKind::Variant(types) => Some(types.clone()),
        TypeKind::Optional(of) => {
            Some(vec![TypeKind::Undef.into(), of.clone().unwrap_or_else(|| TypeKind::Any.into())])
        }
        TypeKind::Alias(alias) => Some(vec![alias.target.get()?.clone()]),
        _ => None,
    }
}

fn meet(wanted: &Type, given: &Type, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return true;
    }
    let is_all = |of: &Type| matches!(of.kind(), TypeKind::Any | TypeKind::Unit);
    if is_all(wanted) || is_all(given) {
        return true;
    }
    if let Some(members) = members(given) {
        return members.iter().any(|one| meet(wanted, one, depth + 1));
    }
    if let Some(members) = members(wanted) {
        return members.iter().any(|one| meet(one, given, depth + 1));
    }
    match (wanted.kind(), given.kind()) {
        (TypeKind::NotUndef(of), _) => {
            return !matches!(given.kind(), TypeKind::Undef)
                && of.as_ref().is_none_or(|of| meet(of, given, depth + 1));
        }
        (_, TypeKind::NotUndef(of)) => {
            return !matches!(wanted.kind(), TypeKind::Undef)
                && of.as_ref().is_none_or(|of| meet(wanted, of, depth + 1));
        }
        _ => {}
    }
    if wanted.is_assignable(given) || given.is_assignable(wanted) {
        return true;
    }
    if sorts(wanted) & sorts(given) == 0 {
        return false;
    }
    same_sort(wanted, given, depth)
}

/// Two types of one sort.
fn same_sort(wanted: &Type, given: &Type, depth: u32) -> bool {
    match (wanted.kind(), given.kind()) {
        (TypeKind::Integer(one), TypeKind::Integer(other)) => is_common(*one, *other),
        (TypeKind::Boolean(one), TypeKind::Boolean(other)) => {
            one.is_none() || other.is_none() || one == other
        }
        (TypeKind::Float(one), TypeKind::Float(other)) => {
            let is_below =
                |low: Option<f64>, high: Option<f64>| low.zip(high).is_none_or(|(low, high)| low <= high);
            is_below(one.from, other.to) && is_below(other.from, one.to)
        }
        (TypeKind::Enum { values, .. }, _) if !values.is_empty() => texts_meet(wanted, values, given),
        (_, TypeKind::Enum { values, .. }) if !values.is_empty() => texts_meet(given, values, wanted),
        (TypeKind::String { value: Some(_), .. }, _) | (_, TypeKind::String { value: Some(_), .. }) => {
            // One text: whether it is an instance of the other was asked before.
            !(is_text(wanted) && is_text(given))
        }
        (TypeKind::String { size: Some(one), .. }, TypeKind::String { size: Some(other), .. }) => {
            is_common(*one, *other)
        }
        (TypeKind::Sensitive(Some(one)), TypeKind::Sensitive(Some(other))) => meet(one, other, depth + 1),
        _ if sorts(wanted) == sort::LIST && sorts(given) == sort::LIST => lists_meet(wanted, given, depth),
        _ if sorts(wanted) == sort::MAP && sorts(given) == sort::MAP => maps_meet(wanted, given, depth),
        _ => true,
    }
}

fn is_text(of: &Type) -> bool {
    matches!(of.kind(), TypeKind::String { .. } | TypeKind::Pattern(_) | TypeKind::Enum { .. })
}

/// Whether one of the texts of an Enum is an instance of another type.
fn texts_meet(of: &Type, values: &[bunraku_pcore::Str], other: &Type) -> bool {
    if let TypeKind::Enum { case_insensitive: true, .. } = of.kind() {
        return true;
    }
    let is_truth = matches!(other.kind(), TypeKind::Boolean(_));
    is_truth || values.iter().any(|text| other.is_instance(&Value::String(text.clone())))
}

fn is_common(one: IntRange, other: IntRange) -> bool {
    let is_below = |low: Option<i64>, high: Option<i64>| low.zip(high).is_none_or(|(low, high)| low <= high);
    is_below(one.from, other.to) && is_below(other.from, one.to)
}

/// The number of elements that lists or maps may have.
pub(crate) fn size_of(of: &Type) -> (i64, Option<i64>) {
    let range = |size: Option<IntRange>| match size {
        Some(range) => (range.from.unwrap_or(0).max(0), range.to),
        None => (0, None),
    };
    match of.kind() {
        TypeKind::Tuple { types, size } => match size {
            Some(_) => range(*size),
            None if types.is_empty() => (0, None),
            None => (types.len() as i64, Some(types.len() as i64)),
        },
        TypeKind::Struct { members } => {
            let is_required = |member: &bunraku_pcore::types::Member<'_>| is_required(member);
            (members.iter().filter(is_required).count() as i64, Some(members.len() as i64))
        }
        TypeKind::Array { size, .. } | TypeKind::Hash { size, .. } | TypeKind::Collection { size } => {
            range(*size)
        }
        _ => (0, None),
    }
}

/// Whether a Struct's member must be there.
pub(crate) fn is_required(member: &bunraku_pcore::types::Member<'_>) -> bool {
    match member.key.kind() {
        TypeKind::Optional(_) => false,
        TypeKind::NotUndef(_) => true,
        // A member whose value may be undef may be missing.
        _ => !member.value.is_instance(&Value::Undef),
    }
}

/// The type of a list's element at an index; `None` if it is unknown.
fn element(of: &Type, at: usize) -> Option<&Type> {
    match of.kind() {
        TypeKind::Tuple { types, .. } => types.get(at).or_else(|| types.last()),
        TypeKind::Array { element, .. } => element.as_ref(),
        _ => None,
    }
}

fn lists_meet(wanted: &Type, given: &Type, depth: u32) -> bool {
    let ((least, most), (other_least, other_most)) = (size_of(wanted), size_of(given));
    let is_below = |low: i64, high: Option<i64>| high.is_none_or(|high| low <= high);
    if !is_below(least, other_most) || !is_below(other_least, most) {
        return false;
    }
    let certain = usize::try_from(least.max(other_least)).unwrap_or(0).min(64);
    (0..certain).all(|at| match (element(wanted, at), element(given, at)) {
        (Some(one), Some(other)) => meet(one, other, depth + 1),
        _ => true,
    })
}

fn maps_meet(wanted: &Type, given: &Type, depth: u32) -> bool {
    let is_bare = |of: &Type| matches!(of.kind(), TypeKind::Struct { members } if members.is_empty());
    if is_bare(wanted) || is_bare(given) {
        return true;
    }
    let ((least, most), (other_least, other_most)) = (size_of(wanted), size_of(given));
    let is_below = |low: i64, high: Option<i64>| high.is_none_or(|high| low <= high);
    if !is_below(least, other_most) || !is_below(other_least, most) {
        return false;
    }
    match (wanted.kind(), given.kind()) {
        (TypeKind::Struct { members }, TypeKind::Struct { members: others }) => {
            let one_way = |from: &bunraku_pcore::types::Members, to: &bunraku_pcore::types::Members| {
                from.iter().filter(is_required).all(|member| {
                    let found = to.iter().find(|other| other.name == member.name);
                    found.is_some_and(|other| meet(member.value, other.value, depth + 1))
                })
            };
            one_way(members, others) && one_way(others, members)
        }
        (TypeKind::Hash { key, value, .. }, TypeKind::Struct { members })
        | (TypeKind::Struct { members }, TypeKind::Hash { key, value, .. }) => {
            members.iter().filter(is_required).all(|member| {
                let fits_key = key
                    .as_ref()
                    .is_none_or(|key| meet(key, &Type::string_value(member.name.clone()), depth + 1));
                fits_key && value.as_ref().is_none_or(|value| meet(value, member.value, depth + 1))
            })
        }
        (TypeKind::Hash { key, value, .. }, TypeKind::Hash { key: other_key, value: other_value, .. })
            if least.max(other_least) > 0 =>
        {
            let both = |one: &Option<Type>, other: &Option<Type>| {
                one.as_ref().zip(other.as_ref()).is_none_or(|(one, other)| meet(one, other, depth + 1))
            };
            both(key, other_key) && both(value, other_value)
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use bunraku_pcore::types::NoTypes;

    use super::*;

    fn meets(wanted: &str, given: &str) -> bool {
        let parse = |text: &str| Type::parse(text, &NoTypes).expect(text);
        let (wanted, given) = (parse(wanted), parse(given));
        assert_eq!(overlap(&wanted, &given), overlap(&given, &wanted), "{wanted} and {given}");
        overlap(&wanted, &given)
    }

    #[test]
    fn types_that_have_no_value_in_common_are_known() {
        for (wanted, given) in [
            ("Integer[1, 5]", "Integer[6, 9]"),
            ("String", "Integer"),
            ("Optional[String]", "Boolean"),
            ("Enum['a', 'b']", "Enum['c']"),
            ("Pattern[/^a/]", "Enum['c']"),
            ("Array[Integer, 1]", "Array[String, 1]"),
            ("Tuple[Integer, String]", "Tuple[Integer]"),
            ("Struct[{'a' => Integer}]", "Struct[{'a' => String}]"),
            ("Struct[{'a' => Integer}]", "Struct[{'b' => Integer}]"),
            ("Hash[String, Integer]", "Struct[{'a' => String}]"),
            ("Boolean[true]", "Boolean[false]"),
            ("NotUndef", "Undef"),
            ("Sensitive[String]", "String"),
            ("Variant[Integer, Array[String]]", "Variant[String, Boolean]"),
            ("String[5]", "String[0, 4]"),
            ("Default", "String"),
        ] {
            assert!(!meets(wanted, given), "{wanted} and {given}");
        }
    }

    #[test]
    fn types_that_may_have_one_are_left_alone() {
        for (wanted, given) in [
            ("Integer[1, 5]", "Integer[5, 9]"),
            ("Optional[String]", "Optional[Integer]"),
            ("Array[Integer]", "Array[String]"),
            ("Pattern[/^a/]", "String"),
            ("Pattern[/^a/]", "Pattern[/b$/]"),
            ("Hash[String, Integer]", "Hash[String, String]"),
            ("Struct[{Optional['a'] => Integer}]", "Struct[{Optional['b'] => Integer}]"),
            ("Data", "Hash"),
            ("Scalar", "String"),
            ("Iterable", "Array[String]"),
            ("Variant[Integer, String]", "Variant[String, Boolean]"),
            ("Type[Integer]", "Type"),
            ("Variant[Default, Integer]", "Default"),
        ] {
            assert!(meets(wanted, given), "{wanted} and {given}");
        }
    }
}
