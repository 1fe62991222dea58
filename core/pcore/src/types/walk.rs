//! Walking the types that a type is made of. Follows the `accept` methods of the reference's types.

use rustc_hash::FxHashSet;
use std::sync::Arc;

use super::{AliasType, CallableType, ObjectDefinition, Type, TypeKind};

impl Type {
    /// Calls `visit` with every type that this one is directly made of.
    pub fn each_part(&self, visit: &mut dyn FnMut(&Type)) {
        self.kind().each_part(visit);
    }

    /// The first type, this one included, that `test` holds for. Types that contain themselves are walked once.
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

    /// The name that this type refers to and that means nothing, if there is one anywhere in it.
    pub fn unresolved_reference(&self) -> Option<Type> {
        self.find_part(&mut |part| matches!(part.kind(), TypeKind::Reference(_)))
    }

    /// The type behind aliases.
    pub fn resolved(&self) -> &Type {
        let mut of = self;
        // A chain of aliases that never ends is refused when it is defined.
        for _ in 0..super::guard::MAX_DEPTH {
            match of.kind() {
                TypeKind::Alias(alias) => match alias.target.get() {
                    Some(target) => of = target,
                    None => return of,
                },
                _ => return of,
            }
        }
        of
    }
}

impl TypeKind {
    /// Whether the type is made of others.
    pub(super) fn has_parts(&self) -> bool {
        let mut found = false;
        self.each_part(&mut |_| found = true);
        found
    }

    /// Calls `visit` with every type that one of this kind is directly made of.
    pub fn each_part(&self, visit: &mut dyn FnMut(&Type)) {
        match self {
            TypeKind::Array { element: Some(of), .. }
            | TypeKind::Iterable(Some(of))
            | TypeKind::Iterator(Some(of))
            | TypeKind::Type(Some(of))
            | TypeKind::Optional(Some(of))
            | TypeKind::NotUndef(Some(of))
            | TypeKind::Sensitive(Some(of))
            | TypeKind::Init { of: Some(of), .. } => visit(of),
            TypeKind::Hash { key, value, .. } => key.iter().chain(value).for_each(visit),
            TypeKind::Tuple { types, .. } | TypeKind::Variant(types) => types.iter().for_each(visit),
            TypeKind::Struct { members } => members.iter().for_each(|member| {
                visit(member.key);
                visit(member.value);
            }),
            TypeKind::Callable(CallableType { parameters, block, returns }) => {
                parameters.iter().chain(block).chain(returns).for_each(visit);
            }
            TypeKind::Object(object) => {
                if let Some(definition) = object.definition.get() {
                    each_part_of_object(definition, visit);
                }
            }
            TypeKind::TypeSet(set) => {
                if let Some(definition) = set.definition.get() {
                    definition.types.values().for_each(visit);
                }
            }
            TypeKind::Alias(alias) => alias.target.get().into_iter().for_each(visit),
            TypeKind::Any
            | TypeKind::Unit
            | TypeKind::Undef
            | TypeKind::Default
            | TypeKind::Scalar
            | TypeKind::ScalarData
            | TypeKind::Numeric
            | TypeKind::Integer(_)
            | TypeKind::BigInteger(_)
            | TypeKind::Float(_)
            | TypeKind::Boolean(_)
            | TypeKind::String { .. }
            | TypeKind::Enum { .. }
            | TypeKind::Pattern(_)
            | TypeKind::Regexp(_)
            | TypeKind::Collection { .. }
            | TypeKind::Array { element: None, .. }
            | TypeKind::Iterable(None)
            | TypeKind::Iterator(None)
            | TypeKind::Type(None)
            | TypeKind::Optional(None)
            | TypeKind::NotUndef(None)
            | TypeKind::Sensitive(None)
            | TypeKind::CatalogEntry
            | TypeKind::Class(_)
            | TypeKind::Resource { .. }
            | TypeKind::SemVer(_)
            | TypeKind::SemVerRange
            | TypeKind::Timestamp { .. }
            | TypeKind::Timespan { .. }
            | TypeKind::Binary
            | TypeKind::Uri(_)
            | TypeKind::Runtime { .. }
            | TypeKind::Init { of: None, .. }
            | TypeKind::ObjectExtension { .. }
            | TypeKind::Reference(_) => {}
        }
    }
}

fn each_part_of_object(definition: &ObjectDefinition, visit: &mut dyn FnMut(&Type)) {
    definition.annotations.iter().flatten().for_each(|(key, _)| visit(key));
    definition.parent.iter().for_each(&mut *visit);
    let attributes = definition.type_parameters.values().chain(definition.attributes.values());
    for attribute in attributes {
        attribute.annotations.iter().flatten().for_each(|(key, _)| visit(key));
        visit(&attribute.attribute_type);
    }
    for function in definition.functions.values() {
        function.annotations.iter().flatten().for_each(|(key, _)| visit(key));
        visit(&function.function_type);
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
        // What is still being defined may lead back to this type later.
        if found.is_some() || is_complete {
            let _ = self.recursive.set(found.is_some());
        }
        found.is_some()
    }

    /// What names it in the [`Guard`](super::guard::Guard).
    pub(crate) fn identity(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }
}
