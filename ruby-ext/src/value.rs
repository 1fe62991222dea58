//! `Bunraku::Value`: a value of the language without a class in Ruby, or one that stays native.

use std::hash::Hash;

use bunraku::pcore::Value;
use bunraku::pcore::convert::string;
use bunraku::pcore::serialize::{DataOptions, value_to_data};
use bunraku::pcore::types::{Type, object};
use magnus::{IntoValue as _, Module as _, Object as _, RHash, RModule, Ruby};

use crate::class;
use crate::convert::{Classes, to_ruby, to_typed_value};
use crate::entry::{function, method};
use crate::failure;
use crate::types::NativeType;

/// A native value as Ruby sees it.
#[magnus::wrap(class = "Bunraku::Value", free_immediately, size, frozen_shareable)]
pub(crate) struct NativeValue(Value);

/// The Ruby hash of a hashable value.
pub(crate) fn hash_of(of: &impl Hash) -> i64 {
    use std::hash::{BuildHasher, BuildHasherDefault};
    let hasher: BuildHasherDefault<std::hash::DefaultHasher> = BuildHasherDefault::default();
    // Ruby's hashes are small Integers: the two highest bits are dropped.
    (hasher.hash_one(of) >> 2) as i64
}

impl NativeValue {
    pub(crate) fn new(value: Value) -> Self {
        Self(value)
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    /// A Ruby object as a value that stays native.
    fn of(ruby: &Ruby, object: magnus::Value) -> Result<Self, magnus::Error> {
        to_typed_value(ruby, object).map(Self)
    }

    /// As [`of`](Self::of), for a Ruby object that can have classes of a registry.
    fn native_of(ruby: &Ruby, object: magnus::Value, registry: magnus::Value) -> Result<Self, magnus::Error> {
        Classes::of(registry, false).to_value(ruby, object).map(Self)
    }

    fn to_ruby(ruby: &Ruby, own: &Self) -> Result<magnus::Value, magnus::Error> {
        to_ruby(ruby, &own.0)
    }

    fn to_s(&self) -> String {
        string::to_string(&self.0).to_string()
    }

    /// The text in a format of `String.new`.
    fn format(ruby: &Ruby, own: &Self, format: magnus::Value) -> Result<String, magnus::Error> {
        let format = to_typed_value(ruby, format)?;
        string::format(&own.0, &format).map_err(|error| failure::raised(ruby, &error))
    }

    fn of_type(&self) -> NativeType {
        NativeType::new(Type::infer(&self.0))
    }

    fn to_data(ruby: &Ruby, own: &Self) -> Result<magnus::Value, magnus::Error> {
        let data = value_to_data(&own.0, &DataOptions::rich());
        to_ruby(ruby, &data.map_err(|error| failure::raised(ruby, &error))?)
    }

    /// The content of a Sensitive.
    fn unwrap(ruby: &Ruby, own: &Self) -> Result<magnus::Value, magnus::Error> {
        match &own.0 {
            Value::Sensitive(inner) => to_ruby(ruby, inner),
            other => {
                let message = format!("a {} hides nothing", Type::infer(other).generalize());
                Err(magnus::Error::new(ruby.exception_type_error(), message))
            }
        }
    }

    /// The attributes of an object by name; empty for other values.
    fn attributes(ruby: &Ruby, own: &Self) -> Result<RHash, magnus::Error> {
        let hash = ruby.hash_new();
        if let Value::Object(instance) = &own.0 {
            for name in instance.object_type.attributes().keys() {
                let value = object::attribute_value(instance, name).unwrap_or_default();
                hash.aset(name.as_str(), to_ruby(ruby, &value)?)?;
            }
        }
        Ok(hash)
    }

    fn is_equal(&self, other: magnus::Value) -> bool {
        <&NativeValue as magnus::TryConvert>::try_convert(other).is_ok_and(|other| other.0 == self.0)
    }

    fn hash(&self) -> i64 {
        hash_of(&self.0)
    }
}

/// The Ruby object that keeps a value native.
pub(crate) fn native(ruby: &Ruby, value: &Value) -> magnus::Value {
    NativeValue::new(value.clone()).into_value_with(ruby)
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), magnus::Error> {
    let class = class::define::<NativeValue>(ruby, module, "Value")?;
    class.define_singleton_method("of", function!(NativeValue::of, 1))?;
    class.define_singleton_method("native_of", function!(NativeValue::native_of, 2))?;
    class.define_method("to_ruby", method!(NativeValue::to_ruby, 0))?;
    class.define_method("to_s", method!(NativeValue::to_s, 0))?;
    class.define_method("format", method!(NativeValue::format, 1))?;
    class.define_method("type", method!(NativeValue::of_type, 0))?;
    class.define_method("to_data", method!(NativeValue::to_data, 0))?;
    class.define_method("unwrap", method!(NativeValue::unwrap, 0))?;
    class.define_method("attributes", method!(NativeValue::attributes, 0))?;
    class.define_method("==", method!(NativeValue::is_equal, 1))?;
    class.define_method("eql?", method!(NativeValue::is_equal, 1))?;
    class.define_method("hash", method!(NativeValue::hash, 0))
}
