//! What a body does with the values that a declaration gives: it is evaluated again, with their types in the
//! place of the parameters' own.

use std::rc::Rc;

use bunraku_index::Kind;
use bunraku_pcore::types::{Type, TypeKind};
use bunraku_syntax::ast::{Node, NodeId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Walker;
use super::calls::Argument;
use super::names::texts;
use super::resources::{Given, Target};
use super::scopes::Frame;
use crate::codes::{Code, Subject};
use crate::finding::{Finding, Place, Severity};
use crate::narrow::intersect;
use crate::overlap::can_be_undef;
use crate::world::{Declarable, World};

/// The maximum number of bodies that are evaluated one in another.
const MAX_DEPTH: u32 = 4;

/// The number of expressions that are evaluated so at most. Declarations with other values each evaluate a
/// body, which grows with the square of a repository that was made for it.
pub(crate) const MAX_EXPRESSIONS: u64 = 10_000_000;

/// The number of failures of a body that are told at most.
const MAX_FAILURES: usize = 8;

/// The types of the values that parameters of a definition get; nothing for their defaults.
pub(crate) type Bound = Vec<(String, Option<Type>)>;

/// Declarations whose bodies are alike.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Question {
    kind: Kind,
    name: String,
    bound: Bound,
}

/// What fails in a body with some values.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    /// The parameter with the value that is at fault, if it is one alone.
    parameter: Option<String>,
    /// An error where it happens whenever the body is evaluated with these values.
    severity: Severity,
    pub place: Place,
    pub message: String,
}

/// The evaluation of a body with the values of a declaration.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// The types that parameters have in the place of their own.
    pub bound: FxHashMap<String, Option<Type>>,
    /// The conditions around of which it is not known whether they hold.
    pub doubts: Vec<NodeId>,
    /// Whether evaluation may have ended before the place in hand.
    may_have_ended: bool,
    /// The variables that conditions around failures ask for.
    asked_for: Vec<(Place, FxHashSet<String>)>,
    /// Calls of `fail`.
    calls: Vec<Place>,
    /// The number of failures that are sure.
    errors: usize,
}

/// The failures of a body, and what its evaluation has noted.
#[derive(Debug, Default)]
struct Failures {
    all: Vec<Finding>,
    trial: Trial,
}

impl<'w> Walker<'_, 'w> {
    /// Tells of values that make the body of what is declared fail.
    pub(super) fn check_body(
        &mut self,
        target: &Target<'w>,
        given: &[Given],
        defaults: &[String],
        is_open: bool,
        title: NodeId,
    ) {
        let Target::Definition(known, what) = target else { return };
        if !given.iter().any(|one| is_open_to(known, &one.name, &one.of)) {
            return;
        }
        let bound = self.bound(known, given, defaults, is_open, *what == "class");
        let kind = if *what == "class" { Kind::Class } else { Kind::DefinedType };
        let question = Question { kind, name: known.definition.name.clone(), bound };
        for trouble in self.world.troubles(known, question, self.depth_of_bodies).iter() {
            let name = &known.definition.name;
            let at_fault = |one: &&Given| trouble.parameter.as_ref() == Some(&one.name);
            let (place, value) = match given.iter().find(at_fault) {
                Some(one) => (self.place(one.value), format!("this value of '{}'", one.name)),
                None => (self.place(title), "these values".to_owned()),
            };
            let message = format!("the {what} '{name}' fails with {value}: {}", trouble.message);
            let finding = Finding::new(Code::WrongType, trouble.severity, place, message);
            self.tell(finding.related("it fails here", Some(trouble.place.clone())));
        }
    }

    /// The types that parameters have for a declaration, where these say more than their own.
    fn bound(
        &self,
        known: &Declarable<'w>,
        given: &[Given],
        defaults: &[String],
        is_open: bool,
        is_class: bool,
    ) -> Bound {
        let mut bound = Bound::new();
        for parameter in &known.parameters {
            let name = &parameter.name;
            if let Some(one) = given.iter().find(|one| one.name == *name) {
                if let Some(of) = intersect(&parameter.of, &one.of)
                    && !can_be_undef(&one.of)
                {
                    bound.push((name.clone(), Some(of)));
                }
                continue;
            }
            // Data gives values to classes, overriding gives them to resources.
            let is_default = !is_open
                && !is_class
                && !parameter.is_required
                && !defaults.contains(name)
                && !self.world.may_be_given(&known.definition.name, name);
            if is_default {
                bound.push((name.clone(), None));
            }
        }
        bound
    }

    /// Notes that evaluation ends here without a failure, perhaps.
    pub(super) fn ends(&mut self) {
        if let Some(trial) = &mut self.trial
            && !self.conditions.is_empty()
        {
            trial.may_have_ended = true;
        }
    }

    /// `fail('…')`, which declarations with some values reach.
    pub(super) fn fails(&mut self, id: NodeId, given: &[Argument]) {
        let place = self.place(id);
        if let Some(trial) = &mut self.trial {
            trial.calls.push(place);
            let said = given.first().and_then(|(_, of)| texts(of).pop());
            let message = said.map_or_else(|| "it calls fail()".to_owned(), |said| format!("fail('{said}')"));
            self.error(Code::WrongType, id, message);
        }
    }
}

/// Whether a value says more of a parameter than its type.
fn is_open_to(known: &Declarable<'_>, name: &str, of: &Type) -> bool {
    let is_known = !matches!(of.kind(), TypeKind::Any | TypeKind::Undef);
    is_known && known.parameter(name).is_some_and(|parameter| parameter.of != *of)
}

impl<'w> World<'w> {
    /// What fails in a class with a value of one of its parameters.
    pub fn troubles_with(&self, class: &Declarable<'w>, parameter: &str, of: Type) -> Rc<[Trouble]> {
        if !is_open_to(class, parameter, &of) {
            return Rc::from([]);
        }
        let bound = vec![(parameter.to_owned(), Some(of))];
        let question = Question { kind: Kind::Class, name: class.definition.name.clone(), bound };
        self.troubles(class, question, 0)
    }

    /// What fails in a body with some values and does not with all others.
    fn troubles(&self, known: &Declarable<'w>, question: Question, depth: u32) -> Rc<[Trouble]> {
        if depth >= MAX_DEPTH {
            return Rc::from([]);
        }
        if let Some(known) = self.troubles.borrow().get(&question) {
            return Rc::clone(known);
        }
        // A definition that declares itself with the same values ends nowhere.
        self.troubles.borrow_mut().insert(question.clone(), Rc::from([]));
        let found: Rc<[Trouble]> = self.asked(known, &question.bound, depth).into();
        self.troubles.borrow_mut().insert(question, Rc::clone(&found));
        found
    }

    fn asked(&self, known: &Declarable<'w>, bound: &Bound, depth: u32) -> Vec<Trouble> {
        let failures = self.failures(known, bound, depth);
        if failures.all.is_empty() {
            return Vec::new();
        }
        let always = self.failures(known, &Bound::new(), depth);
        let new: Vec<&Finding> = failures.all.iter().filter(|one| !always.has(one)).collect();
        if new.is_empty() {
            return Vec::new();
        }
        let without = |(name, _): &(String, Option<Type>)| {
            let others: Bound = bound.iter().filter(|(other, _)| other != name).cloned().collect();
            (name.clone(), self.failures(known, &others, depth))
        };
        let given = bound.iter().filter(|(_, of)| of.is_some());
        let without: Vec<(String, Failures)> = given.map(without).collect();
        // What was not evaluated to its end says nothing.
        if self.expressions.get() == 0 {
            return Vec::new();
        }
        let mut found = Vec::new();
        for failure in new.into_iter().take(MAX_FAILURES) {
            // One without which nothing fails, or else one without which it is not sure.
            let gone = without.iter().find(|(_, others)| others.like(failure).is_none());
            let less = || without.iter().find(|(_, others)| !others.has_as_sure(failure));
            let parameter = gone.or_else(less).map(|(name, _)| name.clone());
            // A condition that asks for the value may not hold for it.
            let is_asked_for = |name: &String| {
                let mut asked_for = failures.trial.asked_for.iter();
                asked_for.any(|(place, names)| *place == failure.place && names.contains(name))
            };
            if failure.severity != Severity::Error && parameter.as_ref().is_none_or(is_asked_for) {
                continue;
            }
            found.push(Trouble {
                parameter,
                severity: failure.severity,
                place: failure.place.clone(),
                message: failure.message.clone(),
            });
        }
        found
    }

    /// The failures of a body.
    fn failures(&self, known: &Declarable<'w>, bound: &Bound, depth: u32) -> Failures {
        let (Some(program), Some(definition)) = (&known.file.program, known.definition.node) else {
            return Failures::default();
        };
        let mut walker = Walker::new(self, known.file, program);
        walker.trial = Some(Trial { bound: bound.iter().cloned().collect(), ..Trial::default() });
        walker.depth_of_bodies = depth + 1;
        walker.frames.push(Frame::top());
        walker.eval(definition);
        Failures { all: walker.findings, trial: walker.trial.unwrap_or_default() }
    }
}

impl Failures {
    /// The failure at the place of another one.
    fn like(&self, other: &Finding) -> Option<&Finding> {
        self.all.iter().find(|one| one.code == other.code && one.place == other.place)
    }

    /// Whether there is one like another, and as sure.
    fn has_as_sure(&self, other: &Finding) -> bool {
        self.like(other).is_some_and(|one| one.severity <= other.severity)
    }

    /// Whether one that happens with other values happens with these, too. What an expression does, it does
    /// under a condition as well; calls of `fail` are for conditions.
    fn has(&self, other: &Finding) -> bool {
        match self.trial.calls.contains(&other.place) {
            true => self.has_as_sure(other),
            false => self.like(other).is_some(),
        }
    }
}

impl Trial {
    /// Whether what follows need not be evaluated.
    pub(super) const fn is_over(&self) -> bool {
        self.errors >= MAX_FAILURES
    }

    /// A finding as far as it is one of the values; with the severity that it has then.
    pub(super) fn judge(
        &mut self,
        program: &Program,
        mut finding: Finding,
        is_in_block: bool,
    ) -> Option<Finding> {
        let is_failure = finding.code.subject() == Subject::Types && finding.severity == Severity::Error;
        if is_failure && (is_in_block || self.may_have_ended || !self.doubts.is_empty()) {
            finding.severity = Severity::Warning;
            let names = self.doubts.iter().filter_map(|&id| tested(program, id));
            let names = names.flat_map(|test| program.descendants(test));
            let names = names.filter_map(|id| match *program.node(id) {
                Node::VariableExpression { expr } => match *program.node(expr) {
                    Node::QualifiedName { value } => Some(program.text(value).to_owned()),
                    _ => None,
                },
                _ => None,
            });
            self.asked_for.push((finding.place.clone(), names.collect()));
        } else if is_failure {
            self.errors += 1;
        }
        is_failure.then_some(finding)
    }
}

/// What a condition asks for.
fn tested(program: &Program, condition: NodeId) -> Option<NodeId> {
    match *program.node(condition) {
        Node::IfExpression { test, .. }
        | Node::UnlessExpression { test, .. }
        | Node::CaseExpression { test, .. } => Some(test),
        Node::SelectorExpression { left_expr, .. }
        | Node::AndExpression { left_expr, .. }
        | Node::OrExpression { left_expr, .. } => Some(left_expr),
        _ => None,
    }
}
