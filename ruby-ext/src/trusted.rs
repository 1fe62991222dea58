//! The data of a node's certificate: `Bunraku::Trusted`.

use bunraku::compiler::trusted::{MAPPING_FILE, OidNames, Trusted};
use bunraku::pcore::Value;
use magnus::{Error, Object as _, RModule, Ruby};

use crate::convert::to_ruby;
use crate::entry::function;
use crate::failure;

/// The value of `$trusted`.
fn from_certificate(
    ruby: &Ruby,
    pem: String,
    mapping: Option<String>,
    path: Option<String>,
) -> Result<magnus::Value, Error> {
    let names = match mapping {
        Some(text) => OidNames::from_mapping(&text, path.as_deref().unwrap_or(MAPPING_FILE)),
        None => Ok(OidNames::default()),
    };
    let trusted = names.and_then(|names| Trusted::from_certificate(&pem, &names));
    let trusted = trusted.map_err(|error| failure::raised(ruby, &error))?;
    to_ruby(ruby, &Value::from(trusted.to_hash()))
}

/// Defines the function.
pub(crate) fn define(module: RModule) -> Result<(), Error> {
    module.define_singleton_method("native_trusted", function!(from_certificate, 3))
}
