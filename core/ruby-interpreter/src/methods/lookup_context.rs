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
    let mut values = Vec::with_capacity(arguments.len());
    for argument in arguments {
        values.push(i.to_puppet(*argument)?);
    }
    ask_with(i, this, name, &values, block)
}

/// As [`ask`], with arguments of the language.
fn ask_with<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    name: &str,
    arguments: &[Value],
    block: Option<Arc<dyn ForeignBlock>>,
) -> R<'a> {
    let Val::Foreign(context) = this else { return Err(i.no_method(this, name)) };
    let value = i.world.call_member(context, name, arguments, block).map_err(|error| i.fail(error))?;
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

/// What a block makes of a file is kept if it is data, which it is nearly always; otherwise the block is
/// called each time.
fn cached_file_data<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let name = i.to_s(args.at(0))?;
    let path = i.string(name.clone());
    if matches!(ask(i, this, "file_stamp?", &[path], None)?, Val::Nil) {
        let message = format!("No such file or directory @ rb_file_s_stat - {name}");
        return Err(i.raise(&crate::class::ENOENT, message));
    }
    let Some(block) = args.block else { return ask(i, this, "cached_file_data", &[path], None) };
    let known = ask(i, this, "known_file_data?", &[path], None)?;
    if !matches!(known, Val::Nil) {
        return i.send(known, "first", &[]);
    }
    let text = ask(i, this, "file_text?", &[path], None)?;
    let data = i.call_block(block, &[text])?;
    if let (Ok(path), Ok(data)) = (i.to_puppet(path), i.to_puppet(data)) {
        ask_with(i, this, "keep_file_data?", &[path, data], None)?;
    }
    Ok(data)
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
