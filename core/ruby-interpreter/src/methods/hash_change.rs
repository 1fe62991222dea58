//! `Hash`: what changes it in place.

use super::hash::{pairs, transformed};
use super::{ANY, Args, Map, Method, R, Run, Val, class, entries, map_to_change, method};
use crate::interpreter::Interpreter;

/// Sets the value of a key, in a hash or a set; returns the previous one.
pub(super) fn put<'a>(
    i: &mut Interpreter<'a>,
    map: &'a Map<'a>,
    key: Val<'a>,
    value: Val<'a>,
) -> Run<'a, Option<Val<'a>>> {
    i.check_size(map.len().saturating_mul(48))?;
    let key = i.key(key)?;
    map.insert(key, value)
        .map_err(|_| i.raise(&class::RUNTIME_ERROR, "can't add a new key into hash during iteration"))
}

/// Removes the pairs for which a block is true, each immediately.
fn retain<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, keep: bool) -> Run<'a, bool> {
    i.needs_block(&args)?;
    let map = map_to_change(i, this)?;
    let before = map.len();
    for (key, value) in map.walk() {
        if i.call_given(&args, &[key, value])?.is_truthy() != keep {
            map_to_change(i, this)?;
            i.work_on(map.len())?;
            map.remove_object(key);
        }
    }
    Ok(map.len() != before)
}

fn merge<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let map = map_to_change(i, this)?;
    for other in args.values {
        let Val::Hash(other) = other else { return Err(i.no_conversion(*other, "Hash")) };
        for (key, new) in other.walk() {
            let (Some(at), Some(block)) = (map.position(key), args.block) else {
                put(i, map, key, new)?;
                continue;
            };
            let (shape, old) = (map.shape(), map.get(key).unwrap_or(Val::Nil));
            let value = i.call_block(block, &[key, old, new])?;
            map_to_change(i, this)?;
            if map.shape() != shape {
                return Err(i.unsupported("hash that changes while another is merged into it"));
            }
            map.set_at(at, value);
        }
    }
    Ok(this)
}

/// Replaces the content by the result.
fn replace<'a>(i: &mut Interpreter<'a>, this: Val<'a>, new: super::Entries<'a>) -> R<'a> {
    let map = map_to_change(i, this)?;
    if map.is_walked() {
        return Err(i.unsupported("hash that is replaced while it is walked"));
    }
    map.set(new);
    Ok(this)
}

pub(crate) static METHODS: &[Method] = &[
    method("[]= store", 2, 2, |i, this, args| {
        let map = map_to_change(i, this)?;
        put(i, map, args.at(0), args.at(1))?;
        Ok(args.at(1))
    }),
    method("merge! update", 0, ANY, merge),
    method("replace", 1, 1, |i, this, args| {
        map_to_change(i, this)?;
        if !matches!(args.at(0), Val::Hash(_)) {
            return Err(i.no_conversion(args.at(0), "Hash"));
        }
        replace(i, this, entries(args.at(0)))
    }),
    method("delete", 1, 1, |i, this, args| {
        let removed = map_to_change(i, this)?.remove(args.at(0));
        match (removed, args.block) {
            (Some(value), _) => Ok(value),
            (None, Some(block)) => i.call_block(block, args.values),
            (None, None) => Ok(Val::Nil),
        }
    }),
    method("delete_if", 0, 0, |i, this, args| retain(i, this, args, false).map(|_| this)),
    method("keep_if", 0, 0, |i, this, args| retain(i, this, args, true).map(|_| this)),
    method("reject!", 0, 0, |i, this, args| Ok(if retain(i, this, args, false)? { this } else { Val::Nil })),
    method("select! filter!", 0, 0, |i, this, args| {
        Ok(if retain(i, this, args, true)? { this } else { Val::Nil })
    }),
    method("compact!", 0, 0, |i, this, _| {
        let map = map_to_change(i, this)?;
        let before = map.len();
        map.retain(|value| !value.is_nil());
        Ok(if map.len() == before { Val::Nil } else { this })
    }),
    method("transform_values!", 0, 0, |i, this, args| {
        i.needs_block(&args)?;
        let map = map_to_change(i, this)?;
        let shape = map.shape();
        for at in 0..map.len() {
            let value = map.now().get_index(at).map_or(Val::Nil, |(_, value)| *value);
            let new = i.call_given(&args, &[value])?;
            map_to_change(i, this)?;
            if map.shape() != shape {
                return Err(i.unsupported("hash that changes while its values are transformed"));
            }
            map.set_at(at, new);
        }
        Ok(this)
    }),
    method("transform_keys!", 0, 1, |i, this, args| {
        if args.get(0).is_some_and(|names| !matches!(names, Val::Hash(_))) {
            return Err(i.unsupported("keys that are told by no hash"));
        }
        let map = map_to_change(i, this)?;
        let before = map.now();
        let new = transformed(i, args, true, pairs(this))?;
        if map.frozen.get() || !std::rc::Rc::ptr_eq(&before, &map.now()) {
            return Err(i.unsupported("hash that changes while its keys are transformed"));
        }
        replace(i, this, new)
    }),
    method("clear", 0, 0, |i, this, _| {
        map_to_change(i, this)?.retain(|_| false);
        Ok(this)
    }),
    method("shift", 0, 0, |i, this, _| {
        let first = map_to_change(i, this)?.remove_at(0);
        Ok(first.map_or(Val::Nil, |(key, value)| i.array(vec![key.0, value])))
    }),
    method("default=", 1, 1, |i, this, args| {
        map_to_change(i, this)?.default.set(args.get(0));
        Ok(args.at(0))
    }),
];
