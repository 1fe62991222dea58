//! Values that expressions always have, made once for each program: texts, regular expressions, and built-in
//! types with constant parameters. With them, what is found out about nodes: the types of closures, and where
//! variables were found.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use super::closure::ClosureType;
use bunraku_pcore::Value;
use bunraku_syntax::ast::{Node, NodeId, Program};

/// What is kept with a program, by node.
struct Constants {
    values: Box<[OnceLock<Value>]>,
    /// Where each variable was found last.
    places: Box<[AtomicU32]>,
    /// The types of lambdas and functions, in the order of the nodes.
    closures: Box<[(NodeId, OnceLock<Arc<ClosureType>>)]>,
}

/// The value of a node that always has the same, made when it is first asked for.
pub(super) fn constant(program: &Program, id: NodeId, make: impl FnOnce() -> Value) -> Value {
    match slot(program, id) {
        Some(slot) => slot.get_or_init(make).clone(),
        None => make(),
    }
}

/// The value of a node if it was [kept](keep).
pub(super) fn kept(program: &Program, id: NodeId) -> Option<&Value> {
    slot(program, id)?.get()
}

/// Keeps the value of a node that will always have the same.
pub(super) fn keep(program: &Program, id: NodeId, value: &Value) {
    if let Some(slot) = slot(program, id) {
        let _ = slot.set(value.clone());
    }
}

/// Whether an expression reads no variable and has no parts.
pub(crate) const fn is_literal(node: &Node) -> bool {
    matches!(
        node,
        Node::LiteralString { .. }
            | Node::LiteralInteger { .. }
            | Node::LiteralFloat { .. }
            | Node::LiteralBoolean { .. }
            | Node::LiteralUndef {}
            | Node::LiteralDefault {}
    )
}

/// Whether an expression always has the same value: literals, and built-in types with constant parameters.
/// Defined types and references into the catalog are not constant.
pub(super) fn is_constant(program: &Program, id: NodeId) -> bool {
    is_constant_with(program, id, &|_| false)
}

/// As [`is_constant`], where names of some other types are constant, too.
pub(crate) fn is_constant_with(program: &Program, id: NodeId, is_known: &dyn Fn(&str) -> bool) -> bool {
    let all = |list| program.list(list).iter().all(|&id| is_constant_with(program, id, is_known));
    match *program.node(id) {
        Node::LiteralString { .. }
        | Node::LiteralInteger { .. }
        | Node::LiteralFloat { .. }
        | Node::LiteralUndef {}
        | Node::LiteralDefault {}
        | Node::LiteralBoolean { .. }
        | Node::LiteralRegularExpression { .. }
        | Node::QualifiedName { .. } => true,
        Node::QualifiedReference { cased_value } => {
            let name = program.text(cased_value);
            is_plain_type(name) || is_known(name)
        }
        Node::ParenthesizedExpression { expr } => is_constant_with(program, expr, is_known),
        Node::UnaryMinusExpression { expr } => {
            matches!(program.node(expr), Node::LiteralInteger { .. } | Node::LiteralFloat { .. })
        }
        Node::LiteralList { values } => all(values),
        Node::LiteralHash { entries } => all(entries),
        Node::KeyedEntry { key, value } => {
            is_constant_with(program, key, is_known) && is_constant_with(program, value, is_known)
        }
        Node::AccessExpression { left_expr, keys } => {
            matches!(program.node(left_expr), Node::QualifiedReference { .. })
                && is_constant(program, left_expr)
                && all(keys)
        }
        _ => false,
    }
}

/// Whether a name is that of a built-in type whose parameters make equal types each time.
fn is_plain_type(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    !matches!(name.as_str(), "class" | "resource" | "object" | "typeset" | "catalogentry")
        && bunraku_pcore::types::built_in(&name).is_some()
}

/// Where the variable of a node was found last: what its scope noted.
#[inline]
pub(super) fn place_of(program: &Program, id: NodeId) -> Option<&AtomicU32> {
    constants(program)?.places.get(id.index())
}

/// The place of the types of a lambda or function whose types are constant.
pub(super) fn closure_slot(program: &Program, id: NodeId) -> Option<&OnceLock<Arc<ClosureType>>> {
    let closures = &constants(program)?.closures;
    let found = closures.binary_search_by_key(&id.index(), |(of, _)| of.index()).ok()?;
    closures.get(found).map(|(_, slot)| slot)
}

#[inline]
fn slot(program: &Program, id: NodeId) -> Option<&OnceLock<Value>> {
    constants(program)?.values.get(id.index())
}

#[inline]
fn constants(program: &Program) -> Option<&Constants> {
    program.side_table(|program: &Program| {
        let is_closure = |id: &NodeId| {
            matches!(program.node(*id), Node::LambdaExpression { .. } | Node::FunctionDefinition { .. })
        };
        Constants {
            values: (0..program.node_count()).map(|_| OnceLock::new()).collect(),
            places: (0..program.node_count()).map(|_| AtomicU32::new(0)).collect(),
            closures: program.ids().filter(is_closure).map(|id| (id, OnceLock::new())).collect(),
        }
    })
}
