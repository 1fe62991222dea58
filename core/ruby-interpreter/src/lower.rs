//! From the tree of the parser crate to the tree that is run: local variables get places, and everything that
//! the interpreter does not know is listed.

mod calls;
mod definitions;
pub(super) mod literals;
mod parameters;
mod patterns;

use lib_ruby_parser::{Loc, Node as Ast, nodes};

use super::names;
use super::tree::{
    BlockArgument, Call, Case, Kind, Lambda, Local, Node, Operator, Program, Rescue, Target, Targets, While,
    Write, Written,
};
use bunraku_pcore::value::Str;

/// Something in a program that the interpreter does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The construct, such as `class definition` or `method unpack`.
    pub construct: String,
    /// The line.
    pub line: u32,
}

/// The purpose of reading a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is a complete program.
    Whole,
    /// It runs after libraries: it can name their modules. What is not supported in it is rejected when it is
    /// reached.
    WithLibraries,
    /// It is read for the modules that it defines.
    Library,
    /// It is a part of Ruby's library: it can use everything, and its lines are not reported.
    Prelude,
}

/// The maximum nesting of expressions.
const MAX_DEPTH: u32 = 700;

/// Makes a program of a tree. The list contains the unsupported constructs. Of a library, only the modules
/// that it defines are kept, without the methods that use unsupported constructs.
pub(super) fn lower(file: &str, text: &str, tree: Option<&Ast>, role: Role) -> (Program, Vec<Unsupported>) {
    lower_inside(file, text, tree, role, Vec::new())
}

/// As [`lower`], in sight of the variables of a running program, by the names that each block has, the
/// outermost first.
pub(super) fn lower_inside(
    file: &str,
    text: &str,
    tree: Option<&Ast>,
    role: Role,
    around: Vec<Vec<Str>>,
) -> (Program, Vec<Unsupported>) {
    let mut lowering = Lowering::new(file, text, role, around);
    let program = lowering.program(file, tree);
    (program, lowering.unsupported)
}

/// The program of a template with names for its texts. `None` if something is not supported, or if not each
/// name stands for itself once.
pub(super) fn lower_template(file: &str, text: &str, tree: Option<&Ast>, texts: Vec<Str>) -> Option<Program> {
    let mut lowering = Lowering::new(file, text, Role::Whole, Vec::new());
    lowering.texts = texts.into_iter().map(|text| (text, 0)).collect();
    let program = lowering.program(file, tree);
    let is_whole = lowering.unsupported.is_empty() && lowering.texts.iter().all(|(_, times)| *times == 1);
    is_whole.then_some(program)
}

/// The offsets of the lines of a text.
fn offsets(text: &str) -> Vec<usize> {
    let mut lines: Vec<usize> = vec![0];
    lines.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
    lines
}

/// The local variables of a block, a method or the whole program.
struct Names {
    names: Vec<Str>,
    sees_outer: bool,
}

struct Lowering {
    file: Str,
    /// The offsets of lines.
    lines: Vec<usize>,
    scopes: Vec<Names>,
    unsupported: Vec<Unsupported>,
    /// The constructs that are rejected when they are reached.
    delayed: Vec<Unsupported>,
    depth: u32,
    /// For each enclosing block: whether `break` and `next` are in a `while` of it.
    loops: Vec<bool>,
    /// Methods that the program defines.
    methods: Vec<String>,
    /// The number of expressions so far that keep the variables around them.
    keepers: u32,
    /// The names of the parameters of the enclosing methods.
    methods_around: Vec<Option<Vec<definitions::Handed>>>,
    /// The texts of a template, and how often the name of each was found.
    texts: Vec<(Str, u32)>,
    role: Role,
}

impl Lowering {
    fn new(file: &str, text: &str, role: Role, around: Vec<Vec<Str>>) -> Self {
        let sees_outer = !around.is_empty();
        let mut scopes: Vec<Names> =
            around.into_iter().map(|names| Names { names, sees_outer: true }).collect();
        scopes.push(Names { names: Vec::new(), sees_outer });
        Self {
            file: file.into(),
            lines: if role == Role::Prelude { Vec::new() } else { offsets(text) },
            scopes,
            unsupported: Vec::new(),
            delayed: Vec::new(),
            depth: 0,
            loops: vec![false],
            methods: Vec::new(),
            keepers: 0,
            methods_around: vec![None],
            texts: Vec::new(),
            role,
        }
    }

    fn program(&mut self, file: &str, tree: Option<&Ast>) -> Program {
        if let Some(tree) = tree {
            self.find_definitions(tree);
        }
        let body = match tree {
            Some(tree) if self.role == Role::Library => {
                let kind = Kind::Sequence(self.definitions(tree));
                Node { line: 1, kind }
            }
            tree => self.optional(tree),
        };
        let locals = self.scopes.pop().map(|scope| scope.names).unwrap_or_default();
        Program { file: file.into(), body, locals, unknown: std::mem::take(&mut self.delayed) }
    }

    fn is_library(&self) -> bool {
        self.role == Role::Prelude
    }

    fn line(&self, loc: Loc) -> u32 {
        self.lines.partition_point(|start| *start <= loc.begin) as u32
    }

    fn at(&self, loc: Loc, kind: Kind) -> Node {
        Node { line: self.line(loc), kind }
    }

    /// An expression that is not known.
    fn refuse(&mut self, loc: Loc, construct: impl Into<String>) -> Node {
        let (line, construct) = (self.line(loc), construct.into());
        if self.role == Role::WithLibraries {
            self.delayed.push(Unsupported { construct: construct.clone(), line });
            return Node { line, kind: Kind::Unknown(construct.into()) };
        }
        self.unsupported.push(Unsupported { construct, line });
        Node { line, kind: Kind::Nil }
    }

    /// A part of an expression that is not known.
    fn refuse_part(&mut self, loc: Loc, construct: impl Into<String>) {
        let (line, construct) = (self.line(loc), construct.into());
        self.unsupported.push(Unsupported { construct, line });
    }

    /// Methods that the program itself defines, whatever they are called.
    fn find_definitions(&mut self, tree: &Ast) {
        let mut work = vec![tree];
        while let Some(node) = work.pop() {
            match node {
                Ast::Def(def) => {
                    self.methods.push(def.name.clone());
                    work.extend(def.body.as_deref());
                }
                Ast::Defs(def) => {
                    self.methods.push(def.name.clone());
                    work.extend(def.body.as_deref());
                }
                Ast::Alias(alias) => {
                    if let Ast::Sym(name) = &*alias.to {
                        self.methods.push(name.name.to_string_lossy());
                    }
                }
                // `attr_accessor :a`, `define_method(:a)`, `Struct.new(:a)`
                Ast::Send(send) => {
                    let names = send.args.iter().filter_map(|arg| match arg {
                        Ast::Sym(name) => Some(name.name.to_string_lossy()),
                        _ => None,
                    });
                    self.methods.extend(names);
                    work.extend(send.recv.as_deref());
                    work.extend(&send.args);
                }
                Ast::Casgn(node) => work.extend(node.value.as_deref()),
                Ast::Lvasgn(node) => work.extend(node.value.as_deref()),
                Ast::SClass(class) => work.extend(class.body.as_deref()),
                Ast::Module(module) => work.extend(module.body.as_deref()),
                Ast::Class(class) => {
                    work.extend(class.superclass.as_deref());
                    work.extend(class.body.as_deref());
                }
                Ast::Block(block) => {
                    work.push(&block.call);
                    work.extend(block.body.as_deref());
                }
                Ast::Begin(begin) => work.extend(&begin.statements),
                Ast::KwBegin(begin) => work.extend(&begin.statements),
                Ast::If(node) => {
                    work.extend(node.if_true.as_deref());
                    work.extend(node.if_false.as_deref());
                }
                _ => {}
            }
        }
    }

    fn local(&mut self, name: &str) -> Local {
        self.known_local(name).unwrap_or_else(|| self.declare(name))
    }

    /// The variable with a name, if it exists.
    fn known_local(&self, name: &str) -> Option<Local> {
        for (depth, scope) in self.scopes.iter().rev().enumerate() {
            if let Some(slot) = scope.names.iter().position(|known| known == name) {
                return Some(Local { depth: depth as u32, slot: slot as u32 });
            }
            if !scope.sees_outer {
                break;
            }
        }
        None
    }

    /// A new variable of the innermost block.
    fn declare(&mut self, name: &str) -> Local {
        let Some(scope) = self.scopes.last_mut() else { return Local { depth: 0, slot: 0 } };
        scope.names.push(name.into());
        Local { depth: 0, slot: scope.names.len() as u32 - 1 }
    }

    fn optional(&mut self, node: Option<&Ast>) -> Node {
        node.map_or(Node { line: 0, kind: Kind::Nil }, |node| self.node(node))
    }

    fn boxed(&mut self, node: &Ast) -> Box<Node> {
        Box::new(self.node(node))
    }

    fn optional_box(&mut self, node: Option<&Ast>) -> Box<Node> {
        Box::new(self.optional(node))
    }

    fn all(&mut self, nodes: &[Ast]) -> Vec<Node> {
        nodes.iter().map(|node| self.node(node)).collect()
    }

    fn sequence(&mut self, nodes: &[Ast]) -> Kind {
        match nodes {
            [] => Kind::Nil,
            [one] => self.node(one).kind,
            nodes => Kind::Sequence(writes_together(self.all(nodes))),
        }
    }

    fn node(&mut self, ast: &Ast) -> Node {
        if self.depth > MAX_DEPTH {
            return self.refuse(*ast.expression(), format!("expressions nested deeper than {MAX_DEPTH}"));
        }
        self.depth += 1;
        let node = self.expression(ast);
        self.depth -= 1;
        node
    }

    fn expression(&mut self, ast: &Ast) -> Node {
        let loc = *ast.expression();
        let kind = match ast {
            Ast::Nil(_) | Ast::EmptyElse(_) => Kind::Nil,
            Ast::True(_) => Kind::Boolean(true),
            Ast::False(_) => Kind::Boolean(false),
            Ast::Self_(_) => Kind::Itself,
            Ast::Int(_)
            | Ast::Float(_)
            | Ast::Str(_)
            | Ast::Dstr(_)
            | Ast::Heredoc(_)
            | Ast::Xstr(_)
            | Ast::XHeredoc(_)
            | Ast::Sym(_)
            | Ast::Dsym(_)
            | Ast::Regexp(_)
            | Ast::Array(_)
            | Ast::Hash(_)
            | Ast::Kwargs(_)
            | Ast::Irange(_)
            | Ast::Erange(_)
            | Ast::Line(_) => return self.literal(ast),
            Ast::File(_) => Kind::Text(self.file.clone()),
            Ast::Cvar(variable) => Kind::ClassVariable(variable.name.trim_start_matches('@').into()),
            Ast::Splat(splat) => match &splat.value {
                Some(value) => Kind::Splat(self.boxed(value)),
                None => return self.refuse(loc, "anonymous splat"),
            },
            Ast::Kwsplat(splat) => Kind::DoubleSplat(self.boxed(&splat.value)),
            Ast::Lvar(variable) => Kind::Local(self.local(&variable.name)),
            Ast::Ivar(variable) => Kind::Instance(variable.name.trim_start_matches('@').into()),
            Ast::Gvar(variable) => match self.global(&variable.name) {
                Some(kind) => kind,
                None => return self.refuse(loc, format!("global variable {}", variable.name)),
            },
            Ast::NthRef(group) => Kind::Group(group.name.parse().unwrap_or(usize::MAX)),
            Ast::BackRef(group) => match group.name.trim_start_matches('$') {
                "&" => Kind::Group(0),
                "`" => Kind::Around(true),
                "'" => Kind::Around(false),
                "~" => Kind::LastMatch,
                _ => return self.refuse(loc, format!("variable {}", group.name)),
            },
            Ast::Const(_) => return self.constant(ast),
            Ast::Begin(begin) => self.sequence(&begin.statements),
            Ast::KwBegin(begin) => self.sequence(&begin.statements),
            Ast::If(node) => self.condition(&node.cond, node.if_true.as_deref(), node.if_false.as_deref()),
            Ast::IfMod(node) => self.condition(&node.cond, node.if_true.as_deref(), node.if_false.as_deref()),
            Ast::IfTernary(node) => self.condition(&node.cond, Some(&node.if_true), Some(&node.if_false)),
            Ast::While(node) => self.repeat(&node.cond, node.body.as_deref(), false, false),
            Ast::Until(node) => self.repeat(&node.cond, node.body.as_deref(), true, false),
            Ast::WhilePost(node) => self.repeat(&node.cond, Some(&node.body), false, true),
            Ast::UntilPost(node) => self.repeat(&node.cond, Some(&node.body), true, true),
            Ast::For(node) => {
                let target = self.target(&node.iterator);
                let over = self.boxed(&node.iteratee);
                self.enter_loop();
                let body = self.optional_box(node.body.as_deref());
                self.loops.pop();
                Kind::For(Box::new(target), over, body)
            }
            Ast::And(node) => Kind::And(self.boxed(&node.lhs), self.boxed(&node.rhs)),
            Ast::Or(node) => Kind::Or(self.boxed(&node.lhs), self.boxed(&node.rhs)),
            Ast::Defined(node) => Kind::Defined(self.boxed(&node.value)),
            Ast::Case(node) => self.case(node),
            Ast::Send(_) | Ast::CSend(_) | Ast::Index(_) | Ast::Block(_) | Ast::Numblock(_) => {
                return self.call(ast);
            }
            Ast::Super(_) | Ast::ZSuper(_) => return self.super_call(ast),
            Ast::Lambda(_) => return self.refuse(loc, "lambda without a body"),
            Ast::Yield(node) => {
                let keywords = matches!(node.args.last(), Some(Ast::Kwargs(_)));
                Kind::Yield(self.all(&node.args), keywords)
            }
            Ast::CaseMatch(node) => self.case_in(node),
            Ast::MatchPattern(node) => {
                let value = self.boxed(&node.value);
                Kind::MustFit(value, Box::new(self.pattern(&node.pattern)))
            }
            Ast::MatchPatternP(node) => {
                let value = self.boxed(&node.value);
                Kind::Fits(value, Box::new(self.pattern(&node.pattern)))
            }
            Ast::Cvasgn(_) => return self.assignment(ast),
            Ast::Lvasgn(_)
            | Ast::Ivasgn(_)
            | Ast::Gvasgn(_)
            | Ast::Casgn(_)
            | Ast::IndexAsgn(_)
            | Ast::Masgn(_)
            | Ast::OpAsgn(_)
            | Ast::OrAsgn(_)
            | Ast::AndAsgn(_) => return self.assignment(ast),
            Ast::MatchWithLvasgn(node) => self.match_names(&node.re, &node.value),
            Ast::MatchCurrentLine(_) => return self.refuse(loc, "regular expression as condition"),
            Ast::Return(node) => Kind::Return(self.values(&node.args)),
            Ast::Break(node) => {
                let value = self.values(&node.args);
                if self.in_loop() { Kind::BreakLoop(value) } else { Kind::Break(value) }
            }
            Ast::Next(node) => {
                let value = self.values(&node.args);
                if self.in_loop() { Kind::NextLoop } else { Kind::Next(value) }
            }
            Ast::Retry(_) => Kind::Retry,
            Ast::Rescue(node) => Kind::Rescue(Box::new(self.rescue(node))),
            Ast::Ensure(node) => {
                let mut rescue = match node.body.as_deref() {
                    Some(Ast::Rescue(body)) => self.rescue(body),
                    body => {
                        let body = self.optional(body);
                        Rescue { body, clauses: Vec::new(), otherwise: None, ensure: None }
                    }
                };
                rescue.ensure = Some(self.optional(node.ensure.as_deref()));
                Kind::Rescue(Box::new(rescue))
            }
            Ast::Def(_)
            | Ast::Defs(_)
            | Ast::Class(_)
            | Ast::Module(_)
            | Ast::SClass(_)
            | Ast::Alias(_)
            | Ast::Undef(_) => match self.definition(ast) {
                Some(node) => return node,
                None => Kind::Nil,
            },
            Ast::BlockPass(_) => return self.refuse(loc, "block argument here"),
            other => return self.refuse(loc, names::construct(other.str_type())),
        };
        self.at(loc, kind)
    }

    /// The definitions of a library: modules, their constants and methods.
    fn definitions(&mut self, tree: &Ast) -> Vec<Node> {
        let statements = match tree {
            Ast::Begin(begin) => begin.statements.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut defined = Vec::new();
        for statement in statements {
            let known = self.unsupported.len();
            let node = match statement {
                Ast::Module(nodes::Module { name, body, .. })
                | Ast::Class(nodes::Class { name, body, superclass: None, .. }) => {
                    self.scopes.push(Names { names: Vec::new(), sees_outer: false });
                    let inner = body.as_deref().map(|body| self.definitions(body)).unwrap_or_default();
                    let locals = self.scopes.pop().map_or(0, |scope| scope.names.len());
                    let body = Node { line: 0, kind: Kind::Sequence(inner) };
                    let parameters = super::tree::Parameters::default();
                    let body = Lambda { parameters, locals, body, is_library: false, keeps_variables: true };
                    let is_module = matches!(statement, Ast::Module(_));
                    self.open(statement, name, None, is_module, body)
                }
                Ast::Def(_) | Ast::Defs(_) | Ast::Casgn(_) => self.node(statement),
                _ => continue,
            };
            if self.unsupported.len() > known {
                self.unsupported.truncate(known);
            } else {
                defined.push(node);
            }
        }
        defined
    }

    fn condition(&mut self, condition: &Ast, yes: Option<&Ast>, no: Option<&Ast>) -> Kind {
        let condition = self.boxed(condition);
        Kind::If(condition, self.optional_box(yes), self.optional_box(no))
    }

    fn enter_loop(&mut self) {
        self.loops.push(true);
    }

    fn in_loop(&self) -> bool {
        self.loops.last().copied().unwrap_or(false)
    }

    fn repeat(&mut self, condition: &Ast, body: Option<&Ast>, until: bool, body_first: bool) -> Kind {
        let condition = self.node(condition);
        self.enter_loop();
        let body = self.optional(body);
        self.loops.pop();
        Kind::While(Box::new(While { condition, until, body_first, body }))
    }

    fn case(&mut self, node: &nodes::Case) -> Kind {
        let subject = node.expr.as_deref().map(|expr| self.node(expr));
        let mut branches = Vec::new();
        for branch in &node.when_bodies {
            match branch {
                Ast::When(when) => {
                    let patterns = self.all(&when.patterns);
                    branches.push((patterns, self.optional(when.body.as_deref())));
                }
                other => {
                    self.refuse_part(*other.expression(), names::construct(other.str_type()));
                }
            }
        }
        let otherwise = self.optional(node.else_body.as_deref());
        Kind::Case(Box::new(Case { subject, branches, otherwise }))
    }

    fn rescue(&mut self, node: &nodes::Rescue) -> Rescue {
        let body = self.optional(node.body.as_deref());
        let mut clauses = Vec::new();
        for clause in &node.rescue_bodies {
            let Ast::RescueBody(clause) = clause else { continue };
            let classes = match clause.exc_list.as_deref() {
                Some(Ast::Array(list)) => self.all(&list.elements),
                Some(one) => vec![self.node(one)],
                None => Vec::new(),
            };
            let target = clause.exc_var.as_deref().map(|target| self.target(target));
            clauses.push((classes, target, self.optional(clause.body.as_deref())));
        }
        let otherwise = node.else_.as_deref().map(|node| self.node(node));
        Rescue { body, clauses, otherwise, ensure: None }
    }

    /// The value of `return`, `break` and `next`: several make an array.
    fn values(&mut self, nodes: &[Ast]) -> Box<Node> {
        match nodes {
            [] => Box::new(Node { line: 0, kind: Kind::Nil }),
            [one] if !matches!(one, Ast::Splat(_)) => self.boxed(one),
            nodes => {
                let line = nodes.first().map_or(0, |node| self.line(*node.expression()));
                let elements = self.all(nodes);
                Box::new(Node { line, kind: Kind::Array(elements) })
            }
        }
    }

    fn global(&mut self, name: &str) -> Option<Kind> {
        let name = name.trim_start_matches('$');
        match name {
            "~" => Some(Kind::LastMatch),
            "!" => Some(Kind::Global("!".into())),
            "?" => Some(Kind::Global("CHILD_STATUS".into())),
            ":" | "LOAD_PATH" => Some(Kind::Global("LOAD_PATH".into())),
            _ if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
                let special = ["stdout", "stderr", "stdin", "PROGRAM_NAME", "LOADED_FEATURES"];
                (!special.contains(&name)).then(|| Kind::Global(name.into()))
            }
            _ => None,
        }
    }

    fn constant(&mut self, ast: &Ast) -> Node {
        let loc = *ast.expression();
        let Some(name) = constant_name(ast) else {
            return match ast {
                Ast::Const(nodes::Const { scope: Some(scope), name, .. }) => {
                    let around = self.boxed(scope);
                    self.at(loc, Kind::ConstantOf(around, name.as_str().into()))
                }
                _ => self.refuse(loc, "constant of an expression"),
            };
        };
        let is_librarys = match self.role {
            Role::Whole => false,
            Role::WithLibraries | Role::Library => {
                let name = name.trim_start_matches("::");
                // Whether they are there is known when the program runs: documentation has a Facter.
                matches!(name, "PuppetX" | "Facter")
                    || name.starts_with("PuppetX::")
                    || name.starts_with("Puppet::")
            }
            Role::Prelude => true,
        };
        if !is_librarys && names::is_foreign_constant(name.trim_start_matches("::")) {
            return self.refuse(loc, format!("constant {name}"));
        }
        self.at(loc, Kind::Constant(name.into()))
    }

    fn assignment(&mut self, ast: &Ast) -> Node {
        let loc = *ast.expression();
        let kind = match ast {
            Ast::Masgn(node) => {
                let Ast::Mlhs(list) = &*node.lhs else {
                    return self.refuse(loc, "multiple assignment");
                };
                let value = self.boxed(&node.rhs);
                Kind::AssignMany(Box::new(self.targets(&list.items)), value)
            }
            Ast::OrAsgn(node) => {
                let target = Box::new(self.target(&node.recv));
                Kind::AssignWith(target, Operator::Or, self.boxed(&node.value))
            }
            Ast::AndAsgn(node) => {
                let target = Box::new(self.target(&node.recv));
                Kind::AssignWith(target, Operator::And, self.boxed(&node.value))
            }
            Ast::OpAsgn(node) => {
                let target = Box::new(self.target(&node.recv));
                let operator = node.operator.trim_end_matches('=');
                Kind::AssignWith(target, Operator::Method(operator.into()), self.boxed(&node.value))
            }
            Ast::Lvasgn(nodes::Lvasgn { value: Some(value), .. })
            | Ast::Ivasgn(nodes::Ivasgn { value: Some(value), .. })
            | Ast::Gvasgn(nodes::Gvasgn { value: Some(value), .. })
            | Ast::Cvasgn(nodes::Cvasgn { value: Some(value), .. })
            | Ast::Casgn(nodes::Casgn { value: Some(value), .. })
            | Ast::IndexAsgn(nodes::IndexAsgn { value: Some(value), .. }) => {
                // The variable exists before its value is evaluated.
                let target = self.target(ast);
                Kind::Assign(Box::new(target), self.boxed(value))
            }
            _ => return self.refuse(loc, "assignment"),
        };
        self.at(loc, kind)
    }

    fn targets(&mut self, items: &[Ast]) -> Targets {
        let mut targets = Targets { first: Vec::new(), rest: None, last: Vec::new() };
        for item in items {
            match item {
                Ast::Splat(splat) => {
                    targets.rest = Some(splat.value.as_deref().map(|value| Box::new(self.target(value))));
                }
                Ast::Restarg(rest) => {
                    targets.rest =
                        Some(rest.name.as_deref().map(|name| Box::new(Target::Local(self.declare(name)))));
                }
                item if targets.rest.is_none() => {
                    let target = self.target(item);
                    targets.first.push(target);
                }
                item => {
                    let target = self.target(item);
                    targets.last.push(target);
                }
            }
        }
        targets
    }

    fn target(&mut self, ast: &Ast) -> Target {
        match ast {
            Ast::Lvasgn(node) => Target::Local(self.local(&node.name)),
            Ast::Lvar(node) => Target::Local(self.local(&node.name)),
            Ast::Arg(node) => Target::Local(self.declare(&node.name)),
            Ast::Ivasgn(node) => Target::Instance(node.name.trim_start_matches('@').into()),
            Ast::Ivar(node) => Target::Instance(node.name.trim_start_matches('@').into()),
            Ast::Gvasgn(node) => Target::Global(node.name.trim_start_matches('$').into()),
            Ast::Gvar(node) => Target::Global(node.name.trim_start_matches('$').into()),
            Ast::Cvasgn(node) => Target::ClassVariable(node.name.trim_start_matches('@').into()),
            Ast::Cvar(node) => Target::ClassVariable(node.name.trim_start_matches('@').into()),
            Ast::Casgn(node) if node.scope.is_none() => Target::Constant(node.name.as_str().into()),
            Ast::Casgn(nodes::Casgn { scope: Some(scope), name, .. })
                if !matches!(**scope, Ast::Cbase(_)) =>
            {
                Target::ConstantOf(self.node(scope), name.as_str().into())
            }
            Ast::IndexAsgn(node) => Target::Index(self.node(&node.recv), self.all(&node.indexes)),
            Ast::Index(node) => Target::Index(self.node(&node.recv), self.all(&node.indexes)),
            Ast::Send(nodes::Send { recv: Some(receiver), method_name, .. }) => {
                Target::Attribute(self.node(receiver), method_name.trim_end_matches('=').into(), false)
            }
            Ast::CSend(node) => {
                Target::Attribute(self.node(&node.recv), node.method_name.trim_end_matches('=').into(), true)
            }
            Ast::Mlhs(list) => Target::Many(self.targets(&list.items)),
            other => {
                self.refuse_part(
                    *other.expression(),
                    format!("assignment to {}", names::construct(other.str_type())),
                );
                Target::Instance("".into())
            }
        }
    }
}

/// Statements, with those that write to one variable one after the other made one.
fn writes_together(nodes: Vec<Node>) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let Some((local, what)) = written(&node) else {
            all.push(node);
            continue;
        };
        let line = node.line;
        let write = Write { call: node, what };
        match all.last_mut() {
            Some(Node { kind: Kind::Writes(to, writes), .. }) if *to == local => writes.push(write),
            _ => all.push(Node { line, kind: Kind::Writes(local, vec![write]) }),
        }
    }
    all
}

/// The variable that an expression writes to with `<<`, and what.
fn written(node: &Node) -> Option<(Local, Written)> {
    let Kind::Call(call) = &node.kind else { return None };
    let (Some(Node { kind: Kind::Local(local), .. }), [added]) = (&call.receiver, call.arguments.as_slice())
    else {
        return None;
    };
    let is_plain = call.name == "<<"
        && call.block.is_none()
        && !call.keywords
        && !call.safe
        && !matches!(added.kind, Kind::Splat(_));
    is_plain.then(|| {
        let what = match super::writing::literal(added) {
            Some(text) => Written::Literal(text.clone()),
            None if super::writing::shown(added).is_some() => Written::Shown,
            None => Written::Any,
        };
        (*local, what)
    })
}

/// The whole name of a constant: `A::B`.
fn constant_name(ast: &Ast) -> Option<String> {
    match ast {
        Ast::Const(node) => match node.scope.as_deref() {
            None => Some(node.name.clone()),
            Some(Ast::Cbase(_)) => Some(format!("::{}", node.name)),
            Some(scope) => constant_name(scope).map(|scope| format!("{scope}::{}", node.name)),
        },
        _ => None,
    }
}
