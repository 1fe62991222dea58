//! Parses text to data. Follows the reference's `pn_parser.rb`, except that it counts lines where they end.

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while, take_while_m_n};
use nom::character::complete::{anychar, char, digit1, multispace0, one_of, satisfy};
use nom::combinator::{eof, map, map_opt, not, opt, recognize, value};
use nom::error::{ErrorKind, ParseError};
use nom::multi::fold_many0;
use nom::sequence::preceded;
use nom::{IResult, Parser};

use super::data::DataSink;
use bunraku_syntax::diagnostic::{Diagnostic, Issue, Report, Severity};
use bunraku_syntax::pn::Sink;
use bunraku_syntax::source::{Source, Span};

/// The maximum nesting of a notation.
const MAX_DEPTH: usize = 5_000;

/// Parses a notation.
///
/// # Errors
/// The first syntax error, with its place. Text after a complete notation is ignored.
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
#[derive(Clone)]
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
        // The closing characters of the open elements.
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

    fn token(&mut self) -> Reading<Token<'t>> {
        let (rest, result) = match token(&self.text[self.pos..]) {
            Ok((rest, token)) => (rest, Ok(token)),
            Err(nom::Err::Error(wrong) | nom::Err::Failure(wrong)) => {
                (wrong.rest, Err(wrong.message.to_owned()))
            }
            Err(nom::Err::Incomplete(_)) => ("", Err("unexpected end of input".to_owned())),
        };
        self.pos = self.text.len() - rest.len();
        result
    }
}

/// The error in a token, and the rest of the text where it is detected.
struct Wrong<'t> {
    rest: &'t str,
    message: &'static str,
}

impl<'t> ParseError<&'t str> for Wrong<'t> {
    fn from_error_kind(rest: &'t str, _: ErrorKind) -> Self {
        Self { rest, message: "unexpected input" }
    }

    fn append(_: &'t str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

type Parsed<'t, T> = IResult<&'t str, T, Wrong<'t>>;

/// A token that is required here.
fn wanted<'t, T>(
    message: &'static str,
    mut parser: impl Parser<&'t str, Output = T, Error = Wrong<'t>>,
) -> impl FnMut(&'t str) -> Parsed<'t, T> {
    move |input| {
        let failure = |_| nom::Err::Failure(Wrong { rest: input, message });
        parser
            .parse(input)
            .map_err(|error| if let nom::Err::Error(wrong) = error { failure(wrong) } else { error })
    }
}

fn token(input: &str) -> Parsed<'_, Token<'_>> {
    let word = recognize((anychar, take_while(is_identifier)));
    let token = alt((
        value(Token::End, alt((eof, tag("\0")))),
        map(one_of("([{"), Token::Open),
        map(one_of(")]}"), Token::Close),
        string,
        preceded(char(':'), wanted("expected identifier after ':'", key)),
        number,
        map(word, |word| match word {
            "true" => Token::Boolean(true),
            "false" => Token::Boolean(false),
            "nil" => Token::Nil,
            identifier => Token::Identifier(identifier),
        }),
    ));
    preceded(multispace0, token).parse(input)
}

/// A key. The reference writes the names of parameters that start with `_`, but does not parse them.
fn key(input: &str) -> Parsed<'_, Token<'_>> {
    let first = satisfy(|character| character.is_ascii_alphabetic() || character == '_');
    map(recognize((first, take_while(is_identifier))), Token::Key).parse(input)
}

fn number(input: &str) -> Parsed<'_, Token<'_>> {
    let digits = || wanted("digit expected", digit1);
    let exponent = (one_of("eE"), opt(one_of("+-")), digits());
    let letter = not(satisfy(|character| character.is_ascii_alphabetic()));
    let fraction = (char('.'), digits(), opt(exponent), wanted("digit expected", letter));
    let (rest, fraction) = preceded((opt(char('-')), digit1), opt(fraction)).parse(input)?;
    let text = &input[..input.len() - rest.len()];
    match fraction.map(|_| text.parse()) {
        None => Ok((rest, Token::Integer(text))),
        Some(Ok(float)) => Ok((rest, Token::Float(float))),
        Some(Err(_)) => Err(nom::Err::Failure(Wrong { rest, message: "digit expected" })),
    }
}

fn string(input: &str) -> Parsed<'_, Token<'_>> {
    let pieces = fold_many0(piece_of_string, String::new, |mut value, (escaped, plain)| {
        value.extend(escaped);
        value.push_str(plain);
        value
    });
    // An unclosed quote is reported at its beginning.
    let (rest, value) = preceded(char('"'), pieces).parse(input)?;
    match rest.strip_prefix('"') {
        Some(rest) => Ok((rest, Token::String(value))),
        None => Err(nom::Err::Failure(Wrong { rest: input, message: "unterminated quote" })),
    }
}

/// An escaped character, or a text without escapes.
fn piece_of_string(input: &str) -> Parsed<'_, (Option<char>, &str)> {
    let octal = map_opt(take_while_m_n(3, 3, |digit: char| digit.is_digit(8)), |digits| {
        u32::from_str_radix(digits, 8).ok().and_then(char::from_u32)
    });
    let escape = alt((
        value('\t', char('t')),
        value('\r', char('r')),
        value('\n', char('n')),
        preceded(char('o'), wanted("malformed octal quote", octal)),
        one_of("\"\\"),
    ));
    // A backslash before any other character is literal.
    let other = recognize((char('\\'), opt(anychar)));
    alt((
        map(preceded(char('\\'), escape), |escaped| (Some(escaped), "")),
        map(alt((is_not("\"\\"), other)), |plain| (None, plain)),
    ))
    .parse(input)
}

/// Whether a character continues an identifier: all except space, brackets, quotes and colons.
fn is_identifier(character: char) -> bool {
    !matches!(character, '\0' | ' ' | '\t' | '\r' | '\n' | '(' | ')' | '[' | ']' | '{' | '}' | ':' | '"')
}
