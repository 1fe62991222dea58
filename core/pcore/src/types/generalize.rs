//! Types made wider (`generalize`) and simpler (`normalize`). Follows the methods of these names in the
//! reference's `types.rb`.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::Type;
use super::guard::MAX_DEPTH;

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
        normalize(self, 0, &Done::default())
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

fn normalize(of: &Type, depth: u32, done: &Done) -> Type {
    if depth > MAX_DEPTH {
        return of.clone();
    }
    let normal = |of: &Type| once(of, done, || normalize(of, depth + 1, done));
    of.kind().ask(|family| family.normalized(of, &normal))
}
