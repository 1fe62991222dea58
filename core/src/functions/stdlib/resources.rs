//! Resources: `assert_private`, `defined_with_params`, `ensure_packages`, `ensure_resource`, `ensure_resources`,
//! `getparam`.

use super::super::{ruby, variable};
use super::{refuse, statement, value};
use crate::catalog::reference;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, ScopeKind};
use crate::pcore::Value;
use crate::pcore::types::{Type, TypeKind};
use crate::pcore::value::Hash;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    statement!("assert_private", assert_private),
    value!("defined_with_params", -1, defined_with_params),
    statement!("ensure_resource", ensure_resource),
    statement!("ensure_resources", ensure_resources),
    value!("getparam", -1, getparam),
    BuiltIn::new(
        "ensure_packages",
        &[Dispatch::new(
            "Variant[String[1], Array[String[1]], Hash[String[1], Any]] $packages, Hash? $default_attributes >> Undef",
            ensure_packages,
        )],
    )
    .of_module("stdlib"),
];

/// Refuses to be called from another module than that of the class or define around the call.
fn assert_private(call: &Call<'_, '_>) -> Evaluated {
    let count = call.arguments.len();
    if count > 1 {
        return Err(refuse(format!(
            "assert_private(): Wrong number of arguments given ({count}}}) for 0 or 1)"
        )));
    }
    let module = variable(call, "module_name")?.unwrap_or_default();
    let caller = variable(call, "caller_module_name")?.unwrap_or_default();
    if module == caller {
        return Ok(Value::Undef);
    }
    if let Some(Value::String(message)) = call.arguments.first() {
        return Err(refuse(message.to_string()));
    }
    let mut scope = Some(call.scope);
    while let Some(at) = scope {
        match &at.kind {
            ScopeKind::Class(definition) => {
                return Err(refuse(format!("Class {} is private", definition.name)));
            }
            ScopeKind::Define(definition) => {
                return Err(refuse(format!("Definition {} is private", definition.name)));
            }
            _ => scope = at.parent.as_ref(),
        }
    }
    Err(refuse("Class  is private"))
}

/// The type and title that a reference names: a text such as `User[dan]`, or a type.
fn target(value: &Value) -> Option<(String, String)> {
    match value {
        Value::String(text) => {
            let (type_name, title) = reference::split(text)?;
            Some((type_name.to_owned(), title.to_owned()))
        }
        Value::Type(of) => match of.kind() {
            TypeKind::Resource { type_name: Some(name), title } => {
                Some((name.to_string(), title.as_deref().unwrap_or("").to_owned()))
            }
            TypeKind::Class(name) => Some(("class".to_owned(), name.as_deref().unwrap_or("").to_owned())),
            _ => None,
        },
        _ => None,
    }
}

fn resource_type(type_name: &str, title: &str) -> Type {
    if type_name.eq_ignore_ascii_case("class") {
        return TypeKind::Class(Some(title.into())).into();
    }
    TypeKind::Resource { type_name: Some(type_name.into()), title: Some(title.into()) }.into()
}

fn defined_with_params(call: &Call<'_, '_>) -> Evaluated {
    let found = match call.arguments.first() {
        None => return Err(call.fail("Must specify a reference")),
        Some(reference) => target(reference),
    };
    let Some((type_name, title)) = found else {
        let class = ruby::class_name(call.argument(0));
        return Err(call.fail(format!("Reference is not understood: '{class}'")));
    };
    Ok(is_defined(call, &type_name, &title, call.argument(1))?.into())
}

/// Whether the catalog has a resource with these values of parameters.
fn is_defined(call: &Call<'_, '_>, type_name: &str, title: &str, parameters: &Value) -> Evaluated<bool> {
    let (evaluator, context) = (call.evaluator, call.evaluator.context);
    if !context.has_resource(type_name, title) {
        return Ok(false);
    }
    let Value::Hash(parameters) = parameters else { return Ok(true) };
    let reference = resource_type(type_name, title);
    for (name, wanted) in &**parameters {
        let name = ruby::to_s(name);
        let value = context.resource_parameter(evaluator, call.scope, &reference, &name).unwrap_or_default();
        if !ruby::equals(&value, wanted) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn ensure_resource(call: &Call<'_, '_>) -> Evaluated {
    let [type_name, title, rest @ ..] = call.arguments else {
        let missing = if call.arguments.is_empty() { "type" } else { "title" };
        return Err(call.fail(format!("Must specify a {missing}")));
    };
    let empty = Value::hash([]);
    let parameters = match rest.first() {
        None | Some(Value::Undef) => &empty,
        Some(Value::String(text)) if text.is_empty() => &empty,
        Some(parameters) => parameters,
    };
    ensure(call, &ruby::to_s(type_name), title, parameters)
}

/// Declares the resources of these titles that the catalog does not have with these parameters.
fn ensure(call: &Call<'_, '_>, type_name: &str, titles: &Value, parameters: &Value) -> Evaluated {
    for title in ruby::flatten(std::slice::from_ref(titles)) {
        if is_defined(call, type_name, &ruby::to_s(&title), parameters)? {
            continue;
        }
        let resources = Value::hash([(title, parameters.clone())]);
        let type_name = super::super::strings::capitalize(type_name);
        call.call_function("create_resources", &[type_name.into(), resources], None)?;
    }
    Ok(Value::Undef)
}

fn merged(defaults: &Value, more: &Value) -> Value {
    let mut merged = Hash::default();
    for hash in [defaults, more] {
        if let Value::Hash(hash) = hash {
            merged.extend(hash.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
    }
    merged.into()
}

fn ensure_resources(call: &Call<'_, '_>) -> Evaluated {
    let [type_name, titles, rest @ ..] = call.arguments else {
        let missing = if call.arguments.is_empty() { "type" } else { "title" };
        return Err(call.fail(format!("Must specify a {missing}")));
    };
    let Value::Hash(resources) = titles else {
        return Err(refuse("ensure_resources(): Requires second argument to be a Hash"));
    };
    let defaults = rest.first().cloned().unwrap_or_default();
    for (title, parameters) in &**resources {
        ensure(call, &ruby::to_s(type_name), title, &merged(&defaults, parameters))?;
    }
    Ok(Value::Undef)
}

fn ensure_packages(call: &Call<'_, '_>) -> Evaluated {
    let installed = Value::hash([("ensure".into(), "installed".into())]);
    let mut defaults = merged(&installed, call.argument(1));
    if let Value::Hash(hash) = &defaults
        && hash.get(&Value::from("ensure")).and_then(Value::as_str) == Some("present")
    {
        defaults = merged(&defaults, &installed);
    }
    match call.argument(0) {
        Value::Hash(packages) => {
            for (title, parameters) in &**packages {
                ensure(call, "package", title, &merged(&defaults, parameters))?;
            }
        }
        titles => drop(ensure(call, "package", titles, &defaults)?),
    }
    Ok(Value::Undef)
}

fn getparam(call: &Call<'_, '_>) -> Evaluated {
    let Some((type_name, title)) = call.arguments.first().and_then(target) else {
        return Err(call.fail("Must specify a reference"));
    };
    let Some(Value::String(name)) = call.arguments.get(1) else {
        return Err(call.fail("Must specify name of a parameter"));
    };
    let context = call.evaluator.context;
    if name.is_empty() || !context.has_resource(&type_name, &title) {
        return Ok("".into());
    }
    let reference = resource_type(&type_name, &title);
    let value = context.resource_parameter(call.evaluator, call.scope, &reference, name).unwrap_or_default();
    Ok(if value.is_undef() { "".into() } else { value })
}
