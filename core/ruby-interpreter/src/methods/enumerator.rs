//! `Enumerator`: what `map`, `each_with_index` and their like give without a block.

use std::cell::Cell;

use super::{Args, Block, Method, R, Val, method};
use crate::interpreter::Interpreter;

/// Calls the method of the enumerator with a block.
fn walk<'a>(i: &mut Interpreter<'a>, this: Val<'a>, block: Block<'a, '_>) -> R<'a> {
    let Val::Enumerator(enumerator) = this else { return Ok(Val::Nil) };
    if let Some(crate::modules::ResolvedMethod::Own(_)) =
        i.find_method(enumerator.receiver, enumerator.method)
    {
        for value in i.collected(enumerator.receiver, enumerator.method, &enumerator.arguments)? {
            i.call_block(block, &[value])?;
        }
        return Ok(enumerator.receiver);
    }
    let is_name = |key: &crate::value::Key<'_>| matches!(key.0, Val::Symbol(_));
    let keywords =
        matches!(enumerator.arguments.last(), Some(Val::Hash(map)) if map.now().keys().all(is_name));
    let args = Args { values: &enumerator.arguments, block: Some(block), keywords };
    i.send_with(enumerator.receiver, enumerator.method, args)
}

fn one<'a>(i: &mut Interpreter<'a>, values: &[Val<'a>]) -> Val<'a> {
    match values {
        [one] => *one,
        several => i.array(several.to_vec()),
    }
}

fn with_index<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let Some(block) = args.block else { return super::enumerator(i, this, "with_index", args) };
    let offset = match args.at(0) {
        Val::Nil => 0,
        offset => i.int(offset)?,
    };
    let at = Cell::new(offset);
    let body = |i: &mut Interpreter<'a>, values: &[Val<'a>]| {
        let value = one(i, values);
        let index = at.get();
        at.set(index + 1);
        i.call_block(block, &[value, Val::Integer(index)])
    };
    walk(i, this, Block::Native(&body))
}

/// How many values an enumerator gives, if the method that made it knows that before it is called.
fn size<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> R<'a> {
    const UNKNOWN: &[&str] =
        &["detect", "drop_while", "each_line", "find", "find_index", "gsub", "index", "rindex", "take_while"];
    let Val::Enumerator(enumerator) = this else { return Ok(Val::Nil) };
    if !enumerator.is_sized {
        return Err(i.unsupported("size of an enumerator of to_enum"));
    }
    let is_known = match enumerator.receiver {
        Val::Range(range) => matches!(range.from, Val::Integer(_) | Val::Big(_) | Val::Float(_)),
        Val::String(_) => enumerator.method != "upto",
        receiver @ Val::Enumerator(_) => !size(i, receiver)?.is_nil(),
        _ => true,
    };
    if !is_known || UNKNOWN.contains(&enumerator.method) {
        return Ok(Val::Nil);
    }
    Ok(Val::Integer(i.elements(this)?.len() as i64))
}

pub(crate) static METHODS: &[Method] = &[
    method("each", 0, 0, |i, this, args| match args.block {
        Some(block) => walk(i, this, block),
        None => Ok(this),
    }),
    method("with_index", 0, 1, with_index),
    method("each_with_index", 0, 0, with_index),
    method("with_object each_with_object", 1, 1, |i, this, args| {
        i.needs_block(&args)?;
        let memo = args.at(0);
        let values = i.elements(this)?;
        for value in values {
            i.call_given(&args, &[value, memo])?;
        }
        Ok(memo)
    }),
    method("size", 0, 0, |i, this, _| size(i, this)),
    method("rewind", 0, 0, |_, this, _| Ok(this)),
];

pub(crate) static CLASS: &[Method] = &[method("new", 0, 1, |i, this, args| {
    let of = i.constant("Enumerator::Generator", i.outside)?;
    i.send_with(of, "for", args).map(|made| if made.is_nil() { this } else { made })
})];
