//! Calls: methods by class and name, blocks and their parameters, methods of the program itself.

use super::class::{self, Class};
use super::failure::{R, Run, Unwind};
use super::interpreter::Interpreter;
use super::modules::{Body as Own, Context, Entry, Module, ResolvedMethod, Visibility};
use super::names;
use super::tree::Lambda;
use super::value::{Code, Env, Frame, Join, Proc, Val, WorldObject};
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_syntax::diagnostic::Error;

/// The implementation of a method: receives the interpreter, the receiver, the arguments.
pub(super) type Body = for<'a, 'b> fn(&mut Interpreter<'a>, Val<'a>, Args<'a, 'b>) -> R<'a>;

/// A method that the interpreter knows.
pub(super) struct Method {
    /// Its names, separated by a space.
    pub names: &'static str,
    pub least: usize,
    pub most: usize,
    pub body: Body,
    /// Whether, of a collection, it only reads single elements, or adds one.
    looks_at_collections: bool,
    /// As `looks_at_collections`, of a text.
    looks_at_texts: bool,
    /// Whether its arguments are looked up among keys.
    looks_for_keys: bool,
}

/// Whether one of the names, separated by a space, is among those wanted.
const fn has_any(names: &str, wanted: &[&str]) -> bool {
    let mut rest = wanted;
    while let [first, others @ ..] = rest {
        if is_among(first.as_bytes(), names.as_bytes()) {
            return true;
        }
        rest = others;
    }
    false
}

/// Whether a name is one of several, separated by a space.
const fn is_among(name: &[u8], names: &[u8]) -> bool {
    let mut rest = names;
    loop {
        let (mut left, mut is_same) = (name, true);
        // One of the names is taken off and compared.
        while let [byte, others @ ..] = rest
            && *byte != b' '
        {
            rest = others;
            match left {
                [wanted, more @ ..] if *wanted == *byte => left = more,
                _ => is_same = false,
            }
        }
        if is_same && left.is_empty() {
            return true;
        }
        let [_, others @ ..] = rest else { return false };
        rest = others;
    }
}

const _: () = {
    assert!(has_any("push append <<", &["[]", "<<"]) && has_any("length size", &["length"]));
    assert!(!has_any("<<= sized", &["<<", "size"]) && !has_any("first", &["fi", "firsts", ""]));
};

/// The size of a collection's element in steps, as a number of bytes.
const BYTES_OF_ELEMENT: usize = 16;

/// Any number of arguments.
pub(super) const ANY: usize = usize::MAX;

impl Method {
    pub const fn new(names: &'static str, least: usize, most: usize, body: Body) -> Self {
        const OF_COLLECTIONS: &[&str] = &[
            "<<", "[]", "[]=", "class", "empty?", "fetch", "first", "key?", "last", "length", "nil?", "push",
            "store",
        ];
        const OF_KEYS: &[&str] =
            &["[]", "add?", "delete", "except", "fetch", "include?", "slice", "values_at"];
        Self {
            names,
            least,
            most,
            body,
            looks_at_collections: has_any(names, OF_COLLECTIONS),
            looks_at_texts: has_any(names, &["<<", "empty?"]),
            looks_for_keys: has_any(names, OF_KEYS),
        }
    }

    /// Whether it only reads single elements of a collection, or adds one.
    const fn looks_only(&self, receiver: Val<'_>) -> bool {
        match receiver {
            Val::Array(_) | Val::Hash(_) => self.looks_at_collections,
            Val::String(_) => self.looks_at_texts,
            _ => false,
        }
    }

    /// Whether its arguments are looked up among keys.
    const fn finds_keys(&self, receiver: Val<'_>) -> bool {
        matches!(receiver, Val::Hash(_) | Val::Set(_)) && self.looks_for_keys
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
    /// Whether the last value is a hash of keyword arguments.
    pub keywords: bool,
}

impl<'a, 'b> Args<'a, 'b> {
    pub const fn new(values: &'b [Val<'a>]) -> Self {
        Self { values, block: None, keywords: false }
    }

    /// The arguments after the first.
    pub fn rest(&self) -> Self {
        Self { values: self.values.get(1..).unwrap_or_default(), ..*self }
    }

    /// The block as a value.
    pub const fn proc(&self) -> Option<&'a Proc<'a>> {
        match self.block {
            Some(Block::Proc(block)) => Some(block),
            _ => None,
        }
    }

    /// An argument, or nothing when it was not given.
    pub fn get(&self, index: usize) -> Option<Val<'a>> {
        self.values.get(index).copied()
    }

    /// An argument; `nil` when it was not given.
    pub fn at(&self, index: usize) -> Val<'a> {
        self.get(index).unwrap_or(Val::Nil)
    }

    /// An option in a trailing hash.
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
            Val::Proc(Proc { code: Code::Method(_), .. }) => &class::METHOD,
            Val::Proc(_) => &class::PROC,
            Val::Class(class) if class.name == class::UTF_8.name => &class::ENCODING,
            Val::Class(class) if class.is_module() => &class::MODULE,
            Val::Module(module) if module.is_module => &class::MODULE,
            Val::Module(_) => &class::CLASS,
            Val::Object(object) => object.class.root(),
            Val::Binding(_) => &class::BINDING,
            Val::Class(_) => &class::CLASS,
            Val::Exception(exception) => exception.class,
            Val::Set(_) => &class::SET,
            Val::Enumerator(_) => &class::ENUMERATOR,
            Val::Main => &class::TEMPLATE,
            Val::World(WorldObject::Scope | WorldObject::TopScope) => &class::SCOPE,
            Val::World(WorldObject::Catalog) => &class::CATALOG,
            Val::World(WorldObject::Environment) => &class::ENVIRONMENT,
            Val::World(WorldObject::Compiler) => &class::COMPILER,
            Val::World(WorldObject::Node) => &class::NODE,
            Val::Time(_) => &class::TIME,
            Val::Foreign(Value::Sensitive(_)) => &class::SENSITIVE,
            Val::Foreign(Value::Object(object)) if object.object_type.name == "Puppet::LookupContext" => {
                &class::LOOKUP_CONTEXT
            }
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
        match self.find_method(receiver, name) {
            Some(ResolvedMethod::Native(method)) => self.run_method(method, receiver, args),
            Some(ResolvedMethod::Own(entry)) => self.call_entry(entry, receiver, args),
            None => self.missing(receiver, name, args),
        }
    }

    /// Calls a method that must not be private, with an explicit receiver.
    pub fn send_public(
        &mut self,
        receiver: Val<'a>,
        name: &str,
        args: Args<'a, '_>,
        caller: Val<'a>,
    ) -> R<'a> {
        self.step()?;
        match self.find_method(receiver, name) {
            Some(ResolvedMethod::Native(method)) => self.run_method(method, receiver, args),
            Some(ResolvedMethod::Own(entry)) => {
                let refused = match entry.visibility {
                    Visibility::Public => None,
                    Visibility::Protected if self.is_kind(caller, entry.owner.value())? => None,
                    Visibility::Protected => Some("protected"),
                    Visibility::Private | Visibility::ModuleFunction => Some("private"),
                };
                let Some(kind) = refused else { return self.call_entry(entry, receiver, args) };
                if let Some(result) = self.call_method_missing(receiver, name, args) {
                    return result;
                }
                let described = self.described(receiver);
                let message = format!("{kind} method `{name}' called for {described}");
                Err(self.raise(&class::NO_METHOD_ERROR, message))
            }
            None => self.missing(receiver, name, args),
        }
    }

    /// Calls a method that was found.
    pub fn call_found(&mut self, found: ResolvedMethod<'a>, receiver: Val<'a>, args: Args<'a, '_>) -> R<'a> {
        match found {
            ResolvedMethod::Native(method) => self.run_method(method, receiver, args),
            ResolvedMethod::Own(entry) => self.call_entry(entry, receiver, args),
        }
    }

    /// Calls a method of the program.
    pub fn call_entry(&mut self, entry: Entry<'a>, receiver: Val<'a>, args: Args<'a, '_>) -> R<'a> {
        match entry.body {
            Own::Lambda(lambda, nesting) => {
                let context = self.heap.context(Context {
                    itself: receiver,
                    nesting,
                    definee: Some(entry.owner),
                    method: Some(self.heap.entry(entry)),
                    visibility: Visibility::Public.into(),
                });
                let around = self.method.replace(entry.name);
                let result = self.run_lambda(lambda, context, args);
                self.method = around;
                result
            }
            Own::Proc(proc) => self.call_proc_as(proc, receiver, Some(entry), args),
            Own::Reader(name) => {
                if !args.values.is_empty() {
                    return Err(self.wrong_count(args.values.len(), 0, 0));
                }
                Ok(self.variable_of(receiver, name)?.unwrap_or(Val::Nil))
            }
            Own::Writer(name) => {
                if args.values.len() != 1 {
                    return Err(self.wrong_count(args.values.len(), 1, 1));
                }
                self.set_variable_of(receiver, name, args.at(0))?;
                Ok(args.at(0))
            }
            Own::Native(method) => self.run_method(method, receiver, args),
            Own::Undefined => Err(self.no_method(receiver, entry.name)),
        }
    }

    /// `super`: the next method after the running one.
    pub fn call_super(&mut self, frame: Frame<'a>, args: Args<'a, '_>) -> R<'a> {
        self.step()?;
        let context = frame.context;
        let Some(entry) = context.method else {
            return Err(self.raise(&class::RUNTIME_ERROR, "super called outside of method"));
        };
        let receiver = context.itself;
        let found = self.line_of(receiver).and_then(|line| {
            let at = line.iter().position(
                |step| matches!(step, super::modules::Step::Own(own) if std::ptr::eq(*own, entry.owner)),
            )?;
            Self::find_in(line.get(at + 1..)?, entry.name)
        });
        match found {
            Some(found) => self.call_found(found, receiver, args),
            None => match entry.name {
                "initialize" if args.values.is_empty() => Ok(Val::Nil),
                "initialize" => Err(self.wrong_count(args.values.len(), 0, 0)),
                "inherited" | "included" | "extended" | "prepended" | "method_added" | "initialize_copy" => {
                    Ok(Val::Nil)
                }
                "respond_to_missing?" => Ok(Val::Boolean(false)),
                "method_missing" => {
                    let name = self.name(args.at(0))?;
                    Err(self.undefined(receiver, &name, args.rest()))
                }
                name => {
                    let described = self.described(receiver);
                    let message = format!("super: no superclass method `{name}' for {described}");
                    Err(self.raise(&class::NO_METHOD_ERROR, message))
                }
            },
        }
    }

    /// Whether a value answers to a method that everybody may call.
    pub fn responds(&mut self, receiver: Val<'a>, name: &str) -> bool {
        self.answers(receiver, name, false)
    }

    /// Whether a value answers to a method.
    pub fn answers(&mut self, receiver: Val<'a>, name: &str, with_private: bool) -> bool {
        match self.find_method(receiver, name) {
            Some(ResolvedMethod::Native(_)) => return true,
            Some(ResolvedMethod::Own(entry)) => {
                return with_private || entry.visibility == Visibility::Public;
            }
            None => {}
        }
        if let Some(ResolvedMethod::Own(entry)) = self.find_method(receiver, "respond_to_missing?") {
            let asked = [self.heap.symbol(name), Val::Boolean(with_private)];
            return self.call_entry(entry, receiver, Args::new(&asked)).is_ok_and(Val::is_truthy);
        }
        let is_class = match receiver {
            Val::Class(class) => {
                names::is_unknown_class_method(class.name, name) || names::library_class_has(class.name, name)
            }
            Val::Module(module) => names::library_class_has(self.module_name(module), name),
            _ => false,
        };
        let class = match receiver {
            Val::Bytes(_) => &class::STRING,
            _ => self.class_of(receiver),
        };
        is_class
            || class.ancestors().any(|class| names::ruby_has(class, name))
            || (matches!(receiver, Val::Object(_)) && self.librarys_own(receiver, name))
            || (receiver_is_main(receiver) && self.methods.contains_key(name))
    }

    pub fn run_method(&mut self, method: &'static Method, receiver: Val<'a>, args: Args<'a, '_>) -> R<'a> {
        let count = args.values.len();
        if count < method.least || count > method.most {
            const HANDED_ON: &[&str] =
                &["each", "to_a entries", "to_h", "each_entry", "each_with_index", "reverse_each"];
            let hands_on = matches!(receiver, Val::Enumerator(_)) && HANDED_ON.contains(&method.names);
            if names::counts_otherwise(method.names) || hands_on {
                return Err(self.unsupported(format!("{} with {count} arguments", method.names)));
            }
            return Err(self.wrong_count(count, method.least, method.most));
        }
        let looks_only = method.looks_only(receiver);
        if !looks_only {
            self.charge_value(receiver)?;
        }
        if !args.values.is_empty() {
            args.values.iter().try_for_each(|value| self.charge_value(*value))?;
            let is_collection = |value: &Val<'_>| matches!(value, Val::Array(_) | Val::Hash(_) | Val::Set(_));
            if args.values.iter().any(is_collection) && method.finds_keys(receiver) {
                self.charge_keys(args.values)?;
            }
        }
        self.enter()?;
        let result = (method.body)(self, receiver, args);
        self.world.leave();
        let result = result?;
        if !looks_only {
            self.charge_value(result)?;
        }
        Ok(result)
    }

    /// Counts the steps of going through a value.
    pub fn charge_value(&self, value: Val<'a>) -> Run<'a, ()> {
        match self.price(value) {
            0 => Ok(()),
            steps => self.charge_steps(steps),
        }
    }

    /// The number of steps to visit a value, as far as it is known without visiting it: from the bytes of a
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
        let expected = counts(least, most);
        let message = format!("wrong number of arguments (given {count}, expected {expected})");
        self.raise(&class::ARGUMENT_ERROR, message)
    }

    /// A call without receiver.
    pub fn call_self(&mut self, name: &str, args: Args<'a, '_>, bare: bool, frame: Frame<'a>) -> R<'a> {
        let itself = frame.context.itself;
        if !receiver_is_main(itself)
            && let Some(found) = self.find_method(itself, name)
        {
            self.step()?;
            if let Some(result) = self.set_visibility(name, args, frame) {
                return result;
            }
            return self.call_found(found, itself, args);
        }
        if let Some(lambda) = self.methods.get(name).copied() {
            return self.call_defined_as(name, lambda, itself, args);
        }
        if receiver_is_main(itself)
            && let Some(lambda) = self.world.kept_method(name)
        {
            let lambda = self.heap.lambda(lambda);
            return self.call_defined_as(name, lambda, itself, args);
        }
        if receiver_is_main(itself)
            && let Some(object) = self.modules.additions.get(class::OBJECT.name).copied()
            && let Some(found @ ResolvedMethod::Own(_)) = self.instance_method(object, name)
        {
            return self.call_found(found, itself, args);
        }
        if (receiver_is_main(itself) || self.is_function_class(itself))
            && let Some(result) = self.definition_statement(name, args)
        {
            return result;
        }
        if matches!(itself, Val::World(WorldObject::Scope))
            && let Some(function) = name.strip_prefix("function_")
        {
            return self.legacy_function(itself, function, name, args);
        }
        if receiver_is_main(itself)
            && let Some(method) = class::TEMPLATE.method(name)
        {
            self.step()?;
            return self.run_method(method, itself, args);
        }
        if let Some(result) = self.call_of_place(name, args, frame) {
            return result;
        }
        let function = class::KERNEL
            .class_method(name)
            .or_else(|| class::HELPERS.class_method(name))
            .or_else(|| class::TIME_HELPERS.class_method(name))
            .or_else(|| class::RANDOM_FUNCTIONS.class_method(name))
            .or_else(|| class::RANDOM_HELPERS.class_method(name));
        if let Some(method) = function {
            self.step()?;
            return self.run_method(method, itself, args);
        }
        if !receiver_is_main(itself) {
            if let Some(result) = self.call_method_missing(itself, name, args) {
                return result;
            }
            if self.load_additions_with(itself, name)?
                && let Some(found) = self.find_method(itself, name)
            {
                return self.call_found(found, itself, args);
            }
        }
        if names::is_unknown_function(name) {
            return Err(self.unsupported(format!("method {name}")));
        }
        if let Val::Object(_) | Val::Module(_) | Val::Class(_) = itself
            && self.class_of(itself).ancestors().any(|class| names::ruby_has(class, name))
        {
            return Err(self.unsupported(format!("method {name}")));
        }
        let described = self.described(itself);
        if bare {
            let message = format!("undefined local variable or method `{name}' for {described}");
            return Err(self.raise(&class::NAME_ERROR, message));
        }
        Err(self.raise(&class::NO_METHOD_ERROR, format!("undefined method `{name}' for {described}")))
    }

    /// Calls that depend on their place.
    fn call_of_place(&mut self, name: &str, args: Args<'a, '_>, frame: Frame<'a>) -> Option<R<'a>> {
        Some(Ok(match name {
            "block_given?" => Val::Boolean(frame.block.is_some()),
            "__method__" => frame.context.method.map_or(Val::Nil, |entry| Val::Symbol(entry.name)),
            "public" | "private" if args.values.is_empty() => Val::Nil,
            "public" | "private" => args.at(0),
            _ => return None,
        }))
    }

    /// `private` and its like without arguments: they hold for what follows in the body of a class.
    fn set_visibility(&mut self, name: &str, args: Args<'a, '_>, frame: Frame<'a>) -> Option<R<'a>> {
        if !args.values.is_empty() || !matches!(frame.context.itself, Val::Module(_) | Val::Class(_)) {
            return None;
        }
        let visibility = match name {
            "private" => Visibility::Private,
            "public" => Visibility::Public,
            "protected" => Visibility::Protected,
            "module_function" => Visibility::ModuleFunction,
            _ => return None,
        };
        frame.context.visibility.set(visibility);
        Some(Ok(Val::Nil))
    }

    /// Calls a method that the program defines outside of classes.
    pub fn call_defined(&mut self, lambda: &'a Lambda, args: Args<'a, '_>) -> R<'a> {
        self.call_defined_as("", lambda, Val::Main, args)
    }

    fn call_defined_as(
        &mut self,
        name: &str,
        lambda: &'a Lambda,
        itself: Val<'a>,
        args: Args<'a, '_>,
    ) -> R<'a> {
        let method = match self.methods.get_key_value(name) {
            Some((name, _)) => {
                let owner = self.nowhere;
                let body = Own::Lambda(lambda, self.outside);
                Some(self.heap.entry(Entry { body, visibility: Visibility::Private, name, owner }))
            }
            None => None,
        };
        let context = self.heap.context(Context {
            itself,
            nesting: self.outside,
            definee: None,
            method,
            visibility: Visibility::Public.into(),
        });
        self.run_lambda(lambda, context, args)
    }

    fn run_lambda(&mut self, lambda: &'a Lambda, context: &'a Context<'a>, args: Args<'a, '_>) -> R<'a> {
        self.step()?;
        let block = match args.block {
            Some(Block::Proc(block)) => Some(block),
            Some(Block::Native(_)) => {
                return Err(self.unsupported("method of the program as a block's owner"));
            }
            None => None,
        };
        let frame = Frame { id: self.next_number(), block, tag: u64::MAX, context };
        let env = self.heap.env(lambda.locals, None);
        self.enter()?;
        let last_match = self.last_match.take();
        let in_library = std::mem::replace(&mut self.in_library, lambda.is_library);
        let result = self.bind_strictly(&lambda.parameters, env, frame, args, block);
        let result = result.and_then(|()| self.eval(&lambda.body, env, frame));
        self.in_library = in_library;
        self.last_match = last_match;
        self.world.leave();
        match result {
            Err(Unwind::Return(id, value)) if id == frame.id => Ok(value),
            other => other,
        }
    }

    /// Calls a block with yielded values.
    pub fn call_block(&mut self, block: Block<'a, '_>, values: &[Val<'a>]) -> R<'a> {
        match block {
            Block::Proc(block) => self.call_proc(block, values, None),
            Block::Native(body) => body(self, values),
        }
    }

    /// Calls a proc with another `self`; as a method if an entry is given.
    pub fn call_proc_as(
        &mut self,
        proc: &'a Proc<'a>,
        itself: Val<'a>,
        entry: Option<Entry<'a>>,
        args: Args<'a, '_>,
    ) -> R<'a> {
        let definee = match (entry, itself) {
            (Some(entry), _) => Some(entry.owner),
            (None, Val::Module(module)) => Some(module),
            (None, Val::Class(class)) => Some(self.additions(class)),
            (None, _) => None,
        };
        self.call_proc_in(proc, itself, entry, definee, args)
    }

    /// Calls a proc with another `self`, and another place for the methods that it defines.
    pub fn call_proc_in(
        &mut self,
        proc: &'a Proc<'a>,
        itself: Val<'a>,
        entry: Option<Entry<'a>>,
        definee: Option<&'a Module<'a>>,
        args: Args<'a, '_>,
    ) -> R<'a> {
        let Code::Block { lambda, env, frame, tag } = proc.code else {
            return self.call_proc_with(proc, args);
        };
        let context = self.heap.context(Context {
            itself,
            nesting: frame.context.nesting,
            definee: definee.or(frame.context.definee),
            method: entry.map(|entry| self.heap.entry(entry)).or(frame.context.method),
            visibility: Visibility::Public.into(),
        });
        let code = Code::Block { lambda, env, frame: Frame { context, ..frame }, tag };
        let own = self.heap.proc(code, proc.is_lambda);
        self.call_proc_with(own, args)
    }

    /// Rejects a method without a block, where Ruby returns an enumerator or has another error.
    pub fn needs_block(&self, args: &Args<'a, '_>) -> Run<'a, ()> {
        match args.block {
            Some(_) => Ok(()),
            None => Err(self.unsupported("such a method without a block")),
        }
    }

    /// Calls the block of a method that needs one.
    pub fn call_given(&mut self, args: &Args<'a, '_>, values: &[Val<'a>]) -> R<'a> {
        match args.block {
            Some(block) => self.call_block(block, values),
            None => self.needs_block(args).map(|()| Val::Nil),
        }
    }

    /// Calls a proc.
    pub fn call_proc(
        &mut self,
        proc: &'a Proc<'a>,
        values: &[Val<'a>],
        block: Option<&'a Proc<'a>>,
    ) -> R<'a> {
        self.call_proc_with(proc, Args { values, block: block.map(Block::Proc), keywords: false })
    }

    /// Calls a proc, with keyword arguments.
    pub fn call_proc_with(&mut self, proc: &'a Proc<'a>, args: Args<'a, '_>) -> R<'a> {
        let values = args.values;
        match proc.code {
            Code::Symbol(name) => match values.split_first() {
                Some((first, _)) => self.send_with(*first, name, args.rest()),
                None => Err(self.raise(&class::ARGUMENT_ERROR, "no receiver given")),
            },
            Code::Method((receiver, name)) => match receiver {
                Val::Main => self.call_self(name, args, false, self.outer_frame()),
                receiver => self.send_with(*receiver, name, args),
            },
            Code::Given => {
                let mut given = Vec::with_capacity(values.len());
                for value in values {
                    given.push(self.to_puppet(*value)?);
                }
                let result = self.world.call_block(&given).map_err(|error| self.fail(error))?;
                self.to_ruby(&result)
            }
            Code::Collect(list) => {
                let value = match values {
                    [one] => *one,
                    several => self.heap.array(several.to_vec()),
                };
                list.change(|values| values.push(value));
                self.check_size(list.len() * size_of::<Val<'_>>())?;
                Ok(Val::Nil)
            }
            Code::Joined((Join::Then, one, two)) => {
                let value = self.send_with(*one, "call", args)?;
                self.send(*two, "call", &[value])
            }
            Code::Joined((Join::Lookup, hash, _)) => self.send(*hash, "[]", values),
            Code::Joined((Join::Curry(wanted), proc, given)) => {
                let mut all = self.elements(*given)?;
                all.extend(values);
                if all.len() as i64 >= *wanted {
                    return self.send(*proc, "call", &all);
                }
                let all = self.heap.array(all);
                let code = self.heap.joined(Join::Curry(*wanted), *proc, all);
                Ok(Val::Proc(self.heap.proc(code, true)))
            }
            Code::Block { lambda, env, frame, tag } => {
                // `return` in a lambda ends the lambda.
                let id = if proc.is_lambda { self.next_number() } else { frame.id };
                let inner = Frame { id, tag, ..frame };
                self.run_block(lambda, env, inner, proc.is_lambda, args)
            }
        }
    }

    fn run_block(
        &mut self,
        lambda: &'a Lambda,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        is_lambda: bool,
        args: Args<'a, '_>,
    ) -> R<'a> {
        self.step()?;
        let own = match self.spare.take() {
            Some((of, spare))
                if std::ptr::eq(of, lambda) && spare.outer.is_some_and(|outer| std::ptr::eq(outer, env)) =>
            {
                spare.slots.iter().for_each(|slot| slot.set(Val::Nil));
                spare
            }
            _ => self.heap.env(lambda.locals, Some(env)),
        };
        let block = match args.block {
            Some(Block::Proc(block)) => Some(block),
            _ => None,
        };
        self.enter()?;
        let in_library = std::mem::replace(&mut self.in_library, lambda.is_library);
        let bound = if is_lambda {
            self.bind_strictly(&lambda.parameters, own, frame, args, block)
        } else {
            self.bind_loosely(&lambda.parameters, own, frame, args, block)
        };
        let result = match bound {
            Ok(()) => self.eval(&lambda.body, own, frame),
            Err(unwind) => Err(unwind),
        };
        self.in_library = in_library;
        self.world.leave();
        if !lambda.keeps_variables {
            self.spare = Some((lambda, own));
        }
        match result {
            Err(Unwind::Next(value)) => Ok(value),
            Err(Unwind::Return(id, value)) if is_lambda && id == frame.id => Ok(value),
            Err(Unwind::Break(of, value)) if is_lambda && of == frame.tag => Ok(value),
            other => other,
        }
    }

    /// An unsupported construct ends the program.
    pub fn unsupported(&self, construct: impl std::fmt::Display) -> Unwind<'a> {
        Unwind::Fatal(Box::new(Error::plain(super::unsupported_message(construct))))
    }
}

/// The number of expected arguments.
pub(super) fn counts(least: usize, most: usize) -> String {
    match (least, most) {
        (least, ANY) => format!("{least}+"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least}..{most}"),
    }
}

pub(super) const fn receiver_is_main(receiver: Val<'_>) -> bool {
    matches!(receiver, Val::Main)
}
