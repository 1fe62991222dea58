//! `Bunraku::Call`: a call of a Ruby function in progress. It is the function's only way back to the
//! compilation.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use bunraku::diagnostic::{self, LogLevel};
use bunraku::host::{BlockParameters, ForeignBlock, ForeignCall, ForeignRequest, ForeignResource};
use bunraku::pcore::Value;
use bunraku::pcore::types::{Signature, Type, mismatch};
use bunraku::source::Location;
use magnus::rb_sys::{AsRawId as _, AsRawValue as _, FromRawValue as _};
use magnus::typed_data::Obj;
use magnus::value::{LazyId, Opaque, ReprValue as _};
use magnus::{
    DataTypeFunctions, Error, Exception, IntoValue as _, Module as _, Object as _, RArray, RHash, RModule,
    Ruby, TryConvert as _, TypedData, gc,
};

use crate::class;
use crate::convert::Classes;
use crate::crossing::{self, Crossing, with_ruby};
use crate::entry::{function, method};
use crate::failure;
use crate::types::NativeType;

/// A value that is only used on the thread that it came from, which Rust cannot check.
pub(crate) struct ThisThread<T>(pub(crate) T);

// SAFETY: `run` and `with_ruby` work on the calling thread; the `Send` bound only keeps Ruby objects out.
unsafe impl<T> Send for ThisThread<T> {}

/// A call of a Ruby function in progress, as Ruby sees it: `Bunraku::Call`.
#[derive(TypedData)]
#[magnus(class = "Bunraku::Call", free_immediately, mark)]
pub(crate) struct NativeCall {
    /// The call and its compilation; `None` after the call has ended.
    call: Cell<Option<(*const dyn ForeignCall, *const Crossing)>>,
    /// The only fiber that can use the call: another one could continue after the call has ended.
    fiber: Opaque<magnus::Value>,
    /// The Ruby form of values for this function.
    classes: Classes,
    /// The previous call in progress on this fiber, or nil.
    outer: Opaque<magnus::Value>,
    /// The last failure that was reported to Ruby.
    failed: RefCell<Option<RaisedFailure>>,
    /// The exception by which Ruby interrupted the block.
    interruption: Cell<Option<Opaque<magnus::Value>>>,
}

// SAFETY: `NativeCall::ask` only lets the fiber that made the object use its members; the garbage collector
// reads them while that fiber waits for the GVL.
unsafe impl Send for NativeCall {}

impl DataTypeFunctions for NativeCall {
    fn mark(&self, marker: &gc::Marker) {
        marker.mark(self.fiber);
        self.classes.mark(marker);
        marker.mark(self.outer);
        if let Some(exception) = self.interruption.get() {
            marker.mark(exception);
        }
        if let Ok(failed) = self.failed.try_borrow()
            && let Some(told) = &*failed
        {
            marker.mark(told.exception);
            marker.mark(told.cause);
        }
    }
}

/// A failure of the compilation that was reported to Ruby.
struct RaisedFailure {
    failure: diagnostic::Error,
    /// The exception for it.
    exception: Opaque<magnus::Value>,
    /// The exception of a Ruby function that caused it, or nil.
    cause: Opaque<magnus::Value>,
}

fn fiber() -> magnus::Value {
    // SAFETY: Ruby runs on this thread, and the value is an object of Ruby.
    unsafe { magnus::Value::from_raw(rb_sys::rb_fiber_current()) }
}

/// The fiber-local variable for the call of the function that runs on the fiber. It disappears with the
/// fiber.
static CURRENT: LazyId = LazyId::new("bunraku_call");

/// The call of the function that runs on this fiber, or nil.
fn current(ruby: &Ruby) -> magnus::Value {
    // SAFETY: Ruby runs on this thread, and reading a fiber-local variable raises nothing.
    unsafe {
        let thread = rb_sys::rb_thread_current();
        magnus::Value::from_raw(rb_sys::rb_thread_local_aref(
            thread,
            LazyId::get_inner_with(&CURRENT, ruby).as_raw(),
        ))
    }
}

fn set_current(ruby: &Ruby, call: magnus::Value) -> Result<(), Error> {
    let name = LazyId::get_inner_with(&CURRENT, ruby).as_raw();
    magnus::rb_sys::protect(|| {
        // SAFETY: Ruby runs on this thread; an exception (of a frozen thread) is caught around this.
        unsafe { rb_sys::rb_thread_local_aset(rb_sys::rb_thread_current(), name, call.as_raw()) }
    })
    .map(drop)
}

impl NativeCall {
    /// Begins a call on this thread. [`end`](Self::end) it before the compilation continues.
    pub(crate) fn begin(
        ruby: &Ruby,
        crossing: &Crossing,
        call: ThisThread<&dyn ForeignCall>,
        classes: Classes,
    ) -> Result<Obj<Self>, Error> {
        let call: *const (dyn ForeignCall + '_) = call.0;
        // SAFETY: the lifetime is erased; `end` is called before the call is dropped.
        let call: *const dyn ForeignCall = unsafe { std::mem::transmute(call) };
        let begun = ruby.obj_wrap(Self {
            call: Cell::new(Some((call, crossing))),
            fiber: fiber().into(),
            classes,
            outer: current(ruby).into(),
            failed: RefCell::default(),
            interruption: Cell::new(None),
        });
        set_current(ruby, begun.as_value())?;
        Ok(begun)
    }

    /// Ends the call.
    pub(crate) fn end(&self, ruby: &Ruby) -> Result<&Self, Error> {
        self.call.set(None);
        set_current(ruby, ruby.get_inner(self.outer))?;
        Ok(self)
    }

    /// Converts the exception that ended the Ruby function: to the failure that was reported to Ruby, or to a
    /// new one. `Err` contains an exception that only Ruby can rescue.
    pub(crate) fn failure(
        &self,
        ruby: &Ruby,
        error: Error,
        exceptions: crossing::Exceptions,
    ) -> Result<diagnostic::Error, Error> {
        let is = |exception: magnus::Value| {
            error.value().is_some_and(|raised| raised.equal(exception).unwrap_or(false))
        };
        if self.interruption.get().is_some_and(|exception| is(ruby.get_inner(exception))) {
            return Err(error);
        }
        match self.failed.take() {
            Some(told) if is(ruby.get_inner(told.exception)) => {
                let cause = ruby.get_inner(told.cause);
                let cause = if cause.is_nil() { None } else { Some(exceptions.keep(cause)?) };
                Ok(diagnostic::Error { cause, ..told.failure })
            }
            _ => exceptions.failure(ruby, error),
        }
    }

    /// The call and its waiting compilation.
    fn in_progress(&self, ruby: &Ruby) -> Result<(&dyn ForeignCall, &Crossing), Error> {
        if !ruby.get_inner(self.fiber).equal(fiber())? {
            let message = "a Bunraku::Call can be used only by the thread and the fiber that was called";
            return Err(Error::new(ruby.exception_thread_error(), message));
        }
        let Some((call, crossing)) = self.call.get() else {
            return Err(Error::new(ruby.exception_runtime_error(), "the call of the function is over"));
        };
        // SAFETY: the call has not ended, and its compilation waits for it.
        Ok(unsafe { (&*call, &*crossing) })
    }

    /// Continues the compilation for a question.
    fn ask<T: Send>(
        &self,
        ruby: &Ruby,
        work: impl FnOnce(&dyn ForeignCall) -> Result<T, diagnostic::Error>,
    ) -> Result<T, Error> {
        let (call, crossing) = self.in_progress(ruby)?;
        let exceptions = crossing.side().exceptions();
        if let Err(failure) = crossing::check_depth() {
            return Err(self.tell(ruby, failure, exceptions));
        }
        let failures = exceptions.count();
        let work = ThisThread((call, work));
        let done = crossing::again(crossing, ruby, || {
            let ThisThread((call, work)) = { work };
            work(call)
        });
        let result = match done {
            Ok(done) => done.map_err(|failure| self.tell(ruby, failure, exceptions)),
            Err(raised) => {
                self.interruption.set(raised.value().map(Opaque::from));
                Err(raised)
            }
        };
        exceptions.forget_behind(failures);
        result
    }

    /// Reads existing data of the compilation. This evaluates nothing, so that the Ruby stack is deep enough.
    fn look<T>(&self, ruby: &Ruby, at: impl FnOnce(&dyn ForeignCall) -> T) -> Result<T, Error> {
        Ok(at(self.in_progress(ruby)?.0))
    }

    /// The exception for a failure. If Ruby does not rescue it, the failure continues unchanged.
    fn tell(&self, ruby: &Ruby, failure: diagnostic::Error, exceptions: crossing::Exceptions) -> Error {
        let own = failure::exception(ruby, &failure, &[], exceptions);
        let raised = match (own.value(), self.classes.registry(ruby)) {
            (Some(exception), Some(registry)) => registry
                .funcall("raised", (failure::kind(&failure), exception))
                .map_or(own, |exception: Exception| exception.into()),
            _ => own,
        };
        if let Some(exception) = raised.value() {
            let cause = exceptions.of(&failure).unwrap_or_else(|| ruby.qnil().as_value()).into();
            self.failed.replace(Some(RaisedFailure { failure, exception: exception.into(), cause }));
        }
        raised
    }

    /// The value of a variable. A variable of a class can require loading the class, which needs the deep
    /// stack.
    fn look_for(&self, ruby: &Ruby, name: &str) -> Result<Option<Value>, Error> {
        if name.trim_start_matches(':').contains("::") {
            return self.ask(ruby, |call| Ok(call.variable(name)));
        }
        self.look(ruby, |call| call.variable(name))
    }

    fn has_block(ruby: &Ruby, own: &Self) -> Result<bool, Error> {
        own.look(ruby, |call| call.has_block())
    }

    /// The number of required arguments of the lambda, the number of optional ones, and whether it takes the
    /// rest.
    fn block_parameters(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let taken = own.look(ruby, |call| call.block_parameters())?;
        Ok(ruby.ary_from_iter([
            taken.required.into_value_with(ruby),
            taken.optional.into_value_with(ruby),
            taken.has_rest.into_value_with(ruby),
        ]))
    }

    fn yield_block(ruby: &Ruby, own: &Self, arguments: &[magnus::Value]) -> Result<magnus::Value, Error> {
        let arguments = own.values(ruby, arguments)?;
        own.classes.to_ruby(ruby, &own.ask(ruby, |call| call.call_block(&arguments))?)
    }

    fn call_function(ruby: &Ruby, own: &Self, arguments: &[magnus::Value]) -> Result<magnus::Value, Error> {
        let [name, arguments @ ..] = arguments else {
            return Err(Error::new(ruby.exception_arg_error(), "the name of a function is missing"));
        };
        let name: String = name.funcall("to_s", ())?;
        let block = if ruby.block_given() { Some(ruby.block_proc()?.as_value()) } else { None };
        own.call_named(ruby, &name, arguments, block, false)
    }

    /// Calls a function from the top scope.
    fn call_from_top(
        ruby: &Ruby,
        own: &Self,
        name: String,
        arguments: RArray,
        block: Option<magnus::Value>,
    ) -> Result<magnus::Value, Error> {
        let arguments: Vec<magnus::Value> = arguments.into_iter().collect();
        own.call_named(ruby, &name, &arguments, block, true)
    }

    fn call_named(
        &self,
        ruby: &Ruby,
        name: &str,
        arguments: &[magnus::Value],
        block: Option<magnus::Value>,
        from_top: bool,
    ) -> Result<magnus::Value, Error> {
        let arguments = self.values(ruby, arguments)?;
        let given = block;
        let block = match given {
            Some(block) => Some(RubyBlock::new(block, self.classes)?),
            None => None,
        };
        let block = ThisThread(block);
        let result = self.ask(ruby, |call| {
            let ThisThread(block) = { block };
            let block = block.map(|block| Arc::new(block) as Arc<dyn ForeignBlock>);
            call.call_with(&ForeignRequest { name, arguments: &arguments, block, from_top })
        })?;
        // Up to here the block stays on the Ruby stack, where the garbage collector sees it.
        std::hint::black_box(given);
        self.classes.to_ruby(ruby, &result)
    }

    /// Calls a function of one of the library's objects.
    fn call_member(
        ruby: &Ruby,
        own: &Self,
        object: magnus::Value,
        name: String,
        arguments: RArray,
        block: Option<magnus::Value>,
    ) -> Result<magnus::Value, Error> {
        let object = own.classes.to_value(ruby, object)?;
        let arguments: Vec<magnus::Value> = arguments.into_iter().collect();
        let arguments = own.values(ruby, &arguments)?;
        let block = block.map(|block| RubyBlock::new(block, own.classes)).transpose()?;
        let block = ThisThread(block);
        let result = own.ask(ruby, |call| {
            let ThisThread(block) = { block };
            let block = block.map(|block| Arc::new(block) as Arc<dyn ForeignBlock>);
            call.call_member(&object, &name, &arguments, block)
        })?;
        own.classes.to_ruby(ruby, &result)
    }

    fn has_function(ruby: &Ruby, own: &Self, name: String) -> Result<bool, Error> {
        own.ask(ruby, |call| call.has_function(&name))
    }

    fn variable(ruby: &Ruby, own: &Self, name: String) -> Result<Option<magnus::Value>, Error> {
        let value = own.look_for(ruby, &name)?;
        value.map(|value| own.classes.to_ruby(ruby, &value)).transpose()
    }

    fn has_variable(ruby: &Ruby, own: &Self, name: String) -> Result<bool, Error> {
        Ok(own.look_for(ruby, &name)?.is_some())
    }

    /// How a complaint names a variable that does not exist, and why it does not; nil if it exists.
    fn missing_variable(
        ruby: &Ruby,
        own: &Self,
        name: String,
    ) -> Result<Option<(String, Option<String>)>, Error> {
        let missing = own.ask(ruby, |call| Ok(call.missing_variable(&name)))?;
        Ok(missing.map(|missing| (missing.name, missing.reason)))
    }

    /// The defaults of a resource type.
    fn resource_defaults(ruby: &Ruby, own: &Self, type_name: String) -> Result<RHash, Error> {
        let hash = ruby.hash_new();
        for (name, value) in own.look(ruby, |call| call.resource_defaults(&type_name))? {
            hash.aset(name.as_str(), own.classes.to_ruby(ruby, &value)?)?;
        }
        Ok(hash)
    }

    fn set_variable(ruby: &Ruby, own: &Self, name: String, value: magnus::Value) -> Result<(), Error> {
        let value = own.classes.to_result(ruby, value)?;
        own.ask(ruby, |call| call.set_variable(&name, value))
    }

    fn variables(ruby: &Ruby, own: &Self) -> Result<magnus::RHash, Error> {
        let hash = ruby.hash_new();
        for (name, value) in own.look(ruby, |call| call.variables())? {
            hash.aset(name, own.classes.to_ruby(ruby, &value)?)?;
        }
        Ok(hash)
    }

    fn log(ruby: &Ruby, own: &Self, level: String, message: String) -> Result<(), Error> {
        let Some(level) = LogLevel::from_name(&level) else {
            return Err(Error::new(ruby.exception_arg_error(), format!("{level} is no level of the log")));
        };
        own.ask(ruby, |call| {
            call.log(level, message);
            Ok(())
        })
    }

    fn parse_type(ruby: &Ruby, own: &Self, text: String) -> Result<NativeType, Error> {
        own.ask(ruby, |call| call.parse_type(&text)).map(NativeType::new)
    }

    /// Files and lines of the calls in progress, innermost first.
    fn stack(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let places = own.look(ruby, |call| call.stack())?;
        let place = |location: Location| {
            let file = location.file.as_deref().unwrap_or("unknown").into_value_with(ruby);
            ruby.ary_from_iter([file, location.line.unwrap_or(0).into_value_with(ruby)])
        };
        Ok(ruby.ary_from_iter(places.into_iter().map(place)))
    }

    fn scope_name(ruby: &Ruby, own: &Self) -> Result<String, Error> {
        own.look(ruby, |call| call.scope_name())
    }

    fn module_name(ruby: &Ruby, own: &Self) -> Result<Option<String>, Error> {
        own.look(ruby, |call| call.module_name().map(|name| name.to_string()))
    }

    fn node_name(ruby: &Ruby, own: &Self) -> Result<String, Error> {
        own.look(ruby, |call| call.node_name())
    }

    fn facts(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        own.classes.to_ruby(ruby, &own.look(ruby, |call| call.facts())?)
    }

    fn classes(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let names = own.look(ruby, |call| call.classes())?;
        Ok(ruby.ary_from_iter(names.iter().map(|name| name.as_str())))
    }

    fn catalog_tags(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let names = own.look(ruby, |call| call.catalog_tags())?;
        Ok(ruby.ary_from_iter(names.iter().map(|name| name.as_str())))
    }

    /// A resource as an array of type, title, parameters, tags, whether it is exported, whether it is
    /// virtual, file, line.
    fn resource(ruby: &Ruby, own: &Self, of: String, title: String) -> Result<Option<RArray>, Error> {
        let found = own.ask(ruby, |call| Ok(call.resource(&of, &title)))?;
        found.map(|resource| own.resource_parts(ruby, &resource)).transpose()
    }

    fn resources(ruby: &Ruby, own: &Self) -> Result<RArray, Error> {
        let all = ruby.ary_new();
        for resource in own.ask(ruby, |call| Ok(call.resources()))? {
            all.push(own.resource_parts(ruby, &resource)?)?;
        }
        Ok(all)
    }

    fn resource_parts(&self, ruby: &Ruby, resource: &ForeignResource) -> Result<RArray, Error> {
        let parameters = ruby.hash_new();
        for (name, value) in &resource.parameters {
            parameters.aset(name.as_str(), self.classes.to_ruby(ruby, value)?)?;
        }
        let parts = ruby.ary_new_capa(8);
        parts.push(resource.type_name.as_str())?;
        parts.push(resource.title.as_str())?;
        parts.push(parameters)?;
        parts.push(ruby.ary_from_iter(resource.tags.iter().map(|tag| tag.as_str())))?;
        parts.push(resource.is_exported)?;
        parts.push(resource.is_virtual)?;
        parts.push(resource.location.file.as_deref())?;
        parts.push(resource.location.line)?;
        Ok(parts)
    }

    fn has_definition(ruby: &Ruby, own: &Self, kind: String, name: String) -> Result<bool, Error> {
        own.ask(ruby, |call| call.has_definition(&kind, &name))
    }

    /// The cache of functions for the duration of the compilation.
    fn memory(ruby: &Ruby, own: &Self) -> Result<RHash, Error> {
        Ok(own.in_progress(ruby)?.1.side().memory())
    }

    /// The reason why arguments match none of these signatures of a function.
    fn describe_mismatch(
        ruby: &Ruby,
        own: &Self,
        name: String,
        signatures: Vec<String>,
        arguments: RArray,
    ) -> Result<String, Error> {
        let arguments: Vec<magnus::Value> = arguments.into_iter().collect();
        let arguments = own.values(ruby, &arguments)?;
        own.ask(ruby, |call| {
            let parse = |text: &str| call.parse_type(text);
            let signatures = signatures.iter().map(|text| Signature::parse(text, &parse));
            let signatures = signatures.collect::<Result<Vec<_>, _>>()?;
            let signatures: Vec<&Signature> = signatures.iter().collect();
            Ok(mismatch::describe_signatures(&name, &signatures, &Type::of_arguments(&arguments, None)))
        })
    }

    fn values(&self, ruby: &Ruby, objects: &[magnus::Value]) -> Result<Vec<Value>, Error> {
        objects.iter().map(|object| self.classes.to_value(ruby, *object)).collect()
    }
}

/// A Ruby block that Ruby passes to a Puppet function. Ruby's method waits for the function, with the block
/// on its stack.
struct RubyBlock {
    block: Opaque<magnus::Value>,
    parameters: BlockParameters,
    classes: Classes,
}

impl RubyBlock {
    fn new(block: magnus::Value, classes: Classes) -> Result<Self, Error> {
        let mut parameters = BlockParameters::default();
        let list: RArray = block.funcall("parameters", ())?;
        for one in list {
            let kind: String = RArray::try_convert(one)?.entry::<magnus::Symbol>(0)?.name()?.into_owned();
            match kind.as_str() {
                "req" => parameters.required += 1,
                "opt" => parameters.optional += 1,
                "rest" => parameters.has_rest = true,
                _ => {}
            }
        }
        Ok(Self { block: block.into(), parameters, classes })
    }
}

impl ForeignBlock for RubyBlock {
    fn parameters(&self) -> BlockParameters {
        self.parameters
    }

    fn call(&self, arguments: &[Value]) -> Result<Value, diagnostic::Error> {
        with_ruby(|ruby, crossing| {
            let given = arguments.iter().map(|argument| self.classes.to_ruby(ruby, argument));
            let result = given.collect::<Result<Vec<magnus::Value>, Error>>().and_then(|given| {
                let result: magnus::Value = ruby.get_inner(self.block).funcall("call", given.as_slice())?;
                self.classes.to_value(ruby, result)
            });
            match result {
                Ok(value) => Ok(Ok(value)),
                Err(error) => crossing.side().exceptions().failure(ruby, error).map(Err),
            }
        })?
    }
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    LazyId::force(&CURRENT, ruby);
    let class = class::define::<NativeCall>(ruby, module, "Call")?;
    class.define_singleton_method("current", function!(current, 0))?;
    class.define_method("block?", method!(NativeCall::has_block, 0))?;
    class.define_method("block_parameters", method!(NativeCall::block_parameters, 0))?;
    class.define_method("yield", method!(NativeCall::yield_block, -1))?;
    class.define_method("call_function", method!(NativeCall::call_function, -1))?;
    class.define_method("call_from_top", method!(NativeCall::call_from_top, 3))?;
    class.define_method("call_member", method!(NativeCall::call_member, 4))?;
    class.define_method("function?", method!(NativeCall::has_function, 1))?;
    class.define_method("variable", method!(NativeCall::variable, 1))?;
    class.define_method("variable?", method!(NativeCall::has_variable, 1))?;
    class.define_method("missing_variable", method!(NativeCall::missing_variable, 1))?;
    class.define_method("resource_defaults", method!(NativeCall::resource_defaults, 1))?;
    class.define_method("set_variable", method!(NativeCall::set_variable, 2))?;
    class.define_method("variables", method!(NativeCall::variables, 0))?;
    class.define_method("native_log", method!(NativeCall::log, 2))?;
    class.define_method("parse_type", method!(NativeCall::parse_type, 1))?;
    class.define_method("stack", method!(NativeCall::stack, 0))?;
    class.define_method("scope_name", method!(NativeCall::scope_name, 0))?;
    class.define_method("module_name", method!(NativeCall::module_name, 0))?;
    class.define_method("node_name", method!(NativeCall::node_name, 0))?;
    class.define_method("facts", method!(NativeCall::facts, 0))?;
    class.define_method("classes", method!(NativeCall::classes, 0))?;
    class.define_method("catalog_tags", method!(NativeCall::catalog_tags, 0))?;
    class.define_method("native_resource", method!(NativeCall::resource, 2))?;
    class.define_method("native_resources", method!(NativeCall::resources, 0))?;
    class.define_method("memory", method!(NativeCall::memory, 0))?;
    class.define_method("describe_mismatch", method!(NativeCall::describe_mismatch, 3))?;
    class.define_method("definition?", method!(NativeCall::has_definition, 2))
}
