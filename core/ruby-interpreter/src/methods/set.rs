//! `Set`.

use super::hash_change::put;
use super::{
    ANY, Args, Entries, Map, Method, R, Run, Val, class, entries, enumerator, map_to_change, method,
};
use crate::interpreter::Interpreter;

fn set<'a>(i: &mut Interpreter<'a>, values: Vec<Val<'a>>) -> R<'a> {
    let keys = values.into_iter().map(|value| Ok((i.key(value)?, Val::Boolean(true))));
    let keys = keys.collect::<Run<'a, Entries<'a>>>()?;
    Ok(Val::Set(i.heap.map(keys)))
}

pub(crate) static CLASS: &[Method] = &[
    method("new", 0, 1, |i, _, args| {
        if !args.at(0).is_nil() {
            check_enumerable(i, args.at(0))?;
        }
        let values = if args.at(0).is_nil() { Vec::new() } else { i.elements(args.at(0))? };
        set(i, values)
    }),
    method("[]", 0, ANY, |i, _, args| set(i, args.values.to_vec())),
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
            keys.insert(i.key(value)?, Val::Boolean(true));
        }
    }
    Ok(keys)
}

/// The common elements, in the order of the larger one.
fn common<'a>(i: &mut Interpreter<'a>, this: Val<'a>, other: Val<'a>) -> R<'a> {
    let (walked, asked) = match (own(this), own(other)) {
        (Some(one), Some(two)) if two.len() > one.len() => (this, Some(two)),
        (one, _) => (other, one),
    };
    let mut keys = Entries::default();
    for value in i.elements(walked)? {
        if asked.is_some_and(|asked| asked.contains(value)) {
            keys.insert(i.key(value)?, Val::Boolean(true));
        }
    }
    Ok(Val::Set(i.heap.map(keys)))
}

fn difference<'a>(i: &mut Interpreter<'a>, this: Val<'a>, other: Val<'a>) -> R<'a> {
    let rest = i.heap.map(entries(this));
    for value in i.elements(other)? {
        rest.remove(value);
    }
    Ok(Val::Set(rest))
}

fn is_subset<'a>(small: Val<'a>, large: Val<'a>) -> bool {
    match (own(small), own(large)) {
        (Some(small), Some(large)) => {
            small.len() <= large.len() && small.now().keys().all(|key| large.contains(key.0))
        }
        _ => false,
    }
}

fn check_enumerable<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
    match value {
        Val::Array(_) | Val::Hash(_) | Val::Set(_) | Val::Range(_) | Val::Enumerator(_) => Ok(()),
        value if i.responds(value, "each_entry") => Ok(()),
        _ => Err(i.raise(&class::ARGUMENT_ERROR, "value must be enumerable")),
    }
}

fn check_set<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
    match value {
        Val::Set(_) => Ok(()),
        _ => Err(i.raise(&class::ARGUMENT_ERROR, "value must be a set")),
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
        put(i, map, args.at(0), Val::Boolean(true))?;
        Ok(this)
    }),
    method("add?", 1, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        let old = put(i, map, args.at(0), Val::Boolean(true))?;
        Ok(if old.is_some() { Val::Nil } else { this })
    }),
    method("merge", 1, 1, |i, this, args| {
        let map = map_to_change(i, this)?;
        check_enumerable(i, args.at(0))?;
        i.each(args.at(0), &mut |i, value| put(i, map, value, Val::Boolean(true)).map(|_| true))?;
        Ok(this)
    }),
    method("delete", 1, 1, |i, this, args| {
        map_to_change(i, this)?.remove(args.at(0));
        Ok(this)
    }),
    method("| + union", 1, 1, |i, this, args| {
        check_enumerable(i, args.at(0))?;
        let joined = joined(i, this, args)?;
        Ok(Val::Set(i.heap.map(joined)))
    }),
    method("& intersection", 1, 1, |i, this, args| {
        check_enumerable(i, args.at(0))?;
        common(i, this, args.at(0))
    }),
    method("- difference", 1, 1, |i, this, args| {
        check_enumerable(i, args.at(0))?;
        difference(i, this, args.at(0))
    }),
    method("include? member? === contain?", 1, 1, |_, this, args| {
        Ok(Val::Boolean(own(this).is_some_and(|map| map.contains(args.at(0)))))
    }),
    method("size length", 0, 0, |_, this, _| Ok(Val::Integer(own(this).map_or(0, |map| map.len()) as i64))),
    method("empty?", 0, 0, |_, this, _| Ok(Val::Boolean(own(this).is_none_or(|map| map.len() == 0)))),
    method("subset? <=", 1, 1, |i, this, args| {
        check_set(i, args.at(0))?;
        Ok(Val::Boolean(is_subset(this, args.at(0))))
    }),
    method("superset? >=", 1, 1, |i, this, args| {
        check_set(i, args.at(0))?;
        Ok(Val::Boolean(is_subset(args.at(0), this)))
    }),
    method("==", 1, 1, |i, this, args| i.equal(this, args.at(0)).map(Val::Boolean)),
    method("to_set", 0, 0, |i, this, args| match args.block {
        Some(_) => Err(i.unsupported("to_set with a block")),
        None => Ok(this),
    }),
    method("to_s inspect", 0, 0, |i, this, _| {
        let text = i.inspect(this)?;
        Ok(i.string(text))
    }),
];
