//! YAML as Ruby's Psych reads it with `safe_load`: the events of a YAML parser, with the scalar rules of YAML
//! 1.1.
//!
//! Plain scalars follow Psych's `ScalarScanner`: `yes`, `on` and `no` are booleans, `0755` is octal, `1:30`
//! is sexagesimal, `:a` is a Symbol, dates and times name classes that must not be loaded. Aliases and merge
//! keys (`<<`) work; their expansion is limited.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use crate::data::fuel::{Fuel, Unmetered};
use crate::data::value::{Hash, RuntimeValue, Timestamp, Value};
use crate::ruby::quote::inspect_bytes;
use crate::scalars::number::parse_digits;
use crate::scalars::time::timestamp::Formats;
use bunraku_syntax::diagnostic::Error;

mod parser;
mod rules;
mod scanner;

pub use parser::{Event, Parser};
pub use rules::{Problem, Rules};

/// The maximum nesting of collections.
const MAX_DEPTH: usize = 500;

/// The maximum number of nodes of a document with all aliases expanded.
const MAX_NODES: usize = 2_000_000;

/// The number of bytes of a tag that are read in a step.
const TAG_BYTES_PER_STEP: usize = 64;

/// Reads the first document of a text. An empty text is `undef`.
///
/// Errors: the message with the name of the file before it, as in the reference: the text is not YAML, or
/// needs a class that must not be loaded.
pub fn parse(text: &str, path: Option<&str>) -> Result<Value, String> {
    parse_with(text, path, &Unmetered).map_err(|error| error.message)
}

/// As [`parse`], with fuel.
///
/// # Errors
/// Those of [`parse`], or the fuel runs out.
pub fn parse_with(text: &str, path: Option<&str>, fuel: &dyn Fuel) -> Result<Value, Error> {
    parse_allowing(text, path, fuel, false)
}

/// As [`parse`], for a text that can contain times.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_with_times(text: &str, path: &str) -> Result<Value, Error> {
    parse_allowing(text, Some(path), &Unmetered, true)
}

fn parse_allowing(
    text: &str,
    path: Option<&str>,
    fuel: &dyn Fuel,
    allows_times: bool,
) -> Result<Value, Error> {
    // The byte order mark of a file is not part of its content; in other texts it is a character.
    let text = path.and_then(|_| text.strip_prefix('\u{feff}')).unwrap_or(text);
    let rules = Rules::data();
    let mut reader = Reader { allows_times, ..Reader::new(text, &rules, fuel) };
    match reader.document() {
        Ok(value) => Ok(value.unwrap_or_default()),
        Err(problem) => Err(problem.into_error(path)),
    }
}

/// Reads the first document of a text by rules; `None` if it has no document.
///
/// # Errors
/// The text is not YAML, holds what the rules do not allow, or the fuel runs out.
pub fn read(text: &str, rules: &Rules, fuel: &dyn Fuel) -> Result<Option<Value>, Problem> {
    Reader::new(text, rules, fuel).document()
}

/// As [`read`], all documents.
///
/// # Errors
/// Those of [`read`], in any document.
pub fn read_all(text: &str, rules: &Rules, fuel: &dyn Fuel) -> Result<Vec<Value>, Problem> {
    let mut reader = Reader::new(text, rules, fuel);
    let mut all = Vec::new();
    let mut refused = None;
    loop {
        match reader.document() {
            Ok(Some(value)) => all.push(value),
            Ok(None) => return refused.map_or(Ok(all), Err),
            // All must be YAML before any is converted.
            Err(problem @ (Problem::Syntax(_) | Problem::Stopped(_))) => return Err(problem),
            Err(problem) => refused = refused.or(Some(problem)),
        }
        reader.anchors.clear();
    }
}

type Read<T> = Result<T, Problem>;

fn limit<T>(message: impl Into<String>) -> Read<T> {
    Err(Problem::Limit(message.into()))
}

/// A value and its number of nodes with aliases expanded.
#[derive(Clone)]
struct Node {
    value: Value,
    weight: usize,
    kind: NodeKind,
}

/// The style of a node, on which merge keys depend.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Scalar,
    StringTagged,
    Sequence,
    Mapping,
    Alias,
}

/// The target of an anchor.
enum Anchored {
    /// The collection with this number, which is being read.
    Begun(usize),
    /// A value, and its weight.
    Known(Value, usize),
}

struct Reader<'t> {
    parser: Parser<'t>,
    anchors: FxHashMap<&'t str, Anchored>,
    /// The number of collections with anchors that have begun.
    begun: usize,
    nodes: usize,
    /// Whether times are values; otherwise they name a class that must not be loaded.
    allows_times: bool,
    rules: &'t Rules,
    fuel: &'t dyn Fuel,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, rules: &'t Rules, fuel: &'t dyn Fuel) -> Self {
        Self {
            parser: Parser::new(text),
            anchors: FxHashMap::default(),
            begun: 0,
            nodes: 0,
            allows_times: false,
            rules,
            fuel,
        }
    }

    /// The next document; `None` at the end of the stream.
    fn document(&mut self) -> Read<Option<Value>> {
        loop {
            match self.next()? {
                Event::StreamEnd => return Ok(None),
                Event::StreamStart | Event::DocumentStart => {}
                event => {
                    let read = self.node(event, 0);
                    if matches!(read, Err(Problem::Syntax(_) | Problem::Stopped(_))) {
                        return read.map(|node| Some(node.value));
                    }
                    // A document must be YAML to its end, and to the beginning of the next one, before it is
                    // converted.
                    while !matches!(self.next()?, Event::DocumentEnd | Event::StreamEnd) {}
                    return read.map(|node| Some(node.value));
                }
            }
        }
    }

    fn next(&mut self) -> Read<Event<'t>> {
        self.fuel.charge(1).map_err(Problem::Stopped)?;
        let (event, _) = self.parser.next_event().map_err(|fault| Problem::Syntax(fault.to_string()))?;
        if let Event::Scalar { tag: Some(tag), .. }
        | Event::SequenceStart { tag: Some(tag), .. }
        | Event::MappingStart { tag: Some(tag), .. } = &event
            && tag.len() > TAG_BYTES_PER_STEP
        {
            self.fuel.charge((tag.len() / TAG_BYTES_PER_STEP) as u64).map_err(Problem::Stopped)?;
        }
        Ok(event)
    }

    fn node(&mut self, event: Event<'t>, depth: usize) -> Read<Node> {
        if depth > MAX_DEPTH {
            return limit("nesting is too deep");
        }
        let (anchor, node) = match event {
            Event::Scalar { anchor, tag, value, is_text } => {
                let kind = match tag.as_deref() {
                    Some("tag:yaml.org,2002:str") => NodeKind::StringTagged,
                    _ => NodeKind::Scalar,
                };
                let time = if self.allows_times && !is_text && tag.is_none() { time(&value) } else { None };
                let value = time.map_or_else(|| scalar(value, is_text, tag.as_deref(), self.rules), Ok)?;
                (anchor, Node { value, weight: 1, kind })
            }
            Event::Alias(name) if !self.rules.aliases => return unknown_alias(name),
            Event::Alias(name) => match self.anchors.get(name) {
                Some(Anchored::Known(value, weight)) => {
                    (None, Node { value: value.clone(), weight: *weight, kind: NodeKind::Alias })
                }
                Some(Anchored::Begun(_)) => return limit(format!("alias within its anchor: {name}")),
                None => return unknown_alias(name),
            },
            Event::SequenceStart { anchor, tag } => {
                let begun = self.begin(anchor);
                let node = self.sequence(tag.as_deref(), depth)?;
                (anchor.filter(|name| self.is_begun(name, begun)), node)
            }
            Event::MappingStart { anchor, tag } => {
                let begun = self.begin(anchor);
                let node = self.mapping(tag.as_deref(), depth)?;
                (anchor.filter(|name| self.is_begun(name, begun)), node)
            }
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart
            | Event::DocumentEnd
            | Event::SequenceEnd
            | Event::MappingEnd => return limit("did not find expected node content"),
        };
        self.nodes += 1;
        if self.nodes.max(node.weight) > MAX_NODES {
            return limit("aliases make the document too big");
        }
        if let Some(name) = anchor {
            self.anchors.insert(name, Anchored::Known(node.value.clone(), node.weight));
        }
        Ok(node)
    }

    /// Begins a collection; returns its number if it has an anchor.
    fn begin(&mut self, anchor: Option<&'t str>) -> usize {
        if let Some(name) = anchor {
            self.begun += 1;
            self.anchors.insert(name, Anchored::Begun(self.begun));
        }
        self.begun
    }

    /// Whether an anchor still names the collection with this number: one inside it may have taken the name.
    fn is_begun(&self, name: &str, number: usize) -> bool {
        matches!(self.anchors.get(name), Some(Anchored::Begun(at)) if *at == number)
    }

    fn sequence(&mut self, tag: Option<&str>, depth: usize) -> Read<Node> {
        let class =
            tag.and_then(|tag| tag.strip_prefix("!ruby/array:").or_else(|| tag.strip_prefix("!seq:")));
        if let Some(class) = class.filter(|class| !class.is_empty()) {
            return self.rules.refuse(class);
        }
        let mut values = Vec::new();
        let mut weight = 1usize;
        loop {
            match self.next()? {
                Event::SequenceEnd => break,
                event => {
                    let node = self.node(event, depth + 1)?;
                    weight = weight.saturating_add(node.weight);
                    values.push(node.value);
                }
            }
        }
        let value = match tag {
            Some("!omap" | "tag:yaml.org,2002:omap") => {
                let pairs = values.iter().filter_map(|value| match value {
                    Value::Hash(hash) => hash.iter().next().map(|(key, value)| (key.clone(), value.clone())),
                    _ => None,
                });
                Value::hash(pairs)
            }
            _ => Value::from(values),
        };
        Ok(Node { value, weight, kind: NodeKind::Sequence })
    }

    fn mapping(&mut self, tag: Option<&str>, depth: usize) -> Read<Node> {
        if let Some(class) = tag.and_then(class_of_mapping) {
            return self.rules.refuse(class);
        }
        let mut hash = Hash::default();
        let mut weight = 1usize;
        loop {
            let key = match self.next()? {
                Event::MappingEnd => break,
                event => self.node(event, depth + 1)?,
            };
            let event = self.next()?;
            let value = self.node(event, depth + 1)?;
            weight = weight.saturating_add(key.weight).saturating_add(value.weight);
            let merges = key.kind != NodeKind::StringTagged && key.value.as_str() == Some("<<");
            if !(merges && merge(&mut hash, &value)) {
                hash.insert(key.value, value.value);
            }
        }
        let value = match tag {
            Some("!str" | "!ruby/string" | "tag:yaml.org,2002:str") => {
                hash.get(&Value::from("str")).cloned().unwrap_or_default()
            }
            _ => Value::from(hash),
        };
        Ok(Node { value, weight, kind: NodeKind::Mapping })
    }
}

/// Merges the value of a `<<`: a mapping, or a sequence of them, of which earlier ones win. Returns whether
/// it was one of these.
fn merge(hash: &mut Hash, node: &Node) -> bool {
    match (&node.value, node.kind) {
        (Value::Hash(other), NodeKind::Mapping | NodeKind::Alias) => {
            hash.extend(other.iter().map(|(key, value)| (key.clone(), value.clone())));
            true
        }
        (Value::Array(list), NodeKind::Sequence) => {
            let mut all = Hash::default();
            for value in list.iter().rev() {
                let Value::Hash(other) = value else { return false };
                all.extend(other.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            hash.extend(all);
            true
        }
        _ => false,
    }
}

fn unknown_alias<T>(name: &str) -> Read<T> {
    Err(Problem::Alias(name.to_owned()))
}

/// A scalar with its tag.
fn scalar(text: Cow<'_, str>, is_text: bool, tag: Option<&str>, rules: &Rules) -> Read<Value> {
    let Some(tag) = tag else {
        return if is_text { Ok(Value::from(&*text)) } else { resolve(&text, rules) };
    };
    match tag {
        "!str" | "!ruby/string" | "tag:yaml.org,2002:str" => Ok(Value::from(&*text)),
        "!binary" | "tag:yaml.org,2002:binary" => {
            use base64::Engine as _;
            let compact: String = text.chars().filter(|char| !char.is_whitespace()).collect();
            let bytes = base64::engine::general_purpose::STANDARD.decode(compact).unwrap_or_default();
            Ok(Value::byte_string(bytes))
        }
        "!float" | "tag:yaml.org,2002:float" => match resolve(&text, rules)? {
            Value::Integer(number) => Ok(Value::Float(number as f64)),
            Value::Float(number) => Ok(Value::Float(number)),
            _ => {
                Err(Problem::Scalar(format!("invalid value for Float(): {}", inspect_bytes(text.as_bytes()))))
            }
        },
        "!ruby/regexp" => rules.regexp(&text),
        "!ruby/range" => rules.refuse("Range"),
        "!ruby/encoding" => rules.refuse("Encoding"),
        "!ruby/class" | "!ruby/module" if text.is_empty() => Ok(Value::Undef),
        "!ruby/class" | "!ruby/module" => rules.refuse(&text),
        _ if tag.starts_with("!ruby/sym") => rules.symbol(symbol(&text)),
        _ => match tag.strip_prefix("!ruby/object:") {
            Some(class @ ("BigDecimal" | "Complex" | "DateTime" | "Rational")) => rules.refuse(class),
            _ => match class_in(tag, &["!str:", "!ruby/string:"]) {
                Some("") => Ok(Value::from(&*text)),
                Some(class) => rules.refuse(class),
                None => resolve(&text, rules),
            },
        },
    }
}

/// The part of a tag after one of these prefixes.
fn class_in<'t>(tag: &'t str, beginnings: &[&str]) -> Option<&'t str> {
    beginnings.iter().find_map(|beginning| tag.strip_prefix(beginning))
}

/// The class of a mapping with this tag, if it is not a hash.
fn class_of_mapping(tag: &str) -> Option<&str> {
    let named = |beginning: &str, other: &'static str| {
        let rest = tag.strip_prefix(beginning)?;
        Some(rest.strip_prefix(':').unwrap_or(rest)).filter(|name| !name.is_empty()).or(Some(other))
    };
    match tag {
        "!set" | "tag:yaml.org,2002:set" => Some("Psych::Set"),
        "!omap" | "tag:yaml.org,2002:omap" => Some("Psych::Omap"),
        "!ruby/range" => Some("Range"),
        "!ruby/object:Hash" => None,
        _ if tag.starts_with("!ruby/struct") => named("!ruby/struct", "Struct"),
        _ if tag.starts_with("!ruby/object") => named("!ruby/object", "Object"),
        _ if tag.starts_with("!ruby/exception") => named("!ruby/exception", "Exception"),
        _ => class_in(
            tag,
            &[
                "!str:",
                "!ruby/string:",
                "!ruby/array:",
                "!ruby/hash-with-ivars:",
                "!map:",
                "!ruby/hash:",
                "!ruby/marshalable:",
            ],
        )
        .filter(|class| !class.is_empty()),
    }
}

/// The value of a scalar without quotes.
fn resolve(text: &str, rules: &Rules) -> Read<Value> {
    match plain_scalar(text) {
        Ok(value) => rules.symbol(value),
        Err(class) => rules.refuse(class),
    }
}

fn symbol(text: &str) -> Value {
    Value::Runtime(Arc::new(RuntimeValue::symbol(text)))
}

/// A regular expression of Psych's scanner. Each is compiled when a text needs it, which most data never
/// does.
type Pattern = LazyLock<Option<Regex>>;

static TIME: Pattern = LazyLock::new(|| {
    Regex::new(
        r"^-?[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9][0-9]:[0-9][0-9](?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}:?(?:[0-9][0-9])?))?$",
    )
    .ok()
});
static DATE: Pattern =
    LazyLock::new(|| Regex::new(r"^[0-9]{4}-(?:1[012]|0[0-9]|[0-9])-(?:[12][0-9]|3[01]|0[0-9]|[0-9])$").ok());
static SIXTIES: Pattern = LazyLock::new(|| Regex::new(r"^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}$").ok());
static SIXTIES_FLOAT: Pattern =
    LazyLock::new(|| Regex::new(r"^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}\.[0-9_]*$").ok());
static FLOAT: Pattern =
    LazyLock::new(|| Regex::new(r"^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][+-][0-9]+)?$").ok());
static INTEGER: Pattern = LazyLock::new(|| {
    Regex::new(
        r"^(?:[-+]?0b[01_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$",
    )
    .ok()
});

fn matches(pattern: &Pattern, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a text begins with four digits, after a sign or not, and a dash, as dates and times do.
fn begins_with_year(text: &str) -> bool {
    let bytes = text.as_bytes();
    let year = bytes.strip_prefix(b"-").unwrap_or(bytes);
    year.len() > 4 && year.iter().take(4).all(u8::is_ascii_digit) && year.get(4) == Some(&b'-')
}

/// Whether a text has one point, as numbers do and versions and addresses do not.
fn has_one_point(text: &str) -> bool {
    text.bytes().filter(|byte| *byte == b'.').count() == 1
}

/// Whether a text has nothing but what whole numbers of any base are written with.
fn has_digits_only(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'+' | b'-' | b'_' | b',' | b'x'))
}

/// Whether a text is a decimal number without separators.
fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits == "0"
        || (digits.starts_with(|first| matches!(first, '1'..='9'))
            && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The time of a scalar without quotes and tag, if it is one.
fn time(text: &str) -> Option<Value> {
    if !begins_with_year(text) || !matches(&TIME, text) {
        return None;
    }
    let (date, time) = text.split_once([' ', '\t', 'T', 't'])?;
    let time: String = time.chars().filter(|char| !char.is_whitespace()).collect();
    let formats = Formats::Several(vec!["%FT%T.%N%z", "%FT%T%z", "%FT%T.%N", "%FT%T"]);
    Timestamp::parse(&format!("{date}T{time}"), &formats, None).ok().map(Value::from)
}

/// A scalar without quotes and tag, or the class of which it is an object.
pub(crate) fn plain_scalar(text: &str) -> Result<Value, &'static str> {
    let string = || Ok(Value::from(text));
    if text.is_empty() {
        return Ok(Value::Undef);
    }
    if looks_like_word(text) || text.contains('\n') {
        return Ok(word(text));
    }
    if is_decimal(text) {
        return integer(text).map_or_else(string, Ok);
    }
    if begins_with_year(text) {
        if matches(&TIME, text) {
            return Err("Time");
        }
        if matches(&DATE, text) {
            return Err("Date");
        }
    }
    match text.to_ascii_lowercase().as_str() {
        ".inf" | "+.inf" => return Ok(Value::Float(f64::INFINITY)),
        "-.inf" => return Ok(Value::Float(f64::NEG_INFINITY)),
        ".nan" => return Ok(Value::Float(f64::NAN)),
        _ => {}
    }
    if let Some(name) = text.strip_prefix(':').filter(|name| !name.is_empty()) {
        let quote = name.chars().next().filter(|char| matches!(char, '"' | '\''));
        let quoted = quote.and_then(|quote| Some(&name[1..name.rfind(quote).filter(|&end| end > 0)?]));
        return Ok(symbol(quoted.map_or(name, |text| text.strip_prefix(':').unwrap_or(text))));
    }
    let has_colon = text.contains(':');
    if has_colon && matches(&SIXTIES, text) {
        let parts = text.split(':').enumerate();
        let sum = parts.map(|(at, part)| {
            let number: i64 = part.replace('_', "").parse().unwrap_or(0);
            number.saturating_mul(if at == 1 {
                60
            } else if at == 0 {
                3600
            } else {
                1
            })
        });
        return Ok(Value::Integer(sum.fold(0, i64::saturating_add)));
    }
    if has_colon && matches(&SIXTIES_FLOAT, text) {
        let parts = text.split(':').enumerate();
        let sum = parts.map(|(at, part)| {
            let number: f64 = part.replace('_', "").trim_end_matches('.').parse().unwrap_or(0.0);
            number
                * if at == 1 {
                    60.0
                } else if at == 0 {
                    3600.0
                } else {
                    1.0
                }
        });
        return Ok(Value::Float(sum.sum()));
    }
    if has_one_point(text) && matches(&FLOAT, text) {
        if matches!(text, "." | "-." | "+.") {
            return string();
        }
        let digits = text.replace([',', '_'], "");
        let digits = match digits.find('.') {
            Some(at) if digits[at + 1..].is_empty() || digits[at + 1..].starts_with(['e', 'E']) => {
                format!("{}{}", &digits[..at], &digits[at + 1..])
            }
            _ => digits,
        };
        return digits.parse().map(Value::Float).or_else(|_| string());
    }
    if has_digits_only(text) && matches(&INTEGER, text) {
        return integer(&text.replace([',', '_'], "")).map_or_else(string, Ok);
    }
    string()
}

/// A number of any size, as Ruby's `Integer()` parses it.
fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let signed = if negative { format!("-{digits}") } else { digits.to_owned() };
    match i64::from_str_radix(&signed, radix) {
        Ok(number) => Some(Value::Integer(number)),
        Err(_) => parse_digits(negative, digits, radix).ok(),
    }
}

/// Whether Psych treats a scalar as a word before it looks for numbers.
fn looks_like_word(text: &str) -> bool {
    let in_class = |char: char| {
        char.is_alphabetic()
            || char.is_ascii_whitespace()
            || matches!(
                char,
                '_' | '!'
                    | '@'
                    | '#'
                    | '$'
                    | '%'
                    | '^'
                    | '&'
                    | '*'
                    | '('
                    | ')'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | '|'
                    | '/'
                    | '\\'
                    | '~'
                    | ';'
                    | '='
            )
    };
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    if in_class(first) {
        return true;
    }
    !(first.is_ascii_digit() || matches!(first, '.' | ':' | '-')) && chars.next().is_some_and(in_class)
}

/// A word: `null`, a boolean, or text. A short text of several lines has the value of such a line.
fn word(text: &str) -> Value {
    if text == "~" {
        return Value::Undef;
    }
    let is_text = |line: &str| !line.starts_with(['y', 'Y', 't', 'T', 'o', 'O', 'n', 'N', 'f', 'F', '~']);
    // The end of a text is not a line of its own.
    let lines = || text.strip_suffix('\n').unwrap_or(text).split('\n');
    if text.chars().count() > 5 || lines().any(is_text) {
        return Value::from(text);
    }
    let is_one_of =
        |words: &[&str]| lines().any(|line| words.iter().any(|word| line.eq_ignore_ascii_case(word)));
    if is_one_of(&["null"]) {
        Value::Undef
    } else if is_one_of(&["yes", "true", "on"]) {
        Value::Boolean(true)
    } else if is_one_of(&["no", "false", "off"]) {
        Value::Boolean(false)
    } else {
        Value::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Value {
        parse(text, None).unwrap()
    }

    #[test]
    fn scalars_follow_psych() {
        let list =
            read("[yes, Off, y, n, ~, null, 0755, 0o17, 1_000, 1:30, 1e3, 6.02e+23, 1., 08, '1', -0x1f]");
        let expected = Value::array([
            Value::Boolean(true),
            Value::Boolean(false),
            Value::from("y"),
            Value::from("n"),
            Value::Undef,
            Value::Undef,
            Value::Integer(493),
            Value::from("0o17"),
            Value::Integer(1000),
            Value::Integer(5400),
            Value::from("1e3"),
            Value::Float(6.02e23),
            Value::Float(1.0),
            Value::from("08"),
            Value::from("1"),
            Value::Integer(-31),
        ]);
        assert_eq!(list, expected);
        assert_eq!(read("a: |\n  12\nb: 12\n"), read("{a: \"12\\n\", b: 12}"));
        assert!(parse("a: 2024-02-29", None).is_err());
        assert_eq!(read(""), Value::Undef);
    }

    #[test]
    fn merge_keys_and_aliases() {
        let text =
            "base: &b {a: 1, b: 2}\nall:\n  a: 0\n  <<: *b\n  c: 3\nlist: {<<: [{a: 1}, {a: 2, z: 3}]}\n";
        let expected = "base: {a: 1, b: 2}\nall: {a: 1, b: 2, c: 3}\nlist: {a: 1, z: 3}\n";
        assert_eq!(read(text), read(expected));
        let laughs: String = (1..30).fold("a0: &a0 [1]\n".to_owned(), |text, at| {
            let before = at - 1;
            format!("{text}a{at}: &a{at} [*a{before}, *a{before}, *a{before}]\n")
        });
        assert!(parse(&laughs, None).is_err());
    }
}
