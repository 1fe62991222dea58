//! Chains of accesses, `$a[b][c]`: the elements of collections are read where they are, and the last one
//! alone is a value of its own.

use smallvec::SmallVec;

use super::access::{Access, text_entry};
use super::evaluator::Env;
use super::{Evaluated, Evaluator};
use bunraku_pcore::Value;
use bunraku_pcore::value::{Hash, List};
use bunraku_syntax::ast::{Node, NodeId};

/// The accesses of a chain that are left, the innermost last.
type Levels = SmallVec<[NodeId; 8]>;

impl Evaluator<'_> {
    /// The value of an access.
    pub(super) fn chain(&self, env: Env<'_>, id: NodeId) -> Evaluated {
        let mut levels = Levels::new();
        let mut root = id;
        while let Node::AccessExpression { left_expr, .. } = *env.node(root) {
            levels.push(root);
            root = left_expr;
        }
        let mut value = match env.node(root) {
            Node::QualifiedReference { .. } => match levels.pop().and_then(|id| Access::of(env, id)) {
                Some(at) => self.place(env, at.whole, self.type_access(at))?,
                None => Value::Undef,
            },
            _ => self.eval(env, root)?,
        };
        self.charge_steps(levels.len())?;
        while !levels.is_empty() {
            value = self.walk(env, &value, &mut levels)?;
        }
        Ok(value)
    }

    /// The value of as many accesses as read elements of collections, and of one that does not.
    fn walk(&self, env: Env<'_>, root: &Value, levels: &mut Levels) -> Evaluated {
        let mut value = root;
        while let Some(at) = levels.pop().and_then(|id| Access::of(env, id)) {
            value = match (value, at.keys) {
                (Value::Hash(hash), &[key]) => {
                    let entry = self.entry(env, hash, key);
                    self.place(env, at.whole, entry)?.unwrap_or(&Value::Undef)
                }
                (Value::Array(values), &[key]) => {
                    let key = match *env.node(key) {
                        Node::LiteralInteger { value, .. } => Value::Integer(value),
                        _ => self.eval(env, key)?,
                    };
                    let Value::Integer(index) = key else {
                        return self.place(env, at.whole, self.access_array(at, values, &[key]));
                    };
                    element(values, index).unwrap_or(&Value::Undef)
                }
                _ => return self.place(env, at.whole, self.access(at, value)),
            };
        }
        Ok(value.clone())
    }

    /// The entry of a hash with the key that an expression is.
    fn entry<'v>(&self, env: Env<'_>, hash: &'v Hash, key: NodeId) -> Evaluated<Option<&'v Value>> {
        match *env.node(key) {
            Node::LiteralString { value } | Node::QualifiedName { value } => {
                Ok(text_entry(hash, env.program.text(value)))
            }
            _ => {
                let key = self.eval(env, key)?;
                self.usage.charge_value(&key)?;
                Ok(hash.get(&key))
            }
        }
    }
}

/// The element of a list with an index, which counts from the end if it is negative.
fn element(values: &List, index: i64) -> Option<&Value> {
    let index = if index < 0 { index.saturating_add_unsigned(values.len() as u64) } else { index };
    values.get(usize::try_from(index).ok()?)
}
