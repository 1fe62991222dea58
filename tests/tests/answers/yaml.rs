//! YAML documents, valid and broken ones, are the values, or have the messages, that Psych answers
//! (`data/yaml/ask.rb` asked it).

use bunraku::pcore::number;
use bunraku::pcore::value::Value as Read;
use conform::data;
use serde_json::{Value, json};

/// The minimum number of documents.
const LEAST: usize = 5000;

/// A value as `ask.rb` writes it.
fn written(value: &Read) -> Value {
    match value {
        Read::Undef => Value::Null,
        Read::Boolean(boolean) => json!(boolean),
        Read::Integer(number) => json!(number),
        Read::Float(number) => json!({"!float": number::float_to_s(*number)}),
        Read::String(text) => json!(text.as_str()),
        Read::Array(list) => list.iter().map(written).collect(),
        Read::Hash(hash) => {
            let pairs = hash.iter().map(|(key, value)| json!([written(key), written(value)]));
            json!({"!hash": pairs.collect::<Vec<_>>()})
        }
        Read::ByteString(bytes) => {
            let digits: String = bytes.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            json!({"!bytes": digits})
        }
        Read::Runtime(symbol) => json!({"!sym": symbol.text.as_str()}),
        other => panic!("{other:?}"),
    }
}

/// The answers in a file: how many there are, and those that differ.
fn compared(path: &std::path::Path) -> (usize, Vec<String>) {
    let lines = data::read_lines(path).expect("the answers can be read");
    let mut wrong = Vec::new();
    for line in &lines {
        let text = line["text"].as_str().expect("a text");
        let (told, right) = match bunraku::hiera::yaml::parse(text, None) {
            Ok(value) => (format!("{}", written(&value)), line.get("value").map(Value::to_string)),
            Err(message) => (message, line.get("error").and_then(|error| error.as_str().map(str::to_owned))),
        };
        if Some(&told) != right.as_ref() {
            wrong.push(format!("{text:?}: {told} for {}", line.get("value").unwrap_or(&line["error"])));
        }
    }
    println!("{} documents, {} differ", lines.len(), wrong.len());
    (lines.len(), wrong)
}

#[test]
fn documents_are_what_psych_reads() {
    let (count, wrong) = compared(&data::directory().join("yaml/answers.jsonl.gz"));
    assert!(count >= LEAST && wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The YAML files of public repositories, and yaml-test-suite: `make yaml-public`.
#[test]
#[ignore = "needs the answers about the files of clones, in YAML_ANSWERS"]
fn public_documents_are_what_psych_reads() {
    let path = std::env::var_os("YAML_ANSWERS").expect("YAML_ANSWERS names the answers");
    let (count, wrong) = compared(path.as_ref());
    assert!(count > 0 && wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
