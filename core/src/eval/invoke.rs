//! Calls: `name(…)`, `receiver.name(…)`, `Type(…)`, and how a function is found and its signature chosen.
//!
//! Follows `call_function` and its like of the reference's `pops/evaluator/runtime3_support.rb`, the dispatch of
//! `pops/functions/`, and `parser/functions.rb` for functions of the 3.x API.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;

use super::closure::end_block;
use super::evaluator::Here;
use super::{BuiltIn, Call, Closure, Evaluated, Evaluator, Scope, Signature, Site, Unwind};
use crate::diagnostic::{Error, Frame, LogEntry, LogLevel, issues};
use crate::host::{ForeignCall, ForeignFunction};
use crate::loader::{Definition, Module};
use crate::pcore::Value;
use crate::pcore::format::to_s;
use crate::pcore::types::{AliasType, Type, TypeKind, TypeLoader, mismatch};
use crate::pcore::value::Timestamp;
use crate::ruby::function::Function;
use crate::source::Location;
use crate::syntax::ast::{List, Node, NodeId};

impl<'e> Evaluator<'e> {
    pub(super) fn named_call(
        &self,
        here: Here<'_>,
        id: NodeId,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) -> Evaluated {
        match *here.node(functor) {
            Node::QualifiedName { value } => {
                let mut given = Arguments::new();
                self.arguments(here, &mut given, arguments)?;
                self.call_here(here, id, here.program.text(value), &given, lambda)
            }
            Node::QualifiedReference { .. } => self.instantiation(here, id, functor, arguments, lambda),
            Node::AccessExpression { left_expr, .. }
                if matches!(here.node(left_expr), Node::QualifiedReference { .. }) =>
            {
                self.instantiation(here, id, functor, arguments, lambda)
            }
            Node::RenderStringExpression { .. } => Err(issues::illegal_epp_parameters().into()),
            _ => {
                let (label, container) = (here.program.label(functor), here.program.label(id));
                Err(here.fail(functor, issues::illegal_expression(label, "function name", container)))
            }
        }
    }

    /// `Type(…)` is `new(Type, …)`.
    fn instantiation(
        &self,
        here: Here<'_>,
        id: NodeId,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) -> Evaluated {
        let of = self.eval(here, functor)?;
        let mut given = Arguments::from_iter([of]);
        self.arguments(here, &mut given, arguments)?;
        self.call_here(here, id, "new", &given, lambda)
    }

    /// The arguments of a call, those of `*expr` taken apart, behind those that are there.
    fn arguments(&self, here: Here<'_>, arguments: &mut Arguments, expressions: List) -> Evaluated<()> {
        for &expression in here.list(expressions) {
            match *here.node(expression) {
                Node::UnfoldExpression { .. } | Node::ParenthesizedExpression { .. } => {
                    arguments.extend(self.unfolded(here, expression)?);
                }
                _ => arguments.push(self.eval(here, expression)?),
            }
        }
        Ok(())
    }

    pub(super) fn method_call(
        &self,
        here: Here<'_>,
        id: NodeId,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) -> Evaluated {
        let illegal = |feature| {
            let (label, container) = (here.program.label(functor), here.program.label(id));
            here.fail(functor, issues::illegal_expression(label, feature, container))
        };
        let Node::NamedAccessExpression { left_expr, right_expr } = *here.node(functor) else {
            return Err(illegal("function accessor"));
        };
        let mut receiver = match here.node(left_expr) {
            Node::UnfoldExpression { .. } | Node::ParenthesizedExpression { .. } => {
                self.unfolded(here, left_expr)?.into()
            }
            _ => Arguments::from_iter([self.eval(here, left_expr)?]),
        };
        let Node::QualifiedName { value: name } = *here.node(right_expr) else {
            return Err(illegal("function name"));
        };
        let name = here.program.text(name);
        if let Some(object @ (Value::Object(_) | Value::Uri(_))) = receiver.first() {
            let evaluated = || self.unfold(here, arguments);
            if is_native(object) {
                let arguments = evaluated()?;
                let block = lambda
                    .map(|lambda| Closure::new(Arc::clone(here.program), lambda, Rc::clone(here.scope)));
                let block_type = block.as_ref().map(|block| self.closure_type(block)).transpose()?;
                let block_type = block_type.map(|block| &block.signature.callable);
                super::member::check(object, name, &arguments, block_type)?;
                if let Some(result) = self.context.call_member(self, object, name, &arguments, block.as_ref())
                {
                    return result;
                }
            }
            let arguments = evaluated;
            if let Some(value) = super::member::invoke(object, name, arguments)? {
                return Ok(value);
            }
        }
        self.arguments(here, &mut receiver, arguments)?;
        self.call_here(here, id, name, &receiver, lambda)
    }

    fn call_here(
        &self,
        here: Here<'_>,
        id: NodeId,
        name: &str,
        arguments: &[Value],
        lambda: Option<NodeId>,
    ) -> Evaluated {
        let block =
            lambda.map(|lambda| Closure::new(Arc::clone(here.program), lambda, Rc::clone(here.scope)));
        if let Some(recorder) = self.recorder {
            recorder.calling(here, id);
        }
        let site = Site::Node(here.program, id);
        let unknown = |name: &str| issues::unknown_function(name).into();
        self.call_known(here.scope, name, arguments, block.as_ref(), site, unknown)
    }

    /// Calls a function by name as code outside of the language does (`call()`, Deferred, functions that call others).
    ///
    /// # Errors
    /// An unknown function, arguments that do not fit, and what the function fails with.
    pub fn call_external(
        &self,
        scope: &Rc<Scope>,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
    ) -> Evaluated {
        let unknown = |name: &str| Error::argument(format!("Unknown function '{name}'")).into();
        self.call_known(scope, name, arguments, block, site, unknown)
    }

    /// Whether there is a function of this name: `defined`, and the loaders of Hiera.
    ///
    /// # Errors
    /// A file that should define it cannot be loaded.
    pub fn has_function(&self, name: &str) -> Evaluated<bool> {
        Ok(self.built_in(name)?.is_some()
            || self.environment.find_function(name, self.journal)?.is_some()
            || self.foreign_function(name)?.is_some()
            || self.module_function_file(name).is_some())
    }

    /// A function that is built in. One that stands in for the Ruby of a module is known only where the module has it
    /// and the host has not.
    fn built_in(&self, name: &str) -> Result<Option<&'static BuiltIn>, Error> {
        let Some(function) = self.functions.get(name) else { return Ok(None) };
        let Some(module) = function.module else { return Ok(Some(function)) };
        let known = self.stand_ins.borrow().get(function.name).copied();
        let is_known = match known {
            Some(is_known) => is_known,
            None => {
                let is_known = self.stands_in(module, name)?;
                self.stand_ins.borrow_mut().insert(function.name, is_known);
                is_known
            }
        };
        Ok(is_known.then_some(function))
    }

    /// Whether a module has a function in Ruby that the host does not bring.
    fn stands_in(&self, module: &str, name: &str) -> Result<bool, Error> {
        let Some(module) = self.environment.find_module(module) else { return Ok(false) };
        let path = name.replace("::", "/");
        let has_file = |folder: &str| {
            let file = module.file(&format!("lib/puppet/{folder}/{path}.rb"));
            self.environment.host.info(&file).is_some()
        };
        let is_there = has_file("functions") || has_file("parser/functions");
        Ok(is_there && self.foreign_function(name)?.is_none())
    }

    /// A function of the host, with its signatures; asked for once.
    fn foreign_function(&self, name: &str) -> Result<Option<Rc<Foreign>>, Error> {
        if let Some(known) = self.foreign.borrow().get(name) {
            return Ok(known.clone());
        }
        let environment = self.environment;
        let module = name.split_once("::").and_then(|(module, _)| environment.find_module(module));
        let found = environment.host.foreign_function(name, module.map(|module| module.path.as_str()))?;
        let found = match found {
            Some(function) => Some(Rc::new(Foreign::new(function, self)?)),
            None => None,
        };
        self.foreign.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    /// The file of a module that defines a function of the 4.x API in Ruby.
    fn module_function_file(&self, name: &str) -> Option<String> {
        let environment = self.environment;
        let path = format!("lib/puppet/functions/{}.rb", name.replace("::", "/"));
        let is_there = |module: &Module| {
            let file = module.file(&path);
            environment.host.info(&file).is_some().then_some(file)
        };
        match name.split_once("::") {
            Some((module, _)) => environment.find_module(module).and_then(is_there),
            None => environment.modules().iter().find_map(is_there),
        }
    }

    /// A function that a module defines in Ruby, run by the Ruby that is built in.
    fn module_function(&self, name: &str) -> Result<Option<Rc<Foreign>>, Error> {
        let environment = self.environment;
        let Some(file) = self.module_function_file(name) else { return Ok(None) };
        let loaded = environment.data.get(&format!("function:{name}"), || {
            let bytes = environment.host.read(&file).map_err(|error| Error::plain(error.to_string()))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Function::load(name, &file, &text).map(Arc::new)
        });
        match &*loaded {
            Ok(function) => {
                let function = Arc::clone(function) as Arc<dyn ForeignFunction>;
                Ok(Some(Rc::new(Foreign::new(function, self)?)))
            }
            Err(error) => Err(error.clone()),
        }
    }

    /// Calls the function of a name; `unknown` words the failure when there is no such function.
    fn call_known(
        &self,
        scope: &Rc<Scope>,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
        unknown: impl FnOnce(&str) -> Unwind,
    ) -> Evaluated {
        let result = match self.callee(scope, name) {
            Ok(Some(Callee::Puppet(function))) => self.call_puppet_function(&function, arguments, block),
            Ok(Some(Callee::BuiltIn(function, signatures))) => {
                self.call_built_in(function, signatures, scope, arguments, block, site)
            }
            Ok(Some(Callee::Legacy(function))) => self.call_legacy(function, scope, arguments, block, site),
            Ok(Some(Callee::Foreign(function))) => {
                self.call_foreign(&function, name, scope, arguments, block, site)
            }
            Ok(None) => return Err(unknown(name)),
            Err(unwind) => Err(unwind),
        };
        match result {
            Err(Unwind::Error(mut error)) => {
                error.stack.push(Frame { name: name.to_owned(), location: site.location() });
                Err(Unwind::Error(error))
            }
            result => result,
        }
    }

    /// What a function's name stands for. Found out once, and again when manifests have brought more functions.
    fn callee(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Option<Callee<'e>>> {
        let loaded = self.journal.function_count();
        {
            let (known_at, callees) = &*self.callees.borrow();
            if *known_at == loaded
                && let Some(callee) = callees.get(name)
            {
                return Ok(Some(callee.clone()));
            }
        }
        let Some(callee) = self.find_callee(scope, name)? else { return Ok(None) };
        let loaded = self.journal.function_count();
        let (known_at, callees) = &mut *self.callees.borrow_mut();
        if *known_at != loaded {
            *known_at = loaded;
            callees.retain(|_, callee| matches!(callee, Callee::Puppet(_)));
        }
        callees.insert(name.into(), callee.clone());
        Ok(Some(callee))
    }

    fn find_callee(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Option<Callee<'e>>> {
        let puppet = |definition: &Definition| {
            let top = Rc::clone(Scope::top_of(scope));
            Callee::Puppet(Rc::new(Closure::new(Arc::clone(&definition.program), definition.node, top)))
        };
        if let Some(definition) = self.environment.loaded_function(name, self.journal) {
            return Ok(Some(puppet(&definition)));
        }
        let built_in = self.built_in(name)?;
        if let Some(function) = built_in.filter(|function| function.legacy.is_none()) {
            let types = LocalTypes { evaluator: self, function, aliases: RefCell::default() };
            let signatures = self.functions.signatures(function.name, |_, text| Type::parse(text, &types))?;
            return Ok(Some(Callee::BuiltIn(function, signatures)));
        }
        if let Some(definition) = self.environment.find_function(name, self.journal)? {
            return Ok(Some(puppet(&definition)));
        }
        if let Some(function) = self.foreign_function(name)? {
            return Ok(Some(Callee::Foreign(function)));
        }
        if let Some(function) = built_in {
            return Ok(Some(Callee::Legacy(function)));
        }
        Ok(self.module_function(name)?.map(Callee::Foreign))
    }

    fn call_built_in(
        &self,
        function: &'static BuiltIn,
        signatures: &[Signature],
        scope: &Rc<Scope>,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
    ) -> Evaluated {
        let call = Call { evaluator: self, scope, name: function.name, arguments, block, site };
        let block_type = block.map(|block| self.closure_type(block)).transpose()?;
        let block_type = block_type.map(|block| &block.signature.callable);
        let fits = |signature: &Signature| accepts(signature, arguments, block_type);
        let chosen = function.dispatches.iter().zip(signatures).find(|(_, signature)| fits(signature));
        if let Some((dispatch, _)) = chosen {
            // `next()` ends the block around it, and not its own call.
            let result = (dispatch.body)(&call);
            return if function.name == "next" { result } else { end_block(result) };
        }
        let (own, others) = signatures.split_at(function.dispatches.len().min(signatures.len()));
        if let Some((mismatch, _)) =
            function.mismatches.iter().zip(others).find(|(_, signature)| fits(signature))
        {
            let message = (mismatch.body)(&call)?;
            let message = to_s(&message);
            return Err(Error::argument(format!("'{}' {message}", function.name)).into());
        }
        let actual = Type::of_arguments(arguments, block_type);
        let own: Vec<&Signature> = own.iter().collect();
        Err(Error::argument(mismatch::describe_signatures(function.name, &own, &actual)).into())
    }

    fn call_legacy(
        &self,
        function: &'static BuiltIn,
        scope: &Rc<Scope>,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
    ) -> Evaluated {
        let name = function.name;
        let (Some(legacy), Some(dispatch)) = (function.legacy, function.dispatches.first()) else {
            return Err(Error::internal(format!("{name}() has no body")).into());
        };
        let arguments =
            arguments.iter().map(|argument| to_legacy(argument, 0)).collect::<Result<Vec<_>, _>>()?;
        let count = arguments.len();
        let expected = legacy.arity;
        if let Ok(wanted) = usize::try_from(expected) {
            if count != wanted {
                return Err(Error::argument(format!(
                    "{name}(): Wrong number of arguments given ({count} for {wanted})"
                ))
                .into());
            }
        } else {
            let least = (expected + 1).unsigned_abs() as usize;
            if count < least {
                return Err(Error::argument(format!(
                    "{name}(): Wrong number of arguments given ({count} for minimum {least})"
                ))
                .into());
            }
        }
        let call = Call { evaluator: self, scope, name, arguments: &arguments, block, site };
        let result = (dispatch.body)(&call)?;
        Ok(if legacy.is_rvalue { result } else { Value::Undef })
    }

    fn call_foreign(
        &self,
        foreign: &Foreign,
        name: &str,
        scope: &Rc<Scope>,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
    ) -> Evaluated {
        let block_type = block.map(|block| self.closure_type(block)).transpose()?;
        let block_type = block_type.map(|block| &block.signature.callable);
        let mut signatures = foreign.signatures.iter();
        let Some(chosen) = signatures.position(|signature| accepts(signature, arguments, block_type)) else {
            let actual = Type::of_arguments(arguments, block_type);
            let signatures: Vec<&Signature> = foreign.signatures.iter().collect();
            return Err(Error::argument(mismatch::describe_signatures(name, &signatures, &actual)).into());
        };
        let call = ForeignCaller { evaluator: self, scope, block, site, unwind: RefCell::new(None) };
        let result = foreign.function.call(chosen, arguments, &call);
        // What left a block goes on, when the host passed it on; the host may as well have made something else of it.
        match (result, call.unwind.take()) {
            (Ok(value), _) => Ok(value),
            (Err(error), Some((passed, unwind))) if error.tells_the_same(&passed) => end_block(Err(unwind)),
            (Err(error), _) => Err(error.into()),
        }
    }

    /// What templates and functions of the host see of a call.
    pub fn foreign_caller<'a>(&'a self, scope: &'a Rc<Scope>, site: Site<'a>) -> impl ForeignCall + 'a {
        ForeignCaller { evaluator: self, scope, block: None, site, unwind: RefCell::new(None) }
    }
}

impl TypeLoader for Evaluator<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        self.environment.find_type(name, self.journal)
    }
}

/// The arguments of a call; few calls have more.
type Arguments = SmallVec<[Value; 4]>;

/// What a function's name stands for in one compilation.
#[derive(Clone)]
pub(super) enum Callee<'e> {
    /// A function written in Puppet.
    Puppet(Rc<Closure>),
    /// A function that is built in.
    BuiltIn(&'static BuiltIn, &'e [Signature]),
    /// One of the 3.x API.
    Legacy(&'static BuiltIn),
    /// A function of the host.
    Foreign(Rc<Foreign>),
}

/// Whether the functions of an object are part of the library.
fn is_native(object: &Value) -> bool {
    matches!(object, Value::Object(object) if object.object_type.name == "Puppet::LookupContext")
}

/// The types that signatures of one built-in function know. Its own aliases may refer to each other and to themselves.
struct LocalTypes<'a, 'e> {
    evaluator: &'a Evaluator<'e>,
    function: &'static BuiltIn,
    aliases: RefCell<Vec<Arc<AliasType>>>,
}

impl TypeLoader for LocalTypes<'_, '_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        let is_meant = |alias: &&Arc<AliasType>| alias.name.eq_ignore_ascii_case(name);
        if let Some(alias) = self.aliases.borrow().iter().find(is_meant) {
            return Ok(Some(TypeKind::Alias(Arc::clone(alias)).into()));
        }
        let mut locals = self.function.local_types.iter().filter_map(|local| local.split_once('='));
        let Some((name, text)) = locals.find(|(local, _)| local.trim().eq_ignore_ascii_case(name)) else {
            return self.evaluator.load_type(name);
        };
        let alias = Arc::new(AliasType::unresolved(name.trim()));
        self.aliases.borrow_mut().push(Arc::clone(&alias));
        let target = Type::parse(text.trim(), self)?;
        alias.target.get_or_init(|| target.normalize());
        Ok(Some(TypeKind::Alias(alias).into()))
    }
}

/// Whether arguments and a block fit a signature.
fn accepts(signature: &Signature, arguments: &[Value], block: Option<&Type>) -> bool {
    let TypeKind::Callable(callable) = signature.callable.kind() else { return false };
    if let Some(TypeKind::Tuple { types, size }) = callable.parameters.as_ref().map(Type::kind) {
        let range = Type::tuple_size(types, *size);
        if !range.includes_size(arguments.len()) {
            return false;
        }
        let mut types = types.iter();
        let mut current = None;
        let fits = arguments.iter().all(|argument| {
            current = types.next().or(current);
            current.is_none_or(|of: &Type| of.is_instance(argument))
        });
        if !fits {
            return false;
        }
    }
    match (&callable.block, block) {
        (None, block) => block.is_none(),
        (Some(wanted), Some(block)) => wanted.is_assignable(block),
        (Some(wanted), None) => wanted.is_instance(&Value::Undef),
    }
}

/// How deep values may be nested that functions of the 3.x API get.
const DEEPEST: u32 = 1000;

/// A value as functions of the 3.x API get it: texts for what that API does not know, and `''` for `undef` that stands
/// alone.
fn to_legacy(value: &Value, depth: u32) -> Result<Value, Error> {
    if depth > DEEPEST {
        return Err(Error::limit("a value is nested too deeply"));
    }
    let inner = |value: &Value| to_legacy(value, depth + 1);
    let text = |value: &Value| Value::from(crate::pcore::convert::string::to_string(value));
    Ok(match value {
        Value::Undef if depth == 0 => Value::from(""),
        Value::Array(values) => Value::from(values.iter().map(inner).collect::<Result<Vec<_>, _>>()?),
        Value::Hash(hash) => {
            let entries = hash.iter().map(|(key, value)| Ok((inner(key)?, inner(value)?)));
            Value::from(entries.collect::<Result<crate::pcore::Hash, Error>>()?)
        }
        Value::Iterator(_) => return Err(Error::plain("Use of an Iterator is not supported here")),
        Value::Regexp(_)
        | Value::SemVer(_)
        | Value::SemVerRange(_)
        | Value::Binary(_)
        | Value::Timespan(_)
        | Value::Timestamp(_) => text(value),
        other => other.clone(),
    })
}

/// A function of the host.
pub(super) struct Foreign {
    function: Arc<dyn ForeignFunction>,
    signatures: Vec<Signature>,
}

impl Foreign {
    fn new(function: Arc<dyn ForeignFunction>, types: &dyn TypeLoader) -> Result<Self, Error> {
        let parsed = function.signatures().into_iter().map(|text| {
            let callable = Type::parse(&text, types)?;
            let TypeKind::Callable(parts) = callable.kind() else {
                return Err(Error::argument(format!(
                    "a signature of a function must be a Callable, got {text}"
                )));
            };
            let count = match parts.parameters.as_ref().map(Type::kind) {
                Some(TypeKind::Tuple { types, .. }) => types.len(),
                _ => 0,
            };
            let parameter_names = (1..=count).map(|index| format!("p{index}").into()).collect();
            Ok(Signature { callable, parameter_names, block_name: None, captures_rest: false })
        });
        let signatures = parsed.collect::<Result<_, _>>()?;
        Ok(Self { function, signatures })
    }
}

/// A call of a function of the host in progress.
struct ForeignCaller<'a, 'e> {
    evaluator: &'a Evaluator<'e>,
    scope: &'a Rc<Scope>,
    block: Option<&'a Closure>,
    site: Site<'a>,
    /// What left a block early, as the host was told and as it goes on behind the host.
    unwind: RefCell<Option<(Error, Unwind)>>,
}

impl ForeignCaller<'_, '_> {
    fn through_host(&self, result: Evaluated) -> Result<Value, Error> {
        result.map_err(|unwind| {
            let error = unwind.clone().into_error();
            *self.unwind.borrow_mut() = Some((error.clone(), unwind));
            error
        })
    }
}

impl ForeignCall for ForeignCaller<'_, '_> {
    fn has_block(&self) -> bool {
        self.block.is_some()
    }

    fn call_block(&self, arguments: &[Value]) -> Result<Value, Error> {
        match self.block {
            Some(block) => self.through_host(self.evaluator.call_closure(block, arguments)),
            None => Err(Error::argument("no block given (yield)")),
        }
    }

    fn call_function(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.through_host(self.evaluator.call_external(self.scope, name, arguments, None, self.site))
    }

    fn step(&self) -> Result<(), Error> {
        self.evaluator.usage.step().map_err(|error| *error)
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        self.evaluator.usage.check_size(bytes)
    }

    fn now(&self) -> Timestamp {
        self.evaluator.environment.host.now()
    }

    fn log(&self, level: LogLevel, message: String) {
        self.evaluator.journal.log(LogEntry {
            level,
            message,
            source: "Puppet".into(),
            location: Location::default(),
            issue: None,
        });
    }

    fn variable(&self, name: &str) -> Option<Value> {
        match self.evaluator.find_variable(self.scope, name) {
            Ok(super::variable::Variable::Known(value)) => Some(value),
            _ => None,
        }
    }

    fn variables(&self) -> Vec<(String, Value)> {
        let variables = self.scope.to_variables().into_iter();
        variables.map(|(name, value)| (name.to_string(), value)).collect()
    }
}
