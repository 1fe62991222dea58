//! Data: `lookup`, the `hiera` functions that it has replaced, and the functions that read data files for
//! Hiera.

use super::warn_once;
use crate::eval::context::LookupRequest;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::loader::Strictness;
use bunraku_pcore::Value;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Hash, Str};
use bunraku_syntax::diagnostic::Error;

/// The signatures of the `hiera` functions.
macro_rules! hiera {
    ($name:literal) => {
        BuiltIn::new(
            $name,
            &[
                Dispatch::new("Tuple[String, Any, Any, 1, 3] $args", hiera_splat),
                Dispatch::new("String $key", hiera_without_default),
                Dispatch::new("String $key, Any $default, Any? $override", hiera_with_default),
                Dispatch::new("String $key, Callable[1,1] &default_block", hiera_without_default),
                Dispatch::new(
                    "String $key, Any $override, Callable[1,1] &default_block",
                    hiera_with_override,
                ),
            ],
        )
        .calling()
        .only_in_4x()
    };
}

/// The signatures of a function that reads a data file.
macro_rules! data_hash {
    ($name:literal) => {
        BuiltIn::new(
            $name,
            &[Dispatch::new("Struct[{path=>String[1]}] $options, Puppet::LookupContext $context", read_data)],
        )
        .with_mismatches(&[Dispatch::new("Hash $options, Puppet::LookupContext $context", missing_path)])
    };
}

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "lookup",
        &[
            Dispatch::new("NameType $name, ValueType? $value_type, MergeType? $merge", lookup),
            Dispatch::new(
                "NameType $name, Optional[ValueType] $value_type, Optional[MergeType] $merge, DefaultValueType $default_value",
                lookup_with_default,
            ),
            Dispatch::new("NameType $name, ValueType? $value_type, MergeType? $merge, BlockType &block", lookup),
            Dispatch::new("OptionsWithName $options_hash, BlockType? &block", lookup_by_options),
            Dispatch::new(
                "Variant[String,Array[String]] $name, OptionsWithoutName $options_hash, BlockType? &block",
                lookup_with_options,
            ),
        ],
    ).only_in_4x().calling()
    .with_local_types(&[
        "NameType = Variant[String, Array[String]]",
        "ValueType = Type",
        "DefaultValueType = Any",
        "MergeType = Variant[String[1], Hash[String, Scalar]]",
        "BlockType = Callable[NameType]",
        "OptionsWithName = Struct[{ name => NameType, value_type => Optional[ValueType], \
         default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], \
         default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType] }]",
        "OptionsWithoutName = Struct[{ value_type => Optional[ValueType], \
         default_value => Optional[DefaultValueType], override => Optional[Hash[String,Any]], \
         default_values_hash => Optional[Hash[String,Any]], merge => Optional[MergeType] }]",
    ]),
    hiera!("hiera"),
    hiera!("hiera_array"),
    hiera!("hiera_hash"),
    hiera!("hiera_include"),
    data_hash!("yaml_data"),
    data_hash!("json_data"),
    data_hash!("hocon_data"),
    BuiltIn::new(
        "eyaml_lookup_key",
        &[Dispatch::new(
            "String[1] $key, Hash[String[1],Any] $options, Puppet::LookupContext $context",
            eyaml_lookup_key,
        )],
    ),
];

/// Keys as `lookup` takes them: one, or an array of them.
fn names(value: &Value) -> Vec<Str> {
    match value {
        Value::String(name) => vec![name.clone()],
        Value::Array(names) => names.iter().filter_map(|name| name.as_str().map(Str::from)).collect(),
        _ => Vec::new(),
    }
}

fn type_of(value: Option<&Value>) -> Option<Type> {
    match value {
        Some(Value::Type(of)) => Some(of.clone()),
        _ => None,
    }
}

fn merge_of(value: Option<&Value>) -> Option<Value> {
    value.filter(|merge| !merge.is_undef()).cloned()
}

fn find(call: &Call<'_, '_>, request: &LookupRequest) -> Evaluated {
    let found = call.evaluator.context.lookup(call.evaluator, call.scope, request, call.block)?;
    found.ok_or_else(|| request.not_found().into())
}

fn lookup(call: &Call<'_, '_>) -> Evaluated {
    find(
        call,
        &LookupRequest {
            names: names(call.argument(0)),
            value_type: type_of(call.arguments.get(1)),
            merge: merge_of(call.arguments.get(2)),
            ..LookupRequest::default()
        },
    )
}

fn lookup_with_default(call: &Call<'_, '_>) -> Evaluated {
    find(
        call,
        &LookupRequest {
            names: names(call.argument(0)),
            value_type: type_of(call.arguments.get(1)),
            merge: merge_of(call.arguments.get(2)),
            default: Some(call.argument(3).clone()),
            ..LookupRequest::default()
        },
    )
}

fn lookup_by_options(call: &Call<'_, '_>) -> Evaluated {
    let Value::Hash(options) = call.argument(0) else { return Ok(Value::Undef) };
    let names = options.get(&Value::from("name")).map(names).unwrap_or_default();
    find(call, &request(names, options))
}

fn lookup_with_options(call: &Call<'_, '_>) -> Evaluated {
    let Value::Hash(options) = call.argument(1) else { return Ok(Value::Undef) };
    find(call, &request(names(call.argument(0)), options))
}

fn request(names: Vec<Str>, options: &Hash) -> LookupRequest {
    let option = |name: &str| options.get(&Value::from(name));
    LookupRequest {
        names,
        value_type: type_of(option("value_type")),
        merge: merge_of(option("merge")),
        default: option("default_value").cloned(),
        override_values: merge_of(option("override")),
        default_values: merge_of(option("default_values_hash")),
        ..LookupRequest::default()
    }
}

/// The reference calls a method here that does not exist.
fn hiera_splat(_: &Call<'_, '_>) -> Evaluated {
    Err(Error::internal("hiera(): arguments in an Array are not understood").into())
}

fn hiera_without_default(call: &Call<'_, '_>) -> Evaluated {
    hiera(call, call.argument(0), None, None)
}

fn hiera_with_default(call: &Call<'_, '_>) -> Evaluated {
    hiera(call, call.argument(0), Some(call.argument(1).clone()), call.arguments.get(2).cloned())
}

fn hiera_with_override(call: &Call<'_, '_>) -> Evaluated {
    hiera(call, call.argument(0), None, Some(call.argument(1).clone()))
}

fn hiera(call: &Call<'_, '_>, key: &Value, default: Option<Value>, overrides: Option<Value>) -> Evaluated {
    if call.evaluator.environment.settings.strict != Strictness::Off {
        let name = call.name;
        let message = format!(
            "The function '{name}' is deprecated in favor of using 'lookup'. See https://puppet.com/docs/puppet/8.28/deprecated_language.html"
        );
        warn_once(call, name, &message);
    }
    let merge = match call.name {
        "hiera_array" | "hiera_include" => "unique",
        "hiera_hash" => "hash",
        _ => "first",
    };
    let request = LookupRequest {
        names: names(key),
        merge: Some(merge.into()),
        default,
        location_overrides: overrides.filter(|overrides| !overrides.is_undef()),
        is_hiera_call: true,
        ..LookupRequest::default()
    };
    let found = find(call, &request)?;
    if call.name != "hiera_include" {
        return Ok(found);
    }
    match &found {
        Value::Undef => {
            let message = format!("Could not find data item {}", key.as_str().unwrap_or(""));
            Err(Error::plain(message).into())
        }
        Value::Array(names) if names.is_empty() => Ok(Value::Undef),
        Value::Hash(hash) if hash.is_empty() => Ok(Value::Undef),
        Value::String(name) if name.is_empty() => Ok(Value::Undef),
        Value::Array(_) | Value::Hash(_) | Value::String(_) => {
            call.call_function("include", std::slice::from_ref(&found), None)
        }
        other => {
            let class = super::ruby::class_name(other);
            Err(Error::internal(format!(
                "hiera_include(): names of classes are a String or an Array, not of the class {class}"
            ))
            .into())
        }
    }
}

fn missing_path(_: &Call<'_, '_>) -> Evaluated {
    Ok("one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this data_hash function".into())
}

/// Hiera reads its data files itself; called by hand, these functions have no lookup to work for.
fn read_data(call: &Call<'_, '_>) -> Evaluated {
    let Value::Hash(options) = call.argument(0) else { return Ok(Value::Undef) };
    crate::hiera::read_data(call.evaluator, call.name, options).unwrap_or(Ok(Value::Undef))
}

fn eyaml_lookup_key(call: &Call<'_, '_>) -> Evaluated {
    read_data(call)
}
