//! HOCON as data: JSON with comments, unquoted text, paths as keys, merged objects and substitutions.
//!
//! Gives what Ruby's gem `hocon` gives for a text: `tokens` cuts it, `parser` makes a tree of `node`s, which
//! still has substitutions and layers to be merged, and `resolve` makes a value of that. Where the gem fails
//! at a document that it means to take (layers within lists, for instance), the document has the value that
//! the specification gives it.
//!
//! There are no files here: what is included is empty, as it is for the gem when the file is missing.

mod node;
mod parser;
mod resolve;
mod tokens;

#[cfg(test)]
mod tests;

use std::cell::RefCell;

use crate::data::fuel::{BYTES_IN_STEP, Fuel};
use crate::data::value::Value;
use bunraku_syntax::diagnostic::Error;

/// How deep collections and paths may nest.
const MAX_DEPTH: usize = 200;

/// How many visits and entries count as one step.
const WORK_IN_STEP: usize = 16;

/// Reads a text and resolves its substitutions; what the document does not have is a variable of the process,
/// as `environment` knows them.
///
/// # Errors
/// The text is no HOCON; a substitution has no value; the fuel runs out.
pub fn parse(
    text: &str,
    environment: &dyn Fn(&str) -> Option<String>,
    fuel: &dyn Fuel,
) -> Result<Value, Error> {
    fuel.charge(text.len() as u64 / BYTES_IN_STEP)?;
    let watch = Watch { fuel, stopped: RefCell::default() };
    let document = parser::document(text, &watch);
    let value = document.and_then(|document| resolve::value(&document, environment, &watch));
    match watch.stopped.into_inner() {
        Some(error) => Err(error),
        // The gem's name for what it reads.
        None => value.map_err(|message| Error::argument(format!("String: {message}"))),
    }
}

/// Fuel, and what it has said.
struct Watch<'m> {
    fuel: &'m dyn Fuel,
    stopped: RefCell<Option<Error>>,
}

impl Watch<'_> {
    /// Counts work: visits, and entries that are copied.
    fn charge(&self, work: usize) -> Result<(), String> {
        match work / WORK_IN_STEP {
            0 => Ok(()),
            steps => self.fuel.charge(steps as u64).map_err(|error| {
                self.stopped.replace(Some(error));
                String::new()
            }),
        }
    }
}
