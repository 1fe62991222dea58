//! Functions of the module `stdlib` that its authors wrote in Ruby.
//!
//! Manifests everywhere call them. Where the module is in an environment and the host does not bring the Ruby functions
//! themselves, these stand in for them; where it is not, they do not exist. They follow version 8.5 of the module.

mod collections;
mod resources;
mod text;
mod validation;

use super::legacy;
use crate::diagnostic::Error;
use crate::eval::{BuiltIn, Call, Evaluated, Unwind};
use crate::pcore::Value;

/// A function of the module in the 3.x API that gives a value.
macro_rules! value {
    ($name:literal, $arity:literal, $body:expr) => {
        BuiltIn::legacy($name, $arity, true, &[Dispatch::new("", $body)]).of_module("stdlib")
    };
}

/// A function of the module in the 3.x API that gives nothing.
macro_rules! statement {
    ($name:literal, $body:expr) => {
        BuiltIn::legacy($name, -1, false, &[Dispatch::new("", $body)]).of_module("stdlib")
    };
}

use {statement, value};

/// The families.
pub(super) static FAMILIES: &[&[BuiltIn]] =
    &[collections::FUNCTIONS, resources::FUNCTIONS, text::FUNCTIONS, validation::FUNCTIONS];

/// A failure with a message of the module.
fn refuse(message: impl Into<String>) -> Unwind {
    Error::plain(message).into()
}

/// The arguments, refused when they are not as many as the function takes.
fn arguments(call: &Call<'_, '_>, is_right: impl Fn(usize) -> bool, wanted: &str) -> Evaluated<Vec<Value>> {
    let arguments = legacy::arguments(call);
    if is_right(arguments.len()) {
        return Ok(arguments);
    }
    let count = arguments.len();
    Err(refuse(format!("{}(): Wrong number of arguments given ({count} for {wanted})", call.name)))
}
