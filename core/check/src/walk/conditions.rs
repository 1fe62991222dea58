//! Conditions: the ways that evaluation can take, and what is known on each of them.

use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::nodes::{ComparisonOperator, MatchOperator};
use bunraku_syntax::ast::{List, Node, NodeId};

use super::operators::boolean;
use super::scopes::Narrowed;
use super::{Walker, any, either};
use crate::codes::Code;
use crate::finding::{Finding, Severity};
use crate::narrow::{by_equality, intersect, is_single, is_text, leaves, subtract, truth, with_truth};

/// One of several ways that evaluation can take.
pub(super) struct Way {
    of: Type,
    /// It does not come to its end, or is never taken.
    has_ended: bool,
    /// The variables that it sets.
    set: Vec<(usize, String)>,
    /// What is known on it.
    facts: Vec<Narrowed>,
}

/// What is known on a way; `None` if it is never taken.
pub(super) type Facts = Option<Vec<Narrowed>>;

impl Walker<'_, '_> {
    /// An expression without parentheses around.
    pub(super) fn peeled(&self, mut id: NodeId) -> NodeId {
        while let Node::ParenthesizedExpression { expr } = *self.program.node(id) {
            id = expr;
        }
        id
    }

    /// Statements, of which those behind the end of evaluation are never reached.
    pub(super) fn statements(&mut self, list: List) -> Type {
        let mut last = TypeKind::Undef.into();
        let mut is_told = false;
        let dead = self.dead;
        for &id in self.program.list(list) {
            if self.has_ended && !is_told && !self.program.node(id).kind().is_definition() {
                is_told = true;
                let message = "evaluation ends before this statement";
                let finding = Finding::new(Code::UnreachableCode, Severity::Warning, self.place(id), message);
                self.tell(finding);
                self.dead += 1;
            }
            last = self.eval(id);
        }
        self.dead = dead;
        last
    }

    /// Runs work on one way behind a condition, which is certain to be taken, or may be.
    pub(super) fn way(
        &mut self,
        statement: NodeId,
        number: u32,
        facts: Facts,
        is_certain: bool,
        work: impl FnOnce(&mut Self) -> Type,
    ) -> Way {
        let is_dead = facts.is_none();
        let doubts = self.trial.as_ref().map_or(0, |trial| trial.doubts.len());
        if let Some(trial) = self.trial.as_mut().filter(|_| !is_certain) {
            trial.doubts.push(statement);
        }
        let facts = facts.unwrap_or_default();
        let has_ended = std::mem::take(&mut self.has_ended);
        let set = std::mem::take(&mut self.set);
        let narrowed = self.narrowed.len();
        self.narrowed.extend(facts.iter().cloned());
        self.dead += u32::from(is_dead);
        self.conditions.push((statement, number));
        let of = work(self);
        self.conditions.pop();
        self.dead -= u32::from(is_dead);
        if let Some(trial) = &mut self.trial {
            trial.doubts.truncate(doubts);
        }
        self.narrowed.truncate(narrowed);
        let set = std::mem::replace(&mut self.set, set);
        let has_ended = std::mem::replace(&mut self.has_ended, has_ended) || is_dead;
        for (frame, name) in &set {
            if let Some(frame) = self.frames.get_mut(*frame) {
                frame.doubtful.insert(name.clone());
            }
        }
        Way { of, has_ended, set, facts }
    }

    /// Continues behind ways, of which one is taken; the type of their results.
    pub(super) fn join(&mut self, ways: Vec<Way>) -> Type {
        let open: Vec<Way> = ways.into_iter().filter(|way| !way.has_ended).collect();
        let Some((first, others)) = open.split_first() else {
            self.has_ended = true;
            return any();
        };
        for (frame, name) in &first.set {
            if !others.iter().all(|way| way.set.iter().any(|(at, other)| at == frame && other == name)) {
                continue;
            }
            if let Some(frame) = self.frames.get_mut(*frame) {
                frame.doubtful.remove(name);
            }
            self.set.push((*frame, name.clone()));
        }
        if others.is_empty() {
            self.narrowed.extend(first.facts.iter().cloned());
        }
        either(open.into_iter().map(|way| way.of))
    }

    /// The expression of a condition; tells of one that always has the same result.
    pub(super) fn test(&mut self, id: NodeId) -> Type {
        let of = self.eval(id);
        let Some(truth) = truth(&of) else { return of };
        let inner = self.peeled(id);
        match self.program.node(inner) {
            // These have told of it.
            Node::NotExpression { .. }
            | Node::AndExpression { .. }
            | Node::OrExpression { .. }
            | Node::ComparisonExpression { .. }
            | Node::MatchExpression { .. }
            | Node::InExpression { .. }
            | Node::IfExpression { .. }
            | Node::CaseExpression { .. }
            | Node::SelectorExpression { .. } => {}
            _ => {
                let what = self.shown(&of);
                let message = match truth {
                    true => format!(
                        "this is always true for a condition, as only undef and false are not: {what}"
                    ),
                    false => format!("this is never true for a condition: {what}"),
                };
                let is_meant = is_single(&of) || (truth && self.is_last_choice(id));
                let severity = if is_meant { Severity::Note } else { Severity::Warning };
                let finding = Finding::new(Code::ConstantCondition, severity, self.place(id), message);
                self.tell(finding);
            }
        }
        of
    }

    /// Whether a condition is that of the last `elsif` and is about what the conditions before it have left.
    pub(super) fn is_last_choice(&self, id: NodeId) -> bool {
        let mut of = id;
        let mut above = self.program.parent(id);
        while let Some(parent) = above {
            match *self.program.node(parent) {
                Node::ParenthesizedExpression { .. } => of = parent,
                Node::IfExpression { test, .. } if test == of => {
                    let around = self.program.parent(parent).map(|around| *self.program.node(around));
                    let is_elsif = matches!(around,
                        Some(Node::IfExpression { else_expr: Some(other), .. }) if other == parent);
                    return is_elsif && self.is_narrowed(id);
                }
                _ => return false,
            }
            above = self.program.parent(parent);
        }
        false
    }

    /// Whether a condition around tells of a variable in an expression.
    fn is_narrowed(&self, id: NodeId) -> bool {
        self.program
            .descendants(id)
            .into_iter()
            .filter_map(|id| self.variable_of(id))
            .any(|(frame, name)| self.narrowed.iter().any(|one| one.frame == frame && one.name == name))
    }

    /// `left and right`, `left or right`: the right one is evaluated if the left one has a truth.
    pub(super) fn both(&mut self, id: NodeId, left: NodeId, right: NodeId, wanted: bool) -> Type {
        let guards = self.guards.len();
        if wanted {
            self.guard(left);
        }
        let first = self.test(left);
        let first = truth(&first);
        let facts = if first == Some(!wanted) { None } else { self.facts(left, wanted) };
        let mut second = None;
        let way = self.way(id, 0, facts, first == Some(wanted), |walker| {
            let of = walker.test(right);
            second = truth(&of);
            of
        });
        let left_out = self.way(id, 1, Some(Vec::new()), false, |_| boolean());
        // The right one alone does not end the evaluation.
        self.join(vec![Way { facts: Vec::new(), ..way }, left_out]);
        self.guards.truncate(guards);
        match (first, second) {
            (Some(truth), _) if truth != wanted => Type::boolean(truth),
            (Some(_), Some(truth)) => Type::boolean(truth),
            (_, Some(truth)) if truth != wanted => Type::boolean(truth),
            _ => boolean(),
        }
    }

    /// What is known where a condition is true, or where it is not.
    pub(super) fn facts(&mut self, test: NodeId, wanted: bool) -> Facts {
        let test = self.peeled(test);
        match *self.program.node(test) {
            Node::NotExpression { expr } => self.facts(expr, !wanted),
            Node::AndExpression { left_expr, right_expr } if wanted => {
                self.facts_of_both(left_expr, right_expr, true)
            }
            Node::OrExpression { left_expr, right_expr } if !wanted => {
                self.facts_of_both(left_expr, right_expr, false)
            }
            Node::VariableExpression { .. } => self.fact_of(test, |of| with_truth(of, wanted)),
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                let wanted = match operator {
                    ComparisonOperator::Equal => wanted,
                    ComparisonOperator::NotEqual => !wanted,
                    _ => return Some(Vec::new()),
                };
                match (self.constant(left_expr), self.constant(right_expr)) {
                    (None, Some(to)) => self.fact_of(left_expr, |of| by_equality(of, &to, wanted)),
                    (Some(to), None) => self.fact_of(right_expr, |of| by_equality(of, &to, wanted)),
                    _ => Some(Vec::new()),
                }
            }
            Node::MatchExpression { operator, left_expr, right_expr } => {
                let wanted = wanted == (operator == MatchOperator::Match);
                match (self.literal_type(right_expr), self.program.node(self.peeled(right_expr))) {
                    (Some(with), _) => self.fact_of(left_expr, |of| match wanted {
                        true => intersect(of, &with),
                        false => subtract(of, &with),
                    }),
                    // What is no text fails.
                    (None, Node::LiteralRegularExpression { .. }) => {
                        self.fact_of(left_expr, |of| Some(texts_of(of)))
                    }
                    _ => Some(Vec::new()),
                }
            }
            _ => Some(Vec::new()),
        }
    }

    fn facts_of_both(&mut self, left: NodeId, right: NodeId, wanted: bool) -> Facts {
        let mut facts = self.facts(left, wanted)?;
        let narrowed = self.narrowed.len();
        self.narrowed.extend(facts.iter().cloned());
        let further = self.facts(right, wanted);
        self.narrowed.truncate(narrowed);
        facts.extend(further?);
        Some(facts)
    }

    /// What is known of a variable's type.
    fn fact_of(&self, id: NodeId, cut: impl FnOnce(&Type) -> Option<Type>) -> Facts {
        let Some((frame, name)) = self.variable_of(id) else { return Some(Vec::new()) };
        let of = self.local(&name).unwrap_or_else(any);
        Some(vec![Narrowed { frame, name, of: cut(&of)? }])
    }

    /// The type of a literal with one value.
    fn constant(&mut self, id: NodeId) -> Option<Type> {
        let id = self.peeled(id);
        let is_literal = matches!(
            self.program.node(id),
            Node::LiteralString { .. }
                | Node::QualifiedName { .. }
                | Node::LiteralInteger { .. }
                | Node::LiteralBoolean { .. }
                | Node::LiteralUndef { .. }
        );
        is_literal.then(|| self.literal(id)).filter(is_single)
    }

    /// The type that an expression names.
    pub(super) fn literal_type(&self, id: NodeId) -> Option<Type> {
        let id = self.peeled(id);
        let named = match *self.program.node(id) {
            Node::AccessExpression { left_expr, .. } => left_expr,
            _ => id,
        };
        if !matches!(self.program.node(named), Node::QualifiedReference { .. }) {
            return None;
        }
        let loaded = self.world.engine.loaded();
        let of = self.world.environment.interpret(self.program, id, loaded).ok()?;
        of.unresolved_reference().is_none().then_some(of)
    }

    /// `assert_type(Type, value)`
    pub(super) fn asserted(&mut self, id: NodeId, given: &[super::calls::Argument]) -> Type {
        let [(of, _), (value, actual)] = given else { return any() };
        let Some(wanted) = self.literal_type(*of) else { return any() };
        if let Some(of) = intersect(actual, &wanted) {
            if let Some((frame, name)) = self.variable_of(*value) {
                self.narrowed.push(Narrowed { frame, name, of: of.clone() });
            }
            return of;
        }
        let message = bunraku_pcore::types::mismatch::describe("assert_type():", &wanted, actual);
        self.error(Code::WrongType, id, message);
        self.has_ended = true;
        any()
    }

    /// `if`, `unless`, `case`, `? { }`
    pub(super) fn condition(&mut self, id: NodeId) -> Type {
        match *self.program.node(id) {
            Node::IfExpression { test, then_expr, else_expr } => {
                self.two_ways(id, test, true, then_expr, else_expr)
            }
            Node::UnlessExpression { test, then_expr, else_expr } => {
                self.two_ways(id, test, false, then_expr, else_expr)
            }
            Node::CaseExpression { test, options } => self.case(id, test, options),
            Node::SelectorExpression { left_expr, selectors } => self.selector(id, left_expr, selectors),
            _ => any(),
        }
    }

    fn two_ways(
        &mut self,
        id: NodeId,
        test: NodeId,
        wanted: bool,
        then: Option<NodeId>,
        other: Option<NodeId>,
    ) -> Type {
        let guards = self.guards.len();
        self.guard(test);
        let of = self.test(test);
        let truth = truth(&of);
        let mut facts = |wanted: bool| if truth == Some(!wanted) { None } else { self.facts(test, wanted) };
        let (first, second) = (facts(wanted), facts(!wanted));
        let are_certain = (second.is_none(), first.is_none());
        let ways = vec![
            self.way(id, 0, first, are_certain.0, |walker| walker.optional(then)),
            self.way(id, 1, second, are_certain.1, |walker| walker.optional(other)),
        ];
        self.guards.truncate(guards);
        self.join(ways)
    }

    fn case(&mut self, id: NodeId, test: NodeId, options: List) -> Type {
        let mut choice = Choice::new(self, test);
        let mut ways = Vec::new();
        let mut default = None;
        for (number, &option) in (0..).zip(self.program.list(options)) {
            let Node::CaseOption { values, then_expr } = *self.program.node(option) else { continue };
            let mut taken = Vec::new();
            for &value in self.program.list(values) {
                match self.program.node(value) {
                    Node::LiteralDefault {} => default = Some((number, then_expr)),
                    _ => taken.extend(choice.take(self, value)),
                }
            }
            if default.is_none_or(|(at, _)| at != number) {
                let facts = choice.facts((!taken.is_empty()).then(|| either(taken)));
                let is_certain = choice.is_last(&facts);
                ways.push(self.way(id, number, facts, is_certain, |walker| walker.optional(then_expr)));
            }
        }
        let facts = choice.facts(choice.rest.clone());
        let (number, body) = default.unwrap_or((u32::MAX, None));
        let is_certain = !choice.is_taken;
        ways.push(self.way(id, number, facts, is_certain, |walker| walker.optional(body)));
        self.join(ways)
    }

    fn selector(&mut self, id: NodeId, left: NodeId, selectors: List) -> Type {
        let mut choice = Choice::new(self, left);
        let mut ways = Vec::new();
        let mut default = None;
        let mut is_matched = false;
        for (number, &entry) in (0..).zip(self.program.list(selectors)) {
            let Node::SelectorEntry { matching_expr, value_expr } = *self.program.node(entry) else {
                continue;
            };
            if matches!(self.program.node(matching_expr), Node::LiteralDefault {}) {
                default = Some((number, value_expr));
                continue;
            }
            let taken = choice.take(self, matching_expr);
            is_matched |= taken.is_some();
            let facts = choice.facts(taken);
            let is_certain = choice.is_last(&facts);
            ways.push(self.way(id, number, facts, is_certain, |walker| walker.eval(value_expr)));
        }
        match default {
            Some((number, value)) => {
                let facts = choice.facts(choice.rest.clone());
                let is_certain = !choice.is_taken;
                ways.push(self.way(id, number, facts, is_certain, |walker| walker.eval(value)));
            }
            None if !is_matched => {
                let what = self.shown(&choice.of);
                let message = format!("no entry is for a value of the tested expression: {what}");
                self.error(Code::UnmatchedSelector, left, message);
            }
            None => {}
        }
        self.join(ways)
    }

    /// A type in messages, in full if that is short.
    pub(super) fn shown(&self, of: &Type) -> String {
        let full = match of.kind() {
            TypeKind::Alias(alias) => alias.name.to_string(),
            _ => of.to_string(),
        };
        match of.kind() {
            _ if is_single(of) || full.len() > 80 => super::operators::described(of),
            _ => {
                let article = if full.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
                format!("{article} {full}")
            }
        }
    }
}

/// The values of a tested expression that options of `case` and selectors take one after the other.
struct Choice {
    /// The variable that is tested.
    variable: Option<(usize, String)>,
    /// Its type.
    of: Type,
    /// What no option has taken so far.
    rest: Option<Type>,
    /// Whether an option may have been taken.
    is_taken: bool,
}

impl Choice {
    fn new(walker: &mut Walker<'_, '_>, test: NodeId) -> Self {
        let of = walker.eval(test);
        Self { variable: walker.variable_of(test), rest: Some(of.clone()), of, is_taken: false }
    }

    /// The values that an option takes; tells of one that takes none.
    fn take(&mut self, walker: &mut Walker<'_, '_>, value: NodeId) -> Option<Type> {
        let of = walker.eval(value);
        let literal = walker.literal_type(value);
        let is_pattern = matches!(walker.program.node(value), Node::LiteralRegularExpression { .. });
        let cut = |from: &Type, wanted: bool| match &literal {
            // A type is an instance of itself for options.
            _ if matches!(from.kind(), TypeKind::Type(_)) => Some(from.clone()),
            Some(with) if wanted => intersect(from, with),
            Some(with) => subtract(from, with),
            None if is_pattern && wanted => match leaves(from) {
                Some(leaves) => {
                    let texts: Vec<Type> = leaves.into_iter().filter(is_text).collect();
                    (!texts.is_empty()).then(|| Type::variant(texts))
                }
                None => Some(from.clone()),
            },
            None if is_pattern => Some(from.clone()),
            None if is_single(&of) || wanted => by_equality(from, &of, wanted),
            None => Some(from.clone()),
        };
        let taken = self.rest.as_ref().and_then(|rest| cut(rest, true));
        if taken.is_none() {
            let what = walker.shown(&self.of);
            let message = match cut(&self.of, true) {
                None => format!("this option is never chosen: the tested value is {what}"),
                Some(_) => "this option is never chosen: earlier ones take all of its values".to_owned(),
            };
            let severity = if is_single(&self.of) { Severity::Note } else { Severity::Warning };
            let finding = Finding::new(Code::UnreachableCode, severity, walker.place(value), message);
            walker.tell(finding);
        }
        self.rest = self.rest.as_ref().and_then(|rest| cut(rest, false));
        taken
    }

    /// Whether a way is the only one that can be taken; of the ways that options take, in their order.
    fn is_last(&mut self, facts: &Facts) -> bool {
        let is_certain = !self.is_taken && self.rest.is_none();
        self.is_taken |= facts.is_some();
        is_certain
    }

    /// What is known of the variable where it has values of a type.
    fn facts(&self, of: Option<Type>) -> Facts {
        let of = of?;
        let fact = |(frame, name): &(usize, String)| Narrowed { frame: *frame, name: name.clone(), of };
        Some(self.variable.as_ref().map(fact).into_iter().collect())
    }
}

/// The texts of a type; all texts if it has others only.
fn texts_of(of: &Type) -> Type {
    let texts: Vec<Type> = leaves(of).unwrap_or_default().into_iter().filter(is_text).collect();
    if texts.is_empty() { Type::string(None) } else { Type::variant(texts) }
}
