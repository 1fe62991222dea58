//! `Time`, in UTC.

use super::{ANY, Method, Val, class, method};
use bunraku_pcore::value::Timestamp;

fn strftime(time: Timestamp, format: &str) -> String {
    time.format(format, None).unwrap_or_default()
}

/// `Time#to_s`
pub(crate) fn to_s(time: Timestamp) -> String {
    strftime(time, "%Y-%m-%d %H:%M:%S UTC")
}

fn of(value: Val<'_>) -> Timestamp {
    match value {
        Val::Time(time) => *time,
        _ => Timestamp::default(),
    }
}

/// A part of the time as a number.
macro_rules! part {
    ($names:literal, $format:literal) => {
        method($names, 0, 0, |_, this, _| {
            Ok(Val::Integer(strftime(of(this), $format).trim().parse().unwrap_or(0)))
        })
    };
}

pub(crate) static CLASS: &[Method] = &[
    method("now new", 0, 0, |i, _, _| Ok(i.heap.time(i.world.now()))),
    method("at", 1, 1, |i, _, args| match args.at(0) {
        Val::Float(seconds) => {
            let whole = seconds.floor();
            let time = Timestamp { seconds: whole as i64, nanoseconds: ((seconds - whole) * 1e9) as u32 };
            Ok(i.heap.time(time))
        }
        seconds => {
            let time = Timestamp { seconds: i.int(seconds)?, nanoseconds: 0 };
            Ok(i.heap.time(time))
        }
    }),
];

pub(crate) static METHODS: &[Method] = &[
    method("strftime", 1, 1, |i, this, args| {
        let format = i.str(args.at(0))?;
        Ok(i.string(strftime(of(this), &format)))
    }),
    method("to_i tv_sec", 0, 0, |_, this, _| Ok(Val::Integer(of(this).seconds))),
    method("to_f", 0, 0, |_, this, _| {
        let time = of(this);
        Ok(Val::Float(time.seconds as f64 + f64::from(time.nanoseconds) / 1e9))
    }),
    method("utc getutc gmtime getgm localtime getlocal round", 0, ANY, |_, this, _| Ok(this)),
    method("iso8601 xmlschema", 0, 1, |i, this, _| Ok(i.string(strftime(of(this), "%Y-%m-%dT%H:%M:%SZ")))),
    part!("year", "%Y"),
    part!("month mon", "%m"),
    part!("day mday", "%d"),
    part!("hour", "%H"),
    part!("min", "%M"),
    part!("sec", "%S"),
    part!("wday", "%w"),
    part!("yday", "%j"),
    method("zone", 0, 0, |i, _, _| Ok(i.string("UTC"))),
    method("<=>", 1, 1, super::object::spaceship),
    method("+", 1, 1, |i, this, args| {
        let added = i.int(args.at(0))?;
        let time = of(this);
        Ok(i.heap.time(Timestamp { seconds: time.seconds.saturating_add(added), ..time }))
    }),
    method("-", 1, 1, |i, this, args| {
        let time = of(this);
        match args.at(0) {
            Val::Time(other) => {
                let nanoseconds = f64::from(time.nanoseconds) - f64::from(other.nanoseconds);
                Ok(Val::Float((time.seconds - other.seconds) as f64 + nanoseconds / 1e9))
            }
            Val::Integer(less) => {
                let seconds = time.seconds.saturating_sub(less);
                Ok(i.heap.time(Timestamp { seconds, ..time }))
            }
            other => {
                let class = i.class_name(other);
                Err(i.raise(&class::TYPE_ERROR, format!("can't convert {class} into an exact number")))
            }
        }
    }),
];
