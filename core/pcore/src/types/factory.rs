//! Types from values as they are written in brackets. Follows the reference's `type_factory.rb`.

use std::sync::Arc;

use super::construct::range_error;
use super::parse::checked_pattern;
use super::{IntRange, RuntimeName, StructMember, Type, TypeKind, VersionRange, asserter, format};
use crate::data::big::{self, BigInt, BigRange};
use crate::data::value::{Hash, Str, Timespan, Timestamp, Value};
use crate::ruby::names::ruby_class;
use crate::scalars::uri::UriParts;
use bunraku_syntax::diagnostic::Error;

/// Whether a value can be a bound of a size.
pub(crate) fn is_range_parameter(value: &Value) -> bool {
    match value {
        Value::Integer(_) | Value::BigInteger(_) | Value::Default => true,
        Value::String(text) => text == "default",
        _ => false,
    }
}

/// A range of two bounds; `default` and `undef` have no bound.
pub(crate) fn range(from: &Value, to: &Value) -> Result<IntRange, Error> {
    match small_range(from, to) {
        Some(range) => Ok(range),
        None => big_range(from, to).map(|range| range.clamped()),
    }
}

/// The range of bounds of 64 bits in their order; nothing for others.
fn small_range(from: &Value, to: &Value) -> Option<IntRange> {
    let bound = |value: &Value| match value {
        Value::Integer(number) => Some(Some(*number)),
        Value::Default | Value::Undef => Some(None),
        _ => None,
    };
    let range = IntRange { from: bound(from)?, to: bound(to)? };
    range.from.zip(range.to).is_none_or(|(from, to)| from <= to).then_some(range)
}

/// `Integer[from, to]` of two bounds; `default` and `undef` have no bound.
pub(crate) fn integer(from: &Value, to: &Value) -> Result<Type, Error> {
    if let Some(range) = small_range(from, to) {
        return Ok(Type::integer(range.from, range.to));
    }
    big_range(from, to).map(Type::big_integer)
}

fn big_range(from: &Value, to: &Value) -> Result<BigRange, Error> {
    let bound = |value: &Value| match value {
        Value::Integer(number) => Ok(Some(BigInt::from(*number))),
        Value::BigInteger(number) => Ok(Some(BigInt::clone(number))),
        Value::Default | Value::Undef => Ok(None),
        Value::String(text) if text == "default" => Ok(None),
        _ => Err(Error::internal(format!("comparison of {} with Integer failed", ruby_class(value)))),
    };
    let range = BigRange { from: bound(from)?, to: bound(to)? };
    match (&range.from, &range.to) {
        (Some(least), Some(most)) if least > most => Err(range_error(&least.to_string(), &most.to_string())),
        _ => Ok(range),
    }
}

/// A bound of a Float.
pub(crate) fn float(value: &Value) -> Result<Option<f64>, Error> {
    match value {
        Value::Integer(number) => Ok(Some(*number as f64)),
        Value::BigInteger(number) => Ok(Some(big::to_f64(number))),
        Value::Float(number) => Ok(Some(*number)),
        Value::Default | Value::Undef => Ok(None),
        _ => Err(Error::internal(format!("can't convert {} into Float", ruby_class(value)))),
    }
}

/// The type for a parameter: a type itself, a text as a Ruby class, anything else by its own type.
pub(crate) fn type_of(value: &Value) -> Result<Type, Error> {
    match value {
        Value::Type(of) => Ok(of.clone()),
        Value::String(_) => runtime(&"ruby".into(), value),
        _ => Ok(Type::infer(value).generalize()),
    }
}

/// `Pattern[…]` of texts, regular expressions, and types of these.
pub(crate) fn pattern(values: &[Value]) -> Result<Type, Error> {
    let mut patterns = Vec::new();
    for value in values {
        match value {
            Value::String(source) => patterns.push(checked_pattern(source)?),
            Value::Regexp(regexp) => patterns.push(regexp.in_types()),
            Value::Type(of) => match of.kind() {
                TypeKind::Regexp(Some(regexp)) => patterns.push(regexp.clone()),
                TypeKind::Regexp(None) => patterns.push(checked_pattern("")?),
                TypeKind::Pattern(others) => patterns.extend(others.iter().cloned()),
                _ => return Err(not_a_pattern(value)),
            },
            _ => return Err(not_a_pattern(value)),
        }
    }
    Ok(Type::pattern_of(patterns))
}

fn not_a_pattern(value: &Value) -> Error {
    Error::argument(format!(
        "Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '{}",
        ruby_class(value)
    ))
}

/// `Struct[{…}]` of a hash.
pub(crate) fn structure(hash: &Hash) -> Result<Type, Error> {
    let undef = Type::undef();
    let mut members = Vec::with_capacity(hash.len());
    for (key, value) in hash {
        let value = type_of(value)?;
        let (name, key) = match key {
            Value::String(name) if name.is_empty() => {
                return Err(Error::argument("Struct element key cannot be an empty String"));
            }
            Value::String(name) => {
                let key = Type::string_value(name.clone());
                (name.clone(), if value.check_assignable(&undef)? { Type::optional(key) } else { key })
            }
            Value::Type(of) => struct_key(of)?,
            _ => return Err(illegal_key(&ruby_class(key))),
        };
        members.push(StructMember { name, key, value });
    }
    Ok(Type::structure(members))
}

fn illegal_key(class: &str) -> Error {
    Error::argument(format!(
        "Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: {class}"
    ))
}

/// The name and the type of a member's key that is given as a type.
fn struct_key(of: &Type) -> Result<(Str, Type), Error> {
    let (key, text) = match of.kind() {
        TypeKind::NotUndef(inner) => (inner.clone().unwrap_or_else(Type::undef), inner.clone()),
        TypeKind::Optional(inner) => (of.clone(), inner.clone()),
        TypeKind::String { .. } => (of.clone(), Some(of.clone())),
        TypeKind::Enum { values, .. } => {
            let text = (values.len() == 1).then(|| Type::string_value(values[0].clone()));
            (of.clone(), text)
        }
        _ => return Err(illegal_key(&ruby_class(&Value::Type(of.clone())))),
    };
    match text.as_ref().map(Type::kind) {
        Some(TypeKind::String { value: Some(name), .. }) => Ok((name.clone(), key)),
        _ => Err(Error::internal("Unable to extract a non-empty literal string from Struct member key type")),
    }
}

/// `Callable[…]`: types, sizes, a block; or a list of these and the type of the result.
pub(crate) fn callable(keys: Vec<Value>) -> Result<Type, Error> {
    let (mut keys, returns) = match keys.as_slice() {
        [Value::Array(parameters), returns] => (parameters.to_vec(), Some(type_of(returns)?)),
        _ => (keys, None),
    };
    let block = match keys.last() {
        Some(Value::Type(of)) if of.is_kind_of_callable(true) => Some(of.clone()),
        _ => None,
    };
    if block.is_some() {
        keys.pop();
    }
    let size = split_size(&mut keys)?;
    let mut types = keys.iter().map(type_of).collect::<Result<Vec<Type>, Error>>()?;
    if types.is_empty() && size.is_some_and(|size| size.to.is_none_or(|to| to > 0)) {
        types.push(Type::unit());
    }
    Ok(Type::callable(Some(Type::tuple(types, size)), block, returns))
}

/// Takes the one or two bounds from the end of a list.
pub(crate) fn split_size(keys: &mut Vec<Value>) -> Result<Option<IntRange>, Error> {
    let is_range =
        |index: Option<usize>| index.and_then(|index| keys.get(index)).is_some_and(is_range_parameter);
    let count = keys.len();
    if !is_range(count.checked_sub(1)) {
        return Ok(None);
    }
    if is_range(count.checked_sub(2)) {
        let bounds = keys.split_off(count - 2);
        return range(&bounds[0], &bounds[1]).map(Some);
    }
    let from = keys.pop().unwrap_or_default();
    range(&from, &Value::Default).map(Some)
}

/// `SemVer[…]` of ranges and texts.
pub(crate) fn sem_ver(keys: &[Value]) -> Result<Type, Error> {
    let range = |key: &Value| match key {
        Value::SemVerRange(range) => Ok(range.clone()),
        Value::String(text) => VersionRange::parse(text).map(Arc::new),
        _ => Err(Error::internal(format!(
            "A key of a Struct is a String, not of the class {}",
            ruby_class(key)
        ))),
    };
    Ok(Type::sem_ver(keys.iter().map(range).collect::<Result<_, _>>()?))
}

/// `Runtime[runtime, name]`
pub(crate) fn runtime(runtime: &Value, name: &Value) -> Result<Type, Error> {
    let runtime = match runtime {
        Value::Undef => None,
        Value::String(text) => Some(text.clone()),
        _ => {
            asserter::assert_instance("Runtime 'runtime'", &Type::non_empty_string(), runtime)?;
            None
        }
    };
    let name = match name {
        Value::Undef => None,
        Value::String(class) if !class.is_empty() => Some(RuntimeName::Class(class.clone().into())),
        Value::Array(values) => match values.as_slice() {
            [Value::Regexp(pattern), Value::String(replacement)] if !replacement.is_empty() => {
                Some(RuntimeName::Mapping(pattern.source.clone(), replacement.clone()))
            }
            _ => return Err(wrong_runtime_name(name)),
        },
        _ => return Err(wrong_runtime_name(name)),
    };
    Ok(TypeKind::Runtime { runtime, name }.into())
}

fn wrong_runtime_name(name: &Value) -> Error {
    let mapping = Type::tuple(vec![Type::any_regexp(), Type::non_empty_string()], None);
    let expected = Type::variant([Type::non_empty_string(), mapping]);
    asserter::assert_instance("Runtime 'name_or_pattern'", &expected, name)
        .err()
        .unwrap_or_else(|| Error::internal("Runtime 'name_or_pattern' is wrong"))
}

/// `Type_name[title]`, the name capitalised and checked.
pub(crate) fn resource(name: &str, title: Option<Str>) -> Result<Type, Error> {
    let name = format::capitalize_segments(name);
    if is_class_reference(&name) {
        Ok(Type::resource(name, title))
    } else {
        Err(Error::argument(format!("Illegal type name '{name}'")))
    }
}

/// Whether a text is a name of types: `(::)?A::B`, as the reference's `CLASSREF_EXT`.
pub(crate) fn is_class_reference(name: &str) -> bool {
    name.strip_prefix("::").unwrap_or(name).split("::").all(|segment| {
        let mut characters = segment.chars();
        characters.next().is_some_and(|first| first.is_ascii_uppercase())
            && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// `URI[…]` of a text, a URI, or a hash of parts.
pub(crate) fn uri(key: &Value) -> Result<Type, Error> {
    match key {
        Value::String(text) => {
            if !super::uri::is_uri(text) {
                return Err(asserter::assert_instance("URI-Type parameter", &super::uri::uri_pattern(), key)
                    .err()
                    .unwrap_or_else(|| Error::argument(format!("bad URI(is not URI?): {text:?}"))));
            }
            UriParts::parse(text)?;
            Ok(Type::uri(Some(super::uri::type_parts(text))))
        }
        Value::Uri(uri) => Ok(Type::uri(Some(super::uri::type_parts(&uri.text)))),
        Value::Hash(parts) => {
            asserter::assert_instance("URI-Type parameter", &super::uri::parameter_type(), key)?;
            let part = |(name, value): (&Value, &Value)| {
                (Str::from(name.as_str().unwrap_or_default()), value.clone())
            };
            Ok(Type::uri(Some(parts.iter().map(part).collect())))
        }
        _ => Ok(Type::any_uri()),
    }
}

fn check_order<T: PartialOrd + ToString>(from: Option<T>, to: Option<T>) -> Result<(), Error> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(range_error(&from.to_string(), &to.to_string())),
        _ => Ok(()),
    }
}

/// `Timespan[from, to]`
pub(crate) fn timespan(keys: &[Value]) -> Result<Type, Error> {
    let bound = |index: usize| -> Result<Option<Timespan>, Error> {
        match keys.get(index) {
            None | Some(Value::Undef | Value::Default) => Ok(None),
            Some(value) => super::time::timespan(value).map(Some),
        }
    };
    let (from, to) = (bound(0)?, bound(1)?);
    check_order(from, to)?;
    Ok(Type::timespan(from, to))
}

/// `Timestamp[from, to]`
pub(crate) fn timestamp(keys: &[Value]) -> Result<Type, Error> {
    let bound = |index: usize| -> Result<Option<Timestamp>, Error> {
        match keys.get(index) {
            None | Some(Value::Undef | Value::Default) => Ok(None),
            Some(value) => super::time::timestamp(value).map(Some),
        }
    };
    let (from, to) = (bound(0)?, bound(1)?);
    check_order(from, to)?;
    Ok(Type::timestamp(from, to))
}
