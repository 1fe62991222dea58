//! Functions of an embedder: how the library calls them, and what they can call while they run.

use std::ffi::c_void;
use std::panic::resume_unwind;
use std::ptr;

use bunraku_core::diagnostic::Error;
use bunraku_core::host::{Declaration, ForeignCall, ForeignFunction, LegacyApi};
use bunraku_core::pcore::Value;

use crate::boundary::{CallError, give, give_some, guard, guard_or, misuse, text};
use crate::data::to_json_text;
use crate::error::bunraku_error;
use crate::host::bunraku_sink;
use crate::stack::{CallerCrossing, on_caller_stack};
use crate::text::{NulTerminated, bunraku_string, bunraku_text};

/// A call of one of the embedder's functions in progress. The library owns it. It lives as long as the
/// callback runs and must be used on the thread that the callback runs on.
pub struct bunraku_call {
    /// Type-erased, because the trait object lives only as long as the call; only used while the callback
    /// runs.
    call: *const c_void,
    ask: fn(*const c_void, &str, &[Value]) -> Result<Value, Error>,
    block: fn(*const c_void, &[Value]) -> Result<Value, Error>,
    has_block: fn(*const c_void) -> bool,
    variable: fn(*const c_void, &str) -> Option<Value>,
    read: fn(*const c_void, &str) -> Result<Value, Error>,
    /// The way back to the compilation; null if the callback runs within it.
    crossing: *const CallerCrossing,
    failure: Option<Error>,
}

/// Whether the caller passed a block to the running function.
///
/// # Safety
/// `call` belongs to the running callback.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_has_block(call: *const bunraku_call) -> bool {
    // SAFETY: by the contract of this function the pointer is null or valid.
    guard_or(false, || unsafe { call.as_ref() }.is_some_and(|call| (call.has_block)(call.call)))
}

/// Calls the block that was passed to the running function.
///
/// @param arguments_json  an array in rich data
/// @param result  receives the result as JSON, in rich data, to be freed with bunraku_string_free
/// @return NULL on success. A callback that cannot continue after a failure returns false: the library
///     remembers the failure and reports it as the callback's own.
///
/// # Safety
/// `call` belongs to the running callback, `arguments_json` is valid for reads of its length, `result` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_block(
    call: *mut bunraku_call,
    arguments_json: bunraku_text,
    result: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe { ask(call, arguments_json, result, |call, arguments| (call.block)(call.call, arguments)) }
    })
}

/// Calls another Puppet function by name.
///
/// @param name  such as "split"
/// @param arguments_json  an array in rich data
/// @param result  receives the result as JSON, in rich data, to be freed with bunraku_string_free
/// @return as bunraku_call_block
///
/// # Safety
/// `call` belongs to the running callback, the texts are valid for reads of their lengths, `result` is
/// writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_function(
    call: *mut bunraku_call,
    name: bunraku_text,
    arguments_json: bunraku_text,
    result: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        unsafe {
            let name = text(name, "name")?;
            ask(call, arguments_json, result, |call, arguments| (call.ask)(call.call, name, arguments))
        }
    })
}

/// Reads a variable in the scope of the caller.
///
/// @param name  the name without its "$"
/// @param result  receives the value as JSON, in rich data, to be freed with bunraku_string_free; NULL if the
///     variable does not exist
/// @return NULL on success
///
/// # Safety
/// `call` belongs to the running callback, `name` is valid for reads of its length, `result` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_variable(
    call: *const bunraku_call,
    name: bunraku_text,
    result: *mut *mut bunraku_string,
) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function the pointers are null or valid.
        let (call, name) =
            unsafe { (call.as_ref().ok_or_else(|| misuse("call is NULL"))?, text(name, "name")?) };
        let value = (call.variable)(call.call, name).map(|value| to_json_text(&value)).transpose()?;
        // SAFETY: by the contract of this function.
        unsafe { give_some(result, value.map(bunraku_string::new)) }
    })
}

/// Calls the waiting compilation and remembers its failure.
///
/// # Safety
/// The same as for the functions that call it.
unsafe fn ask(
    call: *mut bunraku_call,
    arguments_json: bunraku_text,
    result: *mut *mut bunraku_string,
    work: impl FnOnce(&bunraku_call, &[Value]) -> Result<Value, Error>,
) -> Result<(), CallError> {
    // SAFETY: by the contract of this function the pointers are null or valid.
    let (call, arguments) = unsafe {
        (call.as_mut().ok_or_else(|| misuse("call is NULL"))?, text(arguments_json, "arguments_json")?)
    };
    let in_compilation = || {
        (call.read)(call.call, arguments).and_then(|arguments| match arguments {
            Value::Array(arguments) => work(call, &arguments),
            other => work(call, &[other]),
        })
    };
    // SAFETY: the crossing lives as long as the call.
    let answered = match unsafe { call.crossing.as_ref() } {
        Some(crossing) => crossing.again(&(), in_compilation).unwrap_or_else(|panic| resume_unwind(panic)),
        None => in_compilation(),
    };
    match answered.and_then(|value| to_json_text(&value)) {
        // SAFETY: by the contract of this function.
        Ok(json) => unsafe { give(result, bunraku_string::new(json)) },
        Err(error) => {
            call.failure = Some(error.clone());
            Err(error.into())
        }
    }
}

/// The type of [`bunraku_host`](crate::host::bunraku_host)'s callback that calls a function.
pub(crate) type CallFunction = unsafe extern "C" fn(
    data: *mut c_void,
    name: bunraku_text,
    signature: usize,
    arguments_json: bunraku_text,
    call: *mut bunraku_call,
    sink: *mut bunraku_sink,
) -> bool;

/// A function of the embedder.
pub(crate) struct CallbackFunction {
    pub(crate) name: String,
    pub(crate) signatures: Vec<String>,
    /// The declaration of a function of the 3.x API.
    pub(crate) legacy: Option<LegacyApi>,
    pub(crate) call: CallFunction,
    pub(crate) data: *mut c_void,
}

// SAFETY: see `bunraku_host`; an environment keeps its host as long as the functions found through it.
unsafe impl Send for CallbackFunction {}
// SAFETY: as above.
unsafe impl Sync for CallbackFunction {}

/// The trait object behind a [`bunraku_call`].
struct Caller<'a>(&'a dyn ForeignCall);

fn caller<'a>(call: *const c_void) -> &'a Caller<'a> {
    // SAFETY: `called` puts the address of a `Caller` there, which outlives the
    // `bunraku_call`.
    unsafe { &*call.cast::<Caller<'a>>() }
}

impl ForeignFunction for CallbackFunction {
    fn signatures(&self) -> Vec<String> {
        self.signatures.clone()
    }

    fn declaration(&self) -> Option<Declaration> {
        self.legacy.map(|legacy| Declaration { legacy: Some(legacy), ..Declaration::default() })
    }

    fn call(&self, signature: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error> {
        let arguments = NulTerminated::new(to_json_text(&Value::array(arguments.iter().cloned()))?);
        let name = NulTerminated::new(self.name.as_str());
        let (data, arguments, name_text) = (self.data, arguments.as_text(), name.as_text());
        let answer = called(&self.name, call, |in_progress, sink| {
            // SAFETY: everything that is pointed to lives through the call; the embedder promised a callable
            // function.
            unsafe { (self.call)(data, name_text, signature, arguments, in_progress, sink) }
        })?;
        call.read_data(if answer.is_empty() { "null" } else { &answer })
    }
}

/// Calls a callback that can call the compilation. Returns what it has written.
pub(crate) fn called(
    name: &str,
    call: &dyn ForeignCall,
    work: impl FnOnce(*mut bunraku_call, *mut bunraku_sink) -> bool,
) -> Result<String, Error> {
    let own = Caller(call);
    let mut sink = bunraku_sink::default();
    let (succeeded, failure) = on_caller_stack(|crossing| {
        let mut in_progress = bunraku_call {
            call: (&raw const own).cast(),
            ask: |call, name, arguments| caller(call).0.call_function(name, arguments),
            block: |call, arguments| caller(call).0.call_block(arguments),
            has_block: |call| caller(call).0.has_block(),
            variable: |call, name| caller(call).0.variable(name),
            read: |call, text| caller(call).0.read_data(text),
            crossing: crossing.map_or(ptr::null(), ptr::from_ref),
            failure: None,
        };
        let succeeded = work(&raw mut in_progress, &raw mut sink);
        (succeeded, in_progress.failure)
    });
    let answer = sink.answer(name).map_err(|error| Error::limit(error.to_string()))?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    match (succeeded, failure) {
        (true, _) => Ok(answer),
        (false, Some(failure)) => Err(failure),
        (false, None) => Err(Error::plain(answer)),
    }
}
