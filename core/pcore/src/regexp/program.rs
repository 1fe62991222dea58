//! Makes a program of a pattern that is not regular, for the search that goes back ([`super::search`]).

use std::collections::BTreeSet;

use super::characters::Characters;
use super::{PatternError, WEIGHT_IN_STEP, emit, linear};
use crate::data::fuel::Fuel;
use bunraku_syntax::pattern::Pattern;
use bunraku_syntax::pattern::ast::{Anchor, Node, RepeatKind};

/// A step of a program. Addresses are indices of instructions.
#[derive(Clone, Debug)]
pub(super) enum Inst {
    /// Matches a text.
    Text(Box<str>),
    /// A text that folds to this.
    Folded(Box<[char]>),
    /// One character.
    One(One),
    /// One character again and again.
    Span { one: One, least: u32, most: u32, kind: RepeatKind },
    /// A position.
    Anchor(Anchor),
    /// Goes on at an address.
    Jump(usize),
    /// Continues with the next instruction, and on failure at the address.
    Try(usize),
    /// Continues at the address, and on failure with the next instruction.
    TryElse(usize),
    /// Notes the position in a slot.
    Save(usize),
    /// The beginning of a called group.
    Open(usize),
    /// The end of a called group.
    Close(usize),
    /// Runs the group at an address, then continues with the next instruction.
    Call(usize),
    /// The end of a group that is called.
    Return,
    /// The beginning of an atomic part.
    Mark,
    /// Its end.
    Cut,
    /// The end of a look-around: returns to its beginning.
    CutBack,
    /// The beginning of a negative look-around; continues at the address if it does not match.
    MarkNot(usize),
    /// Its end.
    CutNot,
    /// So many characters back.
    Back(u64),
    /// The beginning of a repetition that is counted.
    LoopEnter,
    /// Another round, or on at the address.
    LoopStep(Rounds),
    /// The end of a round; the address is that of the step.
    LoopEnd { step: usize, least: u32, is_endless: bool },
    /// Behind the repetition.
    LoopLeave,
    /// The text that a group matched: the first of these that did.
    Reference { groups: Box<[usize]>, fold: bool },
    /// Continues with the next instruction if the group matched, otherwise at the address.
    IfMatched(usize, usize),
    /// Matches the longest text that does not contain a match of the following instructions up to the next
    /// [`Inst::Matched`]; continues at the address.
    Absent(usize),
    /// The end of the whole, or of an absent part.
    Matched,
}

/// The bounds of a repetition, and the address after it.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    pub least: u32,
    pub most: u32,
    pub kind: RepeatKind,
    pub exit: usize,
}

/// A condition for one character.
#[derive(Clone, Debug)]
pub(super) enum One {
    Is(char),
    Any,
    NotNewline,
    In(Box<Characters>),
}

impl One {
    /// Whether a character is it.
    #[inline]
    pub fn is(&self, c: char) -> bool {
        match self {
            Self::Is(wanted) => *wanted == c,
            Self::Any => true,
            Self::NotNewline => c != '\n',
            Self::In(set) => set.contains(c),
        }
    }

    fn may_begin_with(&self, byte: u8) -> bool {
        match self {
            Self::Is(wanted) => begins(*wanted, byte),
            Self::Any => true,
            Self::NotNewline => byte != b'\n',
            Self::In(set) => set.may_begin_with(byte),
        }
    }
}

fn begins(c: char, byte: u8) -> bool {
    c.encode_utf8(&mut [0; 4]).as_bytes().first() == Some(&byte)
}

/// The positions that a search must try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// Everywhere.
    Anywhere,
    /// At the beginning of the text.
    Text,
    /// Only the beginning of the search.
    Search,
    /// At the beginnings of lines.
    Line,
    /// The occurrences of this text.
    Literal(Box<str>),
    /// The occurrences of these bytes.
    Bytes(Box<[bool; 256]>),
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub code: Vec<Inst>,
    pub start: Start,
    /// The number of capturing groups.
    pub groups: usize,
}

impl Program {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// A set that is too large, in the words of the `regex` crate; the fuel runs out.
    pub fn new(pattern: &Pattern, fuel: &dyn Fuel) -> Result<Self, PatternError> {
        let mut called = BTreeSet::new();
        calls(&pattern.root, &mut called);
        let mut compiler =
            Compiler { fuel, code: Vec::new(), groups: 0, called, begins: Vec::new(), open: Vec::new() };
        if compiler.called.contains(&0) {
            let call = compiler.push(Inst::Call(2));
            compiler.push(Inst::Matched);
            compiler.note_begin(0, call + 2);
            compiler.node(&pattern.root)?;
            compiler.push(Inst::Return);
        } else {
            compiler.node(&pattern.root)?;
            compiler.push(Inst::Matched);
        }
        for (at, group) in std::mem::take(&mut compiler.open) {
            let begin = compiler.begins.get(group).copied().unwrap_or_default();
            compiler.set(at, Inst::Call(begin));
        }
        let start = start(&pattern.root)?;
        Ok(Self { code: compiler.code, start, groups: compiler.groups })
    }
}

/// Adds the groups that are called.
fn calls(node: &Node, called: &mut BTreeSet<usize>) {
    match node {
        Node::Call { group, .. } => {
            called.insert(*group);
        }
        Node::Capture(body)
        | Node::Look { body, .. }
        | Node::Atomic(body)
        | Node::Absent(body)
        | Node::Repeat { body, .. } => calls(body, called),
        Node::Concat(parts) | Node::Alternatives(parts) => parts.iter().for_each(|part| calls(part, called)),
        Node::Conditional { yes, no, .. } => {
            calls(yes, called);
            calls(no, called);
        }
        Node::Empty
        | Node::Literal { .. }
        | Node::Folded(_)
        | Node::Any { .. }
        | Node::Class { .. }
        | Node::Anchor(_)
        | Node::Backreference { .. } => {}
    }
}

/// The one character that a node is.
fn one(node: &Node) -> Result<Option<One>, PatternError> {
    Ok(Some(match node {
        Node::Literal { character, fold } => match emit::folded(*character, *fold) {
            Some(set) => One::In(Box::new(Characters::new(&set)?)),
            None => One::Is(*character),
        },
        Node::Any { newline: true } => One::Any,
        Node::Any { newline: false } => One::NotNewline,
        Node::Class { class, fold } => One::In(Box::new(Characters::new(&emit::class(class, *fold))?)),
        _ => return Ok(None),
    }))
}

struct Compiler<'m> {
    fuel: &'m dyn Fuel,
    code: Vec<Inst>,
    /// The number of groups so far.
    groups: usize,
    called: BTreeSet<usize>,
    /// The addresses of called groups.
    begins: Vec<usize>,
    /// Calls whose address is not known yet, and the groups that they call.
    open: Vec<(usize, usize)>,
}

impl Compiler<'_> {
    fn push(&mut self, inst: Inst) -> usize {
        self.code.push(inst);
        self.code.len() - 1
    }

    fn set(&mut self, at: usize, inst: Inst) {
        if let Some(place) = self.code.get_mut(at) {
            *place = inst;
        }
    }

    /// The one character that a node is. Sets take long to make.
    fn one(&self, node: &Node) -> Result<Option<One>, PatternError> {
        if matches!(node, Node::Class { .. } | Node::Literal { fold: true, .. }) {
            self.fuel.charge(linear::weight(node).div_ceil(WEIGHT_IN_STEP) as u64)?;
        }
        one(node)
    }

    fn note_begin(&mut self, group: usize, at: usize) {
        if self.begins.len() <= group {
            self.begins.resize(group + 1, 0);
        }
        if let Some(begin) = self.begins.get_mut(group) {
            *begin = at;
        }
    }

    fn node(&mut self, node: &Node) -> Result<(), PatternError> {
        if let Some(one) = self.one(node)? {
            self.push(Inst::One(one));
            return Ok(());
        }
        match node {
            Node::Empty | Node::Literal { .. } | Node::Any { .. } | Node::Class { .. } => {}
            Node::Folded(text) => {
                self.push(Inst::Folded(text.clone()));
            }
            Node::Anchor(Anchor::Keep) => {
                self.push(Inst::Save(0));
            }
            Node::Anchor(anchor) => {
                self.push(Inst::Anchor(*anchor));
            }
            Node::Capture(body) => self.capture(body)?,
            Node::Look { behind, negated, body } => self.look(*behind, *negated, body)?,
            Node::Atomic(body) => self.atomic(|compiler| compiler.node(body))?,
            Node::Absent(body) => {
                let absent = self.push(Inst::Absent(0));
                self.node(body)?;
                self.push(Inst::Matched);
                self.set(absent, Inst::Absent(self.code.len()));
            }
            Node::Concat(parts) => self.concat(parts)?,
            Node::Alternatives(branches) => {
                self.alternatives(branches, &|compiler, branch| compiler.node(branch))?
            }
            Node::Repeat { body, least, most, kind: RepeatKind::Possessive } => {
                self.atomic(|compiler| compiler.repeat(body, *least, *most, RepeatKind::Greedy))?;
            }
            Node::Repeat { body, least, most, kind } => self.repeat(body, *least, *most, *kind)?,
            Node::Backreference { groups, fold } => {
                let groups = groups.iter().rev().copied().collect();
                self.push(Inst::Reference { groups, fold: *fold });
            }
            Node::Call { group, .. } => {
                let at = self.push(Inst::Call(0));
                self.open.push((at, *group));
            }
            Node::Conditional { group, yes, no } => {
                let test = self.push(Inst::Jump(0));
                self.node(yes)?;
                let jump = self.push(Inst::Jump(0));
                self.set(test, Inst::IfMatched(*group, self.code.len()));
                self.node(no)?;
                self.set(jump, Inst::Jump(self.code.len()));
            }
        }
        Ok(())
    }

    /// A group. A called group is compiled where it is written, and also called there.
    fn capture(&mut self, body: &Node) -> Result<(), PatternError> {
        self.groups += 1;
        let group = self.groups;
        if !self.called.contains(&group) {
            self.push(Inst::Save(2 * group));
            self.node(body)?;
            self.push(Inst::Save(2 * group + 1));
            return Ok(());
        }
        let call = self.push(Inst::Jump(0));
        let jump = self.push(Inst::Jump(0));
        self.set(call, Inst::Call(self.code.len()));
        self.note_begin(group, self.code.len());
        self.push(Inst::Open(group));
        self.node(body)?;
        self.push(Inst::Close(group));
        self.push(Inst::Return);
        self.set(jump, Inst::Jump(self.code.len()));
        Ok(())
    }

    fn atomic(
        &mut self,
        body: impl FnOnce(&mut Self) -> Result<(), PatternError>,
    ) -> Result<(), PatternError> {
        self.push(Inst::Mark);
        body(self)?;
        self.push(Inst::Cut);
        Ok(())
    }

    fn look(&mut self, behind: bool, negated: bool, body: &Node) -> Result<(), PatternError> {
        let mark = self.push(Inst::Mark);
        if behind {
            let branches = match body {
                Node::Alternatives(branches) => branches.as_slice(),
                other => std::slice::from_ref(other),
            };
            self.alternatives(branches, &|compiler, branch| {
                compiler.push(Inst::Back(branch.fixed_length().unwrap_or_default()));
                compiler.node(branch)
            })?;
        } else {
            self.node(body)?;
        }
        if negated {
            self.push(Inst::CutNot);
            self.set(mark, Inst::MarkNot(self.code.len()));
        } else {
            self.push(Inst::CutBack);
        }
        Ok(())
    }

    /// Parts in a row; characters that are just themselves become one text.
    fn concat(&mut self, parts: &[Node]) -> Result<(), PatternError> {
        let mut text = String::new();
        for part in parts {
            match plain(part) {
                Some(character) => text.push(character),
                None => {
                    self.text(&mut text);
                    self.node(part)?;
                }
            }
        }
        self.text(&mut text);
        Ok(())
    }

    fn text(&mut self, text: &mut String) {
        if !text.is_empty() {
            self.push(Inst::Text(std::mem::take(text).into()));
        }
    }

    fn alternatives(
        &mut self,
        branches: &[Node],
        write: &dyn Fn(&mut Self, &Node) -> Result<(), PatternError>,
    ) -> Result<(), PatternError> {
        let mut jumps = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                write(self, branch)?;
                break;
            }
            let attempt = self.push(Inst::Try(0));
            write(self, branch)?;
            jumps.push(self.push(Inst::Jump(0)));
            self.set(attempt, Inst::Try(self.code.len()));
        }
        for jump in jumps {
            self.set(jump, Inst::Jump(self.code.len()));
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        body: &Node,
        least: u32,
        most: Option<u32>,
        kind: RepeatKind,
    ) -> Result<(), PatternError> {
        let is_lazy = kind == RepeatKind::Lazy;
        let attempt = |to| if is_lazy { Inst::TryElse(to) } else { Inst::Try(to) };
        if let Some(one) = self.one(body)? {
            self.push(Inst::Span { one, least, most: most.unwrap_or(u32::MAX), kind });
            return Ok(());
        }
        match (least, most) {
            (0, Some(1)) => {
                // `Try` continues after itself, `TryElse` at its address, here first.
                let at = self.push(Inst::Jump(0));
                self.node(body)?;
                self.set(at, attempt(self.code.len()));
            }
            (0 | 1, None) if !body.can_be_empty() => {
                let start = self.code.len();
                if least == 0 {
                    let at = self.push(Inst::Jump(0));
                    self.node(body)?;
                    self.push(Inst::Jump(start));
                    self.set(at, attempt(self.code.len()));
                } else {
                    self.node(body)?;
                    // Back to the start, or on, whichever is wanted first.
                    self.push(if is_lazy { Inst::Try(start) } else { Inst::TryElse(start) });
                }
            }
            _ => {
                self.push(Inst::LoopEnter);
                let step = self.push(Inst::Jump(0));
                self.node(body)?;
                self.push(Inst::LoopEnd { step, least, is_endless: most.is_none() });
                let exit = self.push(Inst::LoopLeave);
                self.set(step, Inst::LoopStep(Rounds { least, most: most.unwrap_or(u32::MAX), kind, exit }));
            }
        }
        Ok(())
    }
}

/// The character that a node is, and nothing else.
fn plain(node: &Node) -> Option<char> {
    match node {
        Node::Literal { character, fold } if emit::folded(*character, *fold).is_none() => Some(*character),
        _ => None,
    }
}

/// The possible beginnings of matches of a pattern.
fn start(root: &Node) -> Result<Start, PatternError> {
    let mut first = root;
    let mut literal = String::new();
    loop {
        first = match first {
            Node::Capture(body) | Node::Atomic(body) => body,
            Node::Concat(parts) => {
                literal = parts.iter().map_while(plain).collect();
                match parts.first() {
                    Some(part) => part,
                    None => break,
                }
            }
            _ => break,
        };
    }
    match first {
        Node::Anchor(Anchor::TextStart) => return Ok(Start::Text),
        Node::Anchor(Anchor::SearchStart) => return Ok(Start::Search),
        Node::Anchor(Anchor::LineStart) => return Ok(Start::Line),
        _ => {}
    }
    if literal.is_empty() {
        literal.extend(plain(first));
    }
    if !literal.is_empty() {
        return Ok(Start::Literal(literal.into()));
    }
    let mut bytes = Box::new([false; 256]);
    let is_known = add_first(root, &mut bytes)? == First::Known;
    Ok(if is_known && bytes.iter().any(|byte| !byte) { Start::Bytes(bytes) } else { Start::Anywhere })
}

/// The first byte of the matches of a node, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// It is one of those.
    Known,
    /// It is, or the node matches nothing.
    OrNothing,
    /// It may be any.
    Any,
}

/// Adds the bytes with which a match may begin.
fn add_first(node: &Node, bytes: &mut [bool; 256]) -> Result<First, PatternError> {
    if let Some(one) = one(node)? {
        for (byte, may) in (0..=u8::MAX).zip(bytes.iter_mut()) {
            *may |= one.may_begin_with(byte);
        }
        return Ok(First::Known);
    }
    Ok(match node {
        Node::Empty | Node::Anchor(_) | Node::Look { .. } => First::OrNothing,
        Node::Capture(body) | Node::Atomic(body) => add_first(body, bytes)?,
        Node::Concat(parts) => {
            for part in parts {
                match add_first(part, bytes)? {
                    First::OrNothing => {}
                    found => return Ok(found),
                }
            }
            First::OrNothing
        }
        Node::Alternatives(branches) => {
            let mut all = First::Known;
            for branch in branches {
                match (add_first(branch, bytes)?, all) {
                    (First::Any, _) => return Ok(First::Any),
                    (First::OrNothing, _) => all = First::OrNothing,
                    _ => {}
                }
            }
            all
        }
        Node::Repeat { body, least, .. } => match add_first(body, bytes)? {
            First::Known if *least == 0 => First::OrNothing,
            found => found,
        },
        _ => First::Any,
    })
}
