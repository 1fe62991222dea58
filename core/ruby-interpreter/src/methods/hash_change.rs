//! `Hash`: what changes it in place.

use super::hash::{merged, transformed};
use super::{ANY, Args, Entries, Key, Method, Run, Val, entries, map_to_change, method};
use crate::interpreter::Interpreter;

fn retain<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, keep: bool) -> Run<'a, bool> {
    let map = map_to_change(i, this)?;
    let all = entries(this);
    let before = all.len();
    let mut kept = Entries::default();
    for (key, value) in all {
        if i.call_given(&args, &[key.0, value])?.is_truthy() == keep {
            kept.insert(key, value);
        }
    }
    let changed = kept.len() != before;
    *map.entries.borrow_mut() = kept;
    Ok(changed)
}

pub(crate) static METHODS: &[Method] = &[
    method("[]= store", 2, 2, |i, this, args| {
        let map = map_to_change(i, this)?;
        let key = i.key(args.at(0));
        i.check_size(map.entries.borrow().len().saturating_mul(48))?;
        map.entries.borrow_mut().insert(key, args.at(1));
        Ok(args.at(1))
    }),
    method("merge! update", 0, ANY, |i, this, args| {
        let map = map_to_change(i, this)?;
        let merged = merged(i, this, args)?;
        *map.entries.borrow_mut() = merged;
        Ok(this)
    }),
    method("replace", 1, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        *map.entries.borrow_mut() = entries(args.at(0));
        Ok(this)
    }),
    method("delete", 1, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        let removed = map.entries.borrow_mut().shift_remove(&Key(args.at(0)));
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
        let before = map.entries.borrow().len();
        map.entries.borrow_mut().retain(|_, value| !value.is_nil());
        Ok(if map.entries.borrow().len() == before { Val::Nil } else { this })
    }),
    method("transform_values!", 0, 0, |i, this, args| {
        let map = map_to_change(i, this)?;
        let new = transformed(i, this, args, false)?;
        *map.entries.borrow_mut() = new;
        Ok(this)
    }),
    method("transform_keys!", 0, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        let new = transformed(i, this, args, true)?;
        *map.entries.borrow_mut() = new;
        Ok(this)
    }),
    method("clear", 0, 0, |i, this, _| {
        map_to_change(i, this)?.entries.borrow_mut().clear();
        Ok(this)
    }),
    method("shift", 0, 0, |i, this, _| {
        let map = map_to_change(i, this)?;
        let first = map.entries.borrow_mut().shift_remove_index(0);
        Ok(first.map_or(Val::Nil, |(key, value)| i.array(vec![key.0, value])))
    }),
    method("default=", 1, 1, |i, this, args| {
        map_to_change(i, this)?.default.set(args.get(0));
        Ok(args.at(0))
    }),
];
