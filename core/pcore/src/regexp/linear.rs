//! Searches that would take long for regular patterns: all ways are walked side by side, so that the time is
//! at most the pattern's size times the text's, and fuel is charged on the way. The `regex` crate is faster,
//! but cannot be stopped.

use regex_automata::nfa::thompson::{Compiler, Config, NFA, State};
use regex_automata::util::look::LookMatcher;
use regex_automata::util::primitives::StateID;

use super::{Captures, MAX_PROGRAM_SIZE};
use crate::data::fuel::Fuel;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::pattern::ast::{Class, ClassItem, Node};

/// So many states that were visited are one step of fuel.
const STATES_IN_STEP: usize = 4;
/// The number of states between two charges of fuel.
const STATES_BETWEEN_LOOKS: usize = 4096;
/// A slot without a position.
const NONE: usize = usize::MAX;

/// About how many states a pattern takes.
pub(super) fn weight(node: &Node) -> usize {
    let sum = |parts: &[Node]| parts.iter().fold(1_usize, |all, part| all.saturating_add(weight(part)));
    match node {
        Node::Empty | Node::Anchor(_) | Node::Literal { fold: false, .. } => 1,
        Node::Literal { .. } => 4,
        Node::Folded(text) => text.len().saturating_mul(16),
        Node::Any { .. } => 8,
        Node::Class { class, fold } if !*fold && is_plain(class) => 1,
        Node::Class { class, .. } => 100_usize.saturating_add(items(class)),
        Node::Capture(body) => weight(body).saturating_add(2),
        Node::Concat(parts) | Node::Alternatives(parts) => sum(parts),
        Node::Repeat { body, least, most, .. } => {
            let times = most.unwrap_or(*least).max(1) as usize;
            weight(body).saturating_add(1).saturating_mul(times)
        }
        _ => 1,
    }
}

/// About how many ranges a set is written with.
fn items(class: &Class) -> usize {
    let item = |item: &ClassItem| match item {
        ClassItem::Range(..) => 1,
        ClassItem::Named(_) | ClassItem::Narrow(_) => 100,
        ClassItem::Nested(class) => items(class).saturating_add(100),
    };
    class.operands.iter().flatten().map(item).fold(0, usize::saturating_add)
}

/// Whether a set is of characters in ASCII that are written out.
fn is_plain(class: &Class) -> bool {
    let is_ascii = |item: &ClassItem| matches!(item, ClassItem::Range(_, last) if last.is_ascii());
    !class.negated && class.operands.iter().flatten().all(is_ascii)
}

/// The automaton of a pattern in the syntax of the `regex` crate.
pub(super) fn automaton(pattern: &str) -> Option<NFA> {
    Compiler::new().configure(Config::new().nfa_size_limit(Some(MAX_PROGRAM_SIZE))).build(pattern).ok()
}

/// Finds the first match at or after a position.
///
/// # Errors
/// The fuel runs out, or the work is cancelled.
pub(super) fn search(
    automaton: &NFA,
    text: &str,
    from: usize,
    fuel: &dyn Fuel,
) -> Result<Option<Captures>, Error> {
    let slots = automaton.group_info().slot_len();
    fuel.check_size(
        automaton.states().len().saturating_mul(2 * size_of::<usize>()).saturating_mul(slots + 2),
    )?;
    let mut walk = Walk {
        automaton,
        text: text.as_bytes(),
        looks: LookMatcher::new(),
        open: Vec::new(),
        visited: automaton.states().len() / 16,
    };
    let (mut here, mut next) = (Ways::new(automaton, slots), Ways::new(automaton, slots));
    let mut fresh = vec![NONE; slots];
    let mut found: Option<Vec<usize>> = None;
    let mut at = from;
    while at <= text.len() {
        if here.order.is_empty() && found.is_some() {
            break;
        }
        if found.is_none() && text.is_char_boundary(at) {
            walk.follow(automaton.start_anchored(), at, &mut fresh, &mut here);
        }
        for index in 0..here.order.len() {
            let Some(&id) = here.order.get(index) else { break };
            let to = match automaton.state(id) {
                State::Match { .. } => {
                    found = Some(here.slots(id).to_vec());
                    break;
                }
                State::ByteRange { trans } => trans.matches(walk.text, at).then_some(trans.next),
                State::Sparse(sparse) => sparse.matches(walk.text, at),
                State::Dense(dense) => dense.matches(walk.text, at),
                _ => None,
            };
            if let Some(to) = to {
                fresh.copy_from_slice(here.slots(id));
                walk.follow(to, at + 1, &mut fresh, &mut next);
            }
        }
        fresh.fill(NONE);
        std::mem::swap(&mut here, &mut next);
        next.clear();
        walk.visited += 1 + here.order.len();
        if walk.visited >= STATES_BETWEEN_LOOKS {
            fuel.charge((walk.visited / STATES_IN_STEP) as u64)?;
            walk.visited = 0;
        }
        at += 1;
    }
    fuel.charge((walk.visited / STATES_IN_STEP) as u64)?;
    let group = |pair: &[usize]| match *pair {
        [start, end] if start != NONE && end != NONE => Some((start, end)),
        _ => None,
    };
    Ok(found.map(|slots| slots.chunks(2).map(group).collect()))
}

/// The open states at a position, highest priority first, with their captures.
struct Ways {
    order: Vec<StateID>,
    is_open: Vec<bool>,
    noted: Vec<usize>,
    slots: usize,
}

impl Ways {
    fn new(automaton: &NFA, slots: usize) -> Self {
        let states = automaton.states().len();
        Self { order: Vec::new(), is_open: vec![false; states], noted: vec![NONE; states * slots], slots }
    }

    fn slots(&self, id: StateID) -> &[usize] {
        let start = id.as_usize() * self.slots;
        self.noted.get(start..start + self.slots).unwrap_or_default()
    }

    fn clear(&mut self) {
        for id in self.order.drain(..) {
            if let Some(is_open) = self.is_open.get_mut(id.as_usize()) {
                *is_open = false;
            }
        }
    }
}

/// A state to follow.
enum Open {
    State(StateID),
    /// Restores a slot.
    Slot(usize, usize),
}

struct Walk<'a> {
    automaton: &'a NFA,
    text: &'a [u8],
    looks: LookMatcher,
    open: Vec<Open>,
    visited: usize,
}

impl Walk<'_> {
    /// Opens a state and all that can be reached from it without a character.
    fn follow(&mut self, from: StateID, at: usize, slots: &mut [usize], ways: &mut Ways) {
        self.open.push(Open::State(from));
        while let Some(open) = self.open.pop() {
            match open {
                Open::State(id) => self.enter(id, at, slots, ways),
                Open::Slot(slot, old) => {
                    if let Some(place) = slots.get_mut(slot) {
                        *place = old;
                    }
                }
            }
        }
    }

    fn enter(&mut self, mut id: StateID, at: usize, slots: &mut [usize], ways: &mut Ways) {
        loop {
            match ways.is_open.get_mut(id.as_usize()) {
                Some(is_open) if !*is_open => *is_open = true,
                _ => return,
            }
            self.visited += 1;
            ways.order.push(id);
            match self.automaton.state(id) {
                State::Look { look, next } => {
                    if !self.looks.matches(*look, self.text, at) {
                        return;
                    }
                    id = *next;
                }
                State::Union { alternates } => {
                    let Some((first, rest)) = alternates.split_first() else { return };
                    self.open.extend(rest.iter().rev().map(|id| Open::State(*id)));
                    id = *first;
                }
                State::BinaryUnion { alt1, alt2 } => {
                    self.open.push(Open::State(*alt2));
                    id = *alt1;
                }
                State::Capture { next, slot, .. } => {
                    if let Some(place) = slots.get_mut(slot.as_usize()) {
                        self.open.push(Open::Slot(slot.as_usize(), std::mem::replace(place, at)));
                    }
                    id = *next;
                }
                State::Fail
                | State::Match { .. }
                | State::ByteRange { .. }
                | State::Sparse(_)
                | State::Dense(_) => {
                    let start = id.as_usize() * ways.slots;
                    if let Some(noted) = ways.noted.get_mut(start..start + ways.slots) {
                        noted.copy_from_slice(slots);
                    }
                    return;
                }
            }
        }
    }
}
