//! Lengths of time and moments: arithmetic, formats, and reading them from text. Follows `pops/time`.
//!
//! The reference counts nanoseconds in numbers without bounds; here they are bound to 128 bits.

pub mod calendar;
pub mod strftime;
pub mod strptime;
pub mod timespan;
pub mod timestamp;
pub mod zone;

use num_traits::ToPrimitive as _;

use crate::data::big::BigInt;
use crate::data::value::{Timespan, Timestamp};
use bunraku_syntax::diagnostic::Error;

/// Nanoseconds of a second.
pub const SECOND: i128 = 1_000_000_000;

/// The error for a time whose nanoseconds need more than 128 bits.
pub fn too_large() -> Error {
    Error::limit("time value out of range")
}

/// Seconds with a fraction as whole nanoseconds, cut towards zero.
///
/// # Errors
/// When the number is not finite or too large.
pub fn nanoseconds_of(seconds: f64) -> Result<i128, Error> {
    let nanoseconds = seconds * 1e9;
    if !nanoseconds.is_finite() {
        return Err(Error::argument(crate::scalars::number::float_to_s(nanoseconds)));
    }
    if nanoseconds.abs() > 1e38 {
        return Err(too_large());
    }
    Ok(nanoseconds.trunc() as i128)
}

/// Whole seconds of any size as nanoseconds.
///
/// # Errors
/// They are too many.
pub fn nanoseconds_of_whole(seconds: &BigInt) -> Result<i128, Error> {
    (seconds * BigInt::from(SECOND)).to_i128().ok_or_else(too_large)
}

macro_rules! counted {
    ($($name:ident),*) => { $(
        impl $name {
            /// All of it in nanoseconds, as far as 128 bits go; the number with the other sign fits as well.
            pub const fn total(self) -> i128 {
                let total = self.seconds.saturating_mul(SECOND).saturating_add(self.nanoseconds as i128);
                if total == i128::MIN { -i128::MAX } else { total }
            }

            /// The value of this number of nanoseconds.
            pub const fn of(nanoseconds: i128) -> Self {
                let seconds = nanoseconds.div_euclid(SECOND);
                Self { seconds, nanoseconds: nanoseconds.rem_euclid(SECOND) as u32 }
            }

            /// The seconds with their fraction, rounded once.
            pub fn to_f(self) -> f64 {
                let total = self.total();
                let (whole, rest) = (total / SECOND, total % SECOND);
                if whole.unsigned_abs() < 1 << 22 {
                    // Exact: both fit the 53 bits of a float.
                    total as f64 / 1e9
                } else {
                    format!("{}{whole}.{:09}", if total < 0 && whole == 0 { "-" } else { "" }, rest.abs())
                        .parse()
                        .unwrap_or(total as f64 / 1e9)
                }
            }

            /// The whole seconds, rounded down.
            pub const fn to_i(self) -> i128 {
                self.seconds
            }

            /// The whole seconds, rounded down, as far as 64 bits go.
            pub fn clock_seconds(self) -> i64 {
                i64::try_from(self.seconds).unwrap_or(if self.seconds < 0 { i64::MIN } else { i64::MAX })
            }
        }
    )* };
}

counted!(Timespan, Timestamp);
