//! What one compilation may use up: depth, steps and time. Running over one is an error with a position.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::diagnostic::Error;
use crate::host::Host;

/// The limits of a compilation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How deep expressions and calls may nest.
    pub depth: u32,
    /// How many expressions may be evaluated; `None`: any number.
    pub steps: Option<u64>,
    /// How many seconds of the host's clock the compilation may take.
    pub seconds: Option<u32>,
    /// The greatest number of elements of a collection, and of bytes of a text, that one operation may make.
    pub value_size: usize,
    /// Set to true by somebody else to end the compilation.
    pub cancelled: Option<Arc<AtomicBool>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 4000, steps: None, seconds: None, value_size: 1 << 28, cancelled: None }
    }
}

/// What was used up so far.
pub struct Usage<'h> {
    limits: Limits,
    host: &'h dyn Host,
    depth: Cell<u32>,
    steps: Cell<u64>,
    /// The step at which to look at what is not looked at in each.
    next_look: Cell<u64>,
    until: Option<i64>,
}

/// Cancellation and the clock are looked at once in so many steps.
const STEPS_BETWEEN_LOOKS: u64 = 1024;

impl<'h> Usage<'h> {
    /// Nothing used yet. The time begins now, by the host's clock.
    pub fn new(limits: Limits, host: &'h dyn Host) -> Self {
        let until = limits.seconds.map(|seconds| host.now().seconds.saturating_add(i64::from(seconds)));
        let usage =
            Self { limits, host, depth: Cell::new(0), steps: Cell::new(0), next_look: Cell::new(0), until };
        usage.plan_look();
        usage
    }

    /// The limits.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// One expression more, and one deeper. Call [`leave`](Self::leave) afterwards when this succeeded.
    ///
    /// # Errors
    /// A limit was run over, or somebody has cancelled the compilation.
    pub fn enter(&self) -> Result<(), Box<Error>> {
        self.step()?;
        self.deeper()
    }

    /// One expression deeper. Call [`leave`](Self::leave) afterwards when this succeeded.
    ///
    /// # Errors
    /// Expressions nest too deep.
    #[inline]
    pub fn deeper(&self) -> Result<(), Box<Error>> {
        let depth = self.depth.get() + 1;
        if depth > self.limits.depth {
            return Err(self.too_deep());
        }
        self.depth.set(depth);
        Ok(())
    }

    /// One expression less deep.
    #[inline]
    pub fn leave(&self) {
        self.depth.set(self.depth.get().saturating_sub(1));
    }

    /// One expression more.
    ///
    /// # Errors
    /// A limit was run over, or somebody has cancelled the compilation.
    #[inline]
    pub fn step(&self) -> Result<(), Box<Error>> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps >= self.next_look.get() { self.look(steps) } else { Ok(()) }
    }

    /// Refuses to make a value of this size.
    pub fn check_size(&self, size: usize) -> Result<(), Error> {
        if size > self.limits.value_size {
            return Err(Error::limit(format!(
                "A value of size {size} is greater than the limit {}",
                self.limits.value_size
            )));
        }
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> Box<Error> {
        Box::new(Error::limit(format!("Expressions and calls nest deeper than {}", self.limits.depth)))
    }

    fn plan_look(&self) {
        let next = self.steps.get() + STEPS_BETWEEN_LOOKS;
        self.next_look.set(self.limits.steps.map_or(next, |limit| next.min(limit.saturating_add(1))));
    }

    #[cold]
    fn look(&self, steps: u64) -> Result<(), Box<Error>> {
        if let Some(limit) = self.limits.steps.filter(|&limit| steps > limit) {
            return Err(Box::new(Error::limit(format!("More than {limit} expressions were evaluated"))));
        }
        self.host.check_interrupt()?;
        if self.limits.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
            return Err(Box::new(Error::limit("The compilation was cancelled")));
        }
        if let (Some(until), Some(seconds)) = (self.until, self.limits.seconds)
            && self.host.now().seconds >= until
        {
            let message = format!("The compilation took longer than {seconds} seconds");
            return Err(Box::new(Error::limit(message)));
        }
        self.plan_look();
        Ok(())
    }
}
