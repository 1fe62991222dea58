//! The limits of one compilation: depth, steps, time, and the size of results. Exceeding a limit is an error
//! with a place.

use std::borrow::Borrow;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::memory::Ledger;
use bunraku_host::Host;
use bunraku_pcore::Value;
use bunraku_pcore::fuel::{BYTES_IN_STEP, Fuel};
use bunraku_pcore::size_cache::ValueSize;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Check;

/// The limits of a compilation. The defaults are far beyond what catalogs take, and keep any program from
/// running or growing for ever.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum nesting of expressions and calls. Independent of this, the parser accepts about one to
    /// five thousand nested constructs (an `else { if … }` counts as four levels, an array as one).
    pub depth: u32,
    /// The maximum number of steps: expressions, calls of lambdas, elements that built-in functions visit,
    /// and one more for each kilobyte of values that an operation reads or makes.
    pub steps: Option<u64>,
    /// The maximum duration of the compilation in seconds of the host's clock.
    pub seconds: Option<u32>,
    /// The maximum processor time of the compilation's thread in seconds; applies if
    /// [`seconds`](Self::seconds) is not set. It uses the host's clock if the host does not know the thread's
    /// processor time.
    pub cpu_seconds: Option<u32>,
    /// The maximum size of a value, approximately in bytes: the bytes of texts, and 16 for each element of
    /// collections; shared parts count each time.
    pub value_size: u64,
    /// The maximum nesting of a value.
    pub value_depth: u32,
    /// The maximum size of the output in bytes: the log, and declarations.
    pub output_size: u64,
    /// The maximum number of resources in a catalog.
    pub resources: usize,
    /// The maximum memory of the compilation at one time in bytes (see [`memory`](crate::memory));
    /// allocations of Ruby or another host do not count.
    pub memory: Option<u64>,
    /// Cancels the compilation from outside.
    pub cancel: Option<Cancel>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 10_000,
            steps: Some(1_000_000_000),
            seconds: None,
            cpu_seconds: Some(300),
            value_size: 1 << 27,
            value_depth: 1000,
            output_size: 1 << 28,
            resources: 500_000,
            memory: Some(1 << 30),
            cancel: None,
        }
    }
}

/// A switch that ends compilations from another thread. Clones are the same switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A switch that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the compilations that have this switch among their limits, and those that will begin with it. May
    /// be called from any thread and from handlers of signals.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The use of the limits.
pub struct Usage<'h> {
    limits: Limits,
    host: &'h dyn Host,
    depth: Cell<u32>,
    /// At how many levels to look at how much is left of the stack.
    next_stack_look: Cell<u32>,
    steps: Cell<u64>,
    /// The number of steps at which the less frequent checks run next.
    next_look: Cell<u64>,
    output: Cell<u64>,
    /// At how many steps to look at the clock of the processor, which takes longer to read than the other.
    next_cpu_look: Cell<u64>,
    /// The conditions that end the compilation, for work without steps.
    pub ends: Ending<'h>,
}

/// The conditions that end a compilation, apart from its host.
#[derive(Clone, Debug)]
pub struct Ends {
    cancel: Option<Cancel>,
    seconds: Option<u32>,
    cpu_seconds: Option<u32>,
    /// When the time is up, by the host's clock.
    until: Option<i64>,
    /// When it is by the clock of the thread's processor.
    cpu_until: Option<Duration>,
    memory: Ledger,
    /// The number of steps at the last check.
    steps: Arc<AtomicU64>,
    /// The name of the work in errors.
    name: &'static str,
}

/// The conditions that end a compilation, with its host.
#[derive(Clone)]
pub struct Ending<'h> {
    ends: Ends,
    host: &'h dyn Host,
}

impl Ending<'_> {
    /// As [`Ends::check`].
    ///
    /// # Errors
    /// Those.
    pub fn check(&self) -> Result<(), Error> {
        self.ends.check(self.host)
    }

    /// The conditions apart from the host.
    pub const fn ends(&self) -> &Ends {
        &self.ends
    }
}

impl Check for Ending<'_> {
    fn check(&self) -> Result<(), Error> {
        Ending::check(self)
    }

    fn check_room(&self, bytes: usize) -> Result<(), Error> {
        self.ends.check_room(self.host, bytes)
    }
}

impl Ends {
    /// Whether the compilation can continue.
    ///
    /// # Errors
    /// It was cancelled, its time is over, or its memory is exhausted.
    pub fn check(&self, host: &dyn Host) -> Result<(), Error> {
        self.check_room(host, 0)
    }

    /// Whether the compilation can continue and take this number of bytes of memory.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_room(&self, host: &dyn Host, bytes: usize) -> Result<(), Error> {
        self.check_cancelled(host)?;
        self.check_time(host)?;
        self.memory.check(bytes)
    }

    fn check_cancelled(&self, host: &dyn Host) -> Result<(), Error> {
        host.check_interrupt(self.steps.load(Ordering::Relaxed))?;
        if self.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            return Err(Error::cancelled(format!("The {} was cancelled", self.name)));
        }
        Ok(())
    }

    fn check_time(&self, host: &dyn Host) -> Result<(), Error> {
        let is_up = self.until.is_some_and(|until| host.now().clock_seconds() >= until)
            || self.cpu_until.is_some_and(|until| host.cpu_time().is_some_and(|used| used >= until));
        if !is_up {
            return Ok(());
        }
        let message = match (self.seconds, self.cpu_seconds) {
            (Some(seconds), _) => format!("The {} took longer than {seconds} seconds", self.name),
            (None, seconds) => {
                let seconds = seconds.unwrap_or_default();
                format!("The {} took longer than {seconds} seconds of the processor", self.name)
            }
        };
        Err(Error::limit(message))
    }
}

/// The number of steps between two checks of cancellation and the clock.
const STEPS_BETWEEN_LOOKS: u64 = 1024;
/// The number of levels between two checks of the remaining stack.
const LEVELS_BETWEEN_STACK_LOOKS: u32 = 32;
/// The number of steps between two checks of the processor's clock.
const STEPS_BETWEEN_CPU_LOOKS: u64 = 1 << 15;
/// From how many bytes on a value that is made is reason to look at the memory that is taken.
const LARGE: u64 = 16 << 10;
/// Texts of fewer bytes are not measured.
const SHORT: u64 = 1 << 10;

impl<'h> Usage<'h> {
    /// Nothing used yet. The time begins now, by the host's clock; the memory is that of the whole
    /// compilation.
    pub fn new(limits: Limits, memory: Ledger, host: &'h dyn Host) -> Self {
        let by_clock = |seconds: u32| host.now().clock_seconds().saturating_add(i64::from(seconds));
        let (until, cpu_until) = match (limits.seconds, limits.cpu_seconds) {
            (Some(seconds), _) => (Some(by_clock(seconds)), None),
            (None, Some(seconds)) => match host.cpu_time() {
                Some(used) => (None, Some(used.saturating_add(Duration::from_secs(seconds.into())))),
                None => (Some(by_clock(seconds)), None),
            },
            (None, None) => (None, None),
        };
        let Limits { cancel, seconds, cpu_seconds, .. } = limits.clone();
        let ends = Ends {
            cancel,
            seconds,
            cpu_seconds,
            until,
            cpu_until,
            memory,
            steps: Arc::default(),
            name: "compilation",
        };
        Self {
            limits,
            host,
            depth: Cell::new(0),
            next_stack_look: Cell::new(0),
            steps: Cell::new(0),
            next_look: Cell::new(1),
            output: Cell::new(0),
            next_cpu_look: Cell::new(STEPS_BETWEEN_CPU_LOOKS),
            ends: Ending { ends, host },
        }
    }

    /// The limits of work outside of compilations: documents, reports, documentation. Its input is the
    /// caller's, so its size is not limited. It ends when it is cancelled, when the host is interrupted, and
    /// after 300 seconds of processor time.
    pub fn of_other_work(cancel: Option<Cancel>, host: &'h dyn Host) -> Self {
        let limits = Limits {
            steps: None,
            memory: None,
            value_size: u64::MAX,
            output_size: u64::MAX,
            resources: usize::MAX,
            cancel,
            ..Limits::default()
        };
        let mut own = Self::new(limits, Ledger::new(None), host);
        own.ends.ends.name = "work";
        own
    }

    /// As [`of_other_work`](Self::of_other_work), for what reads files of modules, or requests of strangers:
    /// it may have as much memory as a compilation.
    pub fn of_reading(cancel: Option<Cancel>, host: &'h dyn Host) -> Self {
        let mut own = Self::of_other_work(cancel, host);
        own.ends.ends.memory = Ledger::new(Limits::default().memory);
        own
    }

    /// The remaining time of the compilation, by the host's clock; `None` means no limit.
    pub fn remaining_time(&self) -> Option<Duration> {
        let now = self.host.now();
        let left = self.ends.ends.until?.saturating_sub(now.clock_seconds());
        let left = Duration::from_secs(u64::try_from(left).unwrap_or_default());
        Some(left.saturating_sub(Duration::from_nanos(u64::from(now.nanoseconds))))
    }

    /// The limits.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Enters a nested expression. Call [`leave`](Self::leave) afterwards if this succeeded.
    ///
    /// # Errors
    /// A limit was exceeded, or the compilation was cancelled.
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

    /// Whether what follows needs a [`further_stack`](bunraku_stacks::further_stack). Each level asks, and
    /// one in some looks.
    #[inline]
    pub fn is_short_of_stack(&self) -> bool {
        let depth = self.depth.get();
        depth >= self.next_stack_look.get() && {
            self.next_stack_look.set(depth + LEVELS_BETWEEN_STACK_LOOKS);
            bunraku_stacks::is_short()
        }
    }

    /// One expression less deep.
    #[inline]
    pub fn leave(&self) {
        let depth = self.depth.get().saturating_sub(1);
        self.depth.set(depth);
        self.next_stack_look.set(self.next_stack_look.get().min(depth + LEVELS_BETWEEN_STACK_LOOKS));
    }

    /// Counts an expression.
    ///
    /// # Errors
    /// A limit was exceeded, or the compilation was cancelled.
    #[inline]
    pub fn step(&self) -> Result<(), Box<Error>> {
        self.charge_steps(1)
    }

    /// Counts steps.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    #[inline]
    pub fn charge_steps(&self, steps: u64) -> Result<(), Box<Error>> {
        let steps = self.steps.get().saturating_add(steps);
        self.steps.set(steps);
        if steps >= self.next_look.get() { self.look(steps) } else { Ok(()) }
    }

    /// Counts the steps of going through a value.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    #[inline]
    pub fn charge_value(&self, value: &Value) -> Result<(), Box<Error>> {
        match value.price() {
            0 => Ok(()),
            steps => self.charge_steps(steps),
        }
    }

    /// Counts the steps of going through values.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    #[inline]
    pub fn charge_all<V: Borrow<Value>>(&self, values: &[V]) -> Result<(), Box<Error>> {
        values.iter().try_for_each(|value| self.charge_value(value.borrow()))
    }

    /// Counts the steps of visiting all of a value this number of times.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn charge_each(&self, times: usize, value: &Value) -> Result<(), Box<Error>> {
        self.charge_steps(value.price().saturating_mul(times as u64))
    }

    /// Counts the steps of comparing two values: no comparison goes further than the smaller one.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    #[inline]
    pub fn charge_comparison(&self, one: &Value, other: &Value) -> Result<(), Box<Error>> {
        match one.price() {
            0 => Ok(()),
            steps => self.charge_steps(steps.min(other.price())),
        }
    }

    /// Counts output.
    pub fn put_out(&self, bytes: u64) -> Result<(), Error> {
        self.charge(bytes / BYTES_IN_STEP)?;
        let output = self.output.get().saturating_add(bytes);
        self.output.set(output);
        let limit = self.limits.output_size;
        if output > limit {
            return Err(Error::limit(format!("More than {limit} bytes were put out")));
        }
        Ok(())
    }

    /// Rejects a value whose parts have this total size; their memory is already allocated.
    #[inline]
    pub fn check_value_size(&self, size: u64) -> Result<(), Error> {
        if size > self.limits.value_size { Err(self.too_great(size)) } else { Ok(()) }
    }

    /// Rejects a text of this number of bytes, or another allocation of this size.
    #[inline]
    pub fn check_size(&self, bytes: usize) -> Result<(), Error> {
        let size = bytes as u64;
        self.check_value_size(size)?;
        if size >= LARGE { self.check_memory(bytes) } else { Ok(()) }
    }

    /// Rejects a collection of this number of elements.
    #[inline]
    pub fn check_count(&self, elements: usize) -> Result<(), Error> {
        let size = (elements as u64).saturating_mul(ValueSize::ONE);
        self.check_value_size(size)?;
        if size >= LARGE { self.check_memory(elements.saturating_mul(size_of::<Value>())) } else { Ok(()) }
    }

    /// Rejects an allocation of this number of bytes.
    #[inline]
    pub fn check_memory(&self, bytes: usize) -> Result<(), Error> {
        self.ends.ends.memory.check(bytes)
    }

    /// Rejects a value that is too large or too deep, or that has exhausted the memory.
    #[inline]
    pub fn check_value(&self, value: &Value) -> Result<(), Error> {
        match value {
            Value::String(text) if (text.len() as u64) < SHORT && self.limits.value_size >= 2 * SHORT => {
                Ok(())
            }
            Value::Array(_)
            | Value::Hash(_)
            | Value::String(_)
            | Value::ByteString(_)
            | Value::Binary(_)
            | Value::Type(_)
            | Value::Sensitive(_)
            | Value::Object(_)
            | Value::Iterator(_) => {
                let total = value.value_size();
                if total.size > self.limits.value_size {
                    return Err(self.too_great(total.size));
                }
                if total.depth > self.limits.value_depth {
                    return Err(nested_too_deep(self.limits.value_depth));
                }
                if total.size >= LARGE { self.check_memory(0) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn too_great(&self, size: u64) -> Error {
        let limit = self.limits.value_size;
        Error::limit(format!("A value of size {size} is greater than the limit {limit}"))
    }

    #[cold]
    fn too_deep(&self) -> Box<Error> {
        Box::new(Error::limit(format!("Expressions and calls nest deeper than {}", self.limits.depth)))
    }

    /// Whether the compilation may still take time.
    ///
    /// # Errors
    /// It may not.
    pub fn check_time(&self) -> Result<(), Error> {
        self.ends.ends.check_time(self.host)
    }

    /// Checks immediately whether the compilation can continue, between pieces of work that are not steps.
    ///
    /// # Errors
    /// A limit is exceeded, or the compilation was cancelled.
    pub fn check(&self) -> Result<(), Error> {
        self.ends.check()
    }

    #[cold]
    fn look(&self, steps: u64) -> Result<(), Box<Error>> {
        let mut next = steps.saturating_add(STEPS_BETWEEN_LOOKS);
        if let Some(limit) = self.limits.steps {
            if steps > limit {
                return Err(Box::new(Error::limit(format!("More than {limit} steps were taken"))));
            }
            next = next.min(limit.saturating_add(1));
        }
        self.ends.ends.steps.store(steps, Ordering::Relaxed);
        self.ends.ends.check_cancelled(self.host)?;
        if self.ends.ends.cpu_until.is_none() || steps >= self.next_cpu_look.get() {
            self.check_time()?;
            self.next_cpu_look.set(steps.saturating_add(STEPS_BETWEEN_CPU_LOOKS));
        }
        self.check_memory(0)?;
        self.next_look.set(next);
        Ok(())
    }
}

impl Fuel for Usage<'_> {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        self.charge_steps(steps).map_err(|error| *error)
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        Usage::check_size(self, bytes)
    }
}

#[cold]
fn nested_too_deep(limit: u32) -> Error {
    Error::limit(format!("A value is nested deeper than {limit}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_host::memory::MemoryHost;
    use bunraku_pcore::value::Timestamp;

    #[test]
    fn expressions_nest_as_deep_as_the_limit_says() {
        let host = MemoryHost::new();
        let usage = Usage::new(Limits { depth: 2, ..Limits::default() }, Ledger::new(None), &host);
        assert!(usage.enter().is_ok() && usage.enter().is_ok());
        for _ in 0..2 {
            assert!(usage.enter().is_err());
        }
        usage.leave();
        assert!(usage.enter().is_ok());
    }

    #[test]
    fn the_time_that_remains_follows_the_clock_of_the_host() {
        let mut host = MemoryHost::new();
        host.now = Timestamp { seconds: 1000, nanoseconds: 0 };
        let ends = |limits: Limits| Usage::new(limits, Ledger::new(None), &host).ends.ends.until;
        let until = ends(Limits { seconds: Some(10), ..Limits::default() });
        for (seconds, nanoseconds, left) in
            [(1000, 0, 10_000), (1003, 250_000_000, 6750), (1010, 0, 0), (1020, 5, 0)]
        {
            host.now = Timestamp { seconds, nanoseconds };
            let mut usage = Usage::new(Limits::default(), Ledger::new(None), &host);
            usage.ends.ends.until = until;
            assert_eq!(usage.remaining_time(), Some(Duration::from_millis(left)), "{seconds}");
        }
        let without = Limits { seconds: None, cpu_seconds: None, ..Limits::default() };
        assert_eq!(Usage::new(without, Ledger::new(None), &host).remaining_time(), None);
    }
}
