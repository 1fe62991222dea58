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
    /// The pattern of a group again.
    Call(usize),
    /// `(?(1)yes|no)`
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
            Self::Backreference { .. } | Self::Call(_) => true,
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
            Self::Empty | Self::Anchor(_) | Self::Look { .. } => Some(0),
            Self::Literal { .. } | Self::Any { .. } | Self::Class { .. } => Some(1),
            Self::Capture(body) | Self::Atomic(body) => body.fixed_length(),
            Self::Concat(parts) => {
                parts.iter().try_fold(0_u64, |sum, part| Some(sum.saturating_add(part.fixed_length()?)))
            }
            Self::Alternatives(parts) => {
                let mut lengths = parts.iter().map(Self::fixed_length);
                let first = lengths.next()??;
                lengths.all(|length| length == Some(first)).then_some(first)
            }
            Self::Folded(text) => Some(text.len() as u64),
            Self::Repeat { body, least, most, .. } => {
                if *most == Some(*least) {
                    Some(body.fixed_length()?.saturating_mul(u64::from(*least)))
                } else {
                    None
                }
            }
            Self::Absent(_) | Self::Backreference { .. } | Self::Call(_) | Self::Conditional { .. } => None,
        }
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
            | Self::Call(_) => false,
        }
    }
}
