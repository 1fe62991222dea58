//! `Array`: what changes it in place.

use super::{
    ANY, Args, List, Method, R, Run, Val, class, list_to_change, method, no_match_as_range, place,
    span_of_range,
};
use crate::interpreter::Interpreter;

/// `name!`: the result of `name` replaces the content; `nil` if the number of elements is unchanged.
fn in_place<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    name: &str,
    args: Args<'a, '_>,
    nil_if_same: bool,
) -> R<'a> {
    let list = list_to_change(i, this)?;
    let new = i.send_with(this, name, args)?;
    let new = i.vec(new)?;
    if nil_if_same && new.len() == list.len() {
        return Ok(Val::Nil);
    }
    list_to_change(i, this)?;
    list.set(new);
    Ok(this)
}

fn too_small(index: i64, length: usize) -> String {
    format!("index {index} too small for array; minimum: {}", -(length as i64))
}

fn push<'a>(i: &mut Interpreter<'a>, this: Val<'a>, values: &[Val<'a>]) -> R<'a> {
    let list = list_to_change(i, this)?;
    i.check_size(list.len().saturating_add(values.len()).saturating_mul(16))?;
    list.change(|own| own.extend_from_slice(values));
    Ok(this)
}

fn retain<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, keep: bool) -> Run<'a, bool> {
    i.needs_block(&args)?;
    let list = list_to_change(i, this)?;
    let (mut seen, mut kept) = (0, 0);
    let mut result = Ok(());
    while let Some(value) = list.get(seen) {
        let answer = match i.call_given(&args, &[value]) {
            Ok(answer) => answer.is_truthy(),
            Err(unwind) => {
                result = Err(unwind);
                break;
            }
        };
        if answer == keep {
            if kept != seen {
                list_to_change(i, this)?;
                store(i, list, kept, value)?;
            }
            kept += 1;
        }
        seen += 1;
    }
    // Unvisited elements stay, even if the block exits early.
    if kept < seen && kept < list.len() {
        list_to_change(i, this)?;
        list.change(|values| drop(values.drain(kept..seen.min(values.len()))));
    }
    result.map(|()| kept != seen)
}

/// Stores a value at an index, which can be after the end.
fn store<'a>(i: &Interpreter<'a>, list: &List<'a>, at: usize, value: Val<'a>) -> Run<'a, ()> {
    i.check_size(at.saturating_mul(16))?;
    list.change(|values| {
        if at >= values.len() {
            values.resize(at + 1, Val::Nil);
        }
        if let Some(place) = values.get_mut(at) {
            *place = value;
        }
    });
    Ok(())
}

/// Replaces every element with the result of a block.
fn map<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    i.needs_block(&args)?;
    let list = list_to_change(i, this)?;
    let mut at = 0;
    while let Some(value) = list.get(at) {
        let new = i.call_given(&args, &[value])?;
        list_to_change(i, this)?;
        store(i, list, at, new)?;
        at += 1;
    }
    Ok(this)
}

fn removed<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, first: bool) -> R<'a> {
    let list = list_to_change(i, this)?;
    let count = match args.get(0) {
        Some(count) => match usize::try_from(i.int(count)?) {
            Ok(count) => count.min(list.len()),
            Err(_) => return Err(i.raise(&class::ARGUMENT_ERROR, "negative array size")),
        },
        None => {
            let one = list.change(|values| match values.is_empty() {
                false if first => Some(values.remove(0)),
                _ => values.pop(),
            });
            return Ok(one.unwrap_or(Val::Nil));
        }
    };
    let taken = list.change(|values| {
        let rest = values.len().saturating_sub(count);
        if first { values.drain(..count.min(values.len())).collect() } else { values.split_off(rest) }
    });
    Ok(i.array(taken))
}

pub(crate) static METHODS: &[Method] = &[
    method("<<", 1, 1, |i, this, args| push(i, this, args.values)),
    method("push append", 0, ANY, |i, this, args| push(i, this, args.values)),
    method("concat", 0, ANY, |i, this, args| {
        list_to_change(i, this)?;
        let mut added = Vec::new();
        for value in args.values {
            added.extend(i.vec(*value)?);
        }
        push(i, this, &added)
    }),
    method("unshift prepend", 0, ANY, |i, this, args| {
        let list = list_to_change(i, this)?;
        list.change(|values| drop(values.splice(0..0, args.values.iter().copied())));
        Ok(this)
    }),
    method("insert", 1, ANY, |i, this, args| {
        let list = list_to_change(i, this)?;
        let (at, length) = (i.int(args.at(0))?, list.len());
        if args.values.len() == 1 {
            return Ok(this);
        }
        let at = if at < 0 { at + 1 + length as i64 } else { at };
        let Ok(at) = usize::try_from(at) else {
            let message =
                format!("index {} too small for array; minimum: -{}", at - 1 - length as i64, length + 1);
            return Err(i.raise(&class::INDEX_ERROR, message));
        };
        i.check_size(at.saturating_mul(16))?;
        list.change(|values| {
            if at > values.len() {
                values.resize(at, Val::Nil);
            }
            drop(values.splice(at..at, args.values.iter().skip(1).copied()));
        });
        Ok(this)
    }),
    method("pop", 0, 1, |i, this, args| removed(i, this, args, false)),
    method("shift", 0, 1, |i, this, args| removed(i, this, args, true)),
    method("[]=", 2, 3, |i, this, args| {
        let list = list_to_change(i, this)?;
        let length = list.len();
        let Some(value) = args.values.last().copied() else { return Ok(Val::Nil) };
        let (start, count) = match (args.at(0), args.values.len()) {
            (Val::Range(range), 2) => match span_of_range(i, range, length)? {
                Some(span) => span,
                None => {
                    let start = i.int(range.from)?;
                    let Ok(start) = usize::try_from(start) else {
                        let shown = i.inspect(args.at(0))?;
                        return Err(i.raise(&class::RANGE_ERROR, format!("{shown} out of range")));
                    };
                    (start, 0)
                }
            },
            (at, 2) => {
                no_match_as_range(i, at)?;
                let wanted = i.int(at)?;
                let Some(at) = place(wanted, length) else {
                    let message = too_small(wanted, length);
                    return Err(i.raise(&class::INDEX_ERROR, message));
                };
                store(i, list, at, value)?;
                return Ok(value);
            }
            (at, _) => {
                let (wanted, count) = (i.int(at)?, i.int(args.at(1))?);
                if count < 0 {
                    let message = format!("negative length ({count})");
                    return Err(i.raise(&class::INDEX_ERROR, message));
                }
                match (place(wanted, length), usize::try_from(count)) {
                    (Some(at), Ok(count)) => (at, count),
                    _ => {
                        return Err(i.raise(&class::INDEX_ERROR, too_small(wanted, length)));
                    }
                }
            }
        };
        i.check_size(start.saturating_mul(16))?;
        let new = match value {
            Val::Array(list) => list.to_vec(),
            one => vec![one],
        };
        list.change(|values| {
            if start > values.len() {
                values.resize(start, Val::Nil);
            }
            let end = start.saturating_add(count).min(values.len());
            drop(values.splice(start..end, new));
        });
        Ok(value)
    }),
    method("clear", 0, 0, |i, this, _| {
        list_to_change(i, this)?.set(Vec::new());
        Ok(this)
    }),
    method("replace", 1, 1, |i, this, args| {
        let list = list_to_change(i, this)?;
        let new = i.vec(args.at(0))?;
        list.set(new);
        Ok(this)
    }),
    method("delete", 1, 1, |i, this, args| {
        let Val::Array(list) = this else { return Ok(Val::Nil) };
        let all = list.to_vec();
        let mut found = None;
        let mut kept = Vec::with_capacity(all.len());
        for value in all {
            if i.equal(value, args.at(0))? {
                found = Some(value);
            } else {
                kept.push(value);
            }
        }
        if found.is_some() {
            list_to_change(i, this)?.set(kept);
        }
        match (found, args.block) {
            (Some(found), _) => Ok(found),
            (None, Some(block)) => i.call_block(block, args.values),
            (None, None) => Ok(Val::Nil),
        }
    }),
    method("delete_at", 1, 1, |i, this, args| {
        let at = i.int(args.at(0))?;
        let list = list_to_change(i, this)?;
        let at = place(at, list.len()).filter(|at| *at < list.len());
        Ok(at.map_or(Val::Nil, |at| list.change(|values| values.remove(at))))
    }),
    method("slice!", 1, 2, |i, this, args| {
        let list = list_to_change(i, this)?;
        let part = i.send(this, "[]", args.values)?;
        let length = list.len();
        let (start, count) = match (args.at(0), args.get(1)) {
            (Val::Range(range), _) => span_of_range(i, range, length)?.unwrap_or((length, 0)),
            (at, count) => {
                let at = i.int(at)?;
                let count = count.map_or(Ok(1), |count| i.int(count))?;
                (place(at, length).unwrap_or(length), usize::try_from(count).unwrap_or(0))
            }
        };
        let (start, end) = (start.min(length), start.saturating_add(count).min(length));
        list.change(|values| drop(values.drain(start..end.max(start))));
        Ok(part)
    }),
    method("delete_if", 0, 0, |i, this, args| retain(i, this, args, false).map(|_| this)),
    method("keep_if", 0, 0, |i, this, args| retain(i, this, args, true).map(|_| this)),
    method("reject!", 0, 0, |i, this, args| Ok(if retain(i, this, args, false)? { this } else { Val::Nil })),
    method("select! filter!", 0, 0, |i, this, args| {
        Ok(if retain(i, this, args, true)? { this } else { Val::Nil })
    }),
    method("map! collect!", 0, 0, map),
    method("compact!", 0, 0, |i, this, args| in_place(i, this, "compact", args, true)),
    method("flatten!", 0, 1, |i, this, args| {
        let list = list_to_change(i, this)?;
        if let Some(depth) = args.get(0).filter(|depth| !depth.is_nil())
            && i.int(depth)? == 0
        {
            return Ok(Val::Nil);
        }
        let is_flat = !list.now().iter().any(|value| matches!(value, Val::Array(_)));
        if is_flat { Ok(Val::Nil) } else { in_place(i, this, "flatten", args, false) }
    }),
    method("uniq!", 0, 0, |i, this, args| in_place(i, this, "uniq", args, true)),
    method("reverse!", 0, 0, |i, this, args| in_place(i, this, "reverse", args, false)),
    method("rotate!", 0, 1, |i, this, args| {
        args.get(0).map(|by| i.int(by)).transpose()?;
        in_place(i, this, "rotate", args, false)
    }),
    method("sort!", 0, 0, |i, this, args| in_place(i, this, "sort", args, false)),
    method("sort_by!", 0, 0, |i, this, args| {
        i.needs_block(&args)?;
        in_place(i, this, "sort_by", args, false)
    }),
    method("fill", 1, 1, |i, this, args| {
        if args.block.is_some() {
            return Err(i.unsupported("fill with a block"));
        }
        let list = list_to_change(i, this)?;
        list.change(|values| values.fill(args.at(0)));
        Ok(this)
    }),
];
