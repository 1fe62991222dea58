//! The way between work that needs a deep stack and callbacks that must run on the stack of its caller,
//! because Ruby, Go, Java and others inspect the stack that they are called on.
//!
//! [`Crossing::run`] makes the work a coroutine on the calling thread. A callback ([`Crossing::on_caller`])
//! suspends the coroutine, runs where `run` was called, and resumes the coroutine. When the callback needs
//! the work meanwhile, the same coroutine runs, on top of the waiting call: [`Crossing::again`]. Both stacks
//! grow and shrink together, and no other thread takes part.
//!
//! ```text
//!   caller ─ run ─┬─ coroutine: the work ─ on_caller ─┐
//!                 │◄────────────── left ──────────────┘
//!                 ├─ a callback ─ again ─┐
//!                 │        ┌─ coroutine ◄┘
//!                 │        └─ done, left ─► the callback goes on ─┐
//!                 └─ coroutine: the work goes on ◄────────────────┘
//! ```
//!
//! The interface is safe: pointers to waiting frames are only used while these wait.

#![cfg_attr(
    not(test),
    warn(
        clippy::expect_used,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::string_slice,
        clippy::unreachable,
        clippy::unwrap_used
    )
)]

use std::any::TypeId;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::thread;

use bunraku_stacks::{Limit, at_beginning};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// The caller's side of a crossing.
pub trait Side: Sized + 'static {
    /// Data that callbacks can use and the coroutine cannot, such as the proof that a lock is held.
    type Access;

    /// Lets the coroutine continue until it is suspended. Returns `None` if it was not allowed to continue;
    /// this is then called again.
    fn leave<T>(&self, go_on: impl FnOnce() -> T) -> Option<T> {
        Some(go_on())
    }

    /// The coroutine has been suspended, after its callback or its end.
    fn is_back(&self) {}
}

/// Why a coroutine is suspended.
enum Left<S: Side> {
    /// A callback must run.
    ForCallback(*mut dyn FnMut(&S::Access)),
    /// The request of a callback is done.
    Done,
}

/// Why a coroutine resumes.
enum Entered {
    /// Its callback is done.
    GoOn,
    /// The callback needs work done first.
    ForWork(*mut dyn FnMut()),
}

type Work<S> = Coroutine<Entered, Left<S>, (), DefaultStack>;

/// A piece of work in progress. It lives on the caller's stack, in the frame of [`run`](Self::run).
pub struct Crossing<S: Side> {
    side: S,
    coroutine: Cell<*mut Work<S>>,
    yielder: Cell<*const Yielder<Entered, Left<S>>>,
    /// Whether the coroutine waits for a callback.
    waits: Cell<bool>,
}

thread_local! {
    /// The crossing whose coroutine runs on this thread, with the type of its side; `None` on the caller's
    /// stack.
    static CURRENT: Cell<Option<(TypeId, *const ())>> = const { Cell::new(None) };
}

impl<S: Side> Crossing<S> {
    /// Runs work on a deep stack ([`new_stack`](bunraku_stacks::new_stack)) of the calling thread. Returns
    /// the stack and the side, with the result or the panic of the work.
    pub fn run<T>(
        side: S,
        access: &S::Access,
        stack: DefaultStack,
        work: impl FnOnce() -> T,
    ) -> (DefaultStack, S, thread::Result<T>) {
        let crossing = Self {
            side,
            coroutine: Cell::new(ptr::null_mut()),
            yielder: Cell::new(ptr::null()),
            waits: Cell::new(false),
        };
        let mut result = None;
        let body = |yielder: &Yielder<Entered, Left<S>>, _: Entered| {
            crossing.yielder.set(yielder);
            result = Some(at_beginning(|| catch_unwind(AssertUnwindSafe(work))));
        };
        // SAFETY: everything that the body borrows outlives the coroutine, which `drive` runs to its end
        // here.
        let mut coroutine: Work<S> = unsafe { Coroutine::with_stack_unchecked(stack, body) };
        crossing.coroutine.set(&raw mut coroutine);
        crossing.drive(access, Entered::GoOn);
        (coroutine.into_stack(), crossing.side, done(result))
    }

    /// Calls a function with the crossing whose coroutine runs this code; `None` on a caller's stack.
    pub fn with_current<T>(look: impl FnOnce(Option<&Self>) -> T) -> T {
        let current = CURRENT.get().filter(|(side, _)| *side == TypeId::of::<S>());
        // SAFETY: a frame of `run` below on this thread holds it, and waits; its type is that of the side.
        look(current.map(|(_, crossing)| unsafe { &*crossing.cast::<Self>() }))
    }

    /// Runs work on the stack of the caller of [`run`](Self::run), with the crossing that leads back. Code
    /// that already runs on a caller's stack runs the work directly, without a crossing.
    ///
    /// # Errors
    /// The panic of the work.
    pub fn on_caller<T>(work: impl FnOnce(Option<(&Self, &S::Access)>) -> T) -> thread::Result<T> {
        Self::with_current(|current| match current {
            Some(crossing) => crossing.call_back(|access| work(Some((crossing, access)))),
            None => catch_unwind(AssertUnwindSafe(|| work(None))),
        })
    }

    /// The data of the caller's side.
    pub fn side(&self) -> &S {
        &self.side
    }

    /// In the coroutine: runs work on the caller's stack.
    fn call_back<T>(&self, work: impl FnOnce(&S::Access) -> T) -> thread::Result<T> {
        let (mut work, mut result) = (Some(work), None);
        let mut once = |access: &S::Access| {
            result = work.take().map(|work| catch_unwind(AssertUnwindSafe(|| work(access))));
        };
        let once: *mut (dyn FnMut(&S::Access) + '_) = &raw mut once;
        // SAFETY: the lifetime is only erased for the way to `drive`, which calls the work while this
        // function waits.
        let once: *mut dyn FnMut(&S::Access) = unsafe { std::mem::transmute(once) };
        // SAFETY: the body of the coroutine has set it, and this code runs within the body.
        let yielder = unsafe { &*self.yielder.get() };
        let mut entered = self.leave(yielder, Left::ForCallback(once));
        while let Entered::ForWork(more) = entered {
            // SAFETY: `again` waits for the work, which it owns.
            unsafe { (*more)() };
            entered = self.leave(yielder, Left::Done);
        }
        done(result)
    }

    /// In the coroutine: suspends it until the next request.
    fn leave(&self, yielder: &Yielder<Entered, Left<S>>, left: Left<S>) -> Entered {
        self.waits.set(true);
        let entered = Limit::NONE.during(|| yielder.suspend(left));
        self.waits.set(false);
        entered
    }

    /// From within a callback: runs work in the coroutine that waits for the callback, on top of its stack.
    ///
    /// # Errors
    /// The panic of the work.
    pub fn again<T>(&self, access: &S::Access, work: impl FnOnce() -> T) -> thread::Result<T> {
        if !self.waits.get() {
            // This code runs in the coroutine.
            return catch_unwind(AssertUnwindSafe(work));
        }
        let (mut work, mut result) = (Some(work), None);
        let mut once = || result = work.take().map(|work| catch_unwind(AssertUnwindSafe(work)));
        let once: *mut (dyn FnMut() + '_) = &raw mut once;
        // SAFETY: the lifetime is only erased for the way to `call_back`, which calls the work while this
        // function waits.
        let once: *mut dyn FnMut() = unsafe { std::mem::transmute(once) };
        self.drive(access, Entered::ForWork(once));
        done(result)
    }

    /// On the caller's stack: resumes the coroutine until it ends or has completed its request; runs
    /// callbacks meanwhile.
    fn drive(&self, access: &S::Access, entered: Entered) {
        let coroutine = self.coroutine.get();
        let own = (TypeId::of::<S>(), ptr::from_ref(self).cast::<()>());
        let mut entered = Some(entered);
        loop {
            let go_on = || {
                let entered = entered.take()?;
                let around = CURRENT.replace(Some(own));
                // SAFETY: `run` has set it, and waits; it has not begun, or waits for its next request.
                let left = unsafe { (*coroutine).resume(entered) };
                CURRENT.set(around);
                Some(left)
            };
            match self.side.leave(go_on).flatten() {
                Some(CoroutineResult::Return(()) | CoroutineResult::Yield(Left::Done)) => break,
                Some(CoroutineResult::Yield(Left::ForCallback(work))) => {
                    // SAFETY: `call_back` waits for the work, which it owns.
                    unsafe { (*work)(access) };
                    entered = Some(Entered::GoOn);
                }
                None => {}
            }
            self.side.is_back();
        }
        self.side.is_back();
    }
}

/// The result of work, or its panic.
fn done<T>(result: Option<thread::Result<T>>) -> thread::Result<T> {
    result.unwrap_or_else(|| Err(Box::new("the work was not done")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side that only lets a coroutine continue at the second attempt.
    #[derive(Default)]
    struct Counted {
        asked: Cell<u32>,
        back: Cell<u32>,
    }

    impl Side for Counted {
        type Access = &'static str;

        fn leave<T>(&self, go_on: impl FnOnce() -> T) -> Option<T> {
            self.asked.set(self.asked.get() + 1);
            self.asked.get().is_multiple_of(2).then(go_on)
        }

        fn is_back(&self) {
            self.back.set(self.back.get() + 1);
        }
    }

    type Way = Crossing<Counted>;

    fn run<T>(work: impl FnOnce() -> T) -> (Counted, thread::Result<T>) {
        let stack = bunraku_stacks::new_stack().expect("there is memory");
        let (_, side, result) = Way::run(Counted::default(), &"access", stack, work);
        (side, result)
    }

    fn on_caller<T>(work: impl FnOnce(&Way, &&'static str) -> T) -> T {
        Way::on_caller(|way| way.map(|(crossing, access)| work(crossing, access)))
            .expect("no panic")
            .expect("it is a coroutine")
    }

    fn address() -> usize {
        let local = 0_u8;
        ptr::from_ref(std::hint::black_box(&local)) as usize
    }

    fn is_inside() -> bool {
        Way::with_current(|current| current.is_some())
    }

    #[test]
    fn callbacks_run_on_the_callers_stack_and_what_they_want_on_the_coroutines() {
        let own = address();
        let is_own = |address: usize| address.abs_diff(own) < 1 << 16;
        let (side, result) = run(|| {
            assert!(is_inside() && !is_own(address()));
            let sum = on_caller(|crossing, access| {
                assert!(!is_inside() && is_own(address()));
                assert_eq!(*access, "access");
                let again = crossing.again(access, || {
                    assert!(is_inside() && !is_own(address()));
                    on_caller(|crossing, access| crossing.again(access, || 1).expect("no panic")) + 2
                });
                assert!(!is_inside());
                again.expect("no panic") + 3
            });
            assert!(is_inside());
            sum + 4
        });
        assert_eq!(result.ok(), Some(10));
        assert!(!is_inside());
        assert!(side.asked.get() > 4 && side.back.get() > 4);
    }

    #[test]
    fn a_panic_goes_to_whoever_waits_for_the_work() {
        let (_, result) = run(|| {
            let callback = Way::on_caller(|way| -> u32 {
                let (crossing, access) = way.expect("it is a coroutine");
                let again = crossing.again(access, || -> u32 { panic!("in the work") });
                assert!(again.is_err());
                panic!("in the callback")
            });
            assert!(callback.is_err());
            if callback.is_err() {
                panic!("at last")
            }
        });
        let panic = result.expect_err("it panics");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"at last"));
        assert!(!is_inside());
    }

    #[test]
    fn crossings_nest() {
        let (_, result) = run(|| {
            on_caller(|outer, access| {
                let (_, inner) = run(|| {
                    // Returns into the outer work from within the inner one, and from within itself.
                    let outer = outer.again(access, || Way::with_current(|own| own.map(ptr::from_ref)));
                    let own = Way::with_current(|own| own.map(ptr::from_ref));
                    let inside = Way::with_current(|own| own?.again(access, is_inside).ok());
                    (outer.expect("no panic") != own, inside)
                });
                inner.expect("no panic")
            })
        });
        assert_eq!(result.ok(), Some((true, Some(true))));
    }
}
