//! Views of values, and of objects of another language that represent values, for questions about their type.
//! Such an object need not be converted to a value, which for large data costs more than the answer.

use std::sync::Arc;

use super::Type;
use super::guard::Memo;
use super::{infer, instance};
use crate::data::short_str::is_same;
pub use crate::data::type_flags::Shape;
use crate::data::value::{Str, Value, shared};
use bunraku_syntax::diagnostic::Error;

/// A value, or an object that represents one.
pub trait ValueView: Copy {
    /// Whether it is a value itself. Any other object without a shape is inspected as the value that it
    /// represents.
    const IS_VALUE: bool = false;

    /// Inspects its shape.
    fn with_shape<T>(self, look: impl FnOnce(Shape<'_>) -> T) -> T;

    /// The value, if it is one itself.
    #[inline(always)]
    fn as_value(&self) -> Option<&Value> {
        None
    }

    /// Whether it is this text.
    #[inline(always)]
    fn is_text(self, text: &str) -> bool {
        self.with_shape(|shape| matches!(shape, Shape::String(own) if is_same(own, text)))
    }

    /// Inspects the value that it is or represents.
    fn with_value<T>(self, look: impl FnOnce(&Value) -> T) -> T;

    /// The text that was seen as its shape: a copy if it cannot be shared.
    fn shared_text(self, text: &str) -> Str {
        shared(text)
    }

    /// Walks the elements of a list of that size, in order, as long as `test` holds; whether it held for all.
    fn all_elements(self, size: usize, test: impl FnMut(usize, Self) -> bool) -> bool;

    /// Walks the entries of a map, key and value, in order, as long as `test` holds; whether it held for all.
    fn all_entries(self, test: impl FnMut(Self, Self) -> bool) -> bool;

    /// The value that a map has under a name.
    fn member(self, name: &Str) -> Option<Self>;

    /// The value, if it is a shared collection, which can occur again.
    fn shared_collection(self) -> Option<Value> {
        None
    }

    /// Its identity while it is inspected: an address.
    fn identity(self) -> usize;
}

impl ValueView for &Value {
    const IS_VALUE: bool = true;

    #[inline(always)]
    fn with_shape<T>(self, look: impl FnOnce(Shape<'_>) -> T) -> T {
        look(match self {
            Value::Undef => Shape::Undef,
            Value::Default => Shape::Default,
            Value::Boolean(truth) => Shape::Boolean(*truth),
            Value::Integer(number) => Shape::Integer(*number),
            Value::Float(number) => Shape::Float(*number),
            Value::String(text) => Shape::String(text),
            Value::ByteString(bytes) => Shape::String(bytes.text()),
            Value::Array(values) => Shape::Array(values.len()),
            Value::Hash(hash) => Shape::Hash(hash.len()),
            _ => Shape::Other,
        })
    }

    #[inline(always)]
    fn as_value(&self) -> Option<&Value> {
        Some(self)
    }

    #[inline(always)]
    fn is_text(self, text: &str) -> bool {
        matches!(self, Value::String(own) if is_same(own, text))
            || matches!(self, Value::ByteString(own) if is_same(own.text(), text))
    }

    fn with_value<T>(self, look: impl FnOnce(&Value) -> T) -> T {
        look(self)
    }

    fn shared_text(self, text: &str) -> Str {
        match self {
            Value::String(own) => own.clone(),
            Value::ByteString(bytes) => bytes.text().clone(),
            _ => shared(text),
        }
    }

    // Plain loops, so that the test becomes a part of them.
    #[inline(always)]
    fn all_elements(self, _size: usize, mut test: impl FnMut(usize, Self) -> bool) -> bool {
        let Value::Array(values) = self else { return true };
        for (index, value) in values.as_slice().iter().enumerate() {
            if !test(index, value) {
                return false;
            }
        }
        true
    }

    #[inline(always)]
    fn all_entries(self, mut test: impl FnMut(Self, Self) -> bool) -> bool {
        let Value::Hash(hash) = self else { return true };
        for (key, value) in hash.pairs() {
            if !test(key, value) {
                return false;
            }
        }
        true
    }

    fn member(self, name: &Str) -> Option<Self> {
        match self {
            Value::Hash(hash) => hash.get(&Value::String(name.clone())),
            _ => None,
        }
    }

    #[inline]
    fn shared_collection(self) -> Option<Value> {
        let is_shared = match self {
            Value::Array(values) => Arc::strong_count(values) > 1,
            Value::Hash(hash) => Arc::strong_count(hash) > 1,
            _ => false,
        };
        is_shared.then(|| self.clone())
    }

    /// The address of what the value shares, or its own.
    fn identity(self) -> usize {
        match self {
            Value::Array(values) => Arc::as_ptr(values) as usize,
            Value::Hash(hash) => Arc::as_ptr(hash) as usize,
            Value::Object(object) => Arc::as_ptr(object) as usize,
            Value::Sensitive(value) => Arc::as_ptr(value) as usize,
            _ => std::ptr::from_ref(self) as usize,
        }
    }
}

impl Type {
    /// Whether a subject is an instance of this type. Parts that do not affect the result are not inspected.
    ///
    /// # Errors
    /// As [`Type::check_instance`].
    pub fn check_view<S: ValueView>(&self, subject: S) -> Result<bool, Error> {
        self.check_view_in(subject, Memo::default())
    }

    /// As [`check_view`](Self::check_view), in a comparison that was made for it.
    pub(super) fn check_view_in<S: ValueView>(&self, subject: S, memo: Memo<'_>) -> Result<bool, Error> {
        let answer = instance::instance(self, subject, None, memo.start());
        memo.finish(answer)
    }

    /// The type of a subject; see [`Type::infer`].
    pub fn infer_view<S: ValueView>(subject: S) -> Type {
        infer::infer(subject, 0)
    }

    /// The type of a subject in all detail; see [`Type::infer_set`].
    pub fn infer_set_view<S: ValueView>(subject: S) -> Type {
        infer::infer_set(subject, 0)
    }
}
