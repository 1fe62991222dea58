//! The arrows: `->`, `~>`, `<-`, `<~`. Follows the reference's `pops/evaluator/relationship_operator.rb`.

use std::sync::Arc;

use super::access::flatten;
use super::context::{RelationshipEnd, RelationshipKind};
use super::evaluator::Env;
use super::{Evaluated, Evaluator};
use bunraku_pcore::Value;
use bunraku_pcore::label::label;
use bunraku_pcore::pairs::Pairs;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::NodeId;
use bunraku_syntax::ast::nodes::RelationshipOperator;
use bunraku_syntax::diagnostic::issues;

/// The size in bytes that an arrow counts towards the output.
const ARROW_SIZE: u64 = 200;

impl Evaluator<'_> {
    pub(super) fn relationship(
        &self,
        env: Env<'_>,
        id: NodeId,
        operator: RelationshipOperator,
        left: NodeId,
        right: NodeId,
    ) -> Evaluated {
        let left = self.eval(env, left)?;
        let right = self.eval(env, right)?;
        let left = self.relationship_operands(env, id, left)?;
        let right = self.relationship_operands(env, id, right)?;
        let (sources, targets) = match operator {
            RelationshipOperator::Before | RelationshipOperator::Notify => (&left, &right),
            RelationshipOperator::After | RelationshipOperator::Subscribe => (&right, &left),
        };
        let kind = match operator {
            RelationshipOperator::Before | RelationshipOperator::After => RelationshipKind::Before,
            RelationshipOperator::Notify | RelationshipOperator::Subscribe => RelationshipKind::Notify,
        };
        let location = env.location(id);
        let ends = |values: &[Value]| values.iter().filter_map(|end| self.relationship_end(end)).collect();
        let (sources, targets): (Vec<RelationshipEnd>, Vec<RelationshipEnd>) = (ends(sources), ends(targets));
        let count = (sources.len() as u64).saturating_mul(targets.len() as u64);
        if count > 0 {
            self.usage.put_out(ARROW_SIZE.saturating_mul(count))?;
            self.context.add_relationships(self, sources, targets, kind, &location)?;
        }
        if right.is_empty() {
            return Ok(Value::from(left));
        }
        if let [only] = &right[..]
            && let Some(collector) = self.collector_id(only)
        {
            let alternative = left.iter().filter_map(|end| self.relationship_end(end)).collect();
            self.context.set_empty_alternative(self, collector, alternative);
        }
        Ok(Value::from(right))
    }

    /// The ends on one side of an arrow, each once: types of the catalog and collectors.
    fn relationship_operands(&self, env: Env<'_>, id: NodeId, value: Value) -> Evaluated<Vec<Value>> {
        let mut operands = Vec::new();
        let mut known = Pairs::new();
        for value in flatten(vec![value]) {
            let operand = match value {
                Value::String(text) => Value::Type(Type::parse(&text, self)?),
                Value::ByteString(bytes) => Value::Type(Type::parse(bytes.text(), self)?),
                other => other,
            };
            match &operand {
                Value::Type(of) if !is_catalog_type(of) => {
                    return Err(env.fail(id, issues::not_catalog_type(of)));
                }
                Value::Type(_) => {}
                other if self.collector_id(other).is_some() => {}
                other => {
                    return Err(env.fail(id, issues::illegal_relationship_operand_type(label(other))));
                }
            }
            // Two collectors may look alike.
            let is_new = match &operand {
                Value::Runtime(collector) => !operands
                    .iter()
                    .any(|known| matches!(known, Value::Runtime(known) if Arc::ptr_eq(known, collector))),
                of => known.insert_new(of.clone(), ()),
            };
            if is_new {
                operands.push(operand);
            }
        }
        Ok(operands)
    }

    fn relationship_end(&self, value: &Value) -> Option<RelationshipEnd> {
        match value {
            Value::Type(of) => Some(RelationshipEnd::Resource(match of.kind() {
                TypeKind::Type(Some(inner)) => inner.clone(),
                _ => of.clone(),
            })),
            other => self.collector_id(other).map(RelationshipEnd::Collector),
        }
    }
}

fn is_catalog_type(of: &Type) -> bool {
    let entry = Type::catalog_entry();
    entry.is_assignable(of) || Type::type_type(entry).is_assignable(of)
}
