//! `Object`: what all values can do; `nil`, `true`, `false`, procs and classes.

use super::{ANY, Args, Block, Method, R, Run, Val, method, text};
use crate::interpreter::Interpreter;
use crate::value::{Code, Enumerator, Join, List, Map, Proc, Range};

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
        Val::String(own) if own.is_utf8.get() => i.heap.utf8(own.get()),
        Val::String(_) => i.string(text(this)),
        Val::Array(list) => i.array(list.to_vec()),
        Val::Hash(map) => Val::Hash(copied(map)),
        Val::Set(map) => Val::Set(copied(map)),
        other => other,
    }
}

fn kind_of<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    Ok(Val::Boolean(i.is_kind(this, args.at(0))?))
}

/// `dup` and `clone`
fn duplicate<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, is_clone: bool) -> R<'a> {
    if !args.values.is_empty() && !args.keywords {
        return Err(i.wrong_count(args.values.len(), 0, 0));
    }
    let freeze = args.option("freeze");
    if let Some(value) = freeze.filter(|value| !matches!(value, Val::Boolean(_) | Val::Nil)) {
        let message = format!("unexpected value for freeze: {}", i.class_name(value));
        return Err(i.raise(&super::class::ARGUMENT_ERROR, message));
    }
    let keeps_frozen = is_clone && freeze.is_none_or(Val::is_truthy);
    let new = match this {
        Val::Object(object) => {
            let new = i.heap.object(object.class);
            new.variables.set(object.variables.ask(|variables| crate::modules::Named::clone(variables)));
            if is_clone {
                new.singleton.set(object.singleton.get());
            }
            let new = Val::Object(new);
            if let Some(found) = i.find_method(new, "initialize_copy") {
                i.call_found(found, new, Args::new(&[this]))?;
            }
            new
        }
        Val::Module(_) | Val::Class(_) => return Err(i.unsupported("copy of a class")),
        Val::Exception(_) => return Err(i.unsupported("copy of an exception")),
        Val::Range(range) if !keeps_frozen => i.heap.copied_range(range),
        other => copy(i, other),
    };
    if keeps_frozen && let (Some(old), Some(new)) = (frozen(this), frozen(new)) {
        new.set(old.get());
    }
    Ok(new)
}

fn frozen(this: Val<'_>) -> Option<&std::cell::Cell<bool>> {
    match this {
        Val::String(text) => Some(&text.frozen),
        Val::Array(List { frozen, .. }) => Some(frozen),
        Val::Hash(map) | Val::Set(map) => Some(&map.frozen),
        Val::Object(object) => Some(&object.frozen),
        Val::Module(module) => Some(&module.frozen),
        _ => None,
    }
}

fn check_callable<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, ()> {
    match value {
        Val::Proc(_) => Ok(()),
        value if i.responds(value, "call") => Ok(()),
        _ => Err(i.raise(&super::class::TYPE_ERROR, "callable object is expected")),
    }
}

fn call_by_name<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let name = i.name(args.at(0))?;
    match this {
        Val::Main => i.call_self(&name, args.rest(), false, i.outer_frame()),
        this => i.send_with(this, &name, args.rest()),
    }
}

/// The name of an instance variable without `@`.
fn variable_name<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, &'a str> {
    let name = i.name(value)?;
    match name.strip_prefix('@') {
        Some(bare) if !bare.is_empty() && !bare.starts_with(|c: char| c.is_ascii_digit() || c == '@') => {
            Ok(i.heap.name(bare))
        }
        _ => {
            let message = format!("`{name}' is not allowed as an instance variable name");
            Err(i.raise(&super::class::NAME_ERROR, message))
        }
    }
}

fn method_object<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let name = i.name(args.at(0))?;
    if !matches!(this, Val::Main) && !i.answers(this, &name, true) {
        let class = i.class_name(this);
        let message = match this {
            Val::Class(_) | Val::Module(_) => {
                let shown = i.inspect(this)?;
                format!("undefined method `{name}' for class `#<Class:{shown}>'")
            }
            _ => format!("undefined method `{name}' for class `{class}'"),
        };
        return Err(i.raise(&super::class::NAME_ERROR, message));
    }
    let code = i.heap.method(this, i.heap.name(name));
    Ok(Val::Proc(i.heap.proc(code, true)))
}

/// `instance_eval` and `instance_exec`
fn evaluated<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let Some(block) = args.proc() else {
        let (text, file) = (i.str(args.at(0))?, args.get(1).map(|file| i.str(file)).transpose()?);
        return i.evaluate_text(this, &text, file.unwrap_or_else(|| "(eval)".into()));
    };
    let given = [this];
    let values = if args.values.is_empty() { Args::new(&given) } else { Args { block: None, ..args } };
    let definee = match this {
        Val::Object(_) | Val::Module(_) | Val::Class(_) => Some(i.singleton(this)?),
        _ => None,
    };
    i.call_proc_in(block, this, None, definee, values)
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
    method("equal?", 1, 1, |i, this, args| {
        let is_same = this.is_same(args.at(0));
        if is_same && matches!(this, Val::Big(_) | Val::Range(_) | Val::Regexp(_)) {
            return Err(i.unsupported("identity of such values"));
        }
        if let (Val::Float(one), Val::Float(other)) = (this, args.at(0)) {
            if one.to_bits() != other.to_bits() {
                return Ok(Val::Boolean(false));
            }
            // Others than these are objects, which are the same or not.
            let bits = one.to_bits();
            let is_immediate = bits == 0 || bits != 0x3000_0000_0000_0000 && matches!(bits >> 60 & 7, 3 | 4);
            if !is_immediate {
                return Err(i.unsupported("identity of such values"));
            }
        }
        Ok(Val::Boolean(is_same))
    }),
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
    method("class", 0, 0, |i, this, _| {
        if let Val::Enumerator(enumerator) = this {
            i.check_no_sequence(enumerator)?;
        }
        if matches!(i.class_of(this), of if std::ptr::eq(of, &super::class::FOREIGN)) {
            return Err(i.unsupported("class of a value of Puppet"));
        }
        Ok(i.class_value(this))
    }),
    method("is_a? kind_of?", 1, 1, kind_of),
    method("instance_of?", 1, 1, |i, this, args| match args.at(0) {
        wanted @ (Val::Class(_) | Val::Module(_)) => Ok(Val::Boolean(i.class_value(this).is_same(wanted))),
        _ => Err(i.raise(&super::class::TYPE_ERROR, "class or module required")),
    }),
    method("respond_to?", 1, 2, |i, this, args| {
        let name = i.name(args.at(0))?;
        Ok(Val::Boolean(i.answers(this, &name, args.at(1).is_truthy())))
    }),
    method("dup", 0, 0, |i, this, args| duplicate(i, this, args, false)),
    method("clone", 0, 1, |i, this, args| duplicate(i, this, args, true)),
    method("freeze", 0, 0, |_, this, _| {
        if let Some(frozen) = frozen(this) {
            frozen.set(true);
        }
        Ok(this)
    }),
    method("frozen?", 0, 0, |_, this, _| {
        let is_free = matches!(
            this,
            Val::Class(_)
                | Val::Proc(_)
                | Val::Exception(_)
                | Val::Enumerator(_)
                | Val::Match(_)
                | Val::Time(_)
                | Val::Bytes(_)
                | Val::Range(Range { is_copy: true, .. })
        );
        Ok(Val::Boolean(!is_free && frozen(this).is_none_or(std::cell::Cell::get)))
    }),
    method("itself", 0, 0, |_, this, _| Ok(this)),
    method("tap", 0, 0, |i, this, args| {
        i.call_given(&args, &[this])?;
        Ok(this)
    }),
    method("then yield_self", 0, 0, |i, this, args| i.call_given(&args, &[this])),
    method("send __send__", 1, ANY, call_by_name),
    method("public_send", 1, ANY, |i, this, args| {
        let name = i.name(args.at(0))?;
        match this {
            Val::Main => call_by_name(i, this, args),
            this => i.send_public(this, &name, args.rest(), Val::Nil),
        }
    }),
    method("extend", 1, ANY, |i, this, args| i.extend(this, args)),
    method("singleton_class", 0, 0, |i, this, _| Ok(Val::Module(i.singleton(this)?))),
    method("define_singleton_method", 1, 2, |i, this, args| {
        let singleton = i.singleton(this)?;
        i.send_with(Val::Module(singleton), "define_method", args)
    }),
    method("instance_eval instance_exec", 0, ANY, evaluated),
    method("remove_instance_variable", 1, 1, |i, this, args| {
        let name = variable_name(i, args.at(0))?;
        match i.remove_variable_of(this, name) {
            Some(value) => Ok(value),
            None => {
                let described = i.described(this);
                let message = format!("instance variable @{name} not defined for {described}");
                Err(i.raise(&super::class::NAME_ERROR, message))
            }
        }
    }),
    method("method public_method", 1, 1, method_object),
    method("hash object_id __id__", 0, 0, |i, _, _| Err(i.unsupported("numbers of objects"))),
    method("instance_variable_get", 1, 1, |i, this, args| {
        let name = variable_name(i, args.at(0))?;
        Ok(i.variable_of(this, name)?.unwrap_or(Val::Nil))
    }),
    method("instance_variable_set", 2, 2, |i, this, args| {
        let name = variable_name(i, args.at(0))?;
        i.set_variable_of(this, name, args.at(1))?;
        Ok(args.at(1))
    }),
    method("instance_variable_defined?", 1, 1, |i, this, args| {
        let name = variable_name(i, args.at(0))?;
        Ok(Val::Boolean(i.variable_of(this, name)?.is_some()))
    }),
    method("instance_variables", 0, 0, |i, this, _| {
        let names =
            i.variable_names(this).into_iter().map(|name| i.heap.symbol(format!("@{name}"))).collect();
        Ok(i.array(names))
    }),
    method("to_json", 0, ANY, super::json::to_json),
    method("to_yaml", 0, ANY, super::yaml::to_yaml),
    method("to_enum enum_for", 0, ANY, |i, this, args| {
        if args.block.is_some() {
            return Err(i.unsupported("to_enum with a block"));
        }
        let name = match args.get(0) {
            Some(name @ (Val::Symbol(_) | Val::String(_))) => i.name(name)?,
            Some(other) => {
                let shown = i.inspect(other)?;
                return Err(i.raise(&super::class::TYPE_ERROR, format!("{shown} is not a symbol")));
            }
            None => "each".into(),
        };
        let is_own = matches!(i.find_method(this, &name), Some(crate::modules::ResolvedMethod::Own(_)));
        if is_own || (matches!(this, Val::Main) && i.methods.contains_key(name.as_str())) {
            let of = i.constant("Enumerator::Generator", i.outside)?;
            let mut values = vec![this, i.heap.symbol(name)];
            values.extend(args.rest().values);
            return i.send(of, "over", &values);
        }
        let arguments = args.rest().values.to_vec();
        let method = i.heap.name(name);
        Ok(i.heap.enumerator(Enumerator { receiver: this, method, arguments, is_sized: false }))
    }),
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
            least if args.values.len() == 2 => (least, args.at(1)),
            Val::Range(range) => (range.from, range.to),
            other => return Err(super::regexp::no_pattern(i, other, "Range")),
        };
        if !least.is_nil() && !most.is_nil() && i.ordered(least, most)?.is_gt() {
            let message = "min argument must be smaller than max argument";
            return Err(i.raise(&super::class::ARGUMENT_ERROR, message));
        }
        if let [Val::Range(Range { exclusive: true, to, .. })] = args.values
            && !to.is_nil()
        {
            let message = "cannot clamp with an exclusive range";
            return Err(i.raise(&super::class::ARGUMENT_ERROR, message));
        }
        if !least.is_nil() && i.ordered(this, least)?.is_lt() {
            return Ok(least);
        }
        if !most.is_nil() && i.ordered(this, most)?.is_gt() {
            return Ok(most);
        }
        Ok(this)
    }),
];

/// The result of `to_s` for nil and booleans, which cannot be changed.
fn fixed_text<'a>(i: &mut Interpreter<'a>, this: Val<'a>, _: Args<'a, '_>) -> R<'a> {
    let text = i.to_s(this)?;
    let text = i.string(text);
    if let Some(frozen) = frozen(text) {
        frozen.set(true);
    }
    Ok(text)
}

pub(crate) static NIL: &[Method] = &[
    method("to_s", 0, 0, fixed_text),
    method("to_a", 0, 0, |i, _, _| Ok(i.array(Vec::new()))),
    method("to_h", 0, 0, |i, _, _| Ok(i.heap.hash(super::Entries::default()))),
    method("to_i", 0, 0, |_, _, _| Ok(Val::Integer(0))),
    method("to_f", 0, 0, |_, _, _| Ok(Val::Float(0.0))),
    method("&", 1, 1, |_, _, _| Ok(Val::Boolean(false))),
    method("|", 1, 1, |_, _, args| Ok(Val::Boolean(args.at(0).is_truthy()))),
];

pub(crate) static BOOLEAN: &[Method] = &[
    method("to_s", 0, 0, fixed_text),
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
        (Val::Proc(proc), _) => i.call_proc_with(proc, args),
        _ => Ok(Val::Nil),
    }),
    method("to_proc", 0, 0, |_, this, _| Ok(this)),
    method("lambda?", 0, 0, |_, this, _| Ok(Val::Boolean(matches!(this, Val::Proc(proc) if proc.is_lambda)))),
    method("arity", 0, 0, |i, this, _| match this {
        Val::Proc(proc) => super::module::arity(i, proc),
        _ => Ok(Val::Nil),
    }),
    method(">>", 1, 1, |i, this, args| {
        check_callable(i, args.at(0))?;
        let code = i.heap.joined(Join::Then, this, args.at(0));
        Ok(Val::Proc(i.heap.proc(code, true)))
    }),
    method("<<", 1, 1, |i, this, args| {
        check_callable(i, args.at(0))?;
        let code = i.heap.joined(Join::Then, args.at(0), this);
        Ok(Val::Proc(i.heap.proc(code, true)))
    }),
    method("curry", 0, 1, |i, this, args| {
        let Val::Proc(proc) = this else { return Ok(Val::Nil) };
        let own = match super::module::arity(i, proc)? {
            Val::Integer(own) => own,
            _ => 0,
        };
        let wanted = match args.get(0) {
            Some(wanted) if !wanted.is_nil() => i.int(wanted)?,
            _ if own < 0 => -own - 1,
            _ => own,
        };
        let is_wrong = if own < 0 { wanted < -own - 1 } else { wanted != own };
        if proc.is_lambda && is_wrong {
            let (least, more) = if own < 0 { (-own - 1, "+") } else { (own, "") };
            let message = format!("wrong number of arguments (given {wanted}, expected {least}{more})");
            return Err(i.raise(&crate::class::ARGUMENT_ERROR, message));
        }
        let none = i.array(Vec::new());
        let code = i.heap.joined(Join::Curry(wanted), this, none);
        Ok(Val::Proc(i.heap.proc(code, proc.is_lambda)))
    }),
];

pub(crate) static METHOD: &[Method] = &[
    method("receiver", 0, 0, |i, this, _| match this {
        Val::Proc(Proc { code: Code::Method((receiver, _)), .. }) => Ok(*receiver),
        this => Err(i.no_method(this, "receiver")),
    }),
    method("name", 0, 0, |i, this, _| match this {
        Val::Proc(Proc { code: Code::Method((_, name)), .. }) => Ok(Val::Symbol(name)),
        this => Err(i.no_method(this, "name")),
    }),
    method("owner", 0, 0, |i, this, _| {
        let Val::Proc(Proc { code: Code::Method((receiver, name)), .. }) = this else { return Ok(Val::Nil) };
        match i.find_method(*receiver, name) {
            Some(crate::modules::ResolvedMethod::Own(entry)) => Ok(entry.owner.value()),
            _ => Err(i.unsupported("owner of one of Ruby's own methods")),
        }
    }),
];
