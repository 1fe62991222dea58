//! What checks found is mended: in the tokens, which are written again in the end.
//!
//! Tokens are changed as puppet-lint changes them, so that both write the same bytes. Where that would break
//! the program (it takes attributes of the next resource for those of this one, or a comma for white space),
//! it is left as it is.

mod plugins;

use std::borrow::Cow;

use crate::facts;
use crate::lex;
use crate::list::{Id, List};
use crate::manifest::Manifest;
use crate::problem::{Fixing, Problem};
use crate::strings::URL;
use crate::token::{Kind, Token};

pub(crate) use plugins::*;

/// Mends what was found at a token. False when that is not possible.
pub(crate) type Fix = fn(&mut List<'_>, Id, &Fixing) -> bool;

/// The text of a manifest without what could be mended, which is marked so.
pub(crate) fn fixed(manifest: Manifest<'_>, problems: &mut [Problem]) -> String {
    let mut list = List::of(manifest.tokens);
    for problem in problems.iter_mut().filter(|problem| problem.outcome != crate::Kind::Ignored) {
        let fix = crate::check_named(problem.check).and_then(|check| check.fix);
        if let (Some(fix), Some(token)) = (fix, problem.token)
            && fix(&mut list, token, &problem.fixing)
        {
            problem.outcome = crate::Kind::Fixed;
        }
    }
    list.written()
}

const fn token<'t>(kind: Kind, value: Cow<'t, str>) -> Token<'t> {
    Token { kind, value, raw: None, line: 0, column: 0 }
}

fn sign<'t>(kind: Kind, value: &'static str) -> Token<'t> {
    token(kind, Cow::Borrowed(value))
}

fn spaces<'t>(kind: Kind, count: usize) -> Token<'t> {
    token(kind, " ".repeat(count).into())
}

pub(crate) fn arrow_on_right_operand_line(list: &mut List<'_>, arrow: Id, _: &Fixing) -> bool {
    let (Some(left), Some(right)) = (list.prev_code(arrow), list.next_code(arrow)) else { return false };
    list.delete(arrow);
    list.insert_known(right, arrow);
    list.insert(Some(right), sign(Kind::Whitespace, " "));
    if let Some(space) = list.next(left).filter(|&next| list[next].kind == Kind::Whitespace)
        && list.next(space).is_some_and(|next| matches!(list[next].kind, Kind::Newline | Kind::Whitespace))
    {
        list.delete(space);
    }
    true
}

pub(crate) fn downcase(list: &mut List<'_>, name: Id, _: &Fixing) -> bool {
    list[name].value = list[name].value.to_lowercase().into();
    true
}

pub(crate) fn slash_comment(list: &mut List<'_>, comment: Id, _: &Fixing) -> bool {
    list[comment].kind = Kind::Comment;
    true
}

pub(crate) fn star_comment(list: &mut List<'_>, comment: Id, _: &Fixing) -> bool {
    let said = list[comment].value.trim().to_owned();
    let mut lines = said.split('\n').map(str::trim);
    let first = lines.next().unwrap_or_default();
    list[comment].kind = Kind::Comment;
    list[comment].value = format!(" {first}").into();
    let indent = list.prev(comment).map(|before| list[before].value.clone());
    let behind = list.order_next(comment);
    for line in lines {
        list.insert(behind, sign(Kind::Newline, "\n"));
        if let Some(indent) = &indent {
            list.insert(behind, token(Kind::Indent, indent.clone()));
        }
        list.insert(behind, token(Kind::Comment, format!(" {line}").into()));
    }
    true
}

pub(crate) fn quote(list: &mut List<'_>, value: Id, _: &Fixing) -> bool {
    list[value].kind = Kind::SingleQuoted;
    true
}

pub(crate) fn unquote(list: &mut List<'_>, value: Id, _: &Fixing) -> bool {
    list[value].kind = Kind::Keyword;
    true
}

pub(crate) fn ensure_first(list: &mut List<'_>, ensure: Id, fixing: &Fixing) -> bool {
    let &Fixing::First(first) = fixing else { return false };
    let first_end = list.next_of(first, &[Kind::Comma, Kind::RBrace]);
    let ensure_end = list.next_of(ensure, &[Kind::Comma, Kind::Semic, Kind::RBrace]);
    let Some(first_end) = first_end.filter(|&end| list[end].kind == Kind::Comma) else { return false };
    let Some(mut ensure_end) = ensure_end else { return false };
    if list[ensure_end].kind == Kind::RBrace {
        // The last attribute has no comma: it ends where its value does.
        let Some(behind) = list.prev_code(ensure_end).and_then(|last| list.order_next(last)) else {
            return false;
        };
        ensure_end = behind;
    }
    list.swap(first, first_end, ensure, ensure_end);
    true
}

pub(crate) fn symlink_target(list: &mut List<'_>, value: Id, fixing: &Fixing) -> bool {
    let &Fixing::Symlink(name) = fixing else { return false };
    let Some(indent) = list.prev(name).map(|before| list[before].value.clone()) else { return false };
    let tokens = [
        sign(Kind::Name, "symlink"),
        sign(Kind::Comma, ","),
        sign(Kind::Newline, "\n"),
        token(Kind::Indent, indent),
        sign(Kind::Name, "target"),
        sign(Kind::Whitespace, " "),
        sign(Kind::FArrow, "=>"),
        sign(Kind::Whitespace, " "),
    ];
    for one in tokens {
        list.insert_unlinked(Some(value), one);
    }
    true
}

pub(crate) fn mode(list: &mut List<'_>, value: Id, _: &Fixing) -> bool {
    let digits = &list[value].value;
    if digits.len() != 3 || !digits.bytes().all(|digit| matches!(digit, b'0'..=b'7')) {
        return false;
    }
    let mode = format!("0{digits}");
    list[value].kind = Kind::SingleQuoted;
    list[value].value = mode.into();
    true
}

pub(crate) fn unquote_variable(list: &mut List<'_>, variable: Id, fixing: &Fixing) -> bool {
    let &Fixing::Quotes(start, end) = fixing else { return false };
    list.delete(start);
    list.delete(end);
    list[variable].kind = Kind::Variable;
    true
}

pub(crate) fn url(list: &mut List<'_>, value: Id, _: &Fixing) -> bool {
    let mut out = String::new();
    let mut rest = list[value].value.as_ref();
    while let Some(at) = rest.find(URL) {
        let line = rest[at + URL.len()..].split('\n').next().unwrap_or_default();
        let Some(slash) = line.find('/') else { break };
        let (before, behind) = rest.split_at(at + URL.len() + slash + 1);
        out.push_str(before);
        out.push_str("modules/");
        rest = behind;
    }
    out.push_str(rest);
    list[value].value = out.into();
    true
}

pub(crate) fn enclose(list: &mut List<'_>, variable: Id, _: &Fixing) -> bool {
    list[variable].kind = Kind::Variable;
    if let Some(text) = list.next(variable)
        && matches!(list[text].kind, Kind::DqMid | Kind::DqPost | Kind::HeredocMid | Kind::HeredocPost)
        && let Cow::Borrowed(value) = list[text].value
        && let length = accesses(value)
        && length > 0
        && let Ok(tokens) = lex::tokens(&value[..length])
    {
        for one in tokens {
            list.insert(Some(text), one);
        }
        list[text].value = value[length..].into();
        list[text].raw =
            list[text].raw.as_ref().and_then(|raw| raw.get(length..)).map(|raw| raw.to_owned().into());
    }
    if let Some((name, behind)) = list[variable].value.split_once('-') {
        let (name, behind) = (name.to_owned(), behind.to_owned());
        list[variable].value = name.into();
        if let Some(next) = list.next(variable) {
            let text = format!("-{behind}{}", list[next].value);
            list[next].value = text.into();
            list[next].raw = None;
        }
    }
    true
}

/// How long the accesses in brackets are that a text begins with.
fn accesses(text: &str) -> usize {
    let mut depth = 0_u32;
    if !text.starts_with('[') {
        return 0;
    }
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && text.as_bytes().get(at + 1) != Some(&b'[') {
            return at + 1;
        }
    }
    text.len()
}

pub(crate) fn align_arrow(list: &mut List<'_>, arrow: Id, fixing: &Fixing) -> bool {
    let &Fixing::Arrow { column, newline_indent } = fixing else { return false };
    let (Some(name), Some(before)) = (list.prev_code(arrow), list.prev(arrow)) else { return false };
    let width = match newline_indent {
        Some(indent) => {
            let Some(space) = list.prev(name).filter(|&space| list[space].kind == Kind::Whitespace) else {
                return false;
            };
            list.insert_unlinked(Some(space), sign(Kind::Newline, "\n"));
            list[space] = spaces(Kind::Indent, indent);
            let width = indent + list.width(name) + 1;
            column.checked_sub(width)
        }
        None => {
            let own = if list[before].kind == Kind::Whitespace { list.width(before) } else { 0 };
            (own + column).checked_sub(list[arrow].column as usize)
        }
    };
    let Some(width) = width else { return false };
    if list[before].kind == Kind::Whitespace {
        list[before].value = " ".repeat(width).into();
    } else {
        list.insert_unlinked(list.order_next(before), spaces(Kind::Whitespace, width));
    }
    true
}

pub(crate) fn tab(list: &mut List<'_>, space: Id, _: &Fixing) -> bool {
    list[space].value = list[space].value.replace('\t', "  ").into();
    true
}

pub(crate) fn space(list: &mut List<'_>, before: Id, _: &Fixing) -> bool {
    if list[before].kind == Kind::Whitespace {
        list[before].value = " ".into();
    } else {
        list.insert(list.order_next(before), sign(Kind::Whitespace, " "));
    }
    true
}

pub(crate) fn legacy_fact(list: &mut List<'_>, variable: Id, fixing: &Fixing) -> bool {
    let Fixing::Fact(name) = fixing else { return false };
    let Some(written) = facts::replacement(name) else { return false };
    if list[variable].value == "facts" {
        while let Some(next) = list.next(variable) {
            list.delete(next);
            if list[next].kind == Kind::RBrack {
                break;
            }
        }
    }
    list[variable].value = written.into();
    true
}

pub(crate) fn top_scope_fact(list: &mut List<'_>, variable: Id, _: &Fixing) -> bool {
    // A fact with an old name has its place already.
    let Some(name) = list[variable].value.strip_prefix("::") else { return true };
    let (name, accesses) = name.split_at(name.find('[').unwrap_or(name.len()));
    let written = format!("facts['{name}']{accesses}");
    list[variable].value = written.into();
    true
}
