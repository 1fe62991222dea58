//! Classes of the gem whose objects are Rust values.

use magnus::{Class as _, Error, Module as _, RClass, RModule, Ruby, TypedData};

/// Defines the class of the objects that wrap a `T`. They are made by Rust alone.
///
/// magnus looks the class up when the first object is wrapped, behind a lock that is no lock of Ruby's: that
/// thread may have to give the GVL away meanwhile, and another one would wait for the lock with the GVL in
/// its hands. So it is looked up here.
pub(crate) fn define<T: TypedData>(ruby: &Ruby, module: RModule, name: &str) -> Result<RClass, Error> {
    let class = module.define_class(name, ruby.class_object())?;
    class.undef_default_alloc_func();
    T::class(ruby);
    Ok(class)
}
