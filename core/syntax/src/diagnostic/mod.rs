//! Errors, warnings and log messages about a program, each with its place.
//!
//! An [`Issue`] is a kind of diagnostic, with a code that users and tools match on; its table is `issues`. A
//! [`Diagnostic`] is one finding of the parser or the validator at one place. An [`Error`] ends an
//! evaluation.

pub mod bug;
mod encoding;
pub mod issues;
pub mod label;
pub mod render;

use std::fmt;
use std::sync::Arc;

use crate::source::{Location, Range, Ranges, Source, Span, Unit};

/// The severity of a [`Diagnostic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but questionable.
    Warning,
    /// The program uses deprecated features.
    Deprecation,
}

impl Severity {
    /// The reference's word for the severity.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Deprecation => "deprecation",
        }
    }
}

/// The reference's `strict` setting: how questionable code is treated.
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

/// The code of a kind of diagnostic, such as `UNKNOWN_VARIABLE`. Declared in [`issues`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Issue(pub &'static str);

impl Issue {
    /// No issue: some errors of the parser have only a message.
    pub const NONE: Issue = Issue("");

    /// Not an issue of the language, but a limit of the parser. It has no code.
    pub const LIMIT: Issue = Issue("limit");

    /// The code's text; empty if there is none.
    pub fn code(self) -> &'static str {
        if self == Self::LIMIT { "" } else { self.0 }
    }
}

/// An issue with its message, but without a place. Made by the functions of [`issues`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The issue.
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
            ranges: Some(Box::new(Ranges::of(source, span))),
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
            ranges: None,
        }
    }

    /// The error about a span of a source, of which the reference tells no place.
    pub fn unplaced(self, source: &Source, span: Span) -> Diagnostic {
        Diagnostic { ranges: Some(Box::new(Ranges::of(source, span))), ..self.nowhere() }
    }

    /// This report as an evaluation error without a place yet; see [`Error::at`].
    pub fn into_error(self) -> Error {
        Error { issue: Some(self.issue), ..Error::evaluation(self.message) }
    }
}

/// A finding of the lexer, parser or validator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error, warning or deprecation.
    pub severity: Severity,
    /// The issue.
    pub issue: Issue,
    /// The message, without the location.
    pub message: String,
    /// The bytes that it is about, if any (a syntax error at the end of input has none).
    pub span: Option<Span>,
    /// File, line and column, as the reference reports them.
    pub location: Location,
    /// Where it starts and ends; empty at the end of the text for what the reference reports without a place.
    pub(crate) ranges: Option<Box<Ranges>>,
}

impl Diagnostic {
    /// Where it starts and ends, counted in a unit; an empty stretch at the end of the text where the input
    /// ends too early. Nothing for what is about no text at all (a limit).
    pub fn range(&self, unit: Unit) -> Option<Range> {
        self.ranges.as_ref().map(|ranges| ranges.in_unit(unit))
    }
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

/// The kind of an [`Error`]. Callers distinguish errors by it, and outer layers present and wrap them
/// accordingly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A text cannot be parsed.
    Syntax,
    /// A text can be parsed, but is invalid: validation rejects it.
    Validation,
    /// An issue raised while evaluating: the reference's `EvaluationError`, shown with the prefix `Evaluation
    /// Error: `.
    Evaluation,
    /// An invalid argument of a function, a type or an entry point of the library (the reference's
    /// `ArgumentError`). Within an evaluation, callers wrap it with their place.
    Argument,
    /// Any other failure of the reference's `Puppet::Error` family (an unknown resource type, a duplicate
    /// declaration …).
    Puppet,
    /// A lookup found nothing or failed (the reference's `DataBinding::LookupError`).
    Lookup,
    /// A limit of the compilation was exceeded.
    Limit,
    /// The work was cancelled.
    Cancelled,
    /// The library was built without the required feature.
    Unsupported,
    /// The reference crashes here and has no result either. Only the failure is part of the contract, not the
    /// message.
    ReferenceFails,
    /// A file or another external resource cannot be read or written.
    Io,
    /// The library itself is at fault: something panicked ([`bug`]). The program and its data may be valid.
    Bug,
}

impl ErrorKind {
    /// The name in lower case: `syntax`, `reference-fails` …
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

    /// Whether the work was ended from outside: by a limit, or by cancellation. The next attempt can succeed.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::Limit | Self::Cancelled)
    }

    /// Whether the failure is independent of the evaluated program: all layers pass it on unchanged.
    pub const fn ends_work(self) -> bool {
        matches!(self, Self::Limit | Self::Cancelled | Self::Unsupported | Self::Bug)
    }

    /// Whether the reference fails with an exception of Ruby's own, to which outer layers add less.
    pub const fn is_crash(self) -> bool {
        matches!(self, Self::ReferenceFails | Self::Io)
    }
}

/// A failure that ends an evaluation, with the innermost known place. It displays its message, followed by
/// the place in parentheses.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", WithPlace(self))]
pub struct Error {
    /// The kind of the failure.
    pub kind: ErrorKind,
    /// The message as in the reference, without the location and without the prefix of outer layers.
    pub message: String,
    /// The issue, if there is one.
    pub issue: Option<Issue>,
    /// The place, as far as it is known.
    pub location: Location,
    /// The Puppet calls that led here, innermost first.
    pub stack: Vec<Frame>,
    /// The failure of a function of the host, in the host's form.
    #[source]
    pub cause: Option<Cause>,
    /// Whether the message is complete: outer layers add no place and no words. This always holds for an
    /// error with a place.
    pub is_final: bool,
}

/// A failure outside of the language that caused an [`Error`].
pub type Cause = Arc<dyn std::error::Error + Send + Sync>;

/// An entry of the stack of an [`Error`]: a called function, an evaluated class or node, or a defined type.
/// The body of a defined type is evaluated later than it is declared; the classes and defined types that
/// contain it follow it in the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The name of the callee: a function's name, `Class[Apache]`, `Apache::Vhost[a]`, `Node[default]`.
    pub name: String,
    /// The place of the call. For an included class it is that of its definition, because the call of
    /// `include` has an entry of its own.
    pub location: Location,
}

impl fmt::Display for Frame {
    /// The name with its place in parentheses: `Class[Apache] (/code/site.pp:3)`.
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
    /// The message with its place, followed by the calls that led here, one a line.
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

    /// An invalid argument.
    pub fn argument(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Argument, ..Self::plain(message) }
    }

    /// A failure raised by the evaluator with the given text.
    pub fn evaluation(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Evaluation, ..Self::plain(message) }
    }

    /// A lookup that found nothing or failed.
    pub fn lookup(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Lookup, ..Self::plain(message) }
    }

    /// A limit that was exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Limit, ..Self::plain(message) }
    }

    /// A missing feature of the library.
    pub fn without_feature(feature: &str) -> Self {
        let message = format!("this library is built without the feature '{feature}'");
        Self { kind: ErrorKind::Unsupported, ..Self::plain(message) }
    }

    /// Work that was cancelled.
    pub fn cancelled(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Cancelled, ..Self::plain(message) }
    }

    /// A place where the reference itself crashes.
    pub fn internal(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::ReferenceFails, ..Self::plain(message) }
    }

    /// An external resource that cannot be read or written.
    pub fn io(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Io, ..Self::plain(message) }
    }

    /// The same error with this place, unless it already has one: the innermost place wins.
    pub fn at(mut self, source: &Source, span: Span) -> Self {
        if self.location.line.is_none() {
            self.location = Location::of(source, span.start);
        }
        self
    }
}

impl Error {
    /// Whether another error is the same: the same message at the same place.
    pub fn tells_the_same(&self, other: &Error) -> bool {
        (self.kind, self.issue, &self.message, &self.location)
            == (other.kind, other.issue, &other.message, &other.location)
    }

    /// The message as the reference shows it: failures of an evaluation have the prefix `Evaluation Error: `.
    pub fn full_message(&self) -> std::borrow::Cow<'_, str> {
        // A crash has an issue if it passed through an expression.
        let is_of_evaluator =
            self.kind == ErrorKind::Evaluation || (self.kind.is_crash() && self.issue.is_some());
        if is_of_evaluator {
            format!("Evaluation Error: {}", self.message).into()
        } else {
            (&self.message).into()
        }
    }
}

/// An error followed by its place in parentheses.
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
    /// Puppet's name of the level.
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
    /// The level.
    pub level: LogLevel,
    /// The message, without the location.
    pub message: String,
    /// The source of the message: `Puppet`, or the scope for `notice()` and similar functions
    /// (`Scope(Class[main])`).
    pub source: Arc<str>,
    /// The place, as far as it is known.
    pub location: Location,
    /// The issue, if there is one.
    pub issue: Option<Issue>,
    /// The key under which the reference logs the message once in a process; here it is logged once in a
    /// compilation.
    pub once: Option<Arc<str>>,
}

impl LogEntry {
    /// A message of Puppet itself, without a place.
    pub fn of_puppet(level: LogLevel, message: impl Into<String>) -> Self {
        let (source, location) = ("Puppet".into(), Location::default());
        Self { level, message: message.into(), source, location, issue: None, once: None }
    }
}
