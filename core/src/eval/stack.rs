//! What code that runs in a scope has put on it for a while: the variables of lambdas, functions and templates, the
//! groups of matches, and parameters whose defaults are being evaluated. The reference's ephemeral scopes.
//!
//! All variables stand in one list, those of a frame together, so that a call makes no list of its own. Beside each
//! stands a [`mark`] of its name, which is compared before the names are.

use std::rc::Rc;

use crate::diagnostic::Error;
use crate::pcore::value::{Str, Value};

/// The stack of one scope; the newest is last.
#[derive(Debug, Default)]
pub(super) struct Stack {
    frames: Vec<Frame>,
    variables: Vec<(Str, Value)>,
    marks: Vec<u32>,
    /// What lies below is not seen now: code that runs in the scope without what is on its stack.
    hidden: Height,
    /// How many frames there were where the innermost block began; those may not be replaced.
    guarded: usize,
    /// How many of the frames hold parameters.
    parameters: usize,
}

/// How high a stack is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Height {
    frames: usize,
    variables: usize,
}

/// What was true of a stack before a block began, to be restored behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outer {
    height: Height,
    hidden: Height,
    guarded: usize,
}

impl Outer {
    /// The number of the first frame of the block.
    pub const fn first_frame(&self) -> usize {
        self.height.frames
    }
}

#[derive(Debug)]
struct Frame {
    /// The number of its first variable.
    first: usize,
    kind: FrameKind,
}

#[derive(Debug)]
enum FrameKind {
    /// The variables of a lambda, function or template.
    Local,
    /// `$0`, `$1` … of a match.
    Match(Rc<[Value]>),
    /// Parameters while their defaults are evaluated.
    Parameters(Box<Parameters>),
}

/// Parameters while their defaults are evaluated.
#[derive(Debug)]
pub(super) struct Parameters {
    /// Who has them, for messages.
    pub callee: Str,
    /// In the order of declaration, behind them what was given beyond them; `None` is not assigned yet.
    pub values: Vec<(Str, Option<Value>)>,
    /// The parameter whose default is evaluated now; nothing may be assigned meanwhile.
    pub evaluating: Option<Str>,
}

/// What a stack knows of a name.
pub(super) enum Found<'s> {
    /// It has this value.
    Value(&'s Value),
    /// It is a group that a match does not have.
    NoGroup,
    /// It is a parameter without a value.
    Unevaluated(&'s Parameters),
}

/// A few bytes of a name: names that differ in it differ.
fn mark(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else { return 0 };
    let middle = bytes.get(bytes.len() / 2).copied().unwrap_or_default();
    u32::from_le_bytes([bytes.len() as u8, first, middle, last])
}

impl Stack {
    /// What is true now, for [`restore`](Self::restore); the frames that are there may not be replaced from here on.
    pub fn guard(&mut self) -> Outer {
        let frames = self.frames.len();
        let height = Height { frames, variables: self.variables.len() };
        let guarded = std::mem::replace(&mut self.guarded, frames);
        Outer { height, hidden: self.hidden, guarded }
    }

    /// As [`guard`](Self::guard), and nothing that is there is seen from here on.
    pub fn hide(&mut self) -> Outer {
        let outer = self.guard();
        self.hidden = outer.height;
        outer
    }

    /// Takes away what was added since.
    pub fn restore(&mut self, to: Outer) {
        for frame in self.frames.drain(to.height.frames.min(self.frames.len())..) {
            self.parameters -= usize::from(matches!(frame.kind, FrameKind::Parameters(_)));
        }
        self.variables.truncate(to.height.variables);
        self.marks.truncate(to.height.variables);
        self.hidden = to.hidden;
        self.guarded = to.guarded;
    }

    /// Adds a frame with variables.
    pub fn push_local(&mut self, variables: impl Iterator<Item = (Str, Value)>) {
        self.frames.push(Frame { first: self.variables.len(), kind: FrameKind::Local });
        for (name, value) in variables {
            self.push(name, value);
        }
    }

    /// Adds parameters.
    pub fn push_parameters(&mut self, parameters: Parameters) {
        let kind = FrameKind::Parameters(Box::new(parameters));
        self.frames.push(Frame { first: self.variables.len(), kind });
        self.parameters += 1;
    }

    /// Adds the groups of a match, in place of those of a match in the same block.
    pub fn set_match(&mut self, groups: Rc<[Value]>) {
        if self.frames.len() > self.guarded
            && let Some(Frame { kind: FrameKind::Match(present), .. }) = self.frames.last_mut()
        {
            *present = groups;
        } else {
            self.frames.push(Frame { first: self.variables.len(), kind: FrameKind::Match(groups) });
        }
    }

    fn push(&mut self, name: Str, value: Value) {
        self.marks.push(mark(&name));
        self.variables.push((name, value));
    }

    fn visible(&self) -> &[Frame] {
        self.frames.get(self.hidden.frames..).unwrap_or_default()
    }

    /// The number of the last variable of a name among those from one number up to another.
    fn position(&self, from: usize, to: usize, name: &str) -> Option<usize> {
        let wanted = mark(name);
        let marks = self.marks.get(from..to)?;
        let fits = |at: usize| self.variables.get(at).is_some_and(|(known, _)| known == name);
        marks
            .iter()
            .enumerate()
            .rev()
            .find(|&(at, &mark)| mark == wanted && fits(from + at))
            .map(|(at, _)| from + at)
    }

    /// What is known of a name.
    pub fn find(&self, name: &str) -> Option<Found<'_>> {
        let is_group = super::scope::is_match_name(name);
        if self.parameters == 0 && !is_group {
            return self.local(name).map(Found::Value);
        }
        let mut end = self.variables.len();
        for frame in self.visible().iter().rev() {
            match &frame.kind {
                FrameKind::Local => {
                    if let Some(at) = self.position(frame.first, end, name) {
                        return Some(Found::Value(&self.variables[at].1));
                    }
                }
                FrameKind::Match(groups) if is_group => {
                    let group = name.parse::<usize>().ok().and_then(|at| groups.get(at));
                    return Some(group.map_or(Found::NoGroup, Found::Value));
                }
                FrameKind::Match(_) => {}
                FrameKind::Parameters(parameters) => {
                    if let Some((_, value)) = parameters.values.iter().find(|(known, _)| known == name) {
                        return Some(match value {
                            Some(value) => Found::Value(value),
                            None => Found::Unevaluated(parameters),
                        });
                    }
                }
            }
            end = frame.first;
        }
        None
    }

    /// The newest variable of a name that is no group of a match; whether parameters stand before it is not looked at.
    pub fn local(&self, name: &str) -> Option<&Value> {
        let at = self.position(self.hidden.variables, self.variables.len(), name)?;
        self.variables.get(at).map(|(_, value)| value)
    }

    /// Whether parameters are being evaluated.
    pub const fn has_parameters(&self) -> bool {
        self.parameters > 0
    }

    /// Whether an assignment of this name would be a reassignment; none when assignments go past the stack.
    pub fn is_bound(&self, name: &str) -> Option<bool> {
        self.visible().iter().rev().find_map(|frame| match &frame.kind {
            FrameKind::Local => Some(self.position(frame.first, self.variables.len(), name).is_some()),
            FrameKind::Parameters(parameters) => {
                Some(parameters.values.iter().any(|(known, _)| known == name))
            }
            FrameKind::Match(_) => None,
        })
    }

    /// Assigns a variable; gives it back when assignments go past the stack.
    pub fn set(&mut self, name: Str, value: Value) -> Result<Option<(Str, Value)>, Error> {
        let mut first = None;
        let hidden = self.hidden.frames;
        for frame in self.frames.iter_mut().skip(hidden).rev() {
            match &mut frame.kind {
                FrameKind::Local => {
                    first = Some(frame.first);
                    break;
                }
                FrameKind::Parameters(parameters) => return parameters.set(name, value).map(|()| None),
                FrameKind::Match(_) => {}
            }
        }
        let Some(first) = first else { return Ok(Some((name, value))) };
        match self.position(first, self.variables.len(), &name).and_then(|at| self.variables.get_mut(at)) {
            Some(variable) => variable.1 = value,
            None => self.push(name, value),
        }
        Ok(None)
    }

    /// The parameters of a frame.
    pub fn parameters(&mut self, frame: usize) -> Option<&mut Parameters> {
        match self.frames.get_mut(frame) {
            Some(Frame { kind: FrameKind::Parameters(parameters), .. }) => Some(parameters),
            Some(Frame { kind: FrameKind::Local | FrameKind::Match(_), .. }) | None => None,
        }
    }

    /// The variables that are seen, the newest last.
    pub fn variables(&self) -> &[(Str, Value)] {
        self.variables.get(self.hidden.variables..).unwrap_or_default()
    }
}

impl Parameters {
    /// Gives a parameter its value. A name that is not among them is added behind them.
    pub fn put(&mut self, name: Str, value: Value) {
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = Some(value),
            None => self.values.push((name, Some(value))),
        }
    }

    fn set(&mut self, name: Str, value: Value) -> Result<(), Error> {
        if self.evaluating.is_some() {
            return Err(Error::plain(format!(
                "Attempt to assign variable {name} when evaluating parameters"
            )));
        }
        self.put(name, value);
        Ok(())
    }

    /// The failure that the use of a parameter without a value is.
    pub fn unevaluated(&self, name: &str) -> Error {
        let callee = &self.callee;
        let position = |name: &str| self.values.iter().position(|(known, _)| known == name);
        Error::plain(match &self.evaluating {
            Some(from) if position(name) >= position(from) => format!(
                "{callee}: default expression for ${from} tries to illegally access not yet evaluated ${name}"
            ),
            Some(_) | None => format!("{callee}: expects a value for parameter ${name}"),
        })
    }
}
