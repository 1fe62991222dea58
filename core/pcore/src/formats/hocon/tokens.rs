//! Splits the text of a document into tokens.

use std::fmt;

use super::{MAX_DEPTH, Watch};
use crate::data::value::Value;
use crate::ruby;
use crate::scalars::number;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Comma,
    Colon,
    Equals,
    PlusEquals,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Newline,
    Comment,
    /// White space that is not between two simple values; between them it is [`Token::Text`].
    Space,
    /// Text without quotes.
    Text(String),
    /// Text in quotes.
    Quoted(String),
    /// A number, a Boolean or null, with its source text.
    Plain(Value, String),
    /// `${path}`, `${?path}`
    Substitution {
        /// Or what is wrong with it.
        path: Result<Vec<String>, String>,
        optional: bool,
        line: usize,
    },
    /// Invalid text, and why; nothing follows it.
    Problem(String),
    End,
}

/// The token's name in messages.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comma => "','",
            Self::Colon => "':'",
            Self::Equals => "'='",
            Self::PlusEquals => "'+='",
            Self::OpenBrace => "'{'",
            Self::CloseBrace => "'}'",
            Self::OpenBracket => "'['",
            Self::CloseBracket => "']'",
            Self::Newline => "NEWLINE",
            Self::Comment => "COMMENT",
            Self::Space => "WHITESPACE",
            Self::Text(text) => return write!(f, "'{text}'"),
            Self::Quoted(text) => return write!(f, "'{text}' (STRING)"),
            Self::Plain(value, _) => {
                let kind = match value {
                    Value::Undef => "NULL",
                    Value::Boolean(_) => "BOOLEAN",
                    _ => "NUMBER",
                };
                return write!(f, "'{}' ({kind})", ruby::to_s(value));
            }
            Self::Substitution { path, .. } => {
                return write!(f, "'${{{}}}'", path.as_ref().map_or(String::new(), |path| path.join(".")));
            }
            Self::Problem(problem) => problem,
            Self::End => "end of file",
        })
    }
}

impl Token {
    /// Whether adjacent white space can be part of a text.
    fn is_simple(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Quoted(_) | Self::Plain(..) | Self::Substitution { .. })
    }

    /// Whether the token is ignored where a key or a value is expected.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Self::Newline | Self::Comment | Self::Space => true,
            Self::Text(text) => text.chars().all(char::is_whitespace),
            _ => false,
        }
    }
}

/// A token and the line it is on.
pub(super) type Placed = (Token, usize);

/// All tokens of a text, up to [`Token::End`] or a [`Token::Problem`].
///
/// Errors: the work was stopped.
pub(super) fn tokens(text: &str, watch: &Watch<'_>) -> Result<Vec<Placed>, String> {
    let mut lexer = Lexer { text, at: 0, line: 1, watch };
    let mut tokens = Vec::new();
    if let Err(problem) = lexer.run(false, &mut tokens) {
        watch.go_on()?;
        tokens.push((Token::Problem(problem), lexer.line));
    }
    Ok(tokens)
}

/// The names of a path. Dots outside of quotes separate them; white space within them is significant.
pub(super) fn path<'t>(tokens: impl IntoIterator<Item = &'t Token>) -> Result<Vec<String>, String> {
    let mut path = Vec::new();
    let mut name = String::new();
    let mut may_be_empty = false;
    let mut has_tokens = false;
    let mut finish = |name: &mut String, may_be_empty: &mut bool| {
        if name.is_empty() && !*may_be_empty {
            return Err("path has a leading, trailing, or two adjacent period '.' \
                        (use quoted \"\" empty string if you want an empty element)"
                .to_owned());
        }
        path.push(std::mem::take(name));
        *may_be_empty = false;
        if path.len() > MAX_DEPTH { Err("nesting is too deep".to_owned()) } else { Ok(()) }
    };
    for token in tokens {
        has_tokens = true;
        match token {
            Token::Space => {}
            Token::Quoted(text) => {
                name.push_str(text);
                may_be_empty |= name.is_empty();
            }
            Token::Text(text) | Token::Plain(_, text) => {
                for (at, part) in text.split('.').enumerate() {
                    if at > 0 {
                        finish(&mut name, &mut may_be_empty)?;
                    }
                    name.push_str(part);
                }
            }
            token => {
                return Err(format!(
                    "Token not allowed in path expression: {token} \
                     (you can double-quote this token if you really want it here)"
                ));
            }
        }
    }
    if !has_tokens {
        return Err("Expecting a field name or path here, but got nothing".into());
    }
    finish(&mut name, &mut may_be_empty)?;
    Ok(path)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    watch: &'t Watch<'t>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        self.line += usize::from(char == '\n');
        Some(char)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// The text while the characters satisfy a predicate; none of them is a newline.
    fn take_while(&mut self, is_such: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|char| !is_such(char)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    /// The tokens up to the end, or up to the brace that closes a substitution, which is excluded.
    fn run(&mut self, is_substitution: bool, tokens: &mut Vec<Placed>) -> Result<(), String> {
        let mut after_simple = false;
        loop {
            self.watch.charge(1)?;
            let space = self.take_while(|char| char.is_whitespace() && char != '\n');
            let line = self.line;
            let token = self.token(is_substitution)?;
            let is_end = token == Token::End;
            if is_substitution && is_end {
                return problem("end of file", "Substitution ${ was not closed with a }");
            }
            if is_substitution && token == Token::CloseBrace {
                return Ok(());
            }
            if !space.is_empty() {
                let is_text = after_simple && token.is_simple();
                tokens.push((if is_text { Token::Text(space.to_owned()) } else { Token::Space }, line));
            }
            after_simple = token.is_simple();
            tokens.push((token, line));
            if is_end {
                return Ok(());
            }
        }
    }

    fn token(&mut self, is_substitution: bool) -> Result<Token, String> {
        let rest = self.rest();
        let Some(char) = self.peek() else { return Ok(Token::End) };
        if char == '#' || rest.starts_with("//") {
            self.take_while(|char| char != '\n');
            return Ok(Token::Comment);
        }
        let mark = match char {
            '\n' => Token::Newline,
            ':' => Token::Colon,
            ',' => Token::Comma,
            '=' => Token::Equals,
            '{' => Token::OpenBrace,
            '}' => Token::CloseBrace,
            '[' => Token::OpenBracket,
            ']' => Token::CloseBracket,
            '+' if self.take("+=") => return Ok(Token::PlusEquals),
            '"' => return self.quoted().map(Token::Quoted),
            // A substitution cannot contain another one.
            '$' if !is_substitution && self.take("${") => return self.substitution(),
            '+' => return self.half("=", '+'),
            '$' if !is_substitution => return self.half("{", '$'),
            '0'..='9' | '-' => return self.number(),
            _ if is_unquoted(char) => return Ok(self.unquoted()),
            _ => return reserved(char),
        };
        self.next();
        Ok(mark)
    }

    /// A mark that wants another one behind it.
    fn half(&mut self, wanted: &str, mark: char) -> Result<Token, String> {
        self.next();
        let next = self.next().map_or_else(|| "-1".into(), String::from);
        problem(&next, &format!("'{mark}' not followed by {wanted}, '{next}' not allowed after '{mark}'"))
    }

    fn substitution(&mut self) -> Result<Token, String> {
        let (optional, line) = (self.take("?"), self.line);
        let mut tokens = Vec::new();
        self.run(true, &mut tokens)?;
        let path = path(tokens.iter().map(|(token, _)| token));
        Ok(Token::Substitution { path, optional, line })
    }

    /// Text without quotes; a leading JSON word is a token of its own.
    fn unquoted(&mut self) -> Token {
        for (word, value) in
            [("true", Value::Boolean(true)), ("false", Value::Boolean(false)), ("null", Value::Undef)]
        {
            if self.take(word) {
                return Token::Plain(value, word.to_owned());
            }
        }
        let rest = self.rest();
        let is_end = |(at, char): &(usize, char)| !is_unquoted(*char) || rest[*at..].starts_with("//");
        let end = rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at);
        self.at += end;
        Token::Text(rest[..end].to_owned())
    }

    fn number(&mut self) -> Result<Token, String> {
        let text = self.take_while(|char| matches!(char, '0'..='9' | 'e' | 'E' | '+' | '-' | '.'));
        match number(text) {
            Some(Value::Float(number)) if number.is_infinite() => problem("", "number is too great"),
            Some(value) => Ok(Token::Plain(value, text.to_owned())),
            None if text.contains('+') => reserved('+'),
            None => Ok(Token::Text(text.to_owned())),
        }
    }

    /// A text in single or triple quotes.
    fn quoted(&mut self) -> Result<String, String> {
        if self.take("\"\"\"") {
            let rest = self.rest();
            let Some(mut end) = rest.find("\"\"\"") else {
                return problem(-1, "End of input but triple-quoted string was still open");
            };
            end += rest[end + 3..].bytes().take_while(|byte| *byte == b'"').count();
            self.at += end + 3;
            self.line += rest[..end].matches('\n').count();
            return Ok(rest[..end].to_owned());
        }
        self.next();
        let (mut text, line) = (String::new(), self.line);
        loop {
            match self.next() {
                None => return problem(-1, "End of input but string quote was still open"),
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(char) if char.is_control() => {
                    self.line = line;
                    let message = format!(
                        "JSON does not allow unescaped {char} in quoted strings, use a backslash escape"
                    );
                    return problem(char, &message);
                }
                Some(char) => text.push(char),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        Ok(match self.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(char @ ('"' | '\\' | '/')) => char,
            Some('u') => {
                let mut code = self.hexadecimal()?;
                if (0xD800..0xDC00).contains(&code) && self.take("\\u") {
                    code = 0x10000
                        + ((code - 0xD800) << 10)
                        + (self.hexadecimal()?.wrapping_sub(0xDC00) & 0x3FF);
                }
                match char::from_u32(code).unwrap_or('\u{fffd}') {
                    // The gem treats this one as an error.
                    '_' => return problem("", "Malformed hex digits after \\u escape in string"),
                    char => char,
                }
            }
            Some(char) => {
                return problem(
                    char,
                    &format!("backslash followed by '{char}', this is not a valid escape sequence"),
                );
            }
            None => return problem("", "End of input but backslash in string had nothing after it"),
        })
    }

    /// Four characters as a number, as far as they are digits.
    fn hexadecimal(&mut self) -> Result<u32, String> {
        let mut code = 0;
        let mut is_number = true;
        for _ in 0..4 {
            let Some(char) = self.next() else {
                return problem(-1, "End of input but expecting 4 hex digits for \\uXXXX escape");
            };
            match char.to_digit(16).filter(|_| is_number) {
                Some(digit) => code = code * 16 + digit,
                None => is_number = false,
            }
        }
        Ok(code)
    }
}

fn problem<T>(what: impl fmt::Display, message: &str) -> Result<T, String> {
    Err(format!("'{what}' ({message})"))
}

fn reserved<T>(char: char) -> Result<T, String> {
    problem(char, &format!("Reserved character '{char}' is not allowed outside quotes"))
}

/// Whether a character is allowed in text without quotes.
fn is_unquoted(char: char) -> bool {
    !char.is_whitespace() && !"$\"{}[]:=,+#`^?!@*&\\".contains(char)
}

/// The number of a text, as Ruby's `Integer()` and `Float()` parse it: a leading zero means octal, and a
/// float without fraction is a whole number.
fn number(text: &str) -> Option<Value> {
    if text.contains(['.', 'e', 'E']) {
        let has_digit =
            |(at, _): (usize, &str)| text[at + 1..].starts_with(|char: char| char.is_ascii_digit());
        let number: f64 = text.parse().ok().filter(|_| text.match_indices('.').all(has_digit))?;
        return match Value::truncated(number) {
            Some(whole) if number.trunc() == number => Some(whole),
            _ => Some(Value::Float(number)),
        };
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (digits, radix) = match digits.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => (octal, 8),
        _ => (digits, 10),
    };
    number::parse_digits(text.starts_with('-'), digits, radix).ok()
}
