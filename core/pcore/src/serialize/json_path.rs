//! Paths to values in data: `$['a'][0]`.

use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_till};
use nom::character::complete::{anychar, char, multispace0, one_of};
use nom::combinator::{all_consuming, map, map_opt, recognize, verify};
use nom::multi::{fold_many0, many0};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser as _};

use crate::convert::string::format;
use crate::data::value::Value;
use bunraku_syntax::ParseOptions;
use bunraku_syntax::ast::Node;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Source;

/// A step of a path. Nothing: a step that cannot be written.
pub(super) type Step = Option<Value>;

/// A path in its written form, or nothing when a step cannot be written.
pub(super) fn to_text(path: &[Step]) -> Option<String> {
    let mut out = String::from("$");
    for step in path {
        match step.as_ref()? {
            Value::Undef => out.push_str("[null]"),
            key @ (Value::String(_)
            | Value::Integer(_)
            | Value::BigInteger(_)
            | Value::Float(_)
            | Value::Boolean(_)) => {
                out.push('[');
                out.push_str(&format(key, &Value::from("%p")).ok()?);
                out.push(']');
            }
            _ => return None,
        }
    }
    Some(out)
}

/// The keys of a written path.
pub(super) fn parse(text: &str) -> Option<Vec<Value>> {
    let step = alt((bracketed, map(preceded(char('.'), is_not(".[")), named)));
    let path = preceded(char('$'), many0(step));
    let (_, keys) = all_consuming(path).parse(text.trim()).ok()?;
    Some(keys)
}

/// The value of a text that is not a path from the root, parsed as in the language: a name or a literal is
/// itself.
///
/// # Errors
/// The text is not an expression.
pub(super) fn literal(text: &str) -> Result<Option<Value>, Error> {
    let program = bunraku_syntax::parse(Source::new(None, text).into(), &ParseOptions::default())?;
    let name = |text: &str| if text.eq_ignore_ascii_case("null") { Value::Undef } else { text.into() };
    Ok(match *program.node(program.body()) {
        Node::QualifiedName { value } => Some(name(program.text(value))),
        Node::QualifiedReference { cased_value } => Some(name(program.text(cased_value))),
        Node::ReservedWord { word, .. } => Some(program.text(word).into()),
        Node::LiteralUndef {} => Some("undef".into()),
        Node::LiteralDefault {} => Some("default".into()),
        Node::LiteralString { value } => Some(program.text(value).into()),
        Node::LiteralInteger { value, .. } => Some(value.into()),
        Node::LiteralFloat { value } => Some(value.into()),
        Node::LiteralBoolean { value } => Some(value.into()),
        _ => None,
    })
}

/// `['name']`, `[0]`
fn bracketed(input: &str) -> IResult<&str, Value> {
    let key = alt((single_quoted, double_quoted, map_opt(take_till(|c| c == ']'), bare)));
    delimited((char('['), multispace0), key, (multispace0, char(']'))).parse(input)
}

fn named(name: &str) -> Value {
    if name == "null" { Value::Undef } else { name.into() }
}

/// A key without quotes: a number, a word of JSON's, or a name.
fn bare(text: &str) -> Option<Value> {
    let word = text.trim();
    Some(match (word, word.parse::<i64>(), word.parse::<f64>()) {
        ("null", ..) => Value::Undef,
        ("true", ..) => Value::Boolean(true),
        ("false", ..) => Value::Boolean(false),
        (_, Ok(number), _) => Value::Integer(number),
        (_, _, Ok(number)) => Value::Float(number),
        _ if word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') => word.into(),
        _ => return None,
    })
}

/// `'it\'s'`: a backslash is literal except before a quote or another one.
fn single_quoted(input: &str) -> IResult<&str, Value> {
    let escaped = preceded(char('\\'), one_of("\\'"));
    let other = recognize((char('\\'), anychar));
    let part = alt((map(is_not("'\\"), String::from), map(escaped, String::from), map(other, String::from)));
    map(delimited(char('\''), fold_many0(part, String::new, joined), char('\'')), Value::from).parse(input)
}

/// `"a\nb"`
fn double_quoted(input: &str) -> IResult<&str, Value> {
    let unicode = map_opt(delimited(tag("u{"), is_not("}"), char('}')), |digits: &str| {
        char::from_u32(u32::from_str_radix(digits, 16).ok()?)
    });
    let other = map(verify(anychar, |&c| c != 'u'), |c| match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        's' => ' ',
        other => other,
    });
    let escaped = preceded(char('\\'), alt((unicode, other)));
    let part = alt((map(is_not("\"\\"), String::from), map(escaped, String::from)));
    map(delimited(char('"'), fold_many0(part, String::new, joined), char('"')), Value::from).parse(input)
}

fn joined(mut text: String, part: String) -> String {
    text.push_str(&part);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_both_ways() {
        let path = vec![Some("a'b".into()), Some(Value::Integer(1)), Some(Value::Undef), Some("x\ny".into())];
        let text = to_text(&path).unwrap();
        assert_eq!(text, r#"$['a\'b'][1][null]["x\ny"]"#);
        assert_eq!(parse(&text).unwrap(), path.into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(parse("$.a[0]").unwrap(), ["a".into(), Value::Integer(0)]);
        assert_eq!(
            parse(r#"$[ 'a\b' ]["\u{e9}\s\q"][ 1.5 ].null[x::y]"#).unwrap(),
            [r"a\b".into(), "é q".into(), Value::Float(1.5), Value::Undef, "x::y".into(),]
        );
        for wrong in ["$[", "a", "$a", "$.", "$['a]", r#"$["\u0041"]"#, "$[a b]", "$[0] "] {
            assert_eq!(parse(wrong).is_none(), wrong != "$[0] ", "{wrong}");
        }
    }
}
