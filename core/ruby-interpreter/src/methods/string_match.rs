//! `String`: methods that search for patterns.

use std::sync::Arc;

use super::regexp::{no_pattern, pattern_of, search, set_match};
use super::string::own_text;
use super::{ANY, Args, Block, Method, R, Run, Str, Val, class, method};
use crate::interpreter::Interpreter;
use crate::value::Match;
use bunraku_pcore::regexp::{Replacement, escape};
use bunraku_pcore::value::RegexpValue;

/// `sub` and `sub!` want a replacement or a block; how many arguments there are counts before what they are.
pub(super) fn check_sub<'a>(i: &mut Interpreter<'a>, args: &Args<'a, '_>) -> Run<'a, ()> {
    let least = if args.block.is_some() { 1 } else { 2 };
    if (least..=2).contains(&args.values.len()) {
        return Ok(());
    }
    Err(i.wrong_count(args.values.len(), least, 2))
}

/// `sub` and `gsub`.
fn substitute<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, all: bool) -> R<'a> {
    let own = own_text(this);
    match args.get(1) {
        Some(Val::String(_) | Val::Hash(_)) => {}
        Some(other @ Val::Object(_)) if i.responds(other, "to_str") || i.responds(other, "to_hash") => {
            return Err(i.unsupported("object as a replacement"));
        }
        Some(other) => return Err(i.no_conversion(other, "String")),
        None => i.needs_block(&args)?,
    }
    if let (Val::String(wanted), Some(Val::String(by)), true) = (args.at(0), args.get(1), all) {
        let (wanted, by) = (wanted.get(), by.get());
        if !wanted.is_empty() && !by.contains('\\') {
            let new = own.replace(wanted.as_str(), &by);
            i.check_size(new.len())?;
            return Ok(i.string(new));
        }
    }
    let pattern: &'a Arc<RegexpValue> = match args.at(0) {
        Val::Regexp(pattern) => pattern,
        Val::String(wanted) => {
            let source = escape(&wanted.get());
            i.heap.pattern(i.world.regexp(source.into()))
        }
        other => return Err(no_pattern(i, other, "Regexp")),
    };
    let regex = pattern.regex(i.fuel()).map_err(|error| i.fail(error))?;
    let found = if all {
        regex.all_captures(&own, i.fuel()).map_err(|error| i.fail(error))?
    } else {
        regex.captures(&own, i.fuel()).map_err(|error| i.fail(error))?.into_iter().collect()
    };
    if found.is_empty() {
        i.last_match = None;
        return Ok(i.string(own));
    }
    if let Some(Val::String(template)) = args.get(1) {
        let template = template.get();
        let replacement = Replacement::Template(&template);
        let new = if all {
            regex.replace_all(&own, &replacement, i.fuel())
        } else {
            regex.replace_first(&own, &replacement, i.fuel())
        };
        let new = new.map_err(|error| i.fail(error))?;
        i.check_size(new.len())?;
        if let Some(last) = found.into_iter().next_back() {
            set_match(i, pattern, &own, last);
        }
        return Ok(i.string(new));
    }
    let (mut out, mut at) = (String::new(), 0);
    for captures in found {
        let Some((start, end)) = captures.first().copied().flatten() else { continue };
        out.push_str(own.get(at..start).unwrap_or_default());
        at = end;
        set_match(i, pattern, &own, captures);
        let matched = i.string(own.get(start..end).unwrap_or_default());
        let new = match (args.get(1), args.block) {
            (Some(Val::Hash(map)), _) => {
                let value = map.get(matched);
                value.map_or_else(|| super::hash::default_of(i, map, matched), Ok)?
            }
            (Some(other), _) => other,
            (None, _) => i.call_given(&args, &[matched])?,
        };
        out.push_str(&i.to_s(new)?);
        i.check_size(out.len())?;
    }
    out.push_str(own.get(at..).unwrap_or_default());
    Ok(i.string(out))
}

/// The separator of `partition`, if it is not a pattern.
fn part<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Str> {
    match value {
        Val::String(text) => Ok(text.get()),
        Val::Object(_) if i.responds(value, "to_str") => i.str(value),
        other => {
            let shown = match other {
                Val::Nil | Val::Boolean(_) => i.inspect(other)?,
                other => i.class_name(other).to_owned(),
            };
            Err(i.raise(&class::TYPE_ERROR, format!("wrong argument type {shown} (expected Regexp)")))
        }
    }
}

/// Parts of a text, or each for a block.
fn handed_on<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, parts: Vec<String>) -> R<'a> {
    let Some(block) = args.block else { return Ok(strings(i, parts)) };
    for part in parts {
        let part = i.string(part);
        i.call_block(block, &[part])?;
    }
    Ok(this)
}

/// The parts of a text between separators.
fn split<'a>(i: &mut Interpreter<'a>, own: &Str, separator: Val<'a>, limit: i64) -> Run<'a, Vec<String>> {
    let separator = match separator {
        Val::Nil => Str::from(" "),
        Val::Regexp(pattern) => {
            let regex = pattern.regex(i.fuel()).map_err(|error| i.fail(error))?;
            return regex.split(own, limit, i.fuel()).map_err(|error| i.fail(error));
        }
        Val::String(separator) => separator.get(),
        other => return Err(no_pattern(i, other, "Regexp")),
    };
    let most = usize::try_from(limit).ok().filter(|most| *most > 0);
    let mut parts: Vec<String> = Vec::new();
    if separator == " " {
        let mut rest = own.trim_start_matches(super::string::is_space);
        while !rest.is_empty() {
            if most == Some(parts.len() + 1) {
                parts.push(rest.to_owned());
                return Ok(parts);
            }
            match rest.find(super::string::is_space) {
                Some(at) => {
                    let (part, behind) = rest.split_at(at);
                    parts.push(part.to_owned());
                    rest = behind.trim_start_matches(super::string::is_space);
                    if rest.is_empty() {
                        parts.push(String::new());
                    }
                }
                None => {
                    parts.push(rest.to_owned());
                    rest = "";
                }
            }
        }
    } else if own.is_empty() {
        return Ok(parts);
    } else if separator.is_empty() {
        let mut rest = own.chars();
        loop {
            let whole = rest.as_str();
            let Some(first) = rest.next() else { break };
            if most == Some(parts.len() + 1) {
                parts.push(whole.to_owned());
                return Ok(parts);
            }
            parts.push(first.to_string());
        }
        if limit != 0 {
            parts.push(String::new());
        }
    } else {
        parts = match most {
            Some(most) => own.splitn(most, separator.as_str()).map(str::to_owned).collect(),
            None => own.split(separator.as_str()).map(str::to_owned).collect(),
        };
    }
    if limit == 0 {
        while parts.last().is_some_and(String::is_empty) {
            parts.pop();
        }
    }
    Ok(parts)
}

fn strings<'a>(i: &mut Interpreter<'a>, parts: Vec<String>) -> Val<'a> {
    let parts = parts.into_iter().map(|part| i.string(part)).collect();
    i.array(parts)
}

/// The result of `scan` for a match: the whole, or its groups.
fn scanned<'a>(i: &mut Interpreter<'a>, found: &Match<'a>) -> Val<'a> {
    let group = |number: usize| found.group(number).map_or(Val::Nil, |text| i.string(text));
    if found.captures.len() <= 1 {
        return group(0);
    }
    let groups = (1..found.captures.len()).map(group).collect();
    i.array(groups)
}

/// The number of characters before a byte.
fn characters_before(text: &str, at: usize) -> i64 {
    text.get(..at).map_or(0, |before| before.chars().count() as i64)
}

fn three<'a>(i: &mut Interpreter<'a>, parts: [&str; 3]) -> Val<'a> {
    let parts = parts.into_iter().map(|part| i.string(part)).collect();
    i.array(parts)
}

/// The last match; Ruby tries positions from the end backwards.
fn last_match<'a>(i: &mut Interpreter<'a>, pattern: Val<'a>, own: &Str) -> Run<'a, Option<(usize, usize)>> {
    let mut starts: Vec<usize> = own.char_indices().map(|(at, _)| at).collect();
    starts.push(own.len());
    for start in starts.into_iter().rev() {
        i.charge_steps(1 + (own.len() - start) as u64 / 16)?;
        let found = search(i, pattern, own, start)?;
        match found.and_then(|found| found.captures.first().copied().flatten()) {
            Some((at, end)) if at == start => return Ok(Some((at, end))),
            _ => {}
        }
    }
    i.last_match = None;
    Ok(None)
}

/// The start of a search that is given in characters.
pub(super) fn start_of<'a>(
    i: &mut Interpreter<'a>,
    own: &str,
    start: Option<Val<'a>>,
) -> Run<'a, Option<usize>> {
    let Some(start) = start else { return Ok(Some(0)) };
    let start = i.int(start)?;
    let length = own.chars().count();
    let at = super::place(start, length).filter(|at| *at <= length);
    Ok(at.map(|at| own.char_indices().nth(at).map_or(own.len(), |(at, _)| at)))
}

pub(crate) static METHODS: &[Method] = &[
    method("sub", 0, ANY, |i, this, args| {
        check_sub(i, &args)?;
        substitute(i, this, args, false)
    }),
    method("gsub", 1, 2, |i, this, args| substitute(i, this, args, true)),
    method("split", 0, 2, |i, this, args| {
        let limit = args.get(1).map_or(Ok(0), |limit| i.int(limit))?;
        let own = own_text(this);
        if limit == 1 {
            let parts = if own.is_empty() { Vec::new() } else { vec![own.to_string()] };
            return handed_on(i, this, args, parts);
        }
        let parts = split(i, &own, args.at(0), limit)?;
        handed_on(i, this, args, parts)
    }),
    method("=~", 1, 1, |i, this, args| match args.at(0) {
        Val::Regexp(_) => i.send(args.at(0), "=~", &[this]),
        Val::String(_) | Val::Symbol(_) => Err(i.raise(&class::TYPE_ERROR, "type mismatch: String given")),
        _ => Ok(Val::Nil),
    }),
    method("match", 1, 2, |i, this, args| {
        let pattern = pattern_of(i, args.at(0))?;
        let values: Vec<Val<'_>> = std::iter::once(this).chain(args.rest().values.iter().copied()).collect();
        i.send_with(pattern, "match", Args { values: &values, ..args })
    }),
    method("match?", 1, 2, |i, this, args| {
        let pattern = pattern_of(i, args.at(0))?;
        let values: Vec<Val<'_>> = std::iter::once(this).chain(args.rest().values.iter().copied()).collect();
        i.send(pattern, "match?", &values)
    }),
    method("start_with?", 0, ANY, |i, this, args| {
        let own = own_text(this);
        for start in args.values {
            let starts = match start {
                Val::Regexp(_) => {
                    let found = search(i, *start, &own, 0)?;
                    found.is_some_and(|found| {
                        found.captures.first().copied().flatten().is_some_and(|(at, _)| at == 0)
                    })
                }
                other => own.starts_with(i.str(*other)?.as_str()),
            };
            if starts {
                return Ok(Val::Boolean(true));
            }
        }
        Ok(Val::Boolean(false))
    }),
    method("scan", 1, 1, |i, this, args| {
        let own = own_text(this);
        let pattern = match args.at(0) {
            Val::Regexp(pattern) => pattern,
            Val::String(wanted) => i.heap.pattern(i.world.regexp(escape(&wanted.get()).into())),
            other => return Err(no_pattern(i, other, "Regexp")),
        };
        let regex = pattern.regex(i.fuel()).map_err(|error| i.fail(error))?;
        let all = regex.all_captures(&own, i.fuel()).map_err(|error| i.fail(error))?;
        i.last_match = None;
        let mut out = Vec::with_capacity(all.len());
        for captures in all {
            let found = set_match(i, pattern, &own, captures);
            let value = scanned(i, found);
            match args.block {
                Some(block @ Block::Proc(_)) | Some(block @ Block::Native(_)) => {
                    i.call_block(block, &[value])?;
                }
                None => out.push(value),
            }
        }
        Ok(if args.block.is_some() { this } else { i.array(out) })
    }),
    method("index", 1, 2, |i, this, args| {
        let own = own_text(this);
        // A place before the text is looked at before what is wanted.
        let from = args.get(1).map_or(Ok(0), |from| i.int(from))?;
        if from < 0 && from.saturating_add_unsigned(own.chars().count() as u64) < 0 {
            return Ok(Val::Nil);
        }
        let wanted = match args.at(0) {
            Val::Regexp(_) => None,
            other => Some(i.str(other)?),
        };
        let Some(start) = start_of(i, &own, args.get(1))? else { return Ok(Val::Nil) };
        let at = match wanted {
            None => search(i, args.at(0), &own, start)?
                .and_then(|found| found.captures.first().copied().flatten())
                .map(|(at, _)| at),
            Some(wanted) => own.get(start..).and_then(|rest| rest.find(wanted.as_str())).map(|at| at + start),
        };
        Ok(at.map_or(Val::Nil, |at| Val::Integer(characters_before(&own, at))))
    }),
    method("rindex", 1, 1, |i, this, args| {
        let own = own_text(this);
        let at = match args.at(0) {
            Val::Regexp(_) => last_match(i, args.at(0), &own)?.map(|(at, _)| at),
            other => {
                let wanted = i.str(other)?;
                own.rfind(wanted.as_str())
            }
        };
        Ok(at.map_or(Val::Nil, |at| Val::Integer(characters_before(&own, at))))
    }),
    method("partition", 1, 1, |i, this, args| {
        let own = own_text(this);
        let span = match args.at(0) {
            Val::Regexp(_) => {
                search(i, args.at(0), &own, 0)?.and_then(|found| found.captures.first().copied().flatten())
            }
            other => {
                let wanted = part(i, other)?;
                own.find(wanted.as_str()).map(|at| (at, at + wanted.len()))
            }
        };
        let parts =
            span.and_then(|(start, end)| Some([own.get(..start)?, own.get(start..end)?, own.get(end..)?]));
        Ok(three(i, parts.unwrap_or([&own, "", ""])))
    }),
    method("rpartition", 1, 1, |i, this, args| {
        let own = own_text(this);
        if matches!(args.at(0), Val::Regexp(_)) {
            let span = last_match(i, args.at(0), &own)?;
            let parts = span
                .and_then(|(start, end)| Some([own.get(..start)?, own.get(start..end)?, own.get(end..)?]));
            return Ok(three(i, parts.unwrap_or(["", "", &own])));
        }
        let wanted = part(i, args.at(0))?;
        let parts = own
            .rfind(wanted.as_str())
            .and_then(|at| Some([own.get(..at)?, wanted.as_str(), own.get(at + wanted.len()..)?]));
        Ok(three(i, parts.unwrap_or(["", "", &own])))
    }),
];
