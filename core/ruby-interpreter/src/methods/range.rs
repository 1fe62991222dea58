//! `Range`.

use std::cmp::Ordering;

use super::characters::successor;
use super::{ANY, Args, Method, R, Run, Val, class, enumerable, enumerator, method, text};
use crate::interpreter::Interpreter;
use crate::value::Range;

pub(crate) static CLASS: &[Method] = &[method("new", 2, 3, |i, _, args| {
    let (from, to) = (args.at(0), args.at(1));
    if !from.is_nil() && !to.is_nil() && i.compare(from, to)?.is_none() {
        return Err(i.raise(&class::ARGUMENT_ERROR, "bad value for range"));
    }
    Ok(i.heap.range(from, to, args.at(2).is_truthy()))
})];

type Walk<'a, 'b> = &'b mut dyn FnMut(&mut Interpreter<'a>, Val<'a>) -> Run<'a, bool>;

/// Walks from one text to another as `String#upto` does.
pub(super) fn each_text<'a>(
    i: &mut Interpreter<'a>,
    from: &str,
    to: Option<&str>,
    exclusive: bool,
    body: Walk<'a, '_>,
) -> Run<'a, ()> {
    let numeric =
        |text: &str| !text.is_empty() && text.len() < 18 && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(to) = to.filter(|to| numeric(from) && numeric(to)) {
        let width = from.len();
        let (first, last) = (from.parse::<i64>().unwrap_or(0), to.parse::<i64>().unwrap_or(0));
        for number in first..=last {
            i.step()?;
            if exclusive && number == last {
                break;
            }
            let text = i.string(format!("{number:0width$}"));
            if !body(i, text)? {
                break;
            }
        }
        return Ok(());
    }
    let Some(to) = to else {
        let mut text = from.to_owned();
        // The successor of an empty text is empty, too.
        while step_to(i, &text, body)? && !text.is_empty() {
            text = following(i, &text)?;
        }
        return Ok(());
    };
    if from > to || exclusive && from == to {
        return Ok(());
    }
    if let ([first], [last]) = (from.as_bytes(), to.as_bytes())
        && first.is_ascii()
        && last.is_ascii()
    {
        let last = if exclusive { last.saturating_sub(1) } else { *last };
        for byte in *first..=last {
            if !step_to(i, &char::from(byte).to_string(), body)? {
                break;
            }
        }
        return Ok(());
    }
    let behind = following(i, to)?;
    let mut text = from.to_owned();
    while text != behind {
        if !step_to(i, &text, body)? || !exclusive && text == to {
            break;
        }
        text = following(i, &text)?;
        if exclusive && text == to || text.len() > to.len() || text.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Hands a text to a walk; `false` ends it.
fn step_to<'a>(i: &mut Interpreter<'a>, text: &str, body: Walk<'a, '_>) -> Run<'a, bool> {
    i.step()?;
    let value = i.string(text);
    body(i, value)
}

fn following<'a>(i: &mut Interpreter<'a>, text: &str) -> Run<'a, String> {
    successor(text).ok_or_else(|| i.unsupported("what follows such a text"))
}

/// Walks a range.
pub(crate) fn each<'a>(i: &mut Interpreter<'a>, range: &'a Range<'a>, body: Walk<'a, '_>) -> Run<'a, ()> {
    match (range.from, range.to) {
        (Val::Integer(from), to @ (Val::Integer(_) | Val::Float(_) | Val::Nil)) => {
            let last = match to {
                Val::Integer(to) if range.exclusive => to.checked_sub(1),
                Val::Integer(to) => Some(to),
                Val::Float(to) if range.exclusive && to.fract() == 0.0 => (to as i64).checked_sub(1),
                Val::Float(to) => Some(to.floor() as i64),
                _ => Some(i64::MAX),
            };
            let Some(last) = last else { return Ok(()) };
            for number in from..=last {
                i.step()?;
                if !body(i, Val::Integer(number))? {
                    break;
                }
            }
            Ok(())
        }
        (Val::String(from), Val::String(to)) => {
            let (from, to) = (from.get(), to.get());
            each_text(i, &from, Some(&to), range.exclusive, body)
        }
        (Val::String(from), Val::Nil) => {
            let from = from.get();
            each_text(i, &from, None, false, body)
        }
        (from @ Val::Object(_), to) if i.responds(from, "succ") => {
            let mut now = from;
            loop {
                i.step()?;
                let order = if to.is_nil() { Some(Ordering::Less) } else { i.compare(now, to)? };
                let goes_on = match order {
                    Some(Ordering::Less) => true,
                    Some(Ordering::Equal) => !range.exclusive,
                    _ => false,
                };
                if !goes_on || !body(i, now)? || order == Some(Ordering::Equal) {
                    return Ok(());
                }
                now = i.send(now, "succ", &[])?;
            }
        }
        (from, _) => {
            let class = i.class_name(from);
            Err(i.raise(&class::TYPE_ERROR, format!("can't iterate from {class}")))
        }
    }
}

fn covers<'a>(i: &mut Interpreter<'a>, this: Val<'a>, value: Val<'a>) -> Run<'a, bool> {
    let Val::Range(range) = this else { return Ok(false) };
    if !range.from.is_nil() && !i.compare(range.from, value)?.is_some_and(Ordering::is_le) {
        return Ok(false);
    }
    if range.to.is_nil() {
        return Ok(true);
    }
    let order = i.compare(value, range.to)?;
    Ok(order.is_some_and(|order| order.is_lt() || (order.is_eq() && !range.exclusive)))
}

/// Whether a range is in another.
fn covers_range<'a>(i: &mut Interpreter<'a>, this: Val<'a>, other: &'a Range<'a>) -> Run<'a, bool> {
    let Val::Range(own) = this else { return Ok(false) };
    let (Val::Integer(from), Val::Integer(to), Val::Integer(low), Val::Integer(high)) =
        (own.from, own.to, other.from, other.to)
    else {
        return Err(i.unsupported("cover? of such a range"));
    };
    let last = |to: i64, exclusive: bool| to.saturating_sub(i64::from(exclusive));
    let (end, other_end) = (last(to, own.exclusive), last(high, other.exclusive));
    Ok(low <= other_end && from <= low && other_end <= end)
}

fn no_extreme<'a>(i: &mut Interpreter<'a>, what: &str) -> R<'a> {
    Err(i.raise(&class::RANGE_ERROR, format!("cannot get the {what}")))
}

/// The complaint about an open range comes before that about the number of arguments.
fn walked<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, wanted: Ordering) -> R<'a> {
    match args.values.len() {
        0 | 1 => enumerable::extreme(i, this, args, wanted, None),
        count => Err(i.wrong_count(count, 0, 1)),
    }
}

/// `min`: without a block the ends are compared, and nothing between them counts.
fn least<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let Val::Range(range) = this else { return Ok(Val::Nil) };
    if range.from.is_nil() {
        return no_extreme(i, "minimum of beginless range");
    }
    if args.block.is_some() {
        if range.to.is_nil() {
            return no_extreme(i, "minimum of endless range with custom comparison method");
        }
        return walked(i, this, args, Ordering::Less);
    }
    match args.values.len() {
        0 => {}
        1 => return i.send(this, "first", args.values),
        count => return Err(i.wrong_count(count, 1, 1)),
    }
    let order = if range.to.is_nil() { Ordering::Less } else { i.ordered(range.from, range.to)? };
    Ok(if order.is_gt() || order.is_eq() && range.exclusive { Val::Nil } else { range.from })
}

/// `max`
fn most<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let Val::Range(range) = this else { return Ok(Val::Nil) };
    let is_whole = |value| matches!(value, Val::Integer(_) | Val::Big(_));
    let is_number = match range.to {
        Val::Nil => return no_extreme(i, "maximum of endless range"),
        Val::Object(_) if range.exclusive => return Err(i.unsupported("extremes of such a range")),
        to => is_whole(to) || matches!(to, Val::Float(_)),
    };
    if args.block.is_some() || !args.values.is_empty() || range.exclusive && !is_number {
        if range.from.is_nil() {
            return no_extreme(i, "maximum of beginless range with custom comparison method");
        }
        return walked(i, this, args, Ordering::Greater);
    }
    let order = if range.from.is_nil() { Ordering::Less } else { i.ordered(range.from, range.to)? };
    if order.is_gt() {
        return Ok(Val::Nil);
    }
    if !range.exclusive {
        return Ok(range.to);
    }
    if !is_whole(range.to) {
        return Err(i.raise(&class::TYPE_ERROR, "cannot exclude non Integer end value"));
    }
    if order.is_eq() {
        return Ok(Val::Nil);
    }
    if !is_whole(range.from) {
        return Err(i.raise(&class::TYPE_ERROR, "cannot exclude end value with non Integer begin value"));
    }
    i.send(range.to, "-", &[Val::Integer(1)])
}

/// `count`: of a range without an end, or of whole numbers, without a walk.
fn count<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    match this {
        Val::Range(range) if args.values.is_empty() && args.block.is_none() => {
            if range.from.is_nil() || range.to.is_nil() {
                return Ok(Val::Float(f64::INFINITY));
            }
            if let (Val::Integer(_), Val::Integer(_)) = (range.from, range.to) {
                return i.send(this, "size", &[]);
            }
            enumerable::count(i, this, args)
        }
        _ => enumerable::count(i, this, args),
    }
}

fn include<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    if let Val::Range(other) = args.at(0) {
        return covers_range(i, this, other).map(Val::Boolean);
    }
    covers(i, this, args.at(0)).map(Val::Boolean)
}

pub(crate) static METHODS: &[Method] = &[
    method("each", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each", args) };
        i.each(this, &mut |i, value| i.call_block(block, &[value]).map(|_| true))?;
        Ok(this)
    }),
    method("cover?", 1, 1, include),
    method("include? member?", 1, 1, |i, this, args| match (this, args.at(0)) {
        (
            Val::Range(Range { from: Val::String(from), to: Val::String(to), exclusive, .. }),
            Val::String(wanted),
        ) => {
            let (from, to, wanted) = (from.get(), to.get(), wanted.get());
            let mut found = false;
            each_text(i, &from, Some(&to), *exclusive, &mut |_, value| {
                found = text(value) == wanted;
                Ok(!found)
            })?;
            Ok(Val::Boolean(found))
        }
        (Val::Range(Range { from: Val::String(_), to: Val::String(_), .. }), Val::Object(_)) => {
            Err(i.unsupported("inclusion in such a range"))
        }
        (Val::Range(Range { from: Val::String(_), to: Val::String(_), .. }), _) => Ok(Val::Boolean(false)),
        (Val::Range(Range { from: Val::String(_), .. } | Range { to: Val::String(_), .. }), _) => {
            Err(i.unsupported("inclusion in such a range"))
        }
        (_, Val::Range(_)) => Ok(Val::Boolean(false)),
        _ => include(i, this, args),
    }),
    method("===", 1, 1, |i, this, args| match args.at(0) {
        Val::Range(_) => Ok(Val::Boolean(false)),
        _ => include(i, this, args),
    }),
    method("begin", 0, 0, |_, this, _| match this {
        Val::Range(range) => Ok(range.from),
        _ => Ok(Val::Nil),
    }),
    method("end", 0, 0, |_, this, _| match this {
        Val::Range(range) => Ok(range.to),
        _ => Ok(Val::Nil),
    }),
    method("last", 0, 1, |i, this, args| match (this, args.get(0)) {
        (Val::Range(range), _) if range.to.is_nil() => {
            Err(i.raise(&class::RANGE_ERROR, "cannot get the last element of endless range"))
        }
        (Val::Range(range), None) => Ok(range.to),
        (this, count) => {
            if let Val::Range(Range { from: Val::Integer(from), to: Val::Integer(to), exclusive, .. }) = this
                && (from > to || *exclusive && from == to)
            {
                return Ok(i.array(Vec::new()));
            }
            if count.is_some_and(|count| matches!(count, Val::Integer(..0))) {
                return Err(i.unsupported("so many of a range"));
            }
            let all = i.elements(this)?;
            let all = i.array(all);
            i.send(all, "last", args.values)
        }
    }),
    method("min", 0, ANY, least),
    method("max", 0, ANY, most),
    method("minmax", 0, 0, |i, this, args| {
        if args.block.is_some() {
            return enumerable::minmax(i, this, args.block, None);
        }
        let ends = vec![least(i, this, args)?, most(i, this, args)?];
        Ok(i.array(ends))
    }),
    method("count", 0, 1, count),
    method("exclude_end?", 0, 0, |_, this, _| match this {
        Val::Range(range) => Ok(Val::Boolean(range.exclusive)),
        _ => Ok(Val::Nil),
    }),
    method("size", 0, 0, |i, this, _| match this {
        Val::Range(Range { from: Val::Integer(from), to: Val::Integer(to), exclusive, .. }) => {
            Ok(Val::Integer(to.saturating_sub(*from).saturating_add(i64::from(!exclusive)).max(0)))
        }
        Val::Range(Range { from: Val::Integer(_), to: Val::Nil, .. }) => Ok(Val::Float(f64::INFINITY)),
        Val::Range(Range { from: Val::String(_) | Val::Symbol(_), .. }) => Ok(Val::Nil),
        _ => Err(i.unsupported("size of such a range")),
    }),
    method("step %", 1, 1, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "step", args) };
        let Val::Range(range) = this else { return Ok(Val::Nil) };
        let is_float = matches!(range.from, Val::Float(_)) || matches!(range.to, Val::Float(_));
        let is_whole = matches!(args.at(0), Val::Integer(_)) && !is_float;
        if !is_whole || i.ordered(args.at(0), Val::Integer(0))?.is_lt() {
            return Err(i.unsupported("such a step"));
        }
        if matches!(args.at(0), Val::Integer(0)) {
            return Err(i.raise(&class::ARGUMENT_ERROR, "step can't be 0"));
        }
        if matches!(range.from, Val::String(_)) {
            let by = usize::try_from(i.int(args.at(0))?).unwrap_or(1).max(1);
            for value in i.elements(this)?.into_iter().step_by(by) {
                i.call_block(block, &[value])?;
            }
            return Ok(this);
        }
        let mut value = range.from;
        if value.is_nil() {
            if matches!(range.to, Val::Integer(_)) {
                return i.send(value, if range.exclusive { "<" } else { "<=" }, &[range.to]);
            }
            return Err(i.raise(&class::TYPE_ERROR, "can't iterate from NilClass"));
        }
        if i.ordered(args.at(0), Val::Integer(0))?.is_le() {
            return Err(i.raise(&class::ARGUMENT_ERROR, "step can't be 0"));
        }
        while covers(i, this, value)? {
            i.call_block(block, &[value])?;
            value = i.send(value, "+", args.values)?;
        }
        Ok(this)
    }),
    method("to_s", 0, 0, |i, this, _| {
        let text = i.to_s(this)?;
        Ok(i.string(text))
    }),
];
