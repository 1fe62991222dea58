//! HOCON as data: JSON with comments, unquoted text, paths as keys, merged objects and substitutions.
//!
//! Gives what Ruby's gem `hocon` gives for a text: `tokens` cuts it, `parser` makes a tree of [`node`]s, which still has
//! substitutions and layers to be merged, and `resolve` makes a value of that. Where the gem fails at a document that it
//! means to take (layers within lists, for instance), the document has the value that the specification gives it.
//!
//! There are no files here: what is included is empty, as it is for the gem when the file is missing.

mod node;
mod parser;
mod resolve;
mod tokens;

#[cfg(test)]
mod tests;

use bunraku_pcore::value::Value;

/// How deep collections and paths may nest.
const MAXIMUM_DEPTH: usize = 200;

/// Reads a text and resolves its substitutions; what the document does not have is a variable of the process, as `environment`
/// knows them. Errors: the text is no HOCON; a substitution has no value.
pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Value, String> {
    resolve::value(&parser::document(text)?, environment)
}
