//! Exceptions.

use super::{ANY, Method, R, Val, class, method};
use crate::interpreter::Interpreter;
use crate::value::Exception;

/// A new exception of a class.
pub(super) fn new<'a>(
    i: &mut Interpreter<'a>,
    class: &'static class::Class,
    message: Option<Val<'a>>,
) -> &'a Exception<'a> {
    let message = message.unwrap_or_else(|| i.string(class.name));
    i.heap.exception(Exception { class, message, line: i.line.into(), error: None })
}

pub(crate) static CLASS: &[Method] = &[method("new exception", 0, ANY, |i, this, args| {
    let Val::Class(class) = this else { return Ok(Val::Nil) };
    Ok(Val::Exception(new(i, class, args.get(0))))
})];

fn message<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> R<'a> {
    let text = i.to_s(this)?;
    Ok(i.string(text))
}

pub(crate) static METHODS: &[Method] = &[
    method("message to_s", 0, 0, |i, this, _| message(i, this)),
    method("full_message", 0, ANY, |i, this, _| message(i, this)),
    method("backtrace", 0, 0, |i, this, _| {
        let Val::Exception(exception) = this else { return Ok(Val::Nil) };
        let line = i.string(format!("{}:{}:in `result'", i.file, exception.line.get()));
        Ok(i.array(vec![line]))
    }),
    method("cause", 0, 0, |_, _, _| Ok(Val::Nil)),
    method("exception", 0, 1, |i, this, args| match (this, args.get(0)) {
        (Val::Exception(exception), Some(message)) => {
            Ok(Val::Exception(new(i, exception.class, Some(message))))
        }
        _ => Ok(this),
    }),
];
