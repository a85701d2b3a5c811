//! Points in time: reading, writing and taking apart, as Go's `time` package does.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::layout;

/// 0001-01-01T00:00:00Z.
pub(crate) const MIN_SECONDS: i64 = -62_135_596_800;
/// 9999-12-31T23:59:59Z.
pub(crate) const MAX_SECONDS: i64 = 253_402_300_799;

const DAY: i64 = 86_400;

/// A point in time, and the offset from UTC with which it was written, which only printing shows.
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
    /// Minutes east of UTC.
    pub offset: i16,
}

impl PartialEq for Timestamp {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Timestamp {}

impl PartialOrd for Timestamp {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timestamp {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

impl Timestamp {
    /// A point in time written in UTC.
    pub fn utc(seconds: i64, nanos: u32) -> Self {
        Self { seconds, nanos, offset: 0 }
    }

    /// `2006-01-02T15:04:05.999999999Z07:00`.
    pub fn to_rfc3339(self) -> String {
        let civil = Civil::of(self.seconds + i64::from(self.offset) * 60);
        let mut text = format!(
            "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
            civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second
        );
        if self.nanos > 0 {
            let fraction = format!("{:09}", self.nanos);
            text.push('.');
            text.push_str(fraction.trim_end_matches('0'));
        }
        if self.offset == 0 {
            text.push('Z');
        } else {
            let sign = if self.offset < 0 { '-' } else { '+' };
            let minutes = self.offset.unsigned_abs();
            // Writing to a string cannot fail.
            let _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        }
        text
    }

    /// Reads RFC 3339 with Go's leniency: one-digit hours and a comma before the fraction pass.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.as_bytes() };
        let (civil, nanos) = reader.date_time()?;
        let offset = reader.zone()?;
        if !reader.rest.is_empty() {
            return None;
        }
        Some(Self { seconds: civil.seconds()? - i64::from(offset) * 60, nanos, offset })
    }
}

/// A date and time of day on some clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
}

impl Civil {
    /// The date and time of a clock that shows this many seconds since 1970.
    pub(crate) fn of(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        let rest = seconds.rem_euclid(DAY);
        let (year, month, day) = date_of_days(days);
        Self { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
    }

    /// Days since January 1st of the year.
    pub(crate) fn day_of_year(self) -> i64 {
        days_of_date(self.year, self.month, self.day) - days_of_date(self.year, 1, 1)
    }

    /// Sunday is 0.
    pub(crate) fn day_of_week(self) -> i64 {
        (days_of_date(self.year, self.month, self.day) + 4).rem_euclid(7)
    }

    /// The seconds since 1970 that this clock shows; nothing for a day or time that does not exist.
    fn seconds(self) -> Option<i64> {
        let valid = (1..=12).contains(&self.month)
            && (1..=days_in_month(self.year, self.month)).contains(&self.day)
            && self.hour < 24
            && self.minute < 60
            && self.second < 60;
        let days = days_of_date(self.year, self.month, self.day);
        valid.then_some(days * DAY + self.hour * 3600 + self.minute * 60 + self.second)
    }
}

/// Days since 1970 of a date in the Gregorian calendar.
fn days_of_date(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn date_of_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

struct Reader<'s> {
    rest: &'s [u8],
}

impl Reader<'_> {
    fn literal(&mut self, byte: u8) -> Option<()> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        (*first == byte).then_some(())
    }

    /// A number of `min` to `max` digits.
    fn number(&mut self, min: usize, max: usize) -> Option<i64> {
        let len = self.rest.iter().take(max).take_while(|byte| byte.is_ascii_digit()).count();
        if len < min {
            return None;
        }
        let (digits, rest) = self.rest.split_at(len);
        self.rest = rest;
        Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    fn date(&mut self) -> Option<Civil> {
        let year = self.number(4, 4)?;
        self.literal(b'-')?;
        let month = self.number(2, 2)?;
        self.literal(b'-')?;
        let day = self.number(2, 2)?;
        Some(Civil { year, month, day, hour: 0, minute: 0, second: 0 })
    }

    fn date_time(&mut self) -> Option<(Civil, u32)> {
        let date = self.date()?;
        self.literal(b'T')?;
        let hour = self.number(1, 2)?;
        self.literal(b':')?;
        let minute = self.number(2, 2)?;
        self.literal(b':')?;
        let second = self.number(2, 2)?;
        Some((Civil { hour, minute, second, ..date }, self.fraction()))
    }

    /// Digits after a point or comma, cut at nanoseconds; without digits nothing is read.
    fn fraction(&mut self) -> u32 {
        let [b'.' | b',', b'0'..=b'9', ..] = self.rest else { return 0 };
        let digits = &self.rest[1..];
        let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let padded = digits[..len].iter().copied().chain(std::iter::repeat(b'0'));
        let nanos = padded.take(9).fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        self.rest = &digits[len..];
        nanos
    }

    /// `Z`, or an offset in minutes.
    fn zone(&mut self) -> Option<i16> {
        let sign = match self.rest.first()? {
            b'Z' => {
                self.rest = &self.rest[1..];
                return Some(0);
            }
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        self.rest = &self.rest[1..];
        let hours = self.number(2, 2)?;
        self.literal(b':')?;
        let minutes = self.number(2, 2)?;
        let offset = i16::try_from(hours * 60 + minutes).ok()?;
        (hours <= 24 && minutes <= 60).then_some(sign * offset)
    }
}

/// A `date` of a schema: `2006-01-02`.
pub(super) fn parse_date(text: &str) -> Result<Timestamp, String> {
    let mut reader = Reader { rest: text.as_bytes() };
    let seconds = reader.date().filter(|_| reader.rest.is_empty()).and_then(Civil::seconds);
    seconds.map(|seconds| Timestamp::utc(seconds, 0)).ok_or_else(|| layout::explain(text, layout::DATE))
}

/// A `date-time` of a schema: RFC 3339, or without an offset, or nothing at all. The error is about the last of these.
pub(super) fn parse_date_time(text: &str) -> Result<Timestamp, String> {
    if text.is_empty() {
        return Ok(Timestamp::utc(0, 0));
    }
    if let Some(time) = Timestamp::parse(text) {
        return Ok(time);
    }
    let mut reader = Reader { rest: text.as_bytes() };
    let local = reader.date_time().filter(|_| reader.rest.is_empty());
    let local = local.and_then(|(civil, nanos)| Some(Timestamp::utc(civil.seconds()?, nanos)));
    local.ok_or_else(|| layout::explain(text, layout::LOCAL_TIME))
}

#[cfg(test)]
mod tests {
    use super::{Civil, Timestamp};

    #[track_caller]
    fn check(text: &str, expected: Option<(i64, u32, &str)>) {
        let actual = Timestamp::parse(text).map(|time| (time.seconds, time.nanos, time.to_rfc3339()));
        assert_eq!(actual, expected.map(|(seconds, nanos, shown)| (seconds, nanos, shown.to_owned())), "{text}");
    }

    #[test]
    fn timestamps_are_read_as_in_go() {
        check("2024-01-01T00:00:00Z", Some((1_704_067_200, 0, "2024-01-01T00:00:00Z")));
        check(
            "2024-01-01T00:00:00.123456789123Z",
            Some((1_704_067_200, 123_456_789, "2024-01-01T00:00:00.123456789Z")),
        );
        check("2024-01-01T00:00:00+23:59", Some((1_703_980_860, 0, "2024-01-01T00:00:00+23:59")));
        check("2024-01-01T00:00:00-00:00", Some((1_704_067_200, 0, "2024-01-01T00:00:00Z")));
        check("2024-01-01T0:00:00Z", Some((1_704_067_200, 0, "2024-01-01T00:00:00Z")));
        check("2024-01-01T00:00:00,5Z", Some((1_704_067_200, 500_000_000, "2024-01-01T00:00:00.5Z")));
        check("0000-01-01T00:00:00Z", Some((-62_167_219_200, 0, "0000-01-01T00:00:00Z")));
        check("2024-01-01T00:00:00+01:60", Some((1_704_060_000, 0, "2024-01-01T00:00:00+02:00")));
        for bad in [
            "2024-01-01t00:00:00z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:00:60Z",
            "10000-01-01T00:00:00Z",
            "2024-01-01T00:00:00+1:00",
            "2024-1-01T00:00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+0100",
            "2024-02-30T00:00:00Z",
            "2024-01-01T00:00:00",
        ] {
            check(bad, None);
        }
    }

    #[test]
    fn calendar_parts_are_right_at_the_edges() {
        let leap_day = Civil::of(1_709_164_800);
        assert_eq!((leap_day.month, leap_day.day, leap_day.day_of_year(), leap_day.day_of_week()), (2, 29, 59, 4));
        assert_eq!(Civil::of(-1).year, 1969);
        assert_eq!(Civil::of(super::MIN_SECONDS).year, 1);
        assert_eq!(Civil::of(super::MAX_SECONDS).day_of_year(), 364);
    }
}
