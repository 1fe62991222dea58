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
    /// The default of a parameter uses a parameter that has no value yet: a failure of the call, not of the default.
    Unevaluated(Box<Error>),
    /// A failure.
    Error(Box<Error>),
}

impl Unwind {
    /// The failure that this is for code that nothing encloses: `break`, `next` and `return` are errors there.
    pub fn into_error(self) -> Error {
        let illegal = |name: &str, location: Location| {
            let mut error = Error::plain(format!("{name}() from context where this is illegal"));
            error.location = Location { column: None, ..location };
            error
        };
        match self {
            Self::Break(location) => illegal("break", location),
            Self::Next(_, location) => illegal("next", location),
            Self::Return(_, location) => illegal("return", location),
            Self::Unevaluated(error) | Self::Error(error) => *error,
        }
    }
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
