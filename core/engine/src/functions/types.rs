//! Types: `annotate`, `assert_type`, `convert_to`, `new`, `type`.

use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::convert::{Surroundings, new_instance};
use bunraku_pcore::types::{NoTypes, Type, TypeKind, mismatch};
use bunraku_pcore::{Value, label};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "annotate",
        &[
            Dispatch::new("Type[Annotation] $type, Any $value, Callable[0, 0]? &block", annotate),
            Dispatch::new(
                "Type[Annotation] $type, Any $value, Variant[Enum[clear],Hash[Pcore::MemberName,Any]] $annotation_hash",
                annotate_new,
            ),
            Dispatch::new(
                "Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName,Any]] $annotations",
                annotate_all,
            ),
        ],
    ),
    BuiltIn::new(
        "assert_type",
        &[
            Dispatch::new("Type $type, Any $value, Callable[Type, Type]? &block", assert_type),
            Dispatch::new("String $type_string, Any $value, Callable[Type, Type]? &block", assert_type),
        ],
    )
    .only_in_4x(),
    BuiltIn::new(
        "convert_to",
        &[Dispatch::new("Any $value, Type $type, Any* $args, Callable[1,1]? &block", convert_to)],
    ),
    BuiltIn::new("new", &[Dispatch::new("Type $type, Any* $args, Callable? &block", new)]).only_in_4x(),
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
    )
    .only_in_4x(),
];

/// The annotation of a type for a value: the existing one, or one from the type's declaration or from the
/// block.
fn annotate(call: &Call<'_, '_>) -> Evaluated {
    let Value::Type(of) = call.argument(0) else { return Ok(Value::Undef) };
    find_or_make(call, of, call.argument(1), || {
        if call.block.is_some() { call.yield_block(&[]) } else { Ok(Value::Undef) }
    })
}

fn find_or_make(
    call: &Call<'_, '_>,
    of: &Type,
    value: &Value,
    initializer: impl FnOnce() -> Evaluated,
) -> Evaluated {
    if let Some(annotation) = call.evaluator.loaded.annotation(of, value) {
        return Ok(annotation);
    }
    let initializer = match declared_annotation(of, value) {
        Some(declared) => declared,
        None => initializer()?,
    };
    if initializer.is_undef() {
        return Ok(Value::Undef);
    }
    let annotation = call.call_function("new", &[of.clone().into(), initializer], None)?;
    call.evaluator.loaded.set_annotation(of, value, Some(annotation.clone()));
    Ok(annotation)
}

/// An Object type's or type set's declaration of its own annotation.
fn declared_annotation(of: &Type, value: &Value) -> Option<Value> {
    let Value::Type(annotated) = value else { return None };
    let annotations = match annotated.kind() {
        TypeKind::Object(object) => object.definition.get()?.annotations.as_ref()?,
        TypeKind::TypeSet(set) => set.definition.get()?.annotations.as_ref()?,
        _ => return None,
    };
    annotations.iter().find(|(annotation, _)| annotation == of).map(|(_, declared)| declared.clone())
}

/// Sets an annotation, or removes it and returns the previous one.
fn annotate_new(call: &Call<'_, '_>) -> Evaluated {
    let Value::Type(of) = call.argument(0) else { return Ok(Value::Undef) };
    let (value, initializer) = (call.argument(1), call.argument(2));
    let clears = matches!(initializer, Value::String(_));
    if declared_annotation(of, value).is_some() {
        let action = if clears { "clear" } else { "redefine" };
        let label = label::label(value);
        return Err(call.fail(format!("attempt to {action} {of} annotation declared on {label}")));
    }
    if clears {
        return Ok(call.evaluator.loaded.set_annotation(of, value, None).unwrap_or_default());
    }
    let annotation = call.call_function("new", &[of.clone().into(), initializer.clone()], None)?;
    call.evaluator.loaded.set_annotation(of, value, Some(annotation.clone()));
    Ok(annotation)
}

/// Adds several annotations unless they exist, and returns the value.
fn annotate_all(call: &Call<'_, '_>) -> Evaluated {
    let value = call.argument(1);
    if let Value::Hash(annotations) = call.argument(2) {
        for (of, initializer) in &**annotations {
            let Value::Type(of) = of else { continue };
            find_or_make(call, of, value, || Ok(initializer.clone()))?;
        }
    }
    Ok(value.clone())
}

fn assert_type(call: &Call<'_, '_>) -> Evaluated {
    let expected = match call.argument(0) {
        Value::Type(of) => of.clone(),
        other => Type::parse(other.as_str().unwrap_or(""), &NoTypes)?,
    };
    let value = call.argument(1);
    if expected.check_instance_with(value, call.fuel())? {
        return Ok(value.clone());
    }
    expected.check_init()?;
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
    let now = || call.evaluator.now();
    let around = Surroundings { types: call.evaluator, now: &now, fuel: call.fuel() };
    let made = new_instance(of, arguments, &around)?;
    // A value that already has the type is the result, even with a block.
    if let [given] = arguments
        && !matches!(of.kind(), TypeKind::Init { .. })
        && of.check_instance_with(given, call.fuel())?
    {
        return Ok(made);
    }
    if call.block.is_some() { call.yield_block(&[made]) } else { Ok(made) }
}
