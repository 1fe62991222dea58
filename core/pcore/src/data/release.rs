//! Drops values. Deeply nested values are dropped piece by piece instead of recursively, so that no stack is
//! too small.

use std::sync::Arc;

use super::pairs::Entries;
use super::value::{IteratorKind, Value};

/// The contents of a collection that can contain further values.
pub trait Parts {
    /// Whether the content must not be shown.
    fn is_secret(&self) -> bool {
        false
    }

    /// Moves the exclusively held values with contents of their own to the end of `pending`.
    fn take_parts(&mut self, pending: &mut Vec<Value>);
}

/// The only value of a Sensitive.
impl Parts for Value {
    fn is_secret(&self) -> bool {
        true
    }

    fn take_parts(&mut self, pending: &mut Vec<Value>) {
        if goes_with_its_holder(self) {
            pending.push(std::mem::take(self));
        }
    }
}

impl Parts for Vec<Value> {
    fn take_parts(&mut self, pending: &mut Vec<Value>) {
        self.iter_mut().for_each(|value| value.take_parts(pending));
    }
}

impl Parts for Entries {
    fn take_parts(&mut self, pending: &mut Vec<Value>) {
        if self.keys().any(goes_with_its_holder) {
            for (mut key, mut value) in std::mem::take(self) {
                key.take_parts(pending);
                value.take_parts(pending);
            }
        } else {
            self.values_mut().for_each(|value| value.take_parts(pending));
        }
    }
}

/// Whether a value has contents and only one holder.
fn goes_with_its_holder(value: &Value) -> bool {
    match value {
        Value::Array(values) => Arc::strong_count(values) == 1 && !values.is_empty(),
        Value::Hash(hash) => Arc::strong_count(hash) == 1 && !hash.is_empty(),
        Value::Sensitive(value) => Arc::strong_count(value) == 1,
        Value::Object(object) => Arc::strong_count(object) == 1,
        Value::Iterator(iterator) => Arc::strong_count(iterator) == 1,
        _ => false,
    }
}

/// Drops the contents of a holder that is being dropped.
pub(crate) fn release(parts: &mut dyn Parts) {
    let mut pending = Vec::new();
    parts.take_parts(&mut pending);
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(values) => {
                if let Some(values) = Arc::into_inner(values) {
                    values.into_inner().take_parts(&mut pending);
                }
            }
            Value::Hash(hash) => {
                if let Some(hash) = Arc::into_inner(hash) {
                    hash.into_inner().take_parts(&mut pending);
                }
            }
            Value::Sensitive(secret) => {
                pending.extend(Arc::into_inner(secret).map(|secret| secret.into_inner()))
            }
            Value::Object(object) => {
                if let Some(mut object) = Arc::into_inner(object) {
                    object.attributes.values_mut().for_each(|value| value.take_parts(&mut pending));
                }
            }
            Value::Iterator(iterator) => {
                if let Some(mut iterator) = Arc::into_inner(iterator) {
                    source(&mut iterator.kind).take_parts(&mut pending);
                }
            }
            _ => {}
        }
    }
}

/// The source of an iterator.
pub(crate) fn source(kind: &mut IteratorKind) -> &mut Value {
    match kind {
        IteratorKind::Step { source, .. }
        | IteratorKind::Reverse { source }
        | IteratorKind::Tree { source, .. } => source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::types::{Type, TypeKind};

    const DEEP: usize = 100_000;

    /// Runs on a stack that recursion of this depth would exhaust.
    fn on_small_stack(body: impl FnOnce() + Send + 'static) {
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(body);
        thread.expect("a thread starts").join().expect("the thread ends");
    }

    #[test]
    fn deep_values_are_let_go_compared_and_measured() {
        on_small_stack(|| {
            let wraps: [fn(Value) -> Value; 4] = [
                |value| Value::array([value]),
                |value| Value::hash([("a".into(), value)]),
                Value::sensitive,
                |value| Value::from(IteratorKind::Reverse { source: value }),
            ];
            let build = || (0..DEEP).fold(Value::Undef, |value, turn| wraps[turn % 3](value));
            let (one, other) = (build(), build());
            assert!(one == other);
            assert!(one.value_size().depth as usize >= DEEP);
            drop((one, other));
            for wrap in wraps {
                drop((0..DEEP).fold(Value::Undef, |value, _| wrap(value)));
            }
        });
    }

    #[test]
    fn deep_types_are_let_go() {
        on_small_stack(|| {
            let of = (0..DEEP).fold(Type::any_integer(), |of, _| Type::optional(Type::array(of, None)));
            assert!(matches!(of.kind(), TypeKind::Optional(_)));
        });
    }

    #[test]
    fn values_that_share_their_parts_are_compared_in_time() {
        let build = || (0..200).fold(Value::from(1), |value, _| Value::array([value.clone(), value]));
        assert!(build() == build());
    }
}
