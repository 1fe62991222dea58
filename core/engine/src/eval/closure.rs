//! Lambdas and functions written in Puppet: binding of arguments to parameters, types, and the evaluation of
//! the body.
//!
//! Follows the reference's `pops/evaluator/closure.rb`.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::constant::{closure_slot, is_constant, is_literal};
use super::evaluator::Env;
use super::invoke::all_fit;
use super::last_use;
use super::scope::{Block, check_name};
use super::signature::Signature;
use super::stack::Mark;
use super::{Evaluated, Evaluator, NodeMap, Scope, Unwind};
use bunraku_host::{BlockParameters, ForeignBlock};
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::{IntRange, Members, StructMember, Type, TypeKind, mismatch};
use bunraku_pcore::value::{Str, shared};
use bunraku_pcore::{Named, Value};
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{List, Node, NodeId, Program};
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::source::Source;
use bunraku_syntax::{ParseOptions, parse};
use smallvec::SmallVec;

/// A lambda with the scope that it closes over, or a function written in Puppet with the top scope.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The program that contains it.
    pub program: Arc<Program>,
    /// The `LambdaExpression` or `FunctionDefinition`.
    pub node: NodeId,
    /// The scope around it.
    pub scope: Rc<Scope>,
    types: OnceCell<Arc<ClosureType>>,
    /// Called instead of the body, for a block that is not written in the language.
    foreign: Option<Arc<dyn ForeignBlock>>,
}

/// The calls of one block by a function that calls it for many values. The variables of the block stay on the
/// stack between the calls, where nothing else is evaluated, and each call gives them new values.
#[derive(Debug, Default)]
pub struct Repeated<'c> {
    frame: Option<Block<'c>>,
}

/// The types of a closure.
#[derive(Debug)]
pub struct ClosureType {
    /// The types of the parameters in turn; the last one repeats when it takes the rest.
    types: Vec<Type>,
    /// The number of arguments.
    range: IntRange,
    /// The result type; `None` means any.
    returns: Option<Type>,
    /// All that as a signature.
    pub signature: Signature,
    /// Whether every parameter takes one argument, has no default, and has a name that can be assigned.
    is_plain: bool,
    /// As `is_plain`, but parameters may have literals as defaults: these, from the first one on.
    defaults: Option<Box<[NodeId]>>,
    /// Whether every parameter takes anything.
    is_untyped: bool,
    /// The marks of the parameters' names.
    marks: Vec<Mark>,
    /// The body.
    body: Option<NodeId>,
}

/// Types of functions that are not constant, but the same in one compilation.
pub(super) type TypeCache = RefCell<NodeMap<Arc<ClosureType>>>;

impl Closure {
    /// A closure of a `LambdaExpression` or `FunctionDefinition`.
    pub const fn new(program: Arc<Program>, node: NodeId, scope: Rc<Scope>) -> Self {
        Self { program, node, scope, types: OnceCell::new(), foreign: None }
    }

    /// A block that is not written in the language: to the evaluator a lambda of the same parameters.
    ///
    /// # Errors
    /// It has too many parameters.
    pub fn foreign(
        evaluator: &Evaluator<'_>,
        block: &Arc<dyn ForeignBlock>,
        scope: &Rc<Scope>,
    ) -> Result<Self, Error> {
        let BlockParameters { required, optional, has_rest } = block.parameters();
        if required.saturating_add(optional) > MAX_PARAMETERS {
            return Err(Error::argument("a block has too many parameters"));
        }
        let required = (0..required).map(|index| format!("$p{index}"));
        let optional = (0..optional).map(|index| format!("$o{index} = undef"));
        let parameters: Vec<String> =
            required.chain(optional).chain(has_rest.then(|| "*$rest".to_owned())).collect();
        let text = format!("f() |{}| {{ }}", parameters.join(", "));
        // One program for all blocks of the same parameters: types are remembered by the program's address.
        let program = evaluator.environment.caches.block_programs.get(&text, || {
            let options = ParseOptions { stacks: COROUTINES, ..ParseOptions::default() };
            parse(Arc::new(Source::new(None, text.as_str())), &options).map(Arc::new)
        });
        let program = program.as_ref().as_ref().map_err(|error| Error::internal(error.to_string()))?;
        let is_lambda = |id: &NodeId| matches!(program.node(*id), Node::LambdaExpression { .. });
        let node =
            program.ids().find(is_lambda).ok_or_else(|| Error::internal("a block without a lambda"))?;
        let closure = Self::new(Arc::clone(program), node, Rc::clone(scope));
        Ok(Self { foreign: Some(Arc::clone(block)), ..closure })
    }

    /// The number of arguments it takes.
    pub fn block_parameters(&self) -> BlockParameters {
        let mut taken = BlockParameters::default();
        for &id in self.parameters() {
            match parameter(&self.program, id) {
                Parameter { captures_rest: true, .. } => taken.has_rest = true,
                Parameter { default: Some(_), .. } => taken.optional += 1,
                _ => taken.required += 1,
            }
        }
        taken
    }

    fn env(&self) -> Env<'_> {
        Env { scope: &self.scope, program: &self.program }
    }

    fn parts(&self) -> (List, Option<NodeId>, Option<NodeId>) {
        match *self.program.node(self.node) {
            Node::LambdaExpression { parameters, body, return_type }
            | Node::FunctionDefinition { parameters, body, return_type, .. }
            | Node::PlanDefinition { parameters, body, return_type, .. } => (parameters, body, return_type),
            _ => (List::EMPTY, None, None),
        }
    }

    /// The parameters, each a `Parameter`.
    pub fn parameters(&self) -> &[NodeId] {
        self.program.list(self.parts().0)
    }

    /// The name in messages: the function's name, or `lambda`.
    pub fn name(&self) -> &str {
        match self.program.node(self.node) {
            Node::FunctionDefinition { name, .. } | Node::PlanDefinition { name, .. } => {
                self.program.text(*name)
            }
            _ => "lambda",
        }
    }

    /// The number of parameters in the form of Ruby's arity: `-n - 1` if the first n of more are required.
    pub fn arity(&self) -> i32 {
        let mut required = 0;
        for &parameter in self.parameters() {
            match *self.program.node(parameter) {
                Node::Parameter { value: None, captures_rest: false, .. } => required += 1,
                _ => return -required - 1,
            }
        }
        required
    }
}

/// The maximum number of parameters of a block that is not written in the language.
const MAX_PARAMETERS: usize = 100;

/// A parameter of a closure.
#[derive(Clone, Copy)]
struct Parameter<'p> {
    name: &'p str,
    default: Option<NodeId>,
    type_expr: Option<NodeId>,
    captures_rest: bool,
}

fn parameter(program: &Program, id: NodeId) -> Parameter<'_> {
    match *program.node(id) {
        Node::Parameter { name, value, type_expr, captures_rest } => {
            Parameter { name: program.text(name), default: value, type_expr, captures_rest }
        }
        _ => Parameter { name: "", default: None, type_expr: None, captures_rest: false },
    }
}

/// The names of parameters.
fn names(program: &Program, ids: &[NodeId]) -> Arc<Named<()>> {
    Arc::new(ids.iter().map(|&id| (shared(parameter(program, id).name), ())).collect())
}

impl Evaluator<'_> {
    /// Calls a lambda.
    ///
    /// # Errors
    /// Arguments that do not fit, and what the body fails with. `break` and `return` pass through, `next`
    /// ends here.
    pub fn call_closure(&self, closure: &Closure, arguments: &[Value]) -> Evaluated {
        if let Some(foreign) = &closure.foreign {
            self.charge_steps(1)?;
            return Ok(foreign.call(arguments)?);
        }
        let types = self.closure_type(closure)?;
        match types.plain_arguments(arguments) {
            Some(arguments) if self.recorder.is_none() => {
                if !types.accepts(arguments, &self.usage)? {
                    return Err(refuse(closure, types, arguments));
                }
                self.call_body(closure, types, arguments.iter().cloned())
            }
            _ => self.call_binding(closure, types, arguments),
        }
    }

    /// Calls a lambda once more, with arguments that are not needed elsewhere.
    ///
    /// # Errors
    /// As [`call_closure`](Self::call_closure).
    pub fn call_closure_again<'c, const N: usize>(
        &self,
        closure: &'c Closure,
        repeated: &mut Repeated<'c>,
        arguments: [Value; N],
    ) -> Evaluated {
        let types = self.closure_type(closure)?;
        if !types.is_plain || types.types.len() != N || self.recorder.is_some() || closure.foreign.is_some() {
            return self.call_closure(closure, &arguments);
        }
        if !types.accepts(&arguments, &self.usage)? {
            return Err(refuse(closure, types, &arguments));
        }
        self.charge_steps(1)?;
        match &repeated.frame {
            Some(frame) => frame.refill(arguments),
            None => {
                let names = &types.signature.parameter_names;
                repeated.frame = Some(closure.scope.push_marked(names, &types.marks, arguments.into_iter()));
            }
        }
        let result = self.eval_optional(closure.env(), types.body);
        self.returned(closure, types, end_block(result))
    }

    /// Calls a closure whose parameters may have defaults or take the rest.
    fn call_binding(&self, closure: &Closure, types: &ClosureType, arguments: &[Value]) -> Evaluated {
        if let Some(values) = self.bind_literals(closure, types, arguments)? {
            if !types.accepts(&values, &self.usage)? {
                return Err(refuse(closure, types, &values));
            }
            return self.call_body(closure, types, values.into_iter());
        }
        self.charge_steps(1)?;
        let bindings = self.bind(closure, arguments)?;
        if let Some(recorder) = self.recorder {
            recorder.arguments(self, closure, &bindings);
        }
        if !types.accepts_bindings(&bindings, closure, &self.usage)? {
            return Err(refuse(closure, types, &flat_bindings(&bindings, closure)));
        }
        let env = closure.env();
        let result = env.scope.with_local(bindings, || self.eval_optional(env, types.body))?;
        self.returned(closure, types, end_block(result))
    }

    /// Evaluates the body of a closure of plain parameters with values that fit.
    fn call_body(
        &self,
        closure: &Closure,
        types: &ClosureType,
        values: impl Iterator<Item = Value>,
    ) -> Evaluated {
        self.charge_steps(1)?;
        let block = closure.scope.push_marked(&types.signature.parameter_names, &types.marks, values);
        let result = self.eval_optional(closure.env(), types.body);
        drop(block);
        self.returned(closure, types, end_block(result))
    }

    /// The result of a body, checked against the declared result type of the closure.
    #[inline]
    fn returned(&self, closure: &Closure, types: &ClosureType, result: Evaluated) -> Evaluated {
        if let Some(returns) = &types.returns
            && let Ok(value) = &result
            && !returns.check_instance_with(value, &self.usage)?
        {
            let subject = format!("value returned from {} has wrong type,", closure.name());
            let message = mismatch::describe(&subject, returns, &Type::infer_set(value));
            return Err(Error::plain(message).into());
        }
        result
    }

    /// Calls a function written in Puppet: it sees its parameters and the top scope.
    pub(super) fn call_puppet_function(
        &self,
        function: &Closure,
        arguments: &[Value],
        block: Option<&Closure>,
    ) -> Evaluated {
        let _hidden = function.scope.hide();
        let types = self.closure_type(function)?;
        if block.is_some() || !types.accepts(arguments, &self.usage)? {
            let block = block.map(|block| self.closure_type(block)).transpose()?;
            let actual = Type::of_arguments(arguments, block.map(|block| &block.signature.callable));
            let message = mismatch::describe_signatures(function.name(), &[&types.signature], &actual);
            return Err(Error::argument(message).into());
        }
        let result = if types.is_plain && self.recorder.is_none() {
            self.call_body(function, types, arguments.iter().cloned())
        } else {
            self.call_binding(function, types, arguments)
        };
        match result {
            Err(Unwind::Return(jump)) => Ok(jump.value),
            result => end_block(result),
        }
    }

    /// The values of parameters whose defaults are literals, if no argument is missing: they need no scope in
    /// which defaults see other parameters.
    fn bind_literals(
        &self,
        closure: &Closure,
        types: &ClosureType,
        arguments: &[Value],
    ) -> Evaluated<Option<SmallVec<[Value; 4]>>> {
        let Some(defaults) = types.defaults.as_ref().filter(|_| self.recorder.is_none()) else {
            return Ok(None);
        };
        let required = types.types.len() - defaults.len();
        if arguments.len() < required {
            return Ok(None);
        }
        let given = arguments.iter().take(types.types.len());
        let mut values: SmallVec<[Value; 4]> = given.cloned().collect();
        for &default in defaults.iter().skip(values.len() - required) {
            values.push(self.eval(closure.env(), default)?);
        }
        Ok(Some(values))
    }

    /// Binds the parameters, with defaults for missing arguments.
    fn bind(&self, closure: &Closure, arguments: &[Value]) -> Evaluated<Vec<(Str, Value)>> {
        let env = closure.env();
        let ids = closure.parameters();
        let scope = env.scope.push_parameters(closure.name(), names(env.program, ids));
        for (index, &id) in ids.iter().enumerate() {
            let parameter = parameter(env.program, id);
            let default = |expr| self.default_value(&scope, env, parameter.name, expr);
            let to_list = |value| match value {
                list @ Value::Array(_) => list,
                other => Value::array([other]),
            };
            let value = match (arguments.get(index), parameter.default) {
                (None, Some(expr)) if parameter.captures_rest => to_list(default(expr)?),
                (None, Some(expr)) => default(expr)?,
                (None, None) if parameter.captures_rest => Value::array([]),
                (None, None) => {
                    return Err(env.fail(id, issues::missing_required_parameter(parameter.name)));
                }
                (Some(given), default_expr) if parameter.captures_rest => {
                    let rest = arguments.get(ids.len().saturating_sub(1)..).unwrap_or_default();
                    match default_expr {
                        Some(expr) if rest.len() == 1 && given.is_undef() => to_list(default(expr)?),
                        _ => Value::array(rest.iter().cloned()),
                    }
                }
                (Some(given), _) => given.clone(),
            };
            scope.set(parameter.name, value);
        }
        Ok(scope.into_assigned())
    }

    /// The value of a parameter's default; using a parameter without a value is a failure of the call.
    pub(super) fn default_value(
        &self,
        parameters: &super::scope::ParameterScope<'_>,
        env: Env<'_>,
        name: &str,
        expr: NodeId,
    ) -> Evaluated {
        match parameters.evaluating(name, || self.eval(env, expr)) {
            Err(Unwind::Unevaluated(error)) => Err(Unwind::Error(error)),
            result => result,
        }
    }

    /// Calls a template's lambda with arguments by name, in a scope.
    pub(super) fn call_by_name(
        &self,
        closure: &Closure,
        mut arguments: Vec<(Str, Value)>,
        enforce_parameters: bool,
    ) -> Evaluated {
        let env = closure.env();
        let (_, body, return_type) = closure.parts();
        if !enforce_parameters {
            return env.scope.with_local(arguments, || self.eval_optional(env, body))?;
        }
        let ids = closure.parameters();
        {
            let scope = env.scope.push_parameters(closure.name(), names(env.program, ids));
            let given =
                |name: &str| arguments.iter().find(|(known, _)| known == name).map(|(_, value)| value);
            for (name, value) in arguments.iter().filter(|(_, value)| !value.is_undef()) {
                scope.set(name, value.clone());
            }
            for &id in ids {
                let parameter = parameter(env.program, id);
                match (given(parameter.name), parameter.default) {
                    (Some(value), _) if !value.is_undef() => {}
                    (_, Some(expr)) => {
                        let value = self.default_value(&scope, env, parameter.name, expr)?;
                        scope.set(parameter.name, value);
                    }
                    (Some(_), None) => scope.set(parameter.name, Value::Undef),
                    (None, None) => {}
                }
            }
            arguments = scope.into_assigned();
        }
        let structure = self.parameter_struct(env, ids)?;
        let returned = |deferred: &Value| self.context.deferred_type(self, deferred);
        mismatch::validate_parameters(closure.name(), &structure, &arguments, false, &returned)?;
        let result = env.scope.with_local(arguments, || self.eval_optional(env, body))?;
        let value = end_block(result)?;
        if let Some(return_type) = return_type
            && let Value::Type(returns) = self.eval(env, return_type)?
            && !returns.check_instance_with(&value, &self.usage)?
        {
            let subject = format!("value returned from {} has wrong type,", closure.name());
            return Err(Error::plain(mismatch::describe(&subject, &returns, &Type::infer_set(&value))).into());
        }
        Ok(value)
    }

    fn parameter_struct(&self, env: Env<'_>, parameters: &[NodeId]) -> Evaluated<Type> {
        let member = |&id: &NodeId| {
            let parameter = parameter(env.program, id);
            let (value, _) = self.parameter_type(env, parameter)?;
            let key = Type::string_value(parameter.name);
            let key = if parameter.default.is_some() { Type::optional(key) } else { key };
            Ok(StructMember { name: parameter.name.into(), key, value })
        };
        Ok(Type::structure(parameters.iter().map(member).collect::<Evaluated<Members>>()?))
    }

    /// The type of a parameter's arguments and how many it takes.
    fn parameter_type(&self, env: Env<'_>, parameter: Parameter<'_>) -> Evaluated<(Type, IntRange)> {
        let of = match parameter.type_expr {
            Some(expr) => match self.eval(env, expr)? {
                Value::Type(of) => of,
                _ => {
                    return Err(env.fail(
                        expr,
                        issues::illegal_expression(env.program.label(expr), "type", "Parameter Definition"),
                    ));
                }
            },
            None => Type::any(),
        };
        Ok(match (parameter.captures_rest, of.kind()) {
            (true, TypeKind::Array { element, size }) => {
                let element = element.clone().unwrap_or_else(Type::any);
                let size = size.unwrap_or_default();
                (element, IntRange { from: Some(size.from.unwrap_or(0)), to: size.to })
            }
            (true, _) => (of, IntRange { from: Some(0), to: None }),
            (false, _) => (of, IntRange { from: Some(i64::from(parameter.default.is_none())), to: Some(1) }),
        })
    }

    /// The types of a closure, evaluated in the scope around it when first asked for.
    #[inline]
    pub(super) fn closure_type<'c>(&self, closure: &'c Closure) -> Evaluated<&'c ClosureType> {
        match closure.types.get() {
            Some(known) => Ok(known),
            None => self.find_closure_type(closure),
        }
    }

    fn find_closure_type<'c>(&self, closure: &'c Closure) -> Evaluated<&'c ClosureType> {
        let slot = closure_slot(&closure.program, closure.node);
        if let Some(known) = slot.and_then(|slot| slot.get()) {
            return Ok(closure.types.get_or_init(|| Arc::clone(known)));
        }
        let (parameters, _, return_type) = closure.parts();
        let ids = closure.program.list(parameters);
        let varies = |expr: Option<NodeId>| expr.is_some_and(|expr| !is_constant(&closure.program, expr));
        let typed = |&id: &NodeId| varies(parameter(&closure.program, id).type_expr);
        let is_constant = !varies(return_type) && !ids.iter().any(typed);
        // Types of modules are the same in one compilation, in which their files may log something.
        let is_function = !matches!(closure.program.node(closure.node), Node::LambdaExpression { .. });
        if is_function && let Some(known) = self.closure_types.borrow().get(&closure.program, closure.node) {
            return Ok(closure.types.get_or_init(|| Arc::clone(known)));
        }
        let made = Arc::new(self.make_closure_type(closure, ids, return_type)?);
        match slot.filter(|_| is_constant) {
            Some(slot) => drop(slot.set(Arc::clone(&made))),
            None if is_function => {
                let mut known = self.closure_types.borrow_mut();
                known.insert(&closure.program, closure.node, Arc::clone(&made));
            }
            None => {}
        }
        Ok(closure.types.get_or_init(|| made))
    }

    fn make_closure_type(
        &self,
        closure: &Closure,
        ids: &[NodeId],
        return_type: Option<NodeId>,
    ) -> Evaluated<ClosureType> {
        let env = closure.env();
        let (mut types, mut parameter_names) = (Vec::new(), Vec::new());
        let (mut from, mut to, mut captures_rest) = (0, Some(0), false);
        let mut optional = false;
        for &id in ids {
            let parameter = parameter(env.program, id);
            let (of, range) = self.parameter_type(env, parameter)?;
            types.push(of);
            parameter_names.push(Str::from(parameter.name));
            captures_rest = parameter.captures_rest;
            match range.from {
                Some(0) => optional = true,
                _ if optional => {
                    return Err(env.fail(id, issues::required_parameter_after_optional(parameter.name)));
                }
                _ => {}
            }
            from = range.from.unwrap_or(0).saturating_add(from);
            to = to.zip(range.to).map(|(sum, more): (i64, i64)| sum.saturating_add(more));
        }
        let returns = match return_type {
            Some(expr) => match self.eval(env, expr)? {
                Value::Type(of) => Some(of),
                _ => None,
            },
            None => None,
        };
        let is_each_one = |&id: &NodeId| {
            let parameter = parameter(env.program, id);
            !parameter.captures_rest && check_name(parameter.name).is_ok()
        };
        let takes_each_one = ids.iter().all(is_each_one);
        let defaults: Vec<NodeId> = ids.iter().filter_map(|&id| parameter(env.program, id).default).collect();
        let is_plain = takes_each_one && defaults.is_empty();
        let are_literals = takes_each_one && defaults.iter().all(|&of| is_literal(env.program.node(of)));
        let is_untyped = types.iter().all(|of| matches!(of.kind(), TypeKind::Any));
        let range = IntRange { from: Some(from), to };
        let parameters = Type::tuple(types.clone(), Some(range));
        let callable =
            Type::callable(Some(parameters), None, Some(returns.clone().unwrap_or_else(Type::any)));
        let signature = Signature { callable, parameter_names, block_name: None, captures_rest };
        let marks = signature.parameter_names.iter().map(|name| Mark::of_variable(name)).collect();
        let (_, body, _) = closure.parts();
        last_use::note(env.program, &signature.parameter_names, body);
        let defaults = are_literals.then(|| defaults.into_boxed_slice());
        Ok(ClosureType { types, range, returns, signature, is_plain, defaults, is_untyped, marks, body })
    }
}

impl ClosureType {
    /// The arguments of plain parameters, if there are enough; further ones are omitted.
    fn plain_arguments<'v>(&self, arguments: &'v [Value]) -> Option<&'v [Value]> {
        if self.is_plain { arguments.get(..self.types.len()) } else { None }
    }

    /// Whether arguments fit.
    ///
    /// # Errors
    /// The fuel runs out, or the work is cancelled.
    pub fn accepts(&self, arguments: &[Value], fuel: &dyn Fuel) -> Result<bool, Error> {
        self.accepts_each(arguments.len(), arguments.iter(), fuel)
    }

    fn accepts_each<'v>(
        &self,
        count: usize,
        arguments: impl Iterator<Item = &'v Value>,
        fuel: &dyn Fuel,
    ) -> Result<bool, Error> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if count < self.range.from.unwrap_or(0) || self.range.to.is_some_and(|to| count > to) {
            return Ok(false);
        }
        if self.is_untyped {
            return Ok(true);
        }
        all_fit(&self.types, arguments, fuel)
    }

    fn accepts_bindings(
        &self,
        bindings: &[(Str, Value)],
        closure: &Closure,
        fuel: &dyn Fuel,
    ) -> Result<bool, Error> {
        if self.signature.captures_rest {
            let flat = flat_bindings(bindings, closure);
            return self.accepts_each(flat.len(), flat.iter(), fuel);
        }
        self.accepts_each(bindings.len(), bindings.iter().map(|(_, value)| value), fuel)
    }
}

/// The failure of a call with arguments that do not fit.
#[cold]
fn refuse(closure: &Closure, types: &ClosureType, arguments: &[Value]) -> Unwind {
    let actual = Type::of_arguments(arguments, None);
    let message = mismatch::describe_signatures(closure.name(), &[&types.signature], &actual);
    Error::argument(message).into()
}

/// The values of bindings in turn, those of the parameter that takes the rest one by one.
fn flat_bindings(bindings: &[(Str, Value)], closure: &Closure) -> Vec<Value> {
    let mut values = Vec::with_capacity(bindings.len());
    for (&id, (_, value)) in closure.parameters().iter().zip(bindings) {
        match value {
            Value::Array(rest) if parameter(&closure.program, id).captures_rest => {
                values.extend(rest.iter().cloned());
            }
            value => values.push(value.clone()),
        }
    }
    values
}

/// `next(value)` ends a block with that value.
#[inline]
pub(super) fn end_block(result: Evaluated) -> Evaluated {
    match result {
        Err(Unwind::Next(jump)) => Ok(jump.value),
        result => result,
    }
}
