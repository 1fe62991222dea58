//! Functions that modules write in Ruby: `Puppet::Functions.create_function`, and `newfunction` of the 3.x API.
//!
//! Follows the reference's `functions.rb`. Running the file once says the signatures; a call runs it again, which
//! defines its methods, and calls the one of the signature.

use super::call::{Args, Block};
use super::class;
use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::tree::Program;
use super::value::{Code, Heap, Val};
use super::{Failure, Refused, World, parse, unsupported_message};
use bunraku_host::{Declaration, ForeignCall, ForeignFunction, FunctionApi, LegacyApi};
use bunraku_pcore::Value;
use bunraku_pcore::meter::Meter;
use bunraku_pcore::value::{Str, Timestamp};
use bunraku_syntax::diagnostic::{Error, LogLevel};

/// What a file says of its function.
#[derive(Debug, Default)]
pub(super) struct Definition {
    name: Str,
    dispatches: Vec<Draft>,
    /// The types that only the signatures know.
    local_types: Vec<String>,
    /// What the 3.x API says, for a function of that API.
    legacy: Option<LegacyApi>,
}

/// A signature while it is read.
#[derive(Debug, Default)]
struct Draft {
    method: Str,
    /// Each as a Puppet function would declare it: `Integer? $count`.
    parameters: Vec<String>,
    returns: Option<Str>,
    /// Whether it is that of wrong arguments.
    is_mismatch: bool,
}

impl Draft {
    fn signature(&self) -> String {
        let parameters = self.parameters.join(", ");
        match &self.returns {
            Some(returns) => format!("{parameters} >> {returns}"),
            None => parameters,
        }
    }
}

/// A function written in Ruby.
#[derive(Debug)]
pub struct Function {
    name: Str,
    program: Program,
    dispatches: Vec<Draft>,
    declaration: Declaration,
}

impl Function {
    /// Reads the function of a file.
    ///
    /// # Errors
    /// The file is not Ruby, uses what the interpreter does not know, or defines no function of the API.
    pub fn load(name: &str, file: &str, text: &str, api: FunctionApi) -> Result<Self, Error> {
        let told = |line: u32, message: &str| {
            Error::plain(format!(
                "The function '{name}' is written in Ruby: {message} (file: {file}, line: {line})"
            ))
        };
        let program = parse(file, text)
            .map_err(|refused: Refused| told(refused.line(), &refused.to_error().message))?;
        let world = FunctionWorld { call: None };
        let mut definition =
            define(&program, &world).map_err(|failure| told(failure.line, &failure.error.message))?;
        if definition.name.trim_start_matches("::") != name {
            return Err(told(1, &format!("the file defines the function '{}'", definition.name)));
        }
        if definition.legacy.is_some() != (api == FunctionApi::Legacy) {
            return Err(told(1, "the file defines a function of another API"));
        }
        if definition.dispatches.is_empty() {
            definition.dispatches.push(Draft::default());
        }
        let Definition { dispatches, local_types, legacy, .. } = definition;
        let numbered = dispatches.iter().enumerate();
        let declaration = if legacy.is_some() {
            Declaration { legacy, ..Declaration::default() }
        } else {
            Declaration {
                signatures: dispatches.iter().map(Draft::signature).collect(),
                mismatches: numbered.filter(|(_, draft)| draft.is_mismatch).map(|(index, _)| index).collect(),
                local_types,
                subjects: dispatches.iter().map(|draft| subject(&draft.method)).collect(),
                legacy: None,
            }
        };
        Ok(Self { name: name.into(), program, dispatches, declaration })
    }
}

/// What is said of a result that has the wrong type.
fn subject(method: &str) -> String {
    format!("value returned from function '{method}' has wrong type,")
}

/// Runs a file for what it says of its function.
fn define(program: &Program, world: &dyn World) -> Result<Definition, Failure> {
    let heap = Heap::default();
    let mut interpreter = Interpreter::new(&heap, world, &program.file);
    interpreter.definition = Some(Definition::default());
    if let Err(unwind) = interpreter.run(program) {
        return Err(interpreter.failure(unwind));
    }
    let mut definition = interpreter.definition.take().unwrap_or_default();
    if definition.dispatches.is_empty() {
        // A function without signatures takes what its method takes.
        let method = definition.name.rsplit("::").next().unwrap_or_default().to_owned();
        if let Some(lambda) = interpreter.methods.get(method.as_str()) {
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
        let method = match (legacy, self.dispatches.get(signature)) {
            (Some(_), _) => &self.name,
            (None, Some(dispatch)) => &dispatch.method,
            (None, None) => return Err(Error::internal("no such signature")),
        };
        let world = FunctionWorld { call: Some(call) };
        let heap = Heap::default();
        let mut interpreter = Interpreter::new(&heap, &world, &self.program.file);
        interpreter.definition = Some(Definition::default());
        let result = interpreter
            .run(&self.program)
            .and_then(|_| interpreter.call_function_method(method, arguments, legacy.is_some()));
        result.map_err(|unwind| {
            let failure = interpreter.failure(unwind);
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
    fn call_function_method(&mut self, method: &str, arguments: &[Value], is_legacy: bool) -> Run<'a, Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.to_ruby(argument)?);
        }
        if is_legacy {
            // The block of `newfunction` is a method of one argument, all that were given.
            let Some(body) = self.legacy_body else { return Err(self.no_method(Val::Main, method)) };
            let all = self.heap.array(values);
            let value = self.call_proc(body, &[all], None)?;
            return self.to_puppet(value);
        }
        let Some(lambda) = self.methods.get(method).copied() else {
            return Err(self.no_method(Val::Main, method));
        };
        let value = self.call_defined(lambda, Args::new(&values))?;
        self.to_puppet(value)
    }

    /// `create_function(name) { … }`
    pub(super) fn create_function(&mut self, args: Args<'a, '_>) -> R<'a> {
        let name = self.name(args.at(0))?;
        if args.values.len() > 1 {
            return Err(self.unsupported("function of another class"));
        }
        if let Some(definition) = &mut self.definition {
            definition.name = name;
        }
        self.call_given(&args, &[])
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
            self.legacy_body = Some(self.heap.proc(body.code, true));
        }
        if let Some(definition) = &mut self.definition {
            definition.name = name;
            definition.legacy = Some(LegacyApi { arity, is_rvalue });
        }
        Ok(Val::Nil)
    }

    /// A statement of a function's definition; nothing when the name is none of these.
    pub(super) fn definition_statement(&mut self, name: &str, args: Args<'a, '_>) -> Option<R<'a>> {
        self.definition.as_ref()?;
        Some(match name {
            "newfunction" => self.new_function(args),
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
            "type" if self.legacy_body.is_none() && args.values.len() == 1 => self.local_type(args),
            "return_type" => {
                let returns = self.name(args.at(0));
                returns.map(|returns| {
                    if let Some(draft) =
                        self.definition.as_mut().and_then(|definition| definition.dispatches.last_mut())
                    {
                        draft.returns = Some(returns);
                    }
                    Val::Nil
                })
            }
            "block_param"
            | "required_block_param"
            | "optional_block_param"
            | "scope_param"
            | "cache_param"
            | "compiler_param"
            | "pops_param" => Err(self.unsupported(name)),
            "closure_scope" => Ok(Val::World(super::value::WorldObject::Scope)),
            "call_function" => {
                let rest = self.heap.array(args.values.get(1..).unwrap_or_default().to_vec());
                self.send(Val::World(super::value::WorldObject::Scope), "call_function", &[args.at(0), rest])
            }
            // A function of the 3.x API is a method of the scope.
            "lookupvar" | "setvar" | "environment" | "compiler" | "catalog" if self.legacy_body.is_some() => {
                self.send(Val::World(super::value::WorldObject::Scope), name, args.values)
            }
            _ if self.legacy_body.is_some() && name.starts_with("function_") => {
                self.send(Val::World(super::value::WorldObject::Scope), name, args.values)
            }
            _ => return None,
        })
    }

    fn local_type(&mut self, args: Args<'a, '_>) -> R<'a> {
        let text = self.name(args.at(0))?;
        if let Some(definition) = &mut self.definition {
            definition.local_types.push(text.to_string());
        }
        Ok(Val::Nil)
    }

    fn dispatch(&mut self, args: Args<'a, '_>, is_mismatch: bool) -> R<'a> {
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
        let draft = self.definition.as_mut().and_then(|definition| definition.dispatches.last_mut());
        if let Some(draft) = draft {
            draft.parameters.push(format!("{type_text}{modifier} ${name}"));
            return Ok(Val::Nil);
        }
        Err(self.raise(&class::ARGUMENT_ERROR, "a parameter outside of dispatch"))
    }
}

/// What a function can reach: what its caller lets it.
pub(super) struct FunctionWorld<'c> {
    /// Nothing while the function is defined.
    call: Option<&'c dyn ForeignCall>,
}

impl FunctionWorld<'static> {
    /// The world of what is run outside of a compilation.
    pub const fn outside() -> Self {
        Self { call: None }
    }
}

impl FunctionWorld<'_> {
    fn refused<T>(what: &str) -> Result<T, Error> {
        Err(Error::plain(unsupported_message(format!("{what} in a function"))))
    }
}

impl Meter for FunctionWorld<'_> {
    fn work(&self, steps: u64) -> Result<(), Error> {
        self.call.map_or(Ok(()), |call| call.work(steps))
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        self.call.map_or(Ok(()), |call| call.check_size(bytes))
    }
}

impl World for FunctionWorld<'_> {
    fn enter(&self) -> Result<(), Error> {
        self.work(1)
    }

    fn leave(&self) {}

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
        Vec::new()
    }

    fn set_variable(&self, _: &str, _: Value) -> Result<(), Error> {
        Self::refused("scope.setvar")
    }

    fn call_function(&self, name: &str, arguments: &[Value], _: bool) -> Result<Option<Value>, Error> {
        match self.call {
            Some(call) => call.call_function(name, arguments).map(Some),
            None => Ok(None),
        }
    }

    fn classes(&self) -> Vec<Str> {
        Vec::new()
    }

    fn catalog_tags(&self) -> Vec<Str> {
        Vec::new()
    }

    fn environment(&self) -> Str {
        self.call
            .and_then(|call| call.variable("environment"))
            .and_then(|name| name.as_str().map(Str::from))
            .unwrap_or_default()
    }

    fn node(&self) -> Str {
        Str::new()
    }

    fn scope_name(&self) -> Str {
        "Scope()".into()
    }

    fn module(&self) -> Option<Str> {
        None
    }

    fn read_file(&self, _: &str) -> Result<Option<String>, Error> {
        Self::refused("File.read")
    }

    fn file_kind(&self, _: &str) -> Option<bool> {
        None
    }

    fn log(&self, level: LogLevel, message: String) {
        if let Some(call) = self.call {
            call.log(level, message);
        }
    }

    fn to_json(&self, _: &Value, _: bool) -> Result<String, Error> {
        Self::refused("to_json")
    }

    fn parse_json(&self, _: &str) -> Result<Value, String> {
        Err(unsupported_message("JSON.parse in a function"))
    }

    fn to_yaml(&self, _: &Value) -> Result<String, Error> {
        Self::refused("to_yaml")
    }

    fn parse_yaml(&self, _: &str) -> Result<Value, String> {
        Err(unsupported_message("YAML.load in a function"))
    }
}
