//! Runs a program: one match over the kinds of expressions.

use rustc_hash::FxHashMap;

use super::call::{Args, Block};
use super::class::{self, Class};
use super::failure::{Failure, R, Run, Unwind};
use super::lower::literals::with_options;
use super::names;
use super::tree::{
    BlockArgument, Call, Case, Kind, Lambda, Local, Node, Operator, Program, Rescue, Target, Targets,
};
use super::value::{Code, Entries, Env, Exception, Frame, Heap, Key, Match, Val};
use super::world::World;
use bunraku_pcore::Value;
use bunraku_pcore::meter::{BYTES_IN_STEP, Meter};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::{Error, ErrorKind};

/// A run of a program.
pub(super) struct Interpreter<'a> {
    pub heap: &'a Heap<'a>,
    pub world: &'a dyn World,
    /// The line of the expression that is evaluated.
    pub line: u32,
    pub last_match: Option<&'a Match<'a>>,
    pub methods: FxHashMap<&'a str, &'a Lambda>,
    pub file: &'a str,
    /// Modules that the program defines.
    pub(super) modules: super::modules::Modules<'a>,
    /// What a file says of its function, when the program is one.
    pub definition: Option<super::function::Definition>,
    /// The body of a function of the 3.x API.
    pub(super) legacy_body: Option<&'a super::value::Proc<'a>>,
    instances: FxHashMap<Str, Val<'a>>,
    /// Variables of the scope by the names that they have in Ruby, where those differ or the scope's may change.
    variables: Option<FxHashMap<String, (Str, Value)>>,
    /// Whether variables of the scope have the same names in Ruby, once that was asked.
    is_named_alike: Option<bool>,
    /// Variables of the scope that Ruby can change in place.
    pub(super) shared: super::shared::Shared<'a>,
    globals: FxHashMap<&'a str, Val<'a>>,
    constants: FxHashMap<&'a str, Val<'a>>,
    error: Option<&'a Exception<'a>>,
    numbers: u64,
    depth: u32,
}

/// How deep expressions may nest while they are evaluated, those of calls in calls together.
const DEEPEST: u32 = 20_000;

/// How many bytes of a regular expression count as one step when it is made.
const BYTES_OF_PATTERN_IN_STEP: u64 = 16;

impl<'a> Interpreter<'a> {
    pub fn new(heap: &'a Heap<'a>, world: &'a dyn World, file: &'a str) -> Self {
        Self {
            heap,
            world,
            line: 0,
            last_match: None,
            methods: FxHashMap::default(),
            file,
            modules: super::modules::Modules::default(),
            definition: None,
            legacy_body: None,
            instances: FxHashMap::default(),
            variables: None,
            is_named_alike: None,
            shared: super::shared::Shared::default(),
            globals: FxHashMap::default(),
            constants: FxHashMap::default(),
            error: None,
            numbers: 0,
            depth: 0,
        }
    }

    /// Runs a program; `return` ends it.
    pub fn run(&mut self, program: &'a Program) -> R<'a> {
        let env = self.heap.env(program.locals.len(), None);
        match self.eval(&program.body, env, Frame { id: 0, block: None, tag: u64::MAX }) {
            Err(Unwind::Return(0, value)) => Ok(value),
            other => other,
        }
    }

    /// What the outside is told of a failure.
    pub fn failure(&mut self, unwind: Unwind<'a>) -> Failure {
        match unwind {
            Unwind::Raise(exception) => {
                let line = exception.line.get();
                let message = self.to_s(exception.message).unwrap_or_default();
                let error = match &exception.error {
                    Some(error) => error.clone(),
                    None => Error::plain(message.as_str()),
                };
                Failure { class: Some(exception.class.name), error: Box::new(error), line }
            }
            Unwind::Fatal(error) => Failure { class: None, error, line: self.line },
            Unwind::Throw(tag, _) => {
                let tag = self.inspect(tag).unwrap_or_default();
                let error = Error::plain(format!("uncaught throw {tag}"));
                Failure {
                    class: Some(class::UNCAUGHT_THROW_ERROR.name),
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
                Failure { class: Some(class::LOCAL_JUMP_ERROR.name), error: Box::new(error), line: self.line }
            }
        }
    }

    /// An exception.
    pub fn raise(&self, class: &'static Class, message: impl Into<Str>) -> Unwind<'a> {
        let message = self.heap.string(message);
        let exception = Exception { class, message, line: self.line.into(), error: None };
        Unwind::Raise(self.heap.exception(exception))
    }

    /// A failure of the compilation inside the program: an exception, or the end when a limit is exceeded.
    pub fn fail(&self, error: Error) -> Unwind<'a> {
        if matches!(error.kind, ErrorKind::Limit | ErrorKind::Unsupported | ErrorKind::Bug) {
            return Unwind::Fatal(Box::new(error));
        }
        let class = if error.kind == ErrorKind::Argument {
            &class::ARGUMENT_ERROR
        } else {
            &class::PUPPET_PARSE_ERROR
        };
        let message = self.heap.string(error.to_string());
        let exception = Exception { class, message, line: self.line.into(), error: Some(error) };
        Unwind::Raise(self.heap.exception(exception))
    }

    /// One step of work.
    pub fn step(&self) -> Run<'a, ()> {
        let done = self.world.work(1).and_then(|()| self.world.check_size(self.heap.used()));
        done.map_err(|error| Unwind::Fatal(Box::new(error)))
    }

    /// The work of moving so many values.
    pub fn work_on(&self, values: usize) -> Run<'a, ()> {
        self.world.work(1 + values as u64 / 64).map_err(|error| Unwind::Fatal(Box::new(error)))
    }

    /// So many steps of work.
    pub fn spend(&self, steps: u64) -> Run<'a, ()> {
        self.world.work(steps).map_err(|error| Unwind::Fatal(Box::new(error)))
    }

    /// What watches over long work.
    pub fn meter(&self) -> &dyn Meter {
        self.world
    }

    /// One call deeper.
    pub fn enter(&self) -> Run<'a, ()> {
        self.world.enter().map_err(|error| Unwind::Fatal(Box::new(error)))
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
        if self.depth > DEEPEST {
            let error = Error::limit(format!("Ruby expressions nest deeper than {DEEPEST}"));
            return Err(Unwind::Fatal(Box::new(error)));
        }
        self.depth += 1;
        let result = self.eval_here(node, env, frame);
        self.depth -= 1;
        result
    }

    fn eval_here(&mut self, node: &'a Node, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        if node.line > 0 {
            self.line = node.line;
        }
        Ok(match &node.kind {
            Kind::Nil => Val::Nil,
            Kind::Boolean(truth) => Val::Boolean(*truth),
            Kind::Itself if self.modules.current.is_empty() => Val::Main,
            Kind::Itself => Val::Module(self.modules.current),
            Kind::Integer(number) => Val::Integer(*number),
            Kind::Big(number) => Val::Big(number),
            Kind::Float(number) => Val::Float(*number),
            Kind::Text(text) => self.heap.string(text.clone()),
            Kind::Interpolated(parts) => self.heap.string(self.joined(parts, env, frame)?),
            Kind::Symbol(name) => Val::Symbol(name),
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
                let from = self.optional(from.as_deref(), env, frame)?;
                let to = self.optional(to.as_deref(), env, frame)?;
                let comparable = from.is_nil() || to.is_nil() || self.compare(from, to)?.is_some();
                if !comparable {
                    return Err(self.raise(&class::ARGUMENT_ERROR, "bad value for range"));
                }
                self.heap.range(from, to, *exclusive)
            }
            Kind::Local(local) => find(env, *local),
            Kind::Instance(name) => self.instance(name)?,
            Kind::Global(name) if name == "!" => self.error.map_or(Val::Nil, Val::Exception),
            Kind::Global(name) => self.globals.get(name.as_str()).copied().unwrap_or(Val::Nil),
            Kind::Constant(name) => self.constant(name)?,
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
                let result = self.each(over, &mut |i, value| {
                    i.assign(target, value, env, frame)?;
                    match i.eval(body, env, frame) {
                        Ok(_) | Err(Unwind::NextLoop) => Ok(true),
                        Err(unwind) => Err(unwind),
                    }
                });
                match result {
                    Ok(()) => over,
                    Err(Unwind::BreakLoop(value)) => value,
                    Err(unwind) => return Err(unwind),
                }
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
            Kind::Lambda(lambda) => {
                let code = Code::Block { lambda, env, frame, tag: self.next_number() };
                Val::Proc(self.heap.proc(code, true))
            }
            Kind::Yield(arguments) => {
                let values = self.list(arguments, env, frame)?;
                match frame.block {
                    Some(block) => self.call_proc(block, &values, None)?,
                    None => return Err(self.raise(&class::LOCAL_JUMP_ERROR, "no block given (yield)")),
                }
            }
            Kind::Assign(target, value) => {
                let value = match &**target {
                    // What is assigned to is evaluated first.
                    Target::Index(receiver, arguments) => {
                        let receiver = self.eval(receiver, env, frame)?;
                        let mut arguments = self.list(arguments, env, frame)?;
                        let value = self.eval(value, env, frame)?;
                        arguments.push(value);
                        self.line = node.line;
                        self.send(receiver, "[]=", &arguments)?;
                        return Ok(value);
                    }
                    _ => self.eval(value, env, frame)?,
                };
                self.assign(target, value, env, frame)?;
                value
            }
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
                for (name, local) in names {
                    let group = self.last_match.filter(|_| !at.is_nil()).and_then(|found| {
                        let number = found.regex().ok()?.group(name, &found.captures)?;
                        found.group(number).map(Str::from)
                    });
                    let value = group.map_or(Val::Nil, |group| self.heap.string(group));
                    put(env, *local, value);
                }
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
            Kind::DefineOwn(name, lambda) => {
                self.modules.define(name, lambda);
                Val::Symbol(name)
            }
            Kind::Module(name, body) => {
                let name = self.heap.name(self.modules.full_name(name));
                self.modules.open(name);
                let outer = std::mem::replace(&mut self.modules.current, name);
                let result = self.eval(body, env, frame);
                self.modules.current = outer;
                result?
            }
            Kind::Define(name, lambda) => {
                self.methods.insert(name, lambda);
                Val::Symbol(name)
            }
        })
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
        self.spend(out.len() as u64 / BYTES_IN_STEP)?;
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
        self.spend(1 + source.len() as u64 / BYTES_OF_PATTERN_IN_STEP)?;
        let pattern = self.world.regexp(source);
        match pattern.regex(self.meter()) {
            Ok(_) => {}
            Err(error) if error.kind == ErrorKind::Limit => return Err(self.fail(error)),
            Err(error) => return Err(self.raise(&class::REGEXP_ERROR, error.message)),
        }
        Ok(Val::Regexp(self.heap.pattern(pattern)))
    }

    /// The values of a list with splats in it.
    fn list(&mut self, nodes: &'a [Node], env: &'a Env<'a>, frame: Frame<'a>) -> Run<'a, Vec<Val<'a>>> {
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

    /// What `*value` stands for.
    pub fn splat(&mut self, value: Val<'a>) -> Run<'a, Vec<Val<'a>>> {
        match value {
            Val::Nil => Ok(Vec::new()),
            Val::Array(_) | Val::Hash(_) | Val::Range(_) | Val::Set(_) | Val::Enumerator(_) => {
                self.elements(value)
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
                        let class = self.class_of(other).name;
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

    fn instance(&mut self, name: &str) -> R<'a> {
        if let Some(value) = self.instances.get(name) {
            return Ok(*value);
        }
        let world = self.world;
        let found = match &self.variables {
            Some(variables) => variables.get(name).cloned(),
            None if *self.is_named_alike.get_or_insert_with(|| world.names_variables_as_ruby()) => {
                world.variable(name).map(|value| (name.into(), value))
            }
            None => self.all_variables().get(name).cloned(),
        };
        let Some((known_as, value)) = found else { return Ok(Val::Nil) };
        let value = self.shared_value(&known_as, &value)?;
        self.instances.insert(name.into(), value);
        Ok(value)
    }

    /// The variables as they are now, which instance variables are from here on.
    fn all_variables(&mut self) -> &FxHashMap<String, (Str, Value)> {
        self.variables.get_or_insert_with(|| {
            let variables = self.world.variables().into_iter();
            variables.map(|(name, value)| (ruby_name(&name), (name, value))).collect()
        })
    }

    /// Sets a variable of the scope. Instance variables keep the values that they have.
    pub fn set_variable(&mut self, name: &str, value: Value) -> Run<'a, ()> {
        self.all_variables();
        self.world.set_variable(name, value).map_err(|error| self.fail(error))
    }

    /// The names of the instance variables.
    pub fn instance_names(&mut self) -> Vec<String> {
        let mut names: Vec<String> = self.world.variables().iter().map(|(name, _)| ruby_name(name)).collect();
        for name in self.instances.keys() {
            if !names.iter().any(|known| known == name.as_str()) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// An instance variable by its name with `@`.
    pub fn instance_by_name(&mut self, name: &str) -> R<'a> {
        self.instance(name.trim_start_matches('@'))
    }

    /// Sets an instance variable.
    pub fn set_instance(&mut self, name: &str, value: Val<'a>) {
        self.instances.insert(name.trim_start_matches('@').into(), value);
    }

    fn constant(&mut self, name: &'a str) -> R<'a> {
        for candidate in self.modules.candidates(name) {
            if let Some(value) = self.constants.get(candidate.as_str()) {
                return Ok(*value);
            }
            if let Some(module) = self.modules.named(&candidate) {
                return Ok(Val::Module(module));
            }
        }
        if let Some(class) = Class::named(name) {
            return Ok(Val::Class(class));
        }
        let value = match name {
            "Float::INFINITY" => Val::Float(f64::INFINITY),
            "Float::NAN" => Val::Float(f64::NAN),
            "Float::EPSILON" => Val::Float(f64::EPSILON),
            "Float::MAX" => Val::Float(f64::MAX),
            "Float::MIN" => Val::Float(f64::MIN_POSITIVE),
            "Math::PI" => Val::Float(std::f64::consts::PI),
            "Math::E" => Val::Float(std::f64::consts::E),
            "Regexp::IGNORECASE" => Val::Integer(1),
            "Regexp::EXTENDED" => Val::Integer(2),
            "Regexp::MULTILINE" => Val::Integer(4),
            "File::SEPARATOR" => self.heap.string("/"),
            "RUBY_VERSION" => self.heap.string("3.1.2"),
            _ => {
                let message = format!("uninitialized constant Puppet::Parser::TemplateWrapper::{name}");
                return Err(self.raise(&class::NAME_ERROR, message));
            }
        };
        Ok(value)
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

    fn defined(
        &mut self,
        node: &'a Node,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, Option<&'static str>> {
        Ok(Some(match &node.kind {
            Kind::Nil => "expression",
            Kind::Local(_) => "local-variable",
            Kind::Instance(name) => {
                if self.instance(name)?.is_nil() && !self.instances.contains_key(name) {
                    return Ok(None);
                }
                "instance-variable"
            }
            Kind::Global(name) => {
                if !self.globals.contains_key(name.as_str()) {
                    return Ok(None);
                }
                "global-variable"
            }
            Kind::Constant(name) => match self.constant(name) {
                Ok(_) => "constant",
                Err(Unwind::Raise(_)) => return Ok(None),
                Err(unwind) => return Err(unwind),
            },
            Kind::Group(_) | Kind::LastMatch | Kind::Around(_) => {
                if self.eval(node, env, frame)?.is_nil() {
                    return Ok(None);
                }
                "global-variable"
            }
            Kind::Call(call) => {
                let known = match &call.receiver {
                    None => {
                        self.methods.contains_key(call.name.as_str())
                            || class::TEMPLATE.method(&call.name).is_some()
                            || class::KERNEL.class_method(&call.name).is_some()
                            || names::is_unknown_function(&call.name)
                    }
                    Some(receiver) => match self.eval(receiver, env, frame) {
                        Ok(receiver) => self.responds(receiver, &call.name),
                        Err(Unwind::Raise(_)) => false,
                        Err(unwind) => return Err(unwind),
                    },
                };
                if !known {
                    return Ok(None);
                }
                "method"
            }
            Kind::Yield(_) => {
                if frame.block.is_none() {
                    return Ok(None);
                }
                "yield"
            }
            Kind::Itself => "self",
            Kind::Boolean(true) => "true",
            Kind::Boolean(false) => "false",
            Kind::Assign(..) | Kind::AssignMany(..) | Kind::AssignWith(..) => "assignment",
            _ => "expression",
        }))
    }

    fn call(&mut self, node: &'a Node, call: &'a Call, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let receiver = call.receiver.as_ref().map(|receiver| self.eval(receiver, env, frame)).transpose()?;
        if call.safe && receiver.is_some_and(Val::is_nil) {
            return Ok(Val::Nil);
        }
        let values = self.list(&call.arguments, env, frame)?;
        let (block, tag) = match &call.block {
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
                other => {
                    let class = self.class_of(other).name;
                    let message = format!("wrong argument type {class} (expected Proc)");
                    return Err(self.raise(&class::TYPE_ERROR, message));
                }
            },
        };
        self.line = node.line;
        let args = Args { values: &values, block: block.map(Block::Proc) };
        let result = match receiver {
            None => self.call_self(&call.name, args, call.bare, frame),
            Some(Val::Main) if matches!(call.receiver, Some(Node { kind: Kind::Itself, .. })) => {
                self.call_self(&call.name, args, false, frame)
            }
            Some(receiver) => self.send_fast(receiver, &call.name, args),
        };
        match result {
            Err(Unwind::Break(of, value)) if tag != 0 && of == tag => Ok(value),
            other => other,
        }
    }

    /// The commonest operations without a look at the table of methods.
    fn send_fast(&mut self, receiver: Val<'a>, name: &str, args: Args<'a, '_>) -> R<'a> {
        if let (Val::Integer(a), [Val::Integer(b)]) = (receiver, args.values) {
            let (a, b) = (a, *b);
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
        self.send_with(receiver, name, args)
    }

    /// Puts a value where a target says.
    pub fn assign(
        &mut self,
        target: &'a Target,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, ()> {
        match target {
            Target::Local(local) => put(env, *local, value),
            Target::Instance(name) => {
                self.instances.insert(name.clone(), value);
            }
            Target::Global(name) => {
                self.globals.insert(name, value);
            }
            Target::Constant(name) => {
                let name = self.heap.name(self.modules.full_name(name));
                self.constants.insert(name, value);
            }
            Target::Index(receiver, arguments) => {
                let receiver = self.eval(receiver, env, frame)?;
                let mut arguments = self.list(arguments, env, frame)?;
                arguments.push(value);
                self.send(receiver, "[]=", &arguments)?;
            }
            Target::Attribute(receiver, name, safe) => {
                let receiver = self.eval(receiver, env, frame)?;
                if !(*safe && receiver.is_nil()) {
                    self.send(receiver, &format!("{name}="), &[value])?;
                }
            }
            Target::Many(targets) => self.assign_many(targets, value, env, frame)?,
        }
        Ok(())
    }

    fn assign_many(
        &mut self,
        targets: &'a Targets,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, ()> {
        let values = match value {
            Val::Array(list) => list.to_vec(),
            other => vec![other],
        };
        let (before, behind) = (targets.first.len(), targets.last.len());
        for (at, target) in targets.first.iter().enumerate() {
            self.assign(target, values.get(at).copied().unwrap_or(Val::Nil), env, frame)?;
        }
        let spare = values.len().saturating_sub(before + behind);
        if let Some(Some(rest)) = &targets.rest {
            let taken = values.iter().skip(before).take(spare).copied().collect();
            self.assign(rest, self.heap.array(taken), env, frame)?;
        }
        for (at, target) in targets.last.iter().enumerate() {
            self.assign(target, values.get(before + spare + at).copied().unwrap_or(Val::Nil), env, frame)?;
        }
        Ok(())
    }

    fn assign_with(
        &mut self,
        target: &'a Target,
        operator: &'a Operator,
        value: &'a Node,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        // Receiver and index are evaluated once.
        let (receiver, arguments) = match target {
            Target::Index(receiver, arguments) => {
                (self.eval(receiver, env, frame)?, self.list(arguments, env, frame)?)
            }
            Target::Attribute(receiver, _, safe) => {
                let receiver = self.eval(receiver, env, frame)?;
                if *safe && receiver.is_nil() {
                    return Ok(Val::Nil);
                }
                (receiver, Vec::new())
            }
            _ => (Val::Nil, Vec::new()),
        };
        let present = match target {
            Target::Local(local) => find(env, *local),
            Target::Instance(name) => self.instance(name)?,
            Target::Global(name) => self.globals.get(name.as_str()).copied().unwrap_or(Val::Nil),
            Target::Constant(name) => {
                let name = self.modules.full_name(name);
                self.constants.get(name.as_str()).copied().unwrap_or(Val::Nil)
            }
            Target::Index(..) => self.send(receiver, "[]", &arguments)?,
            Target::Attribute(_, name, _) => self.send(receiver, name, &[])?,
            Target::Many(_) => Val::Nil,
        };
        let new = match operator {
            Operator::Or if present.is_truthy() => return Ok(present),
            Operator::And if !present.is_truthy() => return Ok(present),
            Operator::Or | Operator::And => self.eval(value, env, frame)?,
            Operator::Method(name) => {
                let value = self.eval(value, env, frame)?;
                self.send(present, name, &[value])?
            }
        };
        match target {
            Target::Index(..) => {
                let mut arguments = arguments;
                arguments.push(new);
                self.send(receiver, "[]=", &arguments)?;
            }
            Target::Attribute(_, name, _) => {
                self.send(receiver, &format!("{name}="), &[new])?;
            }
            target => self.assign(target, new, env, frame)?,
        }
        Ok(new)
    }

    fn rescue(&mut self, rescue: &'a Rescue, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let result = self.rescued(rescue, env, frame);
        match &rescue.ensure {
            Some(ensure) if !matches!(result, Err(Unwind::Fatal(_))) => {
                self.eval(ensure, env, frame)?;
                result
            }
            _ => result,
        }
    }

    fn rescued(&mut self, rescue: &'a Rescue, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        loop {
            let result = self.eval(&rescue.body, env, frame);
            let exception = match (result, &rescue.otherwise) {
                (Ok(_), Some(otherwise)) => return self.eval(otherwise, env, frame),
                (Err(Unwind::Raise(exception)), _) => exception,
                (result, _) => return result,
            };
            let mut handled = None;
            'clauses: for (classes, target, body) in &rescue.clauses {
                let classes = if classes.is_empty() {
                    vec![Val::Class(&class::STANDARD_ERROR)]
                } else {
                    self.list(classes, env, frame)?
                };
                for wanted in classes {
                    if matches!(wanted, Val::Class(wanted) if exception.class.is_a(wanted)) {
                        handled = Some((target, body));
                        break 'clauses;
                    }
                }
            }
            let Some((target, body)) = handled else { return Err(Unwind::Raise(exception)) };
            if let Some(target) = target {
                self.assign(target, Val::Exception(exception), env, frame)?;
            }
            let outer = self.error.replace(exception);
            let result = self.eval(body, env, frame);
            self.error = outer;
            match result {
                Err(Unwind::Retry) => self.step()?,
                other => return other,
            }
        }
    }

    /// The exception that is being handled.
    pub const fn handled(&self) -> Option<&'a Exception<'a>> {
        self.error
    }
}

/// The name that a variable has as an instance variable.
fn ruby_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

fn scope_of<'a>(env: &'a Env<'a>, depth: u32) -> Option<&'a Env<'a>> {
    let mut env = env;
    for _ in 0..depth {
        env = env.outer?;
    }
    Some(env)
}

fn find<'a>(env: &'a Env<'a>, local: Local) -> Val<'a> {
    scope_of(env, local.depth)
        .and_then(|env| env.slots.get(local.slot as usize))
        .map_or(Val::Nil, |slot| slot.get())
}

fn put<'a>(env: &'a Env<'a>, local: Local, value: Val<'a>) {
    if let Some(slot) = scope_of(env, local.depth).and_then(|env| env.slots.get(local.slot as usize)) {
        slot.set(value);
    }
}
