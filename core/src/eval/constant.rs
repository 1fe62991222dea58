//! Values that expressions always have, made once for each program: texts, regular expressions, and built-in types
//! with constant parameters.

use std::sync::OnceLock;

use crate::pcore::Value;
use crate::syntax::ast::{NodeId, Program};

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

fn slot(program: &Program, id: NodeId) -> Option<&OnceLock<Value>> {
    let make = |program: &Program| Constants((0..program.node_count()).map(|_| OnceLock::new()).collect());
    program.side_table(make)?.0.get(id.index())
}
