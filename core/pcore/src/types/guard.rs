//! Guards against types that contain themselves. Follows the reference's `recursion_guard.rb`.
//!
//! An alias or Object type that contains itself is recorded while it is being compared, on the left side
//! (this) or the right side (that) of the comparison. When both are found again, nothing new can result. The
//! depth of calls is counted as well, so that no input can exhaust the stack.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Type;
use super::value_view::ValueView;
use crate::data::fuel::Fuel;
use crate::data::short_str::ShortStr;
use crate::data::value::{RegexpValue, Value};
use bunraku_syntax::diagnostic::Error;

/// The maximum depth of compared types and values; exceeding it is an error.
pub(crate) const MAX_DEPTH: u32 = 700;

/// The maximum number of steps of a comparison outside of compilations: types and values that share their
/// parts have too many paths to walk. Exceeding it is an error.
const MAX_STEPS: u64 = 1 << 26;

/// The number of steps between two charges of fuel.
const STEPS_BETWEEN_LOOKS: u64 = 1024;
/// So many steps are one of the fuel.
const STEPS_IN_STEP: u64 = 4;

/// From how many steps on answers are kept, so that small comparisons need not keep any.
const FEW_STEPS: u64 = 1_000;

/// Two types and whether the one takes the other.
type Answer = (Type, Type, bool);

/// The state and the results of a whole comparison. Most end before anything needs to be kept, and cost
/// nothing.
#[derive(Default)]
pub(crate) struct Memo<'m> {
    steps: Cell<u64>,
    /// The fuel, if there is any.
    fuel: Option<&'m dyn Fuel>,
    /// The `Init` types whose arguments are being found out.
    pending: Pending<'m>,
    /// The number of texts that were matched with patterns.
    matched: Cell<usize>,
    found: OnceCell<Box<CachedAnswers>>,
}

/// The `Init` types whose arguments are being found out, the last one first: those of an Object type may
/// depend on an `Init` of itself. Until they are known the reference asks such a type for what it makes
/// alone.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pending<'p>(Option<&'p Init<'p>>);

/// An `Init` type, and those that led to it.
pub(crate) struct Init<'p> {
    pub this: &'p Type,
    pub outer: Pending<'p>,
}

impl<'p> Pending<'p> {
    /// With one more.
    pub const fn with(init: &'p Init<'p>) -> Self {
        Self(Some(init))
    }

    /// Whether there is none.
    pub const fn is_none(self) -> bool {
        self.0.is_none()
    }

    /// Whether a type is one of them.
    pub fn includes(self, init: &Type) -> bool {
        let mut next = self.0;
        while let Some(one) = next {
            if one.this == init {
                return true;
            }
            next = one.outer.0;
        }
        false
    }

    /// Whether a type accepts another one meanwhile.
    ///
    /// # Errors
    /// It cannot be decided.
    pub fn check_assignable(self, this: &Type, that: &Type) -> Result<bool, Error> {
        let memo = Memo { pending: self, ..Memo::default() };
        let answer = super::assign::assignable(this, that, None, memo.start());
        memo.finish(answer)
    }
}

/// The results of a comparison.
#[derive(Default)]
struct CachedAnswers {
    /// The reason why it cannot be decided, once it is known.
    failure: RefCell<Option<Error>>,
    /// Answers by the addresses of both types, which are kept alive so that the addresses stay theirs.
    answers: RefCell<FxHashMap<(usize, usize), Answer>>,
    /// Answers by the addresses of a type and a value.
    instances: RefCell<Instances>,
    /// The last short texts that were matched, in turn: large data has the same ones again and again.
    matches: RefCell<[Option<Match>; RECENT]>,
}

/// From how many texts on matches are remembered.
const FEW_MATCHES: usize = 16;
/// The number of remembered matches.
const RECENT: usize = 4;

/// A pattern, a text, and whether it matches.
type Match = (Arc<RegexpValue>, ShortStr, bool);

/// Whether values are instances of types, by the addresses of both.
type Instances = FxHashMap<(usize, usize), (Type, Value, bool)>;

impl<'m> Memo<'m> {
    /// Nothing done yet, with fuel.
    pub fn new(fuel: &'m dyn Fuel) -> Self {
        Self { fuel: Some(fuel), ..Self::default() }
    }

    /// The beginning of a comparison.
    pub fn start<'s>(&'s self) -> Depth<'s>
    where
        'm: 's,
    {
        Depth { level: 0, memo: self }
    }

    /// The answer of a comparison.
    ///
    /// # Errors
    /// When it found none: the types or values are nested too deeply, it would take too long, or a type in it
    /// cannot be asked anything (an `Init` of what cannot be made).
    pub fn finish(self, answer: bool) -> Result<bool, Error> {
        self.found.into_inner().and_then(|found| found.failure.into_inner()).map_or(Ok(answer), Err)
    }

    #[inline]
    fn found(&self) -> &CachedAnswers {
        self.found.get_or_init(Box::default)
    }
}

/// The current depth of a comparison.
#[derive(Clone, Copy)]
pub(crate) struct Depth<'m> {
    /// Calls within calls.
    pub level: u32,
    memo: &'m Memo<'m>,
}

impl<'m> Depth<'m> {
    /// The `Init` types whose arguments are being found out.
    pub const fn pending(self) -> Pending<'m> {
        self.memo.pending
    }

    /// Whether this is too deep, has gone on for too long, or has failed. Counts as a step.
    #[inline]
    pub fn is_exceeded(self) -> bool {
        self.is_exceeded_by(1)
    }

    /// As [`is_exceeded`](Self::is_exceeded), for several steps at once.
    #[inline]
    pub fn is_exceeded_by(self, more: u64) -> bool {
        let before = self.memo.steps.get();
        let steps = before.saturating_add(more);
        self.memo.steps.set(steps);
        let is_look_due = before / STEPS_BETWEEN_LOOKS != steps / STEPS_BETWEEN_LOOKS;
        (is_look_due || steps > MAX_STEPS || self.level > MAX_DEPTH) && self.is_refused(before, steps)
    }

    /// Whether continuing to this number of steps is refused.
    #[cold]
    fn is_refused(self, before: u64, steps: u64) -> bool {
        let looks = steps / STEPS_BETWEEN_LOOKS - before / STEPS_BETWEEN_LOOKS;
        if looks > 0
            && let Some(fuel) = self.memo.fuel
            && let Err(error) = fuel.charge(looks.saturating_mul(STEPS_BETWEEN_LOOKS / STEPS_IN_STEP))
        {
            self.fail(error);
            return true;
        }
        if self.level <= MAX_DEPTH && !self.is_over(steps) {
            return false;
        }
        let why = if steps > MAX_STEPS { "take too long to compare" } else { "are nested too deeply" };
        self.fail(Error::limit(format!("the types or values {why}")));
        true
    }

    /// Whether this number of steps is too large.
    fn is_over(self, steps: u64) -> bool {
        steps == u64::MAX || (self.memo.fuel.is_none() && steps > MAX_STEPS)
    }

    /// Notes why there will be no answer; the comparison comes to its end at once.
    pub fn fail(self, error: Error) {
        self.memo.steps.set(u64::MAX);
        self.memo.found().failure.borrow_mut().get_or_insert(error);
    }

    /// The result for a type and a collection: a cached one, or that of `answer`. Only shared objects can
    /// occur again.
    #[inline]
    pub fn answer_instance<S: ValueView>(
        self,
        this: &Type,
        subject: S,
        answer: impl FnOnce() -> bool,
    ) -> bool {
        if self.memo.steps.get() < FEW_STEPS {
            return answer();
        }
        match subject.shared_collection() {
            Some(value) => self.answer_shared(this, subject, value, answer),
            None => answer(),
        }
    }

    #[inline(never)]
    fn answer_shared<S: ValueView>(
        self,
        this: &Type,
        subject: S,
        value: Value,
        answer: impl FnOnce() -> bool,
    ) -> bool {
        let key = (this.address(), subject.identity());
        let instances = &self.memo.found().instances;
        if let Some((_, _, known)) = instances.borrow().get(&key) {
            return *known;
        }
        let found = answer();
        if !self.is_over(self.memo.steps.get()) {
            instances.borrow_mut().insert(key, (this.clone(), value, found));
        }
        found
    }

    /// Whether a pattern matches a text: as it did before, or what `answer` finds.
    #[inline]
    pub fn answer_match(self, pattern: &Arc<RegexpValue>, text: &str, answer: impl FnOnce() -> bool) -> bool {
        let turn = self.memo.matched.get();
        if turn < FEW_MATCHES {
            self.memo.matched.set(turn + 1);
            return answer();
        }
        let Some(text) = ShortStr::of(text) else { return answer() };
        let matches = &self.memo.found().matches;
        for (of, known, found) in matches.borrow().iter().flatten() {
            if *known == text && Arc::ptr_eq(of, pattern) {
                return *found;
            }
        }
        let found = answer();
        self.memo.matched.set(FEW_MATCHES + turn.wrapping_add(1) % RECENT);
        if !self.is_over(self.memo.steps.get())
            && let Some(place) = matches.borrow_mut().get_mut(turn % RECENT)
        {
            *place = Some((Arc::clone(pattern), text, found));
        }
        found
    }

    /// The result for two types: a cached one, or that of `answer`. Only shared types can occur again.
    pub fn answer(self, this: &Type, that: &Type, answer: impl FnOnce() -> bool) -> bool {
        if self.memo.steps.get() < FEW_STEPS || !this.is_shared() || !that.is_shared() {
            return answer();
        }
        let key = (this.address(), that.address());
        let answers = &self.memo.found().answers;
        if let Some((_, _, known)) = answers.borrow().get(&key) {
            return *known;
        }
        let found = answer();
        // A result that was cut short does not count.
        if !self.is_over(self.memo.steps.get()) {
            answers.borrow_mut().insert(key, (this.clone(), that.clone(), found));
        }
        found
    }
}

impl Fuel for Depth<'_> {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        if let Some(fuel) = self.memo.fuel {
            return fuel.charge(steps);
        }
        let all = self.memo.steps.get().saturating_add(steps);
        self.memo.steps.set(all);
        if self.is_over(all) {
            Err(Error::limit("the types or values take too long to compare"))
        } else {
            Ok(())
        }
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        self.memo.fuel.map_or(Ok(()), |fuel| fuel.check_size(bytes))
    }
}

impl std::ops::Add<u32> for Depth<'_> {
    type Output = Self;
    fn add(self, more: u32) -> Self {
        Self { level: self.level + more, ..self }
    }
}

/// The sides that contain themselves.
pub(crate) mod state {
    /// The type that asks.
    pub const THIS: u8 = 1;
    /// The right side.
    pub const THAT: u8 = 2;
    /// Both.
    pub const BOTH: u8 = 3;
}

/// The objects being compared. Identities are addresses.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    state: u8,
    this: Vec<usize>,
    that: Vec<usize>,
}

impl Guard {
    /// Notes an identity on this side while `body` runs, which gets the state.
    pub fn with_this<T>(&mut self, identity: usize, body: impl FnOnce(&mut Guard, u8) -> T) -> T {
        if self.state & state::THIS == 0 {
            if self.this.contains(&identity) {
                self.state |= state::THIS;
            } else {
                self.this.push(identity);
                let state = self.state;
                let result = body(self, state);
                self.state &= !state::THIS;
                self.this.retain(|noted| *noted != identity);
                return result;
            }
        }
        let state = self.state;
        body(self, state)
    }

    /// Notes an identity on that side while `body` runs, which gets the state.
    pub fn with_that<T>(&mut self, identity: usize, body: impl FnOnce(&mut Guard, u8) -> T) -> T {
        if self.state & state::THAT == 0 {
            if self.that.contains(&identity) {
                self.state |= state::THAT;
            } else {
                self.that.push(identity);
                let state = self.state;
                let result = body(self, state);
                self.state &= !state::THAT;
                self.that.retain(|noted| *noted != identity);
                return result;
            }
        }
        let state = self.state;
        body(self, state)
    }

    /// Records an identity on that side permanently; returns the state.
    pub fn add_that(&mut self, identity: usize) -> u8 {
        if self.state & state::THAT == 0 {
            if self.that.contains(&identity) {
                self.state |= state::THAT;
            } else {
                self.that.push(identity);
            }
        }
        self.state
    }
}
