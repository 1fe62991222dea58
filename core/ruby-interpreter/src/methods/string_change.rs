//! `String`: what changes it in place.

use super::{ANY, Args, Method, R, Str, Val, check_frozen, class, method, place, text};
use crate::interpreter::Interpreter;

fn set<'a>(i: &mut Interpreter<'a>, this: Val<'a>, new: impl Into<Str>) -> R<'a> {
    check_frozen(i, this)?;
    let new = new.into();
    i.check_size(new.len())?;
    if let Val::String(text) = this {
        text.set(new);
    }
    Ok(this)
}

/// `name!`: the result of `name` replaces the content; `nil` if nothing changes.
fn in_place<'a>(i: &mut Interpreter<'a>, this: Val<'a>, name: &str, args: Args<'a, '_>) -> R<'a> {
    check_frozen(i, this)?;
    let before = text(this);
    let new = i.send_with(this, name, args)?;
    let new = text(new);
    if new == before {
        return Ok(Val::Nil);
    }
    set(i, this, new)
}

fn append<'a>(i: &mut Interpreter<'a>, this: Val<'a>, value: Val<'a>) -> R<'a> {
    let Val::String(own) = this else { return Ok(this) };
    let added = match value {
        // Texts of numbers and names are US-ASCII in Ruby, for which such a character is a byte.
        Val::Integer(0..=6 | 14..=26 | 28..=31 | 127..=255) if !own.is_utf8.get() && own.get().is_ascii() => {
            return Err(i.unsupported("character of such a number at the end of a text"));
        }
        Val::Integer(code) => match u32::try_from(code).ok().and_then(char::from_u32) {
            Some(character) => Str::from(character.to_string()),
            None => return Err(i.raise(&class::RANGE_ERROR, format!("{code} out of char range"))),
        },
        Val::Big(_) => return Err(i.raise(&class::RANGE_ERROR, "bignum out of char range")),
        other => i.str(other)?,
    };
    check_frozen(i, this)?;
    i.check_size(own.len() + added.len())?;
    own.push_str(&added);
    Ok(this)
}

/// `sub!` and `gsub!`: `nil` if nothing was replaced.
fn replaced<'a>(i: &mut Interpreter<'a>, this: Val<'a>, name: &'static str, args: Args<'a, '_>) -> R<'a> {
    let before = super::text(this);
    let result = in_place(i, this, name, args)?;
    if !result.is_nil() || args.values.len() == 1 && args.block.is_none() {
        return Ok(result);
    }
    let before = i.string(before);
    let at = i.send(before, "index", &[args.at(0)])?;
    Ok(if at.is_nil() { Val::Nil } else { this })
}

pub(crate) static METHODS: &[Method] = &[
    method("<<", 1, 1, |i, this, args| append(i, this, args.at(0))),
    method("concat", 0, ANY, |i, this, args| {
        check_frozen(i, this)?;
        // All additions are converted before the first one is made.
        let mut values = Vec::with_capacity(args.values.len());
        for value in args.values {
            values.push(match value {
                Val::String(text) => i.string(text.get()),
                other => *other,
            });
        }
        for value in values {
            append(i, this, value)?;
        }
        Ok(this)
    }),
    method("replace", 1, 1, |i, this, args| {
        check_frozen(i, this)?;
        let new = i.str(args.at(0))?;
        set(i, this, new)
    }),
    method("clear", 0, 0, |i, this, _| set(i, this, "")),
    method("prepend", 0, ANY, |i, this, args| {
        check_frozen(i, this)?;
        let mut new = String::new();
        for value in args.values {
            new.push_str(&i.str(*value)?);
        }
        new.push_str(&text(this));
        set(i, this, new)
    }),
    method("insert", 2, 2, |i, this, args| {
        let (at, added) = (i.int(args.at(0))?, i.str(args.at(1))?);
        let mut characters: Vec<char> = text(this).chars().collect();
        let length = characters.len();
        let at = if at < 0 {
            place(at + 1, length).filter(|_| at != -1).or((at == -1).then_some(length))
        } else {
            usize::try_from(at).ok()
        };
        let Some(at) = at.filter(|at| *at <= length) else {
            let index = i.int(args.at(0))?;
            // Ruby counts from after the last character, and its message does too.
            let index = if index < -1 { index.saturating_add(1) } else { index };
            return Err(i.raise(&class::INDEX_ERROR, format!("index {index} out of string")));
        };
        characters.splice(at..at, added.chars());
        set(i, this, characters.into_iter().collect::<String>())
    }),
    method("[]=", 2, 3, |i, this, args| {
        if !matches!(args.values.last(), Some(Val::String(_))) {
            return Err(i.unsupported("[]= of a text with what is no text"));
        }
        let (Some(value), selectors) = (args.values.last().copied(), args.values.split_last()) else {
            return Ok(Val::Nil);
        };
        let selectors = selectors.map_or(&[][..], |(_, before)| before);
        let new = i.str(value)?;
        if let [first, count] = selectors
            && !matches!(first, Val::Regexp(_))
        {
            // In the order in which Ruby converts them.
            i.int(*count)?;
            i.int(*first)?;
        }
        let Some((start, end)) = super::string::part(i, this, Args::new(selectors))? else {
            let message = match args.at(0) {
                Val::String(_) => "string not matched".to_owned(),
                Val::Regexp(_) => "regexp not matched".to_owned(),
                other @ Val::Range(_) => {
                    let shown = i.inspect(other)?;
                    return Err(i.raise(&class::RANGE_ERROR, format!("{shown} out of range")));
                }
                other => {
                    let shown = i.inspect(other)?;
                    format!("index {shown} out of string")
                }
            };
            return Err(i.raise(&class::INDEX_ERROR, message));
        };
        let mut own = text(this).to_string();
        own.replace_range(start..end, &new);
        set(i, this, own)?;
        Ok(value)
    }),
    method("slice!", 1, 2, |i, this, args| {
        check_frozen(i, this)?;
        let Some((start, end)) = super::string::part(i, this, args)? else { return Ok(Val::Nil) };
        let mut own = text(this).to_string();
        let removed = i.string(own.get(start..end).unwrap_or_default());
        own.replace_range(start..end, "");
        set(i, this, own)?;
        Ok(removed)
    }),
    method("upcase!", 0, 0, |i, this, args| in_place(i, this, "upcase", args)),
    method("downcase!", 0, 0, |i, this, args| in_place(i, this, "downcase", args)),
    method("capitalize!", 0, 0, |i, this, args| in_place(i, this, "capitalize", args)),
    method("swapcase!", 0, 0, |i, this, args| in_place(i, this, "swapcase", args)),
    method("reverse!", 0, 0, |i, this, args| {
        in_place(i, this, "reverse", args)?;
        Ok(this)
    }),
    method("strip!", 0, 0, |i, this, args| in_place(i, this, "strip", args)),
    method("lstrip!", 0, 0, |i, this, args| in_place(i, this, "lstrip", args)),
    method("rstrip!", 0, 0, |i, this, args| in_place(i, this, "rstrip", args)),
    method("chomp!", 0, ANY, |i, this, args| match text(this).as_str() {
        "" => check_frozen(i, this).map(|()| Val::Nil),
        _ => in_place(i, this, "chomp", args),
    }),
    method("chop!", 0, 0, |i, this, args| in_place(i, this, "chop", args)),
    method("squeeze!", 0, ANY, |i, this, args| {
        // Wrong sets are told before a frozen text.
        i.send_with(this, "squeeze", args)?;
        in_place(i, this, "squeeze", args)
    }),
    method("delete!", 0, ANY, |i, this, args| match text(this).as_str() {
        "" => check_frozen(i, this).map(|()| Val::Nil),
        _ => {
            i.send_with(this, "delete", args)?;
            in_place(i, this, "delete", args)
        }
    }),
    method("delete_prefix!", 1, 1, |i, this, args| in_place(i, this, "delete_prefix", args)),
    method("delete_suffix!", 1, 1, |i, this, args| in_place(i, this, "delete_suffix", args)),
    method("tr!", 2, 2, |i, this, args| {
        if text(this).is_empty() {
            i.str(args.at(0))?;
            i.str(args.at(1))?;
            return Ok(Val::Nil);
        }
        i.send(this, "tr", args.values)?;
        let found = i.send(this, "count", &[args.at(0)])?;
        check_frozen(i, this)?;
        if matches!(found, Val::Integer(0)) {
            i.str(args.at(1))?;
            return Ok(Val::Nil);
        }
        in_place(i, this, "tr", args)?;
        Ok(this)
    }),
    method("sub!", 0, ANY, |i, this, args| {
        super::string_match::check_sub(i, &args)?;
        if let Some(by) = args.get(1).filter(|by| !matches!(by, Val::Hash(_))) {
            i.str(by)?;
        }
        if !matches!(args.at(0), Val::String(_) | Val::Regexp(_)) {
            return Err(super::regexp::no_pattern(i, args.at(0), "Regexp"));
        }
        replaced(i, this, "sub", args)
    }),
    method("gsub!", 1, 2, |i, this, args| replaced(i, this, "gsub", args)),
    method("succ! next!", 0, 0, |i, this, args| {
        in_place(i, this, "succ", args)?;
        Ok(this)
    }),
];
