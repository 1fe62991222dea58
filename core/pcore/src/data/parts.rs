//! What types are directly made of, and what aliases stand for.

use super::types::{CallableType, ObjectDefinition, Type, TypeKind};

/// How many aliases in a row are looked behind; longer chains are refused when they are defined.
const MAX_ALIASES: u32 = 700;

impl Type {
    /// Calls `visit` with every type that this one is directly made of.
    pub fn each_part(&self, visit: &mut dyn FnMut(&Type)) {
        self.kind().each_part(visit);
    }

    /// The type behind aliases.
    pub fn resolved(&self) -> &Type {
        let mut of = self;
        // A chain of aliases that never ends is refused when it is defined.
        for _ in 0..MAX_ALIASES {
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
    pub(crate) fn has_parts(&self) -> bool {
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
