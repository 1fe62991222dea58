//! The conversion of a value that was found, which can make it a secret.

use std::rc::Rc;

use super::error::{LookupResult, lookup_error};
use super::invocation::Invocation;
use super::session::Session;
use crate::eval::{Site, Unwind};
use bunraku_pcore::convert::string;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::Value;
use bunraku_syntax::source::Location;

/// Whether the option `convert_to` makes a Sensitive, or names what may have been meant to be one.
pub(super) fn names_secret(session: Session<'_, '_>, target: &Value) -> bool {
    let of = match target {
        Value::Array(list) => list.first(),
        other => Some(other),
    };
    let Some(Value::String(source)) = of else { return false };
    match session.environment().parse_type(source, session.evaluator.loaded) {
        Ok(of) => {
            let hides = |part: &Type| matches!(part.kind(), TypeKind::Sensitive(_) | TypeKind::Reference(_));
            of.find_part(&mut |part| hides(part)).is_some()
        }
        Err(_) => true,
    }
}

/// Whether a Sensitive is anywhere in a value.
pub(super) fn holds_secret(value: &Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Sensitive(_) => return true,
            Value::Array(list) => pending.extend(list.iter()),
            Value::Hash(hash) => pending.extend(hash.iter().flat_map(|(key, value)| [key, value])),
            _ => {}
        }
    }
    false
}

/// Converts a value by the option `convert_to`: a type, and further arguments of its `new`.
pub(super) fn convert(
    session: Session<'_, '_>,
    invocation: &Rc<Invocation>,
    key: &str,
    target: &Value,
    value: Value,
) -> LookupResult {
    let mut target = match target {
        Value::Array(list) => list.to_vec(),
        other => vec![other.clone()],
    };
    if let Some(Value::String(source)) = target.first() {
        let parsed = session.environment().parse_type(source, session.evaluator.loaded);
        let parsed: Type = parsed.map_err(|error| {
            lookup_error(format!(
                "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '{}",
                error
            ))
        })?;
        target[0] = Value::Type(parsed);
    }
    let mut arguments = vec![target.first().cloned().unwrap_or_default(), value];
    arguments.extend(target.iter().skip(1).cloned());
    let evaluator = session.evaluator;
    match evaluator.call_external(&invocation.scope, "new", &arguments, None, Site::At(&Location::default()))
    {
        Ok(converted) => {
            invocation.report_text(|| {
                // Types and lists of texts have no value that could not be written.
                let text = string::format(&Value::from(target), &Value::Default).unwrap_or_default();
                format!("Applying convert_to lookup_option with arguments {text}")
            });
            Ok(converted)
        }
        Err(Unwind::Error(error)) if !error.kind.is_limit() => {
            Err(lookup_error(format!("The convert_to lookup_option for key '{key}' raised error: {}", error)))
        }
        Err(unwind) => Err(unwind.into()),
    }
}
