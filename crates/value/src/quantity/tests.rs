//! Facts of the reference's table tests.

use std::collections::HashSet;

use super::*;
use crate::{Value, from_value, json, to_value};

fn quantity(text: &str) -> Quantity {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

const SI: Format = Format::DecimalSi;
const BIN: Format = Format::BinarySi;
const EXP: Format = Format::DecimalExponent;

const PARSED: &[(&str, i64, i32, Format)] = &[
    ("0", 0, 0, SI),
    ("0n", 0, 0, SI),
    ("0u", 0, 0, SI),
    ("0m", 0, 0, SI),
    ("0Ki", 0, 0, BIN),
    ("0k", 0, 0, SI),
    ("0Ti", 0, 0, BIN),
    ("0T", 0, 0, SI),
    ("1", 1, 0, SI),
    ("1Ki", 1024, 0, BIN),
    ("8Ki", 8 << 10, 0, BIN),
    ("7Mi", 7 << 20, 0, BIN),
    ("6Gi", 6 << 30, 0, BIN),
    ("5Ti", 5 << 40, 0, BIN),
    ("4Pi", 4 << 50, 0, BIN),
    ("3Ei", 3 << 60, 0, BIN),
    ("100Ti", 100 << 40, 0, BIN),
    ("5n", 5, -9, SI),
    ("4u", 4, -6, SI),
    ("3m", 3, -3, SI),
    ("8k", 8, 3, SI),
    ("50k", 5, 4, SI),
    ("7M", 7, 6, SI),
    ("6G", 6, 9, SI),
    ("5T", 5, 12, SI),
    ("300T", 3, 14, SI),
    ("2P", 2, 15, SI),
    ("1E", 1, 18, SI),
    ("1E-3", 1, -3, EXP),
    ("1e3", 1, 3, EXP),
    ("1E6", 1, 6, EXP),
    ("1e14", 1, 14, EXP),
    ("1E18", 1, 18, EXP),
    ("100.035k", 100_035, 0, SI),
    ("0.001", 1, -3, SI),
    ("0.0005k", 5, -1, SI),
    ("0.00500", 5, -3, SI),
    ("0.5e-2", 5, -3, EXP),
    ("10.035M", 10_035, 3, SI),
    ("1.3E+6", 13, 5, EXP),
    ("1.7E18", 17, 17, EXP),
    ("6.987654321G", 6_987_654_321, 0, SI),
    ("1.01E", 101, 16, SI),
    ("3.001n", 4, -9, SI),
    ("1.1E-9", 2, -9, EXP),
    ("0.0000000001", 1, -9, SI),
    ("0.00000000050", 1, -9, SI),
    ("0.5e-9", 1, -9, EXP),
    ("0.9n", 1, -9, SI),
    ("0.00000012345", 124, -9, SI),
    ("9Ei", i64::MAX, 0, BIN),
    ("9223372036854775807Ki", i64::MAX, 0, BIN),
    ("12E", 12, 18, SI),
    ("100.035Ki", 10_243_584, -2, BIN),
    ("0.5Mi", 1 << 19, 0, BIN),
    ("0.05Gi", 536_870_912, -1, BIN),
    ("0.025Ti", 274_877_906_944, -1, BIN),
    ("0.000000000001Ki", 2, -9, SI),
    (".001", 1, -3, SI),
    (".0001k", 100, -3, SI),
    ("1.", 1, 0, SI),
    ("1.G", 1, 9, SI),
    (".", 0, 0, SI),
    ("+", 0, 0, SI),
];

#[test]
fn texts_are_read_with_any_sign() {
    for &(text, value, scale, format) in PARSED {
        for (text, value) in [
            (text.to_owned(), value),
            (format!("+{}", text.trim_start_matches('+')), value),
            (format!("-{}", text.trim_start_matches('+')), -value),
        ] {
            let got = quantity(&text);
            assert_eq!(got, Quantity::scaled(value, scale, format), "{text}");
            assert_eq!(got.format(), format, "{text}");
        }
    }
}

#[test]
fn broken_texts_are_refused() {
    use ParseQuantityError::{Format, Numeric, Suffix};
    for (text, want) in [
        ("", Format),
        ("1.1.M", Format),
        ("1+1.0M", Format),
        ("0.1mi", Suffix),
        ("0.1am", Format),
        ("aoeu", Format),
        (".5i", Suffix),
        ("1i", Suffix),
        ("-3.01i", Suffix),
        ("-3.01e-", Suffix),
        (" 1", Format),
        ("1 ", Format),
        ("1e", Suffix),
        (".Ei", Numeric),
    ] {
        assert_eq!(text.parse::<Quantity>().err(), Some(want), "{text:?}");
    }
}

#[track_caller]
fn prints(text: &str, want: &str) {
    assert_eq!(quantity(text).to_string(), want, "{text}");
}

#[test]
fn texts_are_printed_in_canonical_form() {
    for (text, want) in [
        ("1Ki", "1Ki"),
        ("1024Mi", "1Gi"),
        ("307200Ki", "300Mi"),
        ("1025024Mi", "1001Gi"),
        ("1024Gi", "1Ti"),
        ("5000m", "5"),
        ("0.5", "500m"),
        ("1000M", "1G"),
        ("0.001T", "1G"),
        ("1000u", "1m"),
        ("1.08", "1080m"),
        ("1080000000n", "1080m"),
        (".001e12", "1e9"),
        ("0.001e0", "1e-3"),
        ("1000e-12", "1e-9"),
        ("00", "0"),
        (".001Ki", "1024m"),
        (".000001Ki", "1024u"),
        (".000000001Ki", "1024n"),
        (".000000000001Ki", "2n"),
        ("1.5Gi", "1536Mi"),
        ("100.035Ki", "102435840m"),
        ("9Ei", "9223372036854775807"),
        ("1e5", "100e3"),
        ("10E", "10E"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("1234567890123456789000", "1234567890123456789k"),
    ] {
        prints(text, want);
        if want != "0" {
            prints(&format!("-{text}"), &format!("-{want}"));
        }
    }
}

#[test]
fn text_that_counts_as_canonical_is_printed_unchanged() {
    for text in ["+1", "1.500", "01", "1E3", "+7Ki", "1025Ki"] {
        prints(text, text);
    }
}

#[test]
fn amounts_beyond_exa_lose_their_suffix_as_in_the_reference() {
    prints("1000E", "1");
}

#[test]
fn amounts_are_printed_in_the_asked_format() {
    #[track_caller]
    fn check(quantity: &Quantity, want: &str) {
        assert_eq!(quantity.to_string(), want);
    }
    check(&Quantity::milli(1, SI), "1m");
    check(&Quantity::milli(1_234_000, SI), "1234");
    check(&Quantity::milli(1024, BIN), "1024m");
    check(&Quantity::milli(1024 * 1024, BIN), "1048576m");
    check(&Quantity::milli(1_234_567, BIN), "1234567m");
    check(&Quantity::new(1024 * 1024, BIN), "1Mi");
    check(&Quantity::new(1025, BIN), "1025");
    check(&Quantity::new(1000, BIN), "1k");
    check(&Quantity::new(-2048, BIN), "-2Ki");
    check(&Quantity::new(i64::MIN, BIN), "-8Ei");
    check(&Quantity::scaled(1024, 3, BIN), "1000Ki");
    check(&Quantity::milli(2_048_000, BIN), "2Ki");
    check(&Quantity::new(1_000_000, EXP), "1e6");
    check(&Quantity::scaled(108, -8, SI), "1080n");
    check(&Quantity::scaled(10800, -10, SI), "1080n");
    check(&Quantity::scaled(80, -3, EXP), "80e-3");
    check(&Quantity::new(i64::MIN, SI), "-9223372036854775808");
    check(&Quantity::scaled(i64::MIN, 1, SI), "-92233720368547758080");
}

#[test]
fn order_and_hash_go_by_the_amount() {
    #[track_caller]
    fn check(a: (i64, i32), b: (i64, i32), want: i8) {
        let a = Quantity::scaled(a.0, a.1, SI);
        let b = Quantity::scaled(b.0, b.1, BIN);
        assert_eq!(a.cmp(&b) as i8, want);
        assert_eq!(b.cmp(&a) as i8, -want);
        assert_eq!(a.decimal().cmp(&b.decimal()) as i8, want);
        assert_eq!(HashSet::from([a, b]).len(), if want == 0 { 1 } else { 2 });
    }
    check((901, -2), (901, -2), 0);
    check((90, -1), (901, -2), -1);
    check((0, 1), (0, -1), 0);
    check((800, -3), (1, 0), -1);
    check((800, -3), (79, -2), 1);
    check((i64::MAX, 1), (1, 1), 1);
    check((i64::MAX, -16), (1, 3), -1);
    check((i64::MIN, -18), (-1, 0), -1);
    check((i64::MIN, -19), (-1, 0), 1);
    check((1_000_000_000_000_000_000, -17), (1, 1), 0);
    check((1_000_000_000_000_000_001, -17), (1, 1), 1);
    check((-1_000_000_000_000_000_000, -17), (-10, 0), 0);
    check((1, 2_000_000_000), (1, -2_000_000_000), 1);
    assert!(quantity("10000T") > quantity("100Gi"));
    assert_eq!(quantity("1"), quantity("1000m"));
    assert!(quantity("1e2000000000") > quantity("99999999999999999999999"));
}

#[test]
fn sums_and_differences_are_exact() {
    #[track_caller]
    fn check(a: &str, b: &str, sum: &str, difference: &str) {
        assert_eq!(quantity(a).checked_add(&quantity(b)).unwrap().to_string(), sum);
        assert_eq!(quantity(a).checked_sub(&quantity(b)).unwrap().to_string(), difference);
    }
    check("0", "1Gi", "1Gi", "-1Gi");
    check("1Gi", "0", "1Gi", "1Gi");
    check("0", "100m", "100m", "-100m");
    check("1Gi", "1k", "1073742824", "1073740824");
    check("1000m", "1", "2", "0");
    check("9223372036854775807", "1", "9223372036854775808", "9223372036854775806");
    check("900000000000000000", "900000000000000000", "1800P", "0");
    check("1E", "1n", "1000000000000000000000000001n", "999999999999999999999999999n");
    check("-5", "12345678901234567890", "12345678901234567885", "-12345678901234567895");
    assert!(quantity("1e2000000000").checked_add(&quantity("1")).is_none());
}

#[test]
fn integers_are_rounded_away_from_zero() {
    #[track_caller]
    fn check(text: &str, value: i64, milli: i64, exact: Option<i64>) {
        let got = quantity(text);
        assert_eq!((got.value(), got.milli_value(), got.as_i64()), (value, milli, exact), "{text}");
    }
    check("1", 1, 1000, Some(1));
    check("1k", 1000, 1_000_000, Some(1000));
    check("1500m", 2, 1500, None);
    check("-1500m", -2, -1500, None);
    check("1n", 1, 1, None);
    check("1e30", 0, 0, None);
    check("1.5Gi", 3 << 29, (3 << 29) * 1000, None);
}

/// Numbers that upstream's `Quantity.Value` and `MilliValue` return.
#[test]
fn integers_beyond_64_bits_are_those_of_the_reference() {
    #[track_caller]
    fn check(text: &str, value: i64, milli: i64) {
        let got = quantity(text);
        assert_eq!((got.value(), got.milli_value()), (value, milli), "{text}");
    }
    check("9223372036854775", 9_223_372_036_854_775, 9_223_372_036_854_775_000);
    check("92233720368547759", 92_233_720_368_547_759, 920);
    check("9223372036854775807", i64::MAX, -1000);
    check("9223372036854775808", i64::MIN, 0);
    check("18446744073709551616", 0, 0);
    check("92233720368547758070", -10, -10_000);
    check("123456789012345678901", -5_670_419_503_621_182_411, -7_269_072_992_350_064_888);
    check("-9223372036854775807", 1, 1000);
    check("-9223372036854775808", 0, 0);
    check("-18446744073709551617", -1, -1000);
    check("-99999999999999999999", -7_886_392_054, -7_886_392_055_513);
    check("-1000000000000000000", 6_930_898_828, 6_930_898_827_445);
    check("9223372036854775807k", -1000, -1_000_000);
    check("9223372036854775807M", -1_000_000, -1_000_000_000);
    check("99999999999999999999k", 200_376_420_520_688_664, -2_537_764_290_116_403_776);
    check("100000000000000000k", 7_766_279_631_452_241_920, 200_376_420_520_689_664);
    check("900P", 900_000_000_000_000_000, 0);
    check("9E", 9_000_000_000_000_000_000, 0);
    check("1e100", 0, 0);
    check("1.5Ei", 3 << 59, -1 << 62);
    check("7Ei", 7 << 60, i64::MIN);
    check("8Ei", i64::MAX, -1000);
    check("-8Ei", -i64::MAX, 1000);
    check("9223372036854775807m", 9_223_372_036_854_776, i64::MAX);
    check("99999999999999999999m", 100_000_000_000_000_000, 7_766_279_631_452_241_919);
    check("0.0000000000000000001", 1, 1);
    check("1.1234567890123456789", 2, 1124);
    check("-1.1234567890123456789", 0, -1122);
    check("-0.1234567890123456789", 1, -122);
    check("-1.3Gi", -1_395_864_370, -1_395_864_371_200);
}

#[test]
fn floats_are_close() {
    #[track_caller]
    fn check(text: &str, want: f64) {
        let got = quantity(text).as_approximate_f64();
        let near = (got / want - 1.0).abs() < 1e-15 || got.to_bits() == want.to_bits();
        assert!(near, "{text}: {got}");
    }
    check("0", 0.0);
    check("1", 1.0);
    check("8Ki", 8192.0);
    check("734003.2", 734_003.2);
    check("9Ei", 9_223_372_036_854_775_807.0);
    check("12E", 1.2e19);
    check("12e500", f64::INFINITY);
    check("-12e500", f64::NEG_INFINITY);
    check("1e-9", 1e-9);
    check("12345678901234567890", 12_345_678_901_234_567_890.0);
}

#[test]
fn the_wire_form_is_a_string() {
    for (text, want) in
        [("\" 1\"", "1"), ("\"1 \"", "1"), ("10", "10"), ("-1.5", "-1500m"), ("null", "0"), ("1e21", "1e21")]
    {
        let got: Quantity = from_value(&json::parse(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(got.to_string(), want, "{text}");
    }
    assert_eq!(to_value(&quantity("1024Mi")).unwrap(), Value::from("1Gi"));
    assert!(from_value::<Quantity>(&Value::from("x")).unwrap_err().message().starts_with("quantities must match"));
    assert!(from_value::<Quantity>(&Value::from(true)).is_err());
}

#[test]
fn rounding_up_goes_away_from_zero() {
    for (text, want) in [
        ("1", "1"),
        ("1500m", "1500m"),
        ("1001u", "2m"),
        ("-1001u", "-2m"),
        ("1n", "1m"),
        ("0.5Ki", "512"),
        ("1.0001Ki", "1024103m"),
        ("1234567890123456789.0001", "1234567890123456789001m"),
        ("1234567890123456789", "1234567890123456789"),
    ] {
        assert_eq!(quantity(text).rounded_up(-3).to_string(), want, "{text}");
    }
}
