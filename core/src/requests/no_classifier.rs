//! Replaces the node classifier in a library without the feature.

use bunraku_engine::loader::Check;
use bunraku_syntax::diagnostic::Error;

/// A classifier that cannot exist.
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
    /// Never fails.
    pub fn answer_watched(&self, _: Request<'_>, _: Check<'_>) -> Result<Response, Error> {
        match *self {}
    }
}

/// Mirrors the classifier's request.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: &'a str,
    pub query: &'a str,
    pub body: &'a [u8],
}

/// Mirrors the classifier's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}
