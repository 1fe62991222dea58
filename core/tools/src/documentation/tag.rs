//! Tags of docstrings: `@param [String] name What it is`.
//!
//! Follows YARD's `tags/default_factory.rb` and the tags that puppet-strings adds.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value as Json};

use super::docstring::{Docstring, strip};
use super::reference::Reference;

/// A tag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tag {
    /// Such as `param`.
    pub tag_name: String,
    /// The text.
    pub text: Option<String>,
    /// Types; an unreadable one is `None`.
    pub types: Option<Vec<Option<String>>>,
    /// The name of its subject.
    pub name: Option<String>,
    /// The member that `@option` and `@enum` are about.
    pub pair: Option<Box<Tag>>,
    /// The signature that `@overload` is about.
    pub overload: Option<Box<Overload>>,
    /// Whether it is taken from another docstring.
    pub is_referred: bool,
}

/// The result of reading a tag.
pub enum Reading {
    /// A tag.
    Tag(Tag),
    /// An unknown tag.
    Unknown,
    /// One that misses something, or has it in the wrong order.
    Invalid,
    /// A tag that refers to another one.
    Reference(Reference),
}

/// A signature of a function, with its own documentation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overload {
    /// The function.
    pub name: String,
    /// Parameters with their defaults.
    pub parameters: Vec<(String, Option<String>)>,
    /// The docstring.
    pub docstring: Docstring,
    /// The signature as it was written, if a tag in the text contains it.
    pub written: Option<String>,
}

impl Tag {
    /// A tag of a name with a text.
    pub fn new(tag_name: &str, text: &str) -> Self {
        Self { tag_name: tag_name.to_owned(), text: Some(text.to_owned()), ..Self::default() }
    }

    /// The same with a type.
    pub fn typed(mut self, of: &str) -> Self {
        self.types = Some(vec![Some(of.to_owned())]);
        self
    }

    /// The same with a name.
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// The first type.
    pub fn first_type(&self) -> Option<&str> {
        self.types.as_ref()?.first()?.as_deref()
    }

    /// Whether it declares another type.
    pub fn differs(&self, of: &str) -> bool {
        self.types.as_ref().is_some_and(|types| types.first().is_some_and(|own| own.as_deref() != Some(of)))
    }

    /// Reads the text after `@tag_name`.
    pub fn read(tag_name: &str, text: &str) -> Reading {
        if let Some(found) = REFERENCE.captures(text) {
            let group = |number| found.get(number).map(|group| group.as_str().to_owned());
            let (name, path) = (group(1), group(2).unwrap_or_default());
            return Reading::Reference(Reference { tag_name: tag_name.to_owned(), name, path });
        }
        let tag_name = tag_name.replace('.', "_");
        if !KNOWN.contains(&tag_name.as_str()) {
            return Reading::Unknown;
        }
        Self::known(&tag_name, text).map_or(Reading::Invalid, Reading::Tag)
    }

    fn known(tag_name: &str, text: &str) -> Option<Self> {
        let mut tag = Self { tag_name: tag_name.to_owned(), ..Self::default() };
        match tag_name {
            "attr" | "attr_reader" | "attr_writer" | "param" | "yieldparam" => {
                (tag.name, tag.types, tag.text) = types_and_name(text);
            }
            "raise" | "return" | "yield" | "yieldreturn" => {
                let (name, types, text) = split_types(text, OPEN, CLOSE);
                if name.is_some() {
                    return None;
                }
                (tag.types, tag.text) = (types, Some(text));
            }
            "see" => (tag.name, tag.text) = name_and_text(text),
            "example" => (tag.name, tag.text) = title_and_text(text)?,
            "option" => {
                let (name, text) = name_and_text(text);
                tag.name = name;
                tag.pair = Some(Box::new(member(tag_name, text.as_deref()?)));
            }
            "enum" => {
                let (name, text) = name_and_text(text);
                let mut pair = Self { tag_name: tag_name.to_owned(), ..Self::default() };
                (pair.name, pair.text) = name_and_text(text.as_deref()?);
                tag.name = name;
                tag.pair = Some(Box::new(pair));
            }
            "overload" => {
                let overload = Overload::read(text);
                tag.name = (!overload.name.is_empty()).then(|| overload.name.clone());
                tag.overload = Some(Box::new(overload));
            }
            _ => tag.text = Some(strip(text).to_owned()),
        }
        Some(tag)
    }

    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        if let Some(overload) = self.overload.as_deref().filter(|overload| overload.written.is_none()) {
            return overload.to_json();
        }
        let mut json = Map::new();
        let mut put = |name: &str, value: Json| drop(json.insert(name.to_owned(), value));
        put("tag_name", self.tag_name.as_str().into());
        if let Some(pair) = &self.pair {
            put("opt_name", pair.name.as_deref().into());
            put("opt_text", pair.text.as_deref().into());
            if let Some(types) = &pair.types {
                put("opt_types", types.as_slice().into());
            }
            put("parent", self.name.as_deref().into());
        }
        if let Some(text) = &self.text {
            put("text", text.as_str().into());
        }
        if let Some(types) = &self.types {
            put("types", types.as_slice().into());
        }
        if let Some(name) = &self.name {
            put("name", name.as_str().into());
        }
        Json::Object(json)
    }
}

impl Overload {
    /// `@overload name(a, b)` with documentation below it.
    fn read(text: &str) -> Self {
        let (signature, rest) = text.split_once('\n').unwrap_or((text, ""));
        let written = strip(signature.trim_end_matches('\r')).to_owned();
        let indent = rest.len() - rest.trim_start().len();
        let rest: Vec<&str> = rest
            .split('\n')
            .map(|line| {
                let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
                if blank >= indent { line.get(indent..).unwrap_or_default() } else { line }
            })
            .collect();
        let name = NAME.captures(&written).and_then(|found| found.get(1)).map_or("", |name| name.as_str());
        Self {
            name: name.to_owned(),
            parameters: Vec::new(),
            docstring: Docstring::parse(strip(&rest.join("\n"))),
            written: Some(written),
        }
    }

    /// `name(Type $a, Type *$b)`
    pub fn signature(&self) -> String {
        match &self.written {
            Some(written) => written.clone(),
            None => signature(&self.name, &self.parameters, &self.docstring),
        }
    }

    fn to_json(&self) -> Json {
        let mut json = Map::new();
        json.insert("tag_name".to_owned(), "overload".into());
        json.insert("signature".to_owned(), self.signature().into());
        if !self.docstring.is_blank() {
            json.insert("docstring".to_owned(), self.docstring.to_json());
        }
        if let Some(defaults) = defaults(&self.parameters) {
            json.insert("defaults".to_owned(), defaults);
        }
        json.insert("name".to_owned(), self.name.as_str().into());
        Json::Object(json)
    }
}

/// `name(Type $a, Type *$b)`, with types as the tags of parameters have them.
pub fn signature(name: &str, parameters: &[(String, Option<String>)], docstring: &Docstring) -> String {
    let one = |(parameter, default): &(String, Option<String>)| {
        let tag = docstring.tags_named("param").find(|tag| tag.name.as_ref() == Some(parameter));
        let of =
            tag.filter(|tag| tag.types.is_some()).map_or("Any", |tag| tag.first_type().unwrap_or_default());
        let (prefix, own) = match parameter.strip_prefix(['*', '&']) {
            Some(own) => (parameter.get(..1).unwrap_or_default(), own),
            None => ("", parameter.as_str()),
        };
        let default = default.as_ref().map(|default| format!(" = {default}")).unwrap_or_default();
        format!("{of} {prefix}${own}{default}")
    };
    format!("{name}({})", parameters.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Parameters with defaults, by name.
pub fn defaults(parameters: &[(String, Option<String>)]) -> Option<Json> {
    let defaults =
        parameters.iter().filter_map(|(name, value)| Some((name.clone(), value.as_deref()?.into())));
    let defaults: Map<String, Json> = defaults.collect();
    (!defaults.is_empty()).then_some(Json::Object(defaults))
}

static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\A\s*(?:(\S+)\s+)?\(\s*see\s+(\S+)\s*\)\s*\z"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A(?:def\s)?\s*([\w:.]+[!?=]?)"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"'.+?'"#));
static DOUBLY_QUOTED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"".+?""#));
static METHOD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[a-zA-Z_]\w*[!?=]?|[-+~]@|<<|>>|=~|===?|![=~]?|<=>|[<>]=?|\*\*|[-/+%^&*~`]|\[\]=?")
});

/// A pattern whose `\s` and `\w` are Ruby's.
pub(super) fn pattern(text: &str) -> Regex {
    let text = text.replace(r"\s", r"(?-u:\s)").replace(r"\w", r"(?-u:\w)");
    #[expect(clippy::expect_used, reason = "the patterns are constants")]
    Regex::new(&text.replace(r"[(?-u:\w)", r"[0-9A-Za-z_")).expect("the pattern is well-formed")
}

/// All tags.
const KNOWN: &[&str] = &[
    "abstract",
    "api",
    "attr",
    "attr_reader",
    "attr_writer",
    "author",
    "deprecated",
    "enum",
    "example",
    "note",
    "option",
    "overload",
    "param",
    "private",
    "raise",
    "return",
    "see",
    "since",
    "summary",
    "todo",
    "version",
    "yield",
    "yieldparam",
    "yieldreturn",
];

const OPEN: &[char] = &['[', '(', '{', '<'];
const CLOSE: &[char] = &['>', '}', ')', ']'];

type Types = Option<Vec<Option<String>>>;

fn name_and_text(text: &str) -> (Option<String>, Option<String>) {
    let text = strip(text);
    match text.find(|letter: char| letter.is_ascii_whitespace() || letter == '\x0b') {
        _ if text.is_empty() => (None, None),
        None => (Some(text.to_owned()), None),
        Some(at) => {
            let (name, rest) = text.split_at(at);
            let rest =
                rest.trim_start_matches(|letter: char| letter.is_ascii_whitespace() || letter == '\x0b');
            (Some(name.to_owned()), Some(rest.to_owned()))
        }
    }
}

fn title_and_text(text: &str) -> Option<(Option<String>, Option<String>)> {
    if text.is_empty() {
        return None;
    }
    if text.starts_with([' ', '\t']) && text.get(1..).is_some_and(|rest| rest.starts_with('\n')) {
        return Some((None, Some(text.to_owned())));
    }
    let mut lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let (title, rest) = lines.split_first()?;
    let mut squeezed = String::new();
    for letter in title.chars() {
        if letter != ' ' || !squeezed.ends_with(' ') {
            squeezed.push(letter);
        }
    }
    Some((Some(strip(&squeezed).to_owned()), Some(rest.join("\n"))))
}

fn types_and_name(text: &str) -> (Option<String>, Types, Option<String>) {
    let (name, types, text) = split_types(text, OPEN, CLOSE);
    if name.is_some() {
        return (name, types, Some(text));
    }
    let (name, text) = name_and_text(&text);
    (name, types, text)
}

/// `[Types] name (default) text`, of `@option`.
fn member(tag_name: &str, text: &str) -> Tag {
    let without = |all: &[char], one| all.iter().copied().filter(|own| *own != one).collect::<Vec<_>>();
    let (mut name, types, rest) = split_types(text, &without(OPEN, '('), &without(CLOSE, ')'));
    let mut text = Some(rest);
    if name.is_none() {
        (name, text) = name_and_text(text.as_deref().unwrap_or_default());
    }
    if let Some(rest) = text.as_deref().filter(|text| text.starts_with('(')) {
        text = Some(split_types(rest, &['('], &[')']).2);
    }
    Tag { tag_name: tag_name.to_owned(), text, types, name, ..Tag::default() }
}

fn split_types(text: &str, open: &[char], close: &[char]) -> (Option<String>, Types, String) {
    match bracketed(text, open, close) {
        (_, None, text) => (None, None, strip(&text).to_owned()),
        (before, Some(list), text) => (
            before.map(|before| strip(&before).to_owned()),
            Some(list.iter().map(|one| Some(strip(one).to_owned())).collect()),
            strip(&text).to_owned(),
        ),
    }
}

/// The text before a list in brackets, the list, and the text after it.
fn bracketed(text: &str, open: &[char], close: &[char]) -> (Option<String>, Option<Vec<String>>, String) {
    let letters: Vec<char> = text.chars().collect();
    let rest_of = |at: usize| letters.iter().skip(at).collect::<String>();
    let (mut before, mut list) = (String::new(), vec![String::new()]);
    let (mut end, mut level, mut seen_space, mut at, mut last) = (0, 0_i64, false, 0, '\0');
    while let Some(&letter) = letters.get(at) {
        let quoted = match letter {
            '"' => DOUBLY_QUOTED.find(&rest_of(at)).map(|found| found.as_str().to_owned()),
            '\'' => QUOTED.find(&rest_of(at)).map(|found| found.as_str().to_owned()),
            _ => None,
        };
        if let (Some(quoted), Some(one)) = (quoted, list.last_mut()) {
            one.push_str(&quoted);
            at += quoted.chars().count();
            continue;
        }
        let method = if level > 0 && letter == '#' {
            METHOD.find(&rest_of(at + 1)).map(|found| found.as_str().to_owned())
        } else {
            None
        };
        let one_is_empty = list.len() == 1 && list.first().is_some_and(String::is_empty);
        let Some(one) = list.last_mut() else { break };
        if let Some(method) = method {
            one.push('#');
            one.push_str(&method);
            at += method.chars().count() + 1;
            continue;
        } else if open.contains(&letter) {
            if level > 0 {
                one.push(letter);
            }
            level += 1;
        } else if close.contains(&letter) {
            if !(last == '=' && letter == '>') {
                level -= 1;
            }
            if level == 0 {
                end = at;
                break;
            }
            one.push(letter);
        } else if letter == ',' && level == 1 {
            list.push(String::new());
        } else if !is_space(letter) && level == 0 {
            if seen_space && one_is_empty {
                end = at;
                break;
            }
            before.push(letter);
        } else if (letter == ' ' || letter == '\t') && level == 0 && !before.is_empty() {
            seen_space = true;
        } else if level >= 1 {
            one.push(letter);
        } else if level == 0 && letter == '\n' {
            end = at;
            break;
        }
        last = letter;
        at += 1;
    }
    if list.len() == 1 && list.first().is_some_and(String::is_empty) {
        return (None, None, text.to_owned());
    }
    ((!before.is_empty()).then_some(before), Some(list), rest_of(end + 1))
}

fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '\x0b'
}
