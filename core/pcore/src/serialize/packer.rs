//! The items of a Pcore stream in JSON and in MessagePack. Follows the packer of `json.rb`, and the
//! requirements of `abstract_writer.rb` for one with its own extensions and bytes.

use serde_json::Value as Json;

use super::msgpack;
use super::stream_writer::extension;
use crate::formats::json;
use crate::scalars::{binary, number};
use bunraku_syntax::diagnostic::Error;

/// Writes items one after the other.
pub(super) trait Packer {
    /// Writes `undef`.
    fn nothing(&mut self);
    /// Writes a truth value.
    fn boolean(&mut self, truth: bool);
    /// Writes a whole number.
    fn integer(&mut self, number: i64);
    /// Writes a number with a fraction.
    ///
    /// # Errors
    /// When the form has no way to write it.
    fn float(&mut self, number: f64) -> Result<(), Error>;
    /// Writes a text.
    fn text(&mut self, text: &str);
    /// Writes bytes.
    fn binary(&mut self, bytes: &[u8]);
    /// Writes an extension, which announces that `items` follow that belong to it.
    fn extension(&mut self, number: i64, payload: &[Json], items: usize);
}

/// One JSON list of all items. An extension is a list that begins with its number and contains its announced
/// items.
pub(super) struct JsonPacker {
    out: String,
    /// The number of remaining items in each open list.
    nested: Vec<usize>,
}

impl JsonPacker {
    pub(super) fn new() -> Self {
        Self { out: "[".into(), nested: Vec::new() }
    }

    /// The stream.
    pub(super) fn finish(mut self) -> String {
        if self.out.len() > 1 {
            self.out.pop();
        }
        self.out.push(']');
        self.out
    }

    fn scalar(&mut self, json: &str) {
        self.out.push_str(json);
        self.delimit();
    }

    fn json(&mut self, json: &Json) {
        match json {
            Json::String(text) => json::push_quoted(&mut self.out, text),
            other => match other.as_i64() {
                Some(number) => self.out.push_str(itoa::Buffer::new().format(number)),
                None => self.out.push_str(&other.to_string()),
            },
        }
    }

    /// Closes lists when all that was announced is written.
    fn delimit(&mut self) {
        loop {
            match self.nested.last_mut() {
                Some(1) => {
                    self.out.push(']');
                    self.nested.pop();
                }
                Some(left) => {
                    *left -= 1;
                    break;
                }
                None => break,
            }
        }
        self.out.push(',');
    }
}

impl Packer for JsonPacker {
    fn nothing(&mut self) {
        self.scalar("null");
    }

    fn boolean(&mut self, truth: bool) {
        self.scalar(if truth { "true" } else { "false" });
    }

    fn integer(&mut self, number: i64) {
        self.scalar(itoa::Buffer::new().format(number));
    }

    fn float(&mut self, number: f64) -> Result<(), Error> {
        if !number.is_finite() {
            return Err(Error::internal("not allowed in JSON"));
        }
        self.scalar(&number::float_to_s(number));
        Ok(())
    }

    fn text(&mut self, text: &str) {
        json::push_quoted(&mut self.out, text);
        self.delimit();
    }

    fn binary(&mut self, bytes: &[u8]) {
        self.extension(extension::BASE64, &[binary::to_base64(bytes).into()], 0);
    }

    fn extension(&mut self, number: i64, payload: &[Json], items: usize) {
        self.out.push('[');
        self.out.push_str(itoa::Buffer::new().format(number));
        self.out.push(',');
        for part in payload {
            self.json(part);
            self.out.push(',');
        }
        if items > 0 {
            self.nested.push(items);
        } else {
            self.out.pop();
            self.out.push(']');
            self.delimit();
        }
    }
}

/// The consecutive items. An extension is MessagePack's: its number as type, its parts as payload.
#[derive(Default)]
pub(super) struct MsgpackPacker {
    out: Vec<u8>,
    /// The payload of the extension that is being written.
    payload: Vec<u8>,
}

impl MsgpackPacker {
    /// The stream.
    pub(super) fn finish(self) -> Vec<u8> {
        self.out
    }
}

impl Packer for MsgpackPacker {
    fn nothing(&mut self) {
        msgpack::push(&mut self.out, &Json::Null);
    }

    fn boolean(&mut self, truth: bool) {
        msgpack::push(&mut self.out, &truth.into());
    }

    fn integer(&mut self, number: i64) {
        msgpack::push(&mut self.out, &number.into());
    }

    fn float(&mut self, number: f64) -> Result<(), Error> {
        msgpack::push_float(&mut self.out, number);
        Ok(())
    }

    fn text(&mut self, text: &str) {
        msgpack::push_text(&mut self.out, text);
    }

    fn binary(&mut self, bytes: &[u8]) {
        let mut payload = Vec::with_capacity(bytes.len() + 5);
        msgpack::push_binary(&mut payload, bytes);
        msgpack::push_extension(&mut self.out, extension::BINARY, &payload);
    }

    fn extension(&mut self, number: i64, payload: &[Json], _items: usize) {
        self.payload.clear();
        payload.iter().for_each(|part| msgpack::push(&mut self.payload, part));
        msgpack::push_extension(&mut self.out, number, &self.payload);
    }
}
