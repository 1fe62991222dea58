//! Object types and when their instances are equal.

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::types::{Attribute, AttributeKind, ObjectDefinition, ObjectType, Type, TypeKind};
use super::value::{Object, Str, Value};

/// The maximum length of a chain of parents.
const MAX_ANCESTORS: usize = 700;

impl ObjectType {
    /// A type with a definition.
    pub(crate) fn defined(name: impl Into<Str>, definition: ObjectDefinition) -> Self {
        Self { name: name.into(), definition: OnceLock::from(definition), making: OnceLock::new() }
    }

    /// A type that is not defined yet.
    pub(crate) fn undefined(name: impl Into<Str>) -> Self {
        Self { name: name.into(), definition: OnceLock::new(), making: OnceLock::new() }
    }

    /// The definition; empty while it is being evaluated.
    pub fn definition(&self) -> &ObjectDefinition {
        static EMPTY: std::sync::LazyLock<ObjectDefinition> =
            std::sync::LazyLock::new(ObjectDefinition::default);
        self.definition.get().unwrap_or(&EMPTY)
    }

    /// Whether instances of other types are never equal to those of this one.
    pub fn compares_types(&self) -> bool {
        self.ancestors().into_iter().any(|of| of.definition().equality_include_type)
    }

    /// Whether instances are the locators of programs, which are only equal to themselves.
    pub fn is_locator(&self) -> bool {
        self.name == "Puppet::AST::Locator"
    }

    /// The parent type, as it was written.
    pub fn parent(&self) -> Option<&Type> {
        self.definition().parent.as_ref()
    }

    /// The parent Object type, with aliases resolved.
    pub fn parent_object(&self) -> Option<&Arc<ObjectType>> {
        match self.parent()?.resolved().kind() {
            TypeKind::Object(parent) => Some(parent),
            _ => None,
        }
    }

    /// The type and its ancestors, the type itself first.
    pub fn ancestors(&self) -> Vec<&ObjectType> {
        let mut ancestors = vec![self];
        let mut last = self;
        while let Some(parent) = last.parent_object() {
            if ancestors.len() > MAX_ANCESTORS {
                break;
            }
            ancestors.push(parent);
            last = parent;
        }
        ancestors
    }

    /// The attributes that take part in comparing instances.
    pub fn equality_attributes(&self) -> IndexMap<Str, &Attribute> {
        let mut all = IndexMap::new();
        for of in self.ancestors().into_iter().rev() {
            let definition = of.definition();
            match &definition.equality {
                None => all.extend(
                    definition
                        .attributes
                        .iter()
                        .filter(|(_, attribute)| attribute.kind != AttributeKind::Constant)
                        .map(|(name, attribute)| (name.clone(), attribute)),
                ),
                Some(names) => all.extend(names.iter().filter_map(|name| {
                    definition.attributes.get(name).map(|attribute| (name.clone(), attribute))
                })),
            }
        }
        all
    }
}

/// Whether two instances are equal by the definition of their types.
pub fn instances_equal(a: &Object, b: &Object, equals: &dyn Fn(&Value, &Value) -> bool) -> bool {
    let of = &a.object_type;
    if of.is_locator() {
        return std::ptr::eq(a, b);
    }
    let same_type = **of == *b.object_type;
    let includes_type = of.compares_types();
    if includes_type && !same_type {
        return false;
    }
    let attributes = of.equality_attributes();
    // If nothing is compared, an object is only equal to itself.
    if attributes.is_empty() && !includes_type && of.definition().equality.is_some() {
        return std::ptr::eq(a, b);
    }
    attributes.into_iter().all(|(name, attribute)| {
        if matches!(attribute.kind, AttributeKind::Derived) {
            return true;
        }
        let value = |instance: &Object| instance.attributes.get(&name).cloned();
        match (value(a), value(b)) {
            (Some(a), Some(b)) => equals(&a, &b),
            (a, b) => a.is_none() && b.is_none(),
        }
    })
}
