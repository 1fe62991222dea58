//! Classes of the gem whose objects are Rust values.

use magnus::{Class as _, Error, Module as _, RClass, RModule, Ruby, TypedData};

/// Defines the class of the objects that wrap a `T`. Only Rust creates them.
///
/// magnus would look the class up when it wraps the first object, behind a lock that is not one of Ruby's.
/// That thread could release the GVL meanwhile, and another one would wait for the lock while it holds the
/// GVL. So the class is looked up here.
pub(crate) fn define<T: TypedData>(ruby: &Ruby, module: RModule, name: &str) -> Result<RClass, Error> {
    let class = module.define_class(name, ruby.class_object())?;
    class.undef_default_alloc_func();
    T::class(ruby);
    Ok(class)
}
