//! Arrays: `any2array`, `concat`, `count`, `delete` and its like, set operations, `prefix`, `range`, `zip`
//! and more.

use std::sync::Arc;

use indexmap::IndexSet;

use super::super::legacy::no_string;
use super::{handing_on, map_strings, no_method, ruby, rvalue, wrong_number, wrong_number_plain};
use crate::eval::{BuiltIn, Call, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::format::character_set::CharacterSet;
use bunraku_pcore::format::inspect;
use bunraku_pcore::fuel::{Fuel, pieces};
use bunraku_pcore::size_cache::ValueSize;
use bunraku_pcore::value::{Hash, RegexpValue};
use bunraku_syntax::case::swapcase;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    handing_on!("any2array", any2array),
    rvalue!("clamp", -2, clamp),
    handing_on!("concat", concat),
    rvalue!("count", -2, count),
    rvalue!("delete", delete),
    handing_on!("delete_at", delete_at),
    rvalue!("delete_regex", delete_regex),
    handing_on!("delete_undef_values", delete_undef_values),
    handing_on!("delete_values", delete_values),
    handing_on!("difference", difference),
    handing_on!("grep", grep),
    handing_on!("hash", hash),
    handing_on!("intersection", intersection),
    rvalue!("join_keys_to_values", join_keys_to_values),
    rvalue!("member", member),
    rvalue!("prefix", |call, arguments| affix(call, arguments, |text, prefix| format!("{prefix}{text}"))),
    rvalue!("range", range),
    rvalue!("reverse", reverse),
    rvalue!("reject", reject),
    rvalue!("suffix", |call, arguments| affix(call, arguments, |text, suffix| format!("{text}{suffix}"))),
    rvalue!("swapcase", |call: &Call<'_, '_>, arguments: &[Value]| {
        let Some(value) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
        map_strings(value, "swapcase(): Requires either array or string to work with", swapcase)
    }),
    handing_on!("union", union),
    handing_on!("values_at", values_at),
    handing_on!("zip", zip),
];

/// Ruby's `Array()`: the elements of an array, the pairs of a hash, nothing of `undef`, or the one value.
fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(values) => values.to_vec(),
        Value::Hash(hash) => {
            hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()])).collect()
        }
        Value::Undef => Vec::new(),
        other => vec![other.clone()],
    }
}

fn any2array(_: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    Ok(match arguments {
        [Value::Array(_)] => arguments[0].clone(),
        [Value::String(text)] if text.is_empty() => Value::array([]),
        [Value::Hash(hash)] => {
            Value::array(hash.iter().flat_map(|(key, value)| [key.clone(), value.clone()]))
        }
        _ => arguments.to_vec().into(),
    })
}

fn clamp(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let arguments = ruby::flatten(arguments);
    if arguments.len() != 3 {
        return Err(call.fail("clamp(): Wrong number of arguments, need three to clamp"));
    }
    let mut numbers = Vec::with_capacity(3);
    for value in &arguments {
        numbers.push(match value {
            Value::String(text) => {
                if !text
                    .lines()
                    .any(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
                {
                    return Err(call.fail(format!("clamp(): Required explicit numeric ({text}:String)")));
                }
                ruby::to_i(text).and_then(|number| i64::try_from(number).ok()).unwrap_or(i64::MAX)
            }
            Value::Hash(_) => {
                let shown = inspect(value);
                return Err(call.fail(format!("clamp(): The Hash type is not allowed ({shown})")));
            }
            Value::Integer(number) => *number,
            Value::Float(number) => *number as i64,
            Value::Undef => 0,
            other => return Err(no_method("to_i", other)),
        });
    }
    numbers.sort_unstable();
    Ok(numbers[1].into())
}

fn concat(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [first, rest @ ..] = arguments else { return Err(wrong_number(call, 0, "< 2")) };
    if rest.is_empty() {
        return Err(wrong_number(call, 1, "< 2"));
    }
    let Value::Array(first) = first else {
        return Err(call.fail("concat(): Requires array to work with"));
    };
    let mut all = first.to_vec();
    for value in rest {
        match value {
            Value::Array(values) => all.extend(values.iter().cloned()),
            other => all.push(other.clone()),
        }
    }
    Ok(all.into())
}

fn count(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let number = arguments.len();
    if number > 2 {
        return Err(call.fail(format!("count(): Wrong number of arguments given {number} for 1 or 2.")));
    }
    let collection = arguments.first().unwrap_or(&Value::Undef);
    let wanted = arguments.get(1).filter(|item| item.is_truthy());
    match (collection, wanted) {
        (Value::Array(_) | Value::Hash(_), _) => {}
        (Value::String(text), Some(Value::String(set))) => return count_characters(text, set, call.fuel()),
        (Value::String(_), Some(other)) => {
            return Err(no_string(other).into());
        }
        (Value::String(_), None) => {
            return Err(Error::internal("wrong number of arguments (given 0, expected 1+)").into());
        }
        _ => return Err(no_method("count", collection)),
    }
    let is_something = |value: &Value| !value.is_undef() && value.as_str() != Some("");
    let members = elements(collection);
    let found = match wanted {
        Some(item) => members.iter().filter(|value| ruby::equals(value, item)).count(),
        None => members.iter().filter(|value| is_something(value)).count(),
    };
    Ok((found as i64).into())
}

/// Ruby's `String#count`: the number of characters in a set such as `a-z` or `^0-9`.
fn count_characters(text: &str, set: &str, fuel: &dyn Fuel) -> Evaluated {
    let set = CharacterSet::new(set, fuel)?;
    let mut found = 0_i64;
    for piece in pieces(text, fuel) {
        found += piece?.chars().filter(|character| set.has(*character)).count() as i64;
    }
    Ok(found.into())
}

fn delete(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [collection, items] = arguments else { return Err(wrong_number_plain(call, arguments.len(), "2")) };
    let items = elements(items);
    match collection {
        Value::Array(values) => {
            let mut kept = Vec::new();
            for value in values.iter() {
                call.charge_steps(items.len())?;
                if !items.iter().any(|item| ruby::equals(value, item)) {
                    kept.push(value.clone());
                }
            }
            Ok(kept.into())
        }
        Value::Hash(hash) => {
            let items: Hash = items.into_iter().map(|item| (item, Value::Undef)).collect();
            let mut rest = (**hash).clone();
            rest.retain(|key, _| !items.contains_key(key));
            Ok(rest.into())
        }
        Value::String(text) => {
            let mut rest = text.to_string();
            for item in &items {
                call.charge_steps(1 + (rest.len() >> 10))?;
                match item {
                    Value::String(part) if !part.is_empty() => rest = rest.replace(part.as_str(), ""),
                    Value::String(_) => {}
                    other => {
                        let class = ruby::class_name(other);
                        let of = match other {
                            Value::Undef => "nil",
                            Value::Boolean(true) => "true",
                            Value::Boolean(false) => "false",
                            _ => class.as_ref(),
                        };
                        let message = format!("wrong argument type {of} (expected Regexp)");
                        return Err(Error::argument(message).into());
                    }
                }
            }
            Ok(rest.into())
        }
        other if items.is_empty() => Ok(other.clone()),
        other => Err(Error::argument(format!(
            "delete(): First argument must be an Array, String, or Hash. Given an argument of class {}.",
            ruby::class_name(other)
        ))
        .into()),
    }
}

fn delete_at(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [array, index, ..] = arguments else { return Err(wrong_number(call, arguments.len(), "2")) };
    let Value::Array(values) = array else {
        return Err(call.fail("delete_at(): Requires array to work with"));
    };
    let index = match index {
        Value::Integer(number) => *number,
        Value::Float(number) => *number as i64,
        Value::String(text) if is_number_line(text) => {
            ruby::to_i(text).and_then(|number| i64::try_from(number).ok()).unwrap_or(i64::MAX)
        }
        Value::String(_) => {
            return Err(call.fail("delete_at(): You must provide non-negative numeric index"));
        }
        other => return Err(no_method("to_i", other)),
    };
    let length = values.len() as i64;
    if index > length - 1 {
        return Err(call.fail("delete_at(): Given index exceeds size of array given"));
    }
    let mut rest = values.to_vec();
    let at = if index < 0 { index.saturating_add(length) } else { index };
    if let Ok(at) = usize::try_from(at) {
        rest.remove(at);
    }
    Ok(rest.into())
}

/// Whether a line of a text is a number, as in `/^\d+$/`.
fn is_number_line(text: &str) -> bool {
    text.split('\n').any(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

fn delete_regex(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [collection, items] = arguments else { return Err(wrong_number_plain(call, arguments.len(), "2")) };
    let mut patterns = Vec::new();
    for item in elements(items) {
        patterns.push(regexp(call, &format!(r"\b{}\b", ruby::to_s(&item)))?);
    }
    let matches = |value: &Value| -> Result<bool, Error> {
        let Value::String(text) = value else { return Ok(false) };
        for pattern in &patterns {
            if pattern.regex(call.fuel())?.is_match(text, call.fuel())? {
                return Ok(true);
            }
        }
        Ok(false)
    };
    match collection {
        Value::Array(values) => {
            let mut rest = Vec::new();
            for value in values.iter() {
                if !matches(value)? {
                    rest.push(value.clone());
                }
            }
            Ok(rest.into())
        }
        // A hash passes keys to the block first; a pair as an array matches nothing.
        Value::Hash(hash) => {
            let mut rest = Hash::default();
            for (key, value) in hash.iter() {
                if !matches(key)? {
                    rest.insert(key.clone(), value.clone());
                }
            }
            Ok(rest.into())
        }
        other if patterns.is_empty() => Ok(other.clone()),
        Value::String(_) => Err(no_method("reject!", collection)),
        other => Err(Error::argument(format!(
            "delete_regex(): First argument must be an Array, Hash, or String. Given an argument of class {}.",
            ruby::class_name(other)
        ))
        .into()),
    }
}

fn regexp(call: &Call<'_, '_>, pattern: &str) -> Result<Arc<RegexpValue>, Error> {
    let pattern = call.evaluator.environment.regexp_in_text(pattern);
    pattern.regex(call.fuel())?;
    Ok(pattern)
}

fn delete_undef_values(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments.first() {
        None => Err(call.fail("delete_undef_values(): Wrong number of arguments given (0)")),
        Some(Value::Array(values)) => {
            Ok(Value::array(values.iter().filter(|value| !value.is_undef()).cloned()))
        }
        Some(Value::Hash(hash)) => {
            let kept = hash.iter().filter(|(_, value)| !value.is_undef());
            Ok(Value::hash(kept.map(|(key, value)| (key.clone(), value.clone()))))
        }
        Some(other) => Err(call.fail(format!(
            "delete_undef_values(): expected an array or hash, got {} type  {} ",
            ruby::to_s(other),
            ruby::class_name(other)
        ))),
    }
}

fn delete_values(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [hash, item] = arguments else {
        let given = arguments.len();
        return Err(call.fail(format!("delete_values(): Wrong number of arguments given ({given} of 2)")));
    };
    let Value::Hash(hash) = hash else {
        return Err(Error::argument(format!(
            "delete_values(): First argument must be a Hash. Given an argument of class {}.",
            ruby::class_name(hash)
        ))
        .into());
    };
    let kept = hash.iter().filter(|(_, value)| !ruby::equals(item, value));
    Ok(Value::hash(kept.map(|(key, value)| (key.clone(), value.clone()))))
}

fn difference(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [first, second] = arguments else { return Err(wrong_number(call, arguments.len(), "2")) };
    let (Value::Array(first), Value::Array(second)) = (first, second) else {
        return Err(call.fail("difference(): Requires 2 arrays"));
    };
    let second: IndexSet<&Value> = second.iter().collect();
    Ok(Value::array(first.iter().filter(|value| !second.contains(value)).cloned()))
}

fn intersection(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [first, second] = arguments else { return Err(wrong_number(call, arguments.len(), "2")) };
    let (Value::Array(a), Value::Array(b)) = (first, second) else {
        return Err(call.fail(format!(
            "intersection(): Requires 2 arrays, got {} and {}",
            ruby::class_name(first),
            ruby::class_name(second)
        )));
    };
    let b: IndexSet<&Value> = b.iter().collect();
    let common: IndexSet<&Value> = a.iter().filter(|value| b.contains(value)).collect();
    Ok(Value::array(common.into_iter().cloned()))
}

fn union(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    if arguments.len() < 2 {
        return Err(wrong_number(call, arguments.len(), "< 2"));
    }
    let mut all: IndexSet<&Value> = IndexSet::new();
    for argument in arguments {
        let Value::Array(values) = argument else {
            return Err(call.fail("union(): Every parameter must be an array"));
        };
        all.extend(values.iter());
    }
    Ok(Value::array(all.into_iter().cloned()))
}

fn grep(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [array, pattern] = arguments else { return Err(wrong_number_plain(call, arguments.len(), "2")) };
    matching(call, array, pattern, true)
}

fn reject(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [array, pattern] = arguments else { return Err(wrong_number_plain(call, arguments.len(), "2")) };
    matching(call, array, pattern, false)
}

/// The elements that match a pattern, or those that do not.
fn matching(call: &Call<'_, '_>, array: &Value, pattern: &Value, wanted: bool) -> Evaluated {
    let Value::String(pattern) = pattern else {
        return Err(super::legacy::no_string(pattern).into());
    };
    let pattern = regexp(call, pattern)?;
    let Value::Array(values) = array else { return Err(no_method(call.name, array)) };
    let mut found = Vec::new();
    for value in values.iter() {
        call.charge_steps(1)?;
        let matches = match value {
            Value::String(text) => pattern.regex(call.fuel())?.is_match(text, call.fuel())?,
            _ => false,
        };
        if matches == wanted {
            found.push(value.clone());
        }
    }
    Ok(found.into())
}

fn hash(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let Some(array) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
    let Value::Array(values) = array else { return Err(call.fail("hash(): Requires array to work with")) };
    let values = ruby::flatten(values);
    if let [Value::Hash(_)] = values.as_slice() {
        return Ok(values[0].clone());
    }
    let (pairs, rest) = values.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(call.fail("hash(): Unable to compute hash from array given"));
    }
    Ok(Value::hash(pairs.iter().map(|[key, value]| (key.clone(), value.clone()))))
}

fn join_keys_to_values(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [hash, separator] = arguments else {
        let given = arguments.len();
        let message = format!("join_keys_to_values(): Takes exactly two arguments, but {given} given.");
        return Err(call.fail(message));
    };
    let Value::Hash(hash) = hash else {
        return Err(Error::argument(format!(
            "join_keys_to_values(): The first argument must be a hash, but a {} was given.",
            ruby::class_name(hash)
        ))
        .into());
    };
    let Value::String(separator) = separator else {
        return Err(Error::argument(format!(
            "join_keys_to_values(): The second argument must be a string, but a {} was given.",
            ruby::class_name(separator)
        ))
        .into());
    };
    let (mut joined, mut size): (Vec<String>, usize) = (Vec::new(), 0);
    for (key, value) in hash.iter() {
        let key = ruby::to_s(key);
        let count = if let Value::Array(values) = value { values.len() } else { 1 };
        size = size.saturating_add(count.saturating_mul(key.len() + separator.len() + size_of::<String>()));
        call.evaluator.usage.check_size(size)?;
        match value {
            Value::Array(values) => {
                joined.extend(values.iter().map(|value| format!("{key}{separator}{}", ruby::to_s(value))))
            }
            value => match ruby::to_s(value).as_str() {
                "undef" => joined.push(key),
                text => joined.push(format!("{key}{separator}{text}")),
            },
        }
    }
    Ok(Value::array(joined.into_iter().map(Value::from)))
}

fn member(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [array, item, ..] = arguments else { return Err(wrong_number(call, arguments.len(), "2")) };
    let Value::Array(values) = array else {
        return Err(call.fail("member(): Requires array to work with"));
    };
    let items = match item {
        Value::String(_) | Value::Integer(_) => vec![item.clone()],
        Value::Array(items) => items.to_vec(),
        _ => {
            let message = "member(): Item to search for must be a string, fixnum, or array";
            return Err(call.fail(message));
        }
    };
    if items.is_empty() {
        return Err(call.fail("member(): You must provide item to search for within array given"));
    }
    let values: IndexSet<&Value> = values.iter().collect();
    Ok(items.iter().all(|item| values.contains(item)).into())
}

/// `prefix` and `suffix`: the texts of an array or the keys of a hash with something added.
fn affix(call: &Call<'_, '_>, arguments: &[Value], add: fn(&str, &str) -> String) -> Evaluated {
    let Some(collection) = arguments.first() else { return Err(wrong_number(call, 0, "1")) };
    let name = call.name;
    if !matches!(collection, Value::Array(_) | Value::Hash(_)) {
        let shown = inspect(collection);
        return Err(
            call.fail(format!("{name}(): expected first argument to be an Array or a Hash, got {shown}"))
        );
    }
    let text = match arguments.get(1).filter(|text| text.is_truthy()) {
        None => "",
        Some(Value::String(text)) => text,
        Some(other) => {
            let shown = inspect(other);
            return Err(call.fail(format!("{name}(): expected second argument to be a String, got {shown}")));
        }
    };
    let count = match collection {
        Value::Hash(hash) => hash.len(),
        Value::Array(values) => values.len(),
        _ => 0,
    };
    call.evaluator.usage.check_size(count.saturating_mul(text.len()))?;
    let add = |value: &Value| Value::from(add(&ruby::to_s(value), text));
    Ok(match collection {
        Value::Hash(hash) => Value::hash(hash.iter().map(|(key, value)| (add(key), value.clone()))),
        Value::Array(values) => Value::array(values.iter().map(add)),
        other => other.clone(),
    })
}

fn range(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let (start, stop, exclusive, step) = match arguments {
        [] => return Err(wrong_number(call, 0, "1")),
        [value] => {
            let Value::String(text) = value else { return Err(no_method("match", value)) };
            match split_range(text) {
                Some((start, operator, stop)) => {
                    (Value::from(start), Value::from(stop), operator == "...", 1)
                }
                None if text.split('\n').any(|line| !line.is_empty()) => {
                    let message = format!("range(): Unable to compute range from the value: {text}");
                    return Err(call.fail(message));
                }
                None => return Err(call.fail(format!("range(): Unknown range format: {text}"))),
            }
        }
        [start, stop, rest @ ..] => {
            let step = match rest.first() {
                None | Some(Value::Undef) => 1,
                Some(Value::Integer(number)) => number.unsigned_abs(),
                Some(Value::Float(number)) => number.abs() as u64,
                Some(Value::String(text)) => {
                    ruby::to_i(text).map_or(u64::MAX, |number| number.unsigned_abs() as u64)
                }
                Some(other) => return Err(no_method("to_i", other)),
            };
            if step == 0 {
                let message = "range(): 3rd arg (step size) must be a non zero integer (e.g. 1 or -1)";
                return Err(call.fail(message));
            }
            (start.clone(), stop.clone(), false, step)
        }
    };
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    let start = ruby::to_s(&start);
    if !is_number_line(&start) {
        return Ok(string_range(call, &start, &ruby::to_s(&stop), exclusive, step)?.into());
    }
    let number =
        |text: &str| ruby::to_i(text).map_or(i64::MAX, |number| i64::try_from(number).unwrap_or(i64::MAX));
    let stop = match &stop {
        Value::Float(number) => *number as i64,
        other => number(&ruby::to_s(other)),
    };
    let last = if exclusive { stop.saturating_sub(1) } else { stop };
    let start = number(&start);
    let count = last.saturating_sub(start).max(0) as usize / step;
    call.evaluator.usage.check_count(count)?;
    Ok(Value::array((start..=last).step_by(step).map(Value::Integer)))
}

/// `a..b`, `a...b`, `a-b` as a line of a text.
fn split_range(text: &str) -> Option<(&str, &str, &str)> {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    text.split('\n').find_map(|line| {
        ["...", "..", "-"].into_iter().find_map(|operator| {
            let (start, stop) = line.split_once(operator)?;
            (is_word(start) && is_word(stop)).then_some((start, operator, stop))
        })
    })
}

/// Ruby's range of strings: from one to the next until the other, or until one is longer than it.
fn string_range(
    call: &Call<'_, '_>,
    start: &str,
    stop: &str,
    exclusive: bool,
    step: usize,
) -> Evaluated<Vec<Value>> {
    let mut all = Vec::new();
    if start > stop || (exclusive && start == stop) {
        return Ok(all);
    }
    let is_character = |text: &str| text.len() == 1;
    let is_letter_pair = is_character(start) && is_character(stop);
    let behind = successor(stop);
    let mut current = start.to_owned();
    for index in 0_usize.. {
        call.charge_steps(1)?;
        call.evaluator.usage.check_size(all.len().saturating_mul(ValueSize::ONE as usize + current.len()))?;
        if exclusive && current == stop {
            break;
        }
        if index % step == 0 {
            all.push(Value::from(current.as_str()));
        }
        if !exclusive && current == stop {
            break;
        }
        current = if is_letter_pair {
            match current.bytes().next() {
                Some(byte) if byte < 0x7f => char::from(byte + 1).to_string(),
                _ => break,
            }
        } else {
            successor(&current)
        };
        if current == behind || current.len() > stop.len() || current.is_empty() {
            break;
        }
    }
    Ok(all)
}

/// Ruby's `String#succ`: increments the rightmost letter or digit, with carry. A carry skips other
/// characters, but does not cross them from letters to digits or back.
fn successor(text: &str) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    let mut carried: Option<(usize, char)> = None;
    let mut adjoins = true;
    for index in (0..characters.len()).rev() {
        let Some(place) = characters.get_mut(index) else { break };
        if !place.is_ascii_alphanumeric() {
            adjoins = false;
            continue;
        }
        let is_other_kind =
            matches!(carried, Some((_, carry)) if carry.is_ascii_digit() != place.is_ascii_digit());
        if !adjoins && is_other_kind {
            break;
        }
        adjoins = true;
        let (next, carry) = match *place {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            other => (char::from(other as u8 + 1), None),
        };
        *place = next;
        match carry {
            None => return characters.into_iter().collect(),
            Some(carry) => carried = Some((index, carry)),
        }
    }
    match carried {
        Some((index, carry)) => characters.insert(index, carry),
        None => {
            if let Some(last) = characters.last_mut() {
                *last = char::from_u32(*last as u32 + 1).unwrap_or(*last);
            }
        }
    }
    characters.into_iter().collect()
}

fn reverse(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments.first() {
        None => Err(wrong_number(call, 0, "1")),
        Some(Value::Array(values)) => Ok(Value::array(values.iter().rev().cloned())),
        Some(Value::String(text)) => Ok(text.chars().rev().collect::<String>().into()),
        Some(_) => Err(call.fail("reverse(): Requires either array or string to work with")),
    }
}

fn values_at(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [array, indices, ..] = arguments else { return Err(wrong_number(call, arguments.len(), "2")) };
    let Value::Array(values) = array else {
        return Err(call.fail("values_at(): Requires array to work with"));
    };
    let indices = ruby::flatten(std::slice::from_ref(indices));
    if indices.is_empty() {
        return Err(call.fail("values_at(): You must provide at least one positive index to collect"));
    }
    let number = |text: &str| text.parse::<usize>().unwrap_or(usize::MAX);
    let mut found = Vec::new();
    for index in &indices {
        let text = ruby::to_s(index);
        let range = split_range(&text)
            .filter(|(start, _, stop)| start.bytes().chain(stop.bytes()).all(|byte| byte.is_ascii_digit()));
        let wanted = match range {
            Some((start, operator, stop)) => {
                let (start, stop) = (number(start), number(stop));
                if start > stop {
                    return Err(call.fail(
                        "values_at(): Stop index in given indices range is smaller than the start index",
                    ));
                }
                if stop >= values.len() {
                    return Err(
                        call.fail("values_at(): Stop index in given indices range exceeds array size")
                    );
                }
                if operator == "..." { start..stop } else { start..stop + 1 }
            }
            None if is_number_line(&text) => {
                let index = ruby::to_i(&text).and_then(|number| usize::try_from(number).ok());
                match index.filter(|&index| index < values.len()) {
                    Some(index) => index..index + 1,
                    None => return Err(call.fail("values_at(): Given index exceeds array size")),
                }
            }
            None => return Err(call.fail("values_at(): Unknown format of given index")),
        };
        call.evaluator.usage.check_count(found.len() + wanted.len())?;
        call.charge_steps(wanted.len())?;
        found.extend(values[wanted].iter().filter(|value| !value.is_undef()).cloned());
    }
    Ok(found.into())
}

fn zip(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [a, b, rest @ ..] = arguments else { return Err(wrong_number(call, arguments.len(), "2")) };
    let (Value::Array(a), Value::Array(b)) = (a, b) else {
        return Err(call.fail("zip(): Requires array to work with"));
    };
    let flatten = match rest.first().filter(|flatten| flatten.is_truthy()) {
        Some(flatten) => super::convert::to_boolean(flatten)?,
        None => false,
    };
    let pairs = a
        .iter()
        .enumerate()
        .map(|(index, value)| Value::array([value.clone(), b.get(index).cloned().unwrap_or_default()]));
    let pairs: Vec<Value> = pairs.collect();
    Ok(if flatten { ruby::flatten(&pairs).into() } else { pairs.into() })
}
