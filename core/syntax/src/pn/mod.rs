//! Puppet Notation: the syntax tree as nested lists and maps, as text and as data.
//!
//! PN has lists `[…]`, maps `{:key value …}`, calls `(name element …)`, and literals. As data, a call is
//! `{"^": [name, element, …]}`, a map `{"#": [key, value, …]}`, and the others are themselves. Follows the
//! reference's `pn_transformer.rb`, `pn.rb` and `pn_parser.rb`.
//!
//! [`tell`] passes the parts of a node's notation to a [`Sink`]; sinks make text or JSON from them, and
//! callers can have their own.

mod json;
mod text;
mod walk;

pub use text::TextSink;
pub(crate) use text::ruby_float;

use super::ast::{NodeId, Program};
use crate::diagnostic::Diagnostic;

/// Receives the parts of a notation in the order in which they are written.
pub trait Sink {
    /// A call of this name begins.
    fn open_call(&mut self, name: &str);
    /// A list begins.
    fn open_list(&mut self);
    /// A map begins. In it, each element follows its [`key`](Self::key).
    fn open_map(&mut self);
    /// The key of the next element of a map.
    fn key(&mut self, key: &str);
    /// The innermost call, list or map ends.
    fn close(&mut self);
    /// A string.
    fn string(&mut self, value: &str);
    /// An integer.
    fn integer(&mut self, value: i64);
    /// An integer of more than 64 bits, in decimal digits.
    fn big_integer(&mut self, digits: &str);
    /// A float.
    fn float(&mut self, value: f64);
    /// A boolean.
    fn boolean(&mut self, value: bool);
    /// `nil`
    fn nil(&mut self);
}

/// Passes the notation of a node to a sink.
///
/// # Errors
/// A parameter below the node has a name that the notation cannot represent (`$a::b`, `$1`, which validation
/// also rejects). The sink has then received everything before it.
pub fn tell(program: &Program, id: NodeId, sink: &mut dyn Sink) -> Result<(), Diagnostic> {
    walk::walk(program, id, sink)
}

/// A node as JSON text, as `puppet parser dump --format json` writes it, but without space.
///
/// # Errors
/// As [`tell`].
pub fn to_json(program: &Program, id: NodeId) -> Result<String, Diagnostic> {
    let mut sink = json::JsonSink::default();
    tell(program, id, &mut sink)?;
    Ok(sink.finish())
}

/// A node as text in one line, as `puppet parser dump --format pn` writes it.
///
/// # Errors
/// As [`tell`].
pub fn to_text(program: &Program, id: NodeId) -> Result<String, Diagnostic> {
    let mut sink = text::TextSink::new(false);
    tell(program, id, &mut sink)?;
    Ok(sink.finish())
}

/// A node as text, each element on its own line, as `puppet parser dump --format pn --pretty` writes it.
///
/// # Errors
/// As [`tell`].
pub fn to_pretty_text(program: &Program, id: NodeId) -> Result<String, Diagnostic> {
    let mut sink = text::TextSink::new(true);
    tell(program, id, &mut sink)?;
    Ok(sink.finish())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::Source;
    use crate::{ParseOptions, parse};

    fn program(text: &str) -> Program {
        parse(Arc::new(Source::new(None, text)), &ParseOptions::default()).expect("the text parses")
    }

    #[test]
    fn pretty_text_has_an_element_a_line() {
        let program = program("notice 1");
        assert_eq!(
            to_pretty_text(&program, program.body()).expect("it has a notation"),
            "(invoke\n  {\n    :functor (qn\n      \"notice\")\n    :args [\n      1]})"
        );
    }

    #[test]
    fn what_has_no_notation_is_told() {
        let program = program("define d($a::b) { }");
        let error = to_text(&program, program.body()).expect_err("it has no notation");
        assert_eq!(error.message, "key a::b does not conform to pattern /^[A-Za-z_-][0-9A-Za-z_-]*$/)");
    }

    #[test]
    fn json_keeps_integers_of_any_size() {
        let program = program("-0x8000000000000001");
        assert_eq!(to_json(&program, program.body()), Ok("-9223372036854775809".into()));
    }

    #[test]
    fn json_has_texts_with_their_escapes() {
        let program = program("notice \"a\\\"\\n\"");
        let json = to_json(&program, program.body()).expect("it has a notation");
        assert!(json.contains(r#""notice""#) && json.contains(r#""a\"\n""#), "{json}");
    }

    #[test]
    fn memory_is_in_proportion_to_the_text() {
        let text = "notice(1)\n".repeat(100);
        let memory = program(&text).memory();
        assert!((text.len()..300 * text.len()).contains(&memory), "{memory}");
    }

    #[test]
    fn numbers_are_written_as_ruby_writes_them() {
        for (number, written) in [
            ("1234567890123456.7", "1234567890123456.8"),
            ("1.5e15", "1.5e+15"),
            ("1.2345678901234567e19", "1.2345678901234567e+19"),
            ("123456789012345.6", "123456789012345.6"),
            ("1.25e-5", "1.25e-05"),
        ] {
            let program = program(number);
            assert_eq!(to_text(&program, program.body()).as_deref(), Ok(written));
        }
    }
}
