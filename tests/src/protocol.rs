//! Answers one question as the protocol of the golden vectors (`data/conformance/PROTOCOL.md`) and of the
//! environments (`data/environments/FORMAT.md`) says.

use serde_json::{Value, json};

/// The reply to a line of input, with the request's `id`.
pub fn reply(line: &str) -> Value {
    match serde_json::from_str::<Value>(line) {
        Ok(request) if request.is_object() => {
            let mut reply = answer(&request);
            if let Some(id) = request.get("id") {
                reply["id"] = id.clone();
            }
            reply
        }
        _ => failure(line, "not a request"),
    }
}

/// The reply to a line that could not be answered.
pub fn failure(line: &str, message: &str) -> Value {
    let request: Value = serde_json::from_str(line).unwrap_or_default();
    json!({ "id": request["id"], "error": { "message": message, "oracle": true } })
}

/// The answer to a request, without its `id`.
pub fn answer(request: &Value) -> Value {
    match request["op"].as_str().unwrap_or_default() {
        "version" => json!({ "version": env!("CARGO_PKG_VERSION") }),
        op => json!({ "error": { "message": format!("unknown op {op:?}"), "oracle": true } }),
    }
}
