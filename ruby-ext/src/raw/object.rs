//! Plain objects of classes that are written in Ruby.

use magnus::Ruby;
use magnus::rb_sys::{AsRawValue as _, FromRawValue as _};
use rb_sys::VALUE;

/// Names of instance variables.
pub(crate) struct Variables(Vec<rb_sys::ID>);

impl Variables {
    /// These names, with their `@`.
    pub(crate) fn new(_: &Ruby, names: &[&str]) -> Self {
        // SAFETY: Ruby runs, because a handle to it exists, and copies the name.
        let id = |name: &&str| unsafe {
            rb_sys::rb_intern2(name.as_ptr().cast(), name.len().try_into().unwrap_or(0))
        };
        Self(names.iter().map(id).collect())
    }
}

/// A plain object of a class that is written in Ruby, not frozen.
#[derive(Clone, Copy)]
pub(crate) struct Object(VALUE);

impl Object {
    /// A new object whose constructor is not called. The class has Ruby's own allocator.
    pub(crate) fn new(_: &Ruby, class: magnus::RClass) -> Self {
        // SAFETY: the class is alive, and Ruby runs.
        Self(unsafe { rb_sys::rb_obj_alloc(class.as_raw()) })
    }

    /// A value, if it is an object of exactly this class.
    pub(crate) fn of(class: magnus::RClass, value: magnus::Value) -> Option<Self> {
        let is_object = magnus::RObject::from_value(value).is_some();
        // SAFETY: the value is an object that is alive.
        (is_object && unsafe { rb_sys::rb_obj_class(value.as_raw()) } == class.as_raw())
            .then_some(Self(value.as_raw()))
    }

    /// Sets a variable of an object that was created here.
    pub(crate) fn set(self, variables: &Variables, at: usize, value: magnus::Value) {
        if let Some(id) = variables.0.get(at) {
            // SAFETY: the object and the value are alive, and the object is not frozen.
            unsafe { rb_sys::rb_ivar_set(self.0, *id, value.as_raw()) };
        }
    }

    /// A variable; nil if it is not set.
    pub(crate) fn get(self, variables: &Variables, at: usize) -> magnus::Value {
        let id = variables.0.get(at).copied().unwrap_or_default();
        // SAFETY: the object is alive; what its variables refer to is alive, too.
        unsafe { magnus::Value::from_raw(rb_sys::rb_attr_get(self.0, id)) }
    }

    pub(crate) fn value(self) -> magnus::Value {
        // SAFETY: the object is on the stack, or in an Array that is.
        unsafe { magnus::Value::from_raw(self.0) }
    }

    /// Whether a value is this object.
    pub(crate) fn is(self, value: magnus::Value) -> bool {
        self.0 == value.as_raw()
    }
}
