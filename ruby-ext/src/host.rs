//! The host of an environment that Ruby loads: the disk, and functions that are written in Ruby.
//!
//! A Ruby object, the environment's `host`, is asked for functions: `find_function(name, module_path)` gives nothing or an object
//! with `signatures` (texts, each a `Callable[…]`) and `call(signature, arguments, call)`, where `signature` is the number of the one
//! that the arguments match and `call` is a [`NativeCall`]. It may have `exported_resources_json(node, type)`, which gives the resources
//! that other nodes export. `Bunraku::Host` is such an object.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, RwLock};

use bunraku::compiler::request::exported_resources;
use bunraku::diagnostic;
use bunraku::host::disk::DiskHost;
use bunraku::host::{
    DeepStacks, ExportedQuery, ExportedResource, FileInfo, ForeignCall, ForeignFunction, Host, HostError,
};
use bunraku::pcore::Value;
use bunraku::pcore::value::Timestamp;
use magnus::typed_data::Obj;
use magnus::value::{Opaque, ReprValue as _};
use magnus::{Class as _, DataTypeFunctions, Error, Module as _, RModule, Ruby, TypedData, gc, method};

use crate::convert::{to_ruby, to_value};
use crate::crossing::{self, run, with_ruby};
use crate::failure;

/// A function's name and the path of its module.
type FunctionName = (String, Option<String>);

/// The disk, and functions of a Ruby object.
pub(crate) struct RubyHost {
    object: Option<Opaque<magnus::Value>>,
    /// The functions that were asked for, by name and path of the module.
    found: RwLock<HashMap<FunctionName, Option<Arc<RubyFunction>>>>,
}

impl RubyHost {
    /// A host with the functions of this object. Whoever owns the host marks it for Ruby's garbage collector.
    pub(crate) fn new(object: Option<magnus::Value>) -> Self {
        Self { object: object.map(Opaque::from), found: RwLock::default() }
    }

    /// Tells the garbage collector which Ruby objects are in use.
    pub(crate) fn mark(&self, marker: &gc::Marker) {
        if let Some(object) = self.object {
            marker.mark(object);
        }
        // Nobody holds the lock while Ruby runs.
        if let Ok(found) = self.found.read() {
            found.values().flatten().for_each(|function| marker.mark(function.object));
        }
    }
}

impl Host for RubyHost {
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        DiskHost.read(path)
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        DiskHost.info(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        DiskHost.list(path)
    }

    fn now(&self) -> Timestamp {
        DiskHost.now()
    }

    fn check_interrupt(&self) -> Result<(), diagnostic::Error> {
        crossing::check_interrupts()
    }

    fn run_on_deep_stack(
        &self,
        stacks: &DeepStacks,
        work: &mut (dyn FnMut() + Send),
    ) -> Result<(), diagnostic::Error> {
        if crossing::is_inside() {
            work();
            return Ok(());
        }
        DiskHost.run_on_deep_stack(stacks, work)
    }

    fn foreign_function(
        &self,
        name: &str,
        module_path: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, diagnostic::Error> {
        let Some(object) = self.object else { return Ok(None) };
        let key = (name.to_owned(), module_path.map(str::to_owned));
        let known = self.found.read().ok().and_then(|found| found.get(&key).cloned());
        let found = match known {
            Some(known) => known,
            None => crossing::call_ruby(|ruby| self.find(ruby, object, key))?,
        };
        Ok(found.map(|function| function as Arc<dyn ForeignFunction>))
    }

    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let found = crossing::call_ruby(|ruby| self.exported(ruby, query));
        found.map(Option::unwrap_or_default).map_err(|error| HostError::Failed(error.message))
    }
}

impl RubyHost {
    /// Asks the object for exported resources: JSON text, an array of objects as in requests.
    fn exported(
        &self,
        ruby: &Ruby,
        query: &ExportedQuery<'_>,
    ) -> Result<Option<Vec<ExportedResource>>, Error> {
        let Some(object) = self.object.map(|object| ruby.get_inner(object)) else { return Ok(None) };
        if !object.respond_to("exported_resources_json", false)? {
            return Ok(None);
        }
        let text: String = object.funcall("exported_resources_json", (query.node, query.type_name))?;
        let list: serde_json::Value = serde_json::from_str(&text).map_err(|error| {
            Error::new(ruby.exception_arg_error(), format!("exported resources: {error}"))
        })?;
        Ok(Some(exported_resources(&serde_json::json!({ "exported": list }))))
    }

    /// Asks the object for a function, and remembers it.
    fn find(
        &self,
        ruby: &Ruby,
        object: Opaque<magnus::Value>,
        key: FunctionName,
    ) -> Result<Option<Arc<RubyFunction>>, Error> {
        let (name, module_path) = &key;
        let function: magnus::Value =
            ruby.get_inner(object).funcall("find_function", (name.as_str(), module_path.as_deref()))?;
        let mut found = None;
        if !function.is_nil() {
            let signatures: Vec<String> = function.funcall("signatures", ())?;
            found = Some(Arc::new(RubyFunction { object: function.into(), signatures }));
        }
        if let Ok(mut all) = self.found.write() {
            all.insert(key, found.clone());
        }
        Ok(found)
    }
}

/// A function that is written in Ruby.
struct RubyFunction {
    object: Opaque<magnus::Value>,
    signatures: Vec<String>,
}

impl ForeignFunction for RubyFunction {
    fn signatures(&self) -> Vec<String> {
        self.signatures.clone()
    }

    fn call(
        &self,
        signature: usize,
        arguments: &[Value],
        call: &dyn ForeignCall,
    ) -> Result<Value, diagnostic::Error> {
        let call = ThisThread(call);
        with_ruby(|ruby, exceptions| {
            let call = NativeCall::begin(ruby, call);
            let given = ruby.ary_new_capa(arguments.len());
            let result = arguments
                .iter()
                .try_for_each(|argument| given.push(to_ruby(ruby, argument)?))
                .and_then(|()| ruby.get_inner(self.object).funcall("call", (signature, given, call)))
                .and_then(|result: magnus::Value| to_value(ruby, result));
            let state = call.end();
            match result {
                Ok(value) => Ok(Ok(value)),
                Err(error) => state.failure(ruby, error, exceptions).map(Err),
            }
        })?
    }
}

/// What is used only on the thread that it came from, though Rust cannot see that.
struct ThisThread<T>(T);

// SAFETY: `run` and `with_ruby` do their work on the calling thread; `Send` shall only keep Ruby objects out.
unsafe impl<T> Send for ThisThread<T> {}

/// A call of a Ruby function in progress, as Ruby sees it: `Bunraku::Call`.
#[derive(TypedData)]
#[magnus(class = "Bunraku::Call", free_immediately, mark)]
pub(crate) struct NativeCall {
    /// None when the call is over.
    call: Cell<Option<*const dyn ForeignCall>>,
    /// Only it may use the call: another one could go on when the call is over.
    fiber: Opaque<magnus::Value>,
    /// The failure that Ruby was told of last, and the exception for it.
    failed: RefCell<Option<(Opaque<magnus::Value>, diagnostic::Error)>>,
    /// The exception by which Ruby interrupted the block.
    interruption: Cell<Option<Opaque<magnus::Value>>>,
}

// SAFETY: `NativeCall::ask` lets only the fiber that made the object use its members; the garbage collector reads them while
// that fiber waits for the GVL.
unsafe impl Send for NativeCall {}

impl DataTypeFunctions for NativeCall {
    fn mark(&self, marker: &gc::Marker) {
        marker.mark(self.fiber);
        if let Some(exception) = self.interruption.get() {
            marker.mark(exception);
        }
        if let Ok(failed) = self.failed.try_borrow()
            && let Some((exception, _)) = &*failed
        {
            marker.mark(*exception);
        }
    }
}

fn fiber() -> magnus::Value {
    use magnus::rb_sys::FromRawValue as _;
    // SAFETY: Ruby runs on this thread, and the value is an object of Ruby.
    unsafe { magnus::Value::from_raw(rb_sys::rb_fiber_current()) }
}

impl NativeCall {
    fn begin(ruby: &Ruby, call: ThisThread<&dyn ForeignCall>) -> Obj<Self> {
        let call: *const (dyn ForeignCall + '_) = call.0;
        // SAFETY: the lifetime is erased; `end` is called before the call is over.
        let call: *const dyn ForeignCall = unsafe { std::mem::transmute(call) };
        ruby.obj_wrap(Self {
            call: Cell::new(Some(call)),
            fiber: fiber().into(),
            failed: RefCell::default(),
            interruption: Cell::new(None),
        })
    }

    /// The call is over.
    fn end(&self) -> &Self {
        self.call.set(None);
        self
    }

    /// What an exception means that ended the Ruby function: the failure that Ruby had been told of, or another one. `Err`:
    /// something that only Ruby may rescue.
    fn failure(
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
            Some((exception, failure)) if is(ruby.get_inner(exception)) => {
                let cause: magnus::Value = ruby.get_inner(exception).funcall("cause", ())?;
                let cause = if cause.is_nil() { None } else { Some(exceptions.keep(cause)?) };
                Ok(diagnostic::Error { cause, ..failure })
            }
            _ => exceptions.failure(ruby, error),
        }
    }

    /// Goes back into the compilation.
    fn ask<T: Send>(
        &self,
        ruby: &Ruby,
        work: impl FnOnce(&dyn ForeignCall) -> Result<T, diagnostic::Error>,
    ) -> Result<T, Error> {
        if !ruby.get_inner(self.fiber).equal(fiber())? {
            let message = "a Bunraku::Call can be used only by the thread and the fiber that was called";
            return Err(Error::new(ruby.exception_thread_error(), message));
        }
        let Some(call) = self.call.get() else {
            return Err(Error::new(ruby.exception_runtime_error(), "the call of the function is over"));
        };
        if let Err(failure) = crossing::check_depth() {
            return Err(self.tell(ruby, failure, crossing::Exceptions::new(ruby)));
        }
        let work = ThisThread((call, work));
        let done = run(ruby, || {
            let ThisThread((call, work)) = { work };
            // SAFETY: the call is not over, and the coroutine that it belongs to is suspended.
            work(unsafe { &*call })
        });
        let (result, exceptions) = match done {
            Ok(done) => done,
            Err(raised) => {
                self.interruption.set(raised.value().map(Opaque::from));
                return Err(raised);
            }
        };
        result.map_err(|failure| self.tell(ruby, failure, exceptions))
    }

    /// The exception for a failure, which goes on as it is when Ruby does not rescue it.
    fn tell(&self, ruby: &Ruby, failure: diagnostic::Error, exceptions: crossing::Exceptions) -> Error {
        let raised = failure::exception(ruby, &failure, &[], exceptions);
        if let Some(exception) = raised.value() {
            self.failed.replace(Some((exception.into(), failure)));
        }
        raised
    }

    fn has_block(ruby: &Ruby, own: &Self) -> Result<bool, Error> {
        own.ask(ruby, |call| Ok(call.has_block()))
    }

    fn yield_block(ruby: &Ruby, own: &Self, arguments: &[magnus::Value]) -> Result<magnus::Value, Error> {
        let arguments = values(ruby, arguments)?;
        to_ruby(ruby, &own.ask(ruby, |call| call.call_block(&arguments))?)
    }

    fn call_function(ruby: &Ruby, own: &Self, arguments: &[magnus::Value]) -> Result<magnus::Value, Error> {
        let [name, arguments @ ..] = arguments else {
            return Err(Error::new(ruby.exception_arg_error(), "the name of a function is missing"));
        };
        let name: String = name.funcall("to_s", ())?;
        let arguments = values(ruby, arguments)?;
        to_ruby(ruby, &own.ask(ruby, |call| call.call_function(&name, &arguments))?)
    }

    fn variable(ruby: &Ruby, own: &Self, name: String) -> Result<Option<magnus::Value>, Error> {
        let value = own.ask(ruby, |call| Ok(call.variable(&name)))?;
        value.map(|value| to_ruby(ruby, &value)).transpose()
    }

    fn variables(ruby: &Ruby, own: &Self) -> Result<magnus::RHash, Error> {
        let hash = ruby.hash_new();
        for (name, value) in own.ask(ruby, |call| Ok(call.variables()))? {
            hash.aset(name, to_ruby(ruby, &value)?)?;
        }
        Ok(hash)
    }
}

fn values(ruby: &Ruby, objects: &[magnus::Value]) -> Result<Vec<Value>, Error> {
    objects.iter().map(|object| to_value(ruby, *object)).collect()
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = module.define_class("Call", ruby.class_object())?;
    class.undef_default_alloc_func();
    class.define_method("block?", method!(NativeCall::has_block, 0))?;
    class.define_method("yield", method!(NativeCall::yield_block, -1))?;
    class.define_method("call_function", method!(NativeCall::call_function, -1))?;
    class.define_method("variable", method!(NativeCall::variable, 1))?;
    class.define_method("variables", method!(NativeCall::variables, 0))
}
