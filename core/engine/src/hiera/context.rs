//! `Puppet::LookupContext`: lets functions of backends cache, interpolate and report that they found nothing.
//!
//! Follows the reference's `pops/lookup/context.rb`.

use std::rc::Rc;

use super::error::LookupError;
use super::interpolate::{Interpolation, interpolate};
use super::invocation::Invocation;
use super::session::{FunctionContext, KnownFile, Progress, Session, address};
use crate::eval::{Closure, Evaluated, Evaluator, Unwind};
use bunraku_host::HostError;
use bunraku_pcore::value::{IteratorKind, RuntimeValue, Timestamp, Value};
use bunraku_syntax::diagnostic::Error;

/// Calls a function of a `Puppet::LookupContext`. `None` if the value is not such a context, or the function
/// does not exist.
///
/// Errors: those of a block; `not_found` ends the function that calls it.
pub(super) fn call(
    session: Session<'_, '_>,
    value: &Value,
    name: &str,
    arguments: &[Value],
    block: Option<&Closure>,
) -> Option<Evaluated> {
    let context = session.progress.context_of(value)?;
    let evaluator = session.evaluator;
    let argument = |index: usize| arguments.get(index).cloned().unwrap_or_default();
    let result = match name {
        "not_found" if current(session.progress).is_none() => {
            Err(Error::argument("uncaught throw :no_such_key").into())
        }
        "not_found" => Err(LookupError::NoSuchKey.into()),
        // The reference knows environments by Symbols.
        "environment_name" => {
            let name = RuntimeValue::symbol(evaluator.environment.name.as_str());
            Ok(Value::Runtime(name.into()))
        }
        "module_name" => Ok(context.module.clone().map_or(Value::Undef, Value::String)),
        "cache" => {
            context.cache.borrow_mut().insert(argument(0), argument(1));
            Ok(argument(1))
        }
        "cache_all" => {
            if let Value::Hash(all) = argument(0) {
                let all = all.iter().map(|(key, value)| (key.clone(), value.clone()));
                context.cache.borrow_mut().extend(all);
            }
            Ok(Value::Undef)
        }
        "cache_has_key" => Ok(Value::Boolean(context.cache.borrow().contains_key(&argument(0)))),
        "cached_value" => Ok(context.cache.borrow().get(&argument(0)).cloned().unwrap_or_default()),
        "cached_entries" => cached_entries(evaluator, &context, block),
        "explain" => explain(session, block),
        "interpolate" => interpolate_in(session, &argument(0)),
        // No name of the language: hosts keep their own objects by it.
        "identity?" => match value {
            Value::Object(object) => Ok(Value::Integer(address(object) as i64)),
            _ => Ok(Value::Undef),
        },
        "cached_file_data" => cached_file_data(session, &argument(0), block),
        // As `identity?`: for hosts that call blocks themselves, or keep what these return.
        "file_stamp?" => Ok(file_stamp(session, &argument(0))),
        "file_text?" => file_text(session, &super::text::to_s(&argument(0))),
        "known_file_data?" => {
            let known = known_file_data(session, &super::text::to_s(&argument(0)));
            Ok(known.map_or(Value::Undef, |data| Value::array([data])))
        }
        "keep_file_data?" => {
            keep_file_data(session, &super::text::to_s(&argument(0)), &argument(1));
            Ok(Value::Undef)
        }
        _ => return None,
    };
    Some(result)
}

fn cached_entries(
    evaluator: &Evaluator<'_>,
    context: &FunctionContext,
    block: Option<&Closure>,
) -> Evaluated {
    let entries = context.cache.borrow().clone();
    let Some(block) = block else {
        return Ok(Value::from(IteratorKind::Step { source: Value::from(entries), step: 1 }));
    };
    for (key, value) in entries {
        if block.arity() == 2 {
            evaluator.call_closure(block, &[key, value])?;
        } else {
            evaluator.call_closure(block, &[Value::array([key, value])])?;
        }
    }
    Ok(Value::Undef)
}

/// The lookup that is in progress.
fn current(progress: &Progress) -> Option<Rc<Invocation>> {
    progress.current.borrow().clone()
}

/// The lookup that a function of the context belongs to.
///
/// Errors: a program uses a context outside of lookups, which the reference does not survive.
fn of_lookup(progress: &Progress, function: &str) -> Evaluated<Rc<Invocation>> {
    let missing =
        || Error::argument(format!("{function}() of a Puppet::LookupContext works only in a lookup"));
    current(progress).ok_or_else(|| missing().into())
}

fn explain(session: Session<'_, '_>, block: Option<&Closure>) -> Evaluated {
    let invocation = of_lookup(session.progress, "explain")?;
    if let Some(block) = block.filter(|_| invocation.is_explained()) {
        let text = session.evaluator.call_closure(block, &[])?;
        invocation.report_foreign_text(super::text::to_s(&text));
    }
    Ok(Value::Undef)
}

fn interpolate_in(session: Session<'_, '_>, value: &Value) -> Evaluated {
    if !is_interpolated(value) {
        return Ok(value.clone());
    }
    let invocation = of_lookup(session.progress, "interpolate")?;
    interpolate(session, &invocation, value, Interpolation::DATA).map_err(Unwind::from)
}

/// Whether a value has a text with an interpolation.
fn is_interpolated(value: &Value) -> bool {
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) if text.contains("%{") => return true,
            Value::Array(values) => waiting.extend(values.iter()),
            Value::Hash(hash) => waiting.extend(hash.iter().flat_map(|(key, value)| [key, value])),
            _ => (),
        }
    }
    false
}

/// The reference asks for the time of a file first.
fn missing(error: &HostError, path: &str) -> String {
    match error {
        HostError::NotFound(_) => format!("No such file or directory @ rb_file_s_stat - {path}"),
        error => error.on_opening(),
    }
}

/// The text of a file, or the result of a block for it, computed once as long as the file stays as it is.
fn cached_file_data(session: Session<'_, '_>, path: &Value, block: Option<&Closure>) -> Evaluated {
    let path = super::text::to_s(path);
    if let Some(data) = known_file_data(session, &path) {
        return Ok(data);
    }
    let content = file_text(session, &path)?;
    let data = match block {
        Some(block) => session.evaluator.call_closure(block, &[content])?,
        None => content,
    };
    keep_file_data(session, &path, &data);
    Ok(data)
}

/// What was made of a file: in the compilation, or in an earlier one if the file has not changed.
fn known_file_data(session: Session<'_, '_>, path: &str) -> Option<Value> {
    let mut files = session.progress.files.borrow_mut();
    if let Some(data) = files.get(path).and_then(|file| file.data.clone()) {
        return Some(data);
    }
    let environment = session.environment();
    let info = environment.host.info(path)?;
    let data = environment.caches.file_data.known(path, info)?;
    files.insert(path.into(), KnownFile { info: Some(info), data: Some(data.clone()) });
    Some(data)
}

fn keep_file_data(session: Session<'_, '_>, path: &str, data: &Value) {
    let mut files = session.progress.files.borrow_mut();
    let file = files.entry(path.into()).or_default();
    file.data = Some(data.clone());
    if let Some(info) = file.info {
        session.environment().caches.file_data.keep(path, info, data);
    }
}

/// The text of a file. Its state is noted for [`keep_file_data`].
fn file_text(session: Session<'_, '_>, path: &str) -> Evaluated {
    let info = session.environment().host.info(path);
    let bytes = session.evaluator.read_file(path);
    let bytes =
        bytes.map_err(|error| Unwind::from(error.into_error(|error| Error::io(missing(error, path)))))?;
    session.progress.files.borrow_mut().entry(path.into()).or_default().info = info;
    Ok(Value::from(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What changes when a file does; `undef` if it does not exist.
fn file_stamp(session: Session<'_, '_>, path: &Value) -> Value {
    let info = session.environment().host.info(&super::text::to_s(path));
    info.map_or(Value::Undef, |info| {
        let Timestamp { seconds, nanoseconds } = info.modified;
        Value::from(format!("{} {seconds} {nanoseconds} {}", info.size, info.inode))
    })
}
