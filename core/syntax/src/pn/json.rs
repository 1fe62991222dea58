//! The notation as JSON text, written without an intermediate tree.

use std::fmt::Write;

use super::Sink;

/// Writes the data of a notation as JSON.
#[derive(Default)]
pub(super) struct JsonSink {
    text: String,
    /// The text that closes each open element, and whether it has elements.
    open: Vec<(&'static str, bool)>,
}

impl JsonSink {
    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    /// Separates an element from the previous one.
    fn separate(&mut self) {
        if let Some((_, has_elements)) = self.open.last_mut()
            && std::mem::replace(has_elements, true)
        {
            self.text.push(',');
        }
    }

    fn open(&mut self, opening: &str, closing: &'static str) {
        self.separate();
        self.text.push_str(opening);
        self.open.push((closing, false));
    }

    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        self.separate();
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(element);
    }
}

impl Sink for JsonSink {
    fn open_call(&mut self, name: &str) {
        self.open("{\"^\":[", "]}");
        self.string(name);
    }

    fn open_list(&mut self) {
        self.open("[", "]");
    }

    fn open_map(&mut self) {
        self.open("{\"#\":[", "]}");
    }

    fn key(&mut self, key: &str) {
        self.string(key);
    }

    fn close(&mut self) {
        if let Some((closing, _)) = self.open.pop() {
            self.text.push_str(closing);
        }
    }

    fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for character in value.chars() {
            match character {
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '\t' => self.text.push_str("\\t"),
                '\x08' => self.text.push_str("\\b"),
                '\x0c' => self.text.push_str("\\f"),
                '\0'..='\x1f' => {
                    let _ = write!(self.text, "\\u{:04x}", u32::from(character));
                }
                other => self.text.push(other),
            }
        }
        self.text.push('"');
    }

    fn integer(&mut self, value: i64) {
        self.write(format_args!("{value}"));
    }

    fn big_integer(&mut self, digits: &str) {
        self.write(format_args!("{digits}"));
    }

    fn float(&mut self, value: f64) {
        self.write(format_args!("{}", super::ruby_float(value)));
    }

    fn boolean(&mut self, value: bool) {
        self.write(format_args!("{value}"));
    }

    fn nil(&mut self) {
        self.write(format_args!("null"));
    }
}
