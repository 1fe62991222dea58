//! Findings.

use std::sync::Arc;

use bunraku_index::FileIndex;
use bunraku_syntax::diagnostic;
use bunraku_syntax::source::{Source, Span, Unit};
use serde_json::{Map, Value as Json, json};

use super::codes::Code;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Every evaluation of the place fails.
    Error,
    /// It is surely not meant, and may fail.
    Warning,
    /// It may not be meant.
    Note,
}

impl Severity {
    /// In lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A stretch of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file; none of a main manifest that was given as text.
    pub file: Option<Arc<str>>,
    /// The first line, from 1.
    pub line: u32,
    /// The first column in characters, from 1.
    pub column: u32,
    /// The line after its end.
    pub end_line: u32,
    /// The column after its end.
    pub end_column: u32,
    /// The bytes.
    pub span: Option<Span>,
}

impl Place {
    /// A stretch of a source.
    pub fn of(source: &Source, span: Span) -> Self {
        let range = source.range_in(span, Unit::Character);
        Self {
            file: source.path().cloned(),
            line: range.start.line,
            column: range.start.column,
            end_line: range.end.line,
            end_column: range.end.column,
            span: Some(span),
        }
    }

    fn to_json(&self) -> Json {
        json!({
            "file": self.file.as_deref(), "line": self.line, "column": self.column,
            "end_line": self.end_line, "end_column": self.end_column,
        })
    }
}

/// The fix of a finding: a replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The effect.
    pub message: String,
    /// The replaced text.
    pub place: Place,
    /// By which text.
    pub text: String,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// The problem, with a suggestion.
    pub message: String,
    /// The place.
    pub place: Place,
    /// Further places that explain it, each with a description.
    pub related: Vec<(String, Place)>,
    /// The fix.
    pub fix: Option<Fix>,
}

impl Finding {
    pub(crate) fn new(code: Code, severity: Severity, place: Place, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), place, related: Vec::new(), fix: None }
    }

    /// Adds another place that explains it.
    pub(crate) fn related(mut self, what: impl Into<String>, place: Option<Place>) -> Self {
        self.related.extend(place.map(|place| (what.into(), place)));
        self
    }

    /// Adds a suggestion to the message and as a fix: `name` replaces the text at the place.
    pub(crate) fn meant(mut self, name: Option<&str>, source: &Source) -> Self {
        let Some(name) = name else { return self };
        self.message.push_str(&format!("; did you mean '{name}'?"));
        let is_plain = |span: Span| {
            let text = source.slice(span);
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:.-".contains(&byte))
        };
        if self.place.span.is_some_and(is_plain) {
            let message = format!("write '{name}'");
            self.fix = Some(Fix { message, place: self.place.clone(), text: name.to_owned() });
        }
        self
    }

    /// The sort key of findings.
    pub(crate) fn key(&self) -> (Option<&str>, u32, u32, Severity, &'static str) {
        let place = &self.place;
        (place.file.as_deref(), place.line, place.column, self.severity, self.code.name())
    }

    /// As an object with `code`, `severity`, `message`, `file`, `line`, `column`, `end_line`, `end_column`,
    /// `related` (objects with `message` and a place) and `fix` (`message`, a place and `text`, or null).
    pub fn to_json(&self) -> Json {
        let mut json = Map::new();
        json.insert("code".into(), self.code.name().into());
        json.insert("severity".into(), self.severity.name().into());
        json.insert("message".into(), self.message.as_str().into());
        let place = |json: &mut Map<String, Json>, place: &Place| {
            if let Json::Object(members) = place.to_json() {
                json.extend(members);
            }
        };
        place(&mut json, &self.place);
        let related = self.related.iter().map(|(message, at)| {
            let mut json = Map::new();
            json.insert("message".into(), message.as_str().into());
            place(&mut json, at);
            Json::Object(json)
        });
        json.insert("related".into(), related.collect());
        let fix = self.fix.as_ref().map(|fix| {
            let mut json = Map::new();
            json.insert("message".into(), fix.message.as_str().into());
            place(&mut json, &fix.place);
            json.insert("text".into(), fix.text.as_str().into());
            Json::Object(json)
        });
        json.insert("fix".into(), fix.into());
        Json::Object(json)
    }
}

/// The messages of the parser and the validator about a file.
pub(crate) fn of_diagnostics(file: &FileIndex) -> impl Iterator<Item = Finding> + '_ {
    file.diagnostics.iter().map(|one| {
        let severity = match one.severity {
            diagnostic::Severity::Error => Severity::Error,
            diagnostic::Severity::Warning => Severity::Warning,
            diagnostic::Severity::Deprecation => Severity::Note,
        };
        // A message without a place gets the end of the text.
        let end = u32::try_from(file.source.text().len()).unwrap_or_default();
        let mut place = Place::of(&file.source, one.span.unwrap_or(Span::new(end, end)));
        if let (None, Some(line)) = (one.span, one.location.line) {
            let column = one.location.column.unwrap_or(1);
            place = Place { line, column, end_line: line, end_column: column, ..place };
        }
        let code = match one.issue.code() {
            "ILLEGAL_DEFINITION_LOCATION" => Code::MisplacedDefinition,
            _ => Code::Syntax,
        };
        Finding::new(code, severity, place, one.message.clone())
    })
}
