//! The names of types: those of their kinds and their own.

use super::{Type, TypeKind};
use crate::data::value::Str;

impl Type {
    /// The name of the kind; of an Object type the last segment of its own name.
    pub fn simple_name(&self) -> Str {
        match self.kind() {
            TypeKind::Object(object) | TypeKind::ObjectExtension { base: object, .. } => object.simple_name(),
            kind => kind.kind_name().into(),
        }
    }

    /// The type's own name if it has one, otherwise the name of its kind. An anonymous Object type has none.
    pub fn name(&self) -> Option<Str> {
        match self.kind() {
            TypeKind::Object(object) => Some(object.name.clone()).filter(|name| !name.is_empty()),
            TypeKind::TypeSet(set) => Some(set.name.clone()),
            TypeKind::Alias(alias) => Some(alias.name.clone()),
            _ => Some(self.simple_name()),
        }
    }

    /// The direct target of an alias.
    pub(super) fn resolved_once(&self) -> &Type {
        match self.kind() {
            TypeKind::Alias(alias) => alias.target.get().unwrap_or(self),
            _ => self,
        }
    }
}
