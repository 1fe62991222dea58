//! Ruby objects that are not values of the language: instances of the type `Runtime`. They are represented by
//! their class, its ancestors, and their text; the objects themselves stay in Ruby.

use std::sync::Arc;

use bunraku::pcore::Value;
use bunraku::pcore::types::{IntRange, RubyClass, Type};
use bunraku::pcore::value::{RuntimeValue, Str};
use magnus::block::Proc;
use magnus::{RArray, RClass, RModule, RString, TryConvert, prelude::*};

/// The value that represents an object. A class or module is the type of its objects; a Proc is a Callable.
pub(crate) fn value_of(object: magnus::Value) -> Result<Value, magnus::Error> {
    if RClass::from_value(object).is_some() || RModule::from_value(object).is_some() {
        return Ok(Value::Type(Type::runtime("ruby", name_of(object)?)));
    }
    let mut value = RuntimeValue::new(class_of(object)?, text_of(object)?);
    if let Some(proc) = Proc::from_value(object) {
        value.callable = Some(callable(proc)?);
    }
    Ok(Value::Runtime(Arc::new(value)))
}

fn class_of(object: magnus::Value) -> Result<RubyClass, magnus::Error> {
    let own = object.class();
    let (mut classes, mut modules) = (Vec::new(), Vec::new());
    let ancestors: RArray = own.funcall("ancestors", ())?;
    for ancestor in ancestors {
        let name = Str::from(name_of(ancestor)?);
        match RClass::from_value(ancestor) {
            Some(class) if class.eql(own)? => {}
            Some(_) => classes.push(name),
            None => modules.push(name),
        }
    }
    Ok(RubyClass::with_ancestors(name_of(own.as_value())?, classes, modules))
}

/// The name of a class or module; empty if it has none.
fn name_of(module: magnus::Value) -> Result<String, magnus::Error> {
    let name: Option<String> = module.funcall("name", ())?;
    Ok(name.unwrap_or_default())
}

/// The text of any object; its class if it has no text.
fn text_of(object: magnus::Value) -> Result<String, magnus::Error> {
    if !object.respond_to("to_s", false)? {
        return Ok(format!("#<{}>", object.class().inspect()));
    }
    let text: RString = object.funcall("to_s", ())?;
    // SAFETY: the bytes are copied before Ruby runs again.
    let bytes = unsafe { text.as_slice() };
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

/// The arguments of a Proc as a type.
fn callable(proc: Proc) -> Result<Type, magnus::Error> {
    let parameters: RArray = proc.funcall("parameters", ())?;
    let (mut least, mut count, mut is_open) = (0_i64, 0_i64, false);
    for parameter in parameters {
        let kind: magnus::Symbol = RArray::try_convert(parameter)?.entry(0)?;
        match &*kind.name()? {
            "rest" => is_open = true,
            "req" => least += 1,
            _ => {}
        }
        if is_open {
            break;
        }
        count += 1;
    }
    let types = vec![Type::any(); usize::try_from(count).unwrap_or_default().max(usize::from(is_open))];
    let size = IntRange::new(Some(least), (!is_open).then_some(count));
    Ok(Type::callable(Some(Type::tuple(types, Some(size))), None, None))
}
