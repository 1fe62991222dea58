//! Collectors: `Type <| query |> { … }`. Follows the reference's `pops/evaluator/collector_transformer.rb`.

use std::sync::Arc;

use super::access::capitalize_segments;
use super::context::{Collector, CollectorId, Query};
use super::evaluator::{Demotion, Env};
use super::{Evaluated, Evaluator, OriginKind};
use bunraku_pcore::Value;
use bunraku_pcore::format::to_s;
use bunraku_pcore::value::{RuntimeValue, Str};
use bunraku_syntax::ast::nodes::ComparisonOperator;
use bunraku_syntax::ast::{List, Node, NodeId};
use bunraku_syntax::case::downcase;
use bunraku_syntax::diagnostic::{Error, issues};

impl Evaluator<'_> {
    pub(super) fn collect(
        &self,
        env: Env<'_>,
        id: NodeId,
        type_expr: NodeId,
        query: NodeId,
        operations: List,
    ) -> Evaluated {
        let (exported, condition) = match *env.node(query) {
            Node::ExportedQuery { expr } => (true, expr),
            Node::VirtualQuery { expr } => (false, expr),
            _ => return Err(Error::internal("a query is expected").into()),
        };
        if exported {
            let demotion =
                if self.environment.settings.storeconfigs { Demotion::Ignore } else { Demotion::Warn };
            self.report(env, id, demotion, issues::rt_no_storeconfigs())?;
        }
        let Node::QualifiedReference { cased_value } = *env.node(type_expr) else {
            return Err(Error::argument("LHS is not a type").into());
        };
        let type_name = env.program.text(cased_value).to_lowercase();
        if type_name == "class" {
            return Err(Error::argument("Classes cannot be collected").into());
        }
        if !self.context.has_resource_type(self, &type_name)? {
            return Err(Error::argument(format!("Resource type {type_name} doesn't exist")).into());
        }
        let type_name = type_name.strip_prefix("::").unwrap_or(&type_name);
        let operations = self.all_operations(env, operations, OriginKind::Collector)?;
        let condition = match condition {
            Some(condition) if !matches!(env.node(condition), Node::Nop {}) => {
                Some(self.query(env, condition)?)
            }
            _ => None,
        };
        let collector = Collector {
            type_name: type_name.into(),
            exported,
            query: condition,
            operations,
            location: env.location(id),
        };
        let number = self.context.add_collector(self, env.scope, collector)?;
        let (class, label) = if exported {
            ("Puppet::Pops::Evaluator::Collectors::ExportedCollector", "Exported-Collector")
        } else {
            ("Puppet::Pops::Evaluator::Collectors::CatalogCollector", "Catalog-Collector")
        };
        let value =
            Arc::new(RuntimeValue::new(class, format!("{label}[{}]", capitalize_segments(type_name))));
        self.collectors.borrow_mut().push((Arc::clone(&value), number));
        Ok(Value::Runtime(value))
    }

    /// The collector that a value is.
    pub(super) fn collector_id(&self, value: &Value) -> Option<CollectorId> {
        let Value::Runtime(runtime) = value else { return None };
        let collectors = self.collectors.borrow();
        collectors.iter().rev().find(|(known, _)| Arc::ptr_eq(known, runtime)).map(|(_, id)| *id)
    }

    fn query(&self, env: Env<'_>, id: NodeId) -> Evaluated<Query> {
        match *env.node(id) {
            Node::ParenthesizedExpression { expr } => self.query(env, expr),
            Node::AndExpression { left_expr, right_expr } => {
                let left = self.query(env, left_expr)?;
                Ok(Query::And(Box::new(left), Box::new(self.query(env, right_expr)?)))
            }
            Node::OrExpression { left_expr, right_expr } => {
                let left = self.query(env, left_expr)?;
                Ok(Query::Or(Box::new(left), Box::new(self.query(env, right_expr)?)))
            }
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                let name = Str::from(to_s(&self.query_value(env, left_expr)?));
                let value = self.query_value(env, right_expr)?;
                match operator {
                    ComparisonOperator::Equal if name == "tag" => Ok(Query::Equal(name, tags(value)?)),
                    ComparisonOperator::Equal => Ok(Query::Equal(name, value)),
                    ComparisonOperator::NotEqual => Ok(Query::NotEqual(name, value)),
                    ComparisonOperator::Less
                    | ComparisonOperator::LessEqual
                    | ComparisonOperator::Greater
                    | ComparisonOperator::GreaterEqual => {
                        Err(Error::internal("a query compares with == and != only").into())
                    }
                }
            }
            // A query that is a value only: the reference fails when it meets a resource, here it meets none.
            _ => self.query_value(env, id).map(|_| Query::Equal("title".into(), Value::Undef)),
        }
    }

    fn query_value(&self, env: Env<'_>, id: NodeId) -> Evaluated {
        match env.node(id) {
            Node::ParenthesizedExpression { expr } => self.query_value(env, *expr),
            Node::AccessExpression { .. } => {
                let value = self.eval(env, id)?;
                self.context.convert_attribute(self, value)
            }
            Node::VariableExpression { .. }
            | Node::LiteralBoolean { .. }
            | Node::LiteralString { .. }
            | Node::ConcatenatedString { .. }
            | Node::LiteralInteger { .. }
            | Node::LiteralFloat { .. }
            | Node::LiteralUndef {}
            | Node::QualifiedName { .. } => self.eval(env, id),
            other => {
                let class = other.kind().name();
                let message = format!("Cannot transform object of class Puppet::Pops::Model::{class}");
                Err(Error::argument(message).into())
            }
        }
    }
}

/// The tags that a query asks for, in lower case.
fn tags(value: Value) -> Evaluated {
    let tag = |value: &Value| match value {
        Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => {
            Err(Error::argument("Cannot transform a number to a tag"))
        }
        other => Ok(Value::from(downcase(&to_s(other)))),
    };
    Ok(match &value {
        Value::Array(values) => Value::from(values.iter().map(tag).collect::<Result<Vec<_>, _>>()?),
        other => Value::array([tag(other)?]),
    })
}
