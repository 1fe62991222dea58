//! A lookup in progress: its scope, its keys in progress, and its explanation.
//!
//! Follows the reference's `pops/lookup/invocation.rb`.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::error::{LookupError, LookupResult, lookup_error};
use super::explain::{Explanation, Part};
use super::key::{LookupKey, Segment};
use super::session::Progress;
use crate::eval::{Scope, Unwind};
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::diagnostic::ErrorKind;

/// A scope variable that the paths of a hierarchy depend on.
#[derive(Clone, Debug)]
pub(super) struct ScopeInterpolation {
    /// The whole key.
    pub key: Str,
    /// The variable.
    pub root: Str,
    /// The segments to apply to it.
    pub segments: Vec<Segment>,
    /// The value it had.
    pub value: Value,
    /// Whether the variable exists.
    pub is_known: bool,
}

/// One lookup in progress.
#[derive(Debug)]
pub(super) struct Invocation {
    /// The scope whose variables are interpolated.
    pub scope: Rc<Scope>,
    /// Whether variables are seen as Hiera 3 saw them.
    pub is_hiera3: bool,
    /// Values by key that win over all data.
    pub overrides: Arc<Hash>,
    /// Values by key for when no data is found.
    pub defaults: Arc<Hash>,
    /// The keys that are being looked up, outermost first.
    names: RefCell<Vec<Str>>,
    explanation: RefCell<Option<Rc<Explanation>>>,
    module_name: RefCell<Option<Str>>,
    top_key: RefCell<Str>,
    /// Only the global layer is searched.
    pub global_only: Cell<bool>,
    /// One of the functions `hiera…` asks.
    pub is_hiera_call: Cell<bool>,
    /// Hashes are merged as in the global `hiera.yaml` of version 3.
    pub v3_merge: Cell<bool>,
    /// The conversion of the key's value: its option `convert_to`.
    pub convert_to: RefCell<Option<Value>>,
    /// Paths to search first in version 3.
    pub location_overrides: RefCell<Vec<Str>>,
    /// The variables that were asked for, when they are collected.
    interpolations: Option<RefCell<Vec<ScopeInterpolation>>>,
}

impl Invocation {
    /// A lookup; within another one it inherits what that one is in the middle of.
    pub fn new(
        progress: &Progress,
        scope: &Rc<Scope>,
        overrides: Arc<Hash>,
        defaults: Arc<Hash>,
        explanation: Option<Rc<Explanation>>,
    ) -> Self {
        let parent = progress.current.borrow().clone();
        let new = Self {
            scope: Rc::clone(scope),
            is_hiera3: false,
            overrides,
            defaults,
            names: RefCell::default(),
            explanation: RefCell::new(explanation),
            module_name: RefCell::default(),
            top_key: RefCell::default(),
            global_only: Cell::new(false),
            is_hiera_call: Cell::new(false),
            v3_merge: Cell::new(false),
            convert_to: RefCell::default(),
            location_overrides: RefCell::default(),
            interpolations: None,
        };
        if let Some(parent) = parent {
            new.names.replace(parent.names.borrow().clone());
            new.explanation.replace(parent.explanation.borrow().clone());
            new.global_only.set(parent.global_only.get());
            new.is_hiera_call.set(parent.is_hiera_call.get());
            new.v3_merge.set(parent.v3_merge.get());
            new.location_overrides.replace(parent.location_overrides.borrow().clone());
        }
        new
    }

    /// A lookup without overrides and defaults.
    pub fn plain(progress: &Progress, scope: &Rc<Scope>) -> Self {
        Self::new(progress, scope, Arc::default(), Arc::default(), None)
    }

    /// The same lookup in another view of the scope.
    pub fn with_view(&self, progress: &Progress, is_hiera3: bool) -> Self {
        let (overrides, defaults) = (self.overrides.clone(), self.defaults.clone());
        let explanation = self.explanation.borrow().clone();
        Self { is_hiera3, ..Self::new(progress, &self.scope, overrides, defaults, explanation) }
    }

    /// A lookup that collects the variables it asks for. It knows nothing of the lookup that it is made for.
    pub fn collecting(&self) -> Self {
        Self {
            scope: Rc::clone(&self.scope),
            is_hiera3: self.is_hiera3,
            overrides: Arc::default(),
            defaults: Arc::default(),
            names: RefCell::default(),
            explanation: RefCell::default(),
            module_name: RefCell::default(),
            top_key: RefCell::default(),
            global_only: Cell::new(false),
            is_hiera_call: Cell::new(false),
            v3_merge: Cell::new(false),
            convert_to: RefCell::default(),
            location_overrides: RefCell::default(),
            interpolations: Some(RefCell::default()),
        }
    }

    /// Runs `body` as the lookup of a key: lookups that it starts know of it.
    pub fn lookup<T>(
        self: &Rc<Self>,
        progress: &Progress,
        key: &LookupKey,
        module_name: Option<Str>,
        body: impl FnOnce() -> T,
    ) -> T {
        self.top_key.replace(key.text.clone());
        self.module_name.replace(module_name.or_else(|| key.module_name()));
        let current = progress.current.borrow().clone();
        if current.as_ref().is_some_and(|current| Rc::ptr_eq(current, self)) {
            return body();
        }
        progress.current.replace(Some(Rc::clone(self)));
        let result = body();
        progress.current.replace(current);
        result
    }

    /// Runs `body` as a part of the lookup of a name. Errors: the name is being looked up already.
    pub fn check<T>(&self, name: &Str, body: impl FnOnce() -> LookupResult<T>) -> LookupResult<T> {
        {
            let mut names = self.names.borrow_mut();
            if names.iter().any(|known| known == name) {
                return Err(lookup_error(format!("Recursive lookup detected in [{}]", names.join(", "))));
            }
            names.push(name.clone());
        }
        let result = body();
        self.names.borrow_mut().pop();
        result.map_err(|stop| match stop {
            LookupError::Failed(Unwind::Error(error)) if is_puppet_error(error.kind) => {
                lookup_error(error.to_string())
            }
            stop => stop,
        })
    }

    /// The module that the key belongs to.
    pub fn module_name(&self) -> Option<Str> {
        self.module_name.borrow().clone()
    }

    /// The key that is looked up.
    pub fn top_key(&self) -> Str {
        self.top_key.borrow().clone()
    }

    /// Notes a variable that was asked for.
    pub fn remember(&self, interpolation: ScopeInterpolation) {
        if let Some(collected) = &self.interpolations {
            collected.borrow_mut().push(interpolation);
        }
    }

    /// The variables that were asked for, each once.
    pub fn interpolations(&self) -> Vec<ScopeInterpolation> {
        let mut known = FxHashSet::default();
        let mut unique = self.interpolations.as_ref().map(|all| all.borrow().clone()).unwrap_or_default();
        unique.retain(|interpolation| known.insert(interpolation.key.clone()));
        unique
    }

    /// Runs `body` and forgets that it asked for this variable.
    pub fn eluding<T>(&self, name: &str, body: impl FnOnce() -> T) -> T {
        let Some(collected) = &self.interpolations else { return body() };
        let saved = collected.take();
        let result = body();
        let added = collected.replace(saved);
        collected.borrow_mut().extend(added.into_iter().filter(|interpolation| interpolation.root != name));
        result
    }

    /// Whether only the search for `lookup_options` is wanted.
    pub fn only_explain_options(&self) -> bool {
        self.explanation.borrow().as_ref().is_some_and(|explanation| explanation.options().only_options)
    }

    /// Events belong to a part of the explanation as long as the result is alive; `part` is only called if
    /// there is an explanation.
    #[must_use = "the part ends where the answer is dropped"]
    pub fn observe(&self, part: impl FnOnce() -> Part) -> Observed {
        let explanation = self.explanation.borrow().clone();
        if let Some(explanation) = &explanation {
            explanation.push(part());
        }
        Observed { explanation }
    }

    /// Runs `body` without explaining it.
    pub fn without_explanation<T>(&self, body: impl FnOnce() -> T) -> T {
        let explanation = self.explanation.take();
        let result = body();
        self.explanation.replace(explanation);
        result
    }

    fn explain(&self, note: impl FnOnce(&Explanation)) {
        if let Some(explanation) = &*self.explanation.borrow() {
            note(explanation);
        }
    }

    /// Records a found value.
    pub fn report_found(&self, key: impl ToString, value: Value) -> Value {
        self.explain(|explanation| explanation.found(key, &value));
        value
    }

    pub fn report_found_in_overrides(&self, key: impl ToString, value: Value) -> Value {
        self.explain(|explanation| explanation.found_in_overrides(key, &value));
        value
    }

    pub fn report_found_in_defaults(&self, key: impl ToString, value: Value) -> Value {
        self.explain(|explanation| explanation.found_in_defaults(key, &value));
        value
    }

    pub fn report_result(&self, value: Value) -> Value {
        self.explain(|explanation| explanation.result(&value));
        value
    }

    /// Notes that a merge took something out of a value that was found.
    pub fn report_changed(&self, old: &Value, new: &Value) {
        self.explain(|explanation| explanation.replace(old, new));
    }

    pub fn report_not_found(&self, key: impl ToString) {
        self.explain(|explanation| explanation.not_found(key));
    }

    pub fn report_location_not_found(&self) {
        self.explain(Explanation::location_not_found);
    }

    pub fn report_merge_source(&self, source: &str) {
        self.explain(|explanation| explanation.merge_source(source));
    }

    pub fn report_module_not_found(&self, module: &str) {
        self.explain(|explanation| explanation.module_not_found(module));
    }

    pub fn report_module_provider_not_found(&self, module: &str) {
        self.explain(|explanation| explanation.module_provider_not_found(module));
    }

    /// Adds a text to the explanation, made only if there is one.
    pub fn report_text(&self, text: impl FnOnce() -> String) {
        self.explain(|explanation| explanation.add_text(text()));
    }

    /// Adds a text of a backend's function to the explanation.
    pub fn report_foreign_text(&self, text: String) {
        self.explain(|explanation| explanation.add_foreign_text(text));
    }

    /// Records that the stored data of the key is encrypted, if it is one of `decrypted`.
    pub fn report_decrypted(&self, decrypted: &RefCell<FxHashSet<Str>>, key: &Str) {
        if decrypted.borrow().contains(key) {
            self.explain(Explanation::decrypted);
        }
    }

    /// Runs `body`, which finds a key's value, and redacts its records if the value is a secret: if `hides`
    /// returns true for it, or something was decrypted.
    pub fn guarding<T>(
        &self,
        hides: impl FnOnce(&LookupResult<T>) -> bool,
        body: impl FnOnce() -> LookupResult<T>,
    ) -> LookupResult<T> {
        let explanation = self.explanation.borrow().clone();
        let Some(explanation) = explanation else { return body() };
        let first = explanation.length();
        let result = body();
        if explanation.has_decrypted() || hides(&result) {
            explanation.redact(first);
        }
        result
    }

    /// Whether there is an explanation, of whatever kind.
    pub fn is_observed(&self) -> bool {
        self.explanation.borrow().is_some()
    }

    /// Whether the lookup is explained.
    pub fn is_explained(&self) -> bool {
        self.explanation.borrow().as_ref().is_some_and(|explanation| !explanation.options().only_places)
    }
}

/// A part of an explanation that is being noted, up to where this is dropped.
pub(super) struct Observed {
    explanation: Option<Rc<Explanation>>,
}

impl Drop for Observed {
    fn drop(&mut self) {
        if let Some(explanation) = &self.explanation {
            explanation.pop();
        }
    }
}

/// Whether an error is of the reference's `Puppet::Error` family and no `LookupError`.
fn is_puppet_error(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Syntax | ErrorKind::Validation | ErrorKind::Evaluation | ErrorKind::Puppet => true,
        ErrorKind::Argument
        | ErrorKind::Lookup
        | ErrorKind::Limit
        | ErrorKind::Cancelled
        | ErrorKind::ReferenceFails
        | ErrorKind::Io
        | ErrorKind::Unsupported
        | ErrorKind::Bug => false,
    }
}
