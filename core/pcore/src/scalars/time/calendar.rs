//! Days, weeks and years of the Gregorian calendar, without bounds in both directions.

/// The components of a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    pub year: i128,
    /// From 1.
    pub month: u32,
    /// From 1.
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
    pub second: u32,
    /// Sunday is 0.
    pub weekday: u32,
    /// From 1.
    pub year_day: u32,
}

/// Days from 1970-01-01 to a date. The day may lie outside of the month.
pub fn days_from_civil(year: i128, month: u32, day: i128) -> i128 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let month = i128::from(month);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Takes seconds since 1970 apart.
pub fn civil(seconds: i128) -> Civil {
    let days = seconds.div_euclid(86_400);
    let rest = u32::try_from(seconds.rem_euclid(86_400)).unwrap_or(0);
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 { month_index + 3 } else { month_index - 9 };
    let year = year_of_era + era * 400 + i128::from(month <= 2);
    let month = u32::try_from(month).unwrap_or(1);
    Civil {
        year,
        month,
        day: u32::try_from(day).unwrap_or(1),
        hour: rest / 3600,
        minute: rest / 60 % 60,
        second: rest % 60,
        weekday: u32::try_from((days + 4).rem_euclid(7)).unwrap_or(0),
        year_day: u32::try_from(days - days_from_civil(year, 1, 1) + 1).unwrap_or(1),
    }
}

/// Whether a year has a 29th of February.
pub const fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

impl Civil {
    /// The number of the week in the year, weeks beginning with Sunday (`%U`) or Monday (`%W`).
    pub const fn week(&self, from_monday: bool) -> u32 {
        let weekday = if from_monday { (self.weekday + 6) % 7 } else { self.weekday };
        (self.year_day + 6 - weekday) / 7
    }

    /// Year and number of the week by ISO 8601.
    pub fn iso_week(&self) -> (i128, u32) {
        let weekday = i128::from((self.weekday + 6) % 7);
        let week = (i128::from(self.year_day) + 9 - weekday) / 7;
        let weeks_of = |year: i128| {
            let first = (days_from_civil(year, 1, 1) + 3).rem_euclid(7);
            if first == 3 || (first == 2 && is_leap(year)) { 53 } else { 52 }
        };
        let (year, week) = if week < 1 {
            (self.year - 1, weeks_of(self.year - 1))
        } else if week > weeks_of(self.year) {
            (self.year + 1, 1)
        } else {
            (self.year, week)
        };
        (year, u32::try_from(week).unwrap_or(1))
    }
}

/// The names of the days, Sunday first.
pub const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/// The names of the months.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
