//! What checks find, before it is reported.

use std::borrow::Cow;

use crate::manifest::Manifest;
use crate::{Kind as Outcome, Severity};

/// A mistake that a check found.
#[derive(Debug)]
pub(crate) struct Problem {
    /// The name of the check.
    pub check: &'static str,
    pub outcome: Outcome,
    pub message: Cow<'static, str>,
    pub line: u32,
    pub column: u32,
    /// Why it is ignored.
    pub reason: Option<String>,
    /// The token that is mended.
    pub token: Option<usize>,
    pub fixing: Fixing,
}

/// What mending needs to know beside the token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fixing {
    #[default]
    Nothing,
    /// The name of the first attribute of the resource.
    First(usize),
    /// The name of the attribute.
    Symlink(usize),
    /// The quotes of a string.
    Quotes(usize, usize),
    /// Where the arrow belongs, and how far the name before it is indented on a line of its own.
    Arrow { column: usize, newline_indent: Option<usize> },
    /// The name of a fact.
    Fact(String),
    /// What is written instead.
    Value(&'static str),
    /// How far a line should be indented, and how far it is.
    Indent { expected: i64, actual: i64 },
}

/// What one check finds.
pub(crate) struct Problems<'m> {
    text: &'m Manifest<'m>,
    check: &'static str,
    severity: Severity,
    pub problems: Vec<Problem>,
}

impl<'m> Problems<'m> {
    pub fn new(text: &'m Manifest<'m>, check: &'static str, severity: Severity) -> Self {
        Self { text, check, severity, problems: Vec::new() }
    }

    /// A mistake at a token.
    pub fn at(&mut self, token: usize, message: impl Into<Cow<'static, str>>) {
        self.fixable(token, message, Fixing::Nothing);
    }

    /// A mistake at a token, with what mending it needs.
    pub fn fixable(&mut self, token: usize, message: impl Into<Cow<'static, str>>, fixing: Fixing) {
        let (line, column) = (self.text.tokens[token].line, self.text.tokens[token].column);
        self.push(line, column, message.into(), Some(token), fixing);
    }

    /// A mistake at a place.
    pub fn line(&mut self, line: u32, column: u32, message: impl Into<Cow<'static, str>>) {
        self.push(line, column, message.into(), None, Fixing::Nothing);
    }

    /// A mistake at a token that is an error, whatever the check's severity.
    pub fn error(&mut self, token: usize, message: &'static str) {
        self.at(token, message);
        if let Some(last) = self.problems.last_mut() {
            (last.outcome, last.token) = (Outcome::Error, None);
        }
    }

    /// A mistake of the syntax.
    pub fn syntax(&mut self, token: usize, message: &'static str) {
        self.error(token, message);
        if let Some(last) = self.problems.last_mut() {
            last.check = crate::SYNTAX;
        }
    }

    fn push(
        &mut self,
        line: u32,
        column: u32,
        message: Cow<'static, str>,
        token: Option<usize>,
        fixing: Fixing,
    ) {
        let outcome = match self.severity {
            Severity::Error => Outcome::Error,
            Severity::Warning => Outcome::Warning,
        };
        let check = self.check;
        self.problems.push(Problem { check, outcome, message, line, column, reason: None, token, fixing });
    }
}
