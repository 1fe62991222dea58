//! Numbers as text and text as numbers, in Ruby's forms.

use crate::data::big::BigInt;
use crate::data::value::Value;

/// A float as Ruby's `Float#to_s` writes it: the shortest digits that read back as the same number, with an
/// exponent below 0.0001 and from 10^15.
pub fn float_to_s(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number < 0.0 { "-Infinity".into() } else { "Infinity".into() };
    }
    if number == 0.0 {
        return if number.is_sign_negative() { "-0.0".into() } else { "0.0".into() };
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let (digits, exponent) = shortest(number.abs());
    let point = exponent + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // Digits that extend past the point are written out, whatever their number.
    if (-3..=15).contains(&point) || (point > 0 && point < count) {
        if point <= 0 {
            let zeros = "0".repeat(usize::try_from(-point).unwrap_or(0));
            format!("{sign}0.{zeros}{digits}")
        } else if point >= count {
            let zeros = "0".repeat(usize::try_from(point - count).unwrap_or(0));
            format!("{sign}{digits}{zeros}.0")
        } else {
            let (whole, fraction) = digits.split_at(usize::try_from(point).unwrap_or(0));
            format!("{sign}{whole}.{fraction}")
        }
    } else {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let mark = if exponent < 0 { '-' } else { '+' };
        format!("{sign}{first}.{rest}e{mark}{:02}", exponent.abs())
    }
}

/// The shortest digits of a positive number and the exponent of the first one. Of two equally near ones the
/// even one is used, as in Ruby.
fn shortest(number: f64) -> (String, i32) {
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let zeros = all.len() - digits.len();
    let point = i32::try_from(whole.len()).unwrap_or(0) - i32::try_from(zeros).unwrap_or(0);
    let digits = digits.trim_end_matches('0').to_owned();
    (digits, exponent.parse::<i32>().unwrap_or(0) + point - 1)
}

/// The maximum number of digits that are parsed; more would take long.
const MAX_DIGITS: usize = 100_000;

/// The reason why a text is not a whole number for [`parse_whole`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerError {
    /// It does not read as one.
    Invalid,
    /// It needs more than 64 bits.
    TooLarge,
}

/// Digits of a radix, underscores among them, as a number.
///
/// # Errors
/// [`IntegerError::Invalid`] for other characters, [`IntegerError::TooLarge`] for more than a hundred
/// thousand digits.
pub fn parse_digits(negative: bool, digits: &str, radix: u32) -> Result<Value, IntegerError> {
    if digits.len() > MAX_DIGITS {
        return Err(IntegerError::TooLarge);
    }
    if digits.starts_with(['+', '-']) {
        return Err(IntegerError::Invalid);
    }
    let digits: Vec<u8> = digits.bytes().filter(|&byte| byte != b'_').collect();
    let number = BigInt::parse_bytes(&digits, radix).ok_or(IntegerError::Invalid)?;
    Ok(Value::from(if negative { -number } else { number }))
}

/// A text as Ruby's `Integer(text, radix)` parses it: surrounding blanks, a sign, a prefix (`0x`, `0o`, `0b`,
/// `0d`, `0`) and single underscores between digits. A radix of 0 uses the prefix.
///
/// # Errors
/// The text is not a number, or has too many digits.
pub fn parse_whole(text: &str, radix: u32) -> Result<Value, IntegerError> {
    let (negative, digits, radix) = digits_of(text, radix)?;
    parse_digits(negative, digits, radix)
}

/// The sign, the digits and the radix of a number.
fn digits_of(text: &str, radix: u32) -> Result<(bool, &str, u32), IntegerError> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let (negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, text.get(1..).unwrap_or_default()),
        Some(b'+') => (false, text.get(1..).unwrap_or_default()),
        _ => (false, text),
    };
    let prefix = |rest: &str| -> Option<u32> {
        let bytes = rest.as_bytes();
        if bytes.first() != Some(&b'0') {
            return None;
        }
        match bytes.get(1) {
            Some(b'x' | b'X') => Some(16),
            Some(b'b' | b'B') => Some(2),
            Some(b'o' | b'O') => Some(8),
            Some(b'd' | b'D') => Some(10),
            _ => None,
        }
    };
    let mut radix = radix;
    match prefix(rest) {
        Some(found) if radix == 0 || radix == found => {
            radix = found;
            rest = rest.get(2..).unwrap_or_default();
            if rest.starts_with('_') {
                return Err(IntegerError::Invalid);
            }
        }
        _ if radix == 0 => radix = if rest.len() > 1 && rest.starts_with('0') { 8 } else { 10 },
        _ => {}
    }
    if rest.is_empty() || rest.starts_with('_') || rest.ends_with('_') || rest.contains("__") {
        return Err(IntegerError::Invalid);
    }
    Ok((negative, rest, radix))
}

/// A text as Ruby's `Float(text)` reads it, or nothing when it does not.
pub fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1.0, text.get(1..)?),
        b'+' => (1.0, text.get(1..)?),
        _ => (1.0, text),
    };
    if rest.starts_with("0x") || rest.starts_with("0X") {
        return hexadecimal_float(rest.get(2..)?).map(|value| sign * value);
    }
    let mut plain = String::with_capacity(rest.len());
    let mut previous = ' ';
    for c in rest.chars() {
        match c {
            '0'..='9' => plain.push(c),
            '_' if previous.is_ascii_digit() => {}
            '.' | 'e' | 'E' if previous.is_ascii_digit() => plain.push(c),
            '.' if previous == ' ' => plain.push_str("0."),
            '+' | '-' if matches!(previous, 'e' | 'E') => plain.push(c),
            _ => return None,
        }
        if previous == '_' && !c.is_ascii_digit() {
            return None;
        }
        previous = c;
    }
    // `1.` and `1.e5` need a digit after the point.
    if !previous.is_ascii_digit() || plain.contains(".e") || plain.contains(".E") {
        return None;
    }
    plain.parse::<f64>().ok().map(|value| sign * value)
}

fn hexadecimal_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['p', 'P']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || (mantissa.contains('.') && fraction.is_empty()) {
        return None;
    }
    let mut value = 0.0_f64;
    for c in whole.chars().filter(|&c| c != '_') {
        value = value * 16.0 + f64::from(c.to_digit(16)?);
    }
    let mut scale = 1.0 / 16.0;
    for c in fraction.chars() {
        value += f64::from(c.to_digit(16)?) * scale;
        scale /= 16.0;
    }
    Some(value * 2.0_f64.powi(exponent))
}

/// A non-negative number with this number of digits after the point, as Ruby's `%.2f` writes it: a number
/// half way between two texts, within the precision of the floating-point arithmetic of Ruby's `dtoa`, is
/// rounded to the even one.
pub fn fixed(number: f64, precision: usize) -> String {
    let Some(exponent) = decimal_exponent(number) else { return exactly_fixed(number, precision) };
    let count = i32::try_from(precision).unwrap_or(i32::MAX).saturating_add(exponent + 1);
    match halfway_digits(number, exponent, count) {
        Some(digits) => {
            let digits = format!("{digits:0>width$}", width = precision + 1);
            let (whole, fraction) = digits.split_at(digits.len() - precision);
            if precision == 0 { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        None => exactly_fixed(number, precision),
    }
}

/// The maximum number of non-zero digits after the point of a number or after its first digit.
const DIGITS: usize = 1_100;

/// A number with this number of digits after the point, which can be more than Rust's formats support.
fn exactly_fixed(number: f64, precision: usize) -> String {
    let digits = precision.min(DIGITS);
    let mut text = format!("{number:.digits$}");
    text.extend(std::iter::repeat_n('0', precision - digits));
    text
}

/// A number as `d.ddde±x` with this number of digits after the point.
fn exactly_scientific(number: f64, precision: usize) -> String {
    let digits = precision.min(DIGITS);
    let mut text = format!("{number:.digits$e}");
    if let Some(at) = text.rfind('e') {
        text.insert_str(at, &"0".repeat(precision - digits));
    }
    text
}

/// A number that is not negative as `d.ddde±x` in Rust's form, rounded as [`fixed`] does.
pub fn scientific(number: f64, precision: usize) -> String {
    let exact = || exactly_scientific(number, precision);
    let Some(exponent) = decimal_exponent(number) else { return exact() };
    let count = i32::try_from(precision).unwrap_or(i32::MAX).saturating_add(1);
    let Some(digits) = halfway_digits(number, exponent, count) else { return exact() };
    let digits = digits.to_string();
    let exponent = if digits.len() > precision + 1 { exponent + 1 } else { exponent };
    let (first, rest) = digits.split_at(1);
    let rest = rest.get(..precision).unwrap_or(rest);
    if rest.is_empty() { format!("{first}e{exponent}") } else { format!("{first}.{rest}e{exponent}") }
}

/// The exponent of ten of the first digit.
fn decimal_exponent(number: f64) -> Option<i32> {
    if !number.is_finite() || number == 0.0 {
        return None;
    }
    format!("{number:e}").rsplit_once('e')?.1.parse().ok()
}

/// The first `count` digits, rounded to even, of a number that floating-point arithmetic finds half way
/// between two. `None` if it can decide, and where Ruby computes exactly (no digit, or more than 14).
fn halfway_digits(number: f64, exponent: i32, count: i32) -> Option<u64> {
    if !(1..=14).contains(&count) || !(-15..=22).contains(&exponent) {
        return None;
    }
    let power = 10_f64.powi(exponent.abs());
    let mut rest = if exponent >= 0 { number / power } else { number * power };
    let mut tolerance = (2.0 * rest + 7.0) * f64::EPSILON * 10_f64.powi(count - 1);
    if exponent.unsigned_abs() > 15 {
        tolerance *= 1.5;
    }
    let mut digits = 0_u64;
    for position in 1..=count {
        let digit = rest.trunc();
        rest -= digit;
        digits = digits * 10 + digit as u64;
        if rest == 0.0 {
            return None;
        }
        if position < count {
            rest *= 10.0;
        }
    }
    let is_half = rest <= 0.5 + tolerance && rest >= 0.5 - tolerance;
    is_half.then_some(digits + digits % 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_take_the_smaller_form() {
        assert_eq!(parse_digits(true, "9223372036854775808", 10), Ok(Value::Integer(i64::MIN)));
        assert_eq!(parse_digits(false, "-1", 10), Err(IntegerError::Invalid));
    }

    #[test]
    fn floats_read_as_in_ruby() {
        for (number, text) in [
            (1e14, "100000000000000.0"),
            (1e15, "1.0e+15"),
            (1e16, "1.0e+16"),
            (1e-4, "0.0001"),
            (1e-5, "1.0e-05"),
            (1.5, "1.5"),
            (-0.0, "-0.0"),
            (1e100, "1.0e+100"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (1e15 + 0.3, "1000000000000000.2"),
            (1234567890123456.0, "1.234567890123456e+15"),
        ] {
            assert_eq!(float_to_s(number), text);
        }
    }

    #[test]
    fn texts_are_read_as_ruby_reads_them() {
        assert_eq!(parse_whole(" 0x1f ", 0), Ok(Value::Integer(31)));
        assert_eq!(parse_whole("-0b11", 0), Ok(Value::Integer(-3)));
        assert_eq!(parse_whole("017", 0), Ok(Value::Integer(15)));
        assert_eq!(parse_whole("1_000", 0), Ok(Value::Integer(1000)));
        assert_eq!(parse_whole("1__0", 0), Err(IntegerError::Invalid));
        assert_eq!(parse_whole("09", 0), Err(IntegerError::Invalid));
        assert_eq!(parse_float("1_0.5"), Some(10.5));
        assert_eq!(parse_float("1."), None);
        assert_eq!(parse_float("0x1p3"), Some(8.0));
    }
}
