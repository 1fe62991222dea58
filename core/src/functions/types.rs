//! Types: `annotate`, `assert_type`, `convert_to`, `new`, `type`.

use crate::diagnostic::Error;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::pcore::types::{NoTypes, Type, mismatch};
use crate::pcore::{Value, convert};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "annotate",
        &[
            Dispatch::new("Type[Annotation] $type, Any $value, Callable[0, 0]? &block", annotate),
            Dispatch::new(
                "Type[Annotation] $type, Any $value, Variant[Enum[clear],Hash[Pcore::MemberName,Any]] $annotation_hash",
                annotate,
            ),
            Dispatch::new(
                "Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName,Any]] $annotations",
                annotate,
            ),
        ],
    ),
    BuiltIn::new(
        "assert_type",
        &[
            Dispatch::new("Type $type, Any $value, Callable[Type, Type]? &block", assert_type),
            Dispatch::new("String $type_string, Any $value, Callable[Type, Type]? &block", assert_type),
        ],
    ),
    BuiltIn::new(
        "convert_to",
        &[Dispatch::new("Any $value, Type $type, Any* $args, Callable[1,1]? &block", convert_to)],
    ),
    BuiltIn::new("new", &[Dispatch::new("Type $type, Any* $args, Callable? &block", new)]),
    BuiltIn::new(
        "type",
        &[
            Dispatch::new("Any $value, Enum[detailed]? $inference_method", |call| {
                Ok(Type::infer_set(call.argument(0)).into())
            }),
            Dispatch::new("Any $value, Enum[reduced] $inference_method", |call| {
                Ok(Type::infer(call.argument(0)).into())
            }),
            Dispatch::new("Any $value, Enum[generalized] $inference_method", |call| {
                Ok(Type::infer(call.argument(0)).generalize().into())
            }),
        ],
    ),
];

fn annotate(call: &Call<'_, '_>) -> Evaluated {
    let of = call.argument(0);
    Err(Error::internal(format!("undefined method `annotate' for {of:?}")).into())
}

fn assert_type(call: &Call<'_, '_>) -> Evaluated {
    let expected = match call.argument(0) {
        Value::Type(of) => of.clone(),
        other => Type::parse(other.as_str().unwrap_or(""), &NoTypes)?,
    };
    let value = call.argument(1);
    if expected.is_instance(value) {
        return Ok(value.clone());
    }
    let actual = Type::infer_set(value);
    if call.block.is_some() {
        return call.yield_block(&[expected.into(), actual.into()]);
    }
    Err(call.fail(mismatch::describe("assert_type():", &expected, &actual)))
}

fn convert_to(call: &Call<'_, '_>) -> Evaluated {
    let mut arguments = vec![call.argument(1).clone(), call.argument(0).clone()];
    arguments.extend_from_slice(call.arguments.get(2..).unwrap_or_default());
    let converted = call.call_function("new", &arguments, None)?;
    if call.block.is_some() { call.yield_block(&[converted]) } else { Ok(converted) }
}

fn new(call: &Call<'_, '_>) -> Evaluated {
    let Value::Type(of) = call.argument(0) else { return Ok(Value::Undef) };
    let arguments = call.arguments.get(1..).unwrap_or_default();
    let made = convert::new_instance(of, arguments)?;
    if call.block.is_some() { call.yield_block(&[made]) } else { Ok(made) }
}
