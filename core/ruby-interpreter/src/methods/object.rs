//! `Object`: what all values can do; `nil`, `true`, `false`, procs and classes.

use super::{ANY, Args, Block, Method, R, Val, method, text};
use crate::interpreter::Interpreter;
use crate::value::{Code, List, Map};

/// `<=>`
pub(super) fn spaceship<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    Ok(i.compare(this, args.at(0))?.map_or(Val::Nil, |order| Val::Integer(order as i64)))
}

fn equal<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    i.equal(this, args.at(0)).map(Val::Boolean)
}

/// A copy that can be changed.
fn copy<'a>(i: &mut Interpreter<'a>, this: Val<'a>) -> Val<'a> {
    let copied = |map: &Map<'a>| {
        let new = i.heap.map(map.to_entries());
        new.default.set(map.default.get());
        new.default_block.set(map.default_block.get());
        new
    };
    match this {
        Val::String(_) => i.string(text(this)),
        Val::Array(list) => i.array(list.to_vec()),
        Val::Hash(map) => Val::Hash(copied(map)),
        Val::Set(map) => Val::Set(copied(map)),
        other => other,
    }
}

fn kind_of<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    match args.at(0) {
        Val::Class(class) => Ok(Val::Boolean(i.class_of(this).is_a(class))),
        _ => Err(i.raise(&super::class::TYPE_ERROR, "class or module required")),
    }
}

fn frozen(this: Val<'_>) -> Option<&std::cell::Cell<bool>> {
    match this {
        Val::String(text) => Some(&text.frozen),
        Val::Array(List { frozen, .. }) => Some(frozen),
        Val::Hash(map) | Val::Set(map) => Some(&map.frozen),
        _ => None,
    }
}

fn call_by_name<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let name = i.name(args.at(0))?;
    let rest = Args { values: args.values.get(1..).unwrap_or_default(), block: args.block };
    match this {
        Val::Main => {
            i.call_self(&name, rest, false, crate::value::Frame { id: 0, block: None, tag: u64::MAX })
        }
        this => i.send_with(this, &name, rest),
    }
}

pub(crate) static METHODS: &[Method] = &[
    method("nil?", 0, 0, |_, this, _| Ok(Val::Boolean(this.is_nil()))),
    method("!", 0, 0, |_, this, _| Ok(Val::Boolean(!this.is_truthy()))),
    method("== ===", 1, 1, equal),
    method("eql?", 1, 1, |i, this, args| i.eql(this, args.at(0)).map(Val::Boolean)),
    method("!=", 1, 1, |i, this, args| {
        let equal = i.send(this, "==", args.values)?;
        Ok(Val::Boolean(!equal.is_truthy()))
    }),
    method("equal?", 1, 1, |_, this, args| Ok(Val::Boolean(this.is_same(args.at(0))))),
    method("=~", 1, 1, |_, _, _| Ok(Val::Nil)),
    method("!~", 1, 1, |i, this, args| {
        let at = i.send(this, "=~", args.values)?;
        Ok(Val::Boolean(!at.is_truthy()))
    }),
    method("<=>", 1, 1, spaceship),
    method("to_s", 0, 0, |i, this, _| {
        let text = i.to_s(this)?;
        Ok(i.string(text))
    }),
    method("inspect", 0, 0, |i, this, _| {
        let text = i.inspect(this)?;
        Ok(i.string(text))
    }),
    method("class", 0, 0, |i, this, _| Ok(Val::Class(i.class_of(this)))),
    method("is_a? kind_of?", 1, 1, kind_of),
    method("instance_of?", 1, 1, |i, this, args| match args.at(0) {
        Val::Class(class) => Ok(Val::Boolean(i.class_of(this).name == class.name)),
        _ => Err(i.raise(&super::class::TYPE_ERROR, "class or module required")),
    }),
    method("respond_to?", 1, 2, |i, this, args| {
        let name = i.name(args.at(0))?;
        Ok(Val::Boolean(i.responds(this, &name)))
    }),
    method("dup clone", 0, 1, |i, this, _| Ok(copy(i, this))),
    method("freeze", 0, 0, |_, this, _| {
        if let Some(frozen) = frozen(this) {
            frozen.set(true);
        }
        Ok(this)
    }),
    method("frozen?", 0, 0, |_, this, _| Ok(Val::Boolean(frozen(this).is_none_or(std::cell::Cell::get)))),
    method("itself", 0, 0, |_, this, _| Ok(this)),
    method("tap", 0, 0, |i, this, args| {
        i.call_given(&args, &[this])?;
        Ok(this)
    }),
    method("then yield_self", 0, 0, |i, this, args| i.call_given(&args, &[this])),
    method("send public_send __send__", 1, ANY, call_by_name),
    method("method", 1, 1, |i, this, args| {
        let name = i.name(args.at(0))?;
        let code = i.heap.method(this, i.heap.name(name));
        Ok(Val::Proc(i.heap.proc(code, true)))
    }),
    method("hash object_id", 0, 0, |i, _, _| Err(i.unsupported("numbers of objects"))),
    method("instance_variable_get", 1, 1, |i, this, args| match this {
        Val::Main => {
            let name = i.name(args.at(0))?;
            i.instance_by_name(&name)
        }
        _ => Ok(Val::Nil),
    }),
    method("instance_variable_set", 2, 2, |i, _, args| {
        let name = i.name(args.at(0))?;
        i.set_instance(&name, args.at(1));
        Ok(args.at(1))
    }),
    method("instance_variable_defined?", 1, 1, |i, _, args| {
        let name = i.name(args.at(0))?;
        Ok(Val::Boolean(!i.instance_by_name(&name)?.is_nil()))
    }),
    method("instance_variables", 0, 0, |i, this, _| {
        if !matches!(this, Val::Main) {
            return Ok(i.array(Vec::new()));
        }
        let names = i.instance_names().into_iter().map(|name| i.heap.symbol(format!("@{name}"))).collect();
        Ok(i.array(names))
    }),
    method("to_json", 0, ANY, super::library::to_json),
    method("to_yaml", 0, ANY, super::library::to_yaml),
    method("to_enum enum_for", 0, 0, |i, this, _| Ok(i.heap.enumerator(this, "each", Vec::new()))),
    method("display", 0, 0, |_, _, _| Ok(Val::Nil)),
];

pub(crate) static COMPARABLE: &[Method] = &[
    method("<", 1, 1, |i, this, args| Ok(Val::Boolean(i.ordered(this, args.at(0))?.is_lt()))),
    method(">", 1, 1, |i, this, args| Ok(Val::Boolean(i.ordered(this, args.at(0))?.is_gt()))),
    method("<=", 1, 1, |i, this, args| Ok(Val::Boolean(i.ordered(this, args.at(0))?.is_le()))),
    method(">=", 1, 1, |i, this, args| Ok(Val::Boolean(i.ordered(this, args.at(0))?.is_ge()))),
    method("between?", 2, 2, |i, this, args| {
        Ok(Val::Boolean(i.ordered(this, args.at(0))?.is_ge() && i.ordered(this, args.at(1))?.is_le()))
    }),
    method("clamp", 1, 2, |i, this, args| {
        let (least, most) = match args.at(0) {
            Val::Range(range) => (range.from, range.to),
            least => (least, args.at(1)),
        };
        if !least.is_nil() && i.ordered(this, least)?.is_lt() {
            return Ok(least);
        }
        if !most.is_nil() && i.ordered(this, most)?.is_gt() {
            return Ok(most);
        }
        Ok(this)
    }),
];

pub(crate) static NIL: &[Method] = &[
    method("to_a", 0, 0, |i, _, _| Ok(i.array(Vec::new()))),
    method("to_h", 0, 0, |i, _, _| Ok(i.heap.hash(super::Entries::default()))),
    method("to_i", 0, 0, |_, _, _| Ok(Val::Integer(0))),
    method("to_f", 0, 0, |_, _, _| Ok(Val::Float(0.0))),
    method("&", 1, 1, |_, _, _| Ok(Val::Boolean(false))),
    method("|", 1, 1, |_, _, args| Ok(Val::Boolean(args.at(0).is_truthy()))),
];

pub(crate) static BOOLEAN: &[Method] = &[
    method("&", 1, 1, |_, this, args| Ok(Val::Boolean(this.is_truthy() && args.at(0).is_truthy()))),
    method("|", 1, 1, |_, this, args| Ok(Val::Boolean(this.is_truthy() || args.at(0).is_truthy()))),
    method("^", 1, 1, |_, this, args| Ok(Val::Boolean(this.is_truthy() != args.at(0).is_truthy()))),
];

pub(crate) static PROC_CLASS: &[Method] = &[method("new", 0, 0, |i, _, args| match args.block {
    Some(Block::Proc(block)) => Ok(Val::Proc(block)),
    _ => Err(i.raise(&super::class::ARGUMENT_ERROR, "tried to create Proc object without a block")),
})];

pub(crate) static PROC: &[Method] = &[
    method("call () yield === []", 0, ANY, |i, this, args| match (this, args.block) {
        (Val::Proc(proc), Some(Block::Proc(block))) => i.call_proc(proc, args.values, Some(block)),
        (Val::Proc(proc), _) => i.call_proc(proc, args.values, None),
        _ => Ok(Val::Nil),
    }),
    method("to_proc", 0, 0, |_, this, _| Ok(this)),
    method("lambda?", 0, 0, |_, this, _| Ok(Val::Boolean(matches!(this, Val::Proc(proc) if proc.is_lambda)))),
    method("arity", 0, 0, |i, this, _| match this {
        Val::Proc(proc) => match proc.code {
            Code::Block { lambda, .. } => {
                let parameters = &lambda.parameters;
                let needed = (parameters.required.len() + parameters.last.len()) as i64;
                let open = parameters.rest.is_some() || (proc.is_lambda && !parameters.optional.is_empty());
                Ok(Val::Integer(if open { -needed - 1 } else { needed }))
            }
            Code::Symbol(_) => Ok(Val::Integer(-2)),
            Code::Method(_) => Err(i.unsupported("arity of a method")),
        },
        _ => Ok(Val::Nil),
    }),
];

pub(crate) static CLASS: &[Method] = &[
    method("name to_s inspect", 0, 0, |i, this, _| match this {
        Val::Class(class) => Ok(i.string(class.name)),
        _ => Ok(Val::Nil),
    }),
    method("===", 1, 1, |i, this, args| match this {
        Val::Class(class) => Ok(Val::Boolean(i.class_of(args.at(0)).is_a(class))),
        _ => Ok(Val::Nil),
    }),
    method("<=", 1, 1, |_, this, args| match (this, args.at(0)) {
        (Val::Class(own), Val::Class(other)) => Ok(Val::Boolean(own.is_a(other))),
        _ => Ok(Val::Nil),
    }),
    method("superclass", 0, 0, |_, this, _| match this {
        Val::Class(class) => Ok(class.parent.map_or(Val::Nil, Val::Class)),
        _ => Ok(Val::Nil),
    }),
    method("ancestors", 0, 0, |i, this, _| match this {
        Val::Class(class) => Ok(i.array(class.ancestors().map(Val::Class).collect())),
        _ => Ok(Val::Nil),
    }),
];
