//! The constant value of a Ruby expression, without running it: literals, combinations of them, and methods
//! that only return these.

use lib_ruby_parser::{Node as Ast, nodes};
use rustc_hash::FxHashMap;

/// A value that is known without running the program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Nil,
    Boolean(bool),
    Integer(i64),
    /// A string or a symbol.
    Text(String),
    /// A regular expression: its source, and its options in the order `mix`.
    Pattern(String, String),
    List(Vec<Constant>),
    Hash(Vec<(Constant, Constant)>),
    /// A lambda that returns its argument.
    Identity,
}

impl Constant {
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

    /// The text in interpolation.
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

/// The variables, constants and methods in the scope of an expression.
#[derive(Clone, Default)]
pub(super) struct Scope<'t> {
    pub names: FxHashMap<String, Constant>,
    pub methods: FxHashMap<String, Method<'t>>,
    depth: u32,
}

/// The maximum nesting of expressions and calls.
const MAX_DEPTH: u32 = 100;

/// The outcome of a statement: the value of the last one, or of a `return`.
enum Outcome {
    Value(Constant),
    Return(Constant),
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

    /// The value of an expression; `None` if it is unknown.
    pub(super) fn value(&mut self, node: &'t Ast) -> Option<Constant> {
        self.depth += 1;
        let outcome = if self.depth > MAX_DEPTH { None } else { self.run(node) };
        self.depth -= 1;
        match outcome? {
            Outcome::Value(value) | Outcome::Return(value) => Some(value),
        }
    }

    /// The result of a method for arguments.
    pub(super) fn call(&self, method: Method<'t>, given: &[Constant]) -> Option<Constant> {
        let mut inner = self.of_method()?;
        inner.bind(method.arguments, given)?;
        match method.body.map_or(Some(Outcome::Value(Constant::Nil)), |body| inner.run(body))? {
            Outcome::Value(value) | Outcome::Return(value) => Some(value),
        }
    }

    /// Gives the parameters of a method or block their values.
    pub(super) fn bind(&mut self, parameters: Option<&'t Ast>, given: &[Constant]) -> Option<()> {
        let mut given = given.iter();
        for parameter in parameters_of(parameters) {
            let (name, value) = match parameter {
                Ast::Arg(argument) => (&argument.name, given.next().cloned().unwrap_or(Constant::Nil)),
                Ast::Optarg(argument) => {
                    let value = given.next().cloned().or_else(|| self.value(&argument.default))?;
                    (&argument.name, value)
                }
                Ast::Restarg(argument) => {
                    (argument.name.as_ref()?, Constant::List(given.by_ref().cloned().collect()))
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
                return branch
                    .as_deref()
                    .map_or(Some(Outcome::Value(Constant::Nil)), |branch| self.run(branch));
            }
            Ast::IfMod(node) => {
                let branch = if self.value(&node.cond)?.is_true() { &node.if_true } else { &node.if_false };
                return branch
                    .as_deref()
                    .map_or(Some(Outcome::Value(Constant::Nil)), |branch| self.run(branch));
            }
            Ast::Return(node) => {
                let value = match &*node.args {
                    [] => Constant::Nil,
                    [one] => self.value(one)?,
                    several => Constant::List(self.all(several)?),
                };
                return Some(Outcome::Return(value));
            }
            other => return self.expression(other).map(Outcome::Value),
        };
        let mut last = Constant::Nil;
        for statement in statements {
            match self.run(statement)? {
                Outcome::Value(value) => last = value,
                returned => return Some(returned),
            }
        }
        Some(Outcome::Value(last))
    }

    fn all(&mut self, nodes: &'t [Ast]) -> Option<Vec<Constant>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Ast::Splat(splat) => values.extend(self.value(splat.value.as_deref()?)?.list()?.to_vec()),
                node => values.push(self.value(node)?),
            }
        }
        Some(values)
    }

    fn expression(&mut self, node: &'t Ast) -> Option<Constant> {
        Some(match node {
            Ast::Nil(_) => Constant::Nil,
            Ast::True(_) => Constant::Boolean(true),
            Ast::False(_) => Constant::Boolean(false),
            Ast::Int(node) => Constant::Integer(node.value.parse().ok()?),
            Ast::Str(node) => Constant::Text(node.value.to_string_lossy()),
            Ast::Sym(node) => Constant::Text(node.name.to_string_lossy()),
            Ast::Dstr(node) => Constant::Text(self.joined(&node.parts)?),
            Ast::Dsym(node) => Constant::Text(self.joined(&node.parts)?),
            Ast::Heredoc(node) => Constant::Text(self.joined(&node.parts)?),
            Ast::Regexp(node) => {
                let options = match node.options.as_deref() {
                    Some(Ast::RegOpt(options)) => options.options.clone().unwrap_or_default(),
                    _ => String::new(),
                };
                let on = "mix".chars().filter(|option| options.contains(*option)).collect();
                Constant::Pattern(self.joined(&node.parts)?, on)
            }
            Ast::Array(node) => Constant::List(self.all(&node.elements)?),
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
                (Constant::List(values), [Constant::Integer(at)]) => {
                    usize::try_from(*at).ok().and_then(|at| values.get(at)).cloned()?
                }
                (hash @ Constant::Hash(_), [Constant::Text(key)]) => {
                    hash.member(key).cloned().unwrap_or(Constant::Nil)
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

    fn hash(&mut self, pairs: &'t [Ast]) -> Option<Constant> {
        let pairs = pairs.iter().map(|pair| match pair {
            // A member that is not known does not make the others unknown.
            Ast::Pair(pair) => {
                Some((self.value(&pair.key)?, self.value(&pair.value).unwrap_or(Constant::Nil)))
            }
            _ => None,
        });
        Some(Constant::Hash(pairs.collect::<Option<_>>()?))
    }

    fn send(&mut self, call: &'t nodes::Send) -> Option<Constant> {
        let arguments = self.all(&call.args)?;
        let receiver = match call.recv.as_deref() {
            Some(Ast::Const(constant)) if constant.name == "Regexp" && call.method_name == "new" => {
                return match arguments.as_slice() {
                    [pattern @ Constant::Pattern(..)] => Some(pattern.clone()),
                    [Constant::Text(source)] => Some(Constant::Pattern(source.clone(), String::new())),
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
            ("source", Constant::Pattern(source, _), []) => Constant::Text(source.clone()),
            ("empty?", Constant::List(values), []) => Constant::Boolean(values.is_empty()),
            ("count" | "size" | "length", Constant::List(values), []) => {
                Constant::Integer(i64::try_from(values.len()).ok()?)
            }
            ("first", Constant::List(values), []) => values.first().cloned().unwrap_or(Constant::Nil),
            ("last", Constant::List(values), []) => values.last().cloned().unwrap_or(Constant::Nil),
            ("keys", Constant::Hash(pairs), []) => {
                Constant::List(pairs.iter().map(|(key, _)| key.clone()).collect())
            }
            ("values", Constant::Hash(pairs), []) => {
                Constant::List(pairs.iter().map(|(_, value)| value.clone()).collect())
            }
            ("flatten", Constant::List(values), []) => {
                let mut flat = Vec::new();
                for value in values {
                    flat.extend(value.list().map_or_else(|| vec![value.clone()], <[Constant]>::to_vec));
                }
                Constant::List(flat)
            }
            ("join", Constant::List(values), between) => {
                let between = match between {
                    [] => "",
                    [between] => between.text()?,
                    _ => return None,
                };
                let texts = values.iter().map(Constant::interpolated).collect::<Option<Vec<_>>>()?;
                Constant::Text(texts.join(between))
            }
            ("==", left, [right]) => Constant::Boolean(left == right),
            ("!=", left, [right]) => Constant::Boolean(left != right),
            ("!", value, []) => Constant::Boolean(!value.is_true()),
            (operator @ ("+" | "-"), left, [right]) => sum(left, right, operator)?,
            _ => return None,
        })
    }
}

fn sum(left: &Constant, right: &Constant, operator: &str) -> Option<Constant> {
    Some(match (operator, left, right) {
        ("+", Constant::List(left), Constant::List(right)) => Constant::List([&**left, right].concat()),
        ("-", Constant::List(left), Constant::List(right)) => {
            Constant::List(left.iter().filter(|value| !right.contains(value)).cloned().collect())
        }
        ("+", Constant::Text(left), Constant::Text(right)) => Constant::Text(format!("{left}{right}")),
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
fn lambda(block: &nodes::Block) -> Option<Constant> {
    let is_lambda = match &*block.call {
        Ast::Lambda(_) => true,
        Ast::Send(call) => call.recv.is_none() && matches!(call.method_name.as_str(), "lambda" | "proc"),
        _ => false,
    };
    let mut parameters = parameters_of(block.args.as_deref());
    match (is_lambda, parameters.next(), parameters.next(), block.body.as_deref()) {
        (true, Some(Ast::Arg(parameter)), None, Some(Ast::Lvar(body))) if parameter.name == body.name => {
            Some(Constant::Identity)
        }
        _ => None,
    }
}
