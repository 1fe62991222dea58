//! Resources: `ensure_packages`, `ensure_resource`, `ensure_resources`, `defined_with_params`, `getparam`,
//! `stdlib::str2resource`.

use super::{function, legacy, ruby, rvalue, statement};
use crate::catalog::reference;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::label::in_place_of_text;
use bunraku_pcore::types::TypeKind;
use bunraku_pcore::value::Hash;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("defined_with_params", |call, arguments: &[Value]| {
        let reference = arguments.first().unwrap_or(&Value::Undef);
        Ok(is_defined(call, reference, call.argument(1))?.into())
    }),
    function(
        "ensure_packages",
        &[Dispatch::new(
            "Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash? $default_attributes >> Undef",
            ensure_packages,
        )],
    ).calling(),
    statement!("ensure_resource", ensure_resource).calling(),
    statement!("ensure_resources", ensure_resources).calling(),
    rvalue!("getparam", getparam),
    function("stdlib::str2resource", &[Dispatch::new("String $res_string >> Any", str2resource)]),
];

/// The parameters of a resource in the catalog by its reference.
fn find(call: &Call<'_, '_>, reference: &str) -> Option<Vec<(bunraku_pcore::Str, Value)>> {
    let (type_name, title) = reference::split(reference)?;
    call.evaluator.context.resource_values(call.scope, type_name, title)
}

/// Whether a resource with these values exists, other than the one whose body is evaluated.
fn is_defined(call: &Call<'_, '_>, reference: &Value, wanted: &Value) -> Evaluated<bool> {
    let text = match reference {
        Value::Undef | Value::Boolean(false) => {
            return Err(Error::argument("Must specify a reference").into());
        }
        Value::String(text) => text.clone(),
        Value::Runtime(of) if of.class == legacy::RESOURCE => of.text.clone(),
        other => {
            let class = ruby::class_name(other);
            return Err(Error::argument(format!("Reference is not understood: '{class}'")).into());
        }
    };
    if matches!(reference, Value::String(_)) && reference::split(&text).is_none() {
        return Err(Error::argument(format!(
            "No title provided and {} is not a valid resource reference",
            bunraku_pcore::format::inspect(reference)
        ))
        .into());
    }
    let Some(values) = find(call, &text) else { return Ok(false) };
    let none = Hash::default();
    let wanted = match wanted {
        Value::Hash(wanted) => wanted,
        _ => &none,
    };
    let value_of =
        |name: &str| values.iter().find(|(known, _)| known == name).map_or(&Value::Undef, |(_, value)| value);
    Ok(wanted.iter().all(|(name, value)| ruby::equals(value_of(&ruby::to_s(name)), value)))
}

/// Declares a resource unless one with these values exists.
fn ensure(call: &Call<'_, '_>, of: &Value, title: &Value, parameters: &Value) -> Evaluated {
    for title in ruby::flatten(std::slice::from_ref(title)) {
        let reference = format!("{}[{}]", ruby::to_s(of), ruby::to_s(&title));
        if !is_defined(call, &reference.into(), parameters)? {
            let Value::String(type_name) = of else {
                return Err(super::no_method("capitalize", of));
            };
            let instances = Value::hash([(title, parameters.clone())]);
            call.call_function("create_resources", &[type_name.clone().into(), instances], None)?;
        }
    }
    Ok(Value::Undef)
}

/// The type and title of `ensure_resource` and `ensure_resources`, and their parameters, none when not given.
fn parts<'v>(
    call: &Call<'_, '_>,
    arguments: &'v [Value],
) -> Result<(&'v Value, &'v Value, Value), crate::eval::Unwind> {
    let given = |index: usize| arguments.get(index).filter(|value| value.is_truthy());
    let Some(type_name) = given(0) else { return Err(call.fail("Must specify a type")) };
    let Some(title) = given(1) else { return Err(call.fail("Must specify a title")) };
    Ok((type_name, title, given(2).cloned().unwrap_or_else(|| Value::hash([]))))
}

// References among the parameters of a resource stay unchanged: these functions take the arguments without
// conversion.

fn ensure_resource(call: &Call<'_, '_>, _: &[Value]) -> Evaluated {
    let (type_name, title, parameters) = parts(call, call.arguments)?;
    ensure(call, type_name, title, &parameters)
}

fn ensure_resources(call: &Call<'_, '_>, _: &[Value]) -> Evaluated {
    let (type_name, resources, parameters) = parts(call, call.arguments)?;
    let Value::Hash(resources) = resources else {
        return Err(call.fail("ensure_resources(): Requires second argument to be a Hash"));
    };
    for (title, own) in resources.iter() {
        let merged = match (own, &parameters) {
            (Value::Hash(own), Value::Hash(common)) => {
                let mut merged = (**common).clone();
                merged.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
                merged.into()
            }
            (Value::Undef | Value::Boolean(false), _) => parameters.clone(),
            (other, _) => {
                let message = format!("no implicit conversion of {} into Hash", in_place_of_text(other));
                return Err(Error::internal(message).into());
            }
        };
        ensure(call, type_name, title, &merged)?;
    }
    Ok(Value::Undef)
}

fn ensure_packages(call: &Call<'_, '_>) -> Evaluated {
    let installed = || Value::from("installed");
    let mut defaults = Hash::default();
    defaults.insert("ensure".into(), installed());
    if let Value::Hash(given) = call.argument(1) {
        defaults.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
        if defaults.get(&Value::from("ensure")) == Some(&"present".into()) {
            defaults.insert("ensure".into(), installed());
        }
    }
    let defaults = Value::from(defaults);
    match call.argument(0) {
        packages @ Value::Hash(_) => {
            call.call_function("ensure_resources", &["package".into(), packages.clone(), defaults], None)?;
        }
        Value::Array(names) => {
            for name in names.iter() {
                let arguments = ["package".into(), name.clone(), defaults.clone()];
                call.call_function("ensure_resource", &arguments, None)?;
            }
        }
        name => {
            call.call_function("ensure_resource", &["package".into(), name.clone(), defaults], None)?;
        }
    }
    Ok(Value::Undef)
}

fn getparam(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let reference = arguments.first().filter(|reference| reference.is_truthy());
    let Some(reference) = reference else { return Err(call.fail("Must specify a reference")) };
    let Some(Value::String(name)) = arguments.get(1) else {
        return Err(call.fail("Must specify name of a parameter"));
    };
    let reference = match reference {
        Value::Runtime(of) if of.class == legacy::RESOURCE => of.text.to_string(),
        other => ruby::to_s(other),
    };
    if name.is_empty() {
        return Ok("".into());
    }
    let Some((_, title)) = reference::split(&reference) else {
        let shown = bunraku_pcore::format::inspect(&reference.into());
        let message = format!("No title provided and {shown} is not a valid resource reference");
        return Err(Error::argument(message).into());
    };
    let Some(values) = find(call, &reference) else { return Ok("".into()) };
    if name == "title" {
        return Ok(title.into());
    }
    let value = values.into_iter().find(|(known, value)| known == name && !value.is_undef());
    Ok(value.map_or_else(|| "".into(), |(_, value)| value))
}

fn str2resource(call: &Call<'_, '_>) -> Evaluated {
    let text = call.text(0);
    let parts = reference::split(text).ok_or_else(|| {
        let shown = bunraku_pcore::format::inspect(call.argument(0));
        Error::argument(format!("No title provided and {shown} is not a valid resource reference"))
    })?;
    let (type_name, title) = reference::canonical(parts.0, parts.1);
    if !call.evaluator.context.has_resource(&type_name, &title) {
        return Err(call.fail(format!(
            "stdlib::str2resource(): could not find {type_name}[{title}], this is parse order dependent and values should not be quoted"
        )));
    }
    let (type_name, title) = (Some(type_name), Some(title));
    Ok(Value::Type(TypeKind::Resource { type_name, title, is_reference: true }.into()))
}
