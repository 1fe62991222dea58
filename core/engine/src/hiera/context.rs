//! `Puppet::LookupContext`: lets functions of backends cache, interpolate and report that they found nothing.
//!
//! Follows the reference's `pops/lookup/context.rb`.

use std::rc::Rc;

use super::error::LookupError;
use super::interpolate::{Interpolation, interpolate};
use super::invocation::Invocation;
use super::session::{FunctionContext, Progress, Session};
use crate::eval::{Closure, Evaluated, Evaluator, Unwind};
use bunraku_pcore::value::{RuntimeValue, Value};
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
        "cached_file_data" => cached_file_data(session, &argument(0), block),
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
        return Ok(Value::from(entries));
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

fn explain(session: Session<'_, '_>, block: Option<&Closure>) -> Evaluated {
    if let (Some(invocation), Some(block)) = (current(session.progress), block)
        && invocation.is_explained()
    {
        let text = session.evaluator.call_closure(block, &[])?;
        invocation.report_foreign_text(super::text::to_s(&text));
    }
    Ok(Value::Undef)
}

fn interpolate_in(session: Session<'_, '_>, value: &Value) -> Evaluated {
    let Some(invocation) = current(session.progress) else { return Ok(value.clone()) };
    interpolate(session, &invocation, value, Interpolation::DATA).map_err(Unwind::from)
}

/// The text of a file, or the result of a block for it, computed once.
fn cached_file_data(session: Session<'_, '_>, path: &Value, block: Option<&Closure>) -> Evaluated {
    let path = super::text::to_s(path);
    if let Some(data) = session.progress.file_data.borrow().get(path.as_str()) {
        return Ok(data.clone());
    }
    let bytes = session.evaluator.read_file(&path);
    let bytes =
        bytes.map_err(|error| Unwind::from(error.into_error(|error| Error::io(error.to_string()))))?;
    let content = Value::from(String::from_utf8_lossy(&bytes).into_owned());
    let data = match block {
        Some(block) => session.evaluator.call_closure(block, &[content])?,
        None => content,
    };
    session.progress.file_data.borrow_mut().insert(path.as_str().into(), data.clone());
    Ok(data)
}
