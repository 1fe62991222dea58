//! JSON as Ruby's `json` gem writes and reads it.

use crate::data::fuel::Fuel;
use crate::data::value::{Hash, Value};
use crate::formats::json_tokens::{Token, Tokens};
use crate::scalars::number::float_to_s;
use bunraku_syntax::diagnostic::Error;

/// How JSON is laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    pub indent: String,
    pub space: String,
    pub space_before: String,
    pub object_nl: String,
    pub array_nl: String,
    pub allow_nan: bool,
    /// The maximum nesting of collections; 0 for no limit.
    pub max_nesting: usize,
}

impl Layout {
    /// Everything on one line.
    pub fn compact() -> Self {
        Self {
            indent: String::new(),
            space: String::new(),
            space_before: String::new(),
            object_nl: String::new(),
            array_nl: String::new(),
            allow_nan: false,
            max_nesting: 100,
        }
    }

    /// One member a line.
    pub fn pretty() -> Self {
        Self {
            indent: "  ".to_owned(),
            space: " ".to_owned(),
            object_nl: "\n".to_owned(),
            array_nl: "\n".to_owned(),
            ..Self::compact()
        }
    }
}

/// A value as Ruby's `to_json` or, `pretty`, `JSON.pretty_generate` write it.
///
/// # Errors
/// As [`generate`].
pub fn to_json(value: &Value, pretty: bool) -> Result<String, Error> {
    generate(value, &if pretty { Layout::pretty() } else { Layout::compact() })
}

/// Writes a value. Values without a form in JSON are written as their text.
///
/// # Errors
/// The value is nested too deep, or contains NaN or infinity.
pub fn generate(value: &Value, layout: &Layout) -> Result<String, Error> {
    let mut out = String::new();
    write(value, layout, 0, &mut out)?;
    Ok(out)
}

/// So many bytes of a text are one step of fuel.
const BYTES_IN_STEP: usize = 64;

/// The maximum nesting even without a limit in the layout.
const MAX_DEPTH: usize = 1000;

fn write(value: &Value, layout: &Layout, depth: usize, out: &mut String) -> Result<(), Error> {
    let deeper = depth + 1;
    if matches!(value, Value::Array(_) | Value::Hash(_))
        && ((layout.max_nesting > 0 && deeper > layout.max_nesting) || deeper > MAX_DEPTH)
    {
        return Err(Error::internal(format!("nesting of {deeper} is too deep")));
    }
    match value {
        Value::Undef => out.push_str("null"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(number) => out.push_str(&number.to_string()),
        Value::BigInteger(number) => out.push_str(&number.to_string()),
        Value::Float(number) => {
            if !number.is_finite() && !layout.allow_nan {
                return Err(Error::internal(format!("920: {} not allowed in JSON", float_to_s(*number))));
            }
            out.push_str(&float_to_s(*number));
        }
        Value::Array(values) => {
            out.push('[');
            out.push_str(&layout.array_nl);
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                    out.push_str(&layout.array_nl);
                }
                indent(layout, deeper, out);
                write(value, layout, deeper, out)?;
            }
            out.push_str(&layout.array_nl);
            indent(layout, depth, out);
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (index, (key, value)) in hash.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&layout.object_nl);
                indent(layout, deeper, out);
                quote(&super::to_s(key), out);
                out.push_str(&layout.space_before);
                out.push(':');
                out.push_str(&layout.space);
                write(value, layout, deeper, out)?;
            }
            out.push_str(&layout.object_nl);
            indent(layout, depth, out);
            out.push('}');
        }
        other => quote(&super::to_s(other), out),
    }
    Ok(())
}

fn indent(layout: &Layout, depth: usize, out: &mut String) {
    for _ in 0..depth {
        out.push_str(&layout.indent);
    }
}

/// Writes a text with its quotes.
pub fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            '\u{8}' => out.push_str("\\b"),
            control if (control as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Parses a text.
///
/// # Errors
/// The text is not JSON, in the words of Ruby's parser, or the fuel runs out.
pub fn parse(text: &str, fuel: &dyn Fuel) -> Result<Value, Error> {
    // The text is gone through twice, and each takes little.
    let steps = 1 + (text.len() / BYTES_IN_STEP) as u64;
    fuel.charge(steps)?;
    bunraku_syntax::validate::json::check(text).map_err(Error::argument)?;
    fuel.charge(steps)?;
    let mut reader = Reader { tokens: Tokens::of_ruby(text), fuel, values: 0 };
    let first = reader.tokens.next()?;
    reader.value(first)
}

/// Reads a document as Ruby's parser does, which allows comments.
///
/// # Errors
/// The text is not JSON, in the words of Ruby's parser.
pub fn read(text: &str) -> Result<serde_json::Value, Error> {
    // Nearly all documents are plain JSON.
    if let Ok(document) = serde_json::from_str(text) {
        return Ok(document);
    }
    let value = parse(text, &crate::data::fuel::Unmetered)?;
    serde_json::from_str(&to_json(&value, false)?).map_err(|error| Error::argument(error.to_string()))
}

/// Reads values with fuel.
struct Reader<'t> {
    tokens: Tokens<'t>,
    fuel: &'t dyn Fuel,
    values: usize,
}

impl<'t> Reader<'t> {
    /// Counts a value, and charges fuel once for many.
    fn count(&mut self) -> Result<(), Error> {
        const MANY: usize = 1024;
        self.values += 1;
        if self.values.is_multiple_of(MANY) {
            self.fuel.charge(MANY as u64)?;
            self.fuel.check_size(MANY * 64)?;
        }
        Ok(())
    }

    fn value(&mut self, token: Token<'t>) -> Result<Value, Error> {
        self.count()?;
        match token {
            Token::ListStart => {
                let mut values = Vec::new();
                loop {
                    match self.tokens.next()? {
                        Token::ListEnd => return Ok(values.into()),
                        token => values.push(self.value(token)?),
                    }
                }
            }
            Token::ObjectStart => {
                let mut members = Hash::default();
                loop {
                    match self.tokens.next()? {
                        Token::ObjectEnd => return Ok(members.into()),
                        name => {
                            let name = self.value(name)?;
                            let token = self.tokens.next()?;
                            members.insert(name, self.value(token)?);
                        }
                    }
                }
            }
            token => self.tokens.data(token),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn documents_have_comments_as_in_ruby() {
        let plain = serde_json::json!({ "a": [1, 2.5, null], "b": "//" });
        let commented = "{ // one\n \"a\": [1, /* two */ 2.5, null],\n \"b\": \"//\" }";
        assert_eq!(read(commented).unwrap(), plain);
        assert_eq!(read(&plain.to_string()).unwrap(), plain);
        assert!(read("{ \"a\": [1, }").is_err());
    }
}
