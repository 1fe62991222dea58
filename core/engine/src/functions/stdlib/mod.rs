//! Functions of the module puppetlabs-stdlib, which nearly every module calls: native, so that they need no
//! Ruby.
//!
//! The behaviour is that of version 8.5. Most are functions of the 3.x API: their arguments are converted
//! ([`legacy`](super::legacy)), and they check the number and classes of arguments themselves. They are known
//! if the module exists and has them in Ruby as in version 8.5 (`loader/stand_ins.txt`), unless the host
//! provides them; the module's functions in Puppet (`stdlib::ensure`) are used from there.

mod collections;
mod convert;
mod data;
mod environment;
mod hashes;
mod ip;
mod passwords;
mod random;
mod resources;
mod strings;
mod types;
mod validate;

use super::{legacy, ruby};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::loader::Strictness;
use bunraku_pcore::Value;
use bunraku_syntax::diagnostic::Error;

/// A function of the 3.x API that returns a value: its name and a body that takes the converted arguments.
macro_rules! rvalue {
    ($name:literal, $body:expr) => {
        $crate::functions::stdlib::rvalue!($name, -1, $body)
    };
    ($name:literal, $arity:literal, $body:expr) => {
        $crate::eval::BuiltIn::legacy(
            $name,
            $arity,
            true,
            &[$crate::eval::Dispatch::new("", |call| {
                $body(call, &$crate::functions::legacy::arguments(call))
            })],
        )
        .of_module("stdlib")
    };
}

/// A function of the 3.x API with values that it hands on as they are, texts without encoding among them.
macro_rules! handing_on {
    ($name:literal, $body:expr) => {
        $crate::eval::BuiltIn::legacy(
            $name,
            -1,
            true,
            &[$crate::eval::Dispatch::new("", |call| {
                $body(call, &$crate::functions::legacy::arguments_in_any_encoding(call))
            })],
        )
        .of_module("stdlib")
    };
}

/// A function of the 3.x API that returns no value.
macro_rules! statement {
    ($name:literal, $body:expr) => {
        $crate::eval::BuiltIn::legacy(
            $name,
            -1,
            false,
            &[$crate::eval::Dispatch::new("", |call| {
                $body(call, &$crate::functions::legacy::arguments(call))
            })],
        )
        .of_module("stdlib")
    };
}

use {handing_on, rvalue, statement};

/// A function of the 4.x API.
const fn function(name: &'static str, dispatches: &'static [Dispatch]) -> BuiltIn {
    BuiltIn::new(name, dispatches).of_module("stdlib")
}

/// The families.
pub(super) static FAMILIES: &[&[BuiltIn]] = &[
    collections::FUNCTIONS,
    convert::FUNCTIONS,
    data::FUNCTIONS,
    environment::FUNCTIONS,
    hashes::FUNCTIONS,
    ip::FUNCTIONS,
    passwords::FUNCTIONS,
    random::FUNCTIONS,
    resources::FUNCTIONS,
    strings::FUNCTIONS,
    types::FUNCTIONS,
    validate::FUNCTIONS,
];

/// `name(): Wrong number of arguments given (0 for 1)`
fn wrong_number(call: &Call<'_, '_>, given: usize, wanted: &str) -> crate::eval::Unwind {
    call.fail(format!("{}(): Wrong number of arguments given ({given} for {wanted})", call.name))
}

/// `name(): Wrong number of arguments given 0 for 1`
fn wrong_number_plain(call: &Call<'_, '_>, given: usize, wanted: &str) -> crate::eval::Unwind {
    call.fail(format!("{}(): Wrong number of arguments given {given} for {wanted}", call.name))
}

/// The reference's message if a Ruby function loads another one by hand, which is deprecated.
fn autoload(call: &Call<'_, '_>, name: &str) {
    if call.evaluator.environment.settings.strict == Strictness::Off {
        return;
    }
    for method in ["loaded?", "load"] {
        let message = format!(
            "The method 'Puppet::Parser::Functions.autoloader#{method}(\"{name}\")' is deprecated in favor of using 'Scope#call_function'."
        );
        super::warn_once(call, &format!("autoloader.{method}('{name}')"), &message);
    }
}

/// The reference asks a value for what its class does not have.
fn no_method(method: &str, value: &Value) -> crate::eval::Unwind {
    ruby::no_method(method, value).into()
}

/// Applies a function to a text, or to the texts of an array; everything else is refused with the message.
fn map_strings(value: &Value, refusal: &str, body: impl Fn(&str) -> String) -> Evaluated {
    match value {
        Value::String(text) => Ok(body(text).into()),
        Value::Array(values) => Ok(Value::array(values.iter().map(|value| match value {
            Value::String(text) => body(text).into(),
            other => other.clone(),
        }))),
        _ => Err(Error::argument(refusal).into()),
    }
}
