//! The reasons why a search has no value.
//!
//! Where the reference throws `:no_such_key`, functions here return [`LookupError::NoSuchKey`].

use crate::eval::Unwind;
use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::{Error, Issue, Report};

/// The reason why a search has no value.
#[derive(Debug)]
pub(super) enum LookupError {
    /// The key does not exist here; the search continues elsewhere.
    NoSuchKey,
    /// The lookup failed.
    Failed(Unwind),
}

/// The result of a search.
pub(super) type LookupResult<T = Value> = Result<T, LookupError>;

/// The mark of the error that `not_found` ends a function with; it never reaches users.
const NO_SUCH_KEY: Issue = Issue("NO_SUCH_KEY");

impl LookupError {
    /// The same failure with a message in which `shown` replaces this text.
    pub fn hiding(self, text: &str, shown: &str) -> Self {
        match self {
            Self::Failed(Unwind::Error(mut error)) if error.message.contains(text) => {
                error.message = error.message.replace(text, shown);
                Self::Failed(Unwind::Error(error))
            }
            stop => stop,
        }
    }
}

impl From<Unwind> for LookupError {
    fn from(unwind: Unwind) -> Self {
        match unwind {
            Unwind::Error(error) if error.issue == Some(NO_SUCH_KEY) => Self::NoSuchKey,
            unwind => Self::Failed(unwind),
        }
    }
}

impl From<LookupError> for Unwind {
    /// A search that ends without a value within a function ends the function too.
    fn from(stop: LookupError) -> Self {
        match stop {
            LookupError::Failed(unwind) => unwind,
            LookupError::NoSuchKey => {
                Self::from(Error { issue: Some(NO_SUCH_KEY), ..Error::lookup("no such key") })
            }
        }
    }
}

impl From<Error> for LookupError {
    fn from(error: Error) -> Self {
        Self::from(Unwind::from(error))
    }
}

impl From<Report> for LookupError {
    fn from(report: Report) -> Self {
        Self::from(Error { issue: Some(report.issue), ..Error::lookup(report.message) })
    }
}

/// A failure of the reference's `LookupError`.
pub(super) fn lookup_error(message: impl Into<String>) -> LookupError {
    LookupError::from(Error::lookup(message))
}
