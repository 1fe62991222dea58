//! Values of written catalogs as Puppet would write them.

use serde_json::Value as Json;

/// The maximum depth of shown values.
const MAX_DEPTH: usize = 32;

/// A value as Puppet code; data with a type of its own (`__ptype`) as that type's name and its value, secrets
/// without value.
pub fn puppet_text(value: &Json) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Json, depth: usize) {
    if depth > MAX_DEPTH {
        out.push('…');
        return;
    }
    match value {
        Json::Null => out.push_str("undef"),
        Json::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&number.to_string()),
        Json::String(text) => quote(out, text),
        Json::Array(values) => {
            out.push('[');
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write(out, value, depth + 1);
            }
            out.push(']');
        }
        Json::Object(members) => {
            if let Some(name) = members.get("__ptype").and_then(Json::as_str) {
                out.push_str(name);
                if name == "Sensitive" {
                    out.push_str(" [value redacted]");
                    return;
                }
                if name == "Default" {
                    return;
                }
            }
            out.push('{');
            let shown = members.iter().filter(|(name, _)| *name != "__ptype");
            for (at, (name, value)) in shown.enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                quote(out, name);
                out.push_str(" => ");
                write(out, value, depth + 1);
            }
            out.push('}');
        }
    }
}

fn quote(out: &mut String, text: &str) {
    let needs_double = text.chars().any(char::is_control);
    out.push(if needs_double { '"' } else { '\'' });
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            char if char.is_control() => out.push_str(&format!("\\u{{{:X}}}", u32::from(char))),
            '\\' => out.push_str("\\\\"),
            '\'' if !needs_double => out.push_str("\\'"),
            '"' | '$' if needs_double => {
                out.push('\\');
                out.push(char);
            }
            char => out.push(char),
        }
    }
    out.push(if needs_double { '"' } else { '\'' });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_like_puppet_code_and_secrets_stay_secret() {
        assert_eq!(
            puppet_text(&json!({"a": [1, true, null, "it's"]})),
            r"{'a' => [1, true, undef, 'it\'s']}"
        );
        assert_eq!(puppet_text(&json!("a\n$b")), "\"a\\n\\$b\"");
        assert_eq!(
            puppet_text(&json!({"__ptype": "Sensitive", "__pvalue": "x"})),
            "Sensitive [value redacted]"
        );
        assert_eq!(puppet_text(&json!({"__ptype": "Default"})), "Default");
    }
}
