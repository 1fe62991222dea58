//! Puppet Notation as JSON data, and the parser of its text, which `bunraku_syntax::pn` writes.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

mod data;
mod read;

use serde_json::Value;

pub use read::read;

use bunraku_syntax::ast::{NodeId, Program};
use bunraku_syntax::diagnostic::Diagnostic;
use bunraku_syntax::pn::{TextSink, tell};

/// A node as data. Integers of more than 64 bits become floats;
/// [`to_json`](bunraku_syntax::pn::to_json) keeps them.
///
/// # Errors
/// As [`tell`].
///
/// The data nests as deep as the program, and serde_json drops it recursively: a thread that handles unknown
/// programs needs a stack of some megabytes for that.
pub fn to_data(program: &Program, id: NodeId) -> Result<Value, Diagnostic> {
    let mut sink = data::DataSink::default();
    tell(program, id, &mut sink)?;
    Ok(sink.finish())
}

/// The text of a notation that is given as data: on one line, or with `pretty` each element on its own line.
pub fn data_to_text(data: &Value, pretty: bool) -> String {
    let mut sink = TextSink::new(pretty);
    data::replay(data, &mut sink);
    sink.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use bunraku_syntax::pn::{to_json, to_text};
    use bunraku_syntax::source::Source;
    use bunraku_syntax::{ParseOptions, parse};

    fn program(text: &str) -> Program {
        parse(Arc::new(Source::new(None, text)), &ParseOptions::default()).expect("the text parses")
    }

    #[test]
    fn text_is_read_back_as_the_same_data() {
        let program = program(
            "$a = [1, -2.5, 'x\\ty', undef, true, 0x1F]\nif $a { notice(\"q${a}\") |*$b = 1e20| { } }",
        );
        let text = to_text(&program, program.body()).expect("it has a notation");
        assert_eq!(
            text,
            "(block (= (var \"a\") (array 1 -2.5 \"x\\\\ty\" nil true (int {:radix 16 :value 31}))) \
             (if {:test (var \"a\") :then [(invoke {:functor (qn \"notice\") \
             :args [(concat \"q\" (str (var \"a\")))] \
             :block (lambda {:params {:b {:splat true :value 1.0e+20}}})})]}))"
        );
        let data = to_data(&program, program.body()).expect("it has a notation");
        let json = to_json(&program, program.body()).expect("it has a notation");
        assert_eq!(serde_json::from_str::<Value>(&json).expect("it is JSON"), data);
        assert_eq!(read(&text).expect("the text can be read"), data);
        assert_eq!(data_to_text(&data, false), text);
    }

    /// What is wrong with a text.
    fn wrong(text: &str) -> String {
        read(text).expect_err(text).message
    }

    #[test]
    fn what_is_no_notation_is_told() {
        for (text, message) in [
            ("", "unexpected end of input"),
            ("(a", "missing ')' to end list"),
            ("[1 [2]", "missing ']' to end list"),
            ("{:a 1", "missing '}' to end list"),
            ("{:a", "unexpected end of input"),
            ("{:a [", "missing ']' to end list"),
            ("{1 2}", "map key expected"),
            ("(1)", "expected identifier to follow '('"),
            ("(a]", "unexpected ]"),
            ("[:a]", "unexpected a"),
            ("[a]", "unexpected a"),
            ("{:1 2}", "expected identifier after ':'"),
            ("1.x", "digit expected"),
            ("1.5e", "digit expected"),
            ("\"a", "unterminated quote"),
            ("\"\\o9\"", "malformed octal quote"),
        ] {
            assert_eq!(wrong(text), message, "{text}");
        }
    }

    #[test]
    fn notations_nest_up_to_a_limit() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        // The innermost list is only closed at the limit itself.
        assert!(read(&nested(5_000)).is_ok());
        assert_eq!(wrong(&nested(5_001)), "nested too deeply");
    }

    #[test]
    fn numbers_and_keys_are_read_as_they_are_written() {
        for text in [
            "{:_a 1 :b2 2}",
            "[9223372036854775807 -9223372036854775808 1.5 -0.25]",
            "(a \"b\" nil true false)",
        ] {
            assert_eq!(data_to_text(&read(text).expect(text), false), text);
        }
        let large = read("123456789012345678901234567890").expect("a number");
        assert_eq!(large.as_f64(), Some(1.234_567_890_123_456_8e29));
        assert_eq!(data_to_text(&serde_json::json!(u64::MAX), false), "18446744073709551615");
    }
}
