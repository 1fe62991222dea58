//! Runs programs of patterns that are not regular: it backtracks as Ruby's engine (Onigmo) does, and charges
//! fuel, so that no pattern can block the end of a compilation.

use super::Captures;
use super::program::{Inst, One, Program, Rounds, Start};
use crate::data::fuel::Fuel;
use bunraku_syntax::case;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::pattern::ast::{Anchor, RepeatKind};

/// The number of instructions between two charges of fuel.
const INSTRUCTIONS_BETWEEN_LOOKS: u32 = 1024;
/// So many instructions are one step of fuel.
const INSTRUCTIONS_IN_STEP: u32 = 4;
/// The maximum nesting of absent parts.
const MAX_DEPTH: u32 = 200;
/// No position, no scope.
const NONE: usize = usize::MAX;

/// Finds the first match at or after a position.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub(super) fn search(
    program: &Program,
    text: &str,
    from: usize,
    fuel: &dyn Fuel,
) -> Result<Option<Captures>, Error> {
    let slots = vec![NONE; 2 * (program.groups + 1)];
    let (frames, scopes) = (Vec::new(), Vec::new());
    let (scope, spent, depth) = (NONE, 0, 0);
    let mut search =
        Search { program, text, from, end: text.len(), fuel, slots, frames, scopes, scope, spent, depth };
    let found = search.first()?;
    search.settle()?;
    Ok(found.then(|| search.captures()))
}

/// Where to continue after a failure.
enum Frame {
    /// At an instruction and a position, in a scope of those that there were.
    Way { pc: usize, at: usize, scope: usize, scopes: usize },
    /// The slot had another value.
    Slot { slot: usize, old: usize },
    /// As `Way`, with one character less of a repetition, as long as `low` is not reached.
    Less { pc: usize, at: usize, low: usize, scope: usize, scopes: usize },
    /// At the instruction of a repetition, with one more character, of at most `left`.
    More { pc: usize, at: usize, left: u32, scope: usize, scopes: usize },
}

/// The scope of the current part: a call, a repetition or a mark. Its creator defines the meaning of the
/// numbers. Scopes never change, so that a frame only needs the index of its scope.
#[derive(Clone, Copy)]
struct Scope {
    outer: usize,
    number: usize,
    at: usize,
}

struct Search<'a> {
    program: &'a Program,
    text: &'a str,
    /// The beginning of the search.
    from: usize,
    /// The current end of the text.
    end: usize,
    fuel: &'a dyn Fuel,
    /// Beginnings and ends of the match and its groups.
    slots: Vec<usize>,
    frames: Vec<Frame>,
    scopes: Vec<Scope>,
    scope: usize,
    spent: u32,
    depth: u32,
}

impl Search<'_> {
    /// Tries where a match can begin.
    fn first(&mut self) -> Result<bool, Error> {
        let mut at = self.from;
        while let Some(start) = self.next_start(at) {
            if self.run(0, start)? {
                return Ok(true);
            }
            if start >= self.text.len() {
                break;
            }
            at = start + self.width_at(start);
        }
        Ok(false)
    }

    /// The next position at or after `at` where a match can begin.
    fn next_start(&self, at: usize) -> Option<usize> {
        let rest = self.text.as_bytes().get(at..)?;
        match &self.program.start {
            Start::Anywhere => Some(at),
            Start::Text => (at == 0).then_some(0),
            Start::Search => (at == self.from).then_some(at),
            Start::Line if at == 0 => Some(0),
            Start::Line => {
                let before = self.text.as_bytes().get(at - 1..)?;
                memchr::memchr(b'\n', before).map(|found| at + found)
            }
            Start::Literal(literal) => memchr::memmem::find(rest, literal.as_bytes()).map(|found| at + found),
            Start::Bytes(bytes) => {
                let begins = |byte: &u8| bytes.get(usize::from(*byte)).copied().unwrap_or_default();
                rest.iter().position(begins).map(|found| at + found)
            }
        }
    }

    /// The number of bytes of the character at a position.
    fn width_at(&self, at: usize) -> usize {
        self.character(at).map_or(1, char::len_utf8)
    }

    /// The character at a position.
    #[inline]
    fn character(&self, at: usize) -> Option<char> {
        if at >= self.end {
            return None;
        }
        match self.text.as_bytes().get(at) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.text.get(at..)?.chars().next(),
        }
    }

    /// The character before a position.
    fn character_before(&self, at: usize) -> Option<char> {
        match self.text.as_bytes().get(at.checked_sub(1)?) {
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            _ => self.text.get(..at)?.chars().next_back(),
        }
    }

    fn captures(&self) -> Captures {
        let group = |pair: &[usize]| match *pair {
            [start, end] if start != NONE && end != NONE => Some((start.min(end), end)),
            _ => None,
        };
        self.slots.chunks(2).map(group).collect()
    }

    /// Counts instructions, and charges fuel from time to time.
    #[inline]
    fn charge_steps(&mut self, instructions: usize) -> Result<(), Error> {
        self.spent = self.spent.saturating_add(u32::try_from(instructions).unwrap_or(u32::MAX));
        if self.spent >= INSTRUCTIONS_BETWEEN_LOOKS { self.settle() } else { Ok(()) }
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.fuel.charge(u64::from(self.spent / INSTRUCTIONS_IN_STEP))?;
        self.spent = 0;
        let (frames, scopes) = (size_of_val(self.frames.as_slice()), size_of_val(self.scopes.as_slice()));
        self.fuel.check_size(frames + scopes)
    }

    /// Runs the program from an instruction and a position to its match. A failure restores the state.
    fn run(&mut self, pc: usize, at: usize) -> Result<bool, Error> {
        let floor = self.frames.len();
        let (scope, scopes) = (self.scope, self.scopes.len());
        let (start, mut pc, mut at) = (at, pc, at);
        loop {
            self.charge_steps(1)?;
            let program = self.program;
            let Some(inst) = program.code.get(pc) else { return Ok(false) };
            let next = match inst {
                Inst::Matched => {
                    if floor == 0 {
                        if let Some(slot) = self.slots.first_mut().filter(|slot| **slot == NONE) {
                            *slot = start;
                        }
                        if let Some(slot) = self.slots.get_mut(1) {
                            *slot = at;
                        }
                    }
                    return Ok(true);
                }
                inst => self.step(inst, pc, at)?,
            };
            (pc, at) = match next.or_else(|| self.back(floor)) {
                Some(next) => next,
                None => {
                    self.scope = scope;
                    self.scopes.truncate(scopes);
                    return Ok(false);
                }
            };
        }
    }

    /// Goes back to the latest way that is still open above the floor.
    fn back(&mut self, floor: usize) -> Option<(usize, usize)> {
        while self.frames.len() > floor {
            match self.frames.pop()? {
                Frame::Slot { slot, old } => self.restore(slot, old),
                Frame::Way { pc, at, scope, scopes } => {
                    self.enter(scope, scopes);
                    return Some((pc, at));
                }
                Frame::Less { pc, mut at, low, scope, scopes } => {
                    // Where a text must follow, other positions need not be tried.
                    let wanted = match self.program.code.get(pc) {
                        Some(Inst::Text(text)) => text.as_bytes().first().copied(),
                        _ => None,
                    };
                    while at > low {
                        at -= self.character_before(at).map_or(1, char::len_utf8);
                        self.spent = self.spent.saturating_add(1);
                        if wanted.is_none() || self.text.as_bytes().get(at).copied() == wanted {
                            self.enter(scope, scopes);
                            if at > low {
                                self.frames.push(Frame::Less { pc, at, low, scope, scopes });
                            }
                            return Some((pc, at));
                        }
                    }
                }
                Frame::More { pc, at, left, scope, scopes } => {
                    let Some(Inst::Span { one, .. }) = self.program.code.get(pc) else { continue };
                    if let Some(c) = self.character(at).filter(|c| one.is(*c)) {
                        let at = at + c.len_utf8();
                        self.enter(scope, scopes);
                        if left > 1 {
                            self.frames.push(Frame::More { pc, at, left: left - 1, scope, scopes });
                        }
                        return Some((pc + 1, at));
                    }
                }
            }
        }
        None
    }

    fn enter(&mut self, scope: usize, scopes: usize) {
        self.scope = scope;
        self.scopes.truncate(scopes);
    }

    fn restore(&mut self, slot: usize, old: usize) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = old;
        }
    }

    fn way(&mut self, pc: usize, at: usize) {
        let (scope, scopes) = (self.scope, self.scopes.len());
        self.frames.push(Frame::Way { pc, at, scope, scopes });
    }

    fn save(&mut self, slot: usize, at: usize) {
        if let Some(place) = self.slots.get_mut(slot) {
            let old = std::mem::replace(place, at);
            self.frames.push(Frame::Slot { slot, old });
        }
    }

    fn open(&mut self, number: usize, at: usize) {
        self.scopes.push(Scope { outer: self.scope, number, at });
        self.scope = self.scopes.len() - 1;
    }

    fn close(&mut self) -> Option<Scope> {
        let scope = *self.scopes.get(self.scope)?;
        self.scope = scope.outer;
        Some(scope)
    }

    /// Forgets the ways above a height, and keeps what slots had.
    fn cut(&mut self, height: usize) {
        let mut kept = height;
        for index in height..self.frames.len() {
            if matches!(self.frames.get(index), Some(Frame::Slot { .. })) {
                self.frames.swap(kept, index);
                kept += 1;
            }
        }
        self.frames.truncate(kept);
    }

    /// Undoes everything above a height.
    fn undo(&mut self, height: usize) {
        while self.frames.len() > height {
            if let Some(Frame::Slot { slot, old }) = self.frames.pop() {
                self.restore(slot, old);
            }
        }
    }

    /// Runs one instruction: returns where to continue, or `None` on failure.
    fn step(&mut self, inst: &Inst, pc: usize, at: usize) -> Result<Option<(usize, usize)>, Error> {
        let on = |at| Some((pc + 1, at));
        Ok(match inst {
            Inst::Text(text) => {
                let end = at + text.len();
                let stands = end <= self.end && self.text.as_bytes().get(at..end) == Some(text.as_bytes());
                stands.then_some((pc + 1, end))
            }
            Inst::One(one) => match self.character(at) {
                Some(c) if one.is(c) => on(at + c.len_utf8()),
                _ => None,
            },
            Inst::Span { one, least, most, kind } => self.span(one, *least, *most, *kind, pc, at)?,
            Inst::Anchor(anchor) => self.is_at(*anchor, at).then_some((pc + 1, at)),
            Inst::Jump(to) => Some((*to, at)),
            Inst::Try(otherwise) => {
                self.way(*otherwise, at);
                on(at)
            }
            Inst::TryElse(first) => {
                self.way(pc + 1, at);
                Some((*first, at))
            }
            Inst::Save(slot) => {
                self.save(*slot, at);
                on(at)
            }
            Inst::Open(group) => {
                self.open(0, at);
                self.save(2 * group, at);
                on(at)
            }
            Inst::Close(group) => {
                let start = self.close().map_or(at, |scope| scope.at);
                self.save(2 * group, start);
                self.save(2 * group + 1, at);
                on(at)
            }
            Inst::Call(to) => {
                self.open(pc + 1, at);
                Some((*to, at))
            }
            Inst::Return => self.close().map(|call| (call.number, at)),
            Inst::Mark => {
                self.open(self.frames.len(), at);
                on(at)
            }
            Inst::Cut => {
                if let Some(mark) = self.close() {
                    self.cut(mark.number);
                }
                on(at)
            }
            Inst::CutBack => self.close().map(|mark| {
                self.cut(mark.number);
                (pc + 1, mark.at)
            }),
            Inst::MarkNot(otherwise) => {
                let height = self.frames.len();
                self.way(*otherwise, at);
                self.open(height, at);
                on(at)
            }
            Inst::CutNot => {
                if let Some(mark) = self.close() {
                    self.undo(mark.number);
                }
                None
            }
            Inst::Back(count) => self.back_by(*count, at).map(|at| (pc + 1, at)),
            Inst::LoopEnter => {
                self.open(0, at);
                on(at)
            }
            Inst::LoopStep(rounds) => Some((self.next_round(rounds, pc + 1, at), at)),
            Inst::LoopEnd { step, least, is_endless } => self.close().map(|round| {
                let count = round.number.saturating_add(1);
                self.open(count, at);
                // A round that matched nothing would repeat for ever.
                let is_stuck = *is_endless && round.at == at && count >= *least as usize;
                (if is_stuck { pc + 1 } else { *step }, at)
            }),
            Inst::LoopLeave => {
                self.close();
                on(at)
            }
            Inst::Folded(wanted) => {
                self.charge_steps(wanted.len())?;
                let text = self.text.get(..self.end).unwrap_or_default();
                folded_end(text, at, wanted).map(|at| (pc + 1, at))
            }
            Inst::Reference { groups, fold } => self.reference(groups, *fold, at)?.map(|at| (pc + 1, at)),
            Inst::IfMatched(group, otherwise) => {
                Some((if self.group(*group).is_some() { pc + 1 } else { *otherwise }, at))
            }
            Inst::Absent(to) => self.absent(pc + 1, at)?.map(|end| {
                if end > at {
                    let (scope, scopes) = (self.scope, self.scopes.len());
                    self.frames.push(Frame::Less { pc: *to, at: end, low: at, scope, scopes });
                }
                (*to, end)
            }),
            Inst::Matched => None,
        })
    }

    /// The next address after a round of a repetition: the round, or the exit.
    #[inline]
    fn next_round(&mut self, rounds: &Rounds, round: usize, at: usize) -> usize {
        let count = self.scopes.get(self.scope).map_or(0, |scope| scope.number);
        if count < rounds.least as usize {
            return round;
        }
        if count >= rounds.most as usize && rounds.most != u32::MAX {
            return rounds.exit;
        }
        let is_lazy = rounds.kind == RepeatKind::Lazy;
        let (first, otherwise) = if is_lazy { (rounds.exit, round) } else { (round, rounds.exit) };
        self.way(otherwise, at);
        first
    }

    /// A character again and again.
    fn span(
        &mut self,
        one: &One,
        least: u32,
        most: u32,
        kind: RepeatKind,
        pc: usize,
        start: usize,
    ) -> Result<Option<(usize, usize)>, Error> {
        let (mut at, mut low, mut count) = (start, start, 0);
        let wanted = if kind == RepeatKind::Lazy { least } else { most };
        while count < wanted {
            let Some(c) = self.character(at).filter(|c| one.is(*c)) else { break };
            at += c.len_utf8();
            count += 1;
            if count == least {
                low = at;
            }
            if count % INSTRUCTIONS_BETWEEN_LOOKS == 0 {
                self.charge_steps(INSTRUCTIONS_BETWEEN_LOOKS as usize / 4)?;
            }
        }
        if count < least {
            return Ok(None);
        }
        let (scope, scopes) = (self.scope, self.scopes.len());
        if kind == RepeatKind::Lazy {
            let left = if most == u32::MAX { u32::MAX } else { most - least };
            if left > 0 {
                self.frames.push(Frame::More { pc, at, left, scope, scopes });
            }
        } else if at > low {
            self.frames.push(Frame::Less { pc: pc + 1, at, low, scope, scopes });
        }
        Ok(Some((pc + 1, at)))
    }

    fn back_by(&self, count: u64, mut at: usize) -> Option<usize> {
        for _ in 0..count {
            at -= self.character_before(at)?.len_utf8();
        }
        Some(at)
    }

    fn is_at(&self, anchor: Anchor, at: usize) -> bool {
        let is_word = |c: char| regex_syntax::is_word_character(c);
        let before = || self.character_before(at);
        let after = || self.character(at);
        match anchor {
            // For Ruby, no line follows a newline that ends the text.
            Anchor::LineStart => at == 0 || (before() == Some('\n') && at < self.end),
            Anchor::LineEnd => matches!(after(), None | Some('\n')),
            Anchor::TextStart => at == 0,
            Anchor::TextEnd => at >= self.end,
            Anchor::TextEndOrNewline => at >= self.end || (after() == Some('\n') && at + 1 == self.end),
            Anchor::WordBoundary => before().is_some_and(is_word) != after().is_some_and(is_word),
            Anchor::NotWordBoundary => before().is_some_and(is_word) == after().is_some_and(is_word),
            Anchor::SearchStart => at == self.from,
            Anchor::Keep => true,
        }
    }

    /// The span of a group that matched.
    fn group(&self, group: usize) -> Option<(usize, usize)> {
        let (start, end) = (*self.slots.get(2 * group)?, *self.slots.get(2 * group + 1)?);
        (start != NONE && end != NONE).then_some((start, end))
    }

    /// The text of the first of these groups that matched and also occurs here.
    fn reference(&mut self, groups: &[usize], fold: bool, at: usize) -> Result<Option<usize>, Error> {
        for group in groups {
            let Some((start, end)) = self.group(*group) else { continue };
            // A group that has begun once more and not ended matched nothing yet.
            let wanted = self.text.get(start..end).unwrap_or_default();
            self.charge_steps(1 + wanted.len() / 16)?;
            let rest = self.text.get(at..self.end).unwrap_or_default();
            if !fold {
                if rest.starts_with(wanted) {
                    return Ok(Some(at + wanted.len()));
                }
                continue;
            }
            let (mut found, mut stands) = (rest.chars(), true);
            for c in wanted.chars() {
                stands = stands && found.next().is_some_and(|other| case::fold([c]) == case::fold([other]));
            }
            if stands {
                return Ok(Some(self.end - found.as_str().len()));
            }
        }
        Ok(None)
    }

    /// The end of the longest text from here that does not contain a match of the part at an instruction.
    fn absent(&mut self, pc: usize, from: usize) -> Result<Option<usize>, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(Error::limit("regular expression: too deep nest level"));
        }
        self.depth += 1;
        let end = self.end;
        let (mut bound, mut at) = (Some(end), from);
        while let Some(limit) = bound.filter(|limit| at <= *limit) {
            if self.stands(pc, at, limit)? {
                // The shortest match here decides.
                let mut shortest = at;
                while shortest < limit && !self.stands(pc, at, shortest)? {
                    self.end = end;
                    shortest += self.width_at(shortest);
                }
                self.end = end;
                bound = if shortest > from {
                    Some(shortest - self.character_before(shortest).map_or(1, char::len_utf8))
                } else {
                    None
                };
            }
            self.end = end;
            at += self.width_at(at);
        }
        self.end = end;
        self.depth -= 1;
        Ok(bound)
    }

    /// Whether the part at an instruction matches the text between two positions.
    fn stands(&mut self, pc: usize, at: usize, end: usize) -> Result<bool, Error> {
        self.end = end;
        let (height, scope, scopes) = (self.frames.len(), self.scope, self.scopes.len());
        // A frame to come back to, so that this is a run of its own.
        self.frames.push(Frame::Slot { slot: NONE, old: NONE });
        let found = self.run(pc, at)?;
        self.undo(height);
        self.enter(scope, scopes);
        Ok(found)
    }
}

/// The end of a text at a position that folds to these characters.
fn folded_end(text: &str, at: usize, wanted: &[char]) -> Option<usize> {
    let rest = text.get(at..)?;
    let (mut left, mut characters) = (wanted, rest.chars());
    while !left.is_empty() {
        left = left.strip_prefix(&*case::fold([characters.next()?]))?;
    }
    Some(at + rest.len() - characters.as_str().len())
}
