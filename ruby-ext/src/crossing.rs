//! The way between a compilation and Ruby.
//!
//! A compilation needs a stack that is deeper than a Ruby thread's, and must not hold the GVL; a Ruby
//! function that it calls must run on a Ruby thread, on the stack that Ruby knows and scans for objects, with
//! the GVL. So [`run`] makes the compilation a coroutine: on the calling Ruby thread, on a stack of its own,
//! without the GVL. When it calls [`with_ruby`], the coroutine is left, the GVL taken, and the work is done
//! on the Ruby stack, as if the method that called `run` did it; then the compilation goes on where it was.
//! No other thread takes part, so that a crossing costs no more than giving the GVL back and taking it again.
//! What the Ruby function wants of the compilation meanwhile (the block that was given to it, another
//! function) the same coroutine does, on top of the call that waits: [`Crossing::again`]. Ruby may also call
//! `run` again, for another compilation.
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
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bunraku::diagnostic::{self, Cause, ErrorKind};
use bunraku::eval::limits::Usage;
use bunraku::host::stacks::{Limit, at_beginning, new_stack};
use bunraku::source::Location;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use magnus::error::ErrorType;
use magnus::{Error, RArray, RClass, RHash, RModule, RString, Ruby, Value, prelude::*};

use crate::host::RubyHost;
use crate::{failure, gvl};

/// How often a Ruby function may be called from within the block of another.
const MAX_DEPTH: u32 = 64;

/// What a coroutine tells its Ruby thread when it is left.
enum Left {
    /// There is something to do with Ruby.
    ForRuby(*mut dyn FnMut(&Ruby, &Crossing)),
    /// What Ruby wanted is done.
    Done,
}

/// Why a coroutine goes on.
enum Entered {
    /// What it waited for is done.
    GoOn,
    /// Ruby wants something done before.
    ForWork(*mut dyn FnMut()),
}

type Compilation = Coroutine<Entered, Left, (), DefaultStack>;

/// One compilation on its way. It lives on the Ruby stack, in the frame of [`run`].
pub(crate) struct Crossing {
    coroutine: Cell<*mut Compilation>,
    yielder: Cell<*const Yielder<Entered, Left>>,
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
    /// The crossing whose coroutine runs on this thread; null where Ruby runs.
    static CURRENT: Cell<*const Crossing> = const { Cell::new(ptr::null()) };
    /// How many crossings are around the Ruby code that runs on this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Whether this code runs in a coroutine of [`run`].
pub(crate) fn is_inside() -> bool {
    !CURRENT.get().is_null()
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
    let crossing = Crossing {
        coroutine: Cell::new(ptr::null_mut()),
        yielder: Cell::new(ptr::null()),
        interrupted: AtomicBool::new(false),
        raised: RefCell::new(None),
        watchdog: Cell::new(None),
        memory: ruby.hash_new(),
        exceptions,
        depth: Cell::new(depth),
    };
    let mut result = None;
    let body = |yielder: &Yielder<Entered, Left>, _: Entered| {
        crossing.yielder.set(yielder);
        CURRENT.set(&raw const crossing);
        result = Some(at_beginning(|| catch_unwind(AssertUnwindSafe(work))));
        CURRENT.set(ptr::null());
    };
    // SAFETY: all that the body borrows outlives the coroutine, which is driven to its end in this function.
    let mut coroutine: Compilation = unsafe { Coroutine::with_stack_unchecked(stack, body) };
    crossing.coroutine.set(&raw mut coroutine);
    crossing.drive(ruby, Entered::GoOn);
    crossing.unwatch();
    DEPTH.set(depth);
    match (result, crossing.raised.take()) {
        (Some(Err(panic)), _) => resume_unwind(panic),
        (_, Some(raised)) => Err(raised),
        (Some(Ok(result)), None) => Ok((result, exceptions)),
        (None, None) => Err(failure::exception(ruby, &ended(), &[], exceptions)),
    }
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
    let current = CURRENT.get();
    // SAFETY: where it is not null, a frame of `run` below on this thread holds it.
    let Some(crossing) = (unsafe { current.as_ref() }) else {
        return Err(diagnostic::Error::plain("Ruby can be called only from threads of Ruby"));
    };
    crossing.check()?;
    let (mut work, mut result) = (Some(work), None);
    let mut once = |ruby: &Ruby, crossing: &Crossing| {
        DEPTH.set(crossing.depth.get() + 1);
        match work.take().map(|work| catch_unwind(AssertUnwindSafe(|| work(ruby, crossing)))) {
            Some(Ok(Err(raised))) => crossing.raise(raised),
            Some(done) => result = Some(done),
            None => {}
        }
    };
    let once: *mut (dyn FnMut(&Ruby, &Crossing) + '_) = &raw mut once;
    // SAFETY: the lifetime is erased only for the way to `drive`, which calls it while this function waits.
    let once: *mut dyn FnMut(&Ruby, &Crossing) = unsafe { std::mem::transmute(once) };
    // SAFETY: the body of the coroutine has set it.
    let yielder = unsafe { &*crossing.yielder.get() };
    CURRENT.set(ptr::null());
    let mut entered = Limit::NONE.during(|| yielder.suspend(Left::ForRuby(once)));
    while let Entered::ForWork(more) = entered {
        CURRENT.set(current);
        // SAFETY: `again` waits for the work, which it owns.
        unsafe { (*more)() };
        CURRENT.set(ptr::null());
        entered = Limit::NONE.during(|| yielder.suspend(Left::Done));
    }
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
    with_ruby(|ruby, crossing| match work(ruby) {
        Ok(result) => Ok(Ok(result)),
        Err(error) => crossing.exceptions.failure(ruby, error).map(Err),
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
    // SAFETY: as in `with_ruby`.
    match unsafe { CURRENT.get().as_ref() } {
        Some(crossing) if crossing.interrupted.load(Ordering::Relaxed) => with_ruby(|_, _| Ok(())),
        Some(crossing) => crossing.check(),
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

impl Crossing {
    /// Does something in the compilation for a Ruby function that it waits for, on the same fiber: as
    /// [`run`], on top of what is on the coroutine's stack.
    ///
    /// # Errors
    /// As [`run`].
    pub(crate) fn again<T: Send>(&self, ruby: &Ruby, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let around = DEPTH.get();
        let depth = self.depth.replace(around);
        let (mut work, mut result) = (Some(work), None);
        let mut once = || result = work.take().map(|work| catch_unwind(AssertUnwindSafe(work)));
        let once: *mut (dyn FnMut() + '_) = &raw mut once;
        // SAFETY: the lifetime is erased only for the way to `with_ruby`, which calls it while this function
        // waits.
        let once: *mut dyn FnMut() = unsafe { std::mem::transmute(once) };
        self.drive(ruby, Entered::ForWork(once));
        self.depth.set(depth);
        DEPTH.set(around);
        match (result, self.raised.take()) {
            (Some(Err(panic)), _) => resume_unwind(panic),
            (_, Some(raised)) => Err(raised),
            (Some(Ok(result)), None) => Ok(result),
            (None, None) => Err(failure::exception(ruby, &ended(), &[], self.exceptions)),
        }
    }

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

    /// On the Ruby side: lets the coroutine go on until it is over, or has done what it was given; does what
    /// it wants of Ruby meanwhile.
    fn drive(&self, ruby: &Ruby, entered: Entered) {
        let mut entered = Some(entered);
        let coroutine = self.coroutine.get();
        loop {
            // SAFETY: `run` has set it, and waits; it is suspended, as Ruby runs on its thread.
            let resume = || entered.take().map(|entered| unsafe { (*coroutine).resume(entered) });
            match gvl::try_without(resume, &self.interrupted).flatten() {
                Some(CoroutineResult::Return(()) | CoroutineResult::Yield(Left::Done)) => break,
                Some(CoroutineResult::Yield(Left::ForRuby(work))) => {
                    // SAFETY: `with_ruby` waits for the work, which it owns.
                    unsafe { (*work)(ruby, self) };
                    entered = Some(Entered::GoOn);
                }
                None => self.interrupted.store(true, Ordering::Relaxed),
            }
            self.answer_interrupts();
        }
        self.answer_interrupts();
    }

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
