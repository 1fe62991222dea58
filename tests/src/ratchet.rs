//! Holds a run against the list of known failures: the list only shrinks.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;

use crate::report::Report;
use crate::{compare, data};

/// The path of the list for a report.
pub fn list_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("known").join(format!("{name}.txt"))
}

/// Questions over which the reference crashes, and which are refused with a message of our own.
static CRASHES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    data::read_ids(&list_path("crashes")).expect("the list can be read").into_iter().collect()
});

/// Whether a reply that differs from the reference's need not agree: the reference crashes, the reply
/// refuses, and the list `crashes` has the question.
pub fn is_crash_that_is_told(id: &str, want: &Value, got: &Value) -> bool {
    CRASHES.contains(id) && compare::is_crash(want) && compare::refuses(want, got)
}

/// Those of the list `crashes` that need not be there: questions that are answered as the reference does.
fn crashes_answered_alike(report: &Report) -> impl Iterator<Item = &str> {
    let of_crashes = report.outcomes.iter().filter(|outcome| CRASHES.contains(&outcome.id));
    let alike = of_crashes.filter(|outcome| compare::vector_agrees(&outcome.expected, &outcome.actual));
    alike.map(|outcome| outcome.id.as_str())
}

/// A difference between a run and the list of known failures.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The question.
    pub id: String,
    /// Whether it fails and is not listed; otherwise it is listed, and passes or is gone.
    pub fails: bool,
}

impl fmt::Display for Wrong {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what =
            if self.fails { "fails and is not listed" } else { "is listed as failing and does not fail" };
        write!(out, "{} {what}", self.id)
    }
}

/// The errors in the list of known failures: failing ids that are not listed, and listed ids that pass or no
/// longer exist. Cases that are not installed are unknown. An empty result means that list and run agree.
pub fn check(report: &Report) -> io::Result<Vec<Wrong>> {
    let known: BTreeSet<String> = data::read_ids(&list_path(&report.name))?.into_iter().collect();
    let failing: BTreeSet<String> = report.failing().into_iter().map(str::to_owned).collect();
    let new = failing.difference(&known).map(|id| Wrong { id: id.clone(), fails: true });
    let is_absent = |id: &&String| report.absent.iter().any(|absent| absent == *id);
    let gone = known.difference(&failing).filter(|id| !is_absent(id));
    let gone = gone.map(String::as_str).chain(crashes_answered_alike(report));
    Ok(new.chain(gone.map(|id| Wrong { id: id.to_owned(), fails: false })).collect())
}

/// The ids that fail and are not listed.
///
/// # Errors
/// The list cannot be read.
pub fn unlisted(report: &Report) -> io::Result<Vec<String>> {
    let known = data::read_ids(&list_path(&report.name))?;
    let failing = report.failing().into_iter().map(str::to_owned);
    Ok(failing.filter(|id| !known.contains(id)).collect())
}

/// Writes the list of a report. An empty list is removed.
pub fn write(report: &Report) -> io::Result<()> {
    let path = list_path(&report.name);
    let failing = report.failing();
    if failing.is_empty() {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(&path, format!("{}\n", failing.join("\n")))
}
