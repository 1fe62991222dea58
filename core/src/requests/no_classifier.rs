//! The node classifier of a library that has none.

use bunraku_engine::loader::Check;
use bunraku_syntax::diagnostic::Error;

/// There is no such classifier.
#[derive(Debug)]
pub enum Classifier {}

impl Classifier {
    /// Never called.
    pub fn answer(&self, _: Request<'_>) -> Response {
        match *self {}
    }

    /// Never called.
    ///
    /// # Errors
    /// None.
    pub fn answer_watched(&self, _: Request<'_>, _: Check<'_>) -> Result<Response, Error> {
        match *self {}
    }
}

/// A request, as that of the classifier.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
}

/// An answer, as that of the classifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}
