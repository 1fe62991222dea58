//! JSON text as tokens: a reader needs no tree, and receives whole numbers of any size.
//!
//! `serde_json` with a visitor makes values of a text with 14 % fewer instructions. However, it provides no
//! tokens for streams, and rounds whole numbers of more than 64 bits unless its feature `arbitrary_precision`
//! is on, which would make every number of the program a text.

use std::borrow::Cow;

use crate::data::value::Value;
use crate::scalars::number::parse_whole;
use bunraku_syntax::diagnostic::Error;

/// The maximum nesting of lists and objects, as in `serde_json`'s trees.
const MAX_DEPTH: usize = 128;

/// A token. Commas and colons are not tokens; their positions are checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// `null`, `true`, `false` or a number.
    Scalar(Value),
    /// A text, or the name of a member.
    Text(Cow<'t, str>),
    /// `[`
    ListStart,
    /// `]`
    ListEnd,
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// Nothing follows the value.
    End,
}

/// The expected tokens.
#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Value,
    FirstElement,
    FirstName,
    Colon,
    /// A comma or the end of the innermost list or object; without any, the end of the text.
    Rest,
}

/// Reads tokens.
pub(crate) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    /// The open lists (`false`) and objects (`true`).
    open: Vec<bool>,
    expected: Expected,
    /// Whether comments, unknown escapes and numbers beyond Floats are read as in Ruby.
    is_of_ruby: bool,
}

impl<'t> Tokens<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, open: Vec::new(), expected: Expected::Value, is_of_ruby: false }
    }

    /// A text for Ruby's parser: comments are white space, `\x` is `x`, `1e400` is Infinity.
    pub(crate) fn of_ruby(text: &'t str) -> Self {
        Self { is_of_ruby: true, ..Self::new(text) }
    }

    fn damaged(&self, what: &str) -> Error {
        Error::internal(format!("{what} at byte {} of the JSON text", self.at))
    }

    /// The next byte other than white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.is_of_ruby => match self.comment() {
                    Some(length) => self.at += length,
                    None => return Some(byte),
                },
                byte => return Some(byte),
            }
        }
        None
    }

    /// The length of a comment, if one is next.
    fn comment(&self) -> Option<usize> {
        let rest = self.rest();
        match rest.as_bytes().get(1)? {
            b'*' => rest.get(2..)?.find("*/").map(|end| end + 4),
            b'/' => rest.find('\n').map(|end| end + 1),
            _ => None,
        }
    }

    /// The next token.
    ///
    /// # Errors
    /// The text is not JSON, or nested too deeply.
    pub(crate) fn next(&mut self) -> Result<Token<'t>, Error> {
        loop {
            let Some(byte) = self.peek() else {
                return match self.expected {
                    Expected::Rest if self.open.is_empty() => Ok(Token::End),
                    _ => Err(self.damaged("unexpected end")),
                };
            };
            match (self.expected, byte) {
                (Expected::Rest | Expected::FirstElement, b']') if self.open.last() == Some(&false) => {
                    return Ok(self.close(Token::ListEnd));
                }
                (Expected::Rest | Expected::FirstName, b'}') if self.open.last() == Some(&true) => {
                    return Ok(self.close(Token::ObjectEnd));
                }
                (Expected::Rest, b',') if !self.open.is_empty() => {
                    self.at += 1;
                    if self.open.last() == Some(&true) {
                        return self.name();
                    }
                    self.expected = Expected::Value;
                }
                (Expected::Colon, b':') => {
                    self.at += 1;
                    self.expected = Expected::Value;
                }
                (Expected::FirstName, _) => return self.name(),
                (Expected::Value | Expected::FirstElement, byte) => return self.value(byte),
                _ => return Err(self.damaged("unexpected character")),
            }
        }
    }

    /// The two whole numbers at the beginning of the next list, after the ends of lists: a fast path. `None`
    /// if something else is next, or if `is_wanted` rejects the first one; then only ends of lists are
    /// consumed.
    pub(crate) fn numbers_of_list(&mut self, is_wanted: impl Fn(i64) -> bool) -> Option<(i64, i64)> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        if self.expected == Expected::Rest {
            while bytes.get(at) == Some(&b']') && self.open.last() == Some(&false) {
                self.open.pop();
                at += 1;
            }
            self.at = at;
            if bytes.get(at) != Some(&b',') || self.open.last() != Some(&false) {
                return None;
            }
            at += 1;
        } else if !matches!(self.expected, Expected::Value | Expected::FirstElement) {
            return None;
        }
        if bytes.get(at) != Some(&b'[') || self.open.len() >= MAX_DEPTH {
            return None;
        }
        let (first, at) = short_number(bytes, at + 1)?;
        if bytes.get(at) != Some(&b',') || !is_wanted(first) {
            return None;
        }
        let (second, at) = short_number(bytes, at + 1)?;
        match bytes.get(at) {
            Some(b']') => self.at = at + 1,
            Some(b',') => {
                self.open.push(false);
                self.at = at;
            }
            _ => return None,
        }
        self.expected = Expected::Rest;
        Some((first, second))
    }

    fn close(&mut self, token: Token<'t>) -> Token<'t> {
        self.at += 1;
        self.open.pop();
        self.expected = Expected::Rest;
        token
    }

    fn name(&mut self) -> Result<Token<'t>, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.damaged("a name is missing"));
        }
        let name = self.string()?;
        self.expected = Expected::Colon;
        Ok(Token::Text(name))
    }

    fn value(&mut self, first: u8) -> Result<Token<'t>, Error> {
        let (token, expected, is_object) = match first {
            b'[' => (Token::ListStart, Expected::FirstElement, false),
            b'{' => (Token::ObjectStart, Expected::FirstName, true),
            _ => {
                self.expected = Expected::Rest;
                return match first {
                    b'"' => self.string().map(Token::Text),
                    b'-' | b'0'..=b'9' => self.number().map(Token::Scalar),
                    _ => self.word().map(Token::Scalar),
                };
            }
        };
        if self.open.len() >= MAX_DEPTH {
            return Err(self.damaged("nested too deeply"));
        }
        self.at += 1;
        self.open.push(is_object);
        self.expected = expected;
        Ok(token)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn word(&mut self) -> Result<Value, Error> {
        let words = [("null", Value::Undef), ("true", true.into()), ("false", false.into())];
        let found = words.into_iter().find(|(word, _)| self.rest().starts_with(word));
        let (word, value) = found.ok_or_else(|| self.damaged("unexpected character"))?;
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Error> {
        let rest = self.rest().as_bytes();
        let digits_from = |from: usize| {
            rest.get(from..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let sign = usize::from(rest.first() == Some(&b'-'));
        let whole = digits_from(sign);
        if whole == 0 || whole > 1 && rest.get(sign) == Some(&b'0') {
            return Err(self.damaged("no number"));
        }
        let mut length = sign + whole;
        let mut is_whole = true;
        if rest.get(length) == Some(&b'.') {
            let digits = digits_from(length + 1);
            if digits == 0 {
                return Err(self.damaged("no number"));
            }
            (length, is_whole) = (length + 1 + digits, false);
        }
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let digits = digits_from(length + 1 + sign);
            if digits == 0 {
                return Err(self.damaged("no number"));
            }
            (length, is_whole) = (length + 1 + sign + digits, false);
        }
        let text = self.rest().get(..length).unwrap_or_default();
        let value = if is_whole {
            match short_number(text.as_bytes(), sign) {
                Some((number, _)) => Value::Integer(if sign == 1 { -number } else { number }),
                None => parse_whole(text, 10).map_err(|_| self.damaged("number out of range"))?,
            }
        } else {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite() || self.is_of_ruby);
            Value::Float(number.ok_or_else(|| self.damaged("number out of range"))?)
        };
        self.at += length;
        Ok(value)
    }

    /// A text; its first quote is next.
    fn string(&mut self) -> Result<Cow<'t, str>, Error> {
        self.at += 1;
        let mut made = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.bytes().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
            let part = rest.get(..plain).unwrap_or_default();
            self.at += plain;
            match rest.as_bytes().get(plain) {
                Some(b'"') => {
                    self.at += 1;
                    if made.is_empty() {
                        return Ok(Cow::Borrowed(part));
                    }
                    made.push_str(part);
                    return Ok(Cow::Owned(made));
                }
                Some(b'\\') => {
                    made.push_str(part);
                    made.push(self.escaped()?);
                }
                Some(_) => return Err(self.damaged("a control character in a text")),
                None => return Err(self.damaged("a text that does not end")),
            }
        }
    }

    /// The value of an escape; its backslash is next.
    fn escaped(&mut self) -> Result<char, Error> {
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        self.at += 2;
        Ok(match letter {
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let first = self.four_digits()?;
                let code = if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    let second = self.four_digits()?;
                    if !(0xdc00..0xe000).contains(&second) {
                        return Err(self.damaged("half a character"));
                    }
                    0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                };
                char::from_u32(code).ok_or_else(|| self.damaged("half a character"))?
            }
            Some(_) if self.is_of_ruby => {
                self.at -= 1;
                let character = self.rest().chars().next();
                self.at += character.map_or(0, char::len_utf8);
                character.ok_or_else(|| self.damaged("an unknown escape"))?
            }
            _ => return Err(self.damaged("an unknown escape")),
        })
    }

    fn four_digits(&mut self) -> Result<u32, Error> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(|| self.damaged("an unknown escape"))?;
        self.at += 4;
        Ok(number)
    }

    /// The data that begins with a token: lists, and hashes with the names of members as keys.
    ///
    /// # Errors
    /// The text is not JSON, or nested too deeply.
    pub(crate) fn data(&mut self, token: Token<'t>) -> Result<Value, Error> {
        Ok(match token {
            Token::Scalar(value) => value,
            Token::Text(text) => Value::from(&*text),
            Token::ListStart => {
                let mut values = Vec::new();
                loop {
                    match self.next()? {
                        Token::ListEnd => break values.into(),
                        token => values.push(self.data(token)?),
                    }
                }
            }
            Token::ObjectStart => {
                let mut members = crate::data::value::Hash::default();
                loop {
                    match self.next()? {
                        Token::ObjectEnd => break members.into(),
                        name => {
                            let name = self.data(name)?;
                            let token = self.next()?;
                            members.insert(name, self.data(token)?);
                        }
                    }
                }
            }
            Token::ListEnd | Token::ObjectEnd | Token::End => return Err(self.damaged("unexpected end")),
        })
    }
}

/// The number of digits up to which a number always fits in 64 bits.
const SHORT_NUMBER: usize = 18;

/// A whole number without sign at a position, and the position after it; `None` if there is none, or a long
/// one.
fn short_number(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.iter().take(SHORT_NUMBER + 1).take_while(|byte| byte.is_ascii_digit()).count();
    if length > SHORT_NUMBER {
        return None;
    }
    let number = rest.iter().take(length).fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    let has_spare_zero = length > 1 && bytes.get(at) == Some(&b'0');
    (length > 0 && !has_spare_zero).then_some((number, at + length))
}

/// The value of a JSON text. A whole number of any size is exact.
///
/// # Errors
/// The text is not JSON, or nested too deeply.
pub fn parse(text: &str) -> Result<Value, Error> {
    let mut tokens = Tokens::new(text);
    let first = tokens.next()?;
    let value = tokens.data(first)?;
    match tokens.next()? {
        Token::End => Ok(value),
        _ => Err(tokens.damaged("something behind the end")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::json;

    #[test]
    fn texts_are_read_as_other_readers_do() {
        for text in [
            r#"{"a":[1,-2,0.5,1e3,-0.25E-2,true,false,null],"b":{},"c":[],"":"x"}"#,
            r#" [ "a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00" , { "k" : [ [ ] ] } ] "#,
            "1",
            "\"\"",
            "-9223372036854775808",
        ] {
            let known: serde_json::Value = serde_json::from_str(text).unwrap();
            assert_eq!(parse(text).unwrap(), Value::from(&known), "{text}");
        }
        let big = "[123456789012345678901234567890,-18446744073709551616]";
        let mut written = String::new();
        json::push_text(&mut written, &parse(big).unwrap());
        assert_eq!(written, big);
    }

    #[test]
    fn numbers_that_a_list_begins_with_are_read_at_once() {
        let mut tokens = Tokens::new("[[7,12],[7,3,\"x\"],[8,1],[7, 1]]");
        assert_eq!(tokens.next().unwrap(), Token::ListStart);
        let mut pair = || tokens.numbers_of_list(|number| number == 7);
        assert_eq!([pair(), pair(), pair()], [Some((7, 12)), Some((7, 3)), None]);
        assert_eq!(tokens.next().unwrap(), Token::Text("x".into()));
        assert_eq!(tokens.numbers_of_list(|number| number == 7), None);
        for expected in [Token::ListStart, Token::Scalar(8.into()), Token::Scalar(1.into()), Token::ListEnd] {
            assert_eq!(tokens.next().unwrap(), expected);
        }
        assert_eq!(tokens.numbers_of_list(|_| true), None);
        assert_eq!(tokens.next().unwrap(), Token::ListStart);
        for (text, read) in [
            ("01]", None),
            ("1234567890123456789", None),
            ("9999999999999999999", None),
            ("x", None),
            ("120,", Some((120, 3))),
        ] {
            assert_eq!(short_number(text.as_bytes(), 0), read);
        }
    }

    #[test]
    fn what_is_no_json_is_an_error() {
        let deep = "[".repeat(200);
        for text in [
            "",
            " ",
            "[",
            "[1",
            "[1,",
            "[1,]",
            "[,1]",
            "{",
            "{\"a\"",
            "{\"a\":",
            "{\"a\":1",
            "{\"a\":1,}",
            "{1:2}",
            "[1}",
            "{\"a\":1]",
            "1 2",
            "[1] x",
            "01",
            "1.",
            "1e",
            "-",
            "+1",
            ".5",
            "1e999",
            "nul",
            "truex",
            "\"a",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\t\"",
            "[\"a\" \"b\"]",
            "{\"a\" 1}",
            "{\"a\":1 \"b\":2}",
            ":",
            ",",
            "]",
            &deep,
        ] {
            assert!(parse(text).is_err(), "{text}");
            assert!(serde_json::from_str::<serde_json::Value>(text).is_err(), "{text}");
        }
    }
}
