//! Functions that modules write in Ruby: `Puppet::Functions.create_function`, and `newfunction` of the 3.x
//! API.
//!
//! Follows the reference's `functions.rb`. Running the file once determines the signatures; a call runs it
//! again, which defines its methods, and calls the method of the signature.

use std::any::Any;
use std::sync::Arc;

use super::call::{Args, Block};
use super::class;
use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::modules::{Body, Entry, Module, Parent, ResolvedMethod};
use super::programs::Programs;
use super::tree::Program;
use super::value::{Code, Heap, Proc, Val, WorldObject};
use super::{Failure, NEEDS_RUBY, RefusedError, Unsupported, World, parse_file, unsupported_message};
use bunraku_host::{
    BlockParameters, Declaration, ForeignBlock, ForeignCall, ForeignFunction, ForeignRequest,
    ForeignResource, FunctionApi, FunctionSource, LegacyApi, RequiredFiles,
};
use bunraku_pcore::Value;
use bunraku_pcore::fuel::{BoundedFuel, Fuel};
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Str, Timestamp};
use bunraku_syntax::diagnostic::{Error, LogLevel};
use bunraku_syntax::source::Location;

/// The declaration of a function in a file.
#[derive(Debug, Default)]
pub(super) struct Definition {
    name: Str,
    dispatches: Vec<Draft>,
    /// The types that only the signatures know.
    local_types: Vec<String>,
    /// The declaration in the 3.x API, for a function of that API.
    legacy: Option<LegacyApi>,
    /// Whether the function has a method `call` of its own, which gets the scope and all arguments.
    has_own_call: bool,
    /// Whether the signatures are not needed because they were read before.
    is_known: bool,
}

/// A signature while it is read.
#[derive(Debug, Default)]
struct Draft {
    method: Str,
    /// Each as a Puppet function would declare it: `Integer? $count`.
    parameters: Vec<String>,
    /// The block that it takes, as a Puppet function would declare it.
    block: Option<String>,
    returns: Option<Str>,
    /// Whether it is that of wrong arguments.
    is_mismatch: bool,
    /// The injected arguments of the method, each with its position among the parameters.
    injected: Vec<(usize, Injected)>,
}

/// An injected argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Injected {
    /// `scope_param`: the scope that calls.
    Scope,
    /// `compiler_param`
    Compiler,
}

impl Draft {
    fn signature(&self) -> String {
        let parameters = self.parameters.iter().chain(&self.block).cloned().collect::<Vec<_>>().join(", ");
        match &self.returns {
            Some(returns) => format!("{parameters} >> {returns}"),
            None => parameters,
        }
    }
}

/// A function of the 3.x API that a program declares.
pub(super) struct LegacyFunction<'a> {
    name: Str,
    body: &'a Proc<'a>,
}

/// A function written in Ruby.
#[derive(Debug)]
pub struct Function {
    name: Str,
    program: Program,
    dispatches: Vec<Draft>,
    declaration: Declaration,
    has_own_call: bool,
    /// Those of the files that it loads.
    programs: Arc<Programs>,
}

impl Function {
    /// Reads the function of a file. `programs` keeps those of the files that it loads.
    ///
    /// # Errors
    /// The file is not Ruby, uses what the interpreter does not know, or defines no function of the API.
    pub fn load(file: FunctionSource<'_>, programs: &Arc<Programs>) -> Result<Self, Error> {
        Self::read(file, programs).map_err(|complaint| match complaint {
            Complaint::Unknown(Unsupported { construct, line }) => {
                not_runnable(file.name, file.path, line, &construct)
            }
            Complaint::OtherName(text) => Error::plain(text),
        })
    }

    /// Whether the interpreter knows all of its file. It refuses the rest when it is reached.
    pub fn is_known(&self) -> bool {
        self.program.unknown.is_empty()
    }

    /// The reason why [`load`](Self::load) fails, and its place in the file; `None` if it does not.
    pub fn complaint(file: FunctionSource<'_>) -> Option<Unsupported> {
        let Unsupported { construct, line } = match Self::read(file, &Arc::default()).err()? {
            Complaint::Unknown(unknown) => unknown,
            Complaint::OtherName(construct) => Unsupported { construct, line: 1 },
        };
        let construct = construct.strip_suffix(NEEDS_RUBY).map_or(construct.clone(), str::to_owned);
        Some(Unsupported { construct, line })
    }

    fn read(file: FunctionSource<'_>, programs: &Arc<Programs>) -> Result<Self, Complaint> {
        let FunctionSource { name, path, text, api, required } = file;
        let unsupported = |line: u32, message: &str| {
            Complaint::Unknown(Unsupported { construct: message.to_owned(), line })
        };
        let program = parse_file(path, text)
            .map_err(|refused: RefusedError| unsupported(refused.line(), &refused.to_error().message))?;
        let world = FunctionWorld { programs: Some(programs), ..FunctionWorld::loading(required) };
        let mut definition =
            define(&program, &world).map_err(|failure| unsupported(failure.line, &failure.error.message))?;
        if definition.name.trim_start_matches("::") != name {
            let method = if definition.legacy.is_some() { "function_" } else { "" };
            return Err(Complaint::OtherName(format!(
                "The code loaded from {path} produced mis-matched name, expected '{method}{name}', got '{method}{}'",
                definition.name
            )));
        }
        if definition.legacy.is_some() != (api == FunctionApi::Legacy) {
            return Err(unsupported(1, "the file defines a function of another API"));
        }
        if definition.dispatches.is_empty() {
            definition.dispatches.push(Draft::default());
        }
        let Definition { dispatches, local_types, legacy, has_own_call, .. } = definition;
        let numbered = dispatches.iter().enumerate();
        let declaration = if legacy.is_some() {
            Declaration { legacy, ..Declaration::default() }
        } else if has_own_call {
            Declaration { signatures: vec!["Any* $args".to_owned()], ..Declaration::default() }
        } else {
            Declaration {
                signatures: dispatches.iter().map(Draft::signature).collect(),
                mismatches: numbered.filter(|(_, draft)| draft.is_mismatch).map(|(index, _)| index).collect(),
                local_types,
                subjects: dispatches.iter().map(|draft| subject(&draft.method)).collect(),
                legacy: None,
            }
        };
        let programs = Arc::clone(programs);
        Ok(Self { name: name.into(), program, dispatches, declaration, has_own_call, programs })
    }
}

/// Why a function cannot be loaded.
enum Complaint {
    Unknown(Unsupported),
    /// The file defines a function of another name, as a text tells.
    OtherName(String),
}

/// The error about a function that cannot run.
fn not_runnable(name: &str, file: &str, line: u32, message: &str) -> Error {
    Error::plain(format!("The function '{name}' is written in Ruby: {message} (file: {file}, line: {line})"))
}

/// The inherited method that selects the method by signatures.
const CALL: &str = "call";

/// The beginning of the message about a result of the wrong type.
fn subject(method: &str) -> String {
    format!("value returned from function '{method}' has wrong type,")
}

/// Runs a file for the declaration of its function, the last one of several in the 3.x API.
fn define(program: &Program, world: &dyn World) -> Result<Definition, Failure> {
    let heap = Heap::default();
    let mut interpreter = Interpreter::new(&heap, world, &program.file);
    interpreter.definition = Some(Definition::default());
    if let Err(unwind) = interpreter.run(program) {
        return Err(interpreter.failure(unwind));
    }
    let mut definition = interpreter.definition.take().unwrap_or_default();
    let own = interpreter.function_class;
    definition.has_own_call =
        own.is_some_and(|class| class.methods.ask(|methods| methods.contains_key("call")));
    if definition.dispatches.is_empty() {
        // A function without signatures takes what its method takes.
        let method = definition.name.rsplit("::").next().unwrap_or_default().to_owned();
        let own = interpreter.function_class;
        let found = own.and_then(|class| class.methods.ask(|methods| methods.get(method.as_str()).copied()));
        if let Some(Entry { body: Body::Lambda(lambda, _), .. }) = found {
            let parameters = &lambda.parameters;
            let least = parameters.required.len() + parameters.last.len();
            let most = least + parameters.optional.len();
            let is_repeated = parameters.rest.is_some();
            let modifier = |index| {
                if index < least {
                    ""
                } else if index < most {
                    "?"
                } else {
                    "*"
                }
            };
            let all = most + usize::from(is_repeated);
            let parameters =
                (0..all).map(|index| format!("Any{} $p{}", modifier(index), index + 1)).collect();
            definition.dispatches.push(Draft {
                method: method.as_str().into(),
                parameters,
                ..Draft::default()
            });
        }
    }
    Ok(definition)
}

impl ForeignFunction for Function {
    fn signatures(&self) -> Vec<String> {
        Vec::new()
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(self.declaration.clone())
    }

    fn call(&self, signature: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error> {
        let legacy = self.declaration.legacy;
        let (method, injected): (&str, _) = match (legacy, self.dispatches.get(signature)) {
            (Some(_), _) => (&self.name, &[][..]),
            _ if self.has_own_call => (CALL, &[(0, Injected::Scope)][..]),
            (None, Some(dispatch)) => (&dispatch.method, dispatch.injected.as_slice()),
            (None, None) => return Err(Error::internal("no such signature")),
        };
        let world =
            FunctionWorld { call: Some(call), programs: Some(&self.programs), ..FunctionWorld::outside() };
        let heap = Heap::default();
        let mut interpreter = Interpreter::new(&heap, &world, &self.program.file);
        interpreter.definition = Some(Definition { is_known: !self.has_own_call, ..Definition::default() });
        let result = interpreter
            .run(&self.program)
            .and_then(|_| interpreter.restore_state())
            .and_then(|()| interpreter.call_function_method(method, arguments, injected, legacy.is_some()));
        let told = interpreter.tell_steps().and_then(|()| interpreter.keep_state());
        let result = result.and_then(|value| told.map(|()| value));
        result.map_err(|unwind| {
            let failure = interpreter.failure(unwind);
            if failure.needs_ruby() && failure.error.message.ends_with(super::NEEDS_RUBY) {
                return not_runnable(&self.name, &self.program.file, failure.line, &failure.error.message);
            }
            match failure.class {
                Some(name) if !name.starts_with("Puppet::") && name != "ArgumentError" => {
                    Error::internal(failure.error.message)
                }
                _ => *failure.error,
            }
        })
    }
}

impl<'a> Interpreter<'a> {
    fn call_function_method(
        &mut self,
        method: &str,
        arguments: &[Value],
        injected: &[(usize, Injected)],
        is_legacy: bool,
    ) -> Run<'a, Value> {
        self.is_legacy = is_legacy;
        self.kept.is_called = true;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.to_ruby(argument)?);
        }
        if is_legacy {
            // The block of `newfunction` is a method of the scope, of one argument: all that were given.
            let Some(body) = self.legacy_function_of(method) else {
                return Err(self.no_method(Val::Main, method));
            };
            let value = self.call_legacy_body(body, values)?;
            return self.to_puppet(value);
        }
        for (place, what) in injected {
            let value = match what {
                Injected::Scope => WorldObject::Scope,
                Injected::Compiler => WorldObject::Compiler,
            };
            values.insert((*place).min(values.len()), Val::World(value));
        }
        let block = self.world.block().map(|_| Block::Proc(self.heap.proc(Code::Given, true)));
        let value = self.call_instance(method, Args { block, ..Args::new(&values) })?;
        self.to_puppet(value)
    }

    fn call_legacy_body(&mut self, body: &'a Proc<'a>, arguments: Vec<Val<'a>>) -> R<'a> {
        let all = [self.heap.array(arguments)];
        self.call_proc_in(body, Val::World(WorldObject::Scope), None, None, Args::new(&all))
    }

    /// The body of a function of the 3.x API that this program has declared.
    fn legacy_function_of(&self, name: &str) -> Option<&'a Proc<'a>> {
        let mut found = self.legacy_functions.iter().rev();
        found.find(|own| own.name == name).map(|own| own.body)
    }

    /// The body of a function that the file of another declares beside it. Nobody else knows it.
    pub(super) fn legacy_neighbour(&self, name: &str) -> Option<&'a Proc<'a>> {
        self.legacy_function_of(name).filter(|_| self.legacy_functions.len() > 1)
    }

    /// Calls [`legacy_neighbour`](Self::legacy_neighbour)'s answer.
    pub(super) fn call_legacy_neighbour(&mut self, body: &'a Proc<'a>, arguments: &[Val<'a>]) -> R<'a> {
        self.call_legacy_body(body, arguments.to_vec())
    }

    /// Makes an instance of the function's class and calls a method of it.
    fn call_instance(&mut self, method: &str, args: Args<'a, '_>) -> R<'a> {
        let Some(class) = self.function_class else { return Err(self.no_method(Val::Main, method)) };
        let object = self.heap.object(class);
        let instance = Val::Object(object);
        if let Some(found @ ResolvedMethod::Own(_)) = self.find_method(instance, "initialize") {
            let given = [Val::World(WorldObject::TopScope), Val::Nil];
            self.call_found(found, instance, Args::new(&given))?;
        }
        if self.kept.function.is_none() {
            self.restore_function(object)?;
        }
        match self.find_method(instance, method) {
            Some(found) => self.call_found(found, instance, args),
            None => Err(self.no_method(instance, method)),
        }
    }

    /// Calls a function that a module has in Ruby with a block of this program: it runs in this program, too.
    fn call_with_block(&mut self, name: &str, args: Args<'a, '_>) -> R<'a> {
        let path = format!("puppet/functions/{}.rb", name.replace("::", "/"));
        let Some((path, text)) = self.world.library(&path).map_err(|error| self.fail(error))? else {
            return Err(self.unsupported(format!("block of the function {name}")));
        };
        let (definition, class) =
            (self.definition.replace(Definition::default()), self.function_class.take());
        let result = self.load(path, &text).and_then(|_| {
            let draft = self.definition.take().unwrap_or_default().dispatches;
            let mut fitting = draft.iter().filter(|draft| !draft.is_mismatch);
            match (fitting.next(), fitting.next()) {
                (Some(Draft { method, injected, .. }), None) if injected.is_empty() => {
                    self.call_instance(method, args)
                }
                _ => Err(self.unsupported(format!("block of the function {name}"))),
            }
        });
        (self.definition, self.function_class) = (definition, class);
        result
    }

    /// `self.class.dispatcher.dispatch(self, scope, arguments)`: the method of the signature is called.
    pub(super) fn dispatch_call(&mut self, args: Args<'a, '_>) -> R<'a> {
        let (instance, values) = (args.at(0), self.elements(args.at(2))?);
        let drafts = self.definition.as_ref().map(|definition| definition.dispatches.as_slice());
        let drafts = drafts.unwrap_or_default();
        if drafts.iter().any(|draft| draft.is_mismatch || draft.block.is_some() || !draft.injected.is_empty())
        {
            return Err(self.unsupported("choice between such signatures"));
        }
        let mut drafts: Vec<_> =
            drafts.iter().map(|draft| (draft.method.clone(), draft.parameters.clone())).collect();
        if drafts.len() > 1 {
            let mut fitting = None;
            for (at, (_, parameters)) in drafts.iter().enumerate() {
                if self.are_taken(parameters, &values)? {
                    fitting = Some(at);
                    break;
                }
            }
            let Some(at) = fitting else {
                return Err(self.unsupported("arguments that no signature takes"));
            };
            drafts.swap(0, at);
        }
        let Some((method, _)) = drafts.first() else {
            return Err(self.unsupported("choice between no signatures"));
        };
        self.send_with(instance, method, Args { block: args.block, ..Args::new(&values) })
    }

    /// Whether parameters take arguments.
    fn are_taken(&mut self, parameters: &[String], values: &[Val<'a>]) -> Run<'a, bool> {
        let split: Vec<_> = parameters
            .iter()
            .map(|parameter| {
                let text = parameter.rsplit_once(" $").map_or(parameter.as_str(), |(text, _)| text);
                text.char_indices()
                    .next_back()
                    .filter(|(_, modifier)| matches!(modifier, '?' | '*' | '+'))
                    .map_or((text, ' '), |(at, modifier)| (text.get(..at).unwrap_or_default(), modifier))
            })
            .collect();
        let least = split.iter().filter(|(_, modifier)| matches!(modifier, ' ' | '+')).count();
        let rest = split.last().filter(|(_, modifier)| matches!(modifier, '*' | '+'));
        if values.len() < least || rest.is_none() && values.len() > split.len() {
            return Ok(false);
        }
        for (at, value) in values.iter().enumerate() {
            let Some((text, _)) = split.get(at).or(rest) else { return Ok(false) };
            if *text == "Any" {
                continue;
            }
            let of = self.world.parse_type(text).map_err(|error| self.fail(error))?;
            let value = self.to_puppet(*value)?;
            if !of.is_instance(&value) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `call_function(name, …)` of a function of the 4.x API: the top scope calls.
    pub(super) fn call_puppet(&mut self, args: Args<'a, '_>) -> R<'a> {
        let rest = args.values.get(1..).unwrap_or_default();
        let wanted = self.name(args.at(0))?;
        let is_known = self.world.has_function(&wanted).map_err(|error| self.fail(error))?;
        if let (false, Some(definition)) = (is_known, &self.definition) {
            let message = format!("Function {}(): Unknown function: '{wanted}'", definition.name);
            return Err(self.raise(&class::ARGUMENT_ERROR, message));
        }
        match args.block {
            Some(Block::Proc(Proc { code: Code::Given, .. })) => {
                let name = self.name(args.at(0))?;
                let mut values = Vec::with_capacity(rest.len());
                for value in rest {
                    values.push(self.to_puppet(*value)?);
                }
                let result = self.world.call_passing_block(&name, &values);
                let result = result.map_err(|error| self.fail(error))?;
                self.to_ruby(&result)
            }
            Some(_) => {
                let name = self.name(args.at(0))?;
                self.call_with_block(&name, args.rest())
            }
            None => {
                let rest = self.heap.array(rest.to_vec());
                self.send(Val::World(WorldObject::TopScope), "call_function", &[args.at(0), rest])
            }
        }
    }

    /// `create_function(name) { … }`
    pub(super) fn create_function(&mut self, args: Args<'a, '_>) -> R<'a> {
        let name = self.name(args.at(0))?;
        match args.get(1) {
            None | Some(Val::Hash(_)) => {}
            Some(Val::Class(class)) if class.is_a(&class::FUNCTION) => {}
            Some(_) => return Err(self.unsupported("function of another class")),
        }
        if let Some(definition) = &mut self.definition {
            definition.name = name;
        }
        let base = match args.get(1) {
            Some(Val::Class(base)) => base,
            _ => &class::FUNCTION,
        };
        let class = self.heap.module(Module { parent: Parent::Native(base), ..Module::default() });
        self.function_class = Some(class);
        match args.block {
            Some(Block::Proc(body)) => {
                self.call_proc_in(body, Val::Module(class), None, Some(class), Args::new(&[]))
            }
            _ => Err(self.raise(&class::ARGUMENT_ERROR, "a function without a block")),
        }
    }

    /// Whether a value is the class of the function that is defined.
    pub(super) fn is_function_class(&self, value: Val<'a>) -> bool {
        match (value, self.function_class) {
            (Val::Module(module), Some(class)) => std::ptr::eq(module, class),
            _ => false,
        }
    }

    /// `newfunction(name, options) { |arguments| … }`
    pub(super) fn new_function(&mut self, args: Args<'a, '_>) -> R<'a> {
        let name = self.name(args.at(0))?;
        let option = |name: &'static str| match args.get(1) {
            Some(Val::Hash(options)) => options.get(Val::Symbol(name)),
            _ => None,
        };
        let arity = match option("arity") {
            Some(Val::Integer(arity)) => i32::try_from(arity).unwrap_or(-1),
            _ => -1,
        };
        let is_rvalue = matches!(option("type"), Some(Val::Symbol("rvalue")));
        let Some(Block::Proc(body)) = args.block else {
            return Err(self.raise(&class::ARGUMENT_ERROR, "a function without a block"));
        };
        if let Code::Block { .. } = body.code {
            // `return` and `next` in it end the function.
            let body = self.heap.proc(body.code, true);
            self.legacy_functions.push(LegacyFunction { name: name.clone(), body });
        }
        if let Some(definition) = &mut self.definition {
            definition.name = name;
            definition.legacy = Some(LegacyApi { arity, is_rvalue });
        }
        Ok(Val::Nil)
    }

    /// A statement of a function's definition; `None` for another name.
    pub(super) fn definition_statement(&mut self, name: &str, args: Args<'a, '_>) -> Option<R<'a>> {
        self.definition.as_ref()?;
        Some(match name {
            "newfunction" => self.new_function(args),
            "include" if !args.values.is_empty() => self.include_outside(args),
            "dispatch" => self.dispatch(args, false),
            "argument_mismatch" => self.dispatch(args, true),
            "param" | "required_param" => self.parameter(args, ""),
            "optional_param" => self.parameter(args, "?"),
            "repeated_param" | "optional_repeated_param" => self.parameter(args, "*"),
            "required_repeated_param" => self.parameter(args, "+"),
            "local_types" => match args.block {
                Some(block @ Block::Proc(_)) => self.call_block(block, &[]),
                _ => Ok(Val::Nil),
            },
            "type" if self.legacy_functions.is_empty() && args.values.len() == 1 => self.local_type(args),
            "return_type" => {
                let returns = self.name(args.at(0));
                returns.map(|returns| {
                    if let Some(draft) = self.draft() {
                        draft.returns = Some(returns);
                    }
                    Val::Nil
                })
            }
            "block_param" | "required_block_param" => self.block_parameter(args, ""),
            "optional_block_param" => self.block_parameter(args, "?"),
            "scope_param" => self.inject(Injected::Scope),
            "compiler_param" => self.inject(Injected::Compiler),
            "cache_param" | "pops_param" => Err(self.unsupported(name)),
            _ => return None,
        })
    }

    /// Adds an injected argument after the parameters so far.
    fn inject(&mut self, what: Injected) -> R<'a> {
        if let Some(draft) = self.draft() {
            let place = draft.parameters.len() + draft.injected.len();
            draft.injected.push((place, what));
        }
        Ok(Val::Nil)
    }

    /// The block that a method takes: `block_param`, `block_param(type, name)`.
    fn block_parameter(&mut self, args: Args<'a, '_>, modifier: &str) -> R<'a> {
        let (type_text, name) = match args.values {
            [] => ("Callable".into(), "block".into()),
            [one] if matches!(one, Val::Symbol(_)) => ("Callable".into(), self.name(*one)?),
            [one] => (self.name(*one)?, "block".into()),
            [one, other, ..] => (self.name(*one)?, self.name(*other)?),
        };
        if let Some(draft) = self.draft() {
            draft.block = Some(format!("{type_text}{modifier} &{name}"));
        }
        Ok(Val::Nil)
    }

    /// The signature in progress.
    fn draft(&mut self) -> Option<&mut Draft> {
        self.definition.as_mut()?.dispatches.last_mut()
    }

    fn local_type(&mut self, args: Args<'a, '_>) -> R<'a> {
        let text = self.name(args.at(0))?;
        if let Some(definition) = &mut self.definition {
            definition.local_types.push(text.to_string());
        }
        Ok(Val::Nil)
    }

    fn dispatch(&mut self, args: Args<'a, '_>, is_mismatch: bool) -> R<'a> {
        if self.definition.as_ref().is_some_and(|definition| definition.is_known) {
            return Ok(Val::Nil);
        }
        let method = self.name(args.at(0))?;
        if let Some(definition) = &mut self.definition {
            definition.dispatches.push(Draft { method, is_mismatch, ..Draft::default() });
        }
        match args.block {
            Some(block @ Block::Proc(_)) => self.call_block(block, &[]),
            _ => Ok(Val::Nil),
        }
    }

    /// A parameter; `modifier` as in [`Declaration::signatures`].
    fn parameter(&mut self, args: Args<'a, '_>, modifier: &str) -> R<'a> {
        let (type_text, name) = (self.name(args.at(0))?, self.name(args.at(1))?);
        if let Some(draft) = self.draft() {
            draft.parameters.push(format!("{type_text}{modifier} ${name}"));
            return Ok(Val::Nil);
        }
        Err(self.raise(&class::ARGUMENT_ERROR, "a parameter outside of dispatch"))
    }
}

/// The world of a function: what its caller allows.
pub(super) struct FunctionWorld<'c> {
    /// Nothing while the function is defined.
    call: Option<&'c dyn ForeignCall>,
    /// Reads files while the function is defined.
    files: Option<RequiredFiles<'c>>,
    /// Those of files that it loads, where they are kept.
    programs: Option<&'c Programs>,
    /// Limits the work outside of a call.
    fuel: BoundedFuel,
}

impl<'c> FunctionWorld<'c> {
    /// The world of code outside of a compilation.
    pub fn outside() -> Self {
        Self { call: None, files: None, programs: None, fuel: BoundedFuel::default() }
    }

    /// The world of a file that is loaded, and may load others.
    pub fn loading(files: RequiredFiles<'c>) -> Self {
        Self { files: Some(files), ..Self::outside() }
    }

    /// Code outside of a compilation has access to nothing.
    fn ask<T>(&self, what: &str, ask: impl FnOnce(&dyn ForeignCall) -> Result<T, Error>) -> Result<T, Error> {
        match self.call {
            Some(call) => ask(call),
            None => Err(Error::plain(unsupported_message(format!("{what} outside of a function")))),
        }
    }
}

impl Fuel for FunctionWorld<'_> {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        match self.call {
            Some(call) => call.charge(steps),
            None => self.fuel.charge(steps),
        }
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        match self.call {
            Some(call) => call.check_size(bytes),
            None => self.fuel.check_size(bytes),
        }
    }
}

impl World for FunctionWorld<'_> {
    fn enter(&self) -> Result<(), Error> {
        self.charge(1)
    }

    fn leave(&self) {}

    fn keep(&self, state: Arc<dyn Any + Send + Sync>) -> bool {
        self.call.inspect(|call| call.keep(state)).is_some()
    }

    fn kept(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        self.call?.kept()
    }

    fn now(&self) -> Timestamp {
        self.call.map_or_else(Timestamp::default, ForeignCall::now)
    }

    fn lookup_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        self.call.map_or(Ok(None), |call| call.look_up_variable(name))
    }

    fn has_variable(&self, name: &str) -> bool {
        self.call.is_some_and(|call| call.variable(name).is_some())
    }

    fn variables(&self) -> Vec<(Str, Value)> {
        let all = self.call.map(ForeignCall::variables).unwrap_or_default().into_iter();
        all.filter(|(_, value)| !value.is_undef()).map(|(name, value)| (name.into(), value)).collect()
    }

    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        self.ask("scope.setvar", |call| call.set_variable(name, value))
    }

    fn lookup_top_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        self.call.map_or(Ok(None), |call| call.look_up_top_variable(name))
    }

    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        self.ask("scope.setvar", |call| call.set_top_variable(name, value))
    }

    fn call_function(
        &self,
        name: &str,
        arguments: &[Value],
        is_legacy: bool,
    ) -> Result<Option<Value>, Error> {
        match self.call {
            Some(call) if is_legacy && !call.has_function(name)? => Ok(None),
            Some(call) => call.call_function(name, arguments).map(Some),
            None => Ok(None),
        }
    }

    fn call_from_top(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.ask("call_function", |call| {
            call.call_with(&ForeignRequest { name, arguments, block: None, from_top: true })
        })
    }

    fn call_passing_block(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.ask("call_function", |call| call.call_passing_block(name, arguments))
    }

    fn call_member(
        &self,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<Arc<dyn ForeignBlock>>,
    ) -> Result<Value, Error> {
        self.ask(name, |call| call.call_member(object, name, arguments, block))
    }

    fn call_block(&self, arguments: &[Value]) -> Result<Value, Error> {
        self.ask("yield", |call| call.call_block(arguments))
    }

    fn block(&self) -> Option<BlockParameters> {
        self.call.filter(|call| call.has_block()).map(ForeignCall::block_parameters)
    }

    fn classes(&self) -> Vec<Str> {
        self.call.map(ForeignCall::classes).unwrap_or_default()
    }

    fn catalog_tags(&self) -> Vec<Str> {
        self.call.map(ForeignCall::catalog_tags).unwrap_or_default()
    }

    fn environment(&self) -> Str {
        self.call
            .and_then(|call| call.variable("environment"))
            .and_then(|name| name.as_str().map(Str::from))
            .unwrap_or_default()
    }

    fn node(&self) -> Str {
        self.call.map(|call| call.node_name().into()).unwrap_or_default()
    }

    fn scope_name(&self) -> Str {
        self.call.map_or_else(|| "Scope()".into(), |call| call.scope_name().into())
    }

    fn module(&self) -> Option<Str> {
        self.call.and_then(ForeignCall::module_name)
    }

    fn module_directory(&self, name: &str) -> Option<Str> {
        self.call.and_then(|call| call.module_directory(name)).map(Str::from)
    }

    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource> {
        self.call.and_then(|call| call.resource(type_name, title))
    }

    fn read_file(&self, path: &str) -> Result<Option<String>, Error> {
        match self.call {
            Some(call) => call.read_text(path),
            None => Ok(self.files.map_or(Ok(None), |files| files.read(path))?.map(|(_, text)| text.into())),
        }
    }

    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), Error> {
        self.ask("writing of a file", |call| call.write_file(path, bytes))
    }

    fn can_write(&self, path: &str) -> bool {
        self.call.is_some_and(|call| call.can_write(path))
    }

    fn make_directories(&self, path: &str) -> Result<(), Error> {
        self.ask("writing of a file", |call| call.make_directories(path))
    }

    fn run_command(&self, command: &[&str]) -> Result<Result<String, String>, Error> {
        self.ask("command", |call| call.run_command(command))
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.ask("random number", |call| {
            for chunk in bytes.chunks_mut(32) {
                let drawn = call.random()?;
                chunk.iter_mut().zip(drawn).for_each(|(byte, drawn)| *byte = drawn);
            }
            Ok(())
        })
    }

    fn library(&self, name: &str) -> Result<Option<(Str, Str)>, Error> {
        match self.call {
            Some(call) => call.ruby_library(name),
            None => self.files.map_or(Ok(None), |files| files.read(name)),
        }
    }

    fn program(
        &self,
        path: &str,
        text: &str,
        make: &dyn Fn() -> Result<Program, RefusedError>,
    ) -> Result<Arc<Program>, RefusedError> {
        match self.programs {
            Some(programs) => programs.get(path, text, make),
            None => make().map(Arc::new),
        }
    }

    fn file_kind(&self, path: &str) -> Option<bool> {
        match (self.call, self.files) {
            (Some(call), _) => call.file_kind(path),
            (None, Some(files)) => {
                let (found, _) = files.read(path).ok()??;
                (found == path).then_some(false)
            }
            (None, None) => None,
        }
    }

    fn environment_variable(&self, name: &str) -> Result<Option<String>, Error> {
        self.ask("ENV", |call| Ok(call.environment_variable(name)))
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, Error> {
        match self.files.filter(|_| self.call.is_none()).and_then(|files| files.glob(pattern)) {
            Some(found) => Ok(found),
            None => self.ask("Dir.glob", |call| Ok(call.glob(pattern))),
        }
    }

    fn list(&self, path: &str) -> Result<Option<Vec<String>>, Error> {
        self.ask("Dir.children", |call| Ok(call.list(path)))
    }

    fn log(&self, level: LogLevel, message: String) {
        if let Some(call) = self.call {
            call.log(level, message);
        }
    }

    fn log_once(&self, key: &str, level: LogLevel, message: String) {
        if let Some(call) = self.call {
            call.log_once(key, level, message);
        }
    }

    fn parse_type(&self, text: &str) -> Result<Type, Error> {
        self.ask("type of a text", |call| call.parse_type(text))
    }

    fn resources(&self) -> Result<Vec<ForeignResource>, Error> {
        self.ask("resources of a catalog", |call| Ok(call.resources()))
    }

    fn stack(&self) -> Vec<Location> {
        self.call.map(ForeignCall::stack).unwrap_or_default()
    }

    fn has_function(&self, name: &str) -> Result<bool, Error> {
        self.call.map_or(Ok(false), |call| call.has_function(name))
    }
}
