//! Views of Ruby objects that types can inspect directly: only an object without a direct form becomes a
//! value.

use std::cell::RefCell;

use bunraku::pcore::Value;
use bunraku::pcore::types::{Shape, ValueView};
use bunraku::pcore::value::Str;
use magnus::Ruby;

use crate::convert::{MAX_DEPTH, to_typed_value, too_deep};
use crate::raw::{Kind, Raw, text};

/// Asks a question about a Ruby object.
///
/// # Errors
/// A visited part does not represent a value, or the object is nested too deep.
pub(crate) fn ask<T>(
    ruby: &Ruby,
    object: magnus::Value,
    question: impl FnOnce(RubyView<'_>) -> T,
) -> Result<T, magnus::Error> {
    let failed = RefCell::new(None);
    let answer = question(RubyView { object: Raw::new(ruby, object), depth: 0, failed: &failed });
    failed.into_inner().map_or(Ok(answer), Err)
}

/// A Ruby object.
#[derive(Clone, Copy)]
pub(crate) struct RubyView<'r> {
    object: Raw<'r>,
    depth: usize,
    /// The first error; the view is empty after it.
    failed: &'r RefCell<Option<magnus::Error>>,
}

impl<'r> RubyView<'r> {
    fn part(self, object: Raw<'r>) -> Self {
        Self { object, depth: self.depth + 1, failed: self.failed }
    }

    fn fail(self, error: magnus::Error) {
        self.failed.borrow_mut().get_or_insert(error);
    }
}

impl ValueView for RubyView<'_> {
    fn with_shape<T>(self, look: impl FnOnce(Shape<'_>) -> T) -> T {
        if self.failed.borrow().is_some() {
            return look(Shape::Undef);
        }
        if self.depth > MAX_DEPTH {
            self.fail(too_deep(self.object.ruby()));
            return look(Shape::Undef);
        }
        let shape = match self.object.kind() {
            Kind::Text => {
                return self.object.with_text(|text| look(text.map_or(Shape::Other, Shape::String)));
            }
            Kind::Nil => Shape::Undef,
            Kind::Boolean(truth) => Shape::Boolean(truth),
            Kind::Integer(number) => Shape::Integer(number),
            Kind::Float(number) => Shape::Float(number),
            Kind::Array(size) => Shape::Array(size),
            Kind::Hash(size) => Shape::Hash(size),
            Kind::Other => Shape::Other,
        };
        look(shape)
    }

    fn with_value<T>(self, look: impl FnOnce(&Value) -> T) -> T {
        if self.failed.borrow().is_some() {
            return look(&Value::Undef);
        }
        match to_typed_value(self.object.ruby(), self.object.object()) {
            Ok(value) => look(&value),
            Err(error) => {
                self.fail(error);
                look(&Value::Undef)
            }
        }
    }

    fn all_elements(self, size: usize, mut test: impl FnMut(usize, Self) -> bool) -> bool {
        (0..size).all(|index| {
            self.failed.borrow().is_none()
                && self.object.element(index).is_some_and(|element| test(index, self.part(element)))
        })
    }

    fn all_entries(self, mut test: impl FnMut(Self, Self) -> bool) -> bool {
        let mut holds = true;
        self.object.each_pair(|key, value| {
            holds = self.failed.borrow().is_none() && test(self.part(key), self.part(value));
            holds
        });
        holds
    }

    fn member(self, name: &Str) -> Option<Self> {
        let ruby = self.object.ruby();
        let found = magnus::RHash::from_value(self.object.object())?.get(text(ruby, name))?;
        Some(self.part(Raw::new(ruby, found)))
    }

    fn identity(self) -> usize {
        self.object.address()
    }
}
