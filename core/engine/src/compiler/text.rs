//! Parts of the compiler's messages: places, values, references.

use crate::catalog::reference::{self, capitalize_segments};
use bunraku_pcore::compare::{self, puppet_equals};
use bunraku_pcore::format;
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_pcore::value::{Str, Value};

/// A place in messages: `(file: x, line: 1)`; empty if it is unknown.
pub(crate) fn location_text(file: Option<&str>, line: Option<u32>) -> String {
    match (file.filter(|file| !file.is_empty()), line) {
        (Some(file), Some(line)) => format!("(file: {file}, line: {line})"),
        (Some(file), None) => format!("(file: {file})"),
        (None, Some(line)) => format!("(line: {line})"),
        (None, None) => String::new(),
    }
}

/// The catalog reference of a type: `Class[A::B]`, `File[/etc/motd]`. `None` for types other than references.
pub(crate) fn reference_text(of: &Type) -> Option<Str> {
    match of.kind() {
        TypeKind::Class(Some(name)) => Some(reference::text("Class", &capitalize_segments(name))),
        TypeKind::Resource { type_name: Some(name), title: Some(title), .. } => {
            Some(reference::text(&capitalize_segments(name), title))
        }
        _ => None,
    }
}

/// A value as text, as Ruby's `to_s` has it; a reference as catalogs show it.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.to_string(),
        Value::ByteString(bytes) => bytes.text().to_string(),
        Value::Undef => String::new(),
        Value::Type(of) => reference_text(of).map_or_else(|| format::to_s(value), |text| text.to_string()),
        other => format::to_s(other),
    }
}

/// A value as Ruby's `inspect` shows it.
pub(super) fn inspect(value: &Value) -> String {
    format::inspect(value)
}

/// Puppet's `==`.
pub(super) fn equals(a: &Value, b: &Value) -> bool {
    puppet_equals(a, b)
}

/// Whether a list contains a value, as with `in`; false if this would take too long.
pub(super) fn includes(list: &Value, value: &Value) -> bool {
    compare::includes(list, value, &mut |_, _, _| {}, &BoundedFuel::default()).unwrap_or(false)
}
