//! Patterns as text: the result of Ruby's `Regexp#to_s`. Follows `rb_reg_str_with_opt` of Ruby's `re.c`.

use std::borrow::Cow;

use super::parse::check;

/// The options, in the order in which Ruby writes them.
const OPTIONS: [char; 3] = ['m', 'i', 'x'];

/// The pattern in a group with all options: `(?-mix:a)`. Options of the whole pattern become those of the
/// group: `(?i)a` and `(?i:a)` are `(?i-mx:a)`.
pub fn to_s(source: &str) -> String {
    let (on, pattern) = split_options(source);
    let mut out = String::with_capacity(pattern.len() + 8);
    out.push_str("(?");
    let named =
        |wanted: bool| OPTIONS.iter().zip(on).filter(move |(_, on)| *on == wanted).map(|(name, _)| name);
    out.extend(named(true));
    if on.contains(&false) {
        out.push('-');
        out.extend(named(false));
    }
    out.push(':');
    push_escaped(&mut out, pattern);
    out.push(')');
    out
}

/// The options at the start of a pattern that apply to all of it, and the rest of it.
pub fn split_options(source: &str) -> ([bool; 3], &str) {
    let (mut on, mut rest) = ([false; 3], source);
    while rest.len() >= 4
        && let Some(group) = rest.strip_prefix("(?")
    {
        let end = set_options(&mut on, group, true);
        let mut behind = group.get(end..).unwrap_or_default();
        if behind.len() > 1
            && let Some(off) = behind.strip_prefix('-')
        {
            behind = off.get(set_options(&mut on, off, false)..).unwrap_or_default();
        }
        if let Some(after) = behind.strip_prefix(')') {
            rest = after;
            continue;
        }
        let body = behind.strip_prefix(':').and_then(|body| body.strip_suffix(')'));
        return match body.filter(|body| check(body).is_ok()) {
            Some(body) => (on, body),
            None => ([false; 3], source),
        };
    }
    (on, rest)
}

/// Sets the options that a text begins with; returns their number.
fn set_options(on: &mut [bool; 3], text: &str, value: bool) -> usize {
    let mut count = 0;
    for c in text.chars() {
        let Some(index) = OPTIONS.iter().position(|option| *option == c) else { break };
        if let Some(place) = on.get_mut(index) {
            *place = value;
        }
        count += 1;
    }
    count
}

/// Appends a pattern with its slashes escaped, unless they already are, and control characters as numbers.
fn push_escaped(out: &mut String, pattern: &str) {
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                out.push(c);
                out.extend(characters.next());
            }
            c => push_ascii(out, c),
        }
    }
}

/// Appends a character as itself, or as Ruby escapes those of ASCII in patterns.
fn push_ascii(out: &mut String, c: char) {
    match c {
        '/' => out.push_str("\\/"),
        c if c.is_ascii_control() && !c.is_ascii_whitespace() && c != '\u{b}' => {
            out.push_str(&format!("\\x{:02X}", u32::from(c)));
        }
        c => out.push(c),
    }
}

/// The message about a wrong pattern with options, as Ruby writes it.
pub fn refused(message: &str, source: &str, options: &str) -> String {
    format!("{message}: {}", inspect(source, options))
}

/// The result of Ruby's `Regexp#inspect` for a pattern with some of the options `mix`. A pattern with a slash
/// or something that cannot be printed is escaped, and so is everything in it beyond ASCII. Follows
/// `rb_reg_expr_str` of Ruby's `re.c`.
pub fn inspect(source: &str, options: &str) -> String {
    let is_printed = |c: char| !c.is_ascii() || (c != '/' && !c.is_ascii_control());
    let mut shown = String::with_capacity(source.len());
    if source.chars().all(is_printed) {
        shown.push_str(source);
    } else {
        let mut characters = source.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' => {
                    shown.push(c);
                    shown.extend(characters.next());
                }
                c if c.is_ascii() => push_ascii(&mut shown, c),
                c if c <= '\u{ffff}' => shown.push_str(&format!("\\u{:04X}", u32::from(c))),
                c => shown.push_str(&format!("\\u{{{:X}}}", u32::from(c))),
            }
        }
    }
    let options = OPTIONS.iter().filter(|option| options.contains(**option));
    format!("/{shown}/{}", options.collect::<String>())
}

/// Whether Ruby ties a regular expression of this pattern to UTF-8: it contains non-ASCII characters,
/// directly or as escapes, or a character property.
pub fn has_fixed_encoding(pattern: &str) -> bool {
    if !pattern.is_ascii() {
        return true;
    }
    let mut rest = pattern;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let escape = &rest[at + 1..];
        let number = |digits: &str, radix, most: usize| {
            let digits = digits.chars().map_while(|digit| digit.to_digit(radix)).take(most);
            digits.fold(0u32, |code, digit| code.saturating_mul(radix).saturating_add(digit))
        };
        let is_fixed = match escape.as_bytes() {
            [b'p' | b'P', ..] => true,
            // The braces can contain several.
            [b'u', b'{', ..] => {
                let codes = escape[2..].split('}').next().unwrap_or_default();
                codes.split_ascii_whitespace().any(|code| number(code, 16, 8) >= 0x80)
            }
            [b'u', ..] => number(&escape[1..], 16, 4) >= 0x80,
            [b'x', ..] => number(&escape[1..], 16, 2) >= 0x80,
            [b'0'..=b'3', ..] => number(escape, 8, 3) >= 0x80,
            _ => false,
        };
        if is_fixed {
            return true;
        }
        rest = escape.get(1..).unwrap_or_default();
    }
    false
}

/// A pattern as the reference shows it with options: a pattern that Ruby ties to UTF-8 has an option for the
/// reference, and is written in a group. Follows `append_flags_group` of the reference's `types.rb`.
pub fn with_options(source: &str) -> Cow<'_, str> {
    if has_fixed_encoding(source) { format!("(?-imx:{source})").into() } else { source.into() }
}

#[cfg(test)]
mod tests {
    use super::{has_fixed_encoding, to_s};

    #[test]
    fn escapes_beyond_ascii_tie_a_pattern_to_unicode() {
        for source in ["é", r"\u00e9", r"a\u{E9}", r"\xC3\xA9"] {
            assert!(has_fixed_encoding(source), "{source}");
        }
        for source in ["e", r"\u0041", r"\\u00e9", r"\1", r"\x41"] {
            assert!(!has_fixed_encoding(source), "{source}");
        }
    }

    #[test]
    fn options_of_the_whole_pattern_are_those_of_the_group() {
        for (source, shown) in [
            ("a/b", r"(?-mix:a\/b)"),
            (r"a\/b", r"(?-mix:a\/b)"),
            ("(?i)B", "(?i-mx:B)"),
            ("(?i:a)(b)", "(?-mix:(?i:a)(b))"),
            ("(?i-m:a(b))", "(?i-mx:a(b))"),
            ("(?mix)", "(?mix:)"),
            ("(?i)(?m:b)", "(?mi-x:b)"),
            ("(?=a)", "(?-mix:(?=a))"),
            ("\n\u{1}é", "(?-mix:\n\\x01é)"),
        ] {
            assert_eq!(to_s(source), shown);
        }
    }
}
