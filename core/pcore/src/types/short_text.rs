//! The fast path from the text of a type to the type: names, parameters and literals in their usual form,
//! parsed without an intermediate program. Everything else, and every error, takes the slow path, which
//! supports all of the language and reports errors.

use super::Type;
use super::parse::{Naming, ParameterSite};
use crate::data::value::{Hash, Value, lower_case, shared};
use bunraku_syntax::pattern;
use bunraku_syntax::token::TokenKind;

/// The maximum nesting of a text on this path.
const MAX_DEPTH: u32 = 32;
/// The maximum number of digits of a number on this path.
const DIGITS: usize = 18;

/// The value of a text; `None` if it needs the slow path.
pub(super) fn read(text: &str, naming: Naming<'_>) -> Option<Value> {
    let mut reader = Reader { text, at: 0, naming };
    let value = reader.value(0)?;
    reader.skip_blanks();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'t, 'a> {
    text: &'t str,
    at: usize,
    naming: Naming<'a>,
}

impl<'t> Reader<'t, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// The text from here to the first byte that does not belong to it.
    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> Option<&'t str> {
        let start = self.at;
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        self.text.get(start..self.at)
    }

    /// The text between this mark and the next one, without backslashes and other special bytes.
    fn between(&mut self, mark: u8, means_something: impl Fn(u8) -> bool) -> Option<&'t str> {
        self.at += 1;
        let inner = self.take_while(|byte| byte != mark && byte != b'\\' && !means_something(byte))?;
        (self.peek() == Some(mark)).then_some(())?;
        self.at += 1;
        Some(inner)
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_blanks();
        match self.peek()? {
            b'A'..=b'Z' => self.named(depth),
            b'a'..=b'z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'-' => {
                self.at += 1;
                match self.number()? {
                    Value::Integer(number) => Some(Value::Integer(-number)),
                    Value::Float(number) => Some(Value::Float(-number)),
                    _ => None,
                }
            }
            b'\'' => self.between(b'\'', |_| false).map(|text| Value::String(shared(text))),
            b'"' => self.between(b'"', |byte| byte == b'$').map(|text| Value::String(shared(text))),
            b'/' => {
                let source = self.between(b'/', |byte| byte == b'\n')?;
                (!source.is_empty() && pattern::check(source).is_ok()).then(|| Value::regexp(source))
            }
            b'[' => self.list(depth).map(Value::from),
            b'{' => self.hash(depth),
            _ => None,
        }
    }

    /// A type, with parameters if they directly follow its name.
    fn named(&mut self, depth: u32) -> Option<Value> {
        let name = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_')?;
        if self.peek() == Some(b'[') {
            let keys = self.list(depth)?;
            return self.naming.access(ParameterSite::UNKNOWN, name, keys).ok();
        }
        let found = self.naming.load(&lower_case(name)).ok()?;
        Some(Value::Type(found.unwrap_or_else(|| Type::reference(name))))
    }

    fn word(&mut self) -> Option<Value> {
        let word =
            self.take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')?;
        Some(match TokenKind::of_word(word.as_bytes(), false) {
            None => Value::String(shared(word)),
            Some(TokenKind::True) => Value::Boolean(true),
            Some(TokenKind::False) => Value::Boolean(false),
            Some(TokenKind::Undef) => Value::Undef,
            Some(TokenKind::Default) => Value::Default,
            Some(_) => return None,
        })
    }

    /// A number in decimal notation.
    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        let whole = self.take_while(|byte| byte.is_ascii_digit())?;
        if whole.is_empty() || whole.len() > DIGITS || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        if self.peek() != Some(b'.') {
            return whole.parse().ok().map(Value::Integer);
        }
        self.at += 1;
        let fraction = self.take_while(|byte| byte.is_ascii_digit())?;
        if fraction.is_empty() {
            return None;
        }
        self.text.get(start..self.at)?.parse().ok().map(Value::Float)
    }

    /// Values between brackets, at least one.
    fn list(&mut self, depth: u32) -> Option<Vec<Value>> {
        self.at += 1;
        let mut values = Vec::with_capacity(4);
        loop {
            values.push(self.value(depth + 1)?);
            if self.is_end(b']')? {
                return Some(values);
            }
        }
    }

    /// Pairs of different keys between braces, at least one.
    fn hash(&mut self, depth: u32) -> Option<Value> {
        self.at += 1;
        let mut hash = Hash::default();
        loop {
            let key = self.value(depth + 1)?;
            self.skip_blanks();
            self.text.get(self.at..)?.strip_prefix("=>")?;
            self.at += 2;
            if hash.insert(key, self.value(depth + 1)?).is_some() {
                return None;
            }
            if self.is_end(b'}')? {
                return Some(hash.into());
            }
        }
    }

    /// Whether the closing mark comes next, and not a comma; nothing when something else comes.
    fn is_end(&mut self, mark: u8) -> Option<bool> {
        self.skip_blanks();
        let next = self.peek()?;
        self.at += 1;
        if next == mark { Some(true) } else { (next == b',').then_some(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::NoTypes;
    use crate::types::parse::parse_literal_of_program;

    fn short(text: &str) -> Option<Value> {
        read(text, Naming { loader: &NoTypes })
    }

    #[test]
    fn both_ways_lead_to_the_same() {
        for text in [
            "Integer[-3, 70000]",
            "Float[0.5,  1.25]",
            "Array[String[1, 7], 1]",
            "Struct[{a1 => Integer, Optional[b] => Array[Variant[Float, Enum['x', \"y\"]]]}]",
            "Callable[[Integer, String, 1, 2, Callable[Any]], Boolean]",
            "Hash[Pattern[/^x[a-z]+(b)?/], Tuple[Integer, Optional[String], 1, default]]",
            "Boolean[true]",
            "Enum[a, b_c, 'D', true]",
            "File['/etc/motd']",
            "Timestamp['2020-01-01', default]",
            "Unknown",
            "Runtime[ruby, 'Symbol']",
            "Integer[\n  1\n]",
        ] {
            assert_eq!(short(text), Some(parse_literal_of_program(text, &NoTypes).unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_rare_or_wrong_goes_the_long_way() {
        for text in [
            "",
            "Integer[",
            "Integer[]",
            "Integer[1,]",
            "Integer [1]",
            "Integer[0x10]",
            "Integer[010]",
            "Integer[2, 1]",
            "Integer[1] x",
            "Integer[1][2]",
            "Foo::Bar",
            "Unknown[1]",
            "Enum[if]",
            "Enum['a\\'b']",
            "Enum[\"${a}\"]",
            "Enum[a.b]",
            "Pattern[/a\\/b/]",
            "Pattern[/(/]",
            "Struct[{a => Integer, a => String}]",
            "Integer[1] # one",
        ] {
            assert_eq!(short(text), None, "{text}");
        }
    }
}
