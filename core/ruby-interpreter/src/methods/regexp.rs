//! `Regexp` and `MatchData`.

use std::sync::Arc;

use super::{ANY, Args, Entries, Method, R, Run, Str, Val, class, method, text};
use crate::interpreter::Interpreter;
use crate::lower::literals::with_options;
use crate::text::regexp_source;
use crate::value::Match;
use bunraku_pcore::regexp::{Captures, escape};
use bunraku_pcore::value::RegexpValue;
use bunraku_syntax::pattern::to_s;

/// Searches and remembers the match.
pub(super) fn search<'a>(
    i: &mut Interpreter<'a>,
    pattern: Val<'a>,
    own: &Str,
    start: usize,
) -> Run<'a, Option<&'a Match<'a>>> {
    let Val::Regexp(pattern) = pattern else { return Ok(None) };
    let regex = pattern.regex(i.fuel()).map_err(|error| i.fail(error))?;
    match regex.captures_at(own, start, i.fuel()).map_err(|error| i.fail(error))? {
        Some(captures) => Ok(Some(set_match(i, pattern, own, captures))),
        None => {
            i.last_match = None;
            Ok(None)
        }
    }
}

/// Remembers a match.
pub(super) fn set_match<'a>(
    i: &mut Interpreter<'a>,
    pattern: &'a Arc<RegexpValue>,
    own: &Str,
    captures: Captures,
) -> &'a Match<'a> {
    let found: &'a Match<'a> = i.heap.matched(Match { pattern, text: own.clone(), captures });
    i.last_match = Some(found);
    found
}

/// A pattern that may be given as text.
pub(super) fn pattern_of<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> R<'a> {
    match value {
        Val::Regexp(_) => Ok(value),
        Val::String(source) => {
            let source = source.get();
            i.new_pattern(source)
        }
        other => Err(no_pattern(i, other, "Regexp")),
    }
}

/// The complaint about an argument of another type.
pub(super) fn no_pattern<'a>(i: &mut Interpreter<'a>, value: Val<'a>, wanted: &str) -> super::Unwind<'a> {
    if let Val::Object(_) = value
        && i.responds(value, "to_str")
    {
        return i.unsupported("object as text of a pattern");
    }
    if matches!(value, Val::Match(_) | Val::Object(_)) && wanted == "Range" {
        return i.unsupported("what may have a begin and an end as a range");
    }
    let class = match value {
        Val::Nil => "nil",
        Val::Boolean(true) => "true",
        Val::Boolean(false) => "false",
        other => i.class_name(other),
    };
    i.raise(&class::TYPE_ERROR, format!("wrong argument type {class} (expected {wanted})"))
}

/// The span of a group by number or name.
pub(super) fn group_span<'a>(
    i: &mut Interpreter<'a>,
    found: &Match<'a>,
    group: Val<'a>,
) -> Run<'a, Option<(usize, usize)>> {
    let number = match group {
        Val::String(_) | Val::Symbol(_) => {
            let name = text(group);
            let number = found.regex().ok().and_then(|regex| regex.group(&name, &found.captures));
            match number {
                Some(number) => number,
                None if name.chars().any(char::is_control) => {
                    return Err(i.unsupported("name of a group with such characters"));
                }
                None => {
                    return Err(
                        i.raise(&class::INDEX_ERROR, format!("undefined group name reference: {name}"))
                    );
                }
            }
        }
        other => {
            let at = i.int(other)?;
            match super::place(at, found.captures.len()) {
                // An index from the end never means the whole.
                Some(0) if at < 0 => return Ok(None),
                Some(number) => number,
                None => return Ok(None),
            }
        }
    };
    Ok(found.captures.get(number).copied().flatten())
}

/// The text to match against: `nil` matches nothing.
fn subject<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Option<Str>> {
    match value {
        Val::Nil => Ok(None),
        Val::String(_) | Val::Symbol(_) => Ok(Some(text(value))),
        other => Err(i.no_conversion(other, "String")),
    }
}

pub(crate) static CLASS: &[Method] = &[
    method("new compile", 1, 3, |i, _, args| {
        let options = match args.at(1) {
            Val::Integer(bits) => {
                let on = [(4, 'm'), (1, 'i'), (2, 'x')];
                on.into_iter()
                    .filter(|(bit, _)| bits & bit != 0)
                    .map(|(_, letter)| letter)
                    .collect::<String>()
            }
            other if other.is_truthy() => "i".to_owned(),
            _ => String::new(),
        };
        match args.at(0) {
            Val::Regexp(_) => Ok(args.at(0)),
            source => {
                let source = i.str(source)?;
                i.new_pattern(with_options(&source, &options))
            }
        }
    }),
    method("escape quote", 1, 1, |i, _, args| {
        let name = i.name(args.at(0))?;
        Ok(i.string(escape(&name)))
    }),
    method("union", 0, ANY, |i, _, args| {
        let values = match args.values {
            [Val::Array(list)] => list.to_vec(),
            values => values.to_vec(),
        };
        let mut sources = Vec::new();
        for value in &values {
            sources.push(match value {
                Val::Regexp(pattern) if values.len() == 1 => pattern.source.to_string(),
                Val::Regexp(pattern) => to_s(&pattern.source),
                Val::Symbol(name) if values.len() == 1 => escape(name),
                Val::Array(_) | Val::Object(_) => return Err(i.unsupported("union of what is no pattern")),
                other => escape(&i.str(*other)?),
            });
        }
        let source = if sources.is_empty() { "(?!)".to_owned() } else { sources.join("|") };
        i.new_pattern(source.into())
    }),
    method("last_match", 0, 1, |i, _, args| match (i.last_match, args.get(0)) {
        (Some(found), Some(group)) => i.send(Val::Match(found), "[]", &[group]),
        (found, _) => Ok(found.map_or(Val::Nil, Val::Match)),
    }),
];

pub(crate) static METHODS: &[Method] = &[
    method("=~", 1, 1, |i, this, args| {
        let Some(own) = subject(i, args.at(0))? else {
            i.last_match = None;
            return Ok(Val::Nil);
        };
        let found = search(i, this, &own, 0)?;
        let at = found.and_then(|found| found.captures.first().copied().flatten());
        Ok(at.map_or(Val::Nil, |(at, _)| {
            Val::Integer(own.get(..at).map_or(0, |before| before.chars().count()) as i64)
        }))
    }),
    method("match", 1, 2, |i, this, args| {
        if let Some(start) = args.get(1) {
            i.int(start)?;
        }
        let Some(own) = subject(i, args.at(0))? else {
            i.last_match = None;
            return Ok(Val::Nil);
        };
        let start = match super::string_match::start_of(i, &own, args.get(1))? {
            Some(start) => start,
            None if matches!(args.get(1), Some(Val::Integer(..0))) => {
                i.last_match = None;
                return Ok(Val::Nil);
            }
            // A place behind the text is its end.
            None => own.len(),
        };
        match (search(i, this, &own, start)?, args.block) {
            (Some(found), Some(block)) => i.call_block(block, &[Val::Match(found)]),
            (found, _) => Ok(found.map_or(Val::Nil, Val::Match)),
        }
    }),
    method("match?", 1, 2, |i, this, args| {
        if args.values.len() > 1 {
            return Err(i.unsupported("match? from a place on"));
        }
        let Some(own) = subject(i, args.at(0))? else { return Ok(Val::Boolean(false)) };
        let Val::Regexp(pattern) = this else { return Ok(Val::Nil) };
        let regex = pattern.regex(i.fuel()).map_err(|error| i.fail(error))?;
        regex.is_match(&own, i.fuel()).map(Val::Boolean).map_err(|error| i.fail(error))
    }),
    method("===", 1, 1, |i, this, args| match args.at(0) {
        Val::String(_) | Val::Symbol(_) => {
            let own = text(args.at(0));
            Ok(Val::Boolean(search(i, this, &own, 0)?.is_some()))
        }
        _ => Ok(Val::Boolean(false)),
    }),
    method("source", 0, 0, |i, this, _| match this {
        Val::Regexp(pattern) => Ok(i.string(regexp_source(&pattern.source))),
        _ => Ok(Val::Nil),
    }),
    method("names", 0, 0, |i, this, _| {
        let Val::Regexp(pattern) = this else { return Ok(Val::Nil) };
        let regex = pattern.regex(i.fuel()).map_err(|error| i.fail(error))?;
        let names = regex.names().to_vec();
        let names = names.into_iter().map(|(name, _)| i.string(name)).collect();
        Ok(i.array(names))
    }),
    method("options", 0, 0, |_, this, _| {
        let Val::Regexp(pattern) = this else { return Ok(Val::Nil) };
        let shown = to_s(&pattern.source);
        let on = shown.trim_start_matches("(?").split(['-', ':']).next().unwrap_or("").to_owned();
        let bits = [('i', 1), ('x', 2), ('m', 4)].into_iter().filter(|(letter, _)| on.contains(*letter));
        Ok(Val::Integer(bits.map(|(_, bit)| bit).sum()))
    }),
];

fn groups<'a>(i: &mut Interpreter<'a>, found: &Match<'a>, from: usize) -> Val<'a> {
    let group = |number| found.group(number).map_or(Val::Nil, |text| i.string(text));
    let groups = (from..found.captures.len()).map(group).collect();
    i.array(groups)
}

fn edge<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, end: bool) -> R<'a> {
    let Val::Match(found) = this else { return Ok(Val::Nil) };
    if !matches!(args.at(0), Val::String(_) | Val::Symbol(_))
        && let group = i.int(args.at(0))?
        && usize::try_from(group).ok().is_none_or(|group| group >= found.captures.len())
    {
        return Err(i.raise(&class::INDEX_ERROR, format!("index {group} out of matches")));
    }
    let span = group_span(i, found, args.at(0))?;
    let at = span.map(|(from, to)| if end { to } else { from });
    Ok(at.map_or(Val::Nil, |at| {
        Val::Integer(found.text.get(..at).map_or(0, |before| before.chars().count()) as i64)
    }))
}

pub(crate) static MATCH: &[Method] = &[
    method("[]", 1, 2, |i, this, args| {
        let Val::Match(found) = this else { return Ok(Val::Nil) };
        let only = [args.at(0)];
        let counted = args.get(1).is_some_and(|length| !matches!(length, Val::Nil));
        if counted || matches!(args.at(0), Val::Range(_)) {
            let all = groups(i, found, 0);
            return i.send(all, "[]", if counted { args.values } else { &only });
        }
        super::no_match_as_range(i, args.at(0))?;
        let span = group_span(i, found, args.at(0))?;
        Ok(match span.and_then(|(start, end)| found.text.get(start..end)) {
            Some(text) => i.string(text),
            None => Val::Nil,
        })
    }),
    method("to_a", 0, 0, |i, this, _| match this {
        Val::Match(found) => Ok(groups(i, found, 0)),
        _ => Ok(Val::Nil),
    }),
    method("captures", 0, 0, |i, this, _| match this {
        Val::Match(found) => Ok(groups(i, found, 1)),
        _ => Ok(Val::Nil),
    }),
    method("named_captures", 0, 0, |i, this, _| {
        let Val::Match(found) = this else { return Ok(Val::Nil) };
        let names = found.regex().map(|regex| regex.names().to_vec()).unwrap_or_default();
        let mut entries = Entries::default();
        for (name, _) in names {
            let key = i.string(name.as_str());
            let value = i.send(this, "[]", &[key])?;
            entries.insert(i.key(key)?, value);
        }
        Ok(i.heap.hash(entries))
    }),
    method("names", 0, 0, |i, this, _| match this {
        Val::Match(found) => i.send(Val::Regexp(found.pattern), "names", &[]),
        _ => Ok(Val::Nil),
    }),
    method("pre_match", 0, 0, |i, this, _| {
        let Val::Match(found) = this else { return Ok(Val::Nil) };
        let (start, _) = found.captures.first().copied().flatten().unwrap_or_default();
        Ok(i.string(found.text.get(..start).unwrap_or_default()))
    }),
    method("post_match", 0, 0, |i, this, _| {
        let Val::Match(found) = this else { return Ok(Val::Nil) };
        let (_, end) = found.captures.first().copied().flatten().unwrap_or_default();
        Ok(i.string(found.text.get(end..).unwrap_or_default()))
    }),
    method("begin", 1, 1, |i, this, args| edge(i, this, args, false)),
    method("end", 1, 1, |i, this, args| edge(i, this, args, true)),
    method("size length", 0, 0, |_, this, _| match this {
        Val::Match(found) => Ok(Val::Integer(found.captures.len() as i64)),
        _ => Ok(Val::Nil),
    }),
    method("string", 0, 0, |i, this, _| match this {
        Val::Match(found) => Ok(i.string(found.text.clone())),
        _ => Ok(Val::Nil),
    }),
    method("regexp", 0, 0, |_, this, _| match this {
        Val::Match(found) => Ok(Val::Regexp(found.pattern)),
        _ => Ok(Val::Nil),
    }),
    method("values_at", 0, ANY, |i, this, args| {
        let Val::Match(found) = this else { return Ok(Val::Nil) };
        let all = groups(i, found, 0);
        if args.values.iter().any(|value| matches!(value, Val::String(_) | Val::Symbol(_))) {
            let mut values = Vec::with_capacity(args.values.len());
            for value in args.values {
                if let Val::Range(_) = value {
                    return Err(i.unsupported("values_at of names and ranges"));
                }
                values.push(i.send(this, "[]", &[*value])?);
            }
            return Ok(i.array(values));
        }
        i.send(all, "values_at", args.values)
    }),
];
