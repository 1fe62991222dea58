//! `Bunraku::Pcore`: values as data and as streams, and back.

use std::cell::RefCell;

use bunraku::diagnostic::{Error as CoreError, Report};
use bunraku::host::Host as _;
use bunraku::host::disk::DiskHost;
use bunraku::loader::Loaded;
use bunraku::pcore::Value;
use bunraku::pcore::convert::Surroundings;
use bunraku::pcore::fuel::BoundedFuel;
use bunraku::pcore::serialize::{
    DataOptions, StreamOptions, msgpack, read_stream, read_stream_msgpack, value_from_data, value_to_data,
    write_stream, write_stream_msgpack,
};
use bunraku::pcore::types::NoTypes;
use bunraku::wire::stringified;
use magnus::{Error, Module as _, Object as _, RArray, RModule, RString, Ruby};

use crate::convert::{data_from_ruby, json_to_ruby, to_ruby, to_shared_value, to_typed_value};
use crate::entry::function;
use crate::environment::NativeEnvironment;
use crate::types::environment_of;
use crate::{direct, failure};

/// Runs work with the types and the clock of an environment, or with those of the language and the system.
pub(crate) fn with_surroundings<T>(
    environment: Option<magnus::typed_data::Obj<NativeEnvironment>>,
    work: impl FnOnce(&Surroundings<'_>) -> T,
) -> T {
    match environment {
        Some(environment) => {
            let (environment, loaded) = (environment.inner(), Loaded::default());
            let now = || environment.host.now();
            work(&Surroundings {
                types: &environment.type_loader(&loaded),
                now: &now,
                fuel: &BoundedFuel::default(),
            })
        }
        None => {
            work(&Surroundings { types: &NoTypes, now: &|| DiskHost.now(), fuel: &BoundedFuel::default() })
        }
    }
}

fn raise(ruby: &Ruby, error: &CoreError) -> Error {
    failure::raised(ruby, error)
}

/// Converts a value to data. Returns the data and the losses. Losses are errors unless they are `told`.
fn native_to_data(
    ruby: &Ruby,
    object: magnus::Value,
    flags: (bool, bool, bool, bool),
    message_prefix: String,
    told: bool,
) -> Result<RArray, Error> {
    let losses = RefCell::new(Vec::new());
    let reporter = |report: Report| {
        losses.borrow_mut().push(report.message);
        Ok(())
    };
    let (rich_data, local_reference, type_by_reference, symbol_as_string) = flags;
    let options = DataOptions {
        rich_data,
        local_reference,
        type_by_reference,
        symbol_as_string,
        message_prefix,
        reporter: if told { Some(&reporter) } else { None },
    };
    let data = match direct::data_of(ruby, object, &options)? {
        Some(data) => data,
        None => {
            let value = to_shared_value(ruby, object)?;
            to_ruby(ruby, &value_to_data(&value, &options).map_err(|error| raise(ruby, &error))?)?
        }
    };
    let result = ruby.ary_new_capa(2);
    result.push(data)?;
    result.push(ruby.ary_from_vec(losses.take()))?;
    Ok(result)
}

fn native_from_data(
    ruby: &Ruby,
    data: magnus::Value,
    environment: magnus::Value,
    allow_unresolved: bool,
) -> Result<magnus::Value, Error> {
    with_surroundings(environment_of(environment)?, |around| {
        if let Some(object) = direct::object_of(ruby, data, around, allow_unresolved)? {
            return Ok(object);
        }
        let read = value_from_data(&data_from_ruby(ruby, data)?, around, allow_unresolved);
        to_ruby(ruby, &read.map_err(|error| raise(ruby, &error))?)
    })
}

fn dump(
    ruby: &Ruby,
    object: magnus::Value,
    format: String,
    type_by_reference: bool,
    tabulate: bool,
) -> Result<RString, Error> {
    let value = to_shared_value(ruby, object)?;
    let options = StreamOptions { type_by_reference, tabulate };
    match format.as_str() {
        "json" => write_stream(&value, options).map(|text| ruby.str_new(&text)),
        "msgpack" => write_stream_msgpack(&value, options).map(|bytes| ruby.str_from_slice(&bytes)),
        _ => return Err(unknown_format(ruby)),
    }
    .map_err(|error| raise(ruby, &error))
}

fn load(
    ruby: &Ruby,
    stream: RString,
    format: String,
    environment: magnus::Value,
) -> Result<magnus::Value, Error> {
    // SAFETY: the bytes are copied before Ruby runs again.
    let bytes = unsafe { stream.as_slice() }.to_vec();
    let environment = environment_of(environment)?;
    let read: Result<Value, CoreError> = match format.as_str() {
        "json" => {
            let Ok(text) = String::from_utf8(bytes) else {
                return Err(Error::new(ruby.exception_arg_error(), "the stream is not valid UTF-8"));
            };
            with_surroundings(environment, |around| read_stream(&text, around))
        }
        "msgpack" => with_surroundings(environment, |around| read_stream_msgpack(&bytes, around)),
        _ => return Err(unknown_format(ruby)),
    };
    to_ruby(ruby, &read.map_err(|error| raise(ruby, &error))?)
}

fn unknown_format(ruby: &Ruby) -> Error {
    Error::new(ruby.exception_arg_error(), "format is one of :json, :msgpack")
}

/// Data as MessagePack.
fn encode(ruby: &Ruby, data: magnus::Value) -> Result<RString, Error> {
    let bytes = msgpack::encode(&data_from_ruby(ruby, data)?).map_err(|error| raise(ruby, &error))?;
    Ok(ruby.str_from_slice(&bytes))
}

/// Decodes MessagePack.
fn decode(ruby: &Ruby, bytes: RString) -> Result<magnus::Value, Error> {
    // SAFETY: the bytes are copied before Ruby runs again.
    let bytes = unsafe { bytes.as_slice() }.to_vec();
    json_to_ruby(ruby, &msgpack::decode(&bytes).map_err(|error| raise(ruby, &error))?)
}

/// A value as PuppetDB receives it.
fn stringify(ruby: &Ruby, object: magnus::Value) -> Result<magnus::Value, Error> {
    to_ruby(ruby, &stringified::to_data(&to_typed_value(ruby, object)?))
}

/// Defines the module.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let _ = ruby;
    let pcore = module.define_module("Pcore")?;
    pcore.define_singleton_method("native_to_data", function!(native_to_data, 4))?;
    pcore.define_singleton_method("native_from_data", function!(native_from_data, 3))?;
    pcore.define_singleton_method("native_dump", function!(dump, 4))?;
    pcore.define_singleton_method("native_load", function!(load, 3))?;
    pcore.define_singleton_method("to_msgpack", function!(encode, 1))?;
    pcore.define_singleton_method("from_msgpack", function!(decode, 1))?;
    pcore.define_singleton_method("stringify", function!(stringify, 1))
}
