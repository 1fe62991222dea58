//! Stack space for deep nesting. Programs can be nested a thousand deep, and the stack of the thread that
//! parses can be small (threads of Ruby and of C): deeper work continues on another stack.

use std::fmt;
use std::io;

use crate::diagnostic::bug;

/// Runs work on a stack of this size in bytes, and returns when it is done; a panic of the work continues in
/// the caller. It fails if there is no such stack, and has then not begun the work.
pub type RunOnStack = fn(size: usize, work: &mut (dyn FnMut() + Send)) -> io::Result<()>;

/// Where the parser and the validator continue when their input is deeply nested.
#[derive(Clone, Copy)]
pub struct Stacks(RunOnStack);

impl Stacks {
    /// Separate threads, which every program has. Few programs need one.
    pub const THREADS: Self = Self(bug::on_thread);

    /// Stacks of another kind, for callers that must stay on the calling thread.
    pub const fn new(run: RunOnStack) -> Self {
        Self(run)
    }

    /// Runs work on a stack of this size.
    ///
    /// # Errors
    /// The stack cannot be made.
    pub(crate) fn run<T: Send>(self, size: usize, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        let (mut work, mut result) = (Some(work), None);
        (self.0)(size, &mut || result = work.take().map(|work| work()))?;
        result.ok_or_else(|| io::Error::other("the stack was not used"))
    }
}

impl Default for Stacks {
    fn default() -> Self {
        Self::THREADS
    }
}

impl fmt::Debug for Stacks {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Stacks")
    }
}
