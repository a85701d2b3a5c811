//! Schedules of cron jobs, as `ParseStandard` of the library `robfig/cron` reads them.

use sprag_field::quote;

use super::duration::parse_duration;
use super::time_zone::load_location;

/// A field of a schedule: its least and greatest value, and names of values, of which the first is the least.
struct Bounds {
    min: u64,
    max: u64,
    names: &'static [&'static str],
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// Minute, hour, day of the month, month, day of the week.
const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[] },
    Bounds { min: 0, max: 23, names: &[] },
    Bounds { min: 1, max: 31, names: &[] },
    Bounds { min: 1, max: 12, names: &MONTHS },
    Bounds { min: 0, max: 6, names: &DAYS },
];

const DESCRIPTORS: [&str; 7] = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Checks a schedule, as upstream's `parsers.ParseCronScheduleWithPanicRecovery`.
pub(super) fn parse_schedule(schedule: &str) -> Result<(), String> {
    let mut spec = schedule;
    if spec.starts_with("TZ=") || spec.starts_with("CRON_TZ=") {
        let (_, rest) = spec.split_once('=').unwrap_or_default();
        let start = spec.len() - rest.len();
        let Some(end) = spec.find(' ') else {
            // The library slices up to the space that is not there, and panics.
            return Err(format!("invalid schedule format: runtime error: slice bounds out of range [{start}:-1]"));
        };
        if end < start {
            return Err(format!("invalid schedule format: runtime error: slice bounds out of range [{start}:{end}]"));
        }
        let zone = &spec[start..end];
        load_location(zone).map_err(|flaw| format!("provided bad location {zone}: {flaw}"))?;
        spec = spec[end..].trim();
    }
    if spec.starts_with('@') {
        return parse_descriptor(spec);
    }
    let fields: Vec<&str> = spec.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    fields.iter().zip(&FIELDS).try_for_each(|(field, bounds)| parse_field(field, bounds))
}

fn parse_descriptor(descriptor: &str) -> Result<(), String> {
    if DESCRIPTORS.contains(&descriptor) {
        return Ok(());
    }
    match descriptor.strip_prefix("@every ") {
        Some(period) => parse_duration(period).map_err(|flaw| format!("failed to parse duration {descriptor}: {flaw}")),
        None => Err(format!("unrecognized descriptor: {descriptor}")),
    }
}

fn parse_field(field: &str, bounds: &Bounds) -> Result<(), String> {
    field.split(',').filter(|range| !range.is_empty()).try_for_each(|range| parse_range(range, bounds))
}

/// A number, a range or all values, each with an optional step.
fn parse_range(range: &str, bounds: &Bounds) -> Result<(), String> {
    let mut parts = range.split('/');
    let limits = parts.next().unwrap_or_default();
    let step = parts.next();
    let more = parts.next();
    let mut limits = limits.split('-');
    let low = limits.next().unwrap_or_default();
    let high = limits.next();
    let others = limits.next();
    let (start, mut end) = if low == "*" || low == "?" {
        (bounds.min, bounds.max)
    } else {
        let start = parse_int_or_name(low, bounds)?;
        match (high, others) {
            (None, _) => (start, start),
            (Some(high), None) => (start, parse_int_or_name(high, bounds)?),
            (Some(_), Some(_)) => return Err(format!("too many hyphens: {range}")),
        }
    };
    let step = match (step, more) {
        (None, _) => 1,
        (Some(step), None) => {
            let step = parse_int(step)?;
            if high.is_none() {
                end = bounds.max;
            }
            step
        }
        (Some(_), Some(_)) => return Err(format!("too many slashes: {range}")),
    };
    check_range(start, end, step, range, bounds)
}

fn check_range(start: u64, end: u64, step: u64, range: &str, bounds: &Bounds) -> Result<(), String> {
    let Bounds { min, max, .. } = bounds;
    if start < *min {
        return Err(format!("beginning of range ({start}) below minimum ({min}): {range}"));
    }
    if end > *max {
        return Err(format!("end of range ({end}) above maximum ({max}): {range}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(())
}

fn parse_int_or_name(text: &str, bounds: &Bounds) -> Result<u64, String> {
    let lower = text.to_lowercase();
    match (bounds.min..).zip(bounds.names).find(|(_, name)| **name == lower) {
        Some((value, _)) => Ok(value),
        None => parse_int(text),
    }
}

/// A number as Go's `strconv.Atoi` reads it.
fn parse_int(text: &str) -> Result<u64, String> {
    let number = text.parse::<i64>().map_err(|error| {
        let is_overflow =
            matches!(error.kind(), std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow);
        let flaw = if is_overflow { "value out of range" } else { "invalid syntax" };
        format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {flaw}", quote::go(text))
    })?;
    u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_have_five_fields_or_a_name() {
        for good in [
            "* * * * ?",
            "*/5 0-23/2 1,15 jan-DEC mon",
            "  0 0 1 1 0 ",
            "@hourly",
            "@every 1h30m",
            "TZ=UTC 0 0 * * *",
            "CRON_TZ=Europe/Rome @daily",
            ", * * * *",
            "*-5 * * * *",
        ] {
            assert_eq!(parse_schedule(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn flaws_are_those_of_the_library() {
        let check = |schedule: &str, flaw: &str| assert_eq!(parse_schedule(schedule).unwrap_err(), flaw, "{schedule}");
        check("error", "expected exactly 5 fields, found 1: [error]");
        check(" ", "expected exactly 5 fields, found 0: []");
        check("60 * * * *", "end of range (60) above maximum (59): 60");
        check("* * 0 * *", "beginning of range (0) below minimum (1): 0");
        check("5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3");
        check("*/0 * * * *", "step of range should be a positive number: */0");
        check("1-2-3 * * * *", "too many hyphens: 1-2-3");
        check("1/2/3 * * * *", "too many slashes: 1/2/3");
        check("a * * * *", "failed to parse int from a: strconv.Atoi: parsing \"a\": invalid syntax");
        check(
            "99999999999999999999 * * * *",
            "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value out of \
             range",
        );
        check("* * * * -1", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax");
        check("@often", "unrecognized descriptor: @often");
        check("@every x", "failed to parse duration @every x: time: invalid duration \"x\"");
        check("TZ=0", "invalid schedule format: runtime error: slice bounds out of range [3:-1]");
        check("TZ=Nowhere/X 0 0 * * *", "provided bad location Nowhere/X: unknown time zone Nowhere/X");
    }
}
