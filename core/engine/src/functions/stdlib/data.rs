//! Data as text and back: `parsejson`, `parseyaml`, `to_json`, `to_json_pretty`, `to_yaml`, `to_python`,
//! `to_ruby`, `to_toml`, and files of data: `loadjson`, `loadyaml`.

use super::{function, ruby, rvalue};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_host::HostError;
use bunraku_pcore::Value;
use bunraku_pcore::format::inspect;
use bunraku_pcore::formats::{hocon, toml};
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::ruby::json::{self, Layout};
use bunraku_pcore::ruby::psych;
use bunraku_pcore::value::Hash;
use bunraku_syntax::diagnostic::{Error, LogLevel};

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    rvalue!("loadjson", -2, |call, arguments| load(call, arguments, json::parse)),
    rvalue!("loadyaml", -2, |call, arguments| load(call, arguments, read_yaml)),
    rvalue!("parsejson", |call, arguments| parse(call, arguments, json::parse)),
    function("parsehocon", &[Dispatch::new("String $hocon_string, Any? $default", parsehocon)]),
    function("parsepson", &[Dispatch::new("String[1] $pson_string, Any? $default", parsepson)]),
    rvalue!("parseyaml", |call, arguments| parse(call, arguments, read_yaml)),
    function("to_json", &[Dispatch::new("Any $data", to_json)]),
    function(
        "to_json_pretty",
        &[Dispatch::new(
            "Variant[Hash, Array] $data, Optional[Boolean]? $skip_undef, Struct[{indent => Optional[String], space => Optional[String], space_before => Optional[String], object_nl => Optional[String], array_nl => Optional[String], allow_nan => Optional[Boolean], max_nesting => Optional[Integer[-1,default]]}]? $opts",
            to_json_pretty,
        )],
    ),
    function(
        "to_python",
        &[Dispatch::new("Any $object", |call| Ok(literal(call.argument(0), &PYTHON).into()))],
    ),
    function("to_ruby", &[Dispatch::new("Any $object", |call| Ok(literal(call.argument(0), &RUBY).into()))]),
    function("to_toml", &[Dispatch::new("Hash $data >> String", to_toml)]),
    function("to_yaml", &[Dispatch::new("Any $data, Hash? $options", to_yaml)]),
];

fn to_toml(call: &Call<'_, '_>) -> Evaluated {
    match call.argument(0) {
        Value::Hash(hash) => Ok(toml::to_text(hash, call.fuel())?.into()),
        _ => Ok("".into()),
    }
}

/// Reads data from a text.
type Read = fn(&str, &dyn Fuel) -> Result<Value, Error>;

fn read_yaml(text: &str, fuel: &dyn Fuel) -> Result<Value, Error> {
    crate::hiera::yaml::parse_with(text, None, fuel)
}

/// Reads a text; a second argument is the answer when it cannot be read or is nothing.
fn parse(call: &Call<'_, '_>, arguments: &[Value], read: Read) -> Evaluated {
    let Some(text) = arguments.first() else {
        let message = "Wrong number of arguments. 1 or 2 arguments should be provided.";
        return Err(Error::argument(message).into());
    };
    let read = match text {
        Value::String(text) => read(text, call.fuel()),
        other => Err(super::legacy::no_string(other)),
    };
    or_default(read, arguments.get(1))
}

fn or_default(read: Result<Value, Error>, default: Option<&Value>) -> Evaluated {
    match (read, default) {
        (Ok(value), Some(default)) if !value.is_truthy() => Ok(default.clone()),
        (Ok(value), _) => Ok(if value.is_truthy() { value } else { Value::Undef }),
        (Err(error), Some(default)) if default.is_truthy() && !error.kind.is_limit() => Ok(default.clone()),
        (Err(error), _) => Err(error.into()),
    }
}

fn parsehocon(call: &Call<'_, '_>) -> Evaluated {
    let host = &*call.evaluator.environment.host;
    let parsed = hocon::parse(call.text(0), &|name| host.environment_variable(name), call.fuel());
    match (parsed, call.arguments.get(1)) {
        (Ok(value), _) => Ok(value),
        (Err(error), _) if error.kind.is_limit() => Err(error.into()),
        (Err(_), Some(default)) => Ok(default.clone()),
        (Err(error), None) => Err(error.into()),
    }
}

fn parsepson(call: &Call<'_, '_>) -> Evaluated {
    match (json::parse(call.argument(0).as_str().unwrap_or(""), call.fuel()), call.arguments.get(1)) {
        (Ok(value), _) => Ok(value),
        (Err(error), Some(default)) if !error.kind.is_limit() => Ok(default.clone()),
        (Err(error), _) => Err(error.into()),
    }
}

/// Reads a file of data; a second argument is the answer when that fails.
fn load(call: &Call<'_, '_>, arguments: &[Value], read: Read) -> Evaluated {
    let default = arguments.get(1);
    let Some(Value::String(path)) = arguments.first() else {
        let other = arguments.first().unwrap_or(&Value::Undef);
        return or_default(Err(super::legacy::no_string(other)), default);
    };
    match call.evaluator.read_file(path) {
        Ok(bytes) => {
            let text =
                String::from_utf8(bytes).map_err(|_| Error::internal("invalid byte sequence in UTF-8"));
            or_default(text.and_then(|text| read(&text, call.fuel())), default)
        }
        Err(HostError::Ended(error)) => Err((*error).into()),
        Err(_) => {
            call.log(LogLevel::Warning, format!("Can't load '{path}' File does not exist!"))?;
            Ok(default.cloned().unwrap_or_default())
        }
    }
}

fn to_json(call: &Call<'_, '_>) -> Evaluated {
    Ok(json::generate(call.argument(0), &Layout::compact())?.into())
}

fn to_json_pretty(call: &Call<'_, '_>) -> Evaluated {
    let mut layout = Layout::pretty();
    if let Value::Hash(options) = call.argument(2) {
        for (key, value) in options.iter() {
            let text = || value.as_str().unwrap_or("").to_owned();
            match key.as_str().unwrap_or("") {
                "indent" => layout.indent = text(),
                "space" => layout.space = text(),
                "space_before" => layout.space_before = text(),
                "object_nl" => layout.object_nl = text(),
                "array_nl" => layout.array_nl = text(),
                "allow_nan" => layout.allow_nan = value.is_truthy(),
                "max_nesting" => {
                    layout.max_nesting = match value {
                        Value::Integer(depth) => usize::try_from(*depth).unwrap_or(0),
                        _ => 0,
                    };
                }
                _ => {}
            }
        }
    }
    let data = match call.argument(0) {
        data if !call.argument(1).is_truthy() => data.clone(),
        Value::Array(values) => Value::array(values.iter().filter(|value| !value.is_undef()).cloned()),
        Value::Hash(hash) => {
            let kept = hash.iter().filter(|(_, value)| !value.is_undef());
            Value::hash(kept.map(|(key, value)| (key.clone(), value.clone())))
        }
        other => other.clone(),
    };
    Ok((json::generate(&data, &layout)? + "\n").into())
}

/// How literals of a language are written.
struct Literals {
    yes: &'static str,
    no: &'static str,
    nothing: &'static str,
    arrow: &'static str,
}

const PYTHON: Literals = Literals { yes: "True", no: "False", nothing: "None", arrow: ": " };
const RUBY: Literals = Literals { yes: "true", no: "false", nothing: "nil", arrow: " => " };

fn literal(value: &Value, language: &Literals) -> String {
    match value {
        Value::Boolean(true) => language.yes.to_owned(),
        Value::Boolean(false) => language.no.to_owned(),
        Value::Undef => language.nothing.to_owned(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| literal(value, language)).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Hash(hash) => {
            let pair = |(key, value): (&Value, &Value)| {
                format!("{}{}{}", literal(key, language), language.arrow, literal(value, language))
            };
            format!("{{{}}}", hash.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        Value::Integer(_) | Value::Float(_) | Value::String(_) => inspect(value).to_string(),
        other => inspect(&Value::from(ruby::to_s(other))).to_string(),
    }
}

fn to_yaml(call: &Call<'_, '_>) -> Evaluated {
    let options = match call.argument(1) {
        Value::Hash(options) => (**options).clone(),
        _ => Hash::default(),
    };
    let number = |name: &str| match options.get(&Value::from(name)) {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    };
    let layout = psych::Layout { indentation: number("indentation"), line_width: number("line_width") };
    Ok(psych::generate(call.argument(0), &layout).into())
}
