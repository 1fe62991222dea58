//! The checks of puppet-lint, on the tokens of the language.
//!
//! What exists is in the table [`CHECKS`]; what a check does is a function in the file of its family. All
//! checks look at the same tokens (`lex`), and what they find is mended afterwards, one after the other
//! (`fix`), as puppet-lint does, so that both write the same bytes.

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::get_unwrap, clippy::panic, clippy::unreachable, clippy::unwrap_used)
)]

mod classes;
mod comments;
mod control;
mod facts;
mod fix;
mod heredoc;
mod lex;
mod list;
mod manifest;
mod plugins;
mod problem;
pub mod reference;
pub mod request;
mod resources;
mod strings;
mod table;
mod token;
mod variables;
mod whitespace;

use std::collections::HashSet;

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::{Never, Watch};

use manifest::{CheckError, Manifest};
use plugins::parameters::DOCUMENTATION_STYLES;
use problem::{Problem, Problems};
pub use table::{CHECKS, Check, check_named, checks_of_plugin};

/// The name of the check that tells what cannot be read.
pub const SYNTAX: &str = "syntax";

/// How a text is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintOptions {
    /// The absolute path of the file. Without one, `autoloader_layout` finds nothing.
    pub path: Option<String>,
    /// Whether the layout of a module counts from its root, whatever the name of its directory.
    pub relative: bool,
    /// The names of the checks that run.
    pub checks: Vec<String>,
    /// Variables of the top scope that are no facts.
    pub top_scope_variables: Vec<String>,
    /// The styles in which comments may document parameters: "doc", "kafo", "strings".
    pub docs_allowed_styles: Vec<String>,
    /// By how many characters `strict_indent` wants lines indented for each level.
    pub chars_per_indent: u32,
    /// Whether what can be mended is mended.
    pub fix: bool,
}

impl Default for LintOptions {
    fn default() -> Self {
        let on = CHECKS.iter().filter(|check| check.is_on).map(|check| check.name.to_owned());
        Self {
            path: None,
            relative: false,
            checks: on.collect(),
            top_scope_variables: Vec::new(),
            docs_allowed_styles: DOCUMENTATION_STYLES.map(str::to_owned).to_vec(),
            chars_per_indent: 2,
            fix: false,
        }
    }
}

/// How bad it is what a check finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It is wrong.
    Error,
    /// It is bad style.
    Warning,
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is wrong.
    Error,
    /// It is bad style.
    Warning,
    /// It was mended.
    Fixed,
    /// A comment says that it is as it should be.
    Ignored,
}

impl Kind {
    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Fixed => "fixed",
            Self::Ignored => "ignored",
        }
    }
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the check.
    pub check: &'static str,
    /// How bad it is, or what became of it.
    pub kind: Kind,
    /// What is wrong.
    pub message: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Why it is ignored, as the comment says.
    pub reason: Option<String>,
}

/// What all checks found in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// By check, in the order of [`CHECKS`].
    pub findings: Vec<Finding>,
    /// Comments that switch checks off and do not fit together.
    pub warnings: Vec<String>,
    /// The mended text, if it was asked for and the text can be read.
    pub fixed: Option<String>,
}

/// Checks a text.
///
/// ```
/// use bunraku_lint::{LintOptions, lint};
///
/// let report = lint("$a = \"text\"\n", &LintOptions::default());
/// let found: Vec<_> = report.findings.iter().map(|one| (one.check, one.line, one.column)).collect();
/// assert_eq!(found, [("double_quoted_strings", 1, 6)]);
///
/// let fix = LintOptions { fix: true, ..LintOptions::default() };
/// assert_eq!(lint("$a = \"text\"\n", &fix).fixed.as_deref(), Some("$a = 'text'\n"));
/// ```
pub fn lint(text: &str, options: &LintOptions) -> Report {
    // Nobody ends it.
    lint_watched(text, options, &Watch::new(&Never)).unwrap_or_default()
}

/// Checks a text; what watches may end it.
///
/// # Errors
/// The work was ended.
pub fn lint_watched(text: &str, options: &LintOptions, watch: &Watch<'_>) -> Result<Report, Error> {
    watch.check()?;
    let mut problems = Vec::new();
    let tokens = lex::tokens(text).unwrap_or_else(|unreadable| {
        let message =
            if unreadable.is_string { "Syntax error (unterminated string)" } else { "Syntax error" };
        problems.push(syntax_error(message, unreadable.line, unreadable.column));
        Vec::new()
    });
    watch.check()?;
    let controls = control::Controls::of(&tokens);
    let manifest = Manifest::new(text, tokens, options, watch);
    let is_wanted = |check: &&Check| options.checks.iter().any(|name| name == check.name);
    let mut found = Vec::new();
    for check in CHECKS.iter().filter(is_wanted) {
        let mut own = Problems::new(&manifest, check.name, check.severity);
        match (check.run)(&manifest, &mut own) {
            Ok(()) => {
                // Plug-ins tell some mistakes once for each resource or block that they look at.
                let mut told = HashSet::new();
                let is_new = |one: &Problem| told.insert((one.line, one.column, one.message.clone()));
                match check.plugin {
                    Some(_) => found.extend(own.problems.into_iter().filter(is_new)),
                    None => found.append(&mut own.problems),
                }
            }
            Err(CheckError::Ended(error)) => return Err(*error),
            Err(CheckError::Syntax(at)) => {
                // What the checks found before makes no sense.
                let token = &manifest.tokens[at];
                found = vec![syntax_error("Syntax error", token.line, token.column)];
                break;
            }
        }
    }
    for problem in &mut found {
        if problem.check != SYNTAX
            && let Some(reason) = controls.reason(problem.check, problem.line)
        {
            problem.outcome = Kind::Ignored;
            problem.reason = Some(reason.to_owned());
        }
    }
    problems.append(&mut found);
    let is_readable = problems.iter().all(|problem| problem.check != SYNTAX);
    let fixed = (options.fix && is_readable).then(|| fix::fixed(manifest, &mut problems));
    let findings = problems.into_iter().map(finding).collect();
    Ok(Report { findings, warnings: controls.warnings, fixed })
}

/// Checks data: `texts` are its texts, keys included. Of all checks, `legacy_facts` alone looks at data.
///
/// ```
/// use bunraku_lint::{LintOptions, lint_data};
///
/// let found = lint_data("a: 'on %{fqdn}'\n", &["a", "on %{fqdn}"], &LintOptions::default());
/// assert_eq!(found[0].message, "legacy fact 'fqdn'");
/// ```
pub fn lint_data(source: &str, texts: &[&str], options: &LintOptions) -> Vec<Finding> {
    let check = table::LEGACY_FACTS;
    let is_wanted = options.checks.iter().any(|name| name == check);
    let texts = texts.iter().filter(|_| is_wanted);
    let found = texts.flat_map(|&text| facts::legacy_in_text(text).into_iter().map(move |name| (text, name)));
    let findings = found.map(|(text, name)| {
        // The first line that has the text; one that goes over lines has none.
        let line = source.split('\n').position(|line| line.contains(text)).map_or(1, |line| line as u32 + 1);
        let message = format!("legacy fact '{name}'");
        Finding { check, kind: Kind::Warning, message, line, column: 1, reason: None }
    });
    findings.collect()
}

fn syntax_error(message: &'static str, line: u32, column: u32) -> Problem {
    let (outcome, reason, token) = (Kind::Error, None, None);
    let fixing = problem::Fixing::Nothing;
    Problem { check: SYNTAX, outcome, message: message.into(), line, column, reason, token, fixing }
}

fn finding(problem: Problem) -> Finding {
    let Problem { check, outcome: kind, message, line, column, reason, .. } = problem;
    Finding { check, kind, message: message.into_owned(), line, column, reason }
}

#[cfg(test)]
mod tests;
