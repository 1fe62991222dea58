//! What checks of plug-ins find is mended.

use crate::list::{Id, List};
use crate::problem::Fixing;
use crate::token::Kind;

use super::{sign, spaces, token};

pub(crate) fn comma(list: &mut List<'_>, newline: Id, _: &Fixing) -> bool {
    list.insert_unlinked(Some(newline), sign(Kind::Comma, ","));
    true
}

pub(crate) fn value(list: &mut List<'_>, at: Id, fixing: &Fixing) -> bool {
    let &Fixing::Value(written) = fixing else { return false };
    list[at].value = written.into();
    true
}

pub(crate) fn undef(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    list[at].kind = Kind::Undef;
    list[at].value = "undef".into();
    true
}

pub(crate) fn relative_name(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    // A name that two statements share is mended already.
    if let Some(name) = list[at].value.strip_prefix("::") {
        list[at].value = name.to_owned().into();
    }
    true
}

/// Names of variables in lower case; the text in brackets are keys, which stay.
pub(crate) fn downcase_variable(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    let value = list[at].value.as_ref();
    let (name, accesses) = value.split_at(value.find('[').unwrap_or(value.len()));
    list[at].value = format!("{}{accesses}", name.to_lowercase()).into();
    true
}

pub(crate) fn versioncmp(list: &mut List<'_>, variable: Id, _: &Fixing) -> bool {
    let Some(number) = list.next_code(variable).and_then(|sign| list.next_code(sign)) else { return false };
    let version = std::mem::replace(&mut list[number].value, "0".into());
    list[number].kind = Kind::Number;
    let behind = list.order_next(variable);
    list.insert_unlinked(behind, sign(Kind::Comma, ","));
    list.insert_unlinked(behind, sign(Kind::Whitespace, " "));
    list.insert_unlinked(behind, token(Kind::SingleQuoted, version));
    list.insert_unlinked(behind, sign(Kind::RParen, ")"));
    list.insert_unlinked(Some(variable), sign(Kind::Name, "versioncmp"));
    list.insert_unlinked(Some(variable), sign(Kind::LParen, "("));
    true
}

pub(crate) fn indent(list: &mut List<'_>, first: Id, fixing: &Fixing) -> bool {
    let &Fixing::Indent { expected, actual } = fixing else { return false };
    let change = expected - actual;
    match list[first].kind {
        Kind::Indent | Kind::Whitespace => list[first].value = " ".repeat(expected.max(0) as usize).into(),
        Kind::Heredoc | Kind::HeredocPre => {
            // Without a bar before the end, white space is text.
            let parts = heredoc(list, first);
            let last = parts.last().and_then(|&last| list[last].raw.as_deref());
            if !last.is_some_and(|raw| {
                raw.rsplit('\n').next().is_some_and(|end| end.trim_start().starts_with('|'))
            }) {
                return false;
            }
            for (number, at) in parts.into_iter().enumerate() {
                match list[at].kind {
                    Kind::Heredoc | Kind::HeredocPost => {
                        let raw = list[at].raw.take().unwrap_or_default();
                        list[at].raw = Some(shifted(&raw, change, number > 0).into());
                    }
                    _ => list[at].value = shifted(&list[at].value, change, number > 0).into(),
                }
            }
        }
        _ => list.insert_unlinked(Some(first), spaces(Kind::Indent, expected.max(0) as usize)),
    }
    true
}

/// The texts of a heredoc, from the first one on.
fn heredoc(list: &List<'_>, first: Id) -> Vec<Id> {
    let mut parts = vec![first];
    let mut next = list.next(first).filter(|_| list[first].kind == Kind::HeredocPre);
    while let Some(at) = next {
        if matches!(list[at].kind, Kind::HeredocMid | Kind::HeredocPost) {
            parts.push(at);
        }
        next = list.next(at).filter(|_| list[at].kind != Kind::HeredocPost);
    }
    parts
}

/// The lines of a text, indented more or less. The first one stays if it belongs to a line that has begun.
fn shifted(text: &str, change: i64, is_begun: bool) -> String {
    let of_line = |(number, line): (usize, &str)| {
        if line.trim_end_matches('\n').is_empty() || is_begun && number == 0 {
            return line.to_owned();
        }
        let blank = line.len() - line.trim_start_matches(' ').len();
        match usize::try_from(change) {
            Ok(more) => format!("{}{line}", " ".repeat(more)),
            // Nothing but white space is taken away.
            Err(_) => line[(change.unsigned_abs() as usize).min(blank)..].to_owned(),
        }
    };
    text.split_inclusive('\n').enumerate().map(of_line).collect()
}

/// Takes the space before a token away. False when a comment ends there.
fn close_up(list: &mut List<'_>, at: Id) -> Option<Kind> {
    let mut last = list.prev(at)?;
    let mut spaces = Vec::new();
    while list[last].kind.is_space() {
        spaces.push(last);
        last = list.prev(last)?;
    }
    let kind = list[last].kind;
    if matches!(kind, Kind::Comment | Kind::SlashComment) {
        return None;
    }
    spaces.into_iter().for_each(|at| list.delete(at));
    Some(kind)
}

fn space_before(list: &mut List<'_>, at: Id) {
    list.insert(Some(at), sign(Kind::Whitespace, " "));
}

pub(crate) fn before_opening_brace(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    let Some(last) = close_up(list, at) else { return false };
    if !matches!(last, Kind::LParen | Kind::LBrack) {
        space_before(list, at);
    }
    true
}

pub(crate) fn before_opening_bracket(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    let Some(last) = close_up(list, at) else { return false };
    if !matches!(last, Kind::LParen | Kind::LBrack | Kind::LBrace) {
        space_before(list, at);
    }
    true
}

pub(crate) fn after_opening_brace(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    match list[at].kind {
        Kind::Whitespace => list[at].value = " ".into(),
        Kind::Newline => {
            let mut next = Some(at);
            while let Some(at) = next.filter(|&at| list[at].kind == Kind::Newline) {
                list.delete(at);
                next = list.next(at);
            }
        }
        _ => space_before(list, at),
    }
    true
}

pub(crate) fn after_opening_bracket(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    if list[at].kind == Kind::Whitespace {
        list.delete(at);
        return true;
    }
    let mut at = at;
    while let Some(next) = list.next(at) {
        let is_empty_line = match list[next].kind {
            Kind::Newline => true,
            Kind::Indent => list.next(next).is_some_and(|next| list[next].kind != Kind::Newline),
            _ => false,
        };
        if !is_empty_line || !list[at].kind.is_space() {
            break;
        }
        list.delete(at);
        at = next;
    }
    true
}

pub(crate) fn before_closing_brace(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    let mut next = at;
    while list[next].kind != Kind::RBrace {
        let kinds = |list: &List<'_>| {
            let behind = list.order_next(next);
            let second = behind.and_then(|behind| list.order_next(behind));
            (behind.map(|at| list[at].kind), second.map(|at| list[at].kind))
        };
        let is_last_line = list[next].kind == Kind::Newline
            && match kinds(list) {
                (Some(Kind::RBrace), _) => true,
                (Some(Kind::Indent), second) => second == Some(Kind::RBrace),
                _ => false,
            };
        if is_last_line {
            return true;
        }
        if !list[next].kind.is_space() {
            return false;
        }
        list.delete(next);
        let Some(behind) = list.next(next) else { return true };
        next = behind;
    }
    let last = list.prev(next).map(|last| list[last].kind);
    if !matches!(last, Some(Kind::LBrace | Kind::Newline | Kind::Indent)) {
        space_before(list, next);
    }
    true
}

pub(crate) fn before_closing_bracket(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    if list[at].kind == Kind::Whitespace {
        list.delete(at);
        return true;
    }
    let mut next = list.next(at);
    while let Some(at) = next.filter(|&at| list[at].kind != Kind::RBrack) {
        let behind = list.next(at).map(|behind| list[behind].kind);
        if list[at].kind == Kind::Indent && behind == Some(Kind::RBrack) {
            break;
        }
        if !list[at].kind.is_space() {
            return false;
        }
        list.delete(at);
        next = list.next(at);
    }
    true
}

pub(crate) fn after_closing(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    let mut next = Some(at);
    while let Some(at) = next {
        match list[at].kind {
            Kind::RBrace | Kind::RBrack | Kind::RParen | Kind::Comma | Kind::Newline => return true,
            Kind::Whitespace => list.delete(at),
            _ => return false,
        }
        next = list.next(at);
    }
    true
}

pub(crate) fn single_space(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    let is_space = list[at].kind == Kind::Whitespace;
    if is_space {
        list[at].value = " ".into();
    }
    is_space
}

pub(crate) fn space_after_arrow(list: &mut List<'_>, at: Id, fixing: &Fixing) -> bool {
    if !single_space(list, at, fixing) {
        space_before(list, at);
    }
    true
}

pub(crate) fn space_after_name(list: &mut List<'_>, name: Id, _: &Fixing) -> bool {
    let mut next = list.next(name);
    while let Some(at) = next.filter(|&at| list[at].kind.is_space()) {
        next = list.next(at);
    }
    let Some(behind) = next else { return false };
    if close_up(list, behind).is_none() {
        return false;
    }
    space_before(list, behind);
    true
}

pub(crate) fn delete(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    list.delete(at);
    true
}

pub(crate) fn newline_after(list: &mut List<'_>, at: Id, _: &Fixing) -> bool {
    list.insert_unlinked(list.order_next(at), sign(Kind::Newline, "\n"));
    true
}
