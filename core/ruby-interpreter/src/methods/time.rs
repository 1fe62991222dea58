//! `Time`: points in time, in UTC, with an offset, or in the machine's zone, which is assumed to be UTC.
//! `prelude/time.rb` contains the parts in Ruby.

use super::{ANY, Args, Method, R, Val, class, method};
use crate::interpreter::Interpreter;
use crate::numbers::as_whole;
use bunraku_pcore::big::BigInt;
use bunraku_pcore::time::calendar::{civil, days_from_civil};
use bunraku_pcore::time::strftime::{self, strftime};
use bunraku_pcore::time::strptime::strptime;
use bunraku_pcore::time::zone;
use bunraku_pcore::value::Timestamp;
use num_traits::ToPrimitive as _;

/// A point in time, with its zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub at: Timestamp,
    pub zone: Zone,
}

/// From where a moment is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Zone {
    Utc,
    /// The place of the machine.
    Local,
    /// So many seconds east of UTC.
    East(i32),
}

impl Moment {
    fn of(value: Val<'_>) -> Self {
        match value {
            Val::Time(moment) => *moment,
            _ => Self { at: Timestamp::default(), zone: Zone::Utc },
        }
    }

    fn offset(self) -> i32 {
        match self.zone {
            Zone::East(offset) => offset,
            Zone::Utc | Zone::Local => 0,
        }
    }

    fn strftime(self, format: &str) -> String {
        let offset = match self.zone {
            Zone::East(offset) => Some(offset),
            Zone::Utc | Zone::Local => None,
        };
        let moment = strftime::Moment { seconds: self.at.seconds, nanoseconds: self.at.nanoseconds, offset };
        strftime(format, &moment).unwrap_or_else(|_| format.to_owned())
    }

    /// `Time#to_s`
    pub fn to_s(self) -> String {
        self.strftime(if self.zone == Zone::Utc { "%Y-%m-%d %H:%M:%S UTC" } else { "%Y-%m-%d %H:%M:%S %z" })
    }

    /// `Time#inspect`
    pub fn inspect(self) -> String {
        if self.at.nanoseconds == 0 {
            return self.to_s();
        }
        let whole = self.strftime("%Y-%m-%d %H:%M:%S.%N");
        let zone = if self.zone == Zone::Utc { "UTC".to_owned() } else { self.strftime("%z") };
        format!("{} {zone}", whole.trim_end_matches('0'))
    }

    /// Adds this number of nanoseconds.
    fn plus(self, nanoseconds: i128) -> Option<Self> {
        Some(Self { at: timestamp(self.at.total().checked_add(nanoseconds)?)?, ..self })
    }
}

/// The nanoseconds of a second.
const SECOND: i128 = 1_000_000_000;

fn timestamp(nanoseconds: i128) -> Option<Timestamp> {
    let time = Timestamp::of(nanoseconds);
    // Years of more than seven digits are not supported.
    (time.seconds.unsigned_abs() < 1 << 48).then_some(time)
}

fn nanoseconds_of(number: &BigInt) -> Option<i128> {
    number.to_i128()
}

/// A part of the time as a number.
macro_rules! part {
    ($names:literal, $format:literal) => {
        method($names, 0, 0, |_, this, _| {
            Ok(Val::Integer(Moment::of(this).strftime($format).trim().parse().unwrap_or(0)))
        })
    };
}

/// A duration in seconds as nanoseconds; `None` if it is not a number, or has more digits.
fn distance<'a>(i: &mut Interpreter<'a>, value: Val<'a>) -> Result<Option<i128>, super::Unwind<'a>> {
    Ok(match value {
        Val::Integer(seconds) => Some(i128::from(seconds) * SECOND),
        // 10^9 is 512 * 1,953,125: these are the fractions that are whole numbers of nanoseconds.
        Val::Float(seconds) if (seconds * 512.0).fract() == 0.0 && seconds.abs() < 1e12 => {
            Some((seconds * 512.0) as i128 * (SECOND / 512))
        }
        Val::Float(_) => {
            return Err(i.unsupported("time with a fraction that is no whole number of nanoseconds"));
        }
        Val::Object(_) if i.class_name(value) == "Rational" => {
            let scaled = i.send(value, "*", &[Val::Integer(1_000_000_000)])?;
            let (above, below) = (i.send(scaled, "numerator", &[])?, i.send(scaled, "denominator", &[])?);
            match (as_whole(above), below) {
                (Some(number), Val::Integer(1)) => nanoseconds_of(&number),
                _ => return Err(i.unsupported("time with a fraction that is no whole number of nanoseconds")),
            }
        }
        _ => None,
    })
}

fn moved<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>, sign: i128) -> R<'a> {
    match distance(i, args.at(0))? {
        Some(distance) => match distance.checked_mul(sign).and_then(|by| Moment::of(this).plus(by)) {
            Some(moment) => Ok(i.heap.time(moment)),
            None => Err(i.unsupported("time so far away")),
        },
        None => {
            let class = i.class_name(args.at(0));
            Err(i.raise(&class::TYPE_ERROR, format!("can't convert {class} into an exact number")))
        }
    }
}

fn since<'a>(i: &mut Interpreter<'a>, this: Val<'a>, args: Args<'a, '_>) -> R<'a> {
    let Val::Time(other) = args.at(0) else { return moved(i, this, args, -1) };
    let time = Moment::of(this);
    let seconds = time.at.seconds.saturating_sub(other.at.seconds);
    let nanoseconds = f64::from(time.at.nanoseconds) - f64::from(other.at.nanoseconds);
    if nanoseconds == 0.0 {
        return Ok(Val::Float(seconds as f64));
    }
    let all = seconds.saturating_mul(SECOND) + nanoseconds as i128;
    if all.unsigned_abs() < 1 << 53 {
        return Ok(Val::Float(all as f64 / 1e9));
    }
    Err(i.unsupported("difference of such times"))
}

fn seen_from<'a>(i: &mut Interpreter<'a>, this: Val<'a>, zone: Zone) -> Val<'a> {
    i.heap.time(Moment { zone, ..Moment::of(this) })
}

pub(crate) static CLASS: &[Method] = &[
    method("now", 0, 0, |i, _, _| {
        let at = i.world.now();
        Ok(i.heap.time(Moment { at, zone: Zone::Local }))
    }),
    method("new", 0, ANY, |i, this, args| {
        i.load_prelude_of("Time")?;
        i.send_with(this, "__new", args)
    }),
    // A moment: seconds, which may be rational, and the zone (`:utc`, `nil` or seconds east of UTC).
    method("__made", 2, 2, |i, _, args| {
        let Some(nanoseconds) = distance(i, args.at(0))? else {
            let class = i.class_name(args.at(0));
            return Err(i.raise(&class::TYPE_ERROR, format!("can't convert {class} into an exact number")));
        };
        let zone = match args.at(1) {
            Val::Nil => Zone::Local,
            Val::Integer(offset) => match i32::try_from(offset) {
                Ok(offset) if offset.abs() < 86_400 => Zone::East(offset),
                _ => return Err(i.raise(&class::ARGUMENT_ERROR, "utc_offset out of range")),
            },
            _ => Zone::Utc,
        };
        match timestamp(nanoseconds) {
            Some(at) => Ok(i.heap.time(Moment { at, zone })),
            None => Err(i.unsupported("time so far away")),
        }
    }),
];

pub(crate) static METHODS: &[Method] = &[
    method("strftime", 1, 1, |i, this, args| {
        let format = i.str(args.at(0))?;
        Ok(i.string(Moment::of(this).strftime(&format)))
    }),
    method("to_i tv_sec", 0, 0, |_, this, _| Ok(Val::Integer(Moment::of(this).at.clock_seconds()))),
    method("nsec tv_nsec", 0, 0, |_, this, _| Ok(Val::Integer(Moment::of(this).at.nanoseconds.into()))),
    method("usec tv_usec", 0, 0, |_, this, _| {
        Ok(Val::Integer((Moment::of(this).at.nanoseconds / 1_000).into()))
    }),
    method("utc? gmt?", 0, 0, |_, this, _| Ok(Val::Boolean(Moment::of(this).zone == Zone::Utc))),
    method("utc_offset gmt_offset gmtoff", 0, 0, |_, this, _| {
        Ok(Val::Integer(Moment::of(this).offset().into()))
    }),
    method("utc gmtime", 0, 0, |i, this, _| Ok(seen_from(i, this, Zone::Utc))),
    method("getutc getgm", 0, 0, |i, this, _| Ok(seen_from(i, this, Zone::Utc))),
    method("__localtime", 1, 1, |i, this, args| {
        let zone = match args.at(0) {
            Val::Integer(offset) => Zone::East(i32::try_from(offset).unwrap_or(0)),
            _ => Zone::Local,
        };
        Ok(seen_from(i, this, zone))
    }),
    part!("year", "%Y"),
    part!("month mon", "%-m"),
    part!("day mday", "%-d"),
    part!("hour", "%-H"),
    part!("min", "%-M"),
    part!("sec", "%-S"),
    part!("wday", "%w"),
    part!("yday", "%-j"),
    method("zone", 0, 0, |i, this, _| {
        Ok(match Moment::of(this).zone {
            Zone::East(_) => Val::Nil,
            Zone::Utc | Zone::Local => i.string("UTC"),
        })
    }),
    method("<=>", 1, 1, super::object::spaceship),
    method("+", 1, 1, |i, this, args| match args.at(0) {
        Val::Time(_) => Err(i.raise(&class::TYPE_ERROR, "time + time?")),
        _ => moved(i, this, args, 1),
    }),
    method("-", 1, 1, since),
];

/// A number of the calendar, whose days and years are bounded here.
fn small<'a>(number: i128) -> Val<'a> {
    Val::Integer(i64::try_from(number).unwrap_or_default())
}

/// The native helpers of the library in Ruby for the calendar.
pub(crate) static HELPERS: &[Method] = &[
    // Days since 1970 to year, month, day, day of the week, day of the year, year and week by ISO 8601.
    method("__civil", 1, 1, |i, _, args| {
        let days = i.int(args.at(0))?.clamp(-(1 << 32), 1 << 32);
        let date = civil(i128::from(days) * 86_400);
        let (year, week) = date.iso_week();
        let parts = [
            date.year,
            date.month.into(),
            date.day.into(),
            date.weekday.into(),
            date.year_day.into(),
            year,
            week.into(),
        ];
        Ok(i.array(parts.map(small).to_vec()))
    }),
    method("__days", 3, 3, |i, _, args| {
        let (year, month, day) = (i.int(args.at(0))?, i.int(args.at(1))?, i.int(args.at(2))?);
        let month = u32::try_from(month).unwrap_or(1).clamp(1, 12);
        let year = i128::from(year.clamp(-(1 << 20), 1 << 20));
        Ok(small(days_from_civil(year, month, i128::from(day))))
    }),
    method("__strptime", 2, ANY, |i, _, args| {
        let (text, format) = (i.str(args.at(0))?, i.str(args.at(1))?);
        let Some(parsed) = strptime(&text.chars().collect::<Vec<_>>(), &format) else { return Ok(Val::Nil) };
        if parsed.leftover {
            return Ok(Val::Nil);
        }
        let numbers = [
            parsed.year,
            parsed.month.map(i64::from),
            parsed.day.map(i64::from),
            parsed.hour.map(i64::from),
            parsed.minute.map(i64::from),
            parsed.second.map(i64::from),
            parsed.fraction.map(i64::from),
            parsed.zone.as_deref().and_then(zone::offset).map(i64::from),
        ];
        let mut values: Vec<Val<'_>> =
            numbers.into_iter().map(|part| part.map_or(Val::Nil, Val::Integer)).collect();
        values.push(parsed.zone.map_or(Val::Nil, |zone| i.string(zone)));
        Ok(i.array(values))
    }),
    method("__zone_offset", 1, 1, |i, _, args| {
        let text = i.str(args.at(0))?;
        Ok(zone::offset(&text).map_or(Val::Nil, |offset| Val::Integer(offset.into())))
    }),
];
