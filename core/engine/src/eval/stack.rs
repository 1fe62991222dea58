//! The temporary variables of a scope: those of lambdas, functions and templates, the groups of matches, and
//! parameters whose defaults are being evaluated. These are the reference's ephemeral scopes.
//!
//! All variables are in one list, those of a frame together, so that a call allocates no list of its own.
//! Each has a [`Mark`] of its name, which is compared before the names are. A block other than a call (of an
//! `if`, a `case`) has no variables of its own: its assignments belong to the enclosing call and stay.

use std::cell::OnceCell;
use std::sync::Arc;

use super::variables::BoundParameters;
use bunraku_pcore::Named;
use bunraku_pcore::regexp::Captures;
use bunraku_pcore::value::{Str, Value, shared};
use bunraku_syntax::diagnostic::Error;

/// The stack of one scope; the newest is last.
#[derive(Debug, Default)]
pub(super) struct Stack {
    frames: Vec<Frame>,
    variables: Vec<(Str, Value)>,
    marks: Vec<Mark>,
    /// The hidden lower part: for code that runs in the scope without its stack.
    hidden: Hidden,
    /// The number of frames at the beginning of the innermost block, which cannot be replaced.
    guarded: usize,
    /// The number of frames with parameters.
    parameters: usize,
}

/// The number of hidden frames and variables.
#[derive(Clone, Copy, Debug, Default)]
struct Hidden {
    frames: usize,
    variables: usize,
}

/// The state of a stack before a block, which is restored after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outer {
    frames: usize,
    guarded: usize,
    hidden: Hidden,
}

impl Outer {
    /// The number of the first frame of the block.
    pub const fn first_frame(&self) -> usize {
        self.frames
    }
}

#[derive(Debug)]
enum Frame {
    /// The variables of a lambda, function or template, from this number on.
    Local(usize),
    /// `$0`, `$1` … of a match.
    Match(Groups),
    /// Parameters while their defaults are evaluated.
    Parameters(Box<Parameters>),
}

/// The groups of a match: `$0`, `$1` …
#[derive(Debug)]
pub struct Groups {
    /// The text in which they were found.
    text: Value,
    captures: Captures,
    /// Their values, each made when it is first asked for.
    values: OnceCell<Box<[OnceCell<Value>]>>,
}

impl Groups {
    /// The groups of a match in a text.
    pub const fn new(text: Value, captures: Captures) -> Self {
        Self { text, captures, values: OnceCell::new() }
    }

    fn get(&self, at: usize) -> Option<&Value> {
        let values = self.values.get_or_init(|| self.captures.iter().map(|_| OnceCell::new()).collect());
        let group = || {
            let span = self.captures.get(at).copied().flatten();
            let part = span.and_then(|(start, end)| self.text.as_str()?.get(start..end));
            part.map_or(Value::Undef, |part| self.text.part(part))
        };
        Some(values.get(at)?.get_or_init(group))
    }

    /// The text of a group, of which no value is made; `None` where there is no group or the text has another
    /// encoding.
    fn text(&self, at: usize) -> Option<&str> {
        let Value::String(text) = &self.text else { return None };
        let (start, end) = self.captures.get(at).copied().flatten()?;
        text.get(start..end)
    }
}

/// Parameters while their defaults are evaluated.
#[derive(Debug)]
pub(super) struct Parameters {
    /// The owner, for messages.
    callee: Str,
    /// Their names in the order of declaration.
    names: Arc<Named<()>>,
    /// Their values in this order; `None` is not assigned yet.
    values: Vec<Option<Value>>,
    /// Further arguments.
    more: Named<Value>,
    /// The number of the parameter whose default is evaluated now; nothing may be assigned meanwhile.
    pub evaluating: Option<usize>,
}

/// The result of looking up a name on the stack.
pub(super) enum StackLookup<'s> {
    /// It has this value.
    Value(&'s Value),
    /// It is a group that a match does not have.
    NoGroup,
    /// It is a parameter without a value.
    Unevaluated(&'s Parameters),
}

/// The length up to which a mark is all of a name.
const TOLD: usize = 7;

/// Some bytes of a name and its length: names that differ in it differ, and short names that do not are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    /// The mark of a variable that cannot be found by its name here, because the name has a namespace.
    const QUALIFIED: Self = Self(0);

    /// The mark of a name without a namespace.
    #[inline]
    fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        let number = |part: Option<&[u8; 4]>| part.map_or(0, |part| u64::from(u32::from_le_bytes(*part)));
        let (first, last) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>());
        let few = match *bytes {
            [] => return Self::QUALIFIED,
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
            // Of up to seven bytes, those in the middle are in both numbers.
            _ => number(first) | number(last) >> 8 << 32,
        };
        Self(few | (bytes.len().min(usize::from(u8::MAX)) as u64) << 56)
    }

    /// Whether it tells a name from all others.
    #[inline]
    const fn is_told(self) -> bool {
        matches!((self.0 >> 56) as usize, 1..=TOLD)
    }

    /// The mark of a variable that is kept.
    pub fn of_variable(name: &str) -> Self {
        if name.contains(':') { Self::QUALIFIED } else { Self::of(name) }
    }
}

impl Stack {
    /// Returns the current state for [`restore`](Self::restore); the existing frames cannot be replaced from
    /// here on.
    #[inline]
    pub fn guard(&mut self) -> Outer {
        let frames = self.frames.len();
        let guarded = std::mem::replace(&mut self.guarded, frames);
        Outer { frames, guarded, hidden: self.hidden }
    }

    /// As [`guard`](Self::guard), and also hides all existing variables from here on.
    pub fn hide(&mut self) -> Outer {
        let outer = self.guard();
        self.hidden = Hidden { frames: self.frames.len(), variables: self.variables.len() };
        outer
    }

    /// Takes away the frames that were added since, with their variables.
    #[inline]
    pub fn restore(&mut self, outer: Outer) {
        self.pop_to(outer.frames);
        self.hidden = outer.hidden;
        self.guarded = outer.guarded;
    }

    /// Gives the variables of a block's first frame these values, and takes away the others and all other
    /// frames.
    #[inline]
    pub fn refill<const N: usize>(&mut self, outer: Outer, values: [Value; N]) {
        self.pop_to(outer.frames + 1);
        let Some(&Frame::Local(first)) = self.frames.last() else { return };
        if self.variables.len() > first + N {
            self.variables.truncate(first + N);
            self.marks.truncate(first + N);
        }
        let variables = self.variables.iter_mut().skip(first);
        variables.zip(values).for_each(|((_, variable), value)| *variable = value);
    }

    /// Takes away all frames but this number, with their variables.
    #[inline]
    fn pop_to(&mut self, frames: usize) {
        while self.frames.len() > frames {
            match self.frames.pop() {
                Some(Frame::Local(first)) => {
                    self.variables.truncate(first);
                    self.marks.truncate(first);
                }
                Some(Frame::Parameters(_)) => self.parameters -= 1,
                Some(Frame::Match(_)) | None => {}
            }
        }
    }

    /// Adds a frame with variables.
    pub fn push_local(&mut self, variables: impl Iterator<Item = (Str, Value)>) {
        let first = self.variables.len();
        self.frames.push(Frame::Local(first));
        self.variables.extend(variables);
        let added = self.variables.iter().skip(first);
        self.marks.extend(added.map(|(name, _)| Mark::of_variable(name)));
    }

    /// Adds a frame with variables whose names are known with their marks.
    #[inline]
    pub fn push_marked(&mut self, names: &[Str], marks: &[Mark], values: impl Iterator<Item = Value>) {
        self.frames.push(Frame::Local(self.variables.len()));
        self.variables.extend(names.iter().cloned().zip(values));
        self.marks.extend_from_slice(marks);
    }

    /// Adds parameters.
    pub fn push_parameters(&mut self, parameters: Parameters) {
        self.frames.push(Frame::Parameters(Box::new(parameters)));
        self.parameters += 1;
    }

    /// Adds the groups of a match, in place of those of a match in the same block.
    pub fn set_match(&mut self, groups: Groups) {
        if self.frames.len() > self.guarded
            && let Some(Frame::Match(present)) = self.frames.last_mut()
        {
            *present = groups;
        } else {
            self.frames.push(Frame::Match(groups));
        }
    }

    /// Calls something with all variables.
    pub fn each_mut(&mut self, see: impl Fn(&Str, &mut Value)) {
        self.variables.iter_mut().for_each(|(name, value)| see(name, value));
    }

    fn push(&mut self, name: Str, value: Value) {
        self.marks.push(Mark::of_variable(&name));
        self.variables.push((name, value));
    }

    fn visible(&self) -> &[Frame] {
        self.frames.get(self.hidden.frames..).unwrap_or_default()
    }

    /// The number of the last variable of a name among those from one number up to another.
    #[inline]
    fn position(&self, from: usize, to: usize, name: &str, wanted: Mark) -> Option<usize> {
        let marks = self.marks.get(from..to)?;
        let is_told = wanted.is_told();
        let fits = |at: usize| is_told || self.variables.get(at).is_some_and(|(known, _)| known == name);
        let found = marks.iter().enumerate().rev().find(|&(at, &mark)| mark == wanted && fits(from + at));
        found.map(|(at, _)| from + at)
    }

    /// Looks up a name without a namespace.
    pub fn find(&self, name: &str) -> Option<StackLookup<'_>> {
        let is_group = super::scope::is_match_name(name);
        if self.parameters == 0 && !is_group {
            return self.local(name).map(StackLookup::Value);
        }
        let mut end = self.variables.len();
        for frame in self.visible().iter().rev() {
            match frame {
                Frame::Local(first) => {
                    let found = self
                        .position(*first, end, name, Mark::of(name))
                        .and_then(|at| self.variables.get(at));
                    if let Some((_, value)) = found {
                        return Some(StackLookup::Value(value));
                    }
                    end = *first;
                }
                Frame::Match(groups) if is_group => {
                    let group = name.parse::<usize>().ok().and_then(|at| groups.get(at));
                    return Some(group.map_or(StackLookup::NoGroup, StackLookup::Value));
                }
                Frame::Match(_) => {}
                Frame::Parameters(parameters) => {
                    if let Some(value) = parameters.get(name) {
                        return Some(match value {
                            Some(value) => StackLookup::Value(value),
                            None => StackLookup::Unevaluated(parameters),
                        });
                    }
                }
            }
        }
        None
    }

    /// The newest variable of a name other than that of a match group; preceding parameters are not
    /// considered.
    #[inline]
    pub fn local(&self, name: &str) -> Option<&Value> {
        if self.variables.len() == self.hidden.variables {
            return None;
        }
        let visible = self.hidden.variables..;
        let (variables, marks) = (self.variables.get(visible.clone())?, self.marks.get(visible)?);
        let wanted = Mark::of(name);
        let is_told = wanted.is_told();
        let mut newest_first = marks.iter().zip(variables).rev();
        let found = newest_first.find(|(mark, (known, _))| **mark == wanted && (is_told || known == name));
        found.map(|(_, (_, value))| value)
    }

    /// A group of the newest match, if that has it and no parameters are being evaluated.
    pub fn group(&self, number: usize) -> Option<&Value> {
        self.groups()?.get(number)
    }

    /// As [`group`](Self::group), its text.
    pub fn group_text(&self, number: usize) -> Option<&str> {
        self.groups()?.text(number)
    }

    fn groups(&self) -> Option<&Groups> {
        if self.parameters > 0 {
            return None;
        }
        self.visible().iter().rev().find_map(|frame| match frame {
            Frame::Match(groups) => Some(groups),
            Frame::Local(_) | Frame::Parameters(_) => None,
        })
    }

    /// Whether nothing is on it that code in the scope sees.
    pub fn is_idle(&self) -> bool {
        self.frames.len() == self.hidden.frames
    }

    /// Whether assignments go past it.
    #[inline]
    pub fn takes_no_assignments(&self) -> bool {
        self.visible().iter().all(|frame| matches!(frame, Frame::Match(_)))
    }

    /// Whether parameters are being evaluated.
    pub const fn has_parameters(&self) -> bool {
        self.parameters > 0
    }

    /// Whether an assignment of this name would be a reassignment; none when assignments go past the stack.
    pub fn is_bound(&self, name: &str) -> Option<bool> {
        self.visible().iter().rev().find_map(|frame| match frame {
            Frame::Local(first) => Some(self.in_frame(*first, name).is_some()),
            Frame::Parameters(parameters) => Some(parameters.get(name).is_some()),
            Frame::Match(_) => None,
        })
    }

    /// The number of a variable of the innermost frame, which begins at a number.
    fn in_frame(&self, first: usize, name: &str) -> Option<usize> {
        self.position(first, self.variables.len(), name, Mark::of_variable(name))
    }

    /// Assigns a variable; returns it if assignments go past the stack.
    pub fn set(&mut self, name: Str, value: Value) -> Result<Option<(Str, Value)>, Error> {
        let first = match self.innermost() {
            Some(Frame::Local(first)) => *first,
            _ => return self.add(name, value),
        };
        match self.in_frame(first, &name).and_then(|at| self.variables.get_mut(at)) {
            Some(variable) => variable.1 = value,
            None => self.push(name, value),
        }
        Ok(None)
    }

    /// As [`set`](Self::set), of a variable that is not [bound](Self::is_bound).
    pub fn add(&mut self, name: Str, value: Value) -> Result<Option<(Str, Value)>, Error> {
        match self.innermost() {
            Some(Frame::Local(_)) => self.push(name, value),
            Some(Frame::Parameters(parameters)) => parameters.set(&name, value)?,
            Some(Frame::Match(_)) | None => return Ok(Some((name, value))),
        }
        Ok(None)
    }

    /// Forgets the value of a variable of the frame that assignments go to.
    pub fn let_go(&mut self, name: &str) {
        if let Some(&mut Frame::Local(first)) = self.innermost()
            && let Some(at) = self.in_frame(first, name)
            && let Some((_, value)) = self.variables.get_mut(at)
        {
            *value = Value::Undef;
        }
    }

    /// The frame that assignments go to.
    fn innermost(&mut self) -> Option<&mut Frame> {
        let frames = self.frames.get_mut(self.hidden.frames..)?;
        frames.iter_mut().rev().find(|frame| !matches!(frame, Frame::Match(_)))
    }

    /// The parameters of a frame.
    pub fn parameters(&mut self, frame: usize) -> Option<&mut Parameters> {
        match self.frames.get_mut(frame) {
            Some(Frame::Parameters(parameters)) => Some(parameters),
            Some(Frame::Local(_) | Frame::Match(_)) | None => None,
        }
    }

    /// The variables that are seen, the newest last.
    pub fn variables(&self) -> &[(Str, Value)] {
        self.variables.get(self.hidden.variables..).unwrap_or_default()
    }
}

impl Parameters {
    /// Parameters with these names, none of which has a value yet.
    pub fn new(callee: Str, names: Arc<Named<()>>) -> Self {
        let values = vec![None; names.len()];
        Self { callee, names, values, more: Named::new(), evaluating: None }
    }

    /// The value of a parameter, if it exists, and whether it has a value.
    fn get(&self, name: &str) -> Option<Option<&Value>> {
        match self.names.get_index_of(name) {
            Some(number) => Some(self.value_of(number)),
            None => self.more.get(name).map(Some),
        }
    }

    /// The value of the parameter with a number.
    pub fn value_of(&self, number: usize) -> Option<&Value> {
        self.values.get(number).and_then(Option::as_ref)
    }

    /// Sets the value of a parameter. A name other than those of the parameters is appended.
    pub fn put(&mut self, name: &str, value: Value) {
        match self.names.get_index_of(name).and_then(|number| self.values.get_mut(number)) {
            Some(slot) => *slot = Some(value),
            None => drop(self.more.insert(shared(name), value)),
        }
    }

    /// Gives the parameter with a number its value.
    pub fn put_at(&mut self, number: usize, value: Value) {
        if let Some(slot) = self.values.get_mut(number) {
            *slot = Some(value);
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), Error> {
        if self.evaluating.is_some() {
            return Err(Error::plain(format!(
                "Attempt to assign variable {name} when evaluating parameters"
            )));
        }
        self.put(name, value);
        Ok(())
    }

    /// The parameters that have values, which are theirs no more.
    pub fn take_assigned(&mut self) -> Vec<(Str, Value)> {
        let values = std::mem::take(&mut self.values);
        let named = self.names.keys().zip(values).filter_map(|(name, value)| Some((name.clone(), value?)));
        named.chain(std::mem::take(&mut self.more)).collect()
    }

    /// As [`take_assigned`](Self::take_assigned), in the form of the stack.
    pub fn take_bound(&mut self) -> BoundParameters {
        let (values, more) = (std::mem::take(&mut self.values), std::mem::take(&mut self.more));
        BoundParameters { names: Arc::clone(&self.names), values, more }
    }

    /// The number of a parameter.
    pub fn position(&self, name: &str) -> Option<usize> {
        let beyond = || Some(self.names.len() + self.more.get_index_of(name)?);
        self.names.get_index_of(name).or_else(beyond)
    }

    /// The failure that the use of a parameter without a value is.
    pub fn unevaluated(&self, name: &str) -> Error {
        let callee = &self.callee;
        let from = self.evaluating.filter(|from| self.position(name) >= Some(*from));
        Error::plain(match from.and_then(|from| self.names.get_index(from)) {
            Some((from, ())) => format!(
                "{callee}: default expression for ${from} tries to illegally access not yet evaluated ${name}"
            ),
            None => format!("{callee}: expects a value for parameter ${name}"),
        })
    }
}
