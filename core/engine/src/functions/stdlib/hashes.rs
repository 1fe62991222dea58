//! Hashes and choices: `merge`, `deep_merge`, `has_key`, `pick`, `pick_default`, and the predecessors of
//! `dig`: `dig44`, `try_get_value`.

use super::{function, handing_on, no_method, ruby, rvalue};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::format::inspect;
use bunraku_pcore::number::parse_whole;
use bunraku_pcore::regexp;
use bunraku_pcore::value::Hash;
use bunraku_pcore::{Value, iterate};
use bunraku_syntax::diagnostic::LogLevel;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    handing_on!("deep_merge", deep_merge),
    rvalue!("dig44", -2, dig44),
    rvalue!("has_key", has_key).looking_only(),
    function(
        "merge",
        &[
            Dispatch::new("Variant[Hash[Scalar,Any], Undef, String[0,0]]* $args >> Hash[Scalar,Any]", merge),
            Dispatch::new("Iterable* $args, Callable[3,3] &block >> Hash", merge_with_index),
            Dispatch::new("Iterable* $args, Callable[2,2] &block >> Hash", merge_elements),
        ],
    ),
    handing_on!("pick", pick),
    handing_on!("pick_default", pick_default),
    rvalue!("try_get_value", -2, try_get_value),
];

fn deep_merge(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    if arguments.len() < 2 {
        let given = arguments.len();
        return Err(
            call.fail(format!("deep_merge(): wrong number of arguments ({given}; must be at least 2)"))
        );
    }
    let mut merged = Hash::default();
    for argument in arguments {
        match argument {
            Value::String(text) if text.is_empty() => {}
            Value::Hash(hash) => merge_deep(&mut merged, hash),
            other => {
                let class = ruby::class_name(other);
                return Err(call.fail(format!(
                    "deep_merge: unexpected argument type {class}, only expects hash arguments"
                )));
            }
        }
    }
    Ok(merged.into())
}

/// The value at a path in hashes and arrays, or the default.
fn dig44(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [data, path, rest @ ..] = arguments else {
        let given = arguments.len();
        let message = format!("dig44(): Wrong number of arguments given ({given} for at least 2)");
        return Err(call.fail(message));
    };
    if !matches!(data, Value::Hash(_) | Value::Array(_)) {
        let class = ruby::class_name(data);
        return Err(call.fail(format!("dig44(): first argument must be a hash or an array, given {class}")));
    }
    let Value::Array(path) = path else {
        let class = ruby::class_name(path);
        return Err(call.fail(format!("dig44(): second argument must be an array, given {class}")));
    };
    let found = path.iter().try_fold(data, |structure, key| match structure {
        Value::Hash(hash) => hash.get(key).filter(|value| !value.is_undef()),
        Value::Array(values) => {
            let index = index(key)?;
            let from_end =
                || usize::try_from(index.checked_neg()?).ok().and_then(|back| values.len().checked_sub(back));
            let at = usize::try_from(index).ok().or_else(from_end)?;
            values.get(at).filter(|value| !value.is_undef())
        }
        _ => None,
    });
    Ok(found.or_else(|| rest.first()).cloned().unwrap_or_default())
}

/// The result of Ruby's `Integer()` for the key of an array's element.
fn index(key: &Value) -> Option<i64> {
    match key {
        Value::Integer(index) => Some(*index),
        Value::Float(number) if number.is_finite() => Some(*number as i64),
        Value::String(text) => match parse_whole(text, 0) {
            Ok(Value::Integer(index)) => Some(index),
            _ => None,
        },
        _ => None,
    }
}

/// As [`dig44`], with a path that is a text.
fn try_get_value(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let message = "try_get_value() DEPRECATED: this function is deprecated, please use dig() instead.";
    call.log(LogLevel::Warning, message)?;
    let [data, path, rest @ ..] = arguments else {
        return Ok(arguments.first().cloned().unwrap_or_default());
    };
    let default = rest.first().filter(|default| default.is_truthy());
    let path = match (data, path) {
        (Value::Hash(_) | Value::Array(_), Value::String(path)) if !path.is_empty() => path,
        (Value::Hash(_) | Value::Array(_), other) if !matches!(other, Value::String(_)) => {
            return Err(no_method("split", other));
        }
        _ => return Ok(default.unwrap_or(data).clone()),
    };
    let separator = match rest.get(1) {
        Some(Value::String(separator)) => separator.as_str(),
        _ => "/",
    };
    let separator = call.evaluator.environment.regexp_in_text(&regexp::escape(separator));
    let parts = separator.regex(call.fuel())?.split(path, 0, call.fuel())?;
    let key = |part: String| match ruby::to_integer(&part) {
        Ok(number) if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) => number,
        _ => part.into(),
    };
    let path = Value::array(parts.into_iter().map(key));
    let message = "dig() DEPRECATED: This function has been replaced in Puppet 4.5.0, please use dig44() for \
                   backwards compatibility or use the new version.";
    call.log(LogLevel::Warning, message)?;
    super::autoload(call, "dig44");
    dig44(call, &[data.clone(), path, rest.first().cloned().unwrap_or_default()])
}

/// Adds a hash to another; hashes under the same key are merged, too.
fn merge_deep(into: &mut Hash, from: &Hash) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) => merge_deep(std::sync::Arc::make_mut(old), new),
            (Some(old), new) => *old = new.clone(),
            (None, new) => {
                into.insert(key.clone(), new.clone());
            }
        }
    }
}

fn has_key(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [hash, key] = arguments else {
        let given = arguments.len();
        return Err(call.fail(format!("has_key(): wrong number of arguments ({given}; must be 2)")));
    };
    match hash {
        Value::Hash(hash) => Ok(hash.contains_key(key).into()),
        other => Err(call.fail(format!(
            "has_key(): expects the first argument to be a hash, got {} which is of type {}",
            inspect(other),
            ruby::class_name(other)
        ))),
    }
}

fn merge(call: &Call<'_, '_>) -> Evaluated {
    let mut merged = Hash::default();
    for argument in call.arguments {
        add(&mut merged, argument);
    }
    Ok(merged.into())
}

fn add(into: &mut Hash, value: &Value) {
    if let Value::Hash(hash) = value {
        into.extend(hash.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

/// Merges the results of a block for the hash so far and each element.
fn merge_elements(call: &Call<'_, '_>) -> Evaluated {
    merge_block(call, false)
}

/// As [`merge_elements`], for a block that takes the index or the key, too.
fn merge_with_index(call: &Call<'_, '_>) -> Evaluated {
    merge_block(call, true)
}

fn merge_block(call: &Call<'_, '_>, with_index: bool) -> Evaluated {
    let [iterable] = call.arguments else {
        let message = format!("merge(): expects one argument with a block, got {}", call.arguments.len());
        return Err(bunraku_syntax::diagnostic::Error::internal(message).into());
    };
    let mut merged = Hash::default();
    for (index, element) in iterate::elements(iterable).into_iter().flatten().enumerate() {
        call.charge_steps(merged.len())?;
        let so_far = Value::from(merged.clone());
        let answer = match (&element, iterable) {
            (Value::Array(pair), Value::Hash(_)) if with_index => match pair.as_slice() {
                [key, value] => call.yield_block(&[so_far, key.clone(), value.clone()])?,
                _ => call.yield_block(&[so_far, (index as i64).into(), element])?,
            },
            _ if with_index => call.yield_block(&[so_far, (index as i64).into(), element])?,
            _ => call.yield_block(&[so_far, element])?,
        };
        add(&mut merged, &answer);
    }
    Ok(merged.into())
}

/// Whether a choice counts: not `undef` and not the empty string.
fn is_given(value: &&Value) -> bool {
    !value.is_undef() && value.as_str() != Some("")
}

fn pick(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments.iter().find(is_given) {
        Some(value) => Ok(value.clone()),
        None => Err(call.fail("pick(): must receive at least one non empty value")),
    }
}

fn pick_default(_: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some((default, choices)) = arguments.split_last() else {
        return Err(bunraku_syntax::diagnostic::Error::argument("Must receive at least one argument.").into());
    };
    Ok(choices.iter().find(is_given).unwrap_or(default).clone())
}
