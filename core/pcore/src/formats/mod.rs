//! Formats of data.

pub mod json;
pub mod json_tokens;
pub mod keys;
pub mod yaml;
