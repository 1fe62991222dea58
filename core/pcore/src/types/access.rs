//! Types from types and keys: `Type[key, …]` where the keys were evaluated. Follows the rules for types of
//! the reference's `pops/evaluator/access_operator.rb`. Resources and classes are the evaluator's, as their
//! keys may ask for parameters of the catalog.

use super::factory::{self, split_size};
use super::parse::TypeLoader;
use super::{
    FloatRange, IntRange, ObjectType, Type, TypeKind, extension, object_definition, type_set_definition,
};
use crate::data::big::BigRange;
use crate::data::value::Value;
use crate::ruby::names::{ruby_class, type_label};
use bunraku_syntax::diagnostic::label::a_an_uc;
use bunraku_syntax::diagnostic::{Error, Report, issues};

/// What of an access expression is blamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The whole expression.
    Whole,
    /// The left side.
    Left,
    /// The key of this index, as it is written: keys in arrays have no place of their own.
    Key(usize),
}

/// Why keys were refused.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// An issue with what is to blame for it.
    Report(Blame, Report),
    /// Any other failure.
    Error(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

type Access<T = Type> = Result<T, Refusal>;

fn refuse<T>(blame: Blame, report: Report) -> Access<T> {
    Err(Refusal::Report(blame, report))
}

/// All values of nested arrays.
fn flatten(keys: &[Value]) -> Vec<Value> {
    fn add(flat: &mut Vec<Value>, keys: &[Value], depth: u32) {
        for key in keys {
            match key {
                Value::Array(inner) if depth < super::guard::MAX_DEPTH => add(flat, inner, depth + 1),
                _ => flat.push(key.clone()),
            }
        }
    }
    let mut flat = Vec::with_capacity(keys.len());
    add(&mut flat, keys, 0);
    flat
}

/// What the type of a key is called.
fn key_type_name(key: &Value) -> String {
    match key {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        _ => Type::infer(key).generalize().to_string(),
    }
}

fn wrong_arity<T>(base: &str, least: usize, most: Option<usize>, actual: usize) -> Access<T> {
    refuse(Blame::Whole, issues::bad_type_slice_arity(base, least, most, actual))
}

fn wrong_type<T>(base: &str, at: usize, key: &Value) -> Access<T> {
    refuse(Blame::Key(at), issues::bad_type_slice_type(base, ruby_class(key)))
}

fn wrong_specialization<T>(of: &Type, at: usize, key: &Value, expected: &str) -> Access<T> {
    let message = format!("Cannot use {} where {expected} is expected", key_type_name(key));
    refuse(Blame::Key(at), issues::bad_type_specialization(type_label(of), message))
}

/// Checks the number of keys, and that each is what `test` wants.
fn assert_keys(
    of: &Type,
    keys: &[Value],
    most: Option<usize>,
    expected: &str,
    test: impl Fn(&Value) -> bool,
) -> Access<()> {
    if keys.is_empty() || most.is_some_and(|most| keys.len() > most) {
        return wrong_arity(&a_an_uc(type_label(of)), 1, most, keys.len());
    }
    match keys.iter().position(|key| !test(key)) {
        Some(at) => wrong_specialization(of, at, &keys[at], expected),
        None => Ok(()),
    }
}

fn is_type(key: &Value) -> bool {
    matches!(key, Value::Type(_))
}

fn types(keys: &[Value]) -> impl Iterator<Item = Type> {
    keys.iter().filter_map(|key| match key {
        Value::Type(of) => Some(of.clone()),
        _ => None,
    })
}

/// The one type that a key must be.
fn one_type(base: &str, keys: &[Value]) -> Access {
    match keys {
        [Value::Type(of)] => Ok(of.clone()),
        [key] => wrong_type(base, 0, key),
        _ => wrong_arity(base, 1, Some(1), keys.len()),
    }
}

/// A size of one Integer type, or one or two bounds; `first` is the index of the first of the keys.
fn size(first: usize, keys: &[Value]) -> Access<IntRange> {
    if let [Value::Type(of)] = keys
        && let Some(range) = BigRange::of(of)
    {
        return Ok(range.clamped());
    }
    let wrong =
        keys.iter().position(|key| !matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Default));
    if let Some(at) = wrong {
        let actual = class_label(&keys[at]);
        return refuse(Blame::Key(first + at), issues::bad_collection_slice_type(actual));
    }
    let to = keys.get(1).unwrap_or(&Value::Default);
    Ok(factory::range(keys.first().unwrap_or(&Value::Default), to)?)
}

/// What a class is called: that of a type is the type's.
fn class_label(key: &Value) -> String {
    match key {
        Value::Type(of) => format!("{}-Type", of.kind().kind_name()),
        _ => ruby_class(key).into_owned(),
    }
}

/// The type that a type becomes by keys.
///
/// # Errors
/// When the keys are wrong, with what is to blame.
pub fn access_type(of: &Type, keys: &[Value], loader: &dyn TypeLoader) -> Result<Value, Refusal> {
    let flat = flatten(keys);
    let count = flat.len();
    let result = match of.kind() {
        TypeKind::Regexp(_) => {
            if count != 1 {
                let blame = if count == 0 { Blame::Whole } else { Blame::Key(1) };
                let base = a_an_uc(type_label(of));
                return refuse(blame, issues::bad_type_slice_arity(base, 1, Some(1), count));
            }
            match &flat[0] {
                // It is compiled when it is used.
                Value::String(source) => Type::regexp(source.clone()),
                Value::Regexp(regexp) => TypeKind::Regexp(Some(regexp.clone())).into(),
                key => return wrong_specialization(of, 0, key, "String or Regexp"),
            }
        }
        TypeKind::Boolean(_) => {
            let is_boolean = |key: &Value| matches!(key, Value::Boolean(_));
            assert_keys(of, &flat, Some(1), "TrueClass or FalseClass", is_boolean)?;
            Type::boolean(flat[0] == Value::Boolean(true))
        }
        TypeKind::Enum { .. } => {
            let (texts, case_insensitive) = match flat.split_last() {
                Some((Value::Boolean(fold), texts)) => (texts, *fold),
                _ => (flat.as_slice(), false),
            };
            assert_keys(of, texts, None, "String", |key| matches!(key, Value::String(_)))?;
            Type::enumeration(texts.iter().filter_map(Value::as_str), case_insensitive)
        }
        TypeKind::Variant(_) => {
            assert_keys(of, &flat, None, "Any-Type", is_type)?;
            Type::variant(types(&flat))
        }
        TypeKind::SemVer(_) => {
            let is_range = |key: &Value| matches!(key, Value::String(_) | Value::SemVerRange(_));
            assert_keys(of, &flat, None, "String or SemanticPuppet::VersionRange", is_range)?;
            factory::sem_ver(&flat)?
        }
        TypeKind::Timestamp { .. } | TypeKind::Timespan { .. } if count > 2 => {
            let base = a_an_uc(type_label(of));
            return refuse(Blame::Whole, issues::bad_type_slice_arity(base, 0, Some(2), count));
        }
        TypeKind::Timestamp { .. } => factory::timestamp(&flat)?,
        TypeKind::Timespan { .. } => factory::timespan(&flat)?,
        TypeKind::Tuple { .. } => {
            let mut flat = flat;
            let size = split_size(&mut flat)?;
            assert_keys(of, &flat, None, "Any-Type", is_type)?;
            Type::tuple(types(&flat).collect(), size)
        }
        TypeKind::Callable(_) => {
            if let Some(Value::Array(_)) = keys.first() {
                if keys.len() != 2 {
                    let base = a_an_uc(type_label(of));
                    return refuse(Blame::Whole, issues::bad_type_slice_arity(base, 2, Some(2), keys.len()));
                }
                if !is_type(&keys[1]) {
                    // The reference stumbles over its own message.
                    return Err(Error::internal("The parameters of the type cannot be understood").into());
                }
            }
            factory::callable(keys.to_vec())?
        }
        TypeKind::Struct { .. } => {
            assert_keys(of, keys, Some(1), "Hash", |key| matches!(key, Value::Hash(_)))?;
            match keys.first() {
                Some(Value::Hash(hash)) => factory::structure(hash)?,
                _ => Type::any_struct(),
            }
        }
        TypeKind::String { .. } => match count {
            1 | 2 => Type::string(Some(size(0, &flat)?)),
            _ => return refuse(Blame::Whole, issues::bad_string_slice_arity(count)),
        },
        TypeKind::Pattern(_) => {
            let is_pattern = |key: &Value| match key {
                Value::String(_) | Value::Regexp(_) => true,
                Value::Type(of) => matches!(of.kind(), TypeKind::Pattern(_) | TypeKind::Regexp(_)),
                _ => false,
            };
            assert_keys(of, &flat, None, "String or Regexp or Pattern-Type or Regexp-Type", is_pattern)?;
            factory::pattern(&flat)?
        }
        TypeKind::Uri(_) => match flat.as_slice() {
            [key] if super::uri::parameter_type().is_instance(key) => factory::uri(key)?,
            [key] => return wrong_type("URI-Type", 0, key),
            _ => return wrong_arity("URI-Type", 1, Some(1), count),
        },
        TypeKind::Optional(_) => match flat.as_slice() {
            [Value::String(text)] => Type::optional(Type::string_value(text.clone())),
            _ => Type::optional(one_type("Optional-Type", &flat)?),
        },
        TypeKind::Sensitive(_) => Type::sensitive(&one_type("Sensitive-Type", &flat)?),
        TypeKind::Object(object) => access_object(object, &flat, loader)?,
        TypeKind::TypeSet(_) => match flat.as_slice() {
            [key] => type_set_definition::anonymous(key, loader)?,
            _ => return wrong_arity("TypeSet-Type", 1, Some(1), count),
        },
        TypeKind::NotUndef(_) => match flat.as_slice() {
            [] => Type::any_not_undef(),
            [Value::String(text)] => Type::not_undef(Type::string_value(text.clone())),
            [Value::Type(of)] => Type::not_undef(of.clone()),
            [key] => {
                let report = issues::bad_not_undef_slice_type("NotUndef-Type", ruby_class(key));
                return refuse(Blame::Key(0), report);
            }
            _ => return wrong_arity("NotUndef-Type", 0, Some(1), count),
        },
        TypeKind::Type(_) => Type::type_type(one_type("Type-Type", &flat)?),
        TypeKind::Init { .. } => match keys.split_first() {
            Some((Value::Type(of), arguments)) => Type::init(of.clone(), arguments.to_vec()),
            first => return wrong_type("Init-Type", 0, first.map_or(&Value::Undef, |(key, _)| key)),
        },
        TypeKind::Iterable(_) => Type::iterable(one_type("Iterable-Type", &flat)?),
        TypeKind::Iterator(_) => Type::iterator(one_type("Iterator-Type", &flat)?),
        TypeKind::Runtime { .. } => {
            if count != 2 {
                let base = a_an_uc(type_label(of));
                return refuse(Blame::Whole, issues::bad_type_slice_arity(base, 1, Some(2), count));
            }
            assert_keys(of, &flat, Some(2), "String or String", |key| matches!(key, Value::String(_)))?;
            factory::runtime(&flat[0], &flat[1])?
        }
        TypeKind::Integer(_) | TypeKind::BigInteger(_) => {
            if !(1..=2).contains(&count) {
                return refuse(Blame::Whole, issues::bad_integer_slice_arity(count));
            }
            let is_bound =
                |key: &Value| matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Default);
            if let Some(at) = flat.iter().position(|key| !is_bound(key)) {
                let report = issues::bad_integer_slice_type(ruby_class(&flat[at]));
                return refuse(Blame::Key(at), report);
            }
            factory::integer(&flat[0], flat.get(1).unwrap_or(&Value::Default))?
        }
        TypeKind::Float(_) => access_float(&flat)?,
        TypeKind::Hash { .. } => access_hash(&flat)?,
        TypeKind::Collection { .. } => match count {
            1 | 2 => Type::collection(Some(size(0, &flat)?)),
            _ => return wrong_arity("Collection-Type", 1, Some(2), count),
        },
        TypeKind::Array { .. } => access_array(&flat)?,
        TypeKind::Reference(name) => {
            return refuse(Blame::Whole, issues::unknown_resource_type(name));
        }
        TypeKind::Alias(alias) => {
            // The reference finds no rule for aliases, whatever they stand for.
            let _ = alias;
            return not_applicable(of);
        }
        TypeKind::Any
        | TypeKind::Unit
        | TypeKind::Undef
        | TypeKind::Default
        | TypeKind::Scalar
        | TypeKind::ScalarData
        | TypeKind::Numeric
        | TypeKind::CatalogEntry
        | TypeKind::Class(_)
        | TypeKind::Resource { .. }
        | TypeKind::SemVerRange
        | TypeKind::Binary
        | TypeKind::ObjectExtension { .. } => return not_applicable(of),
    };
    Ok(Value::Type(result))
}

/// The issue of a type that takes no keys; the evaluator blames the left side for it.
fn not_applicable<T>(of: &Type) -> Access<T> {
    refuse(Blame::Left, issues::operator_not_applicable("[]", type_label(of)))
}

fn access_object(object: &std::sync::Arc<ObjectType>, flat: &[Value], loader: &dyn TypeLoader) -> Access {
    if !object.name.is_empty() && object.definition.get().is_some() {
        return Ok(extension::create(object, flat)?);
    }
    match flat {
        [key] => Ok(object_definition::anonymous(key, loader)?),
        _ => wrong_arity("Object-Type", 1, Some(1), flat.len()),
    }
}

fn access_float(flat: &[Value]) -> Access {
    if !(1..=2).contains(&flat.len()) {
        return refuse(Blame::Whole, issues::bad_float_slice_arity(flat.len()));
    }
    let is_bound = |key: &Value| {
        matches!(key, Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) | Value::Default)
    };
    if let Some(at) = flat.iter().position(|key| !is_bound(key)) {
        return refuse(Blame::Key(at), issues::bad_float_slice_type(ruby_class(&flat[at])));
    }
    let from = factory::float(&flat[0])?;
    let to = flat.get(1).map(factory::float).transpose()?.flatten();
    let of = Type::checked_float(from, to)?;
    debug_assert!(matches!(of.kind(), TypeKind::Float(FloatRange { .. })));
    Ok(of)
}

fn access_hash(flat: &[Value]) -> Access {
    if let [
        from @ (Value::Integer(_) | Value::BigInteger(_)),
        to @ (Value::Integer(_) | Value::BigInteger(_)),
    ] = flat
    {
        return Ok(Type::hash(Type::any(), Type::any(), Some(factory::range(from, to)?)));
    }
    if let Some(at) = flat.iter().take(2).position(|key| !is_type(key)) {
        return wrong_type("Hash-Type", at, &flat[at]);
    }
    let size = match flat {
        [_, _] => None,
        [_, _, Value::Type(of)] => match BigRange::of(of) {
            Some(range) => Some(range.clamped()),
            None => return Err(Error::internal("comparison of a type with Float failed").into()),
        },
        [_, _, from] => Some(factory::range(from, &Value::Default)?),
        [_, _, _, _] => Some(size(2, &flat[2..])?),
        _ => return wrong_arity("Hash-Type", 2, Some(4), flat.len()),
    };
    match flat {
        [Value::Type(key), Value::Type(value), ..] => Ok(Type::hash(key.clone(), value.clone(), size)),
        _ => wrong_arity("Hash-Type", 2, Some(4), flat.len()),
    }
}

fn access_array(flat: &[Value]) -> Access {
    let (of, size) = match flat {
        [Value::Type(of)] => (of.clone(), None),
        [Value::Type(of), rest @ ..] if rest.len() <= 2 => (of.clone(), Some(size(1, rest)?)),
        [_, _] => (Type::any(), Some(size(0, flat)?)),
        [key] | [key, _, _] => return wrong_type("Array-Type", 0, key),
        _ => return wrong_arity("Array-Type", 1, Some(3), flat.len()),
    };
    Ok(Type::array(of, size))
}
