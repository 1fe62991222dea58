//! Documents written piece by piece, so that only one piece at a time is in memory beside the catalog.

use std::cell::RefCell;
use std::fmt::Display;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use serde_json::Value as Json;

use crate::diagnostic::Error;

/// The error that ended the writing; a serializer's own errors cannot carry it.
#[derive(Default)]
pub(super) struct Failure(RefCell<Option<Error>>);

impl Failure {
    /// What writing came to; the error that was kept, if there is one, stands for the serializer's.
    pub(super) fn explain<T, E: Display>(&self, written: Result<T, E>) -> Result<T, Error> {
        written.map_err(|error| self.0.take().unwrap_or_else(|| Error::plain(error.to_string())))
    }

    fn keep<E: serde::ser::Error>(&self, error: Error) -> E {
        let text = E::custom(&error.message);
        self.0.replace(Some(error));
        text
    }
}

/// An array whose elements are made when they are written.
pub(super) struct Elements<'f, I, F> {
    items: I,
    make: F,
    failure: &'f Failure,
}

impl<'f, I, T, F> Elements<'f, I, F>
where
    I: Iterator<Item = T> + Clone,
    F: Fn(T) -> Result<Json, Error>,
{
    pub(super) fn new(items: I, make: F, failure: &'f Failure) -> Self {
        Self { items, make, failure }
    }
}

impl<I, T, F> Serialize for Elements<'_, I, F>
where
    I: Iterator<Item = T> + Clone,
    F: Fn(T) -> Result<Json, Error>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut elements = serializer.serialize_seq(Some(self.items.clone().count()))?;
        for item in self.items.clone() {
            let element = (self.make)(item).map_err(|error| self.failure.keep::<S::Error>(error))?;
            elements.serialize_element(&element)?;
        }
        elements.end()
    }
}
