//! Types of values: `is_a`, `type_of`, `type3x`.

use super::{function, ruby, rvalue, wrong_number};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::format::float_to_s;
use bunraku_pcore::types::Type;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    function("is_a", &[Dispatch::new("Any $value, Type $type", is_a)]),
    rvalue!("type3x", type3x),
    function("type_of", &[Dispatch::new("Any $value", |call| Ok(Type::infer_set(call.argument(0)).into()))]),
];

fn is_a(call: &Call<'_, '_>) -> Evaluated {
    Ok(match call.argument(1) {
        Value::Type(of) => of.is_instance(call.argument(0)).into(),
        _ => false.into(),
    })
}

/// The name of a value's class as Puppet 3 knew it; a text that is a number is named after it.
fn type3x(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let [value] = arguments else { return Err(wrong_number(call, arguments.len(), "1")) };
    Ok(match value {
        Value::Boolean(_) => "boolean",
        Value::Array(_) => "array",
        Value::Hash(_) => "hash",
        Value::Integer(_) | Value::BigInteger(_) => "integer",
        Value::Float(_) => "float",
        Value::String(text) if ruby::to_i(text).is_some_and(|number| number.to_string() == text.as_str()) => {
            "integer"
        }
        Value::String(text) if float_to_s(ruby::to_f(text)) == text.as_str() => "float",
        Value::String(_) => "string",
        _ => return Err(call.fail("type3x(): Unknown type")),
    }
    .into())
}
