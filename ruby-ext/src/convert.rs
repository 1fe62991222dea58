//! Values of the language as Ruby objects, and back.
//!
//! `undef` is `nil`, `default` is `:default`; Boolean, Integer, Float, String, Array and Hash are Ruby's own.
//! A Regexp is a Regexp, a Timestamp a Time, a Binary a String of bytes, a type a `Bunraku::Type`. A value
//! without a class in Ruby is a `Bunraku::Value`.

use std::cell::RefCell;
use std::sync::Arc;

use bunraku::pcore::Value;
use bunraku::pcore::number::parse_whole;
use bunraku::pcore::value::{Hash, RuntimeValue, Timestamp, UriValue};
use magnus::encoding::EncodingCapable as _;
use magnus::r_regexp::Opts;
use magnus::value::Opaque;
use magnus::{IntoValue as _, RArray, RHash, RString, Ruby, TryConvert, gc, prelude::*};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::raw::{self, Kind, NewArray, NewHash, Raw};
use crate::runtime;
use crate::types::{NativeType, type_to_ruby};
use crate::value::{NativeValue, native};

/// The maximum nesting of a Ruby object.
pub(crate) const MAX_DEPTH: usize = 500;

/// The meaning of Symbols and Strings of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbols {
    /// Symbols are text, and bytes are text if they are valid: for facts and parameters.
    Texts,
    /// Symbols are values of Ruby's runtime, and bytes are text if they are valid: for results of functions.
    Kept,
    /// Symbols are values of Ruby's runtime, and bytes are Binary: for Pcore.
    Values,
}

/// The Ruby form of values: the gem's own classes, or those of a registry for functions of modules.
#[derive(Clone, Copy)]
pub(crate) struct Classes {
    registry: Option<Opaque<magnus::Value>>,
    /// Whether references to resources have the form of the 3.x API.
    is_legacy: bool,
}

impl Classes {
    /// The gem's own classes.
    pub(crate) const OWN: Self = Self { registry: None, is_legacy: false };

    /// The classes of a registry, for a function of one API.
    pub(crate) fn of(registry: magnus::Value, is_legacy: bool) -> Self {
        Self { registry: Some(registry.into()), is_legacy }
    }

    /// As [`of`](Self::of), for an opaque registry.
    pub(crate) fn of_opaque(registry: Opaque<magnus::Value>, is_legacy: bool) -> Self {
        Self { registry: Some(registry), is_legacy }
    }

    /// The registry of the classes.
    pub(crate) fn registry(self, ruby: &Ruby) -> Option<magnus::Value> {
        self.registry.map(|registry| ruby.get_inner(registry))
    }

    /// Marks the objects in use for the garbage collector.
    pub(crate) fn mark(self, marker: &gc::Marker) {
        if let Some(registry) = self.registry {
            marker.mark(registry);
        }
    }

    /// The Ruby object for a value.
    pub(crate) fn to_ruby(self, ruby: &Ruby, value: &Value) -> Result<magnus::Value, magnus::Error> {
        write(ruby, self.registry.map(|registry| (ruby.get_inner(registry), self.is_legacy)), value)
    }

    /// The value of a Ruby object. The Symbols `:undef` and `:default` are those values; a Set is an Array;
    /// an object with neither a counterpart nor members raises a TypeError. Other Symbols are text, and so
    /// are Strings of bytes if they are valid.
    pub(crate) fn to_value(self, ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
        self.read(ruby, Symbols::Texts, object)
    }

    /// As [`to_value`](Self::to_value), for the result of a module's function: its Symbols stay Symbols.
    pub(crate) fn to_result(self, ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
        let symbols = if self.registry.is_some() { Symbols::Kept } else { Symbols::Texts };
        self.read(ruby, symbols, object)
    }

    /// As [`to_value`](Self::to_value), with Pcore's meaning of Symbols and Strings of bytes. The same Ruby
    /// object becomes the same value.
    pub(crate) fn to_shared(self, ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
        let registry = self.registry.map(|registry| ruby.get_inner(registry));
        let met = Some(RefCell::default());
        Reader { ruby, symbols: Symbols::Values, met, registry }.value(object, 0)
    }

    fn read(self, ruby: &Ruby, symbols: Symbols, object: magnus::Value) -> Result<Value, magnus::Error> {
        let registry = self.registry.map(|registry| ruby.get_inner(registry));
        Reader { ruby, symbols, met: None, registry }.value(object, 0)
    }
}

/// A whole number as Ruby's Integer.
fn whole(ruby: &Ruby, number: i128) -> Result<magnus::Value, magnus::Error> {
    match i64::try_from(number) {
        Ok(number) => Ok(number.into_value_with(ruby)),
        Err(_) => ruby.str_new(&number.to_string()).funcall("to_i", ()),
    }
}

/// The Ruby object for a value.
pub(crate) fn to_ruby(ruby: &Ruby, value: &Value) -> Result<magnus::Value, magnus::Error> {
    write(ruby, None, value)
}

/// The object of a registry's class, for a value that has one.
fn build(
    ruby: &Ruby,
    registry: magnus::Value,
    is_legacy: bool,
    value: &Value,
) -> Result<Option<magnus::Value>, magnus::Error> {
    let made = match value {
        Value::Sensitive(inner) => {
            let inner = write(ruby, Some((registry, is_legacy)), inner)?;
            registry.funcall("make_sensitive", (inner,))?
        }
        Value::Type(of) => {
            let name = if is_legacy { "make_legacy_type" } else { "make_type" };
            registry.funcall(name, (type_to_ruby(ruby, of),))?
        }
        Value::Binary(bytes) => registry.funcall("make_binary", (ruby.str_from_slice(bytes),))?,
        Value::Timestamp(moment) => {
            registry.funcall("make_timestamp", (whole(ruby, moment.seconds)?, moment.nanoseconds))?
        }
        Value::Timespan(length) => {
            registry.funcall("make_timespan", (whole(ruby, length.seconds)?, length.nanoseconds))?
        }
        Value::SemVer(_) | Value::SemVerRange(_) | Value::Uri(_) | Value::Object(_) | Value::Iterator(_) => {
            registry.funcall("make_other", (native(ruby, value), value_kind(value)))?
        }
        _ => return Ok(None),
    };
    Ok(Some(made))
}

fn value_kind(value: &Value) -> &'static str {
    match value {
        Value::SemVer(_) => "SemVer",
        Value::SemVerRange(_) => "SemVerRange",
        Value::Uri(_) => "URI",
        Value::Iterator(_) => "Iterator",
        Value::Object(object) if object.object_type.name == "Puppet::LookupContext" => "LookupContext",
        _ => "Object",
    }
}

fn write(
    ruby: &Ruby,
    registry: Option<(magnus::Value, bool)>,
    value: &Value,
) -> Result<magnus::Value, magnus::Error> {
    if let Some((registry, is_legacy)) = registry
        && let Some(made) = build(ruby, registry, is_legacy, value)?
    {
        return Ok(made);
    }
    Ok(match value {
        Value::Undef => ruby.qnil().as_value(),
        Value::Default => ruby.to_symbol("default").as_value(),
        Value::Boolean(truth) => truth.into_value_with(ruby),
        Value::Integer(number) => number.into_value_with(ruby),
        Value::BigInteger(number) => ruby.str_new(&number.to_string()).funcall("to_i", ())?,
        Value::Float(number) => number.into_value_with(ruby),
        Value::String(text) => raw::text(ruby, text),
        Value::ByteString(bytes) => ruby.str_from_slice(bytes.bytes()).as_value(),
        Value::Array(values) => {
            let array = NewArray::new(ruby, values.len());
            for value in values.iter() {
                array.push(write(ruby, registry, value)?);
            }
            array.object()
        }
        Value::Hash(members) => {
            let hash = NewHash::new(ruby);
            for (key, value) in members.iter() {
                let value = write(ruby, registry, value)?;
                match key {
                    Value::String(name) => hash.insert_name(name, value),
                    other => hash.insert(write(ruby, registry, other)?, value)?,
                }
            }
            hash.object()
        }
        Value::Regexp(regexp) => ruby.reg_new(&regexp.source, Opts::new())?.as_value(),
        Value::Timestamp(moment) => match i64::try_from(moment.seconds) {
            Ok(seconds) => raw::utc_time(ruby, seconds, moment.nanoseconds),
            Err(_) => {
                let time = raw::utc_time(ruby, 0, moment.nanoseconds);
                time.funcall("+", (whole(ruby, moment.seconds)?,))?
            }
        },
        Value::Binary(bytes) => ruby.str_from_slice(bytes).as_value(),
        Value::Type(of) => type_to_ruby(ruby, of),
        Value::Runtime(symbol) if symbol.is_symbol() => ruby.to_symbol(&*symbol.text).as_value(),
        other => native(ruby, other),
    })
}

/// As [`Classes::to_value`], with Pcore's meaning of Symbols and Strings of bytes.
pub(crate) fn to_typed_value(ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
    Reader { ruby, symbols: Symbols::Values, met: None, registry: None }.value(object, 0)
}

/// As [`to_typed_value`]; the same Ruby object becomes the same value.
pub(crate) fn to_shared_value(ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
    Reader { ruby, symbols: Symbols::Values, met: Some(RefCell::default()), registry: None }.value(object, 0)
}

pub(crate) fn too_deep(ruby: &Ruby) -> magnus::Error {
    magnus::Error::new(ruby.exception_arg_error(), "the value is nested too deep")
}

struct Reader<'r> {
    ruby: &'r Ruby,
    symbols: Symbols,
    /// The values of the collections and other objects seen so far, if identity matters. The outermost object
    /// keeps all others alive.
    met: Option<RefCell<FxHashMap<usize, Value>>>,
    /// The registry whose classes are also converted.
    registry: Option<magnus::Value>,
}

impl Reader<'_> {
    fn value(&self, object: magnus::Value, depth: usize) -> Result<Value, magnus::Error> {
        let ruby = self.ruby;
        if depth > MAX_DEPTH {
            return Err(too_deep(ruby));
        }
        let raw = Raw::new(ruby, object);
        match raw.kind() {
            Kind::Nil => return Ok(Value::Undef),
            Kind::Boolean(truth) => return Ok(Value::Boolean(truth)),
            Kind::Integer(number) => return Ok(Value::Integer(number)),
            Kind::Float(number) => return Ok(Value::Float(number)),
            Kind::Text if self.registry.is_none() || raw.is_plain_string() => {
                if let Some(text) = raw.with_text(|text| text.map(Value::from)) {
                    return Ok(text);
                }
            }
            Kind::Text | Kind::Array(_) | Kind::Hash(_) | Kind::Other => {}
        }
        if let Some(text) = RString::from_value(object) {
            return self.string(text);
        }
        if let Some(number) = magnus::Integer::from_value(object) {
            return self.integer(number);
        }
        if let Some(met) = &self.met {
            if let Some(known) = met.borrow().get(&raw.address()) {
                return Ok(known.clone());
            }
            let value = self.compound(object, depth)?;
            met.borrow_mut().insert(raw.address(), value.clone());
            return Ok(value);
        }
        self.compound(object, depth)
    }

    /// A whole number of any size.
    fn integer(&self, number: magnus::Integer) -> Result<Value, magnus::Error> {
        if let Ok(number) = number.to_i64() {
            return Ok(Value::Integer(number));
        }
        let text: String = number.funcall("to_s", ())?;
        parse_whole(&text, 10)
            .map_err(|_| magnus::Error::new(self.ruby.exception_range_error(), "the number is too large"))
    }

    /// The timestamp of a Time.
    fn time(&self, time: magnus::Time) -> Result<Value, magnus::Error> {
        let moment = time.timespec()?;
        let nanoseconds = u32::try_from(moment.tv_nsec).unwrap_or(0);
        Ok(Value::from(Timestamp { seconds: i128::from(moment.tv_sec), nanoseconds }))
    }

    /// Converts an object other than text and numbers.
    fn compound(&self, object: magnus::Value, depth: usize) -> Result<Value, magnus::Error> {
        if self.registry.is_some() && self.symbols == Symbols::Values && self.is_derived(object) {
            return self.other(object, depth);
        }
        if let Some(array) = RArray::from_value(object) {
            return self.array(array, depth);
        }
        if let Some(hash) = RHash::from_value(object) {
            return self.hash(hash, depth).map(Value::from);
        }
        if let Some(symbol) = magnus::Symbol::from_value(object) {
            return Ok(self.symbol(&symbol.name()?));
        }
        if let Some(regexp) = magnus::RRegexp::from_value(object) {
            // Options are part of the pattern, in Ruby's notation.
            let options: i64 = regexp.funcall("options", ())?;
            let source: String = regexp.funcall(if options & 7 == 0 { "source" } else { "to_s" }, ())?;
            return Ok(Value::regexp(source));
        }
        if self.registry.is_none()
            && let Some(time) = magnus::Time::from_value(object)
        {
            return self.time(time);
        }
        if let Ok(native) = <&NativeValue>::try_convert(object) {
            return Ok(native.value().clone());
        }
        if let Ok(of) = <&NativeType>::try_convert(object) {
            return Ok(Value::Type(of.inner().clone()));
        }
        self.other(object, depth)
    }

    fn other(&self, object: magnus::Value, depth: usize) -> Result<Value, magnus::Error> {
        let ruby = self.ruby;
        if let Some(registry) = self.registry {
            // Nil, or the value of the object; a hidden value is in an array.
            let meant: magnus::Value = registry.funcall("meaning_of", (object,))?;
            if let Some(hidden) = RArray::from_value(meant) {
                let inner = self.value(hidden.entry(0)?, depth + 1)?;
                return Ok(Value::sensitive(inner));
            }
            if let Some(bytes) = RString::from_value(meant) {
                return self.string(bytes);
            }
            if !meant.is_nil() {
                return self.value(meant, depth + 1);
            }
        }
        if self.registry.is_some() && self.symbols == Symbols::Values && self.is_derived(object) {
            return runtime::value_of(object);
        }
        if let Some(time) = magnus::Time::from_value(object) {
            return self.time(time);
        }
        if self.is_a(object, "Set")? {
            let array: RArray = object.funcall("to_a", ())?;
            return self.array(array, depth + 1);
        }
        if self.is_a(object, "URI::Generic")? {
            let text: String = object.funcall("to_s", ())?;
            return Ok(Value::Uri(Arc::new(UriValue { text: text.into() })));
        }
        if object.respond_to("to_hash", false)? {
            let hash: RHash = object.funcall("to_hash", ())?;
            return self.hash(hash, depth + 1).map(Value::from);
        }
        if self.symbols != Symbols::Values
            && object.respond_to("to_h", false)?
            && object.respond_to("each_pair", false)?
        {
            let hash: RHash = object.funcall("to_h", ())?;
            return self.hash(hash, depth + 1).map(Value::from);
        }
        if object.respond_to("to_ary", false)? {
            let array: RArray = object.funcall("to_ary", ())?;
            return self.array(array, depth + 1);
        }
        if self.symbols == Symbols::Values {
            return runtime::value_of(object);
        }
        // A class or module is known by its name, as it may have members that are none of its value.
        let class = object.class().inspect();
        Err(magnus::Error::new(
            ruby.exception_type_error(),
            format!("a {class} has no counterpart in the Puppet language"),
        ))
    }

    /// Whether an object is of a subclass of Array or Hash.
    fn is_derived(&self, object: magnus::Value) -> bool {
        let ruby = self.ruby;
        let base = if RArray::from_value(object).is_some() {
            ruby.class_array()
        } else if RHash::from_value(object).is_some() {
            ruby.class_hash()
        } else {
            return false;
        };
        !object.class().eql(base).unwrap_or(true)
    }

    /// Whether an object is an instance of a class, which may not be loaded.
    fn is_a(&self, object: magnus::Value, class: &str) -> Result<bool, magnus::Error> {
        let mut module = self.ruby.class_object().as_value();
        for name in class.split("::") {
            let is_defined: bool = module.funcall("const_defined?", (name,))?;
            if !is_defined {
                return Ok(false);
            }
            module = module.funcall("const_get", (name,))?;
        }
        object.funcall("is_a?", (module,))
    }

    fn symbol(&self, name: &str) -> Value {
        match name {
            "undef" => Value::Undef,
            "default" => Value::Default,
            other if self.symbols == Symbols::Texts => Value::from(other),
            other => Value::Runtime(Arc::new(RuntimeValue::symbol(other))),
        }
    }

    fn string(&self, text: RString) -> Result<Value, magnus::Error> {
        let encoding = text.enc_get();
        let is_binary = encoding == self.ruby.ascii8bit_encindex();
        let is_utf8 = encoding == self.ruby.utf8_encindex() || encoding == self.ruby.usascii_encindex();
        if let Some(registry) = self.registry
            && (!(is_binary || is_utf8) || !Raw::new(self.ruby, text.as_value()).is_plain_string())
        {
            registry.funcall::<_, _, magnus::Value>("assert_same", (text,))?;
        }
        let text = if is_binary || is_utf8 { text } else { text.conv_enc(self.ruby.utf8_encoding())? };
        // SAFETY: the bytes are copied before Ruby runs again.
        let bytes = unsafe { text.as_slice() };
        let is_value = self.symbols == Symbols::Values;
        if is_binary && self.registry.is_some() && !is_value {
            return Ok(Value::byte_string(bytes.to_vec()));
        }
        let keeps_bytes = is_binary && (is_value || !bytes.is_ascii());
        match std::str::from_utf8(bytes) {
            Ok(text) if !keeps_bytes => Ok(Value::from(text)),
            Err(_) if self.symbols == Symbols::Values && !is_binary => {
                let message = "a String is not valid in its encoding";
                Err(magnus::Error::new(self.ruby.exception_arg_error(), message))
            }
            _ => Ok(Value::Binary(Arc::new(bytes.to_vec()))),
        }
    }

    fn array(&self, array: RArray, depth: usize) -> Result<Value, magnus::Error> {
        let raw = Raw::new(self.ruby, array.as_value());
        let mut values = Vec::with_capacity(array.len());
        while let Some(element) = raw.element(values.len()) {
            values.push(self.value(element.object(), depth + 1)?);
        }
        Ok(Value::from(values))
    }

    /// The hash of a Ruby Hash, with its keys unchanged.
    fn hash(&self, hash: RHash, depth: usize) -> Result<Hash, magnus::Error> {
        let mut members = Hash::with_capacity(hash.len());
        let mut failed = None;
        Raw::new(self.ruby, hash.as_value()).each_pair(|key, value| {
            let pair = self.value(key.object(), depth + 1).and_then(|key| {
                let value = self.value(value.object(), depth + 1)?;
                members.insert(key, value);
                Ok(())
            });
            failed = pair.err();
            failed.is_none()
        });
        failed.map_or(Ok(members), Err)
    }
}

/// The hash of a Ruby Hash whose keys are names.
pub(crate) fn to_hash(ruby: &Ruby, hash: RHash) -> Result<Hash, magnus::Error> {
    Reader { ruby, symbols: Symbols::Texts, met: None, registry: None }.hash(hash, 0)
}

/// The Ruby object for JSON.
pub(crate) fn json_to_ruby(ruby: &Ruby, json: &Json) -> Result<magnus::Value, magnus::Error> {
    Ok(match json {
        Json::Null => ruby.qnil().as_value(),
        Json::Bool(truth) => truth.into_value_with(ruby),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into_value_with(ruby),
            (None, Some(number)) => number.into_value_with(ruby),
            (None, None) => number.as_f64().unwrap_or(f64::NAN).into_value_with(ruby),
        },
        Json::String(text) => raw::text(ruby, text),
        Json::Array(values) => {
            let array = NewArray::new(ruby, values.len());
            for value in values {
                array.push(json_to_ruby(ruby, value)?);
            }
            array.object()
        }
        Json::Object(members) => {
            let hash = NewHash::new(ruby);
            for (key, value) in members {
                hash.insert_name(key, json_to_ruby(ruby, value)?);
            }
            hash.object()
        }
    })
}

/// The value of Ruby data: nil, true, false, numbers, Strings, Arrays, and Hashes with Strings or Symbols as
/// keys.
pub(crate) fn data_from_ruby(ruby: &Ruby, object: magnus::Value) -> Result<Value, magnus::Error> {
    data_at_depth(ruby, object, 0)
}

fn data_at_depth(ruby: &Ruby, object: magnus::Value, depth: usize) -> Result<Value, magnus::Error> {
    if depth > MAX_DEPTH {
        return Err(too_deep(ruby));
    }
    let raw = Raw::new(ruby, object);
    match raw.kind() {
        Kind::Nil => return Ok(Value::Undef),
        Kind::Boolean(truth) => return Ok(Value::Boolean(truth)),
        Kind::Integer(number) => return Ok(Value::Integer(number)),
        Kind::Float(number) if number.is_finite() => return Ok(Value::Float(number)),
        Kind::Float(_) => return Err(no_data(ruby, "a Float that is no number")),
        Kind::Text => {
            if let Some(text) = raw.with_text(|text| text.map(Value::from)) {
                return Ok(text);
            }
        }
        Kind::Array(size) => {
            let mut values = Vec::with_capacity(size);
            while let Some(element) = raw.element(values.len()) {
                values.push(data_at_depth(ruby, element.object(), depth + 1)?);
            }
            return Ok(values.into());
        }
        Kind::Hash(size) => {
            let mut members = Hash::with_capacity(size);
            let mut failed = None;
            raw.each_pair(|key, value| {
                let pair = name_from_ruby(ruby, key)
                    .and_then(|key| Ok((key, data_at_depth(ruby, value.object(), depth + 1)?)));
                match pair {
                    Ok((key, value)) => drop(members.insert(key, value)),
                    Err(error) => failed = Some(error),
                }
                failed.is_none()
            });
            return failed.map_or_else(|| Ok(members.into()), Err);
        }
        Kind::Other => {}
    }
    if let Some(text) = RString::from_value(object) {
        return text.to_string().map(Value::from);
    }
    match magnus::Integer::from_value(object) {
        Some(_) => to_typed_value(ruby, object),
        None => Err(no_data(ruby, &format!("a {}", object.class().inspect()))),
    }
}

/// The name of a key.
fn name_from_ruby(ruby: &Ruby, key: Raw<'_>) -> Result<Value, magnus::Error> {
    if matches!(key.kind(), Kind::Text)
        && let Some(name) = key.with_text(|text| text.map(Value::from))
    {
        return Ok(name);
    }
    match (RString::from_value(key.object()), magnus::Symbol::from_value(key.object())) {
        (Some(name), _) => name.to_string().map(Value::from),
        (None, Some(name)) => Ok(Value::from(&*name.name()?)),
        (None, None) => Err(no_data(ruby, "a key that is no String")),
    }
}

fn no_data(ruby: &Ruby, what: &str) -> magnus::Error {
    magnus::Error::new(ruby.exception_type_error(), format!("{what} is no data"))
}
