//! A text with what its file's name says of it.

use std::sync::Arc;

use bunraku_engine::compiler::import::check_definitions;
use bunraku_syntax::ast::Program;
use bunraku_syntax::diagnostic::{Diagnostic, Error, Severity, Strictness};
use bunraku_syntax::source::Source;
use bunraku_syntax::validate::{ValidateOptions, validate_watched};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, Recovered, parse_recovering_watched, parse_watched};

/// What kind of text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// It is a template.
    pub epp: bool,
    /// Plans and `apply` are known.
    pub tasks: bool,
}

impl TextOptions {
    /// What the path of a file says: templates end with `.epp`, plans are below a directory `plans` that is
    /// neither in one of manifests nor has one.
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

    /// The same with plans and `apply`, if they are wanted.
    #[must_use]
    pub const fn or_tasks(self, tasks: bool) -> Self {
        Self { tasks: self.tasks || tasks, ..self }
    }

    /// As the parser takes them.
    pub(crate) fn parsing(self) -> ParseOptions {
        ParseOptions { epp: self.epp, tasks: self.tasks, ..ParseOptions::default() }
    }
}

/// Parses and validates a text: warnings of the lexer, the syntax error (all of them with `recover`) or, if
/// there is none, what the validator finds and what is wrong with the definitions.
///
/// # Errors
/// What watches has ended it.
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

/// What the validator finds in a program that was parsed and, if there is no error among it, what is wrong with
/// its definitions.
///
/// # Errors
/// What watches has ended it.
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
