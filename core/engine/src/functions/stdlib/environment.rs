//! Functions about the surroundings: facts, modules, files. `fact`, `has_interface_with`, `has_ip_address`,
//! `has_ip_network`, `os_version_gte`, `get_module_path`, `load_module_metadata`, `assert_private`.

use super::{function, ruby, rvalue, statement, wrong_number};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_host::HostError;
use bunraku_pcore::Value;
use bunraku_pcore::ruby::json;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    statement!("assert_private", assert_private),
    function("fact", &[Dispatch::new("String $fact_name", fact)]),
    rvalue!("get_module_path", get_module_path),
    rvalue!("glob", glob),
    rvalue!("has_interface_with", has_interface_with),
    rvalue!("has_ip_address", |call, arguments| has_address(call, arguments, "ipaddress")),
    rvalue!("has_ip_network", |call, arguments| has_address(call, arguments, "network")),
    rvalue!("load_module_metadata", load_module_metadata),
    function(
        "os_version_gte",
        &[Dispatch::new("String[1] $os, String[1] $version >> Boolean", os_version_gte)],
    ),
];

/// The value of a variable, `undef` if it does not exist.
fn variable(call: &Call<'_, '_>, name: &str) -> Evaluated {
    Ok(crate::functions::variable(call, name)?.unwrap_or_default())
}

/// The same for functions of the 3.x API, which report a missing one.
fn looked_up(call: &Call<'_, '_>, name: &str) -> Evaluated {
    Ok(call.evaluator.look_up_variable(call.scope, name)?.unwrap_or_default())
}

fn assert_private(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    if arguments.len() > 1 {
        let given = arguments.len();
        let message = format!("assert_private(): Wrong number of arguments given ({given}}}) for 0 or 1)");
        return Err(call.fail(message));
    }
    if variable(call, "module_name")? == variable(call, "caller_module_name")? {
        return Ok(Value::Undef);
    }
    if let Some(Value::String(message)) = arguments.first() {
        return Err(call.fail(message.as_str()));
    }
    let (kind, name) = match call.scope.definition() {
        Some(definition) => {
            let node = definition.program.node(definition.node);
            let kind = match node {
                bunraku_syntax::ast::Node::HostClassDefinition { .. } => "Class",
                _ => "Definition",
            };
            (kind, definition.name.to_string())
        }
        None => ("Class", String::new()),
    };
    Err(call.fail(format!("{kind} {name} is private")))
}

fn fact(call: &Call<'_, '_>) -> Evaluated {
    let name = call.argument(0).as_str().unwrap_or("");
    let mut value = variable(call, "facts")?;
    let mut walked: Vec<String> = Vec::new();
    for key in fact_path(name) {
        let refuse = |what: &str| {
            let path: Vec<String> = walked
                .iter()
                .map(|part| if part.contains('.') { format!("\"{part}\"") } else { part.clone() })
                .collect();
            call.warn(format!(
                "fact request for {name} returning nil: '{}' is {what} '{key}'",
                path.join(".")
            ));
            Value::Undef
        };
        value = match &value {
            Value::Undef => return Ok(Value::Undef),
            Value::Array(values) => match ruby_integer(&key) {
                Some(index) => {
                    let at = if index < 0 { index + values.len() as i64 } else { index };
                    usize::try_from(at).ok().and_then(|at| values.get(at)).cloned().unwrap_or_default()
                }
                None => refuse("an array; cannot index to"),
            },
            Value::Hash(hash) => hash.get(&Value::from(key.as_str())).cloned().unwrap_or_default(),
            _ => refuse("not a collection; cannot walk to"),
        };
        walked.push(key);
    }
    Ok(value)
}

/// `Integer()` of a text, in decimal.
fn ruby_integer(text: &str) -> Option<i64> {
    text.trim().replace('_', "").parse().ok()
}

/// The parts of `a."b.c".0`.
fn fact_path(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        match first {
            '"' => match rest[1..].split_once('"') {
                Some((part, behind)) if !part.is_empty() => {
                    parts.push(part.to_owned());
                    rest = behind;
                }
                Some(_) | None => rest = &rest[1..],
            },
            '.' => rest = &rest[1..],
            _ => {
                let end = rest.find(['.', '"']).unwrap_or(rest.len());
                parts.push(rest[..end].to_owned());
                rest = &rest[end..];
            }
        }
    }
    parts
}

fn has_address(call: &Call<'_, '_>, arguments: &[Value], kind: &str) -> Evaluated {
    match arguments {
        [address] => {
            super::autoload(call, "has_interface_with");
            interface_with(call, kind, address)
        }
        _ => Err(wrong_number(call, arguments.len(), "1")),
    }
}

fn has_interface_with(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments {
        [name] => {
            let Some(interfaces) = interfaces(call)? else { return Ok(false.into()) };
            Ok(interfaces.iter().any(|interface| Some(interface.as_str()) == name.as_str()).into())
        }
        [kind, value] => interface_with(call, &ruby::to_s(kind), value),
        _ => Err(wrong_number(call, arguments.len(), "1 or 2")),
    }
}

fn interfaces(call: &Call<'_, '_>) -> Result<Option<Vec<String>>, crate::eval::Unwind> {
    match looked_up(call, "interfaces")? {
        Value::Undef => Ok(None),
        Value::String(text) => Ok(Some(text.split(',').map(str::to_owned).collect())),
        other => Err(super::no_method("split", &other)),
    }
}

/// Whether a fact, or the fact of this kind of any interface, has the value.
fn interface_with(call: &Call<'_, '_>, kind: &str, value: &Value) -> Evaluated {
    let Some(interfaces) = interfaces(call)? else { return Ok(false.into()) };
    if variable(call, kind)? == *value {
        return Ok(true.into());
    }
    for interface in interfaces {
        if variable(call, &format!("{kind}_{}", interface.to_lowercase()))? == *value {
            return Ok(true.into());
        }
    }
    Ok(false.into())
}

fn os_version_gte(call: &Call<'_, '_>) -> Evaluated {
    let facts = variable(call, "facts")?;
    let of = |name: &str| match &facts {
        Value::Hash(facts) => facts.get(&Value::from(name)).cloned().unwrap_or_default(),
        _ => Value::Undef,
    };
    if of("operatingsystem") != *call.argument(0) {
        return Ok(false.into());
    }
    let compared =
        call.call_function("versioncmp", &[of("operatingsystemmajrelease"), call.argument(1).clone()], None)?;
    Ok(matches!(compared, Value::Integer(order) if order >= 0).into())
}

fn module_path(call: &Call<'_, '_>, name: &Value) -> Result<String, Error> {
    let environment = call.evaluator.environment;
    let name = ruby::to_s(name);
    match environment.find_module(&name) {
        Some(module) => Ok(module.path.to_string()),
        None => {
            Err(Error::argument(format!("Could not find module {name} in environment {}", environment.name)))
        }
    }
}

fn glob(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let patterns = match arguments {
        [Value::String(pattern)] => vec![pattern.to_string()],
        [Value::Array(patterns)] => patterns.iter().map(ruby::to_s).collect(),
        [_] => return Err(call.fail("glob(): Requires either array or string to work")),
        _ => return Err(wrong_number(call, arguments.len(), "1")),
    };
    let host = &*call.evaluator.environment.host;
    let found = patterns.iter().flat_map(|pattern| bunraku_host::glob(host, pattern));
    // A path without special characters matches if the file exists.
    let found = found.filter(|path| host.info(path).is_some());
    Ok(Value::array(found.map(Value::from)))
}

fn get_module_path(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    match arguments {
        [name] => Ok(module_path(call, name)?.into()),
        _ => Err(call.fail("get_module_path(): Wrong number of arguments, expects one")),
    }
}

fn load_module_metadata(call: &Call<'_, '_>, arguments: &[Value]) -> Evaluated {
    let (name, allow_empty) = match arguments {
        [name] => (name, false),
        [name, allow_empty] => (name, allow_empty.is_truthy()),
        _ => {
            let message = "load_module_metadata(): Wrong number of arguments, expects one or two";
            return Err(call.fail(message));
        }
    };
    let path = module_path(call, name)?;
    match call.evaluator.read_file(&format!("{path}/metadata.json")) {
        Ok(bytes) => {
            let text =
                String::from_utf8(bytes).map_err(|_| Error::internal("invalid byte sequence in UTF-8"))?;
            Ok(json::parse(&text, call.fuel())?)
        }
        Err(HostError::Ended(error)) => Err((*error).into()),
        Err(_) if allow_empty => Ok(Value::hash([])),
        Err(_) => {
            let name = ruby::to_s(name);
            Err(call.fail(format!("load_module_metadata(): No metadata.json file for module {name}")))
        }
    }
}
