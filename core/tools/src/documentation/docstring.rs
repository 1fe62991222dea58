//! Docstrings: a text with tags.
//!
//! Follows YARD's `docstring_parser.rb`: a tag continues as long as lines are indented; `@!name` is a
//! directive.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value as Json};

use super::reference::Reference;
use super::tag::{Reading, Tag, pattern};
use super::warning::Problem;

/// A docstring.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Docstring {
    /// The text without tags.
    pub text: String,
    /// The tags, in order.
    pub tags: Vec<Tag>,
    /// Directives with their texts.
    pub directives: Vec<(String, String)>,
    /// The whole comment.
    pub all: String,
    /// The problems in it.
    pub problems: Vec<Problem>,
    /// The target of a reference for the whole: `(see x)`.
    pub reference: Option<String>,
    /// Tags that are like others: `@param a (see x)`.
    pub references: Vec<Reference>,
    /// The numbers of `@see {…}`.
    pub(super) in_braces: Vec<usize>,
}

static META: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\A@(!)?((?:\w\.?)+)(?:\s+(.*))?\z"));
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*\(see (\S+)\s*\)(?:\s|\z)"));

/// Tags that were directives once.
const OLD_DIRECTIVES: &[&str] = &["attribute", "endgroup", "group", "macro", "method", "scope", "visibility"];

/// All directives.
const DIRECTIVES: &[&str] = &[
    "attribute",
    "endgroup",
    "group",
    "macro",
    "method",
    "parse",
    "puppet_type_param",
    "puppet_type_property",
    "scope",
    "visibility",
];

/// Tags that make something documented.
const VISIBLE: &[&str] = &[
    "abstract",
    "deprecated",
    "note",
    "todo",
    "example",
    "overload",
    "param",
    "option",
    "enum",
    "yield",
    "yieldparam",
    "yieldreturn",
    "return",
    "raise",
    "see",
    "author",
    "since",
    "version",
];

/// The tags that a signature is documented by.
pub const OF_SIGNATURES: &[&str] = &["param", "option", "enum", "return", "example"];

impl Docstring {
    /// Takes a comment apart.
    pub fn parse(content: &str) -> Self {
        let found = REFERENCE.captures(content);
        let reference = found.as_ref().and_then(|found| found.get(1)).map(|path| path.as_str().to_owned());
        let begin = found.and_then(|found| found.get(0)).map_or(0, |whole| whole.end());
        let content = content.get(begin..).unwrap_or_default();
        let mut own = Self { all: content.to_owned(), reference, ..Self::default() };
        let text = own.read(content);
        own.text = strip(&text).to_owned();
        let in_braces = std::mem::take(&mut own.in_braces);
        own.problems.extend(in_braces.into_iter().map(Problem::SeeInBraces));
        own
    }

    fn directive(&mut self, name: String, text: String) {
        if !DIRECTIVES.contains(&name.replace('.', "_").as_str()) {
            self.problems.push(Problem::UnknownDirective(name));
        } else if text.is_empty() && matches!(name.as_str(), "macro" | "method") {
            self.problems.push(Problem::InvalidDirective(name));
        } else {
            self.directives.push((name, text));
        }
    }

    fn tag(&mut self, name: String, text: &str) {
        match Tag::read(&name, text) {
            Reading::Tag(tag) => {
                let overload = tag.overload.iter().flat_map(|overload| &overload.docstring.problems);
                let problems = overload.filter(|problem| !matches!(problem, Problem::SeeInBraces(_)));
                self.problems.extend(problems.map(|problem| Problem::InOverload(Box::new(problem.clone()))));
                let told: String = [&tag.name, &tag.text].into_iter().flatten().map(String::as_str).collect();
                let is_see = tag.tag_name == "see" && !told.contains('\n');
                if is_see && told.starts_with('{') && told.ends_with('}') {
                    self.in_braces.push(self.tags.len() + self.references.len() + 1);
                }
                self.tags.push(tag);
            }
            Reading::Unknown => self.problems.push(Problem::UnknownTag(name)),
            Reading::Invalid => self.problems.push(Problem::InvalidTag(name)),
            Reading::Reference(reference) => self.references.push(reference),
        }
    }

    fn read(&mut self, content: &str) -> String {
        let mut lines: Vec<&str> =
            content.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        while lines.last().is_some_and(|line| line.is_empty()) {
            lines.pop();
        }
        let mut text = String::new();
        if lines.is_empty() {
            return text;
        }
        let count = lines.len();
        let (mut last_indent, mut own_indent, mut last_line) = (0, 0, "");
        let mut open: Option<(bool, String, Vec<String>)> = None;
        for (index, line) in lines.into_iter().chain([""]).enumerate() {
            let indent = line.len() - line.trim_start_matches(is_space).len();
            let (is_empty, is_done) = (indent == line.len(), index == count);
            let meta = META.captures(line);
            let ends = (indent < own_indent && !is_empty)
                || is_done
                || (indent == 0 && !is_empty)
                || (indent <= last_indent && meta.is_some());
            if let Some((is_directive, name, lines)) = open.take_if(|_| ends) {
                let lines = lines.join("\n");
                if is_directive || OLD_DIRECTIVES.contains(&name.as_str()) {
                    self.directive(name, lines);
                } else {
                    self.tag(name, &lines);
                }
                own_indent = 0;
            }
            if let Some(found) = meta {
                let group = |number| found.get(number).map(|group| group.as_str().to_owned());
                let name = group(2).unwrap_or_default();
                open = Some((group(1).is_some(), name, vec![group(3).unwrap_or_default()]));
            } else if let Some((_, _, lines)) = &mut open {
                if indent >= own_indent && !is_empty {
                    if own_indent == 0 {
                        own_indent = indent;
                    }
                    if last_line.trim_matches([' ', '\t']).is_empty() {
                        lines.push(String::new());
                    }
                    let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
                    let cut = if blank >= own_indent { own_indent } else { 0 };
                    lines.push(line.get(cut..).unwrap_or_default().to_owned());
                }
            } else {
                text.push_str(line);
                text.push('\n');
            }
            last_indent = indent;
            last_line = line;
        }
        text
    }

    /// The tags by their names, those of one name in order.
    pub fn sorted_tags(&self) -> Vec<&Tag> {
        let mut tags: Vec<&Tag> = self.tags.iter().collect();
        tags.sort_by(|one, other| one.tag_name.cmp(&other.tag_name));
        tags
    }

    /// The tags of a name.
    pub fn tags_named(&self, name: &str) -> impl Iterator<Item = &Tag> {
        self.tags.iter().filter(move |tag| tag.tag_name == name)
    }

    /// Whether a tag with this name exists.
    pub fn has_tag(&self, name: &str) -> bool {
        self.tags.iter().any(|tag| tag.tag_name == name)
    }

    /// The first tag of a name.
    pub fn tag_mut(&mut self, name: &str) -> Option<&mut Tag> {
        self.tags.iter_mut().find(|tag| tag.tag_name == name)
    }

    /// Whether readers see nothing of it.
    pub fn is_blank(&self) -> bool {
        self.text.is_empty() && !self.tags.iter().any(|tag| VISIBLE.contains(&tag.tag_name.as_str()))
    }

    /// Everything without another declared interface is public.
    pub(super) fn make_public(&mut self) {
        if !self.has_tag("api") {
            self.add_tag(Tag::new("api", "public"));
        }
    }

    /// As puppet-strings writes it.
    pub fn to_json(&self) -> Json {
        self.selected(|_| true)
    }

    /// The same with only those tags that a signature is documented by.
    pub fn to_json_of_signature(&self) -> Json {
        self.selected(|tag| OF_SIGNATURES.contains(&tag.tag_name.as_str()))
    }

    fn selected(&self, is_wanted: impl Fn(&Tag) -> bool) -> Json {
        let is_public = |tag: &Tag| tag.tag_name == "api" && tag.text.as_deref() == Some("public");
        let tags = self.sorted_tags().into_iter().filter(|tag| is_wanted(tag) && !is_public(tag));
        let tags: Vec<Json> = tags.map(Tag::to_json).collect();
        let mut json = Map::new();
        json.insert("text".to_owned(), self.text.as_str().into());
        if !tags.is_empty() {
            json.insert("tags".to_owned(), tags.into());
        }
        Json::Object(json)
    }
}

/// A text without the blanks around it, as Ruby's `strip`.
pub(super) fn strip(text: &str) -> &str {
    text.trim_start_matches(|letter| is_space(letter) || letter == '\0')
        .trim_end_matches(|letter| is_space(letter) || letter == '\0')
}

fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '\x0b'
}

/// A text in a program's code without the indentation of that code.
///
/// Follows the reference's `util/docs.rb`: the smallest indentation of the lines after the first.
pub fn scrub(text: &str) -> String {
    if !strip(text).contains('\n') {
        return strip(text).to_owned();
    }
    let rest = text.split_once('\n').map_or("", |(_, rest)| rest);
    let indents = rest.split('\n').filter_map(|line| {
        let body = line.trim_start_matches([' ', '\t']);
        let is_said = body.chars().next().is_some_and(|letter| !is_space(letter));
        is_said.then(|| line.get(..line.len() - body.len()).unwrap_or_default())
    });
    let indent = indents.min().unwrap_or_default();
    let lines = text.split('\n').map(|line| line.strip_prefix(indent).unwrap_or(line));
    let lines: Vec<&str> =
        lines.map(|line| line.trim_end_matches(|letter| is_space(letter) || letter == '\0')).collect();
    lines.join("\n").trim_end_matches(is_space).to_owned()
}

static PERCENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?ms)^%[Qq]\{(.*)\}$"));

/// The same of a literal, which may be a string in `%q{}`.
pub(super) fn scrub_literal(text: &str) -> String {
    let inner = PERCENT.captures(text).and_then(|found| found.get(1));
    scrub(inner.map_or(text, |inner| inner.as_str()))
}
