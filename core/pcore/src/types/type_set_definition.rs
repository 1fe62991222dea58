//! TypeSets from the hashes that define them. Follows the reference's `p_type_set_type.rb`.

use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;

use super::parse::{TypeLoader, interpret_any};
use super::type_set;
use super::{
    Type, TypeKind, TypeSetDefinition, TypeSetReference, TypeSetType, VersionRange, asserter, define,
    object_definition, uri,
};
use crate::data::value::{Hash, Str, Value, Version};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Check;

static REFERENCE: LazyLock<Type> = LazyLock::new(|| {
    Type::structure_of([
        ("name", object_definition::qualified_reference(), true),
        ("version_range", Type::variant([Type::non_empty_string(), Type::sem_ver_range()]), true),
        ("name_authority", uri::uri_pattern(), false),
        ("annotations", object_definition::annotations_type(), false),
    ])
});

/// The type of a hash that defines a TypeSet.
pub(crate) static INITIALIZER: LazyLock<Type> = LazyLock::new(|| {
    let version = || Type::variant([Type::non_empty_string(), Type::any_sem_ver()]);
    let some = Some(super::IntRange::new(Some(1), None));
    let definition = Type::variant([Type::any_type(), object_definition::INITIALIZER.clone()]);
    let types = Type::hash(object_definition::simple_type_name(), definition, some);
    let references = Type::hash(object_definition::simple_type_name(), REFERENCE.clone(), some);
    Type::structure_of([
        ("pcore_uri", uri::uri_pattern(), false),
        ("pcore_version", version(), true),
        ("name_authority", uri::uri_pattern(), false),
        ("name", object_definition::qualified_reference(), false),
        ("version", version(), false),
        ("types", types, false),
        ("references", references, false),
        ("annotations", object_definition::annotations_type(), false),
    ])
});

/// `TypeSet[…]` from the content of the brackets.
///
/// # Errors
/// The content does not define a TypeSet.
pub fn anonymous(value: &Value, loader: &dyn TypeLoader) -> Result<Type, Error> {
    match value {
        Value::Undef => Ok(type_set::any()),
        Value::Hash(hash) if hash.is_empty() => Ok(type_set::any()),
        Value::Hash(hash) => {
            let name =
                hash.get(&Value::from("name")).and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let set = unresolved(name);
            define_by_hash(&set, hash, None, loader)?;
            Ok(TypeKind::TypeSet(set).into())
        }
        _ => {
            asserter::assert_instance("TypeSet name", &object_definition::qualified_reference(), value)?;
            Ok(type_set::any())
        }
    }
}

/// A TypeSet that is not defined yet.
pub fn unresolved(name: impl Into<Str>) -> Arc<TypeSetType> {
    Arc::new(TypeSetType { name: name.into(), definition: OnceLock::new() })
}

/// The number of types from which the search for each name checks whether it can continue.
const MANY: usize = 1000;

/// Finds the types of a set that is being defined, before others.
struct SetLoader<'a> {
    types: &'a IndexMap<Str, Type>,
    references: &'a IndexMap<Str, TypeSetReference>,
    outer: &'a dyn TypeLoader,
}

impl TypeLoader for SetLoader<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        if self.types.len() > MANY {
            self.outer.end().check()?;
        }
        let own = self.types.iter().find(|(own, _)| own.to_lowercase() == name);
        if let Some((_, of)) = own {
            return Ok(Some(of.clone()));
        }
        let (first, rest) = name.split_once("::").map_or((name, None), |(first, rest)| (first, Some(rest)));
        let reference = self.references.iter().find(|(alias, _)| alias.to_lowercase() == first);
        if let Some(of) = reference.and_then(|(_, reference)| reference.type_set.as_ref()) {
            return Ok(match (rest, of.kind()) {
                (Some(rest), TypeKind::TypeSet(set)) => type_set::get(set, rest),
                _ => Some(of.clone()),
            });
        }
        self.outer.load_type(name)
    }

    fn key_given_twice(&self, key: &str, program: &Program, node: NodeId) -> Result<(), Error> {
        self.outer.key_given_twice(key, program, node)
    }

    fn end(&self) -> &dyn Check {
        self.outer.end()
    }
}

/// Defines a named TypeSet by the hash expression in its brackets.
///
/// # Errors
/// Everything that the reference refuses.
pub fn define_by_node(
    set: &Arc<TypeSetType>,
    program: &Program,
    node: NodeId,
    name_authority: Option<&str>,
    loader: &dyn TypeLoader,
) -> Result<(), Error> {
    let Node::LiteralHash { entries } = *program.node(node) else {
        let value = interpret_any(program, node, loader)?;
        let Value::Hash(hash) = value else {
            return Err(Error::internal("A TypeSet is not defined by a hash"));
        };
        return define_by_hash(set, &hash, name_authority, loader);
    };
    let mut hash = Hash::default();
    let mut type_nodes: Vec<(Str, NodeId)> = Vec::new();
    for &entry in program.list(entries) {
        let Node::KeyedEntry { key, value } = *program.node(entry) else { continue };
        let key = interpret_any(program, key, loader)?;
        let is_members = matches!(key.as_str(), Some("types" | "references"));
        let Node::LiteralHash { entries } = *program.node(value) else {
            hash.insert(key, interpret_any(program, value, loader)?);
            continue;
        };
        if !is_members {
            hash.insert(key, interpret_any(program, value, loader)?);
            continue;
        }
        let is_types = key.as_str() == Some("types");
        let mut members = Hash::default();
        for &entry in program.list(entries) {
            let Node::KeyedEntry { key: name, value } = *program.node(entry) else { continue };
            let name = match *program.node(name) {
                Node::QualifiedReference { cased_value } => Value::from(program.text(cased_value)),
                _ => interpret_any(program, name, loader)?,
            };
            if is_types {
                type_nodes.push((name.as_str().map(Str::from).unwrap_or_default(), value));
                members.insert(name, Value::Undef);
            } else {
                members.insert(name, interpret_any(program, value, loader)?);
            }
        }
        hash.insert(key, Value::from(members));
    }
    let authority = authority_of(set, &hash, name_authority)?;
    let mut types = IndexMap::new();
    let mut shown = Hash::default();
    for (name, node) in &type_nodes {
        let of = define::create(&format!("{}::{name}", set.name), program, *node);
        shown.insert(Value::String(name.clone()), Value::Type(of.clone()));
        types.insert(name.clone(), of);
    }
    if !type_nodes.is_empty() {
        hash.insert("types".into(), Value::from(shown));
    }
    let definition = build(set, &hash, authority, types, loader)?;
    let members = SetLoader { types: &definition.types, references: &definition.references, outer: loader };
    let inner: &dyn TypeLoader = if loader.finds_members() { &members } else { loader };
    for (name, node) in &type_nodes {
        if let Some(of) = definition.types.get(name) {
            define::resolve(of, program, *node, inner)?;
        }
    }
    let _ = set.definition.set(definition);
    Ok(())
}

/// Defines a TypeSet by a hash of values.
fn define_by_hash(
    set: &Arc<TypeSetType>,
    hash: &Hash,
    name_authority: Option<&str>,
    loader: &dyn TypeLoader,
) -> Result<(), Error> {
    let mut types = IndexMap::new();
    if let Some(Value::Hash(members)) = hash.get(&Value::from("types")) {
        for (name, of) in members.iter() {
            if let (Value::String(name), Value::Type(of)) = (name, of) {
                types.insert(name.clone(), of.clone());
            }
        }
    }
    let authority = match name_authority {
        Some(authority) => Some(authority.into()),
        None => hash.get(&Value::from("name_authority")).and_then(Value::as_str).map(Str::from),
    };
    let definition = build(set, hash, authority, types, loader)?;
    let _ = set.definition.set(definition);
    Ok(())
}

fn authority_of(set: &TypeSetType, hash: &Hash, given: Option<&str>) -> Result<Option<Str>, Error> {
    let declared = || hash.get(&Value::from("name_authority")).and_then(Value::as_str).map(Str::from);
    match given.map(Str::from).or_else(declared) {
        Some(authority) => Ok(Some(authority)),
        None => Err(Error::argument(format!(
            "No 'name_authority' is declared in TypeSet '{}' and it cannot be inferred",
            set.name
        ))),
    }
}

fn version(value: Option<&Value>) -> Result<Option<Version>, Error> {
    match value {
        Some(Value::SemVer(version)) => Ok(Some((**version).clone())),
        Some(Value::String(text)) => Version::parse(text).map(Some),
        _ => Ok(None),
    }
}

fn build(
    set: &TypeSetType,
    hash: &Hash,
    name_authority: Option<Str>,
    types: IndexMap<Str, Type>,
    loader: &dyn TypeLoader,
) -> Result<TypeSetDefinition, Error> {
    asserter::assert_instance("TypeSet initializer", &INITIALIZER, &Value::from(hash.clone()))?;
    let get = |key: &str| hash.get(&Value::from(key));
    let pcore_version = version(get("pcore_version"))?;
    if let Some(pcore) = &pcore_version
        && !VersionRange::parse("1.x")?.includes(pcore)
    {
        return Err(Error::argument(format!(
            "The pcore version for TypeSet '{}' is not understood by this runtime. Expected range 1.x, got {pcore}",
            set.name
        )));
    }
    let mut definition = TypeSetDefinition {
        version: version(get("version"))?,
        name_authority,
        pcore_version,
        pcore_uri: get("pcore_uri").and_then(Value::as_str).map(Str::from),
        types,
        references: IndexMap::new(),
        annotations: object_definition::annotations(hash),
    };
    if let Some(Value::Hash(references)) = get("references") {
        let references = references.clone();
        add_references(set, &mut definition, &references, loader)?;
    }
    Ok(definition)
}

fn add_references(
    set: &TypeSetType,
    definition: &mut TypeSetDefinition,
    references: &Hash,
    loader: &dyn TypeLoader,
) -> Result<(), Error> {
    let name = &set.name;
    for (alias, features) in references {
        let (Value::String(alias), Value::Hash(features)) = (alias, features) else { continue };
        let get = |key: &str| features.get(&Value::from(key));
        let version_range = match get("version_range") {
            Some(Value::SemVerRange(range)) => range.clone(),
            Some(Value::String(text)) => Arc::new(VersionRange::parse(text)?),
            _ => continue,
        };
        let reference_name = get("name").and_then(Value::as_str).map(Str::from).unwrap_or_default();
        let authority = get("name_authority").and_then(Value::as_str).map(Str::from);
        let authority = authority.or_else(|| definition.name_authority.clone());
        let overlaps = |other: &TypeSetReference| {
            // The reference takes any two ranges for overlapping.
            other.name == reference_name && other.name_authority == authority
        };
        if definition.references.values().any(overlaps) {
            let authority = authority.unwrap_or_default();
            return Err(Error::argument(format!(
                "TypeSet '{name}' references TypeSet '{authority}/{reference_name}' more than once using overlapping version ranges"
            )));
        }
        if definition.types.contains_key(alias) {
            return Err(Error::argument(format!(
                "TypeSet '{name}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type"
            )));
        }
        let label = format!("TypeSet '{name}' reference to TypeSet named '{reference_name}'");
        let of = loader.load_type(&reference_name.to_lowercase())?;
        let Some(of) = of else {
            return Err(Error::argument(format!("{label} cannot be resolved")));
        };
        let TypeKind::TypeSet(other) = of.kind() else {
            let found = of.name().unwrap_or_default();
            return Err(Error::argument(format!("{label} resolves to a {found}")));
        };
        if let Some(version) = other.definition.get().and_then(|definition| definition.version.as_ref())
            && !version_range.includes(version)
        {
            return Err(Error::argument(format!(
                "{label} resolves to an incompatible version. Expected {}, got {version}",
                version_range.text
            )));
        }
        let reference = TypeSetReference {
            name: reference_name,
            name_authority: authority,
            version_range,
            type_set: Some(of),
        };
        definition.references.insert(alias.clone(), reference);
    }
    Ok(())
}
