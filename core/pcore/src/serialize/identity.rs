//! The identity of values: references in data refer to values that were written before.
//!
//! Shared collections and objects are identified by their address. Types without parameters are singletons in
//! the reference, wherever they come from.

use std::sync::Arc;

use crate::data::value::Value;
use crate::types::{FloatRange, IntRange, Type, TypeKind};

/// The identity of a value. An address is only valid while the value is alive.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    Address(usize),
    BareType(&'static str),
    Symbol(String),
}

fn address<T: ?Sized>(shared: &Arc<T>) -> Option<Identity> {
    Some(Identity::Address(Arc::as_ptr(shared).cast::<()>() as usize))
}

/// The identity of a value; `None` for values without one.
pub(super) fn identity(value: &Value) -> Option<Identity> {
    match value {
        Value::Undef
        | Value::Default
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::BigInteger(_)
        | Value::Float(_)
        | Value::String(_) => None,
        Value::Array(shared) => address(shared),
        Value::Hash(shared) => address(shared),
        Value::Type(of) if of.stands_for_equals() => None,
        Value::Type(of) => Some(type_identity(of)),
        Value::Regexp(shared) => address(shared),
        Value::Sensitive(shared) => address(shared),
        Value::ByteString(shared) => address(shared),
        Value::Binary(shared) => address(shared),
        Value::Timespan(shared) => address(shared),
        Value::Timestamp(shared) => address(shared),
        Value::SemVer(shared) => address(shared),
        Value::SemVerRange(shared) => address(shared),
        Value::Uri(shared) => address(shared),
        Value::Object(shared) => address(shared),
        Value::Iterator(shared) => address(shared),
        Value::Runtime(value) => Some(Identity::Symbol(value.text.to_string())),
    }
}

fn type_identity(of: &Type) -> Identity {
    let shared = match of.kind() {
        TypeKind::Alias(alias) => address(alias),
        TypeKind::Object(object) => address(object),
        TypeKind::TypeSet(set) => address(set),
        kind if is_bare(kind) => Some(Identity::BareType(kind.kind_name())),
        _ => None,
    };
    shared.unwrap_or(Identity::Address(std::ptr::from_ref(of.kind()) as usize))
}

/// Whether a type has no parameters.
fn is_bare(kind: &TypeKind) -> bool {
    match kind {
        TypeKind::Any
        | TypeKind::Unit
        | TypeKind::Undef
        | TypeKind::Default
        | TypeKind::Scalar
        | TypeKind::ScalarData
        | TypeKind::Numeric
        | TypeKind::CatalogEntry
        | TypeKind::SemVerRange
        | TypeKind::Binary => true,
        TypeKind::BigInteger(_) => false,
        TypeKind::Integer(range) => *range == IntRange { from: None, to: None },
        TypeKind::Float(range) => *range == FloatRange { from: None, to: None },
        TypeKind::Boolean(value) => value.is_none(),
        TypeKind::String { size, value } => size.is_none() && value.is_none(),
        TypeKind::Enum { values, .. } => values.is_empty(),
        TypeKind::Pattern(patterns) => patterns.is_empty(),
        TypeKind::Regexp(pattern) => pattern.is_none(),
        TypeKind::Collection { size } => size.is_none(),
        TypeKind::Array { element, size } => element.is_none() && size.is_none(),
        TypeKind::Hash { key, value, size } => key.is_none() && value.is_none() && size.is_none(),
        TypeKind::Tuple { types, size } => types.is_empty() && size.is_none(),
        TypeKind::Struct { members } => members.is_empty(),
        TypeKind::Iterable(of)
        | TypeKind::Iterator(of)
        | TypeKind::Type(of)
        | TypeKind::Optional(of)
        | TypeKind::NotUndef(of)
        | TypeKind::Sensitive(of) => of.is_none(),
        TypeKind::Callable(callable) => callable.parameters.is_none() && callable.returns.is_none(),
        TypeKind::Variant(types) => types.is_empty(),
        TypeKind::Class(name) => name.is_none(),
        TypeKind::Resource { type_name, .. } => type_name.is_none(),
        TypeKind::SemVer(ranges) => ranges.is_empty(),
        TypeKind::Timestamp { from, to } => from.is_none() && to.is_none(),
        TypeKind::Timespan { from, to } => from.is_none() && to.is_none(),
        TypeKind::Uri(parts) => parts.is_none(),
        TypeKind::Runtime { runtime, name } => runtime.is_none() && name.is_none(),
        TypeKind::Init { of, .. } => of.is_none(),
        TypeKind::Object(_)
        | TypeKind::ObjectExtension { .. }
        | TypeKind::TypeSet(_)
        | TypeKind::Alias(_)
        | TypeKind::Reference(_) => false,
    }
}
