//! Parts of timestamps and durations.

use std::num::{IntErrorKind, ParseIntError};

use jiff::tz::TimeZoneDatabase;

use crate::cx::{Cx, Outcome, Trap};
use crate::overload::{Func, Overload};
use crate::types::Sig;
use crate::value::{Civil, Timestamp, Val};

use Sig::{Duration, Int, String, Timestamp as Time};

const fn part(function: &'static str, id: &'static str, args: &'static [Sig], call: Func) -> Overload {
    Overload::member(function, id, args, Int, call)
}

pub(crate) static TABLE: &[Overload] = &[
    part("getFullYear", "timestamp_to_year", &[Time], year),
    part("getFullYear", "timestamp_to_year_with_tz", &[Time, String], year),
    part("getMonth", "timestamp_to_month", &[Time], month),
    part("getMonth", "timestamp_to_month_with_tz", &[Time, String], month),
    part("getDayOfYear", "timestamp_to_day_of_year", &[Time], day_of_year),
    part("getDayOfYear", "timestamp_to_day_of_year_with_tz", &[Time, String], day_of_year),
    part("getDayOfMonth", "timestamp_to_day_of_month", &[Time], day_of_month),
    part("getDayOfMonth", "timestamp_to_day_of_month_with_tz", &[Time, String], day_of_month),
    part("getDate", "timestamp_to_day_of_month_1_based", &[Time], date),
    part("getDate", "timestamp_to_day_of_month_1_based_with_tz", &[Time, String], date),
    part("getDayOfWeek", "timestamp_to_day_of_week", &[Time], day_of_week),
    part("getDayOfWeek", "timestamp_to_day_of_week_with_tz", &[Time, String], day_of_week),
    part("getHours", "timestamp_to_hours", &[Time], hours),
    part("getHours", "timestamp_to_hours_with_tz", &[Time, String], hours),
    part("getHours", "duration_to_hours", &[Duration], hours),
    part("getMinutes", "timestamp_to_minutes", &[Time], minutes),
    part("getMinutes", "timestamp_to_minutes_with_tz", &[Time, String], minutes),
    part("getMinutes", "duration_to_minutes", &[Duration], minutes),
    part("getSeconds", "timestamp_to_seconds", &[Time], seconds),
    part("getSeconds", "timestamp_to_seconds_tz", &[Time, String], seconds),
    part("getSeconds", "duration_to_seconds", &[Duration], seconds),
    part("getMilliseconds", "timestamp_to_milliseconds", &[Time], milliseconds),
    part("getMilliseconds", "timestamp_to_milliseconds_with_tz", &[Time, String], milliseconds),
    part("getMilliseconds", "duration_to_milliseconds", &[Duration], milliseconds),
];

fn year<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    calendar(cx, args, |civil| civil.year)
}

fn month<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    calendar(cx, args, |civil| civil.month - 1)
}

fn day_of_year<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    calendar(cx, args, Civil::day_of_year)
}

fn day_of_month<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    calendar(cx, args, |civil| civil.day - 1)
}

fn date<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    calendar(cx, args, |civil| civil.day)
}

fn day_of_week<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    calendar(cx, args, Civil::day_of_week)
}

fn hours<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    duration_or(cx, args, 3_600_000_000_000, |civil| civil.hour)
}

fn minutes<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    duration_or(cx, args, 60_000_000_000, |civil| civil.minute)
}

fn seconds<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    duration_or(cx, args, 1_000_000_000, |civil| civil.second)
}

fn milliseconds<'a>(cx: &Cx<'a>, args: &[Val<'a>]) -> Outcome<'a> {
    match args[0] {
        Val::Duration(nanos) => Ok(Val::Int(nanos / 1_000_000)),
        Val::Timestamp(time) => {
            // The zone does not matter, but must exist.
            local(cx, time, args.get(1))?;
            Ok(Val::Int(i64::from(time.nanos / 1_000_000)))
        }
        _ => Err(cx.no_such_overload()),
    }
}

/// Whole units of a duration, or a part of a timestamp.
fn duration_or<'a>(cx: &Cx<'a>, args: &[Val<'a>], unit: i64, part: fn(Civil) -> i64) -> Outcome<'a> {
    if let Val::Duration(nanos) = args[0] { Ok(Val::Int(nanos / unit)) } else { calendar(cx, args, part) }
}

fn calendar<'a>(cx: &Cx<'a>, args: &[Val<'a>], part: fn(Civil) -> i64) -> Outcome<'a> {
    let Val::Timestamp(time) = args[0] else { return Err(cx.no_such_overload()) };
    local(cx, time, args.get(1)).map(|civil| Val::Int(part(civil)))
}

/// Returns the local time in the zone; UTC without one.
fn local<'a>(cx: &Cx<'a>, time: Timestamp, zone: Option<&Val<'a>>) -> Result<Civil, Trap<'a>> {
    let offset = match zone {
        None => 0,
        Some(Val::String(zone)) => offset(cx, time, zone)?,
        Some(_) => return Err(cx.no_such_overload()),
    };
    Ok(Civil::of(time.seconds + offset))
}

/// Seconds east of UTC of a zone at a time: `+05:30`, or a name of the zone database.
fn offset<'a>(cx: &Cx<'a>, time: Timestamp, zone: &str) -> Result<i64, Trap<'a>> {
    if let Some((hours, minutes)) = zone.split_once(':') {
        let hours = number(cx, hours)?;
        let minutes = number(cx, minutes)?;
        let minutes = if zone.starts_with('-') { hours * 60 - minutes } else { hours * 60 + minutes };
        return Ok(minutes * 60);
    }
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(0);
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err(cx.fail("time: invalid location name"));
    }
    let known = TimeZoneDatabase::bundled().get(zone).ok().filter(|known| known.iana_name() == Some(zone));
    // The last day of the year 9999 is beyond what the library takes, and no clock changes on it.
    let time = jiff::Timestamp::from_second(time.seconds).unwrap_or(jiff::Timestamp::MAX);
    match known {
        Some(zone) => Ok(i64::from(zone.to_offset(time).seconds())),
        None => Err(cx.error(format_args!("unknown time zone {zone}"))),
    }
}

/// Go's `strconv.Atoi`, limited to what a zone can need.
fn number<'a>(cx: &Cx<'a>, text: &str) -> Result<i64, Trap<'a>> {
    let why = match text.parse::<i64>() {
        Ok(value) if value.unsigned_abs() < 1 << 32 => return Ok(value),
        Err(error) if !is_out_of_range(&error) => "invalid syntax",
        _ => "value out of range",
    };
    Err(cx.error(format_args!("strconv.Atoi: parsing {text:?}: {why}")))
}

fn is_out_of_range(error: &ParseIntError) -> bool {
    matches!(error.kind(), IntErrorKind::PosOverflow | IntErrorKind::NegOverflow)
}
