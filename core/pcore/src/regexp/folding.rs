//! Patterns that ignore case, as Onigmo has them: what texts and sets become.

use bunraku_syntax::case;
use bunraku_syntax::pattern::ast::{Class, ClassItem, Node};
use regex_syntax::hir::{self, ClassUnicode, ClassUnicodeRange, HirKind};

use super::emit;

/// So many rows of characters that fold to a text are written out.
const ROWS: usize = 32;
/// Letters that are equal across ASCII and non-ASCII characters.
const ACROSS: [([char; 2], char); 2] = [(['K', 'k'], '\u{212a}'), (['S', 's'], 'ſ')];

/// Letters of one case that fold to the same.
type Letters = Vec<char>;

/// The rows of characters that fold to a text, each as sets of letters; `None` if there are too many.
pub(super) fn rows(text: &[char]) -> Option<Vec<Vec<Letters>>> {
    let Some((first, rest)) = text.split_first() else { return Some(vec![Vec::new()]) };
    let mut all = Vec::new();
    let mut add = |letters: Letters, rest: &[char]| {
        for mut row in rows(rest)? {
            row.insert(0, letters.clone());
            all.push(row);
        }
        (all.len() <= ROWS).then_some(())
    };
    add(vec![*first], rest)?;
    for (several, letters) in case::foldings() {
        if let Some(rest) = text.strip_prefix(&**several) {
            add(letters.clone(), rest)?;
        }
    }
    Some(all)
}

/// A set without case in the syntax of the `regex` crate.
pub(super) fn class(class: &Class) -> String {
    let mut out = String::new();
    if !class.operands.iter().flatten().any(has_other_rules) {
        out.push_str("(?i:");
        emit::write_class(&mut out, class);
        out.push(')');
        return out;
    }
    let Some(written) = ranges(class, false) else {
        emit::write_class(&mut out, class);
        return out;
    };
    let letters = ranges(class, true).unwrap_or_else(ClassUnicode::empty);
    let mut set = folded(&written, &letters);
    if class.negated {
        set.negate();
    } else {
        // A character that folds to several ones is compared by them.
        let has = |c: &char| written.iter().any(|range| range.start() <= *c && *c <= range.end());
        for (_, letters) in case::foldings().iter().filter(|(_, letters)| letters.iter().any(has)) {
            letters.iter().for_each(|c| set.union(&of(&[*c, *c])));
        }
    }
    out.push('[');
    for range in set.iter() {
        emit::push_class_character(&mut out, range.start());
        out.push('-');
        emit::push_class_character(&mut out, range.end());
    }
    if set.ranges().is_empty() {
        out.push_str(r"^\x{0}-\x{10FFFF}");
    }
    out.push(']');
    out
}

/// Whether an item is more than letters of ASCII that are written out.
fn has_other_rules(item: &ClassItem) -> bool {
    !matches!(item, ClassItem::Range(_, last) if last.is_ascii())
}

/// A set with the letters of the other case.
fn folded(written: &ClassUnicode, letters: &ClassUnicode) -> ClassUnicode {
    let mut set = written.clone();
    set.case_fold_simple();
    let mut added = set.clone();
    added.difference(written);
    // Onigmo records additions below U+0100 where it matches only ASCII.
    let mut lost = of(&['\u{80}', '\u{ff}']);
    lost.intersect(&added);
    let has = |set: &ClassUnicode, c: char| set.iter().any(|range| range.start() <= c && c <= range.end());
    for (ascii, beyond) in ACROSS {
        if !has(written, beyond) && !ascii.iter().any(|c| has(letters, *c)) {
            lost.union(&of(&[beyond, beyond]));
        }
        if !has(letters, beyond) && !ascii.iter().any(|c| has(written, *c)) {
            lost.union(&of(&[ascii[0], ascii[0]]));
            lost.union(&of(&[ascii[1], ascii[1]]));
        }
    }
    lost.difference(written);
    set.difference(&lost);
    set
}

fn of(range: &[char; 2]) -> ClassUnicode {
    ClassUnicode::new([ClassUnicodeRange::new(range[0], range[1])])
}

/// The ranges of a set without its negation; `letters`: without the items that do not cross ASCII.
fn ranges(class: &Class, letters: bool) -> Option<ClassUnicode> {
    let plain = Class { negated: false, operands: class.operands.clone() };
    let mut text = String::new();
    emit::write_class(&mut text, &if letters { without_narrow(&plain) } else { plain });
    match regex_syntax::parse(&text).ok()?.kind() {
        HirKind::Class(hir::Class::Unicode(set)) => Some(set.clone()),
        HirKind::Class(hir::Class::Bytes(set)) => {
            let range = |range: &hir::ClassBytesRange| {
                ClassUnicodeRange::new(char::from(range.start()), char::from(range.end()))
            };
            Some(ClassUnicode::new(set.iter().map(range)))
        }
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(ClassUnicode::new(text.chars().map(|c| ClassUnicodeRange::new(c, c))))
        }
        _ => Some(ClassUnicode::empty()),
    }
}

fn without_narrow(class: &Class) -> Class {
    let keep = |item: &ClassItem| match item {
        ClassItem::Narrow(_) => None,
        ClassItem::Nested(class) => Some(ClassItem::Nested(without_narrow(class))),
        item => Some(item.clone()),
    };
    let operands = class.operands.iter().map(|items| items.iter().filter_map(keep).collect()).collect();
    Class { negated: class.negated, operands }
}

/// Adds to case-insensitive sets the texts that their members fold to: `[ß]` also matches `ss`. Ruby compiles
/// an ASCII pattern for ASCII only, which has no such texts.
pub(super) fn lower(node: &mut Node) {
    match node {
        Node::Class { class, fold: true }
            if !class.negated && class.operands.iter().flatten().any(has_other_rules) =>
        {
            let Some(set) = ranges(class, false) else { return };
            let has = |c: &char| set.iter().any(|range| range.start() <= *c && *c <= range.end());
            let texts = case::foldings().iter().filter(|(_, letters)| letters.iter().any(has));
            let texts: Vec<Node> = texts.map(|(text, _)| Node::Folded(text.clone())).collect();
            if !texts.is_empty() {
                let set = std::mem::replace(node, Node::Empty);
                *node = Node::Concat(vec![Node::Alternatives(std::iter::once(set).chain(texts).collect())]);
            }
        }
        Node::Capture(body)
        | Node::Look { body, behind: false, .. }
        | Node::Atomic(body)
        | Node::Absent(body) => {
            lower(body);
        }
        Node::Repeat { body, .. } => lower(body),
        Node::Concat(parts) | Node::Alternatives(parts) => parts.iter_mut().for_each(lower),
        Node::Conditional { yes, no, .. } => {
            lower(yes);
            lower(no);
        }
        Node::Class { .. }
        | Node::Look { .. }
        | Node::Empty
        | Node::Literal { .. }
        | Node::Folded(_)
        | Node::Any { .. }
        | Node::Anchor(_)
        | Node::Backreference { .. }
        | Node::Call { .. } => {}
    }
}
