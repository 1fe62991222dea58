//! Guards against types that contain themselves. Follows the reference's `recursion_guard.rb`.
//!
//! An alias or Object type that contains itself is noted while it is being compared, on the side of the type
//! that asks (this) and of what it is asked about (that). Meeting both again means that nothing new can be
//! found. The depth of calls is counted as well, so that no input can exhaust the stack.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Type;
use super::value_view::ValueView;
use crate::data::fuel::Fuel;
use crate::data::short_str::ShortStr;
use crate::data::value::{RegexpValue, Value};
use bunraku_syntax::diagnostic::Error;

/// How deep types and values are compared; to compare what is nested deeper is an error.
pub(crate) const MAX_DEPTH: u32 = 700;

/// How many steps a comparison takes at most that no compilation watches over: types and values that share
/// their parts have more paths through them than anybody could walk. To take longer is an error.
const MAX_STEPS: u64 = 1 << 26;

/// After so many steps fuel is charged.
const STEPS_BETWEEN_LOOKS: u64 = 1024;
/// So many steps are one of the fuel.
const STEPS_IN_STEP: u64 = 4;

/// From how many steps on answers are kept, so that small comparisons need not keep any.
const FEW_STEPS: u64 = 1_000;

/// Two types and whether the one takes the other.
type Answer = (Type, Type, bool);

/// What a whole comparison has done and found so far. Most are over before there is anything to keep, and
/// cost nothing.
#[derive(Default)]
pub(crate) struct Memo<'m> {
    steps: Cell<u64>,
    /// Who watches, if anybody does.
    fuel: Option<&'m dyn Fuel>,
    /// How many texts were matched with patterns.
    matched: Cell<usize>,
    found: OnceCell<Box<CachedAnswers>>,
}

/// What a comparison keeps.
#[derive(Default)]
struct CachedAnswers {
    /// Why there is no answer, once that is known.
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
/// How many matches are remembered.
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

/// How deep in a comparison we are.
#[derive(Clone, Copy)]
pub(crate) struct Depth<'m> {
    /// Calls within calls.
    pub level: u32,
    memo: &'m Memo<'m>,
}

impl Depth<'_> {
    /// Whether this is too deep, has gone on for too long, or has failed. Counts as a step.
    #[inline]
    pub fn is_exceeded(self) -> bool {
        self.is_exceeded_by(1)
    }

    /// As [`is_exceeded`](Self::is_exceeded), for so many steps at once.
    #[inline]
    pub fn is_exceeded_by(self, more: u64) -> bool {
        let before = self.memo.steps.get();
        let steps = before.saturating_add(more);
        self.memo.steps.set(steps);
        let is_look_due = before / STEPS_BETWEEN_LOOKS != steps / STEPS_BETWEEN_LOOKS;
        (is_look_due || steps > MAX_STEPS || self.level > MAX_DEPTH) && self.is_refused(before, steps)
    }

    /// Whether to go on to so many steps is refused.
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

    /// Whether so many steps are too many.
    fn is_over(self, steps: u64) -> bool {
        steps == u64::MAX || (self.memo.fuel.is_none() && steps > MAX_STEPS)
    }

    /// Notes why there will be no answer; the comparison comes to its end at once.
    pub fn fail(self, error: Error) {
        self.memo.steps.set(u64::MAX);
        self.memo.found().failure.borrow_mut().get_or_insert(error);
    }

    /// The answer about a type and a collection: the one that is known, or what `answer` finds. Only what
    /// others share is met again.
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

    /// The answer about two types: the one that is known, or what `answer` finds. Only types that others
    /// share are met again.
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
        // An answer that time was short for is none.
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

/// Which sides met themselves again.
pub(crate) mod state {
    /// The type that asks.
    pub const THIS: u8 = 1;
    /// What it is asked about.
    pub const THAT: u8 = 2;
    /// Both.
    pub const BOTH: u8 = 3;
}

/// What is being compared. Identities are addresses.
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

    /// Notes an identity on that side for good; gives the state.
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
