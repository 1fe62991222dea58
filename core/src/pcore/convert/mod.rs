//! Conversions: `Type.new`, and values as text.

pub mod string;
pub mod string_format;
