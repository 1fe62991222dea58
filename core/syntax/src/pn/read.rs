//! Text back to data. Follows the reference's `pn_parser.rb`, but counts lines where they end.

use super::Sink;
use super::data::DataSink;
use crate::diagnostic::{Diagnostic, Issue, Report, Severity};
use crate::source::{Source, Span};

/// How deep a notation may be nested.
const MAX_DEPTH: usize = 5_000;

/// Reads a notation.
///
/// # Errors
/// The first thing that is not as it must be, with its place. What follows a complete notation is not looked at.
pub fn read(text: &str) -> Result<serde_json::Value, Diagnostic> {
    let mut sink = DataSink::default();
    let mut reader = Reader { text, pos: 0 };
    reader.read(&mut sink).map_err(|message| {
        let report = Report { issue: Issue::NONE, message };
        let at = reader.pos.min(text.len()) as u32;
        report.at(Severity::Error, &Source::new(None, text), Span::new(at, at))
    })?;
    Ok(sink.finish())
}

/// A token of the notation.
enum Token<'t> {
    End,
    Open(char),
    Close(char),
    Key(&'t str),
    Identifier(&'t str),
    String(String),
    Integer(&'t str),
    Float(f64),
    Boolean(bool),
    Nil,
}

struct Reader<'t> {
    text: &'t str,
    pos: usize,
}

type Reading<T> = Result<T, String>;

impl<'t> Reader<'t> {
    fn read(&mut self, sink: &mut dyn Sink) -> Reading<()> {
        // What closes what is open.
        let mut open: Vec<char> = Vec::new();
        let mut is_behind_key = false;
        loop {
            if open.len() > MAX_DEPTH {
                return Err("nested too deeply".into());
            }
            let token = self.token()?;
            if open.last() == Some(&'}') && !is_behind_key {
                match token {
                    Token::Key(key) => {
                        sink.key(key);
                        is_behind_key = true;
                        continue;
                    }
                    Token::Close('}') => {}
                    Token::End => return Err("missing '}' to end list".into()),
                    _ => return Err("map key expected".into()),
                }
            }
            is_behind_key = false;
            match token {
                Token::End => {
                    return Err(match open.last() {
                        Some(close) if *close != '}' => format!("missing '{close}' to end list"),
                        _ => "unexpected end of input".into(),
                    });
                }
                Token::Open('(') => {
                    let Token::Identifier(name) = self.token()? else {
                        return Err("expected identifier to follow '('".into());
                    };
                    sink.open_call(name);
                    open.push(')');
                    continue;
                }
                Token::Open('[') => {
                    sink.open_list();
                    open.push(']');
                    continue;
                }
                Token::Open(_) => {
                    sink.open_map();
                    open.push('}');
                    continue;
                }
                Token::Close(close) if open.last() == Some(&close) => {
                    open.pop();
                    sink.close();
                }
                Token::Close(close) => return Err(format!("unexpected {close}")),
                Token::Key(text) | Token::Identifier(text) => return Err(format!("unexpected {text}")),
                Token::String(value) => sink.string(&value),
                Token::Integer(digits) => match digits.parse() {
                    Ok(value) => sink.integer(value),
                    Err(_) => sink.big_integer(digits),
                },
                Token::Float(value) => sink.float(value),
                Token::Boolean(value) => sink.boolean(value),
                Token::Nil => sink.nil(),
            }
            if open.is_empty() {
                return Ok(());
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.pos..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.pos += character.len_utf8();
        Some(character)
    }

    fn skip(&mut self, accepts: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[self.pos..];
        let length = rest.find(|character| !accepts(character)).unwrap_or(rest.len());
        self.pos += length;
        length
    }

    fn token(&mut self) -> Reading<Token<'t>> {
        self.skip(|character| matches!(character, ' ' | '\t' | '\r' | '\n'));
        let start = self.pos;
        Ok(match self.next() {
            None | Some('\0') => Token::End,
            Some(open @ ('(' | '[' | '{')) => Token::Open(open),
            Some(close @ (')' | ']' | '}')) => Token::Close(close),
            Some('"') => return self.string(),
            Some(':') => {
                // The reference writes the names of parameters that start with `_`, but does not read them.
                if !self.peek().is_some_and(|character| character.is_ascii_alphabetic() || character == '_') {
                    return Err("expected identifier after ':'".into());
                }
                self.skip(is_identifier);
                Token::Key(&self.text[start + 1..self.pos])
            }
            Some('-') if self.peek().is_some_and(|character| character.is_ascii_digit()) => {
                return self.number(start);
            }
            Some(digit) if digit.is_ascii_digit() => return self.number(start),
            Some(_) => {
                self.skip(is_identifier);
                match &self.text[start..self.pos] {
                    "true" => Token::Boolean(true),
                    "false" => Token::Boolean(false),
                    "nil" => Token::Nil,
                    identifier => Token::Identifier(identifier),
                }
            }
        })
    }

    fn number(&mut self, start: usize) -> Reading<Token<'t>> {
        let digit = |character: char| character.is_ascii_digit();
        self.skip(digit);
        if self.peek() != Some('.') {
            return Ok(Token::Integer(&self.text[start..self.pos]));
        }
        self.pos += 1;
        let expected = || String::from("digit expected");
        if self.skip(digit) == 0 {
            return Err(expected());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.pos += 1;
            if matches!(self.peek(), Some('-' | '+')) {
                self.pos += 1;
            }
            if self.skip(digit) == 0 {
                return Err(expected());
            }
        }
        if self.peek().is_some_and(|character| character.is_ascii_alphabetic()) {
            return Err(expected());
        }
        self.text[start..self.pos].parse().map(Token::Float).map_err(|_| expected())
    }

    fn string(&mut self) -> Reading<Token<'t>> {
        let start = self.pos;
        let mut value = String::new();
        loop {
            match self.next() {
                None => {
                    self.pos = start - 1;
                    return Err("unterminated quote".into());
                }
                Some('"') => return Ok(Token::String(value)),
                Some('\\') => match self.next() {
                    Some('t') => value.push('\t'),
                    Some('r') => value.push('\r'),
                    Some('n') => value.push('\n'),
                    Some('o') => {
                        let digits = self.text.get(self.pos..self.pos + 3).unwrap_or_default();
                        let code = u32::from_str_radix(digits, 8).ok().and_then(char::from_u32);
                        value.push(code.ok_or("malformed octal quote")?);
                        self.pos += 3;
                    }
                    Some(quoted @ ('"' | '\\')) => value.push(quoted),
                    other => {
                        value.push('\\');
                        value.extend(other);
                    }
                },
                Some(other) => value.push(other),
            }
        }
    }
}

/// Whether a character continues an identifier: all but space, brackets, quotes and colons do.
fn is_identifier(character: char) -> bool {
    !matches!(character, '\0' | ' ' | '\t' | '\r' | '\n' | '(' | ')' | '[' | ']' | '{' | '}' | ':' | '"')
}
