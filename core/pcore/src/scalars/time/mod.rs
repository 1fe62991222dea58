//! Lengths of time and moments: arithmetic, formats, and reading them from text. Follows `pops/time`.
//!
//! The reference counts nanoseconds in numbers without bounds; here the seconds are bound to 64 bits.

pub mod calendar;
pub mod strftime;
pub mod strptime;
pub mod timespan;
pub mod timestamp;
pub mod zone;

use crate::data::value::{Timespan, Timestamp};
use bunraku_syntax::diagnostic::Error;

/// Nanoseconds of a second.
pub const SECOND: i128 = 1_000_000_000;

fn parts(nanoseconds: i128) -> Result<(i64, u32), Error> {
    let seconds = i64::try_from(nanoseconds.div_euclid(SECOND)).map_err(|_| too_large())?;
    let rest = u32::try_from(nanoseconds.rem_euclid(SECOND)).map_err(|_| too_large())?;
    Ok((seconds, rest))
}

fn too_large() -> Error {
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
    if nanoseconds.abs() > 1e36 {
        return Err(too_large());
    }
    Ok(nanoseconds.trunc() as i128)
}

macro_rules! counted {
    ($($name:ident),*) => { $(
        impl $name {
            /// All of it in nanoseconds.
            pub const fn total(self) -> i128 {
                self.seconds as i128 * SECOND + self.nanoseconds as i128
            }

            /// The value of this number of nanoseconds.
            ///
            /// # Errors
            /// Its seconds do not fit in 64 bits.
            pub fn of(nanoseconds: i128) -> Result<Self, Error> {
                let (seconds, nanoseconds) = parts(nanoseconds)?;
                Ok(Self { seconds, nanoseconds })
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
            pub const fn to_i(self) -> i64 {
                self.seconds
            }
        }
    )* };
}

counted!(Timespan, Timestamp);
