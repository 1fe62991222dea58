//! The catalog: `contain`, `create_resources`, `defined`, `include`, `realize`, `require`, `tag`, `tagged`.

use std::rc::Rc;

use super::{legacy, ruby};
use crate::catalog::reference;
use crate::eval::Source;
use crate::eval::context::{Declaration, Form, Inclusion, Parameter, Setter};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Named;
use bunraku_pcore::Value;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Hash, Str, lower_case};
use bunraku_syntax::ast::nodes::ResourceForm;
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::source::Location;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new("include", &[Dispatch::new("Any+ $names", |call| include(call, Inclusion::Include))])
        .calling(),
    BuiltIn::new("contain", &[Dispatch::new("Any+ $names", |call| include(call, Inclusion::Contain))])
        .calling(),
    BuiltIn::new("require", &[Dispatch::new("Any+ $names", |call| include(call, Inclusion::Require))])
        .calling(),
    BuiltIn::legacy("create_resources", -3, false, &[Dispatch::new("", create_resources)]).calling(),
    BuiltIn::new(
        "defined",
        &[Dispatch::new("Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]]+ $vals", defined)],
    )
    .only_in_4x(),
    BuiltIn::legacy("realize", -2, false, &[Dispatch::new("", realize)]),
    BuiltIn::legacy("tag", -2, false, &[Dispatch::new("", tag)]),
    BuiltIn::legacy("tagged", -2, true, &[Dispatch::new("", tagged)]),
];

/// Scripts have no catalog.
pub(super) fn assert_catalog(call: &Call<'_, '_>) -> Evaluated<()> {
    if call.evaluator.environment.settings.tasks {
        return Err(super::scripting_error(
            call,
            issues::catalog_operation_not_supported_when_scripting(call.name),
        ));
    }
    Ok(())
}

fn include(call: &Call<'_, '_>, how: Inclusion) -> Evaluated {
    assert_catalog(call)?;
    let names: Vec<Str> =
        ruby::flatten(call.arguments).iter().map(class_name).collect::<Result<_, Error>>()?;
    let references = names.iter().map(|name| {
        let name = name.strip_prefix("::").unwrap_or(name);
        Value::Type(TypeKind::Class(Some(name.into())).into())
    });
    let references = Value::array(references);
    call.evaluator.context.include_classes(call.evaluator, call.scope, &names, how, &call.location())?;
    Ok(references)
}

/// The name of a class, in lower case with `::` before it.
fn class_name(value: &Value) -> Result<Str, Error> {
    let name = match value {
        Value::Undef => return Err(Error::argument("Cannot use undef as a class name")),
        Value::String(name) if name.is_empty() => {
            return Err(Error::argument("Cannot use empty string as a class name"));
        }
        Value::String(name) => name.clone(),
        Value::Type(of) => match of.kind() {
            TypeKind::Class(Some(name)) => name.clone(),
            TypeKind::Class(None) => return Err(Error::argument("Cannot use an unspecific Class[] Type")),
            TypeKind::Resource { type_name, title, .. } => class_title(type_name.as_ref(), title.as_ref())?,
            _ => return Err(no_class_name()),
        },
        _ => return Err(no_class_name()),
    };
    let name = lower_case(&name);
    if name.starts_with(':') {
        return Ok(name);
    }
    let mut absolute = Str::with_capacity(name.len() + 2);
    absolute.push_str("::");
    absolute.push_str(&name);
    Ok(absolute)
}

/// The reference fails when it is given anything else.
fn no_class_name() -> Error {
    Error::internal("The name of a class is a String, a Class or a Resource")
}

fn class_title(type_name: Option<&Str>, title: Option<&Str>) -> Result<Str, Error> {
    let Some(type_name) = type_name.filter(|name| !name.is_empty()) else {
        let message = "Cannot use an unspecific Resource[] where a Resource['class', name] is expected";
        return Err(Error::argument(message));
    };
    if !type_name.eq_ignore_ascii_case("class") {
        let message =
            format!("Cannot use a Resource[{type_name}] where a Resource['class', name] is expected");
        return Err(Error::argument(message));
    }
    title.cloned().ok_or_else(|| {
        Error::argument(
            "Cannot use an unspecific Resource['class'] where a Resource['class', name] is expected",
        )
    })
}

fn create_resources(call: &Call<'_, '_>) -> Evaluated {
    assert_catalog(call)?;
    let count = call.arguments.len();
    if count > 3 {
        return Err(
            call.fail(format!("create_resources(): wrong number of arguments ({count}; must be 2 or 3)"))
        );
    }
    let Value::Hash(instances) = call.argument(1) else {
        return Err(call.fail("create_resources(): second argument must be a hash"));
    };
    let empty = Hash::default();
    let defaults = match call.arguments.get(2) {
        None => &empty,
        Some(Value::Hash(defaults)) => defaults,
        Some(_) => {
            return Err(call.fail("create_resources(): third argument, if provided, must be a hash"));
        }
    };
    let Value::String(type_name) = call.argument(0) else {
        let class = ruby::class_name(call.argument(0));
        return Err(Error::internal(format!(
            "create_resources(): the type is a String, not of the class {class}"
        ))
        .into());
    };
    let (form, type_name) = match type_name.strip_prefix("@@") {
        Some(name) => (ResourceForm::Exported, name),
        None => match type_name.strip_prefix('@') {
            Some(name) => (ResourceForm::Virtual, name),
            None => (ResourceForm::Regular, type_name.as_str()),
        },
    };
    let type_name = downcase(type_name);
    if type_name == "class" && form != ResourceForm::Regular {
        let location = call.location();
        return Err(Error { location, ..issues::class_not_virtualizable().into_error() }.into());
    }
    let (evaluator, context) = (call.evaluator, call.evaluator.context);
    let file = call.location().file.filter(|file| !file.is_empty()).unwrap_or_else(|| "unknown".into());
    let location = Location { file: Some(file), ..call.location() };
    let setter = Rc::new(Setter { source: Source::of(call.scope), file: None });
    for (title, parameters) in &**instances {
        let attributes = attributes(call, &setter, defaults, parameters)?;
        let titles = match title {
            Value::Array(titles) => titles.as_slice(),
            title => std::slice::from_ref(title),
        };
        let form = Form { of: form, by_function: true };
        let declaration =
            Declaration { form, type_name: &type_name, location: &location, gives_references: false };
        let attributes = named(attributes, &declaration, titles)?;
        context.create_resources(evaluator, call.scope, &declaration, titles, attributes)?;
    }
    Ok(Value::Undef)
}

/// The parameters of one resource: its own, and the defaults that it does not set.
fn attributes(
    call: &Call<'_, '_>,
    setter: &Rc<Setter>,
    defaults: &Hash,
    parameters: &Value,
) -> Evaluated<Vec<Parameter>> {
    let Value::Hash(parameters) = parameters else {
        let name = match parameters {
            Value::Undef => "nil".into(),
            Value::Boolean(truth) => if *truth { "true" } else { "false" }.into(),
            other => ruby::class_name(other),
        };
        return Err(Error::internal(format!("no implicit conversion of {name} into Hash")).into());
    };
    let mut merged = defaults.clone();
    merged.extend(parameters.iter().map(|(name, value)| (name.clone(), value.clone())));
    let recorder = call.evaluator.recorder;
    let origin = recorder.map(|of| of.function(call.evaluator, call.scope, call.name, &call.location()));
    let attribute = |(name, value): (Value, Value)| {
        let value = call.evaluator.context.convert_attribute(call.evaluator, value)?;
        let parameter = Parameter::set_by(setter, ruby::to_s(&name).into(), value);
        Ok(Parameter { origin: origin.clone(), ..parameter })
    };
    merged.into_iter().map(attribute).collect()
}

/// Parameters by their names, which must not be those of others.
fn named(
    parameters: Vec<Parameter>,
    declaration: &Declaration<'_>,
    titles: &[Value],
) -> Evaluated<Named<Parameter>> {
    let mut named = Named::with_capacity(parameters.len());
    for parameter in parameters {
        let name = parameter.name.clone();
        if !named.insert_new(name.clone(), parameter) {
            let title = titles.first().map(ruby::to_s).unwrap_or_default();
            let (type_name, title) = reference::canonical(declaration.type_name, &title);
            let message = format!("Duplicate parameter '{name}' for on {type_name}[{title}]");
            let location = Location { column: None, ..declaration.location.clone() };
            return Err(Error { location, ..Error::plain(message) }.into());
        }
    }
    Ok(named)
}

fn defined(call: &Call<'_, '_>) -> Evaluated {
    for value in call.arguments {
        if is_defined(call, value)? {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn is_defined(call: &Call<'_, '_>, value: &Value) -> Evaluated<bool> {
    match value {
        Value::String(name) => is_name_defined(call, name),
        Value::Type(of) => is_type_defined(call, of),
        _ => Ok(false),
    }
}

fn is_name_defined(call: &Call<'_, '_>, name: &str) -> Evaluated<bool> {
    if let Some(variable) = name.strip_prefix('$').filter(|variable| !variable.is_empty()) {
        return call.evaluator.variable_exists(call.scope, variable);
    }
    match name {
        "" => Ok(false),
        "main" => Ok(true),
        _ => {
            // Each kind that is looked for reads the name several times.
            call.charge_steps(name.len() >> 8)?;
            if call.evaluator.context.has_resource_type(call.evaluator, name)? {
                return Ok(true);
            }
            call.charge_steps(name.len() >> 8)?;
            is_class(call, name)
        }
    }
}

fn is_class(call: &Call<'_, '_>, name: &str) -> Evaluated<bool> {
    let name = downcase(name.strip_prefix("::").unwrap_or(name));
    Ok(call.evaluator.environment.find_class(&name, call.evaluator.loaded)?.is_some())
}

fn is_type_defined(call: &Call<'_, '_>, of: &Type) -> Evaluated<bool> {
    let context = call.evaluator.context;
    match of.kind() {
        TypeKind::Resource { type_name: None, .. } => {
            Err(call.fail("The given resource type is a reference to all kind of types"))
        }
        TypeKind::Resource { type_name: Some(name), title: None, .. } => {
            context.has_resource_type(call.evaluator, name)
        }
        TypeKind::Resource { type_name: Some(name), title: Some(title), .. } => {
            Ok(context.has_resource(name, title))
        }
        TypeKind::Class(None) => Err(call.fail("The given class type is a reference to all classes")),
        TypeKind::Class(Some(name)) => Ok(context.has_class(name)),
        TypeKind::Type(Some(of)) => match of.kind() {
            TypeKind::Resource { .. } => is_type_defined(call, of),
            TypeKind::Class(None) => Err(call.fail("The given class type is a reference to all classes")),
            TypeKind::Class(Some(name)) => is_class(call, name),
            _ => Ok(false),
        },
        _ => {
            let class = ruby::class_name(&of.clone().into());
            Err(call.fail(format!("Invalid argument of type '{class}' to 'defined'")))
        }
    }
}

fn realize(call: &Call<'_, '_>) -> Evaluated {
    assert_catalog(call)?;
    let references = ruby::flatten(call.arguments);
    call.evaluator.context.realize(call.evaluator, call.scope, &references, &call.location())?;
    Ok(Value::Undef)
}

fn tag(call: &Call<'_, '_>) -> Evaluated {
    assert_catalog(call)?;
    let arguments = legacy::arguments(call);
    let tags = ruby::flatten(&arguments);
    let text = |tag: &Value| match tag {
        Value::String(text) => text.clone(),
        tag => ruby::to_s(tag).into(),
    };
    let tags: Vec<Str> = tags.iter().filter(|tag| !tag.is_undef()).map(text).collect();
    call.evaluator.usage.put_out(tags.iter().map(|tag| 50 + tag.len() as u64).sum())?;
    call.evaluator.context.add_tags(call.scope, &tags)?;
    Ok(Value::Undef)
}

fn tagged(call: &Call<'_, '_>) -> Evaluated {
    assert_catalog(call)?;
    let arguments = legacy::arguments(call);
    let tags: Vec<Str> = arguments.iter().map(|tag| downcase(&ruby::to_s(tag)).into()).collect();
    Ok(call.evaluator.context.has_tags(call.scope, &tags).into())
}
