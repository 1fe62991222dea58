//! Compares resource types, as they are known without Ruby, with Puppet's own data after loading them
//! (`data/resource_types`).

use std::io;
use std::path::Path;
use std::sync::Arc;

use bunraku::catalog::resource_types::{AttributeKind, METAPARAMETERS, ResourceType, find};
use bunraku::host::disk::DiskHost;
use bunraku::loader::{Environment, EnvironmentOptions};
use serde_json::{Map, Value, json};

use crate::data;
use crate::report::{Outcome, Report};

/// Compares all types in a file with those that an environment on these modules finds. `environmentpath` is
/// the directory of an environment `generated` whose `.resource_types` are read instead of the modules'
/// files.
///
/// # Errors
/// The file cannot be read or the environment cannot be loaded.
pub fn check(file: &Path, modules: &str, environmentpath: Option<&str>) -> io::Result<Report> {
    let options = EnvironmentOptions {
        name: if environmentpath.is_some() { "generated" } else { "production" }.to_owned(),
        environmentpath: environmentpath.map(str::to_owned).into_iter().collect(),
        modulepath: Some(vec![modules.to_owned()]),
        code: environmentpath.is_none().then(|| " ".to_owned()),
        ..EnvironmentOptions::default()
    };
    let environment = Environment::load(Arc::new(DiskHost), options)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let mut report = Report { name: "resource-types".to_owned(), ..Report::default() };
    for expected in data::read_lines(file)? {
        // Types that are not on this machine are skipped.
        if let Some(path) = expected["file"].as_str()
            && !Path::new(modules).join(path).exists()
        {
            report.absent.push(format!("{path}:{}", expected["name"].as_str().unwrap_or_default()));
            continue;
        }
        let (id, actual) = match expected["name"].as_str() {
            None => ("metaparameters".to_owned(), json!({ "metaparameters": METAPARAMETERS })),
            Some(name) => {
                let place = expected["file"].as_str().unwrap_or("core");
                (
                    format!("{place}:{name}"),
                    find(&environment, name).map_or(Value::Null, |of| told(&of, &expected)),
                )
            }
        };
        let mut expected = expected;
        if let Some(members) = expected.as_object_mut() {
            members.remove("file");
            if actual["partly"] == true {
                members.insert("partly".to_owned(), json!(true));
            }
        }
        let passed = agrees(&expected, &actual);
        report.outcomes.push(Outcome { id, question: Value::Null, expected, actual, passed });
    }
    Ok(report)
}

/// The data of a type, in the form of the file.
fn told(of: &ResourceType, expected: &Value) -> Value {
    let names = |kind| of.names(kind).map(ToString::to_string).collect::<Vec<_>>();
    let titles = expected["titles"].as_object().map(|titles| {
        let given = titles.keys().map(|title| {
            let pairs = of.parse_title(title).ok();
            let pairs = pairs.map(|pairs| {
                pairs
                    .into_iter()
                    .map(|(name, text)| (name.to_string(), json!(text.as_str())))
                    .collect::<Map<_, _>>()
            });
            (title.clone(), pairs.map_or(Value::Null, Value::Object))
        });
        given.collect::<Map<_, _>>()
    });
    let mut json = json!({
        "name": of.name.as_str(),
        "properties": names(AttributeKind::Property),
        "parameters": names(AttributeKind::Parameter),
        "keys": of.keys.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "titles": titles,
        "isomorphic": of.isomorphic,
        "ensurable": of.attributes.contains_key("ensure"),
        "features": of.features.iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if of.accepts_all {
        json["partly"] = json!(true);
    }
    json
}

/// Whether all members agree. Only the order of keys matters. A type that could only be read in part can lack
/// attributes.
fn agrees(expected: &Value, actual: &Value) -> bool {
    let sorted = |value: &Value| {
        let mut names: Vec<String> =
            value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
        names.sort_unstable();
        names
    };
    if expected["metaparameters"].is_array() {
        return sorted(&expected["metaparameters"]) == sorted(&actual["metaparameters"]);
    }
    let partly = actual["partly"] == true;
    let lists = ["properties", "parameters", "features"].iter().all(|list| {
        let (want, got) = (sorted(&expected[*list]), sorted(&actual[*list]));
        if partly { got.iter().all(|name| name == "provider" || want.contains(name)) } else { got == want }
    });
    let rest = ["name", "keys", "titles", "isomorphic", "ensurable"];
    lists && (partly || rest.iter().all(|member| expected[*member] == actual[*member]))
}
