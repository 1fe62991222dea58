//! Collections: `dig`, `empty`, `flatten`, `get`, `getvar`, `group_by`, `join`, `keys`, `length`,
//! `partition`, `size`, `unique`, `values`.

use std::hash::Hash as StdHash;
use std::sync::{Arc, LazyLock};

use indexmap::IndexMap;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::{ruby, variable, warn_once_here};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, Repeated};
use bunraku_pcore::big;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::iterate;
use bunraku_pcore::types::{NoTypes, Type, TypeKind};
use bunraku_pcore::value::{Hash, Object, RegexpValue};
use bunraku_pcore::{Value, format};
use bunraku_syntax::diagnostic::Error;

const VARIABLE: &str = r"Pattern[/\A(?:::)?(?:[a-z]\w*::)*[a-z_]\w*(?:\.|\Z)/] $get_string, Any? $default_value, Callable[1,1]? &block";

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new("dig", &[Dispatch::new("Optional[Collection] $data, Any* $arg", dig)])
        .only_in_4x()
        .looking_only(),
    BuiltIn::new(
        "empty",
        &[
            Dispatch::new("Collection $coll", is_empty),
            Dispatch::new("Sensitive[String] $str", is_empty),
            Dispatch::new("String $str", is_empty),
            Dispatch::new("Numeric $num", is_number_empty),
            Dispatch::new("Binary $bin", is_empty),
            Dispatch::new("Undef $x", |_| Ok(true.into())),
        ],
    )
    .looking_only(),
    BuiltIn::new("flatten", &[Dispatch::new("Any* $args", |call| Ok(ruby::flatten(call.arguments).into()))]),
    BuiltIn::new(
        "get",
        &[Dispatch::new(
            "Any $value, String $dotted_string, Any? $default_value, Callable[1,1]? &block",
            get,
        )],
    )
    .looking_only(),
    BuiltIn::new("getvar", &[Dispatch::new(VARIABLE, getvar)]).with_mismatches(&[Dispatch::new(
        "String $get_string, Any? $default_value, Callable? &block",
        |_| Ok("The given string does not start with a valid variable name".into()),
    )]),
    BuiltIn::new(
        "group_by",
        &[
            Dispatch::new("Collection $collection, Callable[1,1] &block >> Hash", group_by),
            Dispatch::new("Array $array, Callable[2,2] &block >> Hash", group_by_index),
            Dispatch::new("Collection $collection, Callable[2,2] &block >> Hash", group_by_pair),
        ],
    ),
    BuiltIn::new("join", &[Dispatch::new("Array $arg, String? $delimiter", join)]),
    BuiltIn::new("keys", &[Dispatch::new("Hash $hsh", keys)]),
    BuiltIn::new(
        "length",
        &[
            Dispatch::new("Collection $arg", length),
            Dispatch::new("String $arg", length),
            Dispatch::new("Binary $arg", length),
        ],
    )
    .looking_only(),
    BuiltIn::new(
        "partition",
        &[
            Dispatch::new("Collection $collection, Callable[1,1] &block >> Tuple[Array, Array]", partition),
            Dispatch::new("Array $array, Callable[2,2] &block >> Tuple[Array, Array]", partition_by_index),
            Dispatch::new(
                "Collection $collection, Callable[2,2] &block >> Tuple[Array, Array]",
                partition_by_pair,
            ),
        ],
    ),
    BuiltIn::new("size", &[Dispatch::new("Variant[Collection, String, Binary] $arg", length)]).looking_only(),
    BuiltIn::new(
        "unique",
        &[
            Dispatch::new("String $string, Callable[String]? &block", unique_string),
            Dispatch::new("Hash $hash, Callable[Any]? &block", unique_hash),
            Dispatch::new("Array $array, Callable[Any]? &block", unique_array),
            Dispatch::new("Iterable $iterable, Callable[Any]? &block", unique),
        ],
    ),
    BuiltIn::new("values", &[Dispatch::new("Hash $hsh", values)]),
];

/// The obstacle that stops [`walk`].
struct Obstacle {
    message: String,
    issue_code: &'static str,
    details: Value,
}

/// Follows a path into nested collections: the reference's `dig`.
fn walk(data: &Value, path: &[Value]) -> Result<Value, Obstacle> {
    let mut value = data;
    let obstacle = |text: &str, code, key: &str, walked: &[Value], of: &Value| {
        let path = Value::array(walked.to_vec());
        let found = Type::infer(of);
        Obstacle {
            message: format!("The given data {text} at {}, got '{found}'", format::inspect(&path)),
            issue_code: code,
            details: Value::hash([("walked_path".into(), path), (key.into(), found.into())]),
        }
    };
    for (at, key) in path.iter().enumerate() {
        if value.is_undef() || key.is_undef() {
            return Ok(Value::Undef);
        }
        let inner = match (value, key) {
            (Value::Array(values), key) => {
                if matches!(key, Value::BigInteger(_)) {
                    let message = big::too_big_for_long().to_string();
                    return Err(Obstacle { message, issue_code: "RUNTIME_ERROR", details: Value::Undef });
                }
                let Value::Integer(index) = key else {
                    let (text, walked) = ("requires an Integer index", path.get(..=at).unwrap_or_default());
                    return Err(obstacle(text, "EXPECTED_INTEGER_INDEX", "index_type", walked, key));
                };
                let index = if *index < 0 { index.saturating_add(values.len() as i64) } else { *index };
                usize::try_from(index).ok().and_then(|index| values.get(index))
            }
            (Value::Hash(hash), key) => hash.get(key),
            (other, _) => {
                let (text, walked) = ("does not contain a Collection", path.get(..at).unwrap_or_default());
                return Err(obstacle(text, "EXPECTED_COLLECTION", "value_type", walked, other));
            }
        };
        value = inner.unwrap_or(&Value::Undef);
    }
    Ok(value.clone())
}

fn dig(call: &Call<'_, '_>) -> Evaluated {
    let path = call.arguments.get(1..).unwrap_or_default();
    walk(call.argument(0), path).map_err(|obstacle| call.fail(obstacle.message))
}

fn get(call: &Call<'_, '_>) -> Evaluated {
    navigate(call, call.argument(0), call.text(1), call.argument(2))
}

/// Follows a dotted path into a value.
fn navigate(call: &Call<'_, '_>, value: &Value, path: &str, default: &Value) -> Evaluated {
    if value.is_undef() {
        return Ok(default.clone());
    }
    if path.is_empty() {
        return Ok(value.clone());
    }
    let mut segments = split_key(&format!("x.{path}"), call.fuel())?;
    segments.remove(0);
    // The first step is made by a function that takes collections only.
    if !matches!(value, Value::Array(_) | Value::Hash(_)) {
        let mut arguments = vec![value.clone()];
        arguments.append(&mut segments);
        return call.call_function("dig", &arguments, None);
    }
    match walk(value, &segments) {
        Ok(Value::Undef) => Ok(default.clone()),
        Ok(found) => Ok(found),
        Err(obstacle) if call.block.is_some() => {
            let attributes = [
                ("msg", obstacle.message.into()),
                ("kind", "SLICE_ERROR".into()),
                ("details", obstacle.details),
                ("issue_code", obstacle.issue_code.into()),
            ];
            let attributes = attributes.into_iter().map(|(name, value)| (name.into(), value)).collect();
            let error = match Type::parse("Error", &NoTypes)?.kind() {
                TypeKind::Object(of) => Value::Object(Arc::new(Object::new(Arc::clone(of), attributes))),
                _ => Value::Undef,
            };
            call.yield_block(&[error])
        }
        Err(obstacle) => Err(call.fail(obstacle.message)),
    }
}

/// The form of a segment of a dotted key.
static SEGMENT: LazyLock<RegexpValue> =
    LazyLock::new(|| RegexpValue::new(r#"(\s*"[^"]+"\s*|\s*'[^']+'\s*|[^'".]+)"#));

/// The segments of a dotted key: names, whole numbers, and anything in quotes. The reference's
/// `SubLookup#split_key`.
fn split_key(key: &str, fuel: &dyn Fuel) -> Result<Vec<Value>, Error> {
    if key.contains(['\'', '"']) {
        return split_quoted_key(key, fuel);
    }
    // Without quotes, what is between two dots is a segment.
    let mut segments = Vec::new();
    for text in key.split('.') {
        if text.is_empty() {
            return Err(no_path());
        }
        // Each takes two steps, which are counted for many at once.
        if segments.len() % SEGMENTS_AT_ONCE == 0 && !segments.is_empty() {
            fuel.charge(2 * SEGMENTS_AT_ONCE as u64)?;
        }
        segments.push(segment(text));
    }
    fuel.charge(2 * (1 + (segments.len() - 1) % SEGMENTS_AT_ONCE) as u64)?;
    Ok(segments)
}

/// After how many segments of a dotted key their steps are counted.
const SEGMENTS_AT_ONCE: usize = 1 << 10;

fn no_path() -> Error {
    Error::argument("Syntax error in dotted-navigation string")
}

/// As [`split_key`], with quotes.
fn split_quoted_key(key: &str, fuel: &dyn Fuel) -> Result<Vec<Value>, Error> {
    let mut segments = SEGMENT.regex(fuel)?.split(key, 0, fuel)?;
    fuel.charge(segments.len() as u64)?;
    if segments.is_empty() || !segments.remove(0).is_empty() || segments.is_empty() {
        return Err(no_path());
    }
    let count = segments.len();
    segments.retain(|segment| segment != ".");
    if segments.len() * 2 != count + 1 {
        return Err(no_path());
    }
    Ok(segments.iter().map(|text| segment(text)).collect())
}

/// The key that a segment of a dotted key is.
fn segment(text: &str) -> Value {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.trim_matches(|c: char| c == '\0' || c.is_ascii_whitespace() || c == '\u{B}');
    if text.starts_with(['"', '\'']) {
        return text.get(1..text.len().saturating_sub(1)).unwrap_or("").into();
    }
    let number = text.strip_prefix(':').unwrap_or(text);
    if is_digits(number.strip_prefix(['+', '-']).unwrap_or(number)) {
        return ruby::to_integer(text).unwrap_or(Value::Integer(i64::MAX));
    }
    text.into()
}

fn getvar(call: &Call<'_, '_>) -> Evaluated {
    let text = call.text(0);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut end = if text.starts_with("::") { 2 } else { 0 };
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        end += word;
        let rest = text.get(end..).unwrap_or_default();
        if !rest.strip_prefix("::").is_some_and(|next| next.starts_with(is_word)) {
            break;
        }
        end += 2;
    }
    let (name, rest) = text.split_at(end);
    let path = match rest.strip_prefix('.') {
        Some(path) => path,
        None => match rest.chars().next() {
            None => "",
            Some(first) => {
                let message =
                    format!("First character after var name in get string must be a '.' - got {first}");
                return Err(call.fail(message));
            }
        },
    };
    match variable(call, name)? {
        Some(value) => navigate(call, &value, path, call.argument(1)),
        None => Ok(call.argument(1).clone()),
    }
}

fn is_empty(call: &Call<'_, '_>) -> Evaluated {
    let is_empty = |value: &Value| match value {
        Value::Array(values) => values.is_empty(),
        Value::Hash(hash) => hash.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::ByteString(bytes) => bytes.bytes().is_empty(),
        Value::Binary(bytes) => bytes.is_empty(),
        _ => false,
    };
    Ok(match call.argument(0) {
        Value::Sensitive(value) => is_empty(value),
        value => is_empty(value),
    }
    .into())
}

fn is_number_empty(call: &Call<'_, '_>) -> Evaluated {
    let location = call.location();
    let place = (location.file.as_deref().unwrap_or(""), location.line.unwrap_or(0));
    warn_once_here(
        call,
        &format!("empty-from-{}-{}", place.0, place.1),
        "Calling function empty() with Numeric value is deprecated.",
    );
    Ok(false.into())
}

fn length(call: &Call<'_, '_>) -> Evaluated {
    let length = match call.argument(0) {
        Value::Array(values) => values.len(),
        Value::Hash(hash) => hash.len(),
        Value::String(text) => text.chars().count(),
        Value::ByteString(bytes) => bytes.bytes().len(),
        Value::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    Ok(Value::Integer(length as i64))
}

fn join(call: &Call<'_, '_>) -> Evaluated {
    let separator = call.arguments.get(1).and_then(Value::as_str).unwrap_or("");
    match call.argument(0) {
        Value::Array(values) => Ok(ruby::join_values(values, separator, call.fuel())?),
        _ => Ok("".into()),
    }
}

fn hash(call: &Call<'_, '_>) -> Arc<Hash> {
    match call.argument(0) {
        Value::Hash(hash) => Arc::clone(hash),
        _ => Arc::default(),
    }
}

fn keys(call: &Call<'_, '_>) -> Evaluated {
    Ok(Value::array(hash(call).keys().cloned()))
}

fn values(call: &Call<'_, '_>) -> Evaluated {
    Ok(Value::array(hash(call).values().cloned()))
}

/// The elements of a collection, each with the arguments that a block with two parameters gets.
fn items(call: &Call<'_, '_>) -> impl Iterator<Item = Value> {
    iterate::elements(call.argument(0)).into_iter().flatten()
}

/// Passes each element of a collection with its number.
fn each_item(call: &Call<'_, '_>, mut see: impl FnMut(usize, &Value) -> Evaluated<()>) -> Evaluated<()> {
    if let Value::Array(values) = call.argument(0) {
        return values.iter().enumerate().try_for_each(|(index, item)| see(index, item));
    }
    items(call).enumerate().try_for_each(|(index, item)| see(index, &item))
}

fn parts(pair: &Value) -> Vec<Value> {
    match pair {
        Value::Array(parts) => parts.to_vec(),
        other => vec![other.clone()],
    }
}

fn grouped(call: &Call<'_, '_>, mut ask: impl FnMut(usize, &Value) -> Evaluated) -> Evaluated {
    let mut groups: IndexMap<Value, Vec<Value>, FxBuildHasher> = IndexMap::default();
    let mut gathered = 0;
    each_item(call, |index, item| {
        let key = ask(index, item)?;
        gathered += 2;
        call.evaluator.usage.check_count(gathered)?;
        groups.entry(key).or_default().push(item.clone());
        Ok(())
    })?;
    Ok(Value::hash(groups.into_iter().map(|(key, items)| (key, items.into()))))
}

fn group_by(call: &Call<'_, '_>) -> Evaluated {
    let mut repeated = Repeated::default();
    grouped(call, |_, item| call.yield_again(&mut repeated, [item.clone()]))
}

fn group_by_index(call: &Call<'_, '_>) -> Evaluated {
    let mut repeated = Repeated::default();
    grouped(call, |index, item| call.yield_again(&mut repeated, [Value::Integer(index as i64), item.clone()]))
}

fn group_by_pair(call: &Call<'_, '_>) -> Evaluated {
    grouped(call, |_, item| call.yield_block(&parts(item)))
}

fn parted(call: &Call<'_, '_>, mut ask: impl FnMut(usize, &Value) -> Evaluated) -> Evaluated {
    let (mut accepted, mut rejected) = (Vec::new(), Vec::new());
    each_item(call, |index, item| {
        call.evaluator.usage.check_count(index)?;
        let is_accepted = ask(index, item)?.is_truthy();
        if is_accepted { &mut accepted } else { &mut rejected }.push(item.clone());
        Ok(())
    })?;
    Ok(Value::array([accepted.into(), rejected.into()]))
}

fn partition(call: &Call<'_, '_>) -> Evaluated {
    let mut repeated = Repeated::default();
    parted(call, |_, item| call.yield_again(&mut repeated, [item.clone()]))
}

fn partition_by_index(call: &Call<'_, '_>) -> Evaluated {
    let mut repeated = Repeated::default();
    parted(call, |index, item| call.yield_again(&mut repeated, [Value::Integer(index as i64), item.clone()]))
}

fn partition_by_pair(call: &Call<'_, '_>) -> Evaluated {
    parted(call, |_, item| call.yield_block(&parts(item)))
}

/// Keeps only the first of values that are equal.
fn distinct<V: StdHash + Eq>(
    call: &Call<'_, '_>,
    values: impl Iterator<Item = V>,
) -> Evaluated<IndexSet<V, FxBuildHasher>> {
    let mut kept: IndexSet<V, FxBuildHasher> = IndexSet::default();
    for value in values {
        call.charge_steps(2)?;
        call.evaluator.usage.check_count(kept.len())?;
        kept.insert(value);
    }
    Ok(kept)
}

/// Keeps only the first of values that are equal, or for which the block returns the same.
fn uniq(call: &Call<'_, '_>) -> Evaluated<Vec<Value>> {
    if call.block.is_none() {
        return Ok(match call.argument(0) {
            Value::Array(values) => distinct(call, values.iter())?.into_iter().cloned().collect(),
            _ => distinct(call, items(call))?.into_iter().collect(),
        });
    }
    let mut seen: IndexSet<Value, FxBuildHasher> = IndexSet::default();
    let (mut kept, mut repeated) = (Vec::new(), Repeated::default());
    each_item(call, |_, value| {
        call.charge_steps(2)?;
        call.evaluator.usage.check_count(kept.len())?;
        if seen.insert(call.yield_again(&mut repeated, [value.clone()])?) {
            kept.push(value.clone());
        }
        Ok(())
    })?;
    Ok(kept)
}

fn unique(call: &Call<'_, '_>) -> Evaluated {
    if matches!(call.argument(0), Value::Type(_)) && iterate::elements(call.argument(0)).is_none() {
        return Err(Error::internal("unique(): the type has no values to go through").into());
    }
    Ok(uniq(call)?.into())
}

/// As Ruby's `Array#uniq`, which does not ask the block about a single value.
fn unique_array(call: &Call<'_, '_>) -> Evaluated {
    match call.argument(0) {
        Value::Array(values) if values.len() < 2 => Ok(call.argument(0).clone()),
        _ => unique(call),
    }
}

fn unique_string(call: &Call<'_, '_>) -> Evaluated {
    if call.argument(0).as_str().is_some_and(|text| text.chars().nth(1).is_none()) {
        return Ok(call.argument(0).clone());
    }
    Ok(uniq(call)?.iter().filter_map(Value::as_str).collect::<String>().into())
}

fn unique_hash(call: &Call<'_, '_>) -> Evaluated {
    let mut groups: IndexMap<Value, (Vec<Value>, IndexSet<Value, FxBuildHasher>), FxBuildHasher> =
        IndexMap::default();
    for (key, value) in &*hash(call) {
        call.charge_steps(1)?;
        let group = match call.block {
            Some(_) => call.yield_block(std::slice::from_ref(value))?,
            None => value.clone(),
        };
        let (keys, values) = groups.entry(group).or_default();
        keys.push(key.clone());
        values.insert(value.clone());
    }
    Ok(Value::hash(groups.into_values().map(|(keys, values)| (keys.into(), Value::array(values)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::fuel::Unmetered;

    #[test]
    fn keys_without_quotes_are_split_as_those_with_some() {
        let keys = [
            "x.a",
            "x.a.b",
            "x.1.-2.+3",
            "x. 4 .b c",
            "x.:5",
            "x.",
            "x..a",
            "x.a.",
            ".x",
            "",
            "x",
            "x.\u{e4}.\n.\t",
            "x.99999999999999999999",
            "x.a-b.c_d::e",
        ];
        for key in keys {
            let (plain, quoted) = (split_key(key, &Unmetered), split_quoted_key(key, &Unmetered));
            let shown =
                |result: Result<Vec<Value>, Error>| format!("{:?}", result.map_err(|error| error.message));
            assert_eq!(shown(plain), shown(quoted), "{key:?}");
        }
        let quoted = split_key("x.'a.b'.\"c\"", &Unmetered).expect("it is a path");
        assert_eq!(quoted, ["x".into(), "a.b".into(), Value::from("c")]);
    }
}
