//! The evaluator: its state, its entry points, and the evaluation of each node.
//!
//! [`Evaluator::evaluate`] returns the value of a node. A failure without a place gets the place of the
//! innermost enclosing node here, and failures other than the evaluator's issues become `RUNTIME_ERROR` of
//! that node. Follows the reference's `pops/evaluator/evaluator_impl.rb`; the files beside this implement
//! operators and statements.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::constant::{constant, is_constant, keep, kept};
use super::context::CollectorId;
use super::epp::Output;
use super::invoke::Callees;
use super::limits::{Limits, Usage};
use super::quick::Quick;
use super::{Context, Evaluated, FunctionTable, Recorder, Scope, Unwind};
use crate::loader::{Environment, Loaded, Strictness};
use crate::memory::Ledger;
use bunraku_host::HostError;
use bunraku_pcore::value::{RuntimeValue, Timestamp};
use bunraku_pcore::{Str, Value};
use bunraku_stacks::further_stack;
use bunraku_syntax::ast::{List, Node, NodeId, Program, Text};
use bunraku_syntax::diagnostic::{Error, ErrorKind, LogEntry, LogLevel, Report, issues};
use bunraku_syntax::source::Location;

/// Evaluates programs for one compilation.
pub struct Evaluator<'e> {
    /// Provides definitions.
    pub environment: &'e Environment,
    /// The compilation: catalog, classes, lookup.
    pub context: &'e dyn Context,
    /// The functions that are built in.
    pub functions: &'e FunctionTable,
    /// The log.
    pub loaded: &'e Loaded,
    /// Records the origins of values; `None` if they are not requested.
    pub recorder: Option<&'e Recorder>,
    /// The use of the limits.
    pub usage: Usage<'e>,
    /// The output of the templates in progress.
    pub(super) output: RefCell<Vec<Output>>,
    /// The values of collectors with their numbers.
    pub(super) collectors: RefCell<Vec<(Arc<RuntimeValue>, CollectorId)>>,
    /// The types of functions and of lambdas without declared types.
    pub(super) closure_types: super::closure::TypeCache,
    /// Functions of the host that were asked for.
    pub(super) foreign: RefCell<FxHashMap<String, Option<Rc<super::foreign::Foreign>>>>,
    /// Built-in replacements for the Ruby functions of modules, and whether they are known here.
    pub(super) stand_ins: RefCell<FxHashMap<&'static str, bool>>,
    /// The functions by name.
    pub(super) callees: RefCell<Callees<'e>>,
    /// The calls in progress in which more may be called, the innermost last; a program's own evaluation has
    /// no node.
    pub(super) calls: RefCell<Vec<(Arc<Program>, Option<NodeId>)>>,
    /// The number of in-place changes of variables by Ruby code.
    pub changes: Cell<usize>,
    /// The methods that templates have defined.
    #[cfg(feature = "ruby")]
    pub template_methods: RefCell<FxHashMap<Str, Arc<bunraku_ruby_interpreter::tree::Lambda>>>,
    /// The state that functions in Ruby keep from one call to another.
    pub kept_by_functions: RefCell<Option<Arc<dyn Any + Send + Sync>>>,
    /// The values that functions with a waiting block have passed to it and pass on, innermost last.
    pub(super) memos: RefCell<Vec<Value>>,
    /// A text being put together, kept for its memory.
    pub(super) buffer: Cell<String>,
}

/// The environment of an evaluation: a scope and a program.
#[derive(Clone, Copy)]
pub(super) struct Env<'h> {
    pub scope: &'h Rc<Scope>,
    pub program: &'h Arc<Program>,
}

impl<'h> Env<'h> {
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

/// The nodes that are known since their file was loaded; meeting them does nothing.
macro_rules! definition {
    () => {
        Node::FunctionDefinition { .. }
            | Node::ResourceTypeDefinition { .. }
            | Node::TypeAlias { .. }
            | Node::TypeMapping { .. }
            | Node::TypeDefinition { .. }
            | Node::NodeDefinition { .. }
            | Node::HostClassDefinition { .. }
            | Node::PlanDefinition { .. }
    };
}

/// The nodes that are parts of others, which evaluate them.
macro_rules! part {
    () => {
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
            | Node::Error {}
    };
}

impl<'e> Evaluator<'e> {
    /// An evaluator for one compilation with this limit of memory. Its time begins now.
    pub fn new(
        environment: &'e Environment,
        context: &'e dyn Context,
        functions: &'e FunctionTable,
        loaded: &'e Loaded,
        limits: Limits,
        memory: Ledger,
    ) -> Self {
        let usage = Usage::new(limits, memory, &*environment.host);
        let ends = usage.ends.ends().clone();
        loaded.end_with(move |host, bytes| ends.check_room(host, bytes));
        Self {
            environment,
            context,
            functions,
            loaded,
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
            #[cfg(feature = "ruby")]
            template_methods: RefCell::default(),
            kept_by_functions: RefCell::default(),
            memos: RefCell::default(),
            buffer: Cell::default(),
        }
    }

    /// The bytes of a file. The compilation's limits can end the reading.
    ///
    /// # Errors
    /// The file does not exist, is not a regular file, is too large, or cannot be read.
    pub fn read_file(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.environment.read_file(path, &|| self.usage.check())
    }

    /// The time of the compilation.
    pub fn now(&self) -> Timestamp {
        self.context.chance().now(&*self.environment.host)
    }

    /// The output of a command. The compilation's limits can end it.
    ///
    /// # Errors
    /// Commands are not allowed here, or this one fails.
    pub fn run_command(&self, command: &[&str]) -> Result<String, HostError> {
        self.environment.run_command(command, &|| self.usage.check())
    }

    /// The same evaluator, with a recorder for the origins of values.
    #[must_use]
    pub fn with_recorder(self, recorder: Option<&'e Recorder>) -> Self {
        Self { recorder, ..self }
    }

    /// Evaluates a node of a program in a scope.
    ///
    /// # Errors
    /// Any failure, with the place of the innermost expression; `break`, `next` and `return` that nothing in
    /// the node ends.
    pub fn evaluate(&self, scope: &Rc<Scope>, program: &Arc<Program>, node: NodeId) -> Evaluated {
        self.eval(Env { scope, program }, node)
    }

    /// As [`evaluate`](Self::evaluate), if references to resources are not needed.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn evaluate_body(&self, scope: &Rc<Scope>, program: &Arc<Program>, node: NodeId) -> Evaluated {
        self.eval_unused(Env { scope, program }, node)
    }

    /// Evaluates the body of a program as the outermost call of the stack.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_main(&self, scope: &Rc<Scope>, program: &Arc<Program>) -> Evaluated {
        self.calls.borrow_mut().push((Arc::clone(program), None));
        let result = self.evaluate(scope, program, program.body());
        self.calls.borrow_mut().pop();
        result
    }

    pub(super) fn eval(&self, env: Env<'_>, id: NodeId) -> Evaluated {
        let id = env.unwind_block(id);
        if let Err(error) = self.usage.step() {
            return self.place(env, id, Err(error.into()));
        }
        // Leaves and short cuts first: no depth is used up by them.
        match *env.node(id) {
            Node::LiteralInteger { value, .. } => return Ok(Value::Integer(value)),
            Node::LiteralBoolean { value } => return Ok(Value::Boolean(value)),
            Node::LiteralString { value } | Node::QualifiedName { value } => {
                return Ok(text_constant(env, id, value));
            }
            Node::VariableExpression { .. } | Node::AccessExpression { .. } => {
                if let Some(value) = self.peek(env, id) {
                    return Ok(value.clone());
                }
            }
            Node::ArithmeticExpression { .. } | Node::ComparisonExpression { .. } => {
                match self.quick(env, id) {
                    Quick::Integer(number) => return Ok(Value::Integer(number)),
                    Quick::Boolean(truth) => return Ok(Value::Boolean(truth)),
                    Quick::No => {}
                }
            }
            _ => {}
        }
        if let Err(error) = self.usage.deeper() {
            return self.place(env, id, Err(error.into()));
        }
        let result = if self.usage.is_short_of_stack() {
            further_stack(|| self.eval_node(env, id)).unwrap_or_else(|error| Err(error.into()))
        } else {
            self.eval_node(env, id)
        };
        self.usage.leave();
        match result {
            Ok(value) => match self.usage.check_value(&value) {
                Ok(()) => Ok(value),
                Err(error) => self.place(env, id, Err(error.into())),
            },
            failure => self.place(env, id, failure),
        }
    }

    /// Counts the steps of a function that visits many elements.
    ///
    /// # Errors
    /// A limit is exceeded; the compilation must end.
    #[inline]
    pub fn charge_steps(&self, steps: usize) -> Result<(), Box<Error>> {
        self.usage.charge_steps(steps as u64)
    }

    pub(super) fn eval_optional(&self, env: Env<'_>, id: Option<NodeId>) -> Evaluated {
        match id {
            Some(id) => self.eval(env, id),
            None => Ok(Value::Undef),
        }
    }

    /// Whether the value of a condition is true.
    fn test(&self, env: Env<'_>, id: NodeId) -> Evaluated<bool> {
        match self.truth(env, id) {
            Some(truth) => Ok(truth),
            None => Ok(self.eval(env, id)?.is_truthy()),
        }
    }

    /// Gives a failure without a place the place of a node.
    pub(super) fn place<T>(&self, env: Env<'_>, id: NodeId, result: Evaluated<T>) -> Evaluated<T> {
        match result {
            Err(Unwind::Error(error))
                if error.location == Location::default()
                    && !error.is_final
                    && error.kind != ErrorKind::Lookup =>
            {
                Err(Unwind::Error(Box::new(placed(env, id, *error))))
            }
            result => result,
        }
    }

    fn eval_node(&self, env: Env<'_>, id: NodeId) -> Evaluated {
        match *env.node(id) {
            Node::Nop {} => Ok(Value::Undef),
            Node::ParenthesizedExpression { expr } => self.eval(env, expr),
            Node::NotExpression { expr } => Ok(Value::Boolean(!self.test(env, expr)?)),
            Node::UnaryMinusExpression { expr } => self.negate(env, id, expr),
            Node::UnfoldExpression { expr } => Ok(Value::from(self.unfold_value(env, expr)?)),
            Node::AssignmentExpression { operator, left_expr, right_expr } => {
                self.assignment(env, id, operator, left_expr, right_expr)
            }
            Node::ArithmeticExpression { operator, left_expr, right_expr } => {
                self.arithmetic(env, id, operator, left_expr, right_expr)
            }
            Node::RelationshipExpression { operator, left_expr, right_expr } => {
                self.relationship(env, id, operator, left_expr, right_expr)
            }
            Node::AccessExpression { .. } => self.chain(env, id),
            Node::ComparisonExpression { operator, left_expr, right_expr } => {
                self.comparison(env, id, operator, left_expr, right_expr)
            }
            Node::MatchExpression { operator, left_expr, right_expr } => {
                self.match_expression(env, operator, left_expr, right_expr)
            }
            Node::InExpression { left_expr, right_expr } => self.in_expression(env, left_expr, right_expr),
            Node::AndExpression { left_expr, right_expr } => self.and(env, left_expr, right_expr),
            Node::OrExpression { left_expr, right_expr } => self.or(env, left_expr, right_expr),
            Node::LiteralList { values } => {
                self.literal(env, id, || Ok(Value::from(self.unfold(env, values)?)))
            }
            Node::LiteralHash { entries } => self.literal(env, id, || self.literal_hash(env, entries)),
            Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                self.block(env, statements)
            }
            Node::CaseExpression { test, options } => self.case_expression(env, test, options),
            Node::CollectExpression { type_expr, query, operations } => {
                self.collect(env, id, type_expr, query, operations)
            }
            Node::HeredocExpression { syntax, text_expr } => self.heredoc(env, syntax, text_expr),
            Node::IfExpression { test, then_expr, else_expr } => {
                self.conditional(env, test, then_expr, else_expr, true)
            }
            Node::UnlessExpression { test, then_expr, else_expr } => {
                self.conditional(env, test, else_expr, then_expr, true)
            }
            Node::CallNamedFunctionExpression { functor_expr, arguments, lambda, .. } => {
                self.named_call(env, id, functor_expr, arguments, lambda)
            }
            Node::CallMethodExpression { functor_expr, arguments, lambda, .. } => {
                self.method_call(env, id, functor_expr, arguments, lambda)
            }
            Node::LiteralRegularExpression { pattern } => Ok(pattern_constant(env, id, pattern)),
            Node::LiteralString { value } | Node::QualifiedName { value } => {
                Ok(text_constant(env, id, value))
            }
            Node::LiteralInteger { value, .. } => Ok(Value::Integer(value)),
            Node::LiteralFloat { value } => Ok(Value::Float(value)),
            Node::LiteralUndef {} => Ok(Value::Undef),
            Node::LiteralDefault {} => Ok(Value::Default),
            Node::LiteralBoolean { value } => Ok(Value::Boolean(value)),
            Node::TextExpression { expr } => self.text_expression(env, id, expr),
            Node::ConcatenatedString { segments } => self.concatenated_string(env, id, segments),
            Node::ReservedWord { word, future } => reserved_word(env.program.text(word), future),
            Node::QualifiedReference { .. } => self.qualified_reference(env, id),
            Node::VariableExpression { expr } => self.variable_expression(env, id, expr),
            Node::EppExpression { body, .. } => self.epp(env, body),
            Node::RenderStringExpression { value } => self.render_string(env.program.text(value)),
            Node::RenderExpression { expr } => self.render(env, expr),
            Node::ResourceExpression { form, type_name, bodies } => {
                self.resource(env, id, form, type_name, bodies, true)
            }
            Node::ResourceDefaultsExpression { type_ref, operations, .. } => {
                self.resource_defaults(env, id, type_ref, operations)
            }
            Node::ResourceOverrideExpression { resources, operations, .. } => {
                self.resource_override(env, id, resources, operations)
            }
            Node::SelectorExpression { left_expr, selectors } => self.selector(env, left_expr, selectors),
            definition!() => Ok(Value::Undef),
            part!() => Err(not_evaluated(env, id)),
        }
    }

    #[inline]
    fn and(&self, env: Env<'_>, left_expr: NodeId, right_expr: NodeId) -> Evaluated {
        Ok(Value::Boolean(self.test(env, left_expr)? && self.test(env, right_expr)?))
    }

    #[inline]
    fn or(&self, env: Env<'_>, left_expr: NodeId, right_expr: NodeId) -> Evaluated {
        Ok(Value::Boolean(self.test(env, left_expr)? || self.test(env, right_expr)?))
    }

    fn block(&self, env: Env<'_>, statements: List) -> Evaluated {
        let Some((&last, others)) = env.list(statements).split_last() else { return Ok(Value::Undef) };
        for &statement in others {
            if !matches!(env.node(statement), definition!()) {
                self.eval_unused(env, statement)?;
            } else if let Err(error) = self.usage.step() {
                return self.place(env, statement, Err(error.into()));
            }
        }
        self.eval(env, last)
    }

    /// As [`eval`](Self::eval), if the value is not needed: resource expressions and assignments have none
    /// then.
    pub(super) fn eval_unused(&self, env: Env<'_>, id: NodeId) -> Evaluated {
        let id = env.unwind_block(id);
        let node = *env.node(id);
        if !matches!(
            node,
            Node::ResourceExpression { .. }
                | Node::AssignmentExpression { .. }
                | Node::BlockExpression { .. }
                | Node::IfExpression { .. }
                | Node::UnlessExpression { .. }
        ) {
            return self.eval(env, id);
        }
        if let Err(error) = self.usage.enter() {
            return self.place(env, id, Err(error.into()));
        }
        let result = match node {
            Node::ResourceExpression { form, type_name, bodies } => {
                self.resource(env, id, form, type_name, bodies, false)
            }
            Node::AssignmentExpression { operator, left_expr, right_expr } => {
                self.assignment_unused(env, id, operator, left_expr, right_expr)
            }
            Node::BlockExpression { statements } => env
                .list(statements)
                .iter()
                .try_fold(Value::Undef, |_, &statement| self.eval_unused(env, statement)),
            Node::IfExpression { test, then_expr, else_expr } => {
                self.conditional(env, test, then_expr, else_expr, false)
            }
            Node::UnlessExpression { test, then_expr, else_expr } => {
                self.conditional(env, test, else_expr, then_expr, false)
            }
            _ => self.eval_node(env, id),
        };
        self.usage.leave();
        self.place(env, id, result)
    }

    fn conditional(
        &self,
        env: Env<'_>,
        test: NodeId,
        then_expr: Option<NodeId>,
        else_expr: Option<NodeId>,
        is_used: bool,
    ) -> Evaluated {
        env.scope.guarded(|| match if self.test(env, test)? { then_expr } else { else_expr } {
            Some(branch) if is_used => self.eval(env, branch),
            Some(branch) => self.eval_unused(env, branch),
            None => Ok(Value::Undef),
        })
    }

    /// The value of a list or hash literal, made once if it is constant.
    fn literal(&self, env: Env<'_>, id: NodeId, make: impl FnOnce() -> Evaluated) -> Evaluated {
        match kept(env.program, id) {
            // It is no constant.
            Some(Value::Default) => return make(),
            Some(made) => {
                self.usage.charge_value(made)?;
                return Ok(made.clone());
            }
            None => {}
        }
        let made = make()?;
        let is_constant = is_constant(env.program, id);
        keep(env.program, id, if is_constant { &made } else { &Value::Default });
        Ok(made)
    }

    fn literal_hash(&self, env: Env<'_>, entries: List) -> Evaluated {
        let entries = env.list(entries);
        let mut hash = bunraku_pcore::Hash::with_capacity(entries.len());
        for &entry in entries {
            if let Node::KeyedEntry { key, value } = *env.node(entry) {
                let key = self.eval(env, key)?;
                self.usage.charge_value(&key)?;
                hash.insert(key, self.eval(env, value)?);
            }
        }
        Ok(Value::from(hash))
    }

    /// The values of expressions, with `*expr` expanded.
    pub(super) fn unfold(&self, env: Env<'_>, expressions: List) -> Evaluated<Vec<Value>> {
        let expressions = env.list(expressions);
        let mut values = Vec::with_capacity(expressions.len());
        for &expression in expressions {
            match *env.node(expression) {
                Node::UnfoldExpression { .. } | Node::ParenthesizedExpression { .. } => {
                    values.extend(self.unfolded(env, expression)?);
                }
                _ => values.push(self.eval(env, expression)?),
            }
        }
        Ok(values)
    }

    /// The value of one expression, or those of `*expr`.
    pub(super) fn unfolded(&self, env: Env<'_>, expression: NodeId) -> Evaluated<Vec<Value>> {
        let expression = env.unwind_parentheses(expression);
        match *env.node(expression) {
            Node::UnfoldExpression { expr } => {
                let unfolded = self.unfold_value(env, expr);
                self.place(env, expression, unfolded)
            }
            _ => Ok(vec![self.eval(env, expression)?]),
        }
    }

    /// The values of `*expr`.
    pub(super) fn unfold_value(&self, env: Env<'_>, expr: NodeId) -> Evaluated<Vec<Value>> {
        let value = self.eval(env, expr)?;
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
        env: Env<'_>,
        id: NodeId,
        demotion: Demotion,
        report: Report,
    ) -> Evaluated<()> {
        match demotion {
            Demotion::Ignore => Ok(()),
            Demotion::Fail => Err(env.fail(id, report)),
            Demotion::Warn => {
                self.loaded.log.add(LogEntry {
                    level: LogLevel::Warning,
                    message: report.message,
                    source: "Puppet".into(),
                    location: env.location(id),
                    issue: Some(report.issue),
                    once: None,
                });
                Ok(())
            }
        }
    }
}

/// The value of a node that is a text.
pub(super) fn text_constant(env: Env<'_>, id: NodeId, text: Text) -> Value {
    let text = env.program.text(text);
    if text.len() <= Str::INLINE_LIMIT {
        return Value::from(text);
    }
    constant(env.program, id, || Value::from(text))
}

/// The value of a node that is a regular expression.
fn pattern_constant(env: Env<'_>, id: NodeId, pattern: Text) -> Value {
    constant(env.program, id, || Value::regexp(env.program.text(pattern)))
}

/// The value of a word that is reserved, or will be.
fn reserved_word(word: &str, future: bool) -> Evaluated {
    if future { Ok(Value::from(word)) } else { Err(issues::reserved_word(word).into()) }
}

#[cold]
fn not_evaluated(env: Env<'_>, id: NodeId) -> Unwind {
    Error::internal(format!("{} cannot be evaluated", env.node(id).kind().name())).into()
}

/// An error without a place as an error of this node.
fn placed(env: Env<'_>, id: NodeId, mut error: Error) -> Error {
    if error.kind != ErrorKind::Evaluation && !error.kind.ends_work() {
        let report = issues::runtime_error(env.program.label(id), &error.message);
        error.message = report.message;
        error.issue = Some(report.issue);
        if !error.kind.is_crash() {
            error.kind = ErrorKind::Evaluation;
        }
    }
    error.at(env.program.source(), env.program.span(id))
}
