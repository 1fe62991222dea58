//! `String`: what does not change it.

use super::characters::{count, kept, successor, translate};
use super::{
    ANY, Args, Method, R, Run, Str, Unwind, Val, check_frozen, class, enumerator, method, place,
    span_of_range, text,
};
use unicode_normalization::UnicodeNormalization;

use crate::interpreter::Interpreter;
use crate::numbers;
use bunraku_pcore::format::character_set::{CharacterSet, Sequence};
use bunraku_pcore::format::{inspect_string, sprintf};
use bunraku_syntax::case::{capitalize, downcase, swapcase, upcase};
use bunraku_syntax::diagnostic::Error;

pub(crate) static CLASS: &[Method] = &[method("new", 0, 1, |i, _, args| match args.get(0) {
    Some(value) => {
        let text = i.str(value)?;
        Ok(i.string(text))
    }
    None => Ok(i.string("")),
})];

/// Bytes that are not text.
pub(crate) static BYTES: &[Method] = &[
    method("bytesize size length", 0, 0, |_, this, _| {
        Ok(match this {
            Val::Bytes(bytes) => Val::Integer(bytes.len() as i64),
            _ => Val::Nil,
        })
    }),
    method("bytes", 0, 0, |i, this, _| {
        Ok(match this {
            Val::Bytes(bytes) => i.array(bytes.iter().map(|byte| Val::Integer(i64::from(*byte))).collect()),
            _ => Val::Nil,
        })
    }),
    method("unpack", 1, 1, super::library::unpack),
    method("unpack1", 1, 1, |i, this, args| {
        let all = super::library::unpack(i, this, args)?;
        Ok(match all {
            Val::Array(list) => list.get(0).unwrap_or(Val::Nil),
            _ => Val::Nil,
        })
    }),
    method("+", 1, 1, |i, this, args| {
        let mut bytes = super::library::bytes_of(i, this)?;
        bytes.extend(super::library::bytes_of(i, args.at(0))?);
        Ok(i.heap.bytes(bytes))
    }),
    method("<=>", 1, 1, |i, this, args| match args.at(0) {
        other @ (Val::String(_) | Val::Bytes(_)) => {
            let order = super::library::bytes_of(i, this)?.cmp(&super::library::bytes_of(i, other)?);
            Ok(Val::Integer(order as i64))
        }
        _ => Ok(Val::Nil),
    }),
    method("force_encoding", 1, 1, |i, this, args| {
        let is_text = is_utf8(i, args.at(0))?;
        let bytes = super::library::bytes_of(i, this)?;
        match std::str::from_utf8(&bytes) {
            Ok(text) if is_text => Ok(i.heap.utf8(Str::from(text))),
            Err(_) if is_text => Err(i.unsupported("bytes that are no text as UTF-8")),
            _ => Ok(this),
        }
    }),
    method("dup clone itself b", 0, 1, |_, this, _| Ok(this)),
];

/// Applies a function to the text.
fn mapped<'a>(i: &mut Interpreter<'a>, this: Val<'a>, change: impl FnOnce(&str) -> String) -> R<'a> {
    Ok(i.string(change(&text(this))))
}

pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t'..='\r')
}

fn padded<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: super::Args<'a, '_>,
    split: fn(usize) -> (usize, usize),
) -> R<'a> {
    let own = text(this);
    let width = usize::try_from(i.int(args.at(0))?).unwrap_or(0);
    let pad = match args.get(1) {
        Some(pad) => i.str(pad)?,
        None => " ".into(),
    };
    if pad.is_empty() {
        return Err(i.raise(&class::ARGUMENT_ERROR, "zero width padding"));
    }
    i.check_size(width)?;
    let missing = width.saturating_sub(own.chars().count());
    let (left, right) = split(missing);
    let fill = |count: usize| pad.chars().cycle().take(count).collect::<String>();
    Ok(i.string(format!("{}{own}{}", fill(left), fill(right))))
}

/// The part that `[]` selects; `None` if there is none.
pub(super) fn part<'a>(
    i: &mut Interpreter<'a>,
    this: Val<'a>,
    args: super::Args<'a, '_>,
) -> Run<'a, Option<(usize, usize)>> {
    let own = text(this);
    let length = own.chars().count();
    // Characters to bytes.
    let bytes = |start: usize, count: usize| {
        let offset = |at: usize| own.char_indices().nth(at).map_or(own.len(), |(at, _)| at);
        (offset(start), offset(start.saturating_add(count)))
    };
    match (args.at(0), args.get(1)) {
        (Val::Regexp(_), group) => {
            let Some(found) = super::regexp::search(i, args.at(0), &own, 0)? else { return Ok(None) };
            super::regexp::group_span(i, found, group.unwrap_or(Val::Integer(0)))
        }
        (Val::String(wanted), None) => {
            let wanted = wanted.get();
            Ok(own.find(wanted.as_str()).map(|at| (at, at + wanted.len())))
        }
        (Val::Range(range), None) => {
            Ok(span_of_range(i, range, length)?.map(|(start, count)| bytes(start, count)))
        }
        // A match has a begin and an end, as ranges have.
        (Val::Match(_), None) => Err(i.unsupported("a match as a range")),
        (index, None) => {
            let at = i.int(index)?;
            Ok(place(at, length).filter(|at| *at < length).map(|at| bytes(at, 1)))
        }
        (index, Some(count)) => {
            let (at, count) = (i.int(index)?, i.int(count)?);
            let Ok(count) = usize::try_from(count) else { return Ok(None) };
            Ok(place(at, length).filter(|at| *at <= length).map(|at| bytes(at, count)))
        }
    }
}

fn sets<'a>(i: &mut Interpreter<'a>, args: super::Args<'a, '_>) -> Run<'a, Vec<CharacterSet>> {
    let mut sets = Vec::with_capacity(args.values.len());
    for set in args.values {
        let set = i.str(*set)?;
        sets.push(metered(i, CharacterSet::new(&set, i.fuel()))?);
    }
    Ok(sets)
}

/// The lines of a text, their ends with them.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn chomp<'t>(text: &'t str, end: Option<&str>) -> &'t str {
    match end {
        None => {
            text.strip_suffix("\r\n").or(text.strip_suffix('\n')).or(text.strip_suffix('\r')).unwrap_or(text)
        }
        Some("") => {
            let mut text = text;
            while let Some(shorter) = text.strip_suffix("\r\n").or(text.strip_suffix('\n')) {
                text = shorter;
            }
            text
        }
        Some(end) => text.strip_suffix(end).unwrap_or(text),
    }
}

/// A value that a format shows.
fn format_value<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, bunraku_pcore::Value> {
    Ok(match value {
        Val::Symbol(name) => bunraku_pcore::Value::from(name),
        Val::Hash(_) | Val::Array(_) | Val::Range(_) | Val::Set(_) | Val::Class(_) => {
            i.inspect(value)?.into()
        }
        // An object of the program is a text here; what needs a number of it is refused below.
        Val::Object(_) | Val::Time(_) | Val::Exception(_) | Val::Proc(_) | Val::Module(_) | Val::Match(_) => {
            i.to_s(value)?.into()
        }
        _ => i.to_puppet(value)?,
    })
}

/// `format % arguments`
pub(super) fn format_values<'a>(i: &mut Interpreter<'a>, format: &str, values: &[Val<'a>]) -> R<'a> {
    let directives = |wanted: char| {
        format.match_indices('%').any(|(at, _)| {
            let rest = format.get(at + 1..).unwrap_or_default();
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || " #+-.*$".contains(c));
            rest.starts_with(wanted)
        })
    };
    let is_plain = |value: &Val<'_>| match value {
        Val::String(_) => true,
        Val::Integer(number) => *number >= 0 || !directives('c'),
        Val::Nil | Val::Boolean(_) | Val::Float(_) => !directives('c'),
        _ => false,
    };
    let is_object = |value: &Val<'_>| {
        matches!(value, Val::Object(_) | Val::Time(_) | Val::Exception(_) | Val::Proc(_) | Val::Match(_))
    };
    if "dfiuxobegXEGBacp".chars().any(&directives) && values.iter().any(is_object) {
        return Err(i.unsupported("format of such a value as a number"));
    }
    if (directives('c') || directives('p')) && !values.iter().all(is_plain) {
        return Err(i.unsupported("format of such a value as a character or with %p"));
    }
    let has_names = format.contains("%<") || format.contains("%{");
    let mut arguments = Vec::with_capacity(values.len());
    for value in values {
        arguments.push(match value {
            // Names in formats are symbols.
            Val::Hash(map) if has_names => {
                let mut named = bunraku_pcore::value::Hash::default();
                for (key, value) in map.now().iter() {
                    named.insert(i.to_s(key.0)?.into(), format_value(i, *value)?);
                }
                named.into()
            }
            value => format_value(i, *value)?,
        });
    }
    match sprintf(format, &arguments) {
        Ok(text) => {
            i.check_size(text.len())?;
            Ok(i.string(text))
        }
        Err(error) => {
            // Texts represent all values other than numbers: Ruby's message about the others is not known.
            let is_text = |value: &Val<'_>| matches!(value, Val::String(text) if text.get().is_ascii());
            let is_number = |value: &Val<'_>| matches!(value, Val::Integer(_) | Val::Big(_) | Val::Float(_));
            if error.message.starts_with("invalid value for")
                && !values.iter().all(|value| is_text(value) || is_number(value) || value.is_nil())
            {
                return Err(i.unsupported("format of such a value as a number"));
            }
            let class = match error.message.as_str() {
                message if message.starts_with("key") => &class::KEY_ERROR,
                message if message.starts_with("can't convert") => &class::TYPE_ERROR,
                _ => &class::ARGUMENT_ERROR,
            };
            Err(i.raise(class, error.message))
        }
    }
}

/// The result of work that the limits may end; other complaints are those about an argument.
fn metered<'a, T>(i: &mut Interpreter<'a>, result: Result<T, Error>) -> Run<'a, T> {
    result.map_err(|error| match error.kind {
        kind if kind.is_limit() => Unwind::Fatal(Box::new(error)),
        _ => i.raise(&class::ARGUMENT_ERROR, error.message),
    })
}

/// `tr`, and with `squeeze` `tr_s`.
fn translated<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, squeeze: bool) -> R<'a> {
    let (from, to) = (i.str(args.at(0))?, i.str(args.at(1))?);
    if text(this).is_empty() {
        return Ok(i.string(""));
    }
    let from = Sequence::new(&from, i.fuel());
    let from = metered(i, from)?;
    let to = match Sequence::of(&to, i.fuel()) {
        Err(error) if !error.kind.is_limit() => {
            return Err(i.unsupported("tr with a range that runs backwards"));
        }
        to => metered(i, to)?,
    };
    let translated = translate(&text(this), &from, &to, squeeze, i.fuel());
    let translated = metered(i, translated)?;
    Ok(i.string(translated))
}

/// An array, or its elements for a block.
fn listed<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, values: Vec<Val<'a>>) -> R<'a> {
    let Some(block) = args.block else { return Ok(i.array(values)) };
    for value in values {
        i.call_block(block, &[value])?;
    }
    Ok(this)
}

/// The result of `casecmp` for a value that is not a text.
fn no_text<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> R<'a> {
    match value {
        Val::Object(_) | Val::Bytes(_) => Err(i.unsupported("casecmp with an object")),
        _ => Ok(Val::Nil),
    }
}

fn is_utf8<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, bool> {
    Ok(match value {
        Val::Class(class) => class.name == "Encoding::UTF_8",
        value => i.str(value)?.eq_ignore_ascii_case("utf-8"),
    })
}

/// The text in the form of Unicode that the argument names.
fn normalized<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> Run<'a, String> {
    let form = args.get(0).unwrap_or(Val::Symbol("nfc"));
    let own = text(this);
    match form {
        Val::Symbol("nfc") => Ok(own.nfc().collect()),
        Val::Symbol("nfd") => Ok(own.nfd().collect()),
        Val::Symbol("nfkc") => Ok(own.nfkc().collect()),
        Val::Symbol("nfkd") => Ok(own.nfkd().collect()),
        form => {
            let shown = i.to_s(form)?;
            Err(i.raise(&class::ARGUMENT_ERROR, format!("Invalid normalization form {shown}.")))
        }
    }
}

pub(crate) static METHODS: &[Method] = &[
    method("to_s to_str itself", 0, 0, |_, this, _| Ok(this)),
    method("inspect", 0, 0, |i, this, _| mapped(i, this, inspect_string)),
    method("dump", 0, 0, |i, this, _| {
        let own = text(this);
        // Control characters are dumped as bytes.
        if own.chars().any(|c| c.is_control() && !"\n\t\r\u{7}\u{8}\u{b}\u{c}\u{1b}".contains(c)) {
            return Err(i.unsupported("dump of control characters"));
        }
        let mut out = String::new();
        for character in inspect_string(&own).chars() {
            match u32::from(character) {
                code @ ..0x80 => out.extend(char::from_u32(code)),
                code @ ..0x1_0000 => out.push_str(&format!("\\u{code:04X}")),
                code => out.push_str(&format!("\\u{{{code:X}}}")),
            }
        }
        Ok(i.string(out))
    }),
    method("+", 1, 1, |i, this, args| {
        if let Val::Bytes(_) = args.at(0) {
            let mut bytes = super::library::bytes_of(i, this)?;
            bytes.extend(super::library::bytes_of(i, args.at(0))?);
            return Ok(i.heap.bytes(bytes));
        }
        let other = i.str(args.at(0))?;
        let mut own = text(this);
        i.check_size(own.len() + other.len())?;
        own.push_str(&other);
        Ok(i.string(own))
    }),
    method("*", 1, 1, |i, this, args| {
        let own = text(this);
        let Ok(count) = usize::try_from(i.int(args.at(0))?) else {
            return Err(i.raise(&class::ARGUMENT_ERROR, "negative argument"));
        };
        i.check_size(own.len().saturating_mul(count))?;
        Ok(i.string(own.repeat(count)))
    }),
    method("%", 1, 1, |i, this, args| {
        let values = match args.at(0) {
            Val::Array(list) => list.to_vec(),
            one => vec![one],
        };
        format_values(i, &text(this), &values)
    }),
    method("+@", 0, 0, |i, this, _| match this {
        Val::String(own) if own.frozen.get() => Ok(i.string(text(this))),
        _ => Ok(this),
    }),
    method("-@", 0, 0, |_, this, _| Ok(this)),
    method("[] slice", 1, 2, |i, this, args| {
        let span = part(i, this, args)?;
        Ok(match span {
            Some((start, end)) => i.string(text(this).get(start..end).unwrap_or_default()),
            None => Val::Nil,
        })
    }),
    method("byteslice", 1, 2, |i, this, args| {
        let own = text(this);
        let (start, count) = match (args.at(0), args.get(1)) {
            (Val::Range(range), None) => match span_of_range(i, range, own.len())? {
                Some(span) => span,
                None => return Ok(Val::Nil),
            },
            (at, count) => {
                if count.is_none() {
                    super::no_match_as_range(i, at)?;
                }
                // A single byte is in the text; none may be behind it.
                let last = own.len().checked_sub(usize::from(count.is_none()));
                let (at, count) = (i.int(at)?, count.map_or(Ok(1), |count| i.int(count))?);
                match (place(at, own.len()), usize::try_from(count)) {
                    (Some(at), Ok(count)) if last.is_some_and(|last| at <= last) => (at, count),
                    _ => return Ok(Val::Nil),
                }
            }
        };
        let end = start.saturating_add(count).min(own.len());
        if !own.is_char_boundary(start) || !own.is_char_boundary(end) {
            return Err(i.unsupported("byteslice of parts of characters"));
        }
        match own.get(start..end) {
            Some(part) => Ok(i.string(part)),
            None => Ok(Val::Nil),
        }
    }),
    method("length size", 0, 0, |_, this, _| Ok(Val::Integer(text(this).chars().count() as i64))),
    method("bytesize", 0, 0, |_, this, _| Ok(Val::Integer(text(this).len() as i64))),
    method("empty?", 0, 0, |_, this, _| Ok(Val::Boolean(text(this).is_empty()))),
    method("upcase", 0, 0, |i, this, _| mapped(i, this, upcase)),
    method("downcase", 0, 0, |i, this, _| mapped(i, this, downcase)),
    method("capitalize", 0, 0, |i, this, _| mapped(i, this, capitalize)),
    method("swapcase", 0, 0, |i, this, _| mapped(i, this, swapcase)),
    method("reverse", 0, 0, |i, this, _| mapped(i, this, |text| text.chars().rev().collect())),
    method("strip", 0, 0, |i, this, _| {
        mapped(i, this, |text| text.trim_start_matches(is_blank).trim_end_matches(is_blank).to_owned())
    }),
    method("lstrip", 0, 0, |i, this, _| mapped(i, this, |text| text.trim_start_matches(is_blank).to_owned())),
    method("rstrip", 0, 0, |i, this, _| mapped(i, this, |text| text.trim_end_matches(is_blank).to_owned())),
    method("chomp", 0, 1, |i, this, args| {
        if let Some(Val::Nil) = args.get(0) {
            return Ok(i.string(text(this)));
        }
        let end = args.get(0).map(|end| i.str(end)).transpose()?;
        mapped(i, this, |text| chomp(text, end.as_deref()).to_owned())
    }),
    method("chop", 0, 0, |i, this, _| {
        mapped(i, this, |text| {
            let mut characters = text.chars();
            characters.next_back();
            text.strip_suffix("\r\n").unwrap_or(characters.as_str()).to_owned()
        })
    }),
    method("chr", 0, 0, |i, this, _| mapped(i, this, |text| text.chars().take(1).collect())),
    method("chars", 0, 0, |i, this, args| {
        let characters = text(this).chars().map(|c| i.string(c.to_string())).collect();
        listed(i, this, args, characters)
    }),
    method("bytes", 0, 0, |i, this, args| {
        let bytes = text(this).bytes().map(|byte| Val::Integer(i64::from(byte))).collect();
        listed(i, this, args, bytes)
    }),
    method("codepoints", 0, 0, |i, this, args| {
        let codes = text(this).chars().map(|c| Val::Integer(i64::from(c as u32))).collect();
        listed(i, this, args, codes)
    }),
    method("lines", 0, 1, |i, this, args| {
        match args.get(0) {
            Some(options @ Val::Hash(_)) if !args.keywords => return Err(i.no_conversion(options, "String")),
            Some(Val::Hash(_)) | None => {}
            Some(_) => return Err(i.unsupported("lines with a separator")),
        }
        let chomped = args.option("chomp").is_some_and(Val::is_truthy);
        let own = text(this);
        let lines = lines(&own)
            .into_iter()
            .map(|line| i.string(if chomped { chomp(line, None) } else { line }))
            .collect();
        listed(i, this, args, lines)
    }),
    method("each_line", 0, 1, |i, this, args| {
        let Some(block) = args.block else {
            if !args.values.is_empty() {
                return Err(i.unsupported("each_line with arguments without a block"));
            }
            return enumerator(i, this, "each_line", args);
        };
        match args.get(0) {
            Some(options @ Val::Hash(_)) if !args.keywords => return Err(i.no_conversion(options, "String")),
            Some(Val::Hash(_)) | None => {}
            Some(_) => return Err(i.unsupported("each_line with a separator")),
        }
        let chomped = args.option("chomp").is_some_and(Val::is_truthy);
        for line in lines(&text(this)) {
            let line = i.string(if chomped { chomp(line, None) } else { line });
            i.call_block(block, &[line])?;
        }
        Ok(this)
    }),
    method("each_char", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each_char", args) };
        for character in text(this).chars() {
            let character = i.string(character.to_string());
            i.call_block(block, &[character])?;
        }
        Ok(this)
    }),
    method("each_byte", 0, 0, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "each_byte", args) };
        for byte in text(this).bytes() {
            i.call_block(block, &[Val::Integer(i64::from(byte))])?;
        }
        Ok(this)
    }),
    method("ljust", 1, 2, |i, this, args| padded(i, this, args, |missing| (0, missing))),
    method("rjust", 1, 2, |i, this, args| padded(i, this, args, |missing| (missing, 0))),
    method("center", 1, 2, |i, this, args| {
        padded(i, this, args, |missing| (missing / 2, missing - missing / 2))
    }),
    method("include?", 1, 1, |i, this, args| {
        let wanted = i.str(args.at(0))?;
        Ok(Val::Boolean(text(this).contains(wanted.as_str())))
    }),
    method("end_with?", 0, ANY, |i, this, args| {
        let own = text(this);
        for end in args.values {
            if own.ends_with(i.str(*end)?.as_str()) {
                return Ok(Val::Boolean(true));
            }
        }
        Ok(Val::Boolean(false))
    }),
    method("delete_prefix", 1, 1, |i, this, args| {
        let prefix = i.str(args.at(0))?;
        mapped(i, this, |text| text.strip_prefix(prefix.as_str()).unwrap_or(text).to_owned())
    }),
    method("delete_suffix", 1, 1, |i, this, args| {
        let suffix = i.str(args.at(0))?;
        mapped(i, this, |text| text.strip_suffix(suffix.as_str()).unwrap_or(text).to_owned())
    }),
    method("tr", 2, 2, |i, this, args| translated(i, this, args, false)),
    method("tr_s", 2, 2, |i, this, args| translated(i, this, args, true)),
    method("delete", 0, ANY, |i, this, args| {
        if text(this).is_empty() {
            return Ok(i.string(""));
        }
        if args.values.is_empty() {
            return Err(i.wrong_count(0, 1, ANY));
        }
        let sets = sets(i, args)?;
        let rest = kept(&text(this), &sets, i.fuel(), |_, is_meant| !is_meant);
        let rest = metered(i, rest)?;
        Ok(i.string(rest))
    }),
    method("count", 1, ANY, |i, this, args| {
        let sets = sets(i, args)?;
        let found = count(&text(this), &sets, i.fuel());
        metered(i, found).map(Val::Integer)
    }),
    method("squeeze", 0, ANY, |i, this, args| {
        let sets = sets(i, args)?;
        let mut last = None;
        let rest = kept(&text(this), &sets, i.fuel(), |character, is_meant| {
            let again = last.replace(character) == Some(character);
            !(again && is_meant)
        });
        let rest = metered(i, rest)?;
        Ok(i.string(rest))
    }),
    method("succ next", 0, 0, |i, this, _| match successor(&text(this)) {
        Some(next) => Ok(i.string(next)),
        None => Err(i.unsupported("what follows such a text")),
    }),
    method("upto", 1, 2, |i, this, args| {
        let Some(block) = args.block else { return enumerator(i, this, "upto", args) };
        let last = i.str(args.at(0))?;
        super::range::each_text(i, &text(this), Some(&last), args.at(1).is_truthy(), &mut |i, value| {
            i.call_block(block, &[value]).map(|_| true)
        })?;
        Ok(this)
    }),
    method("ord", 0, 0, |i, this, _| match text(this).chars().next() {
        Some(first) => Ok(Val::Integer(i64::from(first as u32))),
        None => Err(i.raise(&class::ARGUMENT_ERROR, "empty string")),
    }),
    method("hex", 0, 0, |i, this, _| numbers::to_i(i, &text(this), 16)),
    method("oct", 0, 0, |i, this, _| {
        let own = text(this);
        let digits = own.trim_start().trim_start_matches(['-', '+']).to_ascii_lowercase();
        let has_prefix = ["0x", "0b", "0o", "0d"].iter().any(|prefix| digits.starts_with(prefix));
        numbers::to_i(i, &own, if has_prefix { 0 } else { 8 })
    }),
    method("to_i", 0, 1, |i, this, args| {
        let radix = match args.get(0) {
            Some(radix) => i.int(radix)?,
            None => 10,
        };
        numbers::to_i(i, &text(this), radix)
    }),
    method("to_f", 0, 0, |_, this, _| Ok(Val::Float(numbers::to_f(&text(this))))),
    method("to_sym intern", 0, 0, |i, this, _| Ok(i.heap.symbol(text(this)))),
    method("to_c", 0, 0, |i, _, _| Err(i.unsupported("complex numbers"))),
    method("<=>", 1, 1, super::object::spaceship),
    method("== ===", 1, 1, |i, this, args| i.equal(this, args.at(0)).map(Val::Boolean)),
    method("eql?", 1, 1, |i, this, args| i.equal(this, args.at(0)).map(Val::Boolean)),
    method("casecmp", 1, 1, |i, this, args| {
        if !matches!(args.at(0), Val::String(_)) {
            return no_text(i, args.at(0));
        }
        let other = i.str(args.at(0))?.to_ascii_lowercase();
        let order = text(this).to_ascii_lowercase().as_bytes().cmp(other.as_bytes());
        Ok(Val::Integer(order as i64))
    }),
    method("casecmp?", 1, 1, |i, this, args| {
        if !matches!(args.at(0), Val::String(_)) {
            return no_text(i, args.at(0));
        }
        let (own, other) = (text(this), i.str(args.at(0))?);
        if !own.is_ascii() || !other.is_ascii() {
            return Err(i.unsupported("casecmp? of what is not ASCII"));
        }
        Ok(Val::Boolean(own.eq_ignore_ascii_case(&other)))
    }),
    method("ascii_only?", 0, 0, |_, this, _| Ok(Val::Boolean(text(this).is_ascii()))),
    method("valid_encoding?", 0, 0, |_, _, _| Ok(Val::Boolean(true))),
    method("scrub", 0, 1, |i, this, args| match (args.get(0), args.block) {
        (Some(by), Some(_)) if !by.is_nil() => {
            Err(i.raise(&class::ARGUMENT_ERROR, "both of block and replacement given"))
        }
        _ => Ok(i.string(text(this))),
    }),
    method("unicode_normalize", 0, 1, |i, this, args| {
        let normalized = normalized(i, this, args)?;
        Ok(i.string(normalized))
    }),
    method("unicode_normalized?", 0, 1, |i, this, args| {
        Ok(Val::Boolean(normalized(i, this, args)? == text(this).as_str()))
    }),
    method("encode", 0, ANY, |i, this, args| {
        let own = text(this);
        if args.values.len() > 2
            || args.values.iter().any(|value| matches!(value, Val::Hash(_))) && !args.keywords
        {
            return Err(i.unsupported("encode with such arguments"));
        }
        match args.values.iter().find(|value| !matches!(value, Val::Hash(_))) {
            None => Ok(i.string(own)),
            Some(to) if is_utf8(i, *to)? && args.values.len() == 1 => Ok(i.string(own)),
            Some(_) => Err(i.unsupported("encode to another encoding")),
        }
    }),
    method("force_encoding", 1, 1, |i, this, args| {
        check_frozen(i, this)?;
        if is_utf8(i, args.at(0))? {
            if let Val::String(own) = this {
                own.is_utf8.set(true);
            }
            Ok(this)
        } else {
            Err(i.unsupported("force_encoding to another encoding"))
        }
    }),
    method("b", 0, 0, |i, _, _| Err(i.unsupported("String#b"))),
    method("encoding", 0, 0, |i, this, _| {
        // Texts of numbers and names are US-ASCII in Ruby.
        if !matches!(this, Val::String(own) if own.is_utf8.get() || !own.get().is_ascii()) {
            return Err(i.unsupported("encoding of a text that was made of others"));
        }
        Ok(Val::Class(&class::UTF_8))
    }),
    method("unpack", 1, 1, super::library::unpack),
    method("sum", 0, 0, |_, this, _| {
        Ok(Val::Integer(text(this).bytes().map(i64::from).sum::<i64>() & 0xffff))
    }),
    method("getbyte", 1, 1, |i, this, args| {
        let at = i.int(args.at(0))?;
        let own = text(this);
        let byte = place(at, own.len()).and_then(|at| own.as_bytes().get(at).copied());
        Ok(byte.map_or(Val::Nil, |byte| Val::Integer(i64::from(byte))))
    }),
];

/// The characters that `strip` removes.
fn is_blank(character: char) -> bool {
    is_space(character) || character == '\0'
}

/// A string that may be used as a replacement's source.
pub(super) fn own_text(value: Val<'_>) -> Str {
    text(value)
}

/// `Encoding::UTF_8`, the one that texts have.
pub(crate) static ENCODING: &[Method] = &[
    method("name to_s", 0, 0, |i, _, _| Ok(i.string("UTF-8"))),
    method("inspect", 0, 0, |i, _, _| Ok(i.string("#<Encoding:UTF-8>"))),
    method("frozen?", 0, 0, |_, _, _| Ok(Val::Boolean(true))),
    method("ascii_compatible?", 0, 0, |_, _, _| Ok(Val::Boolean(true))),
    method("dummy?", 0, 0, |_, _, _| Ok(Val::Boolean(false))),
    method("class names new _dump replicate", 0, ANY, |i, _, _| {
        Err(i.unsupported("such a method of an encoding"))
    }),
];
