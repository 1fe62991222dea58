//! Facts of a node as files hold them.

use crate::hiera::yaml;
use bunraku_pcore::json_tokens;
use bunraku_pcore::value::{Hash, Value};
use bunraku_syntax::diagnostic::Error;

/// The data of a node in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeFacts {
    /// The node's name, if the file contains it.
    pub name: Option<String>,
    /// The facts.
    pub facts: Hash,
}

/// Reads facts from JSON, if the file's name or the text indicates it, otherwise from YAML: either only the
/// facts, or a document as Puppet stores it, an object with `values` and `name`.
///
/// # Errors
/// The text is not in the format of the file's name, or not a hash.
pub fn read(text: &str, path: &str) -> Result<NodeFacts, Error> {
    let facts = read_hash(text, path)?;
    match facts.get(&Value::from("values")) {
        Some(Value::Hash(stored)) => {
            let name = facts.get(&Value::from("name")).and_then(Value::as_str).map(str::to_owned);
            Ok(NodeFacts { name, facts: stored.as_ref().clone() })
        }
        _ => Ok(NodeFacts { name: None, facts }),
    }
}

/// Reads a hash of data. The format is JSON if the file name ends with `.json` or the text is a JSON object,
/// and YAML otherwise.
///
/// # Errors
/// The text is not in the format of the file name, or not a hash.
pub fn read_hash(text: &str, path: &str) -> Result<Hash, Error> {
    let read = if path.ends_with(".json") {
        json_tokens::parse(text).map_err(|error| Error::argument(format!("{path}: {}", error.message)))?
    } else {
        let json = text.trim_start().starts_with('{').then(|| json_tokens::parse(text).ok()).flatten();
        match json {
            Some(read) => read,
            None => yaml::parse_with_times(&without_tag(text), path)?,
        }
    };
    match read {
        Value::Hash(read) => Ok(read.as_ref().clone()),
        _ => Err(Error::argument(format!("{path} holds no facts"))),
    }
}

/// The text of a document without the tag that names a class of Puppet's.
fn without_tag(text: &str) -> String {
    match text.strip_prefix("---") {
        Some(rest) => format!("---{}", &rest[rest.find('\n').unwrap_or(rest.len())..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::format::inspect;

    fn said(text: &str, path: &str) -> (Option<String>, String) {
        let read = read(text, path).expect("it holds facts");
        (read.name, inspect(&Value::from(read.facts)))
    }

    #[test]
    fn facts_stand_alone_or_in_documents() {
        let stored = "--- !ruby/object:Puppet::Node::Facts\nname: b\nvalues:\n  os: 1\n  :s: 0755\n\
                      timestamp: 2024-02-29 12:00:00.5 +01:00\n";
        assert_eq!(said(stored, "x.yaml").0.as_deref(), Some("b"));
        assert_eq!(said(r#"{"a":"\/\ud83d\ude00"}"#, "-"), (None, r#"{"a"=>"/😀"}"#.to_owned()));
        assert_eq!(said("{a: 1}\n", "-"), (None, r#"{"a"=>1}"#.to_owned()));
        assert_eq!(said("os: 1\nvalues: 2\n", "x.yml"), (None, r#"{"os"=>1, "values"=>2}"#.to_owned()));
        let (name, facts) = said(r#"{"name":"b","values":{"big":123456789012345678901234567890}}"#, "x.json");
        assert_eq!(
            (name.as_deref(), facts.as_str()),
            (Some("b"), r#"{"big"=>123456789012345678901234567890}"#)
        );
    }

    #[test]
    fn what_holds_no_facts_is_told_with_the_file() {
        for (text, path) in [("[1]", "a.json"), ("- 1", "a.yaml"), ("{", "a.json"), ("a: [", "a.yaml")] {
            let error = read(text, path).expect_err("it holds no facts");
            assert!(error.message.contains(path), "{}", error.message);
        }
    }
}
