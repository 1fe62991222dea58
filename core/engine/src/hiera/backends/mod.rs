//! The backends that are built in: data files in YAML, JSON and HOCON, and encrypted YAML.
//!
//! Follows the reference's `functions/yaml_data.rb`, `json_data.rb`, `hocon_data.rb` and
//! `eyaml_lookup_key.rb`.

#[cfg(feature = "eyaml")]
mod eyaml;

#[cfg(feature = "eyaml")]
pub(super) use eyaml::lookup_key as eyaml_lookup_key;

/// Refuses to look up in encrypted YAML.
#[cfg(not(feature = "eyaml"))]
pub(super) fn eyaml_lookup_key(
    _: super::session::Session<'_, '_>,
    _: &std::rc::Rc<super::invocation::Invocation>,
    _: &super::session::FunctionContext,
    _: &bunraku_pcore::value::Str,
    _: &Hash,
) -> LookupResult {
    Err(Error::without_feature("eyaml").into())
}

use super::config::symbol_keys_to_strings;
use super::error::{LookupError, LookupResult, lookup_error};
use super::session::warning;
use super::yaml;
use crate::eval::{Evaluated, Evaluator, Unwind};
use crate::loader::{DataFile, DataFormat, Strictness};
use bunraku_host::HostError;
use bunraku_pcore::formats::hocon;
use bunraku_pcore::ruby::json;
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::{Error, ErrorKind};

impl DataFormat {
    /// The format that a function of the built-in ones reads.
    fn of_function(name: &str) -> Option<Self> {
        match name {
            "yaml_data" => Some(Self::Yaml),
            "json_data" => Some(Self::Json),
            "hocon_data" => Some(Self::Hocon),
            _ => None,
        }
    }

    /// The data of a file, as a `data_hash` function returns it.
    ///
    /// Errors: the options have no path (or other members, too), or the file cannot be parsed or is not a
    /// hash.
    fn read_data(self, evaluator: &Evaluator<'_>, function: &str, options: &Hash) -> LookupResult {
        let path = options.get(&Value::from("path")).and_then(Value::as_str).filter(|path| !path.is_empty());
        let Some(path) = path.filter(|_| options.len() == 1) else {
            return Err(Error::argument(format!(
                "'{function}' one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when \
                 using this data_hash function"
            ))
            .into());
        };
        // The reference keeps the data of a file by its path: a function that asks for a file that
        // another one has read gets what that one made of it.
        let format = evaluator.loaded.data_format(path).unwrap_or(self);
        let data = format.read(evaluator, path)?;
        evaluator.loaded.set_data_format(path, format);
        Ok(data)
    }

    fn read(self, evaluator: &Evaluator<'_>, path: &str) -> LookupResult {
        let environment = evaluator.environment;
        let caches = &environment.caches;
        environment.look_at_data(path, evaluator.loaded);
        let cache = match self {
            Self::Yaml => &caches.yaml_data,
            Self::Json => &caches.json_data,
            Self::Hocon => &caches.hocon_data,
        };
        let parse = |bytes: Vec<u8>| -> Result<DataFile, LookupError> {
            let Ok(text) = String::from_utf8(bytes) else {
                return Ok(Err("invalid byte sequence in UTF-8".to_owned()));
            };
            let read = match self {
                Self::Yaml => yaml::parse_with(&text, Some(path), &evaluator.usage)
                    .map(|data| symbol_keys_to_strings(&data)),
                Self::Json => json::parse(&text, &evaluator.usage),
                Self::Hocon => {
                    let variable = |name: &str| environment.host.environment_variable(name);
                    hocon::parse(&text, &variable, &evaluator.usage)
                }
            };
            match read {
                Ok(data) => Ok(Ok(data)),
                Err(error) if error.kind != ErrorKind::Argument && !error.kind.is_crash() => {
                    Err(error.into())
                }
                Err(error) if self == Self::Yaml => Ok(Err(error.message)),
                Err(error) => Ok(Err(format!("({path}): {}", error.message))),
            }
        };
        // A read that this compilation's limits have ended is repeated by the next one.
        let read = cache.try_get(path, || {
            environment.note(path);
            match evaluator.read_file(path) {
                Ok(bytes) => parse(bytes),
                Err(HostError::Ended(error)) => Err(LookupError::from(*error)),
                Err(error @ HostError::IsDirectory(_)) => Err(Error::argument(error.on_opening()).into()),
                Err(error) => Ok(Err(error.to_string())),
            }
        })?;
        match (&*read, self) {
            (Ok(data @ Value::Hash(_)), _) | (Ok(data), Self::Json | Self::Hocon) => Ok(data.clone()),
            (Ok(data), Self::Yaml) => {
                let message = format!("{path}: file does not contain a valid yaml hash");
                let is_nothing = matches!(data, Value::Undef | Value::Boolean(false));
                if environment.settings.strict == Strictness::Error && !is_nothing {
                    return Err(lookup_error(message));
                }
                evaluator.loaded.log.add_once(path, warning(message));
                Ok(Value::hash([]))
            }
            (Err(message), _) => Err(lookup_error(format!("Unable to parse {message}"))),
        }
    }
}

/// The data of a file, as the functions `yaml_data`, `json_data` and `hocon_data` return it. `None` for other
/// functions.
///
/// Errors: the options have no path (or other members, too), or the file cannot be parsed or is not a hash.
pub fn read_data(evaluator: &Evaluator<'_>, function: &str, options: &Hash) -> Option<Evaluated> {
    let format = DataFormat::of_function(function)?;
    Some(format.read_data(evaluator, function, options).map_err(Unwind::from))
}
