//! No explanation shows a secret: data that `convert_to` makes Sensitive, wherever it is and whatever refers
//! to it, encrypted data, and failures on the way. Each combination is explained as text and as data, and
//! classes that take their parameters from there are compiled with provenance.

use bunraku::compiler::{Compilation, CompileOptions, Limits, NodeInput, request};
use bunraku::loader::Environment;
use bunraku::report::explain::explain;
use bunraku::syntax::watch::Watch;
use conform::priced::environment;
use serde_json::{Value as Json, json};

/// The secrets: the data in clear, and the encrypted text.
const SECRETS: &[&str] = &["s3cr3t", "a secret b"];

/// Ways to make a value Sensitive, also some that fail.
const CONVERSIONS: &[&str] = &[
    "Sensitive",
    "[Sensitive]",
    "['Sensitive[String]']",
    "['Sensitive[Enum[a]]']",
    "['Sensitive[Integer]']",
    "[Sensitive, 1]",
    "'Variant[Sensitive, Integer]'",
    "'Optional[Sensitive[Data]]'",
    "'M::Secret'",
    "'Sensitive['",
    "Sensitve",
    "['Sensitive[Nothing]']",
];

/// The data of the key.
const VALUES: &[&str] = &[
    "s3cr3t",
    "[s3cr3t, 's3cr3t-2']",
    "{ part: s3cr3t, other: { part: ['s3cr3t-2'] } }",
    "\"s3cr3t %{facts.f} %{literal('s3cr3t')}\"",
    "\"s3cr3t %{lookup('nothing')}\"",
    "\"s3cr3t %{alias('open')}\"",
    "\"s3cr3t %{lookup('open', 'x')} %{nomethod('open')}\"",
    "ENCRYPTED",
    "[ENCRYPTED, { part: ENCRYPTED }]",
];

/// How the values of several levels are put together.
const MERGES: &[&str] = &["first", "unique", "hash", "deep", "nonsense"];

/// The sources of data.
const BACKENDS: &[(&str, &str)] = &[
    ("yaml", "data_hash: yaml_data"),
    ("eyaml", "lookup_key: eyaml_lookup_key"),
    ("function", "lookup_key: m::backend"),
    ("dig", "data_dig: m::dig"),
];

/// Functions of backends that explain what they see.
const FUNCTIONS: &[(&str, &str)] = &[
    (
        "modules/m/functions/backend.pp",
        "function m::backend(String $key, Hash $options, Puppet::LookupContext $context) {
           $data = yaml_data({ path => $options['path'] }, $context)
           unless $key in $data { $context.not_found }
           $context.explain || { \"backend: ${data[$key]}\" }
           $context.cache($key, $context.interpolate($data[$key]))
         }",
    ),
    (
        "modules/m/functions/dig.pp",
        "function m::dig(Array $keys, Hash $options, Puppet::LookupContext $context) {
           $data = yaml_data({ path => $options['path'] }, $context)
           unless $keys[0] in $data { $context.not_found }
           $context.explain || { \"dig: ${data[$keys[0]]}\" }
           $data.dig(*$keys)
         }",
    ),
    ("modules/m/types/secret.pp", "type M::Secret = Sensitive[Variant[String, Array, Hash]]"),
    (
        "modules/m/manifests/init.pp",
        "class m($key = undef, $referring = undef) {
           notify { 'key': message => $key }
           notify { 'referring': message => $referring, withpath => [$key, { a => $referring }] }
         }",
    ),
];

/// The looked-up keys: the key, its parts, and keys that refer to it.
const KEYS: &[&str] =
    &["m::key", "m::key.part", "m::key.0", "m::referring", "aliased", "within", "dug", "old", "m::absent"];

/// The text that the public key of `data/eyaml/keys` has encrypted.
fn encrypted() -> String {
    let questions = conform::data::directory().join("eyaml/lookups.jsonl");
    let questions = std::fs::read_to_string(questions).expect("there are questions");
    let question = questions.lines().find(|line| line.contains("\"eyaml:around\"")).expect("it is asked");
    let question: Json = serde_json::from_str(question).expect("it is JSON");
    let file = question["files"]["modules/m/data/d.eyaml"].as_str().expect("there is data");
    let data: Json = serde_json::from_str(file).expect("it is JSON");
    data["m::around"].to_string()
}

/// An environment with the key in two levels of the environment's data, or of the module's.
fn with_secret(conversion: &str, value: &str, merge: &str, backend: &str, in_module: bool) -> Environment {
    let options = "\"options\": { pkcs7_private_key: data/eyaml/keys/own.private.pem, \
                   pkcs7_public_key: data/eyaml/keys/own.public.pem }";
    let options = if backend.contains("eyaml") { options } else { "\"options\": {}" };
    let level = |path: &str| format!("  - {{ name: {path}, path: {path}.yaml, {backend}, {options} }}\n");
    let hierarchy = format!("version: 5\nhierarchy:\n{}{}", level("first"), level("second"));
    let referring = "m::referring: \"see %{lookup('m::key')} %{lookup('m::key.part')}\"\n";
    let others = "open: 1\naliased: \"%{alias('m::key')}\"\nold: \"%{hiera('m::key')}\"\n\
                  within: { a: [\"%{alias('m::key')}\", \"x %{lookup('m::key')}\"] }\n\
                  dug: \"%{lookup('m::key.part')} %{lookup('m::key.other.part.0')}\"\n";
    let meta = format!("lookup_options: {{ '^m::k': {{ convert_to: {conversion}, merge: {merge} }} }}\n");
    let key = format!("m::key: {value}\n");
    let own = format!("{meta}{key}{referring}");
    let (outer, inner) = if in_module { (others, own.as_str()) } else { ("", "") };
    let outer = if in_module { outer.to_owned() } else { format!("{own}{others}") };
    let mut files = vec![
        ("hiera.yaml".to_owned(), hierarchy.clone()),
        ("data/first.yaml".to_owned(), if in_module { outer.clone() } else { key.clone() }),
        ("data/second.yaml".to_owned(), outer),
        ("modules/m/hiera.yaml".to_owned(), hierarchy),
        ("modules/m/data/first.yaml".to_owned(), if in_module { key } else { "{}\n".to_owned() }),
        (
            "modules/m/data/second.yaml".to_owned(),
            if in_module { inner.to_owned() } else { "{}\n".to_owned() },
        ),
    ];
    files.extend(FUNCTIONS.iter().map(|&(path, text)| (path.to_owned(), text.to_owned())));
    environment("include m", &files).expect("an environment")
}

/// An explanation, as text and as data, with errors and the log.
fn explained(environment: &Environment, key: &str, more: &Json) -> (String, Json) {
    let mut asked = json!({ "node": "node", "key": key, "explain": true, "explain_options": true });
    asked["facts"] = json!({ "f": "fact" });
    if let (Some(asked), Some(more)) = (asked.as_object_mut(), more.as_object()) {
        asked.extend(more.clone());
    }
    let asked = request::of_lookup(&asked).expect("the keys are known");
    let answer = request::lookup(environment, &asked, Limits::default());
    let (answer, logs) = answer.expect("the request is sound");
    let told = format!("{} {} {} {logs:?}", answer["explain_text"], answer["explain_data"], answer["error"]);
    (told, answer)
}

/// The provenance of the compilation's resources, or its failure, and its log.
fn compiled(environment: &Environment) -> String {
    let options = CompileOptions { provenance: true, ..CompileOptions::default() };
    let compilation =
        Compilation::new(environment, NodeInput { name: "node".into(), ..NodeInput::default() }, options);
    let told = match compilation.compile() {
        Ok(catalog) => {
            let watch = &Watch::default();
            let references = catalog.resources.iter().map(|resource| resource.reference().to_string());
            let explained = references.map(|of| {
                format!(
                    "{:?} {:?}",
                    explain(&catalog, &of, "/env", watch),
                    catalog.provenance_to_json(&of, watch)
                )
            });
            explained.collect()
        }
        Err(error) => error.to_string(),
    };
    format!("{told} {:?}", compilation.loaded().log.entries.borrow())
}

fn assert_silent(told: &str, case: &str) {
    for secret in SECRETS {
        let at = told.find(secret);
        assert!(at.is_none(), "{case} shows {secret}:\n{told}");
    }
}

#[test]
fn explanations_show_no_secret() {
    let encrypted = encrypted();
    let (mut asked, mut found) = (0, 0);
    for (number, conversion) in CONVERSIONS.iter().enumerate() {
        for (at, value) in VALUES.iter().enumerate() {
            // To decrypt takes its time.
            if value.contains("ENCRYPTED") && number % 4 > 0 {
                continue;
            }
            let value = value.replace("ENCRYPTED", &encrypted);
            // Every conversion meets every value; merges, backends and places take turns.
            let merge = MERGES[(number + at) % MERGES.len()];
            let (name, backend) =
                if value.contains("ENC[") { BACKENDS[1] } else { BACKENDS[(number + at) % 4] };
            let in_module = (number + at) % 3 == 0;
            let environment = with_secret(conversion, &value, merge, backend, in_module);
            for key in KEYS {
                let others = [json!({}), json!({ "type": "Integer" }), json!({ "merge": "deep" })];
                for more in others.iter().take(if *key == "m::key" { 3 } else { 1 }) {
                    let case = format!("{key} ({conversion}, {value}, {merge}, {name}, {in_module}, {more})");
                    let (told, answer) = explained(&environment, key, more);
                    assert_silent(&told, &case);
                    asked += 1;
                    found += usize::from(answer["value"]["__ptype"] == "Sensitive");
                }
            }
            let told = environment.on_deep_stack(|| compiled(&environment)).expect("no panic");
            assert_silent(&told, &format!("compiling ({conversion}, {value}, {merge}, {name}, {in_module})"));
        }
    }
    println!("{asked} explained, {found} of them found a secret");
    assert!(asked > 900 && found > 30, "{asked} explained, {found} found");
}

#[test]
fn secrets_are_shown_to_who_asks_for_them() {
    let environment = with_secret("Sensitive", "s3cr3t", "first", BACKENDS[0].1, false);
    let (told, _) = explained(&environment, "m::key", &json!({ "show_secrets": true }));
    assert!(told.contains("s3cr3t"), "{told}");
    let environment = with_secret("Data", &encrypted(), "first", BACKENDS[1].1, false);
    let (told, answer) = explained(&environment, "m::key", &json!({}));
    assert_silent(&told, "encrypted data that is not Sensitive");
    assert_eq!(answer["value"], "a secret b");
    let (told, _) = explained(&environment, "m::key", &json!({ "show_secrets": true }));
    assert!(told.contains("a secret b"), "{told}");
}

#[test]
fn what_is_no_secret_is_shown() {
    let environment = with_secret("Integer", "'12'", "first", BACKENDS[0].1, false);
    let (told, _) = explained(&environment, "m::key", &json!({}));
    assert!(told.contains(r#"value: \"12\""#), "{told}");
}
