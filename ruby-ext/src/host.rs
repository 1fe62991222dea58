//! The host of an environment that Ruby loads: the disk, and functions that are written in Ruby.
//!
//! A Ruby object, the environment's `host`, provides functions: `find_function(name, module_path)` returns
//! nil or an object with `signatures` (texts, each a `Callable[…]`) and `call(signature, arguments, call)`,
//! where `signature` is the index of the matching signature and `call` is a [`NativeCall`]. The object may
//! have `exported_resources_json(node, type, filter)`, which returns the resources that other nodes export,
//! `log(entry)`, which receives each message as it is logged, and `progress(steps)`, which is called
//! periodically and cancels the work by returning `false`. `Bunraku::Host` is such an object. A [`Registry`]
//! for each environment runs the Ruby of modules.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock, Weak};
use std::time::Duration;

use bunraku::compiler::request::exported_resources;
use bunraku::diagnostic::{self, LogEntry};
use bunraku::host::disk::DiskHost;
use bunraku::host::{
    DeepStacks, ExportedQuery, ExportedResource, FileInfo, ForeignCall, ForeignFunction, Host, HostError,
    Machine, ModuleRuby, Reading, RubySurroundings, TemplateChoice,
};
use bunraku::pcore::Value;
use bunraku::pcore::value::Timestamp;
use magnus::typed_data::Obj;
use magnus::value::{Opaque, Qfalse, ReprValue as _};
use magnus::{Error, RArray, RString, Ruby, gc};

use crate::call::{NativeCall, ThisThread};
use crate::convert::{Classes, to_ruby};
use crate::crossing::{self, is_time_up, with_ruby};
use crate::failure::log_entry;
use crate::registry::Registry;

/// A function's name and the path of its module.
type FunctionName = (String, Option<String>);

/// The disk, and functions of a Ruby object.
#[derive(Default)]
pub(crate) struct RubyHost {
    object: Option<Opaque<magnus::Value>>,
    /// Whether the object receives log messages.
    hears_log: bool,
    /// Whether the object receives progress.
    hears_progress: bool,
    /// Creates registries: a `Bunraku::Registry::Setup`.
    setup: Option<Opaque<magnus::Value>>,
    /// The functions that were requested, by name and path of the module.
    found: RwLock<HashMap<FunctionName, Option<Arc<RubyFunction>>>>,
    /// Reads files instead of the disk: has `read`, `list` and `stat`.
    files: Option<Opaque<magnus::Value>>,
    /// Which templates Ruby renders.
    templates: TemplateChoice,
    /// The registries of environments that are in use.
    registries: Mutex<Vec<Weak<Registry>>>,
}

impl RubyHost {
    /// A host with the functions of this object, and the Ruby that `setup` creates for modules. The owner of
    /// the host marks it for Ruby's garbage collector.
    pub(crate) fn new(
        object: Option<magnus::Value>,
        setup: Option<magnus::Value>,
        files: Option<magnus::Value>,
    ) -> Result<Self, Error> {
        let templates: Option<String> = setup.map(|setup| setup.funcall("templates", ())).transpose()?;
        let templates = match templates.as_deref() {
            Some("ruby") => TemplateChoice::All,
            Some("native") => TemplateChoice::None,
            _ => TemplateChoice::Unknown,
        };
        let hears = |message| object.map_or(Ok(false), |object| object.respond_to(message, false));
        let (hears_log, hears_progress) = (hears("log")?, hears("progress")?);
        let [object, setup, files] = [object, setup, files].map(|given| given.map(Opaque::from));
        Ok(Self { object, hears_log, hears_progress, setup, files, templates, ..Self::default() })
    }

    /// Marks the Ruby objects in use for the garbage collector.
    pub(crate) fn mark(&self, marker: &gc::Marker) {
        for object in [self.object, self.setup, self.files].into_iter().flatten() {
            marker.mark(object);
        }
        // No thread holds the locks while Ruby runs.
        if let Ok(mut registries) = self.registries.lock() {
            registries.retain(|registry| {
                let registry = registry.upgrade();
                registry.iter().for_each(|registry| registry.mark(marker));
                registry.is_some()
            });
        }
        if let Ok(found) = self.found.read() {
            found.values().flatten().for_each(|function| marker.mark(function.object));
        }
    }
}

impl Host for RubyHost {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        let Some(files) = self.files else { return DiskHost.read(path, reading) };
        let bytes = ask_files(files, path, |object| {
            let bytes: Option<RString> = object.funcall("read", (path,))?;
            // SAFETY: the bytes are copied before Ruby runs again.
            Ok(bytes.map(|bytes| unsafe { bytes.as_slice() }.to_vec()))
        })?;
        if bytes.len() as u64 > reading.size {
            return Err(HostError::Failed(format!("the file has more than {} bytes - {path}", reading.size)));
        }
        Ok(bytes)
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let Some(files) = self.files else { return DiskHost.info(path) };
        let found = ask_files(files, path, |object| {
            let found: magnus::Value = object.funcall("stat", (path,))?;
            (!found.is_nil()).then(|| file_info(found)).transpose()
        });
        found.ok()
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
        self.files.is_none() && DiskHost.is_link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let Some(files) = self.files else { return DiskHost.list(path) };
        let mut names =
            ask_files(files, path, |object| object.funcall::<_, _, Option<Vec<String>>>("list", (path,)))?;
        names.sort_unstable();
        Ok(names)
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        DiskHost.environment_variable(name)
    }

    fn now(&self) -> Timestamp {
        DiskHost.now()
    }

    fn cpu_time(&self) -> Option<Duration> {
        DiskHost.cpu_time()
    }

    fn machine(&self) -> Machine {
        DiskHost.machine()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        DiskHost.random(bytes)
    }

    fn check_interrupt(&self, steps: u64) -> Result<(), diagnostic::Error> {
        crossing::check_interrupts()?;
        let Some(object) = self.object.filter(|_| self.hears_progress && crossing::is_inside()) else {
            return Ok(());
        };
        let is_over = with_ruby(|ruby, _| {
            let answer: magnus::Value = ruby.get_inner(object).funcall("progress", (steps,))?;
            Ok(Qfalse::from_value(answer).is_some())
        })?;
        if is_over { Err(diagnostic::Error::cancelled("The host has ended the work")) } else { Ok(()) }
    }

    fn log(&self, entry: &LogEntry) {
        let Some(object) = self.object.filter(|_| self.hears_log) else { return };
        // The crossing stores an exception, and the compilation ends with it.
        drop(with_ruby(|ruby, _| {
            let entry = log_entry(ruby, entry)?;
            ruby.get_inner(object).funcall::<_, _, magnus::Value>("log", (entry,)).map(drop)
        }));
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

    fn template_choice(&self) -> TemplateChoice {
        self.templates
    }

    fn module_ruby(
        &self,
        around: &RubySurroundings<'_>,
    ) -> Result<Option<Arc<dyn ModuleRuby>>, diagnostic::Error> {
        let Some(setup) = self.setup else { return Ok(None) };
        let registry = crossing::call_ruby(|ruby| {
            let registry = Registry::open(ruby, ruby.get_inner(setup), around)?.map(Arc::new);
            if let (Some(registry), Ok(mut all)) = (&registry, self.registries.lock()) {
                all.push(Arc::downgrade(registry));
            }
            Ok(registry)
        })?;
        Ok(registry.map(|registry| registry as Arc<dyn ModuleRuby>))
    }

    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let found = crossing::call_ruby(|ruby| self.exported(ruby, query));
        found.map(Option::unwrap_or_default).map_err(|error| HostError::Failed(error.message))
    }
}

impl RubyHost {
    /// Requests exported resources from the object: JSON text, an array of objects as in requests.
    fn exported(
        &self,
        ruby: &Ruby,
        query: &ExportedQuery<'_>,
    ) -> Result<Option<Vec<ExportedResource>>, Error> {
        let Some(object) = self.object.map(|object| ruby.get_inner(object)) else { return Ok(None) };
        if !object.respond_to("exported_resources_json", false)? {
            return Ok(None);
        }
        let filter = to_ruby(ruby, query.filter)?;
        let question = (query.node, query.type_name, filter);
        let text: String = object.funcall("exported_resources_json", question)?;
        let list: serde_json::Value = serde_json::from_str(&text).map_err(|error| {
            Error::new(ruby.exception_arg_error(), format!("exported resources: {error}"))
        })?;
        Ok(Some(exported_resources(&list)))
    }

    /// Requests a function from the object, and caches it.
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

/// Asks the object that has the files of an environment; nil means that the path does not exist.
fn ask_files<T: Send>(
    files: Opaque<magnus::Value>,
    path: &str,
    ask: impl FnOnce(magnus::Value) -> Result<Option<T>, Error> + Send,
) -> Result<T, HostError> {
    match with_ruby(|ruby, _| ask(ruby.get_inner(files))) {
        Ok(found) => found.ok_or_else(|| HostError::NotFound(path.to_owned())),
        Err(error) => Err(HostError::Ended(Box::new(error))),
    }
}

/// What `stat` returns: an object with `directory?`, `size` and `mtime`, and `ino` if it has one, such as a
/// File::Stat.
fn file_info(found: magnus::Value) -> Result<FileInfo, Error> {
    let modified: magnus::Value = found.funcall("mtime", ())?;
    let modified = match modified.is_nil() {
        true => Timestamp::default(),
        false => {
            let seconds: i64 = modified.funcall("to_i", ())?;
            Timestamp { seconds: i128::from(seconds), nanoseconds: modified.funcall("nsec", ())? }
        }
    };
    Ok(FileInfo {
        is_directory: found.funcall("directory?", ())?,
        size: found.funcall("size", ())?,
        modified,
        inode: if found.respond_to("ino", false)? { found.funcall("ino", ())? } else { 0 },
    })
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
        run_function(call, Classes::OWN, arguments, |ruby, given, call| {
            ruby.get_inner(self.object).funcall("call", (signature, given, call))
        })
    }
}

/// Crosses to Ruby for a function: `body` receives the arguments and the call.
pub(crate) fn run_function(
    call: &dyn ForeignCall,
    classes: Classes,
    arguments: &[Value],
    body: impl FnOnce(&Ruby, RArray, Obj<NativeCall>) -> Result<magnus::Value, Error> + Send,
) -> Result<Value, diagnostic::Error> {
    let call = ThisThread(call);
    with_ruby(|ruby, crossing| {
        let own = call;
        let time = own.0.remaining_time();
        if let Some(remaining) = time {
            crossing.side().watch(ruby, remaining)?;
        }
        let call = NativeCall::begin(ruby, crossing, ThisThread(own.0), classes)?;
        let given = ruby.ary_new_capa(arguments.len());
        let result = arguments
            .iter()
            .try_for_each(|argument| given.push(classes.to_ruby(ruby, argument)?))
            .and_then(|()| body(ruby, given, call))
            .and_then(|result: magnus::Value| classes.to_result(ruby, result));
        let state = call.end(ruby)?;
        match result {
            Ok(value) => Ok(Ok(value)),
            Err(error) if time.is_some() && is_time_up(&error)? => {
                Ok(Err(own.0.check_time().err().unwrap_or_else(time_up)))
            }
            Err(error) => state.failure(ruby, error, crossing.side().exceptions()).map(Err),
        }
    })?
}

fn time_up() -> diagnostic::Error {
    diagnostic::Error::limit("The compilation took too long")
}
