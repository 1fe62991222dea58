//! Checks the style of manifests and of data in YAML.

use bunraku_lint::request;
use bunraku_pcore::Value;
use bunraku_pcore::formats::yaml;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;
use serde_json::Value as Json;

use crate::repository::data::fault;

/// Checks a text: data if the path of the request ends as that of YAML, otherwise a manifest.
pub(super) fn answer(text: &str, request: &Json, watch: &Watch<'_>) -> Result<Json, Error> {
    let path = request["path"].as_str().unwrap_or_default();
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    if !matches!(ending.as_deref(), Some("yaml" | "yml")) {
        return request::answer(text, request, watch);
    }
    watch.check()?;
    match yaml::parse_with_times(text, path) {
        Ok(data) => {
            let mut texts = Vec::new();
            collect(&data, &mut texts);
            request::answer_data(text, &texts, request)
        }
        Err(wrong) => {
            let message = wrong.message.strip_prefix(&format!("({path}): ")).unwrap_or(&wrong.message);
            request::answer_unreadable(message, fault(text).unwrap_or((1, 1)), request)
        }
    }
}

/// The texts of data, keys included, in order.
fn collect<'v>(data: &'v Value, texts: &mut Vec<&'v str>) {
    match data {
        Value::Hash(hash) => {
            for (key, value) in hash.iter() {
                texts.extend(key.as_str());
                collect(value, texts);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, texts)),
        other => texts.extend(other.as_str()),
    }
}
