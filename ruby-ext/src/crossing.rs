//! The way between a compilation and Ruby.
//!
//! A compilation needs a deeper stack than that of a Ruby thread, and must not hold the GVL. A Ruby function
//! that it calls must run on a Ruby thread with the GVL, on the stack that Ruby scans for objects. So [`run`]
//! makes the compilation a coroutine: on the calling Ruby thread, on a separate stack, without the GVL. When
//! the compilation calls [`with_ruby`], the coroutine is suspended, the GVL is acquired, and the work runs on
//! the Ruby stack, as if the caller of `run` did it. Then the compilation resumes. No other thread takes
//! part, so that a crossing costs no more than releasing and acquiring the GVL. When the Ruby function calls
//! the compilation meanwhile (the block of its call, another function), the same coroutine does this, on top
//! of the waiting call: [`again`]. Ruby can also call `run` again, for another compilation. The crate
//! `bunraku_crossing` contains the coroutine and the way back; this module contains Ruby's part.
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
//! Both stacks grow and shrink together: the last entry ends first. A fiber could break this, so only the
//! fiber that was called can use a call.
//!
//! Interruptions (`Timeout`, `Thread#kill`, `Thread#raise`, signals) set a flag. The compilation checks it
//! about every thousand steps and crosses to Ruby, which handles the interruption: after a signal handler the
//! compilation continues; an exception ends it. Nothing ever jumps over frames of Rust.

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

/// The maximum nesting of calls of Ruby functions from blocks of others.
const MAX_DEPTH: u32 = 64;

/// A compilation in progress. It lives on the Ruby stack, in the frame of [`run`].
pub(crate) type Crossing = bunraku_crossing::Crossing<RubySide>;

/// The Ruby side of a compilation.
pub(crate) struct RubySide {
    /// Set by another thread when Ruby has an interruption for this one.
    interrupted: AtomicBool,
    /// The exception that Ruby raised: the coroutine must end, and then this is raised.
    raised: RefCell<Option<Error>>,
    /// The `Bunraku::Watchdog` that interrupts this thread when the compilation has taken too long.
    watchdog: Cell<Option<Value>>,
    /// The cache of Ruby functions for the duration of the compilation.
    memory: RHash,
    /// The exceptions of Ruby functions.
    exceptions: Exceptions,
    depth: Cell<u32>,
}

thread_local! {
    /// The number of crossings around the Ruby code that runs on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this code runs in a coroutine of [`run`].
pub(crate) fn is_inside() -> bool {
    Crossing::with_current(|crossing| crossing.is_some())
}

/// Limits the nesting to what the stack of a Ruby thread can hold.
pub(crate) fn check_depth() -> Result<(), diagnostic::Error> {
    if DEPTH.get() >= MAX_DEPTH {
        let message = format!("Calls of Ruby from Puppet nest deeper than {MAX_DEPTH}");
        return Err(diagnostic::Error::limit(message));
    }
    Ok(())
}

/// Runs work without the GVL on a deep stack of this Ruby thread. The work can call [`with_ruby`]. The result
/// is returned with the exceptions of Ruby functions.
///
/// # Errors
/// An interruption of the thread raises, [`with_ruby`] returned an exception to raise, or memory for a stack
/// is exhausted.
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

/// Runs work with Ruby, on the Ruby stack and with the GVL, from within [`run`]. No Ruby object can leave it,
/// because the stack of the compilation is not scanned for objects.
///
/// An `Err` of the work is an exception to raise: the compilation ends, and [`run`] returns it.
///
/// # Errors
/// The compilation must end, or this is not a Ruby thread.
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

/// Whether the compilation can continue: no exception is pending.
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
/// The exception, or an error of [`with_ruby`].
pub(crate) fn call_ruby<T: Send>(
    work: impl FnOnce(&Ruby) -> Result<T, Error> + Send,
) -> Result<T, diagnostic::Error> {
    with_ruby(|ruby, crossing| match work(ruby) {
        Ok(result) => Ok(Ok(result)),
        Err(error) => crossing.side().exceptions.failure(ruby, error).map(Err),
    })?
}

/// Whether Ruby was interrupted because the time is over.
///
/// # Errors
/// Ruby raises.
pub(crate) fn is_time_up(error: &Error) -> Result<bool, Error> {
    let Some(exception) = error.value() else { return Ok(false) };
    Ok(exception.class().funcall::<_, _, String>("to_s", ())? == "Bunraku::TimeUp")
}

/// Lets Ruby handle pending interruptions; work within [`run`] must call this often.
///
/// # Errors
/// An exception was raised: the compilation must end.
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

/// Runs work other than a compilation without the GVL, with fuel that `Timeout`, `Thread#kill` and signals
/// end.
///
/// # Errors
/// As [`run`].
pub(crate) fn watched<T>(ruby: &Ruby, work: impl FnOnce(&Usage<'_>) -> T + Send) -> Result<T, Error> {
    let (result, _) = run(ruby, || work(&Usage::of_other_work(None, &RubyHost::default())))?;
    Ok(result)
}

/// As [`watched`], for work that reads files of modules or untrusted input: with a limit of memory.
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

/// Runs work in the compilation for a Ruby function that it waits for, on the same fiber: as [`run`], on top
/// of the coroutine's stack.
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
        // Handles pending interruptions.
        if self.interrupted.swap(false, Ordering::Relaxed)
            && let Err(raised) = gvl::check_interrupts()
        {
            self.raise(raised);
        }
    }
}

impl RubySide {
    /// The cache of Ruby functions for the duration of the compilation.
    pub(crate) fn memory(&self) -> RHash {
        self.memory
    }

    /// The exceptions of Ruby functions.
    pub(crate) fn exceptions(&self) -> Exceptions {
        self.exceptions
    }

    /// Called within the work of [`with_ruby`]: interrupts Ruby code on this thread after this duration,
    /// until the compilation has ended.
    ///
    /// # Errors
    /// Ruby raises.
    pub(crate) fn watch(&self, ruby: &Ruby, remaining: Duration) -> Result<(), Error> {
        if self.watchdog.get().is_none() {
            let module: RModule = ruby.class_object().const_get("Bunraku")?;
            let class: RClass = module.const_get("Watchdog")?;
            self.watchdog.set(Some(class.funcall("new", (remaining.as_secs_f64(),))?));
        }
        Ok(())
    }

    /// Stores an exception to raise. The compilation itself notices when its time is over.
    fn raise(&self, raised: Error) {
        if !is_time_up(&raised).unwrap_or_default() {
            self.raised.borrow_mut().replace(raised);
        }
    }

    /// Stops the watchdog, and discards its pending interruption.
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

/// The exceptions that failures of a compilation refer to: a Ruby array, because Rust's heap is not scanned
/// for objects. It stays on the Ruby stack.
#[derive(Clone, Copy)]
pub(crate) struct Exceptions(RArray);

/// The index of an exception in [`Exceptions`], as the cause of a failure.
#[derive(Debug, thiserror::Error)]
#[error("an exception of Ruby")]
struct Raised(isize);

impl Exceptions {
    /// An empty list.
    pub(crate) fn new(ruby: &Ruby) -> Self {
        Self(ruby.ary_new())
    }

    /// The number of exceptions.
    pub(crate) fn count(self) -> usize {
        self.0.len()
    }

    /// Removes all exceptions after the first `count`: no failure refers to them any more.
    pub(crate) fn forget_behind(self, count: usize) {
        while self.0.len() > count && self.0.pop::<Value>().is_ok() {}
    }

    /// Adds an exception for the failure that refers to it.
    pub(crate) fn keep(self, exception: Value) -> Result<Cause, Error> {
        self.0.push(exception)?;
        Ok(Arc::new(Raised(self.0.len() as isize - 1)))
    }

    /// The exception of a failure.
    pub(crate) fn of(self, failure: &diagnostic::Error) -> Option<Value> {
        let cause = failure.cause.as_ref()?.downcast_ref::<Raised>()?;
        self.0.entry(cause.0).ok()
    }

    /// The failure for an exception.
    ///
    /// # Errors
    /// An exception that no compilation can cause, and that only Ruby can rescue: `throw`, the end of the
    /// thread, `Interrupt`, …
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
        // An error with a place in a manifest is used unchanged.
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
