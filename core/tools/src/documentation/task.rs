//! Documentation of tasks, from their metadata.
//!
//! Follows puppet-strings' `parsers/json`.

use serde_json::Value as Json;

use super::docstring::Docstring;
use super::entry::Task;
use super::warning::Place;
use super::{Documentation, UndocumentedFile};

/// Adds the task that a file of metadata describes.
pub(super) fn read(documentation: &mut Documentation, file: &str, text: &str) {
    let json = match serde_json::from_str::<Json>(text) {
        Ok(json @ Json::Object(_)) => json,
        Ok(_) => return fail(documentation, file, "the metadata is not an object".to_owned()),
        Err(error) => return fail(documentation, file, error.to_string()),
    };
    if json.as_object().is_none_or(serde_json::Map::is_empty) {
        return;
    }
    let parameters = json["parameters"].as_object().into_iter().flatten().map(|(name, of)| {
        let text = of["description"].as_str().unwrap_or_default();
        (name.clone(), text.to_owned(), of["type"].as_str().map(str::to_owned))
    });
    let name = file.rsplit('/').next().unwrap_or(file).replace(".json", "");
    let place = Place { file, line: 0 };
    let description = Docstring::parse(json["description"].as_str().unwrap_or_default());
    documentation.warn_of_comment(place, &description);
    documentation.warn_of_docstring(place, &description);
    if description.text.is_empty() {
        documentation.warn(place, format!("Missing a description for Puppet Task {name}.."));
    }
    for (parameter, of) in json["parameters"].as_object().into_iter().flatten() {
        if of["description"].is_null() {
            let message = format!("Missing description for param '{parameter}' in Puppet Task {name}.");
            documentation.warn(place, message);
        }
    }
    documentation.tasks.push(Task {
        name,
        file: file.to_owned(),
        description,
        parameters: parameters.collect(),
        source: text.to_owned(),
        supports_noop: if json["supports_noop"].is_null() {
            false.into()
        } else {
            json["supports_noop"].clone()
        },
        input_method: json["input_method"].clone(),
    });
}

fn fail(documentation: &mut Documentation, file: &str, message: String) {
    documentation.failures.push(UndocumentedFile { file: file.to_owned(), message });
}
