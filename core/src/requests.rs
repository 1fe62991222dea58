//! The entry points of the bindings into the optional parts, in JSON. Each function returns an error of the
//! kind [`Unsupported`](crate::ErrorKind::Unsupported) if its feature is left out. So a binding needs no
//! conditional code, and the C library always has the same functions.

use serde_json::{Value as Json, json};

use bunraku_engine::loader::{Check, Environment};
use bunraku_host::Host;
use bunraku_pcore::fuel::Fuel;
use bunraku_syntax::ast::{NodeId, Program};
use bunraku_syntax::diagnostic::{Diagnostic, Error};
use bunraku_syntax::edit::Edits;
use bunraku_syntax::source::Unit;
use bunraku_syntax::watch::Watch;

#[cfg(feature = "documentation")]
use bunraku_tools::documentation::request as documentation;
#[cfg(feature = "modules")]
use bunraku_tools::module_schema::request as module_schema;
#[cfg(feature = "report")]
use bunraku_tools::report::request as report;
#[cfg(feature = "tasks")]
use bunraku_tools::tasks::request as tasks;

#[cfg(feature = "check")]
pub use bunraku_check::Kept;
#[cfg(feature = "classifier")]
pub use bunraku_classifier::{Classifier, Request, Response};
#[cfg(feature = "check")]
pub use bunraku_index::Index;

#[cfg(feature = "lint")]
mod lint;
#[cfg(not(feature = "classifier"))]
mod no_classifier;
#[cfg(not(feature = "classifier"))]
pub use no_classifier::{Classifier, Request, Response};
#[cfg(not(feature = "check"))]
mod no_index;
#[cfg(not(feature = "check"))]
pub use no_index::{Index, Kept};

/// A diagnostic as an object: `severity` (`error`, `warning`, `deprecation`), `issue_code`, `message`,
/// `file`, `line` and `column` as the reference reports them, `offset` and `length` in bytes, `end_line` and
/// `end_column` in characters, and `ranges` with `byte`, `character` and `utf16`, each with `offset`,
/// `length`, `line`, `column`, `end_line` and `end_column`. A diagnostic about no text (a limit) has no
/// ranges.
pub fn diagnostic(found: &Diagnostic) -> Json {
    let range = |unit: Unit| {
        found.range(unit).map(|range| {
            json!({
                "offset": range.offset, "length": range.length, "line": range.start.line,
                "column": range.start.column, "end_line": range.end.line, "end_column": range.end.column,
            })
        })
    };
    let [bytes, characters] = [Unit::Byte, Unit::Character].map(|unit| found.range(unit));
    json!({
        "severity": found.severity.name(),
        "issue_code": Some(found.issue.code()).filter(|code| !code.is_empty()),
        "message": found.message,
        "file": found.location.file.as_deref(),
        "line": found.location.line,
        "column": found.location.column,
        "offset": bytes.map(|range| range.offset),
        "length": bytes.map(|range| range.length),
        "end_line": characters.map(|range| range.end.line),
        "end_column": characters.map(|range| range.end.column),
        "ranges": characters.map(|_| json!({
            "byte": range(Unit::Byte), "character": range(Unit::Character), "utf16": range(Unit::Utf16),
        })),
    })
}

/// The text of a program with changes: an array of objects with `edit` (`replace`, `insert_before`,
/// `insert_after`, `remove`), `node` (a number) and `text`; or with `edit` (`rename`), `kind` (`class`,
/// `define`, `function`), `from` and `to`.
///
/// # Errors
/// The array has the wrong form, there is no such node, or changes overlap.
pub fn edited(program: &Program, edits: &Json) -> Result<String, Error> {
    let wrong = |what: &str| Error::argument(format!("edits: {what}"));
    let mut all = Edits::new(program);
    for one in edits.as_array().ok_or_else(|| wrong("they are no array"))? {
        if one["edit"] == "rename" {
            rename(&mut all, one)?;
            continue;
        }
        let number = one["node"].as_u64().and_then(|number| u32::try_from(number).ok());
        let node = number.and_then(NodeId::from_index).filter(|id| id.index() < program.node_count());
        let node = node.ok_or_else(|| wrong("there is no such node"))?;
        let text = one["text"].as_str();
        match (one["edit"].as_str(), text) {
            (Some("replace"), Some(text)) => all.replace(node, text),
            (Some("insert_before"), Some(text)) => all.insert_before(node, text),
            (Some("insert_after"), Some(text)) => all.insert_after(node, text),
            (Some("remove"), None) => all.remove(node),
            _ => return Err(wrong("'edit' is replace, insert_before, insert_after with a text, or remove")),
        };
    }
    all.apply()
}

/// Validates the files of a repository; the request is that of `bunraku_program_validate_files` in the C
/// library.
///
/// # Errors
/// The request is invalid, or an error of `check`.
pub fn validate(request: &Json, check: Check<'_>) -> Result<Json, Error> {
    crate::repository::request::validation(request, check)
}

#[cfg(feature = "check")]
fn rename(edits: &mut Edits<'_>, request: &Json) -> Result<(), Error> {
    renaming(request)?.add_to(edits)
}

#[cfg(not(feature = "check"))]
fn rename(_: &mut Edits<'_>, _: &Json) -> Result<(), Error> {
    Err(Error::without_feature("check"))
}

/// A new name from an object with `kind`, `from` and `to`.
#[cfg(feature = "check")]
fn renaming(request: &Json) -> Result<bunraku_index::Renaming, Error> {
    let [Some(kind), Some(from), Some(to)] = ["kind", "from", "to"].map(|name| request[name].as_str()) else {
        return Err(Error::argument("a new name has 'kind', 'from' and 'to'"));
    };
    bunraku_index::Renaming::named(kind, from, to)
}

/// Declares functions that ask one of a feature.
macro_rules! requests {
    ($(
        $(#[$attribute:meta])*
        $feature:literal fn $name:ident($($argument:ident: $of:ty),*) -> $answer:ty { $ask:expr }
    )*) => {$(
        $(#[$attribute])*
        ///
        /// # Errors
        /// The request is invalid, or the library was built without the feature.
        pub fn $name($($argument: $of),*) -> Result<$answer, Error> {
            #[cfg(feature = $feature)]
            {
                $ask
            }
            #[cfg(not(feature = $feature))]
            {
                let _ = ($($argument,)*);
                Err(Error::without_feature($feature))
            }
        }
    )*};
}

requests! {
    /// Checks an environment.
    "check" fn check_environment(environment: &Environment, request: &Json, check: Check<'_>) -> Json {
        bunraku_check::request::findings(environment, request, check)
    }

    /// The documentation of a code of findings, as Markdown.
    "check" fn explain_code(code: &str) -> String {
        bunraku_check::request::explain(code)
    }

    /// Lists what an environment defines and who refers to it.
    "check" fn index(environment: &Environment, check: Check<'_>) -> Json {
        Ok(bunraku_index::Index::of(environment, check)?.to_json())
    }

    /// Reads an environment for an index that is kept.
    "check" fn open_index(environment: &Environment, check: Check<'_>) -> Index {
        Index::of(environment, check)
    }

    /// Reads a file of an index again.
    "check" fn renew_index(
        index: &mut Index,
        kept: &mut Kept,
        environment: &Environment,
        path: &str,
        check: Check<'_>
    ) -> () {
        bunraku_check::request::renew(environment, index, kept, path, check)
    }

    /// Checks files of an environment again, with an index of it.
    "check" fn check_in_index(
        environment: &Environment,
        index: &Index,
        kept: &mut Kept,
        request: &Json,
        check: Check<'_>
    ) -> Json {
        bunraku_check::request::findings_in(environment, index, kept, request, check)
    }

    /// What an index contains: of one file, or all of it with what is unused.
    "check" fn index_json(index: &Index, path: Option<&str>) -> Json {
        Ok(path.map_or_else(|| index.to_json(), |path| index.file_json(path)))
    }

    /// What a new name changes in an environment; the request is an object with `kind`, `from` and `to`.
    "check" fn rename_in_index(index: &Index, request: &Json) -> Json {
        Ok(index.rename(&renaming(request)?)?.to_json())
    }

    /// Opens a node classifier.
    "classifier" fn open_classifier(host: std::sync::Arc<dyn Host>, options: &Json) -> Classifier {
        bunraku_classifier::request::open(host, options)
    }

    /// Documents modules and files.
    "documentation" fn document(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        documentation::document(host, request, check)
    }

    /// Describes resource types.
    "documentation" fn describe_types(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        documentation::describe(host, request, check)
    }

    /// Generates the resource types for `.resource_types`.
    "documentation" fn generate_types(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        documentation::generate_types(host, request, check)
    }

    /// Checks a text as puppet-lint does: a manifest, or data in YAML.
    "lint" fn lint(text: &str, request: &Json, watch: &Watch<'_>) -> Json {
        lint::answer(text, request, watch)
    }

    /// The checks of texts.
    "lint" fn lint_checks() -> Json {
        Ok(bunraku_lint::request::checks())
    }

    /// The checks of texts: their names, and the options that switch them on and off.
    "lint" fn lint_switches() -> Vec<(&'static str, &'static str, &'static str)> {
        Ok(bunraku_lint::CHECKS.iter().map(|check| (check.name, check.switch_on, check.switch_off)).collect())
    }

    /// Checks a module.
    "modules" fn check_module(host: &dyn Host, request: &Json, check: Check<'_>) -> Json {
        module_schema::findings(host, request, check)
    }

    /// Lists the Ruby files that the built-in Ruby supports.
    "modules" fn ruby_report(environment: &Environment, check: Check<'_>) -> Json {
        bunraku_tools::ruby_report::report(environment, check)
    }

    /// Compares two written catalogs.
    "report" fn diff(from: &Json, to: &Json, fuel: &dyn Fuel) -> Json {
        report::diff(from, to, fuel)
    }

    /// Formats differences as text.
    "report" fn diff_text(diff: Json, fuel: &dyn Fuel) -> String {
        report::diff_text(diff, fuel)
    }

    /// Removes expected differences.
    "report" fn without_ignored(diff: Json, rules: &[String]) -> Json {
        report::without_ignored(diff, rules)
    }

    /// Combines the differences of many nodes.
    "report" fn fleet(request: Json, fuel: &dyn Fuel) -> String {
        report::fleet(request, fuel)
    }

    /// Draws a written catalog.
    "report" fn draw(catalog: &Json, options: &Json, fuel: &dyn Fuel) -> String {
        report::draw(catalog, options, fuel)
    }

    /// Reads a document for the functions above.
    "report" fn parse_document(text: &str) -> Json {
        report::parse(text)
    }

    /// Lists the tasks of an environment.
    "tasks" fn tasks(environment: &Environment, check: Check<'_>) -> Json {
        tasks::list(environment, check)
    }

    /// Resolves what to run for a task.
    "tasks" fn task_invocation(environment: &Environment, request: &Json, check: Check<'_>) -> Json {
        tasks::invocation(environment, request, check)
    }

    /// Reads the output of a task, and separates its secrets.
    "tasks" fn task_outcome(stdout: &[u8], exit_code: i32) -> (Json, Option<Json>) {
        Ok(tasks::outcome(stdout, exit_code))
    }
}

#[cfg(test)]
mod tests;
