//! Values that expressions always have, made once for each program: texts, regular expressions, and built-in
//! types with constant parameters.

use std::sync::OnceLock;

use bunraku_pcore::Value;
use bunraku_syntax::ast::{Node, NodeId, Program};

/// The constants of a program by node.
struct Constants(Box<[OnceLock<Value>]>);

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

fn slot(program: &Program, id: NodeId) -> Option<&OnceLock<Value>> {
    let make = |program: &Program| Constants((0..program.node_count()).map(|_| OnceLock::new()).collect());
    program.side_table(make)?.0.get(id.index())
}
