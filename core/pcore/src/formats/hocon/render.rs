//! Values of a document in messages: `SimpleConfigList([1,{"a":"b"}])`, as the gem `hocon` shows them.

use std::fmt::Write as _;

use super::node::Node;
use crate::data::value::Value;
use crate::ruby::to_s;

/// A value with the class that the gem has for it.
pub(super) fn described(node: &Node) -> String {
    let class = match node {
        Node::Plain(Value::Integer(_) | Value::BigInteger(_), _) => "ConfigInt",
        Node::Plain(Value::Float(_), _) => "ConfigDouble",
        Node::Plain(Value::Boolean(_), _) => "ConfigBoolean",
        Node::Plain(..) => "ConfigNull",
        Node::Text { is_quoted: true, .. } => "Quoted",
        Node::Text { .. } => "Unquoted",
        Node::List { .. } => "SimpleConfigList",
        Node::Object(_) => "SimpleConfigObject",
        Node::Substitution { .. } => "ConfigReference",
        Node::Joined(_) => "ConfigConcatenation",
        Node::Layers(_) => "ConfigDelayedMerge",
    };
    let mut text = format!("{class}(");
    write(node, &mut text);
    text.push(')');
    text
}

fn write(node: &Node, out: &mut String) {
    match node {
        Node::Plain(Value::Undef, _) => out.push_str("null"),
        Node::Plain(value, _) => out.push_str(&to_s(value)),
        Node::Text { text, .. } => write_text(text, out),
        Node::List { items, .. } => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Node::Object(object) => {
            // Numbers come first, in their order.
            let number = |key: &str| match key.bytes().all(|byte| byte.is_ascii_digit()) {
                true => key.parse::<u128>().ok(),
                false => None,
            };
            let mut keys: Vec<_> = object.fields.keys().map(|key| (number(key), key)).collect();
            keys.sort_by_key(|(number, key)| (number.is_none(), *number, *key));
            out.push('{');
            for (index, (_, key)) in keys.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_text(key, out);
                out.push(':');
                object.fields.get(key).into_iter().for_each(|value| write(value, out));
            }
            out.push('}');
        }
        Node::Substitution { path, optional, .. } => {
            let _ = write!(out, "${{{}{}}}", if *optional { "?" } else { "" }, written(path));
        }
        Node::Joined(pieces) => pieces.iter().for_each(|piece| write(piece, out)),
        Node::Layers(layers) => layers.stack.first().into_iter().for_each(|layer| write(layer, out)),
    }
}

/// A path in the form of a document: names with other characters than letters and digits are in quotes.
pub(super) fn written(path: &[String]) -> String {
    let names = path.iter().map(|name| {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if !name.is_empty() && name.chars().all(is_plain) {
            return name.clone();
        }
        let mut quoted = String::new();
        write_text(name, &mut quoted);
        quoted
    });
    names.collect::<Vec<_>>().join(".")
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
