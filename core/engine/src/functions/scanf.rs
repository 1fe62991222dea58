//! `scanf`: reads values from a string by a format, as the `scanf` gem of Ruby does.
//!
//! A format is a sequence of directives (`%d`, `%*5x`, `%[a-z]` …) and literal texts; white space in it only
//! separates. The first thing that does not match ends the scan. Every directive but `%c` and `%[…]` skips
//! white space before it.

use super::ruby;
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use bunraku_pcore::Value;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::number::parse_digits;
use bunraku_pcore::regexp::Regex;
use bunraku_syntax::diagnostic::Error;

pub(super) static FUNCTIONS: &[BuiltIn] =
    &[BuiltIn::new("scanf", &[Dispatch::new("String $data, String $format, Callable? &block", scanf)])];

fn scanf(call: &Call<'_, '_>) -> Evaluated {
    let values: Value = scan(call.text(0), call.text(1), call.fuel())?.into();
    if call.block.is_some() { call.yield_block(&[values]) } else { Ok(values) }
}

/// So many bytes are one step of fuel.
const BYTES_IN_STEP: usize = 1 << 12;

/// A part of a format.
enum Part<'f> {
    Literal(&'f str),
    Percent,
    Directive { suppressed: bool, width: Option<usize>, kind: Kind<'f>, after_space: bool },
}

enum Kind<'f> {
    /// `d`, `u`, `i`, `x`, `o`, `f`, `s`, `c`
    Letter(char),
    /// The class of `%[…]`, with its brackets.
    Class(&'f str),
}

fn scan(text: &str, format: &str, fuel: &dyn Fuel) -> Result<Vec<Value>, Error> {
    let mut values = Vec::new();
    let mut rest = text;
    for part in parts(format, fuel)? {
        let Some((length, value)) = part.read(rest, fuel)? else { break };
        values.extend(value);
        rest = rest.get(length..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
    }
    Ok(values)
}

/// The parts of a format.
fn parts<'f>(format: &'f str, fuel: &dyn Fuel) -> Result<Vec<Part<'f>>, Error> {
    let mut parts = Vec::new();
    let mut rest = format;
    while !rest.is_empty() {
        // The search for the end of a set can extend to the end of the format.
        fuel.charge(1 + (rest.len() / BYTES_IN_STEP) as u64)?;
        fuel.check_size(size_of_val(parts.as_slice()))?;
        let after_space = rest.trim_start_matches(is_space);
        if let Some(directive) = after_space.strip_prefix('%')
            && let Some((part, length)) = directive_at(directive, after_space.len() < rest.len())
        {
            parts.push(part);
            rest = directive.get(length..).unwrap_or_default();
            continue;
        }
        let end = after_space.find(|c| is_space(c) || c == '%').unwrap_or(after_space.len());
        if end > 0 {
            parts.push(Part::Literal(&after_space[..end]));
            rest = &after_space[end..];
        } else {
            // A percent sign that begins no directive means nothing.
            rest = after_space.strip_prefix('%').unwrap_or("");
        }
    }
    Ok(parts)
}

/// The directive after a percent sign and its length.
fn directive_at(text: &str, after_space: bool) -> Option<(Part<'_>, usize)> {
    if text.starts_with('%') {
        return Some((Part::Percent, 1));
    }
    let modifiers = text.strip_prefix('*').unwrap_or(text);
    let digits = modifiers.find(|c: char| !c.is_ascii_digit()).unwrap_or(modifiers.len());
    let (width, conversion) = modifiers.split_at(digits);
    let start = text.len() - conversion.len();
    let suppressed = text.starts_with('*');
    let width = (!width.is_empty()).then(|| width.parse().unwrap_or(usize::MAX));
    if conversion.starts_with('[') {
        let is_named = conversion.starts_with("[[:");
        let end = if is_named { conversion.find(":]]").map(|at| at + 3) } else { None };
        let end = end.or_else(|| conversion.find(']').map(|at| at + 1))?;
        let kind = Kind::Class(conversion.get(..end)?);
        return Some((Part::Directive { suppressed, width, kind, after_space }, start + end));
    }
    let letter = match conversion.chars().next()? {
        letter @ ('d' | 'i' | 'o' | 's' | 'c') => letter,
        'u' => 'd',
        'x' | 'X' => 'x',
        'a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G' => 'f',
        'D' | 'U' | 'I' | 'O' | 'S' | 'C' => {
            // Capital letters are taken for directives and then match only themselves.
            return None;
        }
        _ => return None,
    };
    let part = Part::Directive { suppressed, width, kind: Kind::Letter(letter), after_space };
    Some((part, start + letter.len_utf8()))
}

fn is_space(character: char) -> bool {
    character.is_ascii() && ruby::is_space(character as u8)
}

impl Part<'_> {
    /// Reads at the start of a text: how many bytes, and the value when one is wanted. None when it does not
    /// match.
    fn read(&self, text: &str, fuel: &dyn Fuel) -> Result<Option<(usize, Option<Value>)>, Error> {
        let trimmed = text.trim_start_matches(is_space);
        let skipped = text.len() - trimmed.len();
        let (suppressed, width, kind, after_space) = match self {
            Part::Literal(literal) => {
                return Ok(trimmed.starts_with(literal).then(|| (skipped + literal.len(), None)));
            }
            Part::Percent => return Ok(trimmed.starts_with('%').then_some((skipped + 1, None))),
            Part::Directive { suppressed, width, kind, after_space } => {
                (*suppressed, *width, kind, *after_space)
            }
        };
        let keeps_space = match kind {
            Kind::Letter('c') => !after_space,
            Kind::Letter(_) => false,
            Kind::Class(_) => !suppressed,
        };
        let (text, skipped) = if keeps_space { (text, 0) } else { (trimmed, skipped) };
        let Some(length) = kind.length(text, width, fuel)? else { return Ok(None) };
        let matched = text.get(..length).unwrap_or_default();
        let value = if suppressed { None } else { Some(kind.value(matched)?) };
        Ok(Some((skipped + length, value)))
    }
}

impl Kind<'_> {
    /// The number of bytes at the start of a text that match.
    fn length(&self, text: &str, width: Option<usize>, fuel: &dyn Fuel) -> Result<Option<usize>, Error> {
        let most = width.unwrap_or(usize::MAX);
        Ok(match self {
            Kind::Class(class) => {
                let pattern = match width {
                    Some(width) => format!(r"\A{class}{{1,{width}}}"),
                    None => format!(r"\A{class}+"),
                };
                let regex = Regex::new(&pattern).map_err(Error::internal)?;
                regex.find_at(text, 0, fuel)?.map(|(_, end)| end)
            }
            Kind::Letter('c') => characters(text, width.unwrap_or(1), |_| true),
            Kind::Letter('s') => characters(text, most, |c| !is_space(c)),
            Kind::Letter('f') => {
                let length = float_length(text);
                if width.is_some() {
                    length.and_then(|_| characters(text, most, |c| !is_space(c)))
                } else {
                    length
                }
            }
            Kind::Letter('i') => integer_length(text, width),
            Kind::Letter('x') => {
                let is_digit = |c: char| c.is_ascii_hexdigit();
                number_length(text, most, Some("xX"), is_digit)
            }
            Kind::Letter('o') => number_length(text, most, None, |c| ('0'..='7').contains(&c)),
            Kind::Letter(_) => number_length(text, most, None, |c| c.is_ascii_digit()),
        })
    }

    fn value(&self, matched: &str) -> Result<Value, Error> {
        let radix = match self {
            Kind::Letter('d') => 10,
            Kind::Letter('x') => 16,
            Kind::Letter('o') => 8,
            Kind::Letter('i') => {
                let digits = matched.trim_start_matches(['-', '+']);
                match digits.as_bytes() {
                    [b'0', b'x' | b'X', ..] => 16,
                    [b'0', _, ..] => 8,
                    _ => 10,
                }
            }
            Kind::Letter('f') => return Ok(float_value(matched).into()),
            Kind::Letter(_) | Kind::Class(_) => return Ok(matched.into()),
        };
        let is_negative = matched.starts_with('-');
        let digits = matched.trim_start_matches(['-', '+']);
        let digits = if radix == 16 {
            digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits)
        } else {
            digits
        };
        if radix == 8 && matches!(self, Kind::Letter('i')) && digits.contains(['8', '9']) {
            return Err(Error::argument(format!("invalid value for Integer(): {matched:?}")));
        }
        let digits = if digits.is_empty() { "0" } else { digits };
        parse_digits(is_negative, digits, radix).map_err(|_| Error::limit("number too large"))
    }
}

/// The length of the first characters that satisfy a condition, at most this number; `None` if there are
/// none.
fn characters(text: &str, most: usize, accepts: impl Fn(char) -> bool) -> Option<usize> {
    let length = text.chars().take(most).take_while(|&c| accepts(c)).map(char::len_utf8).sum();
    (length > 0).then_some(length)
}

/// The length of a sign, a prefix of `0` and one of some letters, and digits, together at most this number.
fn number_length(
    text: &str,
    most: usize,
    prefix: Option<&str>,
    is_digit: impl Fn(char) -> bool + Copy,
) -> Option<usize> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let rest = &text[sign..];
    let has_prefix =
        prefix.is_some_and(|letters| rest.starts_with('0') && rest[1..].starts_with(|c| letters.contains(c)));
    if has_prefix && let Some(digits) = characters(&rest[2..], most.saturating_sub(sign + 2), is_digit) {
        return Some(sign + 2 + digits);
    }
    characters(rest, most.saturating_sub(sign), is_digit).map(|digits| sign + digits)
}

/// The length of a number of `%i`: decimal, octal with a zero before it, hexadecimal. A lone zero needs a
/// width.
fn integer_length(text: &str, width: Option<usize>) -> Option<usize> {
    let most = width.unwrap_or(usize::MAX);
    let is_octal = |c: char| ('0'..='7').contains(&c);
    let sign = usize::from(text.starts_with(['-', '+']));
    let rest = &text[sign..];
    let left = most.saturating_sub(sign);
    let long = if let Some(digits) = rest.strip_prefix('0') {
        let octal = characters(digits, left.saturating_sub(1), is_octal).map(|length| 1 + length);
        octal.or_else(|| {
            let digits = digits.strip_prefix(['x', 'X'])?;
            characters(digits, left.saturating_sub(2), |c| c.is_ascii_hexdigit()).map(|length| 2 + length)
        })
    } else {
        let length = characters(rest, left, |c| c.is_ascii_digit());
        length.filter(|&length| width.is_none() || length > 1)
    };
    match long {
        Some(length) => Some(sign + length),
        None if width.is_some() => characters(text, 1, |c| c.is_ascii_digit()),
        None => None,
    }
}

/// The length of a number with a fraction: hexadecimal with an exponent, only digits, or digits around a
/// point.
fn float_length(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with(['-', '+']));
    let rest = &text[sign..];
    if let Some(length) = hexadecimal_length(rest) {
        return Some(sign + length);
    }
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let whole = digits(rest);
    let Some(fraction) = rest[whole..].strip_prefix('.') else {
        return (whole > 0).then_some(sign + whole);
    };
    let mut length = sign + whole + 1 + digits(fraction);
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let signed = usize::from(exponent.starts_with(['-', '+']));
        let count = digits(&exponent[signed..]);
        if count > 0 {
            length += 1 + signed + count;
        }
    }
    Some(length)
}

fn hexadecimal_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let end = rest.find(['p', 'P'])?;
    let (digits, exponent) = (&rest[..end], &rest[end + 1..]);
    let is_number = digits.contains(|c: char| c.is_ascii_hexdigit())
        && digits.chars().all(|c| c.is_ascii_hexdigit() || c == '.')
        && digits.matches('.').count() <= 1;
    let signed = usize::from(exponent.starts_with(['-', '+']));
    let count = characters(&exponent[signed..], usize::MAX, |c| c.is_ascii_digit())?;
    is_number.then_some(2 + end + 1 + signed + count)
}

fn float_value(text: &str) -> f64 {
    let magnitude = text.trim_start_matches(['-', '+']);
    if let Some(length) = hexadecimal_length(magnitude) {
        let digits = magnitude.get(2..length).unwrap_or_default().replace(".p", "p").replace(".P", "P");
        let digits = if digits.starts_with('.') { format!("0{digits}") } else { digits };
        let number = ruby::hexadecimal(&digits).unwrap_or(0.0);
        return if text.starts_with('-') { -number } else { number };
    }
    // `1.e+5`: an exponent with a sign directly after the point counts.
    match text.split_once('.') {
        Some((whole, rest)) if rest.starts_with(['e', 'E']) && rest[1..].starts_with(['-', '+']) => {
            ruby::to_f(&format!("{whole}{rest}"))
        }
        _ => ruby::to_f(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::fuel::Unmetered;

    #[test]
    fn formats_are_read_part_by_part() {
        let ask = |text: &str, format: &str| scan(text, format, &Unmetered).unwrap();
        assert_eq!(ask("10 20 30", "%d %*d %d"), [Value::Integer(10), Value::Integer(30)]);
        assert_eq!(ask("0x1f", "%i"), [Value::Integer(31)]);
        assert_eq!(ask("0", "%i"), []);
        assert_eq!(ask("0", "%1i"), [Value::Integer(0)]);
        assert_eq!(ask("-017", "%i"), [Value::Integer(-15)]);
        assert_eq!(ask("1234", "%2d%d"), [Value::Integer(12), Value::Integer(34)]);
        assert_eq!(ask("a1b2", "a%db%d"), [Value::Integer(1), Value::Integer(2)]);
        assert_eq!(ask("abc", "%[a-b]%s"), [Value::from("ab"), Value::from("c")]);
        assert_eq!(ask("ab", " %c%c"), [Value::from("a"), Value::from("b")]);
        assert_eq!(ask("1e5", "%f"), [Value::from(1.0)]);
        assert_eq!(ask("1.5e3 50%", "%f %d%%"), [Value::from(1500.0), Value::Integer(50)]);
        assert_eq!(ask("x", "%d"), []);
    }
}
