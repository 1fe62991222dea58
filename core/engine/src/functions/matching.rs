//! Regular expressions over strings: `match`, `regsubst`, `split`.

use std::sync::Arc;

use indexmap::IndexMap;

use super::{ruby, warn_once};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::byte_string::ByteString;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::regexp::{Regex, Replacement};
use bunraku_pcore::types::TypeKind;
use bunraku_pcore::value::RegexpValue;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::pattern;

/// The target of `regsubst`.
macro_rules! target {
    ($rest:literal) => {
        concat!(
            "Variant[Array[Variant[String,Sensitive[String]]],Sensitive[Array[Variant[String,Sensitive[String]]]],\
             Variant[String,Sensitive[String]]] $target, ",
            $rest
        )
    };
}

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "match",
        &[
            Dispatch::new("String $string, Variant[Any, Type] $pattern", match_one),
            Dispatch::new("Array[String] $string, Variant[Any, Type] $pattern", match_all),
        ],
    ).only_in_4x(),
    BuiltIn::new(
        "regsubst",
        &[
            Dispatch::new(
                target!(
                    "String $pattern, Variant[String,Hash[String,String]] $replacement, \
                     Optional[Pattern[/^[GEIM]*$/]]? $flags, Enum['N','E','S','U']? $encoding"
                ),
                regsubst_string,
            ),
            Dispatch::new(
                target!(
                    "Variant[Regexp,Type[Regexp]] $pattern, Variant[String,Hash[String,String]] $replacement, \
                     Pattern[/^G?$/]? $flags"
                ),
                regsubst_regexp,
            ),
        ],
    ).only_in_4x(),
    BuiltIn::new(
        "split",
        &[
            Dispatch::new("String $str, String $pattern", split),
            Dispatch::new("String $str, Regexp $pattern", split),
            Dispatch::new("String $str, Type[Regexp] $pattern", split),
            Dispatch::new("Sensitive[String] $sensitive, String $pattern", split),
            Dispatch::new("Sensitive[String] $sensitive, Regexp $pattern", split),
            Dispatch::new("Sensitive[String] $sensitive, Type[Regexp] $pattern", split),
        ],
    ).only_in_4x(),
];

/// A pattern that was given as a string.
fn regexp(call: &Call<'_, '_>, pattern: &str) -> Arc<RegexpValue> {
    call.evaluator.environment.regexp_in_text(pattern)
}

fn match_one(call: &Call<'_, '_>) -> Evaluated {
    match_pattern(call, call.argument(0), call.argument(1))
}

fn match_all(call: &Call<'_, '_>) -> Evaluated {
    let Value::Array(texts) = call.argument(0) else { return Ok(Value::Undef) };
    let matched: Evaluated<Vec<Value>> =
        texts.iter().map(|text| match_pattern(call, text, call.argument(1))).collect();
    Ok(matched?.into())
}

/// The groups of the first match of a pattern of any kind, or `undef`.
fn match_pattern(call: &Call<'_, '_>, text: &Value, pattern: &Value) -> Evaluated {
    let fuel = call.fuel();
    match &*pattern.in_utf8() {
        Value::String(source) => groups(text, regexp(call, source).regex(fuel)?, fuel),
        Value::Regexp(regexp) => groups(text, regexp.regex(fuel)?, fuel),
        Value::Array(patterns) => first_match(call, text, ruby::flatten(patterns).iter().cloned()),
        Value::Type(of) => match of.kind() {
            TypeKind::Alias(alias) => match alias.target.get() {
                Some(target) => match_pattern(call, text, &target.clone().into()),
                None => Ok(Value::Undef),
            },
            TypeKind::Variant(types) => first_match(call, text, types.iter().cloned().map(Value::Type)),
            TypeKind::Pattern(patterns) => {
                first_match(call, text, patterns.iter().cloned().map(Value::Regexp))
            }
            TypeKind::Regexp(Some(regexp)) => groups(text, regexp.regex(fuel)?, fuel),
            TypeKind::Regexp(None) => {
                Err(Error::argument("Given Regexp Type has no regular expression").into())
            }
            _ => Err(unexpected(pattern)),
        },
        _ => Err(unexpected(pattern)),
    }
}

fn unexpected(pattern: &Value) -> crate::eval::Unwind {
    Error::argument(format!(
        "match() expects pattern of T, where T is String, Regexp, Regexp[r], Pattern[p], or Array[T]. Got {}",
        ruby::class_name(pattern)
    ))
    .into()
}

fn first_match(call: &Call<'_, '_>, text: &Value, patterns: impl Iterator<Item = Value>) -> Evaluated {
    for pattern in patterns {
        let found = match_pattern(call, text, &pattern)?;
        if found.is_truthy() {
            return Ok(found);
        }
    }
    Ok(Value::Undef)
}

fn groups(text: &Value, regex: &Regex, fuel: &dyn Fuel) -> Evaluated {
    let subject = text.as_str().unwrap_or("");
    let Some(captures) = regex.captures_at(subject, 0, fuel)? else { return Ok(Value::Undef) };
    let group = |span: &Option<(usize, usize)>| {
        span.and_then(|(start, end)| subject.get(start..end)).map_or(Value::Undef, |part| text.part(part))
    };
    Ok(Value::array(captures.iter().map(group)))
}

fn regsubst_string(call: &Call<'_, '_>) -> Evaluated {
    if call.arguments.len() > 4 {
        warn_once(
            call,
            "regsubst_function_encoding",
            "The regsubst() function's encoding argument has been ignored since Ruby 1.9 and will be removed in a future release",
        );
    }
    let flags = call.arguments.get(3).and_then(Value::as_str).unwrap_or("");
    let options: String = [('M', 'm'), ('I', 'i'), ('E', 'x')]
        .into_iter()
        .filter_map(|(flag, option)| flags.contains(flag).then_some(option))
        .collect();
    let pattern = if options.is_empty() {
        regexp(call, call.text(1))
    } else {
        let source = call.text(1);
        if let Err(message) = pattern::check_with(source, &options) {
            return Err(Error::argument(pattern::refused(&message, source, &options)).into());
        }
        // A comment of an extended pattern ends with the line.
        let end = if options.contains('x') { "\n)" } else { ")" };
        regexp(call, &format!("(?{options}:{source}{end}"))
    };
    substitute(call, pattern.regex(call.fuel())?, call.argument(2), flags.contains('G'))
}

fn regsubst_regexp(call: &Call<'_, '_>) -> Evaluated {
    let is_global = call.arguments.get(3).and_then(Value::as_str) == Some("G");
    let regexp = pattern_of(call.argument(1));
    substitute(call, regexp.regex(call.fuel())?, call.argument(2), is_global)
}

/// The regular expression that a Regexp or a Regexp type is; the empty one for the bare type.
fn pattern_of(value: &Value) -> Arc<RegexpValue> {
    match value {
        Value::Regexp(regexp) => Arc::clone(regexp),
        Value::Type(of) => match of.kind() {
            TypeKind::Regexp(Some(regexp)) => Arc::clone(regexp),
            _ => Arc::new(RegexpValue::new("")),
        },
        _ => Arc::new(RegexpValue::new("")),
    }
}

fn substitute(call: &Call<'_, '_>, regex: &Regex, replacement: &Value, is_global: bool) -> Evaluated {
    let map: IndexMap<String, String> = match replacement {
        Value::Hash(hash) => hash
            .iter()
            .filter_map(|(key, value)| Some((key.as_str()?.to_owned(), value.as_str()?.to_owned())))
            .collect(),
        _ => IndexMap::new(),
    };
    let replacement = match replacement.as_str() {
        Some(template) => Replacement::Template(template),
        None => Replacement::Map(&map),
    };
    substitute_in(call.argument(0), &|text| {
        if is_global {
            regex.replace_all(text, &replacement, call.fuel())
        } else {
            regex.replace_first(text, &replacement, call.fuel())
        }
    })
}

fn substitute_in(target: &Value, replace: &dyn Fn(&str) -> Result<String, Error>) -> Evaluated {
    let all = |targets: &[Value]| -> Evaluated {
        let replaced: Evaluated<Vec<Value>> =
            targets.iter().map(|target| substitute_in(target, replace)).collect();
        Ok(replaced?.into())
    };
    match target {
        Value::Array(targets) => all(targets),
        Value::Sensitive(target) => match &***target {
            Value::Array(targets) => all(targets),
            target => Ok(Value::sensitive(substitute_in(target, replace)?)),
        },
        Value::String(text) => Ok(replace(text)?.into()),
        Value::ByteString(bytes) => Ok(ByteString::of_characters(&replace(&bytes.characters())?)),
        other => Ok(other.clone()),
    }
}

fn split(call: &Call<'_, '_>) -> Evaluated {
    match call.argument(0) {
        Value::Sensitive(text) => Ok(Value::sensitive(split_text(call, text)?)),
        text => split_text(call, text),
    }
}

fn split_text(call: &Call<'_, '_>, text: &Value) -> Evaluated {
    let characters;
    let (text, is_bytes) = match text {
        Value::ByteString(bytes) => {
            characters = bytes.characters();
            (characters.as_str(), true)
        }
        text => (text.as_str().unwrap_or(""), false),
    };
    let parts = match &*call.argument(1).in_utf8() {
        Value::String(source) => regexp(call, source).regex(call.fuel())?.split(text, 0, call.fuel())?,
        other => pattern_of(other).regex(call.fuel())?.split(text, 0, call.fuel())?,
    };
    let made = |part: String| if is_bytes { ByteString::of_characters(&part) } else { part.into() };
    Ok(Value::array(parts.into_iter().map(made)))
}
