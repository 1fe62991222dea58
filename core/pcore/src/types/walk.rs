//! Walks the parts of types. Follows the `accept` methods of the reference's types.

use rustc_hash::FxHashSet;
use std::sync::Arc;

use super::{AliasType, Type, TypeKind};

impl Type {
    /// The first type, this one included, that `test` holds for. Types that contain themselves are walked
    /// once.
    pub fn find_part(&self, test: &mut dyn FnMut(&Type) -> bool) -> Option<Type> {
        let mut seen = FxHashSet::default();
        let mut pending = vec![self.clone()];
        while let Some(of) = pending.pop() {
            if test(&of) {
                return Some(of);
            }
            let is_new = match of.kind() {
                TypeKind::Alias(alias) => seen.insert(Arc::as_ptr(alias) as usize),
                TypeKind::Object(object) => seen.insert(Arc::as_ptr(object) as usize),
                TypeKind::TypeSet(set) => seen.insert(Arc::as_ptr(set) as usize),
                _ => true,
            };
            if is_new {
                let first = pending.len();
                of.each_part(&mut |part| pending.push(part.clone()));
                pending[first..].reverse();
            }
        }
        None
    }

    /// The first name in this type that cannot be resolved, if there is one.
    pub fn unresolved_reference(&self) -> Option<Type> {
        self.find_part(&mut |part| matches!(part.kind(), TypeKind::Reference(_)))
    }
}

impl AliasType {
    /// Whether the type contains itself. While it is being defined it is assumed to.
    pub fn is_recursive(&self) -> bool {
        let Some(target) = self.target.get() else { return true };
        if let Some(known) = self.recursive.get() {
            return *known;
        }
        let mut is_complete = true;
        let found = target.find_part(&mut |part| match part.kind() {
            TypeKind::Alias(other) => {
                is_complete &= other.target.get().is_some();
                std::ptr::eq(Arc::as_ptr(other), self)
            }
            TypeKind::Object(object) => {
                is_complete &= object.definition.get().is_some();
                false
            }
            _ => false,
        });
        // A definition in progress can refer back to this type later.
        if found.is_some() || is_complete {
            let _ = self.recursive.set(found.is_some());
        }
        found.is_some()
    }

    /// Its identity in the [`Guard`](super::guard::Guard).
    pub(crate) fn identity(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }
}
