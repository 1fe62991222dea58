//! Translates Java's regular expressions in rules for the engine here, which uses Ruby's syntax.
//!
//! Most of the syntax is the same. Java's classes are ASCII by default, it has POSIX classes under `\p`, and
//! quotes with `\Q…\E`; its anchors and flags have other meanings than Ruby's.

use std::fmt::Write as _;

use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::regexp::{Regex, escape};
use bunraku_syntax::pattern::refused;
use nom::branch::alt;
use nom::bytes::complete::{is_a, is_not, tag, take_until, take_while_m_n};
use nom::character::complete::{anychar, char, hex_digit1, one_of};
use nom::combinator::{map, opt, recognize, rest, value};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser as _};

/// The maximum number of steps of a search: about a hundredth of a second.
const STEPS: u64 = 1 << 19;

/// The classes of escaped letters: inside brackets, without the brackets.
const CLASSES: &[(char, &str)] = &[
    ('d', "0-9"),
    ('w', "a-zA-Z0-9_"),
    ('s', r" \t\n\x0B\f\r"),
    ('h', r" \t\u{a0}\u{1680}\u{180e}\u{2000}-\u{200a}\u{202f}\u{205f}\u{3000}"),
    ('v', r"\n\x0B\f\r\u{85}\u{2028}\u{2029}"),
];

/// Java's names of classes that others write in another way.
const PROPERTIES: &[(&str, &str)] = &[
    ("Lower", "a-z"),
    ("Upper", "A-Z"),
    ("ASCII", r"\x00-\x7F"),
    ("Alpha", "a-zA-Z"),
    ("Digit", "0-9"),
    ("Alnum", "a-zA-Z0-9"),
    ("Punct", r"!-/:-@\[-`{-~"),
    ("Graph", "!-~"),
    ("Print", r" -~"),
    ("Blank", r" \t"),
    ("Cntrl", r"\x00-\x1F\x7F"),
    ("XDigit", "0-9a-fA-F"),
    ("Space", r" \t\n\x0B\f\r"),
    ("javaLowerCase", r"\p{Ll}"),
    ("javaUpperCase", r"\p{Lu}"),
    ("javaWhitespace", r"\s"),
];

/// A pattern that a rule has.
#[derive(Debug)]
pub(super) struct Pattern(Regex);

impl Pattern {
    /// Whether the pattern matches anywhere. One that cannot be decided in reasonable time does not.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text, &BoundedFuel::to(STEPS)).unwrap_or(false)
    }
}

/// Compiles a pattern.
///
/// # Errors
/// The problem of the pattern.
pub(super) fn compile(source: &str) -> Result<Pattern, String> {
    let translated = translated(source)?;
    Regex::new(&translated).map(Pattern).map_err(|message| {
        // The error contains the pattern as its author has written it.
        let what = message.strip_suffix(&refused("", &translated, "")).unwrap_or(&message);
        format!("{what}: /{source}/")
    })
}

/// A piece of a pattern, as Java reads it.
#[derive(Clone)]
enum Piece<'p> {
    /// `\Q…\E`
    Quoted(&'p str),
    /// `\p{…}`, `\P{…}`, `\pL`
    Property { is_negated: bool, name: &'p str },
    /// A character by its number, in digits of a base.
    Number(&'p str, u32),
    /// A backslash and the escaped character.
    Escape(char),
    /// `(?i)`, `(?s-m:`
    Flags { on: &'p str, off: &'p str, end: char },
    /// `{2,3}+`
    PossessiveInterval,
    /// Any other character.
    Other(char),
}

/// Reads a piece outside of brackets.
fn piece(input: &str) -> IResult<&str, Piece<'_>> {
    let flags = || map(opt(is_a("idmsuxU")), Option::unwrap_or_default);
    let off = map(opt(preceded(char('-'), flags())), Option::unwrap_or_default);
    let interval = delimited(char('{'), is_a("0123456789,"), tag("}+"));
    alt((
        map(preceded(tag("(?"), (flags(), off, one_of("):"))), |(on, off, end)| Piece::Flags {
            on,
            off,
            end,
        }),
        value(Piece::PossessiveInterval, interval),
        member,
    ))
    .parse(input)
}

/// Reads a piece inside brackets.
fn member(input: &str) -> IResult<&str, Piece<'_>> {
    alt((preceded(char('\\'), escaped), map(anychar, Piece::Other))).parse(input)
}

/// Reads the rest of an escape.
fn escaped(input: &str) -> IResult<&str, Piece<'_>> {
    let quoted = alt((terminated(take_until("\\E"), tag("\\E")), rest));
    let name = alt((delimited(char('{'), is_not("}"), char('}')), recognize(anychar)));
    let byte = take_while_m_n(2, 2, |digit: char| digit.is_ascii_hexdigit());
    let octal = take_while_m_n(1, 3, |digit: char| digit.is_digit(8));
    alt((
        map(preceded(char('Q'), quoted), Piece::Quoted),
        map((one_of("pP"), name), |(letter, name)| Piece::Property { is_negated: letter == 'P', name }),
        map(delimited(tag("x{"), hex_digit1, char('}')), |digits| Piece::Number(digits, 16)),
        map(preceded(char('x'), byte), |digits| Piece::Number(digits, 16)),
        map(preceded(char('0'), octal), |digits| Piece::Number(digits, 8)),
        map(anychar, Piece::Escape),
    ))
    .parse(input)
}

/// The flags that mean something else in Ruby.
#[derive(Clone, Copy, Default)]
struct Flags {
    /// `(?m)`: `^` and `$` also match at the ends of lines.
    lines: bool,
    /// `(?s)`: `.` is any character.
    any: bool,
}

/// Writes a pattern in Ruby's syntax.
#[derive(Default)]
struct Writer {
    out: String,
    /// The number of open brackets.
    brackets: usize,
    flags: Flags,
    /// The flags around each group that is open.
    around: Vec<Flags>,
}

/// The pattern in Ruby's syntax.
fn translated(source: &str) -> Result<String, String> {
    let mut writer = Writer::default();
    let mut rest = source;
    while let Ok((behind, piece)) = if writer.brackets > 0 { member(rest) } else { piece(rest) } {
        rest = writer.piece(piece, behind).map_err(|wrong| format!("{wrong}: /{source}/"))?;
    }
    // A backslash that nothing follows.
    writer.out.push_str(rest);
    Ok(writer.out)
}

impl Writer {
    /// Writes a piece; returns the rest of the text after it.
    fn piece<'p>(&mut self, piece: Piece<'p>, behind: &'p str) -> Result<&'p str, &'static str> {
        match piece {
            Piece::Quoted(text) => self.out.push_str(&escape(text)),
            Piece::Property { is_negated, name } => self.property(is_negated, name),
            Piece::Number(digits, radix) => {
                let number =
                    u32::from_str_radix(digits, radix).ok().filter(|one| char::from_u32(*one).is_some());
                let _ = write!(self.out, "\\u{{{:x}}}", number.ok_or("invalid Unicode range")?);
            }
            Piece::Escape(letter) => self.escape(letter),
            Piece::Flags { on, off, end } => self.flags(on, off, end),
            Piece::PossessiveInterval => return Err("possessive intervals are not supported"),
            Piece::Other('[') => return Ok(self.bracket(behind)),
            Piece::Other(']') => {
                self.brackets = self.brackets.saturating_sub(1);
                self.out.push(']');
            }
            Piece::Other(other) if self.brackets > 0 => self.out.push(other),
            Piece::Other('(') => {
                self.around.push(self.flags);
                self.out.push('(');
            }
            Piece::Other(')') => {
                self.flags = self.around.pop().unwrap_or(self.flags);
                self.out.push(')');
            }
            Piece::Other('.') => {
                self.out.push_str(if self.flags.any { "(?m:.)" } else { r"[^\n\r\u0085\u2028\u2029]" })
            }
            Piece::Other('^') => self.out.push_str(if self.flags.lines { "^" } else { r"\A" }),
            Piece::Other('$') => self.out.push_str(if self.flags.lines { "$" } else { r"\Z" }),
            Piece::Other(other) => self.out.push(other),
        }
        Ok(behind)
    }

    /// Opens brackets. One that closes at once is itself a member.
    fn bracket<'p>(&mut self, mut behind: &'p str) -> &'p str {
        self.brackets += 1;
        self.out.push('[');
        for (opening, written) in [("^", "^"), ("]", r"\]")] {
            if let Some(rest) = behind.strip_prefix(opening) {
                behind = rest;
                self.out.push_str(written);
            }
        }
        behind
    }

    fn flags(&mut self, on: &str, off: &str, end: char) {
        if end == ':' {
            self.around.push(self.flags);
        }
        for (flags, is_on) in [(on, true), (off, false)] {
            self.flags.lines = if flags.contains('m') { is_on } else { self.flags.lines };
            self.flags.any = if flags.contains('s') { is_on } else { self.flags.any };
        }
        let known = |flags: &str| flags.chars().filter(|flag| matches!(flag, 'i' | 'x')).collect::<String>();
        let (on, off) = (known(on), known(off));
        if end == ')' && on.is_empty() && off.is_empty() {
            return;
        }
        let dash = if off.is_empty() { "" } else { "-" };
        let _ = write!(self.out, "(?{on}{dash}{off}{end}");
    }

    fn escape(&mut self, letter: char) {
        let class =
            |name: char| CLASSES.iter().find(|(known, _)| *known == name).map(|(_, members)| *members);
        match (class(letter), class(letter.to_ascii_lowercase())) {
            (Some(members), _) => self.class(members, false),
            (None, Some(members)) => self.class(members, true),
            (None, None) => self.out.extend(['\\', letter]),
        }
    }

    fn property(&mut self, is_negated: bool, name: &str) {
        let name = name.strip_prefix("Is").filter(|name| name.len() > 2).unwrap_or(name);
        match PROPERTIES.iter().find(|(known, _)| *known == name) {
            Some((_, members)) => self.class(members, is_negated),
            None => {
                let _ = write!(self.out, "\\{}{{{name}}}", if is_negated { 'P' } else { 'p' });
            }
        }
    }

    fn class(&mut self, members: &str, is_negated: bool) {
        if self.brackets > 0 && !is_negated {
            self.out.push_str(members);
        } else {
            let _ = write!(self.out, "[{}{members}]", if is_negated { "^" } else { "" });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).expect("a pattern").is_match(text)
    }

    #[test]
    fn classes_are_of_ascii() {
        assert!(matches(r"^web\d+$", "web12"));
        assert!(!matches(r"^web\d+$", "web\u{0663}"));
        assert!(matches(r"^[\w.]+$", "a_1.b"));
        assert!(!matches(r"^[\W]$", "a"));
        assert!(matches(r"^\p{Upper}\p{Lower}+$", "Web"));
        assert!(!matches(r"^\P{Digit}$", "1"));
        assert!(matches(r"^[.]$", ".") && !matches(r"^[.]$", "a"));
        assert!(matches(r"^[($^|]{2}$", "(|"));
    }

    #[test]
    fn anchors_stand_at_the_ends_of_the_text() {
        assert!(!matches("^b$", "a\nb"));
        assert!(matches("(?m)^b$", "a\nb"));
    }

    #[test]
    fn quotes_and_look_around_work() {
        assert!(matches(r"\Qa.b\E+", "a.bb"));
        assert!(!matches(r"\Qa.b\E", "axb"));
        assert!(matches(r"^(?!db).*\.example\.com$", "web.example.com"));
        assert!(matches(r"^[]a]+$", "]a"));
    }

    #[test]
    fn flags_hold_to_the_end_of_their_group() {
        assert!(matches("(?i)WEB", "web") && matches("a(?i:B)c", "abc"));
        assert!(!matches("(?:(?i)A)B", "ab"));
        assert!(matches("(?s)a.b", "a\nb") && matches("(?s:a.)b", "a\nb"));
        assert!(!matches("a.b", "a\nb") && !matches("a.b", "a\rb") && !matches("(?:(?s)a.)b.c", "a\nb\nc"));
        assert!(matches("(?:(?m)^b$)", "a\nb\nc") && !matches("(?:(?m)a)|^b$", "\nb\nc"));
        assert!(matches("^a$", "a\n") && !matches("^a$", "a\nb"));
    }

    #[test]
    fn escapes_mean_what_they_mean_in_java() {
        assert!(matches(r"^\pL\x{1F600}\x41\xe9\0101$", "z\u{1F600}A\u{e9}A"));
        assert!(matches(r"^\R\h[\h\v]$", "\r\n\t\u{2028}"));
        assert!(
            matches(r"(?<n>a)\k<n>", "aa") && matches("[a-c&&[^b]]", "c") && !matches("^[a-c&&[^b]]$", "b")
        );
    }

    #[test]
    fn what_is_wrong_is_told_of_the_pattern_as_it_was_written() {
        let wrong = |source: &str| compile(source).err().unwrap_or_default();
        assert!(wrong(r"\d(").ends_with(r": /\d(/"), "{}", wrong(r"\d("));
        assert!(wrong("a{1,2}+").contains("possessive"));
    }

    #[test]
    fn a_pattern_that_goes_back_for_ever_does_not_match() {
        assert!(!matches(r"^(?=(a+)+$)a+b$", &"a".repeat(5_000)));
    }
}
