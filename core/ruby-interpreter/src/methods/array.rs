//! `Array`: what does not change it.

use std::hash::BuildHasher as _;

use super::{
    ANY, Args, Block, Entries, Key, Method, R, Run, Str, Val, class, enumerator, method, no_match_as_range,
    place, span_of_range,
};
use crate::interpreter::Interpreter;

pub(crate) static CLASS: &[Method] = &[
    method("new", 0, 2, |i, _, args| match (args.get(0), args.block) {
        (None, _) => Ok(i.array(Vec::new())),
        (Some(Val::Array(list)), _) => Ok(i.array(list.to_vec())),
        (Some(count), block) => {
            let Ok(count) = usize::try_from(i.int(count)?) else {
                return Err(i.raise(&class::ARGUMENT_ERROR, "negative array size"));
            };
            i.check_size(count.saturating_mul(16))?;
            let mut values = Vec::new();
            for at in 0..count {
                values.push(match block {
                    Some(block) => i.call_block(block, &[Val::Integer(at as i64)])?,
                    None => args.at(1),
                });
            }
            Ok(i.array(values))
        }
    }),
    method("[]", 0, ANY, |i, _, args| Ok(i.array(args.values.to_vec()))),
];

fn values<'a>(this: Val<'a>) -> Vec<Val<'a>> {
    match this {
        Val::Array(list) => list.to_vec(),
        _ => Vec::new(),
    }
}

/// The maximum depth for arrays that are flattened to a depth.
const MAX_DEPTH: i64 = 2000;

fn length(this: Val<'_>) -> usize {
    match this {
        Val::Array(list) => list.len(),
        _ => 0,
    }
}

/// The value at a place, as it is now.
fn get(this: Val<'_>, at: usize) -> Option<Val<'_>> {
    match this {
        Val::Array(list) => list.get(at),
        _ => None,
    }
}

fn element<'a>(this: Val<'a>, at: i64) -> Val<'a> {
    match this {
        Val::Array(list) => {
            let values = list.now();
            place(at, values.len()).and_then(|at| values.get(at).copied()).unwrap_or(Val::Nil)
        }
        _ => Val::Nil,
    }
}

/// The values at the places of a range, with nil behind the last one.
fn values_in<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    range: &'a crate::value::Range<'a>,
) -> Run<'a, Vec<Val<'a>>> {
    let own = length(this) as i64;
    let from = if range.from.is_nil() { 0 } else { i.int(range.from)? };
    let to = if range.to.is_nil() { -1 } else { i.int(range.to)? };
    let start = if from < 0 { from.saturating_add(own) } else { from };
    if start < 0 {
        let shown = i.inspect(Val::Range(range))?;
        return Err(i.raise(&class::RANGE_ERROR, format!("{shown} out of range")));
    }
    let end = if to < 0 { to.saturating_add(own) } else { to };
    let end = end.saturating_add(i64::from(!range.exclusive || range.to.is_nil()));
    let count = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
    i.check_size(count.saturating_mul(16))?;
    Ok((0..count as i64).map(|at| element(this, start.saturating_add(at))).collect())
}

/// `[]` with its forms.
fn part<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let (start, count) = match (args.at(0), args.get(1)) {
        (Val::Range(range), None) => match span_of_range(i, range, length(this))? {
            Some(span) => span,
            None => return Ok(Val::Nil),
        },
        (at, None) => {
            no_match_as_range(i, at)?;
            let at = i.int(at)?;
            return Ok(element(this, at));
        }
        (at, Some(count)) => {
            let (at, count) = (i.int(at)?, i.int(count)?);
            let own = length(this);
            match (place(at, own).filter(|at| *at <= own), usize::try_from(count)) {
                (Some(at), Ok(count)) => (at, count),
                _ => return Ok(Val::Nil),
            }
        }
    };
    Ok(i.array(values(this).into_iter().skip(start).take(count).collect()))
}

/// The separated texts of the elements, arrays in arrays too.
fn joined<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    separator: &str,
    out: &mut Str,
    around: &mut Vec<usize>,
    first: &mut bool,
) -> Run<'a, ()> {
    i.go_inside(this, around, "recursive array join")?;
    for value in values(this) {
        if !std::mem::take(first) {
            out.push_str(separator);
        }
        if let Val::Array(_) = value {
            joined(i, value, separator, out, around, &mut true)?;
            continue;
        }
        if let Val::Object(_) = value
            && i.responds(value, "to_ary")
        {
            return Err(i.unsupported("join of an object that is an array"));
        }
        out.push_str(&i.to_s(value)?);
        i.check_size(out.len())?;
    }
    around.pop();
    Ok(())
}

/// For how many values at the beginning a block holds.
fn beginning<'a>(i: &mut Interpreter<'a>, this: Val<'a>, block: Block<'a, '_>) -> Run<'a, usize> {
    let mut at = 0;
    while let Some(value) = get(this, at) {
        if !i.call_block(block, &[value])?.is_truthy() {
            break;
        }
        at += 1;
    }
    Ok(at)
}

pub(super) fn flattened<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    depth: i64,
    out: &mut Vec<Val<'a>>,
    around: &mut Vec<usize>,
) -> Run<'a, ()> {
    // An array that is flattened to a limited depth can contain itself.
    if depth < 0 {
        i.go_inside(this, around, "tried to flatten recursive array")?;
    } else {
        i.step()?;
    }
    for value in values(this) {
        match value {
            Val::Array(_) if depth != 0 => flattened(i, value, depth.saturating_sub(1), out, around)?,
            Val::Object(_) if depth != 0 && i.responds(value, "to_ary") => {
                let list = i.send(value, "to_ary", &[])?;
                flattened(i, list, depth.saturating_sub(1), out, around)?;
            }
            value => out.push(value),
        }
    }
    if depth < 0 {
        around.pop();
    }
    i.check_size(out.len().saturating_mul(16))
}

fn combinations<'a>(
    i: &mut Interpreter<'a>,
    pool: &[Val<'a>],
    count: usize,
    chosen: &mut Vec<Val<'a>>,
    out: &mut Vec<Val<'a>>,
) -> Run<'a, ()> {
    if chosen.len() == count {
        i.check_size(out.len().saturating_mul(64))?;
        out.push(i.array(chosen.clone()));
        return Ok(());
    }
    for (at, value) in pool.iter().enumerate() {
        i.step()?;
        chosen.push(*value);
        combinations(i, pool.get(at + 1..).unwrap_or_default(), count, chosen, out)?;
        chosen.pop();
    }
    Ok(())
}

fn each_of<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, all: Vec<Val<'a>>) -> R<'a> {
    match args.block {
        Some(block) => {
            for value in all {
                i.call_block(block, &[value])?;
            }
            Ok(this)
        }
        None => Ok(i.array(all)),
    }
}

/// The keys of the other arrays.
fn keys<'a>(i: &mut Interpreter<'a>, others: &[Val<'a>]) -> Run<'a, Entries<'a>> {
    let mut keys = Entries::default();
    for other in others {
        let others = i.vec(*other)?;
        i.charge_keys(&others)?;
        keys.extend(others.into_iter().map(|value| (Key(value), Val::Nil)));
    }
    Ok(keys)
}

fn union<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let own = values(this);
    i.charge_keys(&own)?;
    let mut seen: Entries<'a> = own.into_iter().map(|value| (Key(value), Val::Nil)).collect();
    seen.extend(keys(i, args.values)?);
    Ok(i.array(seen.into_keys().map(|key| key.0).collect()))
}

fn difference<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let without = keys(i, args.values)?;
    let own = values(this);
    i.charge_keys(&own)?;
    Ok(i.array(own.into_iter().filter(|value| !without.contains_key(&Key(*value))).collect()))
}

fn intersection<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let own = values(this);
    if args.values.is_empty() {
        return Ok(i.array(own));
    }
    i.charge_keys(&own)?;
    let mut kept: Entries<'a> = own.into_iter().map(|value| (Key(value), Val::Nil)).collect();
    for other in args.values {
        let other = keys(i, &[*other])?;
        kept.retain(|key, _| other.contains_key(key));
    }
    Ok(i.array(kept.into_keys().map(|key| key.0).collect()))
}

/// The index of the first element that equals a value, or for which a block is true.
fn index<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, name: &'static str) -> R<'a> {
    if args.values.is_empty() && args.block.is_none() {
        return enumerator(i, this, name, args);
    }
    let mut at = 0;
    while let Some(value) = get(this, at) {
        let found = match args.get(0) {
            Some(wanted) => i.equal(value, wanted)?,
            None => i.call_given(&args, &[value])?.is_truthy(),
        };
        if found {
            return Ok(Val::Integer(at as i64));
        }
        at += 1;
    }
    Ok(Val::Nil)
}

pub(crate) static METHODS: &[Method] = &[
    method("[] slice", 1, 2, part),
    method("at", 1, 1, |i, this, args| {
        let at = i.int(args.at(0))?;
        Ok(element(this, at))
    }),
    method("dig", 1, ANY, |i, this, args| {
        let at = i.int(args.at(0))?;
        super::hash::dig_on(i, element(this, at), args)
    }),
    method("fetch", 1, 2, |i, this, args| {
        let (at, own) = (i.int(args.at(0))?, length(this));
        if let Some(value) = place(at, own).filter(|at| *at < own) {
            return Ok(element(this, value as i64));
        }
        match (args.block, args.get(1)) {
            (Some(block), _) => i.call_block(block, &[args.at(0)]),
            (None, Some(default)) => Ok(default),
            (None, None) => {
                let negative = if own == 0 { String::from("0") } else { format!("-{own}") };
                let message = format!("index {at} outside of array bounds: {negative}...{own}");
                Err(i.raise(&class::INDEX_ERROR, message))
            }
        }
    }),
    method("values_at", 0, ANY, |i, this, args| {
        let mut out = Vec::new();
        for at in args.values {
            match at {
                Val::Range(range) => out.extend(values_in(i, this, range)?),
                // It has a begin and an end, as ranges have.
                Val::Match(_) => return Err(i.unsupported("a match as a range")),
                at => {
                    let at = i.int(*at)?;
                    out.push(element(this, at));
                }
            }
        }
        Ok(i.array(out))
    }),
    method("length size", 0, 0, |_, this, _| Ok(Val::Integer(length(this) as i64))),
    method("empty?", 0, 0, |_, this, _| Ok(Val::Boolean(length(this) == 0))),
    method("last", 0, 1, |i, this, args| match args.get(0) {
        None => Ok(element(this, -1)),
        Some(count) => {
            let Ok(count) = usize::try_from(i.int(count)?) else {
                return Err(i.raise(&class::ARGUMENT_ERROR, "negative array size"));
            };
            let all = values(this);
            Ok(i.array(all.get(all.len().saturating_sub(count)..).unwrap_or_default().to_vec()))
        }
    }),
    method("each", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each", args) };
        i.each(this, &mut |i, value| i.call_block(block, &[value]).map(|_| true))?;
        Ok(this)
    }),
    method("reverse_each", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "reverse_each", args) };
        if args.values.is_empty() {
            i.needs_block(&args)?;
        }
        let mut at = length(this);
        while at > 0 {
            at -= 1;
            if let Some(value) = get(this, at) {
                i.call_block(block, &[value])?;
            }
            at = at.min(length(this));
        }
        Ok(this)
    }),
    method("select filter", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "select", args) };
        let (mut at, mut kept) = (0, Vec::new());
        while let Some(value) = get(this, at) {
            // What is kept is the value in place afterwards.
            if i.call_block(block, &[value])?.is_truthy() {
                kept.push(get(this, at).unwrap_or(Val::Nil));
            }
            at += 1;
        }
        Ok(i.array(kept))
    }),
    method("take_while", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "take_while", args) };
        let count = beginning(i, this, block)?;
        Ok(i.array(values(this).into_iter().take(count).collect()))
    }),
    method("drop_while", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "drop_while", args) };
        let count = beginning(i, this, block)?;
        Ok(i.array(values(this).into_iter().skip(count).collect()))
    }),
    method("each_index", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each_index", args) };
        let mut at = 0;
        while at < length(this) {
            i.call_block(block, &[Val::Integer(at as i64)])?;
            at += 1;
        }
        Ok(this)
    }),
    method("join", 0, 1, |i, this, args| {
        if length(this) == 0 {
            return Ok(i.string(""));
        }
        let separator = if args.at(0).is_nil() { Str::new() } else { i.str(args.at(0))? };
        let mut out = Str::new();
        joined(i, this, &separator, &mut out, &mut Vec::new(), &mut true)?;
        Ok(i.string(out))
    }),
    method("to_s inspect", 0, 0, |i, this, _| {
        let text = i.inspect(this)?;
        Ok(i.string(text))
    }),
    method("to_a entries to_ary", 0, 0, |_, this, _| Ok(this)),
    method("+", 1, 1, |i, this, args| {
        let mut all = values(this);
        all.extend(i.vec(args.at(0))?);
        i.check_size(all.len().saturating_mul(16))?;
        Ok(i.array(all))
    }),
    method("-", 1, 1, difference),
    method("&", 1, 1, intersection),
    method("|", 1, 1, union),
    method("difference", 0, ANY, difference),
    method("intersection", 0, ANY, intersection),
    method("union", 0, ANY, union),
    method("intersect?", 1, 1, |i, this, args| {
        let common = intersection(i, this, args)?;
        Ok(Val::Boolean(length(common) > 0))
    }),
    method("*", 1, 1, |i, this, args| match args.at(0) {
        Val::String(_) => i.send(this, "join", args.values),
        count => {
            let Ok(count) = usize::try_from(i.int(count)?) else {
                return Err(i.raise(&class::ARGUMENT_ERROR, "negative argument"));
            };
            i.check_size(length(this).saturating_mul(count).saturating_mul(16))?;
            Ok(i.array(values(this).repeat(count)))
        }
    }),
    method("== ===", 1, 1, |i, this, args| i.equal(this, args.at(0)).map(Val::Boolean)),
    method("<=>", 1, 1, super::object::spaceship),
    method("compact", 0, 0, |i, this, _| {
        Ok(i.array(values(this).into_iter().filter(|value| !value.is_nil()).collect()))
    }),
    method("flatten", 0, 1, |i, this, args| {
        let depth = if args.at(0).is_nil() { -1 } else { i.int(args.at(0))? };
        let mut out = Vec::new();
        flattened(i, this, depth.clamp(-1, MAX_DEPTH), &mut out, &mut Vec::new())?;
        Ok(i.array(out))
    }),
    method("reverse", 0, 0, |i, this, _| Ok(i.array(values(this).into_iter().rev().collect()))),
    method("rotate", 0, 1, |i, this, args| {
        let by = args.get(0).map_or(Ok(1), |by| i.int(by))?;
        let mut all = values(this);
        if !all.is_empty() {
            let by = by.rem_euclid(all.len() as i64) as usize;
            all.rotate_left(by);
        }
        Ok(i.array(all))
    }),
    method("index", 0, 1, |i, this, args| index(i, this, args, "index")),
    method("find_index", 0, 1, |i, this, args| index(i, this, args, "find_index")),
    method("rindex", 0, 1, |i, this, args| {
        if args.values.is_empty() && args.block.is_none() {
            return enumerator(i, this, "rindex", args);
        }
        let mut at = length(this);
        while at > 0 {
            at = (at - 1).min(length(this));
            let Some(value) = get(this, at) else { continue };
            let found = match args.get(0) {
                Some(wanted) => i.equal(value, wanted)?,
                None => i.call_given(&args, &[value])?.is_truthy(),
            };
            if found {
                return Ok(Val::Integer(at as i64));
            }
        }
        Ok(Val::Nil)
    }),
    method("transpose", 0, 0, |i, this, _| {
        let mut rows: Vec<Vec<Val<'_>>> = Vec::new();
        for row in values(this) {
            let row = i.vec(row)?;
            if let Some(first) = rows.first().filter(|first| first.len() != row.len()) {
                let message = format!("element size differs ({} should be {})", row.len(), first.len());
                return Err(i.raise(&class::INDEX_ERROR, message));
            }
            rows.push(row);
        }
        let width = rows.first().map_or(0, Vec::len);
        let column = |at: usize| rows.iter().filter_map(|row| row.get(at).copied()).collect();
        let columns = (0..width).map(|at| i.array(column(at))).collect();
        Ok(i.array(columns))
    }),
    method("assoc", 1, 1, |i, this, args| {
        for pair in values(this) {
            if length(pair) > 0 && i.equal(element(pair, 0), args.at(0))? {
                return Ok(pair);
            }
        }
        Ok(Val::Nil)
    }),
    method("product", 0, ANY, |i, this, args| {
        if args.block.is_some() {
            return Err(i.unsupported("product with a block"));
        }
        let mut out: Vec<Vec<Val<'_>>> = values(this).into_iter().map(|value| vec![value]).collect();
        for other in args.values {
            let other = i.vec(*other)?;
            i.check_size(out.len().saturating_mul(other.len()).saturating_mul(32))?;
            out = out
                .iter()
                .flat_map(|row| other.iter().map(|value| [row.clone(), vec![*value]].concat()))
                .collect();
        }
        let rows = out.into_iter().map(|row| i.array(row)).collect();
        Ok(i.array(rows))
    }),
    method("combination", 1, 1, |i, this, args| {
        if args.block.is_none() {
            i.int(args.at(0))?;
            return enumerator(i, this, "combination", args);
        }
        let count = usize::try_from(i.int(args.at(0))?).unwrap_or(usize::MAX);
        let mut out = Vec::new();
        if count <= length(this) {
            combinations(i, &values(this), count, &mut Vec::new(), &mut out)?;
        }
        each_of(i, this, args, out)
    }),
    method("bsearch", 0, 0, |i, this, args| {
        i.needs_block(&args)?;
        let all = values(this);
        let (mut low, mut high, mut found) = (0, all.len(), Val::Nil);
        while low < high {
            let middle = low + (high - low) / 2;
            let value = all.get(middle).copied().unwrap_or(Val::Nil);
            match i.call_given(&args, &[value])? {
                Val::Boolean(true) => (found, high) = (value, middle),
                Val::Boolean(false) | Val::Nil => low = middle + 1,
                Val::Integer(0) => return Ok(value),
                Val::Integer(order) if order < 0 => high = middle,
                Val::Integer(_) => low = middle + 1,
                _ => return Err(i.unsupported("bsearch with such an answer")),
            }
        }
        Ok(found)
    }),
    method("pack", 1, 1, super::library::pack),
    // Other numbers than Ruby's, which differ from process to process.
    method("hash", 0, 0, |i, this, _| {
        i.charge_keys(&[this])?;
        Ok(Val::Integer((rustc_hash::FxBuildHasher.hash_one(Key(this)) >> 2) as i64))
    }),
];
