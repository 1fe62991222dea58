//! Exceptions.

use super::{ANY, Method, Run, Str, Val, class, method};
use crate::call::Args;
use crate::interpreter::Interpreter;
use crate::modules::Object;
use crate::value::Exception;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// A new exception of one of Ruby's own classes.
pub(super) fn new<'a>(
    i: &mut Interpreter<'a>,
    class: &'static class::Class,
    message: Option<Val<'a>>,
) -> &'a Exception<'a> {
    let message = message.filter(|message| !message.is_nil()).unwrap_or_else(|| {
        let text = class.name.strip_prefix("Errno::").and_then(of_system);
        i.string(text.unwrap_or(class.name))
    });
    let exception = i.new_exception(class, message, None);
    // Its place is set when it is raised.
    exception.line.set(0);
    exception.cause.set(None);
    exception
}

/// What the system says of an error of `Errno`.
fn of_system(name: &str) -> Option<&'static str> {
    Some(match name {
        "ENOENT" => "No such file or directory",
        "EACCES" => "Permission denied",
        "EEXIST" => "File exists",
        "ENOTDIR" => "Not a directory",
        "EISDIR" => "Is a directory",
        "ENOTEMPTY" => "Directory not empty",
        "EPERM" => "Operation not permitted",
        "EPIPE" => "Broken pipe",
        "EINVAL" => "Invalid argument",
        "EROFS" => "Read-only file system",
        "ECONNREFUSED" => "Connection refused",
        "ECONNRESET" => "Connection reset by peer",
        "EHOSTDOWN" => "Host is down",
        "EHOSTUNREACH" => "No route to host",
        "ENETUNREACH" => "Network is unreachable",
        "ETIMEDOUT" => "Connection timed out",
        _ => return None,
    })
}

/// The message of an error of `Errno` that a program makes: the system's, and what is said of it, with the
/// function of the system that met it.
fn told_by_system<'a>(
    i: &mut Interpreter<'a>,
    class: &'static class::Class,
    args: Args<'a, '_>,
) -> Run<'a, Option<Val<'a>>> {
    let of = class.name.strip_prefix("Errno::").and_then(of_system);
    let (Some(of), Some(said)) = (of, args.get(0).filter(|said| !said.is_nil())) else {
        return Ok(args.get(0));
    };
    let said = i.to_s(said)?;
    Ok(Some(match args.get(1) {
        Some(function) => {
            let function = i.to_s(function)?;
            i.string(format!("{of} @ {function} - {said}"))
        }
        None => i.string(format!("{of} - {said}")),
    }))
}

/// An exception of a class of the program.
pub(super) fn of_object<'a>(
    i: &Interpreter<'a>,
    class: &'static class::Class,
    object: &'a Object<'a>,
    message: Val<'a>,
) -> &'a Exception<'a> {
    i.heap.exception(Exception {
        class,
        object: Some(object),
        message: message.into(),
        line: i.line.into(),
        cause: None.into(),
        backtrace: Val::Nil.into(),
        error: None,
    })
}

/// A `ParseError` with a place in a manifest, which its message ends with.
fn with_place<'a>(
    i: &mut Interpreter<'a>,
    class: &'static class::Class,
    args: Args<'a, '_>,
) -> Run<'a, Option<Val<'a>>> {
    let given = |at: usize| args.get(at).filter(|value| !value.is_nil());
    if !class.is_a(&class::PUPPET_PARSE_ERROR) || matches!(given(1), Some(Val::Exception(_))) {
        return Ok(None);
    }
    let message = i.to_s(args.at(0))?;
    let file = match given(1) {
        Some(file) => Some(i.to_s(file)?).filter(|file| !file.is_empty()),
        None => None,
    };
    let number = |at: usize| match given(at) {
        Some(Val::Integer(number)) => u32::try_from(number).ok(),
        _ => None,
    };
    let location = Location { file: file.map(|file| (&*file).into()), line: number(2), column: number(3) };
    if location.file.is_none() && location.line.is_none() {
        return Ok(None);
    }
    let shown = Error { location: location.clone(), ..Error::plain(message.as_str()) }.to_string();
    let shown = i.string(shown);
    let error = Error { location, is_final: true, ..Error::evaluation(message.as_str()) };
    let exception = i.new_exception(class, shown, Some(error));
    exception.line.set(0);
    exception.cause.set(None);
    Ok(Some(Val::Exception(exception)))
}

impl<'a> Interpreter<'a> {
    /// The message of an exception, which its class can override.
    pub fn message_of(&mut self, exception: &'a Exception<'a>) -> Run<'a, Str> {
        if exception.object.is_some() {
            let message = self.send(Val::Exception(exception), "message", &[])?;
            return self.to_s(message);
        }
        self.to_s(exception.message.get())
    }
}

pub(crate) static CLASS: &[Method] = &[
    method("new", 0, ANY, |i, this, args| match this {
        Val::Class(class) => {
            if let Some(placed) = with_place(i, class, args)? {
                return Ok(placed);
            }
            let message = told_by_system(i, class, args)?;
            Ok(Val::Exception(new(i, class, message)))
        }
        this => i.instantiate(this, args),
    }),
    method("exception", 0, ANY, |i, this, args| i.send_with(this, "new", args)),
];

fn own<'a>(this: Val<'a>) -> Option<&'a Exception<'a>> {
    match this {
        Val::Exception(exception) => Some(exception),
        _ => None,
    }
}

pub(crate) static METHODS: &[Method] = &[
    method("initialize", 0, ANY, |i, this, args| {
        if let (Some(exception), Some(message)) = (own(this), args.get(0)) {
            let name = i.class_name(this);
            let message = if message.is_nil() { i.string(name) } else { message };
            exception.message.set(message);
        }
        Ok(Val::Nil)
    }),
    method("message", 0, 0, |i, this, _| {
        let text = i.send(this, "to_s", &[])?;
        let text = i.to_s(text)?;
        Ok(i.string(text))
    }),
    method("to_s", 0, 0, |i, this, _| {
        let message = own(this).map_or(Val::Nil, |exception| exception.message.get());
        let text = i.to_s(message)?;
        Ok(i.string(text))
    }),
    method("backtrace", 0, 0, |i, this, _| {
        let Some(exception) = own(this) else { return Ok(Val::Nil) };
        if !exception.backtrace.get().is_nil() {
            return Ok(exception.backtrace.get());
        }
        if exception.line.get() == 0 {
            return Ok(Val::Nil);
        }
        let line = i.string(format!("{}:{}:in `result'", i.file, exception.line.get()));
        Ok(i.array(vec![line]))
    }),
    method("set_backtrace", 1, 1, |i, this, args| {
        let backtrace = match args.at(0) {
            Val::String(_) => i.array(vec![args.at(0)]),
            other => other,
        };
        let is_valid = match backtrace {
            Val::Array(lines) => lines.now().iter().all(|line| matches!(line, Val::String(_))),
            other => other.is_nil(),
        };
        if !is_valid {
            return Err(i.raise(&class::TYPE_ERROR, "backtrace must be Array of String"));
        }
        if let Some(exception) = own(this) {
            exception.backtrace.set(backtrace);
        }
        Ok(backtrace)
    }),
    method("cause", 0, 0, |_, this, _| {
        let cause = own(this).and_then(|exception| exception.cause.get());
        Ok(cause.map_or(Val::Nil, Val::Exception))
    }),
    method("exception", 0, 1, |i, this, args| match (own(this), args.get(0)) {
        (Some(exception), Some(message)) if exception.object.is_none() => {
            Ok(Val::Exception(new(i, exception.class, Some(message))))
        }
        (Some(_), Some(_)) => Err(i.unsupported("exception with another message")),
        _ => Ok(this),
    }),
];
