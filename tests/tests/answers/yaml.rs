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

#[test]
fn documents_are_what_psych_reads() {
    let lines =
        data::read_lines(&data::directory().join("yaml/answers.jsonl.gz")).expect("the answers can be read");
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
    assert!(
        lines.len() >= LEAST && wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        lines.len(),
        wrong.join("\n")
    );
}
