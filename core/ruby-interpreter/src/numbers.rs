//! Numbers in text as Ruby reads them, and whole numbers of any size.

use std::borrow::Cow;

use super::class;
use super::failure::{R, Unwind};
use super::interpreter::Interpreter;
use super::value::Val;
use bunraku_pcore::Value;
use bunraku_pcore::big::BigInt;

use bunraku_pcore::number::{parse_digits, parse_float, parse_whole};

/// The maximum number of bits in a whole number: showing more, some 100,000 digits, takes long.
pub(super) const MAX_BITS: u64 = 332_000;

/// A whole number.
pub(super) fn whole<'a>(i: &Interpreter<'a>, number: BigInt) -> R<'a> {
    if number.bits() > MAX_BITS { Err(too_large(i)) } else { Ok(i.heap.whole(number)) }
}

/// The number that a value is, when it is a whole one.
pub(super) fn as_whole<'v>(value: Val<'v>) -> Option<Cow<'v, BigInt>> {
    match value {
        Val::Integer(number) => Some(Cow::Owned(number.into())),
        Val::Big(number) => Some(Cow::Borrowed(number)),
        _ => None,
    }
}

/// The error about whole numbers that are too large.
pub(super) fn too_large<'a>(i: &Interpreter<'a>) -> Unwind<'a> {
    i.unsupported("whole number of more than 100,000 digits")
}

/// `String#to_i`: the number at the start of a text.
pub(super) fn to_i<'a>(i: &mut Interpreter<'a>, text: &str, radix: i64) -> R<'a> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let (negative, digits) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(digits), _) => (true, digits),
        (_, Some(digits)) => (false, digits),
        _ => (false, text),
    };
    if !(0..=36).contains(&radix) || radix == 1 {
        return Err(i.raise(&class::ARGUMENT_ERROR, format!("invalid radix {radix}")));
    }
    let (prefix, behind) = digits.split_at_checked(2).unwrap_or_default();
    let (radix, digits) = match (prefix.to_ascii_lowercase().as_str(), radix) {
        ("0x", 16 | 0) => (16, behind),
        ("0b", 2 | 0) => (2, behind),
        ("0o", 8 | 0) => (8, behind),
        (_, 0) if digits.starts_with('0') => (8, digits),
        (_, 0) => (10, digits),
        (_, radix) => (radix as u32, digits),
    };
    let mut found = String::new();
    let mut last_was_digit = false;
    for character in digits.chars() {
        match character.to_digit(radix) {
            Some(_) => {
                found.push(character);
                last_was_digit = true;
            }
            None if character == '_' && last_was_digit => last_was_digit = false,
            None => break,
        }
    }
    if found.is_empty() {
        return Ok(Val::Integer(0));
    }
    match parse_digits(negative, &found, radix) {
        Ok(number) => i.to_ruby(&number),
        Err(_) => Err(too_large(i)),
    }
}

/// `String#to_f`: the number at the start of a text.
pub(super) fn to_f(text: &str) -> f64 {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let mut end = 0;
    let mut number = 0.0;
    // The longest beginning that is a number; numbers are short.
    for (at, character) in text.char_indices().take(400) {
        if !(character.is_ascii_digit() || matches!(character, '.' | 'e' | 'E' | '+' | '-' | '_')) {
            break;
        }
        end = at + 1;
    }
    while end > 0 {
        let beginning = text.get(..end).unwrap_or_default();
        let is_plain = beginning.ends_with(|c: char| c.is_ascii_digit());
        if is_plain && let Ok(found) = beginning.replace('_', "").parse() {
            number = found;
            break;
        }
        end -= 1;
    }
    number
}

/// `Integer(text)`; `None` if the text is not a number.
pub(super) fn integer(text: &str, radix: u32) -> Option<Value> {
    parse_whole(text, radix).ok()
}

/// `Float(text)`
pub(super) fn float(text: &str) -> Option<f64> {
    parse_float(text)
}
