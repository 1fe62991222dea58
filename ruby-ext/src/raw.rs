//! Reads and creates Ruby objects directly through Ruby's C interface: a small module for operations that
//! would otherwise be a protected call for each element of large data.
//!
//! This is sound because:
//! * [`Raw`] is only made from an object that its creator holds, with the GVL, and lives on the stack, which
//!   Ruby's collector scans. The elements of a collection are held by the collection. A `Raw` is never stored
//!   in the heap.
//! * The functions that are called here only raise out-of-memory errors: types are checked before, arrays and
//!   hashes that are written to were created here and are not frozen, and keys of hashes are plain Strings,
//!   whose `hash` and `eql?` Ruby does not dispatch. Calls that may run Ruby code go through magnus, which
//!   protects them.
//! * Text is only borrowed within a closure that cannot call Ruby.
//! * A walk over a hash stops at the first error or panic, which continues after Ruby's frames.

#[cfg(feature = "lint")]
mod object;

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use magnus::rb_sys::{AsRawValue as _, FromRawValue as _};
use magnus::{Ruby, prelude::*};
use rb_sys::macros::{FIX2LONG, FIXNUM_P, LONG2FIX, RARRAY_CONST_PTR, RARRAY_LEN, RSTRING_LEN, RSTRING_PTR};
use rb_sys::{VALUE, ruby_value_type};

#[cfg(feature = "lint")]
pub(crate) use object::{Object, Variables};

/// A Ruby object.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'r> {
    value: VALUE,
    ruby: &'r Ruby,
}

/// The kind of a Ruby object.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Nil,
    Boolean(bool),
    /// An Integer of 64 bits.
    Integer(i64),
    Float(f64),
    /// A String in UTF-8 or US-ASCII, which need not be valid.
    Text,
    /// An Array with this number of elements.
    Array(usize),
    /// A Hash with this number of pairs.
    Hash(usize),
    /// Anything else.
    Other,
}

impl<'r> Raw<'r> {
    pub(crate) fn new(ruby: &'r Ruby, object: magnus::Value) -> Self {
        Self { value: object.as_raw(), ruby }
    }

    fn of(self, value: VALUE) -> Self {
        Self { value, ruby: self.ruby }
    }

    pub(crate) fn ruby(self) -> &'r Ruby {
        self.ruby
    }

    /// The object as a magnus value.
    pub(crate) fn object(self) -> magnus::Value {
        // SAFETY: a `Raw` is an object that is alive.
        unsafe { magnus::Value::from_raw(self.value) }
    }

    /// The identity of the object.
    pub(crate) fn address(self) -> usize {
        self.value as usize
    }

    pub(crate) fn kind(self) -> Kind {
        if rb_sys::macros::NIL_P(self.value) {
            return Kind::Nil;
        }
        if FIXNUM_P(self.value) {
            // SAFETY: the value is a Fixnum.
            return Kind::Integer(unsafe { FIX2LONG(self.value) });
        }
        // SAFETY: the object is alive, and the fields that are read exist for its type.
        unsafe {
            match rb_sys::macros::RB_TYPE(self.value) {
                ruby_value_type::RUBY_T_TRUE => Kind::Boolean(true),
                ruby_value_type::RUBY_T_FALSE => Kind::Boolean(false),
                ruby_value_type::RUBY_T_FLOAT => Kind::Float(rb_sys::rb_float_value(self.value)),
                ruby_value_type::RUBY_T_STRING => {
                    let encoding = rb_sys::rb_enc_get_index(self.value);
                    if encoding == rb_sys::rb_utf8_encindex() || encoding == rb_sys::rb_usascii_encindex() {
                        Kind::Text
                    } else {
                        Kind::Other
                    }
                }
                ruby_value_type::RUBY_T_ARRAY => {
                    Kind::Array(usize::try_from(RARRAY_LEN(self.value)).unwrap_or(0))
                }
                ruby_value_type::RUBY_T_HASH => Kind::Hash(rb_sys::rb_hash_size_num(self.value) as usize),
                _ => Kind::Other,
            }
        }
    }

    /// Whether the object is a String of exactly the class String.
    pub(crate) fn is_plain_string(self) -> bool {
        magnus::RString::from_value(self.object())
            .is_some_and(|text| text.class().as_raw() == self.ruby.class_string().as_raw())
    }

    /// Reads the text of a String of [`Kind::Text`]; `None` if it is not valid.
    pub(crate) fn with_text<T>(self, look: impl FnOnce(Option<&str>) -> T) -> T {
        // SAFETY: the object is alive and a String; `look` cannot run Ruby, which could change it.
        let bytes = unsafe {
            let length = usize::try_from(RSTRING_LEN(self.value)).unwrap_or(0);
            std::slice::from_raw_parts(RSTRING_PTR(self.value).cast::<u8>(), length)
        };
        look(std::str::from_utf8(bytes).ok())
    }

    /// An element of an Array.
    pub(crate) fn element(self, index: usize) -> Option<Self> {
        // SAFETY: the object is alive and an Array; the index is within its current length.
        let value = unsafe {
            let length = usize::try_from(RARRAY_LEN(self.value)).unwrap_or(0);
            if index >= length {
                return None;
            }
            *RARRAY_CONST_PTR(self.value).add(index)
        };
        Some(self.of(value))
    }

    /// Visits the pairs of a Hash while `step` returns true.
    pub(crate) fn each_pair(self, mut step: impl FnMut(Self, Self) -> bool) {
        struct Walk<'w, 'r> {
            ruby: &'r Ruby,
            step: &'w mut dyn FnMut(Raw<'r>, Raw<'r>) -> bool,
            panic: Option<Box<dyn std::any::Any + Send>>,
        }
        unsafe extern "C" fn pair(key: VALUE, value: VALUE, walk: VALUE) -> c_int {
            // SAFETY: the address is that of the walk below, which nothing else uses meanwhile.
            let walk = unsafe { &mut *(walk as *mut Walk<'_, '_>) };
            let (key, value) = (Raw { value: key, ruby: walk.ruby }, Raw { value, ruby: walk.ruby });
            match catch_unwind(AssertUnwindSafe(|| (walk.step)(key, value))) {
                Ok(true) => rb_sys::st_retval::ST_CONTINUE as c_int,
                Ok(false) => rb_sys::st_retval::ST_STOP as c_int,
                Err(panic) => {
                    walk.panic = Some(panic);
                    rb_sys::st_retval::ST_STOP as c_int
                }
            }
        }
        let mut walk = Walk { ruby: self.ruby, step: &mut step, panic: None };
        // SAFETY: the object is alive and a Hash; the walk outlives the call.
        unsafe { rb_sys::rb_hash_foreach(self.value, Some(pair), &raw mut walk as VALUE) };
        if let Some(panic) = walk.panic {
            resume_unwind(panic);
        }
    }
}

/// A new Array.
#[derive(Clone, Copy)]
pub(crate) struct NewArray(VALUE);

impl NewArray {
    /// An Array with this capacity.
    pub(crate) fn new(_: &Ruby, capacity: usize) -> Self {
        // SAFETY: Ruby runs, because a handle to it exists.
        Self(unsafe { rb_sys::rb_ary_new_capa(capacity.try_into().unwrap_or(0)) })
    }

    pub(crate) fn push(self, element: magnus::Value) {
        // SAFETY: the Array was created here and is not frozen.
        unsafe { rb_sys::rb_ary_push(self.0, element.as_raw()) };
    }

    pub(crate) fn object(self) -> magnus::Value {
        // SAFETY: the Array is on the stack.
        unsafe { magnus::Value::from_raw(self.0) }
    }
}

/// A new Hash.
#[derive(Clone, Copy)]
pub(crate) struct NewHash(VALUE);

impl NewHash {
    pub(crate) fn new(_: &Ruby) -> Self {
        // SAFETY: Ruby runs, because a handle to it exists.
        Self(unsafe { rb_sys::rb_hash_new() })
    }

    /// Adds a pair whose key is a name.
    pub(crate) fn insert_name(self, name: &str, value: magnus::Value) {
        // SAFETY: the Hash was created here and is not frozen; Ruby copies the name, or already has it.
        unsafe {
            rb_sys::rb_hash_aset(self.0, frozen(name), value.as_raw());
        }
    }

    /// Adds a pair whose key is a plain String, see [`Raw::is_plain_string`].
    pub(crate) fn insert_text(self, key: Raw<'_>, value: magnus::Value) {
        // SAFETY: the Hash was created here and is not frozen; the hash and equality of plain Strings are
        // Ruby's own.
        unsafe { rb_sys::rb_hash_aset(self.0, key.value, value.as_raw()) };
    }

    /// Adds a pair with any key.
    ///
    /// # Errors
    /// The key's `hash` or `eql?` raises.
    pub(crate) fn insert(self, key: magnus::Value, value: magnus::Value) -> Result<(), magnus::Error> {
        match magnus::RHash::from_value(self.object()) {
            Some(hash) => hash.aset(key, value),
            None => Ok(()),
        }
    }

    pub(crate) fn object(self) -> magnus::Value {
        // SAFETY: the Hash is on the stack.
        unsafe { magnus::Value::from_raw(self.0) }
    }
}

/// A Time in UTC.
pub(crate) fn utc_time(_: &Ruby, seconds: i64, nanoseconds: u32) -> magnus::Value {
    let moment = rb_sys::timespec { tv_sec: seconds, tv_nsec: nanoseconds.into() };
    // SAFETY: Ruby runs, because a handle to it exists; this offset means UTC.
    unsafe { magnus::Value::from_raw(rb_sys::rb_time_timespec_new(&raw const moment, c_int::MAX - 1)) }
}

/// A String in UTF-8.
pub(crate) fn text(_: &Ruby, text: &str) -> magnus::Value {
    // SAFETY: Ruby runs, because a handle to it exists, and copies the text.
    unsafe {
        magnus::Value::from_raw(rb_sys::rb_utf8_str_new(
            text.as_ptr().cast(),
            text.len().try_into().unwrap_or(0),
        ))
    }
}

/// A frozen String in UTF-8, which is the same object for the same text.
pub(crate) fn interned(_: &Ruby, text: &str) -> magnus::Value {
    // SAFETY: Ruby runs, because a handle to it exists, and the String is on the stack.
    unsafe { magnus::Value::from_raw(frozen(text)) }
}

/// Ruby's own copy of a text; Ruby must run.
unsafe fn frozen(text: &str) -> VALUE {
    let length = text.len().try_into().unwrap_or(0);
    // SAFETY: Ruby copies the text, or already has it.
    unsafe { rb_sys::rb_enc_interned_str(text.as_ptr().cast(), length, rb_sys::rb_utf8_encoding()) }
}

/// The names of the instance variables of a class of Puppet's model: its hash, its place, and then others.
pub(crate) struct Attributes {
    place: [rb_sys::ID; 4],
    others: Vec<rb_sys::ID>,
}

impl Attributes {
    /// The variables for these attributes.
    pub(crate) fn new(_: &Ruby, names: &[String]) -> Self {
        let id = |name: &str| {
            let name = format!("@{name}");
            // SAFETY: Ruby runs, because a handle to it exists, and copies the name.
            unsafe { rb_sys::rb_intern2(name.as_ptr().cast(), name.len().try_into().unwrap_or(0)) }
        };
        let place = ["hash", "locator", "offset", "length"].map(id);
        Self { place, others: names.iter().map(|name| id(name)).collect() }
    }
}

/// An object that stores its place and its attributes, and the combined hashes of all attributes in `@hash`.
/// `class` is a class of plain objects whose attributes were created here or have Ruby's own hashes.
pub(crate) fn new_object(
    class: magnus::RClass,
    attributes: &Attributes,
    hash: i64,
    locator: magnus::Value,
    (offset, length): (u32, u32),
    values: &[magnus::Value],
) -> magnus::Value {
    let [hash_id, locator_id, offset_id, length_id] = attributes.place;
    // SAFETY: the class and the values are alive, and the object is on the stack while its variables are set;
    // it is not frozen, and the hash of each attribute is a Fixnum.
    unsafe {
        let object = rb_sys::rb_obj_alloc(class.as_raw());
        let mixed =
            values.iter().fold(hash, |mixed, value| mixed ^ FIX2LONG(rb_sys::rb_hash(value.as_raw())));
        rb_sys::rb_ivar_set(object, hash_id, LONG2FIX(mixed));
        rb_sys::rb_ivar_set(object, locator_id, locator.as_raw());
        rb_sys::rb_ivar_set(object, offset_id, LONG2FIX(offset.into()));
        rb_sys::rb_ivar_set(object, length_id, LONG2FIX(length.into()));
        for (id, value) in attributes.others.iter().zip(values) {
            rb_sys::rb_ivar_set(object, *id, value.as_raw());
        }
        magnus::Value::from_raw(object)
    }
}
