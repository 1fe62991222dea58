//! `Kernel`: methods without a receiver.

use super::string::format_values;
use super::{ANY, Args, Block, Method, R, Unwind, Val, class, exception, method};
use crate::interpreter::Interpreter;
use crate::value::Exception;
use crate::{numbers, prelude};
use bunraku_pcore::big::to_f64;
use bunraku_pcore::convert::string::inspect_bytes;
use bunraku_syntax::diagnostic::LogLevel;

/// Libraries that can be required: the supported parts are always available, and other parts are rejected
/// when they are used.
const LIBRARIES: &str = "\
    English abbrev base64 benchmark bigdecimal cgi csv date delegate digest digest/md5 digest/sha1 digest/sha2 erb etc
    facter fileutils find forwardable hiera io/console ipaddr json logger math monitor net/ftp net/http net/https observer
    open-uri open3 openssl optparse ostruct pathname pp prettyprint psych puppet racc/parser rbconfig resolv rexml/document rexml/xpath
    rubygems securerandom semantic_puppet set shellwords singleton socket stringio strscan tempfile time timeout tmpdir tsort uri weakref
    yaml zlib";

fn raise<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let mut values = args.values;
    let mut cause = i.handled();
    if args.keywords
        && let Some(told) = args.option("cause")
    {
        cause = match told {
            Val::Exception(exception) => Some(exception),
            Val::Nil => None,
            _ => return Err(i.raise(&class::TYPE_ERROR, "exception object expected")),
        };
        values = match args.values {
            [rest @ .., Val::Hash(map)] if map.len() == 1 => rest,
            other => other,
        };
    }
    let exception: &'a Exception<'a> = match values {
        [] => match i.handled() {
            Some(exception) => return Err(Unwind::Raise(exception)),
            None => {
                let message = i.string("unhandled exception");
                exception::new(i, &class::RUNTIME_ERROR, Some(message))
            }
        },
        [Val::Exception(exception)] => exception,
        [message @ Val::String(_)] => exception::new(i, &class::RUNTIME_ERROR, Some(*message)),
        [Val::Exception(_) | Val::Class(_) | Val::Module(_) | Val::Object(_), ..] => {
            let made =
                Args { values: values.get(1..2).unwrap_or_default(), block: None, keywords: args.keywords };
            let first = values.first().copied().unwrap_or(Val::Nil);
            if !i.responds(first, "exception") {
                return Err(i.raise(&class::TYPE_ERROR, "exception class/object expected"));
            }
            match i.send_with(first, "exception", made)? {
                Val::Exception(exception) => exception,
                _ => return Err(i.raise(&class::TYPE_ERROR, "exception object expected")),
            }
        }
        [Val::Bytes(_), ..] => return Err(i.unsupported("string of bytes that are not UTF-8")),
        _ => return Err(i.raise(&class::TYPE_ERROR, "exception class/object expected")),
    };
    if let Some(backtrace) = values.get(2) {
        exception.backtrace.set(*backtrace);
    }
    exception.line.set(i.line);
    if exception.cause.get().is_none() && !cause.is_some_and(|cause| std::ptr::eq(cause, exception)) {
        exception.cause.set(cause);
    }
    Err(Unwind::Raise(exception))
}

/// The complaint of a conversion to a number. `Float` writes all bytes beyond ASCII as such.
fn not_a_number<'a>(i: &mut Interpreter<'a>, value: Val<'a>, wanted: &str) -> Unwind<'a> {
    let shown = match value {
        Val::String(text) if wanted == "Float" => inspect_bytes(text.get().as_bytes()),
        value => match i.inspect(value) {
            Ok(shown) => shown,
            Err(unwind) => return unwind,
        },
    };
    i.raise(&class::ARGUMENT_ERROR, format!("invalid value for {wanted}(): {shown}"))
}

fn to_integer<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let quiet = args.option("exception").is_some_and(|value| !value.is_truthy());
    let result = match args.at(0) {
        Val::Integer(_) | Val::Big(_) => return Ok(args.at(0)),
        Val::Float(number) => super::integer::truncated(i, number),
        Val::String(text) => {
            let text = text.get();
            let radix = match args.get(1) {
                Some(Val::Integer(radix @ (0 | 2..=36))) => radix as u32,
                // A prefix precedes the digits after the minus.
                Some(Val::Integer(radix @ -36..=-2)) => {
                    let digits = text.trim_start().trim_start_matches(['+', '-']);
                    if digits.len() > 1 && digits.starts_with('0') { 0 } else { radix.unsigned_abs() as u32 }
                }
                Some(Val::Integer(-1)) => 0,
                Some(Val::Integer(radix)) => {
                    return Err(i.raise(&class::ARGUMENT_ERROR, format!("invalid radix {radix}")));
                }
                _ => 0,
            };
            match numbers::integer(&text, radix) {
                Some(number) => i.to_ruby(&number),
                None => Err(not_a_number(i, args.at(0), "Integer")),
            }
        }
        other @ Val::Object(_) if i.responds(other, "to_int") => i.send(other, "to_int", &[]),
        other @ Val::Object(_) if i.responds(other, "to_i") => i.send(other, "to_i", &[]),
        other @ Val::Time(_) => i.send(other, "to_i", &[]),
        Val::Nil => Err(i.raise(&class::TYPE_ERROR, "can't convert nil into Integer")),
        other @ Val::Bytes(_) => Err(not_a_number(i, other, "Integer")),
        other => {
            let class = if let Val::Boolean(truth) = other {
                truth.to_string()
            } else {
                i.class_name(other).to_owned()
            };
            i.check_conversion(other)?;
            Err(i.raise(&class::TYPE_ERROR, format!("can't convert {class} into Integer")))
        }
    };
    match result {
        Err(Unwind::Raise(_)) if quiet => Ok(Val::Nil),
        other => other,
    }
}

fn to_float<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let quiet = args.option("exception").is_some_and(|value| !value.is_truthy());
    let result = match args.at(0) {
        Val::Integer(number) => Ok(Val::Float(number as f64)),
        Val::Big(number) => Ok(Val::Float(to_f64(number))),
        Val::Float(_) => Ok(args.at(0)),
        Val::String(text) => {
            let text = text.get();
            match numbers::float(&text) {
                Some(number) => Ok(Val::Float(number)),
                None => Err(not_a_number(i, args.at(0), "Float")),
            }
        }
        other @ Val::Object(_) if i.responds(other, "to_f") => i.send(other, "to_f", &[]),
        other @ Val::Time(_) => i.send(other, "to_f", &[]),
        other @ Val::Bytes(_) => Err(not_a_number(i, other, "Float")),
        other => {
            let shown = match other {
                Val::Nil => "nil".to_owned(),
                Val::Boolean(truth) => truth.to_string(),
                other => i.class_name(other).to_owned(),
            };
            i.check_conversion(other)?;
            Err(i.raise(&class::TYPE_ERROR, format!("can't convert {shown} into Float")))
        }
    };
    match result {
        Err(Unwind::Raise(_)) if quiet => Ok(Val::Nil),
        other => other,
    }
}

pub(crate) static FUNCTIONS: &[Method] = &[
    method("raise fail", 0, 3, |i, _, args| raise(i, args)),
    method("format sprintf", 1, ANY, |i, _, args| {
        let format = i.str(args.at(0))?;
        format_values(i, &format, args.values.get(1..).unwrap_or_default())
    }),
    method("Integer", 1, 3, |i, _, args| to_integer(i, args)),
    method("Float", 1, 2, |i, _, args| to_float(i, args)),
    method("String", 1, 1, |i, _, args| {
        let text = i.to_s(args.at(0))?;
        Ok(i.string(text))
    }),
    method("Array", 1, 1, |i, _, args| {
        let values = i.splat(args.at(0))?;
        Ok(match args.at(0) {
            Val::Array(_) => args.at(0),
            _ => i.array(values),
        })
    }),
    method("Hash", 1, 1, |i, _, args| match args.at(0) {
        Val::Hash(_) => Ok(args.at(0)),
        Val::Nil => Ok(i.heap.hash(super::Entries::default())),
        Val::Array(list) if list.len() == 0 => Ok(i.heap.hash(super::Entries::default())),
        other => {
            let class = i.class_name(other);
            Err(i.raise(&class::TYPE_ERROR, format!("can't convert {class} into Hash")))
        }
    }),
    method("require_relative", 2, 2, |i, _, args| {
        let (name, file) = (i.str(args.at(0))?, i.str(args.at(1))?);
        i.require_relative(&name, &file)
    }),
    method("lambda proc", 0, 0, |i, _, args| match args.block {
        Some(Block::Proc(block)) => Ok(Val::Proc(block)),
        _ => Err(i.raise(&class::ARGUMENT_ERROR, "tried to create Proc object without a block")),
    }),
    method("loop", 0, 0, |i, _, args| {
        loop {
            i.step()?;
            match i.call_given(&args, &[]) {
                Ok(_) => {}
                Err(Unwind::Raise(exception)) if exception.class.is_a(&class::STOP_ITERATION) => {
                    return Ok(Val::Nil);
                }
                Err(unwind) => return Err(unwind),
            }
        }
    }),
    method("`", 1, 1, |i, _, args| {
        let commands = i.constant("Open3", i.outside)?;
        i.send(commands, "__output", args.values)
    }),
    method("system", 1, ANY, |i, _, args| {
        let commands = i.constant("Open3", i.outside)?;
        let words = i.array(args.values.to_vec());
        i.send(commands, "__success", &[words])
    }),
    method("catch", 0, 1, |i, _, args| {
        let tag = args.at(0);
        i.catches.push(tag);
        let result = i.call_given(&args, &[tag]);
        i.catches.pop();
        match result {
            Err(Unwind::Throw(thrown)) if i.equal(thrown.0, tag)? => Ok(thrown.1),
            other => other,
        }
    }),
    method("throw", 1, 2, |_, _, args| Err(Unwind::Throw(Box::new((args.at(0), args.at(1)))))),
    method("require", 1, 1, |i, _, args| {
        let name = i.str(args.at(0))?;
        let plain = name.trim_end_matches(".rb");
        if LIBRARIES.split_whitespace().any(|known| known == plain) {
            return Ok(Val::Boolean(false));
        }
        if let Some(part) = prelude::part_of_library(plain) {
            return i.load_prelude(part).map(Val::Boolean);
        }
        i.require(&name)
    }),
    // There is nothing to write to.
    method("puts print", 0, ANY, |_, _, _| Ok(Val::Nil)),
    method("putc", 1, 1, |_, _, args| Ok(args.at(0))),
    method("p pp", 0, ANY, |i, _, args| match args.values {
        [] => Ok(Val::Nil),
        [one] => Ok(*one),
        several => Ok(i.array(several.to_vec())),
    }),
    method("warn", 0, ANY, |i, _, args| {
        for message in args.values {
            let message = i.to_s(*message)?;
            i.world.log(LogLevel::Warning, message.to_string());
        }
        Ok(Val::Nil)
    }),
    // Messages are not translated.
    method("_", 1, 1, |_, _, args| Ok(args.at(0))),
    method("n_", 3, 3, |i, _, args| {
        Ok(if i.equal(args.at(2), Val::Integer(1))? { args.at(0) } else { args.at(1) })
    }),
    method("caller", 0, 2, |i, _, _| Ok(i.array(Vec::new()))),
];
