//! What types are called: the names of their kinds and their own.

use super::{Type, TypeKind};
use crate::data::value::Str;

impl TypeKind {
    /// The name of the kind: the reference's class name without `P` and `Type`.
    pub const fn kind_name(&self) -> &'static str {
        match self {
            Self::Any => "Any",
            Self::Unit => "Unit",
            Self::Undef => "Undef",
            Self::Default => "Default",
            Self::Scalar => "Scalar",
            Self::ScalarData => "ScalarData",
            Self::Numeric => "Numeric",
            Self::Integer(_) | Self::BigInteger(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Boolean(_) => "Boolean",
            Self::String { .. } => "String",
            Self::Enum { .. } => "Enum",
            Self::Pattern(_) => "Pattern",
            Self::Regexp(_) => "Regexp",
            Self::Collection { .. } => "Collection",
            Self::Array { .. } => "Array",
            Self::Hash { .. } => "Hash",
            Self::Tuple { .. } => "Tuple",
            Self::Struct { .. } => "Struct",
            Self::Iterable(_) => "Iterable",
            Self::Iterator(_) => "Iterator",
            Self::Callable(_) => "Callable",
            Self::Type(_) => "Type",
            Self::Optional(_) => "Optional",
            Self::NotUndef(_) => "NotUndef",
            Self::Variant(_) => "Variant",
            Self::Sensitive(_) => "Sensitive",
            Self::CatalogEntry => "CatalogEntry",
            Self::Class(_) => "Class",
            Self::Resource { .. } => "Resource",
            Self::SemVer(_) => "SemVer",
            Self::SemVerRange => "SemVerRange",
            Self::Timestamp { .. } => "Timestamp",
            Self::Timespan { .. } => "Timespan",
            Self::Binary => "Binary",
            Self::Uri(_) => "URI",
            Self::Runtime { .. } => "Runtime",
            Self::Init { .. } => "Init",
            Self::Object(_) => "Object",
            Self::ObjectExtension { .. } => "ObjectTypeExtension",
            Self::TypeSet(_) => "TypeSet",
            Self::Alias(_) => "TypeAlias",
            Self::Reference(_) => "TypeReference",
        }
    }
}

impl Type {
    /// The name of the kind; of an Object type the last segment of its own name.
    pub fn simple_name(&self) -> Str {
        match self.kind() {
            TypeKind::Object(object) | TypeKind::ObjectExtension { base: object, .. } => object.simple_name(),
            kind => kind.kind_name().into(),
        }
    }

    /// The type's own name where it has one, else the name of its kind. An anonymous Object type has none.
    pub fn name(&self) -> Option<Str> {
        match self.kind() {
            TypeKind::Object(object) => Some(object.name.clone()).filter(|name| !name.is_empty()),
            TypeKind::TypeSet(set) => Some(set.name.clone()),
            TypeKind::Alias(alias) => Some(alias.name.clone()),
            _ => Some(self.simple_name()),
        }
    }

    /// What a single alias stands for.
    pub(super) fn resolved_once(&self) -> &Type {
        match self.kind() {
            TypeKind::Alias(alias) => alias.target.get().unwrap_or(self),
            _ => self,
        }
    }
}
