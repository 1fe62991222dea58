//! What the library says about a program: errors, warnings and log messages, each with its place.
//!
//! An [`Issue`] is a kind of complaint with a code that users and tools match on; its table is `issues`. A
//! [`Diagnostic`] is one complaint of the parser or the validator about one place. An [`Error`] ends an
//! evaluation.

pub mod bug;
mod encoding;
pub mod issues;
pub mod label;
pub mod render;

use std::fmt;
use std::sync::Arc;

use crate::source::{Location, Source, Span};

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is accepted, but questionable.
    Warning,
    /// The program uses what will go away.
    Deprecation,
}

impl Severity {
    /// The word that the reference uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Deprecation => "deprecation",
        }
    }
}

/// How the reference's `strict` setting treats questionable code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    Off,
    Warning,
    #[default]
    Error,
}

impl Strictness {
    /// `off`, `warning` or `error`, as the setting `strict` is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The code of a kind of complaint, such as `UNKNOWN_VARIABLE`. Declared in [`issues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Issue(pub &'static str);

impl Issue {
    /// No issue: some errors of the parser have but a message.
    pub const NONE: Issue = Issue("");

    /// No issue of the language: a limit of the parser. It has no code.
    pub const LIMIT: Issue = Issue("limit");

    /// The code's text; empty where there is none.
    pub fn code(self) -> &'static str {
        if self == Self::LIMIT { "" } else { self.0 }
    }
}

/// An issue with its message filled in, not yet tied to a place. Made by the functions of [`issues`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Which issue.
    pub issue: Issue,
    /// The message, without any location.
    pub message: String,
}

impl Report {
    /// The diagnostic of this severity at a span of a source.
    pub fn at(self, severity: Severity, source: &Source, span: Span) -> Diagnostic {
        Diagnostic {
            severity,
            issue: self.issue,
            message: self.message,
            span: Some(span),
            location: Location::of(source, span.start),
        }
    }

    /// The error without any place.
    pub fn nowhere(self) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            issue: self.issue,
            message: self.message,
            span: None,
            location: Location::default(),
        }
    }

    /// This report as an evaluation error without a place yet; see [`Error::at`].
    pub fn into_error(self) -> Error {
        Error { issue: Some(self.issue), ..Error::evaluation(self.message) }
    }
}

/// One complaint of the lexer, parser or validator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error, warning or deprecation.
    pub severity: Severity,
    /// Which issue.
    pub issue: Issue,
    /// The message, without the location.
    pub message: String,
    /// The bytes it is about, when it is about any (a syntax error at the end of input is not).
    pub span: Option<Span>,
    /// File, line and column, as the reference reports them.
    pub location: Location,
}

impl From<Diagnostic> for Error {
    fn from(diagnostic: Diagnostic) -> Self {
        Error {
            kind: if diagnostic.issue == Issue::LIMIT { ErrorKind::Limit } else { ErrorKind::Syntax },
            issue: Some(diagnostic.issue).filter(|issue| !issue.code().is_empty()),
            location: diagnostic.location,
            ..Error::plain(diagnostic.message)
        }
    }
}

/// What sort of failure an [`Error`] is: what callers tell apart, and what decides how outer layers present
/// and wrap it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A text is not of its language: it cannot be parsed.
    Syntax,
    /// A text can be parsed, but does not mean anything: validation refuses it.
    Validation,
    /// An issue raised while evaluating: the reference's `EvaluationError`, shown with `Evaluation Error: `
    /// before it.
    Evaluation,
    /// An argument that a function, a type or an entry point of the library refuses (the reference's
    /// `ArgumentError`); within an evaluation, callers wrap it with their place.
    Argument,
    /// Any other failure of the reference's `Puppet::Error` family (an unknown resource type, a duplicate
    /// declaration …).
    Puppet,
    /// A lookup found nothing or went wrong (the reference's `DataBinding::LookupError`).
    Lookup,
    /// A limit of the compilation was exceeded.
    Limit,
    /// Somebody has cancelled the work.
    Cancelled,
    /// The library was built without the feature that does this.
    Unsupported,
    /// The reference crashes here, and gives no answer of its own either. Only that this fails is part of the
    /// contract, not the message.
    ReferenceFails,
    /// A file or another thing outside cannot be read or written.
    Io,
    /// The library itself is at fault: something panicked ([`bug`]). Neither the program nor its data need be
    /// wrong.
    Bug,
}

impl ErrorKind {
    /// Its name in lower case: `syntax`, `reference-fails` …
    pub const fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Validation => "validation",
            Self::Evaluation => "evaluation",
            Self::Argument => "argument",
            Self::Puppet => "other",
            Self::Lookup => "lookup",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::Unsupported => "unsupported",
            Self::ReferenceFails => "reference-fails",
            Self::Io => "io",
            Self::Bug => "bug",
        }
    }

    /// Whether the work was ended from outside: by a limit, or by somebody who has cancelled it. The next
    /// attempt may succeed.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::Limit | Self::Cancelled)
    }

    /// Whether the failure says nothing of the program that was run: it goes through all layers as it is.
    pub const fn ends_work(self) -> bool {
        matches!(self, Self::Limit | Self::Cancelled | Self::Unsupported | Self::Bug)
    }

    /// Whether the reference fails with an exception of Ruby's own, of which outer layers say less.
    pub const fn is_crash(self) -> bool {
        matches!(self, Self::ReferenceFails | Self::Io)
    }
}

/// A failure that ends an evaluation, with the innermost place that is known. It displays its message with
/// the place behind it in parentheses.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", WithPlace(self))]
pub struct Error {
    /// What sort of failure.
    pub kind: ErrorKind,
    /// The message as the reference has it, without the location and without the prefix of outer layers.
    pub message: String,
    /// The issue, when there is one.
    pub issue: Option<Issue>,
    /// Where, as far as known.
    pub location: Location,
    /// The Puppet calls that led here, innermost first.
    pub stack: Vec<Frame>,
    /// What a function of the host failed with, as the host has it.
    #[source]
    pub cause: Option<Cause>,
    /// Whether the error says what it has to say: outer layers add no place and no words. An error with a
    /// place is that anyway.
    pub is_final: bool,
}

/// A failure outside of the language that an [`Error`] tells of.
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// One entry of the stack of an [`Error`]: a function that was called, a class or node that was evaluated, a
/// defined type. The body of a defined type is evaluated later than it is declared; behind it stand the
/// classes and defined types that contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What was called: a function's name, `Class[Apache]`, `Apache::Vhost[a]`, `Node[default]`.
    pub name: String,
    /// From where; for a class that was included where it is defined, as the call of `include` has an entry
    /// of its own.
    pub location: Location,
}

impl fmt::Display for Frame {
    /// What was called, with its place in parentheses: `Class[Apache] (/code/site.pp:3)`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)?;
        let file = self.location.file.as_deref().filter(|file| !file.is_empty());
        match (file, self.location.line) {
            (Some(file), Some(line)) => write!(out, " ({file}:{line})"),
            (Some(file), None) => write!(out, " ({file})"),
            (None, Some(line)) => write!(out, " (line {line})"),
            (None, None) => Ok(()),
        }
    }
}

impl Error {
    /// The message with its place, and below it the calls that led here, one a line.
    pub fn trace(&self) -> String {
        let mut text = self.to_string();
        for frame in &self.stack {
            text.push_str("\n  from ");
            text.push_str(&frame.to_string());
        }
        text
    }

    /// A failure of the `Puppet::Error` family.
    pub fn plain(message: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Puppet,
            message: message.into(),
            issue: None,
            location: Location::default(),
            stack: Vec::new(),
            cause: None,
            is_final: false,
        }
    }

    /// An argument that is refused.
    pub fn argument(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Argument, ..Self::plain(message) }
    }

    /// A failure raised by the evaluator with the given text.
    pub fn evaluation(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Evaluation, ..Self::plain(message) }
    }

    /// A lookup that found nothing or went wrong.
    pub fn lookup(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Lookup, ..Self::plain(message) }
    }

    /// A limit that was exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Limit, ..Self::plain(message) }
    }

    /// What a feature of the library would do that it was built without.
    pub fn without_feature(feature: &str) -> Self {
        let message = format!("this library is built without the feature '{feature}'");
        Self { kind: ErrorKind::Unsupported, ..Self::plain(message) }
    }

    /// Work that somebody has cancelled.
    pub fn cancelled(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Cancelled, ..Self::plain(message) }
    }

    /// A place where the reference itself crashes.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::ReferenceFails, ..Self::plain(message) }
    }

    /// Something outside that cannot be read or written.
    pub fn io(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Io, ..Self::plain(message) }
    }

    /// The same error with this place, unless it has one already: the innermost place wins.
    pub fn at(mut self, source: &Source, span: Span) -> Self {
        if self.location.line.is_none() {
            self.location = Location::of(source, span.start);
        }
        self
    }
}

impl Error {
    /// Whether another error is this one: the same words about the same place.
    pub fn tells_the_same(&self, other: &Error) -> bool {
        (self.kind, self.issue, &self.message, &self.location)
            == (other.kind, other.issue, &other.message, &other.location)
    }

    /// The message as the reference shows it: failures of an evaluation have `Evaluation Error: ` before
    /// them.
    pub fn full_message(&self) -> std::borrow::Cow<'_, str> {
        // What crashed has an issue when it went through an expression.
        let is_of_evaluator =
            self.kind == ErrorKind::Evaluation || (self.kind.is_crash() && self.issue.is_some());
        if is_of_evaluator {
            format!("Evaluation Error: {}", self.message).into()
        } else {
            (&self.message).into()
        }
    }
}

/// An error with its place behind it in parentheses.
struct WithPlace<'e>(&'e Error);

impl fmt::Display for WithPlace<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0.full_message())?;
        let location = render::error_location(&self.0.location);
        if location.is_empty() { Ok(()) } else { write!(out, " {location}") }
    }
}

/// The levels of Puppet's log, least urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Err,
    Alert,
    Crit,
    Emerg,
}

impl LogLevel {
    /// Puppet's word for the level.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Err => "err",
            Self::Alert => "alert",
            Self::Crit => "crit",
            Self::Emerg => "emerg",
        }
    }

    /// The level of a name; `err` is another name of `error`.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [
            Self::Debug,
            Self::Info,
            Self::Notice,
            Self::Warning,
            Self::Err,
            Self::Alert,
            Self::Emerg,
            Self::Crit,
        ];
        all.into_iter().find(|level| level.name() == name)
    }
}

/// A message for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// How urgent.
    pub level: LogLevel,
    /// The message, without the location.
    pub message: String,
    /// Who says it: `Puppet`, or the scope for `notice()` and its like (`Scope(Class[main])`).
    pub source: Arc<str>,
    /// Where, as far as known.
    pub location: Location,
    /// The issue, when there is one.
    pub issue: Option<Issue>,
    /// What the reference knows it by, if it says it once in a process; here it is said once in a
    /// compilation.
    pub once: Option<Arc<str>>,
}

impl LogEntry {
    /// What Puppet itself says, without a place.
    pub fn of_puppet(level: LogLevel, message: impl Into<String>) -> Self {
        let (source, location) = ("Puppet".into(), Location::default());
        Self { level, message: message.into(), source, location, issue: None, once: None }
    }
}
