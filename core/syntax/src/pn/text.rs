//! The notation as text. Follows the reference's `pn.rb`.

use std::fmt::Write;

use super::Sink;

/// Writes a notation as text.
#[derive(Debug)]
pub struct TextSink {
    text: String,
    pretty: bool,
    /// The character that closes each open element, and whether it has elements.
    open: Vec<(char, bool)>,
    /// Whether a key has been written and its value has not.
    is_behind_key: bool,
}

impl TextSink {
    /// A text on one line, or with `pretty` each element on its own line.
    pub fn new(pretty: bool) -> Self {
        Self { text: String::new(), pretty, open: Vec::new(), is_behind_key: false }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    /// Separates an element from the previous one.
    fn separate(&mut self) {
        if std::mem::take(&mut self.is_behind_key) {
            return;
        }
        let depth = self.open.len();
        let Some((_, has_elements)) = self.open.last_mut() else { return };
        let is_first = !std::mem::replace(has_elements, true);
        if self.pretty {
            self.text.push('\n');
            for _ in 0..depth {
                self.text.push_str("  ");
            }
        } else if !is_first {
            self.text.push(' ');
        }
    }

    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        self.separate();
        // Writing to a string cannot fail.
        let _ = self.text.write_fmt(element);
    }

    fn open(&mut self, left: char, right: char) {
        self.separate();
        self.text.push(left);
        self.open.push((right, false));
    }
}

impl Sink for TextSink {
    fn open_call(&mut self, name: &str) {
        self.open('(', ')');
        self.text.push_str(name);
        if let Some((_, has_elements)) = self.open.last_mut() {
            *has_elements = true;
        }
    }

    fn open_list(&mut self) {
        self.open('[', ']');
    }

    fn open_map(&mut self) {
        self.open('{', '}');
    }

    fn key(&mut self, key: &str) {
        self.write(format_args!(":{key} "));
        self.is_behind_key = true;
    }

    fn close(&mut self) {
        if let Some((right, _)) = self.open.pop() {
            self.text.push(right);
        }
    }

    fn string(&mut self, value: &str) {
        self.separate();
        self.text.push('"');
        for character in value.chars() {
            match character {
                '\t' => self.text.push_str("\\t"),
                '\n' => self.text.push_str("\\n"),
                '\r' => self.text.push_str("\\r"),
                '"' => self.text.push_str("\\\""),
                '\\' => self.text.push_str("\\\\"),
                '\0'..='\x1f' => {
                    let _ = write!(self.text, "\\o{:03o}", u32::from(character));
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
        let text = ruby_float(value);
        self.write(format_args!("{text}"));
    }

    fn boolean(&mut self, value: bool) {
        self.write(format_args!("{value}"));
    }

    fn nil(&mut self) {
        self.write(format_args!("nil"));
    }
}

/// A float as Ruby writes it: `1.0`, `1.0e+20`, `1.0e-05`. From 1e15 on it has an exponent, unless it has a
/// fraction.
pub(crate) fn ruby_float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count() as i32;
    if value == 0.0 || (-4..15).contains(&exponent) || exponent == 15 && digits > 16 {
        let plain = format!("{value}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
}
