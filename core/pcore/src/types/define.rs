//! Types that programs define: `type Name = …`. Follows the reference's `type_definition_instantiator.rb` and
//! `PTypeAliasType#resolve`.
//!
//! A type is first created, then made known by its name, then resolved, so that it may refer to itself.

use std::sync::Arc;

use super::guard::{Guard, MAX_DEPTH, state};
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
            let target = interpret(program, node, loader)?.check_normalize()?;
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
        let is_given = program.list(operations).iter().any(|&operation| {
            matches!(*program.node(operation), Node::AttributeOperation { attribute_name, .. }
                if program.text(attribute_name) == "parent")
        });
        if is_given {
            loader.key_given_twice("parent", program, node)?;
        }
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

/// Looks for something besides names and Variants in the type of an alias, as the reference's visitor does.
struct Reality<'t> {
    alias: &'t AliasType,
    /// What the alias is to stand for.
    target: &'t Type,
    guard: Guard,
    depth: u32,
    steps: u32,
}

/// From how many steps on a type is real, as from [`MAX_DEPTH`] on: names of names have too many paths to
/// walk.
const MANY_STEPS: u32 = 100_000;

impl<'t> Reality<'t> {
    fn new(alias: &'t AliasType, target: &'t Type) -> Self {
        Self { alias, target, guard: Guard::default(), depth: 0, steps: 0 }
    }

    /// Whether a type has something else. A name that is being resolved, other than that of the alias, may
    /// turn out to be anything. Once a name was found in itself, further names of types that contain
    /// themselves are not followed, up to the end of the first.
    fn is_real(&mut self, of: &Type) -> bool {
        self.steps += 1;
        if self.steps > MANY_STEPS || self.depth > MAX_DEPTH {
            return true;
        }
        self.depth += 1;
        let found = self.is_real_inside(of);
        self.depth -= 1;
        found
    }

    fn is_real_inside(&mut self, of: &Type) -> bool {
        match of.kind() {
            TypeKind::Alias(other) => {
                let is_alias = is_same(other, self.alias);
                let target = if is_alias { Some(self.target) } else { other.target.get() };
                let Some(target) = target else { return true };
                if !is_alias && !other.is_recursive() {
                    return self.is_real(target);
                }
                let mut guard = std::mem::take(&mut self.guard);
                let found = guard.with_this(other.identity(), |guard, state| {
                    std::mem::swap(&mut self.guard, guard);
                    let found = state & state::THIS == 0 && self.is_real(target);
                    std::mem::swap(&mut self.guard, guard);
                    found
                });
                self.guard = guard;
                found
            }
            TypeKind::Variant(members) => members.iter().any(|member| self.is_real(member)),
            _ => true,
        }
    }
}

fn is_same(other: &Arc<AliasType>, alias: &AliasType) -> bool {
    std::ptr::eq(Arc::as_ptr(other), alias)
}

/// Sets the target of an alias. Members of a Variant that are the alias itself, or only lead back to it, are
/// omitted.
fn resolve_alias(of: &Type, alias: &AliasType, target: &Type) -> Result<(), Error> {
    if !Reality::new(alias, target).is_real(of) {
        return Err(Error::argument(format!(
            "Type alias '{}' cannot be resolved to a real type",
            alias.name
        )));
    }
    let is_self = |part: &Type| matches!(part.kind(), TypeKind::Alias(other) if is_same(other, alias));
    let is_recursive = target.find_part(&mut |part| is_self(part)).is_some();
    let is_real = |member: &&Type| *member != of && Reality::new(alias, target).is_real(member);
    let target = match target.kind() {
        TypeKind::Variant(members) if is_recursive => {
            let real: Vec<Type> = members.iter().filter(is_real).cloned().collect();
            if real.len() == members.len() { target.clone() } else { Type::variant(real) }
        }
        _ => target.clone(),
    };
    let _ = alias.target.set(target);
    Ok(())
}
