//! A text and the options that its file name implies.

use std::sync::Arc;

use bunraku_engine::compiler::import::check_definitions;
use bunraku_syntax::ast::Program;
use bunraku_syntax::diagnostic::{Diagnostic, Error, Severity, Strictness};
use bunraku_syntax::source::Source;
use bunraku_syntax::validate::{ValidateOptions, validate_watched};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, Recovered, parse_recovering_watched, parse_watched};

/// What kind of text is parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether it is a template.
    pub epp: bool,
    /// Whether plans and `apply` are part of the language.
    pub tasks: bool,
}

impl TextOptions {
    /// Derives the options from the path of a file: templates end with `.epp`; plans are below a directory
    /// `plans` that is neither in a directory of manifests nor contains one.
    ///
    /// ```
    /// use bunraku::TextOptions;
    ///
    /// assert!(TextOptions::of_path(Some("plans/init.pp")).tasks);
    /// assert!(!TextOptions::of_path(Some("site/profile/manifests/plans/a.pp")).tasks);
    /// assert!(TextOptions::of_path(Some("a.epp")).epp);
    /// ```
    pub fn of_path(path: Option<&str>) -> Self {
        let path = path.unwrap_or_default();
        let (directories, _) = path.rsplit_once('/').unwrap_or_default();
        let has = |name: &str| directories.split('/').any(|part| part == name);
        Self { epp: path.ends_with(".epp"), tasks: has("plans") && !has("manifests") }
    }

    /// The same options, with plans and `apply` if `tasks` is set.
    #[must_use]
    pub const fn or_tasks(self, tasks: bool) -> Self {
        Self { tasks: self.tasks || tasks, ..self }
    }

    /// The options in the form of the parser.
    pub(crate) fn parsing(self) -> ParseOptions {
        ParseOptions { epp: self.epp, tasks: self.tasks, ..ParseOptions::default() }
    }
}

/// Parses and validates a text. Returns the warnings of the lexer and the syntax error (all of them with
/// `recover`) or, if there is none, the findings of the validator and the problems of definitions.
///
/// # Errors
/// The watch ended the work.
pub fn validate_text(
    source: Arc<Source>,
    options: TextOptions,
    strict: Strictness,
    recover: bool,
    watch: &Watch<'_>,
) -> Result<Vec<Diagnostic>, Error> {
    let mut diagnostics = Vec::new();
    if recover {
        let Recovered { program, errors } = parse_recovering_watched(source, &options.parsing(), watch)?;
        diagnostics.extend_from_slice(program.warnings());
        if errors.is_empty() {
            diagnostics.extend(validate_program(&Arc::new(program), strict, options.tasks, watch)?);
        }
        diagnostics.extend(errors);
        return Ok(diagnostics);
    }
    match parse_watched(source, &options.parsing(), &mut diagnostics, watch)? {
        Ok(program) => {
            diagnostics.extend(validate_program(&Arc::new(program), strict, options.tasks, watch)?)
        }
        Err(error) => diagnostics.push(error),
    }
    Ok(diagnostics)
}

/// Returns the findings of the validator for a parsed program and, if there is no error among them, the
/// problems of its definitions.
///
/// # Errors
/// The watch ended the work.
pub fn validate_program(
    program: &Arc<Program>,
    strict: Strictness,
    tasks: bool,
    watch: &Watch<'_>,
) -> Result<Vec<Diagnostic>, Error> {
    let options = ValidateOptions { strict, tasks, ..ValidateOptions::default() };
    let mut found = validate_watched(program, &options, &mut Vec::new(), watch)?;
    if found.iter().all(|one| one.severity != Severity::Error) {
        found.extend(check_definitions(program, watch)?);
    }
    Ok(found)
}
