//! Moments as payloads have them: ISO 8601 with seconds and a time zone, `YYYY-MM-DDThh:mm:ss.sssZ` or
//! `±hh:mm` for the `Z`.

/// Whether a text is such a timestamp, on a valid day of the calendar.
pub(super) fn is_moment(text: &str) -> bool {
    moment(text.as_bytes()).is_some()
}

fn moment(text: &[u8]) -> Option<()> {
    let (year, text) = number(text, 4, 0..=9999)?;
    let (month, text) = number(text.strip_prefix(b"-")?, 2, 1..=12)?;
    let (_, text) = number(text.strip_prefix(b"-")?, 2, 1..=days_of(year, month))?;
    let (_, text) = number(text.strip_prefix(b"T")?, 2, 0..=23)?;
    let (_, text) = number(text.strip_prefix(b":")?, 2, 0..=59)?;
    // 60 is a leap second.
    let (_, text) = number(text.strip_prefix(b":")?, 2, 0..=60)?;
    let text = match text.strip_prefix(b".") {
        Some(fraction) => {
            let digits = fraction.iter().take_while(|digit| digit.is_ascii_digit()).count();
            fraction.get(digits..).filter(|_| (1..=9).contains(&digits))?
        }
        None => text,
    };
    if text == b"Z" {
        return Some(());
    }
    let zone = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-"))?;
    let (_, zone) = number(zone, 2, 0..=23)?;
    let (_, rest) = number(zone.strip_prefix(b":").unwrap_or(zone), 2, 0..=59)?;
    rest.is_empty().then_some(())
}

/// A number with this number of digits, and the rest.
fn number(text: &[u8], digits: usize, range: std::ops::RangeInclusive<u32>) -> Option<(u32, &[u8])> {
    let (number, rest) = text.split_at_checked(digits)?;
    let mut value = 0;
    for digit in number {
        value = value * 10 + char::from(*digit).to_digit(10)?;
    }
    range.contains(&value).then_some((value, rest))
}

fn days_of(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_has_a_day_of_the_calendar_and_a_zone() {
        for text in ["2024-02-29T12:00:00.123Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.6+02:00"] {
            assert!(is_moment(text), "{text}");
        }
        let bad =
            ["2023-02-29T12:00:00Z", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T24:04:05Z", "now", ""];
        for text in bad {
            assert!(!is_moment(text), "{text}");
        }
    }
}
