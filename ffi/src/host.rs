//! The callbacks of an embedder: files, functions and the log.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

use bunraku_core::compiler::request;
use bunraku_core::diagnostic::{Error, LogEntry};
use bunraku_core::host::disk::DiskHost;
use bunraku_core::host::{
    DeepStacks, ErbTemplate, ExportedQuery, ExportedResource, FileInfo, ForeignCall, ForeignFunction,
    FunctionApi, Host, HostError, LegacyApi, Machine, Reading,
};
use bunraku_core::pcore::value::Timestamp;
use serde_json::json;

use crate::boundary::{CallError, bytes, guard, guard_or, misuse, text};
use crate::call::{CallbackFunction, bunraku_call, called};
use crate::error::bunraku_error;
use crate::stack::{on_caller_stack, on_deep_stack};
use crate::text::{NulTerminated, bunraku_text};

/// Receives the answer of a callback. The library owns it. It lives as long as the callback runs.
pub struct bunraku_sink {
    bytes: Vec<u8>,
    items: Vec<String>,
    /// The maximum number of bytes or items.
    limit: usize,
    is_overfull: bool,
}

/// The maximum size of a callback's answer in bytes, except for files.
const MAX_ANSWER_SIZE: usize = 256 << 20;

/// The maximum number of names in a directory.
const MAX_NAMES: usize = 1_000_000;

impl Default for bunraku_sink {
    fn default() -> Self {
        Self::new(MAX_ANSWER_SIZE)
    }
}

impl bunraku_sink {
    fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), items: Vec::new(), limit, is_overfull: false }
    }

    /// Whether another part fits that makes the answer this large.
    fn takes(&mut self, size: usize) -> bool {
        self.is_overfull |= size > self.limit;
        !self.is_overfull
    }

    /// The answer as the message of a failure.
    fn message(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The error for a path that has nothing to read.
    fn failure(&self, path: &str) -> HostError {
        if self.bytes.is_empty() {
            return HostError::NotFound(path.to_owned());
        }
        HostError::Failed(format!("{} - {path}", self.message()))
    }

    /// The answer, unless it is too large.
    pub(crate) fn answer(self, name: &str) -> Result<Vec<u8>, HostError> {
        if self.is_overfull {
            return Err(HostError::Failed(format!(
                "the answer of {name} has more than {} bytes",
                self.limit
            )));
        }
        Ok(self.bytes)
    }
}

/// What exists at a path.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct bunraku_file_info {
    /// Whether the path is a directory.
    pub is_directory: bool,
    /// The size in bytes.
    pub size: u64,
    /// The time of the last change: seconds since 1970.
    pub modified_seconds: i64,
    /// The nanoseconds of that second.
    pub modified_nanoseconds: u32,
}

/// The callbacks of an embedder. Set "size" to sizeof(bunraku_host) and the callbacks that you provide. Any
/// of them can be NULL: the library then reads the disk, has no further functions and logs only into the
/// result. The library calls a callback on the thread that called the library, on that thread's stack, and on
/// several threads at the same time when several compile. Each callback receives `data`. A callback must not
/// unwind or longjmp out of itself. If a callback returns false, the text in its sink is the reason of a
/// failure; an empty sink means that the requested thing does not exist.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct bunraku_host {
    /// sizeof(bunraku_host) in the compiled program: later versions of the library add callbacks at the end.
    pub size: usize,
    /// Passed to every callback.
    pub data: *mut c_void,
    /// Reads a file into the sink with `bunraku_sink_write`. Returns false if the file does not exist or,
    /// with the reason written to the sink, if it cannot be read.
    pub read_file:
        Option<unsafe extern "C" fn(data: *mut c_void, path: bunraku_text, sink: *mut bunraku_sink) -> bool>,
    /// Describes what exists at a path. Returns false if nothing exists.
    pub file_info: Option<
        unsafe extern "C" fn(data: *mut c_void, path: bunraku_text, info: *mut bunraku_file_info) -> bool,
    >,
    /// Lists the names in a directory with one call of `bunraku_sink_add` for each. Returns false if the
    /// directory does not exist or, with the reason written to the sink, if it cannot be read.
    pub list_directory:
        Option<unsafe extern "C" fn(data: *mut c_void, path: bunraku_text, sink: *mut bunraku_sink) -> bool>,
    /// Finds a function by its Puppet name and adds each of its signatures ("Callable[Integer, Integer]")
    /// with `bunraku_sink_add`. Returns false if the function does not exist or, with the reason written to
    /// the sink, if it cannot be loaded.
    pub find_function:
        Option<unsafe extern "C" fn(data: *mut c_void, name: bunraku_text, sink: *mut bunraku_sink) -> bool>,
    /// Calls a function. `arguments_json` is an array in rich data that matches the signature with this
    /// index. The result is written to the sink as JSON, also in rich data: `{"__ptype": "Sensitive",
    /// "__pvalue": "p4ss"}` is a Sensitive, which is never shown; a hash with a key "__ptype" is written as
    /// `{"__ptype": "Hash", "__pvalue": [key, value, ...]}`; an empty sink is undef. A result of an unknown
    /// type is a failure. Returns false on failure; the sink then contains the message, which is shown and
    /// must not contain secrets.
    pub call_function: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            name: bunraku_text,
            signature: usize,
            arguments_json: bunraku_text,
            call: *mut bunraku_call,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Returns the resources that other nodes export, for collectors such as `File <<| |>>`: writes a JSON
    /// array to the sink with objects of "certname", "type", "title", "parameters" and "tags". The library
    /// applies the collector's query to them; the node's own resources must not be included. Returns false on
    /// failure; the sink then contains the message. Needs the setting "storeconfigs".
    pub exported_resources: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            node: bunraku_text,
            type_name: bunraku_text,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Receives each message of a compilation or lookup as it is logged: a JSON object as
    /// `bunraku_catalog_logs_json` describes. Results also contain all messages.
    pub log: Option<unsafe extern "C" fn(data: *mut c_void, entry_json: bunraku_text)>,
    /// Frees `data` when the environment that used it is freed.
    pub free_data: Option<unsafe extern "C" fn(data: *mut c_void)>,
    /// Returns the time: seconds since 1970, and the nanoseconds of that second. NULL for the machine's
    /// clock.
    pub now: Option<unsafe extern "C" fn(data: *mut c_void, seconds: *mut i64, nanoseconds: *mut u32)>,
    /// Fills a buffer with unpredictable bytes. Returns false if none are available. NULL for those of the
    /// machine.
    pub random: Option<unsafe extern "C" fn(data: *mut c_void, bytes: *mut u8, length: usize) -> bool>,
    /// Called about once in a thousand steps of work in an environment with this host, with the number of
    /// steps so far. While files are read and other work without steps continues, it is called with the same
    /// number again. Returns false to cancel the work, which fails with an error of the kind
    /// BUNRAKU_FAILURE_CANCELLED.
    pub progress: Option<unsafe extern "C" fn(data: *mut c_void, steps: u64) -> bool>,
    /// As `exported_resources`, and called in its place, for stores that search themselves. `query_json` is
    /// an object of "node", "type" and "filter": the collector's condition in rich data, `[name, operator,
    /// value]` with "==" or "!=", and `[condition, operator, condition]` with "and" or "or"; null without
    /// one. An object of the answer can have "filtered": true, to which the library does not apply the query
    /// again.
    pub search_resources: Option<
        unsafe extern "C" fn(data: *mut c_void, query_json: bunraku_text, sink: *mut bunraku_sink) -> bool,
    >,
    /// Finds a function of a module that the built-in Ruby does not know, in the file at `path`. For the 4.x
    /// API as `find_function`; for the 3.x API (`is_legacy`) the items are the arity, as Ruby counts it
    /// ("-2"), and "rvalue" or "statement". `call_function` then calls it.
    pub find_module_function: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            name: bunraku_text,
            path: bunraku_text,
            is_legacy: bool,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
    /// Renders a template in ERB that the built-in Ruby does not know, and writes the result to the sink.
    /// `path` is that of its file, or a name for it. Returns false on failure; the sink then contains the
    /// message.
    pub render_template: Option<
        unsafe extern "C" fn(
            data: *mut c_void,
            path: bunraku_text,
            text: bunraku_text,
            call: *mut bunraku_call,
            sink: *mut bunraku_sink,
        ) -> bool,
    >,
}

thread_local! {
    /// The callbacks of this thread.
    static ATTACHED: Cell<Option<bunraku_host>> = const { Cell::new(None) };
}

/// Sets the callbacks of the calling thread. In environments that were loaded with a host (which can be
/// one without any callbacks), the later work of this thread calls `exported_resources`,
/// `search_resources`, `log`, `progress`, `find_module_function` (with `call_function`) and
/// `render_template` of these, where they are not NULL, in place of the environment's own. So several
/// programs in one process, such as the interpreters of a server, can share an environment. The other
/// callbacks are not used.
///
/// @param host  the callbacks, which are copied; NULL for none. `free_data` is never called
/// @return NULL on success
///
/// # Safety
/// `host` is NULL or valid for reads of its "size"; its callbacks can be called until others are attached.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_host_attach(host: *const bunraku_host) -> *mut bunraku_error {
    guard(|| {
        // SAFETY: by the contract of this function.
        ATTACHED.set(unsafe { callbacks_of(host) }?);
        Ok(())
    })
}

/// Appends bytes to an answer; it can be called repeatedly. An answer that is too large fails: a file of more
/// bytes than the environment's option "file_size", or any other answer of more than 256 MiB.
///
/// # Safety
/// `sink` is the sink of the running callback, `given` is valid for reads of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_sink_write(sink: *mut bunraku_sink, given: bunraku_text) {
    guard_or((), || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        if let (Some(sink), Ok(given)) = unsafe { (sink.as_mut(), bytes(given, "given")) }
            && sink.takes(sink.bytes.len().saturating_add(given.len()))
        {
            sink.bytes.extend_from_slice(given);
        }
    });
}

/// Adds one item to an answer that is a list. The text must be UTF-8; an invalid text is ignored.
///
/// # Safety
/// `sink` is the sink of the running callback, `item` is valid for reads of its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bunraku_sink_add(sink: *mut bunraku_sink, item: bunraku_text) {
    guard_or((), || {
        // SAFETY: by the contract of this function the pointers are null or valid.
        if let (Some(sink), Ok(item)) = unsafe { (sink.as_mut(), text(item, "item")) }
            && sink.takes(sink.items.len() + 1)
        {
            sink.items.push(item.to_owned());
        }
    });
}

/// The embedder's callbacks as the core's host.
pub(crate) struct CallbackHost {
    callbacks: bunraku_host,
}

// SAFETY: the documentation of `bunraku_host` requires callbacks that any thread can call, several at the
// same time.
unsafe impl Send for CallbackHost {}
// SAFETY: as above.
unsafe impl Sync for CallbackHost {}

/// The host that a caller passes; `None` for NULL. `data` is freed with it.
///
/// # Safety
/// The pointer is null or valid for reads of its size.
pub(crate) unsafe fn host_of(given: *const bunraku_host) -> Result<Option<Arc<CallbackHost>>, CallError> {
    // SAFETY: by the contract of this function.
    Ok(unsafe { callbacks_of(given) }?.map(|callbacks| Arc::new(CallbackHost { callbacks })))
}

/// A copy of the callbacks that a caller passes; `None` for NULL.
///
/// # Safety
/// As for [`host_of`].
unsafe fn callbacks_of(given: *const bunraku_host) -> Result<Option<bunraku_host>, CallError> {
    if given.is_null() {
        return Ok(None);
    }
    // SAFETY: the pointer is not null; by the contract of this function the size may be read.
    let size = unsafe { (&raw const (*given).size).read() };
    if size < std::mem::offset_of!(bunraku_host, read_file) {
        return Err(misuse("size of bunraku_host is not its sizeof"));
    }
    // SAFETY: by the contract of this function the pointer is valid for reads of `size` bytes.
    let given = unsafe { std::slice::from_raw_parts(given.cast::<u8>(), size) };
    let known = size_of::<bunraku_host>();
    if given.iter().skip(known).any(|byte| *byte != 0) {
        return Err(misuse("bunraku_host has callbacks that this version of the library does not know"));
    }
    // SAFETY: numbers, pointers and optional functions can all be zero.
    let mut callbacks: bunraku_host = unsafe { std::mem::zeroed() };
    // SAFETY: both sides are valid for this size; the rest stays zero, which means no callback.
    unsafe { (&raw mut callbacks).cast::<u8>().copy_from(given.as_ptr(), size.min(known)) };
    Ok(Some(callbacks))
}

/// The host that a caller passes, or the disk for NULL.
///
/// # Safety
/// As for [`host_of`].
pub(crate) unsafe fn host_or_disk(given: *const bunraku_host) -> Result<Arc<dyn Host>, CallError> {
    // SAFETY: by the contract of this function.
    Ok(match unsafe { host_of(given) }? {
        Some(callbacks) => callbacks,
        None => Arc::new(DiskHost),
    })
}

impl Drop for CallbackHost {
    fn drop(&mut self) {
        if let Some(free) = self.callbacks.free_data {
            // SAFETY: the embedder promised a callable function; the host is dropped once.
            unsafe { free(self.callbacks.data) };
        }
    }
}

/// Calls a callback that answers with a sink. Returns its result and the sink.
fn asked(limit: usize, ask: impl FnOnce(*mut bunraku_sink) -> bool) -> (bool, bunraku_sink) {
    let mut sink = bunraku_sink::new(limit);
    let answered = on_caller_stack(|_| ask(&raw mut sink));
    (answered, sink)
}

impl CallbackHost {
    /// A callback of the thread, or else of the environment, with its data.
    fn nearest<F>(&self, pick: impl Fn(&bunraku_host) -> Option<F>) -> Option<(F, *mut c_void)> {
        let mut all = ATTACHED.get().into_iter().chain([self.callbacks]);
        all.find_map(|one| pick(&one).map(|callback| (callback, one.data)))
    }
}

impl Host for CallbackHost {
    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        on_deep_stack(stacks, work)
    }

    fn check_interrupt(&self, steps: u64) -> Result<(), Error> {
        let Some((progress, data)) = self.nearest(|host| host.progress) else { return Ok(()) };
        // SAFETY: the embedder promised a callable function.
        match on_caller_stack(|_| unsafe { progress(data, steps) }) {
            true => Ok(()),
            false => Err(Error::cancelled("The host has ended the work")),
        }
    }

    fn log(&self, entry: &LogEntry) {
        let Some((log, data)) = self.nearest(|host| host.log) else { return };
        let text = NulTerminated::new(request::log_to_json(entry).to_string());
        // SAFETY: the text outlives the call; the embedder promised a callable function.
        on_caller_stack(|_| unsafe { log(data, text.as_text()) });
    }

    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let (succeeded, sink) = match self.nearest(|host| host.search_resources) {
            Some((search, data)) => {
                let filter = crate::data::to_json(query.filter)
                    .map_err(|error| HostError::Failed(error.message.clone()))?;
                let wanted = json!({ "node": query.node, "type": query.type_name, "filter": filter });
                let wanted = &NulTerminated::new(wanted.to_string());
                // SAFETY: the text and the sink live through the call; the embedder promised a callable
                // function.
                asked(MAX_ANSWER_SIZE, |sink| unsafe { search(data, wanted.as_text(), sink) })
            }
            None => {
                let nearest = self.nearest(|host| host.exported_resources);
                let Some((exported, data)) = nearest else { return Ok(Vec::new()) };
                let (node, type_name) = (NulTerminated::new(query.node), NulTerminated::new(query.type_name));
                let (node, type_name) = (&node, &type_name);
                // SAFETY: the texts and the sink live through the call; the embedder promised a callable
                // function.
                asked(MAX_ANSWER_SIZE, |sink| unsafe {
                    exported(data, node.as_text(), type_name.as_text(), sink)
                })
            }
        };
        if !succeeded {
            return Err(HostError::Failed(sink.message()));
        }
        let list: serde_json::Value = serde_json::from_slice(&sink.answer("exported_resources")?)
            .map_err(|error| HostError::Failed(format!("exported_resources: {error}")))?;
        Ok(request::exported_resources(&list))
    }

    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        let Some(read) = self.callbacks.read_file else { return DiskHost.read(path, reading) };
        let limit = usize::try_from(reading.size).unwrap_or(usize::MAX);
        let name = NulTerminated::new(path);
        // SAFETY: path and sink live through the call; the embedder promised a callable function.
        match asked(limit, |sink| unsafe { read(self.callbacks.data, name.as_text(), sink) }) {
            (true, sink) if sink.is_overfull => Err(HostError::too_large(path, reading.size)),
            (true, sink) => Ok(sink.bytes),
            (false, sink) => Err(sink.failure(path)),
        }
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let Some(ask) = self.callbacks.file_info else { return DiskHost.info(path) };
        let (mut info, path) = (bunraku_file_info::default(), NulTerminated::new(path));
        // SAFETY: path and info live through the call; the embedder promised a callable function.
        let found = on_caller_stack(|_| unsafe { ask(self.callbacks.data, path.as_text(), &raw mut info) });
        found.then_some(FileInfo {
            is_directory: info.is_directory,
            size: info.size,
            modified: Timestamp {
                seconds: i128::from(info.modified_seconds),
                nanoseconds: info.modified_nanoseconds,
            },
            inode: 0,
        })
    }

    fn run_command(&self, command: &[&str], reading: &Reading<'_>) -> Result<String, HostError> {
        DiskHost.run_command(command, reading)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        DiskHost.write(path, bytes)
    }

    fn make_directories(&self, path: &str) -> Result<(), HostError> {
        DiskHost.make_directories(path)
    }

    fn is_link(&self, path: &str) -> bool {
        self.callbacks.list_directory.is_none() && DiskHost.is_link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let Some(list) = self.callbacks.list_directory else { return DiskHost.list(path) };
        let name = NulTerminated::new(path);
        // SAFETY: path and sink live through the call; the embedder promised a callable function.
        let ask = |sink| unsafe { list(self.callbacks.data, name.as_text(), sink) };
        let (found, mut sink) = asked(MAX_NAMES, ask);
        if !found {
            return Err(sink.failure(path));
        }
        if sink.is_overfull {
            let message = format!("Directory too large: it has more than {MAX_NAMES} names - {path}");
            return Err(HostError::Failed(message));
        }
        sink.items.sort();
        Ok(sink.items)
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        DiskHost.environment_variable(name)
    }

    fn now(&self) -> Timestamp {
        let Some(now) = self.callbacks.now else { return DiskHost.now() };
        let (mut seconds, mut nanoseconds) = (0, 0);
        // SAFETY: the numbers are writable through the call; the embedder promised a callable function.
        on_caller_stack(|_| unsafe { now(self.callbacks.data, &raw mut seconds, &raw mut nanoseconds) });
        Timestamp { seconds: i128::from(seconds), nanoseconds: nanoseconds.min(999_999_999) }
    }

    fn machine(&self) -> Machine {
        DiskHost.machine()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        let Some(random) = self.callbacks.random else { return DiskHost.random(bytes) };
        let (start, length) = (bytes.as_mut_ptr(), bytes.len());
        // SAFETY: the buffer is writable through the call; the embedder promised a callable function.
        let filled = on_caller_stack(|_| unsafe { random(self.callbacks.data, start, length) });
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
        let (data, text) = (self.callbacks.data, NulTerminated::new(name));
        // SAFETY: name and sink live through the call; the embedder promised a callable function.
        let (found, sink) = asked(MAX_NAMES, |sink| unsafe { find(data, text.as_text(), sink) });
        if found {
            let signatures = sink.items;
            let name = name.to_owned();
            return Ok(Some(Arc::new(CallbackFunction { name, signatures, legacy: None, call, data })));
        }
        if sink.bytes.is_empty() { Ok(None) } else { Err(Error::plain(sink.message())) }
    }

    fn unknown_function(
        &self,
        name: &str,
        path: &str,
        api: FunctionApi,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        let nearest = self.nearest(|host| host.find_module_function.zip(host.call_function));
        let Some(((find, call), data)) = nearest else { return Ok(None) };
        let (text, file) = (NulTerminated::new(name), NulTerminated::new(path));
        let is_legacy = api == FunctionApi::Legacy;
        // SAFETY: the texts and the sink live through the call; the embedder promised a callable function.
        let (found, sink) =
            asked(MAX_NAMES, |sink| unsafe { find(data, text.as_text(), file.as_text(), is_legacy, sink) });
        match found {
            true => {
                let legacy = is_legacy.then(|| legacy_api(name, &sink.items)).transpose()?;
                let (name, signatures) = (name.to_owned(), sink.items);
                Ok(Some(Arc::new(CallbackFunction { name, signatures, legacy, call, data })))
            }
            false if sink.bytes.is_empty() => Ok(None),
            false => Err(Error::plain(sink.message())),
        }
    }

    fn render_unknown(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, Error>> {
        let (render, data) = self.nearest(|host| host.render_template)?;
        let (path, text) = (NulTerminated::new(template.path), NulTerminated::new(template.text));
        Some(called(template.path, call, |in_progress, sink| {
            // SAFETY: the texts live through the call; the embedder promised a callable function.
            unsafe { render(data, path.as_text(), text.as_text(), in_progress, sink) }
        }))
    }
}

/// The declaration of a function of the 3.x API.
fn legacy_api(name: &str, items: &[String]) -> Result<LegacyApi, Error> {
    let arity = items.first().and_then(|arity| arity.parse().ok());
    match (arity, items.get(1).map(String::as_str)) {
        (Some(arity), Some(kind @ ("rvalue" | "statement"))) => {
            Ok(LegacyApi { arity, is_rvalue: kind == "rvalue" })
        }
        _ => Err(Error::plain(format!("find_module_function: {name} has no arity and type"))),
    }
}
