//! What leaves an expression early: errors, and `break`, `next`, `return`.

use crate::diagnostic::Error;
use crate::pcore::Value;
use crate::source::Location;

/// The result of evaluating something.
pub type Evaluated<T = Value> = Result<T, Unwind>;

/// Why an evaluation ended before its end.
#[derive(Clone, Debug)]
pub enum Unwind {
    /// `break()`: ends the innermost iteration.
    Break(Location),
    /// `next(value)`: ends the innermost block with a value.
    Next(Value, Location),
    /// `return(value)`: ends the function, class or define.
    Return(Value, Location),
    /// A failure.
    Error(Box<Error>),
}

impl From<Error> for Unwind {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<crate::diagnostic::Report> for Unwind {
    fn from(report: crate::diagnostic::Report) -> Self {
        report.into_error().into()
    }
}
