//! What a Ruby expression says without being run: literals, what is put together of them, and methods that do
//! no more.

use lib_ruby_parser::{Node as Ast, nodes};
use rustc_hash::FxHashMap;

/// A value that is known without running the program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Known {
    Nil,
    Boolean(bool),
    Integer(i64),
    /// A string or a symbol.
    Text(String),
    /// A regular expression: its source, and its options in the order `mix`.
    Pattern(String, String),
    List(Vec<Known>),
    Hash(Vec<(Known, Known)>),
    /// A lambda that gives back what it gets.
    Identity,
}

impl Known {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn list(&self) -> Option<&[Self]> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }

    /// The value of a key of a hash.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Hash(pairs) => {
                pairs.iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    fn is_true(&self) -> bool {
        !matches!(self, Self::Nil | Self::Boolean(false))
    }

    /// How it stands where it is interpolated.
    fn interpolated(&self) -> Option<String> {
        Some(match self {
            Self::Nil => String::new(),
            Self::Boolean(value) => value.to_string(),
            Self::Integer(value) => value.to_string(),
            Self::Text(text) => text.clone(),
            Self::Pattern(source, on) => {
                let off: String = "mix".chars().filter(|option| !on.contains(*option)).collect();
                let dash = if off.is_empty() { "" } else { "-" };
                format!("(?{on}{dash}{off}:{source})")
            }
            Self::List(_) | Self::Hash(_) | Self::Identity => return None,
        })
    }
}

/// A method: its parameters and its body.
#[derive(Clone, Copy)]
pub(super) struct Method<'t> {
    pub arguments: Option<&'t Ast>,
    pub body: Option<&'t Ast>,
}

/// The variables, constants and methods that are known where an expression stands.
#[derive(Clone, Default)]
pub(super) struct Scope<'t> {
    pub names: FxHashMap<String, Known>,
    pub methods: FxHashMap<String, Method<'t>>,
    depth: u32,
}

/// How deep expressions and calls may nest.
const MAX_DEPTH: u32 = 100;

/// The outcome of a statement: the value of the last one, or what a `return` gives.
enum Outcome {
    Value(Known),
    Return(Known),
}

impl<'t> Scope<'t> {
    /// A scope inside of this one, for a method: with its constants and methods, but without its variables.
    fn of_method(&self) -> Option<Self> {
        let is_constant = |name: &&String| name.starts_with(char::is_uppercase);
        let names = self.names.iter().filter(|(name, _)| is_constant(name));
        let names = names.map(|(name, value)| (name.clone(), value.clone())).collect();
        let depth = self.depth + 1;
        (depth < MAX_DEPTH).then(|| Self { names, methods: self.methods.clone(), depth })
    }

    /// What an expression says; nothing when that is not known.
    pub(super) fn value(&mut self, node: &'t Ast) -> Option<Known> {
        self.depth += 1;
        let outcome = if self.depth > MAX_DEPTH { None } else { self.run(node) };
        self.depth -= 1;
        match outcome? {
            Outcome::Value(value) | Outcome::Return(value) => Some(value),
        }
    }

    /// What a method gives for arguments.
    pub(super) fn call(&self, method: Method<'t>, given: &[Known]) -> Option<Known> {
        let mut inner = self.of_method()?;
        inner.bind(method.arguments, given)?;
        match method.body.map_or(Some(Outcome::Value(Known::Nil)), |body| inner.run(body))? {
            Outcome::Value(value) | Outcome::Return(value) => Some(value),
        }
    }

    /// Gives the parameters of a method or block their values.
    pub(super) fn bind(&mut self, parameters: Option<&'t Ast>, given: &[Known]) -> Option<()> {
        let mut given = given.iter();
        for parameter in parameters_of(parameters) {
            let (name, value) = match parameter {
                Ast::Arg(argument) => (&argument.name, given.next().cloned().unwrap_or(Known::Nil)),
                Ast::Optarg(argument) => {
                    let value = given.next().cloned().or_else(|| self.value(&argument.default))?;
                    (&argument.name, value)
                }
                Ast::Restarg(argument) => {
                    (argument.name.as_ref()?, Known::List(given.by_ref().cloned().collect()))
                }
                Ast::Blockarg(_) => continue,
                _ => return None,
            };
            self.names.insert(name.clone(), value);
        }
        Some(())
    }

    fn run(&mut self, node: &'t Ast) -> Option<Outcome> {
        let statements = match node {
            Ast::Begin(begin) => &begin.statements,
            Ast::KwBegin(begin) => &begin.statements,
            Ast::If(node) => {
                let branch = if self.value(&node.cond)?.is_true() { &node.if_true } else { &node.if_false };
                return branch.as_deref().map_or(Some(Outcome::Value(Known::Nil)), |branch| self.run(branch));
            }
            Ast::IfMod(node) => {
                let branch = if self.value(&node.cond)?.is_true() { &node.if_true } else { &node.if_false };
                return branch.as_deref().map_or(Some(Outcome::Value(Known::Nil)), |branch| self.run(branch));
            }
            Ast::Return(node) => {
                let value = match &*node.args {
                    [] => Known::Nil,
                    [one] => self.value(one)?,
                    several => Known::List(self.all(several)?),
                };
                return Some(Outcome::Return(value));
            }
            other => return self.expression(other).map(Outcome::Value),
        };
        let mut last = Known::Nil;
        for statement in statements {
            match self.run(statement)? {
                Outcome::Value(value) => last = value,
                returned => return Some(returned),
            }
        }
        Some(Outcome::Value(last))
    }

    fn all(&mut self, nodes: &'t [Ast]) -> Option<Vec<Known>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Ast::Splat(splat) => values.extend(self.value(splat.value.as_deref()?)?.list()?.to_vec()),
                node => values.push(self.value(node)?),
            }
        }
        Some(values)
    }

    fn expression(&mut self, node: &'t Ast) -> Option<Known> {
        Some(match node {
            Ast::Nil(_) => Known::Nil,
            Ast::True(_) => Known::Boolean(true),
            Ast::False(_) => Known::Boolean(false),
            Ast::Int(node) => Known::Integer(node.value.parse().ok()?),
            Ast::Str(node) => Known::Text(node.value.to_string_lossy()),
            Ast::Sym(node) => Known::Text(node.name.to_string_lossy()),
            Ast::Dstr(node) => Known::Text(self.joined(&node.parts)?),
            Ast::Dsym(node) => Known::Text(self.joined(&node.parts)?),
            Ast::Heredoc(node) => Known::Text(self.joined(&node.parts)?),
            Ast::Regexp(node) => {
                let options = match node.options.as_deref() {
                    Some(Ast::RegOpt(options)) => options.options.clone().unwrap_or_default(),
                    _ => String::new(),
                };
                let on = "mix".chars().filter(|option| options.contains(*option)).collect();
                Known::Pattern(self.joined(&node.parts)?, on)
            }
            Ast::Array(node) => Known::List(self.all(&node.elements)?),
            Ast::Hash(node) => self.hash(&node.pairs)?,
            Ast::Kwargs(node) => self.hash(&node.pairs)?,
            Ast::Lvar(variable) => self.names.get(&variable.name)?.clone(),
            Ast::Const(constant) => self.names.get(&constant.name)?.clone(),
            Ast::Lvasgn(nodes::Lvasgn { name, value: Some(value), .. })
            | Ast::Casgn(nodes::Casgn { name, value: Some(value), .. }) => {
                let value = self.value(value)?;
                self.names.insert(name.clone(), value.clone());
                value
            }
            Ast::OpAsgn(assignment) => {
                let Ast::Lvasgn(target) = &*assignment.recv else { return None };
                let added = self.value(&assignment.value)?;
                let value = sum(self.names.get(&target.name)?, &added, &assignment.operator)?;
                self.names.insert(target.name.clone(), value.clone());
                value
            }
            Ast::And(node) => match self.value(&node.lhs)? {
                left if left.is_true() => self.value(&node.rhs)?,
                left => left,
            },
            Ast::Or(node) => match self.value(&node.lhs)? {
                left if left.is_true() => left,
                _ => self.value(&node.rhs)?,
            },
            Ast::IfTernary(node) => {
                let branch = if self.value(&node.cond)?.is_true() { &node.if_true } else { &node.if_false };
                self.value(branch)?
            }
            Ast::Send(call) => self.send(call)?,
            Ast::Index(index) => match (self.value(&index.recv)?, self.all(&index.indexes)?.as_slice()) {
                (Known::List(values), [Known::Integer(at)]) => {
                    usize::try_from(*at).ok().and_then(|at| values.get(at)).cloned()?
                }
                (hash @ Known::Hash(_), [Known::Text(key)]) => {
                    hash.member(key).cloned().unwrap_or(Known::Nil)
                }
                _ => return None,
            },
            Ast::Block(block) => lambda(block)?,
            _ => return None,
        })
    }

    fn joined(&mut self, parts: &'t [Ast]) -> Option<String> {
        parts.iter().map(|part| self.value(part)?.interpolated()).collect()
    }

    fn hash(&mut self, pairs: &'t [Ast]) -> Option<Known> {
        let pairs = pairs.iter().map(|pair| match pair {
            // A member that is not known does not make the others unknown.
            Ast::Pair(pair) => Some((self.value(&pair.key)?, self.value(&pair.value).unwrap_or(Known::Nil))),
            _ => None,
        });
        Some(Known::Hash(pairs.collect::<Option<_>>()?))
    }

    fn send(&mut self, call: &'t nodes::Send) -> Option<Known> {
        let arguments = self.all(&call.args)?;
        let receiver = match call.recv.as_deref() {
            Some(Ast::Const(constant)) if constant.name == "Regexp" && call.method_name == "new" => {
                return match arguments.as_slice() {
                    [pattern @ Known::Pattern(..)] => Some(pattern.clone()),
                    [Known::Text(source)] => Some(Known::Pattern(source.clone(), String::new())),
                    _ => None,
                };
            }
            None | Some(Ast::Self_(_)) => {
                return self.call(*self.methods.get(&call.method_name)?, &arguments);
            }
            // A method of a module whose methods are among those that are known.
            Some(Ast::Const(constant)) if !self.names.contains_key(&constant.name) => {
                return self.call(*self.methods.get(&call.method_name)?, &arguments);
            }
            Some(receiver) => self.value(receiver)?,
        };
        Some(match (call.method_name.as_str(), &receiver, arguments.as_slice()) {
            ("freeze" | "dup" | "to_a" | "to_sym" | "to_s" | "intern" | "uniq" | "compact", _, []) => {
                receiver
            }
            ("source", Known::Pattern(source, _), []) => Known::Text(source.clone()),
            ("empty?", Known::List(values), []) => Known::Boolean(values.is_empty()),
            ("count" | "size" | "length", Known::List(values), []) => {
                Known::Integer(i64::try_from(values.len()).ok()?)
            }
            ("first", Known::List(values), []) => values.first().cloned().unwrap_or(Known::Nil),
            ("last", Known::List(values), []) => values.last().cloned().unwrap_or(Known::Nil),
            ("keys", Known::Hash(pairs), []) => {
                Known::List(pairs.iter().map(|(key, _)| key.clone()).collect())
            }
            ("values", Known::Hash(pairs), []) => {
                Known::List(pairs.iter().map(|(_, value)| value.clone()).collect())
            }
            ("flatten", Known::List(values), []) => {
                let mut flat = Vec::new();
                for value in values {
                    flat.extend(value.list().map_or_else(|| vec![value.clone()], <[Known]>::to_vec));
                }
                Known::List(flat)
            }
            ("==", left, [right]) => Known::Boolean(left == right),
            ("!=", left, [right]) => Known::Boolean(left != right),
            ("!", value, []) => Known::Boolean(!value.is_true()),
            (operator @ ("+" | "-"), left, [right]) => sum(left, right, operator)?,
            _ => return None,
        })
    }
}

fn sum(left: &Known, right: &Known, operator: &str) -> Option<Known> {
    Some(match (operator, left, right) {
        ("+", Known::List(left), Known::List(right)) => Known::List([&**left, right].concat()),
        ("-", Known::List(left), Known::List(right)) => {
            Known::List(left.iter().filter(|value| !right.contains(value)).cloned().collect())
        }
        ("+", Known::Text(left), Known::Text(right)) => Known::Text(format!("{left}{right}")),
        _ => return None,
    })
}

/// The parameters of a method or block.
pub(super) fn parameters_of(parameters: Option<&Ast>) -> impl Iterator<Item = &Ast> {
    let list = match parameters {
        Some(Ast::Args(arguments)) => arguments.args.as_slice(),
        _ => &[],
    };
    list.iter().flat_map(|parameter| match parameter {
        Ast::Procarg0(one) => one.args.as_slice(),
        other => std::slice::from_ref(other),
    })
}

/// `lambda { |x| x }`, `proc { |x| x }`, `->(x) { x }`
fn lambda(block: &nodes::Block) -> Option<Known> {
    let is_lambda = match &*block.call {
        Ast::Lambda(_) => true,
        Ast::Send(call) => call.recv.is_none() && matches!(call.method_name.as_str(), "lambda" | "proc"),
        _ => false,
    };
    let mut parameters = parameters_of(block.args.as_deref());
    match (is_lambda, parameters.next(), parameters.next(), block.body.as_deref()) {
        (true, Some(Ast::Arg(parameter)), None, Some(Ast::Lvar(body))) if parameter.name == body.name => {
            Some(Known::Identity)
        }
        _ => None,
    }
}
