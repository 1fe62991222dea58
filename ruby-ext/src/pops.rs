//! What `bunraku/pops` needs beyond `Bunraku::Type` and `Bunraku::Pcore`: types taken apart and put together
//! by their attributes, names that a Ruby object resolves, and values in the classes of a bridge (in
//! `lib/bunraku/pops/bridge.rb`), which has the methods of a registry.

use std::cell::RefCell;

use bunraku::diagnostic::{Error as CoreError, ErrorKind};
use bunraku::host::Host as _;
use bunraku::host::disk::DiskHost;
use bunraku::parse;

use bunraku::pcore::Value;
use bunraku::pcore::convert::{Surroundings, new_instance};
use bunraku::pcore::fuel::BoundedFuel;
use bunraku::pcore::serialize::{read_stream, read_stream_msgpack, value_from_data};
use bunraku::pcore::types::access::{Refusal, access_type};
use bunraku::pcore::types::{Type, TypeKind, TypeLoader, define as definitions};
use bunraku::syntax::ast::Node;
use magnus::{Error, IntoValue as _, Module as _, Object as _, RArray, RHash, RModule, RString, Ruby};
use magnus::{TryConvert as _, prelude::*};

use crate::convert::{Classes, data_from_ruby};
use crate::entry::{function, method};
use crate::failure;
use crate::types::NativeType;
use crate::value::NativeValue;

/// A Ruby object with `load_type(name)`, which returns a `Bunraku::Type` or nil; nil knows no types.
struct RubyLoader {
    object: magnus::Value,
    /// What the object raised: the failure of the core has no room for it.
    raised: RefCell<Option<Error>>,
}

impl TypeLoader for RubyLoader {
    fn load_type(&self, name: &str) -> Result<Option<Type>, CoreError> {
        if self.object.is_nil() {
            return Ok(None);
        }
        let found: Result<magnus::Value, Error> = self.object.funcall("load_type", (name,));
        let found = found.and_then(|found| {
            if found.is_nil() { Ok(None) } else { <&NativeType>::try_convert(found).map(Some) }
        });
        found.map(|of| of.map(|of| of.inner().clone())).map_err(|error| {
            self.raised.borrow_mut().get_or_insert(error);
            CoreError::plain("the loader failed")
        })
    }
}

/// Runs work with the types of a loader, and raises its error.
fn with_loader<T>(
    ruby: &Ruby,
    object: magnus::Value,
    work: impl FnOnce(&RubyLoader) -> Result<T, CoreError>,
) -> Result<T, Error> {
    let loader = RubyLoader { object, raised: RefCell::new(None) };
    let made = work(&loader);
    let raised = loader.raised.take();
    made.map_err(|error| raised.unwrap_or_else(|| raise(ruby, &error)))
}

/// The exception for an error: that of Ruby for wrong arguments.
fn raise(ruby: &Ruby, error: &CoreError) -> Error {
    match error.kind {
        ErrorKind::Argument => Error::new(ruby.exception_arg_error(), error.message.clone()),
        _ => failure::raised(ruby, error),
    }
}

/// As [`with_loader`], with the clock of the system.
fn with_surroundings<T>(
    ruby: &Ruby,
    object: magnus::Value,
    work: impl FnOnce(&Surroundings<'_>) -> Result<T, CoreError>,
) -> Result<T, Error> {
    with_loader(ruby, object, |types| {
        work(&Surroundings { types, now: &|| DiskHost.now(), fuel: &BoundedFuel::default() })
    })
}

fn values(ruby: &Ruby, objects: RArray, classes: Classes) -> Result<Vec<Value>, Error> {
    objects.into_iter().map(|object| classes.to_shared(ruby, object)).collect()
}

/// The attributes of a type by name.
fn attributes(ruby: &Ruby, own: &NativeType, bridge: magnus::Value) -> Result<RHash, Error> {
    let classes = Classes::of(bridge, false);
    let hash = ruby.hash_new();
    let all = own.inner().attribute_values().map_err(|error| raise(ruby, &error))?;
    for (name, value) in all {
        hash.aset(name.as_str(), classes.to_ruby(ruby, &value)?)?;
    }
    Ok(hash)
}

/// The type of a kind from the values of its attributes.
fn of_attributes(
    ruby: &Ruby,
    kind: String,
    given: RArray,
    bridge: magnus::Value,
) -> Result<NativeType, Error> {
    let given = values(ruby, given, Classes::of(bridge, false))?;
    Type::of_attributes(&kind, &given).map(NativeType::new).map_err(|error| raise(ruby, &error))
}

/// The type with keys in brackets.
fn access(
    ruby: &Ruby,
    own: &NativeType,
    keys: RArray,
    loader: magnus::Value,
    bridge: magnus::Value,
) -> Result<magnus::Value, Error> {
    let classes = Classes::of(bridge, false);
    let keys = values(ruby, keys, classes)?;
    let made = with_loader(ruby, loader, |loader| {
        access_type(own.inner(), &keys, loader).map_err(|refusal| match refusal {
            Refusal::Report(_, report) => CoreError::plain(report.message),
            Refusal::Error(error) => error,
        })
    })?;
    classes.to_ruby(ruby, &made)
}

/// Parses a type with the names that a loader resolves.
fn parse_type(ruby: &Ruby, text: String, loader: magnus::Value) -> Result<NativeType, Error> {
    with_loader(ruby, loader, |loader| Type::parse(&text, loader)).map(NativeType::new)
}

/// Parses a literal with the types that a loader resolves.
fn parse_literal(
    ruby: &Ruby,
    text: String,
    loader: magnus::Value,
    bridge: magnus::Value,
) -> Result<magnus::Value, Error> {
    let value = with_loader(ruby, loader, |loader| Type::parse_literal(&text, loader))?;
    Classes::of(bridge, false).to_ruby(ruby, &value)
}

/// Types that are known while they are resolved.
struct Including<'l> {
    own: &'l [(String, Type)],
    others: &'l RubyLoader,
}

impl TypeLoader for Including<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, CoreError> {
        match self.own.iter().find(|(own, _)| own == name) {
            Some((_, of)) => Ok(Some(of.clone())),
            None => self.others.load_type(name),
        }
    }
}

/// Defines a type by a name and the text of an expression, as `type Name = expression` does. It can refer to
/// itself.
fn define_type(ruby: &Ruby, name: String, text: String, loader: magnus::Value) -> Result<NativeType, Error> {
    with_loader(ruby, loader, |others| {
        let program = parse(format!("type {name} = {text}"), None)?;
        let defined = program.definitions().iter().map(|&definition| program.node(definition));
        let mut expressions = defined.filter_map(|definition| match *definition {
            Node::TypeAlias { type_expr, .. } => type_expr,
            _ => None,
        });
        let Some(node) = expressions.next() else { return Err(CoreError::argument("a type is missing")) };
        let of = definitions::create(&name, &program, node);
        let own = [(name.to_lowercase(), of.clone())];
        definitions::resolve(&of, &program, node, &Including { own: &own, others })?;
        Ok(NativeType::new(of))
    })
}

/// Makes a value, as the language's `new` does.
fn instantiate(
    ruby: &Ruby,
    own: &NativeType,
    given: RArray,
    loader: magnus::Value,
    bridge: magnus::Value,
) -> Result<magnus::Value, Error> {
    let classes = Classes::of(bridge, false);
    let given = values(ruby, given, classes)?;
    let made = with_surroundings(ruby, loader, |around| new_instance(own.inner(), &given, around))?;
    classes.to_ruby(ruby, &made)
}

/// The type of what iteration yields, or nil.
fn iterable_type(ruby: &Ruby, own: &NativeType) -> magnus::Value {
    match own.inner().iterable_type() {
        Some(of) => NativeType::new(of).into_value_with(ruby),
        None => ruby.qnil().as_value(),
    }
}

fn is_iterable(own: &NativeType) -> bool {
    own.inner().is_iterable()
}

fn is_callable(own: &NativeType, optional: bool) -> bool {
    own.inner().is_kind_of_callable(optional)
}

/// Whether the Callable takes arguments and a block of a type, or none.
fn is_callable_with(
    ruby: &Ruby,
    own: &NativeType,
    arguments: &NativeValue,
    block: Option<&NativeType>,
) -> Result<bool, Error> {
    let taken = own.inner().check_callable_with(arguments.value(), block.map(NativeType::inner));
    taken.map_err(|error| raise(ruby, &error))
}

/// The members of an Object type by name, own and inherited: the name of the type that declares each, its
/// type, its kind (`Function` for a function), an array with the value if there is one, and whether it is
/// final and overrides another one.
fn members(ruby: &Ruby, own: &NativeType, bridge: magnus::Value) -> Result<RHash, Error> {
    let classes = Classes::of(bridge, false);
    let hash = ruby.hash_new();
    let TypeKind::Object(object) = own.inner().kind() else { return Ok(hash) };
    for (name, (owner, attribute)) in object.attributes() {
        let value = ruby.ary_new();
        if let Some(given) = &attribute.value {
            value.push(classes.to_ruby(ruby, given)?)?;
        }
        let of = classes.to_ruby(ruby, &Value::Type(attribute.attribute_type.clone()))?;
        let flags = (attribute.is_final, attribute.is_override);
        let row = (owner.name.as_str(), of, format!("{:?}", attribute.kind), value, flags.0, flags.1);
        hash.aset(name.as_str(), row)?;
    }
    for (name, (owner, function)) in object.functions() {
        let of = classes.to_ruby(ruby, &Value::Type(function.function_type.clone()))?;
        let row =
            (owner.name.as_str(), of, "Function", ruby.ary_new(), function.is_final, function.is_override);
        hash.aset(name.as_str(), row)?;
    }
    Ok(hash)
}

/// Of an Object type: the names of the attributes that decide about equality, or nil, and whether its
/// type does, too.
fn equality(ruby: &Ruby, own: &NativeType) -> Result<RArray, Error> {
    let list = ruby.ary_new();
    if let TypeKind::Object(object) = own.inner().kind() {
        let definition = object.definition();
        let names = definition.equality.as_ref();
        list.push(names.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>()))?;
        list.push(definition.equality_include_type)?;
    }
    Ok(list)
}

/// Of an Object type: the type of the hashes that make its instances; of others nil.
fn init_hash_type(ruby: &Ruby, own: &NativeType) -> Result<Option<NativeType>, Error> {
    let TypeKind::Object(object) = own.inner().kind() else { return Ok(None) };
    object.init_hash_type().map(|of| Some(NativeType::new(of))).map_err(|error| raise(ruby, &error))
}

/// A type or object as it is written to a stream: the name of its type, the type itself or nil, and the
/// attributes; nil for other values.
fn described(ruby: &Ruby, own: &NativeValue, bridge: magnus::Value) -> Result<magnus::Value, Error> {
    let classes = Classes::of(bridge, false);
    let described = own.value().described().map_err(|error| raise(ruby, &error))?;
    let Some(described) = described else { return Ok(ruby.qnil().as_value()) };
    let list = ruby.ary_new_capa(described.attributes.len());
    for (_, attribute) in described.attributes {
        list.push(classes.to_ruby(ruby, &attribute)?)?;
    }
    let of = described.object_type.map(|of| classes.to_ruby(ruby, &Value::Type(of))).transpose()?;
    Ok((described.type_name.as_str(), of, list).into_value_with(ruby))
}

/// Makes an instance of an Object type from the attributes of a stream.
fn create(
    ruby: &Ruby,
    own: &NativeType,
    given: RArray,
    bridge: magnus::Value,
) -> Result<magnus::Value, Error> {
    let classes = Classes::of(bridge, false);
    let given = values(ruby, given, classes)?;
    let made = match own.inner().kind() {
        TypeKind::Object(object) => object.create(&given),
        _ => Err(CoreError::plain(format!("{} has no instances in a stream", own.inner()))),
    };
    classes.to_ruby(ruby, &made.map_err(|error| raise(ruby, &error))?)
}

/// A time or duration in a format of `strftime`.
fn strftime(
    ruby: &Ruby,
    own: &NativeValue,
    format: String,
    timezone: Option<String>,
) -> Result<String, Error> {
    let written = match own.value() {
        Value::Timespan(length) => length.format(&format),
        Value::Timestamp(moment) => moment.format(&format, timezone.as_deref()),
        _ => Err(CoreError::argument("a Timespan or Timestamp is expected")),
    };
    written.map_err(|error| raise(ruby, &error))
}

/// The value of an object in the classes of a bridge.
fn meant(ruby: &Ruby, object: magnus::Value, bridge: magnus::Value) -> Result<NativeValue, Error> {
    Classes::of(bridge, false).to_shared(ruby, object).map(NativeValue::new)
}

/// The object of a bridge for a value.
fn written(ruby: &Ruby, own: &NativeValue, bridge: magnus::Value) -> Result<magnus::Value, Error> {
    Classes::of(bridge, false).to_ruby(ruby, own.value())
}

/// The value of rich data.
fn from_data(
    ruby: &Ruby,
    data: magnus::Value,
    loader: magnus::Value,
    allow_unresolved: bool,
    bridge: magnus::Value,
) -> Result<magnus::Value, Error> {
    let data = data_from_ruby(ruby, data)?;
    let value = with_surroundings(ruby, loader, |around| value_from_data(&data, around, allow_unresolved))?;
    Classes::of(bridge, false).to_ruby(ruby, &value)
}

/// The value of a stream.
fn load(
    ruby: &Ruby,
    stream: RString,
    format: String,
    loader: magnus::Value,
    bridge: magnus::Value,
) -> Result<magnus::Value, Error> {
    // SAFETY: the bytes are copied before Ruby runs again.
    let bytes = unsafe { stream.as_slice() }.to_vec();
    let value = with_surroundings(ruby, loader, |around| match format.as_str() {
        "msgpack" => read_stream_msgpack(&bytes, around),
        _ => read_stream(&String::from_utf8_lossy(&bytes), around),
    })?;
    Classes::of(bridge, false).to_ruby(ruby, &value)
}

/// Defines the methods, which are private.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let _ = ruby;
    let of: magnus::RClass = module.const_get("Type")?;
    of.define_singleton_method("native_of_attributes", function!(of_attributes, 3))?;
    of.define_singleton_method("native_parse_type", function!(parse_type, 2))?;
    of.define_singleton_method("native_parse_literal", function!(parse_literal, 3))?;
    of.define_singleton_method("native_define", function!(define_type, 3))?;
    of.define_method("native_attributes", method!(attributes, 1))?;
    of.define_method("native_members", method!(members, 1))?;
    of.define_method("native_equality", method!(equality, 0))?;
    of.define_method("native_init_hash_type", method!(init_hash_type, 0))?;
    of.define_method("native_create", method!(create, 2))?;
    of.define_method("native_access", method!(access, 3))?;
    of.define_method("native_instantiate", method!(instantiate, 3))?;
    of.define_method("native_iterable_type", method!(iterable_type, 0))?;
    of.define_method("native_iterable?", method!(is_iterable, 0))?;
    of.define_method("native_callable?", method!(is_callable, 1))?;
    of.define_method("native_callable_with?", method!(is_callable_with, 2))?;
    let value: magnus::RClass = module.const_get("Value")?;
    value.define_singleton_method("native_meant", function!(meant, 2))?;
    value.define_method("native_strftime", method!(strftime, 2))?;
    value.define_method("native_described", method!(described, 1))?;
    value.define_method("native_written", method!(written, 1))?;
    let pcore: RModule = module.const_get("Pcore")?;
    pcore.define_singleton_method("native_read_data", function!(from_data, 4))?;
    pcore.define_singleton_method("native_read_stream", function!(load, 4))
}
