//! Findings in the forms that other programs read.

use bunraku::Severity;
use serde_json::{Map, Value as Json, json};

use crate::validate::Finding;

/// SARIF 2.1.0, as code scanners exchange it.
pub(crate) fn sarif(findings: &[Finding]) -> Json {
    let mut codes: Vec<&str> = findings.iter().filter_map(|one| one.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Json> = codes.into_iter().map(|code| json!({ "id": code })).collect();
    let results: Vec<Json> = findings.iter().map(result).collect();
    let driver = json!({ "name": "bunraku", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "columnKind": "unicodeCodePoints", "tool": { "driver": driver }, "results": results }],
    })
}

fn result(finding: &Finding) -> Json {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Deprecation => "note",
    };
    let path = finding.location.file.as_deref().unwrap_or_default();
    let mut place = json!({ "artifactLocation": { "uri": uri(path) } });
    let mut region = Map::new();
    for (name, number) in [("startLine", finding.location.line), ("startColumn", finding.location.column)] {
        region.extend(number.map(|number| (name.to_owned(), number.into())));
    }
    if !region.is_empty() {
        place["region"] = region.into();
    }
    let mut result = Map::new();
    result.extend(finding.code.map(|code| ("ruleId".to_owned(), code.into())));
    result.insert("level".into(), level.into());
    result.insert("message".into(), json!({ "text": finding.message }));
    result.insert("locations".into(), json!([{ "physicalLocation": place }]));
    result.into()
}

/// A path as SARIF wants it: a reference to a resource, with all that is special in such references escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'~' | b'-' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A line that GitHub Actions shows beside the source.
pub(crate) fn github(finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Deprecation => "notice",
    };
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let properties = [
        ("file", finding.location.file.as_deref().map(str::to_owned)),
        ("line", number(finding.location.line)),
        ("col", number(finding.location.column)),
        ("title", finding.code.map(str::to_owned)),
    ];
    let properties: Vec<String> = properties
        .into_iter()
        .filter_map(|(name, value)| {
            Some(format!("{name}={}", escaped(&value?, &['%', '\r', '\n', ':', ','])))
        })
        .collect();
    format!("::{level} {}::{}", properties.join(","), escaped(&finding.message, &['%', '\r', '\n']))
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if special.contains(&char) {
            out.push_str(&format!("%{:02X}", u32::from(char)));
        } else {
            out.push(char);
        }
    }
    out
}
