//! Regular expressions as Ruby has them, on the engines of the `regex` and `fancy-regex` crates.

/// A compiled regular expression.
#[derive(Debug)]
pub struct Regex {}
