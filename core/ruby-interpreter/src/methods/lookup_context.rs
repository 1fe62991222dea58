//! `Puppet::LookupContext`: lets functions of Hiera's backends cache, interpolate, and report that they have
//! found nothing.

use std::sync::Arc;

use super::{Args, Method, R, Unwind, Val, method};
use crate::interpreter::Interpreter;
use bunraku_host::{BlockParameters, ForeignBlock};
use bunraku_pcore::{Value, iterate};
use bunraku_syntax::diagnostic::Error;

/// A block that has given its value already.
struct GivenBlock(Value);

impl ForeignBlock for GivenBlock {
    fn parameters(&self) -> BlockParameters {
        BlockParameters::default()
    }

    fn call(&self, _: &[Value]) -> Result<Value, Error> {
        Ok(self.0.clone())
    }
}

/// Calls the compilation, which has the context.
fn ask<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    name: &str,
    arguments: &[Val<'a>],
    block: Option<Arc<dyn ForeignBlock>>,
) -> R<'a> {
    let Val::Foreign(context) = this else { return Err(i.no_method(this, name)) };
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        values.push(i.to_puppet(*argument)?);
    }
    let value = i.world.call_member(context, name, &values, block).map_err(|error| i.fail(error))?;
    match &value {
        // The cached entries, as pairs.
        Value::Iterator(_) => i.to_ruby(&Value::array(iterate::walk(&value).into_iter().flatten())),
        value => i.to_ruby(value),
    }
}

/// The entries, each a list of its key and its value.
fn cached_entries<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let entries = ask(i, this, "cached_entries", &[], None)?;
    if args.block.is_none() {
        return Ok(entries);
    }
    i.send_with(entries, "each", args)?;
    Ok(Val::Nil)
}

fn cached_file_data<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let path = i.to_s(args.at(0))?;
    let text = ask(i, this, "cached_file_data", &[i.string(path)], None)?;
    match args.block {
        Some(block) => i.call_block(block, &[text]),
        None => Ok(text),
    }
}

/// An exit that no exception handler of the function can see: it ends without a value.
fn not_found<'a>(i: &Interpreter<'a>, this: Val<'a>) -> R<'a> {
    let Val::Foreign(context) = this else { return Ok(Val::Nil) };
    match i.world.call_member(context, "not_found", &[], None) {
        Ok(_) => Ok(Val::Nil),
        Err(error) => Err(Unwind::Fatal(Box::new(error))),
    }
}

pub(crate) static METHODS: &[Method] = &[
    method("not_found", 0, 0, |i, this, _| not_found(i, this)),
    method("cache", 2, 2, |i, this, args| {
        ask(i, this, "cache", args.values, None)?;
        Ok(args.at(1))
    }),
    method("cache_all", 1, 1, |i, this, args| ask(i, this, "cache_all", args.values, None)),
    method("cached_value", 1, 1, |i, this, args| ask(i, this, "cached_value", args.values, None)),
    method("cache_has_key", 1, 1, |i, this, args| ask(i, this, "cache_has_key", args.values, None)),
    method("cached_entries", 0, 0, cached_entries),
    method("cached_file_data", 1, 1, cached_file_data),
    method("explain", 0, 0, |i, this, args| {
        let told = i.call_given(&args, &[])?;
        let told = i.to_puppet(told)?;
        ask(i, this, "explain", &[], Some(Arc::new(GivenBlock(told))))
    }),
    method("interpolate", 1, 1, |i, this, args| ask(i, this, "interpolate", args.values, None)),
    method("environment_name", 0, 0, |i, this, _| ask(i, this, "environment_name", &[], None)),
    method("module_name", 0, 0, |i, this, _| ask(i, this, "module_name", &[], None)),
];
