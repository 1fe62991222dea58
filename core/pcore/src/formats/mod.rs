//! Formats of data.

pub mod hocon;
pub mod json;
pub mod json_tokens;
pub mod keys;
#[cfg(feature = "pkcs7")]
pub mod pkcs7;
pub mod toml;
pub mod yaml;
