//! Moments read from text and written by a format. Follows `pops/time/timestamp.rb`.

use super::calendar::{Civil, civil, days_from_civil};
use super::strftime::{Moment, strftime};
use super::strptime::{Parsed, strptime};
use super::{SECOND, zone};
use crate::data::value::Timestamp;
use bunraku_syntax::diagnostic::Error;

const FORMATS_WITHOUT_ZONE: [&str; 5] = ["%FT%T.%N", "%FT%T", "%F %T.%N", "%F %T", "%F"];
const FORMATS: [&str; 10] = [
    "%FT%T.%N %Z",
    "%FT%T %Z",
    "%F %T.%N %Z",
    "%F %T %Z",
    "%F %Z",
    "%FT%T.%N",
    "%FT%T",
    "%F %T.%N",
    "%F %T",
    "%F",
];

/// The shape of a timestamp in the first format: digits match any digit.
const FULL_TEXT: [u8; FULL_LENGTH] = *b"0000-00-00T00:00:00.000000000 UTC";
const FULL_LENGTH: usize = 33;

/// The formats to try: one, which must fit, or several.
#[derive(Clone, Debug)]
pub enum Formats<'a> {
    /// The default ones.
    Default,
    /// One.
    One(&'a str),
    /// The first that fits.
    Several(Vec<&'a str>),
}

/// Seconds east of UTC of a zone's name or number; `current` is UTC, as the library knows no other place.
///
/// # Errors
/// When the zone is not known.
pub fn utc_offset(timezone: &str) -> Result<i32, Error> {
    if timezone.eq_ignore_ascii_case("current") {
        return Ok(0);
    }
    let matched = zone::matched(timezone).and_then(|length| timezone.get(..length));
    matched.and_then(zone::offset).ok_or_else(|| Error::argument(format!("Illegal timezone '{timezone}'")))
}

impl Timestamp {
    /// Reads a moment.
    ///
    /// # Errors
    /// When no format fits, or when the zone is given twice or not known.
    pub fn parse(text: &str, formats: &Formats<'_>, timezone: Option<&str>) -> Result<Self, Error> {
        let timezone = timezone.filter(|timezone| !timezone.is_empty());
        if let (Formats::Default, None, Some(read)) = (formats, timezone, Self::of_full_text(text)) {
            return Ok(read);
        }
        let chars: Vec<char> = text.chars().collect();
        let several: Vec<&str> = match formats {
            Formats::Default if timezone.is_some() => FORMATS_WITHOUT_ZONE.to_vec(),
            Formats::Default => FORMATS.to_vec(),
            Formats::Several(formats) => formats.clone(),
            Formats::One(format) => {
                let parsed = strptime(&chars, format).filter(|parsed| !parsed.leftover).ok_or_else(|| {
                    Error::argument(format!("Unable to parse '{text}' using format '{format}'"))
                })?;
                if timezone.is_some() && parsed.zone.is_some() {
                    return Err(Error::argument(
                        "Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument",
                    ));
                }
                return Self::from_parts(&parsed, timezone);
            }
        };
        let fits = |parsed: &Parsed| !(parsed.leftover || timezone.is_some() && parsed.zone.is_some());
        let parsed = several.iter().filter_map(|format| strptime(&chars, format)).find(fits);
        let parsed = parsed.ok_or_else(|| {
            let formats = several.join(", ");
            Error::argument(format!("Unable to parse '{text}' using any of the formats {formats}"))
        })?;
        Self::from_parts(&parsed, timezone)
    }

    /// Reads a moment as [`Display`](std::fmt::Display) writes it, which is the first of the default formats;
    /// nothing when a text is of another form, or of a day that not every month has.
    pub fn of_full_text(text: &str) -> Option<Self> {
        let bytes: &[u8; FULL_LENGTH] = text.as_bytes().try_into().ok()?;
        let marks = bytes.iter().zip(FULL_TEXT).all(|(byte, mark)| match mark {
            b'0' => byte.is_ascii_digit(),
            mark => *byte == mark,
        });
        if !marks {
            return None;
        }
        let number = |from: usize, length: usize| {
            let digits = bytes.iter().skip(from).take(length);
            digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
        };
        let (month, day) = (number(5, 2), number(8, 2));
        let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2));
        if !((1..=12).contains(&month) && (1..=28).contains(&day) && hour < 24 && minute < 60 && second < 60)
        {
            return None;
        }
        let days = days_from_civil(i128::from(number(0, 4)), month, i128::from(day));
        let clock = hour * 3600 + minute * 60 + second;
        Some(Self { seconds: days * 86_400 + i128::from(clock), nanoseconds: number(20, 9) })
    }

    fn from_parts(parsed: &Parsed, timezone: Option<&str>) -> Result<Self, Error> {
        let Some(year) = parsed.year else {
            return Err(Error::argument("no implicit conversion of nil into Integer"));
        };
        let hour = parsed.hour.unwrap_or(0);
        let (minute, second) = (parsed.minute.unwrap_or(0), parsed.second.unwrap_or(0));
        if hour == 24 && (minute > 0 || second > 0) {
            return Err(Error::argument("argument out of range"));
        }
        let days =
            days_from_civil(i128::from(year), parsed.month.unwrap_or(1), i128::from(parsed.day.unwrap_or(1)));
        let clock = i128::from(hour) * 3600 + i128::from(minute) * 60 + i128::from(second);
        let mut seconds = days * 86_400 + clock;
        if let Some(timezone) = timezone.or(parsed.zone.as_deref()) {
            seconds -= i128::from(utc_offset(timezone)?);
        }
        Ok(Self::of(seconds * SECOND + i128::from(parsed.fraction.unwrap_or(0))))
    }

    /// Writes the moment by a format, as seen in a time zone.
    ///
    /// # Errors
    /// When the zone is not known or the format is malformed.
    pub fn format(self, format: &str, timezone: Option<&str>) -> Result<String, Error> {
        let offset = match timezone.filter(|timezone| !timezone.is_empty()) {
            // The reference cuts zones to minutes.
            Some(timezone) => Some(utc_offset(timezone)?.div_euclid(60) * 60),
            None => None,
        };
        if offset.is_some_and(|offset| offset.abs() >= 86_400) {
            return Err(Error::argument("utc_offset out of range"));
        }
        strftime(format, &Moment { seconds: self.seconds, nanoseconds: self.nanoseconds, offset })
    }

    /// The moment in UTC as `YYYY-MM-DDThh:mm:ss.sssZ`.
    pub fn to_milliseconds(self) -> String {
        let text = self.to_string();
        // The parts after the year have fixed widths: nine digits of the second end in ` UTC`.
        let end = text.len().saturating_sub("nnnnnn UTC".len());
        format!("{}Z", text.get(..end).unwrap_or(&text))
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // In the first of the formats.
        let Civil { year, month, day, hour, minute, second, .. } = civil(self.seconds);
        if !(0..=9999).contains(&year) {
            return out.write_str(&self.format(FORMATS[0], None).unwrap_or_default());
        }
        let mut text = FULL_TEXT;
        let parts = [
            (4, u32::try_from(year).unwrap_or(0)),
            (7, month),
            (10, day),
            (13, hour),
            (16, minute),
            (19, second),
            (29, self.nanoseconds),
        ];
        for (end, mut number) in parts {
            for digit in text.iter_mut().take(end).rev().take_while(|digit| digit.is_ascii_digit()) {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        }
        out.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_shown_in_the_first_format() {
        for seconds in
            [0, -1, 951_782_399, -62_167_219_200, -62_167_219_201, 253_402_300_799, 253_402_300_800]
        {
            let moment = Timestamp { seconds, nanoseconds: 5 };
            assert_eq!(moment.to_string(), moment.format(FORMATS[0], None).unwrap());
            assert_eq!(moment.to_milliseconds(), moment.format("%FT%T.%LZ", None).unwrap());
        }
    }

    #[test]
    fn full_texts_are_read_as_by_the_first_format() {
        for seconds in [0, -1, 951_782_399, 951_955_199, 1_577_934_245, 253_402_300_799] {
            let moment = Timestamp { seconds, nanoseconds: 987_654_321 };
            let text = moment.to_string();
            assert_eq!(Timestamp::parse(&text, &Formats::One(FORMATS[0]), None).unwrap(), moment);
            assert!(Timestamp::of_full_text(&text).is_none_or(|read| read == moment), "{text}");
        }
        for text in
            ["2020-13-02T03:04:05.000000000 UTC", "2020-01-02T03:04:05.000000000 CET", "2020-01-02", ""]
        {
            assert_eq!(Timestamp::of_full_text(text), None);
        }
    }
}
