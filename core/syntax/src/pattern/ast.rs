//! The syntax tree of a pattern in Ruby's syntax, made by [`super::parse`]; `pcore` compiles it for an
//! engine.

/// A part of a pattern.
#[derive(Clone, Debug)]
pub enum Node {
    /// Always matches the empty text.
    Empty,
    /// One character, compared without case when `fold`.
    Literal { character: char, fold: bool },
    /// A text compared without case, in its folded form: every text that folds to it matches, even with fewer
    /// or more characters.
    Folded(Box<[char]>),
    /// `.`; with newlines under `(?m)`.
    Any { newline: bool },
    /// A set of characters.
    Class { class: Class, fold: bool },
    /// A position.
    Anchor(Anchor),
    /// `(…)`; groups are numbered in the order in which they open.
    Capture(Box<Node>),
    /// `(?=…)` and its like.
    Look { behind: bool, negated: bool, body: Box<Node> },
    /// `(?>…)`
    Atomic(Box<Node>),
    /// `(?~…)`
    Absent(Box<Node>),
    /// One after the other.
    Concat(Vec<Node>),
    /// One of several alternatives.
    Alternatives(Vec<Node>),
    /// A repetition.
    Repeat { body: Box<Node>, least: u32, most: Option<u32>, kind: RepeatKind },
    /// The text of a group; for several groups of one name, the last declared one that matched.
    Backreference { groups: Vec<usize>, fold: bool },
    /// The pattern of a group again, and its length, if that is constant.
    Call { group: usize, length: Option<u64> },
    /// `(?(1)yes|no)`; 0 stands for a group that does not capture.
    Conditional { group: usize, yes: Box<Node>, no: Box<Node> },
}

/// The backtracking of a repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatKind {
    Greedy,
    Lazy,
    Possessive,
}

/// The positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    LineStart,
    LineEnd,
    TextStart,
    TextEnd,
    TextEndOrNewline,
    WordBoundary,
    NotWordBoundary,
    SearchStart,
    Keep,
}

/// A set of characters: a union of items, intersected with all further sets (`&&`).
#[derive(Clone, Debug, Default)]
pub struct Class {
    /// `[^…]`
    pub negated: bool,
    /// The operands of `&&`; one without `&&`.
    pub operands: Vec<Vec<ClassItem>>,
}

/// A member of a set.
#[derive(Clone, Debug)]
pub enum ClassItem {
    /// From one character to another, both included.
    Range(char, char),
    /// A set in the syntax of the `regex` crate, such as `\p{L}`; complete, so that it is valid inside
    /// brackets.
    Named(String),
    /// As `Named`. Without case, its ASCII letters do not match non-ASCII characters, nor vice versa.
    Narrow(String),
    /// A set within the set.
    Nested(Class),
}

impl Class {
    /// The character of the set, if it is the only one.
    pub fn only(&self) -> Option<char> {
        match (self.negated, self.operands.as_slice()) {
            (false, [items]) => match items.as_slice() {
                [ClassItem::Range(first, last)] if first == last => Some(*first),
                _ => None,
            },
            _ => None,
        }
    }

    /// The set with this `name` (in the syntax of the `regex` crate).
    pub fn named(name: impl Into<String>) -> Self {
        Self { negated: false, operands: vec![vec![ClassItem::Named(name.into())]] }
    }
}

impl Node {
    /// Whether this can match the empty text.
    pub fn can_be_empty(&self) -> bool {
        match self {
            Self::Empty | Self::Anchor(_) | Self::Look { .. } | Self::Absent(_) => true,
            Self::Backreference { .. } | Self::Call { .. } => true,
            Self::Literal { .. } | Self::Folded(_) | Self::Any { .. } | Self::Class { .. } => false,
            Self::Capture(body) | Self::Atomic(body) => body.can_be_empty(),
            Self::Concat(parts) => parts.iter().all(Self::can_be_empty),
            Self::Alternatives(parts) => parts.iter().any(Self::can_be_empty),
            Self::Repeat { body, least, .. } => *least == 0 || body.can_be_empty(),
            Self::Conditional { yes, no, .. } => yes.can_be_empty() || no.can_be_empty(),
        }
    }

    /// The number of characters that this matches, if it is constant.
    pub fn fixed_length(&self) -> Option<u64> {
        match self {
            Self::Call { length, .. } => *length,
            _ => self.length(&mut |_| None),
        }
    }

    /// As [`fixed_length`](Self::fixed_length), where calls are not told yet how long their groups are.
    pub(super) fn length(&self, called: &mut dyn FnMut(usize) -> Option<u64>) -> Option<u64> {
        match self {
            Self::Empty | Self::Anchor(_) | Self::Look { .. } | Self::Absent(_) => Some(0),
            Self::Literal { .. } | Self::Any { .. } | Self::Class { .. } => Some(1),
            Self::Capture(body) | Self::Atomic(body) => body.length(called),
            Self::Concat(parts) => {
                parts.iter().try_fold(0_u64, |sum, part| Some(sum.saturating_add(part.length(called)?)))
            }
            Self::Alternatives(parts) => {
                let mut lengths = parts.iter().map(|part| part.length(called));
                let first = lengths.next()??;
                lengths.all(|length| length == Some(first)).then_some(first)
            }
            Self::Folded(text) => Some(text.len() as u64),
            Self::Repeat { body, least, most, .. } if *most == Some(*least) => {
                Some(body.length(called)?.saturating_mul(u64::from(*least)))
            }
            Self::Call { group, length } => length.or_else(|| called(*group)),
            Self::Conditional { yes, no, .. } => {
                let length = yes.length(called)?;
                (matches!(**no, Self::Empty) || no.length(called) == Some(length)).then_some(length)
            }
            Self::Repeat { .. } | Self::Backreference { .. } => None,
        }
    }

    /// The parts of this, one level down.
    pub(super) fn parts_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let (one, other, several): (_, _, &mut [Self]) = match self {
            Self::Capture(body)
            | Self::Look { body, .. }
            | Self::Atomic(body)
            | Self::Absent(body)
            | Self::Repeat { body, .. } => (Some(&mut **body), None, &mut []),
            Self::Conditional { yes, no, .. } => (Some(&mut **yes), Some(&mut **no), &mut []),
            Self::Concat(parts) | Self::Alternatives(parts) => (None, None, parts),
            Self::Empty
            | Self::Literal { .. }
            | Self::Folded(_)
            | Self::Any { .. }
            | Self::Class { .. }
            | Self::Anchor(_)
            | Self::Backreference { .. }
            | Self::Call { .. } => (None, None, &mut []),
        };
        one.into_iter().chain(other).chain(several)
    }

    /// Whether it contains a capturing group.
    pub fn captures(&self) -> bool {
        match self {
            Self::Capture(_) => true,
            Self::Look { body, .. } | Self::Atomic(body) | Self::Absent(body) | Self::Repeat { body, .. } => {
                body.captures()
            }
            Self::Concat(parts) | Self::Alternatives(parts) => parts.iter().any(Self::captures),
            Self::Conditional { yes, no, .. } => yes.captures() || no.captures(),
            Self::Empty
            | Self::Literal { .. }
            | Self::Folded(_)
            | Self::Any { .. }
            | Self::Class { .. }
            | Self::Anchor(_)
            | Self::Backreference { .. }
            | Self::Call { .. } => false,
        }
    }
}
