//! Digging: what the segments of a key find in a value.
//!
//! Follows the reference's `pops/lookup/sub_lookup.rb`.

use super::error::{LookupError, LookupResult, lookup_error};
use super::explain::Part;
use super::invocation::Invocation;
use super::key::{LookupKey, Segment};
use super::text;
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::Error;

impl LookupKey {
    /// The value that the segments select.
    pub fn dig(&self, invocation: &Invocation, value: Value) -> LookupResult {
        if self.segments.is_empty() {
            return Ok(value);
        }
        sub_lookup(&self.text, invocation, &self.segments, value)
    }
}

/// The value that segments select. Errors: an intermediate value is not a collection.
pub(super) fn sub_lookup(
    key: &str,
    invocation: &Invocation,
    segments: &[Segment],
    value: Value,
) -> LookupResult {
    let _dug = invocation.observe(|| {
        let names: Vec<String> = segments.iter().map(Segment::to_string).collect();
        Part::SubLookup(names.join("."))
    });
    let mut value = value;
    for segment in segments {
        let _step = invocation.observe(|| Part::Segment);
        match step(key, segment, &value)? {
            Some(found) => value = invocation.report_found(segment, found),
            None => {
                invocation.report_not_found(segment);
                return Err(LookupError::NoSuchKey);
            }
        }
    }
    Ok(value)
}

/// One step into a value; `None` if nothing is there.
fn step(key: &str, segment: &Segment, value: &Value) -> Result<Option<Value>, LookupError> {
    match (value, segment) {
        (Value::Undef, _) => Ok(None),
        (Value::Array(list), Segment::Number(index)) => {
            Ok(usize::try_from(*index).ok().and_then(|index| list.get(index)).cloned())
        }
        (Value::Hash(hash), segment) => Ok(find_in(hash, segment).cloned()),
        (Value::Integer(_), segment) => {
            let message = format!("An Integer has no '{segment}' in it");
            Err(Error::internal(message).into())
        }
        (value, segment) => Err(lookup_error(format!(
            "Data Provider type mismatch: Got {} when a hash-like object was expected to access value using '{segment}' \
             from key '{key}'",
            text::ruby_class(value)
        ))),
    }
}

fn find_in<'h>(hash: &'h Hash, segment: &Segment) -> Option<&'h Value> {
    hash.get(&segment.value())
}
