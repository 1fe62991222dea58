//! `Array.new` and `Hash.new`.

use std::sync::Arc;

use super::numeric::not_convertible;
use crate::convert::iterate;
use crate::data::value::{Hash, Value};
use crate::ruby::names::in_place_of_text;
use crate::ruby::values::no_method;
use bunraku_syntax::diagnostic::Error;

/// The maximum depth of a tree.
const MAX_DEPTH: usize = 500;

/// `Array.new(from)`
pub(super) fn array(from: &Value) -> Result<Value, Error> {
    Ok(match from {
        Value::Array(_) => from.clone(),
        Value::Binary(bytes) => Value::array(bytes.iter().map(|&byte| Value::Integer(byte.into()))),
        other => match iterate::elements(other) {
            Some(elements) => elements.gather()?.into(),
            None => Value::array([]),
        },
    })
}

/// `Array.new(from, true)`
pub(super) fn wrapped(from: &Value) -> Value {
    match from {
        Value::Array(_) => from.clone(),
        other => Value::array([other.clone()]),
    }
}

/// `Hash.new` of pairs.
pub(super) fn from_pairs(pairs: &Value) -> Value {
    let Value::Array(pairs) = pairs else { return pairs.clone() };
    Value::hash(pairs.iter().filter_map(|pair| match pair {
        Value::Array(pair) => Some((pair.first().cloned()?, pair.get(1).cloned()?)),
        _ => None,
    }))
}

/// `Hash.new` of alternating keys and values, of a hash, or of anything that can be iterated.
pub(super) fn from_any(from: &Value) -> Result<Value, Error> {
    let values = match from {
        Value::Hash(_) => return Ok(from.clone()),
        Value::Array(values) => {
            if values.len() % 2 != 0 {
                return Err(Error::plain("odd number of arguments for Hash"));
            }
            Arc::clone(values)
        }
        other => match iterate::elements(other) {
            Some(elements) => Arc::new(elements.gather()?.into()),
            None => return Err(Error::plain(not_convertible(other, "Hash"))),
        },
    };
    if let [Value::Array(pairs)] = values.as_slice() {
        // A single list is a list of pairs.
        if pairs.iter().all(|pair| matches!(pair, Value::Array(pair) if matches!(pair.len(), 1 | 2))) {
            return Ok(Value::hash(pairs.iter().filter_map(|pair| match pair {
                Value::Array(pair) => {
                    Some((pair.first().cloned()?, pair.get(1).cloned().unwrap_or_default()))
                }
                _ => None,
            })));
        }
        return Err(Error::argument("wrong element type (expected array)"));
    }
    if values.len() % 2 != 0 {
        return Err(Error::argument("odd number of arguments for Hash"));
    }
    let pairs = values.chunks(2).filter_map(|pair| Some((pair.first().cloned()?, pair.get(1).cloned()?)));
    Ok(Value::hash(pairs))
}

/// `Hash.new` of paths and values: `tree` keeps lists, `hash_tree` converts them to hashes.
pub(super) fn from_tree(entries: &Value, all_hashes: bool) -> Result<Value, Error> {
    let Value::Array(entries) = entries else { return Ok(entries.clone()) };
    let mut root = Value::Hash(Arc::default());
    for entry in entries.iter() {
        let Value::Array(entry) = entry else { continue };
        let (Some(Value::Array(path)), Some(value)) = (entry.first(), entry.get(1)) else { continue };
        if path.is_empty() {
            let Value::Hash(hash) = &mut root else { continue };
            let hash = Arc::make_mut(hash);
            match value {
                Value::Array(values) => hash.extend(
                    values.iter().enumerate().map(|(index, value)| (index_value(index), value.clone())),
                ),
                Value::Hash(other) => {
                    hash.extend(other.iter().map(|(key, value)| (key.clone(), value.clone())));
                }
                _ => return Err(Error::argument("no implicit conversion into Hash")),
            }
            continue;
        }
        if path.len() > MAX_DEPTH {
            return Err(Error::limit("the tree is too deep"));
        }
        let value = if all_hashes { as_hash(value, 0) } else { value.clone() };
        put(&mut root, path, value)?;
    }
    Ok(root)
}

fn index_value(index: usize) -> Value {
    Value::Integer(i64::try_from(index).unwrap_or(i64::MAX))
}

fn as_hash(value: &Value, depth: usize) -> Value {
    match value {
        Value::Array(values) if depth < MAX_DEPTH => {
            let pairs = values.iter().enumerate();
            Value::hash(pairs.map(|(index, value)| (index_value(index), as_hash(value, depth + 1))))
        }
        other => other.clone(),
    }
}

/// Sets the value at a path; missing hashes are created.
fn put(root: &mut Value, path: &[Value], value: Value) -> Result<(), Error> {
    let Some((last, way)) = path.split_last() else { return Ok(()) };
    let mut at = root;
    for key in way {
        at = match at {
            Value::Hash(hash) => {
                let hash: &mut Hash = Arc::make_mut(hash);
                hash.get_or_insert_with(key.clone(), || Value::Hash(Arc::default()))
            }
            Value::Array(values) => {
                let length = values.len();
                let found = position(key, length).and_then(|index| Arc::make_mut(values).get_mut(index));
                found.ok_or_else(|| Error::argument("undefined method `[]=' for nil:NilClass"))?
            }
            other => return Err(no_method("has_key?", other)),
        };
    }
    match at {
        Value::Hash(hash) => {
            Arc::make_mut(hash).insert(last.clone(), value);
        }
        Value::Array(values) => {
            let length = values.len();
            let values = Arc::make_mut(values);
            let index = match last {
                Value::Integer(index) if *index >= 0 => usize::try_from(*index).ok(),
                Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => position(last, length),
                Value::Undef => return Err(Error::argument("no implicit conversion from nil to integer")),
                other => {
                    let message =
                        format!("no implicit conversion of {} into Integer", in_place_of_text(other));
                    return Err(Error::argument(message));
                }
            };
            let Some(index) = index.filter(|&index| index < length + 100_000) else {
                return Err(Error::argument("index out of range"));
            };
            if index >= values.len() {
                values.resize(index + 1, Value::Undef);
            }
            if let Some(slot) = values.get_mut(index) {
                *slot = value;
            }
        }
        Value::String(_) => return Err(Error::argument("string not matched")),
        other => return Err(no_method("[]=", other)),
    }
    Ok(())
}

/// The position of an index; negative ones count from the end.
fn position(key: &Value, length: usize) -> Option<usize> {
    let Value::Integer(index) = key else { return None };
    if *index < 0 {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    } else {
        usize::try_from(*index).ok()
    }
}
