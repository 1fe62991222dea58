//! Secrets in rich data.

use serde_json::{Value as Json, json};

/// The maximum depth of the search for secrets.
const MAX_DEPTH: usize = 1000;

/// The replacement for a secret.
pub fn redacted() -> Json {
    json!({ "__ptype": "Sensitive", "__pvalue": "[value redacted]" })
}

/// The value with every Sensitive in it redacted, and with everything that is nested deeper than values of
/// the language can be.
pub fn without_secrets(value: &Json) -> Json {
    redact(value, 0)
}

fn redact(value: &Json, depth: usize) -> Json {
    match value {
        Json::Object(members)
            if depth > MAX_DEPTH || members.get("__ptype").is_some_and(|of| of == "Sensitive") =>
        {
            redacted()
        }
        Json::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), redact(value, depth + 1))).collect()
        }
        Json::Array(_) if depth > MAX_DEPTH => redacted(),
        Json::Array(values) => values.iter().map(|value| redact(value, depth + 1)).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_at_any_depth() {
        let secret = json!({"__ptype": "Sensitive", "__pvalue": "p4ss"});
        for depth in [0, 1, 40, 200, 990, 1100] {
            let nested = (0..depth).fold(secret.clone(), |value, at| {
                if at % 2 == 0 { json!([value]) } else { json!({ "a": value }) }
            });
            let shown = without_secrets(&nested).to_string();
            assert!(shown.contains("[value redacted]") && !shown.contains("p4ss"), "{depth}");
        }
    }

    #[test]
    fn what_is_deeper_than_values_can_be_is_redacted() {
        for innermost in [json!({ "a": 1 }), json!([1])] {
            let shown = |depth: usize| {
                let nested = (0..depth).fold(innermost.clone(), |value, _| json!([value]));
                without_secrets(&nested).to_string()
            };
            assert!(!shown(MAX_DEPTH).contains("redacted"), "{innermost}");
            assert!(shown(MAX_DEPTH + 1).contains("redacted"), "{innermost}");
        }
    }
}
