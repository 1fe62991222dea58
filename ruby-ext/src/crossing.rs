//! The way between a compilation and Ruby.
//!
//! A compilation needs a stack that is deeper than a Ruby thread's, and must not hold the GVL; a Ruby function that it calls
//! must run on a Ruby thread, on the stack that Ruby knows and scans for objects, with the GVL. So [`run`] makes the
//! compilation a coroutine: on the calling Ruby thread, on a stack of its own, without the GVL. When it calls [`with_ruby`], the
//! coroutine is left, the GVL taken, and the work is done on the Ruby stack, as if the method that called `run` did it;
//! then the compilation goes on where it was. No other thread takes part, so that a crossing costs no more than giving the
//! GVL back and taking it again. What Ruby calls may call `run` again: for another compilation, or for the block that was given to the
//! Ruby function.
//!
//! ```text
//!   Ruby method ─ run ─┬─ (no GVL) coroutine: compilation ─ with_ruby ─┐
//!                      │◄──────────────────── suspended ───────────────┘
//!                      ├─ (GVL) the work: a Ruby function ─ its block ─ run ─ …
//!                      └─ (no GVL) resumed ───────────────────────────► compilation …
//! ```
//!
//! Interruptions (`Timeout`, `Thread#kill`, `Thread#raise`, signals) set a flag. The compilation looks at it every thousand steps
//! or so and crosses over, so that Ruby does what waits: the handler of a signal runs and the compilation goes on, an exception
//! ends it. Nothing ever jumps over frames of Rust.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bunraku::diagnostic::{self, Cause, ErrorKind};
use bunraku::source::Location;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use magnus::error::ErrorType;
use magnus::{Error, RArray, RClass, RHash, RModule, RString, Ruby, Value, prelude::*};

use crate::{failure, gvl};

/// The stack of a compilation, in bytes (reserved, not used up front).
const STACK_SIZE: usize = 512 << 20;

/// How often a Ruby function may be called from within the block of another.
const DEEPEST: u32 = 64;

/// What a coroutine asks its Ruby thread to do.
type Work = *mut dyn FnMut(&Ruby, Exceptions);

/// One compilation on its way. It lives on the Ruby stack, in the frame of [`run`].
struct Crossing {
    yielder: Cell<*const Yielder<(), Work>>,
    /// Set by another thread when Ruby has something for this one.
    interrupted: AtomicBool,
    /// What Ruby raised: the compilation shall end, and then this is raised.
    raised: RefCell<Option<Error>>,
    /// Whoever interrupts this thread when the compilation has taken too long: a `Bunraku::Watchdog`.
    watchdog: Cell<Option<Value>>,
    /// What Ruby functions keep while the compilation lasts.
    memory: RHash,
    depth: u32,
}

thread_local! {
    /// The crossing whose coroutine runs on this thread; null where Ruby runs.
    static CURRENT: Cell<*const Crossing> = const { Cell::new(ptr::null()) };
    /// The crossing that the Ruby code on this thread works for.
    static AROUND: Cell<*const Crossing> = const { Cell::new(ptr::null()) };
    /// How many crossings are around the Ruby code that runs on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this code runs in a coroutine of [`run`].
pub(crate) fn is_inside() -> bool {
    !CURRENT.get().is_null()
}

/// Refuses to nest deeper than is sound for the stack of a Ruby thread.
pub(crate) fn check_depth() -> Result<(), diagnostic::Error> {
    if DEPTH.get() >= DEEPEST {
        let message = format!("Calls of Ruby from Puppet nest deeper than {DEEPEST}");
        return Err(diagnostic::Error::limit(message));
    }
    Ok(())
}

/// Does something without the GVL on a deep stack of this Ruby thread. It may call [`with_ruby`]. With the result comes what
/// Ruby functions failed with.
///
/// # Errors
/// The thread was interrupted and that raises; what has to be raised from [`with_ruby`]; there is no memory for a stack.
pub(crate) fn run<T>(ruby: &Ruby, work: impl FnOnce() -> T + Send) -> Result<(T, Exceptions), Error> {
    run_with(ruby, ruby.hash_new(), work)
}

/// As [`run`], for work of the compilation whose function is running on this thread.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_again<T>(ruby: &Ruby, work: impl FnOnce() -> T + Send) -> Result<(T, Exceptions), Error> {
    run_with(ruby, memory(ruby), work)
}

/// What Ruby functions keep while the compilation lasts that they work for.
pub(crate) fn memory(ruby: &Ruby) -> RHash {
    // SAFETY: as in `with_ruby`.
    unsafe { AROUND.get().as_ref() }.map_or_else(|| ruby.hash_new(), |crossing| crossing.memory)
}

fn run_with<T>(
    ruby: &Ruby,
    memory: RHash,
    work: impl FnOnce() -> T + Send,
) -> Result<(T, Exceptions), Error> {
    let depth = DEPTH.get();
    let exceptions = Exceptions::new(ruby);
    check_depth().map_err(|failure| failure::exception(ruby, &failure, &[], exceptions))?;
    let stack = DefaultStack::new(STACK_SIZE).map_err(|error| {
        Error::new(ruby.exception_no_mem_error(), format!("no stack to compile on: {error}"))
    })?;
    let crossing = Crossing {
        yielder: Cell::new(ptr::null()),
        interrupted: AtomicBool::new(false),
        raised: RefCell::new(None),
        watchdog: Cell::new(None),
        memory,
        depth,
    };
    let body = |yielder: &Yielder<(), Work>, ()| {
        crossing.yielder.set(yielder);
        CURRENT.set(&raw const crossing);
        let result = catch_unwind(AssertUnwindSafe(work));
        CURRENT.set(ptr::null());
        result
    };
    // SAFETY: all that the body borrows outlives the coroutine, which is driven to its end in this function.
    let mut coroutine = unsafe { Coroutine::with_stack_unchecked(stack, body) };
    let result = loop {
        match gvl::try_without(|| coroutine.resume(()), &crossing.interrupted) {
            Some(CoroutineResult::Return(result)) => break result,
            // SAFETY: `with_ruby` waits for the work, which it owns.
            Some(CoroutineResult::Yield(work)) => unsafe { (*work)(ruby, exceptions) },
            None => crossing.interrupted.store(true, Ordering::Relaxed),
        }
        crossing.answer_interrupts();
    };
    crossing.answer_interrupts();
    crossing.unwatch();
    DEPTH.set(depth);
    match (result, crossing.raised.take()) {
        (Err(panic), _) => resume_unwind(panic),
        (_, Some(raised)) => Err(raised),
        (Ok(result), None) => Ok((result, exceptions)),
    }
}

/// Does something with Ruby, on the Ruby stack and with the GVL, from within [`run`]. No Ruby object leaves it, as the
/// stack of the compilation is not scanned for them.
///
/// An `Err` of the work is what has to be raised: the compilation ends, and [`run`] gives it.
///
/// # Errors
/// The compilation shall end. This thread is not one of Ruby's.
pub(crate) fn with_ruby<T: Send>(
    work: impl FnOnce(&Ruby, Exceptions) -> Result<T, Error> + Send,
) -> Result<T, diagnostic::Error> {
    let current = CURRENT.get();
    // SAFETY: where it is not null, a frame of `run` below on this thread holds it.
    let Some(crossing) = (unsafe { current.as_ref() }) else {
        return Err(diagnostic::Error::plain("Ruby can be called only from threads of Ruby"));
    };
    crossing.check()?;
    let (mut work, mut result) = (Some(work), None);
    let mut once = |ruby: &Ruby, exceptions: Exceptions| {
        DEPTH.set(crossing.depth + 1);
        let around = AROUND.replace(crossing);
        match work.take().map(|work| catch_unwind(AssertUnwindSafe(|| work(ruby, exceptions)))) {
            Some(Ok(Err(raised))) => crossing.raise(raised),
            Some(done) => result = Some(done),
            None => {}
        }
        AROUND.set(around);
    };
    let once: *mut (dyn FnMut(&Ruby, Exceptions) + '_) = &raw mut once;
    // SAFETY: the lifetime is erased only for the way to `run`, which calls it while this function waits.
    let once: Work = unsafe { std::mem::transmute(once) };
    CURRENT.set(ptr::null());
    // SAFETY: the body of the coroutine has set it.
    unsafe { &*crossing.yielder.get() }.suspend(once);
    CURRENT.set(current);
    crossing.check()?;
    match result {
        Some(Ok(Ok(result))) => Ok(result),
        Some(Err(panic)) => resume_unwind(panic),
        Some(Ok(Err(_))) | None => Err(ended()),
    }
}

/// Calls Ruby from within [`run`] as [`with_ruby`] does; exceptions are failures of the evaluation.
///
/// # Errors
/// The exception; and as [`with_ruby`].
pub(crate) fn call_ruby<T: Send>(
    work: impl FnOnce(&Ruby) -> Result<T, Error> + Send,
) -> Result<T, diagnostic::Error> {
    with_ruby(|ruby, exceptions| match work(ruby) {
        Ok(result) => Ok(Ok(result)),
        Err(error) => exceptions.failure(ruby, error).map(Err),
    })?
}

/// From within the work of [`with_ruby`]: has Ruby code interrupted on this thread when so much time has passed, until the
/// compilation is over.
///
/// # Errors
/// What Ruby raises.
pub(crate) fn watch(ruby: &Ruby, remaining: Duration) -> Result<(), Error> {
    // SAFETY: as in `with_ruby`.
    let Some(crossing) = (unsafe { AROUND.get().as_ref() }) else { return Ok(()) };
    if crossing.watchdog.get().is_none() {
        let module: RModule = ruby.class_object().const_get("Bunraku")?;
        let class: RClass = module.const_get("Watchdog")?;
        crossing.watchdog.set(Some(class.funcall("new", (remaining.as_secs_f64(),))?));
    }
    Ok(())
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
    // SAFETY: as in `with_ruby`.
    match unsafe { CURRENT.get().as_ref() } {
        Some(crossing) if crossing.interrupted.load(Ordering::Relaxed) => with_ruby(|_, _| Ok(())),
        _ => Ok(()),
    }
}

fn ended() -> diagnostic::Error {
    diagnostic::Error::limit("The compilation was interrupted")
}

impl Crossing {
    /// On the Ruby side: does what waits for the thread, when something does.
    fn answer_interrupts(&self) {
        if self.interrupted.swap(false, Ordering::Relaxed)
            && let Err(raised) = gvl::check_interrupts()
        {
            self.raise(raised);
        }
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

    fn check(&self) -> Result<(), diagnostic::Error> {
        if self.raised.borrow().is_some() { Err(ended()) } else { Ok(()) }
    }
}

/// The exceptions that failures of a compilation tell of: a Ruby array, as Rust's heap is not scanned for objects. It stays on
/// the Ruby stack.
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
    /// What no compilation can have caused, and Ruby alone may rescue: `throw`, the end of the thread, `Interrupt`, …
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
        let failure = diagnostic::Error { cause, ..diagnostic::Error::plain(message) };
        let Some(place) = given else { return Ok(failure) };
        let file: Option<String> = place.entry(0)?;
        let location = Location { file: file.map(Arc::from), line: place.entry(1)?, column: place.entry(2)? };
        Ok(diagnostic::Error { kind: ErrorKind::Evaluation, location, ..failure })
    }
}
