//! `Symbol`.

use super::{ANY, Args, Method, R, Val, method, text};
use crate::interpreter::Interpreter;
use crate::value::Code;

/// The result of a `String` method for the symbol's text.
fn as_string<'a>(i: &mut Interpreter<'a>, this: Val<'a>, name: &str, args: Args<'a, '_>) -> R<'a> {
    let own = i.string(text(this));
    i.send_with(own, name, args)
}

/// The same, made a symbol.
fn as_symbol<'a>(i: &mut Interpreter<'a>, this: Val<'a>, name: &str) -> R<'a> {
    let new = as_string(i, this, name, Args::new(&[]))?;
    Ok(i.heap.symbol(text(new)))
}

pub(crate) static METHODS: &[Method] = &[
    method("to_s name id2name", 0, 0, |i, this, _| Ok(i.string(text(this)))),
    method("to_sym", 0, 0, |_, this, _| Ok(this)),
    method("to_proc", 0, 0, |i, this, _| match this {
        Val::Symbol(name) => Ok(Val::Proc(i.heap.proc(Code::Symbol(name), true))),
        _ => Ok(Val::Nil),
    }),
    method("length size", 0, 0, |_, this, _| Ok(Val::Integer(text(this).chars().count() as i64))),
    method("upcase", 0, 0, |i, this, _| as_symbol(i, this, "upcase")),
    method("downcase", 0, 0, |i, this, _| as_symbol(i, this, "downcase")),
    method("capitalize", 0, 0, |i, this, _| as_symbol(i, this, "capitalize")),
    method("succ next", 0, 0, |i, this, _| as_symbol(i, this, "succ")),
    method("[] slice", 1, 2, |i, this, args| as_string(i, this, "[]", args)),
    method("=~", 1, 1, |i, this, args| as_string(i, this, "=~", args)),
    method("match", 1, 2, |i, this, args| as_string(i, this, "match", args)),
    method("match?", 1, 2, |i, this, args| as_string(i, this, "match?", args)),
    method("start_with?", 0, ANY, |i, this, args| as_string(i, this, "start_with?", args)),
    method("end_with?", 0, ANY, |i, this, args| as_string(i, this, "end_with?", args)),
    method("empty?", 0, 0, |_, this, _| Ok(Val::Boolean(text(this).is_empty()))),
    method("<=>", 1, 1, super::object::spaceship),
];
