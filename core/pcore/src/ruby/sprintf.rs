//! Ruby's `Kernel#format`: directives, flags, widths, positions and names, with Ruby's complaints.

use crate::data::big;
use crate::data::value::Value;
use crate::scalars::number::{IntegerError, fixed, parse_float, parse_whole, scientific};
use bunraku_syntax::diagnostic::Error;

use super::directive::{Count, Piece, piece};
use super::inspect::{inspect, to_s};
use super::names::in_place_of_text;
use super::quote::inspect_bytes;

/// The widest field; a format must not eat the memory.
const MAX_WIDTH: usize = 1 << 24;

/// The error for a format that ends after a number.
const UNFINISHED: &str = "malformed format string - %*[0-9]";

/// The character of a code, with a replacement for each byte that is not UTF-8: Ruby writes the bytes of
/// surrogates, and those of -1 and -2, which stand for them.
fn character(code: i64) -> Result<String, Error> {
    match u32::try_from(code).ok().and_then(char::from_u32) {
        Some(c) => Ok(c.into()),
        None => match code {
            -2 | -1 => Ok(char::REPLACEMENT_CHARACTER.into()),
            0xd800..=0xdfff => Ok(String::from_iter([char::REPLACEMENT_CHARACTER; 3])),
            _ => refuse("invalid character"),
        },
    }
}

/// Formats arguments: `%d`, `%-5s`, `%08.3f`, `%2$s`, `%<name>d`, `%{name}` and so on.
///
/// # Errors
/// With Ruby's text when the format is malformed or an argument is missing or cannot be converted.
pub fn sprintf(format: &str, arguments: &[Value]) -> Result<String, Error> {
    let mut formatter = Formatter { rest: format, arguments, position: Position::None, out: String::new() };
    formatter.run()?;
    Ok(formatter.out)
}

/// How arguments have been taken so far; ways must not be mixed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    None,
    /// One after the other; how many.
    Sequential(usize),
    Numbered,
    Named,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    space: bool,
    sharp: bool,
    plus: bool,
    minus: bool,
    zero: bool,
}

#[derive(Clone, Default)]
struct Directive {
    flags: Flags,
    width: Option<usize>,
    precision: Option<usize>,
    saw_precision: bool,
    value: Option<Value>,
    name: Option<String>,
}

struct Formatter<'a> {
    /// The rest of the format.
    rest: &'a str,
    arguments: &'a [Value],
    position: Position,
    out: String,
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::argument(message))
}

/// The number in digits.
fn number(digits: &str, what: &str) -> Result<usize, Error> {
    match digits.parse() {
        Ok(number) if number <= i32::MAX as usize => Ok(number),
        Err(_) if digits.is_empty() => Ok(0),
        _ => refuse(format!("{what} too big")),
    }
}

/// As [`number`], of digits that must not be the end of the format.
fn digits_before(digits: &str, what: &str, rest: &str) -> Result<usize, Error> {
    match number(digits, what)? {
        _ if rest.is_empty() => refuse(UNFINISHED),
        number => Ok(number),
    }
}

impl Flags {
    fn set(&mut self, flag: char) {
        *match flag {
            ' ' => &mut self.space,
            '#' => &mut self.sharp,
            '+' => &mut self.plus,
            '-' => &mut self.minus,
            _ => &mut self.zero,
        } = true;
    }

    const fn is_any(self) -> bool {
        self.space || self.sharp || self.plus || self.minus || self.zero
    }
}

impl Formatter<'_> {
    fn run(&mut self) -> Result<(), Error> {
        while let Some((before, directive)) = self.rest.split_once('%') {
            self.out.push_str(before);
            self.rest = directive;
            if directive.is_empty() {
                return refuse("incomplete format specifier; use %% (double %) instead");
            }
            self.directive()?;
            if self.out.len() > MAX_WIDTH * 4 {
                return Err(Error::limit("the formatted text is too long"));
            }
        }
        self.out.push_str(self.rest);
        Ok(())
    }

    /// Reads one directive, and writes its result.
    fn directive(&mut self) -> Result<(), Error> {
        let mut directive = Directive::default();
        loop {
            let Ok((rest, piece)) = piece(self.rest) else { return self.percent(&directive) };
            match piece {
                Piece::Flag(_) if directive.width.is_some() => return refuse("flag after width"),
                Piece::Flag(_) if directive.saw_precision => return refuse("flag after precision"),
                Piece::Flag(flag) => directive.flags.set(flag),
                Piece::Argument(digits) => {
                    let number = number(digits, "width")?;
                    if directive.value.is_some() {
                        return refuse(format!("value given twice - {number}$"));
                    }
                    directive.value = Some(self.numbered(number)?);
                }
                Piece::Width(count) => self.width(&mut directive, &count, rest)?,
                Piece::Precision(_) if directive.saw_precision => return refuse("precision given twice"),
                Piece::Precision(count) => {
                    directive.saw_precision = true;
                    directive.precision = self.precision(&count, rest)?;
                }
                Piece::Name { whole, name } => {
                    self.rest = rest;
                    if self.named(&mut directive, whole, name)? {
                        return Ok(());
                    }
                }
                Piece::Conversion('<' | '{') => return refuse("malformed name - unmatched parenthesis"),
                Piece::Conversion('\n' | '\0' | '%') => return self.percent(&directive),
                Piece::Conversion(c) => {
                    self.rest = rest;
                    return self.convert(directive, c);
                }
            }
            self.rest = rest;
        }
    }

    /// A literal percent sign: before another one, a newline, or the end.
    fn percent(&mut self, directive: &Directive) -> Result<(), Error> {
        if directive.flags.is_any() || directive.width.is_some() || directive.saw_precision {
            return refuse("invalid format character - %");
        }
        self.out.push('%');
        // A newline after a percent sign is also written.
        self.rest = self.rest.strip_prefix('%').unwrap_or(self.rest);
        Ok(())
    }

    fn width(&mut self, directive: &mut Directive, count: &Count<'_>, rest: &str) -> Result<(), Error> {
        let mut width = 0;
        if let Count::Digits(digits) = count {
            width = digits_before(digits, "width", rest)?;
        }
        if directive.width.is_some() {
            return refuse("width given twice");
        }
        if directive.saw_precision {
            return refuse("width after precision");
        }
        if let Count::Argument(digits) = count {
            let argument = self.asterisk(*digits, "width", rest)?;
            directive.flags.minus |= argument < 0;
            width = usize::try_from(argument.unsigned_abs()).unwrap_or(usize::MAX);
        }
        if width > MAX_WIDTH {
            return refuse("width too big");
        }
        directive.width = Some(width);
        Ok(())
    }

    fn precision(&mut self, count: &Count<'_>, rest: &str) -> Result<Option<usize>, Error> {
        let precision = match count {
            Count::Digits(digits) => Some(digits_before(digits, "precision", rest)?),
            Count::Argument(digits) => usize::try_from(self.asterisk(*digits, "prec", rest)?).ok(),
        };
        match precision {
            Some(precision) if precision > MAX_WIDTH => refuse("precision too big"),
            precision => Ok(precision),
        }
    }

    /// The number in an argument: the next one, or that with these digits.
    fn asterisk(&mut self, digits: Option<&str>, what: &str, rest: &str) -> Result<i64, Error> {
        let value = match digits {
            Some(digits) => self.numbered(number(digits, what)?)?,
            None => {
                // The following digits are checked before the argument is taken.
                let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                digits_before(rest.strip_suffix(behind).unwrap_or_default(), what, behind)?;
                self.next_argument()?
            }
        };
        match implicit_integer(&value)? {
            Value::Integer(width) if i32::try_from(width).is_ok() => Ok(width),
            Value::Integer(width) => Err(too_big_for_int(width)),
            _ => Err(big::too_big_for_long()),
        }
    }

    fn next_argument(&mut self) -> Result<Value, Error> {
        let used = match self.position {
            Position::Numbered => {
                return refuse("unnumbered(1) mixed with numbered");
            }
            Position::Named => return refuse("unnumbered(1) mixed with named"),
            Position::None => 0,
            Position::Sequential(used) => used,
        };
        self.position = Position::Sequential(used + 1);
        self.arguments.get(used).cloned().ok_or_else(|| Error::argument("too few arguments"))
    }

    fn numbered(&mut self, number: usize) -> Result<Value, Error> {
        match self.position {
            Position::Sequential(used) => {
                return refuse(format!("numbered({number}) after unnumbered({used})"));
            }
            Position::Named => return refuse(format!("numbered({number}) after named")),
            Position::None | Position::Numbered => self.position = Position::Numbered,
        }
        if number < 1 {
            return refuse(format!("invalid index - {number}$"));
        }
        self.arguments.get(number - 1).cloned().ok_or_else(|| Error::argument("too few arguments"))
    }

    /// `<name>` or `{name}`; whether the directive is finished.
    fn named(&mut self, directive: &mut Directive, whole: &str, name: &str) -> Result<bool, Error> {
        if let Some(first) = &directive.name {
            return refuse(format!("named{whole} after <{first}>"));
        }
        match self.position {
            Position::Sequential(used) => return refuse(format!("named{whole} after unnumbered({used})")),
            Position::Numbered => return refuse(format!("named{whole} after numbered")),
            Position::None | Position::Named => self.position = Position::Named,
        }
        let [Value::Hash(hash)] = self.arguments else { return refuse("one hash required") };
        let Some(value) = hash.get(&Value::from(name)) else {
            return Err(Error::argument(format!("key{whole} not found")));
        };
        directive.name = Some(name.to_owned());
        directive.value = Some(value.clone());
        let is_text = whole.starts_with('{');
        if is_text {
            let text = to_s(value);
            self.text_field(directive, &text);
        }
        Ok(is_text)
    }

    fn convert(&mut self, directive: Directive, c: char) -> Result<(), Error> {
        if !matches!(
            c,
            'c' | 's'
                | 'p'
                | 'd'
                | 'i'
                | 'u'
                | 'o'
                | 'x'
                | 'X'
                | 'b'
                | 'B'
                | 'f'
                | 'e'
                | 'E'
                | 'g'
                | 'G'
                | 'a'
                | 'A'
        ) {
            return refuse(if !c.is_ascii() || c.is_control() {
                "malformed format string".into()
            } else {
                format!("malformed format string - %{c}")
            });
        }
        let value = match &directive.value {
            Some(value) => value.clone(),
            None => self.next_argument()?,
        };
        match c {
            'c' => {
                let text = match &value {
                    Value::String(text) if text.chars().count() == 1 => text.to_string(),
                    Value::String(_) => return refuse("%c requires a character"),
                    other => {
                        let Value::Integer(code) = implicit_integer(other)? else {
                            return Err(big::too_big_for_long());
                        };
                        if i32::try_from(code).is_err() {
                            return Err(too_big_for_int(code));
                        }
                        character(code)?
                    }
                };
                // The bytes of a surrogate are one character in the field.
                let more = text.chars().count() - 1;
                let width = directive.width.map(|width| width + more);
                self.text_field(&Directive { precision: None, width, ..directive }, &text);
            }
            's' => self.text_field(&directive, &to_s(&value)),
            'p' => self.text_field(&directive, &inspect(&value)),
            'd' | 'i' | 'u' | 'o' | 'x' | 'X' | 'b' | 'B' => {
                let number = Whole::of(&to_integer(&value)?);
                self.integer(&directive, c, &number);
            }
            'f' if matches!(value, Value::Integer(_) | Value::BigInteger(_)) => {
                // Whole numbers keep all their digits.
                let text = to_s(&value);
                let mut digits = text.trim_start_matches('-').to_owned();
                let precision = directive.precision.unwrap_or(6);
                if precision > 0 {
                    digits.push('.');
                    digits.push_str(&"0".repeat(precision));
                }
                self.number_field(&directive, text.starts_with('-'), "", &digits);
            }
            _ => {
                let number = to_float(&value)?;
                self.float(&directive, c, number);
            }
        }
        Ok(())
    }

    fn fill(&mut self, c: char, count: usize) {
        self.out.extend(std::iter::repeat_n(c, count.min(MAX_WIDTH)));
    }

    fn text_field(&mut self, directive: &Directive, text: &str) {
        let cut: String;
        let text = match directive.precision {
            Some(precision) => {
                cut = text.chars().take(precision).collect();
                &cut
            }
            None => text,
        };
        let missing = directive.width.unwrap_or(0).saturating_sub(text.chars().count());
        if !directive.flags.minus {
            self.fill(' ', missing);
        }
        self.out.push_str(text);
        if directive.flags.minus {
            self.fill(' ', missing);
        }
    }

    /// A number that is already digits, with its sign and prefix, in the field.
    fn number_field(&mut self, directive: &Directive, negative: bool, prefix: &str, digits: &str) {
        let flags = directive.flags;
        let sign = if negative {
            "-"
        } else if flags.plus {
            "+"
        } else if flags.space {
            " "
        } else {
            ""
        };
        let missing = directive.width.unwrap_or(0).saturating_sub(sign.len() + prefix.len() + digits.len());
        if !flags.minus && !flags.zero {
            self.fill(' ', missing);
        }
        self.out.push_str(sign);
        self.out.push_str(prefix);
        if flags.zero && !flags.minus {
            self.fill('0', missing);
        }
        self.out.push_str(digits);
        if flags.minus {
            self.fill(' ', missing);
        }
    }

    fn integer(&mut self, directive: &Directive, c: char, number: &Whole) {
        let flags = directive.flags;
        let (bits, prefix) = match c {
            'o' => (3, "0"),
            'x' => (4, "0x"),
            'X' => (4, "0X"),
            'b' => (1, "0b"),
            'B' => (1, "0B"),
            _ => (0, ""),
        };
        let is_signed = bits == 0 || flags.plus || flags.space;
        let has_dots = !is_signed && number.is_negative;
        let mut digits = if bits == 0 {
            number.decimal.clone()
        } else if has_dots {
            number.complement(bits)
        } else {
            number.unsigned(bits)
        };
        if c == 'X' {
            digits = digits.to_uppercase();
        }
        let sign = match (is_signed && number.is_negative, flags.plus, flags.space) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let prefix = if flags.sharp { prefix } else { "" };
        let mut field = IntegerField { sign, prefix, digits, has_dots, space: 0, filled: 0 };
        field.measure(directive);
        if !flags.minus {
            self.fill(' ', field.space);
        }
        self.out.push_str(field.sign);
        self.out.push_str(field.prefix);
        if has_dots {
            self.out.push_str("..");
            self.fill(highest_digit(c), field.filled);
        } else if !flags.minus || directive.precision.is_some() {
            self.fill('0', field.filled);
        }
        self.out.push_str(&field.digits);
        if flags.minus {
            self.fill(' ', field.space);
        }
    }

    fn float(&mut self, directive: &Directive, c: char, number: f64) {
        if !number.is_finite() {
            let text = if number.is_nan() { "NaN" } else { "Inf" };
            let flags = Flags { zero: false, ..directive.flags };
            let directive = Directive { flags, ..directive.clone() };
            self.number_field(&directive, number < 0.0, "", text);
            return;
        }
        let magnitude = number.abs();
        let precision = directive.precision.unwrap_or(6);
        let sharp = directive.flags.sharp;
        let mut prefix = "";
        let mut digits = match c {
            'f' => {
                let mut digits = fixed(magnitude, precision);
                if precision == 0 && sharp {
                    digits.push('.');
                }
                digits
            }
            'e' | 'E' => exponential(magnitude, precision, sharp),
            'g' | 'G' => general(magnitude, precision, sharp),
            _ => {
                prefix = if c == 'A' { "0X" } else { "0x" };
                hexadecimal(magnitude, directive.precision, sharp)
            }
        };
        if c.is_ascii_uppercase() {
            digits = digits.to_uppercase();
        }
        self.number_field(directive, number.is_sign_negative(), prefix, &digits);
    }
}

/// The digit that repeats infinitely before a negative number.
const fn highest_digit(conversion: char) -> char {
    match conversion {
        'o' => '7',
        'x' => 'f',
        'X' => 'F',
        _ => '1',
    }
}

/// The parts of a whole number's field.
struct IntegerField {
    sign: &'static str,
    prefix: &'static str,
    digits: String,
    /// Whether `..` precedes the digits.
    has_dots: bool,
    /// The number of blanks in the field.
    space: usize,
    /// The number of leading digits.
    filled: usize,
}

impl IntegerField {
    /// Computes blanks and leading digits, and removes what is not written.
    fn measure(&mut self, directive: &Directive) {
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let flags = directive.flags;
        let has_precision = directive.precision.is_some();
        let mut width = directive.width.map_or(-1, signed) - signed(self.sign.len());
        let mut precision = directive.precision.map_or(-1, signed);
        if self.has_dots {
            precision -= 2;
            width -= 2;
        }
        if self.prefix == "0" {
            if self.has_dots {
                self.prefix = "";
            } else if self.digits == "0" {
                self.digits.clear();
                if has_precision {
                    precision -= 1;
                }
            } else if has_precision && precision > signed(self.digits.len()) {
                self.prefix = "";
            }
        } else if self.digits == "0" {
            self.prefix = "";
        }
        width -= signed(self.prefix.len());
        if flags.zero && !flags.minus && !has_precision {
            precision = width;
            width = 0;
        } else {
            if precision < signed(self.digits.len()) {
                if self.prefix.is_empty() && precision == 0 && self.digits == "0" {
                    self.digits.clear();
                }
                precision = signed(self.digits.len());
            }
            width -= precision;
        }
        self.space = usize::try_from(width).unwrap_or(0);
        self.filled = usize::try_from(precision - signed(self.digits.len())).unwrap_or(0);
    }
}

/// A whole number of any size.
struct Whole {
    is_negative: bool,
    /// The magnitude in decimal.
    decimal: String,
    /// The bits of the magnitude, the highest first; none for zero.
    bits: Vec<bool>,
}

impl Whole {
    /// The parts of a whole number.
    fn of(number: &Value) -> Self {
        let number = number.as_big_integer().unwrap_or_default();
        let magnitude = number.magnitude();
        let bits = (0..magnitude.bits()).rev().map(|bit| magnitude.bit(bit));
        let is_negative = number.sign() == big::Sign::Minus;
        Self { is_negative, decimal: magnitude.to_string(), bits: bits.collect() }
    }

    /// The magnitude in a base with this number of bits.
    fn unsigned(&self, bits: u32) -> String {
        if self.bits.is_empty() { "0".into() } else { in_base(&self.bits, bits) }
    }

    /// A negative number in the complement form: all leading sign digits but one left out.
    fn complement(&self, base_bits: u32) -> String {
        let size = base_bits as usize;
        let mut bits: Vec<bool> = std::iter::repeat_n(true, size * 2 - self.bits.len() % size)
            .chain(self.bits.iter().map(|bit| !bit))
            .collect();
        for bit in bits.iter_mut().rev() {
            *bit = !*bit;
            if *bit {
                break;
            }
        }
        let digits = in_base(&bits, base_bits);
        let sign = char::from_digit((1 << base_bits) - 1, 16).unwrap_or('1');
        format!("{sign}{}", digits.trim_start_matches(sign))
    }
}

fn in_base(bits: &[bool], base_bits: u32) -> String {
    let size = base_bits as usize;
    let digit = |chunk: &[bool]| {
        let value = chunk.iter().fold(0, |value, &bit| value << 1 | u32::from(bit));
        char::from_digit(value, 16).unwrap_or('0')
    };
    let (first, rest) = bits.split_at(bits.len() % size);
    let first = (!first.is_empty()).then(|| digit(first));
    first.into_iter().chain(rest.chunks(size).map(digit)).collect()
}

/// `d.ddde+XX`
fn exponential(number: f64, precision: usize, sharp: bool) -> String {
    let text = scientific(number, precision);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if sharp && precision == 0 { "." } else { "" };
    format!("{mantissa}{point}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// The shorter of both forms, as C's `%g`.
fn general(number: f64, precision: usize, sharp: bool) -> String {
    let precision = precision.max(1);
    let text = scientific(number, precision - 1);
    let exponent: i64 = text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let wanted = i64::try_from(precision).unwrap_or(i64::MAX);
    let is_plain = exponent >= -4 && exponent < wanted;
    let (body, tail) = if is_plain {
        let places = usize::try_from(wanted - 1 - exponent).unwrap_or(0);
        (fixed(number, places), String::new())
    } else {
        let text = exponential(number, precision - 1, false);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        (mantissa.to_string(), format!("e{exponent}"))
    };
    let body = match (sharp, body.contains('.')) {
        (true, true) => body,
        (true, false) => format!("{body}."),
        (false, true) => body.trim_end_matches('0').trim_end_matches('.').to_string(),
        (false, false) => body,
    };
    body + &tail
}

/// `1.8p+1` of C's `%a`, without the `0x`.
fn hexadecimal(number: f64, precision: Option<usize>, sharp: bool) -> String {
    let bits = number.to_bits();
    let mut exponent = i64::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    let mut fraction = bits & ((1 << 52) - 1);
    let mut lead = 1_u64;
    if number == 0.0 {
        (lead, exponent) = (0, 0);
    } else if exponent == 0 {
        let shift = fraction.leading_zeros() - 11;
        fraction = (fraction << shift) & ((1 << 52) - 1);
        exponent = -1022 - i64::from(shift);
    } else {
        exponent -= 1023;
    }
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) if precision < 13 => {
            let drop = 52 - 4 * u32::try_from(precision).unwrap_or(0);
            let whole = (lead << 52) | fraction;
            let (kept, rest, half) = (whole >> drop, whole & ((1 << drop) - 1), 1_u64 << (drop - 1));
            let up = rest > half || (rest == half && kept & 1 == 1);
            let kept = kept + u64::from(up);
            lead = kept >> (52 - drop);
            let fraction = kept & ((1_u64 << (52 - drop)) - 1);
            if lead > 1 {
                (lead, exponent) = (lead / 2, exponent + 1);
            }
            digits = if precision == 0 { String::new() } else { format!("{fraction:0precision$x}") };
        }
        Some(precision) => digits.push_str(&"0".repeat(precision - 13)),
    }
    let point = if digits.is_empty() && !sharp { "" } else { "." };
    format!("{lead}{point}{digits}p{}{}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// Ruby's complaint about a number that counts and has more than 32 bits.
fn too_big_for_int(number: i64) -> Error {
    let size = if number < 0 { "small" } else { "big" };
    Error::argument(format!("integer {number} too {size} to convert to `int'"))
}

fn to_integer(value: &Value) -> Result<Value, Error> {
    match value {
        Value::Integer(_) | Value::BigInteger(_) => Ok(value.clone()),
        Value::Float(number) => {
            Value::truncated(*number).map_or_else(|| refuse(super::float_to_s(*number)), Ok)
        }
        Value::String(text) => parse_whole(text, 0).map_err(|error| match error {
            IntegerError::Invalid => {
                Error::argument(format!("invalid value for Integer(): {}", super::inspect_string(text)))
            }
            IntegerError::TooLarge => Error::limit("number too large"),
        }),
        Value::Timespan(span) => Ok(Value::whole(span.seconds)),
        Value::Timestamp(moment) => Ok(Value::whole(moment.seconds)),
        other => Err(Error::argument(format!("can't convert {} into Integer", in_place_of_text(other)))),
    }
}

/// A number in a place that requires one: a value that does not convert itself is rejected.
fn implicit_integer(value: &Value) -> Result<Value, Error> {
    match value {
        Value::Integer(_)
        | Value::BigInteger(_)
        | Value::Float(_)
        | Value::Timespan(_)
        | Value::Timestamp(_) => to_integer(value),
        Value::Undef => refuse("no implicit conversion from nil to integer"),
        other => refuse(format!("no implicit conversion of {} into Integer", in_place_of_text(other))),
    }
}

fn to_float(value: &Value) -> Result<f64, Error> {
    match value {
        Value::Integer(number) => Ok(*number as f64),
        Value::BigInteger(number) => Ok(big::to_f64(number)),
        Value::Float(number) => Ok(*number),
        Value::String(text) => parse_float(text).ok_or_else(|| {
            let shown = inspect_bytes(text.as_bytes());
            Error::argument(format!("invalid value for Float(): {shown}"))
        }),
        Value::Timespan(span) => Ok(span.seconds as f64 + f64::from(span.nanoseconds) / 1e9),
        Value::Timestamp(moment) => Ok(moment.seconds as f64 + f64::from(moment.nanoseconds) / 1e9),
        other => Err(Error::argument(format!("can't convert {} into Float", in_place_of_text(other)))),
    }
}

/// The error for a number that is passed to code with only 64-bit numbers: resources, functions of the 3.x
/// API.
pub fn outside_of_range(number: &crate::data::big::BigInt) -> Error {
    let end = if number.sign() == crate::data::big::Sign::Minus { "min" } else { "max" };
    let digits = sprintf("0x%x", &[Value::from(number.clone())]).unwrap_or_default();
    Error::plain(format!("Use of a Ruby Integer outside of Puppet Integer {end} range, got '{digits}'"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::value::{Timespan, Timestamp};

    #[test]
    fn formats_more_digits_than_rust_does() {
        let float = |format: &str, value: f64| sprintf(format, &[Value::Float(value)]).unwrap();
        for (format, number, start, end, length) in [
            ("%.70000f", 1.5, "1.500", "000", 70_002),
            ("%.70000e", 1.25, "1.2500", "0e+00", 70_006),
            ("%#.70000g", 1.25, "1.2500", "000", 70_001),
            ("%.65536f", 0.0, "0.000", "000", 65_538),
        ] {
            let text = float(format, number);
            let ends = text.starts_with(start) && text.ends_with(end);
            assert_eq!((ends, text.len()), (true, length), "{format} of {number}");
        }
        assert_eq!(sprintf("%.2147483647f", &[Value::Float(1.5)]).unwrap_err().message, "precision too big");
    }

    #[test]
    fn times_are_numbers_of_seconds() {
        let (seconds, nanoseconds) = (2, 250_000_000);
        let span = Timespan { seconds, nanoseconds };
        for value in [Value::from(Timestamp { seconds, nanoseconds }), Value::from(span)] {
            assert_eq!(sprintf("%.2f", &[value]).unwrap(), "2.25");
        }
    }

    #[test]
    fn formats_as_ruby() {
        let one = |format: &str, value: Value| sprintf(format, &[value]).unwrap();
        let int = |format: &str, value: i64| one(format, Value::Integer(value));
        let float = |format: &str, value: f64| one(format, Value::Float(value));
        for (format, number, text) in [
            ("%x", -42, "..fd6"),
            ("%o", -42, "..726"),
            ("%b", -42, "..1010110"),
            ("%x", -16, "..f0"),
            ("%x", -17, "..fef"),
            ("%+x", -255, "-ff"),
            ("%.5x", -1, "..fff"),
            ("%08x", -1, "..ffffff"),
            ("%-8x|", -1, "..f     |"),
            ("%#x", 0, "0"),
            ("%#o", 8, "010"),
            ("%#o", -8, "..70"),
            ("%#b", -5, "0b..1011"),
            ("%.3d", 7, "007"),
            ("%05d", 3, "00003"),
            ("%+05d", 3, "+0003"),
            ("%-05d|", 3, "3    |"),
            ("% d", 5, " 5"),
            ("%c", 10004, "✔"),
            ("%+.2f", 12, "+12.00"),
            ("%d%%", 5, "5%"),
        ] {
            assert_eq!(int(format, number), text, "{format}");
        }
        for (format, number, text) in [
            ("%d", -3.99, "-3"),
            ("%08.3f", -2.71459, "-002.715"),
            ("%#g", 1.0, "1.00000"),
            ("%#.3e", 1.0, "1.000e+00"),
            ("%.0e", 15000.0, "2e+04"),
            ("%020.5a", 1.1, "0x000000001.1999ap+0"),
            ("%a", 5e-324, "0x1p-1074"),
            ("%.2a", 1.999, "0x1.00p+1"),
            ("%A", -42.0, "-0X1.5P+5"),
            ("%g", 1e6, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%5.1f|", f64::INFINITY, "  Inf|"),
        ] {
            assert_eq!(float(format, number), text, "{format}");
        }
        assert_eq!(one("%5c|", "x".into()), "    x|");
        assert_eq!(one("%-5s|", "é".into()), "é    |");
        assert_eq!(one("%.2s", "éàü".into()), "éà");
        let hash = Value::hash([("a".into(), Value::Integer(1))]);
        assert_eq!(one("%<a>03d %{a}", hash), "001 1");
        assert_eq!(sprintf("%s", &[]).unwrap_err().message, "too few arguments");
        assert_eq!(sprintf("%y", &["a".into()]).unwrap_err().message, "malformed format string - %y");
        assert!(sprintf("a%", &[]).is_err());
        for (format, message) in [
            ("%5", "malformed format string - %*[0-9]"),
            ("%.", "malformed format string - %*[0-9]"),
            ("%99999999999999999999d", "width too big"),
            ("%1$1$d", "value given twice - 1$"),
            ("%5-d", "flag after width"),
            ("%.2.3d", "precision given twice"),
            ("%.2 d", "flag after precision"),
            ("%<a", "malformed name - unmatched parenthesis"),
            ("%0$d", "malformed format string - %$"),
            ("%-%", "invalid format character - %"),
            ("%*", "malformed format string - %*[0-9]"),
            ("%*$d", "invalid index - 0$"),
            ("%é", "malformed format string"),
        ] {
            assert_eq!(sprintf(format, &[Value::Integer(1)]).unwrap_err().message, message, "{format}");
        }
        let both = [Value::Integer(7), Value::Integer(-5)];
        assert_eq!(sprintf("%1$*2$d|%%|%\n", &both).unwrap(), "7    |%|%\n");
    }
}
