//! `Bunraku::CommandLine`: the command, in a process with Ruby.
//!
//! The command runs within [`run`], as compilations do. [`RubyCommand`] is its access to this process. The
//! Ruby object does what only Ruby can do: `surroundings`, `in_parallel`, `serve`, `shadow` (see
//! `lib/bunraku/command_line.rb`).

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStringExt as _;
use std::sync::{Arc, Mutex};

use bunraku::Host;
use bunraku::diagnostic::bug::{guarded, locked};
use bunraku::diagnostic::{self, ErrorKind};
use bunraku_command::{
    Embedder, PuppetDb, RubyFunctions, ServerOptions, ShadowOptions, ShadowReport, Stream, Streams,
    Surroundings, Work,
};
use magnus::typed_data::Obj;
use magnus::value::{Opaque, ReprValue as _};
use magnus::{
    DataTypeFunctions, Error, ExceptionClass, Module as _, RArray, RHash, RModule, RString, Ruby,
    TryConvert as _, TypedData, gc,
};

use crate::class;
use crate::crossing::{run, with_ruby};
use crate::entry::method;
use crate::failure;
use crate::host::RubyHost;

/// The hosts of the environments that a command has loaded, which are marked for Ruby's garbage collector.
#[derive(TypedData, Default)]
#[magnus(class = "Bunraku::CommandHosts", free_immediately, mark)]
struct CommandHosts(Mutex<Vec<Arc<RubyHost>>>);

impl DataTypeFunctions for CommandHosts {
    fn mark(&self, marker: &gc::Marker) {
        // No thread holds the lock while Ruby runs.
        locked(&self.0).iter().for_each(|host| host.mark(marker));
    }
}

/// A process with Ruby.
struct RubyCommand<'h> {
    /// The command's object.
    object: Opaque<magnus::Value>,
    hosts: &'h CommandHosts,
    /// A host through which Ruby can interrupt the command's own work.
    own: RubyHost,
}

impl Embedder for RubyCommand<'_> {
    fn host(&self) -> &dyn Host {
        &self.own
    }

    fn surroundings(
        &self,
        functions: RubyFunctions,
        puppetdb: &PuppetDb,
    ) -> Result<Surroundings, diagnostic::Error> {
        let (host, gems, load_path) = asked(|ruby| {
            let object = ruby.get_inner(self.object);
            let puppetdb = puppetdb_options(ruby, puppetdb)?;
            let found: RArray = object.funcall("surroundings", (functions.name(), puppetdb))?;
            let (setup, store): (magnus::Value, Option<magnus::Value>) = (found.entry(0)?, found.entry(3)?);
            let host = Arc::new(RubyHost::new(store, Some(setup), None)?);
            locked(&self.hosts.0).push(Arc::clone(&host));
            Ok((host, found.entry(1)?, found.entry(2)?))
        })?;
        Ok(Surroundings { host, gems, load_path })
    }

    fn stored_facts(&self, puppetdb: &PuppetDb, node: &str) -> Result<String, diagnostic::Error> {
        asked(|ruby| {
            let options = puppetdb_options(ruby, puppetdb)?;
            ruby.get_inner(self.object).funcall("stored_facts", (options, node))
        })
    }

    fn in_parallel(&self, threads: usize, work: Work) -> Result<(), diagnostic::Error> {
        // A Ruby function must run on a Ruby thread.
        asked(|ruby| {
            let works = ruby.ary_new();
            for _ in 0..threads {
                let work = Arc::clone(&work);
                works.push(ruby.proc_from_fn(move |ruby, _, _| -> Result<(), Error> {
                    let work = Arc::clone(&work);
                    let (done, _) = run(ruby, move || guarded(|| work()))?;
                    done.map_err(|bug| failure::raised(ruby, &bug))
                }))?;
            }
            ruby.get_inner(self.object).funcall::<_, _, magnus::Value>("in_parallel", (works,)).map(drop)
        })
    }

    fn serve(&self, options: &ServerOptions) -> Result<(), diagnostic::Error> {
        asked(|ruby| {
            let given = ruby.hash_new();
            let text = |text: &Option<String>| text.as_deref().map(|text| ruby.str_new(text));
            given.aset(ruby.to_symbol("database"), text(&options.database))?;
            given.aset(ruby.to_symbol("create"), options.create)?;
            given.aset(ruby.to_symbol("environmentpath"), text(&options.environmentpath))?;
            given.aset(ruby.to_symbol("allow_config_data"), options.allow_config_data)?;
            given.aset(ruby.to_symbol("stores_check_ins"), options.stores_check_ins)?;
            given.aset(ruby.to_symbol("host"), options.host.as_str())?;
            given.aset(ruby.to_symbol("port"), options.port)?;
            given.aset(ruby.to_symbol("token"), text(&options.token))?;
            given.aset(ruby.to_symbol("read_token"), text(&options.read_token))?;
            given.aset(ruby.to_symbol("open_to_read"), options.open_to_read)?;
            given.aset(ruby.to_symbol("cert"), text(&options.certificate))?;
            given.aset(ruby.to_symbol("key"), text(&options.key))?;
            given.aset(ruby.to_symbol("ca"), text(&options.authority))?;
            given.aset(ruby.to_symbol("certnames"), options.certnames.clone())?;
            given.aset(ruby.to_symbol("read_certnames"), options.read_certnames.clone())?;
            ruby.get_inner(self.object).funcall::<_, _, magnus::Value>("serve", (given,)).map(drop)
        })
    }

    fn shadow(&self, options: &ShadowOptions) -> Result<ShadowReport, diagnostic::Error> {
        asked(|ruby| {
            let given = ruby.hash_new();
            let text = |text: &Option<String>| text.as_deref().map(|text| ruby.str_new(text));
            given.aset(ruby.to_symbol("facts"), text(&options.facts))?;
            given.aset(ruby.to_symbol("puppetdb"), puppetdb_options(ruby, &options.puppetdb)?)?;
            given.aset(ruby.to_symbol("puppet"), options.puppet.clone())?;
            given.aset(ruby.to_symbol("environment"), text(&options.environment))?;
            given.aset(ruby.to_symbol("ruby"), text(&options.ruby))?;
            given.aset(ruby.to_symbol("workers"), options.workers)?;
            given.aset(ruby.to_symbol("sample"), text(&options.sample))?;
            given.aset(ruby.to_symbol("state"), text(&options.state))?;
            given.aset(ruby.to_symbol("accept"), options.accept.clone())?;
            let report: RArray = ruby.get_inner(self.object).funcall("shadow", (given,))?;
            let (differs, text) = (report.entry(0)?, report.entry(1)?);
            Ok(ShadowReport { differs, text, json: report.entry(2)?, html: report.entry(3)? })
        })
    }
}

/// The options of a PuppetDB as a hash.
fn puppetdb_options(ruby: &Ruby, given: &PuppetDb) -> Result<RHash, Error> {
    let options = ruby.hash_new();
    let members =
        [("url", &given.url), ("cert", &given.certificate), ("key", &given.key), ("ca", &given.authority)];
    for (name, value) in members {
        options.aset(ruby.to_symbol(name), value.as_deref())?;
    }
    Ok(options)
}

/// Calls Ruby. An invalid argument or a failure of the system is an error of the command's options; a bug
/// stays a bug.
fn asked<T: Send>(work: impl FnOnce(&Ruby) -> Result<T, Error> + Send) -> Result<T, diagnostic::Error> {
    with_ruby(|ruby, crossing| {
        let error = match work(ruby) {
            Ok(answer) => return Ok(Ok(answer)),
            Err(error) => error,
        };
        let module: RModule = ruby.class_object().const_get("Bunraku")?;
        let bug: ExceptionClass = module.const_get("BugError")?;
        let is_misuse = error.is_kind_of(ruby.exception_arg_error())
            || error.is_kind_of(ruby.exception_system_call_error());
        let is_bug = error.is_kind_of(bug);
        let failure = crossing.side().exceptions().failure(ruby, error)?;
        let kind = match (is_bug, is_misuse) {
            (true, _) => ErrorKind::Bug,
            (false, true) => ErrorKind::Argument,
            (false, false) => failure.kind,
        };
        Ok(Err(diagnostic::Error { kind, ..failure }))
    })?
}

/// A Ruby stream other than those of the process.
struct RubyStream {
    object: Opaque<magnus::Value>,
    is_terminal: bool,
}

impl RubyStream {
    fn new(object: magnus::Value) -> Result<Self, Error> {
        let is_terminal = object.respond_to("tty?", false)? && object.funcall("tty?", ())?;
        Ok(Self { object: object.into(), is_terminal })
    }
}

impl Write for RubyStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = asked(|ruby| {
            let text = match std::str::from_utf8(bytes) {
                Ok(text) => ruby.str_new(text),
                Err(_) => ruby.str_from_slice(bytes),
            };
            ruby.get_inner(self.object).funcall::<_, _, magnus::Value>("write", (text,)).map(drop)
        });
        written.map(|()| bytes.len()).map_err(|error| match error.message.starts_with("Broken pipe") {
            true => io::ErrorKind::BrokenPipe.into(),
            false => io::Error::other(error.message),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream for RubyStream {
    fn is_terminal(&self) -> bool {
        self.is_terminal
    }
}

/// Runs the command with these arguments and returns the exit status. A nil stream means that of the process.
fn run_command(
    ruby: &Ruby,
    own: magnus::Value,
    arguments: RArray,
    out: Option<magnus::Value>,
    err: Option<magnus::Value>,
) -> Result<u8, Error> {
    let mut given = Vec::new();
    for argument in arguments {
        let argument = RString::try_convert(argument)?;
        // SAFETY: the bytes are copied before Ruby runs again.
        given.push(OsString::from_vec(unsafe { argument.as_slice() }.to_vec()));
    }
    let mut streams = Streams::of_process();
    if let Some(out) = out {
        streams.out = Box::new(RubyStream::new(out)?);
    }
    if let Some(err) = err {
        streams.err = Box::new(RubyStream::new(err)?);
    }
    let hosts: Obj<CommandHosts> = ruby.obj_wrap(CommandHosts::default());
    let embedder = RubyCommand { object: own.into(), hosts: &hosts, own: RubyHost::default() };
    let (status, _) = run(ruby, || bunraku_command::run(given, streams, &embedder))?;
    // The stack holds the objects until here.
    std::hint::black_box(&hosts);
    Ok(status)
}

/// Defines the classes.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    class::define::<CommandHosts>(ruby, module, "CommandHosts")?;
    let class = module.define_class("CommandLine", ruby.class_object())?;
    class.define_method("native_run", method!(run_command, 3))
}
