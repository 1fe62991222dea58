//! What types are directly made of, and what aliases stand for.

use std::sync::Arc;

use super::big::BigRange;
use super::members::Members;
use super::types::{
    AliasType, CallableType, FloatRange, IntRange, ObjectDefinition, ObjectType, RuntimeName, Type, TypeKind,
    TypeSetType, VersionRange,
};
use super::value::{RegexpValue, Str, Timespan, Timestamp, Value};

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
}

/// A parameter of a type.
pub(super) trait Parameter {
    /// Calls `visit` with the types that it is made of.
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
