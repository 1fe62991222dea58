//! Writes a regular pattern for the `regex` crate, and sets of any pattern in its syntax.

use std::fmt::Write as _;

use super::folding;
use bunraku_syntax::pattern::Pattern;
use bunraku_syntax::pattern::ast::{Anchor, Class, ClassItem, Node, RepeatKind};

/// The pattern in the other syntax; nothing when it is not regular.
pub(super) fn emit(pattern: &Pattern) -> Option<String> {
    let mut emitter = Emitter { out: String::new(), is_regular: !pattern.has_calls };
    emitter.node(&pattern.root, false);
    emitter.is_regular.then_some(emitter.out)
}

/// A written pattern as it is for texts without newlines; `None` if it is the same.
pub(super) fn of_one_line(text: &str) -> Option<String> {
    // Parentheses that are characters are escaped, also in sets.
    let of_line = text.replace(LINE_START, TEXT_START).replace(LINE_END, TEXT_END);
    (of_line != text).then_some(of_line)
}

const LINE_START: &str = "(?m:^)";
const LINE_END: &str = "(?m:$)";
const TEXT_START: &str = r"\A";
const TEXT_END: &str = r"\z";

/// A set in the other syntax.
pub(super) fn class(class: &Class, fold: bool) -> String {
    if fold {
        return folding::class(class);
    }
    let mut out = String::new();
    write_class(&mut out, class);
    out
}

/// The set of a letter that is compared without case.
pub(super) fn folded(character: char, fold: bool) -> Option<String> {
    if !fold || !character.is_alphabetic() {
        return None;
    }
    let mut out = "(?i:".to_string();
    push_escaped(&mut out, character);
    out.push(')');
    Some(out)
}

struct Emitter {
    out: String,
    is_regular: bool,
}

impl Emitter {
    /// Writes a node. `follows`: whether the next node always matches a character.
    fn node(&mut self, node: &Node, follows: bool) {
        match node {
            Node::Empty => self.out.push_str("(?:)"),
            Node::Literal { character, fold } => match folded(*character, *fold) {
                Some(set) => self.out.push_str(&set),
                None => push_escaped(&mut self.out, *character),
            },
            Node::Folded(text) => self.folded(text),
            Node::Any { newline: true } => self.out.push_str("(?s:.)"),
            Node::Any { newline: false } => self.out.push_str("[^\\n]"),
            Node::Class { class: set, fold } => self.out.push_str(&class(set, *fold)),
            Node::Anchor(anchor) => self.anchor(*anchor, follows),
            Node::Capture(body) => self.enclosed("(", body, follows),
            Node::Look { .. }
            | Node::Atomic(_)
            | Node::Absent(_)
            | Node::Backreference { .. }
            | Node::Call { .. }
            | Node::Conditional { .. } => self.is_regular = false,
            Node::Concat(parts) => {
                let last_to_consume = parts.iter().rposition(|part| !part.can_be_empty());
                for (index, part) in parts.iter().enumerate() {
                    let consumes = follows || last_to_consume.is_some_and(|last| last > index);
                    match part {
                        Node::Alternatives(_) => self.enclosed("(?:", part, consumes),
                        _ => self.node(part, consumes),
                    }
                }
            }
            Node::Alternatives(branches) => {
                for (index, branch) in branches.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    }
                    if !matches!(branch, Node::Empty) {
                        self.node(branch, follows);
                    }
                }
            }
            Node::Repeat { body, least, most, kind } => self.repeat(body, *least, *most, *kind, follows),
        }
    }

    /// A folded text: all rows of characters that fold to it, when these are few.
    fn folded(&mut self, text: &[char]) {
        let Some(rows) = folding::rows(text) else {
            self.is_regular = false;
            return;
        };
        self.out.push_str("(?:");
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                self.out.push('|');
            }
            for characters in row {
                self.out.push_str("(?i:[");
                characters.iter().for_each(|character| push_class_character(&mut self.out, *character));
                self.out.push_str("])");
            }
        }
        self.out.push(')');
    }

    fn enclosed(&mut self, open: &str, body: &Node, follows: bool) {
        self.out.push_str(open);
        self.node(body, follows);
        self.out.push(')');
    }

    fn anchor(&mut self, anchor: Anchor, follows: bool) {
        let text = match anchor {
            // For Ruby, no line follows a newline that ends the text.
            Anchor::LineStart if follows => LINE_START,
            Anchor::LineEnd => LINE_END,
            Anchor::TextStart => TEXT_START,
            Anchor::TextEnd => TEXT_END,
            Anchor::WordBoundary => r"\b",
            Anchor::NotWordBoundary => r"\B",
            Anchor::LineStart | Anchor::TextEndOrNewline | Anchor::SearchStart | Anchor::Keep => {
                self.is_regular = false;
                return;
            }
        };
        self.out.push_str(text);
    }

    fn repeat(&mut self, body: &Node, least: u32, most: Option<u32>, kind: RepeatKind, follows: bool) {
        // The last round of a group can match nothing, which only a backtracking search detects.
        let notes_nothing = most.is_none() && body.can_be_empty() && body.captures();
        if kind == RepeatKind::Possessive || notes_nothing {
            self.is_regular = false;
            return;
        }
        let is_assertion = matches!(body, Node::Anchor(_) | Node::Empty);
        if is_assertion {
            // A node without width need not be repeated.
            self.enclosed("(?:", body, follows);
            if least == 0 {
                self.out.insert(self.out.len() - 1, '|');
            }
        } else {
            let is_unit = matches!(body, Node::Class { fold: false, .. } | Node::Capture(_))
                || matches!(body, Node::Any { .. });
            if is_unit {
                self.node(body, follows);
            } else {
                self.enclosed("(?:", body, follows);
            }
            let _ = match (least, most) {
                (0, None) => write!(self.out, "*"),
                (1, None) => write!(self.out, "+"),
                (0, Some(1)) => write!(self.out, "?"),
                (least, None) => write!(self.out, "{{{least},}}"),
                (least, Some(most)) => write!(self.out, "{{{least},{most}}}"),
            };
            if kind == RepeatKind::Lazy {
                self.out.push('?');
            }
        }
    }
}

fn push_escaped(out: &mut String, character: char) {
    match character {
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$' | '#' | '&'
        | '-' | '~' => {
            out.push('\\');
            out.push(character);
        }
        _ => out.push(character),
    }
}

pub(super) fn push_class_character(out: &mut String, character: char) {
    if character.is_ascii_alphanumeric() {
        out.push(character);
    } else {
        let _ = write!(out, "\\x{{{:X}}}", u32::from(character));
    }
}

pub(super) fn write_class(out: &mut String, class: &Class) {
    out.push('[');
    if class.negated {
        out.push('^');
    }
    let several = class.operands.len() > 1;
    for (index, items) in class.operands.iter().enumerate() {
        if index > 0 {
            out.push_str("&&");
        }
        if several {
            out.push('[');
        }
        if items.is_empty() {
            // Nothing is in it.
            out.push_str(r"[^\x{0}-\x{10FFFF}]");
        }
        for item in items {
            match item {
                ClassItem::Range(first, last) if first == last => push_class_character(out, *first),
                ClassItem::Range(first, last) => {
                    push_class_character(out, *first);
                    out.push('-');
                    push_class_character(out, *last);
                }
                ClassItem::Named(set) | ClassItem::Narrow(set) => out.push_str(set),
                ClassItem::Nested(class) => write_class(out, class),
            }
        }
        if several {
            out.push(']');
        }
    }
    out.push(']');
}
