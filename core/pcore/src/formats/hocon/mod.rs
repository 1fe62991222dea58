//! HOCON as data: JSON with comments, unquoted text, paths as keys, merged objects and substitutions.
//!
//! Produces the results of Ruby's gem `hocon`: `tokens` splits the text, `parser` makes a tree of `node`s,
//! which still has substitutions and unmerged layers, and `resolve` makes a value of it. Where the gem fails
//! on a valid document (layers within lists, for instance), the result is the value in the specification.
//!
//! There are no files here: an include is empty, as it is for the gem if the file is missing.

mod node;
mod parser;
mod render;
mod resolve;
mod tokens;

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};

use crate::data::fuel::{BYTES_IN_STEP, Fuel};
use crate::data::value::Value;
use bunraku_syntax::diagnostic::Error;

/// The maximum nesting of collections and paths.
const MAX_DEPTH: usize = 200;

/// The number of tokens, visits and entries in one step.
const WORK_IN_STEP: usize = 16;

/// Parses a text and resolves its substitutions. A path that the document does not define is looked up in
/// `environment`, the variables of the process.
///
/// # Errors
/// The text is not HOCON, a substitution has no value, or the fuel runs out.
pub fn parse(
    text: &str,
    environment: &dyn Fn(&str) -> Option<String>,
    fuel: &dyn Fuel,
) -> Result<Value, Error> {
    fuel.charge(text.len() as u64 / BYTES_IN_STEP)?;
    let watch = Watch { fuel, stopped: RefCell::default(), uncharged: Cell::new(0) };
    let document = parser::document(text, &watch);
    let value = document.and_then(|document| {
        // The gem's name for its input.
        resolve::value(&document, environment, &watch).map_err(|message| format!("String: {message}"))
    });
    match watch.stopped.into_inner() {
        Some(error) => Err(error),
        None => value.map_err(Error::argument),
    }
}

/// The fuel, and its error.
struct Watch<'m> {
    fuel: &'m dyn Fuel,
    stopped: RefCell<Option<Error>>,
    /// The work that is less than a step.
    uncharged: Cell<usize>,
}

impl Watch<'_> {
    /// Whether the work can go on.
    fn go_on(&self) -> Result<(), String> {
        if self.stopped.borrow().is_some() { Err(String::new()) } else { Ok(()) }
    }

    /// Counts work: tokens, visits, and copied entries.
    fn charge(&self, work: usize) -> Result<(), String> {
        let work = self.uncharged.get().saturating_add(work);
        self.uncharged.set(work % WORK_IN_STEP);
        match work / WORK_IN_STEP {
            0 => Ok(()),
            steps => self.fuel.charge(steps as u64).map_err(|error| {
                self.stopped.replace(Some(error));
                String::new()
            }),
        }
    }
}
