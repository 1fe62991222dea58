//! Types made wider (`generalize`) and simpler (`normalize`). Follows the methods of these names in the
//! reference's `types.rb`.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::Type;
use super::guard::MAX_DEPTH;
use bunraku_syntax::diagnostic::Error;

impl Type {
    /// The type without what only describes one value: sizes, ranges, values.
    #[must_use]
    pub fn generalize(&self) -> Type {
        generalize(self, 0, &Done::default())
    }

    /// The same type in its simplest form: members of Variants merged, `Optional` and `NotUndef` pulled
    /// outside.
    #[must_use]
    pub fn normalize(&self) -> Type {
        normalize(self, 0, &Done::default(), &Failure::default())
    }

    /// As [`normalize`](Self::normalize), where what the type contains may have no answer.
    ///
    /// # Errors
    /// An `Optional` or a `NotUndef` has an `Init` of what cannot be made.
    pub fn check_normalize(&self) -> Result<Type, Error> {
        let failure = Failure::default();
        let simple = normalize(self, 0, &Done::default(), &failure);
        failure.into_inner().map_or(Ok(simple), Err)
    }
}

/// The first question that had no answer.
type Failure = RefCell<Option<Error>>;

/// How the parts of a type become simpler.
pub(crate) struct Normal<'n> {
    part: &'n dyn Fn(&Type) -> Type,
    failure: &'n Failure,
}

impl Normal<'_> {
    /// A part, or a result that is not yet simple, in its simplest form.
    pub fn of(&self, of: &Type) -> Type {
        (self.part)(of)
    }

    /// Whether a type has undef.
    pub fn takes_undef(&self, of: &Type) -> bool {
        of.check_assignable(&Type::undef()).unwrap_or_else(|error| {
            self.failure.borrow_mut().get_or_insert(error);
            false
        })
    }
}

/// The results for shared types, by their address; the types are kept so that the addresses stay valid.
type Done = RefCell<FxHashMap<usize, (Type, Type)>>;

/// The result for a type. A shared type is changed once.
fn once(of: &Type, done: &Done, change: impl FnOnce() -> Type) -> Type {
    if !of.is_shared() {
        return change();
    }
    if let Some((_, known)) = done.borrow().get(&of.address()) {
        return known.clone();
    }
    let changed = change();
    done.borrow_mut().insert(of.address(), (of.clone(), changed.clone()));
    changed
}

fn generalize(of: &Type, depth: u32, done: &Done) -> Type {
    if depth > MAX_DEPTH {
        return of.clone();
    }
    let general = |of: &Type| once(of, done, || generalize(of, depth + 1, done));
    of.kind().ask(|family| family.generalized(of, &general))
}

fn normalize(of: &Type, depth: u32, done: &Done, failure: &Failure) -> Type {
    if depth > MAX_DEPTH {
        return of.clone();
    }
    let part = |of: &Type| once(of, done, || normalize(of, depth + 1, done, failure));
    of.kind().ask(|family| family.normalized(of, &Normal { part: &part, failure }))
}
