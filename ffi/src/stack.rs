//! The way between a compilation, which needs a deep stack, and the callbacks of a host, which run on the
//! stack of the caller: Go, Java and others look at the stack that they are called on.
//!
//! [`on_deep_stack`] makes the work a coroutine on the calling thread. A callback ([`on_caller_stack`])
//! leaves the coroutine, runs where `on_deep_stack` was called, and enters it again. What the callback wants
//! of the compilation meanwhile (the block that was given to its function, another function) the same
//! coroutine does, on top of the call that waits: [`Crossing::again`]. Both stacks grow and shrink in step,
//! and no other thread takes part.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use bunraku_core::diagnostic::Error;
use bunraku_core::host::DeepStacks;
use bunraku_core::host::stacks::{Limit, at_beginning};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Why a coroutine is left.
enum Left {
    /// There is a callback to run.
    ForCallback(*mut dyn FnMut()),
    /// What the callback wanted is done.
    Done,
}

/// Why a coroutine goes on.
enum Entered {
    /// What it waited for is done.
    GoOn,
    /// The callback wants something done before.
    ForWork(*mut dyn FnMut()),
}

type Work = Coroutine<Entered, Left, (), DefaultStack>;

/// One piece of work on its way. It lives on the caller's stack, in the frame of [`on_deep_stack`].
pub(crate) struct Crossing {
    coroutine: Cell<*mut Work>,
    yielder: Cell<*const Yielder<Entered, Left>>,
}

thread_local! {
    /// The crossing whose coroutine runs on this thread; null on the caller's stack.
    static CURRENT: Cell<*const Crossing> = const { Cell::new(ptr::null()) };
}

/// Does something on a deep stack of the calling thread. Work that is there already goes on where it is.
///
/// # Errors
/// There is no memory for a stack.
pub(crate) fn on_deep_stack(stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
    if !CURRENT.get().is_null() {
        work();
        return Ok(());
    }
    let crossing = Crossing { coroutine: Cell::new(ptr::null_mut()), yielder: Cell::new(ptr::null()) };
    let mut result = Ok(());
    let body = |yielder: &Yielder<Entered, Left>, _: Entered| {
        crossing.yielder.set(yielder);
        CURRENT.set(&raw const crossing);
        result = at_beginning(|| catch_unwind(AssertUnwindSafe(work)));
        CURRENT.set(ptr::null());
    };
    stacks.lend(|stack| {
        // SAFETY: all that the body borrows outlives the coroutine, which is driven to its end here.
        let mut coroutine: Work = unsafe { Coroutine::with_stack_unchecked(stack, body) };
        crossing.coroutine.set(&raw mut coroutine);
        crossing.drive(Entered::GoOn);
        (coroutine.into_stack(), ())
    })?;
    result.unwrap_or_else(|panic| resume_unwind(panic));
    Ok(())
}

/// Does something on the stack of whoever called the library. What it is given is the crossing that leads
/// back, where there is one.
pub(crate) fn on_caller_stack<T>(work: impl FnOnce(*const Crossing) -> T) -> T {
    let current = CURRENT.get();
    // SAFETY: where it is not null, a frame of `on_deep_stack` below on this thread holds it.
    let Some(crossing) = (unsafe { current.as_ref() }) else { return work(ptr::null()) };
    let (mut work, mut result) = (Some(work), None);
    let mut once = || result = work.take().map(|work| catch_unwind(AssertUnwindSafe(|| work(current))));
    let once: *mut (dyn FnMut() + '_) = &raw mut once;
    // SAFETY: the lifetime is erased only for the way to `drive`, which calls it while this function waits.
    let once: *mut dyn FnMut() = unsafe { std::mem::transmute(once) };
    // SAFETY: the body of the coroutine has set it.
    let yielder = unsafe { &*crossing.yielder.get() };
    CURRENT.set(ptr::null());
    let mut entered = Limit::NONE.during(|| yielder.suspend(Left::ForCallback(once)));
    while let Entered::ForWork(more) = entered {
        CURRENT.set(current);
        // SAFETY: `again` waits for the work, which it owns.
        unsafe { (*more)() };
        CURRENT.set(ptr::null());
        entered = Limit::NONE.during(|| yielder.suspend(Left::Done));
    }
    CURRENT.set(current);
    outcome(result)
}

impl Crossing {
    /// From within a callback: does something in the work that waits for it, on top of what is on the
    /// coroutine's stack.
    pub(crate) fn again<T>(&self, work: impl FnOnce() -> T) -> T {
        let (mut work, mut result) = (Some(work), None);
        let mut once = || result = work.take().map(|work| catch_unwind(AssertUnwindSafe(work)));
        let once: *mut (dyn FnMut() + '_) = &raw mut once;
        // SAFETY: the lifetime is erased only for the way to `on_caller_stack`, which calls it while this
        // function waits.
        let once: *mut dyn FnMut() = unsafe { std::mem::transmute(once) };
        self.drive(Entered::ForWork(once));
        outcome(result)
    }

    /// On the caller's stack: lets the coroutine go on until it is over, or has done what it was given; runs
    /// callbacks meanwhile.
    fn drive(&self, mut entered: Entered) {
        let coroutine = self.coroutine.get();
        // SAFETY: `on_deep_stack` has set it, and waits; it is suspended, as its caller's stack runs.
        while let CoroutineResult::Yield(Left::ForCallback(work)) = unsafe { (*coroutine).resume(entered) } {
            // SAFETY: `on_caller_stack` waits for the work, which it owns.
            unsafe { (*work)() };
            entered = Entered::GoOn;
        }
    }
}

/// The result of work, or its panic.
fn outcome<T>(result: Option<std::thread::Result<T>>) -> T {
    let result = result.unwrap_or_else(|| Err(Box::new("the work was not done")));
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
