//! Deep stacks that compilations use one after another, on the calling thread.
//!
//! A separate thread for each compilation would cost more than a small catalog: the kernel maps its stack and
//! provides every page of it again.

use std::sync::Mutex;

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::diagnostic::bug::{guarded, locked};

use crate::room::{STACK_SIZE, at_beginning, new_stack};

/// The number of uses of a stack before its memory is returned to the system: the pages that one deep
/// recursion has touched stay allocated until then.
const MAX_USES: u32 = 64;

/// The maximum number of idle stacks.
const MAX_IDLE: usize = 16;

/// A pool of idle stacks.
#[derive(Default)]
pub struct DeepStacks {
    idle: Mutex<Vec<UsedStack>>,
}

struct UsedStack {
    stack: DefaultStack,
    uses: u32,
}

impl std::fmt::Debug for DeepStacks {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("DeepStacks")
    }
}

impl DeepStacks {
    /// Runs work on a deep stack, on the calling thread. The work must not call code that inspects the stack
    /// of its thread, such as that of a language with a garbage collector.
    ///
    /// # Errors
    /// Memory for a stack is exhausted, or the work panicked.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Error> {
        let mut used = self.take()?;
        let result = guarded(|| on_stack(&mut used.stack, || at_beginning(work)));
        self.give_back(used);
        result
    }

    /// Lends a deep stack to work that makes a coroutine of it, which starts [`at_beginning`]. The work
    /// returns the stack with its result.
    ///
    /// # Errors
    /// Memory for a stack is exhausted.
    pub fn lend<T>(&self, work: impl FnOnce(DefaultStack) -> (DefaultStack, T)) -> Result<T, Error> {
        let UsedStack { stack, uses } = self.take()?;
        let (stack, result) = work(stack);
        self.give_back(UsedStack { stack, uses });
        Ok(result)
    }

    /// Runs work on a separate thread with a deep stack, and waits for it.
    ///
    /// # Errors
    /// The thread could not be started, or the work panicked.
    pub fn run_on_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new()
                .stack_size(STACK_SIZE)
                .spawn_scoped(scope, || guarded(|| at_beginning(work)));
            let thread = thread.map_err(|error| Error::io(format!("no thread to compile on: {error}")))?;
            thread.join().unwrap_or_else(|_| Err(Error::internal("the thread to compile on ended")))
        })
    }

    fn take(&self) -> Result<UsedStack, Error> {
        let idle = locked(&self.idle).pop();
        match idle {
            Some(used) => Ok(used),
            None => Ok(UsedStack { stack: new_stack()?, uses: 0 }),
        }
    }

    fn give_back(&self, mut used: UsedStack) {
        used.uses += 1;
        if used.uses < MAX_USES {
            let mut idle = locked(&self.idle);
            if idle.len() < MAX_IDLE {
                idle.push(used);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(levels: u32) -> u64 {
        let frame = std::hint::black_box([u64::from(levels); 64]);
        if levels == 0 { frame[0] } else { frame[1] - u64::from(levels) + 1 + depth(levels - 1) }
    }

    #[test]
    fn work_runs_deep_and_a_panic_does_not_spoil_the_stack() {
        let stacks = DeepStacks::default();
        for _ in 0..3 {
            assert_eq!(stacks.run(|| depth(40_000)).ok(), Some(40_000));
            assert!(stacks.run(|| -> u32 { panic!("on purpose") }).is_err());
        }
    }

    /// The uses of the idle stacks.
    fn idle(stacks: &DeepStacks) -> Vec<u32> {
        locked(&stacks.idle).iter().map(|used| used.uses).collect()
    }

    #[test]
    fn a_stack_serves_one_work_after_another_until_it_is_used_up() {
        let stacks = DeepStacks::default();
        for uses in 1..MAX_USES {
            assert_eq!(stacks.run(|| 1).ok(), Some(1));
            assert_eq!(idle(&stacks), [uses]);
        }
        assert_eq!(stacks.run(|| 1).ok(), Some(1));
        assert_eq!(idle(&stacks), [0; 0]);
        assert_eq!(stacks.lend(|stack| (stack, 2)).ok(), Some(2));
        assert_eq!(idle(&stacks), [1]);
    }

    #[test]
    fn only_some_idle_stacks_are_kept() {
        fn nested(stacks: &DeepStacks, levels: usize) {
            if levels > 0 {
                let run = stacks.lend(|stack| {
                    nested(stacks, levels - 1);
                    (stack, ())
                });
                assert!(run.is_ok());
            }
        }
        let stacks = DeepStacks::default();
        nested(&stacks, MAX_IDLE - 1);
        assert_eq!(idle(&stacks).len(), MAX_IDLE - 1);
        nested(&stacks, MAX_IDLE + 3);
        assert_eq!(idle(&stacks).len(), MAX_IDLE);
        assert_eq!(format!("{stacks:?}"), "DeepStacks");
    }
}
