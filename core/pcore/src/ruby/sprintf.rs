//! Ruby's `Kernel#format`: directives, flags, widths, positions and names, with Ruby's complaints.

use crate::data::big;
use crate::data::value::Value;
use crate::scalars::number::{IntegerError, fixed, parse_float, parse_whole, scientific};
use bunraku_syntax::diagnostic::Error;

use super::inspect::{inspect, to_s};
use super::names::in_place_of_text;

/// The widest field; a format must not eat the memory.
const WIDTH_LIMIT: usize = 1 << 24;

/// Formats arguments: `%d`, `%-5s`, `%08.3f`, `%2$s`, `%<name>d`, `%{name}` and so on.
///
/// # Errors
/// With Ruby's text when the format is malformed or an argument is missing or cannot be converted.
pub fn sprintf(format: &str, arguments: &[Value]) -> Result<String, Error> {
    let text: Vec<char> = format.chars().collect();
    let mut formatter = Formatter { text, at: 0, arguments, position: Position::None, out: String::new() };
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
    text: Vec<char>,
    at: usize,
    arguments: &'a [Value],
    position: Position,
    out: String,
}

fn refuse<T>(message: impl Into<String>) -> Result<T, Error> {
    Err(Error::argument(message))
}

impl Formatter<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn run(&mut self) -> Result<(), Error> {
        while let Some(c) = self.peek() {
            self.at += 1;
            if c != '%' {
                self.out.push(c);
                continue;
            }
            if self.at >= self.text.len() {
                return refuse("incomplete format specifier; use %% (double %) instead");
            }
            self.directive()?;
            if self.out.len() > WIDTH_LIMIT * 4 {
                return Err(Error::limit("the formatted text is too long"));
            }
        }
        Ok(())
    }

    fn directive(&mut self) -> Result<(), Error> {
        let mut directive = Directive::default();
        loop {
            let c = self.peek().unwrap_or('\0');
            match c {
                ' ' | '#' | '+' | '-' | '0' => {
                    if directive.width.is_some() {
                        return refuse("flag after width");
                    }
                    if directive.saw_precision {
                        return refuse("flag after precision");
                    }
                    let flag = match c {
                        ' ' => &mut directive.flags.space,
                        '#' => &mut directive.flags.sharp,
                        '+' => &mut directive.flags.plus,
                        '-' => &mut directive.flags.minus,
                        _ => &mut directive.flags.zero,
                    };
                    *flag = true;
                    self.at += 1;
                }
                '1'..='9' => {
                    let number = self.number("width")?;
                    if self.peek() == Some('$') {
                        if directive.value.is_some() {
                            return refuse(format!("value given twice - {number}$"));
                        }
                        directive.value = Some(self.numbered(number)?);
                        self.at += 1;
                        continue;
                    }
                    self.set_width(&mut directive, number)?;
                }
                '<' | '{' => {
                    if self.named(&mut directive, c)? {
                        return Ok(());
                    }
                }
                '*' => {
                    self.at += 1;
                    let width = self.asterisk()?;
                    directive.flags.minus |= width < 0;
                    self.set_width(
                        &mut directive,
                        usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX),
                    )?;
                }
                '.' => {
                    if directive.saw_precision {
                        return refuse("precision given twice");
                    }
                    directive.saw_precision = true;
                    self.at += 1;
                    if self.peek() == Some('*') {
                        self.at += 1;
                        directive.precision = usize::try_from(self.asterisk()?).ok();
                    } else {
                        directive.precision = Some(self.number("precision")?);
                    }
                    if directive.precision.is_some_and(|precision| precision > WIDTH_LIMIT) {
                        return refuse("precision too big");
                    }
                }
                '\n' | '\0' | '%' => {
                    let f = directive.flags;
                    let is_plain = !(f.space || f.sharp || f.plus || f.minus || f.zero)
                        && directive.width.is_none()
                        && !directive.saw_precision;
                    if !is_plain {
                        return refuse("invalid format character - %");
                    }
                    self.out.push('%');
                    // A newline behind a percent sign is written too.
                    if c == '%' || self.peek().is_none() {
                        self.at += 1;
                    }
                    return Ok(());
                }
                _ => {
                    self.at += 1;
                    return self.convert(directive, c);
                }
            }
        }
    }

    fn number(&mut self, what: &str) -> Result<usize, Error> {
        let mut value: usize = 0;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(digit as usize);
            if value > i32::MAX as usize {
                return refuse(format!("{what} too big"));
            }
            self.at += 1;
        }
        if self.at >= self.text.len() {
            return refuse("malformed format string - %*[0-9]");
        }
        Ok(value)
    }

    fn set_width(&self, directive: &mut Directive, width: usize) -> Result<(), Error> {
        if directive.width.is_some() {
            return refuse("width given twice");
        }
        if directive.saw_precision {
            return refuse("width after precision");
        }
        if width > WIDTH_LIMIT {
            return refuse("width too big");
        }
        directive.width = Some(width);
        Ok(())
    }

    fn asterisk(&mut self) -> Result<i64, Error> {
        let start = self.at;
        let mut number = 0_usize;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit as usize);
            self.at += 1;
        }
        let value = if self.at > start && self.peek() == Some('$') {
            self.at += 1;
            self.numbered(number)?
        } else {
            self.at = start;
            self.next_argument()?
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
    fn named(&mut self, directive: &mut Directive, open: char) -> Result<bool, Error> {
        let close = if open == '<' { '>' } else { '}' };
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let Some(length) = rest.iter().position(|&c| c == close) else {
            return refuse("malformed name - unmatched parenthesis");
        };
        let name: String = rest.iter().take(length).collect();
        let whole = format!("{open}{name}{close}");
        if let Some(first) = &directive.name {
            return refuse(format!("named{whole} after <{first}>"));
        }
        match self.position {
            Position::Sequential(used) => return refuse(format!("named{whole} after unnumbered({used})")),
            Position::Numbered => return refuse(format!("named{whole} after numbered")),
            Position::None | Position::Named => self.position = Position::Named,
        }
        let [Value::Hash(hash)] = self.arguments else { return refuse("one hash required") };
        let Some(value) = hash.get(&Value::from(name.as_str())) else {
            return Err(Error::argument(format!("key{whole} not found")));
        };
        directive.name = Some(name);
        directive.value = Some(value.clone());
        self.at += length + 2;
        if open == '{' {
            let text = to_s(value);
            self.text_field(directive, &text);
            return Ok(true);
        }
        Ok(false)
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
            return refuse(if c.is_control() {
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
                        match u32::try_from(code).ok().and_then(char::from_u32) {
                            Some(c) => c.to_string(),
                            None => return refuse("invalid character"),
                        }
                    }
                };
                let directive = Directive { precision: None, ..directive };
                self.text_field(&directive, &text);
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
        self.out.extend(std::iter::repeat_n(c, count.min(WIDTH_LIMIT)));
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
        let (bits, mut prefix) = match c {
            'o' => (3, "0"),
            'x' => (4, "0x"),
            'X' => (4, "0X"),
            'b' => (1, "0b"),
            'B' => (1, "0B"),
            _ => (0, ""),
        };
        if !flags.sharp {
            prefix = "";
        }
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
        let mut width = directive.width.map_or(-1, |w| i64::try_from(w).unwrap_or(i64::MAX));
        let mut precision = directive.precision.map_or(-1, |p| i64::try_from(p).unwrap_or(i64::MAX));
        width -= i64::try_from(sign.len()).unwrap_or(0);
        if has_dots {
            precision -= 2;
            width -= 2;
        }
        let has_precision = directive.precision.is_some();
        let mut length = i64::try_from(digits.len()).unwrap_or(0);
        if prefix == "0" {
            if has_dots {
                prefix = "";
            } else if digits == "0" {
                digits.clear();
                length = 0;
                if has_precision {
                    precision -= 1;
                }
            } else if has_precision && precision > length {
                prefix = "";
            }
        } else if digits == "0" {
            prefix = "";
        }
        width -= i64::try_from(prefix.len()).unwrap_or(0);
        if flags.zero && !flags.minus && !has_precision {
            precision = width;
            width = 0;
        } else {
            if precision < length {
                if prefix.is_empty() && precision == 0 && digits == "0" {
                    digits.clear();
                    length = 0;
                }
                precision = length;
            }
            width -= precision;
        }
        let space = usize::try_from(width).unwrap_or(0);
        if !flags.minus {
            self.fill(' ', space);
        }
        self.out.push_str(sign);
        self.out.push_str(prefix);
        if has_dots {
            self.out.push_str("..");
        }
        if precision > length {
            let count = usize::try_from(precision - length).unwrap_or(0);
            if has_dots {
                let c = match c {
                    'o' => '7',
                    'x' => 'f',
                    'X' => 'F',
                    _ => '1',
                };
                self.fill(c, count);
            } else if !flags.minus || has_precision {
                self.fill('0', count);
            }
        }
        self.out.push_str(&digits);
        if flags.minus {
            self.fill(' ', space);
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

    /// The magnitude in a base of so many bits.
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
        Value::Timespan(span) => Ok(span.seconds.into()),
        Value::Timestamp(moment) => Ok(moment.seconds.into()),
        other => Err(Error::argument(format!("can't convert {} into Integer", in_place_of_text(other)))),
    }
}

/// A number that counts: what does not say itself that it is one is refused.
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
            Error::argument(format!("invalid value for Float(): {}", super::inspect_string(text)))
        }),
        Value::Timespan(span) => Ok(span.seconds as f64 + f64::from(span.nanoseconds) / 1e9),
        Value::Timestamp(moment) => Ok(moment.seconds as f64 + f64::from(moment.nanoseconds) / 1e9),
        other => Err(Error::argument(format!("can't convert {} into Float", in_place_of_text(other)))),
    }
}

/// The refusal of a number on its way to where there are numbers of 64 bits only: resources, functions of the
/// 3.x API.
pub fn outside_of_range(number: &crate::data::big::BigInt) -> Error {
    let end = if number.sign() == crate::data::big::Sign::Minus { "min" } else { "max" };
    let digits = sprintf("0x%x", &[Value::from(number.clone())]).unwrap_or_default();
    Error::plain(format!("Use of a Ruby Integer outside of Puppet Integer {end} range, got '{digits}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
