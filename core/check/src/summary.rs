//! What a check knows of all files of an environment, and how it is kept between checks.

use std::sync::Arc;

use bunraku_engine::loader::Environment;
use bunraku_index::{FileIndex, Index};
use rustc_hash::{FxHashMap, FxHashSet};

use super::data::DataKeys;
use super::declared::Declared;
use super::installed::Installed;
use super::unused::Readers;
use super::world::{missing_modules, overridden, top_variables};

/// What is known of all files, independent of their texts.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// The modules that are there.
    pub installed: Installed,
    /// What manifests and templates tell.
    pub code: Code,
    /// Keys of data.
    pub data: DataKeys,
}

/// What manifests and templates tell: the sum of what each file tells.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Code {
    /// Resources that manifests declare.
    pub declared: Declared,
    /// Names of variables that the top scope and node definitions have.
    pub top: FxHashSet<String>,
    /// Parameters that defaults and collectors give to resources of a type, by type and name.
    pub overridden: FxHashSet<(String, String)>,
    /// Modules that are named and not installed.
    pub missing: FxHashSet<String>,
    /// Who reads variables.
    pub readers: Readers,
}

impl Code {
    fn of(environment: &Environment, installed: &Installed, files: &[Arc<FileIndex>]) -> Self {
        Self {
            declared: Declared::of(files),
            top: top_variables(files),
            overridden: overridden(files),
            missing: missing_modules(environment, installed, files),
            readers: Readers::of(files),
        }
    }
}

impl Code {
    /// Computes again what changed files tell in another way than before.
    fn renew(
        &mut self,
        environment: &Environment,
        installed: &Installed,
        files: &[Arc<FileIndex>],
        changed: &[(Self, Self)],
    ) {
        let differs = |is_same: fn(&Self, &Self) -> bool| changed.iter().any(|(old, new)| !is_same(old, new));
        if differs(|old, new| old.declared == new.declared) {
            self.declared = Declared::of(files);
        }
        if differs(|old, new| old.top == new.top) {
            self.top = top_variables(files);
        }
        if differs(|old, new| old.overridden == new.overridden) {
            self.overridden = overridden(files);
        }
        if differs(|old, new| old.missing == new.missing) {
            self.missing = missing_modules(environment, installed, files);
        }
        if differs(|old, new| old.readers == new.readers) {
            self.readers = Readers::of(files);
        }
    }
}

impl Summary {
    /// Reads everything.
    pub fn of(environment: &Environment, index: &Index) -> Self {
        let installed = Installed::of(environment);
        let code = Code::of(environment, &installed, index.files());
        Self { installed, code, data: DataKeys::of(environment) }
    }
}

/// What checks of single files keep of an environment, so that a changed file is checked again without a look
/// at all others. It belongs to one environment; give a new one where modules were added or removed.
#[derive(Debug, Default)]
pub struct Kept {
    summary: Option<Summary>,
    /// The files that the summary was made of.
    files: FxHashMap<Arc<str>, Arc<FileIndex>>,
    /// Files of data that have changed since the summary was made.
    renewed: Vec<String>,
}

/// Whether a file is not in the index with what it tells.
fn is_data(path: &str) -> bool {
    ![".pp", ".rb", ".epp"].iter().any(|end| path.ends_with(end))
}

impl Kept {
    /// Notes a file that has changed, so that the next check reads its data again.
    pub fn renew(&mut self, path: &str) {
        if is_data(path) && !self.renewed.iter().any(|known| known == path) {
            self.renewed.push(path.to_owned());
        }
    }

    /// The summary of an environment's present files, of which some have changed.
    pub(crate) fn summary(&mut self, environment: &Environment, index: &Index, changed: &[&str]) -> &Summary {
        let renewed = std::mem::take(&mut self.renewed);
        let mut changed_data: Vec<&str> = changed.iter().copied().filter(|path| is_data(path)).collect();
        changed_data.extend(renewed.iter().map(String::as_str).filter(|path| !changed.contains(path)));
        match &mut self.summary {
            None => self.summary = Some(Summary::of(environment, index)),
            Some(summary) => {
                let Summary { installed, code, .. } = &mut *summary;
                match differing(&self.files, environment, installed, index) {
                    None => *code = Code::of(environment, installed, index.files()),
                    Some(differing) => code.renew(environment, installed, index.files(), &differing),
                }
                if !changed_data.is_empty() {
                    summary.data = std::mem::take(&mut summary.data).renewed(environment, &changed_data);
                }
            }
        }
        self.note(index);
        self.summary.get_or_insert_with(Summary::default)
    }

    fn note(&mut self, index: &Index) {
        let is_known = |file: &Arc<FileIndex>| {
            let known = file.path.as_ref().and_then(|path| self.files.get(path));
            file.path.is_none() || known.is_some_and(|known| Arc::ptr_eq(known, file))
        };
        if index.files().iter().all(is_known) && self.files.len() <= index.files().len() {
            return;
        }
        let files = index.files().iter().filter_map(|file| Some((file.path.clone()?, Arc::clone(file))));
        self.files = files.collect();
    }
}

/// What changed files tell in another way than before: a changed file is compared by what it tells alone.
/// `None` if files were added or removed.
fn differing(
    before: &FxHashMap<Arc<str>, Arc<FileIndex>>,
    environment: &Environment,
    installed: &Installed,
    index: &Index,
) -> Option<Vec<(Code, Code)>> {
    let mut count = 0;
    let mut found = Vec::new();
    for file in index.files() {
        let Some(path) = &file.path else { continue };
        count += 1;
        let known = before.get(path)?;
        if Arc::ptr_eq(known, file) {
            continue;
        }
        let told = |file: &Arc<FileIndex>| Code::of(environment, installed, std::slice::from_ref(file));
        let (old, new) = (told(known), told(file));
        if old != new {
            found.push((old, new));
        }
    }
    (count == before.len()).then_some(found)
}
