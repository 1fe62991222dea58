//! Comparisons and matches: `==`, `<`, `=~`, `in`, `case` and `?`, and the match variables they set.
//!
//! Follows the reference's `pops/evaluator/compare_operator.rb`; equality and order of values live in
//! `pcore::compare`, what sets match variables lives here.

use std::sync::Arc;

use super::constant::kept;
use super::evaluator::Env;
use super::stack::Groups;
use super::{Evaluated, Evaluator, Scope, Unwind};
use bunraku_pcore::Value;
use bunraku_pcore::compare::{compare, includes, matches_with, puppet_equals};
use bunraku_pcore::format::to_s;
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_pcore::label::{in_place_of_text, label};
use bunraku_pcore::regexp::Captures;
use bunraku_pcore::types::order as types;
use bunraku_pcore::value::RegexpValue;
use bunraku_syntax::ast::nodes::{ComparisonOperator, MatchOperator};
use bunraku_syntax::ast::{List, Node, NodeId};
use bunraku_syntax::diagnostic::{Error, ErrorKind, issues};

impl Evaluator<'_> {
    pub(super) fn comparison(
        &self,
        env: Env<'_>,
        id: NodeId,
        operator: ComparisonOperator,
        left: NodeId,
        right: NodeId,
    ) -> Evaluated {
        let left = self.eval(env, left)?;
        let right = self.eval(env, right)?;
        let fuel = &self.usage;
        fuel.charge_comparison(&left, &right)?;
        if let Value::Type(of) = &left {
            let result = match operator {
                ComparisonOperator::Equal => types::equals(of, &right, fuel),
                ComparisonOperator::NotEqual => {
                    types::equals(of, &right, fuel).map(|equal| Value::Boolean(!equal.is_truthy()))
                }
                ComparisonOperator::Less => types::is_within(&left, &right, true, fuel),
                ComparisonOperator::LessEqual => types::is_within(&left, &right, false, fuel),
                ComparisonOperator::Greater => types::is_within(&right, &left, true, fuel),
                ComparisonOperator::GreaterEqual => types::is_within(&right, &left, false, fuel),
            };
            return result.map_err(|error| {
                if error.kind.is_limit() {
                    return error.into();
                }
                let (left, right) = (label(&left), label(&right));
                let report = issues::comparison_not_possible(left, operator.text(), right, error.message);
                env.fail(id, report)
            });
        }
        let result = match operator {
            ComparisonOperator::Equal => Ok(puppet_equals(&left, &right)),
            ComparisonOperator::NotEqual => Ok(!puppet_equals(&left, &right)),
            ComparisonOperator::Less
            | ComparisonOperator::LessEqual
            | ComparisonOperator::Greater
            | ComparisonOperator::GreaterEqual => order(operator, &left, &right),
        };
        result.map(Value::Boolean).map_err(|error| {
            if error.kind == ErrorKind::ReferenceFails {
                return error.into();
            }
            let (left, right) = (label(&left), label(&right));
            let report = issues::comparison_not_possible(left, operator.text(), right, error.message);
            env.fail(id, report)
        })
    }

    pub(super) fn match_expression(
        &self,
        env: Env<'_>,
        operator: MatchOperator,
        left_expr: NodeId,
        right_expr: NodeId,
    ) -> Evaluated {
        let left = self.eval(env, left_expr)?;
        let evaluated;
        let pattern = match self.known_pattern(env, right_expr)? {
            Some(known) => known,
            None => {
                evaluated = self.eval(env, right_expr)?;
                &evaluated
            }
        };
        let matched = match pattern {
            Value::Type(of) => {
                let matched = of.check_instance_with(&left, &self.usage)?;
                if !matched {
                    of.check_init()?;
                }
                matched
            }
            Value::SemVerRange(_) => includes(pattern, &left, &mut |_, _, _| {}, &self.usage)?,
            _ => {
                let own;
                let regex = match pattern {
                    Value::Regexp(regexp) => regexp.regex(&self.usage)?,
                    Value::String(_) | Value::ByteString(_) => {
                        own = self.environment.regexp_in_text(pattern.as_str().unwrap_or_default());
                        own.regex(&self.usage)
                            .map_err(|error| env.fail(right_expr, issues::match_not_regexp(error.message)))?
                    }
                    other => {
                        let detail =
                            format!("no implicit conversion of {} into String", in_place_of_text(other));
                        return Err(env.fail(right_expr, issues::match_not_regexp(detail)));
                    }
                };
                let Some(text) = left.as_str() else {
                    return Err(env.fail(left_expr, issues::match_not_string(label(&left))));
                };
                let captures = regex.captures(text, &self.usage)?;
                let matched = captures.is_some();
                let groups = captures.iter().flatten().flatten();
                let length: usize = groups.map(|(start, end)| end.saturating_sub(*start)).sum();
                self.usage.charge_steps(length as u64 / BYTES_IN_STEP)?;
                set_match(env.scope, &left, text, captures);
                matched
            }
        };
        Ok(Value::Boolean(matched == (operator == MatchOperator::Match)))
    }

    /// The value of a literal pattern that was evaluated before.
    fn known_pattern<'h>(&self, env: Env<'h>, id: NodeId) -> Evaluated<Option<&'h Value>> {
        let Node::LiteralRegularExpression { .. } = *env.node(id) else { return Ok(None) };
        let Some(known) = kept(env.program, id) else { return Ok(None) };
        let counted = self.usage.step();
        self.place(env, id, counted.map_err(Unwind::from))?;
        Ok(Some(known))
    }

    pub(super) fn in_expression(&self, env: Env<'_>, left: NodeId, right: NodeId) -> Evaluated {
        let left = self.eval(env, left)?;
        if let Value::String(text) = &left
            && let Some(is_in) = text_in_literals(env, text, right)
        {
            return Ok(Value::Boolean(is_in));
        }
        let right = self.eval(env, right)?;
        self.spend_on(&right)?;
        self.usage.charge_all(&[&left, &right])?;
        if let Value::Type(of) = &left {
            of.check_init()?;
        }
        let mut on_match =
            |_: &Arc<RegexpValue>, text: &str, captures| set_match(env.scope, &right, text, captures);
        Ok(Value::Boolean(includes(&right, &left, &mut on_match, &self.usage)?))
    }

    pub(super) fn case_expression(&self, env: Env<'_>, test: NodeId, options: List) -> Evaluated {
        env.scope.guarded(|| {
            let test = self.eval(env, test)?;
            let mut default = None;
            for &option in env.list(options) {
                let Node::CaseOption { values, then_expr } = *env.node(option) else { continue };
                for &value in env.list(values) {
                    if self.is_option(env, &test, value, || default = then_expr)? {
                        return self.eval_optional(env, then_expr);
                    }
                }
            }
            self.eval_optional(env, default)
        })
    }

    pub(super) fn selector(&self, env: Env<'_>, left_expr: NodeId, selectors: List) -> Evaluated {
        env.scope.guarded(|| {
            let test = self.eval(env, left_expr)?;
            let mut default = None;
            for &selector in env.list(selectors) {
                let Node::SelectorEntry { matching_expr, value_expr } = *env.node(selector) else {
                    continue;
                };
                if self.is_option(env, &test, matching_expr, || default = Some(value_expr))? {
                    return self.eval(env, value_expr);
                }
            }
            match default {
                Some(default) => self.eval(env, default),
                None => Err(env.fail(left_expr, issues::unmatched_selector(to_s(&test)))),
            }
        })
    }

    /// Whether a value is that of an option. `default` never is; `on_default` hears of it.
    fn is_option(
        &self,
        env: Env<'_>,
        test: &Value,
        option: NodeId,
        on_default: impl FnOnce(),
    ) -> Evaluated<bool> {
        let option = env.unwind_parentheses(option);
        match *env.node(option) {
            Node::LiteralDefault {} => {
                on_default();
                Ok(false)
            }
            Node::UnfoldExpression { expr } => {
                let candidates = self.unfold_value(env, expr);
                for candidate in self.place(env, option, candidates)? {
                    if self.matches_option(env.scope, test, &candidate)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::LiteralRegularExpression { .. } if !test.is_string() => Ok(false),
            Node::LiteralString { value } if test.is_string() => {
                let option = env.program.text(value);
                Ok(test.as_str().is_some_and(|test| test.eq_ignore_ascii_case(option)))
            }
            Node::LiteralInteger { value, .. } if matches!(test, Value::Integer(_)) => {
                Ok(matches!(test, Value::Integer(number) if *number == value))
            }
            _ => {
                let candidate = self.eval(env, option)?;
                self.matches_option(env.scope, test, &candidate)
            }
        }
    }

    /// Whether a value matches an option of `case` or `?`. A regular expression that matches sets match
    /// variables.
    fn matches_option(&self, scope: &Scope, value: &Value, option: &Value) -> Evaluated<bool> {
        let mut on_match =
            |_: &Arc<RegexpValue>, text: &str, captures| set_match(scope, value, text, captures);
        self.usage.charge_comparison(value, option)?;
        Ok(matches_with(value, option, &mut on_match, &self.usage)?)
    }
}

/// Whether a text is in a list of literal texts; `None` if it is not such a list.
fn text_in_literals(env: Env<'_>, text: &str, list: NodeId) -> Option<bool> {
    let Node::LiteralList { values } = *env.node(env.unwind_parentheses(list)) else { return None };
    let mut is_in = false;
    for &value in env.list(values) {
        let Node::LiteralString { value } = *env.node(value) else { return None };
        is_in = is_in || text.eq_ignore_ascii_case(env.program.text(value));
    }
    Some(is_in)
}

/// Binds the groups of a match to `$0`, `$1` …; a failed search leaves the existing ones.
fn set_match(scope: &Scope, matched: &Value, text: &str, captures: Option<Captures>) {
    let Some(captures) = captures else { return };
    let is_whole = matched.as_str().is_some_and(|whole| std::ptr::eq(whole, text));
    let text = if is_whole { matched.clone() } else { matched.part(text) };
    scope.set_match(Groups::new(text, captures));
}

/// `<` and its like.
fn order(operator: ComparisonOperator, left: &Value, right: &Value) -> Result<bool, Error> {
    Ok(match (operator, compare(left, right)?) {
        (_, None) => false,
        (ComparisonOperator::Less, Some(order)) => order.is_lt(),
        (ComparisonOperator::LessEqual, Some(order)) => order.is_le(),
        (ComparisonOperator::Greater, Some(order)) => order.is_gt(),
        (_, Some(order)) => order.is_ge(),
    })
}
