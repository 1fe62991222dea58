//! Texts in other languages: a heredoc with a syntax (`@(END:json)`) is checked by the validator if its text
//! is constant, and otherwise by the evaluator. Follows the reference's
//! `pops/evaluator/external_syntax_support.rb` and `syntax_checkers/`.

use std::sync::Arc;

use super::super::ast::{Node, NodeId, Text};
use super::super::{ParseOptions, parse_watched};
use super::{Checker, ValidateOptions, json};
use crate::diagnostic::render::{ReportOptions, assert_and_report, log_entry};
use crate::diagnostic::{Issue, LogEntry, LogLevel, Report, Severity, issues};
use crate::source::Source;
use crate::watch::Watch;

/// The maximum nesting of Puppet texts in Puppet texts that is checked.
const MAX_NESTING: u8 = 8;

/// Checks a text against a syntax, such as `json` or `data+json`. Unknown syntaxes are ignored. The log of a
/// Puppet text is added to `logs`. The watch can cancel the check, and the caller must ask it whether it did.
///
/// # Errors
///
/// The diagnostic, to be reported at the expression that made the text.
pub fn check_syntax(
    text: &str,
    syntax: &str,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
    watch: &Watch<'_>,
) -> Result<(), Report> {
    let mut known = syntax;
    let message = loop {
        match known {
            // The reference's checkers of its own languages compare the whole name.
            "pp" | "epp" if known != syntax => {
                let language = known.to_uppercase();
                let message =
                    format!("{language} syntax checker: the syntax identifier must be a String, e.g. pp");
                return Err(Report { issue: Issue::NONE, message });
            }
            "json" => {
                break json::check(text).err().map(|message| {
                    let shown = one_line(&message, 100);
                    (
                        "ILLEGAL_JSON",
                        format!("JSON syntax checker: Cannot parse invalid JSON string. \"{shown}\""),
                    )
                });
            }
            "base64" => {
                break base64_fault(text)
                    .map(|fault| ("ILLEGAL_BASE64", format!("Base64 syntax checker: {fault}")));
            }
            "pp" => {
                break puppet_fault(text, false, options, logs, watch).map(|fault| {
                    ("ILLEGAL_PP", format!("PP syntax checker: \"{}\"", one_line(&fault, 500)))
                });
            }
            "epp" => {
                break puppet_fault(text, true, options, logs, watch).map(|fault| {
                    ("ILLEGAL_EPP", format!("EPP syntax checker: \"{}\"", one_line(&fault, 500)))
                });
            }
            _ => match known.split_once('+') {
                Some((_, rest)) => known = rest,
                None => return Ok(()),
            },
        }
    };
    match message {
        Some((code, message)) => Err(issues::illegal_external_syntax(code, syntax, &message)),
        None => Ok(()),
    }
}

impl Checker<'_> {
    /// Checks the text of a heredoc without interpolation. An error in it ends the validation.
    pub(super) fn check_heredoc(&mut self, syntax: Option<Text>, text_expr: NodeId) {
        let (Some(syntax), Node::LiteralString { value }) = (syntax, *self.node(text_expr)) else { return };
        if syntax.is_empty() {
            return;
        }
        // The check takes long, so it is not made twice.
        if self.path().is_none() {
            return;
        }
        let (text, syntax) = (self.program.text(value), self.program.text(syntax));
        let checked = check_syntax(text, syntax, self.options, &mut self.logs, self.watch);
        if let Err(report) = checked {
            let span = self.program.span(text_expr);
            let is_placed = report.issue != Issue::NONE;
            self.refused = Some(if is_placed {
                report.at(Severity::Error, self.program.source(), span)
            } else {
                report.unplaced(self.program.source(), span)
            });
        }
    }
}

/// The beginning of a message, with `\n` for line ends.
fn one_line(message: &str, limit: usize) -> String {
    let shown: String = message.chars().take(limit).collect();
    shown.replace("\r\n", "\n").replace('\n', "\\n")
}

/// The error in a text in Base64, which ignores white space and question marks.
fn base64_fault(text: &str) -> Option<&'static str> {
    let is_skipped = |character: char| {
        matches!(character, '\r' | '\n' | '?' | '\t')
            || (character.is_whitespace() && !character.is_control())
    };
    let clean: String = text.chars().filter(|&character| !is_skipped(character)).collect();
    if is_base64(clean.as_bytes()) {
        None
    } else if !(clean.len() * 8).is_multiple_of(6) {
        Some("Cannot parse invalid Base64 string - padding is not correct")
    } else {
        Some(
            "Cannot parse invalid Base64 string - contains letters outside strict base 64 range (or whitespace)",
        )
    }
}

/// Whether these are groups of four letters of Base64, the last padded with `=` and without stray bits.
pub fn is_base64(text: &[u8]) -> bool {
    let letter = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (groups, rest) = text.as_chunks::<4>();
    let Some((last, full)) = groups.split_last() else { return rest.is_empty() };
    let last_is_fine = match *last {
        [a, b, b'=', b'='] => letter(a).is_some() && letter(b).is_some_and(|bits| bits & 15 == 0),
        [a, b, c, b'='] => {
            letter(a).is_some() && letter(b).is_some() && letter(c).is_some_and(|bits| bits & 3 == 0)
        }
        all => all.iter().all(|&byte| letter(byte).is_some()),
    };
    rest.is_empty() && last_is_fine && full.as_flattened().iter().all(|&byte| letter(byte).is_some())
}

/// The error in a text in Puppet's language or in a template.
fn puppet_fault(
    text: &str,
    epp: bool,
    options: &ValidateOptions<'_>,
    logs: &mut Vec<LogEntry>,
    watch: &Watch<'_>,
) -> Option<String> {
    if options.nesting >= MAX_NESTING {
        return None;
    }
    let source = Arc::new(Source::new(None, text));
    let mut warnings = Vec::new();
    let parse_options = ParseOptions { epp, tasks: options.tasks, stacks: options.stacks };
    let parsed = parse_watched(source, &parse_options, &mut warnings, watch);
    // The watch reports its cancellation.
    let Ok(parsed) = parsed else { return None };
    logs.extend(warnings.iter().map(|warning| log_entry(LogLevel::Warning, warning)));
    match parsed {
        Err(diagnostic) => Some(crate::diagnostic::Error::from(diagnostic).to_string()),
        Ok(program) => {
            let inner = ValidateOptions { nesting: options.nesting + 1, ..*options };
            let diagnostics = super::judge(&program, &inner, logs, watch);
            let (entries, result) = assert_and_report(&diagnostics, &ReportOptions::default());
            logs.extend(entries);
            result.err().map(|error| error.to_string())
        }
    }
}
