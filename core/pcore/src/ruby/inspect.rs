//! Ruby's `to_s` and `inspect` of values, which appear in messages and in joined arrays and hashes.

use std::fmt::Write as _;

use super::names;
use super::quote::inspect_string;
use crate::data::value::Value;
use crate::scalars::number::float_to_s;

/// The maximum nesting of collections.
const MAX_DEPTH: usize = 700;

/// The value as Ruby's `to_s` has it: `undef` is empty, collections are inspected.
pub fn to_s(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Default => "default".into(),
        // Not `to_string`, which formats it.
        Value::String(text) => text.as_str().to_owned(),
        Value::ByteString(bytes) => bytes.text().to_string(),
        Value::Regexp(regexp) => bunraku_syntax::pattern::to_s(&regexp.source),
        Value::Sensitive(_) => "Sensitive [value redacted]".into(),
        Value::Runtime(value) => value.text.to_string(),
        Value::Binary(_)
        | Value::Type(_)
        | Value::Timespan(_)
        | Value::Timestamp(_)
        | Value::SemVerRange(_)
        | Value::Uri(_)
        | Value::Object(_)
        | Value::Iterator(_) => crate::convert::string::to_string(value).to_string(),
        Value::Boolean(_)
        | Value::Integer(_)
        | Value::BigInteger(_)
        | Value::Float(_)
        | Value::Array(_)
        | Value::Hash(_)
        | Value::SemVer(_) => inspect(value),
    }
}

/// The value as Ruby's `inspect` has it: `{"a"=>1}`, `nil`, `:default`.
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Value, depth: usize) {
    if depth > MAX_DEPTH {
        out.push_str("...");
        return;
    }
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Boolean(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Integer(number) => {
            let _ = write!(out, "{number}");
        }
        Value::BigInteger(number) => {
            let _ = write!(out, "{number}");
        }
        Value::Float(number) => out.push_str(&float_to_s(*number)),
        Value::String(text) => out.push_str(&inspect_string(text)),
        Value::ByteString(bytes) => out.push_str(&inspect_string(bytes.text())),
        Value::Array(values) => {
            out.push('[');
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(out, value, depth + 1);
            }
            out.push(']');
        }
        Value::Hash(hash) => {
            out.push('{');
            for (index, (key, value)) in hash.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(out, key, depth + 1);
                out.push_str("=>");
                write(out, value, depth + 1);
            }
            out.push('}');
        }
        Value::Regexp(regexp) => {
            out.push_str(&bunraku_syntax::pattern::inspect(&regexp.source, ""));
        }
        Value::Sensitive(_) => out.push_str("#<Sensitive [value redacted]>"),
        Value::SemVer(version) => {
            let _ = write!(out, "{version}");
        }
        Value::SemVerRange(range) => out.push_str(&range.describe()),
        Value::Runtime(value) if value.is_symbol() => {
            out.push(':');
            let is_plain = !value.text.is_empty()
                && value.text.chars().all(|c| c.is_alphanumeric() || c == '_')
                && !value.text.starts_with(|c: char| c.is_ascii_digit());
            if is_plain {
                out.push_str(&value.text);
            } else {
                out.push_str(&inspect_string(&value.text));
            }
        }
        Value::Uri(uri) => {
            let _ = write!(out, "#<{} {}>", names::ruby_class(value), uri.text);
        }
        Value::Timespan(span) => {
            let _ = write!(out, "#<{} @nsecs={}>", names::ruby_class(value), span.total());
        }
        Value::Timestamp(moment) => {
            let _ = write!(out, "#<{} @nsecs={}>", names::ruby_class(value), moment.total());
        }
        Value::Type(_) | Value::Binary(_) | Value::Object(_) | Value::Iterator(_) | Value::Runtime(_) => {
            out.push_str(&crate::convert::string::to_string(value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::RuntimeValue;

    #[test]
    fn symbols_that_are_no_names_have_quotes() {
        for (text, shown) in [("a_1", ":a_1"), ("1a", ":\"1a\""), ("a b", ":\"a b\""), ("", ":\"\"")] {
            assert_eq!(inspect(&Value::Runtime(RuntimeValue::symbol(text).into())), shown);
        }
    }
}
