//! Asserts that values and types fit. Follows the reference's `type_asserter.rb`.

use std::fmt;

use super::{Type, mismatch};
use crate::data::value::Value;
use bunraku_syntax::diagnostic::Error;

/// Fails unless a value is an instance of a type.
///
/// # Errors
/// `subject has wrong type, expects …`
pub fn assert_instance(subject: impl fmt::Display, expected: &Type, value: &Value) -> Result<(), Error> {
    if expected.check_instance(value)? {
        return Ok(());
    }
    expected.check_init()?;
    let actual = Type::infer_set(value);
    Err(Error::plain(mismatch::describe(&format!("{subject} has wrong type,"), expected, &actual)))
}

/// Fails unless a type is assignable to another one.
///
/// # Errors
/// `subject is incorrect, expects …`
pub fn assert_assignable(subject: impl fmt::Display, expected: &Type, actual: &Type) -> Result<(), Error> {
    if expected.check_assignable(actual)? {
        return Ok(());
    }
    Err(Error::plain(mismatch::describe(&format!("{subject} is incorrect,"), expected, actual)))
}
