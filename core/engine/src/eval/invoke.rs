//! Calls: `name(…)`, `receiver.name(…)`, `Type(…)`, and how a function is found and its signature chosen.
//!
//! Follows `call_function` and its like of the reference's `pops/evaluator/runtime3_support.rb`, the dispatch
//! of `pops/functions/`, and `parser/functions.rb` for functions of the 3.x API.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::closure::end_block;
use super::evaluator::Env;
use super::foreign::Foreign;
use super::{BuiltIn, Call, Closure, Evaluated, Evaluator, Legacy, Scope, Signature, Site, Unwind};
use crate::loader::Definition;
use bunraku_pcore::format::{outside_of_range, to_s};
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::types::{AliasType, Type, TypeKind, TypeLoader, mismatch};
use bunraku_pcore::{Str, Value};
use bunraku_syntax::ast::{List, Node, NodeId, Program};
use bunraku_syntax::diagnostic::{Error, Frame, issues};
use bunraku_syntax::source::Location;
use bunraku_syntax::watch::Check;

impl<'e> Evaluator<'e> {
    pub(super) fn named_call(
        &self,
        env: Env<'_>,
        id: NodeId,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) -> Evaluated {
        match *env.node(functor) {
            Node::QualifiedName { value } => {
                let mut given = Arguments::new();
                self.arguments(env, &mut given, arguments)?;
                self.call_here(env, id, env.program.text(value), &given, lambda)
            }
            Node::QualifiedReference { .. } => self.instantiation(env, id, functor, arguments, lambda),
            Node::AccessExpression { left_expr, .. }
                if matches!(env.node(left_expr), Node::QualifiedReference { .. }) =>
            {
                self.instantiation(env, id, functor, arguments, lambda)
            }
            Node::RenderStringExpression { .. } => Err(issues::illegal_epp_parameters().into()),
            _ => {
                let (label, container) = (env.program.label(functor), env.program.label(id));
                Err(env.fail(functor, issues::illegal_expression(label, "function name", container)))
            }
        }
    }

    /// `Type(…)` is `new(Type, …)`.
    fn instantiation(
        &self,
        env: Env<'_>,
        id: NodeId,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) -> Evaluated {
        let of = self.eval(env, functor)?;
        let mut given = Arguments::from_iter([of]);
        self.arguments(env, &mut given, arguments)?;
        self.call_here(env, id, "new", &given, lambda)
    }

    /// Appends the arguments of a call, with those of `*expr` expanded.
    fn arguments(&self, env: Env<'_>, arguments: &mut Arguments, expressions: List) -> Evaluated<()> {
        for &expression in env.list(expressions) {
            match *env.node(expression) {
                Node::UnfoldExpression { .. } | Node::ParenthesizedExpression { .. } => {
                    arguments.extend(self.unfolded(env, expression)?);
                }
                _ => arguments.push(self.eval(env, expression)?),
            }
        }
        Ok(())
    }

    pub(super) fn method_call(
        &self,
        env: Env<'_>,
        id: NodeId,
        functor: NodeId,
        arguments: List,
        lambda: Option<NodeId>,
    ) -> Evaluated {
        let illegal = |feature| {
            let (label, container) = (env.program.label(functor), env.program.label(id));
            env.fail(functor, issues::illegal_expression(label, feature, container))
        };
        let Node::NamedAccessExpression { left_expr, right_expr } = *env.node(functor) else {
            return Err(illegal("function accessor"));
        };
        let mut receiver = match env.node(left_expr) {
            Node::UnfoldExpression { .. } | Node::ParenthesizedExpression { .. } => {
                self.unfolded(env, left_expr)?.into()
            }
            _ => Arguments::from_iter([self.eval(env, left_expr)?]),
        };
        let Node::QualifiedName { value: name } = *env.node(right_expr) else {
            return Err(illegal("function name"));
        };
        let name = env.program.text(name);
        if let Some(object @ (Value::Object(_) | Value::Uri(_))) = receiver.first() {
            let evaluated = || self.unfold(env, arguments);
            if is_native(object) {
                let arguments = evaluated()?;
                let block =
                    lambda.map(|lambda| Closure::new(Arc::clone(env.program), lambda, Rc::clone(env.scope)));
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
        self.arguments(env, &mut receiver, arguments)?;
        self.call_here(env, id, name, &receiver, lambda)
    }

    fn call_here(
        &self,
        env: Env<'_>,
        id: NodeId,
        name: &str,
        arguments: &[Value],
        lambda: Option<NodeId>,
    ) -> Evaluated {
        let block = lambda.map(|lambda| Closure::new(Arc::clone(env.program), lambda, Rc::clone(env.scope)));
        if let Some(recorder) = self.recorder {
            recorder.calling(env, id);
        }
        let site = Site::Node(env.program, id);
        let unknown = |name: &str| issues::unknown_function(name).into();
        let callee = self.callee(env.scope, name);
        let may_call = block.is_some() || matches!(&callee, Ok(Some(callee)) if callee.may_call());
        if may_call {
            self.calls.borrow_mut().push((Arc::clone(env.program), Some(id)));
        }
        let result = self.call_known(callee, env.scope, name, arguments, block.as_ref(), site, unknown);
        if may_call {
            self.calls.borrow_mut().pop();
        }
        result
    }

    /// The places of the calls in progress around the one at `site`, innermost first.
    pub fn calls_around(&self, site: Site<'_>) -> Vec<Location> {
        let calls = self.calls.borrow();
        let mut around = calls.iter().rev().peekable();
        if let Site::Node(program, id) = site {
            around.next_if(|(other, node)| std::ptr::eq(&**other, program) && *node == Some(id));
        }
        let location = |(program, node): &(Arc<Program>, Option<NodeId>)| match node {
            Some(node) => Site::Node(program, *node).location(),
            None => Location { line: Some(0), column: None, ..program.location(program.body()) },
        };
        around.map(location).collect()
    }

    /// Calls a function by name as code outside of the language does (`call()`, Deferred, functions that call
    /// others).
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
        self.call_known(self.callee(scope, name), scope, name, arguments, block, site, unknown)
    }

    /// Whether calling this name finds a function: one of the loaders, or one of the 3.x API that only the
    /// old autoloader finds.
    ///
    /// # Errors
    /// A file that should define it cannot be loaded.
    pub fn can_call(&self, name: &str) -> Evaluated<bool> {
        Ok(self.has_function(name)? || self.autoloaded_function_file(name).is_some())
    }

    /// Whether the loaders find a function of this name.
    ///
    /// # Errors
    /// A file that should define it cannot be loaded.
    pub fn has_function(&self, name: &str) -> Evaluated<bool> {
        Ok(self.built_in(name)?.is_some()
            || self.environment.find_function(name, self.loaded)?.is_some()
            || self.foreign_function(name)?.is_some()
            || self.module_function_file(name).is_some())
    }

    /// The arguments of a function by its name, without calling it. `None` if the function does not exist.
    ///
    /// # Errors
    /// A file that should define it cannot be loaded.
    pub fn describe_function(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Option<FunctionDescription>> {
        Ok(match self.find_callee(scope, name)? {
            None => None,
            Some(Callee::Puppet(closure)) => {
                let signature = self.closure_type(&closure)?.signature.clone();
                Some(FunctionDescription { signatures: vec![signature], legacy: None })
            }
            Some(Callee::BuiltIn(function, signatures)) => {
                let own = signatures.iter().take(function.dispatches.len());
                Some(FunctionDescription { signatures: own.cloned().collect(), legacy: None })
            }
            Some(Callee::Legacy(function)) => {
                Some(FunctionDescription { signatures: Vec::new(), legacy: function.legacy })
            }
            Some(Callee::Foreign(foreign)) => Some(foreign.description()),
        })
    }

    /// All signatures of a function, those for wrong arguments included; `Some(None)` for one of the 3.x API,
    /// which has none, and `None` if the function does not exist.
    pub(super) fn signatures_of(
        &self,
        scope: &Rc<Scope>,
        name: &str,
    ) -> Result<Option<Option<Cow<'_, [Signature]>>>, Error> {
        Ok(match self.find_callee(scope, name).map_err(Unwind::into_error)? {
            None => None,
            Some(Callee::Puppet(closure)) => {
                let types = self.closure_type(&closure).map_err(Unwind::into_error)?;
                Some(Some(Cow::Owned(vec![types.signature.clone()])))
            }
            Some(Callee::BuiltIn(_, signatures)) => Some(Some(Cow::Borrowed(signatures))),
            Some(Callee::Legacy(_)) => Some(None),
            Some(Callee::Foreign(foreign)) => {
                Some(foreign.all_signatures().map(|all| Cow::Owned(all.to_vec())))
            }
        })
    }

    /// A built-in function. One that replaces a module's Ruby function is only known if the module has the
    /// function and the host does not provide it.
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

    /// Calls the function of a name; `unknown` makes the error if it does not exist.
    #[expect(clippy::too_many_arguments, reason = "what a call is, and how its failure is worded")]
    fn call_known(
        &self,
        callee: Evaluated<Option<Callee<'e>>>,
        scope: &Rc<Scope>,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
        site: Site<'_>,
        unknown: impl FnOnce(&str) -> Unwind,
    ) -> Evaluated {
        let result = match callee {
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

    /// The function of a name, cached until manifests have defined more functions.
    fn callee(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Option<Callee<'e>>> {
        if let Some(callee) = self.callees.borrow().get(name, self.loaded.function_count()) {
            return Ok(Some(callee.clone()));
        }
        let Some(callee) = self.find_callee(scope, name)? else { return Ok(None) };
        self.callees.borrow_mut().add(name, callee.clone(), self.loaded.function_count());
        Ok(Some(callee))
    }

    fn find_callee(&self, scope: &Rc<Scope>, name: &str) -> Evaluated<Option<Callee<'e>>> {
        let puppet = |definition: &Definition| {
            let top = Rc::clone(Scope::top_of(scope));
            Callee::Puppet(Rc::new(Closure::new(Arc::clone(&definition.program), definition.node, top)))
        };
        if let Some(definition) = self.environment.loaded_function(name, self.loaded) {
            return Ok(Some(puppet(&definition)));
        }
        let built_in = self.built_in(name)?;
        if let Some(function) = built_in.filter(|function| function.legacy.is_none()) {
            let types = LocalTypes::new(self, function.local_types);
            let signatures = self.functions.signatures(function.name, |_, text| Type::parse(text, &types))?;
            return Ok(Some(Callee::BuiltIn(function, signatures)));
        }
        if let Some(definition) = self.environment.find_function(name, self.loaded)? {
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
        if function.looks_only {
            let is_text = |value: &&Value| value.is_string();
            arguments.iter().filter(is_text).try_for_each(|text| self.usage.charge_value(text))?;
        } else {
            self.usage.charge_all(arguments)?;
        }
        let call = Call { evaluator: self, scope, name: function.name, arguments, block, site };
        let block_type = block.map(|block| self.closure_type(block)).transpose()?;
        let block_type = block_type.map(|block| &block.signature.callable);
        let mut chosen = None;
        for (dispatch, signature) in function.dispatches.iter().zip(signatures) {
            if accepts(signature, arguments, block_type, &self.usage)? {
                chosen = Some(dispatch);
                break;
            }
        }
        if let Some(dispatch) = chosen {
            // `next()` ends the block around it, and not its own call.
            let result = (dispatch.body)(&call);
            let result = if function.name == "next" { result } else { end_block(result) }?;
            if !function.looks_only {
                self.usage.charge_value(&result)?;
            }
            return Ok(result);
        }
        let (own, others) = signatures.split_at(function.dispatches.len().min(signatures.len()));
        for (mismatch, signature) in function.mismatches.iter().zip(others) {
            if !accepts(signature, arguments, block_type, &self.usage)? {
                continue;
            }
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
        self.usage.charge_all(arguments)?;
        let arguments = self.legacy_arguments(arguments)?;
        check_arity(name, legacy.arity, arguments.len())?;
        let call = Call { evaluator: self, scope, name, arguments: &arguments, block, site };
        let result = (dispatch.body)(&call)?;
        self.usage.charge_value(&result)?;
        Ok(if legacy.is_rvalue { result } else { Value::Undef })
    }
}

impl TypeLoader for Evaluator<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        self.environment.find_type(name, self.loaded)
    }

    fn end(&self) -> &dyn Check {
        &self.usage.ends
    }
}

/// The arguments of a call; few calls have more.
type Arguments = SmallVec<[Value; 4]>;

/// The functions by name.
#[derive(Default)]
pub(super) struct Callees<'e> {
    /// Functions of manifests, which nothing takes the place of.
    of_manifests: FxHashMap<Str, Callee<'e>>,
    /// All others: manifests that are loaded later may have functions of their names.
    others: FxHashMap<Str, Callee<'e>>,
    /// The number of functions from manifests when `others` were resolved.
    known_at: usize,
}

impl<'e> Callees<'e> {
    fn get(&self, name: &str, loaded: usize) -> Option<&Callee<'e>> {
        let others = (self.known_at == loaded).then_some(&self.others);
        self.of_manifests.get(name).or_else(|| others?.get(name))
    }

    fn add(&mut self, name: &str, callee: Callee<'e>, loaded: usize) {
        if self.known_at != loaded {
            self.known_at = loaded;
            self.others.clear();
        }
        let callees = match callee {
            Callee::Puppet(_) => &mut self.of_manifests,
            _ => &mut self.others,
        };
        callees.insert(name.into(), callee);
    }
}

/// The arguments of a function.
#[derive(Clone, Debug)]
pub struct FunctionDescription {
    /// Its signatures, tried in order; none of a function of the 3.x API.
    pub signatures: Vec<Signature>,
    /// Its declaration in the 3.x API.
    pub legacy: Option<Legacy>,
}

/// The function of a name in one compilation.
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

impl Callee<'_> {
    /// Whether more may be called in a call without a block.
    fn may_call(&self) -> bool {
        match self {
            Self::Puppet(_) | Self::Foreign(_) => true,
            Self::BuiltIn(function, _) | Self::Legacy(function) => function.may_call,
        }
    }
}

/// Whether the functions of an object are part of the library.
fn is_native(object: &Value) -> bool {
    matches!(object, Value::Object(object) if object.object_type.name == "Puppet::LookupContext")
}

/// The types that signatures of one function know. Its own aliases, each `Name = Type`, may refer to each
/// other and to themselves.
pub(super) struct LocalTypes<'a, 'e, T> {
    evaluator: &'a Evaluator<'e>,
    texts: &'a [T],
    aliases: RefCell<Vec<Arc<AliasType>>>,
}

impl<'a, 'e, T> LocalTypes<'a, 'e, T> {
    pub(super) fn new(evaluator: &'a Evaluator<'e>, texts: &'a [T]) -> Self {
        Self { evaluator, texts, aliases: RefCell::default() }
    }
}

impl<T: AsRef<str>> TypeLoader for LocalTypes<'_, '_, T> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        let is_meant = |alias: &&Arc<AliasType>| alias.name.eq_ignore_ascii_case(name);
        if let Some(alias) = self.aliases.borrow().iter().find(is_meant) {
            return Ok(Some(TypeKind::Alias(Arc::clone(alias)).into()));
        }
        let mut locals = self.texts.iter().filter_map(|local| local.as_ref().split_once('='));
        let Some((name, text)) = locals.find(|(local, _)| local.trim().eq_ignore_ascii_case(name)) else {
            return self.evaluator.load_type(name);
        };
        let alias = Arc::new(AliasType::unresolved(name.trim()));
        self.aliases.borrow_mut().push(Arc::clone(&alias));
        let target = Type::parse(text.trim(), self)?;
        alias.target.get_or_init(|| target.normalize());
        Ok(Some(TypeKind::Alias(alias).into()))
    }

    fn end(&self) -> &dyn Check {
        self.evaluator.end()
    }
}

/// Whether arguments and a block fit a signature.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub(super) fn accepts(
    signature: &Signature,
    arguments: &[Value],
    block: Option<&Type>,
    fuel: &dyn Fuel,
) -> Result<bool, Error> {
    let TypeKind::Callable(callable) = signature.callable.kind() else { return Ok(false) };
    if let Some(TypeKind::Tuple { types, size }) = callable.parameters.as_ref().map(Type::kind) {
        let range = Type::tuple_size(types, *size);
        if !range.includes_size(arguments.len()) {
            return Ok(false);
        }
        if !all_fit(types, arguments.iter(), fuel)? {
            return Ok(false);
        }
    }
    Ok(match (&callable.block, block) {
        (None, block) => block.is_none(),
        (Some(wanted), Some(block)) => wanted.is_assignable(block),
        (Some(wanted), None) => wanted.is_instance(&Value::Undef),
    })
}

/// Whether arguments are of the types of parameters; the last type is that of all further ones.
pub(super) fn all_fit<'v>(
    types: &[Type],
    arguments: impl Iterator<Item = &'v Value>,
    fuel: &dyn Fuel,
) -> Result<bool, Error> {
    let mut types = types.iter();
    let mut current = None;
    for argument in arguments {
        current = types.next().or(current);
        if let Some(of) = current
            && !of.check_instance_with(argument, fuel)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses a number of arguments that a function of the 3.x API does not take.
pub(super) fn check_arity(name: &str, arity: i32, count: usize) -> Result<(), Error> {
    let least = arity.saturating_add(1).unsigned_abs() as usize;
    match usize::try_from(arity) {
        Ok(wanted) if count != wanted => {
            Err(Error::argument(format!("{name}(): Wrong number of arguments given ({count} for {wanted})")))
        }
        Err(_) if count < least => Err(Error::argument(format!(
            "{name}(): Wrong number of arguments given ({count} for minimum {least})"
        ))),
        _ => Ok(()),
    }
}

/// The maximum nesting of values for functions of the 3.x API.
const MAX_DEPTH: u32 = 1000;

impl Evaluator<'_> {
    /// Arguments in the form of the 3.x API: texts for unknown values, references in their canonical form,
    /// and `''` for a top-level `undef`.
    pub(super) fn legacy_arguments(&self, arguments: &[Value]) -> Evaluated<Vec<Value>> {
        arguments.iter().map(|argument| self.to_legacy(argument, 0)).collect()
    }

    fn to_legacy(&self, value: &Value, depth: u32) -> Evaluated {
        if depth > MAX_DEPTH {
            return Err(Error::limit("a value is nested too deeply").into());
        }
        let inner = |value: &Value| self.to_legacy(value, depth + 1);
        let text = |value: &Value| Value::from(bunraku_pcore::convert::string::to_string(value));
        Ok(match value {
            Value::Undef if depth == 0 => Value::from(""),
            Value::Array(values) => Value::from(values.iter().map(inner).collect::<Evaluated<Vec<_>>>()?),
            Value::Hash(hash) => {
                let entries = hash.iter().map(|(key, value)| Ok((inner(key)?, inner(value)?)));
                Value::from(entries.collect::<Evaluated<bunraku_pcore::Hash>>()?)
            }
            Value::Iterator(_) => return Err(Error::plain("Use of an Iterator is not supported here").into()),
            Value::BigInteger(number) => return Err(outside_of_range(number).into()),
            Value::Type(of) => match of.kind() {
                TypeKind::Resource { is_reference: true, .. } => value.clone(),
                TypeKind::Class(_) | TypeKind::Resource { .. } | TypeKind::CatalogEntry => {
                    Value::Type(self.context.canonical_reference(self, of)?)
                }
                _ => value.clone(),
            },
            Value::Regexp(_) => Value::from(bunraku_pcore::ruby::inspect(value)),
            Value::SemVer(_)
            | Value::SemVerRange(_)
            | Value::Binary(_)
            | Value::Timespan(_)
            | Value::Timestamp(_) => text(value),
            other => other.clone(),
        })
    }
}
