//! `Bunraku::Value`: a value of the language that Ruby has no class for.

use bunraku::pcore::Value;
use bunraku::pcore::convert::string;
use bunraku::pcore::serialize::{DataOptions, to_data};
use bunraku::pcore::types::Type;
use magnus::{Class as _, Module as _, RModule, Ruby, method};

use crate::convert::json_to_ruby;
use crate::crossing::Exceptions;
use crate::failure;

/// A native value as Ruby sees it.
#[magnus::wrap(class = "Bunraku::Value", free_immediately, size, frozen_shareable)]
pub(crate) struct NativeValue(Value);

impl NativeValue {
    pub(crate) fn new(value: Value) -> Self {
        Self(value)
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    fn to_s(&self) -> String {
        string::to_string(&self.0).to_string()
    }

    fn type_name(&self) -> String {
        Type::infer(&self.0).to_string()
    }

    fn to_data(ruby: &Ruby, own: &Self) -> Result<magnus::Value, magnus::Error> {
        let data = to_data(&own.0, &DataOptions::rich())
            .map_err(|error| failure::exception(ruby, &error, &[], Exceptions::new(ruby)))?;
        json_to_ruby(ruby, &data)
    }

    fn is_equal(&self, other: magnus::Value) -> bool {
        <&NativeValue as magnus::TryConvert>::try_convert(other).is_ok_and(|other| other.0 == self.0)
    }

    fn hash(&self) -> i64 {
        use std::hash::{BuildHasher, BuildHasherDefault};
        let hasher: BuildHasherDefault<std::hash::DefaultHasher> = BuildHasherDefault::default();
        // Ruby's Integer of a hash is small: the two highest bits are dropped.
        (hasher.hash_one(&self.0) >> 2) as i64
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), magnus::Error> {
    let class = module.define_class("Value", ruby.class_object())?;
    class.undef_default_alloc_func();
    class.define_method("to_s", method!(NativeValue::to_s, 0))?;
    class.define_method("type", method!(NativeValue::type_name, 0))?;
    class.define_method("to_data", method!(NativeValue::to_data, 0))?;
    class.define_method("==", method!(NativeValue::is_equal, 1))?;
    class.define_method("eql?", method!(NativeValue::is_equal, 1))?;
    class.define_method("hash", method!(NativeValue::hash, 0))
}
