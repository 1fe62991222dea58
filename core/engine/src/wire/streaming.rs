//! Writes documents piece by piece, so that only one piece at a time is in memory besides the catalog.

use std::cell::RefCell;
use std::fmt::Display;
use std::io;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use serde_json::ser::Formatter;

use bunraku_pcore::number::float_to_s;
use bunraku_syntax::diagnostic::Error;

/// Writes a document as JSON text, in the bytes that the reference writes.
pub(super) fn write_json(document: &impl Serialize, out: impl io::Write) -> serde_json::Result<()> {
    document.serialize(&mut serde_json::Serializer::with_formatter(out, AsRuby))
}

/// Writes floats as Ruby does: `1.0e+20`.
struct AsRuby;

impl Formatter for AsRuby {
    fn write_f64<W: io::Write + ?Sized>(&mut self, out: &mut W, number: f64) -> io::Result<()> {
        out.write_all(float_to_s(number).as_bytes())
    }
}

/// The error that ended the writing; a serializer's own errors cannot carry it.
#[derive(Default)]
pub(super) struct WriteError(RefCell<Option<Error>>);

impl WriteError {
    /// The result of writing; a stored error replaces the serializer's.
    pub(super) fn explain<T, E: Display>(&self, written: Result<T, E>) -> Result<T, Error> {
        written.map_err(|error| self.0.take().unwrap_or_else(|| Error::plain(error.to_string())))
    }

    pub(super) fn keep<E: serde::ser::Error>(&self, error: Error) -> E {
        let text = E::custom(&error.message);
        self.0.replace(Some(error));
        text
    }
}

/// An array whose elements are made when they are written.
pub(super) struct Elements<I>(pub(super) I);

impl<I> Serialize for Elements<I>
where
    I: Iterator + Clone,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut elements = serializer.serialize_seq(Some(self.0.clone().count()))?;
        for item in self.0.clone() {
            elements.serialize_element(&item)?;
        }
        elements.end()
    }
}
