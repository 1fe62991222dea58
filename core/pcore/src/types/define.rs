//! Types that programs define: `type Name = …`. Follows the reference's `type_definition_instantiator.rb` and
//! `PTypeAliasType#resolve`.
//!
//! A type is first created, then made known by its name, then resolved, so that it may refer to itself.

use std::sync::Arc;

use super::parse::{TypeLoader, interpret, interpret_any};
use super::{AliasType, ObjectDefinition, Type, TypeKind, object_definition, type_set, type_set_definition};
use crate::data::value::{Hash, Value};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;

/// The kind of a definition.
enum Form {
    /// An Object type, by the hash in its brackets or the hash itself.
    Object(Option<NodeId>),
    /// A TypeSet, by the content of its brackets.
    TypeSet(Option<NodeId>),
    /// An Object type, by the attributes of `Parent { … }`.
    Inherited(NodeId),
    /// A name for a type.
    Alias,
}

fn form(program: &Program, node: NodeId) -> Form {
    match *program.node(node) {
        Node::LiteralHash { .. } => Form::Object(Some(node)),
        Node::ResourceDefaultsExpression { type_ref: Some(_), .. } => Form::Inherited(node),
        Node::AccessExpression { left_expr, keys } => match *program.node(left_expr) {
            Node::QualifiedReference { cased_value } => match program.text(cased_value) {
                "Object" => Form::Object(program.list(keys).first().copied()),
                "TypeSet" => Form::TypeSet(program.list(keys).first().copied()),
                _ => Form::Alias,
            },
            _ => Form::Alias,
        },
        _ => Form::Alias,
    }
}

/// The type that an expression defines under a name, not yet resolved.
pub fn create(name: &str, program: &Program, node: NodeId) -> Type {
    match form(program, node) {
        Form::Object(_) | Form::Inherited(_) => TypeKind::Object(object_definition::unresolved(name)).into(),
        Form::TypeSet(_) => TypeKind::TypeSet(type_set_definition::unresolved(name)).into(),
        Form::Alias => TypeKind::Alias(Arc::new(AliasType::unresolved(name))).into(),
    }
}

/// Resolves a type that [`create`] made from the same expression. `loader` must know it by its name.
///
/// # Errors
/// The definition is invalid. The type then stays unresolved.
pub fn resolve(of: &Type, program: &Program, node: NodeId, loader: &dyn TypeLoader) -> Result<(), Error> {
    match (of.kind(), form(program, node)) {
        (TypeKind::Alias(alias), _) => {
            let target = interpret(program, node, loader)?.normalize();
            resolve_alias(of, alias, &target)
        }
        (TypeKind::Object(object), Form::Object(hash)) => {
            let value = hash.map(|hash| interpret_any(program, hash, loader)).transpose()?;
            match value {
                Some(Value::Hash(hash)) => object_definition::define(object, &hash),
                _ => {
                    let definition =
                        ObjectDefinition { equality_include_type: true, ..ObjectDefinition::default() };
                    let _ = object.definition.set(definition);
                    Ok(())
                }
            }
        }
        (TypeKind::Object(object), Form::Inherited(node)) => {
            let hash = inherited_hash(program, node, loader)?;
            object_definition::define(object, &hash)
        }
        (TypeKind::TypeSet(set), Form::TypeSet(Some(node))) => {
            let authority = Some(type_set::RUNTIME_NAME_AUTHORITY);
            type_set_definition::define_by_node(set, program, node, authority, loader)
        }
        _ => Ok(()),
    }
}

/// `Parent { attribute => …}` as a hash with the parent.
fn inherited_hash(program: &Program, node: NodeId, loader: &dyn TypeLoader) -> Result<Hash, Error> {
    let mut hash = Hash::default();
    let Node::ResourceDefaultsExpression { type_ref: Some(type_ref), operations, .. } = *program.node(node)
    else {
        return Ok(hash);
    };
    if let Node::QualifiedReference { cased_value } = *program.node(type_ref)
        && !matches!(program.text(cased_value), "Object" | "TypeSet")
    {
        hash.insert("parent".into(), interpret_any(program, type_ref, loader)?);
    }
    for &operation in program.list(operations) {
        if let Node::AttributeOperation { attribute_name, value_expr, .. } = *program.node(operation) {
            let value = interpret_any(program, value_expr, loader)?;
            hash.insert(program.text(attribute_name).into(), value);
        }
    }
    Ok(hash)
}

/// Whether a type has something besides names and Variants. A name that is being resolved, other than the
/// given one, may turn out to be anything.
fn is_real(of: &Type, alias: &AliasType) -> bool {
    of.find_part(&mut |part| match part.kind() {
        TypeKind::Alias(other) => other.target.get().is_none() && !is_same(other, alias),
        TypeKind::Variant(_) => false,
        _ => true,
    })
    .is_some()
}

fn is_same(other: &Arc<AliasType>, alias: &AliasType) -> bool {
    std::ptr::eq(Arc::as_ptr(other), alias)
}

/// Sets the target of an alias. Members of a Variant that are the alias itself, or only lead back to it, are
/// omitted.
fn resolve_alias(of: &Type, alias: &AliasType, target: &Type) -> Result<(), Error> {
    if !is_real(target, alias) {
        return Err(Error::argument(format!(
            "Type alias '{}' cannot be resolved to a real type",
            alias.name
        )));
    }
    let is_self = |part: &Type| matches!(part.kind(), TypeKind::Alias(other) if is_same(other, alias));
    let is_recursive = target.find_part(&mut |part| is_self(part)).is_some();
    let target = match target.kind() {
        TypeKind::Variant(members) if is_recursive => {
            let real: Vec<Type> =
                members.iter().filter(|member| *member != of && is_real(member, alias)).cloned().collect();
            if real.len() == members.len() { target.clone() } else { Type::variant(real) }
        }
        _ => target.clone(),
    };
    let _ = alias.target.set(target);
    Ok(())
}
