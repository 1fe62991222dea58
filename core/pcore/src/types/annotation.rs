//! The parameters of a type in a text (`Array[String, 1]`), without evaluation. Follows the reference's
//! `type_parser.rb`; the file of each type's family interprets them.

use super::factory::{self, is_range_parameter};
use super::parse::{ParameterSite, TypeLoader};
use super::{IntRange, Type};
use crate::data::big::BigRange;
use crate::data::value::Value;
use bunraku_syntax::diagnostic::Error;

/// The error for a wrong number of parameters.
pub(super) fn wrong_count(name: &str, required: &str, given: usize) -> Error {
    Error::plain(format!(
        "Invalid number of type parameters specified: {name} requires {required}, {given} provided"
    ))
}

/// The parameters of a type.
pub(super) struct Annotation<'a> {
    /// The name of the type, as it is written.
    pub name: &'a str,
    /// The parameters.
    pub keys: Vec<Value>,
    /// The place in the source.
    pub place: ParameterSite<'a>,
    /// Resolves other types.
    pub loader: &'a dyn TypeLoader,
}

impl Annotation<'_> {
    /// The error that the expression is not a type.
    pub fn not_a_type(&self) -> Error {
        self.place.not_a_type()
    }

    /// The error that the type takes no parameters.
    pub fn unparameterized(&self) -> Error {
        self.place.unparameterized()
    }

    /// Checks for exactly this number of parameters.
    pub fn exactly(&self, of: &str, required: usize) -> Result<(), Error> {
        let given = self.keys.len();
        if given == required { Ok(()) } else { Err(wrong_count(of, &required.to_string(), given)) }
    }

    /// Checks the minimum and maximum number of parameters.
    pub fn between(&self, of: &str, least: usize, most: usize) -> Result<(), Error> {
        match self.keys.len() {
            given if (least..=most).contains(&given) => Ok(()),
            given => Err(wrong_count(of, &format!("{least} to {most}"), given)),
        }
    }

    /// Checks that parameters exist.
    pub fn some(&self, of: &str, keys: &[Value]) -> Result<(), Error> {
        if keys.is_empty() { Err(wrong_count(of, "1 or more", 0)) } else { Ok(()) }
    }

    /// The type at an index.
    pub fn type_at(&self, index: usize) -> Result<Type, Error> {
        match self.keys.get(index) {
            Some(Value::Type(of)) => Ok(of.clone()),
            _ => Err(self.not_a_type()),
        }
    }

    /// Checks that a value is a bound.
    pub fn assert_range(&self, value: &Value) -> Result<(), Error> {
        if is_range_parameter(value) { Ok(()) } else { Err(self.not_a_type()) }
    }

    /// A size: an Integer type, or one or two bounds.
    pub fn size(&self, values: &[Value]) -> Result<IntRange, Error> {
        match values {
            [Value::Type(of)] => match BigRange::of(of) {
                Some(range) => Ok(range.clamped()),
                None => Err(self.not_a_type()),
            },
            [from] => {
                self.assert_range(from)?;
                factory::range(from, &Value::Default)
            }
            [from, to, ..] => {
                self.assert_range(from)?;
                self.assert_range(to)?;
                factory::range(from, to)
            }
            [] => Ok(IntRange::ANY_SIZE),
        }
    }
}
