//! Conversions: `Type.new`, and values as text.
//!
//! [`constructor`](crate::types::constructor) declares the arguments of `new` for each type; the other files
//! make the values, by target.

mod collection;
pub mod iterate;
pub mod joined;
mod numeric;
mod scalar;
pub mod string;
pub mod string_format;

use std::sync::Arc;

use crate::data::fuel::Fuel;
use crate::data::value::{Timestamp, Value};
use crate::types::{StaticTypes, TypeLoader};
use crate::types::{Type, TypeKind, asserter};
use crate::types::{attributes, instantiate};
use bunraku_syntax::diagnostic::Error;

use crate::types::constructor::{Constructor, Matched, Target};

/// The context of conversions.
pub struct Surroundings<'a> {
    /// Types by name, for `Type.new('Name')`.
    pub types: &'a dyn TypeLoader,
    /// The current time, for `Timestamp.new()`.
    pub now: &'a dyn Fn() -> Timestamp,
    /// Limits long work: compiling regular expressions.
    pub fuel: &'a dyn Fuel,
}

/// The maximum nesting of `Init` types that make `Init` types.
const MAX_DEPTH: usize = 50;

/// Makes a value of a type: the `new` function of the language, and calling a type.
///
/// # Errors
/// Values of the type cannot be made, the arguments do not match, or the result is not an instance.
pub fn new_instance(of: &Type, arguments: &[Value], around: &Surroundings<'_>) -> Result<Value, Error> {
    new_instance_at(of, arguments, around, 0)
}

fn new_instance_at(
    of: &Type,
    arguments: &[Value],
    around: &Surroundings<'_>,
    depth: usize,
) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::limit("types refer to each other too deeply"));
    }
    if let [only] = arguments
        && !matches!(of.kind(), TypeKind::Init { .. })
        && of.check_instance(only)?
    {
        return Ok(only.clone());
    }
    let constructor = crate::types::constructor::constructor(of)?;
    let value = call(&constructor, arguments, around, depth)?;
    asserter::assert_instance(format_args!("Converted value from {of}.new()"), of, &value)?;
    Ok(value)
}

/// A text, which the signature has checked.
fn text_argument(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn call(
    constructor: &Constructor,
    arguments: &[Value],
    around: &Surroundings<'_>,
    depth: usize,
) -> Result<Value, Error> {
    let index = match constructor.find(arguments)? {
        Matched::Signature(index) => index,
        Matched::Mismatch(index) => {
            let complaint = mismatch(constructor, index, arguments)?;
            return Err(Error::argument(format!("'{}' {complaint}", constructor.name)));
        }
    };
    let absent = Value::Undef;
    let at = |index: usize| arguments.get(index).unwrap_or(&absent);
    let name = |name: &str| match at(0) {
        Value::Hash(hash) => numeric::named(hash, name),
        _ => Value::Undef,
    };
    match (&constructor.target, index) {
        (Target::Unit, _) => Ok(at(0).clone()),
        (Target::Type, _) => Type::parse(text_argument(at(0)), &StaticTypes).map(Value::Type),
        (Target::Numeric, 0) => numeric::numeric(at(0), at(1)),
        (Target::Numeric, _) => numeric::numeric(&name("from"), &name("abs")),
        (Target::Integer, 0) => numeric::integer(at(0), at(1), at(2)),
        (Target::Integer, _) => numeric::integer(&name("from"), &name("radix"), &name("abs")),
        (Target::Float, 0) => numeric::float(at(0), at(1)),
        (Target::Float, _) => numeric::float(&name("from"), &name("abs")),
        (Target::Boolean, _) => Ok(numeric::boolean(at(0))),
        (Target::String, _) => string::made(at(0), arguments.get(1).unwrap_or(&Value::Default)),
        (Target::Regexp, _) => scalar::regexp(at(0), at(1), around.fuel),
        (Target::Array, 0) => collection::array(at(0)),
        (Target::Array, _) => Ok(collection::wrapped(at(0))),
        (Target::Hash, 0) => match at(1).as_str() {
            None => Ok(collection::from_pairs(at(0))),
            Some(option) => collection::from_tree(at(0), option == "hash_tree"),
        },
        (Target::Hash, 1) => Ok(collection::from_pairs(at(0))),
        (Target::Hash, _) => collection::from_any(at(0)),
        (Target::Sensitive, 0) => Ok(at(0).clone()),
        (Target::Sensitive, _) => Ok(Value::sensitive(at(0).clone())),
        (Target::SemVer, 0) => scalar::version(at(0)),
        (Target::SemVer, 1) => scalar::version_of([at(0), at(1), at(2), at(3), at(4)]),
        (Target::SemVerRange, 0) => scalar::range(at(0)),
        (Target::SemVerRange, 1) => Ok(scalar::range_of(at(0), at(1), at(2))),
        (Target::SemVerRange, _) => {
            let has_max = matches!(at(0), Value::Hash(hash) if hash.contains_key(&Value::from("max")));
            let max = if has_max { name("max") } else { Value::Default };
            Ok(scalar::range_of(&name("min"), &max, &name("exclude_max")))
        }
        (Target::Binary, 0) => scalar::binary_of(at(0), at(1)),
        (Target::Timespan, 0) => scalar::timespan_of_seconds(at(0)),
        (Target::Timespan, 1) => scalar::timespan(at(0), at(1), around.fuel),
        (Target::Timespan, 2) => {
            scalar::timespan_of_fields(false, [at(0), at(1), at(2), at(3), at(4), at(5), at(6)])
        }
        (Target::Timespan, 3) => scalar::timespan(&name("string"), &name("format"), around.fuel),
        (Target::Timestamp, 0) => Ok(Value::from((around.now)())),
        (Target::Timestamp, 1) => scalar::timestamp_of_seconds(at(0)),
        (Target::Timestamp, 2) => scalar::timestamp(at(0), at(1), at(2), around.fuel),
        (Target::Timestamp, _) => {
            scalar::timestamp(&name("string"), &name("format"), &name("timezone"), around.fuel)
        }
        (Target::Uri, 0) => scalar::uri(at(0)),
        (Target::Object(object), index) if index + 1 == constructor.signatures.len() => {
            instantiate::from_arguments(object, arguments)
        }
        (Target::MetaType(object), _) => attributes::create_by_call(object, arguments),
        (Target::Init { of, arguments: rest, single }, _) => {
            let arguments: Vec<Value> = match at(0) {
                Value::Array(values) if rest.is_empty() && !single.is_instance(at(0)) => values.to_vec(),
                value => std::iter::once(value.clone()).chain(rest.iter().cloned()).collect(),
            };
            new_instance_at(of, &arguments, around, depth + 1)
        }
        (Target::SemVer | Target::Binary | Target::Timespan | Target::Uri | Target::Object(_), _) => {
            of_collection(&constructor.target, at(0))
        }
    }
}

/// The result for a hash or list that a signature accepts instead of arguments.
fn of_collection(target: &Target, given: &Value) -> Result<Value, Error> {
    match (target, given) {
        (Target::Binary, Value::Array(bytes)) => Ok(scalar::binary_of_bytes(bytes)),
        (Target::Binary, Value::Hash(hash)) => match numeric::named(hash, "value") {
            Value::Array(bytes) => Ok(scalar::binary_of_bytes(&bytes)),
            text => scalar::binary_of(&text, &numeric::named(hash, "format")),
        },
        (Target::SemVer, Value::Hash(hash)) => scalar::version_of_hash(hash),
        (Target::Timespan, Value::Hash(hash)) => scalar::timespan_of_hash(hash),
        (Target::Uri, Value::Hash(hash)) => scalar::uri_of_hash(hash),
        (Target::Object(object), Value::Hash(hash)) => Ok(instantiate::from_hash(&Arc::clone(object), hash)),
        _ => Ok(Value::Undef),
    }
}

/// A constructor's own message about arguments that it does not accept.
fn mismatch(constructor: &Constructor, index: usize, arguments: &[Value]) -> Result<String, Error> {
    let absent = Value::Undef;
    let from = arguments.first().unwrap_or(&absent);
    Ok(match constructor.target {
        Target::Numeric => numeric::cannot_convert(from, "Numeric"),
        Target::Float => numeric::cannot_convert(from, "Float"),
        Target::Boolean => numeric::cannot_convert(from, "Boolean"),
        Target::Array => numeric::not_convertible(from, "Array"),
        Target::SemVer => numeric::cannot_convert(from, "a SemVer"),
        Target::Integer => match (index, from) {
            (0, Value::Hash(hash)) => {
                let signature = constructor.signatures.get(1).map(|signature| signature.callable.kind());
                let named_type = match signature {
                    Some(TypeKind::Callable(callable)) => {
                        match callable.parameters.as_ref().map(Type::kind) {
                            Some(TypeKind::Tuple { types, .. }) => types.first().cloned(),
                            _ => None,
                        }
                    }
                    _ => None,
                };
                let named_type = named_type.unwrap_or_else(Type::any);
                let from_type = match named_type.resolved().kind() {
                    TypeKind::Struct { members } => members.get(0).map(|member| member.value.clone()),
                    _ => None,
                };
                if let (Some(from), Some(from_type)) = (hash.get(&Value::from("from")), from_type)
                    && !from_type.is_instance(from)
                {
                    return Ok(numeric::cannot_convert(from, "Integer"));
                }
                assert_radix(&numeric::named(hash, "radix"))?;
                asserter::assert_instance("Integer.new", &named_type, from)?;
                String::new()
            }
            _ => {
                assert_radix(arguments.get(1).unwrap_or(&absent))?;
                numeric::cannot_convert(from, "Integer")
            }
        },
        _ => String::new(),
    })
}

fn assert_radix(radix: &Value) -> Result<(), Error> {
    match radix {
        Value::Undef | Value::Default | Value::Integer(2 | 8 | 10 | 16) => Ok(()),
        other => {
            let radix = string::to_string(other);
            Err(Error::argument(format!("Illegal radix: {radix}, expected 2, 8, 10, 16, or default")))
        }
    }
}
