//! Tests that a missing part reports `Unsupported` and that everything else works.

use std::sync::Arc;

use bunraku_pcore::fuel::Unmetered;
use serde_json::json;

use super::*;
use crate::{Environment, ErrorKind, FEATURES, MemoryHost, NodeInput};

/// Whether the result is that of a library with all of these features, or an `Unsupported` error.
fn is_of<T>(features: &[&str], answer: Result<T, Error>) {
    match answer {
        Err(error) if error.kind == ErrorKind::Unsupported => {
            let missing = features.iter().find(|feature| !FEATURES.contains(feature));
            assert!(missing.is_some(), "{error}");
            assert!(
                features.iter().any(|feature| error.message.contains(&format!("'{feature}'"))),
                "{error}"
            );
        }
        Err(error) => panic!("{error}"),
        Ok(_) => assert!(features.iter().all(|feature| FEATURES.contains(feature)), "{features:?}"),
    }
}

fn host() -> MemoryHost {
    let mut host = MemoryHost::new();
    let mut add = |path: &str, text: &str| host.add(format!("/code/production/{path}"), text);
    add(
        "modules/m/lib/puppet/functions/m/one.rb",
        "Puppet::Functions.create_function(:'m::one') { def one() 1 end }",
    );
    add(
        "modules/m/lib/puppet/type/thing.rb",
        "Puppet::Type.newtype(:thing) { newparam(:name) { isnamevar } }",
    );
    add("modules/m/tasks/go.sh", "true");
    add("modules/m/metadata.json", "{}");
    add(
        "hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: a, lookup_key: eyaml_lookup_key, path: a.eyaml,\n     \
                       options: {pkcs7_private_key: /k, pkcs7_public_key: /k}}\n",
    );
    add("data/a.eyaml", "plain: text\n");
    host
}

#[test]
fn compilations_without_a_feature_say_which() {
    let answer = |code: &str| {
        let environment = Environment::builder("production").environmentpath("/code").host(Arc::new(host()));
        let environment = environment.code(code).load()?;
        environment.compile(NodeInput::new("web01.example.net")).map(drop)
    };
    is_of(&["ruby"], answer("notify { inline_template('<%= 1 %>'): }"));
    is_of(&["ruby"], answer("notify { \"${m::one()}\": }"));
    is_of(&["eyaml"], answer("notify { lookup('plain'): }"));
    is_of(&[], answer("notify { inline_template('text'): } thing { 'a': }"));
}

#[test]
fn requests_without_a_feature_say_which() {
    let disk = host();
    let catalog = json!({
        "name": "n", "version": 1, "environment": "production", "resources": [], "edges": [], "classes": [],
    });
    let modulepath = json!({ "modulepath": ["/code/production/modules"] });
    let environment = Environment::builder("production").environmentpath("/code").host(Arc::new(host()));
    let environment = environment.load().expect("it loads");
    is_of(&["check"], check_environment(&environment.0, &json!({}), &|| Ok(())));
    is_of(&["check"], explain_code("unknown-class"));
    is_of(&["check"], index(&environment.0, &|| Ok(())));
    is_of(&["classifier"], open_classifier(Arc::new(host()), &json!({})));
    is_of(
        &["documentation"],
        document(&disk, &json!({ "paths": ["/code/production/modules/m"] }), &|| Ok(())),
    );
    is_of(&["lint"], lint("", &json!({}), &bunraku_syntax::watch::Watch::default()));
    is_of(&["lint"], lint_checks());
    is_of(&["lint"], lint_switches());
    is_of(&["documentation"], describe_types(&disk, &modulepath, &|| Ok(())));
    is_of(&["documentation"], generate_types(&disk, &modulepath, &|| Ok(())));
    is_of(
        &["modules"],
        check_module(&disk, &json!({ "directory": "/code/production/modules/m" }), &|| Ok(())),
    );
    is_of(&["report"], diff(&catalog, &catalog, &Unmetered));
    is_of(&["report"], draw(&catalog, &json!({}), &Unmetered));
    is_of(&["tasks"], tasks(&environment.0, &|| Ok(())));
    is_of(&["tasks"], task_outcome(b"text", 0));
}

#[test]
fn features_are_listed_in_order() {
    assert!(FEATURES.is_sorted());
}
