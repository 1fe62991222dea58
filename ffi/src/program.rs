//! Programs: parsed manifests and templates.

use std::sync::{Arc, OnceLock};

use bunraku_core::diagnostic::Diagnostic;
use bunraku_core::loader::Strictness;
use bunraku_core::pcore::keys::{Keyed, Names};
use bunraku_core::requests;
use bunraku_core::source::Source;
use bunraku_core::syntax::ast::{NodeId, PlacedComment, Program};
use bunraku_core::syntax::validate::{ValidateOptions, validate_and_log};
use bunraku_core::syntax::watch::Watch;
use bunraku_core::syntax::{ParseOptions, Recovered, binary, parse_recovering_watched, parse_watched, pn};
use bunraku_core::{TextOptions, validate_program};
use serde_json::Value as Json;

use crate::boundary::{self, CallError, free, give, guard, misuse, object, tell, text};
use crate::cancel::watch_reading;
use crate::data;
use crate::error::bunraku_error;
use crate::text::{bunraku_bytes, bunraku_string, bunraku_text};

/// A parsed manifest or template. Immutable: any number of threads can read it.
pub struct bunraku_program {
    pub(crate) program: Arc<Program>,
    tasks: bool,
    /// The errors after which the parser continued.
    errors: Vec<Diagnostic>,
    /// The comments with their nodes, computed on first use.
    pub(crate) comments: OnceLock<Vec<PlacedComment>>,
}

impl bunraku_program {
    fn new(program: Arc<Program>, tasks: bool, errors: Vec<Diagnostic>) -> Self {
        Self { program, tasks, errors, comments: OnceLock::new() }
    }
}

/// The kinds of text to parse.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_syntax {
    /// A manifest.
    BUNRAKU_SYNTAX_MANIFEST = 0,
    /// A template in EPP.
    BUNRAKU_SYNTAX_EPP = 1,
    /// A manifest in which plans and "apply" are part of the language.
    BUNRAKU_SYNTAX_TASKS = 2,
    /// What the path says: a template in EPP where it ends with ".epp", a manifest in which plans and "apply"
    /// are known below a directory "plans", a manifest otherwise.
    BUNRAKU_SYNTAX_BY_NAME = 3,
}

/// How strictly questionable code is treated: the setting "strict".
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum bunraku_strictness {
    /// It is accepted silently.
    BUNRAKU_STRICTNESS_OFF = 0,
    /// It is a warning.
    BUNRAKU_STRICTNESS_WARNING = 1,
    /// It is an error: the default of Puppet 8.
    BUNRAKU_STRICTNESS_ERROR = 2,
}

// C can pass any number for an enum: the functions take numbers and compare them with these.
const MANIFEST: u32 = bunraku_syntax::BUNRAKU_SYNTAX_MANIFEST as u32;
const EPP: u32 = bunraku_syntax::BUNRAKU_SYNTAX_EPP as u32;
const TASKS: u32 = bunraku_syntax::BUNRAKU_SYNTAX_TASKS as u32;
const BY_NAME: u32 = bunraku_syntax::BUNRAKU_SYNTAX_BY_NAME as u32;
const OFF: u32 = bunraku_strictness::BUNRAKU_STRICTNESS_OFF as u32;
const WARNING: u32 = bunraku_strictness::BUNRAKU_STRICTNESS_WARNING as u32;
const ERROR: u32 = bunraku_strictness::BUNRAKU_STRICTNESS_ERROR as u32;

/// Parses a text. The text is copied.
///
/// @param source  the text, UTF-8
/// @param path  the file name that errors show; BUNRAKU_NO_TEXT for none
/// @param syntax  the kind of text: one of bunraku_syntax
/// @param program  receives the program, to be freed with bunraku_program_free
/// @return NULL on success; the syntax error otherwise
///
/// # Safety
/// The texts are valid for reads of their lengths, `program` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_parse(
    source: bunraku_text,
    path: bunraku_text,
    syntax: u32,
    program: *mut *mut bunraku_program,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let source = unsafe { source_of(source, path) }?;
        let options = options_of(syntax, &source)?;
        let (usage, mut warnings) = (watch_reading(), Vec::new());
        let parsed = parse_watched(source, &options, &mut warnings, &Watch::new(&usage.ends))?;
        let parsed = Arc::new(parsed?);
        // SAFETY: by the contract of this function.
        unsafe { give(program, bunraku_program::new(parsed, options.tasks, Vec::new())) }
    })
}

/// Parses a text to its end, even after errors. Nodes of the kind "Error" replace what could not be parsed;
/// bunraku_program_errors returns the reasons. The text is copied.
///
/// @param source  the text, UTF-8
/// @param path  the file name that errors show; BUNRAKU_NO_TEXT for none
/// @param syntax  the kind of text: one of bunraku_syntax
/// @param program  receives the program, to be freed with bunraku_program_free
/// @return NULL on success, also when there are syntax errors
///
/// # Safety
/// The texts are valid for reads of their lengths, `program` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_parse_recovering(
    source: bunraku_text,
    path: bunraku_text,
    syntax: u32,
    program: *mut *mut bunraku_program,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let source = unsafe { source_of(source, path) }?;
        let options = options_of(syntax, &source)?;
        let usage = watch_reading();
        let recovered = parse_recovering_watched(source, &options, &Watch::new(&usage.ends))?;
        let Recovered { program: parsed, errors } = recovered;
        let parsed = bunraku_program::new(Arc::new(parsed), options.tasks, errors);
        // SAFETY: by the contract of this function.
        unsafe { give(program, parsed) }
    })
}

/// The errors that bunraku_program_parse_recovering found. The first is the one of bunraku_program_parse.
///
/// @param diagnostics  receives a JSON array as that of bunraku_program_validate; to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `program` is live, `diagnostics` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_errors(
    program: *const bunraku_program,
    diagnostics: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(program, "program") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(diagnostics, bunraku_string::new(diagnostics_json(&own.errors))) }
    })
}

/// The warnings of the lexer: unknown escapes.
///
/// @param diagnostics  receives a JSON array as that of bunraku_program_validate; to be freed with
///     bunraku_string_free
/// @return NULL on success
///
/// # Safety
/// `program` is live, `diagnostics` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_warnings(
    program: *const bunraku_program,
    diagnostics: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(program, "program") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(diagnostics, bunraku_string::new(diagnostics_json(own.program.warnings()))) }
    })
}

/// Writes a program in its binary form, for caches; core/docs/binary.md describes it. It excludes the errors
/// after which the parser continued.
///
/// @param bytes  receives the bytes, to be freed with bunraku_bytes_free
/// @return NULL on success
///
/// # Safety
/// `program` is live, `bytes` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_write(
    program: *const bunraku_program,
    bytes: *mut *mut bunraku_bytes,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(program, "program") }?;
        // SAFETY: by the contract of this function.
        unsafe { give(bytes, bunraku_bytes::new(binary::write(&own.program))) }
    })
}

/// Reads the binary form of a program.
///
/// @param given  the bytes that bunraku_program_write made
/// @param syntax  the kind of the program's text: one of bunraku_syntax
/// @param program  receives the program, to be freed with bunraku_program_free
/// @return NULL on success; an error if the bytes are damaged or of another version
///
/// # Safety
/// `given` is valid for reads of its length, `program` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_read(
    given: bunraku_text,
    syntax: u32,
    program: *mut *mut bunraku_program,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let bytes = unsafe { boundary::bytes(given, "bytes") }?;
        let read = binary::read(bytes).map_err(|damaged| misuse(&damaged.to_string()))?;
        let tasks = options_of(syntax, read.source())?.tasks;
        // SAFETY: by the contract of this function.
        unsafe { give(program, bunraku_program::new(Arc::new(read), tasks, Vec::new())) }
    })
}

/// Validates a program. The diagnostics are the findings of the validator and, without errors among them,
/// parameters with names of metaparameters and names that are defined twice.
///
/// @param strictness  how strictly questionable code is treated: one of bunraku_strictness
/// @param diagnostics  receives a JSON array of objects with "severity" ("error", "warning", "deprecation"),
///     "issue_code", "message", "file", "line" and "column" as Puppet reports them (null at the end of the
///     input), "offset" and "length" (bytes), "end_line" and "end_column" (characters), and "ranges": an
///     object with "byte", "character" and "utf16", each with "offset", "length", "line", "column",
///     "end_line" and "end_column". A diagnostic about no text, such as a limit, has no ranges. To be freed
///     with bunraku_string_free
/// @return NULL on success, whatever the diagnostics are
///
/// # Safety
/// `program` is live, `diagnostics` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_validate(
    program: *const bunraku_program,
    strictness: u32,
    diagnostics: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let own = unsafe { object(program, "program") }?;
        let strict = match strictness {
            OFF => Strictness::Off,
            WARNING => Strictness::Warning,
            ERROR => Strictness::Error,
            _ => return Err(misuse("strictness is no bunraku_strictness")),
        };
        let usage = watch_reading();
        let found = validate_program(&own.program, strict, own.tasks, &Watch::new(&usage.ends))?;
        // SAFETY: by the contract of this function.
        unsafe { give(diagnostics, bunraku_string::new(diagnostics_json(&found))) }
    })
}

/// Changes the text of a program: what is named changes, all else stays as it is written. Parse the result to
/// know whether it is still a program.
///
/// @param edits_json  a JSON array of objects with "edit" ("replace", "insert_before", "insert_after",
///     "remove", which takes lines with it that have nothing else), "node" (the number of a node) and "text"
///     (not with "remove"). Insertions at one place stand in their order. "rename" has "kind" ("class",
///     "define", "function"), "from" and "to" instead: the definition and all references in this text
/// @param edited  receives the text, to be freed with bunraku_string_free
/// @return NULL on success; an error when edits overlap, with the place of the second one
///
/// # Safety
/// `program` is live, the text points to as many bytes as told, `edited` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_edit(
    program: *const bunraku_program,
    edits_json: bunraku_text,
    edited: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, edits) = unsafe { (object(program, "program")?, text(edits_json, "edits_json")?) };
        let text = requests::edited(&own.program, &data::parse(edits)?)?;
        // SAFETY: by the contract of this function.
        unsafe { give(edited, bunraku_string::new(text)) }
    })
}

/// Validates the files of a repository on several threads. The findings are all syntax errors of each file,
/// the findings of the validator, parameters with names of metaparameters, names that are defined twice in a
/// file or in several files of an environment or module, and data of Hiera or metadata of modules that is not
/// valid YAML or JSON.
///
/// @param request_json  a JSON object: "paths" (files and directories) and optionally "exclude" (patterns as
///     in .gitignore), "gitignore" (false: files that .gitignore names are checked, too), "data" (false: YAML
///     and JSON files are not checked), "threads" (a number), "strict" ("off", "warning", "error"), "tasks"
///     (whether plans are part of the language outside directories plans), "only" (the absolute paths of the
///     files whose findings are reported)
/// @param json  receives a JSON object with "files" (the number of files), "findings" (objects as those of
///     bunraku_program_validate; lower-case codes are of this library) and "empty" (the paths that led to no
///     file); to be freed with bunraku_string_free
/// @return NULL on success, whatever the findings are
///
/// # Safety
/// The text points to as many bytes as it says, `json` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_validate_files(
    request_json: bunraku_text,
    json: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let request = unsafe { text(request_json, "request_json") }?;
        let usage = watch_reading();
        let answer = requests::validate(&data::parse(request)?, &usage.ends)?;
        // SAFETY: by the contract of this function.
        unsafe { give(json, bunraku_string::new(answer.to_string())) }
    })
}

/// The names that bunraku_program_is_flawless reads in `place_json`.
const PLACE: Names = &["modulepath", "manifest"];

/// Whether a program has no diagnostics at all under the strictest rules: no error, no warning, nothing for
/// the log.
///
/// @param place_json  determines which definitions a file can contain: a JSON object with "modulepath" (a
///     list of directories) and "manifest" (a file or directory that can contain anything), or
///     BUNRAKU_NO_TEXT
/// @param is_flawless  receives the result
/// @return NULL on success
///
/// # Safety
/// `program` is live, the text is valid for reads of its length, `is_flawless` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_is_flawless(
    program: *const bunraku_program,
    place_json: bunraku_text,
    is_flawless: *mut bool,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, place) = unsafe { (object(program, "program")?, text(place_json, "place_json")?) };
        let place = data::parse(place)?;
        let place = Keyed::new(&place, "place_json", &[PLACE])?;
        let modulepath = place["modulepath"].as_array().into_iter().flatten();
        let modulepath: Vec<String> = modulepath.filter_map(Json::as_str).map(str::to_owned).collect();
        let options = ValidateOptions {
            strict: Strictness::Error,
            tasks: own.tasks,
            manifest: place["manifest"].as_str(),
            modulepath: &modulepath,
            ..ValidateOptions::default()
        };
        let mut logs = Vec::new();
        let found = validate_and_log(&own.program, &options, &mut logs);
        let answer = found.is_empty() && logs.is_empty() && own.program.warnings().is_empty();
        // SAFETY: by the contract of this function.
        unsafe { tell(is_flawless, answer) }
    })
}

/// Writes a program in Puppet Extended S-Expression Notation.
///
/// @param format  "text" for the notation on one line, "pretty" for each element on its own line, "json" for
///     the same as JSON
/// @param pn  receives the text, to be freed with bunraku_string_free
/// @return NULL on success; an error if the notation cannot represent the name of a parameter, such as
///     "$a::b"
///
/// # Safety
/// `program` is live, `format` is valid for reads of its length, `pn` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_to_pn(
    program: *const bunraku_program,
    format: bunraku_text,
    pn: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        let (own, format) = unsafe { (object(program, "program")?, text(format, "format")?) };
        let written = notation(&own.program, own.program.body(), format)?;
        // SAFETY: by the contract of this function.
        unsafe { give(pn, bunraku_string::new(written)) }
    })
}

/// A node in the notation.
pub(crate) fn notation(program: &Program, node: NodeId, format: &str) -> Result<String, CallError> {
    let write = match format {
        "text" => pn::to_text,
        "pretty" => pn::to_pretty_text,
        "json" => pn::to_json,
        _ => return Err(misuse("format is none of \"text\", \"pretty\", \"json\"")),
    };
    Ok(write(program, node)?)
}

/// Frees a program. NULL is allowed.
///
/// # Safety
/// `program` is NULL or live, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_program_free(program: *mut bunraku_program) {
    // SAFETY: by the contract of this function.
    unsafe { free(program) }
}

/// The source that a caller passes.
///
/// # Safety
/// The texts are valid for reads of their lengths.
pub(crate) unsafe fn source_of(source: bunraku_text, path: bunraku_text) -> Result<Arc<Source>, CallError> {
    // SAFETY: by the contract of this function.
    let (source, path) = unsafe { (text(source, "source")?, text(path, "path")?) };
    Ok(Arc::new(Source::new((!path.is_empty()).then_some(path), source)))
}

/// Returns the meaning of a number of [`bunraku_syntax`] for a text.
pub(crate) fn options_of(syntax: u32, source: &Source) -> Result<ParseOptions, CallError> {
    let TextOptions { epp, tasks } = match syntax {
        MANIFEST => TextOptions::default(),
        EPP => TextOptions { epp: true, tasks: false },
        TASKS => TextOptions { epp: false, tasks: true },
        BY_NAME => TextOptions::of_path(source.path().map(|path| &**path)),
        _ => return Err(misuse("syntax is no bunraku_syntax")),
    };
    Ok(ParseOptions { epp, tasks, ..ParseOptions::default() })
}

fn diagnostics_json(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(requests::diagnostic).collect::<Json>().to_string()
}
