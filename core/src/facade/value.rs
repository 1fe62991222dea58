//! Values of the language.

use std::fmt;

use bunraku_pcore::format::inspect;
use bunraku_pcore::serialize::{DataOptions, from_data, to_data};
use bunraku_pcore::types::Type;
use bunraku_pcore::value::Value as Inner;
use bunraku_syntax::diagnostic::Error;
use serde_json::Value as Json;

/// A value of the Puppet language: a fact, a parameter of a resource, the result of a lookup.
///
/// Values are immutable and cheap to clone. `Display` and `Debug` write a value as Puppet's `notice` writes
/// it inside an array, without the content of a `Sensitive`.
///
/// ```
/// use bunraku::Value;
///
/// let ports = Value::from(vec![Value::from(80), Value::from(443)]);
/// assert_eq!(ports.to_string(), "[80, 443]");
/// assert_eq!(ports.to_json()?, serde_json::json!([80, 443]));
/// assert!(ports.is_instance(&bunraku::Type::parse("Array[Integer[0, 65535]]", &bunraku::StaticTypes)?));
/// # Ok::<(), bunraku::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Value(pub(crate) Inner);

impl Value {
    /// Reads a value from rich data: JSON with objects such as `{"__ptype": "Timestamp", "__pvalue": …}` for
    /// values that JSON cannot represent.
    ///
    /// # Errors
    /// The data names an unknown type or does not fit its type.
    pub fn from_json(data: &Json) -> Result<Self, Error> {
        from_data(data).map(Self)
    }

    /// The value as rich data, which [`from_json`](Self::from_json) reads. The content of a `Sensitive` is
    /// included.
    ///
    /// # Errors
    /// The value has no form as data, such as an iterator.
    pub fn to_json(&self) -> Result<Json, Error> {
        to_data(&self.0, &DataOptions::rich())
    }

    /// The most specific type of the value.
    pub fn infer(&self) -> Type {
        Type::infer(&self.0)
    }

    /// Whether the value is an instance of a type.
    pub fn is_instance(&self, of: &Type) -> bool {
        of.is_instance(&self.0)
    }

    /// Whether this is `undef`.
    pub fn is_undef(&self) -> bool {
        matches!(self.0, Inner::Undef)
    }

    /// The value of a Boolean; `None` for other values.
    pub fn as_bool(&self) -> Option<bool> {
        if let Inner::Boolean(truth) = self.0 { Some(truth) } else { None }
    }

    /// The value of an Integer of 64 bits; `None` for other values.
    pub fn as_i64(&self) -> Option<i64> {
        if let Inner::Integer(number) = self.0 { Some(number) } else { None }
    }

    /// The value of a Float; `None` for other values.
    pub fn as_f64(&self) -> Option<f64> {
        if let Inner::Float(number) = self.0 { Some(number) } else { None }
    }

    /// The text of a String; `None` for other values.
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_str()
    }

    /// The elements of an Array; `None` for other values.
    pub fn as_array(&self) -> Option<Vec<Value>> {
        if let Inner::Array(values) = &self.0 {
            Some(values.iter().cloned().map(Self).collect())
        } else {
            None
        }
    }

    /// The value of a key; `None` if this is not a Hash or it lacks the key.
    pub fn get(&self, key: &Value) -> Option<Value> {
        if let Inner::Hash(hash) = &self.0 { hash.get(&key.0).cloned().map(Self) } else { None }
    }

    /// The pairs of a Hash in their order; `None` for other values.
    pub fn as_hash(&self) -> Option<Vec<(Value, Value)>> {
        let Inner::Hash(hash) = &self.0 else { return None };
        Some(hash.iter().map(|(key, value)| (Self(key.clone()), Self(value.clone()))).collect())
    }

    /// Whether this is a `Sensitive`.
    pub fn is_sensitive(&self) -> bool {
        matches!(self.0, Inner::Sensitive(_))
    }

    /// The content of a `Sensitive`. Any other value is returned as it is.
    pub fn unwrap_sensitive(&self) -> Value {
        if let Inner::Sensitive(secret) = &self.0 { Self((***secret).clone()) } else { self.clone() }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&inspect(&self.0))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

macro_rules! from {
    ($($of:ty),*) => { $(
        impl From<$of> for Value {
            fn from(value: $of) -> Self {
                Self(Inner::from(value))
            }
        }
    )* };
}
from!(&str, String, i64, f64, bool, Type);

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Self {
        Self(Inner::array(values.into_iter().map(|value| value.0)))
    }
}

impl FromIterator<(Value, Value)> for Value {
    /// Makes a Hash of the pairs, in their order.
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(pairs: I) -> Self {
        Self(Inner::hash(pairs.into_iter().map(|(key, value)| (key.0, value.0))))
    }
}
