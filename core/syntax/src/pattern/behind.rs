//! What a look-behind accepts: a fixed length, or alternatives at its top each with a length of its own.
//! Follows the reference's engine (Onigmo), `setup_look_behind` and `expand_case_fold_string` in its
//! `regcomp.c`.

use regex_syntax::hir::{Class as HirClass, ClassUnicode, ClassUnicodeRange, HirKind};

use super::ast::{Anchor, Class, ClassItem, Node, RepeatKind};
use super::parse::{BEYOND, BY_NUMBER, NUMBERED};
use super::recursion::collect;
use crate::case;

/// The most ways to write a text that are written out.
const WAYS: usize = 8;

/// Tells the calls of groups how long these are, and checks all look-behinds and references to groups. Some
/// of these can be beyond the last.
///
/// # Errors
/// The engine's message about one.
pub(super) fn check(
    root: &mut Node,
    has_calls: bool,
    groups: usize,
    some_beyond: bool,
) -> Result<(), String> {
    if has_calls {
        let mut groups = vec![&*root];
        collect(root, &mut groups);
        let mut known = vec![Length::Unknown; groups.len()];
        for group in 0..groups.len() {
            group_length(group, &groups, &mut known);
        }
        tell(root, &known);
    }
    check_all(root, if some_beyond { groups } else { usize::MAX })
}

/// The length of a group.
#[derive(Clone, Copy)]
enum Length {
    Unknown,
    /// It is being found out: the group calls itself.
    Open,
    Known(Option<u64>),
}

fn group_length(group: usize, groups: &[&Node], known: &mut [Length]) -> Option<u64> {
    let (Some(body), Some(length)) = (groups.get(group), known.get_mut(group)) else { return None };
    match length {
        Length::Known(length) => *length,
        Length::Open => None,
        Length::Unknown => {
            *length = Length::Open;
            let found = body.length(&mut |group| group_length(group, groups, known));
            known[group] = Length::Known(found);
            found
        }
    }
}

/// Writes the lengths of groups at their calls.
fn tell(node: &mut Node, known: &[Length]) {
    if let Node::Call { group, length } = node {
        *length = known.get(*group).and_then(|length| match length {
            Length::Known(length) => *length,
            _ => None,
        });
    }
    node.parts_mut().for_each(|part| tell(part, known));
}

fn check_all(node: &mut Node, groups: usize) -> Result<(), String> {
    match node {
        Node::Look { behind: true, negated, body } if !is_accepted(body, *negated) => {
            return Err("invalid pattern in look-behind".into());
        }
        Node::Backreference { groups: referred, .. } if referred.iter().any(|&group| group > groups) => {
            return Err(BEYOND.into());
        }
        Node::Conditional { group: BY_NUMBER, .. } => return Err(NUMBERED.into()),
        Node::Conditional { group, .. } if *group > groups => return Err(BEYOND.into()),
        // The engine asks first whether what is repeated can be empty.
        Node::Repeat { body, most, .. }
            if groups < usize::MAX && *most != Some(0) && refers_beyond(body, groups) =>
        {
            return Err(BEYOND.into());
        }
        _ => {}
    }
    node.parts_mut().try_for_each(|part| check_all(part, groups))
}

/// Whether what must match refers to a group beyond the last.
fn refers_beyond(node: &Node, groups: usize) -> bool {
    match node {
        Node::Backreference { groups: referred, .. } => referred.iter().any(|&group| group > groups),
        Node::Conditional { yes, no, .. } => refers_beyond(yes, groups) || refers_beyond(no, groups),
        Node::Repeat { least: 0, .. } => false,
        Node::Capture(body) | Node::Atomic(body) | Node::Repeat { body, .. } => refers_beyond(body, groups),
        Node::Concat(parts) | Node::Alternatives(parts) => {
            parts.iter().any(|part| refers_beyond(part, groups))
        }
        _ => false,
    }
}

/// Whether it is accepted; capturing groups are only if it is not negated.
fn is_accepted(body: &Node, negated: bool) -> bool {
    let fixed = match body {
        Node::Alternatives(branches) => branches.iter().all(|branch| branch.fixed_length().is_some()),
        other => other.fixed_length().is_some(),
    };
    fixed && !is_refused(body) && !(negated && body.captures())
}

/// Whether it contains something that is accepted in no look-behind. What it calls may be anything.
fn is_refused(node: &Node) -> bool {
    match node {
        Node::Look { behind: false, .. } | Node::Atomic(_) | Node::Absent(_) => true,
        Node::Backreference { .. } | Node::Conditional { .. } => true,
        Node::Anchor(anchor) => matches!(anchor, Anchor::TextEnd | Anchor::TextEndOrNewline),
        Node::Repeat { body, kind, .. } => *kind == RepeatKind::Possessive || is_refused(body),
        Node::Capture(body) | Node::Look { body, .. } => is_refused(body),
        Node::Concat(parts) | Node::Alternatives(parts) => parts.iter().any(is_refused),
        _ => false,
    }
}

/// A text without case in a look-behind of a Unicode pattern: where other texts fold to the same as a part of
/// it, and they are few, they are alternatives.
pub(super) fn expanded(text: &[char]) -> Vec<Node> {
    let mut parts = Vec::new();
    expand(text, 1, &mut parts);
    parts
}

fn expand(text: &[char], mut ways: usize, parts: &mut Vec<Node>) {
    for (at, &character) in text.iter().enumerate() {
        let rest = text.get(at..).unwrap_or_default();
        let others = others(rest);
        let size = character.len_utf8();
        if others.iter().all(|other| other.size == size && other.text.len() == 1) {
            parts.push(Node::Literal { character, fold: true });
            continue;
        }
        ways *= others.len() + 1;
        if ways > WAYS {
            parts.extend(folded(rest));
            return;
        }
        let (same, longer): (Vec<_>, Vec<_>) = others.into_iter().partition(|other| other.size == size);
        let same = same.iter().map(|other| exact(&other.text));
        let same = Node::Alternatives(std::iter::once(exact(&[character])).chain(same).collect());
        if longer.is_empty() {
            parts.push(same);
            continue;
        }
        let mut first = vec![same];
        expand(rest.get(1..).unwrap_or_default(), ways, &mut first);
        let longer = longer.iter().map(|other| {
            let after = folded(rest.get(other.count..).unwrap_or_default());
            Node::Concat(std::iter::once(exact(&other.text)).chain(after).collect())
        });
        parts.push(Node::Alternatives(std::iter::once(Node::Concat(first)).chain(longer).collect()));
        return;
    }
}

/// A text that folds to the same as the beginning of another one.
struct Other {
    text: Vec<char>,
    /// The length of the beginning in characters and in bytes.
    count: usize,
    size: usize,
}

/// What folds to the same as the first characters of a text.
fn others(text: &[char]) -> Vec<Other> {
    let Some((&first, rest)) = text.split_first() else { return Vec::new() };
    let of_first = |text: Vec<char>| Other { text, count: 1, size: first.len_utf8() };
    if let Some(several) = case::folds_to_several(first) {
        let mut texts = vec![Vec::new()];
        for character in &several {
            let ways: Vec<char> =
                std::iter::once(*character).chain(case::other_cases(*character).iter().copied()).collect();
            texts = texts
                .into_iter()
                .flat_map(|text: Vec<char>| ways.iter().map(move |way| [text.as_slice(), &[*way]].concat()))
                .collect();
        }
        let letters = letters_of(&several).filter(|letter| *letter != first).map(|letter| vec![letter]);
        return texts.into_iter().chain(letters).map(of_first).collect();
    }
    let single = |character: char| match case::folds_to_several(character) {
        Some(_) => character,
        None => case::fold_one(character),
    };
    let key = single(first);
    let cases = std::iter::once(key).chain(case::other_cases(key).iter().copied());
    let mut all: Vec<Other> = cases.filter(|case| *case != first).map(|case| of_first(vec![case])).collect();
    let (mut key, mut size) = (vec![key], first.len_utf8());
    for next in rest.iter().take(2) {
        key.push(single(*next));
        size += next.len_utf8();
        all.extend(letters_of(&key).map(|letter| Other { text: vec![letter], count: key.len(), size }));
    }
    all
}

/// The characters that fold to several ones.
fn letters_of(several: &[char]) -> impl Iterator<Item = char> {
    let found = case::foldings().iter().find(|(folded, _)| **folded == *several);
    found.into_iter().flat_map(|(_, letters)| letters.iter().copied())
}

fn exact(text: &[char]) -> Node {
    let mut parts = text.iter().map(|character| Node::Literal { character: *character, fold: false });
    match (parts.next(), text.len()) {
        (Some(only), 1) => only,
        (first, _) => Node::Concat(first.into_iter().chain(parts).collect()),
    }
}

/// A text that is compared in its folded form, which has a length of its own.
fn folded(text: &[char]) -> Option<Node> {
    (!text.is_empty()).then(|| Node::Folded(case::fold(text.iter().copied())))
}

/// A set without case in a look-behind of a Unicode pattern: what its characters fold to is an alternative.
pub(super) fn expanded_set(class: Class) -> Node {
    let mut texts = Vec::new();
    if let (false, Some(set)) = (class.negated, members(&class)) {
        let is_in = |letter: char| set.iter().any(|range| (range.start()..=range.end()).contains(&letter));
        // One character is a text.
        let is_one = matches!(set.ranges(), [range] if range.start() == range.end());
        if !is_one {
            let has = |letters: &[char]| letters.iter().any(|&letter| is_in(letter));
            let found = case::foldings().iter().filter(|(_, letters)| has(letters));
            texts = found.map(|(text, _)| Node::Folded(text.clone())).collect();
        }
    }
    let set = Node::Class { class, fold: true };
    match texts.is_empty() {
        true => set,
        false => Node::Alternatives(std::iter::once(set).chain(texts).collect()),
    }
}

/// The characters of a set.
fn members(class: &Class) -> Option<ClassUnicode> {
    let union = |items: &[ClassItem]| {
        let mut set = ClassUnicode::empty();
        for item in items {
            match item {
                ClassItem::Range(first, last) => set.push(ClassUnicodeRange::new(*first, *last)),
                ClassItem::Nested(class) => set.union(&members(class)?),
                ClassItem::Named(text) | ClassItem::Narrow(text) => {
                    match regex_syntax::parse(text).ok()?.kind() {
                        HirKind::Class(HirClass::Unicode(named)) => set.union(named),
                        _ => return None,
                    }
                }
            }
        }
        Some(set)
    };
    let mut sets = class.operands.iter().map(|items| union(items));
    let mut all = sets.next()??;
    for set in sets {
        all.intersect(&set?);
    }
    if class.negated {
        all.negate();
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn look_behinds_are_those_of_ruby() {
        // Ruby 3.1 refuses these, and accepts those below.
        for pattern in [
            r"(?<=(?i)ŉ)",
            r"(?<=(?i)ﬁ)",
            r"(?i)(?<=ŉ|a)",
            r"(?i)(?<=aﬁ)",
            r"(?i)(?<=xssé)",
            r"(?i)(?<=a[ﬁb])",
            r"(?i)(?<=ŉ{2})",
            r"(?<=(?-i:a|bc))",
            r"(?<=((?:a|bc)))",
            r"(?<x>a|bc){0}(?<=\g<x>)b",
            r"(?<=(?<x>a\g<x>?))",
            r"(?<x>a)(?<=\k<x>)",
            r"(?<!(?<x>a))",
        ] {
            assert_eq!(parse(pattern).err().as_deref(), Some("invalid pattern in look-behind"), "{pattern}");
        }
        for pattern in [
            r"(?<=(?<x>a)\g<x>)b",
            r"(?i)(?<=ŉ)",
            r"(?i)(?<!ŉ)",
            r"(?i)(?<=(?:ŉ))",
            r"(?i)(?<=ﬃŉ)",
            r"(?i)(?<=xss)",
            r"(?<=(?:a|bc))",
            r"(?<x>(?>a)){0}(?<=\g<x>)b",
            r"(?<x>(?~a)){0}(?<=\g<x>)b",
            r"(?<x>a){0}(?<=\g<x>{2}|bc)d",
            r"(?<x>(?<y>a)){0}(?<!\g<x>)b",
        ] {
            assert_eq!(parse(pattern).err(), None, "{pattern}");
        }
    }
}
