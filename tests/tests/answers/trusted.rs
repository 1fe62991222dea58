//! Certificates (`data/trusted/ask.rb`): the reference's trusted data for them, and its reasons for rejecting
//! some.

use bunraku::compiler::trusted::{OidNames, Trusted};
use bunraku::pcore::Value;
use conform::data;
use serde_json::{Value as Json, json};

#[test]
fn certificates_are_read_as_by_the_reference() {
    let questions = std::fs::read_to_string(data::directory().join("trusted/certificates.jsonl"));
    let mut count = 0;
    let mut wrong = Vec::new();
    for question in questions.expect("there are questions").lines() {
        let question: Json = serde_json::from_str(question).expect("it is JSON");
        let answer = answer(&question);
        let is_right = match question["crash"] == true {
            // The reference calls a method that does not exist; here this is an ordinary error.
            true => answer["error"].as_str().is_some_and(|error| error.contains("'mapping.yaml'")),
            false => ["trusted", "error"].iter().all(|key| answer[key] == question[key]),
        };
        if !is_right {
            wrong.push(format!(
                "{}: {answer}\n  {} {}",
                question["id"], question["trusted"], question["error"]
            ));
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 150);
}

#[test]
fn damaged_certificates_are_read_or_refused() {
    let pem = std::fs::read_to_string(data::directory().join("trusted/web01.pem")).expect("there is one");
    let body = pem.find('\n').expect("a line ends")..pem.rfind("-----END").expect("it ends");
    let mut refused = 0;
    for position in body {
        for replacement in ["A", "g", "/", "\n", "é", ""] {
            let mut damaged = pem.clone();
            damaged.replace_range(position..=position, replacement);
            refused += u32::from(Trusted::from_certificate(&damaged, &OidNames::default()).is_err());
        }
    }
    assert!(refused > 100);
}

#[test]
fn values_do_not_nest_without_end() {
    let deep = |depth: usize| {
        let mut bytes = vec![0x30, 0x80];
        bytes = bytes.repeat(depth);
        bunraku::compiler::trusted::extension_value(&bytes, &OidNames::default())
    };
    assert!(deep(50).is_ok());
    let error = deep(1_000_000).expect_err("it is refused");
    assert!(error.message.contains("nests deeper"), "{}", error.message);
}

fn answer(question: &Json) -> Json {
    let names = match question["mapping"].as_str() {
        Some(mapping) => OidNames::from_mapping(mapping, "mapping.yaml"),
        None => Ok(OidNames::default()),
    };
    let pem = question["pem"].as_str().expect("there is a text");
    match names.and_then(|names| Trusted::from_certificate(pem, &names)) {
        Ok(trusted) => json!({ "trusted": plain(&Value::from(trusted.to_hash())) }),
        Err(error) => json!({ "error": error.message }),
    }
}

/// A value as the answers have it: texts are the digits of their bytes.
fn plain(value: &Value) -> Json {
    let digits = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(truth) => Json::Bool(*truth),
        Value::String(text) => json!({ "text": digits(text.as_bytes()) }),
        Value::ByteString(bytes) => json!({ "text": digits(bytes.bytes()) }),
        Value::Array(values) => values.iter().map(plain).collect(),
        Value::Hash(members) => Json::Object(
            members
                .iter()
                .map(|(key, value)| (key.as_str().expect("keys are texts").to_owned(), plain(value)))
                .collect(),
        ),
        other => panic!("there is no such value in a certificate: {other:?}"),
    }
}
