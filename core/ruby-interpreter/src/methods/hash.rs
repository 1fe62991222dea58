//! `Hash`: what does not change it.

use super::{ANY, Args, Block, Entries, Key, Map, Method, R, Run, Val, class, entries, enumerator, method};
use crate::held::position;
use crate::interpreter::Interpreter;

pub(crate) static CLASS: &[Method] = &[
    method("new", 0, 1, |i, _, args| {
        let map = i.heap.map(Entries::default());
        match (args.get(0), args.block) {
            (_, Some(Block::Proc(block))) => map.default_block.set(Some(block)),
            (default, _) => map.default.set(default),
        }
        Ok(Val::Hash(map))
    }),
    method("[]", 0, ANY, |i, _, args| match args.values {
        [Val::Hash(_)] => Ok(i.heap.hash(entries(args.at(0)))),
        [Val::Array(list)] => {
            let is_pair = |value: &Val<'_>| matches!(value, Val::Array(pair) if pair.len() == 2);
            if !list.now().iter().all(is_pair) {
                return Err(i.unsupported("Hash[] of what are no pairs"));
            }
            i.send(args.at(0), "to_h", &[])
        }
        values if values.len() % 2 == 0 => {
            let mut out = Entries::default();
            for pair in values.chunks(2) {
                if let [key, value] = pair {
                    out.insert(i.key(*key)?, *value);
                }
            }
            Ok(i.heap.hash(out))
        }
        _ => Err(i.raise(&class::ARGUMENT_ERROR, "odd number of arguments for Hash")),
    }),
];

fn map<'a>(this: Val<'a>) -> Option<&'a Map<'a>> {
    match this {
        Val::Hash(map) => Some(map),
        _ => None,
    }
}

/// The pairs of a hash, as they are when they are come to.
fn walk<'a>(this: Val<'a>) -> impl Iterator<Item = (Val<'a>, Val<'a>)> {
    map(this).into_iter().flat_map(Map::walk)
}

/// The pairs of a hash, as they are now.
pub(super) fn pairs<'a>(this: Val<'a>) -> impl Iterator<Item = (Val<'a>, Val<'a>)> {
    entries(this).into_iter().map(|(key, value)| (key.0, value))
}

/// The value of a key that is not there.
pub(super) fn default_of<'a>(i: &mut Interpreter<'a>, map: &'a Map<'a>, key: Val<'a>) -> R<'a> {
    match (map.default_block.get(), map.default.get()) {
        (Some(block), _) => i.call_proc(block, &[Val::Hash(map), key], None),
        (None, default) => Ok(default.unwrap_or(Val::Nil)),
    }
}

pub(super) fn get<'a>(this: Val<'a>, key: Val<'a>) -> Option<Val<'a>> {
    map(this).and_then(|map| map.get(key))
}

/// Continues digging in a found value.
pub(super) fn dig_on<'a>(i: &mut Interpreter<'a>, found: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    match (found, args.values.get(1..)) {
        (Val::Nil, _) | (_, None | Some([])) => Ok(found),
        (Val::Hash(_) | Val::Array(_), Some(rest)) => i.send(found, "dig", rest),
        (other, _) => {
            let class = i.class_name(other);
            Err(i.raise(&class::TYPE_ERROR, format!("{class} does not have #dig method")))
        }
    }
}

fn filtered<'a>(i: &mut Interpreter<'a>, this: Val<'a>, block: Block<'a, '_>, wanted: bool) -> R<'a> {
    let mut kept = Entries::default();
    // Ruby walks a copy.
    for (key, value) in entries(this) {
        if i.call_block(block, &[key.0, value])?.is_truthy() == wanted {
            kept.insert(key, value);
        }
    }
    Ok(i.heap.hash(kept))
}

pub(super) fn merged<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> Run<'a, Entries<'a>> {
    let mut out = entries(this);
    for other in args.values {
        let Val::Hash(other) = other else { return Err(i.no_conversion(*other, "Hash")) };
        for (key, new) in other.walk() {
            let known = position(&out, key).and_then(|at| Some((at, *out.get_index(at)?.1)));
            let (Some((at, old)), Some(block)) = (known, args.block) else {
                out.insert(Key(key), new);
                continue;
            };
            let value = i.call_block(block, &[key, old, new])?;
            if let Some((_, place)) = out.get_index_mut(at) {
                *place = value;
            }
        }
    }
    Ok(out)
}

pub(super) fn transformed<'a>(
    i: &mut Interpreter<'a>,
    args: Args<'a, '_>,
    keys: bool,
    pairs: impl Iterator<Item = (Val<'a>, Val<'a>)>,
) -> Run<'a, Entries<'a>> {
    match args.get(0) {
        None => i.needs_block(&args)?,
        Some(Val::Hash(_)) => {}
        Some(_) => return Err(i.unsupported("keys that are told by no hash")),
    }
    let mut out = Entries::default();
    for (key, value) in pairs {
        if keys {
            let new = match (args.get(0).and_then(|names| get(names, key)), args.block) {
                (Some(new), _) => new,
                (None, Some(block)) => i.call_block(block, &[key])?,
                (None, None) => key,
            };
            out.insert(i.key(new)?, value);
        } else {
            let new = i.call_given(&args, &[value])?;
            out.insert(Key(key), new);
        }
    }
    Ok(out)
}

fn is_subset<'a>(i: &mut Interpreter<'a>, small: Val<'a>, large: Val<'a>) -> Run<'a, bool> {
    if !matches!(large, Val::Hash(_)) || !matches!(small, Val::Hash(_)) {
        return Err(i.no_conversion(large, "Hash"));
    }
    for (key, value) in entries(small) {
        match get(large, key.0) {
            Some(other) if i.equal(value, other)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

fn each<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, name: &'static str) -> R<'a> {
    let Some(block) = args.block else { return enumerator(i, this, name, args) };
    i.each(this, &mut |i, pair| i.call_block(block, &[pair]).map(|_| true))?;
    Ok(this)
}

pub(crate) static METHODS: &[Method] = &[
    method("to_proc", 0, 0, |i, this, _| {
        let code = i.heap.joined(crate::value::Join::Lookup, this, Val::Nil);
        Ok(Val::Proc(i.heap.proc(code, true)))
    }),
    method("[]", 1, 1, |i, this, args| match (get(this, args.at(0)), map(this)) {
        (Some(value), _) => Ok(value),
        (None, Some(map)) => default_of(i, map, args.at(0)),
        (None, None) => Ok(Val::Nil),
    }),
    method("fetch", 1, 2, |i, this, args| match (get(this, args.at(0)), args.block, args.get(1)) {
        (Some(value), _, _) => Ok(value),
        (None, Some(block), _) => i.call_block(block, &[args.at(0)]),
        (None, None, Some(default)) => Ok(default),
        (None, None, None) => {
            let mut key = i.inspect(args.at(0))?;
            // Ruby shortens what it shows of a long key.
            const LONGEST: usize = 65;
            if let Some((at, _)) = key.char_indices().nth(LONGEST - 3)
                && key.chars().count() > LONGEST
            {
                key.truncate(at);
                key.push_str("...");
            }
            Err(i.raise(&class::KEY_ERROR, format!("key not found: {key}")))
        }
    }),
    method("dig", 1, ANY, |i, this, args| {
        let found = i.send(this, "[]", &[args.at(0)])?;
        dig_on(i, found, args)
    }),
    method("key? has_key? include? member?", 1, 1, |_, this, args| {
        Ok(Val::Boolean(get(this, args.at(0)).is_some()))
    }),
    method("value? has_value?", 1, 1, |i, this, args| {
        for value in entries(this).into_values() {
            if i.equal(value, args.at(0))? {
                return Ok(Val::Boolean(true));
            }
        }
        Ok(Val::Boolean(false))
    }),
    method("key", 1, 1, |i, this, args| {
        for (key, value) in entries(this) {
            if i.equal(value, args.at(0))? {
                return Ok(key.0);
            }
        }
        Ok(Val::Nil)
    }),
    method("keys", 0, 0, |i, this, _| Ok(i.array(entries(this).into_keys().map(|key| key.0).collect()))),
    method("values", 0, 0, |i, this, _| Ok(i.array(entries(this).into_values().collect()))),
    method("values_at", 0, ANY, |i, this, args| {
        let values =
            args.values.iter().map(|key| i.send(this, "[]", &[*key])).collect::<Run<'_, Vec<_>>>()?;
        Ok(i.array(values))
    }),
    method("fetch_values", 0, ANY, |i, this, args| {
        let values =
            args.values.iter().map(|key| i.send_with(this, "fetch", Args { values: &[*key], ..args }));
        let values = values.collect::<Vec<_>>().into_iter().collect::<Run<'_, Vec<_>>>()?;
        Ok(i.array(values))
    }),
    method("length size", 0, 0, |_, this, _| Ok(Val::Integer(map(this).map_or(0, |map| map.len()) as i64))),
    method("empty?", 0, 0, |_, this, _| Ok(Val::Boolean(map(this).is_none_or(|map| map.len() == 0)))),
    method("each", 0, 0, |i, this, args| each(i, this, args, "each")),
    method("each_pair", 0, 0, |i, this, args| each(i, this, args, "each_pair")),
    method("each_key", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each_key", args) };
        for (key, _) in walk(this) {
            i.call_block(block, &[key])?;
        }
        Ok(this)
    }),
    method("each_value", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each_value", args) };
        for (_, value) in walk(this) {
            i.call_block(block, &[value])?;
        }
        Ok(this)
    }),
    method("select filter", 0, 0, |i, this, args| match args.block {
        Some(block) => filtered(i, this, block, true),
        None => enumerator(i, this, "select", args),
    }),
    method("reject", 0, 0, |i, this, args| match args.block {
        Some(block) => filtered(i, this, block, false),
        None => enumerator(i, this, "reject", args),
    }),
    method("merge", 0, ANY, |i, this, args| {
        let merged = merged(i, this, args)?;
        Ok(i.heap.hash(merged))
    }),
    method("transform_values", 0, 0, |i, this, args| {
        let new = transformed(i, args, false, pairs(this))?;
        Ok(i.heap.hash(new))
    }),
    method("transform_keys", 0, 1, |i, this, args| {
        let new = transformed(i, args, true, walk(this))?;
        Ok(i.heap.hash(new))
    }),
    method("invert", 0, 0, |i, this, _| {
        let inverted = entries(this).into_iter().map(|(key, value)| Ok((i.key(value)?, key.0)));
        Ok(i.heap.hash(inverted.collect::<Run<'_, _>>()?))
    }),
    method("compact", 0, 0, |i, this, _| {
        Ok(i.heap.hash(entries(this).into_iter().filter(|(_, value)| !value.is_nil()).collect()))
    }),
    method("slice", 0, ANY, |i, this, args| {
        let found = args.values.iter().filter_map(|key| Some((*key, get(this, *key)?)));
        let kept = found.map(|(key, value)| Ok((i.key(key)?, value)));
        Ok(i.heap.hash(kept.collect::<Run<'_, _>>()?))
    }),
    method("except", 0, ANY, |i, this, args| {
        let kept = i.heap.map(entries(this));
        for key in args.values {
            kept.remove(*key);
        }
        Ok(Val::Hash(kept))
    }),
    method("to_h", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return Ok(this) };
        let mut out = Entries::default();
        for (key, value) in walk(this) {
            let made = i.call_block(block, &[key, value])?;
            let (key, value) = super::enumerable::pair(i, made, None)?;
            out.insert(i.key(key)?, value);
        }
        Ok(i.heap.hash(out))
    }),
    method("to_hash", 0, 0, |_, this, _| Ok(this)),
    method("to_s inspect", 0, 0, |i, this, _| {
        let text = i.inspect(this)?;
        Ok(i.string(text))
    }),
    method("any?", 0, 1, |i, this, args| match (args.get(0), args.block) {
        (None, None) => Ok(Val::Boolean(!entries(this).is_empty())),
        (pattern, block) => {
            let mut found = false;
            i.each(this, &mut |i, pair| {
                found = match (pattern, block) {
                    (Some(pattern), _) => i.send(pattern, "===", &[pair])?.is_truthy(),
                    (None, Some(block)) => i.call_block(block, &[pair])?.is_truthy(),
                    (None, None) => true,
                };
                Ok(!found)
            })?;
            Ok(Val::Boolean(found))
        }
    }),
    method("assoc", 1, 1, |i, this, args| {
        // Ruby compares the keys of small hashes one by one, and looks in large ones.
        const SMALL: usize = 8;
        let entries = super::entries(this);
        if entries.len() <= SMALL {
            for (key, value) in &entries {
                if i.equal(key.0, args.at(0))? {
                    return Ok(i.array(vec![key.0, *value]));
                }
            }
            return Ok(Val::Nil);
        }
        Ok(match get(this, args.at(0)) {
            Some(value) => i.array(vec![args.at(0), value]),
            None => Val::Nil,
        })
    }),
    method("flatten", 0, 1, |i, this, args| {
        let depth = args.get(0).map_or(Ok(1), |depth| i.int(depth))?;
        let pairs = i.elements(this)?;
        let pairs = i.array(pairs);
        i.send(pairs, "flatten", &[Val::Integer(depth)])
    }),
    method("== ===", 1, 1, |i, this, args| i.equal(this, args.at(0)).map(Val::Boolean)),
    method("<=", 1, 1, |i, this, args| is_subset(i, this, args.at(0)).map(Val::Boolean)),
    method(">=", 1, 1, |i, this, args| match args.at(0) {
        of @ Val::Hash(_) => is_subset(i, of, this).map(Val::Boolean),
        other => Err(i.no_conversion(other, "Hash")),
    }),
    method("default", 0, 1, |_, this, _| Ok(map(this).and_then(|map| map.default.get()).unwrap_or(Val::Nil))),
];
