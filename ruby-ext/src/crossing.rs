//! The way between a compilation and Ruby.
//!
//! A compilation needs a stack that is deeper than a Ruby thread's, and must not hold the GVL; a Ruby
//! function that it calls must run on a Ruby thread, on the stack that Ruby knows and scans for objects, with
//! the GVL. So [`run`] makes the compilation a coroutine: on the calling Ruby thread, on a stack of its own,
//! without the GVL. When it calls [`with_ruby`], the coroutine is left, the GVL taken, and the work is done
//! on the Ruby stack, as if the method that called `run` did it; then the compilation goes on where it was.
//! No other thread takes part, so that a crossing costs no more than giving the GVL back and taking it again.
//! What the Ruby function wants of the compilation meanwhile (the block that was given to it, another
//! function) the same coroutine does, on top of the call that waits: [`again`]. Ruby may also call
//! `run` again, for another compilation. The crate `bunraku_crossing` has the coroutine and the way back;
//! here is what Ruby wants of it.
//!
//! ```text
//!   Ruby method ─ run ─┬─ (no GVL) coroutine: compilation ─ with_ruby ─┐
//!                      │◄──────────────────── left ────────────────────┘
//!                      ├─ (GVL) the work: a Ruby function ─ its block ─ again ─┐
//!                      │        ┌─ (no GVL) coroutine: the block ◄─────────────┘
//!                      │        └─ done, left ─► (GVL) the Ruby function goes on ─┐
//!                      └─ (no GVL) coroutine: compilation goes on ◄───────────────┘
//! ```
//!
//! Both stacks grow and shrink in step: what was entered last ends first. A fiber could break that, so a call
//! can only be used by the fiber that was called.
//!
//! Interruptions (`Timeout`, `Thread#kill`, `Thread#raise`, signals) set a flag. The compilation looks at it
//! every thousand steps or so and crosses over, so that Ruby does what waits: the handler of a signal runs
//! and the compilation goes on, an exception ends it. Nothing ever jumps over frames of Rust.

use std::cell::{Cell, RefCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bunraku::diagnostic::{self, Cause, ErrorKind};
use bunraku::eval::limits::Usage;
use bunraku::host::stacks::new_stack;
use bunraku::source::Location;
use bunraku_crossing::Side;
use magnus::error::ErrorType;
use magnus::{Error, RArray, RClass, RHash, RModule, RString, Ruby, Value, prelude::*};

use crate::host::RubyHost;
use crate::{failure, gvl};

/// How often a Ruby function may be called from within the block of another.
const MAX_DEPTH: u32 = 64;

/// One compilation on its way. It lives on the Ruby stack, in the frame of [`run`].
pub(crate) type Crossing = bunraku_crossing::Crossing<RubySide>;

/// The Ruby side of a compilation.
pub(crate) struct RubySide {
    /// Set by another thread when Ruby has something for this one.
    interrupted: AtomicBool,
    /// What Ruby raised: what the coroutine does shall end, and then this is raised.
    raised: RefCell<Option<Error>>,
    /// Whoever interrupts this thread when the compilation has taken too long: a `Bunraku::Watchdog`.
    watchdog: Cell<Option<Value>>,
    /// What Ruby functions keep while the compilation lasts.
    memory: RHash,
    /// What Ruby functions have failed with.
    exceptions: Exceptions,
    depth: Cell<u32>,
}

thread_local! {
    /// How many crossings are around the Ruby code that runs on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this code runs in a coroutine of [`run`].
pub(crate) fn is_inside() -> bool {
    Crossing::with_current(|crossing| crossing.is_some())
}

/// Refuses to nest deeper than is sound for the stack of a Ruby thread.
pub(crate) fn check_depth() -> Result<(), diagnostic::Error> {
    if DEPTH.get() >= MAX_DEPTH {
        let message = format!("Calls of Ruby from Puppet nest deeper than {MAX_DEPTH}");
        return Err(diagnostic::Error::limit(message));
    }
    Ok(())
}

/// Does something without the GVL on a deep stack of this Ruby thread. It may call [`with_ruby`]. With the
/// result comes what Ruby functions failed with.
///
/// # Errors
/// The thread was interrupted and that raises; what has to be raised from [`with_ruby`]; there is no memory
/// for a stack.
pub(crate) fn run<T>(ruby: &Ruby, work: impl FnOnce() -> T + Send) -> Result<(T, Exceptions), Error> {
    let depth = DEPTH.get();
    let exceptions = Exceptions::new(ruby);
    check_depth().map_err(|failure| failure::exception(ruby, &failure, &[], exceptions))?;
    let stack = new_stack().map_err(|error| Error::new(ruby.exception_no_mem_error(), error.message))?;
    let side = RubySide {
        interrupted: AtomicBool::new(false),
        raised: RefCell::new(None),
        watchdog: Cell::new(None),
        memory: ruby.hash_new(),
        exceptions,
        depth: Cell::new(depth),
    };
    let (_, side, result) = Crossing::run(side, ruby, stack, work);
    side.unwatch();
    DEPTH.set(depth);
    let result = result.unwrap_or_else(|panic| resume_unwind(panic));
    side.raised.take().map_or(Ok((result, exceptions)), Err)
}

/// Does something with Ruby, on the Ruby stack and with the GVL, from within [`run`]. No Ruby object leaves
/// it, as the stack of the compilation is not scanned for them.
///
/// An `Err` of the work is what has to be raised: the compilation ends, and [`run`] gives it.
///
/// # Errors
/// The compilation shall end. This thread is not one of Ruby's.
pub(crate) fn with_ruby<T: Send>(
    work: impl FnOnce(&Ruby, &Crossing) -> Result<T, Error> + Send,
) -> Result<T, diagnostic::Error> {
    check_raised()?;
    let done = Crossing::on_caller(|way| {
        let (crossing, ruby) = way?;
        DEPTH.set(crossing.side().depth.get() + 1);
        work(ruby, crossing).map_err(|raised| crossing.side().raise(raised)).ok()
    });
    check_raised()?;
    done.unwrap_or_else(|panic| resume_unwind(panic)).ok_or_else(ended)
}

/// Whether the compilation may go on: nothing waits to be raised.
fn check_raised() -> Result<(), diagnostic::Error> {
    let is_raised = |crossing: &Crossing| crossing.side().raised.borrow().is_some();
    Crossing::with_current(|crossing| match crossing {
        Some(crossing) if is_raised(crossing) => Err(ended()),
        Some(_) => Ok(()),
        None => Err(diagnostic::Error::plain("Ruby can be called only from threads of Ruby")),
    })
}

/// Calls Ruby from within [`run`] as [`with_ruby`] does; exceptions are failures of the evaluation.
///
/// # Errors
/// The exception; and as [`with_ruby`].
pub(crate) fn call_ruby<T: Send>(
    work: impl FnOnce(&Ruby) -> Result<T, Error> + Send,
) -> Result<T, diagnostic::Error> {
    with_ruby(|ruby, crossing| match work(ruby) {
        Ok(result) => Ok(Ok(result)),
        Err(error) => crossing.side().exceptions.failure(ruby, error).map(Err),
    })?
}

/// Whether Ruby was interrupted because the time is up.
///
/// # Errors
/// What Ruby raises.
pub(crate) fn is_time_up(error: &Error) -> Result<bool, Error> {
    let Some(exception) = error.value() else { return Ok(false) };
    Ok(exception.class().funcall::<_, _, String>("to_s", ())? == "Bunraku::TimeUp")
}

/// Lets Ruby do what waits for this thread; to be called often by work within [`run`].
///
/// # Errors
/// Something was raised: the compilation shall end.
pub(crate) fn check_interrupts() -> Result<(), diagnostic::Error> {
    let is_interrupted = |crossing: Option<&Crossing>| {
        crossing.map(|crossing| crossing.side().interrupted.load(Ordering::Relaxed))
    };
    match Crossing::with_current(is_interrupted) {
        Some(true) => with_ruby(|_, _| Ok(())),
        Some(false) => check_raised(),
        None => Ok(()),
    }
}

/// Does work that is no compilation without the GVL, with fuel that `Timeout`, `Thread#kill` and signals
/// end.
///
/// # Errors
/// As [`run`].
pub(crate) fn watched<T>(ruby: &Ruby, work: impl FnOnce(&Usage<'_>) -> T + Send) -> Result<T, Error> {
    let (result, _) = run(ruby, || work(&Usage::of_other_work(None, &RubyHost::default())))?;
    Ok(result)
}

/// As [`watched`], for what reads files of modules, or what strangers send: with a limit of memory.
///
/// # Errors
/// As [`run`].
pub(crate) fn watched_reading<T>(ruby: &Ruby, work: impl FnOnce(&Usage<'_>) -> T + Send) -> Result<T, Error> {
    let (result, _) = run(ruby, || work(&Usage::of_reading(None, &RubyHost::default())))?;
    Ok(result)
}

fn ended() -> diagnostic::Error {
    diagnostic::Error::cancelled("The compilation was interrupted")
}

/// Does something in the compilation for a Ruby function that it waits for, on the same fiber: as [`run`],
/// on top of what is on the coroutine's stack.
///
/// # Errors
/// As [`run`].
pub(crate) fn again<T: Send>(
    crossing: &Crossing,
    ruby: &Ruby,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Error> {
    let side = crossing.side();
    let around = DEPTH.get();
    let depth = side.depth.replace(around);
    let result = crossing.again(ruby, work);
    side.depth.set(depth);
    DEPTH.set(around);
    let result = result.unwrap_or_else(|panic| resume_unwind(panic));
    side.raised.take().map_or(Ok(result), Err)
}

impl Side for RubySide {
    type Access = Ruby;

    fn leave<T>(&self, go_on: impl FnOnce() -> T) -> Option<T> {
        let left = gvl::try_without(go_on, &self.interrupted);
        if left.is_none() {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        left
    }

    fn is_back(&self) {
        // Does what waits for the thread, when something does.
        if self.interrupted.swap(false, Ordering::Relaxed)
            && let Err(raised) = gvl::check_interrupts()
        {
            self.raise(raised);
        }
    }
}

impl RubySide {
    /// What Ruby functions keep while the compilation lasts.
    pub(crate) fn memory(&self) -> RHash {
        self.memory
    }

    /// What Ruby functions have failed with.
    pub(crate) fn exceptions(&self) -> Exceptions {
        self.exceptions
    }

    /// From within the work of [`with_ruby`]: has Ruby code interrupted on this thread when so much time has
    /// passed, until the compilation is over.
    ///
    /// # Errors
    /// What Ruby raises.
    pub(crate) fn watch(&self, ruby: &Ruby, remaining: Duration) -> Result<(), Error> {
        if self.watchdog.get().is_none() {
            let module: RModule = ruby.class_object().const_get("Bunraku")?;
            let class: RClass = module.const_get("Watchdog")?;
            self.watchdog.set(Some(class.funcall("new", (remaining.as_secs_f64(),))?));
        }
        Ok(())
    }

    /// Keeps what is to be raised. That the time is up the compilation notices by itself.
    fn raise(&self, raised: Error) {
        if !is_time_up(&raised).unwrap_or_default() {
            self.raised.borrow_mut().replace(raised);
        }
    }

    /// Sends the watchdog away, and forgets what it may have done meanwhile.
    fn unwatch(&self) {
        let Some(watchdog) = self.watchdog.take() else { return };
        let ended = watchdog.funcall::<_, _, Value>("end", ()).map(drop);
        for result in [ended, gvl::check_interrupts()] {
            if let Err(raised) = result {
                self.raise(raised);
            }
        }
    }
}

/// The exceptions that failures of a compilation tell of: a Ruby array, as Rust's heap is not scanned for
/// objects. It stays on the Ruby stack.
#[derive(Clone, Copy)]
pub(crate) struct Exceptions(RArray);

/// The number of an exception among [`Exceptions`], as the cause of a failure.
#[derive(Debug, thiserror::Error)]
#[error("an exception of Ruby")]
struct Raised(isize);

impl Exceptions {
    /// None yet.
    pub(crate) fn new(ruby: &Ruby) -> Self {
        Self(ruby.ary_new())
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        self.0.len()
    }

    /// Forgets those behind the first `count`: no failure tells of them any more.
    pub(crate) fn forget_behind(self, count: usize) {
        while self.0.len() > count && self.0.pop::<Value>().is_ok() {}
    }

    /// Keeps an exception for the failure that tells of it.
    pub(crate) fn keep(self, exception: Value) -> Result<Cause, Error> {
        self.0.push(exception)?;
        Ok(Arc::new(Raised(self.0.len() as isize - 1)))
    }

    /// The exception that a failure tells of.
    pub(crate) fn of(self, failure: &diagnostic::Error) -> Option<Value> {
        let cause = failure.cause.as_ref()?.downcast_ref::<Raised>()?;
        self.0.entry(cause.0).ok()
    }

    /// The failure that an exception is.
    ///
    /// # Errors
    /// What no compilation can have caused, and Ruby alone may rescue: `throw`, the end of the thread,
    /// `Interrupt`, …
    pub(crate) fn failure(self, ruby: &Ruby, error: Error) -> Result<diagnostic::Error, Error> {
        let is_failure = error.is_kind_of(ruby.exception_standard_error())
            || error.is_kind_of(ruby.exception_script_error())
            || error.is_kind_of(ruby.exception_security_error())
            || error.is_kind_of(ruby.exception_sys_stack_error());
        if !is_failure {
            return Err(error);
        }
        let ErrorType::Exception(exception) = error.error_type() else {
            let ErrorType::Error(_, message) = error.error_type() else { return Err(error) };
            return Ok(diagnostic::Error::plain(message.clone()));
        };
        let cause = Some(self.keep(exception.as_value())?);
        // One that knows its place in a manifest is taken as it is.
        let mut given: Option<RArray> = None;
        if exception.respond_to("bunraku_place", false)? {
            given = exception.funcall("bunraku_place", ())?;
        }
        let method = if given.is_some() { "basic_message" } else { "message" };
        let message: RString = exception.funcall(method, ())?;
        // SAFETY: the bytes are copied before Ruby runs again.
        let message = unsafe { message.to_string_lossy() }.into_owned();
        let mut failure = diagnostic::Error { cause, ..diagnostic::Error::plain(message) };
        if error.is_kind_of(ruby.exception_arg_error()) {
            failure.kind = ErrorKind::Argument;
        }
        let Some(place) = given else { return Ok(failure) };
        let file: Option<String> = place.entry(0)?;
        let location = Location { file: file.map(Arc::from), line: place.entry(1)?, column: place.entry(2)? };
        Ok(diagnostic::Error { kind: ErrorKind::Evaluation, location, ..failure })
    }
}
