//! Lengths of time read from text and written by a format. Follows `pops/time/timespan.rb`.

use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use num_traits::ToPrimitive as _;

use super::SECOND;
use crate::data::big::BigInt;
use crate::data::fuel::BoundedFuel;
use crate::data::value::Timespan;
use crate::regexp::{Regex, escape};
use bunraku_syntax::diagnostic::Error;

/// The widest field of a format.
const MAX_WIDTH: usize = 1000;

/// The formats tried when none is given.
pub const DEFAULT_FORMATS: [&str; 8] =
    ["%D-%H:%M:%S.%-N", "%H:%M:%S.%-N", "%M:%S.%-N", "%S.%-N", "%D-%H:%M:%S", "%H:%M:%S", "%D-%H:%M", "%S"];

static DEFAULTS: LazyLock<Vec<Arc<TimespanFormat>>> = LazyLock::new(|| {
    DEFAULT_FORMATS.iter().filter_map(|f| TimespanFormat::parse(f).ok().map(Arc::new)).collect()
});

/// A unit of a format, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Nanoseconds,
    Milliseconds,
    Seconds,
    Minutes,
    Hours,
    Days,
}

impl Unit {
    const fn length(self) -> i128 {
        match self {
            Self::Nanoseconds => 1,
            Self::Milliseconds => SECOND / 1000,
            Self::Seconds => SECOND,
            Self::Minutes => SECOND * 60,
            Self::Hours => SECOND * 3600,
            Self::Days => SECOND * 86_400,
        }
    }

    const fn default_width(self) -> usize {
        match self {
            Self::Nanoseconds => 9,
            Self::Milliseconds => 3,
            Self::Seconds | Self::Minutes | Self::Hours => 2,
            Self::Days => 1,
        }
    }

    const fn is_fraction(self) -> bool {
        matches!(self, Self::Nanoseconds | Self::Milliseconds)
    }
}

#[derive(Clone, Debug)]
enum Segment {
    Literal(String),
    Value {
        unit: Unit,
        /// The padding of the field; `None` is `-`.
        padding: Option<char>,
        width: Option<usize>,
        /// Whether this is the largest unit and holds all that is left.
        is_total: bool,
    },
}

/// A parsed format.
#[derive(Debug)]
pub struct TimespanFormat {
    text: String,
    segments: Vec<Segment>,
    regex: std::sync::OnceLock<Result<Regex, String>>,
}

impl TimespanFormat {
    /// Takes a format apart: `%D %H %M %S %L %N %%`, each with `-`, `_`, `0` and a width.
    ///
    /// # Errors
    /// When a directive is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let characters: Vec<char> = text.chars().collect();
        let bad = |start: usize, at: usize| {
            let expression: String = characters.iter().skip(start).take(at - start).collect();
            Error::argument(format!("Bad format specifier '{expression}' in '{text}', at position {at}"))
        };
        let mut segments: Vec<Segment> = Vec::new();
        let (mut at, mut start) = (0, 0);
        let mut in_directive = false;
        while let Some(&c) = characters.get(at) {
            if c != '%' {
                push_literal(&mut segments, c);
                at += 1;
                continue;
            }
            (start, in_directive) = (at, true);
            at += 1;
            let (mut padding, mut width, mut may_pad) = (Some('0'), None, true);
            while in_directive {
                let Some(&c) = characters.get(at) else { break };
                let unit = match c {
                    '%' => {
                        push_literal(&mut segments, c);
                        in_directive = false;
                        None
                    }
                    '-' | '_' if may_pad => {
                        padding = (c == '_').then_some(' ');
                        may_pad = false;
                        None
                    }
                    'D' => Some(Unit::Days),
                    'H' => Some(Unit::Hours),
                    'M' => Some(Unit::Minutes),
                    'S' => Some(Unit::Seconds),
                    'L' => Some(Unit::Milliseconds),
                    'N' => Some(Unit::Nanoseconds),
                    '0'..='9' => {
                        if may_pad && c == '0' {
                            padding = Some('0');
                        } else {
                            let digit = c.to_digit(10).unwrap_or(0) as usize;
                            width = Some((width.unwrap_or(0) * 10 + digit).min(1 << 30));
                        }
                        may_pad = false;
                        None
                    }
                    _ => return Err(bad(start, at)),
                };
                if let Some(unit) = unit {
                    if width.is_some_and(|width| width > MAX_WIDTH) {
                        return Err(Error::limit("the formatted text is too long"));
                    }
                    segments.push(Segment::Value { unit, padding, width, is_total: false });
                    in_directive = false;
                }
                at += 1;
            }
        }
        if in_directive {
            return Err(bad(start, characters.len().saturating_sub(1)));
        }
        mark_total(&mut segments);
        Ok(Self { text: text.into(), segments, regex: std::sync::OnceLock::new() })
    }

    fn regex(&self) -> Result<&Regex, Error> {
        let made = self.regex.get_or_init(|| {
            let mut source = String::from(r"\A-?");
            for segment in &self.segments {
                let _ = match segment {
                    Segment::Literal(text) => write!(source, "({})", escape(text)),
                    Segment::Value { unit, padding, width, is_total } => {
                        let default = unit.default_width();
                        match (width, padding, is_total) {
                            (None, Some(' '), true) => write!(source, r"\s*([0-9]+)"),
                            (None, Some(' '), false) => write!(source, r"([0-9\s]{{1,{default}}})"),
                            (None, _, true) => write!(source, "([0-9]+)"),
                            (None, _, false) => write!(source, "([0-9]{{1,{default}}})"),
                            (Some(width), None, _) => write!(source, "([0-9]{{1,{width}}})"),
                            (Some(width), Some(' '), _) => write!(source, r"([0-9\s]{{{width}}})"),
                            (Some(width), _, _) => write!(source, "([0-9]{{{width}}})"),
                        }
                    }
                };
            }
            source.push_str(r"\z");
            Regex::new(&source)
        });
        made.as_ref().map_err(|message| Error::argument(message.clone()))
    }

    /// Reads a length of time.
    ///
    /// # Errors
    /// When the text does not fit the format.
    pub fn read(&self, text: &str) -> Result<Timespan, Error> {
        let refused = || Error::argument(format!("Unable to parse '{text}' using format '{}'", self.text));
        let captures = self.regex()?.captures(text, &BoundedFuel::default())?.ok_or_else(refused)?;
        let mut total: i128 = 0;
        for (segment, span) in self.segments.iter().zip(captures.iter().skip(1)) {
            let Segment::Value { unit, width, is_total, .. } = segment else { continue };
            let digits = span.and_then(|(start, end)| text.get(start..end)).unwrap_or_default().trim_start();
            if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return Err(refused());
            }
            if unit.is_fraction() && *is_total {
                return Err(Error::argument(
                    "Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude",
                ));
            }
            let number: i128 = digits.parse().map_err(|_| super::too_large())?;
            let _ = width;
            let length = if unit.is_fraction() {
                10_i128.pow(u32::try_from(9_usize.saturating_sub(digits.len())).unwrap_or(0))
            } else {
                unit.length()
            };
            let part = number.checked_mul(length).ok_or_else(super::too_large)?;
            total = total.checked_add(part).ok_or_else(super::too_large)?;
        }
        Ok(Timespan::of(if text.starts_with('-') { -total } else { total }))
    }

    /// Writes a length of time.
    pub fn write(&self, span: Timespan) -> String {
        let total = span.total();
        let mut out = String::from(if total < 0 { "-" } else { "" });
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => out.push_str(text),
                Segment::Value { unit, padding, width, is_total } => {
                    push_value(&mut out, total.abs(), *unit, *padding, *width, *is_total);
                }
            }
        }
        out
    }
}

fn push_literal(segments: &mut Vec<Segment>, c: char) {
    if let Some(Segment::Literal(text)) = segments.last_mut() {
        text.push(c);
    } else {
        segments.push(Segment::Literal(c.into()));
    }
}

/// The first segment of the largest unit holds all that is left.
fn mark_total(segments: &mut [Segment]) {
    let unit_of = |segment: &Segment| match segment {
        Segment::Value { unit, .. } => Some(*unit),
        Segment::Literal(_) => None,
    };
    let Some(highest) = segments.iter().filter_map(unit_of).max() else { return };
    for segment in segments {
        if let Segment::Value { unit, is_total, .. } = segment
            && *unit == highest
        {
            *is_total = true;
            return;
        }
    }
}

fn push_value(
    out: &mut String,
    total: i128,
    unit: Unit,
    padding: Option<char>,
    width: Option<usize>,
    is_total: bool,
) {
    let all = total / unit.length();
    let field = width.unwrap_or(unit.default_width());
    let mut number = match unit {
        Unit::Days => all,
        Unit::Hours if !is_total => all % 24,
        Unit::Minutes | Unit::Seconds if !is_total => all % 60,
        Unit::Milliseconds if !is_total => all % 1000,
        Unit::Hours | Unit::Minutes | Unit::Seconds | Unit::Milliseconds => all,
        Unit::Nanoseconds => {
            let digits = u32::try_from(field.min(9)).unwrap_or(9);
            let number = total / 10_i128.pow(9 - digits);
            if is_total { number } else { number % 10_i128.pow(digits) }
        }
    };
    if unit.is_fraction() {
        if !is_total && padding != Some('0') {
            while number != 0 && number % 10 == 0 {
                number /= 10;
            }
        }
        // Fractions are left-aligned in their field.
        let _ = match padding {
            None => write!(out, "{number}"),
            Some(_) => write!(out, "{number:<field$}"),
        };
        return;
    }
    let _ = match padding {
        None => write!(out, "{number}"),
        Some(' ') => write!(out, "{number:>field$}"),
        Some(_) => write!(out, "{number:0field$}"),
    };
}

impl Timespan {
    /// Reads a length of time by the default formats.
    ///
    /// # Errors
    /// When none fits.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let found = DEFAULTS.iter().find_map(|format| format.read(text).ok());
        found.ok_or_else(|| unparsable(text, &DEFAULT_FORMATS.join(", ")))
    }

    /// Reads a length of time by the first of these formats that fits.
    ///
    /// # Errors
    /// When none fits, or a format is malformed.
    pub fn parse_any(text: &str, formats: &[&str]) -> Result<Self, Error> {
        for format in formats {
            if let Ok(span) = TimespanFormat::parse(format)?.read(text) {
                return Ok(span);
            }
        }
        Err(unparsable(text, &formats.join(", ")))
    }

    /// Reads a length of time by one format.
    ///
    /// # Errors
    /// When it does not fit, or is malformed.
    pub fn parse_with(text: &str, format: &str) -> Result<Self, Error> {
        TimespanFormat::parse(format)?.read(text)
    }

    /// Writes the length of time by a format.
    ///
    /// # Errors
    /// When the format is malformed.
    pub fn format(self, format: &str) -> Result<String, Error> {
        Ok(TimespanFormat::parse(format)?.write(self))
    }

    /// The length of these parts, each in its unit.
    ///
    /// # Errors
    /// When it is too long.
    pub fn from_fields(negative: bool, fields: [BigInt; 7]) -> Result<Self, Error> {
        let [days, hours, minutes, seconds, milliseconds, microseconds, nanoseconds] = fields;
        let seconds = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
        let total: BigInt = ((seconds * 1000 + milliseconds) * 1000 + microseconds) * 1000 + nanoseconds;
        let total = total.to_i128().ok_or_else(super::too_large)?;
        Ok(Self::of(if negative { -total } else { total }))
    }
}

fn unparsable(text: &str, formats: &str) -> Error {
    Error::argument(format!("Unable to parse '{text}' using any of the formats {formats}"))
}

impl std::fmt::Display for Timespan {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match DEFAULTS.first() {
            Some(format) => out.write_str(&format.write(*self)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        let span = Timespan::parse("1-02:03:04.5").unwrap();
        assert_eq!(span.total(), 93_784_500_000_000);
        assert_eq!(span.to_string(), "1-02:03:04.5");
        assert!(Timespan::parse("-0:10").is_err());
        assert_eq!(Timespan::parse("-00:10:00").unwrap().to_string(), "-0-00:10:00.0");
        assert_eq!(span.format("%H:%M").unwrap(), "26:03");
        assert_eq!(span.format("%_4H|%4M|%L|%-L|%3N|").unwrap(), "  26|0003|500|5|500|");
        let error = span.format("%x").unwrap_err().message;
        assert_eq!(error, "Bad format specifier '%' in '%x', at position 1");
    }
}
