//! Values written as data and read back: generic data (JSON objects with `__ptype`) and the tabulating stream of Pcore,
//! each in JSON and in MessagePack. Follows `pops/serialization`.

mod from_data;
mod identity;
mod json_path;
pub mod msgpack;
mod packer;
mod stream_reader;
mod stream_writer;
mod to_data;
pub(in crate::pcore) mod type_attributes;

pub use from_data::{DataReader, from_data, from_data_text, from_data_with, value_from_data};
pub use stream_reader::{read_stream, read_stream_msgpack};
pub use stream_writer::{StreamOptions, write_stream, write_stream_msgpack};
pub use to_data::{DataOptions, to_data, to_data_text, value_to_data};

/// The key of the type of a value.
pub const TYPE_KEY: &str = "__ptype";
/// The key of the value itself, where it is not made of attributes.
pub const VALUE_KEY: &str = "__pvalue";
/// The type of a value that stands elsewhere in the same data.
pub const LOCAL_REFERENCE: &str = "LocalRef";

/// How deep values may be nested.
const DEPTH: usize = 400;

fn too_deep() -> crate::diagnostic::Error {
    crate::diagnostic::Error::limit("the value is nested too deeply")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcore::convert::Surroundings;
    use crate::pcore::types::NoTypes;
    use crate::pcore::value::Timestamp;

    #[test]
    fn text_of_data_is_exact() {
        let text = r#"[36893488147419103232,{"a":-1267650600228229401496703205377},18446744073709551615]"#;
        let around = Surroundings { types: &NoTypes, now: &Timestamp::default };
        let value = from_data_text(text, &around, false).unwrap();
        assert_eq!(to_data_text(&value, &DataOptions::rich()).unwrap(), text);
        assert!(from_data_text("[1", &around, false).is_err());
    }
}
