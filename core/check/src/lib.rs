//! Finds mistakes in an environment without compiling a node.
//!
//! [`check`] reads all files of an environment once, resolves names, infers the possible types of each
//! expression, and reports what fails. A finding is an error if every evaluation of the place fails, whatever
//! facts and data there are; a warning if the code is certainly unintended; a note if it may be. [`CODES`]
//! documents the codes.
//!
//! * `codes`, `finding`: the findings
//! * `examples`: an example of each code
//! * `world`: the meaning of names in the environment
//! * `installed`: the modules that are there
//! * `overlap`: whether two types have common values
//! * `narrow`: the part of a type for which a condition holds
//! * `suggest`: similar names
//! * `walk`: expressions, with the types of their values; one file for each kind of them
//! * `variables`: the variables of definitions' scopes
//! * `declared`: the declared resources, for references to them
//! * `data`: Hiera's hierarchies and data
//! * `encrypted`: encrypted values in data
//! * `interpolations`: what data and configurations of Hiera interpolate
//! * `deprecated`: documentation that advises against a use
//! * `nodes`: node definitions that no node gets
//! * `tags`: tags that collectors ask for
//! * `definitions`: classes that inherit themselves, names that are defined twice
//! * `erb`: templates in ERB
//! * `includes`: classes that include each other
//! * `tasks`: tasks, their metadata and their scripts
//! * `metadata`: the modules that modules use, against their metadata and fixtures
//! * `released`: which releases of Puppet and its standard library have a function
//! * `summary`: what is known of all files, and is kept between checks of single ones
//! * `unused`: names that nobody reads
//! * `quiet`: comments that suppress findings

#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

mod codes;
mod data;
mod declared;
mod definitions;
mod deprecated;
mod encrypted;
mod erb;
mod examples;
mod facts;
mod finding;
mod includes;
mod installed;
mod interpolations;
mod metadata;
mod narrow;
mod nodes;
mod overlap;
mod quiet;
mod released;
pub mod request;
mod suggest;
mod summary;
mod tags;
mod tasks;
mod unused;
mod variables;
mod walk;
mod world;

use bunraku_engine::compiler::{Compilation, NodeInput};
use bunraku_engine::eval::{Evaluator, Limits};
use bunraku_engine::loader::{Check, Environment};
use bunraku_index::Index;
use bunraku_syntax::diagnostic::Error;

pub use codes::{CODES, Code, Subject, documentation, page};
pub use examples::{BESIDE, EXAMPLES, Example, files as files_of_example};
pub use finding::{Finding, Fix, Place, Severity};
pub use summary::Kept;

use summary::Summary;
use world::{Asked, World};

/// The scope of a check and the reported findings.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The codes, or prefixes of codes, to report; empty for all.
    pub select: Vec<String>,
    /// Codes, or prefixes of codes, to leave out.
    pub ignore: Vec<String>,
    /// Whether notes are reported.
    pub notes: bool,
    /// Files and directories whose findings are reported; empty for all of the environment.
    pub paths: Vec<String>,
}

impl Options {
    fn wants(&self, finding: &Finding) -> bool {
        let code = finding.code.name();
        let is_one_of = |list: &[String]| list.iter().any(|one| code.starts_with(one.as_str()));
        (self.notes || finding.severity != Severity::Note || is_one_of(&self.select))
            && (self.select.is_empty() || is_one_of(&self.select))
            && !is_one_of(&self.ignore)
            && (self.paths.is_empty() || self.paths.iter().any(|path| is_below(&finding.place, path)))
    }
}

/// Whether a place is in a file or below a directory.
fn is_below(place: &Place, path: &str) -> bool {
    let rest = place.file.as_deref().and_then(|file| file.strip_prefix(path.trim_end_matches('/')));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Checks an environment. The findings are ordered by file and place.
///
/// # Errors
/// `check` fails, which ends the work, or the library itself is at fault.
pub fn check(environment: &Environment, options: &Options, ends: Check<'_>) -> Result<Vec<Finding>, Error> {
    let index = Index::of(environment, ends)?;
    check_index(environment, &index, options, ends)
}

/// Checks an environment with an existing index.
///
/// # Errors
/// As [`check`].
pub fn check_index(
    environment: &Environment,
    index: &Index,
    options: &Options,
    ends: Check<'_>,
) -> Result<Vec<Finding>, Error> {
    told(environment, index, &Summary::of(environment, index), options, None, ends)
}

/// Checks single files of an environment, such as one that has changed and was [renewed](Index::renew).
/// Findings that need all files (templates in ERB, metadata) are left out.
///
/// # Errors
/// As [`check`].
pub fn check_files(
    environment: &Environment,
    index: &Index,
    paths: &[&str],
    options: &Options,
    ends: Check<'_>,
) -> Result<Vec<Finding>, Error> {
    check_changed(environment, index, &mut Kept::default(), paths, options, ends)
}

/// Checks files of an environment that have changed since the last check with the same `kept`: only these
/// files are looked at, and the others as far as their names are used.
///
/// # Errors
/// As [`check`].
pub fn check_changed(
    environment: &Environment,
    index: &Index,
    kept: &mut Kept,
    paths: &[&str],
    options: &Options,
    ends: Check<'_>,
) -> Result<Vec<Finding>, Error> {
    let summary = kept.summary(environment, index, paths);
    let mut findings = told(environment, index, summary, options, Some(paths), ends)?;
    findings.retain(|finding| finding.place.file.as_deref().is_some_and(|file| paths.contains(&file)));
    Ok(findings)
}

fn told(
    environment: &Environment,
    index: &Index,
    summary: &Summary,
    options: &Options,
    only: Option<&[&str]>,
    ends: Check<'_>,
) -> Result<Vec<Finding>, Error> {
    let mut findings = environment.on_deep_stack(|| {
        let compilation = Compilation::new(environment, NodeInput::default(), Limits::default());
        compilation
            .with_evaluator(|evaluator| Ok(all(evaluator, &compilation, (index, summary), only, ends)?))
    })??;
    quiet::suppress(index, only, &mut findings);
    findings.retain(|finding| options.wants(finding));
    findings.sort_by(|one, other| one.key().cmp(&other.key()));
    findings.dedup_by(|one, other| one.key() == other.key() && one.message == other.message);
    Ok(findings)
}

fn all(
    evaluator: &Evaluator<'_>,
    compilation: &Compilation<'_>,
    (index, summary): (&Index, &Summary),
    only: Option<&[&str]>,
    ends: Check<'_>,
) -> Result<Vec<Finding>, Error> {
    let engine = Asked(evaluator, compilation.top_scope());
    let world = World::new(evaluator.environment, &engine, index, summary);
    let is_wanted =
        |path: Option<&str>| only.is_none_or(|only| path.is_some_and(|path| only.contains(&path)));
    let mut findings = Vec::new();
    let wanted: Vec<_> = match only {
        Some(only) => only.iter().filter_map(|path| index.file(path)).collect(),
        None => index.files().iter().collect(),
    };
    for file in wanted {
        ends.check()?;
        findings.extend(finding::of_diagnostics(file));
        walk::file(&world, file, &mut findings);
        unused::check(&world, file, &mut findings);
    }
    definitions::check(&world, only, &mut findings);
    erb::check(&world, only, &mut findings);
    if only.is_none() {
        metadata::check(&world, &mut findings);
        includes::check(&world, &mut findings);
    }
    tasks::check(&world, &is_wanted, &mut findings);
    nodes::check(&world, &is_wanted, &mut findings);
    data::check(&world, &is_wanted, &mut findings, ends)?;
    Ok(findings)
}
