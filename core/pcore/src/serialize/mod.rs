//! Values written as data and read back: generic data (JSON objects with `__ptype`) and the tabulating stream
//! of Pcore, each in JSON and in MessagePack. Follows `pops/serialization`.

mod from_data;
mod identity;
mod json_path;
pub mod msgpack;
mod packer;
mod secrets;
mod stream_reader;
mod stream_writer;
mod to_data;

pub use from_data::{DataReader, from_data, from_data_text, from_data_with, value_from_data};
pub use secrets::{redacted, without_secrets};
pub use stream_reader::{read_stream, read_stream_msgpack};
pub use stream_writer::{StreamOptions, write_stream, write_stream_msgpack};
pub use to_data::{DataOptions, to_data, to_data_text, value_to_data};

use smallvec::SmallVec;

use crate::data::value::{Hash, Value};

/// The key of the type of a value.
pub const TYPE_KEY: &str = "__ptype";
/// The key of the value itself, if it does not consist of attributes.
pub const VALUE_KEY: &str = "__pvalue";
/// The type of a reference to a value elsewhere in the same data.
pub const LOCAL_REFERENCE: &str = "LocalRef";

/// The maximum nesting of values.
const MAX_DEPTH: usize = 400;

/// The elements of a list, with those replaced for which `change` returns a value; `None` if it returns none.
/// Unchanged elements are only copied after they were visited, so that each has a single holder until then.
fn changed_elements<'v, E>(
    values: &'v [Value],
    mut change: impl FnMut(usize, &'v Value) -> Result<Option<Value>, E>,
) -> Result<Option<Vec<Value>>, E> {
    let mut made: Option<Vec<Value>> = None;
    for (index, value) in values.iter().enumerate() {
        match (change(index, value)?, &mut made) {
            (Some(changed), Some(made)) => made.push(changed),
            (None, Some(made)) => made.push(value.clone()),
            (Some(changed), none) => {
                let mut elements = Vec::with_capacity(values.len());
                elements.extend(values.iter().take(index).cloned());
                elements.push(changed);
                *none = Some(elements);
            }
            (None, None) => {}
        }
    }
    Ok(made)
}

/// As [`changed_elements`], for the values of a hash.
fn changed_members<'v, E>(
    hash: &'v Hash,
    mut change: impl FnMut(&'v Value, &'v Value) -> Result<Option<Value>, E>,
) -> Result<Option<Hash>, E> {
    let mut changes: SmallVec<[(usize, Value); 4]> = SmallVec::new();
    for (index, (key, value)) in hash.iter().enumerate() {
        if let Some(changed) = change(key, value)? {
            changes.push((index, changed));
        }
    }
    if changes.is_empty() {
        return Ok(None);
    }
    let mut made = hash.clone();
    for (index, changed) in changes {
        if let Some((_, place)) = made.get_index_mut(index) {
            *place = changed;
        }
    }
    Ok(Some(made))
}

fn too_deep() -> bunraku_syntax::diagnostic::Error {
    bunraku_syntax::diagnostic::Error::limit("the value is nested too deeply")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::Surroundings;
    use crate::data::value::Timestamp;
    use crate::types::{NoTypes, Type};

    #[test]
    fn text_of_data_is_exact() {
        let text = r#"[36893488147419103232,{"a":-1267650600228229401496703205377},18446744073709551615]"#;
        let around =
            Surroundings { types: &NoTypes, now: &Timestamp::default, fuel: &crate::data::fuel::Unmetered };
        let value = from_data_text(text, &around, false).unwrap();
        assert_eq!(to_data_text(&value, &DataOptions::rich()).unwrap(), text);
        assert!(from_data_text("[1", &around, false).is_err());
    }

    #[test]
    fn types_that_stand_for_equals_are_written_each_time() {
        let parts = (0..200).map(|number| Value::array([(number % 3).into(), "a".into()]));
        let of = Value::Type(Type::infer_set(&Value::array(parts)));
        let options = DataOptions { local_reference: true, ..DataOptions::rich() };
        let data = to_data(&of, &options).unwrap();
        assert!(!data.to_string().contains(LOCAL_REFERENCE));
        assert_eq!(from_data(&data).unwrap(), of);
        let around =
            Surroundings { types: &NoTypes, now: &Timestamp::default, fuel: &crate::data::fuel::Unmetered };
        let stream = write_stream(&of, StreamOptions::default()).unwrap();
        assert_eq!(read_stream(&stream, &around).unwrap(), of);
    }
}
