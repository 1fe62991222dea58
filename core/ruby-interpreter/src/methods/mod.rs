//! The methods of the classes, one table a family.

pub(super) mod array;
pub(super) mod array_change;
mod characters;
pub(super) mod enumerable;
pub(super) mod enumerator;
pub(super) mod exception;
pub(super) mod hash;
pub(super) mod hash_change;
pub(super) mod helpers;
pub(super) mod integer;
pub(super) mod json;
pub(super) mod kernel;
pub(super) mod library;
pub(super) mod lookup_context;
pub(super) mod module;
pub(super) mod number;
pub(super) mod object;
pub(super) mod random;
pub(super) mod range;
pub(super) mod regexp;
pub(super) mod serialization;
pub(super) mod set;
pub(super) mod string;
pub(super) mod string_change;
pub(super) mod string_match;
mod sum;
pub(super) mod symbol;
pub(super) mod time;
pub(super) mod world;
pub(super) mod yaml;

use super::call::{ANY, Args, Block, Method};
use super::class;
use super::failure::{R, Run, Unwind};
use super::interpreter::Interpreter;
use super::value::{Entries, Key, List, Map, Val};
use bunraku_pcore::value::Str;

pub(super) const fn method(
    names: &'static str,
    least: usize,
    most: usize,
    body: super::call::Body,
) -> Method {
    Method::new(names, least, most, body)
}

/// The text of a string or symbol.
fn text(value: Val<'_>) -> Str {
    match value {
        Val::String(text) => text.get(),
        Val::Symbol(name) => name.into(),
        _ => Str::new(),
    }
}

/// The part of the error about changing a frozen object.
fn check_frozen<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> Run<'a, ()> {
    let frozen = match this {
        Val::String(text) => text.frozen.get(),
        Val::Array(list) => list.frozen.get(),
        Val::Hash(map) | Val::Set(map) => map.frozen.get(),
        _ => true,
    };
    if frozen {
        let class = i.class_name(this);
        let shown = i.inspect(this)?;
        return Err(i.raise(&class::FROZEN_ERROR, format!("can't modify frozen {class}: {shown}")));
    }
    i.note_change(this);
    Ok(())
}

/// Ruby asks an index for `begin`, as if it was a range; that of a match wants a group.
fn no_match_as_range<'a>(i: &mut Interpreter<'a>, index: Val<'a>) -> Run<'a, ()> {
    match index {
        Val::Match(_) => {
            Err(i.raise(&class::ARGUMENT_ERROR, "wrong number of arguments (given 0, expected 1)"))
        }
        _ => Ok(()),
    }
}

/// An array that may be changed.
fn list_to_change<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> Run<'a, &'a List<'a>> {
    check_frozen(i, this)?;
    match this {
        Val::Array(list) => Ok(list),
        other => Err(i.no_conversion(other, "Array")),
    }
}

/// A hash or set that may be changed.
fn map_to_change<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> Run<'a, &'a Map<'a>> {
    check_frozen(i, this)?;
    match this {
        Val::Hash(map) | Val::Set(map) => Ok(map),
        other => Err(i.no_conversion(other, "Hash")),
    }
}

/// The entries of a hash or set.
fn entries<'a>(value: Val<'a>) -> Entries<'a> {
    match value {
        Val::Hash(map) | Val::Set(map) => map.to_entries(),
        _ => Entries::default(),
    }
}

/// The enumerator of a method without its block.
fn enumerator<'a>(i: &mut Interpreter<'a>, this: Val<'a>, method: &'static str, args: Args<'a, '_>) -> R<'a> {
    let arguments = args.values.to_vec();
    Ok(i.heap.enumerator(super::value::Enumerator { receiver: this, method, arguments, is_sized: true }))
}

/// An index that may count from the end.
fn place(index: i64, length: usize) -> Option<usize> {
    let at = if index < 0 { index.checked_add(i64::try_from(length).ok()?)? } else { index };
    usize::try_from(at).ok()
}

/// The start and the length of a range in something of this length. `None` if it begins outside.
fn span_of_range<'a>(
    i: &mut Interpreter<'a>,
    range: &super::value::Range<'a>,
    length: usize,
) -> Run<'a, Option<(usize, usize)>> {
    let from = if range.from.is_nil() { 0 } else { i.int(range.from)? };
    let to = if range.to.is_nil() { -1 } else { i.int(range.to)? };
    let exclusive = range.exclusive && !range.to.is_nil();
    let Some(start) = place(from, length).filter(|start| *start <= length) else { return Ok(None) };
    let end = if to < 0 { to.saturating_add(length as i64) } else { to };
    let end = if exclusive { end } else { end.saturating_add(1) };
    let end = usize::try_from(end).unwrap_or(0).min(length);
    Ok(Some((start, end.saturating_sub(start))))
}
