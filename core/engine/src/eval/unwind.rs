//! Early exits from an expression: errors, and `break`, `next`, `return`.

use bunraku_pcore::Value;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// The result of evaluating something.
pub type Evaluated<T = Value> = Result<T, Unwind>;

/// A value of an early exit, with its place. (Early exits are boxed, so that the results of all evaluations
/// are small.)
#[derive(Clone, Debug)]
pub struct Jump {
    /// The value.
    pub value: Value,
    /// The place of the `next` or `return`.
    pub location: Location,
}

const _: () = assert!(size_of::<Evaluated>() <= 24, "results are small");

/// The reason why an evaluation ended early.
#[derive(Clone, Debug)]
pub enum Unwind {
    /// `break()`: ends the innermost iteration.
    Break(Box<Location>),
    /// `next(value)`: ends the innermost block with a value.
    Next(Box<Jump>),
    /// `return(value)`: ends the function, class or define.
    Return(Box<Jump>),
    /// The default of a parameter uses a parameter that has no value yet: a failure of the call, not of the
    /// default.
    Unevaluated(Box<Error>),
    /// A failure.
    Error(Box<Error>),
}

impl Unwind {
    /// The failure that this is for code that nothing encloses: `break`, `next` and `return` are errors
    /// there.
    pub fn into_error(self) -> Error {
        let illegal = |name: &str, location: Location| {
            let mut error = Error::plain(format!("{name}() from context where this is illegal"));
            error.location = Location { column: None, ..location };
            error
        };
        match self {
            Self::Break(location) => illegal("break", *location),
            Self::Next(jump) => illegal("next", jump.location),
            Self::Return(jump) => illegal("return", jump.location),
            Self::Unevaluated(error) | Self::Error(error) => *error,
        }
    }
}

impl From<Error> for Unwind {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}

impl From<Box<Error>> for Unwind {
    fn from(error: Box<Error>) -> Self {
        Self::Error(error)
    }
}

impl From<bunraku_syntax::diagnostic::Report> for Unwind {
    fn from(report: bunraku_syntax::diagnostic::Report) -> Self {
        report.into_error().into()
    }
}
