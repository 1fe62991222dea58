//! The variables of definitions' scopes.

use bunraku_syntax::ast::{Node, NodeId, Program};

/// Calls `set` with the variables that a body sets in its own scope, and the node that is set: not those of
/// blocks and definitions within it.
pub(crate) fn assigned(program: &Program, body: NodeId, set: &mut dyn FnMut(&str, NodeId)) {
    let mut open = vec![body];
    let mut is_first = true;
    while let Some(id) = open.pop() {
        let node = program.node(id);
        if !is_first && (node.kind().is_definition() || matches!(node, Node::LambdaExpression { .. })) {
            continue;
        }
        is_first = false;
        if let Node::AssignmentExpression { left_expr, .. } = *node {
            targets(program, left_expr, set);
        }
        // `assert_private` and its like set none; `each` and its like have scopes of their own.
        program.each_child(id, |child| open.push(child));
    }
}

/// The variables on the left of an assignment.
fn targets(program: &Program, left: NodeId, set: &mut dyn FnMut(&str, NodeId)) {
    let mut open = vec![left];
    while let Some(id) = open.pop() {
        match *program.node(id) {
            Node::VariableExpression { expr } => {
                if let Node::QualifiedName { value } = *program.node(expr) {
                    set(program.text(value), id);
                }
            }
            Node::LiteralList { values } => open.extend(program.list(values)),
            Node::LiteralHash { entries } => open.extend(program.list(entries)),
            Node::KeyedEntry { key, .. } => open.push(key),
            Node::AccessExpression { left_expr, keys } => {
                // `Class['a']['b'] = …` takes variables of classes: `[$x, $y] = Class['a']`.
                let _ = (left_expr, keys);
            }
            _ => {}
        }
    }
}
