//! Values in the forms of the protocol: rich data, with and without local references.

use bunraku::compiler::Compilation;
use bunraku::diagnostic::{Error, LogEntry, LogLevel, Report};
use bunraku::pcore::binary;
use bunraku::pcore::convert::Surroundings;
use bunraku::pcore::serialize::{
    DataOptions, StreamOptions, from_data, from_data_with, msgpack, read_stream, to_data, write_stream,
};
use bunraku::pcore::value::Timestamp;
use bunraku::pcore::{Hash, Value};
use bunraku::source::Location;
use serde_json::{Value as Json, json};

/// A value as rich data, types by reference, without local references.
pub fn data(value: &Value) -> Result<Json, Error> {
    to_data(value, &DataOptions::rich())
}

/// The same as an answer to a request: unless `is_strict`, losses are warnings.
pub fn by_reference(value: &Value, compilation: &Compilation<'_>, is_strict: bool) -> Result<Json, Error> {
    let warn = |report: Report| warn(compilation, report);
    let reporter: Option<&dyn Fn(Report) -> Result<(), Error>> = if is_strict { None } else { Some(&warn) };
    to_data(value, &DataOptions { reporter, ..DataOptions::rich() })
}

/// Logs a loss.
fn warn(compilation: &Compilation<'_>, report: Report) -> Result<(), Error> {
    compilation.loaded().log.entries.borrow_mut().push(LogEntry {
        level: LogLevel::Warning,
        message: report.message,
        source: "Puppet".into(),
        location: Location::default(),
        issue: Some(report.issue),
        once: None,
    });
    Ok(())
}

/// The parameters of a template.
pub fn parameters(json: &Json) -> Result<Option<Hash>, Error> {
    if !json.is_object() {
        return Ok(None);
    }
    Ok(match from_data(json)? {
        Value::Hash(parameters) => Some((*parameters).clone()),
        _ => None,
    })
}

/// All written forms of a value. Losses of plain data are logged as warnings.
pub fn serialize(value: &Value, compilation: &Compilation<'_>) -> Json {
    let mut reply = json!({});
    let generic = to_data(value, &DataOptions { local_reference: true, ..DataOptions::rich() });
    let embedded = to_data(
        value,
        &DataOptions { local_reference: true, type_by_reference: false, ..DataOptions::rich() },
    );
    let warn = |report: Report| warn(compilation, report);
    let plain =
        to_data(value, &DataOptions { rich_data: false, reporter: Some(&warn), ..DataOptions::rich() });
    let first = generic.as_ref().ok().cloned();
    let mut add = |name: &str, form: Result<Json, Error>| match form {
        Ok(form) if name != "generic" && Some(&form) == first.as_ref() => {}
        Ok(form) => reply[name] = form,
        Err(error) => reply[format!("{name}_error")] = json!(error.full_message()),
    };
    add("generic", generic);
    add("generic_embedded", embedded);
    add("plain", plain);
    add("json", write_stream(value, StreamOptions::default()).map(Json::from));
    if let Some(generic) = first {
        reply["msgpack_base64"] =
            json!(binary::to_base64(&msgpack::encode(&Value::from(&generic)).unwrap_or_default()));
    }
    reply
}

/// The value that a request describes.
pub fn deserialize(request: &Json, compilation: &Compilation<'_>) -> Result<Value, Error> {
    let now = Timestamp::default;
    compilation.with_evaluator(|evaluator| {
        let around = Surroundings { types: evaluator, now: &now, fuel: &bunraku::pcore::fuel::Unmetered };
        Ok(match request["json"].as_str() {
            Some(stream) => read_stream(stream, &around)?,
            None => from_data_with(&request["generic"], &around, false)?,
        })
    })
}
