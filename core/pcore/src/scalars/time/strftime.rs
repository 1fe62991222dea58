//! Ruby's `Time#strftime`.

use super::calendar::{Civil, DAYS, MONTHS, civil};
use bunraku_syntax::diagnostic::Error;

/// The widest field.
const MAX_WIDTH: usize = 1 << 16;

/// The input for formatting a point in time.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Seconds since 1970-01-01T00:00:00 UTC.
    pub seconds: i128,
    /// The fraction.
    pub nanoseconds: u32,
    /// Seconds east of UTC; `None` is UTC itself, which has a name.
    pub offset: Option<i32>,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    left: bool,
    upper: bool,
    change_case: bool,
    padding: Option<char>,
    width: usize,
    colons: usize,
}

/// Writes a moment by a format.
///
/// # Errors
/// When the format ends with a lone `%`.
pub fn strftime(format: &str, moment: &Moment) -> Result<String, Error> {
    let offset = moment.offset.unwrap_or(0);
    let local = civil(moment.seconds.saturating_add(i128::from(offset)));
    let mut out = String::new();
    write(&mut out, format, moment, &local)?;
    Ok(out)
}

fn write(out: &mut String, format: &str, moment: &Moment, local: &Civil) -> Result<(), Error> {
    let text: Vec<char> = format.chars().collect();
    let mut at = 0;
    while let Some(&c) = text.get(at) {
        at += 1;
        if c != '%' {
            out.push(c);
            continue;
        }
        let start = at - 1;
        let mut flags = Flags::default();
        loop {
            let Some(&c) = text.get(at) else {
                if at == start + 1 {
                    return Err(Error::argument(format!("invalid format: {format}")));
                }
                out.extend(text.get(start..).unwrap_or_default());
                return Ok(());
            };
            at += 1;
            match c {
                '-' => flags = Flags { left: true, padding: None, width: 0, ..flags },
                '^' => flags.upper = true,
                '#' => flags.change_case = true,
                '_' => flags.padding = Some(' '),
                '0' => flags.padding = Some('0'),
                '1'..='9' => {
                    let mut width = c.to_digit(10).unwrap_or(0) as usize;
                    while let Some(digit) = text.get(at).and_then(|c| c.to_digit(10)) {
                        width = width.saturating_mul(10).saturating_add(digit as usize);
                        at += 1;
                    }
                    if width > MAX_WIDTH {
                        return Err(Error::limit("the formatted text is too long"));
                    }
                    flags.width = width;
                }
                ':' => {
                    let colons =
                        1 + text.get(at..).unwrap_or_default().iter().take_while(|&&c| c == ':').count();
                    if colons <= 3 && text.get(at + colons - 1) == Some(&'z') {
                        flags.colons = colons;
                        at += colons - 1;
                    } else {
                        out.extend(text.get(start..at).unwrap_or_default());
                        break;
                    }
                }
                'E' if matches!(text.get(at), Some('c' | 'C' | 'x' | 'X' | 'y' | 'Y')) => {}
                'O' if matches!(
                    text.get(at),
                    Some(
                        'd' | 'e'
                            | 'H'
                            | 'k'
                            | 'I'
                            | 'l'
                            | 'm'
                            | 'M'
                            | 'S'
                            | 'u'
                            | 'U'
                            | 'V'
                            | 'w'
                            | 'W'
                            | 'y'
                    )
                ) => {}
                _ => {
                    if !directive(out, c, flags, moment, local)? {
                        out.extend(text.get(start..at).unwrap_or_default());
                    }
                    break;
                }
            }
        }
    }
    Ok(())
}

/// The number for a directive, with its width and padding; `None` for a text.
fn number_of(c: char, moment: &Moment, local: &Civil) -> Option<(i128, usize, char)> {
    let hour_of_12 = if local.hour.is_multiple_of(12) { 12 } else { local.hour % 12 };
    let year_width = |year: i128| if year < 0 { 5 } else { 4 };
    let two = |value: i128| (value, 2, '0');
    Some(match c {
        'Y' => (local.year, year_width(local.year), '0'),
        'G' => {
            let year = local.iso_week().0;
            (year, year_width(year), '0')
        }
        'C' => two(local.year.div_euclid(100)),
        'y' => two(local.year.rem_euclid(100)),
        'g' => two(local.iso_week().0.rem_euclid(100)),
        'm' => two(i128::from(local.month)),
        'd' => two(i128::from(local.day)),
        'e' => (i128::from(local.day), 2, ' '),
        'j' => (i128::from(local.year_day), 3, '0'),
        'H' => two(i128::from(local.hour)),
        'k' => (i128::from(local.hour), 2, ' '),
        'I' => two(i128::from(hour_of_12)),
        'l' => (i128::from(hour_of_12), 2, ' '),
        'M' => two(i128::from(local.minute)),
        'S' => two(i128::from(local.second)),
        'u' => (i128::from(if local.weekday == 0 { 7 } else { local.weekday }), 1, '0'),
        'w' => (i128::from(local.weekday), 1, '0'),
        'U' => two(i128::from(local.week(false))),
        'W' => two(i128::from(local.week(true))),
        'V' => two(i128::from(local.iso_week().1)),
        's' => (moment.seconds, 1, '0'),
        _ => return None,
    })
}

/// The directives that a directive is short for.
const fn composite(c: char) -> Option<&'static str> {
    Some(match c {
        'c' => "%a %b %e %H:%M:%S %Y",
        'D' | 'x' => "%m/%d/%y",
        'F' => "%Y-%m-%d",
        'T' | 'X' => "%H:%M:%S",
        'R' => "%H:%M",
        'r' => "%I:%M:%S %p",
        'v' => "%e-%^b-%4Y",
        _ => return None,
    })
}

/// Writes one directive; returns false for an unknown letter.
fn directive(out: &mut String, c: char, flags: Flags, moment: &Moment, local: &Civil) -> Result<bool, Error> {
    if let Some((value, width, padding)) = number_of(c, moment, local) {
        push_number(out, value, width, padding, flags);
        return Ok(true);
    }
    if let Some(format) = composite(c) {
        let mut text = String::new();
        write(&mut text, format, moment, local)?;
        push_text(out, &text, Flags { left: false, change_case: false, ..flags });
        return Ok(true);
    }
    let day = DAYS.get(local.weekday as usize).copied().unwrap_or_default();
    let month = MONTHS.get(local.month as usize - 1).copied().unwrap_or_default();
    let in_small_letters = |out: &mut String, text: &str| {
        push_text(out, &text.to_lowercase(), Flags { change_case: false, ..flags });
    };
    match c {
        'A' => push_text(out, day, flags),
        'a' => push_text(out, day.get(..3).unwrap_or(day), flags),
        'B' => push_text(out, month, flags),
        'b' | 'h' => push_text(out, month.get(..3).unwrap_or(month), flags),
        'p' | 'P' => {
            let half = if local.hour < 12 { "AM" } else { "PM" };
            if (c == 'P') == flags.change_case {
                push_text(out, half, flags)
            } else {
                in_small_letters(out, half)
            }
        }
        // The zone of a fixed offset has no name, and nothing is padded.
        'Z' if moment.offset.is_some() => {}
        'Z' if flags.change_case => in_small_letters(out, "UTC"),
        'Z' => push_text(out, "UTC", flags),
        'L' | 'N' => {
            let digits = format!("{:09}", moment.nanoseconds);
            let width = match flags.width {
                0 if c == 'L' => 3,
                0 => 9,
                width => width,
            };
            out.extend(digits.chars().chain(std::iter::repeat('0')).take(width));
        }
        'z' => push_offset(out, moment.offset, flags),
        'n' => push_text(out, "\n", flags),
        't' => push_text(out, "\t", flags),
        '%' => push_text(out, "%", flags),
        _ => return Ok(false),
    }
    Ok(true)
}

fn push_number(out: &mut String, value: i128, width: usize, padding: char, flags: Flags) {
    let width = if flags.left {
        1
    } else if flags.width > 0 {
        flags.width
    } else {
        width
    };
    let digits = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    let missing = width.saturating_sub(digits.len() + sign.len());
    if flags.padding.unwrap_or(padding) == '0' {
        out.push_str(sign);
        out.extend(std::iter::repeat_n('0', missing));
    } else {
        out.extend(std::iter::repeat_n(' ', missing));
        out.push_str(sign);
    }
    out.push_str(&digits);
}

fn push_text(out: &mut String, text: &str, flags: Flags) {
    let missing = if flags.left { 0 } else { flags.width.saturating_sub(text.chars().count()) };
    out.extend(std::iter::repeat_n(flags.padding.unwrap_or(' '), missing));
    if flags.upper || flags.change_case {
        out.push_str(&text.to_uppercase());
    } else {
        out.push_str(text);
    }
}

fn push_offset(out: &mut String, offset: Option<i32>, flags: Flags) {
    let is_negative = offset.map_or(flags.left, |offset| offset < 0);
    let seconds = offset.unwrap_or(0).unsigned_abs();
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let tail = match flags.colons {
        0 => format!("{minutes:02}"),
        1 => format!(":{minutes:02}"),
        2 => format!(":{minutes:02}:{rest:02}"),
        _ if seconds.is_multiple_of(3600) => String::new(),
        _ if rest == 0 => format!(":{minutes:02}"),
        _ => format!(":{minutes:02}:{rest:02}"),
    };
    let width = flags.width.saturating_sub(tail.len() + 1).max(2);
    let sign = if is_negative { '-' } else { '+' };
    let hours = hours.to_string();
    let missing = width.saturating_sub(hours.len());
    if flags.padding == Some(' ') {
        out.extend(std::iter::repeat_n(' ', missing));
        out.push(sign);
    } else {
        out.push(sign);
        out.extend(std::iter::repeat_n('0', missing));
    }
    out.push_str(&hours);
    out.push_str(&tail);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_as_ruby() {
        let moment = Moment { seconds: 1_577_934_245, nanoseconds: 678_901_234, offset: None };
        for (format, text) in [
            ("%FT%T.%N %Z", "2020-01-02T03:04:05.678901234 UTC"),
            ("%-z", "-0000"),
            ("%_z|%_5z|%_6z|%06z", " +000| +000|  +000|+00000"),
            ("%_10z", "      +000"),
            ("%10z", "+000000000"),
            ("%:::z", "+00"),
            ("%10Z", "       UTC"),
            ("%^a %#p %P", "THU am am"),
            ("%-d|%_d|%e|%0e", "2| 2| 2|02"),
            ("%3N|%12N|%-N|%6L", "678|678901234000|678901234|678901"),
            ("%c", "Thu Jan  2 03:04:05 2020"),
            ("%v", " 2-JAN-2020"),
            ("%q %E %:y", "%q %E %:y"),
            ("%U %W %V %G %u %j", "00 00 01 2020 4 002"),
            ("%20s", "00000000001577934245"),
            ("%15F|%015T", "     2020-01-02|000000003:04:05"),
        ] {
            assert_eq!(strftime(format, &moment).unwrap(), text, "{format}");
        }
        let moment = Moment { offset: Some(-1800), ..moment };
        assert_eq!(strftime("%z|%_z|%_10z|%:::z|%Z", &moment).unwrap(), "-0030| -030|      -030|-00:30|");
        assert!(strftime("a%", &moment).is_err());
    }
}
