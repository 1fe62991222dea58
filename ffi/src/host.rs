//! What an embedder provides: files, functions and the log, as a struct of callbacks.

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::time::Duration;

use bunraku_core::compiler::request;
use bunraku_core::diagnostic::{Error, LogEntry};
use bunraku_core::host::disk::DiskHost;
use bunraku_core::host::{
    ExportedQuery, ExportedResource, FileInfo, ForeignCall, ForeignFunction, Host, HostError, Machine,
    Reading,
};
use bunraku_core::pcore::Value;
use bunraku_core::pcore::value::Timestamp;

use crate::boundary::{guard_or, text};
use crate::data::to_json_text;
use crate::text::NulTerminated;

/// Where a callback puts its answer. It belongs to the library and lives as long as the callback runs.
pub struct bunraku_sink {
    bytes: Vec<u8>,
    items: Vec<String>,
    /// How many bytes, or how many items, it takes.
    limit: usize,
    is_overfull: bool,
}

/// How many bytes the answer of a callback may have, but for files.
const ANSWER_SIZE: usize = 256 << 20;

/// How many names a directory may have.
const MAXIMUM_NAMES: usize = 1_000_000;

impl bunraku_sink {
    fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), items: Vec::new(), limit, is_overfull: false }
    }

    /// Whether it takes one answer more that makes it so great.
    fn takes(&mut self, size: usize) -> bool {
        self.is_overfull |= size > self.limit;
        !self.is_overfull
    }

    /// What was written, unless that was too much.
    fn answer(self, name: &str) -> Result<Vec<u8>, HostError> {
        if self.is_overfull {
            return Err(HostError::Failed(format!(
                "the answer of {name} has more than {} bytes",
                self.limit
            )));
        }
        Ok(self.bytes)
    }
}

/// What stands at a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct bunraku_file_info {
    /// Whether it is a directory.
    pub is_directory: bool,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed: seconds since 1970.
    pub modified_seconds: i64,
    /// And the nanoseconds of that second.
    pub modified_nanoseconds: u32,
}

/// A call of one of the embedder's functions in progress. It belongs to the library and lives as long as the
/// callback runs, on the thread that the callback runs on.
pub struct bunraku_call {
    /// Type-erased, as the trait object lives only as long as the call; only used while the callback runs.
    call: *const c_void,
    ask: fn(*const c_void, &str, &[Value]) -> Result<Value, Error>,
    block: fn(*const c_void, &[Value]) -> Result<Value, Error>,
    variable: fn(*const c_void, &str) -> Option<Value>,
    read: fn(*const c_void, &str) -> Result<Value, Error>,
    failure: Option<Error>,
}

/// The callbacks of an embedder. Any of them may be NULL: then the library reads the disk, has no further
/// functions and logs only into the result. They are called from whichever thread compiles, from several at
/// the same time when several compile; `data` is handed to each. A callback must not unwind or longjmp out of
/// itself.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct bunraku_host {
    /// Handed to every callback.
    pub data: *mut c_void,
    /// Reads a file into the sink with `bunraku_sink_write`. Returns false when there is none.
    pub read_file: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            path: *const c_char,
            length: usize,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Tells what stands at a path. Returns false when there is nothing.
    pub file_info: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            path: *const c_char,
            length: usize,
            info: *mut bunraku_file_info,
        ) -> bool,
    >,
    /// Lists the names in a directory, one call of `bunraku_sink_add` each. Returns false when there is none.
    pub list_directory: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            path: *const c_char,
            length: usize,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Tells whether there is a function of this Puppet name, adding each of its signatures
    /// ("Callable[Integer, Integer]") with `bunraku_sink_add`. Returns false when there is no such function.
    pub find_function: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            name: *const c_char,
            length: usize,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Calls a function. `arguments_json` is an array in rich data; they match the signature of this index.
    /// The result is written to the sink as JSON, in rich data, too: `{"__ptype": "Sensitive", "__pvalue":
    /// "p4ss"}` is a Sensitive that nothing shows, a hash with a key "__ptype" is written as `{"__ptype":
    /// "Hash", "__pvalue": [key, value, ...]}`; nothing is undef. A result whose type is not known is a
    /// failure. Returns false on failure; the sink then holds the message, which is shown: it must not hold
    /// secrets.
    pub call_function: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            name: *const c_char,
            name_length: usize,
            signature: usize,
            arguments_json: *const c_char,
            arguments_length: usize,
            call: *mut bunraku_call,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Tells which resources other nodes export, for collectors such as `File <<| |>>`: writes a JSON array
    /// to the sink with objects of "certname", "type", "title", "parameters" and "tags". The collector's
    /// query is applied to them; the node's own are not wanted. Returns false on failure; the sink then holds
    /// the message. Needs the setting "storeconfigs".
    pub exported_resources: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            node: *const c_char,
            node_length: usize,
            type_name: *const c_char,
            type_name_length: usize,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Receives a message of the log as it is said: a JSON object as `bunraku_catalog_logs_json` describes.
    pub log: Option<unsafe extern "C" fn(data: *mut c_void, entry_json: *const c_char, length: usize)>,
    /// Frees `data` when the environment that used it is freed.
    pub free_data: Option<unsafe extern "C" fn(data: *mut c_void)>,
    /// Tells the time: seconds since 1970, and the nanoseconds of that second. NULL for the clock of the
    /// machine.
    pub now: Option<unsafe extern "C" fn(data: *mut c_void, seconds: *mut i64, nanoseconds: *mut u32)>,
    /// Fills a buffer with bytes that nobody can guess. Returns false when there are none. NULL for those of
    /// the machine.
    pub random: Option<unsafe extern "C" fn(data: *mut c_void, bytes: *mut u8, length: usize) -> bool>,
}

/// Writes bytes of an answer; may be called again to add more. Answers that are too large fail: files that
/// have more than the option "file_size" of the environment, others with more than 256 MiB.
///
/// # Safety
/// `sink` is the sink of the running callback, `bytes` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_sink_write(sink: *mut bunraku_sink, bytes: *const c_char, length: usize) {
    guard_or((), || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        unsafe {
            if let (Some(sink), false) = (sink.as_mut(), bytes.is_null() || length == 0)
                && sink.takes(sink.bytes.len().saturating_add(length))
            {
                sink.bytes.extend_from_slice(std::slice::from_raw_parts(bytes.cast(), length));
            }
        }
    });
}

/// Adds one item to an answer that is a list. The text must be UTF-8; other text is left out.
///
/// # Safety
/// `sink` is the sink of the running callback, `item` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_sink_add(sink: *mut bunraku_sink, item: *const c_char, length: usize) {
    guard_or((), || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        unsafe {
            if let (Some(sink), Ok(item)) = (sink.as_mut(), text(item, length, "item"))
                && sink.takes(sink.items.len() + 1)
            {
                sink.items.push(item.to_owned());
            }
        }
    });
}

/// Calls the block that was given to the running function.
///
/// @param arguments_json  an array in rich data
/// @param sink            receives the result as JSON, in rich data, or the message of the failure
/// @return false on failure; return false from the callback, too, then
///
/// # Safety
/// `call` and `sink` are those of the running callback, `arguments_json` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_block(
    call: *mut bunraku_call,
    arguments_json: *const c_char,
    length: usize,
    sink: *mut bunraku_sink,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        answer_call(call, arguments_json, length, sink, |call, arguments| (call.block)(call.call, arguments))
    }
}

/// Calls another Puppet function by name.
///
/// @param arguments_json  an array in rich data
/// @param sink            receives the result as JSON, in rich data, or the message of the failure
/// @return false on failure; return false from the callback, too, then
///
/// # Safety
/// `call` and `sink` are those of the running callback, `name` and `arguments_json` point to as many bytes as
/// told.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_function(
    call: *mut bunraku_call,
    name: *const c_char,
    name_length: usize,
    arguments_json: *const c_char,
    length: usize,
    sink: *mut bunraku_sink,
) -> bool {
    // SAFETY: by the contract of this function.
    unsafe {
        let Ok(name) = text(name, name_length, "name") else { return false };
        answer_call(call, arguments_json, length, sink, |call, arguments| {
            (call.ask)(call.call, name, arguments)
        })
    }
}

/// Reads a variable as seen from the calling scope.
///
/// @param sink  receives the value as JSON, in rich data
/// @return false when there is no such variable
///
/// # Safety
/// `call` and `sink` are those of the running callback, `name` points to `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_call_variable(
    call: *mut bunraku_call,
    name: *const c_char,
    length: usize,
    sink: *mut bunraku_sink,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        unsafe {
            let (Some(call), Some(sink), Ok(name)) =
                (call.as_mut(), sink.as_mut(), text(name, length, "name"))
            else {
                return false;
            };
            let Some(value) = (call.variable)(call.call, name) else { return false };
            to_json_text(&value).map(|json| sink.bytes.extend_from_slice(json.as_bytes())).is_ok()
        }
    })
}

/// # Safety
/// As the functions that call it.
unsafe fn answer_call(
    call: *mut bunraku_call,
    arguments_json: *const c_char,
    length: usize,
    sink: *mut bunraku_sink,
    work: impl FnOnce(&bunraku_call, &[Value]) -> Result<Value, Error>,
) -> bool {
    guard_or(false, || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        let parts = unsafe { (call.as_mut(), sink.as_mut(), text(arguments_json, length, "arguments_json")) };
        let (Some(call), Some(sink), Ok(arguments)) = parts else { return false };
        let result = (call.read)(call.call, arguments).and_then(|arguments| match arguments {
            Value::Array(arguments) => work(call, &arguments),
            other => work(call, &[other]),
        });
        match result.and_then(|value| to_json_text(&value)) {
            Ok(json) => {
                sink.bytes.extend_from_slice(json.as_bytes());
                true
            }
            Err(error) => {
                sink.bytes.extend_from_slice(error.message.as_bytes());
                call.failure = Some(error);
                false
            }
        }
    })
}

/// The embedder's callbacks as the core's host.
pub(crate) struct CallbackHost {
    callbacks: bunraku_host,
}

// SAFETY: the documentation of `bunraku_host` asks embedders for callbacks that any thread may call, several
// at the same time.
unsafe impl Send for CallbackHost {}
// SAFETY: as above.
unsafe impl Sync for CallbackHost {}

impl CallbackHost {
    /// Takes over a copy of the callbacks; `data` is freed with this host.
    pub(crate) fn new(callbacks: &bunraku_host) -> Arc<Self> {
        Arc::new(Self { callbacks: *callbacks })
    }

    /// Hands a message of the log on.
    pub(crate) fn log(&self, entry: &LogEntry) {
        if let Some(log) = self.callbacks.log {
            let text = NulTerminated::new(crate::data::log_entry(entry).to_string());
            let mut length = 0;
            // SAFETY: the length may be written; the text outlives the call; the embedder promised a callable
            // function.
            unsafe { log(self.callbacks.data, text.expose(&raw mut length), length) };
        }
    }
}

impl Drop for CallbackHost {
    fn drop(&mut self) {
        if let Some(free) = self.callbacks.free_data {
            // SAFETY: the embedder promised a callable function; the host is dropped once.
            unsafe { free(self.callbacks.data) };
        }
    }
}

fn sink() -> bunraku_sink {
    bunraku_sink::new(ANSWER_SIZE)
}

impl Host for CallbackHost {
    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let Some(exported) = self.callbacks.exported_resources else { return Ok(Vec::new()) };
        let (node, type_name) = (query.node, query.type_name);
        let mut sink = sink();
        // SAFETY: the texts and the sink live through the call; the embedder promised a callable function.
        let succeeded = unsafe {
            exported(
                self.callbacks.data,
                node.as_ptr().cast(),
                node.len(),
                type_name.as_ptr().cast(),
                type_name.len(),
                &raw mut sink,
            )
        };
        if !succeeded {
            return Err(HostError::Failed(String::from_utf8_lossy(&sink.bytes).into_owned()));
        }
        let list: serde_json::Value = serde_json::from_slice(&sink.answer("exported_resources")?)
            .map_err(|error| HostError::Failed(format!("exported_resources: {error}")))?;
        Ok(request::exported_resources(&list))
    }

    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        let Some(read) = self.callbacks.read_file else { return DiskHost.read(path, reading) };
        let mut sink = bunraku_sink::new(usize::try_from(reading.size).unwrap_or(usize::MAX));
        // SAFETY: path and sink live through the call; the embedder promised a callable function.
        let found = unsafe { read(self.callbacks.data, path.as_ptr().cast(), path.len(), &raw mut sink) };
        match found {
            true if sink.is_overfull => Err(HostError::too_large(path, reading.size)),
            true => Ok(sink.bytes),
            false => Err(HostError::NotFound(path.to_owned())),
        }
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let Some(ask) = self.callbacks.file_info else { return DiskHost.info(path) };
        let mut info = bunraku_file_info::default();
        // SAFETY: path and info live through the call; the embedder promised a callable function.
        let found = unsafe { ask(self.callbacks.data, path.as_ptr().cast(), path.len(), &raw mut info) };
        found.then_some(FileInfo {
            is_directory: info.is_directory,
            size: info.size,
            modified: Timestamp { seconds: info.modified_seconds, nanoseconds: info.modified_nanoseconds },
        })
    }

    fn run_command(&self, command: &[&str], reading: &Reading<'_>) -> Result<String, HostError> {
        DiskHost.run_command(command, reading)
    }

    fn is_link(&self, path: &str) -> bool {
        self.callbacks.list_directory.is_none() && DiskHost.is_link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let Some(list) = self.callbacks.list_directory else { return DiskHost.list(path) };
        let mut sink = bunraku_sink::new(MAXIMUM_NAMES);
        // SAFETY: path and sink live through the call; the embedder promised a callable function.
        let found = unsafe { list(self.callbacks.data, path.as_ptr().cast(), path.len(), &raw mut sink) };
        sink.items.sort();
        if sink.is_overfull {
            let message = format!("Directory too large: it has more than {MAXIMUM_NAMES} names - {path}");
            return Err(HostError::Failed(message));
        }
        if found { Ok(sink.items) } else { Err(HostError::NotFound(path.to_owned())) }
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        DiskHost.environment_variable(name)
    }

    fn now(&self) -> Timestamp {
        let Some(now) = self.callbacks.now else { return DiskHost.now() };
        let (mut seconds, mut nanoseconds) = (0, 0);
        // SAFETY: the numbers may be written through the call; the embedder promised a callable function.
        unsafe { now(self.callbacks.data, &raw mut seconds, &raw mut nanoseconds) };
        Timestamp { seconds, nanoseconds: nanoseconds.min(999_999_999) }
    }

    fn machine(&self) -> Machine {
        DiskHost.machine()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        let Some(random) = self.callbacks.random else { return DiskHost.random(bytes) };
        // SAFETY: the buffer may be written through the call; the embedder promised a callable function.
        let filled = unsafe { random(self.callbacks.data, bytes.as_mut_ptr(), bytes.len()) };
        if filled { Ok(()) } else { Err(HostError::Failed("there are no random bytes".to_owned())) }
    }

    fn cpu_time(&self) -> Option<Duration> {
        DiskHost.cpu_time()
    }

    fn foreign_function(
        &self,
        name: &str,
        _module_path: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        let callbacks = (self.callbacks.find_function, self.callbacks.call_function);
        let (Some(find), Some(call)) = callbacks else { return Ok(None) };
        let mut sink = sink();
        // SAFETY: name and sink live through the call; the embedder promised a callable function.
        let found = unsafe { find(self.callbacks.data, name.as_ptr().cast(), name.len(), &raw mut sink) };
        let data = self.callbacks.data;
        if !found {
            return Ok(None);
        }
        let signatures = sink.items;
        Ok(Some(Arc::new(CallbackFunction { name: name.to_owned(), signatures, call, data })))
    }
}

type CallFunction = unsafe extern "C" fn(
    *mut c_void,
    *const c_char,
    usize,
    usize,
    *const c_char,
    usize,
    *mut bunraku_call,
    *mut bunraku_sink,
) -> bool;

/// A function of the embedder.
struct CallbackFunction {
    name: String,
    signatures: Vec<String>,
    call: CallFunction,
    data: *mut c_void,
}

// SAFETY: see `CallbackHost`; an environment keeps its host as long as the functions found through it.
unsafe impl Send for CallbackFunction {}
// SAFETY: as above.
unsafe impl Sync for CallbackFunction {}

/// The trait object behind a [`bunraku_call`].
struct Caller<'a>(&'a dyn ForeignCall);

fn caller<'a>(call: *const c_void) -> &'a Caller<'a> {
    // SAFETY: `CallbackFunction::call` puts the address of a `Caller` there, which outlives the
    // `bunraku_call`.
    unsafe { &*call.cast::<Caller<'a>>() }
}

impl ForeignFunction for CallbackFunction {
    fn signatures(&self) -> Vec<String> {
        self.signatures.clone()
    }

    fn call(&self, signature: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error> {
        let arguments = to_json_text(&Value::array(arguments.iter().cloned()))?;
        let own = Caller(call);
        let mut in_progress = bunraku_call {
            call: (&raw const own).cast(),
            ask: |call, name, arguments| caller(call).0.call_function(name, arguments),
            block: |call, arguments| caller(call).0.call_block(arguments),
            variable: |call, name| caller(call).0.variable(name),
            read: |call, text| caller(call).0.read_data(text),
            failure: None,
        };
        let mut sink = sink();
        // SAFETY: all that is pointed to lives through the call; the embedder promised a callable function.
        let succeeded = unsafe {
            (self.call)(
                self.data,
                self.name.as_ptr().cast(),
                self.name.len(),
                signature,
                arguments.as_ptr().cast(),
                arguments.len(),
                &raw mut in_progress,
                &raw mut sink,
            )
        };
        let answer = sink.answer(&self.name).map_err(|error| Error::limit(error.to_string()))?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        match (succeeded, in_progress.failure) {
            (true, _) => call.read_data(if answer.is_empty() { "null" } else { &answer }),
            (false, Some(failure)) => Err(failure),
            (false, None) => Err(Error::plain(answer)),
        }
    }
}
