//! The evaluator: what it holds, the ways into it, and what each node means.
//!
//! [`Evaluator::evaluate`] gives the value of a node. A failure without a place gets the place of the innermost node
//! around it here, and failures that are not issues of the evaluator become `RUNTIME_ERROR` of that node. Follows the
//! reference's `pops/evaluator/evaluator_impl.rb`; what operators and statements do stands in the files beside this.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::constant::constant;
use super::context::CollectorId;
use super::epp::Output;
use super::invoke::Callee;
use super::limits::{Limits, Usage};
use super::quick::Quick;
use super::{Context, Evaluated, FunctionTable, Recorder, Scope, Unwind};
use crate::loader::{Environment, Journal, Strictness};
use crate::memory::Ledger;
use bunraku_host::HostError;
use bunraku_pcore::value::{RuntimeValue, Timestamp};
use bunraku_pcore::{Str, Value};
use bunraku_syntax::ast::{List, Node, NodeId, Program, Text};
use bunraku_syntax::diagnostic::{Error, ErrorKind, LogEntry, LogLevel, Report, issues};
use bunraku_syntax::source::Location;

/// Evaluates programs for one compilation.
pub struct Evaluator<'e> {
    /// Where definitions are found.
    pub environment: &'e Environment,
    /// The compilation: catalog, classes, lookup.
    pub context: &'e dyn Context,
    /// The functions that are built in.
    pub functions: &'e FunctionTable,
    /// The log.
    pub journal: &'e Journal,
    /// Notes where values come from; `None` when nobody wants to know.
    pub recorder: Option<&'e Recorder>,
    /// What was used up of the limits.
    pub usage: Usage<'e>,
    /// What the templates that are being rendered have written.
    pub(super) output: RefCell<Vec<Output>>,
    /// The values of collectors with their numbers.
    pub(super) collectors: RefCell<Vec<(Arc<RuntimeValue>, CollectorId)>>,
    /// The types of functions and of lambdas that say no types.
    pub(super) closure_types: super::closure::TypeCache,
    /// Functions of the host that were asked for.
    pub(super) foreign: RefCell<FxHashMap<String, Option<Rc<super::foreign::Foreign>>>>,
    /// Built-in functions that stand in for the Ruby of a module, and whether they are known here.
    pub(super) stand_ins: RefCell<FxHashMap<&'static str, bool>>,
    /// What names of functions stand for, and how many functions were loaded when that was found out.
    pub(super) callees: RefCell<(usize, FxHashMap<Str, Callee<'e>>)>,
    /// The calls in progress in which more may be called, the innermost last; a program's own evaluation has no node.
    pub(super) calls: RefCell<Vec<(Arc<Program>, Option<NodeId>)>>,
    /// How often Ruby code has changed the value of a variable in place.
    pub changes: Cell<usize>,
    /// A text being put together, kept for its memory.
    pub(super) buffer: Cell<String>,
}

/// Where an evaluation takes place: a scope and a program.
#[derive(Clone, Copy)]
pub(super) struct Here<'h> {
    pub scope: &'h Rc<Scope>,
    pub program: &'h Arc<Program>,
}

impl<'h> Here<'h> {
    #[inline]
    pub fn node(self, id: NodeId) -> &'h Node {
        self.program.node(id)
    }

    #[inline]
    pub fn list(self, list: List) -> &'h [NodeId] {
        self.program.list(list)
    }

    pub fn location(self, id: NodeId) -> Location {
        self.program.location(id)
    }

    /// This issue as an error of this node.
    pub fn fail(self, id: NodeId, report: Report) -> Unwind {
        report.into_error().at(self.program.source(), self.program.span(id)).into()
    }

    /// The only statement of a block that has but one.
    #[inline]
    pub fn unwind_block(self, mut id: NodeId) -> NodeId {
        while let Node::BlockExpression { statements } = *self.node(id)
            && let [only] = *self.list(statements)
        {
            id = only;
        }
        id
    }

    /// The node within any parentheses.
    pub fn unwind_parentheses(self, mut id: NodeId) -> NodeId {
        while let Node::ParenthesizedExpression { expr } = *self.node(id) {
            id = expr;
        }
        id
    }
}

/// How an issue that may be demoted is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demotion {
    Ignore,
    Warn,
    Fail,
}

impl From<Strictness> for Demotion {
    fn from(strictness: Strictness) -> Self {
        match strictness {
            Strictness::Off => Self::Ignore,
            Strictness::Warning => Self::Warn,
            Strictness::Error => Self::Fail,
        }
    }
}

impl<'e> Evaluator<'e> {
    /// An evaluator for one compilation, which may take so much memory. Its time begins now.
    pub fn new(
        environment: &'e Environment,
        context: &'e dyn Context,
        functions: &'e FunctionTable,
        journal: &'e Journal,
        limits: Limits,
        memory: Ledger,
    ) -> Self {
        let usage = Usage::new(limits, memory, &*environment.host);
        let ends = usage.ends.ends().clone();
        journal.end_with(move |host| ends.check(host));
        Self {
            environment,
            context,
            functions,
            journal,
            recorder: None,
            usage,
            output: RefCell::default(),
            collectors: RefCell::default(),
            closure_types: super::closure::TypeCache::default(),
            foreign: RefCell::default(),
            stand_ins: RefCell::default(),
            callees: RefCell::default(),
            calls: RefCell::default(),
            changes: Cell::default(),
            buffer: Cell::default(),
        }
    }

    /// The bytes of a file. The compilation's limits end the reading.
    ///
    /// # Errors
    /// There is no such file, it is no regular one or too large, or it cannot be read.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.environment.read_file(path, &|| self.usage.check())
    }

    /// The time of the compilation.
    pub fn now(&self) -> Timestamp {
        self.context.chance().now(&*self.environment.host)
    }

    /// What a command prints. The compilation's limits end it.
    ///
    /// # Errors
    /// Commands are not run here, or this one fails.
    pub fn run_command(&self, command: &[&str]) -> Result<String, HostError> {
        self.environment.run_command(command, &|| self.usage.check())
    }

    /// The same evaluator, which notes where values come from.
    #[must_use]
    pub fn with_recorder(self, recorder: Option<&'e Recorder>) -> Self {
        Self { recorder, ..self }
    }

    /// Evaluates a node of a program in a scope.
    ///
    /// # Errors
    /// Any failure, with the place of the innermost expression; `break`, `next` and `return` that nothing in the node
    /// ends.
    pub fn evaluate(&self, scope: &Rc<Scope>, program: &Arc<Program>, node: NodeId) -> Evaluated {
        self.eval(Here { scope, program }, node)
    }

    /// Evaluates the body of a program, which stands below the calls in it as a call of its own.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_main(&self, scope: &Rc<Scope>, program: &Arc<Program>) -> Evaluated {
        self.calls.borrow_mut().push((Arc::clone(program), None));
        let result = self.evaluate(scope, program, program.body());
        self.calls.borrow_mut().pop();
        result
    }

    /// Evaluates a whole program: `break` may not leave it.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_program(&self, scope: &Rc<Scope>, program: &Arc<Program>) -> Evaluated {
        match self.evaluate(scope, program, program.body()) {
            Err(unwind @ Unwind::Break(_)) => Err(unwind.into_error().into()),
            result => result,
        }
    }

    pub(super) fn eval(&self, here: Here<'_>, id: NodeId) -> Evaluated {
        let id = here.unwind_block(id);
        if let Err(error) = self.usage.step() {
            return self.place(here, id, Err(error.into()));
        }
        // Leaves and short cuts first: no depth is used up by them.
        match *here.node(id) {
            Node::LiteralInteger { value, .. } => return Ok(Value::Integer(value)),
            Node::LiteralBoolean { value } => return Ok(Value::Boolean(value)),
            Node::LiteralString { value } | Node::QualifiedName { value } => {
                return Ok(text_constant(here, id, value));
            }
            Node::VariableExpression { .. } | Node::AccessExpression { .. } => {
                if let Some(value) = self.peek(here, id) {
                    return Ok(value.clone());
                }
            }
            Node::ArithmeticExpression { .. } | Node::ComparisonExpression { .. } => {
                match self.quick(here, id) {
                    Quick::Integer(number) => return Ok(Value::Integer(number)),
                    Quick::Boolean(truth) => return Ok(Value::Boolean(truth)),
                    Quick::No => {}
                }
            }
            _ => {}
        }
        if let Err(error) = self.usage.deeper() {
            return self.place(here, id, Err(error.into()));
        }
        let result = self.eval_node(here, id);
        self.usage.leave();
        match result {
            Ok(value) => match self.usage.check_value(&value) {
                Ok(()) => Ok(value),
                Err(error) => self.place(here, id, Err(error.into())),
            },
            failure => self.place(here, id, failure),
        }
    }

    /// Counts steps, as those of a function that goes through many elements.
    ///
    /// # Errors
    /// A limit is reached; the compilation shall end.
    #[inline]
    pub fn spend(&self, steps: usize) -> Result<(), Box<Error>> {
        self.usage.spend(steps as u64)
    }

    pub(super) fn eval_optional(&self, here: Here<'_>, id: Option<NodeId>) -> Evaluated {
        match id {
            Some(id) => self.eval(here, id),
            None => Ok(Value::Undef),
        }
    }

    /// Whether the value of a condition is true.
    fn test(&self, here: Here<'_>, id: NodeId) -> Evaluated<bool> {
        match self.quick(here, id) {
            Quick::Boolean(truth) => Ok(truth),
            Quick::Integer(_) => Ok(true),
            Quick::No => Ok(self.eval(here, id)?.is_truthy()),
        }
    }

    /// Gives a failure without a place the place of a node.
    pub(super) fn place<T>(&self, here: Here<'_>, id: NodeId, result: Evaluated<T>) -> Evaluated<T> {
        match result {
            Err(Unwind::Error(error))
                if error.location == Location::default()
                    && !error.is_final
                    && error.kind != ErrorKind::Lookup =>
            {
                Err(Unwind::Error(Box::new(placed(here, id, *error))))
            }
            result => result,
        }
    }

    fn eval_node(&self, here: Here<'_>, id: NodeId) -> Evaluated {
        match *here.node(id) {
            Node::Nop {} => Ok(Value::Undef),
            Node::ParenthesizedExpression { expr } => self.eval(here, expr),
            Node::NotExpression { expr } => Ok(Value::Boolean(!self.test(here, expr)?)),
            Node::UnaryMinusExpression { expr } => self.negate(here, id, expr),
            Node::UnfoldExpression { expr } => Ok(Value::from(self.unfold_value(here, expr)?)),
            Node::AssignmentExpression { operator, left_expr, right_expr } => {
                self.assignment(here, id, operator, left_expr, right_expr)
            }
            Node::ArithmeticExpression { operator, left_expr, right_expr } => {
                self.arithmetic(here, id, operator, left_expr, right_expr)
            }
            Node::RelationshipExpression { operator, left_expr, right_expr } => {
                self.relationship(here, id, operator, left_expr, right_expr)
            }
            Node::AccessExpression { left_expr, keys } => self.access(here, id, left_expr, keys),
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                self.comparison(here, id, operator, left_expr, right_expr)
            }
            Node::MatchExpression { operator, left_expr, right_expr } => {
                self.match_expression(here, operator, left_expr, right_expr)
            }
            Node::InExpression { left_expr, right_expr } => self.in_expression(here, left_expr, right_expr),
            Node::AndExpression { left_expr, right_expr } => {
                Ok(Value::Boolean(self.test(here, left_expr)? && self.test(here, right_expr)?))
            }
            Node::OrExpression { left_expr, right_expr } => {
                Ok(Value::Boolean(self.test(here, left_expr)? || self.test(here, right_expr)?))
            }
            Node::LiteralList { values } => Ok(Value::from(self.unfold(here, values)?)),
            Node::LiteralHash { entries } => self.literal_hash(here, entries),
            Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                self.block(here, statements)
            }
            Node::CaseExpression { test, options } => self.case_expression(here, test, options),
            Node::CollectExpression { type_expr, query, operations } => {
                self.collect(here, id, type_expr, query, operations)
            }
            Node::HeredocExpression { syntax, text_expr } => self.heredoc(here, syntax, text_expr),
            Node::IfExpression { test, then_expr, else_expr } => {
                self.conditional(here, test, then_expr, else_expr)
            }
            Node::UnlessExpression { test, then_expr, else_expr } => {
                self.conditional(here, test, else_expr, then_expr)
            }
            Node::CallNamedFunctionExpression { functor_expr, arguments, lambda, .. } => {
                self.named_call(here, id, functor_expr, arguments, lambda)
            }
            Node::CallMethodExpression { functor_expr, arguments, lambda, .. } => {
                self.method_call(here, id, functor_expr, arguments, lambda)
            }
            Node::LiteralRegularExpression { pattern } => {
                Ok(constant(here.program, id, || Value::regexp(here.program.text(pattern))))
            }
            Node::LiteralString { value } | Node::QualifiedName { value } => {
                Ok(text_constant(here, id, value))
            }
            Node::LiteralInteger { value, .. } => Ok(Value::Integer(value)),
            Node::LiteralFloat { value } => Ok(Value::Float(value)),
            Node::LiteralUndef {} => Ok(Value::Undef),
            Node::LiteralDefault {} => Ok(Value::Default),
            Node::LiteralBoolean { value } => Ok(Value::Boolean(value)),
            Node::TextExpression { expr } => self.text_expression(here, id, expr),
            Node::ConcatenatedString { segments } => self.concatenated_string(here, segments),
            Node::ReservedWord { word, future } => {
                let word = here.program.text(word);
                if future { Ok(Value::from(word)) } else { Err(issues::reserved_word(word).into()) }
            }
            Node::QualifiedReference { .. } => self.qualified_reference(here, id),
            Node::VariableExpression { expr } => self.variable_expression(here, id, expr),
            Node::EppExpression { body, .. } => self.epp(here, body),
            Node::RenderStringExpression { value } => self.render_string(here.program.text(value)),
            Node::RenderExpression { expr } => self.render(here, expr),
            Node::ResourceExpression { form, type_name, bodies } => {
                self.resource(here, id, form, type_name, bodies)
            }
            Node::ResourceDefaultsExpression { type_ref, operations, .. } => {
                self.resource_defaults(here, id, type_ref, operations)
            }
            Node::ResourceOverrideExpression { resources, operations, .. } => {
                self.resource_override(here, id, resources, operations)
            }
            Node::SelectorExpression { left_expr, selectors } => self.selector(here, left_expr, selectors),
            // Definitions are known since the file was loaded; meeting them does nothing.
            Node::FunctionDefinition { .. }
            | Node::ResourceTypeDefinition { .. }
            | Node::TypeAlias { .. }
            | Node::TypeMapping { .. }
            | Node::TypeDefinition { .. }
            | Node::NodeDefinition { .. }
            | Node::HostClassDefinition { .. }
            | Node::PlanDefinition { .. } => Ok(Value::Undef),
            // Parts of others, which evaluate them.
            Node::KeyedEntry { .. }
            | Node::CaseOption { .. }
            | Node::SelectorEntry { .. }
            | Node::ExportedQuery { .. }
            | Node::VirtualQuery { .. }
            | Node::AttributeOperation { .. }
            | Node::AttributesOperation { .. }
            | Node::Parameter { .. }
            | Node::LambdaExpression { .. }
            | Node::ResourceBody { .. }
            | Node::NamedAccessExpression { .. }
            | Node::CallFunctionExpression { .. }
            | Node::ApplyExpression { .. }
            | Node::Error {} => {
                let message = format!("{} cannot be evaluated", here.node(id).kind().name());
                Err(Error::internal(message).into())
            }
        }
    }

    fn block(&self, here: Here<'_>, statements: List) -> Evaluated {
        let Some((&last, others)) = here.list(statements).split_last() else { return Ok(Value::Undef) };
        for &statement in others {
            self.eval(here, statement)?;
        }
        self.eval(here, last)
    }

    fn conditional(
        &self,
        here: Here<'_>,
        test: NodeId,
        then_expr: Option<NodeId>,
        else_expr: Option<NodeId>,
    ) -> Evaluated {
        here.scope.guarded(|| {
            let branch = if self.test(here, test)? { then_expr } else { else_expr };
            self.eval_optional(here, branch)
        })
    }

    fn literal_hash(&self, here: Here<'_>, entries: List) -> Evaluated {
        let entries = here.list(entries);
        let mut hash = bunraku_pcore::Hash::with_capacity(entries.len());
        for &entry in entries {
            if let Node::KeyedEntry { key, value } = *here.node(entry) {
                let key = self.eval(here, key)?;
                self.usage.charge(&key)?;
                hash.insert(key, self.eval(here, value)?);
            }
        }
        Ok(Value::from(hash))
    }

    /// The values of expressions, those of `*expr` taken apart.
    pub(super) fn unfold(&self, here: Here<'_>, expressions: List) -> Evaluated<Vec<Value>> {
        let expressions = here.list(expressions);
        let mut values = Vec::with_capacity(expressions.len());
        for &expression in expressions {
            match *here.node(expression) {
                Node::UnfoldExpression { .. } | Node::ParenthesizedExpression { .. } => {
                    values.extend(self.unfolded(here, expression)?);
                }
                _ => values.push(self.eval(here, expression)?),
            }
        }
        Ok(values)
    }

    /// The value of one expression, or those of `*expr`.
    pub(super) fn unfolded(&self, here: Here<'_>, expression: NodeId) -> Evaluated<Vec<Value>> {
        let expression = here.unwind_parentheses(expression);
        match *here.node(expression) {
            Node::UnfoldExpression { expr } => {
                let unfolded = self.unfold_value(here, expr);
                self.place(here, expression, unfolded)
            }
            _ => Ok(vec![self.eval(here, expression)?]),
        }
    }

    /// What `*expr` stands for.
    pub(super) fn unfold_value(&self, here: Here<'_>, expr: NodeId) -> Evaluated<Vec<Value>> {
        let value = self.eval(here, expr)?;
        self.spend_on(&value)?;
        Ok(match value {
            Value::Undef => Vec::new(),
            Value::Array(values) => Arc::unwrap_or_clone(values).into_inner(),
            Value::Hash(hash) => {
                hash.iter().map(|(key, value)| Value::array([key.clone(), value.clone()])).collect()
            }
            Value::Iterator(iterator) => match bunraku_pcore::iterate::elements(&Value::Iterator(iterator)) {
                Some(elements) => elements.gather()?,
                None => Vec::new(),
            },
            other => vec![other],
        })
    }

    /// Reports an issue that settings can demote.
    pub(super) fn report(
        &self,
        here: Here<'_>,
        id: NodeId,
        demotion: Demotion,
        report: Report,
    ) -> Evaluated<()> {
        match demotion {
            Demotion::Ignore => Ok(()),
            Demotion::Fail => Err(here.fail(id, report)),
            Demotion::Warn => {
                self.journal.log(LogEntry {
                    level: LogLevel::Warning,
                    message: report.message,
                    source: "Puppet".into(),
                    location: here.location(id),
                    issue: Some(report.issue),
                    once: None,
                });
                Ok(())
            }
        }
    }
}

/// The value of a node that is a text.
fn text_constant(here: Here<'_>, id: NodeId, text: Text) -> Value {
    let text = here.program.text(text);
    if text.len() <= Str::INLINE_LIMIT {
        return Value::from(text);
    }
    constant(here.program, id, || Value::from(text))
}

/// An error without a place as an error of this node.
fn placed(here: Here<'_>, id: NodeId, mut error: Error) -> Error {
    if error.kind != ErrorKind::Evaluation && !error.kind.ends_work() {
        let report = issues::runtime_error(here.program.label(id), &error.message);
        error.message = report.message;
        error.issue = Some(report.issue);
        if !error.kind.is_crash() {
            error.kind = ErrorKind::Evaluation;
        }
    }
    error.at(here.program.source(), here.program.span(id))
}
