//! Times and durations as Go reads and writes them.

use super::*;
use crate::{Value, from_value, to_value};

#[track_caller]
fn reads(text: &str, want: &str) {
    let got = text.parse::<Time>().map_or_else(|error| error.to_string(), |time| time.to_string());
    assert_eq!(got, want, "{text}");
}

#[test]
fn times_are_written_in_utc_seconds() {
    reads("2024-02-29T12:34:56Z", "2024-02-29T12:34:56Z");
    reads("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z");
    reads("1969-12-31T23:59:59.999999999-00:30", "1970-01-01T00:29:59Z");
    reads("0000-03-01T00:00:00Z", "0000-03-01T00:00:00Z");
    reads("9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z");
    reads("2024-01-01T1:02:03,5Z", "2024-01-01T01:02:03Z");
    reads("2024-01-01T00:00:00+24:00", "2023-12-31T00:00:00Z");
}

#[test]
fn broken_times_are_refused_in_the_words_of_go() {
    const LAYOUT: &str = "2006-01-02T15:04:05Z07:00";
    let mismatch = |text: &str, rest: &str, element: &str| {
        reads(text, &format!("parsing time \"{text}\" as \"{LAYOUT}\": cannot parse \"{rest}\" as \"{element}\""));
    };
    mismatch("", "", "2006");
    mismatch("x", "x", "2006");
    mismatch("2024", "", "-");
    mismatch("2024-1-01T00:00:00Z", "1-01T00:00:00Z", "01");
    mismatch("2024-01-01 00:00:00Z", " 00:00:00Z", "T");
    mismatch("2024-01-01T00:00:00", "", "Z07:00");
    mismatch("2024-01-01T00:00:00.Z", ".Z", "Z07:00");
    mismatch("2024-01-01T00:00:00+0100", "+0100", "Z07:00");
    reads("2024-13-01T00:00:00Z", "parsing time \"2024-13-01T00:00:00Z\": month out of range");
    reads("2023-02-29T00:00:00Z", "parsing time \"2023-02-29T00:00:00Z\": day out of range");
    reads("2024-01-01T24:00:00Z", "parsing time \"2024-01-01T24:00:00Z\": hour out of range");
    reads("2024-01-01T00:60:00Z", "parsing time \"2024-01-01T00:60:00Z\": minute out of range");
    reads("2024-01-01T00:00:60Z", "parsing time \"2024-01-01T00:00:60Z\": second out of range");
    reads("2024-01-01T00:00:00ZZ", "parsing time \"2024-01-01T00:00:00ZZ\": extra text: \"Z\"");
    reads(
        "2024-01-01T00:00:00é",
        &format!(
            "parsing time \"2024-01-01T00:00:00\\xc3\\xa9\" as \"{LAYOUT}\": cannot parse \"\\xc3\\xa9\" as \"Z07:00\""
        ),
    );
}

#[test]
fn micro_times_have_exactly_six_digits() {
    let read = |text: &str| text.parse::<MicroTime>().map_err(|error| error.to_string());
    assert_eq!(read("2024-01-01T00:00:00.123456+00:00").unwrap().to_string(), "2024-01-01T00:00:00.123456Z");
    assert_eq!(MicroTime::from_unix(1, 999).to_string(), "1970-01-01T00:00:01.000000Z");
    for (text, rest, element) in [
        ("2024-01-01T00:00:00Z", "Z", ".000000"),
        ("2024-01-01T00:00:00.123Z", ".123Z", ".000000"),
        ("2024-01-01T00:00:00.123456789Z", "789Z", "Z07:00"),
    ] {
        let want = format!(
            "parsing time \"{text}\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"{rest}\" as \"{element}\""
        );
        assert_eq!(read(text), Err(want));
    }
}

#[test]
fn every_day_has_one_date() {
    let mut expected = (1599, 12, 31);
    for days in civil::days_of(1600, 1, 1)..=civil::days_of(2101, 1, 1) {
        let (year, month, day) = expected;
        expected = match (month, day) {
            (12, 31) => (year + 1, 1, 1),
            _ if day == civil::days_in(year, month) => (year, month + 1, 1),
            _ => (year, month, day + 1),
        };
        assert_eq!(civil::date_of(days), expected);
        assert_eq!(civil::days_of(expected.0, expected.1, expected.2), days);
    }
    assert_eq!(civil::days_of(1, 1, 1) * 86_400, ZERO_SECONDS);
}

#[test]
fn the_zero_time_is_null() {
    assert_eq!(to_value(&Time::default()).unwrap(), Value::Null);
    assert_eq!(from_value::<Time>(&Value::Null).unwrap(), Time::default());
    assert!("0001-01-01T00:00:00Z".parse::<Time>().unwrap().is_zero());
    let time = Time::from_unix(1_700_000_000, 5);
    assert_eq!(to_value(&time).unwrap(), Value::from("2023-11-14T22:13:20Z"));
    assert!(from_value::<Time>(&Value::from(5)).is_err());
}

#[track_caller]
fn duration(text: &str, want: &str) {
    let got = text.parse::<Duration>().map_or_else(|error| error.to_string(), |duration| duration.to_string());
    assert_eq!(got, want, "{text}");
}

#[test]
fn durations_are_written_as_go_writes_them() {
    duration("0", "0s");
    duration("1ns", "1ns");
    duration("1100ns", "1.1µs");
    duration("2200us", "2.2ms");
    duration("3.3s", "3.3s");
    duration("4m5s", "4m5s");
    duration("4m5.001s", "4m5.001s");
    duration("5h6m7.001s", "5h6m7.001s");
    duration("90m", "1h30m0s");
    duration("-1.5h", "-1h30m0s");
    duration("8m1ns", "8m0.000000001s");
    duration(".5s", "500ms");
    duration("1.s", "1s");
    duration("39h9m14.425s", "39h9m14.425s");
    duration("2562047h47m16.854775807s", "2562047h47m16.854775807s");
    duration("-2562047h47m16.854775808s", "-2562047h47m16.854775808s");
    duration("0.3333333333333333333h", "20m0s");
    duration("1µs1μs", "2µs");
    duration("-0", "0s");
    duration("+.5ms", "500µs");
}

#[test]
fn broken_durations_are_refused_in_the_words_of_go() {
    duration("", "time: invalid duration \"\"");
    duration("3", "time: missing unit in duration \"3\"");
    duration("-", "time: invalid duration \"-\"");
    duration("s", "time: invalid duration \"s\"");
    duration(".s", "time: invalid duration \".s\"");
    duration("+.s", "time: invalid duration \"+.s\"");
    duration("x", "time: invalid duration \"x\"");
    duration("1h5", "time: missing unit in duration \"1h5\"");
    duration("1d", "time: unknown unit \"d\" in duration \"1d\"");
    duration("3000000h", "time: invalid duration \"3000000h\"");
    duration("9223372036854775808ns", "time: invalid duration \"9223372036854775808ns\"");
}
