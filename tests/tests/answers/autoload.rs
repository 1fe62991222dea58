//! Types, providers and functions of the 3.x API in gems, modules, `libdir`, on Ruby's load path and in
//! vendored modules (`data/autoload`): which are found, which go before others, and what does not come from
//! there, the reference has answered.

use std::sync::Arc;

use bunraku::compiler::{Compilation, request};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::Environment;
use conform::data;
use serde_json::{Map, Value as Json, json};

/// A host with the directories that the reference was asked about, below `/fixture`.
fn host() -> MemoryHost {
    let files = data::read_json(&data::directory().join("autoload/files.json")).expect("there are files");
    let mut host = MemoryHost::new();
    for (path, text) in files.as_object().expect("paths with texts") {
        host.add(format!("/fixture/{path}"), text.as_str().unwrap_or_default());
    }
    host
}

fn environment(host: MemoryHost, code: &str, settings: &Json) -> Environment {
    let request = json!({
        "code": code, "settings": settings, "modulepath": ["/fixture/modules", "/fixture/more"],
        "gems": ["/fixture/gems/gems/fixture-1.0/lib", "/fixture/gems/gems/none-1.0/lib"], "load_path": ["/fixture/ruby"],
    });
    let request = request::of_environment(&request).expect("known keys");
    request::load_environment(Arc::new(host), &request).expect("an environment")
}

/// The result of a compilation, in the form of the reference's answers.
fn answer(environment: &Environment) -> Json {
    let request = json!({ "node": "n" });
    let request = request::of_catalog(&request).expect("known keys");
    let node = request::node_input(&request).expect("a node");
    let options = request::compile_options(&request).expect("options");
    let compiled = environment.on_deep_stack(|| Compilation::new(environment, node, options).compile());
    match compiled.expect("there is a stack") {
        Ok(catalog) => {
            let resources: Vec<String> =
                catalog.resources.iter().skip(3).map(|one| one.reference()).collect();
            json!({ "resources": resources })
        }
        Err(error) => json!({ "error": error.message.replace("/fixture", "<root>") }),
    }
}

/// An answer whose error contains neither its place nor the evaluated thing.
fn plain(answer: &Json) -> Json {
    let Some(error) = answer["error"].as_str() else { return answer.clone() };
    let error = error.strip_prefix("Evaluation Error: ").unwrap_or(error);
    let around = error.split_once(", ").filter(|(before, _)| before.starts_with("Error while evaluating"));
    json!({ "error": around.map_or(error, |(_, inner)| inner).replace(" (line: 1)", "") })
}

#[test]
fn what_stands_beside_modules_is_found_as_by_the_reference() {
    let questions =
        data::read_lines(&data::directory().join("autoload/answers.jsonl")).expect("there are questions");
    let mut wrong = Vec::new();
    for question in &questions {
        let mut settings = question["settings"].as_object().cloned().unwrap_or_default();
        for value in settings.values_mut() {
            *value = Json::from(value.as_str().unwrap_or_default().replace("<root>", "/fixture"));
        }
        let environment =
            environment(host(), question["code"].as_str().unwrap_or_default(), &Json::Object(settings));
        let mut expected = Map::new();
        for key in ["resources", "error"] {
            if let Some(value) = question.get(key) {
                expected.insert(key.to_owned(), value.clone());
            }
        }
        let (expected, actual) = (plain(&Json::Object(expected)), plain(&answer(&environment)));
        if expected != actual {
            wrong.push(format!("{}: {expected}, not {actual}", question["id"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(questions.len() > 180);
}

#[test]
fn where_nothing_is_said_the_directories_of_the_reference_are_searched() {
    let with = || {
        let mut host = host();
        let text = "Puppet::Type.newtype(:by_default) do\n  newparam(:name, namevar: true)\nend\n";
        host.add("/opt/puppetlabs/puppet/vendor_modules/any/lib/puppet/type/by_default.rb", text);
        host.add(
            "/opt/puppetlabs/puppet/cache/lib/puppet/type/by_libdir.rb",
            text.replace("default", "libdir"),
        );
        host
    };
    let code = "by_default { 'x': } by_libdir { 'x': }";
    assert_eq!(
        answer(&environment(with(), code, &json!({}))),
        json!({ "resources": ["By_default[x]", "By_libdir[x]"] })
    );
    // `libdir` is below `vardir`, wherever that is.
    let elsewhere = answer(&environment(with(), code, &json!({ "vardir": "/var" })));
    assert!(elsewhere["error"].to_string().contains("Unknown resource type: 'by_libdir'"), "{elsewhere}");
    let off = answer(&environment(with(), code, &json!({ "vendormoduledir": "" })));
    assert!(off["error"].to_string().contains("Unknown resource type: 'by_default'"), "{off}");
}
