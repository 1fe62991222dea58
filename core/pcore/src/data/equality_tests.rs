//! `Hash` is consistent with `Eq` for values and types, which the index of large hashes requires.

use std::hash::BuildHasher;

use proptest::prelude::*;
use rustc_hash::FxBuildHasher;

use super::byte_string::ByteString;
use super::pairs::Entries;
use super::types::{FloatRange, Type, TypeKind};
use super::value::{RegexpValue, RuntimeValue, Value};

const TEXTS: [&str; 4] = ["a", "A", "b", "\u{e9}"];

fn texts() -> impl Strategy<Value = &'static str> {
    prop::sample::select(TEXTS.to_vec())
}

fn floats() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, -0.0, 1.0, f64::NAN, -f64::NAN, f64::INFINITY])
}

fn types() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![
        Just(Type::any()),
        Just(Type::undef()),
        (prop::option::of(floats()), prop::option::of(floats()))
            .prop_map(|(from, to)| Type::from(TypeKind::Float(FloatRange { from, to }))),
        (0..3_i64).prop_map(|to| Type::integer(None, Some(to))),
        texts().prop_map(Type::string_value),
        prop::collection::vec(texts(), 0..3).prop_map(|texts| Type::enumeration(texts, false)),
        prop::collection::vec(texts(), 0..3).prop_map(Type::pattern),
        (texts(), prop::option::of(texts()))
            .prop_map(|(name, title)| Type::resource(name, title.map(Into::into))),
    ];
    leaf.prop_recursive(3, 16, 3, |part| {
        prop_oneof![
            part.clone().prop_map(Type::optional),
            part.clone().prop_map(|of| Type::array(of, None)),
            (part.clone(), part.clone()).prop_map(|(key, value)| Type::hash(key, value, None)),
            prop::collection::vec(part.clone(), 0..4).prop_map(|types| TypeKind::Variant(types).into()),
            prop::collection::vec(part.clone(), 0..3).prop_map(|types| Type::tuple(types, None)),
            (texts(), part.clone(), any::<bool>())
                .prop_map(|(name, of, required)| Type::structure_of([(name, of, required)])),
            (part, floats()).prop_map(|(of, number)| Type::init(of, vec![number.into()])),
        ]
    })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Undef),
        Just(Value::Default),
        any::<bool>().prop_map(Value::from),
        (-1..2_i64).prop_map(Value::from),
        (0..2_i128).prop_map(|more| Value::whole((1 << 80) + more)),
        floats().prop_map(Value::from),
        texts().prop_map(Value::from),
        texts().prop_map(|text| Value::ByteString(ByteString::new(text.into()).into())),
        texts().prop_map(Value::regexp),
        texts().prop_map(|text| Value::Runtime(RuntimeValue::symbol(text).into())),
        types().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |part| {
        prop_oneof![
            prop::collection::vec(part.clone(), 0..4).prop_map(Value::array),
            prop::collection::vec((part.clone(), part.clone()), 0..4).prop_map(Value::hash),
            part.prop_map(Value::sensitive),
        ]
    })
}

/// The same value in another form, if it has one.
fn other_form(value: &Value) -> Value {
    match value {
        Value::Float(number) if *number == 0.0 || number.is_nan() => Value::Float(-number),
        Value::String(text) if text.is_ascii() => Value::byte_string(text.as_bytes().to_vec()),
        Value::Array(values) => Value::array(values.iter().map(other_form)),
        Value::Hash(hash) => {
            let pairs: Vec<_> =
                hash.iter().map(|(key, value)| (other_form(key), other_form(value))).collect();
            Value::hash(pairs.into_iter().rev())
        }
        Value::Sensitive(value) => Value::sensitive(other_form(value)),
        Value::Type(of) => Value::Type(other_form_of_type(of)),
        other => other.clone(),
    }
}

fn other_form_of_type(of: &Type) -> Type {
    let zero =
        |bound: Option<f64>| bound.map(|bound| if bound == 0.0 || bound.is_nan() { -bound } else { bound });
    let change = other_form_of_type;
    match of.kind() {
        TypeKind::Float(FloatRange { from, to }) => {
            TypeKind::Float(FloatRange { from: zero(*from), to: zero(*to) }).into()
        }
        TypeKind::Pattern(patterns) => {
            let patterns =
                patterns.iter().rev().map(|pattern| RegexpValue::new(pattern.source.clone()).into());
            TypeKind::Pattern(patterns.collect()).into()
        }
        TypeKind::Variant(types) => TypeKind::Variant(types.iter().rev().map(change).collect()).into(),
        TypeKind::Optional(Some(of)) => Type::optional(change(of)),
        TypeKind::Array { element: Some(of), size } => Type::array(change(of), *size),
        TypeKind::Hash { key: Some(key), value: Some(value), size } => {
            Type::hash(change(key), change(value), *size)
        }
        TypeKind::Tuple { types, size } => Type::tuple(types.iter().map(change).collect(), *size),
        TypeKind::Struct { members } => Type::structure(members.with_values(change)),
        TypeKind::Init { of: Some(of), arguments } => {
            Type::init(change(of), arguments.iter().map(other_form).collect())
        }
        TypeKind::Resource { type_name: Some(name), title, .. } => {
            Type::resource(name.to_uppercase(), title.clone())
        }
        kind => kind.clone().into(),
    }
}

fn hash_of(value: &Value) -> u64 {
    FxBuildHasher.hash_one(value)
}

proptest! {
    #[test]
    fn equal_values_have_one_hash(value in values(), other in values()) {
        let same = other_form(&value);
        prop_assert_eq!(&value, &same);
        prop_assert_eq!(&same, &value);
        prop_assert_eq!(hash_of(&value), hash_of(&same));
        prop_assert_eq!(&value, &value.clone());
        prop_assert_eq!(value == other, other == value);
        if value == other {
            prop_assert_eq!(hash_of(&value), hash_of(&other));
        }
    }

    #[test]
    fn large_hashes_find_what_small_ones_find(keys in prop::collection::vec(values(), 0..24)) {
        let mut pairs: Vec<(Value, usize)> = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            match pairs.iter_mut().find(|(known, _)| known == key) {
                Some((_, last)) => *last = place,
                None => pairs.push((key.clone(), place)),
            }
        }
        let entries: Entries = keys.iter().enumerate().map(|(place, key)| (key.clone(), Value::from(place as i64))).collect();
        prop_assert_eq!(entries.len(), pairs.len());
        for (key, place) in &pairs {
            prop_assert_eq!(entries.get(&other_form(key)), Some(&Value::from(*place as i64)));
        }
    }
}
