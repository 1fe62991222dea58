//! The direct parts of types, and the targets of aliases.

use std::sync::Arc;

use super::big::BigRange;
use super::members::Members;
use super::types::{
    AliasType, CallableType, FloatRange, IntRange, ObjectDefinition, ObjectType, RuntimeName, Type, TypeKind,
    TypeSetType, VersionRange,
};
use super::value::{RegexpValue, Str, Timespan, Timestamp, Value};

/// The maximum length of a chain of aliases that is followed; longer chains are rejected in their definition.
const MAX_ALIASES: u32 = 700;

impl Type {
    /// Calls `visit` with every direct part of this type.
    pub fn each_part(&self, visit: &mut dyn FnMut(&Type)) {
        self.kind().each_part(visit);
    }

    /// The type with aliases resolved.
    pub fn resolved(&self) -> &Type {
        let mut of = self;
        // An infinite chain of aliases is rejected in its definition.
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
    /// Whether the type has parts.
    pub(crate) fn has_parts(&self) -> bool {
        let mut found = false;
        self.each_part(&mut |_| found = true);
        found
    }
}

/// A parameter of a type.
pub(super) trait Parameter {
    /// Calls `visit` with the types that it consists of.
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        let _ = visit;
    }
}

/// Parameters without types.
macro_rules! plain {
    ($($of:ty),* $(,)?) => {
        $(impl Parameter for $of {})*
    };
}

plain! {
    IntRange, Option<IntRange>, Arc<BigRange>, FloatRange, bool, Option<bool>, Str, Option<Str>, Vec<Str>,
    Vec<Arc<RegexpValue>>, Option<Arc<RegexpValue>>, Vec<Arc<VersionRange>>, Option<Timestamp>,
    Option<Timespan>, Option<Vec<(Str, Value)>>, Vec<(Str, Value)>, Option<RuntimeName>, Vec<Value>,
}

impl Parameter for Option<Type> {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        self.iter().for_each(visit);
    }
}

impl Parameter for Vec<Type> {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        self.iter().for_each(visit);
    }
}

impl Parameter for Members {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        self.iter().for_each(|member| {
            visit(member.key);
            visit(member.value);
        });
    }
}

impl Parameter for CallableType {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        self.parameters.iter().chain(&self.block).chain(&self.returns).for_each(visit);
    }
}

impl Parameter for Arc<ObjectType> {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        if let Some(definition) = self.definition.get() {
            each_part_of_object(definition, visit);
        }
    }
}

impl Parameter for Arc<TypeSetType> {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        if let Some(definition) = self.definition.get() {
            definition.types.values().for_each(visit);
        }
    }
}

impl Parameter for Arc<AliasType> {
    fn each_type(&self, visit: &mut dyn FnMut(&Type)) {
        self.target.get().into_iter().for_each(visit);
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
