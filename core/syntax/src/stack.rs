//! Room for what nests deep. Programs may nest a thousand deep, and whoever parses one may have a small stack
//! (threads of Ruby and of C): what needs more goes on upon another stack.

use std::fmt;
use std::io;

use crate::diagnostic::bug;

/// Does some work on a stack that has so many bytes, and returns when it is done; a panic of the work goes on
/// in the caller. It fails when there is no such stack, and has not begun with the work then.
pub type RunOnStack = fn(size: usize, work: &mut (dyn FnMut() + Send)) -> io::Result<()>;

/// Where the parser and the validator go on when what they read nests deep.
#[derive(Clone, Copy)]
pub struct Stacks(RunOnStack);

impl Stacks {
    /// Threads of their own, which anybody has. Few programs need one.
    pub const THREADS: Self = Self(bug::on_thread);

    /// Stacks of another kind, for whoever must stay on the calling thread.
    pub const fn new(run: RunOnStack) -> Self {
        Self(run)
    }

    /// Does some work on a stack of a size.
    ///
    /// # Errors
    /// There is no such stack.
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
