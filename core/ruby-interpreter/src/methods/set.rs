//! `Set`.

use super::{ANY, Args, Entries, Key, Map, Method, R, Run, Val, entries, enumerator, map_to_change, method};
use crate::interpreter::Interpreter;

fn set<'a>(i: &mut Interpreter<'a>, values: Vec<Val<'a>>) -> Val<'a> {
    let keys: Entries<'a> = values.into_iter().map(|value| (i.key(value), Val::Boolean(true))).collect();
    Val::Set(i.heap.map(keys))
}

pub(crate) static CLASS: &[Method] = &[
    method("new", 0, 1, |i, _, args| {
        let values = if args.at(0).is_nil() { Vec::new() } else { i.elements(args.at(0))? };
        Ok(set(i, values))
    }),
    method("[]", 0, ANY, |i, _, args| Ok(set(i, args.values.to_vec()))),
];

fn own<'a>(this: Val<'a>) -> Option<&'a Map<'a>> {
    match this {
        Val::Set(map) => Some(map),
        _ => None,
    }
}

fn joined<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> Run<'a, Entries<'a>> {
    let mut keys = entries(this);
    for other in args.values {
        for value in i.elements(*other)? {
            keys.insert(i.key(value), Val::Boolean(true));
        }
    }
    Ok(keys)
}

fn kept<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, common: bool) -> R<'a> {
    let other: Entries<'a> =
        i.elements(args.at(0))?.into_iter().map(|value| (Key(value), Val::Nil)).collect();
    let keys = entries(this).into_iter().filter(|(key, _)| other.contains_key(key) == common).collect();
    Ok(Val::Set(i.heap.map(keys)))
}

fn is_subset<'a>(small: Val<'a>, large: Val<'a>) -> bool {
    match (own(small), own(large)) {
        (Some(small), Some(large)) => {
            let large = large.entries.borrow();
            small.entries.borrow().keys().all(|key| large.contains_key(key))
        }
        _ => false,
    }
}

pub(crate) static METHODS: &[Method] = &[
    method("each", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each", args) };
        i.each(this, &mut |i, value| i.call_block(block, &[value]).map(|_| true))?;
        Ok(this)
    }),
    method("add <<", 1, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        let key = i.key(args.at(0));
        map.entries.borrow_mut().insert(key, Val::Boolean(true));
        Ok(this)
    }),
    method("add?", 1, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        let key = i.key(args.at(0));
        let old = map.entries.borrow_mut().insert(key, Val::Boolean(true));
        Ok(if old.is_some() { Val::Nil } else { this })
    }),
    method("merge", 0, ANY, |i, this, args| {
        let map = map_to_change(i, this)?;
        let joined = joined(i, this, args)?;
        *map.entries.borrow_mut() = joined;
        Ok(this)
    }),
    method("delete", 1, 1, |i, this, args| {
        map_to_change(i, this)?.entries.borrow_mut().shift_remove(&Key(args.at(0)));
        Ok(this)
    }),
    method("| + union", 1, 1, |i, this, args| {
        let joined = joined(i, this, args)?;
        Ok(Val::Set(i.heap.map(joined)))
    }),
    method("& intersection", 1, 1, |i, this, args| kept(i, this, args, true)),
    method("- difference", 1, 1, |i, this, args| kept(i, this, args, false)),
    method("include? member? === contain?", 1, 1, |_, this, args| {
        Ok(Val::Boolean(own(this).is_some_and(|map| map.entries.borrow().contains_key(&Key(args.at(0))))))
    }),
    method("size length count", 0, 0, |_, this, _| {
        Ok(Val::Integer(own(this).map_or(0, |map| map.entries.borrow().len()) as i64))
    }),
    method("empty?", 0, 0, |_, this, _| {
        Ok(Val::Boolean(own(this).is_none_or(|map| map.entries.borrow().is_empty())))
    }),
    method("subset? <=", 1, 1, |_, this, args| Ok(Val::Boolean(is_subset(this, args.at(0))))),
    method("superset? >=", 1, 1, |_, this, args| Ok(Val::Boolean(is_subset(args.at(0), this)))),
    method("==", 1, 1, |i, this, args| Ok(Val::Boolean(i.equal(this, args.at(0))))),
    method("to_set", 0, 0, |_, this, _| Ok(this)),
    method("to_s inspect", 0, 0, |i, this, _| {
        let text = i.inspect(this)?;
        Ok(i.string(text))
    }),
];
