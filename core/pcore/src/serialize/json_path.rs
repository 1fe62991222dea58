//! Paths to values in data: `$['a'][0]`.

use crate::convert::string::format;
use crate::data::value::Value;
use bunraku_syntax::ParseOptions;
use bunraku_syntax::ast::{Node, NodeId, Program};
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

/// What a path names.
#[derive(Debug, PartialEq)]
pub(super) enum Named {
    /// What keys lead to from the root.
    Root(Vec<Value>),
    /// What keys lead to from a literal or a name.
    Value(Value, Vec<Value>),
}

/// Reads a path, which is an expression of the language: a root or a literal, and accesses.
///
/// # Errors
/// The text is no expression, or one that is no path.
pub(super) fn parse(text: &str) -> Result<Named, Error> {
    if let Some(keys) = written(text) {
        return Ok(Named::Root(keys));
    }
    let program = bunraku_syntax::parse(Source::new(None, text).into(), &ParseOptions::default())?;
    named(&program, program.body())
        .ok_or_else(|| Error::plain(format!("Unable to parse jsonpath \"{text}\"")))
}

/// The keys of a path in the form that nearly all have, as [`to_text`] writes it.
fn written(text: &str) -> Option<Vec<Value>> {
    let mut keys = Vec::new();
    let mut rest = text.strip_prefix('$')?;
    while !rest.is_empty() {
        let (key, behind) = rest.strip_prefix('[')?.split_once(']')?;
        let name = key.strip_prefix('\'').and_then(|key| key.strip_suffix('\''));
        let is_plain = |name: &&str| !name.contains(['\'', '\\']);
        keys.push(match name.filter(is_plain) {
            Some(name) => name.into(),
            None if key == "0" => Value::Integer(0),
            None if key.starts_with('0') || !key.bytes().all(|c| c.is_ascii_digit()) => return None,
            None => Value::Integer(key.parse().ok()?),
        });
        rest = behind;
    }
    Some(keys)
}

/// What an expression names; nothing if it is no path. A key that is itself a path is none in the reference,
/// which has not read that yet.
fn named(program: &Program, node: NodeId) -> Option<Named> {
    let mut node = node;
    let mut accesses = Vec::new();
    let start = loop {
        node = match *program.node(node) {
            Node::AccessExpression { left_expr, keys } => {
                let &[key] = program.list(keys) else { return None };
                accesses.push(key);
                left_expr
            }
            Node::NamedAccessExpression { left_expr, right_expr } => {
                accesses.push(right_expr);
                left_expr
            }
            Node::CallMethodExpression { functor_expr, arguments, .. }
                if program.list(arguments).is_empty() =>
            {
                functor_expr
            }
            Node::VariableExpression { expr } => {
                let is_root = matches!(literal(program, expr), Some(Value::String(name)) if name.is_empty());
                break is_root.then_some(None)?;
            }
            _ => break Some(literal(program, node)?),
        };
    };
    let keys = accesses.into_iter().rev().map(|key| literal(program, key)).collect::<Option<Vec<_>>>()?;
    Some(match start {
        None => Named::Root(keys),
        Some(value) => Named::Value(value, keys),
    })
}

/// The value of a name or literal.
fn literal(program: &Program, node: NodeId) -> Option<Value> {
    let name = |text: &str| if text.eq_ignore_ascii_case("null") { Value::Undef } else { text.into() };
    Some(match *program.node(node) {
        Node::QualifiedName { value } if program.text(value) != "null" => program.text(value).into(),
        Node::QualifiedName { .. } => Value::Undef,
        Node::QualifiedReference { cased_value } => name(program.text(cased_value)),
        Node::ReservedWord { word, .. } => program.text(word).into(),
        Node::LiteralUndef {} => "undef".into(),
        Node::LiteralDefault {} => "default".into(),
        Node::LiteralString { value } => program.text(value).into(),
        Node::LiteralInteger { value, .. } => value.into(),
        Node::LiteralFloat { value } => value.into(),
        Node::LiteralBoolean { value } => value.into(),
        Node::LiteralRegularExpression { pattern } => Value::regexp(program.text(pattern)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_both_ways() {
        let path = vec![Some("a'b".into()), Some(Value::Integer(1)), Some(Value::Undef), Some("x\ny".into())];
        let text = to_text(&path).unwrap();
        assert_eq!(text, r#"$['a\'b'][1][null]["x\ny"]"#);
        let keys = |text: &str| match parse(text) {
            Ok(Named::Root(keys)) => keys,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(keys(&text), path.into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(keys("$.a[0]"), ["a".into(), Value::Integer(0)]);
        assert_eq!(keys("$[10]['a']"), [Value::Integer(10), "a".into()]);
        assert_eq!(
            keys(r#"$[ 'a\b' ]["\u{e9}\s"][ 1.5 ].null[x::y]"#),
            [r"a\b".into(), "é ".into(), Value::Float(1.5), Value::Undef, "x::y".into()]
        );
        assert_eq!(parse("a").unwrap(), Named::Value("a".into(), Vec::new()));
        assert_eq!(parse("a[1]").unwrap(), Named::Value("a".into(), vec![Value::Integer(1)]));
        for wrong in
            ["$[", "$a", "$.", "$['a]", "$[]", "$[-2]", "$[1,2]", "$[a b]", "$[$]", "[1]", "$.a(1)", ""]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
