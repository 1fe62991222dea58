//! Calls: methods by class and name, blocks and their parameters, methods of the program itself.

use super::class::{self, Class};
use super::failure::{R, Run, Unwind};
use super::interpreter::Interpreter;
use super::names;
use super::tree::{Lambda, Parameters, Target};
use super::value::{Code, Entries, Env, Frame, Key, Proc, Val, WorldObject};
use bunraku_pcore::meter::BYTES_IN_STEP;
use bunraku_syntax::diagnostic::Error;

/// What a method does: the interpreter, the receiver, the arguments.
pub(super) type Body = for<'a, 'b> fn(&mut Interpreter<'a>, Val<'a>, Args<'a, 'b>) -> R<'a>;

/// A method that the interpreter knows.
pub(super) struct Method {
    /// Its names, separated by a space.
    pub names: &'static str,
    pub least: usize,
    pub most: usize,
    pub body: Body,
}

/// What an element of a collection counts, as if it were so many bytes.
const BYTES_OF_ELEMENT: usize = 16;

/// Any number of arguments.
pub(super) const ANY: usize = usize::MAX;

impl Method {
    pub const fn new(names: &'static str, least: usize, most: usize, body: Body) -> Self {
        Self { names, least, most, body }
    }

    /// Whether it looks at single elements of a collection only, or adds one.
    fn looks_only(&self, receiver: Val<'_>) -> bool {
        const LOOKING: &[&str] = &[
            "<<", "[]", "[]=", "class", "empty?", "fetch", "first", "key?", "last", "length", "nil?", "push",
            "store",
        ];
        match receiver {
            Val::Array(_) | Val::Hash(_) => LOOKING.iter().any(|name| self.answers_to(name)),
            Val::String(_) => self.answers_to("<<") || self.answers_to("empty?"),
            _ => false,
        }
    }

    /// Whether its arguments are looked for among keys.
    fn finds_keys(&self, receiver: Val<'_>) -> bool {
        const FINDING: &[&str] =
            &["[]", "add?", "delete", "except", "fetch", "include?", "slice", "values_at"];
        matches!(receiver, Val::Hash(_) | Val::Set(_)) && FINDING.iter().any(|name| self.answers_to(name))
    }

    pub fn answers_to(&self, name: &str) -> bool {
        self.names.split(' ').any(|own| own == name)
    }
}

/// A block in the language, or one of the interpreter itself.
#[derive(Clone, Copy)]
pub(super) enum Block<'a, 'b> {
    Proc(&'a Proc<'a>),
    Native(&'b dyn Fn(&mut Interpreter<'a>, &[Val<'a>]) -> R<'a>),
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(super) struct Args<'a, 'b> {
    pub values: &'b [Val<'a>],
    pub block: Option<Block<'a, 'b>>,
}

impl<'a, 'b> Args<'a, 'b> {
    pub const fn new(values: &'b [Val<'a>]) -> Self {
        Self { values, block: None }
    }

    /// An argument, or nothing when it was not given.
    pub fn get(&self, index: usize) -> Option<Val<'a>> {
        self.values.get(index).copied()
    }

    /// An argument; `nil` when it was not given.
    pub fn at(&self, index: usize) -> Val<'a> {
        self.get(index).unwrap_or(Val::Nil)
    }

    /// An option of the hash that stands last.
    pub fn option(&self, name: &'static str) -> Option<Val<'a>> {
        match self.values.last() {
            Some(Val::Hash(map)) => map.get(Val::Symbol(name)),
            _ => None,
        }
    }
}

impl<'a> Interpreter<'a> {
    /// The class of a value.
    pub fn class_of(&self, value: Val<'a>) -> &'static Class {
        use bunraku_pcore::Value;
        match value {
            Val::Nil => &class::NIL,
            Val::Boolean(true) => &class::TRUE,
            Val::Boolean(false) => &class::FALSE,
            Val::Integer(_) | Val::Big(_) => &class::INTEGER,
            Val::Float(_) => &class::FLOAT,
            Val::String(_) => &class::STRING,
            Val::Bytes(_) => &class::BYTES,
            Val::Symbol(_) => &class::SYMBOL,
            Val::Array(_) => &class::ARRAY,
            Val::Hash(_) => &class::HASH,
            Val::Range(_) => &class::RANGE,
            Val::Regexp(_) => &class::REGEXP,
            Val::Match(_) => &class::MATCH_DATA,
            Val::Proc(_) => &class::PROC,
            Val::Class(class) if class.is_module() => &class::MODULE,
            Val::Module(_) => &class::MODULE,
            Val::Class(_) => &class::CLASS,
            Val::Exception(exception) => exception.class,
            Val::Set(_) => &class::SET,
            Val::Enumerator(_) => &class::ENUMERATOR,
            Val::Main => &class::TEMPLATE,
            Val::World(WorldObject::Scope) => &class::SCOPE,
            Val::World(WorldObject::Catalog) => &class::CATALOG,
            Val::World(WorldObject::Environment) => &class::ENVIRONMENT,
            Val::World(WorldObject::Compiler) => &class::COMPILER,
            Val::World(WorldObject::Node) => &class::NODE,
            Val::Time(_) => &class::TIME,
            Val::Address(_) => &class::IP_ADDR,
            Val::Foreign(Value::Sensitive(_)) => &class::SENSITIVE,
            Val::Foreign(_) => &class::FOREIGN,
        }
    }

    /// Calls a method.
    pub fn send(&mut self, receiver: Val<'a>, name: &str, values: &[Val<'a>]) -> R<'a> {
        self.send_with(receiver, name, Args::new(values))
    }

    /// Calls a method, with a block.
    pub fn send_with(&mut self, receiver: Val<'a>, name: &str, args: Args<'a, '_>) -> R<'a> {
        self.step()?;
        if let Val::Module(module) = receiver
            && let Some(lambda) = self.modules.method(module, name)
        {
            return self.call_own(module, lambda, args);
        }
        if let Val::Class(class) = receiver
            && let Some(lambda) = self.modules.method(class.name, name)
        {
            return self.call_own(class.name, lambda, args);
        }
        if let Val::Class(class) = receiver
            && let Some(method) = class.class_method(name)
        {
            return self.run_method(method, receiver, args);
        }
        match self.class_of(receiver).method(name) {
            Some(method) => self.run_method(method, receiver, args),
            None => self.missing(receiver, name, args),
        }
    }

    /// Whether a value answers to a method.
    pub fn responds(&self, receiver: Val<'a>, name: &str) -> bool {
        let class = self.class_of(receiver);
        let own = matches!(receiver, Val::Class(class) if class.class_method(name).is_some());
        own || class.method(name).is_some()
            || class.ancestors().any(|class| names::ruby_has(class, name))
            || (receiver_is_main(receiver) && self.methods.contains_key(name))
    }

    fn run_method(&mut self, method: &'static Method, receiver: Val<'a>, args: Args<'a, '_>) -> R<'a> {
        let count = args.values.len();
        if count < method.least || count > method.most {
            return Err(self.wrong_count(count, method.least, method.most));
        }
        if self.price(receiver) > 0 && !method.looks_only(receiver) {
            self.charge(receiver)?;
        }
        args.values.iter().try_for_each(|value| self.charge(*value))?;
        let is_collection = |value: &Val<'_>| matches!(value, Val::Array(_) | Val::Hash(_) | Val::Set(_));
        if args.values.iter().any(is_collection) && method.finds_keys(receiver) {
            self.charge_keys(args.values)?;
        }
        self.enter()?;
        let result = (method.body)(self, receiver, args);
        self.world.leave();
        let result = result?;
        if self.price(result) > 0 && !method.looks_only(receiver) {
            self.charge(result)?;
        }
        Ok(result)
    }

    /// Counts the steps of going through a value.
    pub fn charge(&self, value: Val<'a>) -> Run<'a, ()> {
        match self.price(value) {
            0 => Ok(()),
            steps => self.spend(steps),
        }
    }

    /// How many steps it takes to go through a value, as far as it can be told without going through it: by the bytes of a
    /// text, and the elements of a collection.
    fn price(&self, value: Val<'a>) -> u64 {
        let bytes = match value {
            Val::String(text) => text.len(),
            // Numbers are multiplied and written in time that grows with the square of their length.
            Val::Big(number) => (number.bits() / 256).saturating_pow(2) as usize,
            Val::Array(list) => list.len().saturating_mul(BYTES_OF_ELEMENT),
            Val::Hash(map) => map.len().saturating_mul(2 * BYTES_OF_ELEMENT),
            _ => 0,
        };
        bytes as u64 / BYTES_IN_STEP
    }

    /// The complaint about a wrong number of arguments.
    pub fn wrong_count(&mut self, count: usize, least: usize, most: usize) -> Unwind<'a> {
        let expected = match (least, most) {
            (least, ANY) => format!("{least}+"),
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}..{most}"),
        };
        let message = format!("wrong number of arguments (given {count}, expected {expected})");
        self.raise(&class::ARGUMENT_ERROR, message)
    }

    fn missing(&mut self, receiver: Val<'a>, name: &str, args: Args<'a, '_>) -> R<'a> {
        if receiver_is_main(receiver)
            && let Some(lambda) = self.methods.get(name).copied()
        {
            return self.call_defined(lambda, args);
        }
        if matches!(receiver, Val::World(WorldObject::Scope))
            && let Some(function) = name.strip_prefix("function_")
        {
            return self.legacy_function(function, name, args);
        }
        let is_rubys = match receiver {
            Val::Class(class) => names::is_unknown_class_method(class.name, name),
            _ => self.class_of(receiver).ancestors().any(|class| names::ruby_has(class, name)),
        };
        if is_rubys {
            let class = self.class_of(receiver).name;
            return Err(self.unsupported(format!("method {name} of {class}")));
        }
        Err(self.no_method(receiver, name))
    }

    /// The complaint about a method that is not there.
    pub fn no_method(&mut self, receiver: Val<'a>, name: &str) -> Unwind<'a> {
        let described = self.described(receiver);
        self.raise(&class::NO_METHOD_ERROR, format!("undefined method `{name}' for {described}"))
    }

    /// A value as complaints about names show it.
    pub fn described(&mut self, value: Val<'a>) -> String {
        let class = self.class_of(value).name;
        match value {
            Val::Class(class) => format!("{}:{}", class.name, self.class_of(value).name),
            Val::World(WorldObject::Scope) => format!("{}:{class}", self.world.scope_name()),
            Val::Main | Val::World(_) | Val::Proc(_) => format!("#<{class}>"),
            _ => match self.inspect(value) {
                Ok(text) if text.len() <= 65 && !text.starts_with('#') => format!("{text}:{class}"),
                Ok(text) if text.len() <= 65 => text,
                _ => format!("#<{class}>"),
            },
        }
    }

    /// A call without receiver.
    pub fn call_self(&mut self, name: &str, args: Args<'a, '_>, bare: bool, frame: Frame<'a>) -> R<'a> {
        if let Some(lambda) = self.modules.method(self.modules.current, name) {
            return self.call_own(self.modules.current, lambda, args);
        }
        if let Some(lambda) = self.methods.get(name).copied() {
            return self.call_defined(lambda, args);
        }
        if let Some(result) = self.definition_statement(name, args) {
            return result;
        }
        if let Some(method) = class::TEMPLATE.method(name) {
            self.step()?;
            return self.run_method(method, Val::Main, args);
        }
        match name {
            "block_given?" => return Ok(Val::Boolean(frame.block.is_some())),
            "binding" => return Ok(Val::Main),
            _ => {}
        }
        if let Some(method) = class::KERNEL.class_method(name) {
            self.step()?;
            return self.run_method(method, Val::Main, args);
        }
        if names::is_unknown_function(name) {
            return Err(self.unsupported(format!("method {name}")));
        }
        let described = self.described(Val::Main);
        if bare {
            let message = format!("undefined local variable or method `{name}' for {described}");
            return Err(self.raise(&class::NAME_ERROR, message));
        }
        Err(self.raise(&class::NO_METHOD_ERROR, format!("undefined method `{name}' for {described}")))
    }

    /// Calls a method of a module of the program.
    fn call_own(&mut self, module: &'a str, lambda: &'a Lambda, args: Args<'a, '_>) -> R<'a> {
        let outer = std::mem::replace(&mut self.modules.current, module);
        let result = self.call_defined(lambda, args);
        self.modules.current = outer;
        result
    }

    /// Calls a method that the program defines.
    pub fn call_defined(&mut self, lambda: &'a Lambda, args: Args<'a, '_>) -> R<'a> {
        self.step()?;
        let block = match args.block {
            Some(Block::Proc(block)) => Some(block),
            Some(Block::Native(_)) => {
                return Err(self.unsupported("method of the program as a block's owner"));
            }
            None => None,
        };
        let frame = Frame { id: self.next_number(), block, tag: u64::MAX };
        let env = self.heap.env(lambda.locals, None);
        self.enter()?;
        let last_match = self.last_match.take();
        let result = self.bind_strictly(&lambda.parameters, env, frame, args.values, block);
        let result = result.and_then(|()| self.eval(&lambda.body, env, frame));
        self.last_match = last_match;
        self.world.leave();
        match result {
            Err(Unwind::Return(id, value)) if id == frame.id => Ok(value),
            other => other,
        }
    }

    /// Calls a block with what is yielded to it.
    pub fn call_block(&mut self, block: Block<'a, '_>, values: &[Val<'a>]) -> R<'a> {
        match block {
            Block::Proc(block) => self.call_proc(block, values, None),
            Block::Native(body) => body(self, values),
        }
    }

    /// Calls the block of a method that needs one.
    pub fn call_given(&mut self, args: &Args<'a, '_>, values: &[Val<'a>]) -> R<'a> {
        match args.block {
            Some(block) => self.call_block(block, values),
            None => Err(self.raise(&class::LOCAL_JUMP_ERROR, "no block given (yield)")),
        }
    }

    /// Calls a proc.
    pub fn call_proc(
        &mut self,
        proc: &'a Proc<'a>,
        values: &[Val<'a>],
        block: Option<&'a Proc<'a>>,
    ) -> R<'a> {
        match proc.code {
            Code::Symbol(name) => match values.split_first() {
                Some((first, rest)) => self.send(*first, name, rest),
                None => Err(self.raise(&class::ARGUMENT_ERROR, "no receiver given")),
            },
            Code::Method((receiver, name)) => match receiver {
                Val::Main => self.call_self(
                    name,
                    Args::new(values),
                    false,
                    Frame { id: 0, block: None, tag: u64::MAX },
                ),
                receiver => self.send(*receiver, name, values),
            },
            Code::Block { lambda, env, frame, tag } => {
                self.step()?;
                let own = self.heap.env(lambda.locals, Some(env));
                // `return` in a lambda ends the lambda.
                let id = if proc.is_lambda { self.next_number() } else { frame.id };
                let inner = Frame { id, tag, ..frame };
                self.enter()?;
                let bound = if proc.is_lambda {
                    self.bind_strictly(&lambda.parameters, own, inner, values, block)
                } else {
                    self.bind_loosely(&lambda.parameters, own, inner, values, block)
                };
                let result = bound.and_then(|()| self.eval(&lambda.body, own, inner));
                self.world.leave();
                match result {
                    Err(Unwind::Next(value)) => Ok(value),
                    Err(Unwind::Return(id, value)) if proc.is_lambda && id == inner.id => Ok(value),
                    Err(Unwind::Break(of, value)) if proc.is_lambda && of == tag => Ok(value),
                    other => other,
                }
            }
        }
    }

    /// Binds what is yielded: too much is dropped, what is missing is `nil`, an array is taken apart when there are
    /// several parameters.
    fn bind_loosely(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        values: &[Val<'a>],
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        if let ([Val::Array(list)], true) = (values, parameters.takes_apart()) {
            let apart = list.to_vec();
            return self.bind(parameters, env, frame, &apart, block);
        }
        self.bind(parameters, env, frame, values, block)
    }

    /// Binds arguments of a method or lambda: their number must fit.
    fn bind_strictly(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        values: &[Val<'a>],
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        let least = parameters.required.len() + parameters.last.len();
        let most = if parameters.rest.is_some() { ANY } else { least + parameters.optional.len() };
        let takes_keywords = !parameters.keywords.is_empty() || parameters.keyword_rest.is_some();
        let has_keywords =
            takes_keywords && values.len() > least && matches!(values.last(), Some(Val::Hash(_)));
        let count = values.len() - usize::from(has_keywords);
        if count < least || count > most {
            return Err(self.wrong_count(count, least, most));
        }
        self.bind(parameters, env, frame, values, block)
    }

    fn bind(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        values: &[Val<'a>],
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        let mut values = values;
        if !parameters.keywords.is_empty() || parameters.keyword_rest.is_some() {
            let least = parameters.required.len() + parameters.last.len();
            let given = match values.split_last() {
                Some((Val::Hash(map), before)) if values.len() > least => {
                    values = before;
                    map.to_entries()
                }
                _ => Entries::default(),
            };
            self.bind_keywords(parameters, env, frame, given)?;
        }
        let mut at = 0;
        let next = |at: &mut usize| {
            let value = values.get(*at).copied();
            *at += 1;
            value
        };
        for target in &parameters.required {
            let value = next(&mut at).unwrap_or(Val::Nil);
            self.bind_target(target, value, env, frame)?;
        }
        let mut spare = values.len().saturating_sub(parameters.required.len() + parameters.last.len());
        for (local, default) in &parameters.optional {
            let value = if spare > 0 {
                spare -= 1;
                next(&mut at).unwrap_or(Val::Nil)
            } else {
                self.eval(default, env, frame)?
            };
            set(env, local.slot, value);
        }
        if let Some(rest) = &parameters.rest {
            let taken: Vec<Val<'a>> = values.iter().skip(at).take(spare).copied().collect();
            at += taken.len();
            if let Some(local) = rest {
                set(env, local.slot, self.heap.array(taken));
            }
        }
        for target in &parameters.last {
            let value = values.get(at).copied().unwrap_or(Val::Nil);
            at += 1;
            self.bind_target(target, value, env, frame)?;
        }
        if let Some(local) = parameters.block {
            set(env, local.slot, block.map_or(Val::Nil, Val::Proc));
        }
        Ok(())
    }

    fn bind_target(
        &mut self,
        target: &'a Target,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, ()> {
        match target {
            Target::Local(local) if local.depth == 0 => {
                set(env, local.slot, value);
                Ok(())
            }
            target => self.assign(target, value, env, frame),
        }
    }

    fn bind_keywords(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        mut given: Entries<'a>,
    ) -> Run<'a, ()> {
        for (name, local, default) in &parameters.keywords {
            let value = match (given.shift_remove(&Key(Val::Symbol(name))), default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default, env, frame)?,
                (None, None) => {
                    return Err(self.raise(&class::ARGUMENT_ERROR, format!("missing keyword: :{name}")));
                }
            };
            set(env, local.slot, value);
        }
        match (parameters.keyword_rest, given.first()) {
            (Some(Some(local)), _) => set(env, local.slot, self.heap.hash(given)),
            (None, Some((Key(Val::Symbol(name)), _))) => {
                return Err(self.raise(&class::ARGUMENT_ERROR, format!("unknown keyword: :{name}")));
            }
            _ => {}
        }
        Ok(())
    }

    /// What cannot be done ends the program.
    pub fn unsupported(&self, construct: impl std::fmt::Display) -> Unwind<'a> {
        Unwind::Fatal(Box::new(Error::plain(super::unsupported_message(construct))))
    }
}

fn set<'a>(env: &'a Env<'a>, slot: u32, value: Val<'a>) {
    if let Some(place) = env.slots.get(slot as usize) {
        place.set(value);
    }
}

const fn receiver_is_main(receiver: Val<'_>) -> bool {
    matches!(receiver, Val::Main)
}
