//! `Bunraku::Type`: a type of the Puppet language.

use bunraku::loader::Loaded;
use bunraku::pcore::types::{BuiltInTypes, NoTypes, Type, mismatch};
use magnus::{Error, IntoValue as _, Module as _, Object as _, RModule, Ruby, TryConvert};

use crate::class;
use crate::convert::{to_ruby, to_typed_value};
use crate::entry::{function, method};
use crate::environment::NativeEnvironment;
use crate::pcore::with_surroundings;
use crate::value_view::ask;
use crate::{failure, value};

/// A type as Ruby sees it.
#[magnus::wrap(class = "Bunraku::Type", free_immediately, size, frozen_shareable)]
pub(crate) struct NativeType(Type);

impl NativeType {
    pub(crate) fn new(of: Type) -> Self {
        Self(of)
    }

    pub(crate) fn inner(&self) -> &Type {
        &self.0
    }

    /// Parses a type. An environment resolves its names. Without one, an unknown name is an error unless
    /// unresolved names are allowed.
    fn parse(
        ruby: &Ruby,
        text: String,
        environment: magnus::Value,
        allow_unresolved: bool,
    ) -> Result<Self, Error> {
        let parsed = match environment_of(environment)? {
            Some(environment) => environment.inner().parse_type(&text, &Loaded::default()),
            None if allow_unresolved => Type::parse(&text, &NoTypes),
            None => Type::parse(&text, &BuiltInTypes),
        };
        parsed.map(Self).map_err(|error| failure::raised(ruby, &error))
    }

    fn infer(ruby: &Ruby, object: magnus::Value, method: String) -> Result<Self, Error> {
        let inferred = match method.as_str() {
            "detailed" => ask(ruby, object, |object| Type::infer_set_view(object)),
            "reduced" => ask(ruby, object, |object| Type::infer_view(object)),
            "generalized" => ask(ruby, object, |object| Type::infer_view(object).generalize()),
            _ => {
                let message = "the inference method is one of detailed, reduced, generalized";
                return Err(Error::new(ruby.exception_arg_error(), message));
            }
        };
        inferred.map(Self)
    }

    fn common(first: &Self, second: &Self) -> Self {
        Self(Type::common(&first.0, &second.0))
    }

    fn is_instance(ruby: &Ruby, own: &Self, object: magnus::Value) -> Result<bool, Error> {
        // Values and types need no conversion.
        if let Ok(native) = <&value::NativeValue>::try_convert(object) {
            return own.0.check_instance(native.value()).map_err(|error| failure::raised(ruby, &error));
        }
        ask(ruby, object, |object| own.0.check_view(object))?.map_err(|error| failure::raised(ruby, &error))
    }

    fn is_assignable(ruby: &Ruby, own: &Self, other: &Self) -> Result<bool, Error> {
        own.0.check_assignable(&other.0).map_err(|error| failure::raised(ruby, &error))
    }

    fn is_equal(&self, other: magnus::Value) -> bool {
        <&Self>::try_convert(other).is_ok_and(|other| other.0 == self.0)
    }

    fn hash(&self) -> i64 {
        value::hash_of(&self.0)
    }

    fn to_s(&self) -> String {
        self.0.to_string()
    }

    fn name(&self) -> Option<String> {
        self.0.name().map(|name| name.to_string())
    }

    fn kind(&self) -> &'static str {
        self.0.kind().kind_name()
    }

    fn generalize(&self) -> Self {
        Self(self.0.generalize())
    }

    fn normalize(&self) -> Self {
        Self(self.0.normalize())
    }

    fn resolved(&self) -> Self {
        Self(self.0.resolved().clone())
    }

    /// Makes a value as the language's `new` does.
    fn instantiate(
        ruby: &Ruby,
        own: &Self,
        arguments: magnus::RArray,
        environment: magnus::Value,
    ) -> Result<magnus::Value, Error> {
        let arguments: Result<Vec<_>, _> =
            arguments.into_iter().map(|one| to_typed_value(ruby, one)).collect();
        let arguments = arguments?;
        let made = with_surroundings(environment_of(environment)?, |around| {
            bunraku::pcore::convert::new_instance(&own.0, &arguments, around)
        });
        to_ruby(ruby, &made.map_err(|error| failure::raised(ruby, &error))?)
    }

    /// The reason why an object is not an instance, or nil.
    fn mismatch(
        ruby: &Ruby,
        own: &Self,
        object: magnus::Value,
        name: String,
    ) -> Result<Option<String>, Error> {
        Ok(own.0.mismatch(&name, &to_typed_value(ruby, object)?))
    }
}

impl NativeType {
    /// The reason why another type does not match this one.
    fn describe(&self, name: String, actual: &Self) -> String {
        mismatch::describe(&name, &self.0, &actual.0)
    }
}

/// The environment of a Ruby object; nil means none.
pub(crate) fn environment_of(
    object: magnus::Value,
) -> Result<Option<magnus::typed_data::Obj<NativeEnvironment>>, Error> {
    Option::<magnus::typed_data::Obj<NativeEnvironment>>::try_convert(object)
}

/// The Ruby object for a type.
pub(crate) fn type_to_ruby(ruby: &Ruby, of: &Type) -> magnus::Value {
    NativeType::new(of.clone()).into_value_with(ruby)
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = class::define::<NativeType>(ruby, module, "Type")?;
    class.define_singleton_method("native_parse", function!(NativeType::parse, 3))?;
    class.define_singleton_method("native_infer", function!(NativeType::infer, 2))?;
    class.define_singleton_method("native_common", function!(NativeType::common, 2))?;
    class.define_method("instance?", method!(NativeType::is_instance, 1))?;
    class.define_method("assignable?", method!(NativeType::is_assignable, 1))?;
    class.define_method("==", method!(NativeType::is_equal, 1))?;
    class.define_method("eql?", method!(NativeType::is_equal, 1))?;
    class.define_method("hash", method!(NativeType::hash, 0))?;
    class.define_method("to_s", method!(NativeType::to_s, 0))?;
    class.define_method("name", method!(NativeType::name, 0))?;
    class.define_method("kind", method!(NativeType::kind, 0))?;
    class.define_method("generalize", method!(NativeType::generalize, 0))?;
    class.define_method("normalize", method!(NativeType::normalize, 0))?;
    class.define_method("resolved", method!(NativeType::resolved, 0))?;
    class.define_method("native_new", method!(NativeType::instantiate, 2))?;
    class.define_method("describe_mismatch", method!(NativeType::describe, 2))?;
    class.define_method("native_mismatch", method!(NativeType::mismatch, 2))
}
