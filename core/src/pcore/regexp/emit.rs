//! Writes a pattern for the `regex` crate, or for `fancy-regex` where it is not regular.

use std::fmt::Write as _;

use crate::syntax::pattern::Pattern;
use crate::syntax::pattern::ast::{Anchor, Class, ClassItem, Node, RepeatKind};

/// The pattern in the other syntax.
pub(super) struct Emitted {
    /// The text.
    pub text: String,
    /// Whether only `fancy-regex` understands it.
    pub is_fancy: bool,
}

/// Translates a pattern.
pub(super) fn emit(pattern: &Pattern) -> Emitted {
    let mut emitter = Emitter { out: String::new(), is_fancy: pattern.has_calls };
    emitter.node(&pattern.root, false);
    Emitted { text: emitter.out, is_fancy: emitter.is_fancy }
}

struct Emitter {
    out: String,
    is_fancy: bool,
}

impl Emitter {
    /// Writes a node. `follows`: whether what comes behind it surely takes a character.
    fn node(&mut self, node: &Node, follows: bool) {
        match node {
            Node::Empty => self.out.push_str("(?:)"),
            Node::Literal { character, fold } => self.literal(*character, *fold),
            Node::Any { newline: true } => self.out.push_str("(?s:.)"),
            Node::Any { newline: false } => self.out.push_str("[^\\n]"),
            Node::Class { class, fold } => {
                if *fold {
                    self.out.push_str("(?i:");
                }
                write_class(&mut self.out, class);
                if *fold {
                    self.out.push(')');
                }
            }
            Node::Anchor(anchor) => self.anchor(*anchor, follows),
            Node::Capture(body) => self.enclosed("(", body, follows),
            Node::Look { behind, negated, body } => {
                self.is_fancy = true;
                let open = match (behind, negated) {
                    (false, false) => "(?=",
                    (false, true) => "(?!",
                    (true, false) => "(?<=",
                    (true, true) => "(?<!",
                };
                self.enclosed(open, body, false);
            }
            Node::Atomic(body) => {
                self.is_fancy = true;
                self.enclosed("(?>", body, follows);
            }
            Node::Absent(body) => {
                self.is_fancy = true;
                self.absent(body);
            }
            Node::Concat(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    let rest = parts.get(index + 1..).unwrap_or_default();
                    let consumes = follows || rest.iter().any(|part| !part.can_be_empty());
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
            Node::Backreference { groups, fold } => {
                self.is_fancy = true;
                self.out.push_str(if *fold { "(?i:" } else { "(?:" });
                for (index, group) in groups.iter().rev().enumerate() {
                    let separator = if index > 0 { "|" } else { "" };
                    let _ = write!(self.out, "{separator}\\{group}");
                }
                self.out.push(')');
            }
            Node::Call(group) => {
                self.is_fancy = true;
                let _ = write!(self.out, "\\g<{group}>");
            }
            Node::Conditional { group, yes, no } => {
                self.is_fancy = true;
                let _ = write!(self.out, "(?({group})");
                self.enclosed("(?:", yes, follows);
                self.out.push('|');
                self.enclosed("(?:", no, follows);
                self.out.push(')');
            }
        }
    }

    /// The longest text without what matches `body`: up to where that begins, and, where its length is known, all but the
    /// last of its characters.
    fn absent(&mut self, body: &Node) {
        self.out.push_str("(?:(?:");
        self.enclosed("(?!", body, false);
        self.out.push_str("[\\s\\S])*");
        if let Some(length) = body.fixed_length().filter(|length| *length > 1) {
            self.out.push_str("(?:");
            self.enclosed("(?=", body, false);
            self.out.push_str(&format!("[\\s\\S]{{0,{}}})?", length - 1));
        }
        self.out.push(')');
    }

    fn enclosed(&mut self, open: &str, body: &Node, follows: bool) {
        self.out.push_str(open);
        self.node(body, follows);
        self.out.push(')');
    }

    fn literal(&mut self, character: char, fold: bool) {
        let fold = fold && character.is_alphabetic();
        if fold {
            self.out.push_str("(?i:");
        }
        push_escaped(&mut self.out, character);
        if fold {
            self.out.push(')');
        }
    }

    fn anchor(&mut self, anchor: Anchor, follows: bool) {
        let text = match anchor {
            // Behind a newline that ends the text there is no line for Ruby.
            Anchor::LineStart if follows => "(?m:^)",
            Anchor::LineStart => {
                self.is_fancy = true;
                r"(?:\A|(?m:^)(?!\z))"
            }
            Anchor::LineEnd => "(?m:$)",
            Anchor::TextStart => r"\A",
            Anchor::TextEnd => r"\z",
            Anchor::TextEndOrNewline => {
                self.is_fancy = true;
                r"(?=\n?\z)"
            }
            Anchor::WordBoundary => r"\b",
            Anchor::NotWordBoundary => r"\B",
            Anchor::SearchStart => {
                self.is_fancy = true;
                r"\G"
            }
            Anchor::Keep => {
                self.is_fancy = true;
                r"\K"
            }
        };
        self.out.push_str(text);
    }

    fn repeat(&mut self, body: &Node, least: u32, most: Option<u32>, kind: RepeatKind, follows: bool) {
        if kind == RepeatKind::Possessive {
            self.is_fancy = true;
            self.out.push_str("(?>");
        }
        let is_assertion = matches!(body, Node::Anchor(_) | Node::Look { .. } | Node::Empty);
        if is_assertion {
            // What has no width need not be repeated.
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
        if kind == RepeatKind::Possessive {
            self.out.push(')');
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

fn push_class_character(out: &mut String, character: char) {
    if character.is_ascii_alphanumeric() {
        out.push(character);
    } else {
        let _ = write!(out, "\\x{{{:X}}}", u32::from(character));
    }
}

fn write_class(out: &mut String, class: &Class) {
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
                ClassItem::Named(set) => out.push_str(set),
                ClassItem::Nested(class) => write_class(out, class),
            }
        }
        if several {
            out.push(']');
        }
    }
    out.push(']');
}
