//! Wrong and missing parts of comments, in the words of puppet-strings and YARD.

use std::fmt;

use super::Documentation;
use super::docstring::Docstring;

/// The maximum length of a summary.
const MAX_SUMMARY_LENGTH: usize = 140;

/// A remark that puppet-strings logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Whether something could not be read, and not only that it is missing or superfluous.
    pub is_error: bool,
    /// The file, as it was asked for.
    pub file: String,
    /// The line of the definition, from 1; 0 in metadata of tasks.
    pub line: usize,
    /// The text, which names file and line where those of puppet-strings do.
    pub message: String,
}

impl fmt::Display for Warning {
    /// As YARD logs it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]: {}", if self.is_error { "error" } else { "warn" }, self.message)
    }
}

/// The place of a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    /// The file, as it was asked for.
    pub file: &'a str,
    /// The line, from 1.
    pub line: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A problem in a part of a docstring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An unknown tag.
    UnknownTag(String),
    /// A tag that misses something, or has it in the wrong order.
    InvalidTag(String),
    /// An unknown directive.
    UnknownDirective(String),
    /// A directive that misses something.
    InvalidDirective(String),
    /// `@see {…}`, by its number among the tags.
    SeeInBraces(usize),
    /// Something in the docstring of an `@overload`, which has no place.
    InOverload(Box<Problem>),
}

impl Problem {
    /// The text; none of a rule that only holds for docstrings of definitions.
    fn message(&self, place: Option<Place<'_>>) -> Option<String> {
        let near = place
            .map(|place| format!(" in file `{}` near line {}", place.file, place.line))
            .unwrap_or_default();
        Some(match self {
            Self::UnknownTag(name) => format!("Unknown tag @{name}{near}"),
            Self::InvalidTag(name) => format!("Invalid tag format for @{name}{near}"),
            Self::UnknownDirective(name) => format!("Unknown directive @!{name}{near}"),
            Self::InvalidDirective(name) => format!("Invalid directive format for @!{name}{near}"),
            Self::SeeInBraces(number) => {
                let place = place?;
                format!(
                    "@see tag (#{number}) should not be wrapped in {{}} (causes rendering issues): \n    in file `{}' near line {}",
                    place.file, place.line
                )
            }
            Self::InOverload(inner) => return inner.message(None),
        })
    }
}

impl Documentation {
    /// Records a missing or superfluous part.
    pub(super) fn warn(&mut self, place: Place<'_>, message: String) {
        self.log(false, place, message);
    }

    /// Notes what could not be read.
    pub(super) fn error(&mut self, place: Place<'_>, message: String) {
        self.log(true, place, message);
    }

    fn log(&mut self, is_error: bool, place: Place<'_>, message: String) {
        self.warnings.push(Warning { is_error, file: place.file.to_owned(), line: place.line, message });
    }

    /// Records the problems of a definition's docstring.
    pub(super) fn warn_of_docstring(&mut self, place: Place<'_>, docstring: &Docstring) {
        for message in docstring.problems.iter().filter_map(|problem| problem.message(Some(place))) {
            self.warn(place, message);
        }
    }

    /// Only records `@see {…}`.
    pub(super) fn warn_of_see(&mut self, place: Place<'_>, docstring: &Docstring) {
        let is_see = |problem: &&Problem| matches!(problem, Problem::SeeInBraces(_));
        for message in docstring.problems.iter().filter(is_see).filter_map(|one| one.message(Some(place))) {
            self.warn(place, message);
        }
    }

    /// Records problems of a docstring before its owner is known: the messages contain no place.
    pub(super) fn warn_of_comment(&mut self, place: Place<'_>, docstring: &Docstring) {
        for message in docstring.problems.iter().filter_map(|problem| problem.message(None)) {
            self.warn(place, message);
        }
    }

    /// Records that there is neither a text nor a tag.
    pub(super) fn warn_of_silence(&mut self, place: Place<'_>, what: &str, docstring: &Docstring) {
        if docstring.text.is_empty() && docstring.tags.is_empty() {
            self.warn(place, format!("Missing documentation for Puppet {what} at {place}."));
        }
    }

    /// Notes that a summary is too long; `what` is the kind of the definition.
    pub(super) fn warn_of_summary(
        &mut self,
        place: Place<'_>,
        what: &str,
        name: &str,
        docstring: &Docstring,
    ) {
        let summary = docstring.tags_named("summary").next().and_then(|tag| tag.text.as_deref());
        if summary.is_some_and(|text| text.chars().count() > MAX_SUMMARY_LENGTH) {
            let length = format!("exceeds the recommended limit of {MAX_SUMMARY_LENGTH} characters.");
            self.warn(place, format!("The length of the summary for {what} '{name}' {length}"));
        }
    }
}
