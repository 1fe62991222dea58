//! Paths to values in data: `$['a'][0]`.

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
    let mut rest = text.trim().strip_prefix('$')?;
    let mut keys = Vec::new();
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (key, behind) = parse_key(inner.trim_start())?;
            keys.push(key);
            rest = behind.trim_start().strip_prefix(']')?;
        } else if let Some(inner) = rest.strip_prefix('.') {
            let length = inner.find(['.', '[']).unwrap_or(inner.len());
            let name = inner.get(..length).filter(|name| !name.is_empty())?;
            keys.push(if name == "null" { Value::Undef } else { name.into() });
            rest = inner.get(length..)?;
        } else {
            return None;
        }
    }
    Some(keys)
}

/// What a text means that is no path from the root, read as the language reads it: a name or a literal means
/// itself.
///
/// # Errors
/// The text is no expression.
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

fn parse_key(text: &str) -> Option<(Value, &str)> {
    let quote = text.chars().next()?;
    if quote == '\'' || quote == '"' {
        let mut key = String::new();
        let mut characters = text.char_indices();
        characters.next();
        while let Some((at, c)) = characters.next() {
            if c == quote {
                return Some((key.into(), text.get(at + 1..)?));
            }
            if c != '\\' {
                key.push(c);
                continue;
            }
            let (_, escaped) = characters.next()?;
            match (quote, escaped) {
                (_, '\\') => key.push('\\'),
                ('\'', '\'') => key.push('\''),
                ('\'', other) => key.extend(['\\', other]),
                ('"', 'n') => key.push('\n'),
                ('"', 't') => key.push('\t'),
                ('"', 'r') => key.push('\r'),
                ('"', 's') => key.push(' '),
                ('"', 'u') => {
                    let rest = characters.as_str();
                    let digits = rest.strip_prefix('{')?.split_once('}')?.0;
                    key.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                    for _ in 0..digits.len() + 2 {
                        characters.next();
                    }
                }
                (_, other) => key.push(other),
            }
        }
        return None;
    }
    let length = text.find(']')?;
    let word = text.get(..length)?.trim();
    let key = match word {
        "null" => Value::Undef,
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        _ => match (word.parse::<i64>(), word.parse::<f64>()) {
            (Ok(number), _) => Value::Integer(number),
            (_, Ok(number)) => Value::Float(number),
            _ if word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':') => word.into(),
            _ => return None,
        },
    };
    Some((key, text.get(length..)?))
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
        assert!(parse("$[").is_none());
    }
}
