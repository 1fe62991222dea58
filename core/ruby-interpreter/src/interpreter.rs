//! Runs a program: one match over the kinds of expressions.

use std::cell::Cell;

use rustc_hash::FxHashMap;

use super::call::{Args, Block};
use super::class::{self, Class};
use super::failure::{Failure, R, Run, Unwind};
use super::lower::literals::with_options;
use super::modules::{Context, Module, Nesting, Object, Visibility};
use super::tree::{BlockArgument, Call, Case, Kind, Lambda, Local, Node, Program, Target};
use super::value::{Binding, Code, Entries, Env, Exception, Frame, Heap, Key, Match, Proc, Val};
use super::world::World;
use bunraku_pcore::Value;
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::{Error, ErrorKind};

/// A run of a program.
pub(super) struct Interpreter<'a> {
    pub heap: &'a Heap<'a>,
    pub world: &'a dyn World,
    /// The line of the expression that is evaluated.
    pub line: u32,
    pub last_match: Option<&'a Match<'a>>,
    /// The name of the method of the program that runs.
    pub(super) method: Option<&'a str>,
    pub methods: FxHashMap<&'a str, &'a Lambda>,
    pub file: &'a str,
    /// Modules that the program defines.
    pub(super) modules: super::modules::Modules<'a>,
    /// The declaration of the file's function, if the program defines one.
    pub definition: Option<super::function::Definition>,
    /// The class of the function that a file defines.
    pub(super) function_class: Option<&'a Module<'a>>,
    /// The tags of the `catch`es under way.
    pub(super) catches: Vec<Val<'a>>,
    /// Whether a function of the 3.x API runs: references are resources to it.
    pub(super) is_legacy: bool,
    /// The functions of the 3.x API that the program has declared.
    pub(super) legacy_functions: Vec<super::function::LegacyFunction<'a>>,
    pub(super) instances: FxHashMap<Str, Val<'a>>,
    /// Variables of the scope by the names that they have in Ruby, where those differ or the scope's may
    /// change.
    pub(super) variables: Option<FxHashMap<String, (Str, Value)>>,
    /// Variables of the scope that the program has set, with their previous values.
    pub(super) before: FxHashMap<Str, Option<Value>>,
    /// Whether variables of the scope have the same names in Ruby, once that was asked.
    pub(super) is_named_alike: Option<bool>,
    /// Variables of the scope that Ruby can change in place.
    pub(super) shared: super::shared::Shared<'a>,
    pub(super) globals: FxHashMap<&'a str, Val<'a>>,
    /// The state that calls hand on.
    pub(super) kept: super::kept::Seen<'a>,
    /// The catalog as an object with variables, once it has got one.
    pub(super) catalog: Option<&'a Object<'a>>,
    pub(super) constants: FxHashMap<&'a str, Val<'a>>,
    /// The place outside of all classes and modules.
    pub(super) outside: &'a Nesting<'a>,
    main: &'a Context<'a>,
    /// The owner of methods outside of classes.
    pub(super) nowhere: &'a Module<'a>,
    /// Files that were loaded, by their paths.
    pub(super) loaded: Vec<Str>,
    /// Parts of Ruby's library that were loaded.
    pub(super) preludes: FxHashMap<usize, bool>,
    /// The number of libraries in progress of loading.
    pub(super) loading: u32,
    /// Whether what runs is a part of Ruby's library that is written in Ruby here.
    pub(super) in_library: bool,
    pub(super) error: Option<&'a Exception<'a>>,
    numbers: u64,
    depth: u32,
    /// The size of the heap from which it is checked again.
    next_size_check: Cell<usize>,
    /// The size that a text may have, as far as was asked.
    allowed_size: Cell<usize>,
    /// The steps of which the world was not told.
    untold: Cell<u64>,
    /// The variables of the last run of a block that nothing can have kept, for its next run.
    pub(super) spare: Option<(&'a Lambda, &'a Env<'a>)>,
}

/// The number of steps of which the world is told at once.
const STEPS_TOLD_AT_ONCE: u64 = 32;

/// The maximum nesting of expressions during evaluation, including those in calls.
const DEEPEST: u32 = 20_000;

/// The number of levels between two checks of the remaining stack.
const LEVELS_BETWEEN_STACK_LOOKS: u32 = 32;

/// The number of bytes by which the heap grows between two checks of its size.
const BYTES_BETWEEN_SIZE_CHECKS: usize = 1 << 10;

/// The number of bytes of a regular expression in a step when it is compiled.
const BYTES_OF_PATTERN_IN_STEP: u64 = 16;

impl<'a> Interpreter<'a> {
    pub fn new(heap: &'a Heap<'a>, world: &'a dyn World, file: &'a str) -> Self {
        let outside = heap.nesting(Nesting::default());
        let main = heap.context(Context {
            itself: Val::Main,
            nesting: outside,
            definee: None,
            method: None,
            visibility: Visibility::Public.into(),
        });
        Self {
            heap,
            world,
            line: 0,
            last_match: None,
            method: None,
            methods: FxHashMap::default(),
            file,
            modules: super::modules::Modules::default(),
            definition: None,
            catches: Vec::new(),
            is_legacy: false,
            function_class: None,
            legacy_functions: Vec::new(),
            instances: FxHashMap::default(),
            variables: None,
            before: FxHashMap::default(),
            is_named_alike: None,
            shared: super::shared::Shared::default(),
            globals: FxHashMap::default(),
            kept: super::kept::Seen::default(),
            catalog: None,
            constants: FxHashMap::default(),
            outside,
            main,
            nowhere: heap.module(Module::default()),
            loaded: Vec::new(),
            preludes: FxHashMap::default(),
            loading: 0,
            in_library: false,
            error: None,
            numbers: 0,
            depth: 0,
            next_size_check: Cell::new(0),
            allowed_size: Cell::new(0),
            untold: Cell::new(0),
            spare: None,
        }
    }

    /// Runs a program; `return` ends it.
    pub fn run(&mut self, program: &'a Program) -> R<'a> {
        let env = self.heap.env(program.locals.len(), None);
        match self.eval(&program.body, env, self.outer_frame()) {
            Err(Unwind::Return(0, value)) => Ok(value),
            other => other,
        }
    }

    /// Runs a file that another one loads: `return` only ends this file.
    pub fn run_file(&mut self, program: &'a Program) -> R<'a> {
        let env = self.heap.env(program.locals.len(), None);
        let frame = Frame { id: self.next_number(), ..self.outer_frame() };
        let error = self.error.take();
        let result = self.eval(&program.body, env, frame);
        self.error = error;
        match result {
            Err(Unwind::Return(id, value)) if id == frame.id => Ok(value),
            other => other,
        }
    }

    /// The frame outside of all methods.
    pub const fn outer_frame(&self) -> Frame<'a> {
        Frame { id: 0, block: None, tag: u64::MAX, context: self.main }
    }

    /// The external form of a failure.
    pub fn failure(&mut self, unwind: Unwind<'a>) -> Failure {
        match unwind {
            Unwind::Raise(exception) => {
                let line = exception.line.get();
                let message = self.message_of(exception).unwrap_or_default();
                let error = match &exception.error {
                    Some(error) => error.clone(),
                    None if exception.class.is_a(&class::ARGUMENT_ERROR) => Error::argument(message.as_str()),
                    None => Error::plain(message.as_str()),
                };
                let name = Some(self.class_name(Val::Exception(exception)).into());
                Failure { class: Some(exception.class.name), name, error: Box::new(error), line }
            }
            Unwind::Fatal(error) => Failure { class: None, name: None, error, line: self.line },
            Unwind::Throw(thrown) => {
                let tag = self.inspect(thrown.0).unwrap_or_default();
                let error = Error::plain(format!("uncaught throw {tag}"));
                Failure {
                    class: Some(class::UNCAUGHT_THROW_ERROR.name),
                    name: Some(class::UNCAUGHT_THROW_ERROR.name.into()),
                    error: Box::new(error),
                    line: self.line,
                }
            }
            Unwind::Break(..)
            | Unwind::Next(_)
            | Unwind::Return(..)
            | Unwind::BreakLoop(_)
            | Unwind::NextLoop
            | Unwind::Retry => {
                let error = Error::plain("unexpected return");
                let name = class::LOCAL_JUMP_ERROR.name;
                Failure {
                    class: Some(name),
                    name: Some(name.into()),
                    error: Box::new(error),
                    line: self.line,
                }
            }
        }
    }

    /// An exception.
    ///
    /// Ruby's library has other messages about invalid arguments than its implementation here.
    pub fn raise(&self, class: &'static Class, message: impl Into<Str>) -> Unwind<'a> {
        if self.in_library
            && matches!(class.name, "ArgumentError" | "LocalJumpError" | "NoMethodError" | "TypeError")
        {
            return self.unsupported(format!("such an argument of Ruby's library ({})", message.into()));
        }
        let message = self.heap.string(message);
        Unwind::Raise(self.new_exception(class, message, None))
    }

    /// An exception of one of Ruby's own classes, caused by the one being handled.
    pub fn new_exception(
        &self,
        class: &'static Class,
        message: Val<'a>,
        error: Option<Error>,
    ) -> &'a Exception<'a> {
        self.heap.exception(Exception {
            class,
            object: None,
            message: message.into(),
            line: self.line.into(),
            cause: self.error.into(),
            backtrace: Val::Nil.into(),
            error,
        })
    }

    /// A failure of the compilation inside the program: an exception, or the end when a limit is exceeded.
    pub fn fail(&self, error: Error) -> Unwind<'a> {
        if error.kind.ends_work() || error.message.contains(super::NEEDS_RUBY) {
            return Unwind::Fatal(Box::new(error));
        }
        let class = if error.kind == ErrorKind::Argument {
            &class::ARGUMENT_ERROR
        } else {
            &class::PUPPET_PARSE_ERROR
        };
        let message = self.heap.string(error.to_string());
        Unwind::Raise(self.new_exception(class, message, Some(error)))
    }

    /// One step of work.
    pub fn step(&self) -> Run<'a, ()> {
        self.charge_steps(1)
    }

    /// The work of moving this number of values.
    pub fn work_on(&self, values: usize) -> Run<'a, ()> {
        self.charge_steps(1 + values as u64 / 64)
    }

    /// So many steps of work. The world learns of some at once.
    #[inline]
    pub fn charge_steps(&self, steps: u64) -> Run<'a, ()> {
        let untold = self.untold.get().saturating_add(steps);
        self.untold.set(untold);
        if untold >= STEPS_TOLD_AT_ONCE { self.tell_steps() } else { Ok(()) }
    }

    /// Tells the world of the steps since the last time, and what the heap takes.
    pub fn tell_steps(&self) -> Run<'a, ()> {
        let used = self.heap.used();
        let mut done = self.world.charge(self.untold.take());
        if used >= self.next_size_check.get() {
            self.next_size_check.set(used.saturating_add(BYTES_BETWEEN_SIZE_CHECKS));
            done = done.and_then(|()| self.world.check_size(used));
        }
        done.map_err(|error| Unwind::Fatal(Box::new(error)))
    }

    /// The limits of long work.
    pub fn fuel(&self) -> &dyn Fuel {
        self.world
    }

    /// One call deeper.
    pub fn enter(&self) -> Run<'a, ()> {
        self.world.enter().map_err(|error| Unwind::Fatal(Box::new(error)))
    }

    /// As [`check_size`](Self::check_size) for a text that grows: not each piece of it is looked at.
    #[inline]
    pub fn check_growth(&self, bytes: usize) -> Run<'a, ()> {
        if bytes <= self.allowed_size.get() { Ok(()) } else { self.ask_to_grow(bytes) }
    }

    #[cold]
    fn ask_to_grow(&self, bytes: usize) -> Run<'a, ()> {
        let more = bytes.saturating_add(BYTES_BETWEEN_SIZE_CHECKS);
        if self.world.check_size(more).is_ok() {
            self.allowed_size.set(more);
            return Ok(());
        }
        self.check_size(bytes)
    }

    /// Refuses to make something so large.
    pub fn check_size(&self, bytes: usize) -> Run<'a, ()> {
        self.world.check_size(bytes).map_err(|error| Unwind::Fatal(Box::new(error)))
    }

    pub fn next_number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// The value of an expression.
    pub fn eval(&mut self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        match self.plain(node, env, frame) {
            Some(value) => {
                self.reach(node);
                Ok(value)
            }
            None => self.eval_deeper(node, env, frame),
        }
    }

    /// An expression is evaluated: the line of messages.
    pub(super) const fn reach(&mut self, node: &Node) {
        if node.line > 0 {
            self.line = node.line;
        }
    }

    /// The value of an expression that has no others in it.
    fn plain(&self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> Option<Val<'a>> {
        Some(match &node.kind {
            Kind::Nil => Val::Nil,
            Kind::Boolean(truth) => Val::Boolean(*truth),
            Kind::Itself => frame.context.itself,
            Kind::Integer(number) => Val::Integer(*number),
            Kind::Text(text) => self.heap.utf8(text.clone()),
            Kind::Symbol(name) => Val::Symbol(name),
            Kind::Local(local) => find(env, *local),
            Kind::Instance(name) if matches!(frame.context.itself, Val::Main) => *self.instances.get(name)?,
            _ => return None,
        })
    }

    fn eval_deeper(&mut self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        if self.depth > DEEPEST {
            let error = Error::limit(format!("Ruby expressions nest deeper than {DEEPEST}"));
            return Err(Unwind::Fatal(Box::new(error)));
        }
        self.depth += 1;
        let result = if self.depth.is_multiple_of(LEVELS_BETWEEN_STACK_LOOKS) && bunraku_stacks::is_short() {
            bunraku_stacks::further_stack(|| self.eval_here(node, env, frame))
                .unwrap_or_else(|error| Err(Unwind::Fatal(Box::new(error))))
        } else {
            // The commonest ones, without the long way to all others.
            match &node.kind {
                Kind::Call(call) => {
                    self.reach(node);
                    self.call(node, call, env, frame)
                }
                Kind::Writes(to, writes) => {
                    self.reach(node);
                    self.writes((*to, writes), env, frame)
                }
                _ => self.eval_here(node, env, frame),
            }
        };
        self.depth -= 1;
        result
    }

    fn eval_here(&mut self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        self.reach(node);
        Ok(match &node.kind {
            Kind::Nil
            | Kind::Boolean(_)
            | Kind::Itself
            | Kind::Integer(_)
            | Kind::Text(_)
            | Kind::Symbol(_)
            | Kind::Local(_) => self.plain(node, env, frame).unwrap_or(Val::Nil),
            Kind::Unknown(construct) => return Err(self.unsupported(construct)),
            Kind::Big(number) => Val::Big(number),
            Kind::Float(number) => Val::Float(*number),
            Kind::Interpolated(parts) => self.heap.string(self.joined(parts, env, frame)?),
            Kind::InterpolatedSymbol(parts) => self.heap.symbol(self.joined(parts, env, frame)?),
            Kind::Pattern(pattern) => Val::Regexp(pattern),
            Kind::InterpolatedPattern(parts, options) => self.pattern(parts, options, env, frame)?,
            Kind::Array(elements) => {
                let values = self.list(elements, env, frame)?;
                self.heap.array(values)
            }
            Kind::Hash(pairs) => self.pairs(pairs, env, frame)?,
            Kind::Splat(value) => {
                let value = self.eval(value, env, frame)?;
                let values = self.splat(value)?;
                self.heap.array(values)
            }
            Kind::DoubleSplat(value) => self.eval(value, env, frame)?,
            Kind::Range(from, to, exclusive) => {
                let (from, to) = (from.as_deref(), to.as_deref());
                let ends = [self.optional(from, env, frame)?, self.optional(to, env, frame)?];
                self.range([from, to], ends, *exclusive)?
            }
            Kind::Instance(name) => match frame.context.itself {
                Val::Main => self.instance(name)?,
                itself => self.variable_of(itself, name)?.unwrap_or(Val::Nil),
            },
            Kind::ClassVariable(name) => self.class_variable(name, frame)?,
            Kind::Global(name) if name == "!" => self.error.map_or(Val::Nil, Val::Exception),
            Kind::Global(name) if name == "LOAD_PATH" => self.load_path(),
            Kind::Global(name) => self.global(name)?,
            Kind::Constant(name) => self.constant(name, frame.context.nesting)?,
            Kind::ConstantOf(around, name) => {
                let around = self.eval(around, env, frame)?;
                self.constant_of(around, name)?
            }
            Kind::Group(number) => match self.last_match.and_then(|found| found.group(*number)) {
                Some(text) => self.heap.string(text),
                None => Val::Nil,
            },
            Kind::LastMatch => self.last_match.map_or(Val::Nil, Val::Match),
            Kind::Around(before) => match self.last_match {
                Some(found) => {
                    let (start, end) = found.captures.first().copied().flatten().unwrap_or_default();
                    let text = if *before { found.text.get(..start) } else { found.text.get(end..) };
                    self.heap.string(text.unwrap_or_default())
                }
                None => Val::Nil,
            },
            Kind::Sequence(nodes) => {
                let mut value = Val::Nil;
                for node in nodes {
                    value = self.eval(node, env, frame)?;
                }
                value
            }
            Kind::If(condition, yes, no) => {
                let branch = if self.eval(condition, env, frame)?.is_truthy() { yes } else { no };
                self.eval(branch, env, frame)?
            }
            Kind::While(_) => self.repeat(node, env, frame)?,
            Kind::For(target, over, body) => {
                let over = self.eval(over, env, frame)?;
                self.for_each(target, over, body, env, frame)?
            }
            Kind::And(left, right) => match self.eval(left, env, frame)? {
                value if value.is_truthy() => self.eval(right, env, frame)?,
                value => value,
            },
            Kind::Or(left, right) => match self.eval(left, env, frame)? {
                value if value.is_truthy() => value,
                _ => self.eval(right, env, frame)?,
            },
            Kind::Defined(what) => match self.defined(what, env, frame)? {
                Some(what) => self.heap.string(what),
                None => Val::Nil,
            },
            Kind::Case(case) => self.case(case, env, frame)?,
            Kind::Call(call) => return self.call(node, call, env, frame),
            Kind::Writes(to, writes) => return self.writes((*to, writes), env, frame),
            Kind::Lambda(lambda) => {
                let code = Code::Block { lambda, env, frame, tag: self.next_number() };
                Val::Proc(self.heap.proc(code, true))
            }
            Kind::Yield(arguments, keywords) => {
                let (values, keywords) = self.arguments(arguments, *keywords, env, frame)?;
                match frame.block {
                    Some(block) => {
                        self.call_proc_with(block, Args { values: &values, block: None, keywords })?
                    }
                    None => return Err(self.raise(&class::LOCAL_JUMP_ERROR, "no block given (yield)")),
                }
            }
            Kind::Assign(target, value) => self.assignment(node, target, value, env, frame)?,
            Kind::AssignMany(targets, value) => {
                let value = self.eval(value, env, frame)?;
                self.assign_many(targets, value, env, frame)?;
                value
            }
            Kind::AssignWith(target, operator, value) => {
                self.assign_with(target, operator, value, env, frame)?
            }
            Kind::MatchNames(pattern, text, names) => {
                let pattern = self.eval(pattern, env, frame)?;
                let text = self.eval(text, env, frame)?;
                let at = self.send(pattern, "=~", &[text])?;
                self.put_groups(names, !at.is_nil(), env);
                at
            }
            Kind::Return(value) => {
                let value = self.eval(value, env, frame)?;
                return Err(Unwind::Return(frame.id, value));
            }
            Kind::Break(value) => {
                let value = self.eval(value, env, frame)?;
                return Err(Unwind::Break(frame.tag, value));
            }
            Kind::Next(value) => {
                let value = self.eval(value, env, frame)?;
                return Err(Unwind::Next(value));
            }
            Kind::BreakLoop(value) => {
                let value = self.eval(value, env, frame)?;
                return Err(Unwind::BreakLoop(value));
            }
            Kind::NextLoop => return Err(Unwind::NextLoop),
            Kind::Retry => return Err(Unwind::Retry),
            Kind::Rescue(rescue) => self.rescue(rescue, env, frame)?,
            Kind::Define(name, lambda) => self.define_here(name, lambda, frame)?,
            Kind::DefineOn(..)
            | Kind::Open(_)
            | Kind::Singleton(..)
            | Kind::Alias(..)
            | Kind::Undefine(_) => self.definition(node, env, frame)?,
            Kind::Super(call) => self.super_call(node, call, env, frame)?,
            Kind::CaseIn(case) => self.case_in(case, env, frame)?,
            Kind::Fits(value, pattern) => {
                let value = self.eval(value, env, frame)?;
                Val::Boolean(self.fits(pattern, value, env, frame)?)
            }
            Kind::MustFit(value, pattern) => {
                let value = self.eval(value, env, frame)?;
                self.must_fit(value, pattern, env, frame)?
            }
            Kind::Binding(names) => self.heap.binding(Binding { env, frame, names }),
        })
    }

    /// `for`: runs the body for each element of a collection; a `break` in it determines the loop's value.
    fn for_each(
        &mut self,
        target: &'a Target,
        over: Val<'a>,
        body: &'a Node,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        let result = self.each(over, &mut |i, value| {
            i.assign(target, value, env, frame)?;
            match i.eval(body, env, frame) {
                Ok(_) | Err(Unwind::NextLoop) => Ok(true),
                Err(unwind) => Err(unwind),
            }
        });
        match result {
            Ok(()) => Ok(over),
            Err(Unwind::BreakLoop(value)) => Ok(value),
            Err(unwind) => Err(unwind),
        }
    }

    /// `target = value`
    fn assignment(
        &mut self,
        node: &'a Node,
        target: &'a Target,
        value: &'a Node,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        // The target of the assignment is evaluated first.
        if let Target::Index(receiver, arguments) = target {
            let receiver = self.eval(receiver, env, frame)?;
            let mut arguments = self.list(arguments, env, frame)?;
            let value = self.eval(value, env, frame)?;
            arguments.push(value);
            self.line = node.line;
            self.send(receiver, "[]=", &arguments)?;
            return Ok(value);
        }
        let value = self.eval(value, env, frame)?;
        self.assign(target, value, env, frame)?;
        Ok(value)
    }

    /// Puts what the named groups of a pattern have matched into local variables.
    fn put_groups(&mut self, names: &'a [(Str, Local)], has_matched: bool, env: &'a Env<'a>) {
        for (name, local) in names {
            let group = self.last_match.filter(|_| has_matched).and_then(|found| {
                let number = found.regex().ok()?.group(name, &found.captures)?;
                found.group(number).map(Str::from)
            });
            let value = group.map_or(Val::Nil, |group| self.heap.string(group));
            put(env, *local, value);
        }
    }

    /// A range that a program contains.
    fn range(&mut self, nodes: [Option<&'a Node>; 2], [from, to]: [Val<'a>; 2], exclusive: bool) -> R<'a> {
        let is_text = |node: Option<&Node>| node.is_some_and(|node| matches!(node.kind, Kind::Text(_)));
        if let (Val::String(from), Val::String(to), true) = (from, to, nodes.into_iter().all(is_text)) {
            // Ruby makes a range of two literal texts once, with the program, and freezes both.
            from.frozen.set(true);
            to.frozen.set(true);
        }
        let is_comparable = from.is_nil() || to.is_nil() || self.compare(from, to)?.is_some();
        if !is_comparable {
            return Err(self.raise(&class::ARGUMENT_ERROR, "bad value for range"));
        }
        Ok(self.heap.range(from, to, exclusive))
    }

    fn optional(&mut self, node: Option<&'a Node>, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        node.map_or(Ok(Val::Nil), |node| self.eval(node, env, frame))
    }

    fn joined(&mut self, parts: &'a [Node], env: &'a Env<'a>, frame: Frame<'a>) -> Run<'a, Str> {
        let mut out = Str::new();
        for part in parts {
            match &part.kind {
                Kind::Text(text) => out.push_str(text),
                _ => {
                    let value = self.eval(part, env, frame)?;
                    out.push_str(&self.to_s(value)?);
                }
            }
        }
        self.check_size(out.len())?;
        self.charge_steps(out.len() as u64 / BYTES_IN_STEP)?;
        Ok(out)
    }

    fn pattern(&mut self, parts: &'a [Node], options: &str, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let mut source = String::new();
        for part in parts {
            match &part.kind {
                Kind::Text(text) => source.push_str(text),
                _ => match self.eval(part, env, frame)? {
                    Val::Regexp(pattern) => source.push_str(&bunraku_syntax::pattern::to_s(&pattern.source)),
                    value => source.push_str(&self.to_s(value)?),
                },
            }
        }
        self.new_pattern(with_options(&source, options))
    }

    /// A regular expression of this source.
    pub fn new_pattern(&mut self, source: Str) -> R<'a> {
        self.charge_steps(1 + source.len() as u64 / BYTES_OF_PATTERN_IN_STEP)?;
        let pattern = self.world.regexp(source);
        match pattern.regex(self.fuel()) {
            Ok(_) => {}
            Err(error) if error.kind.is_limit() => return Err(self.fail(error)),
            Err(error) => return Err(self.raise(&class::REGEXP_ERROR, error.message)),
        }
        Ok(Val::Regexp(self.heap.pattern(pattern)))
    }

    /// The values of a list with splats in it.
    pub fn list(&mut self, nodes: &'a [Node], env: &'a Env<'a>, frame: Frame<'a>) -> Run<'a, Vec<Val<'a>>> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            match &node.kind {
                Kind::Splat(inner) => {
                    let value = self.eval(inner, env, frame)?;
                    values.extend(self.splat(value)?);
                }
                _ => values.push(self.eval(node, env, frame)?),
            }
        }
        Ok(values)
    }

    /// The arguments of a call, and whether the last is a hash of keywords; `**{}` is not.
    pub fn arguments(
        &mut self,
        nodes: &'a [Node],
        keywords: bool,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, (Vec<Val<'a>>, bool)> {
        let mut values = self.list(nodes, env, frame)?;
        if keywords && matches!(values.last(), Some(Val::Hash(map)) if map.len() == 0) {
            values.pop();
            return Ok((values, false));
        }
        Ok((values, keywords))
    }

    /// The elements of a collection that has an end.
    pub fn all_elements(&mut self, value: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        match value {
            Val::Range(range) if range.to.is_nil() && !range.from.is_nil() => {
                Err(self.raise(&class::RANGE_ERROR, "cannot convert endless range to an array"))
            }
            value => self.elements(value),
        }
    }

    /// The values of `*value`.
    pub fn splat(&mut self, value: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        match value {
            Val::Nil => Ok(Vec::new()),
            Val::Array(_) | Val::Hash(_) | Val::Range(_) | Val::Set(_) | Val::Enumerator(_) => {
                self.all_elements(value)
            }
            Val::Object(_) if self.responds(value, "to_a") => {
                let list = self.send(value, "to_a", &[])?;
                self.elements(list)
            }
            value => Ok(vec![value]),
        }
    }

    fn pairs(&mut self, pairs: &'a [(Node, Option<Node>)], env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let mut entries = Entries::default();
        for (key, value) in pairs {
            let key_value = self.eval(key, env, frame)?;
            match value {
                Some(value) => {
                    let value = self.eval(value, env, frame)?;
                    entries.insert(self.key(key_value)?, value);
                }
                None => match key_value {
                    Val::Hash(map) => entries.extend(map.now().iter().map(|(key, value)| (*key, *value))),
                    Val::Nil => {}
                    other => {
                        let class = self.class_name(other);
                        let message = format!("no implicit conversion of {class} into Hash");
                        return Err(self.raise(&class::TYPE_ERROR, message));
                    }
                },
            }
        }
        Ok(self.heap.hash(entries))
    }

    /// A value as a key: a string that could change later is copied.
    ///
    /// # Errors
    /// A limit is reached.
    pub fn key(&self, value: Val<'a>) -> Run<'a, Key<'a>> {
        self.charge_keys(&[value])?;
        Ok(match value {
            Val::String(text) if !text.frozen.get() => {
                let copy = self.heap.string(text.get());
                if let Val::String(text) = copy {
                    text.frozen.set(true);
                }
                Key(copy)
            }
            other => Key(other),
        })
    }

    fn repeat(&mut self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let Kind::While(repeat) = &node.kind else { return Ok(Val::Nil) };
        let mut first = repeat.body_first;
        loop {
            self.step()?;
            if !std::mem::take(&mut first)
                && self.eval(&repeat.condition, env, frame)?.is_truthy() == repeat.until
            {
                return Ok(Val::Nil);
            }
            match self.eval(&repeat.body, env, frame) {
                Ok(_) | Err(Unwind::NextLoop) => {}
                Err(Unwind::BreakLoop(value)) => return Ok(value),
                Err(unwind) => return Err(unwind),
            }
        }
    }

    fn case(&mut self, case: &'a Case, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let subject = case.subject.as_ref().map(|subject| self.eval(subject, env, frame)).transpose()?;
        for (patterns, body) in &case.branches {
            for pattern in patterns {
                for pattern in self.list(std::slice::from_ref(pattern), env, frame)? {
                    let fits = match subject {
                        Some(subject) => self.send(pattern, "===", &[subject])?.is_truthy(),
                        None => pattern.is_truthy(),
                    };
                    if fits {
                        return self.eval(body, env, frame);
                    }
                }
            }
        }
        self.eval(&case.otherwise, env, frame)
    }

    fn call(&mut self, node: &'a Node, call: &'a Call, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let receiver = match &call.receiver {
            Some(receiver) => Some(self.eval(receiver, env, frame)?),
            None => None,
        };
        if call.safe && receiver.is_some_and(Val::is_nil) {
            return Ok(Val::Nil);
        }
        if let (Some(value), true) = (receiver, call.is_lone()) {
            self.reach(node);
            return self.send_fast(value, call, Args { keywords: call.keywords, ..Args::new(&[]) }, frame);
        }
        if let Some(Val::String(own)) = receiver
            && let [added] = call.arguments.as_slice()
            && call.name == "<<"
            && call.block.is_none()
            && !call.keywords
            && !matches!(added.kind, Kind::Splat(_))
            && self.is_plain(own)
        {
            return self.write(own, (node, call), env, frame);
        }
        let (one, many, keywords);
        let values = match call.arguments.as_slice() {
            [] => {
                keywords = call.keywords;
                &[][..]
            }
            [single] if !call.keywords && !matches!(single.kind, Kind::Splat(_)) => {
                (one, keywords) = ([self.eval(single, env, frame)?], false);
                one.as_slice()
            }
            several => {
                (many, keywords) = self.arguments(several, call.keywords, env, frame)?;
                many.as_slice()
            }
        };
        let (block, tag) = self.block_of(call, env, frame)?;
        self.reach(node);
        let args = Args { values, block: block.map(Block::Proc), keywords };
        let result = match receiver {
            None => self.call_self(&call.name, args, call.bare, frame),
            Some(_) if matches!(call.receiver, Some(Node { kind: Kind::Itself, .. })) => {
                self.call_self(&call.name, args, false, frame)
            }
            Some(receiver) => self.send_fast(receiver, call, args, frame),
        };
        match result {
            Err(Unwind::Break(of, value)) if tag != 0 && of == tag => Ok(value),
            other => other,
        }
    }

    /// The block that a call is given, and what its `break` ends.
    pub fn block_of(
        &mut self,
        call: &'a Call,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, (Option<&'a Proc<'a>>, u64)> {
        Ok(match &call.block {
            None => (None, 0),
            Some(BlockArgument::Literal(lambda)) => {
                let tag = self.next_number();
                let code = Code::Block { lambda, env, frame, tag };
                let is_lambda = call.receiver.is_none() && call.name == "lambda";
                (Some(self.heap.proc(code, is_lambda)), tag)
            }
            Some(BlockArgument::Pass(value)) => match self.eval(value, env, frame)? {
                Val::Nil => (None, 0),
                Val::Proc(proc) => (Some(proc), 0),
                Val::Symbol(name) => (Some(self.heap.proc(Code::Symbol(name), true)), 0),
                other if self.responds(other, "to_proc") => match self.send(other, "to_proc", &[])? {
                    Val::Proc(proc) => (Some(proc), 0),
                    other => return Err(self.no_block(other)),
                },
                other => return Err(self.no_block(other)),
            },
        })
    }

    fn no_block(&mut self, value: Val<'a>) -> Unwind<'a> {
        let class = self.class_name(value);
        self.raise(&class::TYPE_ERROR, format!("wrong argument type {class} (expected Proc)"))
    }

    /// Calls a method, the commonest ones without a look at their table.
    pub(super) fn send_fast(
        &mut self,
        receiver: Val<'a>,
        call: &'a Call,
        args: Args<'a, '_>,
        frame: Frame<'a>,
    ) -> R<'a> {
        let name = call.name.as_str();
        if let (Val::Integer(a), &[Val::Integer(b)]) = (receiver, args.values) {
            let value = match name {
                "+" => a.checked_add(b).map(Val::Integer),
                "-" => a.checked_sub(b).map(Val::Integer),
                "<" => Some(Val::Boolean(a < b)),
                ">" => Some(Val::Boolean(a > b)),
                "<=" => Some(Val::Boolean(a <= b)),
                ">=" => Some(Val::Boolean(a >= b)),
                "==" => Some(Val::Boolean(a == b)),
                _ => None,
            };
            if let Some(value) = value {
                return Ok(value);
            }
        }
        let is_rubys = self.modules.additions.is_empty()
            && match receiver {
                Val::Object(_) | Val::Module(_) | Val::Class(_) => false,
                Val::Exception(exception) => exception.object.is_none(),
                _ => true,
            };
        if is_rubys {
            if matches!(receiver, Val::String(_)) && args.values.is_empty() && name == "to_s" {
                self.step()?;
                return Ok(receiver);
            }
            if let Some(method) = call.found.get(self.class_of(receiver), name) {
                self.step()?;
                return self.run_method(method, receiver, args);
            }
        }
        self.send_public(receiver, name, args, frame.context.itself)
    }
}

fn scope_of<'a>(env: &'a Env<'a>, depth: u32) -> Option<&'a Env<'a>> {
    let mut env = env;
    for _ in 0..depth {
        env = env.outer?;
    }
    Some(env)
}

pub(super) fn find<'a>(env: &'a Env<'a>, local: Local) -> Val<'a> {
    scope_of(env, local.depth)
        .and_then(|env| env.slots.get(local.slot as usize))
        .map_or(Val::Nil, |slot| slot.get())
}

pub(super) fn put<'a>(env: &'a Env<'a>, local: Local, value: Val<'a>) {
    if let Some(slot) = scope_of(env, local.depth).and_then(|env| env.slots.get(local.slot as usize)) {
        slot.set(value);
    }
}
