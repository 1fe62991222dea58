//! The tree that the interpreter runs: the part of Ruby that it knows, with names of local variables made
//! into places.

use std::sync::Arc;

use super::class::MethodOfClass;
use super::lower::Unsupported;
use bunraku_pcore::big::BigInt;
use bunraku_pcore::value::{RegexpValue, Str};

/// A program that can be run any number of times, by any thread.
#[derive(Debug)]
pub struct Program {
    /// The file, for messages.
    pub file: Arc<str>,
    /// The body.
    pub body: Node,
    /// The names of its local variables, by place.
    pub locals: Vec<Str>,
    /// The constructs that are rejected when they are reached.
    pub unknown: Vec<Unsupported>,
}

/// An expression with its line.
#[derive(Debug)]
pub struct Node {
    /// The line, from 1.
    pub line: u32,
    /// The kind.
    pub kind: Kind,
}

/// The place of a local variable: how many blocks further out, and which of that block's variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// Blocks between.
    pub depth: u32,
    /// The variable's number.
    pub slot: u32,
}

/// The kinds of expressions.
#[derive(Debug)]
pub enum Kind {
    /// `nil`, and expressions without a value.
    Nil,
    /// A construct that is rejected when it is reached, by its name.
    Unknown(Str),
    /// `true`, `false`
    Boolean(bool),
    /// `self`
    Itself,
    /// A whole number.
    Integer(i64),
    /// A whole number beyond 64 bits.
    Big(BigInt),
    /// A number with a fraction.
    Float(f64),
    /// A string without interpolation.
    Text(Str),
    /// `"a#{b}"`, heredocs.
    Interpolated(Vec<Node>),
    /// `:a`
    Symbol(Str),
    /// `:"a#{b}"`
    InterpolatedSymbol(Vec<Node>),
    /// A regular expression without interpolation, its options in it.
    Pattern(Arc<RegexpValue>),
    /// A regular expression with interpolation, and its options.
    InterpolatedPattern(Vec<Node>, Str),
    /// `[a, *b]`
    Array(Vec<Node>),
    /// `{a => b, **c}`; a [`Kind::DoubleSplat`] has no value.
    Hash(Vec<(Node, Option<Node>)>),
    /// `*a` in a list.
    Splat(Box<Node>),
    /// `**a` in a hash.
    DoubleSplat(Box<Node>),
    /// `a..b`, and whether the end is excluded.
    Range(Option<Box<Node>>, Option<Box<Node>>, bool),
    /// A local variable.
    Local(Local),
    /// `@a`, the name without `@`.
    Instance(Str),
    /// `$a`, the name without `$`.
    Global(Str),
    /// A constant by its whole name.
    Constant(Str),
    /// `$1`; `$&` is 0.
    Group(usize),
    /// `$~`
    LastMatch,
    /// `` $` ``, `$'`: the text before or after the match.
    Around(bool),
    /// One after the other; the value is the last's.
    Sequence(Vec<Node>),
    /// `if`, `unless`, `? :`
    If(Box<Node>, Box<Node>, Box<Node>),
    /// `while`, `until`
    While(Box<While>),
    /// `for a in b`
    For(Box<Target>, Box<Node>, Box<Node>),
    /// `a && b`
    And(Box<Node>, Box<Node>),
    /// `a || b`
    Or(Box<Node>, Box<Node>),
    /// `defined?(a)`
    Defined(Box<Node>),
    /// `case`
    Case(Box<Case>),
    /// A call.
    Call(Box<Call>),
    /// `text << a; text << b`: statements that write to one variable, which most of a template is.
    Writes(Local, Vec<Write>),
    /// `->(a) { … }`
    Lambda(Arc<Lambda>),
    /// `yield`, and whether the last argument is a hash without braces.
    Yield(Vec<Node>, bool),
    /// `a = b`
    Assign(Box<Target>, Box<Node>),
    /// `a, b = c`
    AssignMany(Box<Targets>, Box<Node>),
    /// `a += b`, `a ||= b`, `a &&= b`
    AssignWith(Box<Target>, Operator, Box<Node>),
    /// `/(?<a>…)/ =~ b`: the groups become local variables.
    MatchNames(Box<Node>, Box<Node>, Vec<(Str, Local)>),
    /// `return`
    Return(Box<Node>),
    /// `break` of a block.
    Break(Box<Node>),
    /// `next` of a block.
    Next(Box<Node>),
    /// `break` of `while`.
    BreakLoop(Box<Node>),
    /// `next` of `while`.
    NextLoop,
    /// `retry`
    Retry,
    /// `begin … rescue … else … ensure … end`
    Rescue(Box<Rescue>),
    /// `def a(b) … end`
    Define(Str, Arc<Lambda>),
    /// `def a.b(c) … end`
    DefineOn(Box<Node>, Str, Arc<Lambda>),
    /// `class A < B … end`, `module A … end`
    Open(Box<Open>),
    /// `class << a … end`
    Singleton(Box<Node>, Arc<Lambda>),
    /// `super`
    Super(Box<Call>),
    /// `@@a`, the name without `@@`.
    ClassVariable(Str),
    /// `a::B` where `a` is not a constant.
    ConstantOf(Box<Node>, Str),
    /// `alias a b`
    Alias(Box<Node>, Box<Node>),
    /// `undef a, b`
    Undefine(Vec<Node>),
    /// `case … in …`
    CaseIn(Box<CaseIn>),
    /// `a in b`
    Fits(Box<Node>, Box<Pattern>),
    /// `a => b`
    MustFit(Box<Node>, Box<Pattern>),
    /// `binding`, with the names of the variables that are seen, the outermost block first.
    Binding(Vec<Vec<Str>>),
}

/// The beginning of a class or module.
#[derive(Debug)]
pub struct Open {
    /// The enclosing module, if the name contains it.
    pub around: Option<Node>,
    /// Whether the name begins with `::`.
    pub is_top: bool,
    /// The name.
    pub name: Str,
    /// The parent of a class.
    pub parent: Option<Node>,
    /// Whether it is a module.
    pub is_module: bool,
    /// The content.
    pub body: Arc<Lambda>,
}

/// `case … in … else … end`
#[derive(Debug)]
pub struct CaseIn {
    /// The subject.
    pub subject: Node,
    /// Patterns, their conditions with the required truth, and the branches.
    pub branches: Vec<(Pattern, Option<Guard>, Node)>,
    /// Otherwise; nothing: an exception.
    pub otherwise: Option<Node>,
}

/// A condition, and whether it must hold or must not.
pub type Guard = (Node, bool);

/// The form of a value.
#[derive(Debug)]
pub enum Pattern {
    /// `===` of a value.
    Value(Node),
    /// Anything, which gets a name.
    Bind(Local),
    /// `a | b`
    Either(Vec<Pattern>),
    /// `a => b`
    Named(Box<Pattern>, Local),
    /// `A[…]`, `[a, *b, c]`
    Array(Option<Node>, Vec<Pattern>, Option<Option<Local>>, Vec<Pattern>),
    /// `[*, a, *]`
    Find(Option<Node>, Option<Local>, Vec<Pattern>, Option<Local>),
    /// `A(…)`, `{a:, b: c, **d}`
    Hash(Option<Node>, Vec<(Str, Option<Pattern>, Option<Local>)>, Rest),
    /// `A()`, which fits when the constant does and nothing is in it.
    Of(Node),
}

/// The other content of a hash that a pattern allows.
#[derive(Clone, Copy, Debug)]
pub enum Rest {
    /// Anything.
    Any,
    /// Anything, which gets a name.
    Named(Local),
    /// Nothing.
    Nothing,
}

/// How `a op= b` joins.
#[derive(Clone, Debug)]
pub enum Operator {
    /// `||=`
    Or,
    /// `&&=`
    And,
    /// Any method.
    Method(Str),
}

/// A loop.
#[derive(Debug)]
pub struct While {
    /// The condition.
    pub condition: Node,
    /// Whether it ends when the condition holds.
    pub until: bool,
    /// `begin … end while`: the body comes first.
    pub body_first: bool,
    /// The body.
    pub body: Node,
}

/// `case … when … else … end`
#[derive(Debug)]
pub struct Case {
    /// The subject.
    pub subject: Option<Node>,
    /// Patterns with their branches.
    pub branches: Vec<(Vec<Node>, Node)>,
    /// Otherwise.
    pub otherwise: Node,
}

/// A call of a method.
#[derive(Debug)]
pub struct Call {
    /// On what; none for `self`.
    pub receiver: Option<Node>,
    /// The method.
    pub name: Str,
    /// The arguments; they may be splats.
    pub arguments: Vec<Node>,
    /// The block.
    pub block: Option<BlockArgument>,
    /// `&.`
    pub safe: bool,
    /// A plain name, which could have been a variable.
    pub bare: bool,
    /// Whether the last argument is a hash without braces.
    pub keywords: bool,
    /// The method that the first receiver had.
    pub(super) found: MethodOfClass,
}

impl Call {
    /// A call with arguments in parentheses.
    pub(super) fn of(receiver: Node, name: &str, arguments: Vec<Node>) -> Self {
        Self {
            receiver: Some(receiver),
            name: name.into(),
            arguments,
            block: None,
            safe: false,
            bare: false,
            keywords: false,
            found: MethodOfClass::default(),
        }
    }

    /// Whether it has neither arguments nor a block, and a receiver other than `self`.
    pub(super) fn is_lone(&self) -> bool {
        self.arguments.is_empty()
            && self.block.is_none()
            && self.receiver.as_ref().is_some_and(|receiver| !matches!(receiver.kind, Kind::Itself))
    }
}

/// `text << a` among the statements of a program.
#[derive(Debug)]
pub struct Write {
    /// The whole call, for variables that are not plain texts.
    pub call: Node,
    /// What it writes.
    pub what: Written,
}

/// What a [`Write`] writes.
#[derive(Debug)]
pub enum Written {
    /// A text that stands in the program.
    Literal(Str),
    /// `a.to_s`
    Shown,
    /// Something else.
    Any,
}

/// The block of a call.
#[derive(Debug)]
pub enum BlockArgument {
    /// `{ … }`, `do … end`
    Literal(Arc<Lambda>),
    /// `&a`
    Pass(Node),
}

/// A block, the body of a method or of a lambda.
#[derive(Debug)]
pub struct Lambda {
    /// The parameters.
    pub parameters: Parameters,
    /// The number of local variables.
    pub locals: usize,
    /// The body.
    pub body: Node,
    /// Whether it is in a part of Ruby's library that is written in Ruby here.
    pub is_library: bool,
    /// Whether blocks in it, or a `binding`, may keep its variables beyond its end.
    pub keeps_variables: bool,
}

/// Parameters.
#[derive(Debug, Default)]
pub struct Parameters {
    /// Those at the beginning.
    pub required: Vec<Target>,
    /// Those with defaults.
    pub optional: Vec<(Local, Node)>,
    /// `*a`; without a variable for a plain `*`.
    pub rest: Option<Option<Local>>,
    /// The ones after it.
    pub last: Vec<Target>,
    /// `a:`, `a: 1`
    pub keywords: Vec<(Str, Local, Option<Node>)>,
    /// `**a`
    pub keyword_rest: Option<Option<Local>>,
    /// `&a`
    pub block: Option<Local>,
    /// `**nil`
    pub no_keywords: bool,
    /// `|a, |`: expands an array although there is one parameter.
    pub trailing_comma: bool,
    /// The number of parameters, where all are plain variables in the first places.
    pub plain: Option<usize>,
}

impl Parameters {
    /// Finds out whether all are plain variables.
    pub(super) fn settle(&mut self) {
        let is_in_place = |(at, target): (usize, &Target)| matches!(target, Target::Local(local) if local.depth == 0 && local.slot as usize == at);
        let has_others = !self.optional.is_empty()
            || self.rest.is_some()
            || !self.last.is_empty()
            || !self.keywords.is_empty()
            || self.keyword_rest.is_some()
            || self.block.is_some()
            || self.trailing_comma;
        let is_plain = !has_others && self.required.iter().enumerate().all(is_in_place);
        self.plain = is_plain.then_some(self.required.len());
    }

    /// Whether a block with these takes a single array apart.
    pub const fn takes_apart(&self) -> bool {
        let positional = self.required.len() + self.optional.len() + self.last.len();
        positional > 1 || (positional > 0 && self.rest.is_some()) || self.trailing_comma
    }
}

/// The targets of values.
#[derive(Debug)]
pub enum Target {
    /// A local variable.
    Local(Local),
    /// `@a`
    Instance(Str),
    /// `$a`
    Global(Str),
    /// `A`
    Constant(Str),
    /// `a::B`
    ConstantOf(Node, Str),
    /// `@@a`
    ClassVariable(Str),
    /// `a[b]`
    Index(Node, Vec<Node>),
    /// `a.b`, and whether with `&.`
    Attribute(Node, Str, bool),
    /// `(a, b)`
    Many(Targets),
}

/// `a, *b, c`
#[derive(Debug)]
pub struct Targets {
    /// Before the splat.
    pub first: Vec<Target>,
    /// The splat; without a target for a plain `*`.
    pub rest: Option<Option<Box<Target>>>,
    /// Behind the splat.
    pub last: Vec<Target>,
}

/// `begin … rescue … end`
#[derive(Debug)]
pub struct Rescue {
    /// The body.
    pub body: Node,
    /// Classes, the target of the exception, the body.
    pub clauses: Vec<(Vec<Node>, Option<Target>, Node)>,
    /// The body for no exception.
    pub otherwise: Option<Node>,
    /// The final body.
    pub ensure: Option<Node>,
}
