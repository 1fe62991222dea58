//! Records the origins of values during an evaluation, on request.
//!
//! Values do not contain their origins. A [`Recorder`] only exists if a compilation records provenance. It
//! records the origin of every variable of a scope, and makes an [`Origin`] from the expression of an
//! attribute: its place, and the origins of its variables and lookups. Origins are shared, so each link of a
//! chain of assignments costs one origin.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::evaluator::Env;
use super::scope::Lookup;
use super::{Closure, Evaluator, NodeMap, Scope};
use bunraku_pcore::Value;
use bunraku_pcore::value::Str;
use bunraku_syntax::ast::nodes::FieldValue;
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::source::Location;

/// The maximum number of visited nodes of an expression.
const MAX_NODES: usize = 2_000;

/// The maximum number of recorded variables and calls of an expression.
const MAX_SOURCES: usize = 32;

/// The maximum number of recorded values of a variable's name in one scope: lambdas can bind one name
/// repeatedly.
const MAX_BINDINGS: usize = 16;

/// The source of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginKind {
    /// Data: automatic parameter lookup, or a call of `lookup`.
    Hiera,
    /// The default of a parameter of a class or defined type.
    Default,
    /// An attribute of a resource expression, or a function that declares resources.
    Expression,
    /// `* => hash` in a resource expression.
    Splat,
    /// `Type { attribute => … }` in a scope around the resource.
    ResourceDefault,
    /// `Type['title'] { … }`
    Override,
    /// `Type <| … |> { … }`
    Collector,
    /// The classifier.
    Enc,
    /// The title of the resource.
    Title,
    /// The container of the resource: metaparameters and stages are inherited.
    Container,
    /// An arrow between resources.
    Relationship,
    /// A resource that another node exports.
    Exported,
    /// An assignment.
    Variable,
    /// A fact of the node.
    Fact,
    /// The node's certificate.
    Trusted,
    /// A server fact.
    ServerFact,
    /// The parameter of a lambda.
    LambdaParameter,
    /// The parameter of a function written in Puppet.
    Argument,
    /// A function that was called.
    Function,
}

impl OriginKind {
    /// The word in data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hiera => "hiera",
            Self::Default => "default",
            Self::Expression => "expression",
            Self::Splat => "splat",
            Self::ResourceDefault => "resource_default",
            Self::Override => "override",
            Self::Collector => "collector",
            Self::Enc => "enc",
            Self::Title => "title",
            Self::Container => "container",
            Self::Relationship => "relationship",
            Self::Exported => "exported",
            Self::Variable => "variable",
            Self::Fact => "fact",
            Self::Trusted => "trusted",
            Self::ServerFact => "server_fact",
            Self::LambdaParameter => "lambda_parameter",
            Self::Argument => "argument",
            Self::Function => "function",
        }
    }
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The kind.
    pub kind: OriginKind,
    /// The place: of the attribute, the parameter, the assignment, the call, the key in the data file.
    pub location: Location,
    /// The function that was called.
    pub function: Option<Str>,
    /// The key in the data; the class for which the classifier gave the value; the node that exports.
    pub key: Option<Str>,
    /// The layer of the data: `global`, `environment` or `module`.
    pub layer: Option<&'static str>,
    /// The level of the hierarchy.
    pub level: Option<Str>,
    /// The merge strategy, when it is not the first value that counts.
    pub merge: Option<Str>,
    /// The merged data, highest priority first; or the original value and the appended ones.
    pub parts: Vec<Arc<Origin>>,
    /// The origins of the expression's variables and lookups, by their source text.
    pub sources: Vec<(Str, Arc<Origin>)>,
}

impl Origin {
    /// An origin of a kind at a place.
    pub const fn new(kind: OriginKind, location: Location) -> Self {
        Self {
            kind,
            location,
            function: None,
            key: None,
            layer: None,
            level: None,
            merge: None,
            parts: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// The result of `+>` with an existing value and an appended one.
    #[must_use]
    pub fn appended_to(self: Arc<Self>, before: Option<Arc<Origin>>) -> Arc<Self> {
        match before {
            Some(before) => Self::of_appended(before, vec![self]),
            None => self,
        }
    }

    /// The result of arrows with an existing value and appended ones, in order.
    #[must_use]
    pub fn of_appended(before: Arc<Self>, appended: Vec<Arc<Self>>) -> Arc<Self> {
        let Some(last) = appended.last().cloned() else { return before };
        let mut parts = if before.is_appended() { before.parts.clone() } else { vec![before] };
        parts.extend(appended);
        Arc::new(Self { parts, ..(*last).clone() })
    }

    /// Whether the parts were appended rather than merged.
    pub fn is_appended(&self) -> bool {
        self.merge.is_none() && !self.parts.is_empty()
    }
}

/// A value that a variable got.
#[derive(Debug)]
struct Binding {
    value: Value,
    origin: Arc<Origin>,
}

/// The variables of a scope; it is kept alive, so that its address stays its own.
#[derive(Debug)]
struct Bindings {
    _scope: Rc<Scope>,
    by_name: FxHashMap<Str, Vec<Binding>>,
}

/// The calls of a program by the lambda that they are given.
#[derive(Debug)]
struct Lambdas {
    _program: Arc<Program>,
    calls: FxHashMap<NodeId, NodeId>,
}

/// A call: the program and the node.
#[derive(Clone, Debug)]
pub struct CallNode(Arc<Program>, NodeId);

impl CallNode {
    /// The name of the function.
    pub fn name(&self) -> Option<Str> {
        function_name(&self.0, self.1)
    }
}

/// The result of a lookup: the key, and the origin of its value.
type LookupOrigin = (Str, Arc<Origin>);

/// Notes where variables get their values in one compilation.
#[derive(Debug, Default)]
pub struct Recorder {
    scopes: RefCell<FxHashMap<usize, Bindings>>,
    /// The last results of `lookup` calls.
    lookups: RefCell<NodeMap<LookupOrigin>>,
    lambdas: RefCell<FxHashMap<usize, Lambdas>>,
    call: RefCell<Option<CallNode>>,
}

impl Recorder {
    /// Notes from where a variable of a scope has its value.
    pub fn bind(&self, scope: &Rc<Scope>, name: &str, value: &Value, origin: Arc<Origin>) {
        let mut scopes = self.scopes.borrow_mut();
        let bindings = scopes
            .entry(Rc::as_ptr(scope) as usize)
            .or_insert_with(|| Bindings { _scope: Rc::clone(scope), by_name: FxHashMap::default() });
        let known = bindings.by_name.entry(name.into()).or_default();
        known.retain(|binding| {
            binding.origin.kind != origin.kind || binding.origin.location != origin.location
        });
        if known.len() >= MAX_BINDINGS {
            known.remove(0);
        }
        known.push(Binding { value: value.clone(), origin });
    }

    /// Records the result of a `lookup` call.
    pub fn looked_up(&self, call: &CallNode, name: Str, origin: Arc<Origin>) {
        self.lookups.borrow_mut().insert(&call.0, call.1, (name, origin));
    }

    /// The call that was made last: of the built-in function that asks, as its arguments were evaluated
    /// before.
    pub fn call(&self) -> Option<CallNode> {
        self.call.borrow().clone()
    }

    /// The place of the last call, with its column, if it is at this place.
    pub fn call_location(&self, location: &Location) -> Location {
        match self.call_at(location) {
            Some(call) => call.0.location(call.1),
            None => location.clone(),
        }
    }

    fn call_at(&self, location: &Location) -> Option<CallNode> {
        let call = self.call()?;
        let place = call.0.location(call.1);
        (place.line == location.line && (place.file == location.file || place.file.is_none())).then_some(call)
    }

    /// Records an assignment; `right` is the expression of the value.
    pub(super) fn assigned(
        &self,
        evaluator: &Evaluator<'_>,
        env: Env<'_>,
        at: NodeId,
        right: NodeId,
        name: &str,
    ) {
        let Lookup::Found(value) = env.scope.find_here(name) else { return };
        let sources = self.sources(evaluator, env, right);
        let origin = Origin { sources, ..Origin::new(OriginKind::Variable, env.location(at)) };
        self.bind(env.scope, name, &value, Arc::new(origin));
    }

    /// Notes the call that is about to be made.
    pub(super) fn calling(&self, env: Env<'_>, id: NodeId) {
        self.call.replace(Some(CallNode(Arc::clone(env.program), id)));
    }

    /// Notes the arguments of a lambda or of a function written in Puppet.
    pub(super) fn arguments(&self, evaluator: &Evaluator<'_>, closure: &Closure, bindings: &[(Str, Value)]) {
        let env = Env { scope: &closure.scope, program: &closure.program };
        let is_lambda = matches!(env.node(closure.node), Node::LambdaExpression { .. });
        let (kind, function, sources) = if is_lambda {
            let call = self.call_of(env, closure.node);
            let sources = call.map(|call| self.sources_of_arguments(evaluator, env, call));
            let function = call.and_then(|call| function_name(env.program, call));
            (OriginKind::LambdaParameter, function, sources.unwrap_or_default())
        } else {
            (OriginKind::Argument, Some(Str::from(closure.name())), Vec::new())
        };
        for (&id, (name, value)) in closure.parameters().iter().zip(bindings) {
            let origin = Origin {
                function: function.clone(),
                sources: sources.clone(),
                ..Origin::new(kind, env.location(id))
            };
            self.bind(env.scope, name, value, Arc::new(origin));
        }
    }

    /// The origin of an attribute operation, or of `* => …`.
    pub(super) fn attribute(
        &self,
        evaluator: &Evaluator<'_>,
        env: Env<'_>,
        id: NodeId,
        kind: OriginKind,
    ) -> Arc<Origin> {
        let (kind, expr) = match *env.node(id) {
            Node::AttributesOperation { expr } if kind == OriginKind::Expression => (OriginKind::Splat, expr),
            Node::AttributesOperation { expr } => (kind, expr),
            Node::AttributeOperation { value_expr, .. } => (kind, value_expr),
            _ => (kind, id),
        };
        let sources = self.sources(evaluator, env, expr);
        Arc::new(Origin { sources, ..Origin::new(kind, env.location(id)) })
    }

    /// The origin of a function's declarations; `location` is the place of the call.
    pub fn function(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        name: &str,
        location: &Location,
    ) -> Arc<Origin> {
        let sources = self.call_at(location).map(|CallNode(program, id)| {
            self.sources_of_arguments(evaluator, Env { scope, program: &program }, id)
        });
        Arc::new(Origin {
            function: Some(name.into()),
            sources: sources.unwrap_or_default(),
            ..Origin::new(OriginKind::Expression, self.call_location(location))
        })
    }

    /// The origins of the variables, lookups and calls of an expression.
    pub fn sources_in(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        program: &Arc<Program>,
        expr: NodeId,
    ) -> Vec<(Str, Arc<Origin>)> {
        self.sources(evaluator, Env { scope, program }, expr)
    }

    fn sources(&self, evaluator: &Evaluator<'_>, env: Env<'_>, expr: NodeId) -> Vec<(Str, Arc<Origin>)> {
        self.sources_of(evaluator, env, vec![expr])
    }

    fn sources_of_arguments(
        &self,
        evaluator: &Evaluator<'_>,
        env: Env<'_>,
        call: NodeId,
    ) -> Vec<(Str, Arc<Origin>)> {
        let mut nodes = Vec::new();
        match *env.node(call) {
            Node::CallMethodExpression { functor_expr, arguments, .. } => {
                nodes.extend(env.list(arguments).iter().rev());
                nodes.push(functor_expr);
            }
            Node::CallNamedFunctionExpression { arguments, .. } => {
                nodes.extend(env.list(arguments).iter().rev());
            }
            _ => {}
        }
        self.sources_of(evaluator, env, nodes)
    }

    /// Walks expressions, the last one first.
    fn sources_of(
        &self,
        evaluator: &Evaluator<'_>,
        env: Env<'_>,
        mut waiting: Vec<NodeId>,
    ) -> Vec<(Str, Arc<Origin>)> {
        let mut found: Vec<(Str, Arc<Origin>)> = Vec::new();
        let mut seen = 0;
        while let Some(id) = waiting.pop() {
            seen += 1;
            if seen > MAX_NODES || found.len() >= MAX_SOURCES {
                break;
            }
            let mut add = |name: Str, origin: Arc<Origin>| {
                if !found.iter().any(|(known, other)| *known == name && *other == origin) {
                    found.push((name, origin));
                }
            };
            match *env.node(id) {
                Node::VariableExpression { expr } => {
                    if let Node::QualifiedName { value } = *env.node(expr) {
                        let name = env.program.text(value);
                        if let Some(origin) = self.variable(evaluator, env.scope, name) {
                            add(format!("${name}").into(), origin);
                        }
                    }
                }
                Node::AccessExpression { left_expr, keys } => {
                    let name = env.program.source_text(id);
                    let variable = variable_below(env, left_expr);
                    let origin = variable.and_then(|name| self.variable(evaluator, env.scope, name));
                    match origin.filter(|_| !name.contains('\n') && is_literal(env, id)) {
                        Some(origin) => add(name.into(), origin),
                        None => {
                            waiting.extend(env.list(keys).iter().rev());
                            waiting.push(left_expr);
                        }
                    }
                }
                Node::CallNamedFunctionExpression { .. } | Node::CallMethodExpression { .. } => {
                    let location = env.location(id);
                    let lookup = self.lookups.borrow().get(env.program, id).cloned();
                    match (lookup, function_name(env.program, id)) {
                        (Some((name, origin)), _) => add(name, origin),
                        (None, Some(name)) => {
                            let origin = Origin {
                                function: Some(name.clone()),
                                ..Origin::new(OriginKind::Function, location)
                            };
                            add(format!("{name}()").into(), Arc::new(origin));
                        }
                        (None, None) => {}
                    }
                    push_children(env, id, &mut waiting);
                }
                // The parameters of a lambda are recorded where they are used.
                Node::LambdaExpression { .. } => {}
                _ => push_children(env, id, &mut waiting),
            }
        }
        found
    }

    /// The origin of a variable's value, as far as it is known.
    fn variable(&self, evaluator: &Evaluator<'_>, scope: &Rc<Scope>, name: &str) -> Option<Arc<Origin>> {
        let absolute = name.strip_prefix("::").unwrap_or(name);
        let (start, name) = match absolute.rsplit_once("::") {
            Some((class, name)) => (evaluator.context.class_scope(class)?, name),
            None if absolute.len() < name.len() => (Rc::clone(Scope::top_of(scope)), absolute),
            None => (Rc::clone(scope), name),
        };
        let mut at = &start;
        loop {
            if let Lookup::Found(value) = at.find_here(name) {
                let scopes = self.scopes.borrow();
                let bindings = scopes.get(&(Rc::as_ptr(at) as usize))?.by_name.get(name)?;
                let binding = bindings.iter().rev().find(|binding| binding.value.is_same(&value))?;
                return Some(Arc::clone(&binding.origin));
            }
            at = at.next()?;
        }
    }

    /// The call that a lambda is given to.
    fn call_of(&self, env: Env<'_>, lambda: NodeId) -> Option<NodeId> {
        let mut lambdas = self.lambdas.borrow_mut();
        let of_program = lambdas.entry(Arc::as_ptr(env.program) as usize).or_insert_with(|| Lambdas {
            _program: Arc::clone(env.program),
            calls: env.program.ids().filter_map(|id| Some((lambda_of(env.node(id))?, id))).collect(),
        });
        of_program.calls.get(&lambda).copied()
    }
}

/// The lambda that a call is given.
const fn lambda_of(node: &Node) -> Option<NodeId> {
    match node {
        Node::CallNamedFunctionExpression { lambda, .. }
        | Node::CallMethodExpression { lambda, .. }
        | Node::CallFunctionExpression { lambda, .. } => *lambda,
        _ => None,
    }
}

/// The name of the function that a call calls.
fn function_name(program: &Program, call: NodeId) -> Option<Str> {
    let functor = match *program.node(call) {
        Node::CallNamedFunctionExpression { functor_expr, .. } => functor_expr,
        Node::CallMethodExpression { functor_expr, .. } => match *program.node(functor_expr) {
            Node::NamedAccessExpression { right_expr, .. } => right_expr,
            _ => functor_expr,
        },
        _ => return None,
    };
    match *program.node(functor) {
        Node::QualifiedName { value } => Some(program.text(value).into()),
        _ => None,
    }
}

/// The variable that is looked into by one or more `[…]`.
fn variable_below<'h>(env: Env<'h>, mut id: NodeId) -> Option<&'h str> {
    loop {
        match *env.node(id) {
            Node::AccessExpression { left_expr, .. } => id = left_expr,
            Node::VariableExpression { expr } => {
                return match *env.node(expr) {
                    Node::QualifiedName { value } => Some(env.program.text(value)),
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}

/// Whether all keys of one or more `[…]` are literals.
fn is_literal(env: Env<'_>, mut id: NodeId) -> bool {
    while let Node::AccessExpression { left_expr, keys } = *env.node(id) {
        let is_literal = |&key: &NodeId| {
            matches!(
                env.node(key),
                Node::LiteralString { .. } | Node::LiteralInteger { .. } | Node::QualifiedName { .. }
            )
        };
        if !env.list(keys).iter().all(is_literal) {
            return false;
        }
        id = left_expr;
    }
    true
}

/// Adds the children of a node, so that the first one is taken first.
fn push_children(env: Env<'_>, id: NodeId, waiting: &mut Vec<NodeId>) {
    let first = waiting.len();
    env.node(id).fields(|field| match field.value {
        FieldValue::Node(child) => waiting.push(child),
        FieldValue::Nodes(list) => waiting.extend(env.list(list)),
        FieldValue::Absent
        | FieldValue::Text(_)
        | FieldValue::Symbol(_)
        | FieldValue::Integer(_)
        | FieldValue::Float(_)
        | FieldValue::Boolean(_) => {}
    });
    if let Some(added) = waiting.get_mut(first..) {
        added.reverse();
    }
}
