//! Arrays and hashes: from `any2array` to `zip`.

use super::super::{iteration, ruby};
use super::{arguments, refuse, value};
use crate::diagnostic::Error;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::pcore::format::inspect;
use crate::pcore::value::{Hash, Str};
use crate::pcore::{Value, iterate};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    value!("any2array", -1, any2array),
    value!("concat", -1, concat),
    value!("count", -2, count),
    value!("deep_merge", -1, deep_merge),
    value!("delete", -1, delete),
    value!("delete_at", -1, delete_at),
    value!("delete_undef_values", -1, delete_undef_values),
    value!("delete_values", -1, delete_values),
    value!("difference", -1, difference),
    value!("has_key", -1, has_key),
    value!("hash", -1, hash),
    value!("intersection", -1, intersection),
    value!("join_keys_to_values", -1, join_keys_to_values),
    value!("member", -1, member),
    value!("pick", -1, pick),
    value!("pick_default", -1, pick_default),
    value!("prefix", -1, |call| affix(call, true)),
    value!("range", -1, range),
    value!("suffix", -1, |call| affix(call, false)),
    value!("union", -1, union),
    value!("values_at", -1, values_at),
    value!("zip", -1, zip),
    BuiltIn::new(
        "merge",
        &[
            Dispatch::new("Variant[Hash[Scalar,Any], Undef, String[0,0]]* $args >> Hash[Scalar,Any]", merge),
            Dispatch::new("Iterable* $args, Callable[3,3] &block >> Hash", merge_indexed),
            Dispatch::new("Iterable* $args, Callable[2,2] &block >> Hash", merge_elements),
        ],
    )
    .of_module("stdlib"),
    BuiltIn::new("fact", &[Dispatch::new("String $fact_name", fact)]).of_module("stdlib"),
];

fn any2array(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |_| true, "")?;
    Ok(match arguments.as_slice() {
        [array @ Value::Array(_)] => array.clone(),
        [Value::String(text)] if text.is_empty() => Value::array([]),
        [Value::Hash(hash)] => {
            Value::array(hash.iter().flat_map(|(key, value)| [key.clone(), value.clone()]))
        }
        _ => arguments.into(),
    })
}

fn concat(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count >= 2, "< 2")?;
    let Some((Value::Array(first), rest)) = arguments.split_first() else {
        return Err(refuse("concat(): Requires array to work with"));
    };
    let mut all = first.to_vec();
    for more in rest {
        match more {
            Value::Array(values) => all.extend_from_slice(values),
            other => all.push(other.clone()),
        }
    }
    Ok(all.into())
}

fn count(call: &Call<'_, '_>) -> Evaluated {
    let values: Vec<Value> = iterate::elements(call.argument(0)).into_iter().flatten().collect();
    let is_blank = |value: &Value| value.is_undef() || value.as_str() == Some("");
    let count = match call.arguments {
        [_] => values.iter().filter(|value| !is_blank(value)).count(),
        [_, item] if item.is_truthy() => values.iter().filter(|value| ruby::equals(value, item)).count(),
        [_, _] => values.iter().filter(|value| !is_blank(value)).count(),
        more => {
            let count = more.len();
            return Err(call.fail(format!("count(): Wrong number of arguments given {count} for 1 or 2.")));
        }
    };
    Ok(Value::Integer(count as i64))
}

fn deep_merge(call: &Call<'_, '_>) -> Evaluated {
    fn merged(mut into: Hash, from: &Hash) -> Hash {
        for (key, value) in from {
            let value = match (into.get(key), value) {
                (Some(Value::Hash(old)), Value::Hash(new)) => merged((**old).clone(), new).into(),
                _ => value.clone(),
            };
            into.insert(key.clone(), value);
        }
        into
    }
    let arguments = call.arguments;
    if arguments.len() < 2 {
        let count = arguments.len();
        return Err(refuse(format!("deep_merge(): wrong number of arguments ({count}; must be at least 2)")));
    }
    let mut result = Hash::default();
    for argument in arguments {
        match argument {
            Value::String(text) if text.is_empty() => {}
            Value::Hash(hash) => result = merged(result, hash),
            other => {
                let class = ruby::class_name(other);
                let message =
                    format!("deep_merge: unexpected argument type {class}, only expects hash arguments");
                return Err(refuse(message));
            }
        }
    }
    Ok(result.into())
}

fn delete(call: &Call<'_, '_>) -> Evaluated {
    if call.arguments.len() != 2 {
        let count = call.arguments.len();
        return Err(refuse(format!("delete(): Wrong number of arguments given {count} for 2")));
    }
    let items: Vec<Value> = match call.argument(1) {
        Value::Array(items) => items.to_vec(),
        Value::Undef => Vec::new(),
        Value::Hash(hash) => {
            hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()])).collect()
        }
        item => vec![item.clone()],
    };
    let is_item = |value: &Value| items.iter().any(|item| ruby::equals(value, item));
    match call.argument(0) {
        Value::Array(values) => Ok(Value::array(values.iter().filter(|value| !is_item(value)).cloned())),
        Value::Hash(hash) => {
            let kept = hash.iter().filter(|(key, _)| !items.contains(key));
            Ok(Value::hash(kept.map(|(key, value)| (key.clone(), value.clone()))))
        }
        Value::String(text) => {
            let deleted = |text: String, item: &Value| match item {
                Value::String(item) if !item.is_empty() => text.replace(item.as_str(), ""),
                _ => text,
            };
            Ok(items.iter().fold(text.to_string(), deleted).into())
        }
        other => {
            let class = ruby::class_name(other);
            Err(call.fail(format!(
                "delete(): First argument must be an Array, String, or Hash. Given an argument of class {class}."
            )))
        }
    }
}

fn delete_at(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count >= 2, "2")?;
    let Some(Value::Array(values)) = arguments.first() else {
        return Err(refuse("delete_at(): Requires array to work with"));
    };
    let index = match arguments.get(1) {
        Some(Value::Integer(index)) => *index,
        Some(Value::Float(index)) => *index as i64,
        Some(Value::String(text)) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().unwrap_or(i64::MAX)
        }
        _ => return Err(refuse("delete_at(): You must provide non-negative numeric index")),
    };
    if index > values.len() as i64 - 1 {
        return Err(refuse("delete_at(): Given index exceeds size of array given"));
    }
    let index = if index < 0 { index + values.len() as i64 } else { index };
    let kept = values.iter().enumerate().filter(|(at, _)| *at as i64 != index);
    Ok(Value::array(kept.map(|(_, value)| value.clone())))
}

fn delete_undef_values(call: &Call<'_, '_>) -> Evaluated {
    match call.argument(0) {
        Value::Array(values) => Ok(Value::array(values.iter().filter(|value| !value.is_undef()).cloned())),
        Value::Hash(hash) => {
            let kept = hash.iter().filter(|(_, value)| !value.is_undef());
            Ok(Value::hash(kept.map(|(key, value)| (key.clone(), value.clone()))))
        }
        _ if call.arguments.is_empty() => {
            Err(refuse("delete_undef_values(): Wrong number of arguments given (0)"))
        }
        other => {
            let (text, class) = (ruby::to_s(other), ruby::class_name(other));
            Err(refuse(format!(
                "delete_undef_values(): expected an array or hash, got {text} type  {class} "
            )))
        }
    }
}

fn delete_values(call: &Call<'_, '_>) -> Evaluated {
    if call.arguments.len() != 2 {
        let count = call.arguments.len();
        return Err(refuse(format!("delete_values(): Wrong number of arguments given ({count} of 2)")));
    }
    let Value::Hash(hash) = call.argument(0) else {
        let class = ruby::class_name(call.argument(0));
        let message =
            format!("delete_values(): First argument must be a Hash. Given an argument of class {class}.");
        return Err(call.fail(message));
    };
    let kept = hash.iter().filter(|(_, value)| !ruby::equals(value, call.argument(1)));
    Ok(Value::hash(kept.map(|(key, value)| (key.clone(), value.clone()))))
}

fn difference(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count == 2, "2")?;
    match arguments.as_slice() {
        [Value::Array(a), Value::Array(b)] => {
            Ok(Value::array(a.iter().filter(|value| !b.contains(value)).cloned()))
        }
        _ => Err(refuse("difference(): Requires 2 arrays")),
    }
}

fn distinct(values: impl IntoIterator<Item = Value>) -> Value {
    let mut seen = indexmap::IndexSet::<Value, rustc_hash::FxBuildHasher>::default();
    seen.extend(values);
    Value::array(seen)
}

fn intersection(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count == 2, "2")?;
    match arguments.as_slice() {
        [Value::Array(a), Value::Array(b)] => {
            Ok(distinct(a.iter().filter(|value| b.contains(value)).cloned()))
        }
        [a, b] => {
            let (a, b) = (ruby::class_name(a), ruby::class_name(b));
            Err(refuse(format!("intersection(): Requires 2 arrays, got {a} and {b}")))
        }
        _ => Ok(Value::Undef),
    }
}

fn union(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count >= 2, "< 2")?;
    let mut all = Vec::new();
    for argument in &arguments {
        let Value::Array(values) = argument else {
            return Err(refuse("union(): Every parameter must be an array"));
        };
        all.extend_from_slice(values);
    }
    Ok(distinct(all))
}

fn has_key(call: &Call<'_, '_>) -> Evaluated {
    match call.arguments {
        [Value::Hash(hash), key] => Ok(hash.contains_key(key).into()),
        [other, _] => {
            let (text, class) = (inspect(other), ruby::class_name(other));
            Err(refuse(format!(
                "has_key(): expects the first argument to be a hash, got {text} which is of type {class}"
            )))
        }
        more => Err(refuse(format!("has_key(): wrong number of arguments ({}; must be 2)", more.len()))),
    }
}

fn hash(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count > 0, "1")?;
    let Some(Value::Array(values)) = arguments.first() else {
        return Err(refuse("hash(): Requires array to work with"));
    };
    let flat = ruby::flatten(values);
    if flat.len() % 2 != 0 {
        return Err(refuse("hash(): Unable to compute hash from array given"));
    }
    let pair = |pair: &[Value]| Some((pair.first()?.clone(), pair.get(1)?.clone()));
    Ok(Value::hash(flat.chunks(2).filter_map(pair)))
}

fn join_keys_to_values(call: &Call<'_, '_>) -> Evaluated {
    let (Value::Hash(hash), Value::String(separator)) = (call.argument(0), call.argument(1)) else {
        let (place, wanted, wrong) = match call.argument(0) {
            Value::Hash(_) => ("second", "string", call.argument(1)),
            other => ("first", "hash", other),
        };
        let class = ruby::class_name(wrong);
        return Err(call.fail(format!(
            "join_keys_to_values(): The {place} argument must be a {wanted}, but a {class} was given."
        )));
    };
    let mut joined = Vec::new();
    for (key, value) in &**hash {
        let key = ruby::to_s(key);
        match value {
            Value::Array(values) => {
                let pairs = values.iter().map(|value| format!("{key}{separator}{}", ruby::to_s(value)));
                joined.extend(pairs.map(Value::from));
            }
            value if ruby::to_s(value) == "undef" => joined.push(key.into()),
            value => joined.push(format!("{key}{separator}{}", ruby::to_s(value)).into()),
        }
    }
    Ok(joined.into())
}

fn member(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count >= 2, "2")?;
    let Some(Value::Array(values)) = arguments.first() else {
        return Err(refuse("member(): Requires array to work with"));
    };
    let items = match arguments.get(1) {
        Some(Value::Array(items)) => items.to_vec(),
        Some(item @ (Value::String(_) | Value::Integer(_))) => vec![item.clone()],
        _ => return Err(refuse("member(): Item to search for must be a string, fixnum, or array")),
    };
    if items.is_empty() {
        return Err(refuse("member(): You must provide item to search for within array given"));
    }
    Ok(items.iter().all(|item| values.contains(item)).into())
}

fn is_missing(value: &Value) -> bool {
    value.is_undef() || value.as_str() == Some("")
}

fn pick(call: &Call<'_, '_>) -> Evaluated {
    let picked = call.arguments.iter().find(|value| !is_missing(value));
    picked.cloned().ok_or_else(|| refuse("pick(): must receive at least one non empty value"))
}

fn pick_default(call: &Call<'_, '_>) -> Evaluated {
    let Some((default, others)) = call.arguments.split_last() else {
        return Err(Error::argument("Must receive at least one argument.").into());
    };
    Ok(others.iter().find(|value| !is_missing(value)).unwrap_or(default).clone())
}

fn affix(call: &Call<'_, '_>, before: bool) -> Evaluated {
    let name = call.name;
    let arguments = arguments(call, |count| count > 0, "1")?;
    let affix: Str = match arguments.get(1) {
        None | Some(Value::Undef | Value::Boolean(false)) => Str::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => {
            let text = inspect(other);
            return Err(refuse(format!("{name}(): expected second argument to be a String, got {text}")));
        }
    };
    let add = |value: &Value| -> Value {
        let text = ruby::to_s(value);
        if before { format!("{affix}{text}") } else { format!("{text}{affix}") }.into()
    };
    match arguments.first() {
        Some(Value::Array(values)) => Ok(Value::array(values.iter().map(add))),
        Some(Value::Hash(hash)) => Ok(Value::hash(hash.iter().map(|(key, value)| (add(key), value.clone())))),
        other => {
            let text = other.map(inspect).unwrap_or_default();
            let message = format!("{name}(): expected first argument to be an Array or a Hash, got {text}");
            Err(refuse(message))
        }
    }
}

/// The next text as Ruby's `String#succ` has it, for texts of letters and digits.
fn successor(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for at in (0..characters.len()).rev() {
        let (next, carry) = match characters[at] {
            '9' => ('0', Some('1')),
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            other => (char::from_u32(other as u32 + 1).unwrap_or(other), None),
        };
        characters[at] = next;
        match carry {
            None => break,
            Some(carry) if at == 0 => characters.insert(0, carry),
            Some(_) => {}
        }
    }
    characters.into_iter().collect()
}

fn range(call: &Call<'_, '_>) -> Evaluated {
    const MOST: usize = 1_000_000;
    let arguments = arguments(call, |count| count > 0, "1")?;
    let (start, stop, excludes_end, step) = match arguments.as_slice() {
        [only] => {
            let text = ruby::to_s(only);
            let is_word =
                |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let parts = ["...", "..", "-"].into_iter().find_map(|separator| {
                let (start, stop) = text.split_once(separator)?;
                (is_word(start) && is_word(stop))
                    .then(|| (start.to_owned(), stop.to_owned(), separator == "..."))
            });
            let Some((start, stop, excludes_end)) = parts else {
                return Err(refuse(format!("range(): Unable to compute range from the value: {text}")));
            };
            (start, stop, excludes_end, 1)
        }
        [start, stop, more @ ..] => {
            let step = match more.first() {
                None | Some(Value::Undef) => 1,
                Some(step) => ruby::to_i(&ruby::to_s(step)).map_or(0, i128::unsigned_abs),
            };
            if step == 0 {
                let message = "range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)";
                return Err(call.fail(message));
            }
            (ruby::to_s(start), ruby::to_s(stop), false, usize::try_from(step).unwrap_or(usize::MAX))
        }
        [] => return Ok(Value::Undef),
    };
    if !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_digit()) {
        let (from, to) = (ruby::to_i(&start).unwrap_or(0), ruby::to_i(&stop).unwrap_or(0));
        let to = if excludes_end { to - 1 } else { to };
        let numbers = (from..=to).step_by(step).take(MOST);
        return Ok(Value::array(numbers.map(|number| Value::Integer(number as i64))));
    }
    let mut texts = Vec::new();
    let mut text = start;
    if text.len() <= stop.len() && (text.len() < stop.len() || text <= stop) {
        while text.len() <= stop.len() && texts.len() < MOST {
            let is_last = text == stop;
            if !(is_last && excludes_end) {
                texts.push(text.clone());
            }
            if is_last {
                break;
            }
            text = successor(&text);
        }
    }
    Ok(Value::array(texts.into_iter().step_by(step).map(Value::from)))
}

fn values_at(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count >= 2, "2")?;
    let Some(Value::Array(values)) = arguments.first() else {
        return Err(refuse("values_at(): Requires array to work with"));
    };
    let indices = ruby::flatten(arguments.get(1..2).unwrap_or_default());
    if indices.is_empty() {
        return Err(refuse("values_at(): You must provide at least one positive index to collect"));
    }
    let number = |text: &str| -> Option<usize> {
        let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_digits.then(|| text.parse().unwrap_or(usize::MAX))
    };
    let mut found = Vec::new();
    for index in &indices {
        let text = ruby::to_s(index);
        let range = ["...", "..", "-"].into_iter().find_map(|separator| {
            let (start, stop) = text.split_once(separator)?;
            Some((number(start)?, number(stop)?, separator == "..."))
        });
        match (range, number(&text)) {
            (Some((start, stop, excludes_end)), _) => {
                let prefix = "values_at(): Stop index in given indices range";
                if start > stop {
                    return Err(refuse(format!("{prefix} is smaller than the start index")));
                }
                if stop >= values.len() {
                    return Err(refuse(format!("{prefix} exceeds array size")));
                }
                let stop = if excludes_end { stop } else { stop + 1 };
                found.extend_from_slice(values.get(start..stop).unwrap_or_default());
            }
            (None, Some(at)) => match values.get(at) {
                Some(value) => found.push(value.clone()),
                None => return Err(refuse("values_at(): Given index exceeds array size")),
            },
            (None, None) => return Err(refuse("values_at(): Unknown format of given index")),
        }
    }
    found.retain(|value| !value.is_undef());
    Ok(found.into())
}

fn zip(call: &Call<'_, '_>) -> Evaluated {
    let arguments = arguments(call, |count| count >= 2, "2")?;
    let [Value::Array(a), Value::Array(b), more @ ..] = arguments.as_slice() else {
        return Err(refuse("zip(): Requires array to work with"));
    };
    let pair =
        |(at, value): (usize, &Value)| Value::array([value.clone(), b.get(at).cloned().unwrap_or_default()]);
    let zipped: Vec<Value> = a.iter().enumerate().map(pair).collect();
    let flattens = match more.first() {
        Some(flag) if flag.is_truthy() => super::text::to_boolean(flag)?,
        _ => false,
    };
    Ok(if flattens { ruby::flatten(&zipped).into() } else { zipped.into() })
}

fn merge(call: &Call<'_, '_>) -> Evaluated {
    let mut merged = Hash::default();
    for argument in call.arguments {
        if let Value::Hash(hash) = argument {
            merged.extend(hash.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
    Ok(merged.into())
}

fn merge_by_block(call: &Call<'_, '_>, arguments: impl Fn(usize, Value) -> Vec<Value>) -> Evaluated {
    let mut merged = Hash::default();
    for (index, element) in iteration::elements(call)?.enumerate() {
        let mut given = vec![merged.clone().into()];
        given.append(&mut arguments(index, element));
        if let Value::Hash(more) = call.yield_block(&given)? {
            merged.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
    Ok(merged.into())
}

fn merge_indexed(call: &Call<'_, '_>) -> Evaluated {
    let is_hash = iterate::is_hash_style(call.argument(0));
    merge_by_block(call, |index, element| match element {
        Value::Array(pair) if is_hash => pair.to_vec(),
        element => vec![Value::Integer(index as i64), element],
    })
}

fn merge_elements(call: &Call<'_, '_>) -> Evaluated {
    merge_by_block(call, |_, element| vec![element])
}

fn fact(call: &Call<'_, '_>) -> Evaluated {
    let name = call.text(0);
    let mut value = super::super::variable(call, "facts")?.unwrap_or_default();
    let mut walked: Vec<String> = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (key, after) = match rest.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some((key, after)) => (key, after),
            None => match rest.find(['.', '"']) {
                Some(0) => {
                    rest = &rest[1..];
                    continue;
                }
                Some(end) => rest.split_at(end),
                None => (rest, ""),
            },
        };
        rest = after;
        let path = || {
            let quoted = |key: &String| if key.contains('.') { format!("\"{key}\"") } else { key.clone() };
            walked.iter().map(quoted).collect::<Vec<_>>().join(".")
        };
        let next = match &value {
            Value::Undef => return Ok(Value::Undef),
            Value::Array(values) => match key.parse::<i64>() {
                Ok(index) => {
                    let index = if index < 0 { index + values.len() as i64 } else { index };
                    usize::try_from(index).ok().and_then(|index| values.get(index)).cloned()
                }
                Err(_) => {
                    let path = path();
                    call.warn(format!(
                        "fact request for {name} returning nil: '{path}' is an array; cannot index to '{key}'"
                    ));
                    None
                }
            },
            Value::Hash(hash) => hash.get(&Value::from(key)).cloned(),
            _ => {
                let path = path();
                call.warn(format!(
                    "fact request for {name} returning nil: '{path}' is not a collection; cannot walk to '{key}'"
                ));
                None
            }
        };
        walked.push(key.to_owned());
        value = next.unwrap_or_default();
    }
    Ok(value)
}
