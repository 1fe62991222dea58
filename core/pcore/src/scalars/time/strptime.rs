//! Ruby's `DateTime._strptime`: a text read by a format into the parts that were found.

use super::calendar::{DAYS, MONTHS};
use super::zone;

/// The parts that a format found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    pub year: Option<i64>,
    pub month: Option<u32>,
    pub day: Option<u32>,
    pub hour: Option<u32>,
    pub minute: Option<u32>,
    pub second: Option<u32>,
    /// Nanoseconds of the second.
    pub fraction: Option<u32>,
    pub zone: Option<String>,
    /// Whether text remained after the format.
    pub leftover: bool,
    century: Option<i64>,
    short_year: bool,
    afternoon: Option<u32>,
}

/// Reads a text, given as its characters, by a format. Nothing when it does not fit.
pub fn strptime(text: &[char], format: &str) -> Option<Parsed> {
    let mut reader = Reader { text, at: 0, parsed: Parsed::default() };
    reader.run(&format.chars().collect::<Vec<_>>(), 0)?;
    let mut parsed = reader.parsed;
    parsed.leftover = reader.at < reader.text.len();
    if let Some(century) = parsed.century
        && let Some(year) = parsed.year
    {
        // A century replaces the one that was guessed for two digits.
        let short = if parsed.short_year { year.rem_euclid(100) } else { year };
        parsed.year = Some(century.saturating_mul(100).saturating_add(short));
    }
    if let Some(afternoon) = parsed.afternoon {
        parsed.hour = parsed.hour.map(|hour| hour % 12 + afternoon);
    }
    Some(parsed)
}

struct Reader<'t> {
    text: &'t [char],
    at: usize,
    parsed: Parsed,
}

/// Whether a number directive or digit is next in the format, so that preceding numbers end at their width.
fn is_number_next(format: &[char]) -> bool {
    match format {
        [c, ..] if c.is_ascii_digit() => true,
        ['%', rest @ ..] => {
            let rest = match rest {
                ['E' | 'O', rest @ ..] => rest,
                _ => rest,
            };
            rest.first()
                .is_some_and(|c| c.is_ascii_digit() || "CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy".contains(*c))
        }
        _ => false,
    }
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c.is_ascii_whitespace() || c == '\u{b}') {
            self.at += 1;
        }
    }

    fn digits(&mut self, most: usize) -> Option<(i64, usize)> {
        let (start, mut value) = (self.at, 0_i64);
        while self.at - start < most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) else { break };
            value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
            self.at += 1;
        }
        (self.at > start).then_some((value, self.at - start))
    }

    fn in_range(&mut self, most: usize, range: std::ops::RangeInclusive<i64>) -> Option<u32> {
        let (value, _) = self.digits(most)?;
        if range.contains(&value) { u32::try_from(value).ok() } else { None }
    }

    /// A number of two digits that may begin with a blank.
    fn padded(&mut self, range: std::ops::RangeInclusive<i64>) -> Option<u32> {
        if self.peek() == Some(' ') {
            self.at += 1;
            return self.in_range(1, range);
        }
        self.in_range(2, range)
    }

    fn sign(&mut self) -> i64 {
        match self.peek() {
            Some('-') => {
                self.at += 1;
                -1
            }
            Some('+') => {
                self.at += 1;
                1
            }
            _ => 1,
        }
    }

    fn name(&mut self, names: &[&str]) -> Option<u32> {
        for (index, name) in names.iter().enumerate() {
            for length in [name.len(), 3] {
                let found: String =
                    self.text.iter().skip(self.at).take(length).collect::<String>().to_ascii_lowercase();
                if found == name.get(..length)?.to_ascii_lowercase() {
                    self.at += length;
                    return u32::try_from(index).ok();
                }
            }
        }
        None
    }

    fn recur(&mut self, format: &str, depth: usize) -> Option<()> {
        self.run(&format.chars().collect::<Vec<_>>(), depth + 1)
    }

    fn run(&mut self, format: &[char], depth: usize) -> Option<()> {
        if depth > 4 {
            return None;
        }
        let mut format = format;
        while let [c, rest @ ..] = format {
            format = rest;
            match c {
                ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' => self.skip_blanks(),
                '%' => format = self.directive(format, depth)?,
                _ => self.literal(*c)?,
            }
        }
        Some(())
    }

    fn literal(&mut self, c: char) -> Option<()> {
        (self.peek() == Some(c)).then(|| self.at += 1)
    }

    /// The rest after a directive with a modifier; `None` if it has none.
    fn modified<'f>(
        &mut self,
        c: char,
        format: &'f [char],
        rest: &'f [char],
        depth: usize,
    ) -> Option<Option<&'f [char]>> {
        let takes = |conversions: &str| rest.first().is_some_and(|&c| conversions.contains(c));
        match c {
            'E' if takes("cCxXyY") => Some(self.directive(rest, depth)),
            'O' if takes("deHImMSuUVwWy") => Some(self.directive(rest, depth)),
            ':' => {
                let colons = format.iter().take_while(|&&c| c == ':').count();
                Some(match format.get(colons..) {
                    Some(zone @ ['z', ..]) if colons <= 3 => self.directive(zone, depth),
                    _ => self.literal('%').map(|()| format),
                })
            }
            _ => None,
        }
    }

    /// The digits after the point of a second, at most this number.
    fn fraction(&mut self, most: usize) -> Option<()> {
        if self.sign() < 0 {
            return None;
        }
        let start = self.at;
        while self.at - start < most && self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return None;
        }
        let digits = self.text.get(start..self.at)?.iter().chain(std::iter::repeat(&'0')).take(9);
        self.parsed.fraction = digits.collect::<String>().parse().ok();
        Some(())
    }

    /// `am`, `p.m.`
    fn half_of_day(&mut self) -> Option<()> {
        let hour = match self.peek()? {
            'a' | 'A' => 0,
            'p' | 'P' => 12,
            _ => return None,
        };
        self.at += 1;
        let has_dot = self.peek() == Some('.');
        self.at += usize::from(has_dot);
        if !matches!(self.peek(), Some('m' | 'M')) {
            return None;
        }
        self.at += 1;
        if has_dot {
            self.literal('.')?;
        }
        self.parsed.afternoon = Some(hour);
        Some(())
    }

    fn zone(&mut self) -> Option<()> {
        let remaining: String = self.text.get(self.at..)?.iter().collect();
        let length = zone::matched(&remaining)?;
        let zone = remaining.get(..length)?.to_string();
        self.at += zone.chars().count();
        self.parsed.zone = Some(zone);
        Some(())
    }

    /// Reads the directive at the start of `format` (after its `%`), and returns the rest of the format.
    fn directive<'f>(&mut self, format: &'f [char], depth: usize) -> Option<&'f [char]> {
        let [c, rest @ ..] = format else {
            self.literal('%')?;
            return Some(format);
        };
        if let Some(behind) = self.modified(*c, format, rest, depth) {
            return behind;
        }
        match c {
            'A' | 'a' => {
                self.name(&DAYS)?;
            }
            'B' | 'b' | 'h' => self.parsed.month = Some(self.name(&MONTHS)? + 1),
            'C' => {
                let most = if is_number_next(rest) { 2 } else { usize::MAX };
                let sign = self.sign();
                self.parsed.century = Some(sign * self.digits(most)?.0);
            }
            'c' => self.recur("%a %b %e %H:%M:%S %Y", depth)?,
            'D' | 'x' => self.recur("%m/%d/%y", depth)?,
            'd' | 'e' => self.parsed.day = Some(self.padded(1..=31)?),
            'F' => self.recur("%Y-%m-%d", depth)?,
            'G' => {
                let most = if is_number_next(rest) { 4 } else { usize::MAX };
                self.sign();
                self.digits(most)?;
            }
            'g' => {
                self.in_range(2, 0..=99)?;
            }
            'H' | 'k' => self.parsed.hour = Some(self.padded(0..=24)?),
            'I' | 'l' => self.parsed.hour = Some(self.padded(1..=12)?),
            'j' => {
                self.in_range(3, 1..=366)?;
            }
            'L' | 'N' => {
                let default = if *c == 'L' { 3 } else { 9 };
                self.fraction(if is_number_next(rest) { default } else { usize::MAX })?;
            }
            'M' => self.parsed.minute = Some(self.in_range(2, 0..=59)?),
            'm' => self.parsed.month = Some(self.in_range(2, 1..=12)?),
            'n' | 't' => self.skip_blanks(),
            'P' | 'p' => self.half_of_day()?,
            'Q' | 's' => {
                self.sign();
                self.digits(usize::MAX)?;
            }
            'R' => self.recur("%H:%M", depth)?,
            'r' => self.recur("%I:%M:%S %p", depth)?,
            'S' => self.parsed.second = Some(self.in_range(2, 0..=60)?),
            'T' | 'X' => self.recur("%H:%M:%S", depth)?,
            'U' | 'W' => {
                self.in_range(2, 0..=53)?;
            }
            'u' => {
                self.in_range(1, 1..=7)?;
            }
            'V' => {
                self.in_range(2, 1..=53)?;
            }
            'v' => self.recur("%e-%b-%Y", depth)?,
            'w' => {
                self.in_range(1, 0..=6)?;
            }
            'Y' => {
                let most = if is_number_next(rest) { 4 } else { usize::MAX };
                let sign = self.sign();
                self.parsed.year = Some(sign * self.digits(most)?.0);
                self.parsed.short_year = false;
            }
            'y' => {
                let year = i64::from(self.in_range(2, 0..=99)?);
                self.parsed.year = Some(year + if year >= 69 { 1900 } else { 2000 });
                self.parsed.short_year = true;
            }
            'Z' | 'z' => self.zone()?,
            '%' => self.literal('%')?,
            '+' => self.recur("%a %b %e %H:%M:%S %Z %Y", depth)?,
            _ => {
                self.literal('%')?;
                return Some(format);
            }
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, format: &str) -> Option<Parsed> {
        strptime(&text.chars().collect::<Vec<_>>(), format)
    }

    #[test]
    fn reads_as_ruby() {
        let parsed = read("2020-01-02T03:04:05.5 +02:00", "%FT%T.%N %Z").unwrap();
        assert_eq!((parsed.year, parsed.month, parsed.day), (Some(2020), Some(1), Some(2)));
        assert_eq!((parsed.fraction, parsed.zone.as_deref()), (Some(500_000_000), Some("+02:00")));
        assert!(read("2020-13-01", "%F").is_none());
        assert!(read("2020-01-02T25:04:05", "%FT%T").is_none());
        assert_eq!(read("20200102", "%Y%m%d").unwrap().day, Some(2));
        assert_eq!(read("12:30 am", "%I:%M %p").unwrap().hour, Some(0));
        assert_eq!(read("70", "%y").unwrap().year, Some(1970));
        assert!(read("2020-01-01x", "%F").unwrap().leftover);
    }
}
