//! `Puppet::Pops::Serialization`: values as data, and back.

use super::{Args, Method, R, Run, Val, method};
use crate::interpreter::Interpreter;
use bunraku_pcore::convert::Surroundings;
use bunraku_pcore::serialize::{DataOptions, value_from_data, value_to_data};
use bunraku_pcore::types::NoTypes;

/// An option that is on by default.
fn is_on(args: &Args<'_, '_>, name: &'static str, default: bool) -> bool {
    match args.option(name) {
        None | Some(Val::Nil) => default,
        Some(value) => value.is_truthy(),
    }
}

fn to_data<'a>(i: &mut Interpreter<'a>, args: Args<'a, '_>) -> R<'a> {
    let value = i.to_puppet(args.at(0))?;
    let told = if args.values.len() > 1 { args } else { Args::new(&[]) };
    let options = DataOptions {
        rich_data: is_on(&told, "rich_data", false),
        local_reference: is_on(&told, "local_reference", true),
        type_by_reference: is_on(&told, "type_by_reference", true),
        symbol_as_string: is_on(&told, "symbol_as_string", false),
        message_prefix: prefix(i, &told)?,
        reporter: None,
    };
    match value_to_data(&value, &options) {
        Ok(data) => i.to_ruby(&data),
        // Settings decide whether a loss is an error, and what is logged about it.
        Err(error) if !options.rich_data => {
            Err(i.unsupported(format!("a value without rich data ({error})")))
        }
        Err(error) => Err(i.fail(error)),
    }
}

fn prefix<'a>(i: &mut Interpreter<'a>, told: &Args<'a, '_>) -> Run<'a, String> {
    match told.option("message_prefix") {
        None | Some(Val::Nil) => Ok(String::new()),
        Some(text) => Ok(i.str(text)?.to_string()),
    }
}

pub(crate) static TO_DATA: &[Method] = &[method("convert", 1, 2, |i, _, args| to_data(i, args))];

pub(crate) static FROM_DATA: &[Method] = &[method("convert", 1, 2, |i, _, args| {
    let data = i.to_puppet(args.at(0))?;
    let world = i.world;
    let around = Surroundings { types: &NoTypes, now: &|| world.now(), fuel: world };
    let value = value_from_data(&data, &around, false).map_err(|error| i.fail(error))?;
    i.to_ruby(&value)
})];
