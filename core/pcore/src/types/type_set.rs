//! Sets of types under one name. Follows the reference's `p_type_set_type.rb` and `type_set_reference.rb`.

use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;

use super::object::add_annotations;
use super::{Type, TypeKind, TypeSetDefinition, TypeSetType};
use crate::data::value::{Hash, Str, Value, Version};

/// The authority that names of the reference's own types are unique for.
pub const RUNTIME_NAME_AUTHORITY: &str = "http://puppet.com/2016.1/runtime";
/// The URI of Pcore.
pub const PCORE_URI: &str = "http://puppet.com/2016.1/pcore";
/// The name of the bare `TypeSet`.
const DEFAULT_NAME: &str = "DefaultTypeSet";

/// `TypeSet`
pub fn any() -> Type {
    static TYPE: LazyLock<Type> = LazyLock::new(|| {
        let version = |major| Version::of(major, 0, 0);
        let definition = TypeSetDefinition {
            version: Some(version(0)),
            name_authority: Some(RUNTIME_NAME_AUTHORITY.into()),
            pcore_version: Some(version(1)),
            pcore_uri: Some(PCORE_URI.into()),
            types: IndexMap::new(),
            references: IndexMap::new(),
            annotations: None,
        };
        let set = TypeSetType { name: DEFAULT_NAME.into(), definition: OnceLock::from(definition) };
        TypeKind::TypeSet(Arc::new(set)).into()
    });
    TYPE.clone()
}

/// Whether it is the bare `TypeSet`.
pub(crate) fn is_default(set: &TypeSetType) -> bool {
    set.name == DEFAULT_NAME
}

/// Whether a type is one of a set's own.
pub(crate) fn defines(set: &TypeSetType, of: &Type) -> bool {
    set.definition.get().is_some_and(|definition| definition.types.values().any(|own| own == of))
}

/// The name that a set has for a type: its own, or one through a reference.
pub(crate) fn name_for(set: &TypeSetType, of: &Type) -> Option<Str> {
    let definition = set.definition.get()?;
    if let Some((name, _)) = definition.types.iter().find(|(_, own)| *own == of) {
        return Some(name.clone());
    }
    definition.references.iter().find_map(|(alias, reference)| {
        let TypeKind::TypeSet(set) = reference.type_set.as_ref()?.kind() else { return None };
        let name = name_for(set, of)?;
        Some(format!("{alias}::{name}").into())
    })
}

/// A type of a set by its name in the set, which may go through references; case does not matter.
pub fn get(set: &TypeSetType, name: &str) -> Option<Type> {
    let definition = set.definition.get()?;
    let same = |other: &Str| other == name || other.to_lowercase() == name.to_lowercase();
    if let Some((_, of)) = definition.types.iter().find(|(other, _)| same(other)) {
        return Some(of.clone());
    }
    let (first, rest) = match name.split_once("::") {
        Some((first, rest)) => (first, Some(rest)),
        None => (name, None),
    };
    let (_, reference) = definition
        .references
        .iter()
        .find(|(alias, _)| *alias == first || alias.to_lowercase() == first.to_lowercase())?;
    let of = reference.type_set.clone()?;
    match (rest, of.kind()) {
        (None, _) => Some(of),
        (Some(rest), TypeKind::TypeSet(set)) => get(set, rest),
        (Some(_), _) => None,
    }
}

/// The hash that defines a set.
pub fn init_hash(set: &TypeSetType) -> Hash {
    let mut hash = Hash::default();
    let Some(definition) = set.definition.get() else { return hash };
    add_annotations(&mut hash, definition.annotations.as_ref());
    let mut text = |key: &str, value: Option<Str>| {
        if let Some(value) = value {
            hash.insert(key.into(), Value::String(value));
        }
    };
    let version_text = |version: &Option<Version>| version.as_ref().map(|v| Str::from(v.to_string()));
    text("pcore_uri", definition.pcore_uri.clone());
    text("pcore_version", version_text(&definition.pcore_version));
    text("name_authority", definition.name_authority.clone());
    // A set without a name shows that it has none.
    let name = if set.name.is_empty() { Value::Undef } else { Value::String(set.name.clone()) };
    hash.insert("name".into(), name);
    if let Some(version) = version_text(&definition.version) {
        hash.insert("version".into(), Value::String(version));
    }
    if !definition.types.is_empty() {
        let types =
            definition.types.iter().map(|(name, of)| (Value::String(name.clone()), Value::Type(of.clone())));
        hash.insert("types".into(), Value::hash(types));
    }
    if !definition.references.is_empty() {
        let references = definition.references.iter().map(|(alias, reference)| {
            let mut features = Hash::default();
            if reference.name_authority != definition.name_authority
                && let Some(authority) = &reference.name_authority
            {
                features.insert("name_authority".into(), Value::String(authority.clone()));
            }
            features.insert("name".into(), Value::String(reference.name.clone()));
            features.insert("version_range".into(), Value::String(reference.version_range.text.clone()));
            (Value::String(alias.clone()), Value::from(features))
        });
        hash.insert("references".into(), Value::hash(references));
    }
    hash
}
